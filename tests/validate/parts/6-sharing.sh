# Training jobs that share a link: how their offset moves, and what an
# iteration then takes. The answers are on paper (HotNets'22, MLTCP's Eq. 2).
# shellcheck shell=bash

# The dumbbell of MLTCP: 340 ms of computation, and 236,112 packets of 9,000 B
# with 54 B of header and 64 B for an ACK of the other direction at 50 Gbps.
mltcp=configs/papers/mltcp
compute=340
communicate=344.458

# The second job's end of iteration $1 (from 0) behind the first one's, ms.
offset() {
    json "(.jobs[1].iterations[$1].end_ns - .jobs[0].iterations[$1].end_ns)
        / 1e6"
}

# Mean duration of both jobs' iterations from $1 to below $2, ms.
duration() {
    json "[.jobs[].iterations[$1:$2][].duration_ns] | add / length / 1e6"
}

# Iterations until the jobs take turns: an offset of 95 % of the communication.
# (With as much communication as computation there is no room to spare: later
# the offset swings about the whole of it.)
turns_after() {
    json "[.jobs[].iterations | map(.end_ns)] | transpose
        | map((.[1] - .[0] | fabs) >= 0.95e6 * $communicate)
        | (index(true) // 98) + 1"
}

# Each job a class of its own, and the classes served in turn: exactly fair.
fair() {
    simulate ${mltcp}_reno.yaml --set 'network.cc=none' \
        --set 'network.window=64' --set 'jobs[0].iterations=10' \
        --set 'jobs[1].iterations=10' --set 'jobs[1].class=1' \
        --set 'network.queue={kind: droptail, capacity: 4MB, scheduler: drr}' \
        --set "jobs[1].start=$1"
}

sharing() {
    local alone
    heading 'Two jobs on one link (MLTCP, 50 Gbps, 340 ms)'
    simulate ${mltcp}_isolated.yaml
    alone=$(duration 1 5)
    row 'isolated iteration' "$alone" \
        "$(awk "BEGIN { print $compute + $communicate + 0.03 }")" 0.1% ms
    fair 0ms
    row 'overlapped: fair shares, started together' "$(duration 0 10)" \
        "$(awk "BEGIN { print $compute + 2 * $communicate }")" 0.5% ms
    fair 100ms
    row 'fair shares: offset after 1 iteration' "$(offset 0)" 100 1% ms
    row 'fair shares: offset after 10 iterations' "$(offset 9)" 100 1% ms
    simulate ${mltcp}_mltcp.yaml
    # by the equation, which knows no slow start
    row 'MLTCP: iterations from 1 % to 95 % of turns' "$(turns_after)" 4 2
    row 'interleaved: MLTCP, iterations 10 to 30' "$(duration 10 30)" \
        "$alone" 2% ms
}

# w1:w2 = RATIO:1; the communication is 173,951 packets of 4,096 + 48 + 64 B.
weights() {
    local i
    simulate configs/papers/hotnets22_weights.yaml \
        --set "network.queue.weights=[$1, 1]" \
        --set 'jobs[0].iterations=5' --set 'jobs[1].iterations=5'
    for i in 1 2 3 5; do
        row "weights $1:1, iteration $i: offset / communication" \
            "$(awk "BEGIN { print $(offset $((i - 1))) / 117.117 }")" \
            "$(awk "BEGIN { print 1 - (1 / $1) ^ $i }")" 0.5%
    done
}

sharing
heading "Static shares: 1 - (w2 / w1)^i (HotNets'22)"
weights 2
weights 4
