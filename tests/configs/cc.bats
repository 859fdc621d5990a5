#!/usr/bin/env bats
# One workload under every congestion control.

load common

folder=configs/cc

@test "incast: all bytes through one link, in little more than that takes" {
    simulate "$folder/incast.yaml"
    near .flows.completed 15
    near .counters.packets_dropped 0
    jq -e '.flows.fct_ns.max < 1.1 * 15e6 * 4144 / 4096 / 12.5' "$json"
    simulate "$folder/incast.yaml" --set network.ties=index
    near .flows.completed 15
    near .counters.packets_dropped 0
    # 15 x 245 packets of 4,096 B at most and 48 B of header at 100 Gbps
    jq -e '.flows.fct_ns.max > 15e6 * 4144 / 4096 / 12.5
        and .flows.fct_ns.max < 1.05 * 15e6 * 4144 / 4096 / 12.5' "$json"
}

@test "permutation: every host sends, and DCTCP keeps queues around K" {
    simulate "$folder/permutation.yaml"
    near .flows.completed 16
    near .counters.packets_dropped 0
    jq -e '.counters.ecn_marks > 0
        and ([.links.busiest[].mean_queue_bytes] | max) < 400e3' "$json"
}

@test "allreduce: no collective beats its bound" {
    simulate "$folder/allreduce.yaml"
    near '.jobs[0].collectives | length' 5
    near .jobs[0].bytes_sent $((5 * 2 * 15 * 16777216))
    jq -e '[.jobs[0].collectives[] | .duration_ns > .lower_bound_ns] | all' \
        "$json"
}
