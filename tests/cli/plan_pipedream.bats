#!/usr/bin/env bats
# orrery plan with `plan: {kind: pipedream}`: where to cut a model into stages.

load common

# graph LAYER...: each NAME:FORWARD:BACKWARD:ACTIVATIONS:PARAMETERS, in a row.
graph() {
    local before='' x f
    : >graph.txt
    for x; do
        IFS=: read -ra f <<<"$x"
        echo "${f[0]} -- Layer(${f[0]}, 1) -- forward_compute_time=${f[1]}, backward_compute_time=${f[2]}, activation_size=${f[3]}, parameter_size=${f[4]}" >>graph.txt
        [ -z "$before" ] || printf '\t%s -- %s\n' "$before" "${f[0]}" >>graph.txt
        before=${f[0]}
    done
}

ask() { # FIELD [KEYS]: of the answer about graph.txt, on 8 Gbps
    echo "plan: {kind: pipedream, model: graph.txt, rates: [8Gbps], $2}" >ask.yaml
    orrery plan ask.yaml --json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -c "$1" ../out
}

@test "plan pipedream: one machine, and replicas alone, by hand" {
    graph a:1.0:2.0:1000.000:4000000.0 b:2.0:4.0:8.0:0.000
    [ "$(ask '[.slowest_ns, .single_ns, .data_parallel_ns]' 'machines: [1]')" = \
        '[9000000,9000000,9000000]' ]
    # 4 (m - 1) W / (B m) = 8 ms, behind 9 ms, over 2
    [ "$(ask .data_parallel_ns 'machines: [2], cost: code')" = 8500000 ]
    # 2 (m - 1) W / B = 8 ms beside 9 ms, over 2
    [ "$(ask .data_parallel_ns 'machines: [2], cost: paper')" = 4500000 ]
}

@test "plan pipedream: a cut behind the layer without parameters" {
    # two replicas of a beside one of b: 3 ms each, 2 x 1 MB / 1 GB/s in between
    graph a:2.0:4.0:1000000.0:0.0 b:1.0:2.0:8.0:40000000.0
    [ "$(ask '[.slowest_ns, [.stages[].replicas], [.stages[].layers]]' \
        'machines: [3], cost: code')" = '[3000000,[2,1],[1,1]]' ]
    # activations of 10 MB: 20 ms over the cut, more than all replicas take
    graph a:2.0:4.0:10000000.0:0.0 b:1.0:2.0:8.0:1000000.0
    [ "$(ask '[.slowest_ns, [.stages[].replicas]]' 'machines: [3], cost: paper')" = \
        '[3000000,[3]]' ]
}

@test "plan pipedream: levels, the innermost first" {
    graph a:4.0:8.0:0.0:0.0 b:1.0:2.0:0.0:0.0
    # two servers of two: 12 ms on three GPUs would need one of another server
    ask . 'machines: [4], cost: paper' >one
    [ "$(jq -c '[.slowest_ns, [.stages[].replicas]]' one)" = '[3750000,[4]]' ]
    echo "plan: {kind: pipedream, model: graph.txt, machines: [2, 2], rates: [8Gbps, 1Gbps]}" >ask.yaml
    orrery plan ask.yaml --json
    [ "$(jq -c '[.slowest_ns, .levels[1].machines, (.stages | map(.replicas) | add)]' ../out)" = \
        '[3750000,2,4]' ]
}

@test "plan pipedream: memory, by what minibatches further on keep" {
    graph a:1.0:1.0:0.0:80000000.0 b:1.0:1.0:0.0:80000000.0
    [ "$(ask '[.slowest_ns, .stages[0].versions]' 'machines: [2], cost: paper')" = \
        '[2000000,2]' ]
    # the first of two stages keeps 80 MB; replicas keep nothing in this count
    [ "$(ask '[.slowest_ns, (.stages | length)]' \
        'machines: [2], cost: paper, memory: 79MB')" = '[160000000,1]' ]
    [ "$(ask .slowest_ns 'machines: [2], cost: paper, memory: 80MB')" = 2000000 ]
}

