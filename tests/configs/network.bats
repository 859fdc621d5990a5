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

@test "two planes carry half each; messages of a job take them in turn" {
    simulate $folder/planes.yaml
    jq -e '[.flows.list[].fct_ns] == [1603200, 1603200]' "$json"
    jq -e '[.planes[].bytes] == [40000000, 40000000]' "$json"
    # 400 messages to and fro between two hosts, of one packet each
    simulate $folder/planes.yaml --set network.plane=message \
        --set flows=null --set 'jobs=[{
            ranks: 2, placement: [0, 4], iterations: 200, program:
                [all-to-all: {size: 10000B}]}]'
    jq -e '[.planes[].bytes] == [1000000, 1000000]' "$json"
}

@test "traffic of many kinds, all of it sent" {
    simulate $folder/generators.yaml \
        --set 'flows[1]={generate: incasts, fan_in: 60, size: 500KB, interval: 100us, count: 2}'
    # incasts of 60 hosts with 500 KB: 2.4 ms at their receivers
    jq -e '[.flows.list[] | select(.bytes == 500000)] | length == 120' "$json"
    jq -e '[.flows.list[] | select(.bytes == 500000).fct_ns] | max > 60 * 40000' "$json"
    # an answer begins when its request is there
    jq -e '[.flows.list[] | select(.bytes == 200 or .bytes == 20000)] | . as $l |
        length > 20 and ([range(0; length; 2) | $l[. + 1].start_ns ==
        $l[.].start_ns + $l[.].done_ns] | all)' "$json"
}
