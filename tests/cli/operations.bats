#!/usr/bin/env bats
# repeat: {operations: exact}: collectives on links of their own are simulated
# once, and the results are as if all had been.

load common

# What a run says of itself is left out; and what was seen of links while a
# collective went on, which nobody looks at then.
results() {
    jq 'del(.wall, .fingerprint, .replayed)
        | del(.. | .limiting_link?)' "$1"
}

# both NAME [ARGUMENT...]: NAME.yaml in full, and with collectives replayed.
both() {
    local name=$1
    shift
    orrery run "$name.yaml" --quiet --whole all --json full.json "$@"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    orrery run "$name.yaml" --whole all --json exact.json "$@" \
        --set repeat.operations=exact
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    diff <(results full.json) <(results exact.json)
}

# How many were replayed, of how many.
replayed() { jq -c '.replayed | [.collectives - .simulated, .collectives]' exact.json; }
obstacles() { jq -r '.replayed.obstacles[].why' exact.json; }

# servers GPUS [PROGRAM [KEYS]]: two servers on rails; tensor groups are within
# each.
servers() {
    cat >servers.yaml <<END
topology:
  kind: rail-optimised
  hosts: 2
  servers_per_leaf: 1
  spines: 2
  link: {rate: 100Gbps, delay: 500ns}
  servers: {gpus: $1, link: {rate: 900Gbps, delay: 500ns}}
network: {mtu: 4096B, pfc: {enabled: true}}
record: none
jobs:
  - name: train
    ranks: $((2 * $1))
    iterations: 3
    ${3:-warmup: 0}
    program:
${2:-$(tensor "$1")}
END
}
# Collectives of each server's ranks, after computations.
tensor() {
    local first second
    first=$(seq -s, 0 $(($1 - 1)))
    second=$(seq -s, "$1" $((2 * $1 - 1)))
    cat <<END
      - {compute: 300us, id: a}
      - {all-reduce: {size: 256KiB, group: [$first]}, id: b, after: [a]}
      - {all-reduce: {size: 256KiB, group: [$second]}, id: c, after: [a]}
      - {compute: 400us, id: d, after: [b, c]}
      - {all-gather: {size: 256KiB, group: [$first]}, id: e, after: [d]}
      - {all-gather: {size: 256KiB, group: [$second]}, id: f, after: [d]}
      - {compute: 400us, id: g, after: [e, f]}
      - {all-to-all: {size: 512KiB, group: [$first]}, id: h, after: [g]}
      - {all-to-all: {size: 512KiB, group: [$second]}, id: i, after: [g]}
END
}

@test "tensor groups within servers: each call is simulated once for all" {
    servers 4
    both servers
    [ "$(replayed)" = "[12,18]" ]
    grep -q "^replayed  *12 of 18 collectives on links of their own" ../out
    [ "$(jq .replayed.islands exact.json)" = 2 ]
    [ "$(jq .replayed.alike exact.json)" = 1 ]
}

@test "congestion controls, queues and pauses" {
    local red='{kind: red, capacity: 8MiB, kmin: 20KB, kmax: 400KB, pmax: 0.2}'
    servers 4
    both servers --set network.cc=dcqcn --set "network.queue=$red" \
        --set network.pfc.enabled=true
    both servers --set network.cc=dctcp --set network.pfc.enabled=false \
        --set "network.queue={kind: ecn, threshold: 30KB}"
    both servers --set network.cc=swift --set network.recovery=go-back-n
    both servers --set network.cc=cubic --set network.pfc.enabled=false \
        --set "network.queue={capacity: 40KB}"
}

@test "whatever threads, ports and processes: one fingerprint" {
    local f
    servers 4
    both servers
    f=$(jq -r .fingerprint exact.json)
    [ "$f" != "$(jq -r .fingerprint full.json)" ]
    for how in "-t 2" "-t 3" "--set network.ports=explicit" \
        "--set network.processes=nodes" "--set network.processes=one"; do
        # shellcheck disable=SC2086
        both servers $how
        [ "$(jq -r .fingerprint exact.json)" = "$f" ]
        [ "$(replayed)" = "[12,18]" ]
    done
}

@test "ranks that enter at their own times: each way is simulated, exactly" {
    servers 4 "" "jitter: {kind: normal, spread: 0.02}"
    both servers
    [ "$(replayed)" = "[0,18]" ]
    servers 4 "" "stragglers: {1: 1.01}"
    both servers --set network.ties=index
    [ "$(jq '.replayed | .simulated < .collectives' exact.json)" = true ]
}

