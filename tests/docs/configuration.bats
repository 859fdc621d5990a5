#!/usr/bin/env bats
# docs/configuration.md is what `make docs` would write now.

@test "docs/configuration.md is up to date" {
    cd "$BATS_TEST_DIRNAME/../.."
    ORRERY=${ORRERY:-build/orrery} docs/configuration.sh |
        diff -u docs/configuration.md -
}
