#!/usr/bin/env bats
# Networks, systems and workloads of our own in ASTRA-sim 2.x's formats, beside
# what ASTRA-sim says of them or would; its options, reports and refusals.

load common

setup_file() {
    local root
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export ORRERY=${ORRERY:-$root/build/orrery}
    mkdir -p "$BATS_FILE_TMPDIR/sets"
    cd "$BATS_FILE_TMPDIR/sets" || return
    . "$BATS_TEST_DIRNAME/../validate/astra2_inputs.sh"
    astra2_inputs
}

# NETWORK SYSTEM WORK OPTION...
astra2() {
    local sets=$BATS_FILE_TMPDIR/sets net=$1 sys=$2 work=$3
    shift 3
    orrery run --network-configuration="$sets/$net.yml" \
        --system-configuration="$sets/$sys.json" \
        --workload-configuration="$sets/$work" \
        --comm-group-configuration="$sets/$work.groups.json" "$@" \
        -q --set record=none --json a.json
}

# A copy of eight ranks' all-reduce to do harm to; then COMMAND and its message.
harm() {
    rm -rf et
    mkdir et
    cp "$BATS_FILE_TMPDIR"/sets/reduce8.*.et et
    cp "$BATS_FILE_TMPDIR"/sets/ring8.yml net.yml
    cp "$BATS_FILE_TMPDIR"/sets/plain.json sys.json
}

harmed() {
    orrery run --network-configuration=net.yml -q --set record=none \
        --system-configuration=sys.json --workload-configuration=et/reduce8
    fails "$1" "$2"
}

@test "every set takes what ASTRA-sim 2.x says" {
    . "$BATS_TEST_DIRNAME/../validate/astra2_inputs.sh"
    while read -r net sys work ns exposed options; do
        [ -n "$net" ] || continue
        # shellcheck disable=SC2086 # options are words
        astra2 "$net" "$sys" "$work" $options
        [ "$status" -eq 0 ]
        jq -e ".jobs[0].astra.sys[0] | .cycles == $ns and
               .exposed_communication_cycles == $exposed" a.json
    done <<<"$astra2_expected"
}

@test "each NPU's end as ASTRA-sim reports it" {
    orrery run --network-configuration="$BATS_FILE_TMPDIR/sets/mixed.yml" \
        --system-configuration="$BATS_FILE_TMPDIR/sets/mixed3.json" \
        --workload-configuration="$BATS_FILE_TMPDIR/sets/skewed24" \
        --set record=none --json a.json
    [ "$status" -eq 0 ]
    grep -q 'sys\[0\] finished, 330930 cycles,' ../out
    grep -q 'exposed communication 272930 cycles.' ../out
    jq -e '.jobs[0].astra.sys | length == 24 and (.[23].sys == 23) and
           all(.cycles == .exposed_communication_cycles + .compute_cycles)' \
        a.json
}

@test "latencies of 0 are for networks of formulas alone" {
    harm
    cp "$BATS_FILE_TMPDIR/sets/still8.yml" net.yml
    harmed 0 ""
    orrery run --network-configuration=net.yml -q --set record=none --packets \
        --system-configuration=sys.json --workload-configuration=et/reduce8
    fails 2 "$(cat <<'END'
net.yml: the link from host 0 to host 1 has no delay: every link needs a propagation delay > 0
hint: only `transport: analytical`, a network of formulas, does without
END
)"
    # records have bins all the same, and threads change nothing
    orrery run --network-configuration="$BATS_FILE_TMPDIR/sets/half_still.yml" \
        --system-configuration="$BATS_FILE_TMPDIR/sets/windows2.json" \
        --workload-configuration="$BATS_FILE_TMPDIR/sets/reduce32" -q \
        -o a.h5 --json a.json
    [ "$status" -eq 0 ]
    orrery run --network-configuration="$BATS_FILE_TMPDIR/sets/half_still.yml" \
        --system-configuration="$BATS_FILE_TMPDIR/sets/windows2.json" \
        --workload-configuration="$BATS_FILE_TMPDIR/sets/reduce32" -q \
        -o b.h5 --json b.json -t 4
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ]
}

