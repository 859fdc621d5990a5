#!/usr/bin/env bats
# orrery explain: where the time of an iteration, or of a flow, went.

load common

two_jobs() {
    cat >two.yaml <<'TEXT'
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4,
           link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 2MiB, threshold: 100KB}}
jobs:
- {name: v, ranks: 8, iterations: 3, placement: [0, 4, 8, 12, 1, 5, 9, 13],
   program: [{compute: 20us}, {all-reduce: {size: 1MiB}}]}
- {name: w, ranks: 8, iterations: 4, placement: [2, 6, 10, 14, 3, 7, 11, 15],
   program: [{compute: 10us}, {all-to-all: {size: 1MiB}}]}
flows: [{src: 0, dst: 12, size: 1MB}]
record: none
TEXT
}

# adds_up FILE: causes, parts and the path each come to the duration, in ps.
adds_up() {
    jq -e '.explained | length > 0 and all(.[];
        (.duration_ns * 1000 | round) as $all
        | ([.causes_ns[]] | map(. * 1000 | round) | add) == $all
        and ([.parts[].time_ns] | map(. * 1000 | round) | add) == $all
        and ([.path[] | to_entries[] | select(.key | IN("compute", "overhead",
              "serialisation", "propagation", "queueing", "window", "pace",
              "NIC turn", "pause", "recovery", "gate", "slowest worker", "slot"))
              | select(.value | type == "number") | .value * 1000 | round]
             | add) == $all)' "$1" >/dev/null
}

@test "all jobs: the parts add up, and the run is the one that run has" {
    two_jobs
    orrery explain two.yaml --json out.json
    [ "$status" -eq 0 ]
    [ ! -s ../err ]
    adds_up out.json
    grep -q '^job v, iteration ' ../out
    grep -q '^job w, iteration ' ../out
    grep -q '^who cost whom  *job v  *job w  *flows' ../out
    cp ../out text
    orrery run two.yaml --json - -q
    [ "$(jq -r .fingerprint ../out)" = "$(jq -r .fingerprint out.json)" ]
    grep -q "^fingerprint  *$(jq -r .fingerprint out.json)$" text
    # the longest iteration of each
    cp ../out run.json
    for job in 0 1; do
        [ "$(jq ".jobs[$job].iterations | map(.duration_ns) | max" run.json)" = \
            "$(jq ".explained[$job].duration_ns" out.json)" ]
    done
    jq -e '.blame | any(.victim == "job v" and .owner == "job w")' out.json
}

# 64 B over two links of 100 Gbps and 1 us, there and back: 4,020.48 ns; and what
# answers the answer, before the data: 5.12 ns.
@test "a handshake costs the first iteration a round trip, as overhead" {
    cat >one.yaml <<'TEXT'
topology: {kind: switch, hosts: 2, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1000B, handshake: true}
jobs: [{name: a, ranks: 2, iterations: 3, program: [compute: 1us, all-reduce: {size: 20KB}]}]
flows: [{src: 0, dst: 1, size: 1KB, start: 1ms}]
record: none
TEXT
    orrery run one.yaml --json one.json -q
    orrery run one.yaml --set network.handshake=false --json two.json -q
    jq -s -e '[.[].jobs[0].iterations | map(.duration_ns * 1000 | round)]
        | [.[0][0] - .[1][0], .[0][1] - .[1][1], .[0][2] - .[1][2]]
        == [4025600, 0, 0]' one.json two.json
    jq -s -e '[.[].flows.list[0].fct_ns * 1000 | round]
        | .[0] - .[1] == 4025600' one.json two.json
    jq -e '.flows.slowdown.max == 1' one.json
    orrery explain one.yaml --job a --iteration 0 --json out.json
    [ "$status" -eq 0 ]
    adds_up out.json
    [ "$(jq '.explained[0].causes_ns.overhead' out.json)" = 4020.48 ]
    # among many, where paths differ and windows close
    two_jobs
    orrery explain two.yaml --set network.handshake=true --json out.json
    [ "$status" -eq 0 ]
    adds_up out.json
}

