# Inputs of our own in ASTRA-sim 2.x's formats, made in the current folder (the
# workloads by `orrery convert --to chakra`), and what ASTRA-sim 2.x says of
# them: sourced by parts/6-astra.sh and by tests/cli/astra2.bats.
#
# Three figures were published: ring16 (documentation of ASTRA-sim 2.0, an
# all-gather on 16 NPUs), hgx8 (logs of its HGX-H100 configuration: an all-reduce
# of 1 MiB; those of ResNet-50's 54 layers in turn). All others were worked out
# by a program written from the source of ASTRA-sim 2.0 to 2.2 and its
# analytical networks alone, which also gives the published ones to the
# nanosecond, and 117,780, 16,860, 64,440, 34,680 and 32,220 ns of the MICRO 2024
# demonstration and its variants. ASTRA-sim itself (main of March 2026, 518bd51,
# with its analytical networks of November 2024) gives all of them, and those
# with direct*, halve*, chunks* and flat systems are from it alone.
# shellcheck shell=bash

# NAME SHAPES SIZES BANDWIDTHS LATENCIES
astra2_net() {
    printf 'topology: [ %s ]\nnpus_count: [ %s ]\nbandwidth: [ %s ]  # GB/s\n' \
        "$2" "$3" "$4" >"$1.yml"
    printf 'latency: [ %s ]  # ns\n' "$5" >>"$1.yml"
}

# NAME POLICY SPLITS ACTIVE MEMORY ALL-REDUCE GATHERS ALL-TO-ALL [OPTIMIZATION]
astra2_sys() {
    cat >"$1.json" <<EOF
{"scheduling-policy": "$2", "endpoint-delay": 10,
 "active-chunks-per-dimension": $4, "preferred-dataset-splits": $3,
 "all-reduce-implementation": [$6], "all-gather-implementation": [$7],
 "reduce-scatter-implementation": [$7], "all-to-all-implementation": [$8],
 "collective-optimization": "${9:-localBWAware}", "local-mem-bw": $5}
EOF
}

# NAME HOSTS JOB: NAME.0.et ...
astra2_work() {
    printf 'topology: {kind: switch, hosts: %d, %s}\njobs:\n  - {name: %s, ' \
        "$2" 'link: {rate: 400Gbps, delay: 1us}' "$1" >"$1.yaml"
    printf 'ranks: %d, %s}\n' "$2" "$3" >>"$1.yaml"
    "$ORRERY" convert --to chakra "$1.yaml" -o . >/dev/null
}

# A program of one collective after another: KIND BYTES...
astra2_chain() {
    local kind=$1 program='program: ['
    shift
    program+=$(printf "{$kind: {size: %dB}}, " "$@")
    echo "${program%, }]"
}

# What each rank does differs, and so when it comes.
astra2_skewed() {
    echo "program: [{compute: 40us}, {send: {to: +1, size: 3MB, tag: 1}, id: s}," \
        '{recv: {from: -1, tag: 1}, after: []}, {wait: [s]}, {compute: 7us},' \
        '{all-to-all: {size: 6MiB}}, {compute: 11us},' \
        '{reduce-scatter: {size: 9MiB}}, {all-gather: {size: 5MB}}]'
}

