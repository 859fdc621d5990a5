#!/usr/bin/env bats
# Ranks that start at different times, and messages whose cost varies.

load common

noise() {
    cat >noise.yaml <<END
topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, delay: 1us}}
network: {mtu: 1000B, header: 0B, ack: 1B}
record: none
jobs:
  - {ranks: 2, iterations: $1, start: $2, message_overhead: $3,
     program: [{send: {to: 1, size: 1000B}, ranks: [0]}, {recv: {from: 0}, ranks: [1]}]}
END
}

@test "start: {skew}: each rank has its own, messages may come before it" {
    noise 1 7us '{time: 0ns}'
    orrery run noise.yaml -q --json time.json
    noise 1 '{at: 7us}' '{time: 0ns}'
    orrery run noise.yaml -q --json map.json
    jq -se '.[0].fingerprint == .[1].fingerprint' time.json map.json
    noise 3 '{at: 7us, skew: {kind: exponential, spread: 1ms}}' '{time: 0ns}'
    orrery run noise.yaml --threads 2 -q --json run.json
    [ "$status" -eq 0 ] || cat ../err
    jq -e '.jobs[0] | .iterations[0].start_ns > 7000 and (.iterations | length) == 3' run.json
    noise 1 '{skew: {kind: uniform, spread: 0.5}}' '{time: 0ns}'
    orrery run noise.yaml
    fails 2 'noise.yaml:5:69: start.skew: spread is a time here, like 10us
    skew: {kind: uniform, spread: 0.5}}, message_overhead: {time
                                  ^'
}

@test "message_overhead.jitter: its mean is the cost; p10 and p90 show it" {
    noise 400 0s '{time: 50us, on: nic, jitter: {kind: uniform, spread: 20us}}'
    orrery run noise.yaml -q --json run.json
    jq -e '.jobs[0].iteration_ns | .mean > 49000 and .mean < 53000
        and .p10 > 32000 and .p10 < 37000 and .p90 > 63000 and .p90 < 69000
        and .p10 < .p50 and .p50 < .p90' run.json
    orrery run noise.yaml -q --json again.json --threads 2
    jq -se '.[0].fingerprint == .[1].fingerprint' run.json again.json
    orrery run noise.yaml --set repeat=exact
    grep -q 'message overhead has jitter' ../out
}
