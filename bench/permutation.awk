# Flows for the bench and for ns-3, the same on every machine: `rounds` random
# permutations of `hosts` hosts, flows of 1 to 4 MB, one permutation every
# `period` microseconds. Lines: src dst bytes, and the start in orrery's units
# when there are several rounds.
#
#     awk -v hosts=128 -v rounds=1 -v period=0 -v seed=1 -f permutation.awk

# Lehmer's generator; all its products are below 2^53, exact in doubles.
function below(n) {
    state = (state * 48271) % 2147483647
    return int(state / 2147483647 * n)
}

BEGIN {
    state = seed
    for (i = 0; i < 20; i++)
        below(1)
    for (round = 0; round < rounds; round++) {
        for (i = 0; i < hosts; i++)
            to[i] = i
        # Sattolo's shuffle: one cycle, so nobody sends to himself.
        for (i = hosts - 1; i > 0; i--) {
            j = below(i)
            t = to[i]
            to[i] = to[j]
            to[j] = t
        }
        for (i = 0; i < hosts; i++) {
            printf "%d %d %d", i, to[i], 1000000 + below(3000000)
            if (rounds > 1)
                printf " %dus", round * period
            printf "\n"
        }
    }
}
