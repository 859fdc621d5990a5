#!/usr/bin/env bats
# How much memory `check` tells: a run that may have no more than that, beside
# the address space that libraries map anyway, must end as it would, and it
# cannot do with less than two thirds of it; of one, as said there.

load common

setup_file() {
    export ORRERY=${ORRERY:-$BATS_TEST_DIRNAME/../../build/orrery}
    ! nm -D "$ORRERY" | grep -Eq '__(a|t)san_init' ||
        skip "a sanitizer maps all there is"
    cd "$BATS_FILE_TMPDIR" || return 1
    beside=$(beside)
    export beside
}

link='link: {rate: 100Gbps, delay: 1us}'

# told CONFIG...: MB
told() {
    "$ORRERY" check "$@" | sed -n 's/.*about \([0-9.]*\) \(.\)B of memory$/\1 \2/p' |
        awk '{print $1 * ($2 == "G" ? 1000 : 1)}'
}

# What a run maps and does not touch, KiB: of the smallest one, the least limit
# that is enough for it, less its peak; and what writing records reserves.
beside() {
    local limit=40000
    cat >least.yaml <<END
topology: {kind: ring, hosts: 2, $link}
flows: [{src: 0, dst: 1, size: 1KB}]
END
    until (ulimit -v $limit && exec "$ORRERY" run least.yaml -q --json least) \
            >/dev/null 2>&1; do
        limit=$((limit + 2000))
    done
    echo $((limit + 24000 - $(jq .wall.peak_memory_bytes least) / 1024))
}

# runs TIMES YAML: within what it is told, which is at most so many times what
# it takes, and 3 MB.
runs() {
    echo "$2" >m.yaml
    local mb status=0
    mb=$(told m.yaml)
    (ulimit -v "$(awk "BEGIN {print $beside + int($mb * 1e6 / 1024)}")"
     exec "$ORRERY" run m.yaml -q -o m.h5 --json m.json) >/dev/null 2>err ||
        status=$?
    [ "$status" -eq 0 ] && ! grep -q memory err ||
        { echo "$mb MB were told"; cat m.yaml err; return 1; }
    awk "BEGIN {exit !($mb < 3 + $1 * 1e-6 * $(jq .wall.peak_memory_bytes m.json))}" ||
        { echo "$mb MB were told"; jq .wall m.json; cat m.yaml; return 1; }
}

@test "memory: collectives on graphs of several kinds" {
    runs 1.5 "topology: {kind: ring, hosts: 16, $link}
jobs: [{ranks: 16, iterations: 5, program: [all-reduce: {size: 4MB}]}]"
    runs 1.5 "topology: {kind: fat-tree, k: 8, $link}
jobs: [{ranks: 128, program: [
    all-reduce: {size: 4MB, algorithm: double-tree}]}]"
    runs 1.5 "topology: {kind: torus, dims: [8, 8], $link}
jobs: [{ranks: 64, program: [all-reduce: {size: 8MB}]}]"
    runs 1.5 "topology: {kind: parameter-server, workers: 64, servers: 4, $link}
jobs: [{ranks: 64, program: [
    all-reduce: {size: 4MB, algorithm: parameter-server}]}]"
    # at one port only there is a queue
    runs 1.6 "topology: {kind: switch, hosts: 300, $link}
jobs: [{ranks: 300, program: [gather: {size: 100KB}, scatter: {size: 100KB},
                              broadcast: {size: 400KB}]}]"
}

@test "memory: all to all" {
    runs 1.5 "topology: {kind: switch, hosts: 200, $link}
jobs: [{ranks: 200, program: [all-to-all: {size: 2MB}]}]"
    runs 1.5 "topology: {kind: switch, hosts: 300, $link}
stop: 100us
jobs: [{ranks: 300, iterations: 100, program: [all-to-all: {size: 1GB}]}]"
    runs 1.5 "topology: {kind: fully-connected, hosts: 48, $link}
jobs: [{ranks: 48, iterations: 2, program: [all-to-all: {size: 4MB}]}]"
    runs 1.5 "topology: {kind: fat-tree, k: 8, $link}
jobs: [{ranks: 128, program: [all-to-all: {size: 2MB}]}]"
    runs 1.5 "topology: {kind: switch, hosts: 300, $link}
network: {transport: analytical}
jobs: [{ranks: 300, program: [all-to-all: {size: 100MB}]}]"
}

@test "memory: where a member's neighbours come one after another" {
    runs 1.5 "topology: {kind: bcube, n: 8, k: 1, $link}
jobs: [{ranks: 64, program: [
    all-reduce: {size: 8MB, algorithm: halving-doubling}]}]"
    runs 1.5 "topology: {kind: fully-connected, hosts: 32, $link}
jobs: [{ranks: 32, program: [
    all-reduce: {size: 16MB, algorithm: halving-doubling}]}]"
    runs 1.5 "topology: {kind: leaf-spine, hosts: 64, oversubscription: 4, $link}
jobs: [{ranks: 64, program: [
    all-reduce: {size: 4MB, algorithm: halving-doubling}]}]"
}

