#!/usr/bin/env bash
# Runs one workload under every congestion control, each with the queue, the
# buffers and the recovery that it is meant for, and prints a table for each
# workload. `run.sh incast` runs only that. Records go to $OUT (default out/cc).
set -eu

cd "$(dirname "$0")/../.."
ORRERY=${ORRERY:-build/orrery}
OUT=${OUT:-out/cc}
export LC_ALL=C
mkdir -p "$OUT"

# ---- the controls -----------------------------------------------------------

# Queues at 100 Gbps. K is 30 KB for 10 Gbps, and RED's line 100 to 400 KB for
# 25 Gbps, as in the scripts of the HPCC simulator. A queue that trims has room
# for a product of rate and round-trip time.
deep='network.queue={kind: droptail, capacity: 2MiB}'
step='network.queue={kind: ecn, capacity: 2MiB, threshold: 300KB}'
red='network.queue={kind: red, capacity: 32MiB, mark: dequeue}'
trim='network.queue={kind: trim, capacity: 160KB}'
# RoCE: nothing is dropped, and recovery is the simple one.
lossless=(
    'network.queue={kind: droptail, capacity: 32MiB}'
    'network.buffer={kind: shared, size: 32MiB, alpha: 0.125}'
    'network.pfc={enabled: true}' 'network.recovery=go-back-n'
)

# each NAME SETTING...: calls run_one for every control.
all_controls() {
    each 'none' "$deep" 'network.cc=none'
    each 'none, PFC' "${lossless[@]}" 'network.cc=none'
    each 'fixed-rate' "$deep" 'network.cc={kind: fixed-rate, rate: 6Gbps}'
    each 'reno' "$deep" 'network.cc=reno'
    each 'cubic' "$deep" 'network.cc=cubic'
    each 'dctcp' "$step" 'network.cc=dctcp'
    each 'dcqcn vendor' "${lossless[@]}" "$red" \
        'network.cc={kind: dcqcn, preset: vendor}'
    each 'dcqcn paper' "${lossless[@]}" "$red" \
        'network.cc={kind: dcqcn, preset: paper}'
    each 'timely' "${lossless[@]}" 'network.cc=timely'
    each 'hpcc' "${lossless[@]}" 'network.cc=hpcc'
    each 'swift' "$deep" 'network.cc=swift'
    each 'nscc' "$trim" 'network.cc=nscc'
    each 'mltcp reno' "$deep" 'network.cc={kind: mltcp, base: reno}'
    each 'mltcp dctcp' "$step" 'network.cc={kind: mltcp, base: dctcp}'
}

# ---- one run ----------------------------------------------------------------

workload=''
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT

each() {
    local name=$1 stem=${1//, /-} arguments=() setting
    stem=$OUT/$workload-${stem// /-}
    shift
    for setting; do arguments+=(--set "$setting"); done
    "$ORRERY" run "configs/cc/$workload.yaml" "${arguments[@]}" --quiet \
        -o "$stem.h5" --json "$stem.json" >"$stem.txt"
    jq -r --arg name "$name" '
        # a collective is measured by what its algorithm takes at least
        def slowdowns: [.jobs[].collectives[]
            | .duration_ns / .lower_bound_ns] | sort;
        def rank(p): .[((length * p / 100 | ceil) - 1)];
        [ $name,
          (if .flows.count > 0 then .flows.fct_ns.max
           else .jobs[0].finish_ns end) / 1e6,
          (if .flows.count > 0
           then .flows.slowdown.p50, .flows.slowdown.p99
           else (slowdowns | rank(50), rank(99)) end),
          ([.links.busiest[].mean_queue_bytes] | max / 1e3),
          ([.links.busiest[].max_queue_bytes] | max / 1e3),
          .counters.ecn_marks, .counters.packets_dropped,
          .counters.pfc_pauses, .counters.retransmissions,
          (if .flows.count > 0 then .flows.jain else "-" end)
        ] | @tsv' "$stem.json" >>"$rows"
}

# ---- the tables -------------------------------------------------------------

table() {
    awk -F'\t' '
        NR == 1 {
            printf "%-13s %10s %15s %17s %7s %7s %6s %6s %6s\n", "control", \
                "completion", "slowdown", "queue, KB", "marks", "drops", \
                "pauses", "resent", "Jain"
            printf "%-13s %10s %7s %7s %8s %8s\n", "", "ms", "p50", "p99", \
                "mean", "max"
        }
        {
            printf "%-13s %10.3f %7.2f %7.2f %8.1f %8.1f %7d %7d %6d %6d ", \
                $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
            printf($11 == "-" ? "%6s\n" : "%6.3f\n", $11)
        }' "$rows"
}

[ $# -gt 0 ] || set -- incast permutation allreduce
for workload; do
    : >"$rows"
    printf '%s (configs/cc/%s.yaml)\n' "$workload" "$workload"
    all_controls
    table
    echo
done
echo "The records are in $OUT; completion is that of the last flow, or of the job."
echo 'The queue is the longest, in the mean and at its maximum, among the ten'
echo 'busiest links.'
