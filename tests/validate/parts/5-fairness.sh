# Fair queueing with fixed windows shares a network max-min fairly (Hahne, IEEE
# JSAC 9(7), 1991). Eight flows, each with a traffic class and hosts of its own,
# cross random stretches of a chain of six switches. The shares are worked out
# by filling the links with water; each flow is as long as its share lets it
# send in 20 ms, so all of them have to end together.
# shellcheck shell=bash

# chain SEED: writes $tmp/chain.graphml and $tmp/chain.yaml, prints the shares
chain() {
    awk -v seed="$1" -v graph="$tmp/chain.graphml" -v flows="$tmp/chain.flows" '
    function edge(a, b, rate) {
        printf "<edge source=\"n%d\" target=\"n%d\">" \
            "<data key=\"rate\">%dMbps</data>" \
            "<data key=\"delay\">1us</data></edge>\n", a, b, rate >graph
    }
    # Raises all rates together; flows over a link that is full stay.
    function fill(   i, l, left, step, s, n) {
        for (left = 8; left > 0;) {
            step = 1e9
            for (l = 0; l < 5; l++) {
                n = 0
                for (i = 0; i < 8; i++)
                    n += !done[i] && a[i] <= l && l < b[i]
                s = n ? room[l] / n : 1e9
                step = s < step ? s : step
            }
            for (l = 0; l < 5; l++)
                for (i = 0; i < 8; i++)
                    if (!done[i] && a[i] <= l && l < b[i])
                        room[l] -= step
            for (i = 0; i < 8; i++)
                share[i] += done[i] ? 0 : step
            for (l = 0; l < 5; l++)
                for (i = 0; i < 8; i++)
                    if (!done[i] && a[i] <= l && l < b[i] && room[l] < 1e-6) {
                        done[i] = 1
                        left--
                    }
        }
    }
    BEGIN {
        srand(seed)
        print "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">" >graph
        print "<key id=\"type\" for=\"node\" attr.name=\"type\"" \
            " attr.type=\"string\"/>" >graph
        print "<key id=\"rate\" for=\"edge\" attr.name=\"rate\"" \
            " attr.type=\"string\"/>" >graph
        print "<key id=\"delay\" for=\"edge\" attr.name=\"delay\"" \
            " attr.type=\"string\"/>" >graph
        print "<graph edgedefault=\"undirected\">" >graph
        for (i = 0; i < 22; i++)
            printf "<node id=\"n%d\"><data key=\"type\">%s</data></node>\n", i,
                i < 16 ? "host" : "switch" >graph
        for (l = 0; l < 5; l++) {
            room[l] = 4000 + int(rand() * 16) * 1000
            edge(16 + l, 17 + l, room[l])
        }
        for (i = 0; i < 8; i++) {
            a[i] = int(rand() * 5)
            b[i] = a[i] + 1 + int(rand() * (5 - a[i]))
            edge(i, 16 + a[i], 100000)
            edge(8 + i, 16 + b[i], 100000)
        }
        print "</graph></graphml>" >graph
        fill()
        for (i = 0; i < 8; i++)
            printf "{src: %d, dst: %d, class: %d, size: %dB}, ", i, 8 + i, i,
                share[i] * 1e6 / 8 * 0.02 >flows
    }'
    cat >"$tmp/chain.yaml" <<END
topology: {kind: file, file: $tmp/chain.graphml}
network:
  mtu: 1000B
  ack: 1B
  queue: {kind: droptail, capacity: 100MB, scheduler: wfq}
  window: 500
flows: [$(sed 's/, $//' "$tmp/chain.flows")]
record: none
END
}

fairness() {
    local seed
    heading 'Fair queueing: completion of flows as long as their shares'
    for seed in 1 2 3 4 5; do
        chain $seed
        simulate "$tmp/chain.yaml"
        row "chain $seed: first to end" "$(json '.flows.fct_ns.min / 1e6')" \
            20 2% ms
        row "chain $seed: last to end" "$(json '.flows.fct_ns.max / 1e6')" \
            20 2% ms
    done
}

fairness