@test "memory: crowded links, where the same is sent again and again" {
    runs 1.5 "topology: {kind: dragonfly, a: 4, h: 2, p: 4, $link}
jobs: [{ranks: 144, program: [all-reduce: {size: 4MB, algorithm: direct}]}]"
    runs 1.5 "topology: {kind: leaf-spine, hosts: 96, oversubscription: 4, $link}
network: {preset: tcp-dctcp}
jobs: [{ranks: 96, program: [all-to-all: {size: 16MB}]}]"
}

@test "memory: flows" {
    runs 1.5 "topology: {kind: fat-tree, k: 8, $link}
flows: [{generate: permutation, size: 4MB}]"
    runs 1.5 "topology: {kind: leaf-spine, leaves: 8, spines: 4, hosts: 64, $link}
flows: [{generate: poisson, size: 20KB, load: 0.6, duration: 600us}]"
    runs 1.5 "topology: {kind: leaf-spine, leaves: 8, spines: 4, hosts: 64, $link}
flows: [{generate: poisson, size: 2KB, load: 0.3, duration: 400us}]"
    runs 1.5 "topology: {kind: switch, hosts: 200, $link}
flows: [{generate: incast, dst: 0, size: 500KB}]"
    runs 1.5 "topology: {kind: fat-tree, k: 24, $link}
flows: [{src: 0, dst: 3000, size: 10MB}]"
}

@test "memory: congestion controls and transports" {
    runs 1.5 "topology: {kind: fat-tree, k: 8, $link}
network: {cc: hpcc}
flows: [{generate: permutation, size: 2MB}]"
    runs 1.5 "topology: {kind: fat-tree, k: 4, $link}
network: {preset: roce-dcqcn}
jobs: [{ranks: 16, iterations: 2, program: [all-to-all: {size: 8MB}]}]"
    runs 1.5 "topology: {kind: switch, hosts: 150, $link}
network: {cc: dctcp, queue: {kind: ecn, threshold: 100KB}}
stop: 300us
jobs: [{ranks: 150, iterations: 10, program: [all-to-all: {size: 200MB}]}]"
    runs 1.5 "topology: {kind: leaf-spine, leaves: 8, spines: 4, hosts: 64, $link}
network: {transport: datagram}
flows: [{generate: poisson, size: 100KB, load: 0.1, duration: 1ms}]"
    runs 1.5 "topology: {kind: fat-tree, k: 8, $link}
network: {routing: spray}
flows: [{generate: permutation, size: 4MB}]"
}

@test "memory: many iterations, records, jobs that share" {
    runs 1.5 "topology: {kind: switch, hosts: 8, $link}
jobs: [{ranks: 8, iterations: 8000, program: [compute: 1us, barrier: {}]}]"
    runs 1.5 "topology: {kind: fat-tree, k: 8, $link}
record: {interval: 5us}
jobs: [{ranks: 128, program: [all-reduce: {size: 4MB}]}]"
    runs 1.5 "topology: {kind: fat-tree, k: 8, $link}
network: {cc: {kind: mltcp}}
jobs:
  - {ranks: 32, program: [compute: 1ms, all-reduce: {size: 8MB}]}
  - {ranks: 32, program: [compute: 1ms, all-reduce: {size: 8MB}]}
  - {ranks: 32, program: [compute: 1ms, all-to-all: {size: 8MB}]}"
}

# bats test_tags=larger
@test "memory: larger ones" {
    runs 1.5 "topology: {kind: switch, hosts: 1024, $link}
stop: 400us
jobs: [{ranks: 1024, iterations: 1000, program: [all-to-all: {size: 1GB}]}]"
    runs 1.5 "topology: {kind: fat-tree, k: 8, $link}
jobs: [{model: gpt2-medium, ranks: 64, parallelism: {tensor: 4, pipeline: 4},
        batch: 16, micro_batches: 4}]"
    runs 1.5 "topology: {kind: leaf-spine, leaves: 8, spines: 4, hosts: 64, $link}
flows: [{generate: poisson, size: 2KB, load: 0.3, duration: 6ms}]"
    runs 1.5 "topology: {kind: fat-tree, k: 16, $link}
jobs: [{ranks: 1024, program: [all-reduce: {size: 10MB}]}]"
}

# What 4,096 ranks take was measured once: too much for a test.
@test "memory: of millions of pairs those of some ranks tell" {
    cat >m.yaml <<END
topology: {kind: switch, hosts: 4096, $link}
jobs: [{ranks: 4096, iterations: 1000, program: [all-to-all: {size: 1GB}]}]
END
    mb=$(told m.yaml)
    awk "BEGIN {exit !($mb > 4096 * 4095 * 1000e-6 && $mb < 4096 * 4095 * 1500e-6)}" ||
        { echo "$mb"; false; }
}
