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
