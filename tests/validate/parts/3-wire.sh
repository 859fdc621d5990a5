# TCP on networks of other shapes, beside ns-3: long round trips, random loss,
# incast, unequal rates, oversubscription, a parking lot, a load of web-search
# flows, spraying.
#
# Flows that lose at random leave slow start at 25 packets: when their first
# loss is would else decide how long they take.
#
# A case is a topology.txt, which both read, and a list of flows: source,
# destination, bytes, start, ns. Both begin with a handshake. Times are to the
# last byte at the receiver. Figures are of all
# flows of all runs together, over seeds: of hashes and losses in ns-3, and of
# ties too here.
# shellcheck shell=bash

# wire_links: the links "from to rate delay loss" of stdin as $tmp/topo.txt
wire_links() {
    awk '{ l[NR] = $0
            for (i = 1; i <= 2; i++) if ($i > last) last = $i
            if ($6 == "switch") s = s }
        END {
            for (v = hosts; v <= last; v++) list = list " " v
            print last + 1, last + 1 - hosts, NR
            print substr(list, 2)
            for (i = 1; i <= NR; i++) print l[i] }' hosts="$1" >"$tmp/topo.txt"
}

# n senders and n receivers: links of the left, of the right, of the middle
wire_dumbbell() {
    awk -v n="$1" -v left="$2" -v right="$3" -v middle="$4" 'BEGIN {
        for (i = 0; i < n; i++) print i, 2 * n, left
        for (i = 0; i < n; i++) print n + i, 2 * n + 1, right
        print 2 * n, 2 * n + 1, middle }' | wire_links $((2 * $1))
}

# wire_pairs N BYTES STAGGER_NS
wire_pairs() {
    awk -v n="$1" -v bytes="$2" -v gap="$3" 'BEGIN {
        for (i = 0; i < n; i++) print i, n + i, bytes, i * gap }' >"$tmp/list"
}

# mean, median and 99th percentile of stdin, us of ns
wire_figures() {
    sort -g | awk '{ v[NR] = $1; s += $1 }
        function at(p, x, i) {
            x = 1 + p * (NR - 1)
            i = int(x)
            return v[i] + (x - i) * (i < NR ? v[i + 1] - v[i] : 0)
        }
        END { printf "%.9g %.9g %.9g\n", s / NR / 1e3, at(0.5) / 1e3,
            at(0.99) / 1e3 }'
}

# wire_ns3 SEEDS [ARGUMENT...]
wire_ns3() {
    local seed
    awk '{ print $1, $2, $3, $4 }' "$tmp/list" >"$tmp/starts"
    for ((seed = 1; seed <= $1; seed++)); do
        "$ns3" --topology="$tmp/topo.txt" --list="$tmp/starts" --starts \
            --print-flows --seed=$seed "${@:2}" | jq '.list[]'
    done | wire_figures
}

# wire_ours SEEDS [ARGUMENT...]
wire_ours() {
    local seed
    awk '{ print $1, $2, $3, $4 "ns" }' "$tmp/list" >"$tmp/flows"
    for ((seed = 1; seed <= $1; seed++)); do
        simulate $here/wire.yaml --seed $seed \
            --set topology.file="$tmp/topo.txt" \
            --set "flows=[{file: $tmp/flows}]" "${@:2}"
        json '.flows.list[].done_ns'
    done | wire_figures
}

# wire CASE SEEDS OUR_SEEDS TOLERANCES NS3_ARGUMENTS -- OUR_ARGUMENTS
wire() {
    local name=$1 seeds=$2 our_seeds=$3 allowed theirs ours i
    local -a arguments=()
    read -r -a allowed <<<"$4"
    shift 4
    while [ "$1" != -- ]; do
        arguments+=("$1")
        shift
    done
    shift
    read -r -a theirs < <(reference "wire_${name// /_}" wire_ns3 "$seeds" \
        "${arguments[@]}")
    read -r -a ours < <(wire_ours "$our_seeds" "$@")
    i=0
    for figure in mean median '99th percentile'; do
        row "$name: $figure" "${ours[i]}" "${theirs[i]:-}" "${allowed[i]}" us
        i=$((i + 1))
    done
}

