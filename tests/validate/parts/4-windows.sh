# Windows against the equations that define them.
# shellcheck shell=bash

# column NAME: of the connections that simulate_series sampled, a number a line
column() {
    h5dump -d "/flow_series/$1" -y -w 1 -m %.9g "$tmp/series.h5" |
        awk -F, '/^ *-?[0-9]/ { print $1 + 0 }'
}

# simulate_series CONFIG SAMPLE [ARGUMENT...]: as simulate, all flows sampled
simulate_series() {
    "$ORRERY" run "$here/$1" --quiet -o "$tmp/series.h5" \
        --json "$tmp/out.json" --set "record={flows: all, sample: $2}" \
        "${@:3}" >"$tmp/stdout" 2>"$tmp/stderr" || {
        cat "$tmp/stderr" >&2
        exit 1
    }
}

# Packets lost one by one with probability p leave Reno a mean window of
# 1.31 / sqrt(p) (Ott, Kemperman and Mathis, "The stationary behavior of ideal
# TCP congestion avoidance", 1996); were they lost at even distances, it would be
# 1.22 / sqrt(p). 16 flows of 60 losses each, over a path that is never full.
reno_law() {
    local p packets
    heading 'Reno: mean window at random loss p, 1.31 / sqrt(p)'
    for p in 0.01 0.003 0.001 0.0003 0.0001; do
        packets=$(awk "BEGIN { print int(60 / $p) }")
        awk -v bytes=$((packets * 1448)) 'BEGIN {
            for (i = 0; i < 16; i++)
                print i, 16 + i, bytes, i * 137 "us"
        }' >"$tmp/flows"
        simulate $here/long_path.yaml --set topology.bottleneck.loss=$p \
            --set network.cc.ssthresh="$(awk "BEGIN { print 1.31 / sqrt($p) }")" \
            --set "flows=[{file: $tmp/flows}]"
        row "p = $p" "$(json ".flows.list
            | ([.[].fct_ns] | add / length) as \$t
            | $packets * 10.004e6 / \$t")" \
            "$(awk "BEGIN { print 1.31 / sqrt($p) }")" 8% packets
    done
}

# One flow that fills a queue and loses, three times over. Where the window falls
# a curve begins; RFC 9438 says where its window is at any time from then on.
cubic_curve() {
    heading 'CUBIC: window after a loss, RFC 9438, equation 1'
    simulate_series cubic.yaml 10ms
    column cwnd | awk '
    function cbrt(x) { return exp(log(x) / 3) }
    { w[NR] = $1 / 1448 }
    END {
        plateau = 0
        for (i = 2; i <= NR; i++) {
            if (w[i] > 0.75 * w[i - 1])
                continue
            # fast convergence: a loss below the last plateau
            lost = w[i - 1]
            plateau = lost < plateau ? lost * (1 + 0.7) / 2 : lost
            for (from = i; w[from + 1] == w[i]; from++)
                continue # in recovery
            K = cbrt((plateau - w[i]) / 0.4)
            loss++
            for (t = 5; t <= 25; t += 5) {
                n = from + t * 100
                ends = 0
                for (j = from + 1; j <= n; j++)
                    ends = ends || j > NR || w[j] < 0.75 * w[j - 1]
                if (!ends)
                    print "loss_" loss ",_" t "_s", w[n],
                        0.4 * (t - K) ^ 3 + plateau
            }
        }
    }' >"$tmp/curve"
    while read -r name ours theory; do
        row "${name//_/ }" "$ours" "$theory" 0.3% packets
    done <"$tmp/curve"
    row 'points compared' "$(wc -l <"$tmp/curve")" 7 0
}

# The mean round-trip time of N flows through 10 Gbps, once all have settled.
# With flow scaling the target depends on the window, which is the N-th part of
# what the round-trip time holds: a fixed point.
swift_target() {
    local n range target
    heading 'Swift: mean round-trip time, and the target'
    for range in 0 300; do
        for n in 2 8 32; do
            awk -v n=$n 'BEGIN {
                for (i = 0; i < n; i++)
                    print i, n + i, int(400000000 / n), i * 2 "us"
            }' >"$tmp/flows"
            simulate_series swift.yaml 200us --set topology.left=$n \
                --set topology.right=$n --set network.cc.fs_range=${range}us \
                --set "flows=[{file: $tmp/flows}]"
            target=$(awk -v n=$n -v range=$range 'BEGIN {
                rtt = 60
                alpha = range / (1 / sqrt(0.1) - 1 / sqrt(100))
                for (i = 0; i < 1000; i++) {
                    w = rtt * 1e4 / 12000 / n
                    t = 60 + alpha * (1 / sqrt(w) - 1 / sqrt(100))
                    rtt += ((t > 60 ? t : 60) - rtt) / 2
                }
                print rtt
            }')
            row "$n flows, scaling by up to $range" \
                "$(column rtt | awk -v skip=$((250 * n)) 'NR > skip && $1 > 0 {
                    s += $1; k++ } END { print s / k / 1e6 }')" "$target" 4% us
        done
    done
}

