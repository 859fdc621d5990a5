#!/usr/bin/env bats
# Networks as large as they get.

load ../cli/common

@test "65,536 hosts on 4,096 switches at random: more than 2^24 next hops" {
    cat >jellyfish.yaml <<'TEXT'
topology: {kind: jellyfish, switches: 4096, degree: 16, hosts_per_switch: 16, link: {rate: 100Gbps, delay: 1us}}
flows: [{generate: permutation, size: 4KB}]
record: none
TEXT
    ulimit -v 1500000
    orrery run jellyfish.yaml --quiet --json out.json
    [ "$status" -eq 0 ]
    jq -e '.flows.completed == 65536' out.json
}

# Rows that GPUs share: whole ones took 50 s and 1.3 GB.
@test "16,384 GPUs on rails are checked in two seconds of 150 MB" {
    cat >rails.yaml <<'TEXT'
topology: {kind: rail-optimised, hosts: 2048, servers_per_leaf: 64, spines: 32, link: {rate: 400Gbps, delay: 500ns}, servers: {gpus: 8, link: {rate: 3600Gbps, delay: 500ns}}}
jobs: [{name: a, ranks: 16384, program: [{all-reduce: {size: 1MB, algorithm: ring}}]}]
record: none
TEXT
    ulimit -v 150000
    ulimit -t 2
    orrery check rails.yaml
    [ "$status" -eq 0 ]
    # 2,048 spines by default, which are as many next hops
    sed -i 's/ servers_per_leaf: 64, spines: 32,//' rails.yaml
    orrery check rails.yaml
    [ "$status" -eq 0 ]
}
