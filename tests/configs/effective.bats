#!/usr/bin/env bats
# What --effective prints of a configuration means the same as that: read again,
# it is the same again.

load ../cli/common

# reads_back FILE ARGUMENT...: which stands in the folder that it needs.
reads_back() {
    local folder=${1%/*} again

    again=$(mktemp -p "$folder" --suffix .yaml)
    orrery check "$@" --effective
    [ "$status" -eq 0 ] || { echo "$1"; cat ../err; rm "$again"; return 1; }
    cp ../out "$again"
    cp ../out once
    orrery check "$again" --effective
    rm "$again"
    [ "$status" -eq 0 ] || { echo "$1, again"; cat ../err; return 1; }
    diff once ../out >differs || { echo "$1"; cat differs; return 1; }
}

@test "effective configurations of all that is shipped read back" {
    cp -r "$root/configs" "$root/bench/configs" .
    n=0
    while read -r file; do
        # of a study, what a run of its own is
        awk '/^[^ #]/ { in_it = /^compare:/ } !in_it' "$file" >one.yaml
        grep -q '^topology:' one.yaml || continue # its variants have it
        grep -Eq '^(jobs|flows):' one.yaml || continue
        cp one.yaml "$file"
        reads_back "$file"
        n=$((n + 1))
    done < <(find configs -name '*.yaml' | sort)
    [ "$n" -ge 50 ]
}

@test "effective configurations of every schedule read back" {
    cat >two.yaml <<'END2'
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dcqcn}
jobs:
  - {name: a, ranks: 2, placement: [0, 2], iterations: 3, program: [{compute: 20us}, {all-reduce: {size: 1MB}}]}
  - {name: b, ranks: 2, placement: [1, 3], iterations: 3, program: [{compute: 30us}, {all-reduce: {size: 1MB}}]}
END2
    for kind in none fair ideal mltcp cassini crux priority; do
        reads_back ./two.yaml --set "schedule=$kind"
        reads_back ./two.yaml --set "schedule={kind: $kind}"
    done
    reads_back ./two.yaml --set \
        "schedule={kind: weights, weights: {a: 2}, timers: {b: 300us}}"
    reads_back ./two.yaml --set "schedule={kind: priority, by: order, order: [b]}"
    reads_back ./two.yaml --set repeat=exact
    reads_back ./two.yaml --set "repeat={kind: sampled}" --set alone=true
    reads_back ./two.yaml --set "record={by_job: true, interval: 5us}"
}
