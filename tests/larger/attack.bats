#!/usr/bin/env bats
# The minute of random attack of which tests/attack/attack.bats is a quarter: other
# cases, all comparisons of each, and what was found before for as long as it
# takes.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    attack=${BUILD:-build}/tests/attack/attack
}

# attack PART CASES [OPTION...]
attack() {
    run "$attack" --part "$1" --cases "$2" --seed 20261128 --most 3 "${@:3}"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "what was found before stays mended, however long it takes" {
    run "$attack" --replay tests/attack/found/*.*
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "each key of a control, a choice of path or a queue acts, or is told of" {
    run "$attack" --members
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "random configurations, in all ways that must not matter" {
    attack runs 530
    attack runs 210 --few
}

@test "plans that are written and run" {
    ORRERY=${BUILD:-build}/orrery run tests/attack/plans.sh 60 2
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "damaged records and studies" {
    ORRERY=${BUILD:-build}/orrery run tests/attack/flips.sh 150 2
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "hostile names" {
    ORRERY=${BUILD:-build}/orrery run tests/attack/names.sh 40 2
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "allocations that fail" {
    attack starve 400
}

@test "calls of the library" {
    attack calls 3600
}

@test "texts, files, clusters and keys" {
    attack texts 850
    attack formats 1150
    attack clusters 90
    attack keys 225
    attack relations 2000
}
