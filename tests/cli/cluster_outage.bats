#!/usr/bin/env bats
# Links that fail under a cluster: by names, and what that took.

load common

outage() {
    cat >outage.yaml <<END
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 64KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
record: none
failures: [$1]
cluster:
  accuracy: packets
  arrivals: [{template: a, at: 0s}, {template: a, at: 50ms}]
  placement: spread
  jobs:
  - {name: a, gpus: 4, iterations: 30, program: [compute: 10ms, all-reduce: {size: 20MB}]}
END
}

@test "a failure under a cluster takes names, and how long it is" {
    for form in '{link: [8, 10], down: 100ms, up: 300ms}' \
        '{link: [leaf0, spine0], down: 100ms, for: 200ms}' \
        '{link: {from: leaf0, to: spine0}, at: 100ms, for: 200ms}'; do
        outage "$form"
        orrery run outage.yaml --json outage.json
        [ "$status" -eq 0 ]
        jq '.fingerprint' outage.json >>prints
        grep -q '^  leaf0 > spine0  *100 ms to 300 ms, [0-9]* dropped$' ../out
        grep -q '^  timeouts of all senders: ' ../out
        jq -e '[.failures[] | .down_ns == 100000000 and .up_ns == 300000000] ==
               [true, true]' outage.json
    done
    [ "$(sort -u prints | wc -l)" = 1 ]
    outage '{link: {from: leaf0, to: spin0}, at: 100ms, for: 200ms}'
    orrery run outage.yaml
    [ "$status" -eq 2 ]
    grep -q 'outage.yaml:4:37: failures.link: there is no node "spin0"' ../err
    grep -q 'did you mean "spine0"' ../err
}

@test "what an outage costs beyond its length is packets lost and timers" {
    outage '{link: {from: leaf0, to: spine0}, at: 100ms, for: 200ms, detect: 20ms}'
    orrery run outage.yaml --json late.json
    grep -qE 'timeouts of all senders: [1-9]' ../out
    orrery run outage.yaml -q --json none.json -s failures=null
    # until routes avoid it, who goes over it waits for timers
    jq -e '[.failures[].drops] | add > 0' late.json
    jq -s -e '.[0].cluster.completion_ns.max > .[1].cluster.completion_ns.max + 5e6' \
        late.json none.json
}
