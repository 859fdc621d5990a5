#!/usr/bin/env bats
# Random experiments: threads, ports and records change nothing.

@test "random experiments are the same runs everywhere" {
    run "$BATS_TEST_DIRNAME/random.sh" 30 "${SEED:-1}"
    echo "$output"
    [ "$status" -eq 0 ]
}
