# Controls for RDMA: beside the simulators of the HPCC family, and where their
# equations say that they come to rest.
# shellcheck shell=bash

# last CONTROL [ARGUMENT...]: when the last flow of the incast ends, us; median
# over nine seeds of the marks
last() {
    local seed
    for seed in 1 2 3 4 5 6 7 8 9; do
        simulate configs/cc/rdma_incast.yaml --seed $seed \
            --set "network.cc=$1" "${@:2}"
        json '.flows.fct_ns.max / 1e3'
    done | sort -g | sed -n 5p
}

# The same of DCQCN with the vendor's timers, N to one, 1 MB each
dcqcn_1mb() {
    last '{kind: dcqcn, min_rate: 1Gbps}' --set topology.hosts=$(($1 + 1)) \
        --set "flows=[{generate: incast, senders: $1, dst: $1, size: 1MB}]"
}

# Their timers of DCQCN and steps of HPCC are those that their scripts set. The
# least rate of DCQCN matters: with the vendor's timers all flows fall to it while
# the first burst drains, and stay there for 300 us. HPCC's run.py sets 1 Gbps and
# its example 100 Mbps; their figures are medians over nine runs of that simulator
# (849 us and 921 us), with other random numbers in each.
rdma_incast() {
    local step='{kind: ecn, threshold: 300KB}'
    heading 'Sixteen to one beside the HPCC family: last flow'
    row none "$(last none)" 668.1 5% us
    row DCTCP "$(last dctcp --set "network.queue=$step")" 668.1 5% us
    row "DCQCN, the paper's timers" "$(last '{kind: dcqcn,
        alpha_interval: 50us, decrease_interval: 50us,
        increase_interval: 55us, min_rate: 1Gbps}')" 668.1 5% us
    row "DCQCN, the vendor's timers" \
        "$(last '{kind: dcqcn, min_rate: 1Gbps}')" 849 5% us
    row "DCQCN, the vendor's timers, down to 100 Mbps" "$(last dcqcn)" 921 5% us
    # one run of that simulator each, set by its run.py, with a flow's size and
    # their number alone changed
    row "... 1 Gbps at least, 12 to one, 1 MB" \
        "$(dcqcn_1mb 12)" 1396.4 5% us
    row "... 1 Gbps at least, 16 to one, 1 MB" \
        "$(dcqcn_1mb 16)" 1668.1 5% us
    row "... 1 Gbps at least, 24 to one, 1 MB" \
        "$(dcqcn_1mb 24)" 2321.4 5% us
    row TIMELY "$(last timely --set network.header=44B)" 676 5% us
    row HPCC "$(last '{kind: hpcc, max_stage: 0, rate_ai: 50Mbps}' \
        --set network.header=78B)" 741 5% us
}

# last_of N SIZE HEADER CONTROL: of N to one, SIZE each
last_of() {
    last "$4" --set "network.header=$3" --set topology.hosts=$(($1 + 1)) \
        --set "flows=[{generate: incast, senders: $1, dst: $1, size: $2}]"
}

# beside_hpcc NAME HEADER CONTROL: with the rows of stdin, N SIZE REFERENCE
beside_hpcc() {
    local n size theirs
    while read -r n size theirs; do
        row "$1, $n to one, $size" "$(last_of "$n" "$size" "$2" "$3")" \
            "$theirs" 2% us
    done
}

# The same where one of 16 ACKs counts: N SIZE REFERENCE FIRST
beside_few() {
    local n size theirs first ours
    while read -r n size theirs first; do
        ours=$(last_of "$n" "$size" "$2" "$3")
        row "$1, $n to one, $size" "$ours" "$theirs" 5% us
        row '... the first of which counts there, too' "$ours" "$first" 2% us
    done
}

# One run each of HPCC's own simulator, as its run.py sets it for 100 Gbps (0.95
# of a link, 40 Mbps of increase, 1 Gbps at least, no additive stages), with
# flows' size and number changed. Its packets have 14 B of Ethernet where those
# of the ports made of it have 2 B of PPP: 1,090 B with telemetry, 1,050 B with
# the two of PINT. HPCC's 741 us above are of such a port. Its switches reckon
# with the longest round trip of the network, 4,160 ns. The base of PINT's
# logarithm is that of its example and of the paper, 1.05; run.py has 1.01, which
# takes more than a byte.
#
# Where a share of the ACKs count, it draws which: medians of 101 runs, with other
# random numbers in each. There a connection passes over the first of them, as
# HPCC's has to, to which one is no difference yet; PINT's byte needs none before
# it. So its senders hear of the first burst 16 packets later. With that taken out
# of it, its figures are the second ones.
hpcc_family() {
    local pint='{kind: hpcc, telemetry: pint, base_rtt: 4160ns, max_stage: 0,
        min_rate: 1Gbps'
    heading "Many to one beside HPCC's simulator: last flow"
    beside_hpcc HPCC 90B '{kind: hpcc, telemetry: fields, max_stage: 0,
        min_rate: 1Gbps}' <<'END'
