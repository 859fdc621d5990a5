#!/usr/bin/env bats
# Threads where there are no processors for them. CPU time, not wall time: it is
# the same however busy the machine is.

setup() {
    case ${ORRERY-} in
    */asan/* | */tsan/* | */ubsan/*) skip "checked builds share every window" ;;
    esac
    ORRERY=${ORRERY:-$BATS_TEST_DIRNAME/../../build/orrery}
    cd "$BATS_TEST_TMPDIR" || return 1
    cat >tree.yaml <<'END'
topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}
network: {cc: {kind: dctcp}, queue: {kind: ecn, capacity: 4MB, threshold: 100KB}}
flows: [{generate: permutation, size: 4MB}]
END
}

# spend THREADS: the CPU milliseconds of a run on one processor; its
# fingerprint is in THREADS.json.
spend() {
    local user system TIMEFORMAT='%U %S'
    { time taskset -c "$(first_processor)" "$ORRERY" run tree.yaml -q \
        --threads "$1" --set record=none --json "$1.json"; } 2>spent
    read -r user system <spent
    awk "BEGIN { print int(1000 * ($user + $system)) }"
}

# smaller A B
smaller() {
    echo $(($1 < $2 ? $1 : $2))
}

# One that this process may run on.
first_processor() {
    taskset -cp $$ | sed 's/.*: //; s/[-,].*//'
}

@test "several threads on one processor cost at most 1.3 times what one does" {
    local one several
    for threads in 2 4; do
        one=999999 several=999999
        # in turns, the least of each: what else the processor does only adds
        for i in {1..20}; do
            one=$(smaller "$one" "$(spend 1)")
            several=$(smaller "$several" "$(spend $threads)")
            [ "$i" -lt 5 ] || [ $((10 * several)) -gt $((13 * one)) ] || break
        done
        echo "$threads threads: $several ms of CPU time, one: $one ms"
        [ $((10 * several)) -le $((13 * one)) ]
        [ "$(jq .fingerprint 1.json)" = "$(jq .fingerprint $threads.json)" ]
        [ "$(jq .wall.threads $threads.json)" = $threads ]
    done
}

@test "--threads auto takes no more threads than there are processors" {
    taskset -c "$(first_processor)" "$ORRERY" run tree.yaml -q --threads auto \
        --set record=none --json auto.json
    [ "$(jq .wall.threads auto.json)" = 1 ]
    "$ORRERY" run tree.yaml -q --threads auto --set record=none --json all.json
    [ "$(jq .wall.threads all.json)" -le "$(nproc)" ]
    [ "$(jq .fingerprint auto.json)" = "$(jq .fingerprint all.json)" ]
}
