#!/usr/bin/env bats
# Whichever allocation fails, orrery says so. Minutes.

load ../starve/common

@test "every allocation of a run with records" {
    mixed
    every 1 run "$PWD/mixed.yaml" -q -t 2 -o run.h5 --json run.json
}

@test "every allocation of a run without" {
    mixed
    every 1 run "$PWD/mixed.yaml" -q --set record=none --json run.json
}

@test "every allocation of a topology that is written and read" {
    mixed
    every 1 topo "$PWD/mixed.yaml" --graphml g.graphml --json
    "$ORRERY" topo mixed.yaml --graphml g.graphml >/dev/null
    echo "{topology: {kind: file, file: $PWD/g.graphml}, record: none," \
        "flows: [{src: 0, dst: 5, size: 20KB}]}" >file.yaml
    every 1 run "$PWD/file.yaml" -q --json run.json
}

@test "every limit of memory, in steps of 100 KiB" {
    mixed
    limits 100000 170000 100 run "$PWD/mixed.yaml" -q -o run.h5 \
        --json run.json
}

@test "limits of memory, and records of many links and bins" {
    cat >many.yaml <<'END'
topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}
flows: [{generate: permutation, size: 200KB}]
jobs: [{ranks: 16, iterations: 3, program: [all-reduce: {size: 256KiB}]}]
record: {interval: 1us, links: all, ports: all, sample: 1us}
END
    limits 100000 230000 1000 run "$PWD/many.yaml" -q -o run.h5 \
        --json run.json
}