# What both have of a control beside `as: ns3`: arguments for ns-3, and here, with
# the two packets that ns-3 holds beside its queue (see dumbbell.yaml).
wire_dctcp() { # packets: threshold, and room
    wire_theirs=(--cc=dctcp --mark="$1" --fifo="${2:-100000}")
    wire_our=(--set network.cc=dctcp --set "network.queue={kind: ecn,
        threshold: $((($1 + 1) * 1502))B, capacity: 1GB,
        limit: $((${2:-100000} + 2))}")
}
wire_loss_based() { # control, packets of room
    wire_theirs=(--cc="$1" --fifo="$2" --min-rto=200000)
    wire_our=(--set network.rto.min=200ms --set network.rto.initial=1s
        --set "network.queue={kind: droptail, capacity: 1GB,
        limit: $(($2 + 2))}")
    if [ "$1" != cubic ]; then
        wire_our+=(--set network.cc=reno)
    else
        wire_our+=(--set network.cc=cubic)
    fi
}

wire_long() {
    wire_dumbbell 4 '10Gbps 10us 0' '10Gbps 10us 0' '1Gbps 9980us 0'
    wire_pairs 4 40000000 50000000
    wire_loss_based newreno 1702
    wire '20 ms, newreno' 1 4 '5% 5% 10%' "${wire_theirs[@]}" -- \
        "${wire_our[@]}"
    # one: who of several comes off well at a full queue is a matter of ties
    wire_dumbbell 1 '10Gbps 10us 0' '10Gbps 10us 0' '1Gbps 9980us 0'
    wire_pairs 1 200000000 0
    wire_loss_based cubic 1702
    wire '20 ms, cubic' 1 1 '5% 5% 10%' "${wire_theirs[@]}" -- \
        "${wire_our[@]}"
}

# ns-3's NewReno halves less than the window (see bench/ns3/tcp.cc), and is 6 %
# slower for that; with `reno` it halves it. Its handshake waits for 3 s by itself,
# and is given the initial RTO here: two flows of 384 that lost one took 5 % of the
# mean. A retransmission that is lost costs a timeout, 200 ms, in both; one flow in
# fifty meets that, so the 99th percentile lies among them: of 384 flows each it was
# 480 and 513 ms there; here 485, and 504 of 768. Windows of CUBIC are a few packets
# here, so it matters that ns-3 counts in whole packets, and that it keeps what
# arrived while the curve was flat and spends it when it is steep: `form: ns3`.
# Linux spends one packet of it: with `form: linux` flows take a quarter longer. The
# median of ns-3 is 642 ms with eight seeds and 670 with eight others.
wire_lossy() {
    local control seeds
    wire_dumbbell 48 '10Gbps 10us 0' '10Gbps 10us 0' '100Gbps 480us 0.002'
    wire_pairs 48 8000000 1000000
    for control in reno cubic; do
        wire_loss_based $control 100000
        seeds=8
        [ $control = cubic ] && seeds=16
        wire "loss of 0.2 %, $control" $seeds 16 '5% 5% 10%' --ssthresh=25 \
            "${wire_theirs[@]}" -- "${wire_our[@]}" \
            --set network.cc.ssthresh=25
    done
}

