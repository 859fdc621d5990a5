#!/usr/bin/env bats
# The adapter for ASTRA-sim: collectives on ASTRA-sim's interface take as long
# on orrery as ASTRA-sim says, and as `orrery run --astra` has them. A driver of
# our own stands for ASTRA-sim; with ASTRA_SIM, the name of an orrery-astra that
# adapters/astra-sim/ built, ASTRA-sim itself is tried too.

setup_file() {
    local root
    root=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
    export ORRERY=${ORRERY:-$root/build/orrery}
    cd "$BATS_FILE_TMPDIR" || return
    command -v g++ >/dev/null || return 0
    grep -q __tsan_ "$BUILD/liborrery.so" && return 0
    sanitize=()
    ! grep -q __asan_ "$BUILD/liborrery.so" ||
        sanitize=(-fsanitize=address -fsanitize=undefined)
    g++ -std=c++17 -O1 -Wall -Wextra -Wno-unused-parameter -Werror \
        "${sanitize[@]}" -I"$root" -I"$root/include" \
        -I"$root/tests/adapters/astra-sim" \
        "$root/tests/adapters/astra-sim/driver.cc" -o driver \
        -L"$BUILD" -lorrery -Wl,-rpath,"$BUILD"
    . "$root/tests/validate/astra2_inputs.sh"
    astra2_net ring8 Ring 8 50 500
    astra2_net full8 FullyConnected 8 50 500
    astra2_net switch8 Switch 8 400 936.25
    astra2_net ring256 Ring 256 50 500
    astra2_net ring1024 Ring 1024 50 500
    astra2_sys ring LIFO 4 1 1600 '"ring"' '"ring"' '"ring"'
    astra2_sys halving LIFO 4 1 1600 '"halvingDoubling"' '"halvingDoubling"' \
        '"halvingDoubling"'
    astra2_work reduce8 8 'program: [all-reduce: {size: 1MiB}]'
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    [ -x driver ] || skip "no C++ compiler, or threads are being checked"
}

aware='transport: analytical, contention: links, resolution: 1ns'
unaware='transport: analytical, resolution: 1ns'

# same NETWORK ALGORITHM KEYS OPTION...: what the driver and orrery say of an
# all-reduce of 1 MiB in four chunks on eight NPUs; leaves it in $cycles.
same() {
    "$ORRERY" run --network-configuration="$1.yml" \
        --system-configuration="$2.json" --workload-configuration=reduce8 \
        "${@:4}" -q --set record=none --json astra.json
    ./driver "$1.yml" "$3" "$2" 8 1048576 4 driver.json >driver.txt
    [ "$(wc -l <driver.txt)" -eq 8 ]
    diff driver.txt <(jq '.jobs[0].astra.sys[].cycles' astra.json)
    cycles=$(head -1 driver.txt)
}

@test "formulas: rings and halving on a ring, a switch, fully connected" {
    for network in ring8 switch8 full8; do
        for algorithm in ring halving; do
            same $network $algorithm "$aware" --congestion=aware
            same $network $algorithm "$unaware" --congestion=unaware
        done
    done
    # as ASTRA-sim 2.x itself has it
    same ring8 ring "$aware"
    [ "$cycles" -eq 64440 ]
}

@test "packets: what orrery run --astra --packets says" {
    for network in ring8 switch8 full8; do
        same $network ring 'mtu: 4096B' --packets
    done
    # the summary is orrery's: 8 ranks, 4 chunks, 14 messages of 32 KiB
    jq -e '.messages.arrived == 448 and .messages.bytes == 448 * 32768' \
        driver.json
}

