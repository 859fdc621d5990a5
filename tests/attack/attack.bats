#!/usr/bin/env bats
# A fixed quarter of a minute of random attack. `make attack` goes on for as long as is
# wanted; SHARE=10 tries ten times as many cases, tests/larger/attack.bats a
# minute of others, and all comparisons of each.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    attack=${BUILD:-build}/tests/attack/attack
}

# attack PART CASES [OPTION...]: all cases of a seed, the same at every call
attack() {
    run "$attack" --part "$1" --cases $(($2 * ${SHARE:-1})) \
        --seed "${SEED:-20261122}" --most 3 "${@:3}"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "what was found before stays mended" {
    # what takes longer is told to end; tests/larger/attack.bats waits
    run "$attack" --patience 0.1 --replay tests/attack/found/*.*
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "every structure of the parameter tables is drawn" {
    run "$attack" --gaps
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "random configurations are the same runs in all ways that must not matter" {
    attack runs 20
}

@test "many more of them, in one of these ways each" {
    attack runs 120 --few
}

@test "collectives on links of their own: replayed or not, the same run" {
    attack islands 25
}

@test "changed configurations run or are refused at a place" {
    attack texts 150
}

@test "changed files of other programs run or are refused at a place" {
    attack formats 350
}

@test "an allocation that fails is told of, and nothing is left behind" {
    attack starve 70
}

@test "random clusters: the same on other threads, and GPU time adds up" {
    attack clusters 30
}

@test "a key that is changed changes the run, or a note says that it cannot" {
    attack keys 75
}

@test "each key of a control, a choice of path or a queue acts somewhere" {
    run "$attack" --few --members
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "relations between runs that hold exactly: scale, time, order, what is idle" {
    attack relations 320
}

@test "random calls of the library: each does what it says, or says why not" {
    attack calls 300
}

@test "plans that are written and run: as long as the plan said" {
    ORRERY=${BUILD:-build}/orrery run tests/attack/plans.sh 5 "${SEED:-1}"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "hostile names: pages, pictures, tables and terminals show them, and no more" {
    ORRERY=${BUILD:-build}/orrery run tests/attack/names.sh 4 "${SEED:-1}"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "damaged records and studies: told of, or their figures are the same" {
    ORRERY=${BUILD:-build}/orrery run tests/attack/flips.sh 10 "${SEED:-1}"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "interrupted, killed and cut short: what is there is whole" {
    run tests/attack/kill.sh $((5 * ${SHARE:-1})) "${SEED:-1}"
    echo "$output"
    [ "$status" -eq 0 ]
}
