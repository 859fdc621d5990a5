#!/usr/bin/env bats
# Rails: what crosses them, to the byte, and the note on it.

load common

# servers N GPUS ALGORITHM: N servers on rails, each message a packet.
servers() {
    cat >rails.yaml <<END
topology:
  {kind: rail-optimised, hosts: $1, spines: 2, link: {rate: 400Gbps, delay: 500ns},
   servers: {gpus: $2, link: {rate: 3600Gbps, delay: 25ns}}}
network: {mtu: 4096B, header: 0B, ack: 64B}
jobs:
  - ranks: $(($1 * $2))
    program: [{$3: {size: $((4096 * $1 * $2 * $2))B, algorithm: nccl-ring, local: $2}}]
record: {interval: 1s, links: all}
END
}

# column NAME: of run.h5, a number a line.
column() {
    h5dump -A 0 -y -w 1 -d "$1" run.h5 | sed -n 's/^ *\([0-9][0-9]*\),\{0,1\}$/\1/p'
}

# On links of a tier, over the whole run: nvlink 0, rail 1, uplink 2.
bytes_of_tier() {
    paste <(column /topology/tier) <(column /links/bytes) | awk -v tier="$1" '
        NF != 2 { exit 1 } $1 == tier { sum += $2 } END { print sum + 0 }'
}

@test "nccl-ring: nothing crosses rails, but one hop of an odd number of servers" {
    for gpus in 4 8; do
        for n in 2 4 3 5; do
            servers $n $gpus all-reduce
            orrery run rails.yaml -q -o run.h5
            [ "$status" -eq 0 ]
            # a ring a GPU, messages of 4,096 B and ACKs of 64 B; up and down
            hops=$((gpus * 2 * (n * gpus - 1) * 4160))
            [ "$(bytes_of_tier 1)" -eq $((2 * n * hops)) ]
            [ "$(bytes_of_tier 2)" -eq $((n % 2 * 2 * hops)) ]
        done
    done
    # half of it each
    for verb in reduce-scatter all-gather; do
        servers 4 4 $verb
        orrery run rails.yaml -q -o run.h5
        [ "$(bytes_of_tier 2)" -eq 0 ]
        servers 3 4 $verb
        [ $verb = reduce-scatter ] ||
            sed -i "s/size: [0-9]*B/size: 16384B/" rails.yaml
        orrery run rails.yaml -q -o run.h5
        [ "$(bytes_of_tier 2)" -eq $((2 * 4 * 11 * 4160)) ]
    done
}

@test "an algorithm that crosses rails is noted" {
    servers 2 4 all-reduce
    orrery check rails.yaml
    [ "$status" -eq 0 ] && ! grep note ../out
    servers 5 4 all-reduce
    orrery check rails.yaml
    is_text <(grep note ../out) '  note      all-reduce nccl-ring of job0 crosses rails: 20 % of its bytes between servers go over spines (with topology.forward: true it changes rails inside servers)'
    # where GPUs pass it on, it does not
    orrery run rails.yaml -q -o run.h5 --set topology.forward=true
    [ "$(bytes_of_tier 2)" -eq 0 ]
    orrery check rails.yaml --set topology.forward=true
    [ "$status" -eq 0 ] && ! grep note ../out
    # the others
    job() {
        orrery check rails.yaml --set "jobs=[{ranks: 20, program: [{$1: {size: 1MiB, algorithm: $2}}]}]" "${@:3}"
        [ "$status" -eq 0 ]
        sed -n 's/^  note .* crosses rails: \([0-9.]* %\).*/\1/p' ../out
    }
    [ "$(job all-reduce ring)" = "100 %" ]
    [ "$(job all-to-all direct)" = "75 %" ]
    [ -z "$(job all-reduce 'hierarchical, local: 4')" ]
    [ -z "$(job all-reduce 'nccl-tree, local: 4')" ]
    # without rails there is nothing to cross
    [ -z "$(job all-reduce ring --set 'topology={kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 10, link: {rate: 400Gbps, delay: 500ns}}')" ]
    orrery run rails.yaml -q -o run.h5 --json run.json
    jq -e '.notes[0] | startswith("all-reduce nccl-ring of job0 crosses rails")' run.json
}

@test "SimAI: its rings keep to rails" {
    # two servers of two GPUs, 4 and 5 their NVSwitches, a leaf for each rail,
    # and a spine
    cat >topo <<'END'
9 2 2 3 10 H100
4 5 6 7 8
0 4 2880Gbps 0.000025ms 0
1 4 2880Gbps 0.000025ms 0
2 5 2880Gbps 0.000025ms 0
3 5 2880Gbps 0.000025ms 0
0 6 400Gbps 0.0005ms 0
1 7 400Gbps 0.0005ms 0
2 6 400Gbps 0.0005ms 0
3 7 400Gbps 0.0005ms 0
6 8 400Gbps 0.0005ms 0
7 8 400Gbps 0.0005ms 0
END
    cat >work.txt <<'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0
1
layer -1 1000 ALLREDUCE 1048576 1000 NONE 0 1000 NONE 0 100
END
    orrery run --simai work.txt topo -q -o run.h5 --set 'record={interval: 1s, links: all}'
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    # cables in the order of the file, one way and then back
    column /links/bytes >bytes
    [ "$(wc -l <bytes)" -eq 20 ]
    [ "$(awk 'NR == 5 || NR == 6' bytes | awk '$1 > 700000' | wc -l)" -eq 2 ]
    [ "$(awk 'NR == 9 || NR == 10 || NR > 18 { s += $1 } END { print s }' bytes)" -eq 0 ]
}