@test "plan pipedream: of a job, whose keys count" {
    cat >job.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
jobs:
  - {name: other, ranks: 2, program: [compute: 1us]}
  - {name: vgg, ranks: 4, model: vgg16, batch: 128, sync: ddp}
  - {name: half, ranks: 4, model: vgg16, batch: 64, sync: ddp}
plan: {kind: pipedream, machines: [4], rates: [10Gbps], cost: code}
END
    orrery plan job.yaml --json
    [ "$(jq -c '[.batch, .layers, .single_ns, [.stages[].replicas]]' ../out)" = \
        '[128,16,672560000,[3,1]]' ]
    orrery plan job.yaml --json -s plan.job=half
    [ "$(jq -c '[.batch, .single_ns]' ../out)" = '[64,336280000]' ]
    orrery plan job.yaml
    grep -q '^vgg16: 16 layers, 16 cuts, minibatches of 128$' ../out
    grep -q "times as fast$" ../out
    orrery plan job.yaml -s plan.job=none
    [ "$status" -eq 2 ]
    grep -q '^--set plan.job:1:1: job: there is none called "none"$' ../err
    # a run leaves the question aside
    orrery check job.yaml
    [ "$status" -eq 0 ]
}

@test "plan pipedream: what cannot be asked" {
    graph a:1.0:1.0:0.0:0.0
    bad() { # MESSAGE KEYS
        echo "plan: {$2}" >bad.yaml
        orrery plan bad.yaml
        [ "$status" -eq 2 ]
        grep -q "$1" ../err || { cat ../err; return 1; }
    }
    bad '1:14: plan: no kind "pipedreams"' 'kind: pipedreams'
    bad '1:7: plan.machines is missing' 'kind: pipedream, model: graph.txt'
    bad 'rates: a list of as many rates as there are levels of machines, 2' \
        'kind: pipedream, model: graph.txt, machines: [4, 2], rates: [1Gbps]'
    bad '1:54: plan.machines: 0 is below the smallest allowed, 1' \
        'kind: pipedream, model: graph.txt, machines: [0], rates: [1Gbps]'
    bad '1:66: rates: not a rate' \
        'kind: pipedream, model: graph.txt, machines: [4], rates: [fast]'
    bad 'machines: these are more than 4096 in all' \
        'kind: pipedream, model: graph.txt, machines: [4000, 2], rates: [1Gbps, 1Gbps]'
    bad 'plan: there is no job with a model' \
        'kind: pipedream, machines: [4], rates: [1Gbps]'
    printf '\ta -- b\n' >>graph.txt
    bad '^./graph.txt:2:7: a hole: no layer of this file is called "b"' \
        'kind: pipedream, model: graph.txt, machines: [4], rates: [1Gbps]'
}

@test "convert pipedream: a configuration to plan and to run" {
    mkdir in
    graph a:1.0:2.0:1000.000:4000.0 b:2.0:4.0:8.0:400.0
    mv graph.txt in/
    orrery convert pipedream in/graph.txt -o c.yaml
    [ "$status" -eq 0 ]
    grep -q '^note: 2 layers; `plan` asks for stages on 4 machines' ../err
    orrery plan c.yaml --json
    [ "$(jq -c '[.single_ns, .layers, .batch]' ../out)" = '[9000000,2,1]' ]
    orrery run c.yaml -q --json - --set record=none
    [ "$(jq '.jobs[0].iterations[0].duration_ns > 9e6' ../out)" = true ]
    printf '\tb -- a\n' >>in/graph.txt
    orrery convert pipedream in/graph.txt -o d.yaml
    [ "$status" -eq 2 ]
    grep -q '^in/graph.txt:[34]:2: a cycle: backwards from here, the outputs come from ' ../err
    [ ! -e d.yaml ]
    cp in/graph.txt in/graph
    orrery convert pipedream in/graph
    fails 2 'in/graph: the name of a graph ends in .txt'
}
