#!/usr/bin/env bats
# `orrery convert --to chakra`: the traces it writes run as their jobs do.

load common

# JOB [TRACE]: the job and its trace, on a switch, have one fingerprint.
alike() {
    local switch='{kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 500ns}}'
    # packets of 64 KiB: there are fewer
    local net='{mtu: 64KiB}'
    printf 'topology: %s\nnetwork: %s\nrecord: none\njobs:\n  - {name: j, %s}\n' \
        "$switch" "$net" "$1" >a.yaml
    rm -rf et
    orrery convert --to chakra a.yaml -o et
    [ "$status" -eq 0 ]
    local files=(et/j.*.et)
    printf 'topology: %s\nnetwork: %s\nrecord: none\njobs:\n  - {name: j, ranks: %s, %s}\n' \
        "$switch" "$net" "${#files[@]}" \
        "trace: {format: chakra, path: et/j, groups: et/j.groups.json$2}" \
        >b.yaml
    orrery run a.yaml -q --json a.json
    [ "$status" -eq 0 ]
    orrery run b.yaml -q --json b.json
    [ "$status" -eq 0 ]
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ] || {
        echo "$1: another fingerprint"
        jq -c '.jobs[0] | [.finish_ns, .bytes_sent]' a.json b.json
        return 1
    }
}

model() {
    alike "model: vgg11-cifar, batch: 8, $1" "$2"
}

@test "sends and receives, barriers and groups read back alike" {
    alike 'ranks: 4, program: [{compute: 7us}, {send: {to: +1, size: 5000B,
        tag: 3}, id: s}, {recv: {from: -1, tag: 3}, after: []}, {wait: [s]},
        {compute: 3333ns}]'
    alike 'ranks: 4, program: [compute: 7us, barrier, {all-gather: {size: 900B,
        group: [1, 3]}}, barrier]'
    alike 'ranks: 8, program: [{all-reduce: {size: 80000B, group: [0, 2, 4, 6]}},
        {all-reduce: {size: 4000B, group: [1, 3, 5, 7]}},
        {broadcast: {size: 1000B, root: 3}}, {reduce: {size: 1000B, root: 2}},
        {gather: {size: 100B, root: 1}}, {scatter: {size: 100B, root: 1}},
        {reduce-scatter: {size: 8000B}}, {all-to-all: {size: 8000B}}]'
}

@test "data parallel training reads back alike" {
    for sync in ddp bulk gather-scatter fsdp; do
        model "ranks: 8, parallelism: {data: 8}, sync: $sync"
    done
    model 'ranks: 6, parallelism: {data: 6}, sync: parameter-server,
        servers: [6, 7]' ', algorithm: parameter-server, servers: [6, 7]'
}

@test "tensor, pipeline and expert parallel training read back alike" {
    alike 'model: gpt2, batch: 1, ranks: 4, parallelism: {tensor: 4}'
    model 'ranks: 4, parallelism: {pipeline: 4}, micro_batches: 4'
    alike 'model: gpt2, batch: 4, ranks: 8, micro_batches: 4, schedule: 1f1b,
        parallelism: {pipeline: 4, tensor: 2}'
    alike 'model: gpt2, batch: 4, ranks: 8, micro_batches: 2,
        parallelism: {pipeline: 2, tensor: 2, data: 2}'
    alike 'model: gpt2, batch: 4, ranks: 8, parallelism: {expert: 4, data: 2}'
    alike 'model: dlrm, batch: 4, ranks: 8, parallelism: {expert: 8}'
}

@test "what a trace cannot say is refused" {
    cat >a.yaml <<'END'
topology: {kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 500ns}}
jobs:
  - {name: j, model: vgg11-cifar, batch: 8, ranks: 6, parallelism: {data: 6},
     sync: parameter-server, servers: [6, 7], asynchronous: true}
END
    orrery convert --to chakra a.yaml -o et
    [ "$status" -eq 2 ]
    grep -q asynchronous ../err
}

@test "a send is complete when it has left, or would have arrived" {
    local how
    cat >a.yaml <<'END'
topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, delay: 1us}}
network: {transport: datagram, mtu: 1000B, header: 0B}
jobs:
  - {name: j, ranks: 2, program: [{send: {to: +1, size: 1000B}, id: s},
     {recv: {from: -1}, after: []}, {compute: 5us, after: [s]}]}
END
    for how in sent:6000 arrived:9000; do
        orrery run a.yaml -q --json a.json --set "jobs[0].complete=${how%:*}"
        [ "$status" -eq 0 ]
        jq -e ".jobs[0].finish_ns == ${how#*:}" a.json
    done
}