@test "sends end when all is there, over several hops, on any threads" {
    . "$BATS_TEST_DIRNAME/../validate/astra2_inputs.sh"
    # ranks 1 and 2 send to 0 at once, over a switch: one waits for the other
    astra2_net star3 Switch 3 50 500
    astra2_work three 3 'program: [
        {send: {to: 0, size: 1MB, tag: 1}, ranks: [1, 2]},
        {recv: {from: 1, tag: 1}, ranks: [0]},
        {recv: {from: 2, tag: 1}, ranks: [0]}]'
    for threads in 1 3; do
        orrery run --network-configuration=star3.yml -t $threads \
            --system-configuration="$BATS_FILE_TMPDIR/sets/plain.json" \
            --workload-configuration=three --congestion=aware -q \
            --set record=none --json a.json
        [ "$status" -eq 0 ]
        # 18,626 ns a link, and its latency: as ASTRA-sim itself has it
        jq -e '[.jobs[0].astra.sys[].cycles] | .[0] == 56878 and
               sort == [38252, 56878, 56878]' a.json
    done
    for threads in 1 4; do
        astra2 mixed mixed3 skewed24 --congestion=aware -t $threads
        [ "$status" -eq 0 ]
        jq -r .fingerprint a.json >>ran
    done
    [ "$(sort -u ran | wc -l)" -eq 1 ]
}

@test "double binary trees, chunk after chunk, on a switch" {
    . "$BATS_TEST_DIRNAME/../validate/astra2_inputs.sh"
    astra2_sys trees16 LIFO 16 1 1600 '"doubleBinaryTree"' '"ring"' '"ring"'
    mv trees16.json "$BATS_FILE_TMPDIR/sets"
    # QUEUES CONGESTION and each NPU's end, from ASTRA-sim itself: who receives
    # first pays nothing before, and lower members are sent to first
    while read -r queues congestion cycles; do
        astra2 hgx8 trees16 reduce8 --num-queues-per-dim="$queues" \
            --congestion="$congestion"
        [ "$status" -eq 0 ]
        [ "$(jq '.jobs[0].astra.sys[].cycles' a.json | paste -sd ' ')" \
            = "$cycles" ]
    done <<END
1 aware 187022 193820 191634 193972 189328 193972 191786 194124
1 unaware 168250 174595 172560 174595 170405 174595 172560 174595
4 aware 112240 112240 112392 112392 112392 112392 112544 112544
4 unaware 102560 102560 102560 102560 102560 102560 102560 102560
END
}

@test "half way round a ring goes clockwise, with packets too" {
    # of each half 128 KiB 1, 2, 3 and 4 links clockwise, 1, 2 and 3 the other
    # way; the acknowledgements of those that go 4 are on their way back
    astra2 ring8 direct reduce8 --packets
    [ "$status" -eq 0 ]
    jq -e '[.links.busiest[] | select(.id < 8) | .bytes] |
           length == 8 and all(. == 2662400)' a.json
    astra2 ring8 direct reduce8
    jq -e '[.links.busiest[] | select(.id < 8) | .bytes] |
           length == 8 and all(. == 2621440)' a.json
}

@test "with congestion and without" {
    astra2 tpu rings3 reduce32 --congestion=unaware
    [ "$status" -eq 0 ]
    jq -e '.jobs[0].astra.sys[0].cycles == 5734912' a.json
    astra2 tpu rings3 reduce32 --congestion=aware
    [ "$status" -eq 0 ]
    jq -e '.counters.packet_hops > 0 and .counters.packets_dropped == 0' a.json
    astra2 tpu rings3 reduce32 --congestion=some
    [ "$status" -eq 2 ]
    grep -q 'congestion takes aware or unaware' ../err
}

