#!/usr/bin/env bats
# orrery explain of a cluster: who made a job slower, where and when.

load common

setup_file() {
    export ORRERY_CACHE=$BATS_FILE_TMPDIR/cache
}

# Three jobs whose ranks are on both leaves: `b` comes while `a` runs, `c` after
# both.
three() {
    cat >three.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 64KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
repeat: {kind: sampled, error: 2%}
cluster:
  arrivals:
  - {template: t, at: 0s, name: a, hosts: [0, 4]}
  - {template: t, at: 1s, name: b, hosts: [1, 5], iterations: 20}
  - {template: t, at: 20s, name: c, hosts: [1, 5]}
  jobs: [{name: t, gpus: 2, iterations: 100, program: [{compute: 10ms}, {all-reduce: {size: 100MB}}]}]
END
}

@test "a job is slower by whom it met, where, from when to when" {
    three
    orrery explain three.yaml --job a --json why.json
    [ "$status" -eq 0 ]
    "$ORRERY" run three.yaml -q -s record=none --json run.json
    jq -e '.explained | length == 1 and .[0].job == "a"' why.json
    jq -e '.explained[0].causes | length == 1 and .[0].with == "b" and
           (.[0].link | test("^(leaf[01] > spine0|spine0 > leaf[01])$")) and
           .[0].share > 0.9999' why.json
    [ "$(jq .fingerprint why.json)" = "$(jq .fingerprint run.json)" ]
    # from when b came to when b left
    jq -r '.jobs[1] | .started_ns, .finished_ns' run.json >expected
    jq -r '.explained[0].causes[0] | .from_ns, .to_ns' why.json | cmp - expected
    # as much as it was longer than its iterations alone
    jq -e --argjson a "$(jq '.jobs[0]' run.json)" \
        '.explained[0].causes[0].lost_ns as $lost | $lost > 0 and
         ($lost / ($a.completion_ns - 100 * $a.alone_ns) - 1 | fabs < 1e-6)' why.json
    slower=$(jq '100 * (.jobs[0].slowdown - 1)' run.json)
    grep -Eq "^a was [0-9.]+ % slower than alone: b on (leaf|spine)[01] > (leaf|spine)[01] from 1 s to " ../out
    awk -v s="$slower" 'NR == 1 {exit $3 - s > 0.06 || s - $3 > 0.06}' ../out
}

@test "of a job that met nobody it says so; without --job, those that were slower" {
    three
    orrery explain three.yaml --job c
    [ "$status" -eq 0 ]
    grep -q '^c was 0 % slower than alone$' ../out
    grep -q '^  no contention$' ../out
    orrery explain three.yaml --json why.json
    [ "$status" -eq 0 ]
    jq -e '[.explained[].job] | sort == ["a", "b"]' why.json
    jq -e '.explained[0].slowdown >= .explained[1].slowdown' why.json
}

@test "the same with all packets: parts add up to what was lost" {
    three
    orrery explain three.yaml -s cluster.accuracy=packets --json why.json
    [ "$status" -eq 0 ]
    jq -e '[.explained[].job] | contains(["a", "b"])' why.json
    jq -e '[.explained[] | ([.causes[].lost_ns] | add // 0) - .lost_in_company_ns | fabs] | max < 1' why.json
    # iterations at its edges count by where they end, and what it takes alone is
    # worked out without packets, where protocols cost nothing
    jq -e '.explained[] | select(.job == "a") | .causes | length == 1 and .[0].with == "b"
           and .[0].share > 0.85 and .[0].share <= 1' why.json
}

@test "what a cluster cannot be asked" {
    three
    orrery explain three.yaml --job d
    fails 2 'orrery: no job is called "d"
hint: the first one is "a"'
    for option in '--alone' '--flow 0' '--iteration 3' '--iteration all'; do
        # shellcheck disable=SC2086 # an option and its value
        orrery explain three.yaml $option
        fails 2 'orrery: for a cluster, jobs are explained relative to alone, over all iterations: only --job is accepted'
    done
}
