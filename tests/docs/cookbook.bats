#!/usr/bin/env bats
# Every command of docs/cookbook.md prints what the page shows.

@test "docs/cookbook.md is up to date" {
    cd "$BATS_TEST_DIRNAME/../.."
    ORRERY=${ORRERY:-build/orrery} docs/cookbook.sh |
        diff -u docs/cookbook.md -
}