@test "messages that are asked for, also with packets" {
    astra2 ring8 plain reduce8 --rendezvous-protocol=false
    jq -e '.jobs[0].astra.sys[0].cycles == 64440' a.json
    astra2 ring8 plain reduce8 --rendezvous-protocol=true
    jq -e '.jobs[0].astra.sys[0].cycles == 100952 and
           .jobs[0].bytes_sent == 14680064' a.json
    astra2 ring8 plain reduce8 --packets --rendezvous-protocol
    [ "$status" -eq 0 ]
    jq -e '.jobs[0].finish_ns > 100952' a.json
    astra2 ring8 plain reduce8 --rendezvous-protocol=maybe
    fails 2 "orrery run: --rendezvous-protocol takes true or false
hint: \`orrery help run\` says how it is used"
}

@test "what ASTRA-sim 2.x does not read is noted, not obeyed" {
    astra2 h100 rings2 reduce32
    [ "$status" -eq 0 ]
    jq -e '.notes == []' a.json
    jq .jobs[0].astra.sys a.json >sys
    local rings2=$BATS_FILE_TMPDIR/sets/rings2.json
    # in order of their names, which is gojq's
    jq '. + {"boost-mode": 1, comment: {why: ["none"]}, "gap-denominator": 1.5,
             "inter-dimension-scheduling": "roundRobin",
             "intra-dimension-scheduling": "SCF"}' "$rings2" \
        >"$BATS_FILE_TMPDIR/sets/odd.json"
    astra2 h100 odd reduce32
    [ "$status" -eq 0 ]
    jq .jobs[0].astra.sys a.json | diff sys -
    jq -r '.notes[]' a.json >notes
    grep -qx ".*odd.json: ASTRA-sim 2.x does not read \
\"comment\", \"gap-denominator\", \"inter-dimension-scheduling\", \
\"intra-dimension-scheduling\", so it has no effect here" notes
    # what it reads has to be right, and many keys are cut
    jq '. + {"endpoint-delay": "soon"}' "$rings2" \
        >"$BATS_FILE_TMPDIR/sets/wrong.json"
    astra2 h100 wrong reduce32
    [ "$status" -eq 2 ]
    jq '. + ([range(60) | {"key-\(.)": 1}] | add)' "$rings2" \
        >"$BATS_FILE_TMPDIR/sets/many.json"
    astra2 h100 many reduce32
    [ "$status" -eq 0 ]
    jq -e '.notes[0] | test("\"key-0\", .*, \\.\\.\\., so")' a.json
}

@test "options of its logs change nothing" {
    astra2 ring8 plain reduce8 --logging-configuration=log.toml \
        --logging-folder=log
    [ "$status" -eq 0 ]
    jq -e '.jobs[0].astra.sys[0].cycles == 64440' a.json
    grep -qx "note: --logging-configuration changes nothing: ASTRA-sim's logs \
are not written" ../err
    [ ! -e log ]
}

@test "dimensions that the network has not" {
    local sets=$BATS_FILE_TMPDIR/sets
    . "$BATS_TEST_DIRNAME/../validate/astra2_inputs.sh"
    # eight NPUs on one switch, as four by two of equal switches have it
    astra2_net one8 Switch 8 400 500
    astra2_net four2 'Switch, Switch' '4, 2' '400, 400' '500, 500'
    astra2_sys both FIFO 4 2 1600 '"ring", "direct"' '"ring", "direct"' \
        '"ring", "direct"'
    mv one8.yml four2.yml both.json "$sets"
    astra2 four2 both reduce8 --congestion=unaware
    [ "$status" -eq 0 ]
    jq .jobs[0].astra.sys a.json >sys
    astra2 one8 both reduce8 --congestion=unaware
    fails 2 "$sets/both.json:3:31: trace: 2 implementations of all-reduce for \
1 dimension"
    echo '{"logical-dims": ["4", "2"]}' >logical.json
    astra2 one8 both reduce8 --congestion=unaware \
        --logical-topology-configuration=logical.json
    [ "$status" -eq 0 ]
    jq .jobs[0].astra.sys a.json | diff sys -
    # the key, on any topology; ranks that are fewer than hosts
    cat >tree.yaml <<END
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
jobs:
  - {ranks: 8, trace: {format: astra, workload: $sets/reduce8,
     system: $sets/both.json, logical_dims: [4, 2]}}
END
    orrery run tree.yaml -q --set record=none --json a.json
    [ "$status" -eq 0 ]
    jq -e '.jobs[0].finish_ns > 0 and .jobs[0].bytes_sent > 0' a.json
    sed 's/\[4, 2\]/[4, 4]/' tree.yaml >more.yaml
    orrery run more.yaml -q --set record=none
    [ "$status" -eq 2 ]
    grep -q "logical_dims are at least 16 NPUs, the job has 8 ranks" ../err
    for dims in '[4, 4]' '[]' '["4", "two"]' '[0, 8]' '"8"' '[1e30]' \
        '[1, 1, 1, 1, 1, 1, 1, 1, 1, 8]'; do
        echo "{\"logical-dims\": $dims}" >logical.json
        astra2 one8 both reduce8 --logical-topology-configuration=logical.json
        [ "$status" -eq 2 ]
        grep -q '^logical.json:1:.*logical-dims: ' ../err
    done
}

@test "groups and memory are seen from what is in them too" {
    local sets=$BATS_FILE_TMPDIR/sets
    mkdir set
    cp "$sets"/{h100.yml,rings2.json,blocks32.*} set
    echo '{"memory-type": "NO_MEMORY_EXPANSION"}' >set/memory.json
    orrery run --astra set -q --set record=none --json a.json
    [ "$status" -eq 0 ]
    jq -e '.jobs[0].astra.sys[0].cycles == 35640905' a.json
    rm set/blocks32.groups.json
    orrery run --astra set -q --set record=none
    fails 2 "$(printf '%s\n' \
        'set/blocks32.0.et: node 1: there is no group of its pg_name' \
        'hint: a file of groups goes with the trace: --comm-group-configuration, or `groups`')"
    cp "$sets/blocks32.groups.json" set/a.json
    cp "$sets/blocks32.groups.json" set/b.json
    orrery run --astra set -q --set record=none
    [ "$status" -eq 2 ]
    grep -q 'several communicator group files: a.json, b.json' ../err
}

@test "remote memory" {
    echo '{"memory-type": "PER_NPU_MEMORY_EXPANSION",
           "remote-mem-latency": 1000, "remote-mem-bw": 50}' >memory.json
    astra2 h100 rings2 ddp32 --remote-memory-configuration=memory.json
    [ "$status" -eq 0 ]
    echo '{"memory-type": "PER_NPU_MEMORY_EXPANSION"}' >memory.json
    astra2 h100 rings2 ddp32 --remote-memory-configuration=memory.json
    [ "$status" -eq 2 ]
    grep -q 'memory.json' ../err
}

@test "damage" {
    local a=et/reduce8
    harm
    harmed 0 ""
    truncate -s -3 $a.3.et
    harmed 2 "$a.3.et: truncated: message 1 should have 64 bytes, but \
the file ends before"
    harm
    : >$a.5.et
    harmed 2 "$a.5.et: there are no nodes in it"
    harm
    printf '\377\377\377\377\377\377\377\377\177' >$a.1.et
    harmed 2 "$a.1.et: message 0 has no sensible length; this is not a \
Chakra trace, or it is damaged"
    harm
    cp "$BATS_FILE_TMPDIR/sets/gather16.0.et" $a.2.et
    harmed 2 "$a.2.et: node 0 (another kind of 1048576 bytes) does not \
match node 0 of $a.0.et (1048576 bytes): ranks of a group must come to the same \
collectives in the same order"
    harm
    cp "$BATS_FILE_TMPDIR/sets/skewed24.0.et" $a.0.et
    harmed 2 "$a.0.et: node 2: there is no rank 23 to receive from"
    harm
    rm $a.5.et
    harmed 2 "$(cat <<END
$a: trace: $a.5.et is missing, but the job has 8 ranks
END
)"
}
