#!/usr/bin/env bash
# Runs the same all-reduce on five topologies with the same budget, each with
# its best algorithm and with a plain ring, and says which finishes first, by
# how much, and which link was busiest. Records go to $OUT (default out/demo).
set -eu

cd "$(dirname "$0")/../.."
ORRERY=${ORRERY:-build/orrery}
OUT=${OUT:-out/demo}
mkdir -p "$OUT"

all_reduce='jobs[0].program[0].all-reduce'
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

# run_one TOPOLOGY ALGORITHM [SETTING...]: one line of $rows.
run_one() {
    local topology=$1 algorithm=$2 stem=$OUT/$1-${2// /-} arguments=()
    for setting in "${@:3}"; do arguments+=(--set "$setting"); done
    printf '  %s, %s ...\n' "$topology" "$algorithm" >&2
    "$ORRERY" run "configs/demo/$topology.yaml" "${arguments[@]}" --quiet \
        -o "$stem.h5" --json "$stem.json" >"$stem.txt"
    jq -r --arg topology "$topology" --arg algorithm "$algorithm" \
        --arg records "$stem.h5" '
        .links.busiest[0] as $link | [
            .jobs[0].finish_ns - .jobs[0].start_ns,
            $topology, $algorithm,
            "\($link.from) -> \($link.to)", $link.utilization * 100,
            .counters.packet_hops, .wall.seconds, $records
        ] | @tsv' "$stem.json" >>"$rows"
}

echo "An all-reduce of 64 MiB over 64 ranks; each host sends 400 Gbps in all." >&2
run_one ring "ring both ways"
run_one ring ring "$all_reduce.direction=forward"
run_one fully-connected direct
run_one fully-connected ring "$all_reduce.algorithm=ring"
run_one torus direct
run_one torus ring "$all_reduce.algorithm=ring"
run_one fat-tree halving-doubling
run_one fat-tree ring "$all_reduce.algorithm=ring"
run_one parameter-server parameter-server
run_one parameter-server ring "$all_reduce.algorithm=ring"

sort -n "$rows" | awk -F'\t' '
    NR == 1 {
        first = $1; who = $2 " (" $3 ")"
        printf "\n%-17s %-17s %10s %7s  %-21s %5s  %s\n", "topology", \
            "algorithm", "finished", "", "busiest link", "busy", "records"
    }
    NR == 2 { second = $1; next_best = $2 " (" $3 ")" }
    {
        printf "%-17s %-17s %7.3f ms %6.2fx  %-21s %4.0f%%  %s\n", $2, $3, \
            $1 / 1e6, $1 / first, $4, $5, $8
        hops += $6; seconds += $7
    }
    END {
        printf "\n%s finishes first, %.1f %% ahead of %s.\n", who, \
            (second / first - 1) * 100, next_best
        printf "%.1f million packet-hops in %.1f s.\n", hops / 1e6, seconds
    }'
