#!/usr/bin/env bats
# A cluster without packets: shares of links, on the terms of its schedule.

load common

# Two jobs meet on the only spine, one of which computes more. The link is 10
# Gbps, so that an all-reduce of two takes 80 ms alone.
two() {
    cat >two.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
network: {mtu: 64KiB, header: 0B, ack: 1B, cc: dctcp, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
record: none
cluster:
  accuracy: fluid
  placement: linear
  arrivals:
  - {template: a, at: 0s, hosts: [0, 2]}
  - {template: b, at: 0s, hosts: [1, 3]}
  jobs:
  - {name: a, gpus: 2, iterations: 200, program: [compute: 20ms, all-reduce: {size: 100MB}]}
  - {name: b, gpus: 2, iterations: 200, program: [compute: 97ms, all-reduce: {size: 100MB}]}
END
}

# means OPTIONS: ms of an iteration of both.
means() {
    orrery run two.yaml -q --json two.json "$@"
    [ "$status" -eq 0 ]
    jq -c '[.jobs[].iteration_ns / 1e6 | . * 10 | round / 10]' two.json
}

@test "fluid: who goes first is what the schedule says, as with all packets" {
    two
    [ "$(means -s schedule=ideal)" = "[100,177]" ]
    # b computes more for what it sends: it goes first, and is as alone
    means -s schedule=priority >first
    [ "$(jq '.[1]' first)" = 177 ]
    jq -e '.[0] > 105' first
    means -s 'schedule={kind: priority, by: order, order: [a]}' >second
    [ "$(jq '.[0]' second)" = 100 ]
    jq -e '.[1] > 182' second
    means >fair
    jq -s -e '.[0] as $f | .[1] as $s | .[2] as $n |
              $n[0] < $f[0] and $n[1] < $s[1]' first second fair
    sed -i 's/iterations: 200/iterations: 60/' two.yaml
    for schedule in none priority; do
        means -s schedule=$schedule >fluid
        means -s schedule=$schedule -s cluster.accuracy=packets >packets
        jq -s -e '[.[0], .[1]] | transpose |
                  all(.[0] / .[1] > 0.97 and .[0] / .[1] < 1.03)' fluid packets
    done
}

@test "fluid: gates hold, on the clock of the cluster" {
    two
    sed -i 's/iterations: 200, program: \[compute: 97ms/iterations: 200, program: [compute: 20ms/' two.yaml
    # jobs of 100 ms that need the link for 80 each: by turns of 160 ms
    means -s schedule=cassini >turns
    jq -e 'all(.[]; . >= 159 and . < 162)' turns
    # a gate of its own, which is of the cluster's time
    orrery run two.yaml -q --json own.json \
        -s 'cluster.jobs[0].gate={period: 300ms, offset: 7ms}'
    jq -e '.jobs[0].iteration_ns / 1e6 | (. - 300 | fabs) < 2' own.json
}

@test "fluid: Crux's paths and classes count" {
    cat >crux.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts: 8, link: {rate: 10Gbps, delay: 1us}}
network: {mtu: 64KiB, header: 0B, ack: 1B}
record: none
cluster:
  accuracy: fluid
  arrivals:
  - {template: a, at: 0s, hosts: [0, 4]}
  - {template: a, at: 0s, hosts: [1, 5]}
  jobs:
  - {name: a, gpus: 2, iterations: 50, program: [compute: 20ms, all-reduce: {size: 100MB}]}
END
    # two spines, two jobs: each has one to itself, whatever ECMP does
    for seed in 1 2 3 4 5; do
        orrery run crux.yaml -q --json crux.json --seed $seed -s schedule=crux
        jq -e '[.jobs[].iteration_ns] | max < 101e6' crux.json
    done
}

@test "fluid: what shares of links know nothing of is refused by name" {
    two
    refused() {
        orrery run two.yaml "$@"
        [ "$status" -eq 2 ]
        grep -qF "$want" ../err
    }
    want='accuracy: fluid: the schedule mltcp acts through congestion control'
    refused -s schedule=mltcp
    echo 'schedule: {kind: weights, weights: {a: 2}}' >>two.yaml
    want='accuracy: fluid: the schedule weights acts through'
    refused
    grep -q 'two.yaml:13:18' ../err
    two
    want='use `sampled` or `packets` for `changes`'
    refused -s 'cluster.jobs[0].changes=[{iteration: 3, class: 0}]'
}

@test "fluid: sets by themselves, and jobs without messages in seconds" {
    cat >many.yaml <<'END'
topology: {kind: leaf-spine, leaves: 8, spines: 2, hosts: 64, link: {rate: 50Gbps, delay: 1us}}
record: none
cluster:
  accuracy: fluid
  arrivals: {load: 85%, most: 30000}
  jobs: [{name: a, gpus: [1, 2, 4, 8], iterations: {exponential: {mean: 1000}}, program: [compute: 1s]}]
END
    cpu 12 "$ORRERY" run many.yaml -q
    # jobs that meet in racks of their own cost what each rack costs
    cat >racks.yaml <<'END'
topology: {kind: leaf-spine, leaves: 32, spines: 8, hosts: 256, link: {rate: 50Gbps, delay: 1us}}
record: none
cluster:
  accuracy: fluid
  arrivals: {load: 85%, most: 1500}
  jobs: [{name: a, gpus: [4, 8, 12], iterations: {exponential: {mean: 300}}, program: [compute: 20ms, all-reduce: {size: 100MB}]}]
END
    cpu 30 "$ORRERY" run racks.yaml -q
}
