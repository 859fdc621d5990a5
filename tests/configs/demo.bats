#!/usr/bin/env bats
# The demonstration: what it runs, and what it claims.

load common

folder=configs/demo
# Each rank has to send 2 * 63/64 of 16 MiB, and sends 50 GB/s.
least="(2 * 63 / 64 * 16777216 / 50)"

@test "each demo configuration moves all data, drops none, beats no bound" {
    for file in "$folder"/[!d]*.yaml; do
        simulate "$file"
        near .counters.packets_dropped 0
        near .counters.retransmissions 0
        jq -e ".jobs[0].finish_ns > $least" "$json"
        # A parameter server's worker sends everything up; the others send their
        # share twice.
        case $file in
        */parameter-server.yaml) near .jobs[0].bytes_sent $((2 * 64 * 16777216)) ;;
        *) near .jobs[0].bytes_sent $((2 * 63 * 16777216)) ;;
        esac
    done
}

@test "the best algorithm of each topology comes within 6 % of the bound" {
    for topology in ring fully-connected torus fat-tree; do
        simulate "$folder/$topology.yaml"
        # Headers and ACKs take 3 % of the wire; the rest is links and pipelines.
        jq -e ".jobs[0].finish_ns < 1.06 * $least" "$json"
    done
}

@test "make demo compares eleven runs and leaves the records" {
    "$ORRERY" compare "$folder/demo.yaml" -o "$BATS_TEST_TMPDIR/demo" \
        >"$BATS_TEST_TMPDIR/table" 2>/dev/null
    grep -q '^11 combinations, 11 runs' "$BATS_TEST_TMPDIR/table"
    for record in "$BATS_TEST_TMPDIR"/demo/runs/*/run.h5; do
        ncdump -h "$record" | grep -q 'group: links'
    done
    # On the full mesh a plain ring uses one port of 63.
    jq -e '[.cells[] | select(.at.topology == "fully-connected")
        | .measures[0].value.mean] | .[1] > 60 * .[0]' \
        "$BATS_TEST_TMPDIR/demo/study.json"
}
