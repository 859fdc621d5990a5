#!/usr/bin/env bats
# What the summary says a collective must take, and where it waited.

load common

# share CONFIG ARGUMENT...: the lower bound over what the collective took.
share() {
    orrery run "$@" -q --json run.json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq '.jobs[0].collectives[0] | .lower_bound_ns / .duration_ns' run.json
}

# between LEAST MOST VALUE
between() {
    awk -v least="$1" -v most="$2" -v x="$3" 'BEGIN {
        if (x < least || x > most) { print x; exit 1 } }'
}

@test "a lower bound knows the NIC of a server, and uplinks" {
    cat >nic.yaml <<'END'
topology: {kind: fat-tree, k: 4, servers: {gpus: 8, link: {rate: 3600Gbps, delay: 25ns}}, link: {rate: 100Gbps, delay: 500ns}}
network: {mtu: 4096B, header: 0B, queue: {kind: droptail, capacity: 64MiB}}
record: none
jobs: [{ranks: 64, program: [all-to-all: {size: 4MiB}]}]
END
    # 8 GPUs, each 56 / 64 of 4 MiB, over 100 Gbit/s: 2.349 ms
    between 0.99 1 "$(share nic.yaml)"
    jq -e '.jobs[0].collectives[0].lower_bound_ns == 2348810.24' run.json
    for algorithm in ring "nccl-ring, local: 8" "hierarchical, local: 8"; do
        between 0.9 1 "$(share nic.yaml --set "jobs=[{ranks: 64, program: [all-reduce: {size: 4MiB, algorithm: $algorithm}]}]")"
    done
    # data-parallel groups across servers, one of each GPU, share the NIC
    orrery run nic.yaml -q --json run.json --set topology.servers.gpus=4 \
        --set network.mtu=64KiB \
        --set 'jobs=[{name: m, model: gpt2, batch: 16, ranks: 16, parallelism: {tensor: 4, data: 4}, iterations: 1}]'
    jq -e '[.jobs[0].collectives[] | .lower_bound_ns / .duration_ns] |
        min > 0.7 and max <= 1' run.json
    # uplinks of a leaf carry half of what its hosts can send
    cat >leaf.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 500ns}}
network: {mtu: 4096B, header: 0B, routing: spray, queue: {kind: droptail, capacity: 64MiB}}
record: none
jobs: [{ranks: 8, program: [all-to-all: {size: 4MiB}]}]
END
    # 4 hosts, each 4 / 8 of 4 MiB: 0.671 ms
    between 0.95 1 "$(share leaf.yaml)"
    jq -e '.jobs[0].collectives[0].lower_bound_ns == 671088.64' run.json
}

@test "a lower bound is one: no collective is quicker" {
    for topology in \
        "{kind: rail-optimised, hosts: 3, servers: {gpus: 4, link: {rate: 1Tbps, delay: 25ns}}, spines: 1, link: {rate: 100Gbps, delay: 100ns}}" \
        "{kind: rail-only, hosts: 3, servers: {gpus: 4, link: {rate: 1Tbps, delay: 25ns}}, link: {rate: 100Gbps, delay: 100ns}}" \
        "{kind: torus, dims: [3, 4], link: {rate: 100Gbps, delay: 100ns}}" \
        "{kind: switch, hosts: 12, links: 2, link: {rate: 100Gbps, delay: 100ns}}" \
        "{kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 100ns}}"; do
        for op in "all-reduce: {algorithm: ring" "all-reduce: {algorithm: hierarchical, local: 4" \
            "all-reduce: {algorithm: nccl-tree, local: 4, chunks: 4, concurrent: 4" \
            "all-to-all: {algorithm: direct" "all-gather: {algorithm: direct" \
            "broadcast: {algorithm: tree" "reduce-scatter: {algorithm: direct, chunks: 3" \
            "gather: {algorithm: direct"; do
            cat >any.yaml <<END
topology: $topology
network: {mtu: 4096B, header: 0B, ack: 1B, routing: spray, reorder_window: 10ms, queue: {kind: droptail, capacity: 64MiB}}
record: none
jobs: [{ranks: 12, program: [$op, size: 1MB}]}]
END
            orrery check any.yaml
            [ "$status" -eq 0 ] || continue
            between 0.01 1 "$(share any.yaml)" || { cat any.yaml; return 1; }
        done
    done
}

@test "chunks wait to begin, packets queue: two things" {
    cat >one.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 500ns}}
record: none
jobs: [{ranks: 4, program: [all-reduce: {size: 1MiB, chunks: 2}]}]
END
    orrery run one.yaml --json run.json
    grep -q '^    chunk latency .* waited to begin .* message time' ../out
    ! grep -q queueing ../out || false
    jq -e '.jobs[0].collectives[0].queueing_ns > 0' run.json
}
