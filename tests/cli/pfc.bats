#!/usr/bin/env bats
# Pause frames as a user sees them: pauses in the summary and in the records,
# and a network that they lock.

load common

# Five switches in a ring with a host each, at 8 Gbps.
write_ring() {
    {
        echo '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        echo '<key id="r" for="edge" attr.name="rate" attr.type="string"/>'
        echo '<key id="d" for="edge" attr.name="delay" attr.type="string"/>'
        echo '<key id="t" for="node" attr.name="type" attr.type="string"/>'
        echo '<graph edgedefault="undirected">'
        for i in 0 1 2 3 4; do
            echo "<node id=\"h$i\"><data key=\"t\">host</data></node>"
        done
        for i in 0 1 2 3 4; do
            echo "<node id=\"s$i\"><data key=\"t\">switch</data></node>"
        done
        for i in 0 1 2 3 4; do
            for to in h$i s$(((i + 1) % 5)); do
                echo "<edge source=\"s$i\" target=\"$to\"><data key=\"r\">" \
                    "8Gbps</data><data key=\"d\">1us</data></edge>"
            done
        done
        echo '</graph></graphml>'
    } | sed 's/> \([0-9]\)/>\1/' >ring.graphml
}

@test "a network that pause frames lock ends, and says which links wait" {
    write_ring
    cat >ring.yaml <<EOF
topology: {kind: file, file: ring.graphml}
network: {mtu: 1000B, pfc: {enabled: true, xoff: 10KB}}
flows:
  - {src: 0, dst: 2, size: 1MB}
  - {src: 1, dst: 3, size: 1MB}
  - {src: 2, dst: 4, size: 1MB}
  - {src: 3, dst: 0, size: 1MB}
  - {src: 4, dst: 1, size: 1MB}
EOF
    orrery run ring.yaml --json sum.json
    [ "$status" -eq 1 ]
    grep -q 'PFC deadlock, found at .* class 0 of 5 links is paused' ../err
    [ "$(jq .counters.packets_dropped sum.json)" -eq 0 ]
    [ "$(jq .flows.completed sum.json)" -eq 0 ]
    [ -f ring.h5 ]
    [ ! -f ring.h5.partial ]
    h5dump -d /links/pauses ring.h5 >/dev/null
    # without pause frames they all end
    orrery run ring.yaml --json sum.json --set network.pfc.enabled=false
    [ "$status" -eq 0 ]
    [ "$(jq .flows.completed sum.json)" -eq 5 ]
}

@test "an incast with pause frames loses nothing and says who was paused" {
    cat >incast.yaml <<EOF
topology: {kind: switch, hosts: 9, link: {rate: 100Gbps, delay: 1us}}
network:
  mtu: 1000B
  buffer: {kind: shared, size: 1MiB}
  pfc: {enabled: true}
flows: [{generate: incast, dst: 8, size: 500KB}]
record: {interval: 50us}
EOF
    orrery run incast.yaml --json sum.json
    [ "$status" -eq 0 ]
    [ "$(jq .counters.packets_dropped sum.json)" -eq 0 ]
    [ "$(jq .counters.pfc_pauses sum.json)" -gt 8 ]
    jq -e '[.links.busiest[] | select(.from < 8) |
            .pauses > 0 and .paused_ns > 10000] | all and length > 0' sum.json
    grep -Eq 'busiest links .* paused$' ../out
    # what the records hold adds up to what the summary says
    sum=$(h5dump -d /links/pauses -y -w 1 incast.h5 | tr -d ' ,' |
        awk '/^[0-9]+$/ {n += $1} END {print n}')
    [ "$sum" -eq "$(jq .counters.pfc_pauses sum.json)" ]
}

# A switch whose memory is not short deals with its departures late, and in any
# order; in one process with others it never does. Here it is short at times.
@test "what waits is entered the same whether departures are events or not" {
    local memory

    cat >short.yaml <<EOF
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network:
  queue: {kind: red, capacity: 1MiB, kmin: 40KB, kmax: 160KB}
flows: [{generate: incast, dst: 0, size: 400KB, senders: 12}]
record: none
EOF
    for memory in 'pfc={enabled: true, xoff: 40KB}' \
        'pfc={enabled: true}' \
        'buffer={kind: shared, size: 600KB, alpha: 0.5}'; do
        orrery run short.yaml --json late.json --set "network.$memory"
        [ "$status" -eq 0 ]
        orrery run short.yaml --json events.json --set "network.$memory" \
            --set network.processes=one
        [ "$status" -eq 0 ]
        [ "$(jq -c '[.fingerprint, .counters, .links.busiest]' late.json)" = \
            "$(jq -c '[.fingerprint, .counters, .links.busiest]' \
                events.json)" ]
        jq -r .counters.pfc_pauses,.counters.packets_dropped late.json >>held
    done
    # pauses, pauses, drops
    [ "$(awk '{ printf "%d", ($1 > 0) }' held)" = 101001 ]
}