# Flows that are alone, each with room for 600 packets before a link that is slower:
# slow start loses half of a window at once, and what counts is how the window comes
# down. ns-3's PRR overflows at such windows (--wide: bench/ns3/tcp.cc): as it comes,
# one of the four waits for a timeout under CUBIC. Room is in bytes here: with
# `limit` one flow ends a round trip later, because which of two packets is lost
# first is a matter of 0.4 ns, and the clock of ns-3 counts whole ones.
wire_overshoot() {
    local control
    awk 'BEGIN {
        split("16 40 16 40", fast, " ")
        split("8 10 8 10", slow, " ")
        split("5 5 200 200", delay, " ")
        for (i = 0; i < 4; i++) {
            print i, 8 + i, fast[i + 1] "Gbps 1us 0"
            print 8 + i, 4 + i, slow[i + 1] "Gbps " delay[i + 1] "us 0"
            if (i) print 7 + i, 8 + i, "10Gbps 1us 0" # nobody takes it
        } }' | wire_links 8
    wire_pairs 4 5000000 0
    for control in reno cubic; do
        wire_loss_based $control 600
        wire "overshoot, $control" 1 1 '1% 1% 1%' --wide --ack-every=1 \
            "${wire_theirs[@]}" -- "${wire_our[@]}" --set network.ack_every=1 \
            --set "network.queue={kind: droptail, capacity: $((602 * 1502))B}"
    done
}

# N times 64 to one, each through a switch of its own, started at distances of
# its own.
wire_many_to_one() {
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n * 65; i++)
            print i, n * 65 + int(i / 65), "10Gbps 10us 0"
        for (s = 0; s < n - 1; s++)
            print n * 65 + s, n * 65 + s + 1, "10Gbps 10us 0" }' |
        wire_links $(($1 * 65))
    awk -v n="$1" 'BEGIN { for (s = 0; s < n; s++) for (i = 1; i < 65; i++)
        print 65 * s + i, 65 * s, 256000, i * (60 + 11 * s) }' \
        >"$tmp/list"
}

# ns-3's DCTCP has no floor of two packets: min_cwnd. A mark cuts its
# window over a round trip, by PRR: prr_marks; if at once, as RFC 8257 says, the
# mean is 8 % more with 1,000 packets of room, and 18 % more in ns-3 itself
# (--prr=false, with RFC 8257's answer to losses).
#
# With 100 packets of room a receiver of ns-3 acknowledges the first packet of a
# connection at once, and here it is held back for 1 ms, which all flows wait for
# that lost their first ten: so both acknowledge each packet.
#
# Most losses come with marks then. ns-3 does not look for lost packets while it
# answers a mark, answers none that a duplicate ACK tells of, and goes on with its
# answer at what is acknowledged in order alone. Then it waits for the timeout of 10
# ms where Linux and RFC 3168 do otherwise: --watchful (bench/ns3/tcp.cc). Flows end
# within 8 ms, or, with a timeout, from 10.5 ms on and mostly beyond 13, and somewhat
# less than half of them without: the median is that of the others.
wire_incast() {
    wire_many_to_one 8
    wire_dctcp 65 1000
    wire 'incast, 1000 packets' 1 8 '5% 5% 10%' "${wire_theirs[@]}" -- \
        "${wire_our[@]}"
    wire_loss_based reno 100
    wire 'incast, 100 packets, no marks' 1 8 '5% 5% 10%' \
        "${wire_theirs[@]}" --min-rto=10000 --ack-every=1 -- \
        "${wire_our[@]}" --set network.rto.min=10ms --set network.ack_every=1
    wire_many_to_one 15 # a summary lists 1,000 flows
    wire_dctcp 65 100
    wire 'incast, 100 packets' 1 4 '5% 5% 10%' "${wire_theirs[@]}" \
        --watchful --ack-every=1 -- "${wire_our[@]}" \
        --set network.ack_every=1
}

# Twenty times N to one through room for 40 packets, with delays and starts drawn
# by SEED, which both read: who loses is a matter of phases, and of what a
# recovery sends when. Of six draws: mean, us, flows with a timeout (10 ms), and
# drops.
wire_stars() { # N SEED
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        for (i = 0; i < 20 * (n + 1); i++)
            print i, 20 * (n + 1) + int(i / (n + 1)), \
                "10Gbps " 5000 + int(1500 * rand()) "ns 0"
        for (s = 0; s < 19; s++)
            print 20 * (n + 1) + s, 20 * (n + 1) + s + 1, "10Gbps 10us 0" }' |
        wire_links $((20 * ($1 + 1)))
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(100 + seed)
        for (s = 0; s < 20; s++)
            for (i = 1; i <= n; i++)
                print s * (n + 1) + i, s * (n + 1), 144800, int(25000 * rand())
        }' >"$tmp/list"
}

