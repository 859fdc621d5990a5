# Machines that were measured: what is predicted without any fit.
# shellcheck shell=bash

# mn5_row GPUS ALGORITHM BYTES MEDIAN P10 P90: one measured point; what it is off
# by goes to $tmp/off, in percent.
mn5_row() {
    local name="$2, $1 GPUs, $3 B" ours
    simulate $here/mn5.yaml --set "topology.hosts=$(($1 / 4))" \
        --set "jobs[0].ranks=$1" \
        --set "jobs[0].program[0].all-reduce.size=${3}B" \
        --set "jobs[0].program[0].all-reduce.algorithm=$2"
    ours=$(json '.jobs[0].iterations[0].duration_ns / 1000')
    name="$name, $(json '.jobs[0].collectives[0].protocol')"
    [ "$(json .counters.packets_dropped)" = 0 ] || row "$name, drops" 1 0 0
    if [ "$2" = nccl-ring ] && [ "$3" -ge 134217728 ]; then
        row "$name" "$ours" "$4" 15% us
    else
        beside "$name" "$ours" "$4" us
    fi
    awk -v ours="$ours" -v ref="$4" 'BEGIN {
        off = 100 * (ours / ref - 1); print off < 0 ? -off : off }' >>"$tmp/off"
}

# mn5 GPUS: nine sizes, ring and tree; half of the points are within 15 %.
mn5() {
    local gpus algorithm bytes median p10 p90
    heading "MareNostrum 5, NCCL all-reduce on $1 GPUs, no fit"
    : >"$tmp/off"
    while read -r gpus algorithm bytes median p10 p90; do
        [ "$gpus" != "$1" ] || mn5_row "$gpus" "$algorithm" "$bytes" "$median" "$p10" "$p90"
    done < <(sed '/^#/d' "$here/mn5.tsv")
    row "off by, median of $(wc -l <"$tmp/off") points" \
        "$(sort -n "$tmp/off" | awk '{ x[NR] = $1 } END {
            print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }')" 0 15 %
}

mn5 16
mn5 64
