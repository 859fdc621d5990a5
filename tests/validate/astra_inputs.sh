# Inputs of our own in ASTRA-sim 1.0's formats, made in the current folder, and
# what ASTRA-sim 1.0 would say of them: sourced by parts/6-astra.sh and by
# tests/cli/astra_rules.bats.
#
# The figures were worked out by the rules of ASTRA-sim 1.0's source (tags
# tutorial-mlsys2022 and tutorial-asplos2023), by a program written from those
# rules alone. That program gives the figures that are known of ASTRA-sim
# itself: 45,681, 62,761, 96,921, 165,297, 302,077, 58,449 and 9,001 ns.
# shellcheck shell=bash

# NAME SHAPES SIZES LINKS LATENCIES BANDWIDTHS
astra_net() {
    printf '{"topologies-per-dim": [%s], "units-count": [%s],\n' "$2" "$3" \
        >"$1.json"
    printf ' "links-count": [%s], "link-latency": [%s],\n' "$4" "$5" \
        >>"$1.json"
    printf ' "link-bandwidth": [%s]}\n' "$6" >>"$1.json"
}

# NAME POLICY SPLITS ACTIVE HOW ALL-TO-ALL [OPTIMIZATION [MORE...]]
astra_sys() {
    local name=$1 how=$5
    {
        echo "scheduling-policy: $2"
        echo "endpoint-delay: 10"
        echo "preferred-dataset-splits: $3"
        echo "active-chunks-per-dimension: $4"
        echo "all-reduce-implementation: $how"
        echo "all-gather-implementation: $how"
        echo "reduce-scatter-implementation: $how"
        echo "all-to-all-implementation: $6"
        echo "collective-optimization: ${7:-localBWAware}"
        shift $(($# > 7 ? 7 : $#))
        [ $# -eq 0 ] || printf '%s\n' "$@"
    } >"$name.txt"
}

# Two blocks of a transformer; GROUP NPUs share one.
astra_transformer() {
    local i
    echo "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: $1" \
        'checkpoints: 2 0 4 checkpoint_initiates: 2 7 3'
    echo 9
    for i in 0 1; do
        echo "q$i -1 700000 NONE 0 700000 ALLREDUCE 16777216" \
            '650000 ALLREDUCE 9437184 3'
        echo "mix$i -1 90000 ALLREDUCE 16777216 90000 ALLGATHER 1048576" \
            '40000 NONE 0 3'
        echo "up$i -1 2800000 NONE 0 2800000 ALLREDUCE 16777216" \
            '2600000 ALLREDUCE 37748736 3'
        echo "down$i -1 2800000 ALLREDUCE 16777216 2800000 NONE 0" \
            '2600000 ALLREDUCE 37748736 3'
    done
    echo 'head -1 500000 ALLGATHER 3072000 500000 ALLREDUCE 16777216' \
        '450000 ALLREDUCE 27648000 3'
}

# A convolutional network, data parallel: small gradients and a large one.
astra_conv() {
    echo DATA
    echo 6
    echo conv0 -1 9000 NONE 0 8000 NONE 0 21000 ALLREDUCE 19200 5
    echo conv1 -1 64000 NONE 0 64000 NONE 0 70000 ALLREDUCE 294912 5
    echo conv2 -1 30000 NONE 0 31000 NONE 0 33000 ALLREDUCE 1179648 5
    echo conv3 -1 31000 NONE 0 31000 NONE 0 33000 ALLREDUCE 4718592 5
    echo full0 -1 5200 NONE 0 5300 NONE 0 4100 ALLREDUCE 92274688 5
    echo full1 -1 700 NONE 0 650 NONE 0 640 ALLREDUCE 16384000 5
}

astra_layers() {
    local i
    {
        echo HYBRID_DLRM 2
        echo 5
        echo table -1 20000 ALLTOALL 4194304 21000 ALLTOALL 4194304 5000 \
            NONE 0 2
        for i in 0 1 2 3; do
            echo "mlp$i -1 $((90000 + i * 1000)) NONE 0" \
                "$((80000 - i * 500)) NONE 0" \
                "$((70000 + i)) ALLREDUCE $((1048576 * (i + 1))) 2"
        done
    } >dlrm.layers
    {
        echo HYBRID_DATA_MODEL
        echo 4
        for i in 0 1 2 3; do
            echo "l$i -1 $((50000 + 7 * i)) REDUCESCATTER" \
                "$((524288 * (i + 1))) $((40000 + i)) ALLGATHER" \
                "$((65536 * (i + 1))) 30000 ALLREDUCE" \
                "$((3000000 + i * 777)) 11"
        done
    } >model.layers
    printf 'MICRO\n1\ngrad -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 268435456 1\n' \
        >micro.layers
    astra_conv >conv.layers
    astra_transformer 8 >transformer8.layers
    astra_transformer 4 >transformer4.layers
}

astra_inputs() {
    local h=halvingDoubling r='"Ring"' s='"Switch"'
    astra_net torus "$r, $r" '8, 8' '4, 2' '500, 700' '50, 25'
    astra_net cube "$r, $s, \"FullyConnected\"" '4, 4, 3' '2, 3, 4' \
        '100, 500, 30' '60, 40, 20'
    astra_net pods "$s, $s" '8, 16' '6, 1' '400, 900' '25, 12.5'
    astra_net cross "$s, $s, $s" '4, 4, 4' '1, 1, 1' '20, 20, 20' '50, 50, 50'
    astra_sys rings LIFO 4 1 ring_ring direct_direct
    astra_sys halving LIFO 8 1 ${h}_$h direct_direct baseline
    astra_sys plain LIFO 32 1 ${h}_${h}_$h direct_direct_direct
    astra_sys themis LIFO 32 1 ${h}_${h}_$h direct_direct_direct localBWAware \
        'intra-dimension-scheduling: SCF' 'inter-dimension-scheduling: themis'
    astra_sys window FIFO 5 2 direct2_direct3 direct2_direct
    astra_sys mixed FIFO 6 2 ring_${h}_direct direct_direct_direct \
        localBWAware 'intra-dimension-scheduling: RG'
    astra_sys fewest LIFO 12 2 ring_${h}_direct direct_direct_direct \
        localBWAware 'intra-dimension-scheduling: lessRemainingPhaseFirst' \
        'inter-dimension-scheduling: roundRobin'
    astra_sys trees LIFO 5 2 doubleBinaryTree_doubleBinaryTree direct_direct
    astra_sys tree_in FIFO 4 1 ring_doubleBinaryTree_direct \
        direct_direct_direct
    astra_sys one_ring LIFO 4 1 oneRing oneDirect
    astra_sys one_window FIFO 3 2 oneDirect3 oneDirect2
    astra_sys turns FIFO 6 2 direct1_ring_direct oneDirect localBWAware \
        'inter-dimension-scheduling: roundRobin'
    astra_sys one_halving LIFO 3 1 oneHalvingDoubling oneDirect
    astra_layers
}

# What they are, the time in ns, options of `orrery run`.
# shellcheck disable=SC2034 # for those who source this file
astra_expected='
torus rings conv              1248767
torus rings conv              3467891  --num-passes 3
torus rings transformer8     48348075
torus rings transformer4     47794079
torus rings dlrm               988020
torus window model             586572
pods halving transformer8    53744389
pods halving conv            16827577  --compute-scale 0.41
cube mixed conv                840089
cube mixed model               537070  --num-queues-per-dim 2
cube fewest model              544428
cross plain micro             7507393
cross themis micro            3493589
cross themis conv             1624166
pods trees conv              37786383
pods trees transformer8      77083724
cube tree_in model            1205505
torus one_ring conv           3212831
cube one_ring model           1043114
cube one_window model          599798
torus one_window conv         1475881
torus one_window conv         1669403  --num-queues-per-dim 2
cube turns model               533768
cube turns micro               918641
torus one_halving model        873037
pods one_halving micro        7682308
'