# completions, ns, a line, and "drops N", of all seeds
losers_figures() {
    awk '$1 == "drops" { drops += $2; next }
        { s += $1; late += $1 > 1e7; n++ }
        END { printf "%.9g %d %d\n", s / n / 1e3, late, drops }'
}

losers_ns3() {
    local seed
    for seed in 1 2 3 4 5 6; do
        wire_stars "$1" $seed
        "$ns3" --topology="$tmp/topo.txt" --list="$tmp/list" --starts \
            --print-flows --cc=reno --fifo=40 --wide --ack-every=1 |
            jq -r '.list[], "drops \(.drops)"'
    done | losers_figures
}

losers_ours() {
    local seed
    for seed in 1 2 3 4 5 6; do
        wire_stars "$1" $seed
        awk '{ print $1, $2, $3, $4 "ns" }' "$tmp/list" >"$tmp/flows"
        simulate $here/wire.yaml --seed $seed \
            --set topology.file="$tmp/topo.txt" --set network.ack_every=1 \
            --set network.cc=reno --set "network.queue={kind: droptail,
            capacity: 1GB, limit: 42}" --set "flows=[{file: $tmp/flows}]"
        json '.flows.list[].done_ns, "drops \(.counters.packets_dropped)"'
    done | losers_figures
}

wire_losers() {
    local n theirs ours
    for n in 6 10; do
        read -r -a theirs < <(reference "wire_losers_$n" losers_ns3 $n)
        read -r -a ours < <(losers_ours $n)
        row "$n to one, 40 packets: mean" "${ours[0]}" "${theirs[0]:-}" 5% us
        row "$n to one, 40 packets: flows with a timeout" "${ours[1]}" \
            "${theirs[1]:-}" 10%
        row "$n to one, 40 packets: drops" "${ours[2]}" "${theirs[2]:-}" 3%
    done
}

wire_unequal() {
    awk 'BEGIN {
        split("10 10 40 40 100 100 25 25", left, " ")
        split("25 40 25 40 25 40 25 40", right, " ")
        for (i = 0; i < 8; i++) print i, 16, left[i + 1] "Gbps 5us 0"
        for (i = 0; i < 8; i++) print 8 + i, 17, right[i + 1] "Gbps 5us 0"
        print 16, 17, "40Gbps 5us 0" }' | wire_links 16
    wire_pairs 8 10000000 1237
    wire_dctcp 130
    wire 'unequal rates' 1 4 '5% 5% 10%' "${wire_theirs[@]}" -- \
        "${wire_our[@]}"
}

# Two pods of two edge switches with eight hosts, two links up from each: 4 to 1
wire_three_tiers() {
    awk 'BEGIN {
        for (h = 0; h < 32; h++) print h, 32 + int(h / 8), "10Gbps 1us 0"
        for (e = 0; e < 4; e++) for (a = 0; a < 2; a++)
            print 32 + e, 36 + 2 * int(e / 2) + a, "10Gbps 1us 0"
        for (a = 0; a < 4; a++) for (c = 0; c < 2; c++)
            print 36 + a, 40 + 2 * (a % 2) + c, "10Gbps 1us 0" }' |
        wire_links 32
    awk 'BEGIN { for (h = 0; h < 32; h++)
        print h, (h + 16 + 5 * (h % 3)) % 32, 1000000, h * 337 }' \
        >"$tmp/list"
    wire_dctcp 65
    wire 'three tiers 4:1' 6 32 '5% 5% 10%' "${wire_theirs[@]}" -- \
        "${wire_our[@]}"
}