astra2_inputs() {
    local r='"ring"' d='"direct"' h='"halvingDoubling"' s='Switch' resnet
    resnet='37632 65536 16384 147456 65536 65536 147456 65536 65536 147456
        65536 524288 131072 589824 262144 262144 589824 262144 262144 589824
        262144 262144 589824 262144 2097152 524288 2359296 1048576 1048576
        2359296 1048576 1048576 2359296 1048576 1048576 2359296 1048576 1048576
        2359296 1048576 1048576 2359296 1048576 8388608 2097152 9437184 4194304
        4194304 9437184 4194304 4194304 9437184 4194304 8192000'
    astra2_net ring8 Ring 8 50 500
    astra2_net ring16 Ring 16 50 500
    astra2_net full8 FullyConnected 8 50 500
    astra2_net still8 Ring 8 50 0
    astra2_net half_still 'Ring, Switch' '4, 8' '50, 25' '0, 700'
    astra2_net hgx8 $s 8 400 936.25
    astra2_net h100 "$s, $s" '8, 4' '450, 50' '500, 500'
    astra2_net tpu 'Ring, Ring, Ring' '2, 4, 4' '50, 50, 50' '500, 500, 50'
    astra2_net mixed 'FullyConnected, Ring, Switch' '4, 3, 2' '200, 100, 25' \
        '30, 250, 1000.5'
    astra2_net ring128 "$s, Ring" '8, 16' '400, 50' '500, 1000'

    astra2_sys plain LIFO 4 1 1600 "$r" "$r" "$r"
    astra2_sys four LIFO 16 4 1600 "$r" "$r" "$d"
    astra2_sys hgx LIFO 4 2 3350 "$r" "$r" "$r"
    astra2_sys rings2 LIFO 4 1 50 "$r, $r" "$r, $r" "$d, $d"
    astra2_sys halving2 FIFO 8 2 3350 "$h, $r" "$r, $h" "$d, $r" baseline
    astra2_sys rings3 LIFO 4 1 50 "$r, $r, $r" "$r, $r, $r" "$r, $r, $r"
    astra2_sys mixed3 FIFO 6 2 1600 "$d, $r, $h" "$d, $d, $r" "$d, $d, $d"
    astra2_sys whole3 LIFO 3 1 1600 '"oneRing"' '"oneRing"' '"oneDirect"'

    astra2_sys direct LIFO 1 1 50 "$d" "$d" "$d"
    astra2_sys direct3 LIFO 1 1 50 '"direct3"' '"direct3"' '"direct3"'
    astra2_sys chunks2 LIFO 4 2 50 '"direct2"' '"direct2"' '"direct2"'
    astra2_sys halve LIFO 1 1 50 "$h" "$h" "$d"
    astra2_sys windows2 LIFO 4 2 50 '"direct2", "direct3"' \
        '"direct1", "direct2"' '"direct3", "direct2"'
    astra2_sys flat_halve LIFO 4 1 50 '"oneHalvingDoubling"' \
        '"oneHalvingDoubling"' '"oneDirect4"'
    astra2_sys flat_direct LIFO 4 1 50 '"oneDirect5"' '"oneDirect3"' \
        '"oneDirect4"'

    astra2_work odd8 8 "$(astra2_chain all-reduce 1000003 777777)"
    astra2_work scatter8 8 "$(astra2_chain reduce-scatter 1048576)"
    astra2_work gather16 16 "$(astra2_chain all-gather 1048576)"
    astra2_work reduce8 8 "$(astra2_chain all-reduce 1048576)"
    # shellcheck disable=SC2086 # sizes are words
    astra2_work resnet8 8 "$(astra2_chain all-reduce $resnet)"
    astra2_work reduce32 32 "$(astra2_chain all-reduce 104857600)"
    astra2_work reduce128 128 "$(astra2_chain all-reduce 1073741824)"
    astra2_work skewed24 24 "$(astra2_skewed)"
    astra2_work ddp24 24 \
        'model: vgg11-cifar, batch: 8, parallelism: {data: 24}, sync: ddp'
    astra2_work ddp32 32 \
        'model: vgg11-cifar, batch: 8, parallelism: {data: 32}, sync: ddp'
    astra2_work fsdp32 32 \
        'model: vgg11-cifar, batch: 8, parallelism: {data: 32}, sync: fsdp'
    astra2_work blocks32 32 'model: gpt2, batch: 4, micro_batches: 2,
     parallelism: {pipeline: 2, tensor: 8, data: 2}'
    astra2_work experts32 32 'model: gpt2, batch: 4,
     parallelism: {expert: 32}'
}

# What they are, NPU 0's last cycle and its exposed communication, options of
# `orrery run`.
# shellcheck disable=SC2034 # whoever reads this file uses it
astra2_expected='
ring16   plain     gather16       323560     323560
ring8    plain     reduce8         64440      64440
ring8    four      reduce8         75216      75216  --num-queues-per-dim=4
ring8    four      reduce8         75064      75064  --congestion=unaware --num-queues-per-dim=4
ring8    hgx       reduce8         34680      34680
hgx8     hgx       reduce8         57426      57426
hgx8     hgx       resnet8       3307886    3307886
h100     rings2    reduce32      6022833    6022833
h100     halving2  reduce32      1582267    1582267
h100     halving2  ddp32          694458     546458
h100     rings2    fsdp32        3086332    2938332
h100     rings2    blocks32     35640905   31384905
h100     rings2    experts32    88587092   18603092
tpu      rings3    reduce32      5734912    5734912
tpu      rings3    ddp32         2102744    1954744
tpu      rings3    blocks32     45508109   41252109  --num-queues-per-dim=2
mixed    mixed3    skewed24       330930     272930
mixed    whole3    skewed24       867206     809206
mixed    mixed3    ddp24          232554      84554
ring128  rings2    reduce128    62230772   62230772
ring8    direct    reduce8         15775      15775  --congestion=unaware
ring8    direct    reduce8         53331      53331
ring8    direct3   scatter8        42166      42166
ring8    direct3   odd8            63632      63632  --congestion=unaware
ring8    chunks2   reduce8         60485      60485
ring8    chunks2   scatter8        33865      33865
full8    chunks2   reduce8         26410      26410
ring8    halve     scatter8        56422      56422
ring8    halve     odd8           153460     153460
still8   plain     reduce8         36440      36440
half_still windows2 fsdp32       1698722    1550722
h100     flat_halve blocks32    19967625   15711625
h100     flat_direct blocks32   22956617   18700617
tpu      flat_halve fsdp32       3276568    3128568
ring8    plain     reduce8        100952     100952  --rendezvous-protocol
full8    chunks2   reduce8         37042      37042  --rendezvous-protocol
ring8    halve     scatter8        60986      60986  --rendezvous-protocol
mixed    mixed3    skewed24       355172     297172  --rendezvous-protocol
h100     rings2    blocks32     39332617   35076617  --rendezvous-protocol
'
