#!/usr/bin/env bats
# Nodes with more next hops than an entry of the table counts.

load common

@test "300 spines: the same on threads and with explicit ports, and in turn" {
    cat >spines.yaml <<'TEXT'
topology: {kind: leaf-spine, leaves: 3, spines: 300, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 500ns}}
jobs: [{name: a, ranks: 12, program: [{all-to-all: {size: 100KB}}]}]
record: none
TEXT
    for routing in ecmp spray adaptive; do
        for how in "--threads 1" "--threads 2" \
            "--set network.ports=explicit"; do
            orrery run spines.yaml --set network.routing=$routing $how \
                --quiet --json out.json
            [ "$status" -eq 0 ]
            jq -c '[.fingerprint, .counters.packet_hops]' out.json >>prints
        done
    done
    run sh -c "sort prints | uniq -c | awk '{ print \$1 }'"
    [ "$output" = $'3\n3\n3' ]
}