# Three links in a row, each crossed by two flows; two flows take all three
wire_parking_lot() {
    awk 'BEGIN {
        for (h = 0; h < 4; h++) print h, 16 + 3 * (h % 2), "10Gbps 10us 0"
        for (h = 4; h < 16; h++) {
            i = int((h - 4) / 4)
            print h, 16 + i + (h % 2), "10Gbps 10us 0"
        }
        for (s = 16; s < 19; s++) print s, s + 1, "10Gbps 10us 0" }' |
        wire_links 16
    awk 'BEGIN {
        print 0, 1, 10000000, 0
        print 2, 3, 10000000, 7000
        for (h = 4; h < 16; h += 2)
            print h, h + 1, 20000000, h * 1237 }' \
        >"$tmp/list"
    wire_dctcp 65
    wire 'parking lot' 1 8 '5% 5% 10%' "${wire_theirs[@]}" -- "${wire_our[@]}"
}

# The tree of k = 4: hosts, edges, aggregations, cores
wire_tree() {
    awk -v link="$1" 'BEGIN {
        for (h = 0; h < 16; h++) print h, 16 + int(h / 2), link
        for (e = 0; e < 8; e++) for (j = 0; j < 2; j++)
            print 16 + e, 24 + 2 * int(e / 2) + j, link
        for (a = 0; a < 8; a++) for (j = 0; j < 2; j++)
            print 24 + a, 32 + 2 * (a % 2) + j, link }' | wire_links 16
}

# Sizes of web search (DCTCP, SIGCOMM 2010), in packets of 1,448 B; Poisson
# arrivals at half of what hosts can send, from everyone to everyone. Short
# flows, and their handshakes, wait behind long ones in ns-3's hosts, and so they
# do here with `nic: fifo`: the median is 24 % less without it, and 15 % less if
# a handshake is taken to be an empty round trip.
wire_web_search() {
    wire_tree '10Gbps 1us 0'
    awk -v n=120 'BEGIN {
        split("1 6 13 19 33 53 133 667 1333 3333 6667 20000", size, " ")
        split("0 .15 .2 .3 .4 .53 .6 .7 .8 .9 .97 1", share, " ")
        srand(7)
        for (k = 1; k < 12; k++)
            mean += (share[k + 1] - share[k]) * (size[k] + size[k + 1]) / 2
        rate = 0.5 * 16 * 10e9 / 8 / (mean * 1502) / 1e9
        for (i = 0; i < n; i++) {
            t += -log(1 - rand()) / rate
            src = int(16 * rand())
            dst = (src + 1 + int(15 * rand())) % 16
            u = rand()
            for (k = 1; u > share[k + 1]; k++)
                continue
            x = size[k] + (u - share[k]) / (share[k + 1] - share[k]) * \
                (size[k + 1] - size[k])
            print src, dst, int(x * 1448), int(t)
        } }' >"$tmp/list"
    wire_dctcp 65
    wire 'web search, load 0.5' 3 24 '5% 5% 10%' "${wire_theirs[@]}" -- \
        "${wire_our[@]}" --set 'network.nic={queue: fifo, marks: step}'
}

# Packets of a connection take all ways in turn. ns-3 counts duplicate ACKs and
# repeats what was only overtaken; so does recovery: sack (2.6 ms; with rack it
# is 2.0). What then halves a window here hardly moves that of ns-3's DCTCP, which
# cuts by alpha / 2 for a loss too, so it is given RFC 8257's rule (bench/ns3/
# tcp.cc); as it comes it takes 2.40 ms, for want of half its cuts.
wire_spray() {
    wire_tree '10Gbps 1us 0'
    awk 'BEGIN { for (h = 0; h < 16; h++)
        print h, (h + 5) % 16, 2000000, h * 337 }' >"$tmp/list"
    wire_dctcp 65
    wire 'spraying' 2 16 '5% 5% 10%' --spray "${wire_theirs[@]}" \
        --cc=rfc8257 -- \
        "${wire_our[@]}" --set network.routing=spray
}

heading "TCP on other networks beside ns-3 3.37 ($source)"
for case in ${WIRE:-long lossy overshoot incast losers unequal three_tiers
    parking_lot web_search spray}; do
    "wire_$case"
done
