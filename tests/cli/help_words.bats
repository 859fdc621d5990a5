#!/usr/bin/env bats
# orrery help WORD: any name that orrery knows, and hints about where an unknown
# key would be.

load common

answers() {
    for word in "$@"; do
        "$ORRERY" help "$word" >../out 2>../err \
            || { echo "no answer: $word" && cat ../err && return 1; }
        [ -s ../out ]
    done
}

@test "members, keys, figures, units and terms, however they are spelled" {
    answers fat-tree dctcp ecmp all-reduce vgg16 rail-optimised poisson jain \
        slowdown PFC ecn threshold kmin mss seed packed cassini loss capacity \
        websearch rto fingerprint utilization nvlink rail-optimized DCTCP \
        utilisation pmax gantt jct busbw GiB units timeouts all_reduce
}

@test "a word with two meanings has both" {
    orrery help threshold
    grep -q 'in `network.queue` of kind ecn' ../out
    grep -q 'in `network.routing` of kind ugal' ../out
    orrery help poisson
    grep -q 'cluster.arrivals.kind: poisson' ../out
    grep -q 'flows\[\].generate: poisson' ../out
    orrery help compare
    grep -q '^usage: orrery compare' ../out
    grep -q '^compare: what `compare` holds' ../out
}

@test "a path chooses among the places of a key" {
    orrery help network.queue.threshold
    grep -q 'in `network.queue` of kind ecn' ../out
    ! grep -q ugal ../out || false
    orrery help rail optimised
    grep -q 'topology.kind: rail-optimised' ../out
}

@test "every name of a summary is answered" {
    small
    orrery run small.yaml --json one.json -q
    [ "$status" -eq 0 ]
    cat >jobs.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
jobs: [{name: a, ranks: 4, iterations: 2, program: [all-reduce: {size: 1MB}]}]
END
    orrery run jobs.yaml --json two.json -q
    orrery run "$root/configs/cluster/tenants.yaml" --json three.json -q \
        -s cluster.accuracy=fluid
    [ "$status" -eq 0 ]
    jq -r 'paths | map(select(type == "string")) | .[]' ./*.json | sort -u \
        | grep -v 'completion_ns_\|iteration_ns_\|queueing_ns_\|rho_\|slowdown_' >names
    [ "$(wc -l <names)" -gt 100 ]
    while read -r name; do
        answers "$name"
    done <names
}

@test "what nothing is called gets the nearest of all names" {
    orrery help thresold
    fails 2 'orrery help: nothing is called "thresold"
hint: did you mean "threshold"?'
    orrery help xqzw
    fails 2 'orrery help: nothing is called "xqzw"
hint: `orrery help` names everything'
}

@test "an unknown key: where a key of that name stands" {
    small
    orrery run small.yaml -s network.kmin=1KB
    [ "$status" -eq 2 ]
    is_text <(tail -1 ../err) \
        'hint: "kmin" is a key of `network.queue` of kind red, `network.queue` of kind trim'
    orrery run small.yaml -s topology.rate=1Gbps
    is_text <(tail -1 ../err | cut -c1-44) \
        'hint: "rate" is a key of `topology.link`, `n'
    orrery run small.yaml -s cc=dctcp
    tail -1 ../err | grep -q '^hint: "cc" is a key of `network`'
}

@test "a member's name becomes a map where a key is set in it" {
    small
    orrery run small.yaml -q -s network.cc=swift -s network.cc.base_target=30us
    [ "$status" -eq 0 ]
    orrery run small.yaml -q -s network.mtu=1500B -s network.mtu.a=1
    fails 2 '--set network.mtu.a: "a" cannot be in a single value
hint: set what holds it as a whole, like a={b: c}'
}

@test "shares are numbers or percentages" {
    small
    for load in 0.6 60%; do
        orrery run small.yaml --json - -q -s "flows=[{generate: poisson, load: $load, duration: 100us, size: 10KB}]"
        [ "$status" -eq 0 ]
        jq -r .fingerprint ../out >"$load"
    done
    cmp 0.6 60%
}

@test "the wrong kind of file: what is expected, and how to get it" {
    small
    orrery report small.yaml
    fails 2 'orrery: small.yaml is no HDF5 file
hint: run it first: `orrery run small.yaml -o run.h5` writes the record'
    orrery run small.yaml -q -o run.h5
    orrery explain run.h5
    [ "$status" -eq 2 ]
    grep -q '^hint: an HDF5 record' ../err
}
