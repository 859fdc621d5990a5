# MLTCP over each control: how soon two jobs take turns, and three. The
# equation of the paper (arXiv 2402.09589, 3) lets the job that is ahead have
# F1 / F2 as much as the other while both send. That much is what a control
# gives to increases of that ratio if it is Reno; what it gives is measured
# here, with flows of constant weights that are long enough to come to rest,
# and put into the equation. Shares depend on the ratio and on the level:
# Swift's windows of a dozen packets share 1.00 to 1 at increases of 1.1 to 1
# and a quarter of what it has by itself, and 1.16 to 1 at all of it. So they
# are measured at both, and between them taken on straight lines between their
# logarithms. Where one F is more than twice the other, the less is below 1,
# and the quarter is what counts.
#
# The jobs go on from where the first iteration leaves them, with its slow
# start and F = 1; later ones have none (no `restart`), as the equation.
#
# Jobs send both ways, and one way. The equation is of one link; of two, ACKs of
# one wait behind data of the other, and an iteration waits for the slower way.
# So rows of Swift, which takes that for delay of its own way, fail both ways (7
# iterations, not 3) and none fails one way, nor both ways where ACKs go first;
# with a target of 200 us, and so windows of 70 packets and not of a dozen, both
# ways are as the equation anyway (three jobs one way take 4, not 6). Rows of DCQCN
# with the vendor's timers, too, hold one way.
#
# With the paper's timers they fail, and are faster than the equation: shares
# are not those at rest within an overlap, and it moves jobs whose F is 1 as
# well, by up to 7 % of a communication an iteration.
# shellcheck shell=bash

mltcp_with() { # control: its keys, and the queue that it is meant for
    queue='{kind: droptail, capacity: 1MB}'
    keys="kind: $1"
    case $1 in
    dctcp) queue='{kind: ecn, capacity: 4MB, threshold: 200KB}' ;;
    dcqcn*)
        queue='{kind: red, capacity: 8MB, kmin: 200KB, kmax: 800KB, pmax: 0.2}'
        keys="kind: dcqcn, preset: ${1#dcqcn-}"
        ;;
    swift) keys='kind: swift, fs_range: 0ns' ;; # else it makes windows alike
    swift-200us) keys='kind: swift, fs_range: 0ns, base_target: 200us' ;;
    esac
}

# How much more a flow gets whose increases are $1 times the other's, which are
# $2: of two flows of one size, from when the first ends.
mltcp_ratio() {
    simulate $here/mltcp_flows.yaml \
        --set "flows[0].weight=$(awk "BEGIN { print $1 * $2 }")" \
        --set "flows[1].weight=$2" \
        --set "network.cc={$keys}" --set "network.queue=$queue"
    json '.flows.list | map(.fct_ns) | (max / 2) as $alone
        | $alone / (min - $alone)'
}

mltcp_ratios() {
    local at
    for at in '1.05 0.25' '1.1 0.25' '1.2 0.25' '2 0.25' '4 0.25' '8 0.25' \
        '1.05 1' '1.1 1' '1.2 1' '2 1'; do
        # shellcheck disable=SC2086 # two words
        mltcp_ratio $at
    done
}

# mltcp_turns JOBS WAYS: iterations after the first until each ends 95 % of a
# communication after the one before it; when each ended its first, in
# communications, and the same of the computation.
mltcp_turns() {
    local more=() job
    if [ "$1" = 3 ]; then
        more=(--set topology.left=3 --set topology.right=3
            --set 'jobs[0].placement=[0, 3]' --set 'jobs[1].placement=[1, 4]'
            --set "jobs[2]={name: third, ranks: 2, placement: [2, 5],
                start: 10ms, iterations: 30, complete: acked, program:
                [compute: 780ms, {parallel: [{send: {to: +1, size: 2125MB}},
                {recv: {from: +1}}]}]}"
            --set 'jobs[0].program[0].compute=780ms'
            --set 'jobs[1].program[0].compute=780ms')
    fi
    for ((job = 0; job < $1 && $2 == 1; job++)); do
        more+=(--set "jobs[$job].program[1]={broadcast: {size: 2125MB}}")
    done
    simulate configs/papers/mltcp_mltcp.yaml "${more[@]}" \
        --set "network.cc={${keys/kind:/kind: mltcp, base:}}" \
        --set "network.queue=$queue"
    json '[.jobs[].iterations | map(.end_ns / 344.458e6)] | transpose
        | map(sort | [.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | min)
        | (map(. >= 0.95) | index(true)) // 99'
    json '[.jobs[].iterations[0].end_ns / 344.458e6] | join(" ")'
    awk "BEGIN { print $([ "$1" = 3 ] && echo 780 || echo 340) / 344.458 }"
}

