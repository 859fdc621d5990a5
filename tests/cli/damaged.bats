#!/usr/bin/env bats
# Records that a disk or a transfer has changed: a message and a status, or what
# is shown of them; never a crash.

load common

run_and_profile() {
    cat >run.yaml <<'YAML'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 1MiB, threshold: 65KB}}
jobs: [{name: a, ranks: 4, iterations: 3, program: [compute: 3us, all-reduce: {size: 64KiB}]}]
flows: [{src: 0, dst: 3, size: 100KB}]
record: {interval: 10us, sample: 10us, flows: all, by_job: true}
YAML
    "$ORRERY" run run.yaml -q -o sound.h5
    "$ORRERY" profile run.yaml --job a -o profile.h5 2>/dev/null
    cat >planned.yaml <<'YAML'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, link: {rate: 100Gbps, delay: 1us}}
jobs: [{name: a, ranks: 4, iterations: 3, program: [compute: 3us, all-reduce: {size: 64KiB}]}]
schedule: {kind: cassini, profiles: {a: x.h5}}
YAML
}

# ends STATUS...: the last command ended with one of these, and 2 says why.
ends() {
    [[ " $* " = *" $status "* ]] && { [ "$status" = 0 ] || [ -s ../err ]; } ||
        { echo "status $status, ${what:-}"; cat ../err; return 1; }
}

# damaged: HDF5 died of x.h5, and so it was said; a sanitizer ends it otherwise.
damaged() {
    [ "$status" -eq 2 ]
    if nm -D "$ORRERY" | grep -Eq '__(a|t)san_init'; then
        grep -q '^orrery: x.h5: the file is damaged: HDF5 ' ../err
    else
        fails 2 'orrery: x.h5: the file is damaged: HDF5 crashed as it read it (Segmentation fault)'
    fi
}

# flipped FROM SEED BITS: x.h5 is that file with so many of its bits changed,
# half of them among the first bytes, where HDF5 has its own structures.
flipped() {
    cp "$1" x.h5
    awk -v seed="$2" -v n="$3" -v size="$(stat -c %s "$1")" 'BEGIN {
        srand(seed)
        for (; n > 0; n--) {
            most = rand() < 0.5 || size < 12000 ? size : 12000
            print int(rand() * most), int(rand() * 8)
        }
    }' >bits
    perl -e 'local $/; open F, "+<", "x.h5" or die; $all = <F>;
        for (split /\n/, <STDIN>) {
            my ($at, $bit) = split;
            substr($all, $at, 1) ^= chr(1 << $bit);
        }
        seek F, 0, 0; print F $all' <bits
}

@test "bits that flip in records: never a crash" {
    run_and_profile
    for seed in $(seq 1 40); do
        flipped sound.h5 "$seed" $((1 + seed % 4 * 8))
        case $((seed % 5)) in
        0) orrery report x.h5 -o x.html ;;
        1) orrery plot x.h5 series --script ;;
        2) orrery plot x.h5 gantt --script ;;
        3) orrery timeline x.h5 -o x.json ;;
        4) flipped profile.h5 "$seed" 3 && orrery check planned.yaml ;;
        esac
        ends 0 2
    done
    rm -f x.html x.json
    leaves bits planned.yaml profile.h5 run.yaml sound.h5 x.h5
}

# HDF5 keeps texts of their own lengths in heaps, and believes what these say of
# themselves.
@test "a heap of texts that tells untrue sizes crashes HDF5, not the command" {
    run_and_profile
    heap=$(grep -abo GCOL sound.h5 | head -1 | cut -d: -f1)
    for place in 25 26 29; do
        cp sound.h5 x.h5
        printf '\377' | dd of=x.h5 bs=1 seek=$((heap + place)) conv=notrunc \
            status=none
        orrery plot x.h5 gantt --script
        damaged
        orrery report sound.h5 x.h5
        damaged
        orrery timeline x.h5 -o /dev/null # other texts
        ends 0 2
    done
    leaves planned.yaml profile.h5 run.yaml sound.h5 x.h5
}

@test "which of several files is damaged" {
    run_and_profile
    head -c 100000 sound.h5 >x.h5
    orrery report sound.h5 x.h5 sound.h5
    fails 2 'orrery: x.h5 cannot be opened: it is truncated, or still being written'
}

# Address space as tight as it goes: a sanitizer's own is not.
@test "little memory: a sound file is not called damaged" {
    local most first=0 short=0
    ! nm -D "$ORRERY" | grep -Eq '__(a|t)san_init' || skip "a sanitizer"
    run_and_profile
    for ((most = 30000; most < 200000; most += first ? 500 : 2000)); do
        status=0
        (ulimit -v $most && exec "$ORRERY" report sound.h5 -o page.html) \
            >../out 2>../err || status=$?
        [ "$status" -ne 127 ] || continue # it did not even start
        [ "$first" -ne 0 ] || { first=$most && most=$((most - 2000)); }
        [ "$status" -ne 0 ] || break
        [ "$status" -le 2 ]
        grep -Eq '^orrery: (sound.h5: not enough memory to read |.*too little memory|.*out of memory)' ../err ||
            { echo "of $most KiB: $(cat ../err)" && return 1; }
        short=$((short + 1))
    done
    [ "$status" -eq 0 ]
    [ "$short" -ge 3 ]
}
