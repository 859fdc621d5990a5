#!/usr/bin/env bats
# configs/cc/rdma_incast.yaml under the controls for RDMA: when its last flow
# ends (make validate compares that with other simulators), and one run whatever
# the number of threads and the kind of port.

load common

incast=configs/cc/rdma_incast.yaml
longest='.flows.fct_ns.max / 1e3'

fingerprint() {
    jq -r .fingerprint "$json"
}

# ends US TOLERANCE CONTROL [ARGUMENT...]
ends() {
    local threads first=
    for threads in 1 2 3; do
        simulate $incast --threads $threads --set "network.cc=$3" "${@:4}"
        near "$longest" "$1" "$2"
        near .counters.packets_dropped 0
        near .flows.completed 16
        first=${first:-$(fingerprint)}
        [ "$(fingerprint)" = "$first" ]
    done
}

@test "no control at all" { ends 667.132 0.001 none; }
@test "DCTCP" {
    ends 668 2% dctcp --set 'network.queue={kind: ecn, threshold: 300KB}'
}
@test "DCQCN as in the paper" { ends 667 2% '{kind: dcqcn, preset: paper}'; }
@test "DCQCN as in NICs" { ends 850 5% '{kind: dcqcn, min_rate: 1Gbps}'; }
@test "DCQCN as in NICs, down to 100 Mbps" { ends 921 5% dcqcn; }
@test "TIMELY" { ends 676 2% timely --set network.header=44B; }
@test "HPCC" {
    ends 741 2% '{kind: hpcc, max_stage: 0, rate_ai: 50Mbps}' \
        --set network.header=78B
}
@test "a memory of 1 MiB: pauses, and nothing lost" {
    # with shuffled ties the last one ends after 667 to 777 us, by seed
    ends 705 5% dcqcn --set network.buffer.size=1MiB --set network.ties=index
    near '[.counters.pfc_pauses, 1] | min' 1
}

# Where packets are marked as they come in, departures may be computed.
@test "computed and explicit ports pace alike" {
    local control ports
    for control in dcqcn '{kind: dcqcn, preset: paper}' \
        '{kind: dcqcn, window: scaled}' '{kind: timely, window: scaled}' \
        '{kind: timely, patched: true}' '{kind: fixed-rate, rate: 7.7Gbps}'; do
        for ports in computed explicit; do
            simulate configs/conformance/incast_16.yaml --threads 2 \
                --set "network.cc=$control" --set network.ports=$ports \
                --set 'network.queue={kind: ecn, capacity: 16MiB,
                    threshold: 100KB}'
            fingerprint
        done >"$BATS_TEST_TMPDIR/both"
        [ "$(uniq "$BATS_TEST_TMPDIR/both" | wc -l)" = 1 ]
    done
}

# With cwnd below 1 a packet waits for its pace; with the last ACK it has none
# any more, and no bins are kept up to when it would have gone.
@test "who gives up pacing does not keep a run alive" {
    local ports
    cat >"$BATS_TEST_TMPDIR/slow.yaml" <<'END'
topology: {kind: dumbbell, link: {rate: 1Gbps, delay: 1ps}, scale: 0.000001,
           left: 1, right: 1}
network: {preset: swift}
jobs: [{ranks: 2, program: [{reduce-scatter: {size: 1B}}], iterations: 2}]
END
    for ports in computed explicit; do
        simulate "$BATS_TEST_TMPDIR/slow.yaml" --set network.ports=$ports
        jq -c ".jobs[0].collectives" "$json"
    done >"$BATS_TEST_TMPDIR/both"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/both")" = 2 ]
    [ "$(uniq "$BATS_TEST_TMPDIR/both" | wc -l)" = 1 ]
}

# 20 packets of 8,288 bits at 10 Mbps each: 19 gaps, and 4.18 us for the last
# one and its ACK. All five thousand keep the pace of the first.
@test "five thousand paced connections of one host" {
    local i ports
    for ((i = 0; i < 5000; i++)); do
        echo "0 $((1 + i % 16)) 20000"
    done >"$BATS_TEST_TMPDIR/flows"
    for ports in computed explicit; do
        simulate configs/conformance/incast_16.yaml \
            --set 'network.cc={kind: fixed-rate, rate: 10Mbps}' \
            --set network.ports=$ports \
            --set "flows=[{file: $BATS_TEST_TMPDIR/flows}]"
        near .flows.completed 5000
        near '.flows.fct_ns.min / 1e3' 15751.375 0.01
        near '.flows.fct_ns.max / 1e3' 16165 10
        fingerprint
    done >"$BATS_TEST_TMPDIR/both"
    [ "$(uniq "$BATS_TEST_TMPDIR/both" | wc -l)" = 1 ]
}
