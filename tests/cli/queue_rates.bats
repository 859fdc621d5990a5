#!/usr/bin/env bats
# Thresholds of queues by the rate of their links.

load common

same='[.fingerprint, .counters.ecn_marks, .counters.packets_dropped]'

@test "one value for all rates is the same as each rate with that value" {
    local queue

    cat >tree.yaml <<'EOF'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 8, link: {rate: 100Gbps, delay: 1us}, uplink: {rate: 400Gbps}}
network: {mtu: 1000B, cc: dctcp}
flows: [{generate: incast, dst: 0, size: 400KB}, {generate: permutation, size: 1MB}]
record: none
EOF
    while read -r queue; do
        orrery run tree.yaml --json one.json --set \
            "network.queue={${queue//@/100KB}}"
        [ "$status" -eq 0 ]
        [ "$(jq .counters.ecn_marks one.json)" -gt 0 ]
        orrery run tree.yaml --json each.json --set \
            "network.queue={${queue//@/'{100Gbps: 100KB, 400Gbps: 100KB}'}}"
        [ "$(jq "$same" one.json)" = "$(jq "$same" each.json)" ]
        # another value for links where no queue forms changes nothing
        orrery run tree.yaml --json each.json --set \
            "network.queue={${queue//@/'{100Gbps: 100KB, 400Gbps: 9MB}'}}"
        [ "$(jq "$same" one.json)" = "$(jq "$same" each.json)" ]
        # but it does where one does
        orrery run tree.yaml --json each.json --set \
            "network.queue={${queue//@/'{100Gbps: 150KB, 400Gbps: 100KB}'}}"
        [ "$(jq "$same" one.json)" != "$(jq "$same" each.json)" ]
    done <<'EOF'
kind: ecn, threshold: @
kind: red, kmin: @, kmax: 9MB, pmax: {100Gbps: 0.5, 400Gbps: 1}
kind: red, kmin: {100Gbps: 10KB, 400Gbps: 20KB}, kmax: @, mark: dequeue
kind: trim, kmin: @, kmax: 9MB
EOF
}

@test "auto among the values of a map is in proportion to the rate" {
    cat >tree.yaml <<'EOF'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 8, link: {rate: 25Gbps, delay: 1us}, uplink: {rate: 100Gbps}}
network: {mtu: 1000B, cc: dcqcn, queue: {kind: red}}
flows: [{generate: incast, dst: 0, size: 400KB}]
record: none
EOF
    orrery run tree.yaml --json one.json
    [ "$(jq .counters.ecn_marks one.json)" -gt 0 ]
    orrery run tree.yaml --json each.json \
        --set 'network.queue.kmin={25Gbps: 100KB, 100Gbps: auto}' \
        --set 'network.queue.kmax={25Gbps: 400KB, 100Gbps: auto}'
    [ "$status" -eq 0 ]
    [ "$(jq "$same" one.json)" = "$(jq "$same" each.json)" ]
    orrery run tree.yaml \
        --set 'network.queue.kmin={25Gbps: 100KB, 100Gbps: auto}' \
        --set 'network.queue.kmax={25Gbps: 400KB, 100Gbps: 300KB}'
    [ "$status" -eq 2 ]
    grep -q 'give both kmin and kmax, or neither' ../err
}

@test "a rate that a link has for a while is listed as well" {
    cat >slow.yaml <<'EOF'
topology: {kind: switch, hosts: 3, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1000B, cc: dctcp, queue: {kind: ecn, threshold: {100Gbps: 1MB, 10Gbps: 5KB}}}
flows: [{src: 0, dst: 1, size: 1MB}]
failures: [{link: [3, 1], at: 10us, rate: 10Gbps}]
record: none
EOF
    orrery run slow.yaml --json sum.json
    [ "$status" -eq 0 ]
    [ "$(jq .counters.ecn_marks sum.json)" -gt 0 ]
    orrery run slow.yaml --json sum.json \
        --set 'network.queue.threshold={100Gbps: 5KB, 10Gbps: 1MB}'
    [ "$(jq .counters.ecn_marks sum.json)" -eq 0 ]
}
