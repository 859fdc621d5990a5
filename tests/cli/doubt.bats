#!/usr/bin/env bats
# What makes a figure doubtful is said beside it, wherever the figure is shown:
# losses, timeouts, runs that were stopped, what was inferred, lists that are
# cut.

load common

# Twelve ranks, whose first packets a queue of $1 cannot hold.
lossy() {
    cat >lossy.yaml <<END
topology: {kind: leaf-spine, leaves: 3, spines: 1, hosts: 12, link: {rate: 100Gbps, delay: 1us}}
network: {cc: reno, queue: {kind: droptail, capacity: ${1:-20KB}}}
record: none
jobs:
- {name: a, ranks: 12, program: [all-to-all: {size: 1MB}]}
END
}

@test "timeouts are counted: all of them, and how long the longest was" {
    lossy
    orrery run lossy.yaml --json out.json
    [ "$status" -eq 0 ]
    jq -e '.counters.timeouts == .jobs[0].timeouts and .counters.timeouts > 1
        and .counters.longest_timeout_ns == 10000000' out.json
    n=$(jq .counters.timeouts out.json)
    tr -s ' \n' ' ' <../out | grep -q " sent again, $n timeouts of up to 10 ms "
    [ "$(wc -L <../out)" -le 80 ]
    # of flows too, whatever the threads; without losses there are none
    cat >flows.yaml <<'END'
topology: {kind: switch, hosts: 5, link: {rate: 100Gbps, delay: 1us}}
network: {cc: reno, queue: {kind: droptail, capacity: 8KB}}
record: none
flows: [{generate: incast, dst: 4, size: 30KB}]
END
    for threads in 1 2; do
        "$ORRERY" run flows.yaml -q --threads $threads --json $threads.json
        jq -e '.counters.timeouts == ([.flows.list[].timeouts] | add)
            and .counters.timeouts > 0' $threads.json
    done
    cmp <(jq .counters 1.json) <(jq .counters 2.json)
    orrery run lossy.yaml --set network.queue.capacity=1GB --json none.json
    jq -e '.counters | .timeouts == 0 and .longest_timeout_ns == 0' none.json
    [ "$(grep -c timeout ../out)" -eq 0 ]
}
