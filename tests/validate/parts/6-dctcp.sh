# DCTCP (SIGCOMM'10), section 3.3: N synchronised flows make the queue oscillate
# between K + N and K + N - A packets, A = 1/2 sqrt(2 N (C RTT + K)). Long flows
# over 10 Gbps, 100 us, the queue sampled every 5 us; the ends of the
# oscillation are taken where 1 and 99 % of the samples lie.
# shellcheck shell=bash

# oscillation N K: mean, 1 % and 99 % of the queue, packets
oscillation() {
    local n=$1 k=$2 i flows=
    for ((i = 0; i < n; i++)); do
        flows+="{src: $i, dst: $((n + i)), size: 1GB}, "
    done
    cat >"$tmp/dctcp.yaml" <<END
topology:
  kind: dumbbell
  left: $n
  right: $n
  link: {rate: 40Gbps, delay: 1us}
  bottleneck: {rate: 10Gbps, delay: 48us}
network:
  mtu: 1460B
  header: 40B
  ack: 40B
  ties: shuffled
  cc: {kind: dctcp, ssthresh: $(((83 + k) / n + 1))} # about its share
  queue: {kind: ecn, capacity: 10MB, threshold: $((k * 1500))B}
flows: [${flows%, }]
stop: 60ms
record: {ports: [[$((2 * n)), $((2 * n + 1))]], sample: 5us}
END
    "$ORRERY" run "$tmp/dctcp.yaml" --quiet -o "$tmp/dctcp.h5" >"$tmp/stdout"
    # the first 20 ms are left out
    h5dump -w 0 -y -d /port_series/queue "$tmp/dctcp.h5" | awk '
        /DATA/ { data = 1; next }
        data && /[0-9]/ {
            gsub(/[,}]/, "")
            for (i = 1; i <= NF; i++)
                if (++n > 4000)
                    print $i / 1500
        }' | sort -n | awk '{ x[NR] = $1; sum += $1 }
        END { print sum / NR, x[int(NR * 0.01)], x[int(NR * 0.99)] }'
}

dctcp_queue() {
    local n k seen want
    heading 'DCTCP: the queue oscillates around K (packets)'
    for n in 2 5 10; do
        for k in 40 65; do
            read -r -a seen < <(oscillation $n $k)
            read -r -a want < <(awk -v n=$n -v k=$k 'BEGIN {
                a = 0.5 * sqrt(2 * n * (83.3 + k))
                print k + n - a / 2, k + n, a
            }')
            row "$n flows, K = $k: upper end" "${seen[2]}" "${want[1]}" 3%
            row "$n flows, K = $k: mean" "${seen[0]}" "${want[0]}" 10%
            row "$n flows, K = $k: amplitude" \
                "$(awk "BEGIN { print ${seen[2]} - ${seen[1]} }")" \
                "${want[2]}" 25%
        done
    done
}

# Equal flows at the defaults, among which is the order of packets that meet at
# one instant: with ties by index Jain's index is 0.988.
dctcp_equal() {
    local i seed flows=
    heading "DCTCP: four equal flows, Jain's index"
    for ((i = 0; i < 4; i++)); do
        flows+="{src: $i, dst: $((4 + i)), size: 100MB}, "
    done
    cat >"$tmp/equal.yaml" <<END
topology: {kind: dumbbell, left: 4, right: 4, link: {rate: 10Gbps, delay: 10us}}
network: {mtu: 1448B, header: 54B, ack: 54B, cc: dctcp,
  queue: {kind: ecn, capacity: 1MB, threshold: 100KB}}
flows: [${flows%, }]
END
    for seed in 1 2 3; do
        simulate "$tmp/equal.yaml" --seed $seed
        row "seed $seed" "$(json .flows.jain)" 1 0.5%
    done
}

dctcp_queue
dctcp_equal