# mltcp_equation FIRST_ENDS COMPUTATION RATIOS: the same by the equation
mltcp_equation() {
    awk -v ends="$1" -v compute="$2" -v ratios="$3" '
        # of ratio f on the line from point i - 1 to i of those from `base` on
        function on_line(base, n, f, i) {
            for (i = 1; i < n && f > at[i]; i++)
                continue
            return (i > 1 ? given[base + i - 1] : 0) + (f - at[i - 1]) * \
                (given[base + i] - (i > 1 ? given[base + i - 1] : 0)) / \
                (at[i] - at[i - 1])
        }
        function share(f, least, x, level) {
            x = log(f / least)
            level = log(least / 0.25) / log(4)
            level = level > 1 ? 1 : level
            if (x > at[4])
                return exp(on_line(0, 6, x))
            return exp((1 - level) * on_line(0, 6, x) + \
                level * on_line(6, 4, x))
        }
        BEGIN {
            n = split(ends, turn, " ")
            split("1.05 1.1 1.2 2 4 8", ratio, " ")
            for (i = 1; i <= 6; i++) at[i] = log(ratio[i])
            split(ratios, r, " ")
            for (i = 1; i <= 10; i++) given[i] = log(r[i])
            dt = 1e-4
            for (i = 1; i <= n; i++) {
                begin[i] = turn[i] + compute
                last[i, 1] = turn[i]
                k[i] = 1
                t = !t || begin[i] < t ? begin[i] : t
            }
            for (done = 0; done < 30; t += dt) {
                least = 9
                for (i = 1; i <= n; i++)
                    if (t >= begin[i]) {
                        f[i] = 1.75 * sent[i] + 0.25
                        least = f[i] < least ? f[i] : least
                    }
                sum = 0
                for (i = 1; i <= n; i++)
                    if (t >= begin[i])
                        sum += w[i] = share(f[i], least)
                for (i = 1; i <= n; i++) {
                    if (t < begin[i])
                        continue
                    sent[i] += dt * w[i] / sum
                    if (sent[i] >= 1) {
                        sent[i] = 0
                        begin[i] = t + compute
                        last[i, ++k[i]] = t
                        done = k[i]
                    }
                }
            }
            for (m = 1; m < 30; m++) {
                apart = 9
                for (i = 1; i <= n; i++)
                    for (j = 1; j <= n; j++) {
                        d = last[i, m] - last[j, m]
                        if (i != j && (d < 0 ? -d : d) < apart)
                            apart = d < 0 ? -d : d
                    }
                if (apart >= 0.95)
                    break
            }
            print m < 30 ? m - 1 : 99 }'
}

# The row of $1 jobs, $2 ways; $3: what else is to be said.
mltcp_row() {
    mltcp_turns "$1" "$2" >"$tmp/turns"
    { read -r turns && read -r ends && read -r compute; } <"$tmp/turns"
    row "$control, $1 jobs, ${way[$2]}${3:-}" "$turns" \
        "$(mltcp_equation "$ends" "$compute" "$ratios")" 1
}

way=('' 'one way' 'both ways')
heading 'MLTCP: iterations to 95 % of turns, by the equation'
for control in ${MLTCP:-reno cubic dctcp dcqcn-paper dcqcn-vendor swift \
    swift-200us}; do
    mltcp_with "$control"
    ratios=$(mltcp_ratios | paste -sd' ')
    for ways in 2 1; do
        for jobs in 2 3; do
            mltcp_row $jobs $ways
        done
    done
    [ "$control" = swift ] || continue
    queue='{kind: trim, capacity: 1MB, kmin: 1MB, kmax: 1MB}'
    for jobs in 2 3; do
        mltcp_row $jobs 2 ', ACKs first'
    done
done
