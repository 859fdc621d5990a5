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

# fugaku_row DIMS RANKS SIZE KEYS OVERHEAD MEASURED: Bine by bandwidth, us.
fugaku_row() {
    simulate $here/fugaku.yaml --set "topology.dims=$1" \
        --set "jobs[0].ranks=$2" --set "jobs[0].message_overhead=$5" \
        --set "jobs[0].program[0].all-reduce={algorithm: bine, size: $3, $4}"
    row "$1, $3, ${4%%,*}" \
        "$(json '.jobs[0].iterations[0].duration_ns / 1000')" "$6" 20% us
}

# Medians of github.com/HLC-Lab/pico (413bc5d), BINE-B_CONT-UTOFU with segments
# of 1 MiB. One port at a time is slower than what a node can send; segments
# keep six at work.
fugaku() {
    local six='ports: 6, chunks: 16, concurrent: 16'
    local limit='{time: 0ns, rate: 25GB/s, on: nic}'
    heading 'Fugaku, Bine; a node sends 25 GB/s (of [4, 4, 4])'
    fugaku_row '[2, 2, 2]' 8 64MiB 'ports: 1' null 18749.64
    fugaku_row '[2, 2, 2]' 8 512MiB 'ports: 1' null 148539.35
    fugaku_row '[2, 2, 2]' 8 64MiB "$six" "$limit" 7152.28
    fugaku_row '[2, 2, 2]' 8 512MiB "$six" "$limit" 50154.08
    fugaku_row '[4, 4, 4]' 64 512MiB 'ports: 1' null 167805.14
    fugaku_row '[4, 4, 4]' 64 64MiB "$six" "$limit" 6594.12
    fugaku_row '[4, 4, 4]' 64 512MiB "$six" "$limit" 41783.60
}

fugaku
