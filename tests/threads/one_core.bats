#!/usr/bin/env bats
# Threads where there are no processors for them. What that costs, `make bench`
# measures; that nobody waits for a thread that does not run, test_crew.c shows.

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

# One that this process may run on.
first_processor() {
    taskset -cp $$ | sed 's/.*: //; s/[-,].*//'
}

@test "several threads on one processor are the same run" {
    for threads in 1 2 4; do
        taskset -c "$(first_processor)" "$ORRERY" run tree.yaml -q \
            --threads $threads --set record=none --json $threads.json
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
