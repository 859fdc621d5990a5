#!/usr/bin/env bats
# orrery check: builds everything, runs nothing, estimates.

load common

@test "check says ok and what the run would take" {
    small
    orrery check small.yaml
    [ "$status" -eq 0 ]
    [ ! -s ../err ]
    sed -E 's/about [0-9.e-]+ (.B|s)/about N \1/g' ../out >text
    is_text text "small.yaml: ok
  topology  ring: 8 hosts, 0 switches, 8 cables (16 links)
  workload  1 flow
  estimate  490 packet-hops, about N s on one thread, about N MB of memory"
    leaves small.yaml text
}

# The estimate counts what a run without losses counts.
@test "the estimate meets the run" {
    cat >mixed.yaml <<'END'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1000B, ack_every: 2, queue: {kind: droptail, capacity: 1GiB}}
jobs:
  - ranks: 8
    iterations: 3
    program:
      - all-reduce: {size: 1MiB, algorithm: ring}
      - all-to-all: {size: 1MiB}
flows: [{generate: permutation, size: {min: 100KB, max: 1MB}}]
END
    "$ORRERY" run mixed.yaml -q --set record=none --json run.json
    hops=$(jq .counters.packet_hops run.json)
    said=$("$ORRERY" check mixed.yaml | sed -n 's/.*estimate  \([^ ]*\) packet-hops.*/\1/p')
    echo "estimated $said, ran $hops"
    awk "BEGIN { exit !($said > 0.97 * $hops && $said < 1.03 * $hops) }"
}

@test "check says how many records there will be, and when they are many" {
    cat >long.yaml <<'END'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
jobs: [{ranks: 8, iterations: 1000, program: [compute: 20ms, {barrier: {}}]}]
record: {interval: 1ms, ports: [0], sample: 100us}
END
    orrery check long.yaml
    [ "$status" -eq 0 ]
    grep -q '^  records   2e+04 bins, 2e+05 samples or more, up to' ../out
    [ "$(grep -c warning ../out)" -eq 0 ]
    orrery check long.yaml --set record.interval=10us
    grep -q '^  records   2e+06 bins, 2e+05 samples or more, up to' ../out
    grep -q '^  warning   these records may cost more than the run' ../out
}

@test "several configurations, one of them wrong" {
    small
    sed 's/kind: ring/kind: rnig/' small.yaml >wrong.yaml
    orrery check small.yaml wrong.yaml
    [ "$status" -eq 2 ]
    grep -q "^small.yaml: ok" ../out
    grep -q '^wrong.yaml:2:18: topology.kind: there is no topology "rnig"' ../err
}

@test "check reads the record settings, too" {
    small
    orrery check small.yaml --set record.interval=5
    [ "$status" -eq 2 ]
    grep -q "a unit is missing" ../err
    leaves small.yaml
}

@test "every configuration of the repository is fine" {
    cd "$root"
    "$ORRERY" check configs/*/*.yaml >"$BATS_TEST_TMPDIR/out"
    [ "$(grep -c ': ok$' "$BATS_TEST_TMPDIR/out")" -eq "$(ls configs/*/*.yaml | wc -l)" ]
}

@test "wrong usage of check" {
    orrery check
    fails 2 'orrery check: which configuration?
hint: `orrery help check` says how it is used'
    orrery check --seeed=3
    fails 2 'orrery check: no option is called "--seeed"
hint: did you mean "--seed"?'
}