# What a class that nothing is sent in would keep apart is others' to use, so
# that the number of the only class does not matter.
@test "memory is kept apart for the classes that something is sent in alone" {
    local class extra

    cat >only.yaml <<EOF
topology: {kind: switch, hosts: 33, link: {rate: 100Gbps, delay: 1us}}
network:
  mtu: 1000B
  header: 48B
  recovery: go-back-n
  queue: {kind: red, mark: dequeue, capacity: 4MiB}
  buffer: {kind: shared, size: 4MiB, alpha: 0.125}
  pfc: {enabled: true}
  cc: {kind: dcqcn, window: scaled}
flows: [{generate: incast, dst: 0, senders: 32, size: 400KB}]
record: none
EOF
    for class in 0 3 7; do
        for extra in seed=1 network.classes=8; do
            orrery run only.yaml --json sum.json --set "$extra" \
                --set "flows[0].class=$class"
            [ "$status" -eq 0 ]
            jq -c '[.counters.pfc_pauses, .counters.packets_dropped]' \
                sum.json >>all
        done
    done
    [ "$(sort -u all)" = '[0,0]' ]
    # in a file of flows as in the configuration
    printf '%s\n' 31 >flow.txt
    for ((i = 1; i < 32; i++)); do echo "$i 0 3 100 400000 2"; done >>flow.txt
    orrery run only.yaml --set 'flows=[{file: flow.txt, format: hpcc}]' \
        --json sum.json
    [ "$status" -eq 0 ]
    [ "$(jq .counters.pfc_pauses sum.json)" -eq 0 ]
    # a schedule that may give any of eight
    cat >jobs.yaml <<EOF
topology: {kind: switch, hosts: 9, link: {rate: 100Gbps, delay: 1us}}
network: {pfc: {enabled: true}, buffer: {kind: shared, size: 1MiB}}
jobs:
  - {name: a, ranks: 4, program: [{all-reduce: {size: 1MB}}]}
record: none
EOF
    orrery run jobs.yaml --set 'schedule={kind: priority, by: size}'
    [ "$status" -eq 0 ]
    orrery run jobs.yaml --set 'schedule={kind: crux, classes: 8}'
    [ "$status" -eq 2 ]
    grep -q 'traffic classes in use: 8' ../err
}

# Host 0 is paused as one of eight that send to host 8, and acknowledges a flow
# of host 9: 2 us there, 2 us back.
@test "hold_acks: a pause holds the ACKs of a host, or not" {
    cat >acks.yaml <<EOF
topology: {kind: switch, hosts: 10, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1000B, ack_every: 1, buffer: {kind: shared, size: 1MiB}, pfc: {enabled: true}}
flows:
  - {generate: incast, senders: 8, dst: 8, size: 1MB}
  - {src: 9, dst: 0, size: 1KB, start: 100us}
EOF
    local fct='[.flows.list[] | select(.src == 9)][0].fct_ns | floor'
    orrery run acks.yaml -q --set record=none --json held.json
    [ "$(jq "$fct" held.json)" -gt 8000 ]
    # NICs of one class, of several, and of shares
    for more in mtu=1000B classes=2 queue.scheduler=fair; do
        orrery run acks.yaml -q --set record=none --json free.json \
            --set network.$more --set network.pfc.hold_acks=false
        [ "$(jq "$fct" free.json)" -lt 4300 ]
        [ "$(jq .counters.packets_dropped free.json)" -eq 0 ]
        [ "$(jq .counters.pfc_pauses free.json)" -gt 10 ]
    done
    # hosts that forward hold all
    sed -i 's/kind: switch, hosts: 10/kind: ring, hosts: 10/' acks.yaml
    orrery check acks.yaml --set network.pfc.hold_acks=false
    grep -q 'pfc.hold_acks has no effect: hosts that forward' ../out
}

# A headroom of three times 25 ns at 100 Gbps is too little for what comes while
# a pause is under way.
@test "form: hpcc drops what its headroom does not hold" {
    cat >short.yaml <<EOF
topology: {kind: switch, hosts: 9, link: {rate: 100Gbps, delay: 25ns}}
network: {mtu: 1000B, buffer: {kind: shared, size: 128KiB}, pfc: {enabled: true}}
flows:
  - {generate: incast, senders: 8, dst: 8, size: 100KB}
EOF
    orrery run short.yaml -q --set record=none --json a.json
    [ "$(jq .counters.packets_dropped a.json)" -eq 0 ]
    orrery run short.yaml -q --set record=none --json a.json \
        --set network.pfc.form=hpcc
    [ "$(jq .counters.packets_dropped a.json)" -gt 0 ]
    [ "$(jq .flows.completed a.json)" -eq 8 ]
}