# A slow start into a queue of one bandwidth-delay product: ns-3 3.37 takes 4.3 s.
# Then 16 to one, whose receiver holds ACKs back: as with an ACK for each packet.
repair_and_hold() {
    local every none
    heading 'Losses on a long path, and ACKs held back'
    cat >"$tmp/repair.yaml" <<END
topology: {kind: dumbbell, left: 1, right: 1, link: {rate: 10Gbps, delay: 10us},
  bottleneck: {rate: 1Gbps, delay: 9980us}}
network: {mtu: 1448B, header: 54B, cc: cubic, rto: {initial: 1s, min: 200ms},
  queue: {kind: droptail, capacity: 2556404B}}
flows: [{src: 0, dst: 1, size: 500MB}]
END
    simulate "$tmp/repair.yaml"
    row 'CUBIC, 500 MB, 20 ms' "$(json '.flows.fct_ns.max / 1e9')" 4.3 5% s
    cat >"$tmp/hold.yaml" <<END
topology: {kind: switch, hosts: 17, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 4096B, header: 64B, cc: nscc,
  queue: {kind: red, capacity: 1MB, kmin: 100KB, kmax: 400KB, pmax: 1}}
flows: [{generate: incast, size: 2MB, dst: 16}]
END
    simulate "$tmp/hold.yaml"
    none=$(json '.flows.fct_ns.max / 1e6')
    for every in 2 4; do
        simulate "$tmp/hold.yaml" --set network.ack_every=$every
        row "NSCC, 16 to one, an ACK for $every" \
            "$(json '.flows.fct_ns.max / 1e6')" "$none" 5% ms
    done
}

# Two flows that are marked share 10 Gbps; an edge of one is down for a
# millisecond, so that it times out just after it has answered a mark. It has to
# grow again: together they keep the link busy to the end (100 MB in packets of
# 1,502 B), where a window that stays at one packet takes ten times as long.
timeout_after_mark() {
    local control
    heading 'A timeout just after a mark: last of two flows, 100 MB'
    cat >"$tmp/cut.yaml" <<END
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 10us}}
network: {mtu: 1448B, header: 54B, ack: 54B, rto: {initial: 1ms, min: 1ms},
  queue: {kind: ecn, capacity: 1MB, threshold: 100KB}}
failures: [{link: 0, down: 20ms, up: 21ms}]
flows: [{src: 0, dst: 2, size: 50MB}, {src: 1, dst: 3, size: 50MB}]
END
    for control in dctcp reno cubic; do
        simulate "$tmp/cut.yaml" --set network.cc=$control
        row "$control" "$(json '.flows.fct_ns.max / 1e6')" 83.03 1% ms
        row '... timeouts (1: at least one)' \
            "$(json '[.flows.list[].timeouts] | add | if . > 0 then 1 else 0
                end')" 1 0
    done
}

# The preset as it is, on a tree of 128 hosts at 100 Gbps with 1 us a link; what
# htsim (uet-htsim) printed for the same, whose packets are as large. Flows of a
# permutation, and of many to one, are to the last ACK; three seeds of paths.
nscc_beside_htsim() {
    local seed mean=0 max=0
    heading "NSCC, 2 MB, beside htsim's figures"
    cat >"$tmp/nscc.yaml" <<END
topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}
network: {preset: uec-nscc}
flows: [{src: 0, dst: 127, size: 2MB}]
END
    simulate "$tmp/nscc.yaml"
    row 'one flow' "$(json '.flows.fct_ns.max / 1e3')" 176.2 1% us
    simulate "$tmp/nscc.yaml" \
        --set 'flows[1]={src: 127, dst: 0, size: 2MB}'
    row 'one each way' "$(json '.flows.fct_ns.max / 1e3')" 176.804 5% us
    for seed in 1 2 3; do
        simulate "$tmp/nscc.yaml" --seed $seed \
            --set 'flows=[{generate: permutation, size: 2MB}]'
        mean=$(json ".flows.fct_ns.mean / 3e3 + $mean")
        max=$(json ".flows.fct_ns.max / 3e3 + $max")
    done
    row 'permutation: mean' "$mean" 188 5% us
    row 'permutation: slowest' "$max" 197 5% us
    simulate "$tmp/nscc.yaml" \
        --set 'flows=[{generate: incast, dst: 0, senders: 127, size: 2MB}]'
    row '127 to one: slowest' "$(json '.flows.fct_ns.max / 1e6')" 21.0 5% ms
    row '127 to one: packets dropped' "$(json .counters.packets_dropped)" 0 0
}

# BBRv3 at 1 Gbps and 2.04 ms, 255 KB: alone it fills the link with a queue of much
# less than that; two share it; beside CUBIC it takes the larger part where the
# buffer is shallow and the smaller where it is deep (no figure is promised).
bbr_shares() {
    local room share
    heading 'BBRv3: alone, two, and beside CUBIC'
    cat >"$tmp/bbr.yaml" <<END
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 10us},
  bottleneck: {rate: 1Gbps, delay: 1ms}}
network: {mtu: 1448B, header: 54B, ack: 54B, cc: bbr,
  queue: {kind: droptail, capacity: 2MB}}
flows: [{src: 0, dst: 2, size: 500MB}]
END
    simulate "$tmp/bbr.yaml"
    row 'alone: utilization' "$(json '.links.max_utilization')" 1 5%
    row 'alone: mean queue, BDPs' \
        "$(json '.links.busiest[0].mean_queue_bytes / 255000')" 0 0.1
    for room in 2MB 250KB; do
        simulate "$tmp/bbr.yaml" --set 'flows[1]={src: 1, dst: 3, size: 500MB}' \
            --set network.queue.capacity=$room
        row "two, $room: utilization" "$(json '.links.max_utilization')" 1 5%
        row "two, $room: Jain's index" "$(json .flows.jain)" 1 2%
    done
    for room in 60KB 250KB 2MB; do
        simulate "$tmp/bbr.yaml" --set network.queue.capacity=$room \
            --set 'flows[1]={src: 1, dst: 3, size: 500MB, cc: cubic}'
        share=$(json '[.flows.list[] | 1 / .fct_ns] | .[0] / add')
        beside "beside CUBIC, $room: share until one ends" "$share" 0.5
    done
}

reno_law
bbr_shares
cubic_curve
swift_target
repair_and_hold
timeout_after_mark
nscc_beside_htsim
