#!/usr/bin/env bats
# configs/network/: what a network can be does what is on paper.

load common

folder=configs/network

@test "NVLink is sprayed, Ethernet has ECMP" {
    simulate $folder/tiers.yaml
    jq -e '[.flows.list[].fct_ns] == [200250, 200250, 402300]' "$json"
    jq -e '[.links.busiest[] | select(.from == 0) | .bytes] | sort ==
        [5000000, 5000000, 5000000, 5000000, 20000000]' "$json"
    near '.links.busiest | map(select(.bytes == 20000000)) | length' 4
}
