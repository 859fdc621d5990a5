#!/usr/bin/env bash
# Runs the same all-reduce on five topologies with the same budget, each with
# its best algorithm and with a plain ring, and says which finishes first, by
# how much, and which link was busiest. Records go to $OUT (default out/demo).
set -eu

cd "$(dirname "$0")/../.."
ORRERY=${ORRERY:-build/orrery}
OUT=${OUT:-out/demo}
mkdir -p "$OUT"

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

# run_one TOPOLOGY NAME [ALGORITHM]: one line of $rows. ALGORITHM takes the place
# of the program in the file.
run_one() {
    local topology=$1 algorithm=$2 stem=$OUT/$1-${2// /-} arguments=()
    [ -z "${3-}" ] || arguments=(--set \
        "jobs[0].program=[{all-reduce: {size: 16MiB, algorithm: $3}}]")
    printf '  %s, %s ...\n' "$topology" "$algorithm" >&2
    "$ORRERY" run "configs/demo/$topology.yaml" "${arguments[@]}" --quiet \
        -o "$stem.h5" --json "$stem.json" >"$stem.txt"
    jq -r --arg topology "$topology" --arg algorithm "$algorithm" \
        --arg records "${stem##*/}.h5" '
        .topology.hosts as $hosts |
        def node: if . < $hosts then "host \(.)" else "switch \(.)" end;
        .links.busiest[0] as $link | [
            .jobs[0].finish_ns - .jobs[0].start_ns,
            $topology, $algorithm,
            "\($link.from | node) > \($link.to | node)", $link.utilization * 100,
            .counters.packet_hops, .wall.seconds, $records
        ] | @tsv' "$stem.json" >>"$rows"
}

echo "all-reduce of 16 MiB over 64 ranks; each host sends 400 Gbps in all" >&2
both="ring, direction: both, chunks: 4, concurrent: 4"
run_one ring "ring both ways"
run_one ring ring ring
run_one fully-connected direct
run_one fully-connected ring ring
run_one torus "by dimension"
run_one torus ring ring
run_one fat-tree "ring both ways"
run_one fat-tree ring ring
run_one parameter-server parameter-server
run_one parameter-server "ring both ways" "$both"
run_one parameter-server ring ring

sort -n "$rows" | awk -F'\t' -v out="$OUT" '
    NR == 1 {
        first = $1; who = $2 " (" $3 ")"
        printf "\n%-17s %-17s %11s %8s  %-22s %4s  %s\n", "topology", \
            "algorithm", "finished", "", "busiest link", "busy", "records"
    }
    NR == 2 { second = $1; next_best = $2 " (" $3 ")" }
    {
        printf "%-17s %-17s %8.1f us %7.3fx  %-22s %3.0f%%  %s\n", $2, $3, \
            $1 / 1e3, $1 / first, $4, $5, $8
        hops += $6; seconds += $7
    }
    END {
        printf "\nFirst: %s, %.2f %% ahead of %s.\n", who, \
            (second / first - 1) * 100, next_best
        printf "%.1f million packet-hops were simulated in %.1f s.\n", \
            hops / 1e6, seconds
        print "The records are in " out "; ncdump -h FILE says what they hold."
    }'
