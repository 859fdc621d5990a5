#!/usr/bin/env bats
# --json [FILE]: one rule in all subcommands that have it, beside what each took
# before there was one.

load common

two() {
    cat >two.yaml <<'YAML'
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 100Gbps, delay: 1us}, bottleneck: {rate: 100Gbps, delay: 1us}}
jobs:
- {name: a, ranks: 2, placement: [0, 2], iterations: 2, program: [compute: 30us, all-reduce: {size: 400KB}]}
- {name: b, ranks: 2, placement: [1, 3], iterations: 2, program: [compute: 30us, all-reduce: {size: 400KB}]}
record: none
YAML
}

# both ARGUMENT...: JSON on stdout, and nothing else; no file beside those that
# are there.
on_stdout() {
    local before
    before=$(ls -A)
    orrery "$@"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e 'type == "object"' ../out >/dev/null || { echo "$*"; return 1; }
    is_text <(ls -A) "$before"
}

# The same in a file, and text for people on stdout.
in_file() {
    rm -f out.json
    orrery "$@"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e 'type == "object"' out.json >/dev/null || { echo "$*"; return 1; }
    [ -s ../out ] && ! jq . ../out >/dev/null 2>&1
    rm out.json
}

@test "no FILE, and -, are stdout, wherever they stand" {
    two
    for command in run plan explain topo; do
        on_stdout $command two.yaml --json
        on_stdout $command two.yaml --json -
        on_stdout $command two.yaml --json=-
        on_stdout $command --json two.yaml
        on_stdout $command --json - two.yaml
        on_stdout $command --json -s seed=2 two.yaml
        on_stdout $command -s seed=2 --json two.yaml
        on_stdout $command two.yaml --set seed=2 --json
        on_stdout $command two.yaml --json --set seed=2
    done
    on_stdout run --json -q two.yaml
    on_stdout topo --json ring hosts=4
    on_stdout topo ring --json hosts=4
    on_stdout topo ring hosts=4 --json
    on_stdout topo --path 0 2 --json ring hosts=4
    on_stdout topo ring hosts=4 --json --path 0 2
    "$ORRERY" plan --json - <two.yaml >made
    jq -e .jobs made
}

@test "a FILE has it, and people their text" {
    two
    for command in run plan explain topo; do
        in_file $command two.yaml --json out.json
        in_file $command two.yaml --json=out.json
        in_file $command --json out.json two.yaml
        in_file $command --json out.json -s seed=2 two.yaml
    done
    in_file topo ring hosts=4 --json out.json
    in_file topo --json out.json ring hosts=4
    in_file topo --path 0 2 --json out.json ring hosts=4
    in_file run --astra "$root/configs/formats/astra" --json out.json \
        --set record=none
    # ASTRA-sim's files by their options: no word is left over
    local astra1=$root/configs/formats/astra1
    for at in first last; do
        local json=(--json out.json) named=(
            --network-configuration="$astra1/ring.json"
            --system-configuration="$astra1/ring.txt"
            --workload-configuration="$astra1/all_reduce.txt" --set record=none)
        [ $at = first ] || in_file run "${named[@]}" "${json[@]}"
        [ $at = last ] || in_file run "${json[@]}" "${named[@]}"
    done
    on_stdout run --astra "$root/configs/formats/astra" --set record=none \
        --path "$BATS_TEST_TMPDIR" --json
    orrery run two.yaml --json=
    [ "$status" -eq 2 ]
    orrery plan two.yaml --json /nowhere/x.json
    fails 2 'orrery: cannot write /nowhere/x.json: No such file or directory'
}
