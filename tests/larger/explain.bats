#!/usr/bin/env bats
# What `orrery explain` costs: at most 2.5 times the run, in instructions, which
# are the same however busy a machine is. Needs valgrind (make deps-develop).

load ../cli/common

# instructions ARGUMENT...: of the command, in millions.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ORRERY" "$@" \
        2>../counted >/dev/null
    awk '/Collected : / { printf "%.1f\n", $NF / 1e6 }' ../counted
}

# within CONFIG [OPTION]...: explain takes less than 2.5 times what run takes.
within() {
    local run explain
    run=$(instructions run "$1" -q)
    explain=$(instructions explain "$@")
    echo "$*: run $run, explain $explain million instructions"
    awk -v r="$run" -v e="$explain" 'BEGIN { exit !(r > 50 && e < 2.5 * r) }'
}

setup_file() {
    command -v valgrind >/dev/null || skip "no valgrind"
    ! grep -q __asan_init "$ORRERY" || skip "valgrind runs no sanitizer"
    ! grep -q __tsan_init "$ORRERY" || skip "valgrind runs no sanitizer"
}

@test "two jobs and a flow, their slowest iterations and all of them" {
    cat >two.yaml <<'TEXT'
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 2MiB, threshold: 100KB}}
jobs:
- {name: v, ranks: 8, iterations: 3, placement: [0, 4, 8, 12, 1, 5, 9, 13], program: [{compute: 20us}, {all-reduce: {size: 1MiB}}]}
- {name: w, ranks: 8, iterations: 4, placement: [2, 6, 10, 14, 3, 7, 11, 15], program: [{compute: 10us}, {all-to-all: {size: 1MiB}}]}
flows: [{src: 0, dst: 12, size: 1MB}]
record: none
TEXT
    within two.yaml
    within two.yaml --iteration all
}

@test "an incast with pause frames, and a ring" {
    cat >incast.yaml <<'TEXT'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {preset: roce-dcqcn}
flows: [{generate: incast, dst: 0, size: 1MB}]
record: none
TEXT
    cat >ring.yaml <<'TEXT'
topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}
jobs: [{ranks: 64, program: [all-reduce: {size: 2MiB, algorithm: ring}]}]
record: none
TEXT
    within incast.yaml --flow 3
    within ring.yaml
}

# Ports that mark are asked whose packets fill them, and many of the message's
# own packets wait there.
@test "DCQCN with messages of 8 MiB: of flows, and of two jobs" {
    cat >incast.yaml <<'TEXT'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {preset: roce-dcqcn}
flows: [{generate: incast, dst: 0, size: 8MiB}]
record: none
TEXT
    cat >jobs.yaml <<'TEXT'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {preset: roce-dcqcn}
jobs:
- {name: v, ranks: 8, placement: [0, 2, 4, 6, 8, 10, 12, 14], program: [{compute: 20us}, {all-reduce: {size: 64MiB}}]}
- {name: w, ranks: 8, placement: [1, 3, 5, 7, 9, 11, 13, 15], program: [{compute: 20us}, {all-to-all: {size: 64MiB}}]}
record: none
TEXT
    within incast.yaml
    within jobs.yaml
}

@test "a few busy hosts of many, and an incast under HPCC" {
    cat >busy.yaml <<'TEXT'
topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1448B, header: 54B, ack: 54B, ack_every: 2, queue: {kind: ecn, capacity: 64MB, threshold: 301902B}, cc: dctcp}
flows:
- {src: 0, dst: 16, size: 50MB}
- {src: 16, dst: 32, size: 50MB}
- {src: 32, dst: 48, size: 50MB}
- {src: 48, dst: 64, size: 50MB}
- {src: 64, dst: 80, size: 50MB}
- {src: 80, dst: 96, size: 50MB}
- {src: 96, dst: 112, size: 50MB}
- {src: 112, dst: 0, size: 50MB}
record: none
TEXT
    within busy.yaml
    sed 's/cc: {kind: dcqcn}/cc: hpcc/' "$root/configs/cc/rdma_incast.yaml" >hpcc.yaml
    grep -q 'cc: hpcc' hpcc.yaml
    within hpcc.yaml
}
