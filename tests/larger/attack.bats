#!/usr/bin/env bats
# The minute of random attack of which tests/attack/attack.bats is a half: other
# cases, all comparisons of each, and what was found before for as long as it
# takes.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    attack=${BUILD:-build}/tests/attack/attack
}

# attack PART CASES
attack() {
    run "$attack" --part "$1" --cases "$2" --seed 20261128 --most 3
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
    attack runs 500
}

@test "hostile names" {
    ORRERY=${BUILD:-build}/orrery run tests/attack/names.sh 40 2
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "allocations that fail" {
    attack starve 300
}

@test "calls of the library" {
    attack calls 3000
}

@test "texts, files, clusters and keys" {
    attack texts 600
    attack formats 800
    attack clusters 60
    attack keys 150
    attack relations 2000
}
