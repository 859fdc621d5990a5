# The share of packets that has to be marked for N DCQCN flows (SIGCOMM'15,
# equations 1 to 4) to stay at C / N each, by a renewal argument.
#
# Of a flow's packets a share p is marked at random. A notification comes tau
# after the last one at the soonest, and then with the next mark: the time I
# between two is tau and an exponential time of rate p C / N. Over I the timers
# tick floor(I / T) and floor(I / K) times. At rest the two changes of the rate
# cancel on average, and alpha is after I what it was before:
#   C / N alpha / 2 E[2^-k] = R_AI E[sum of (1 - 2^-j) for j = 1 .. k - F]
#   alpha = ((1 - g) alpha + g) E[(1 - g)^m]
# with k and m ticks of the two timers. The byte counter (10 MB) is left out:
# notifications come sooner than it fills.
#
# Arguments: n, C and rai (packet/s), tau, T and K (s), F, g. Prints p.

# that a timer of this period ticks n times or more between two notifications
function reaches(n, period,    wait) {
    wait = n * period - tau
    return wait > 0 ? exp(-lambda * wait) : 1
}

# how much more the rate gains than it loses between two notifications
function balance(p,    k, m, last, chance, halves, gains, decays, alpha) {
    lambda = p * C / n
    last = 60 / lambda / (T < K ? T : K) + 50
    halves = gains = decays = 0
    for (k = 0; k < last; k++) {
        chance = reaches(k, T) - reaches(k + 1, T)
        halves += chance * 2 ^ -k
        m = k - F
        if (m > 0)
            gains += chance * (m - (1 - 2 ^ -m))
        decays += (reaches(k, K) - reaches(k + 1, K)) * (1 - g) ^ k
    }
    alpha = g * decays / (1 - (1 - g) * decays)
    return rai * gains - alpha / 2 * C / n * halves
}

BEGIN {
    low = 1e-5
    high = 0.5
    for (i = 0; i < 40; i++) {
        middle = sqrt(low * high)
        if (balance(middle) > 0)
            low = middle
        else
            high = middle
    }
    printf "%.9g\n", low
}
