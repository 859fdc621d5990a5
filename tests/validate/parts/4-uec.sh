# 4-uec.sh: Ultra Ethernet beside uet-htsim (commit 40ccb05) on the same command
# lines, 128 hosts (all-to-all: 16), 100 Gbps, 1 us: htsim.tsv has the mean and the
# 99th percentile of completion times in us, means of its seeds 1 to 6.
# shellcheck shell=bash

# matrices: the three .cm files, in $tmp
matrices() {
    awk 'BEGIN { print "Nodes 128\nConnections 128"
        for (i = 0; i < 128; i++)
            print i "->" (i * 37 + 11) % 128 " start 0 size 2000000" }' >"$tmp/perm.cm"
    awk 'BEGIN { print "Nodes 128\nConnections 32"
        for (i = 1; i <= 32; i++)
            print i * 3 "->0 start 0 size 500000" }' >"$tmp/incast.cm"
    awk 'BEGIN { print "Nodes 16\nConnections 240"
        for (i = 0; i < 16; i++) for (j = 1; j < 16; j++)
            print i "->" (i + j) % 16 " start 0 size 200000" }' >"$tmp/a2a.cm"
}

# beside_htsim NAME KEY TOLERANCE OF_P99 ARGUMENT...: our seeds 1 to 6
beside_htsim() {
    local seed ours theirs
    theirs=$(sed -n "s/^$2\t//p" $here/htsim.tsv)
    ours=$(for seed in 1 2 3 4 5 6; do
        "$ORRERY" run --htsim -q --json - --set record=none --seed $seed \
            -- "${@:5}" 2>>"$tmp/stderr" |
            jq -r '.flows.fct_ns | "\(.mean / 1e3) \(.p99 / 1e3)"'
    done | means)
    row "$1: mean" "${ours% *}" "${theirs% *}" "$3" us
    row "$1: p99" "${ours#* }" "${theirs#* }" "$4" us
}

beside_uet_htsim() {
    heading 'Ultra Ethernet, beside uet-htsim'
    matrices
    beside_htsim permutation perm_mixed 3% 5% -tm "$tmp/perm.cm"
    beside_htsim '... oblivious' perm_oblivious 3% 5% -tm "$tmp/perm.cm" \
        -load_balancing_algo oblivious
    beside_htsim '... bitmap' perm_bitmap 3% 5% -tm "$tmp/perm.cm" \
        -load_balancing_algo bitmap
    beside_htsim '... REPS, an ACK a packet' perm_reps 3% 5% -tm "$tmp/perm.cm" \
        -load_balancing_algo reps -sack_threshold 4000
    beside_htsim '... four slow links' perm_failed 3% 5% -tm "$tmp/perm.cm" -failed 4
    beside_htsim '32 to one' incast 3% 5% -tm "$tmp/incast.cm"
    beside_htsim 'all-to-all' a2a 3% 5% -tm "$tmp/a2a.cm"
    beside_htsim 'credits, 32 to one' incast_rccc 3% 5% -tm "$tmp/incast.cm" \
        -receiver_cc_only
    beside_htsim '... both controls' incast_both 3% 5% -tm "$tmp/incast.cm" \
        -receiver_cc
    beside_htsim 'credits, permutation' perm_rccc 3% 5% -tm "$tmp/perm.cm" \
        -receiver_cc_only
}

beside_uet_htsim
