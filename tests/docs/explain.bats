#!/usr/bin/env bats
# Every command of docs/explain.md prints what the page shows.

@test "docs/explain.md is up to date" {
    cd "$BATS_TEST_DIRNAME/../.."
    ORRERY=${ORRERY:-build/orrery} docs/cookbook.sh docs/explain.md |
        diff -u docs/explain.md -
}