@test "--set, many times, in both spellings, with commas; and not at all" {
    ./driver ring8.yml 'mtu: 4096B' ring 8 1048576 1 a.json >a.txt
    ./driver --set network.mtu=9000B ring8.yml 'mtu: 4096B' ring 8 1048576 1 \
        --set=network.queue='{kind: ecn, threshold: 30KB}' b.json >b.txt
    [ "$(wc -l <b.txt)" -eq 8 ]
    [ "$(jq .fingerprint a.json)" != "$(jq .fingerprint b.json)" ]
    ./driver ring8.yml 'mtu: 9000B, queue: {kind: ecn, threshold: 30KB}' \
        ring 8 1048576 1 c.json >c.txt
    diff b.txt c.txt
    [ "$(jq .fingerprint b.json)" = "$(jq .fingerprint c.json)" ]
    run ./driver ring8.yml 'mtu: 4096B' ring 8 1048576 1 --set
    [ "$status" -eq 2 ]
    [ "$output" = "--set takes KEY=VALUE" ]
    run ./driver ring8.yml 'mtu: 4096B' ring 8 1048576 1 --set network.mtu
    [ "$status" -eq 2 ]
    [[ $output == *"not an assignment to a key"* ]]
}

@test "messages that are there before they are asked for" {
    # every other rank asks 1 ms late: it, and then its neighbour, waits
    ./driver ring8.yml "$aware" early 8 1048576 1 >early.txt
    [ "$(sort -n early.txt | head -1)" -gt 7000000 ]
    [ "$(sort -n early.txt | tail -1)" -lt 15000000 ]
}

# ring RANKS: an all-reduce of messages of 1,024 B, and 10 ns for each and before
ring() {
    ./driver "ring$1.yml" "$aware" ring "$1" $(($1 * 1024)) 1 >many.txt
    [ "$(sort -u many.txt)" -eq $((10 + 2 * ($1 - 1) * (500 + 19 + 10))) ]
}

@test "256 ranks" {
    ring 256
}

# bats test_tags=larger
@test "1,024 ranks" {
    ring 1024
}

# counts RANKS: instructions of an all-reduce in packets of 1 KiB, in units that
# do not depend on how busy the machine is.
counts() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null ./driver \
        "ring$1.yml" 'mtu: 4096B' ring "$1" $(($1 * 1024)) 1 many.json \
        2>counted >many.txt
    [ "$(wc -l <many.txt)" -eq "$1" ]
    jq -e ".messages.arrived == 2 * $1 * ($1 - 1)" many.json >/dev/null
    sed -n 's/.*Collected : //p' counted
}

# As many arrive at one time as there are ranks. When each looked at all the
# others it was 25 times as much; 12 with what a process takes to start.
# bats test_tags=larger
@test "four times the ranks, 16 times the messages: no more than so many times" {
    command -v valgrind >/dev/null || skip "no valgrind"
    ! grep -q __asan_ "$BUILD/liborrery.so" || skip "not beside sanitizers"
    . "$BATS_TEST_DIRNAME/../../validate/astra2_inputs.sh"
    astra2_net ring64 Ring 64 50 500
    [ "$(counts 256)" -lt $((16 * $(counts 64))) ]
}

@test "what is wrong is said" {
    run ./driver nowhere.yml "$aware" ring 8 1024 1
    [ "$status" -eq 2 ]
    [[ $output == *"nowhere.yml"* ]]
    # more ranks than hosts: the run ends, and nothing is thrown on its way
    run ./driver ring8.yml "$aware" ring 9 1024 1
    [ "$status" -eq 2 ]
    [[ $output == *"there is no host 8; hosts are 0 to 7"* ]]
}

@test "ASTRA-sim itself" {
    [ -n "$ASTRA_SIM" ] || skip "ASTRA_SIM names no orrery-astra"
    . "$BATS_TEST_DIRNAME/../../validate/astra2_inputs.sh"
    astra2_inputs
    echo '{"memory-type": "NO_MEMORY_EXPANSION"}' >memory.json
    local set=()
    while read -r net sys work ns _ options; do
        [ -n "$net" ] || continue
        groups=empty
        [ ! -e "$work.groups.json" ] || groups=$work.groups.json
        # shellcheck disable=SC2086 # options are words
        "$ASTRA_SIM" --workload-configuration="$work" \
            --comm-group-configuration="$groups" \
            --system-configuration="$sys.json" \
            --remote-memory-configuration=memory.json \
            --network-configuration="$net.yml" $options \
            "${set[@]}" >"$BATS_TEST_TMPDIR/out"
        grep -q "sys\[0\] finished, $ns cycles" "$BATS_TEST_TMPDIR/out"
        # once as the README has it, then without records
        set=(--set record=none)
    done <<<"$astra2_expected"
}
