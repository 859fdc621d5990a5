# MLTCP over each control: how soon two jobs take turns. The equation of the paper
# (arXiv 2402.09589, 3) lets the job that is ahead have F1 / F2 as much as the
# other while both send. That much is what a control gives to increases of that
# ratio if it is Reno; what it gives is measured here, with flows of constant
# weights 1.2, 2, 4 and 8 to 1, and put into the equation: F1 / F2 is 8 at most,
# and the less of two F is 0.25 when an iteration begins, so weights are a
# quarter of that (shares depend on the level too: 1.2 to 1 under Swift is 1.15
# to 1 at a quarter, and 1.42 at 1). Begun at the offset that the first
# iteration leaves, with its slow start and F = 1; later ones have none (no
# `restart`), as the equation.
#
# The equation's shares are those at rest, and some controls take as long as an
# overlap to come to them: at 2 to 1, over 200 MB and over 1 GB, CUBIC gives 1.18
# and 1.97, DCQCN with the vendor's timers 1.07 and 1.13, Swift 1.93 and 2.13. So
# rows of CUBIC (2 iterations instead of 4), DCQCN (9, not 11) and Swift (7, not 3)
# fail; for Swift that does not explain all of it.
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
    esac
}

# How much more a flow gets whose increases are $1 times the other's: of two
# flows of one size, from when the first ends.
mltcp_ratio() {
    simulate $here/mltcp_flows.yaml \
        --set "flows[0].weight=$(awk "BEGIN { print $1 / 4 }")" \
        --set "network.cc={$keys}" --set "network.queue=$queue"
    json '.flows.list | map(.fct_ns) | (max / 2) as $alone
        | $alone / (min - $alone)'
}

# Iterations after the first until the offset is 95 % of the communication, and
# the offset after the first, in shares of that.
mltcp_turns() {
    simulate configs/papers/mltcp_mltcp.yaml \
        --set "network.cc={${keys/kind:/kind: mltcp, base:}}" \
        --set "network.queue=$queue" --set 'jobs[0].iterations=24' \
        --set 'jobs[1].iterations=24'
    json '[.jobs[].iterations | map(.end_ns)] | transpose
        | map((.[1] - .[0]) / 344.458e6 | fabs)
        | "\((map(. >= 0.95) | index(true)) // 99) \(.[0])"'
}

# mltcp_equation OFFSET R1.2 R2 R4 R8: the same by the equation; shares of
# ratios between those that were measured on straight lines between their
# logarithms
mltcp_equation() {
    awk -v d="$1" -v ratios="${*:2}" '
        function shares(f, x, i) {
            x = log(f) / log(2)
            for (i = 1; i < 4 && x > at[i]; i++)
                continue
            return exp(given[i - 1] + (x - at[i - 1]) * \
                (given[i] - given[i - 1]) / (at[i] - at[i - 1]))
        }
        BEGIN {
            split(ratios, r, " ")
            for (i = 1; i <= 4; i++) given[i] = log(r[i])
            at[0] = given[0] = 0
            at[1] = log(1.2) / log(2); at[2] = 1; at[3] = 2; at[4] = 3
            for (n = 0; d < 0.95 && n < 99; n++) {
                a = d # sent by the one ahead; both send until it is done
                for (b = 0; a < 1; ) {
                    s = shares((1.75 * a + 0.25) / (1.75 * b + 0.25))
                    a += 1e-4 * s / (1 + s)
                    b += 1e-4 / (1 + s)
                }
                d = 1 - b
            }
            print n }'
}

heading 'MLTCP: iterations to 95 % of turns, by the equation'
for control in reno cubic dctcp dcqcn-paper dcqcn-vendor swift; do
    mltcp_with $control
    ratios=()
    for weight in 1.2 2 4 8; do
        ratios+=("$(mltcp_ratio $weight)")
    done
    read -r turns offset < <(mltcp_turns)
    row "$control" "$turns" "$(mltcp_equation "$offset" "${ratios[@]}")" 1
done