16 500KB 750.4
8 1MB 748.6
24 1MB 2226.1
32 500KB 1482.1
END
    beside_hpcc PINT 50B "$pint}" <<'END'
16 500KB 724.1
8 1MB 724.2
24 1MB 2164.0
32 500KB 1449.4
END
    beside_few 'PINT in one of 16' 50B "$pint, pint_share: 0.0625}" <<'END'
16 500KB 795.8 771.5
24 1MB 2260.2 2227.2
32 500KB 1575.8 1540.4
END
}

# Nothing is lost in a switch of 1 MiB, by pause frames.
lossless() {
    local control
    heading 'The same with 1 MiB and pause frames'
    for control in none dctcp dcqcn '{kind: dcqcn, preset: paper}' timely \
        hpcc; do
        simulate configs/cc/rdma_incast.yaml --set "network.cc=$control" \
            --set network.buffer.size=1MiB
        row "$control: packets dropped" "$(json .counters.packets_dropped)" 0 0
        row "$control: there were pauses (1: yes)" \
            "$(json 'if .counters.pfc_pauses > 0 then 1 else 0 end')" 1 0
    done
}

# late MS [ARGUMENT...]: mean queue (bytes) and utilization of the last link,
# over the second half of MS ms
late() {
    local stop
    for stop in $(($1 / 2)) "$1"; do
        simulate $here/incast.yaml --set stop=${stop}ms "${@:2}"
        json '.links.busiest[] | select(.to == 16)
            | "\(.mean_queue_bytes) \(.utilization)"'
    done | awk '{ q[NR] = $1; u[NR] = $2 }
        END { print 2 * q[2] - q[1], 2 * u[2] - u[1] }'
}

# RED marks this share when the queue is kmin + p / pmax * (kmax - kmin).
dcqcn_rest() {
    local n queue p
    heading "DCQCN (paper) at rest: mean queue at 40 Gbps"
    for n in 2 4 8; do
        read -r queue _ < <(late 300 --set flows[0].senders=$n \
            --set 'network.cc={kind: dcqcn, preset: paper, rate_hai: 40Mbps}' \
            --set 'network.queue={kind: red, capacity: 32MiB, kmin: 5KB,
                kmax: 200KB, pmax: 0.01, mark: dequeue}')
        p=$(awk -v n=$n -v C=4770992.37 -v rai=4770.99237 -v tau=50e-6 \
            -v T=55e-6 -v K=55e-6 -v F=5 -v g=0.00390625 -f $here/dcqcn.awk)
        row "$n flows" "$queue" \
            "$(awk "BEGIN { print 5000 + $p / 0.01 * 195000 }")" 10% B
    done
}

# CoNEXT'16, algorithm 2: with no gradient the weight is 1/2, and increase and
# decrease cancel at RTT = reference * (1 + n * delta / (beta * C)). 4 us and
# two packets of it are no queue. Eight flows begin with 11 MB of queue, 9 ms of
# round trip: they are at rest after 500 ms, not yet after 250.
timely_rest() {
    local n queue
    heading 'TIMELY (patched) at rest: mean queue at 10 Gbps'
    for n in 2 4 8; do
        read -r queue _ < <(late 1000 --set flows[0].senders=$n \
            --set topology.link.rate=10Gbps \
            --set "network.cc={kind: timely, patched: true, rate_ai: 10Mbps,
                initial_rate: $((10000 / (n + 1)))Mbps}")
        row "$n flows" "$queue" "$(awk -v n=$n 'BEGIN {
            rtt = 50e-6 * (1 + n * 10e6 / (0.008 * 10e9))
            print (rtt - 4e-6) * 10e9 / 8 - 2 * 1048 }')" 2% B
    done
}

# HPCC leaves 5 % of the link free, so that queues stay near nothing: three
# packets or less, of a bandwidth-delay product of 102 KB.
hpcc_rest() {
    local n queue used
    heading 'HPCC at rest, 40 Gbps, 20 us'
    for n in 1 4 16; do
        read -r queue used < <(late 40 --set flows[0].senders=$n \
            --set topology.link.delay=5us --set network.cc=hpcc)
        row "$n flows: utilization" "$used" 0.95 2%
        row "$n flows: mean queue" "$queue" 0 3144 B
    done
}

# The second flow starts 20 ms after the first.
fairness() {
    local control
    heading 'Two flows that start apart: Jain index'
    for control in '{kind: dcqcn, preset: paper}' '{kind: dcqcn}' hpcc \
        '{kind: timely, patched: true, initial_rate: 13Gbps}'; do
        simulate $here/incast.yaml --set stop=1s --set "network.cc=$control" \
            --set 'network.queue={kind: red, capacity: 32MiB, mark: dequeue}' \
            --set 'flows=[{src: 0, dst: 16, size: 400MB},
                {src: 1, dst: 16, size: 400MB, start: 20ms}]'
        row "$control" "$(json .flows.jain)" 1 0.05
    done
}

rdma_incast
hpcc_family
lossless
dcqcn_rest
timely_rest
hpcc_rest
fairness
