#!/usr/bin/env bats
# Retransmission timers: the first timeout knows the path, and a sender that is
# paused does not time out.

load common

figure() { # JSON file, expression
    jq -r "$2" "$1"
}
timeouts='[.flows.list[].timeouts] | add'

@test "the first timeout is no shorter than the path" {
    local delay cc extra

    for delay in 9ms 18ms 65ms 140ms; do
        for cc in cubic reno; do
            for extra in handshake=false handshake=true ack_every=2; do
                cat >far.yaml <<EOF
topology: {kind: dumbbell, left: 1, right: 1, link: {rate: 1Gbps, delay: 1ms}, bottleneck: {rate: 100Mbps, delay: $delay}}
network: {mtu: 1448B, header: 66B, ack: 66B, cc: $cc, queue: {kind: droptail, capacity: 500KB}}
flows: [{src: 0, dst: 1, size: 400KB}]
record: none
EOF
                orrery run far.yaml --json sum.json --set "network.$extra"
                [ "$status" -eq 0 ]
                [ "$(figure sum.json "$timeouts")" -eq 0 ]
                [ "$(figure sum.json .counters.retransmissions)" -eq 0 ]
            done
        done
    done
    # slow start goes on until the queue is full: 94 Mbps at best
    orrery run far.yaml --json sum.json --set topology.bottleneck.delay=18ms \
        --set network.cc=cubic --set 'flows[0].size=125MB'
    [ "$(figure sum.json '.flows.list[0].fct_ns < 10.9e9')" = true ]
}

@test "a timeout that comes before any answer can is noted" {
    local note='less than the base round trip of 40.* ms from host 1 to host 3'

    cat >hasty.yaml <<'EOF'
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 1Gbps, delay: 1ms}, bottleneck: {rate: 100Mbps, delay: 18ms}}
network: {cc: cubic}
flows: [{src: 0, dst: 1, size: 4KB}, {src: 1, dst: 3, size: 4KB}]
record: none
EOF
    orrery check hasty.yaml
    [ "$status" -eq 0 ]
    ! grep -q 'network.rto' ../out || return 1
    orrery check hasty.yaml --set network.rto.initial=39ms
    grep -q "note *network.rto.initial, 39ms, is $note" <(unwrapped ../out)
    orrery run hasty.yaml --json sum.json --set network.rto.max=39ms
    grep -q "note *network.rto.max, 39ms, is $note" <(unwrapped ../out)
    jq -e '.notes | length == 1' sum.json
    orrery check hasty.yaml --set network.rto.initial=42ms
    ! grep -q 'network.rto' ../out || return 1
    # ranks of a job as well; where no timer runs there is nothing to note
    orrery check hasty.yaml --set 'flows=[]' --set network.rto.initial=39ms \
        --set 'jobs=[{ranks: 4, program: [{all-reduce: {size: 1MB}}]}]'
    grep -q 'network.rto.initial, 39ms' ../out
    orrery check hasty.yaml --set 'network.rto={initial: 39ms, timer: never}'
    grep -q 'network.rto.initial has no effect: no timer runs' ../out
    ! grep -q "$note" ../out || return 1
}

@test "a sender that is paused does not time out" {
    local seed timer

    cat >incast.yaml <<'EOF'
topology: {kind: switch, hosts: 65, link: {rate: 100Gbps, delay: 1us}}
network:
  mtu: 1000B
  header: 48B
  ack: 60B
  recovery: go-back-n
  queue: {kind: red, mark: dequeue, capacity: 8MiB}
  buffer: {kind: shared, size: 16MiB, alpha: 0.125}
  pfc: {enabled: true}
  cc: {kind: dcqcn, preset: vendor, window: none}
flows: [{generate: incast, dst: 0, size: 1MB}]
record: none
EOF
    for seed in 1 2 3; do
        # also where a timer runs, as one must where a link fails: it stands
        # still meanwhile
        for timer in network.rto.timer=auto network.rto.timer=always \
            'failures=[{link: [65, 9], down: 1s}]' 'network.rto={min: 200us}'
        do
            orrery run incast.yaml --json sum.json --set "$timer" --seed $seed
            [ "$status" -eq 0 ]
            [ "$(figure sum.json .counters.pfc_pauses)" -gt 100 ]
            [ "$(figure sum.json .counters.packets_dropped)" -eq 0 ]
            [ "$(figure sum.json .counters.retransmissions)" -eq 0 ]
            [ "$(figure sum.json "$timeouts")" -eq 0 ]
        done
    done
}

@test "a timer runs where something may be lost, and where it is asked for" {
    cat >lossy.yaml <<'EOF'
topology: {kind: switch, hosts: 3, link: {rate: 10Gbps, delay: 1us}}
network: {mtu: 1000B, recovery: go-back-n, pfc: {enabled: true}}
flows: [{src: 0, dst: 1, size: 1MB}]
failures: [{link: [3, 1], down: 800us, up: 900us}]
record: none
EOF
    orrery run lossy.yaml --json sum.json
    [ "$status" -eq 0 ]
    [ "$(figure sum.json .counters.packets_dropped)" -gt 0 ]
    [ "$(figure sum.json "$timeouts")" -gt 0 ]
    # without one, what was lost at the end is never sent again
    orrery run lossy.yaml --json sum.json --set network.rto.timer=never
    [ "$status" -eq 1 ]
    grep -q '1 of 1 flows did not finish' ../err
    grep -q 'hint: senders have no timer' ../err
    # a queue that drops instead of marking loses packets, pause frames or not
    orrery run lossy.yaml --json sum.json --set 'failures=[]' \
        --set 'network.queue={kind: red, ecn: false, kmin: 10KB, kmax: 20KB}' \
        --set 'flows=[{generate: incast, dst: 0, size: 1MB}]'
    [ "$status" -eq 0 ]
    [ "$(figure sum.json .counters.packets_dropped)" -gt 0 ]
}

@test "a configuration of HPCC has no timers" {
    mkdir mix
    printf '%s\n' 'TOPOLOGY_FILE topology.txt' 'FLOW_FILE flow.txt' \
        'CC_MODE 1' 'HAS_WIN 0' 'KMAX_MAP 1 100000000000 1600' \
        'KMIN_MAP 1 100000000000 400' 'PMAX_MAP 1 100000000000 0.2' \
        'BUFFER_SIZE 16' >mix/config.txt
    {
        printf '%s\n' '66 1 65' 65
        for ((i = 0; i < 65; i++)); do echo "$i 65 100Gbps 1us 0"; done
    } >mix/topology.txt
    {
        echo 64
        for ((i = 0; i < 64; i++)); do echo "$i 64 3 100 1000000 2"; done
    } >mix/flow.txt
    orrery run --hpcc mix/config.txt --set record=none --json sum.json
    [ "$status" -eq 0 ]
    [ "$(figure sum.json .counters.retransmissions)" -eq 0 ]
    ! grep -q 'no timer' ../err || return 1
    orrery convert hpcc mix/config.txt -o mix.yaml
    grep -q '^  rto: {timer: never}$' mix.yaml
    # nor where links may lose packets, which is told
    sed -i 's/^\(3 65.*\) 0$/\1 0.001/' mix/topology.txt
    orrery convert hpcc mix/config.txt -o mix.yaml
    grep -q 'note: senders have no timer, as in HPCC' ../err
}
