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

# With packets times differ from rank to rank, and so does what is ready when a
# slot gets free. Nobody waits for ever.
@test "ranks that take turns do not wait for one another with packets" {
    local sets=$BATS_FILE_TMPDIR/sets
    for sys in themis plain; do
        orrery run --astra "$sets/cross.json" "$sets/$sys.txt" \
            "$sets/conv.layers" --packets -q -o a.h5
        [ "$status" -eq 0 ]
    done
    orrery run --astra "$sets/cube.json" "$sets/fewest.txt" \
        "$sets/model.layers" --packets -q -o a.h5
    [ "$status" -eq 0 ]
}
