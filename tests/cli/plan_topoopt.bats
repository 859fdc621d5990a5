#!/usr/bin/env bats
# orrery plan with `plan: {kind: topoopt}`: how to divide a model among hosts, and
# which links these need.

load common

# Two layers whose gradients are large beside their outputs, and one the other
# way round.
model() {
    cat >m.yaml <<'END'
title: small
batch: 4
layers:
  - {name: a, tensors: [1000], activations: 40KB, flops: 1000}
  - {name: b, tensors: [4000000], activations: 4KB, flops: 1000}
  - {name: c, tensors: [4000000], activations: 4KB, flops: 1000}
END
    cat >ask.yaml <<'END'
seed: 3
topology: {kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 1us}}
network: {routing: spray, queue: {capacity: 64MiB}}
jobs:
  - {name: small, ranks: 8, model: m.yaml, compute: 1ms, iterations: 2}
plan: {kind: topoopt, degree: 4, budget: 400}
END
}

@test "plan topoopt: a division, its network, and a configuration that runs it" {
    model
    orrery plan ask.yaml --json plan.json --write run.yaml
    [ "$status" -eq 0 ]
    grep -q 'with packets' ../out
    # large layers are divided: their gradients would take 1.1 ms
    jq -e '.layers[1].hosts > 1 and .layers[2].hosts > 1 and
        .iteration_ns < .data_parallel_ns and .steps == 400' plan.json
    # each host has four ports, some for pairs that send most
    jq -e '(.topology.strides | length) * 2 +
        (.topology.matching | length) == 4 and .topology.links == 32' plan.json
    jq -e '[.topology.matching[] | flatten | sort == [range(8)]] | all' plan.json
    orrery run run.yaml -q --json run.json --set record=none
    [ "$status" -eq 0 ]
    [ "$(jq .jobs[0].iteration_ns.mean run.json)" = \
        "$(jq '.found[] | select(.chosen).packets_ns' plan.json)" ]
    jq -e '.jobs[0].iteration_ns.mean' run.json
}

@test "plan topoopt: the same on any number of threads, another with another seed" {
    model
    orrery plan ask.yaml --json plan.json
    orrery plan ask.yaml --json -t 3
    cmp plan.json ../out
    orrery plan ask.yaml --json -s plan.budget=4 --seed 9
    jq -e '.seed == 9 and .steps == 4' ../out
}

@test "plan topoopt: what is wrong is told at its place" {
    model
    refuses() { # KEYS MESSAGE
        sed "s/degree: 4, /$1/" ask.yaml >bad.yaml
        orrery plan bad.yaml
        [ "$status" -eq 2 ]
        grep -q "^bad.yaml:6:[0-9]*: $2" ../err || { cat ../err; return 1; }
    }
    refuses 'degree: 0, ' 'plan.degree: 0 is below the smallest allowed, 1'
    refuses 'degree: 1, ' 'plan.degree: a ring of all hosts takes two ports'
    refuses 'degree: 6, ' 'plan.degree: 6 ports are more than rings can use'
    refuses 'degree: 2, hosts: 2000, ' 'plan.hosts: 2000 is above the largest allowed, 1024'
    refuses 'degree: 2, job: other, ' 'job: there is none called "other"'
    sed 's/link: {rate.*}}/link: {delay: 1us}}/' ask.yaml >bad.yaml
    orrery plan bad.yaml
    [ "$status" -eq 2 ]
    grep -q '^bad.yaml:2:.*topology.link.rate is missing' ../err
}
