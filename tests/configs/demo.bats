#!/usr/bin/env bats
# The demonstration: what it runs, what it claims, and that the README shows it.
# All eleven runs are made once, as `make demo` makes them.

load common

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    "${ORRERY:-build/orrery}" compare configs/demo/demo.yaml \
        --sort jobs.0.finish_ns -o "$BATS_FILE_TMPDIR/demo" \
        >"$BATS_FILE_TMPDIR/table" 2>"$BATS_FILE_TMPDIR/said"
}

# Each rank has to send 2 * 63/64 of 16 MiB, and sends 50 GB/s.
least="(2 * 63 / 64 * 16777216 / 50)"

# own TOPOLOGY: $json is the summary of its run with its own algorithm.
own() {
    json=$BATS_FILE_TMPDIR/demo/runs/$(jq -r --arg topology "$1" '.cells[] |
        select(.at == {$topology, algorithm: "its own"}) | .runs[0].run' \
        "$BATS_FILE_TMPDIR/demo/study.json")/summary.json
}

@test "each demo configuration moves all data, drops none, beats no bound" {
    for topology in ring fully-connected torus fat-tree parameter-server; do
        own $topology
        near .counters.packets_dropped 0
        near .counters.retransmissions 0
        jq -e ".jobs[0].finish_ns > $least" "$json"
        # A parameter server's worker sends everything up; the others send their
        # share twice.
        case $topology in
        parameter-server) near .jobs[0].bytes_sent $((2 * 64 * 16777216)) ;;
        *) near .jobs[0].bytes_sent $((2 * 63 * 16777216)) ;;
        esac
    done
}

@test "the best algorithm of each topology comes within 6 % of the bound" {
    for topology in ring fully-connected torus fat-tree; do
        own $topology
        # Headers and ACKs take 3 % of the wire; the rest is links and pipelines.
        jq -e ".jobs[0].finish_ns < 1.06 * $least" "$json"
    done
}

@test "make demo compares eleven runs and leaves the records" {
    grep -q '^11 combinations, 11 runs' "$BATS_FILE_TMPDIR/table"
    for record in "$BATS_FILE_TMPDIR"/demo/runs/*/run.h5; do
        ncdump -h "$record" | grep -q 'group: links'
    done
    # On the full mesh a plain ring uses one port of 63.
    jq -e '[.cells[] | select(.at.topology == "fully-connected")
        | .measures[0].value.mean] | .[1] > 60 * .[0]' \
        "$BATS_FILE_TMPDIR/demo/study.json"
}

@test "the demonstration's table stands in the README" {
    sed -n '/^\(.*\$ \)\?make demo$/,/^```$/p' README.md | sed '1d;$d' |
        diff -u - "$BATS_FILE_TMPDIR/table"
}

# Times are labels of the picture, in microseconds without a point, in the order
# of the table.
@test "the picture of the README is of its table" {
    root=$PWD
    cd "$BATS_TEST_TMPDIR"
    awk '/^ring|^fully|^param|^torus|^fat/' "$root/README.md" |
        sed -n 1,11p |
        sed -E 's/^.* ([0-9.]+) (us|ms) .*/\1 \2/' |
        awk '{printf "%.4g\n", $2 == "ms" ? 1000 * $1 : $1}' >shown
    [ "$(wc -l <shown)" -eq 11 ]
    sed 's/<[^>]*>//g; s/[[:space:]]//g' \
        "$root/docs/demo.svg" >texts
    # labels behind bars: of the first half, after all names
    sed -n '/,itsown$\|,ring$\|,ringbothways$/p' texts | head -11 >names
    [ "$(wc -l <names)" -eq 11 ]
    awk 'BEGIN {at = n = 0} NR == FNR {want[n++] = sprintf("%.0f", $1); next}
        $0 ~ /^[0-9]+$/ && $0 > 200 {
            if (at < n && ($0 - want[at]) ^ 2 <= (want[at] * 6e-4 + 0.6) ^ 2) at++
        }
        END {print at; exit at != n}' shown texts
}

# bats test_tags=larger
@test "the picture of the README is what the demonstration draws now" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    root=$PWD
    cd "$BATS_TEST_TMPDIR"
    "$root/docs/demo.sh" "$BATS_FILE_TMPDIR/demo" new.svg
    grep -o 'GNUPLOT [0-9.]*' new.svg >now
    grep -o 'GNUPLOT [0-9.]*' "$root/docs/demo.svg" >drawn
    cmp now drawn || skip "another gnuplot"
    cmp new.svg "$root/docs/demo.svg"
}