@test "an iteration, all of them, one job" {
    two_jobs
    orrery run two.yaml --json run.json -q
    orrery explain two.yaml --job v --iteration 1 --json -
    [ "$status" -eq 0 ]
    adds_up ../out
    [ "$(jq '.explained | length' ../out)" -eq 1 ]
    [ "$(jq '.jobs[0].iterations[1].duration_ns' run.json)" = \
        "$(jq '.explained[0].duration_ns' ../out)" ]
    orrery explain two.yaml --job v --iteration all --json -
    adds_up ../out
    [ "$(jq '.jobs[0].finish_ns' run.json)" = \
        "$(jq '.explained[0].duration_ns' ../out)" ]
}

@test "without the others" {
    two_jobs
    orrery explain two.yaml --job v --iteration 2 --alone --json out.json
    [ "$status" -eq 0 ]
    grep -q '^without the others .*, by a run of the job alone$' ../out
    yq=$(sed '/name: w/,+1d; /^flows/d' two.yaml)
    echo "$yq" >one.yaml
    orrery run one.yaml --json run.json -q
    [ "$(jq '.jobs[0].iterations[2].duration_ns' run.json)" = \
        "$(jq '.explained[0].alone_ns' out.json)" ]
}

@test "a flow" {
    two_jobs
    orrery explain two.yaml --flow 0 --json out.json
    [ "$status" -eq 0 ]
    adds_up out.json
    grep -q '^flow 0, host 0 to host 12, 1 MB: ' ../out
    orrery run two.yaml --json run.json -q
    [ "$(jq '.flows.list[0].fct_ns' run.json)" = \
        "$(jq '.explained[0].duration_ns' out.json)" ]
    [ "$(jq '.explained[0].start_ns' out.json)" = 0 ]
}

@test "without jobs: the flow that took longest" {
    echo 'topology: {kind: switch, hosts: 4, link: {rate: 9Gbps, delay: 1us}}
flows: [{src: 0, dst: 1, size: 1MB}, {src: 0, dst: 1, size: 3MB}]
record: none' >flows.yaml
    orrery explain flows.yaml
    [ "$status" -eq 0 ]
    grep -q '^flow 1, ' ../out
}

@test "causes, and what they are, stand in the help" {
    orrery help explain
    for cause in compute overhead serialisation propagation queueing window \
        pace "NIC turn" pause recovery gate "slowest worker" slot; do
        grep -q "^  $cause  " ../out
    done
}

@test "what is refused" {
    two_jobs
    orrery explain two.yaml --job x
    fails 2 'orrery: no job is called "x"
hint: the first one is "v"'
    orrery explain two.yaml --job v --iteration 3
    fails 2 'orrery: job v has no iteration 3: they are numbered from 0 to 2'
    orrery explain two.yaml --flow 1
    fails 2 "orrery: there is no flow 1: they are numbered from 0 in the \
order of \`flows\`"
    orrery explain two.yaml --flow 0 --job v
    fails 2 "orrery explain: --flow and --job: one of them
hint: \`orrery help explain\` says how it is used"
    orrery explain
    fails 2 "orrery explain: which configuration?
hint: \`orrery help explain\` says how it is used"
    orrery explain two.yaml --json two.yaml
    fails 2 "orrery explain: that would overwrite the configuration
hint: \`orrery help explain\` says how it is used"
    orrery explain two.yaml --iteration last
    [ "$status" -eq 2 ]
    orrery explain two.yaml --set network.transport=analytical \
        --set network.cc=none --set network.queue=null
    [ "$status" -eq 2 ]
}

@test "a run that fails, or is stopped before anything ends" {
    two_jobs
    orrery explain two.yaml --set stop=15us
    fails 1 'orrery: job v was stopped before it ended iteration 0'
    orrery explain two.yaml --set network.transport=datagram \
        --set network.queue='{kind: droptail, capacity: 9KB}' \
        --set network.cc=none
    [ "$status" -eq 1 ]
    [ -s ../err ]
}
