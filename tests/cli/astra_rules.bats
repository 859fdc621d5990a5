#!/usr/bin/env bats
# Networks, systems and workloads of our own in ASTRA-sim 1.0's formats, beside
# what its rules make of them.

load common

setup_file() {
    mkdir -p "$BATS_FILE_TMPDIR/sets"
    cd "$BATS_FILE_TMPDIR/sets" || return
    . "$BATS_TEST_DIRNAME/../validate/astra_inputs.sh"
    astra_inputs
}

# NETWORK SYSTEM LAYERS NS OPTION...
takes() {
    local sets=$BATS_FILE_TMPDIR/sets net=$1 sys=$2 layers=$3 ns=$4
    shift 4
    orrery run --astra "$sets/$net.json" "$sets/$sys.txt" \
        "$sets/$layers.layers" "$@" -q -o a.h5 --json a.json
    [ "$status" -eq 0 ]
    jq -e ".jobs[0].finish_ns == $ns" a.json
}

# bats test_tags=larger
@test "every set takes what ASTRA-sim's rules say" {
    . "$BATS_TEST_DIRNAME/../validate/astra_inputs.sh"
    while read -r net sys layers ns options; do
        [ -n "$net" ] || continue
        # shellcheck disable=SC2086 # options are words
        takes "$net" "$sys" "$layers" "$ns" $options
    done <<<"$astra_expected"
}

@test "layers and dimensions as ASTRA-sim reports them" {
    takes torus rings conv 1248767
    # all that is not computation is exposed; layer 0 waits for its own
    # collective, the others run on beside it
    jq -e '.jobs[0].astra | .compute_ns == 433590 and .exposed_ns == 815177' \
        a.json
    jq -e '.jobs[0].astra.layers[0] | .exposed_ns.weight_gradient == 54703 and
           .communication_ns.weight_gradient == 54704' a.json
    jq -e '.jobs[0].astra.layers[4].communication_ns.weight_gradient == 961530' \
        a.json
    jq -e '.jobs[0].astra.dimensions | .[0].chunk_ns == 23087.833 and
           .[1].chunk_ns == 29445' a.json
    takes cross themis conv 1624166
    jq -e '.jobs[0].astra.layers[0].exposed_ns.weight_gradient == 62023' a.json
    jq -e '.jobs[0].astra.dimensions | map(.chunk_ns) ==
           [3765.654, 3667.682, 3863.581]' a.json
}

# What ASTRA-sim's rules say of the phases of chunks and of what NPU 0 sends.
@test "files of results: phases, dimensions, payload, a row for each run" {
    local sets=$BATS_FILE_TMPDIR/sets queues
    for queues in 1 2; do
        orrery run --astra "$sets/cube.json" "$sets/mixed.txt" \
            "$sets/model.layers" --path . --run-name "run $queues" \
            --total-stat-rows 2 --stat-row $((queues - 1)) \
            --num-queues-per-dim "$queues" -q -o a.h5
        [ "$status" -eq 0 ]
    done
    [ "$(head -n 1 detailed.csv)" = "layer,run,queuing delay phase 0,queuing \
delay phase 1,queuing delay phase 2,queuing delay phase 3,network delay phase \
1,network delay phase 2,network delay phase 3,avg chunk delay dimension \
1,avg chunk delay dimension 2,avg chunk delay dimension 3" ]
    [ "$(sed -n 2p detailed.csv)" = "l0,run 1,0.000000,3.353738,0.000000,\
3.101667,1.349929,0.500000,1.227500,1.280596,4.716615,1.880769" ]
    [ "$(sed -n 4p detailed.csv)" = "l1,run 1,0.000000,2.971333,0.000000,\
2.473810,0.960857,0.287143,0.749048,,," ]
    [ "$(sed -n 5p detailed.csv | cut -d, -f1,2,4)" = ",run 2,5.257714" ]
    [ "$(wc -l <EndToEnd.csv)" -eq 9 ]
    [ "$(sed -n 3p EndToEnd.csv | cut -d, -f1,2,12-14)" = \
        ",run 2,537.070000,480.048000,57.022000" ]
    [ "$(cat tutorial_result.csv)" = "Name,TotalTime(us),ComputeTime(us),\
ExposedCommunicationTime(us),TotalMessageSize(MB)
run 1,530.100000,480.048000,50.052000,26.426421
run 2,537.070000,480.048000,57.022000,26.426421" ]
    [ "$(sed -n 2p backend_end_to_end.csv)" = "run 1,530.100000,480.048000,\
50.052000,-1,26.426421,29.650000,20.402000,5.437486,17.172781,3.816154,\
-1,-1,-1,-1" ]
    [ "$(sed -n '4,5p;12p' backend_dim_info.csv)" = "run 1,2,1.880769
,,
run 2,0,1.280596" ]
}

# With packets times differ from rank to rank, and so does what is ready when a
# slot gets free. Nobody waits for ever.
@test "ranks that take turns do not wait for one another with packets" {
    local sets=$BATS_FILE_TMPDIR/sets
    # the same chunks, a tenth of the packets
    sed 's/ 92274688 / 9227468 /; s/ 16384000 / 1638400 /' "$sets/conv.layers" \
        >less.layers
    [ "$(diff less.layers "$sets/conv.layers" | grep -c '^<')" -eq 2 ]
    for sys in themis plain; do
        orrery run --astra "$sets/cross.json" "$sets/$sys.txt" \
            less.layers --packets -q -o a.h5
        [ "$status" -eq 0 ]
    done
    orrery run --astra "$sets/cube.json" "$sets/fewest.txt" \
        "$sets/model.layers" --packets -q -o a.h5
    [ "$status" -eq 0 ]
}
