#!/usr/bin/env bats
# Clusters on which sampling costs more than all packets, and what is alone.

load common

figure() {
    jq -c ".$2" "$1"
}

# Jobs of few iterations that come often and jitter.
crowded() {
    cat >crowded.yaml <<'END'
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts: 24, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 64KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
record: none
repeat: {kind: sampled, error: 2%}
seed: 106
cluster:
  arrivals: {kind: poisson, load: 80%, most: 8}
  placement: spread
  jobs:
  - {name: a, gpus: 6, iterations: 30, jitter: {kind: normal, spread: 0.02}, program: [{compute: 5ms}, {all-reduce: {size: 15MB}}]}
  - {name: b, gpus: 4, iterations: 40, jitter: {kind: normal, spread: 0.02}, program: [{compute: 3750us}, {all-reduce: {size: 12500KB}}]}
END
}

@test "sampled gives way to all packets where these cost less, and says so" {
    crowded
    orrery run crowded.yaml --json sampled.json -o a.h5 --no-cache
    [ "$status" -eq 0 ]
    grep -q '`sampled` was given up' ../out
    orrery run crowded.yaml -q --json packets.json -o a.h5 -s cluster.accuracy=packets
    [ "$(figure sampled.json fingerprint)" = "$(figure packets.json fingerprint)" ]
    [ "$(figure sampled.json cluster.accuracy)" = '"packets"' ]
    jq -e '.basis.given_up_packet_hops > 0' sampled.json
    orrery run crowded.yaml -q --json on.json -o a.h5 -s cluster.dearer=go-on \
        -s cluster.replications=0 -s cluster.most=20
    [ "$(figure on.json cluster.accuracy)" = '"sampled"' ]
    jq -e '.basis.given_up_packet_hops == 0 and .basis.unsettled > 0' on.json
}

@test "a low class whose ACKs wait behind others is in one set with them" {
    # b's data goes over one spine, its ACKs over that of a, which goes first
    crowded
    sed -i 's/most: 8/most: 5/' crowded.yaml
    orrery run crowded.yaml -q --json on.json -o a.h5 -s cluster.dearer=go-on \
        -s schedule=crux -s cluster.replications=0 -s cluster.most=40
    orrery run crowded.yaml -q --json packets.json -o a.h5 \
        -s schedule=crux -s cluster.accuracy=packets
    jq -s -e '.[0].cluster.completion_ns.mean / .[1].cluster.completion_ns.mean
              | . > 0.93 and . < 1.07' on.json packets.json
}

@test "a job by itself is at a slowdown of 1 in all three accuracies" {
    cat >alone.yaml <<'END'
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 64KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
record: none
cluster:
  placement: spread
  arrivals: [{template: a, at: 0s}]
  jobs: [{name: a, gpus: 8, iterations: 12, program: [compute: 5ms, all-reduce: {size: 10MB}]}]
END
    for accuracy in sampled fluid packets; do
        orrery run alone.yaml -q --json alone.json -s cluster.accuracy=$accuracy
        jq -e '.jobs[0].slowdown - 1 | fabs < 1e-3' alone.json
    done
}
