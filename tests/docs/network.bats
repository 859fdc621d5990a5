#!/usr/bin/env bats
# The examples of the library: each is built and run, and says what is known.

setup() {
    root=$BATS_TEST_DIRNAME/../..
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# example NAME [COMPILER]: builds it against the library and runs it.
example() {
    local source=$root/docs/examples/network/$1
    # a library with a sanitizer in it wants programs with the same
    local kind sanitize=()
    for kind in address thread; do
        ! grep -q "__${kind:0:1}san_" "$BUILD/liborrery.so" ||
            sanitize=("-fsanitize=$kind")
    done
    ${2:-${CC:-cc}} -Wall -Wextra -Werror "${sanitize[@]}" \
        -I"$root/include" "$source" \
        -o example -L"$BUILD" -lorrery -Wl,-rpath,"$BUILD"
    run ./example
    [ "$status" -eq 0 ]
}

@test "ping-pong: a round trip of six links" {
    example pingpong.c
    [ "${#lines[@]}" -eq 3 ]
    # there and back: 6 links of 1 us and 1,000 bytes at 100 Gbps, twice; the
    # first time nothing, later an ACK of 64 bytes may be in the way
    [ "${lines[0]}" = "round trip 12965 ns" ] ||
        [ "${lines[0]}" = "round trip 12960 ns" ]
}

@test "an all-reduce by hand is the built-in one" {
    example allreduce.c
    [ "$output" = "all-reduce of 64 MiB over 8 ranks: 2355810 ns" ]
    cat >ring.yaml <<'END'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
jobs: [{ranks: 8, program: [{all-reduce: {size: 64MiB, algorithm: ring}}]}]
record: none
END
    "$ORRERY" run ring.yaml --quiet --json out.json
    jq -e '.jobs[0].iterations[0].duration_ns / 2355810 - 1
        | . > -1e-6 and . < 1e-6' out.json
}

@test "a topology in code: counters, summary and records" {
    example topology.c
    [[ $output == *"custom: 8 hosts, 4 switches, 24 links"* ]]
    [[ $output == *"switch 8 > switch 10: "*" B, "*" marks"* ]]
    # what the uplinks carried is what was sent
    printf '%s\n' "${lines[@]}" | awk '/switch 8 > switch 1[01]:/ { b += $6 }
        END { exit b < 40000000 || b > 44000000 }'
    [ -s topology.h5 ]
    h5dump -d /config/effective topology.h5 2>/dev/null | grep -q "kind: custom" ||
        h5dump -g /config topology.h5 | grep -q "kind: custom"
}

@test "C++" {
    command -v c++ >/dev/null || skip "no C++ compiler"
    example hello.cc c++
    [ "$output" = "arrived at 4400 ns" ]
}