@test "marks at random belong to one group at one time" {
    local red='{kind: red, capacity: 8MiB, kmin: 4KB, kmax: 100KB, pmax: 0.9}'
    servers 4 "" "stragglers: {1: 1.02}"
    both servers --set network.cc=dcqcn --set "network.queue=$red" \
        --set "jobs[0].program[1].all-reduce.algorithm=direct" \
        --set "jobs[0].program[2].all-reduce.algorithm=direct"
    [ "$(jq '.replayed.by_lot > 0' exact.json)" = true ]
    [ "$(jq '.counters.ecn_marks > 0' exact.json)" = true ]
}

@test "two jobs, each in a server of its own" {
    servers 4
    cat >>servers.yaml <<END
  - name: other
    ranks: 2
    placement: [0, 4]
    iterations: 4
    program: [{compute: 90us}, {all-reduce: {size: 1MiB}}]
END
    both servers
    [ "$(jq '.replayed.islands' exact.json)" = 2 ]
    obstacles | grep -q "." 
}

@test "a model with tensor and pipeline groups" {
    cat >m.yaml <<END
batch: 1
layers:
  - name: block
    repeat: 4
    layers:
      - {name: a, tensors: [65536], activations: 1MiB, flops: 300000000000, tensor: reduce}
      - {name: b, tensors: [65536], activations: 1MiB, flops: 500000000000, tensor: reduce}
END
    servers 4
    sed -i '/^    program:/,$d' servers.yaml
    cat >>servers.yaml <<END
    model: m.yaml
    batch: 4
    micro_batches: 4
    parallelism: {tensor: 4, pipeline: 2, data: 1}
    flops: 400TFLOPS
END
    both servers
    [ "$(jq '.replayed | .collectives > 50 and .simulated < 10' exact.json)" = true ]
    sed -i 's/pipeline: 2, data: 1/pipeline: 1, data: 2/' servers.yaml
    both servers
    obstacles | grep -q "other messages may cross its links"
}

@test "what is in the way is told, and all is simulated" {
    servers 4 "      - {all-reduce: {size: 1MiB}}"
    both servers
    obstacles | grep -q "several parts of the network"
    servers 4
    both servers --set "flows=[{src: 0, dst: 1, size: 1MB}]"
    obstacles | grep -q "other messages may cross its links"
    [ "$(jq .replayed.islands exact.json)" = 1 ]
    both servers --set network.routing=spray
    jq -r .replayed.full exact.json | grep -q "several paths"
    both servers --set repeat.kind=exact --set "jobs[0].iterations=9"
    grep -q "^replayed  *no collectives: repeat.kind" ../out
    servers 4 "      - {compute: 1us}
      - {all-reduce: {size: 1MiB, group: [0, 1, 2, 3]}}"
    both servers
    obstacles | grep -q "no computation of some length"
    servers 4 "      - {all-reduce: {size: 1MiB, group: [0, 1, 2, 3]}}"
    both servers
    obstacles | grep -q "something else than computations"
}

@test "check says what may be replayed" {
    servers 4
    orrery check servers.yaml --set repeat.operations=exact
    [ "$status" -eq 0 ]
    grep -q "^  replay    18 collectives of 2 groups of ranks" ../out
    orrery check servers.yaml
    ! grep -q "^  replay" ../out
}

@test "records and explanations are of the whole run" {
    servers 4
    orrery run servers.yaml --quiet --json with.json -o with.h5 \
        --set "record={interval: 10us}" --set repeat.operations=exact
    [ "$status" -eq 0 ]
    jq -r .replayed.full with.json | grep -q "recorded over time"
    orrery run servers.yaml --quiet --json without.json -o without.h5 \
        --set "record={interval: 10us}"
    [ "$(jq -r .fingerprint with.json)" = "$(jq -r .fingerprint without.json)" ]
    orrery explain servers.yaml --set repeat.operations=exact
    [ "$status" -eq 0 ]
}

@test "what measures a job by itself sees all of it" {
    servers 4
    orrery profile servers.yaml --job train
    [ "$status" -eq 0 ]
    cp ../out plain
    orrery profile servers.yaml --job train --set repeat.operations=exact
    [ "$status" -eq 0 ]
    diff plain ../out
}
