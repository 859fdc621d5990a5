#!/usr/bin/env bats
# Pipelines: stages with replicas, PipeDream's schedule without a flush,
# interleaved and zero-bubble schedules.

load common

# rows N FORWARD BACKWARD ACTIVATIONS PARAMETERS: a model of equal layers, in ms.
rows() {
    printf 'batch: 1\nprofile: {batch: 1}\nlayers:\n'
    local i
    for ((i = 0; i < $1; i++)); do
        echo "  - {name: l$i, forward: $2ms, backward: $3ms, activations: $4B, tensors: [$5]}"
    done
}

# pipe RANKS KEYS: a job with m.yaml on a switch whose transfers take microseconds.
pipe() {
    cat >p.yaml <<END
topology: {kind: switch, hosts: $1, link: {rate: 400Gbps, delay: 1us}}
network: {mtu: 9000B, header: 0B, ack: 1B, transport: reliable, window: 4MB, queue: {kind: droptail, capacity: 64MB}}
record: none
jobs:
  - {name: p, ranks: $1, model: m.yaml, $2}
END
}

run_it() { # [SETTING...]
    local words=() x
    for x; do words+=(--set "$x"); done
    orrery run p.yaml -q --json out.json "${words[@]}"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
}

json() { jq -c "$1" out.json; }

@test "bubbles: 1F1B, GPipe, interleaved and ZB-H1, by their formulas" {
    # forward f = 4 ms and backward b = 8 ms of a stage, m = 16, P = 4
    rows 16 1 2 4 1 >m.yaml
    check() { # KEYS WANTED
        pipe 4 "batch: 16, micro_batches: 16, parallelism: {pipeline: 4}, $1"
        run_it
        json '.jobs[0].iterations[0].duration_ns / 1e6' | awk -v want="$2" '
            $1 < want || $1 > want + 0.1 { print $1, want; exit 1 }'
    }
    check 'schedule: 1f1b' 228             # (m + P - 1) (f + b)
    check 'schedule: gpipe' 228
    for v in 1 2 4; do # m (f + b) + (P - 1) (f + b) / v
        check "schedule: interleaved, virtual_stages: $v" $((192 + 36 / v))
    done
    # input gradients B and weights' gradients W, 4 ms each:
    # m (f + B + W) + (P - 1) (f + B - W)
    check 'schedule: zb-h1' 204
    # the same by ranks as by stages
    check 'schedule: 1f1b, sync: none' 228
    pipe 4 'batch: 16, micro_batches: 16, stages: [{units: 4}, {units: 4}, {units: 4}, {units: 4}]'
    run_it
    all=$(json '.jobs[0].iterations[0].duration_ns')
    pipe 4 'batch: 16, micro_batches: 16, parallelism: {pipeline: 4}, stages: [4, 4, 4, 4]'
    run_it
    [ "$(json '.jobs[0].iterations[0].duration_ns')" = "$all" ]
}

@test "pipedream: minibatches take the slowest stage's time over its replicas, to the picosecond" {
    rows 8 2 4 1000 1000 >m.yaml
    # STAGES WANTED: of a period, ps
    check() {
        pipe "$1" "schedule: pipedream, iterations: 24, sync: ddp, stages: [$2], overlap: $4"
        run_it
        [ "$(json '[.jobs[0].iterations[8:16][].duration_ns] | unique')" = "[$3]" ] || {
            json '[.jobs[0].iterations[].duration_ns]'
            return 1
        }
    }
    # the first stage is the slowest: 5 layers of 6 ms on one rank
    check 3 '{units: 5}, {units: 2}, {units: 1}' 30000000 auto
    # the last
    check 3 '{units: 1}, {units: 2}, {units: 5}' 30000000 auto
    # the one between
    check 3 '{units: 2}, {units: 5}, {units: 1}' 30000000 auto
    # replicas of the first, whose gradients hide where a round more is open:
    # three minibatches in 7 layers' time
    check 4 '{units: 7, replicas: 3}, {units: 1}' 42000000 3
    # of the last, which is not the slowest: two minibatches an iteration
    check 4 '{units: 6}, {units: 2, replicas: 3}' 108000000 auto
    # replicas that do not divide one another: six minibatches, 7 x 6 ms x 6 / 3
    check 5 '{units: 7, replicas: 3}, {units: 1, replicas: 2}' 84000000 3
}

@test "pipedream: NOAM and weight versions" {
    rows 8 2 4 1000 1000 >m.yaml
    check() { # RANKS STAGES NOAM VERSIONS OPEN
        pipe "$1" "schedule: pipedream, iterations: 24, sync: none, stages: [$2]"
        run_it
        [ "$(json '[.jobs[0].pipeline.noam, [.jobs[0].pipeline.stages[].versions]]')" = "[$3,$4]" ]
        [ -z "$5" ] || [ "$(json '[.jobs[0].iterations[].open] | max')" = "$5" ]
    }
    check 4 '{units: 2}, {units: 2}, {units: 2}, {units: 2}' 4 '[4,3,2,1]' 4
    check 8 '{units: 6, replicas: 7}, {units: 2}' 2 '[2,1]' 3
    check 8 '{units: 5, replicas: 4}, {units: 2, replicas: 3}, {units: 1}' 2 '[2,2,1]' ''
    json '.jobs[0].pipeline.minibatches' | grep -qx 12
    # stage by stage
    [ "$(json '[.jobs[0].pipeline.stages[].rank]')" = '[0,4,7]' ]
    [ "$(json '[.jobs[0].pipeline.stages[].parameter_bytes]')" = '[20000,8000,4000]' ]
}

@test "pipedream: each rank sends what a minibatch hands on, and its gradients once a round" {
    rows 8 2 4 1000 1000 >m.yaml
    pipe 4 'schedule: pipedream, iterations: 10, sync: bulk, stages: [{units: 5, replicas: 2}, {units: 3, replicas: 2}]'
    run_it
    # 10 rounds of two minibatches: activations of 1000 B forward and back, and
    # on two ranks each a ring of 20,000 and of 12,000 B
    [ "$(json '.jobs[0].bytes_sent')" = $((10 * 2 * (1000 + 1000 + 20000 + 12000))) ]
}

@test "pipedream: threads, repeat and explain" {
    rows 8 2 4 100000 100000 >m.yaml
    pipe 4 'schedule: pipedream, iterations: 40, overlap: 3, sync: ddp, stages: [{units: 6, replicas: 3}, {units: 2}]'
    run_it network.ties=index
    all=$(json '[.fingerprint, .jobs]')
    jobs=$(json .jobs)
    for t in 2 3; do
        orrery run p.yaml -q --json out.json --threads $t --set network.ties=index
        [ "$(json '[.fingerprint, .jobs]')" = "$all" ]
    done
    run_it network.ties=index repeat=exact
    [ "$(json '.repeat.jumps | length')" -gt 0 ]
    [ "$(json .jobs)" = "$jobs" ]
    for i in 0 1 20 39; do
        orrery explain p.yaml --iteration $i --json out.json
        [ "$(json '.explained[0] | ([.parts[].time_ns * 1000 | round] | add) == (.duration_ns * 1000 | round)')" = true ]
    done
    mkdir et
    orrery convert --to chakra p.yaml -o et
    [ "$status" -eq 0 ]
    cat >t.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 400Gbps, delay: 1us}}
network: {mtu: 9000B, header: 0B, ack: 1B, transport: reliable, window: 4MB, queue: {kind: droptail, capacity: 64MB}}
record: none
jobs:
  - {name: p, ranks: 4, iterations: 40, overlap: 3, trace: {format: chakra, path: et/p, groups: et/p.groups.json, algorithm: ring}}
END
    orrery run t.yaml -q --json out.json
    [ "$status" -eq 0 ]
    [ "$(json '.jobs[0].iterations[20].duration_ns')" = \
        "$(jq '.[0].iterations[20].duration_ns' <<<"$jobs")" ]
}

@test "plan --write: what it writes runs, and takes what it says" {
    rows 8 2 4 1000 100 >m.yaml
    cat >q.yaml <<'END'
title: three to one
plan: {kind: pipedream, model: m.yaml, machines: [4], rates: [400Gbps], cost: paper}
END
    orrery plan q.yaml --write w.yaml --json plan.json
    [ "$status" -eq 0 ]
    [ "$(jq '.slowest_ns' plan.json)" = 12000000 ]
    orrery run w.yaml -q --json out.json --set record=none --set 'jobs[0].overlap=8'
    [ "$status" -eq 0 ]
    [ "$(json '.jobs[0] | .iterations[10].duration_ns / .pipeline.minibatches')" = 12000000 ] || {
        cat w.yaml
        json '.jobs[0] | [.iterations[].duration_ns]'
        false
    }
    # two levels: minibatches of a server stay there
    sed -i 's/machines.*/machines: [2, 2], rates: [400Gbps, 10Gbps], cost: code}/' q.yaml
    orrery plan q.yaml --write w.yaml
    orrery run w.yaml -q --json out.json --set record=none
    [ "$status" -eq 0 ]
    # a network that is there is kept, and as large as it has to be
    echo 'topology: {kind: switch, hosts: 2, link: {rate: 40Gbps, delay: 2us}}' >>q.yaml
    orrery plan q.yaml --write w.yaml
    grep -q 'hosts: 4' w.yaml
    grep -q 'rate: 40Gbps' w.yaml
}

@test "pipelines that cannot be are told at their place" {
    bad() { # COL MESSAGE KEYS
        cat >bad.yaml <<END
topology: {kind: switch, hosts: 8, link: {rate: 8Gbps, delay: 1us}}
jobs:
  - {ranks: 4, model: vgg16, $3}
END
        orrery check bad.yaml
        [ "$status" -eq 2 ]
        [[ $(head -1 ../err) = "bad.yaml:3:$1: $2"* ]] || {
            cat ../err
            return 1
        }
    }
    both='{units: 7, replicas: 3}, {units: 9}'
    bad 38 'stages: these are 15 units, vgg16 has 16' 'stages: [{units: 7, replicas: 3}, {units: 8}]'
    bad 38 'stages: their replicas add up to 5, and the job has 4 ranks' 'stages: [{units: 7, replicas: 4}, {units: 9}]'
    bad 64 'stages: all are numbers, or all are {units, replicas}' 'stages: [{units: 7, replicas: 3}, 9]'
    bad 50 'unknown key "replica" in stages' 'stages: [{units: 7, replica: 3}, {units: 9}]'
    bad 47 'stages.units: 0 is below the smallest allowed, 1' 'stages: [{units: 0}, {units: 16}]'
    bad 38 'stages: a list of numbers of units is expected' 'stages: seven'
    bad 90 'parallelism: `stages` says the replicas of each stage' "stages: [$both], parallelism: {pipeline: 2}"
    bad 83 'sync: bulk, ddp or none' "stages: [$both], sync: parameter-server"
    bad 66 'micro_batches: `schedule: pipedream` takes a minibatch as a whole' 'schedule: pipedream, micro_batches: 2'
    bad 64 'parallelism: only data and pipeline' 'schedule: pipedream, parallelism: {tensor: 2}'
    bad 40 'schedule: interleaved needs two stages at least' 'schedule: interleaved'
    bad 40 'schedule: interleaved needs `micro_batches` that are a multiple of 4 stages x 1 replicas' \
        'schedule: interleaved, parallelism: {pipeline: 4}, micro_batches: 6, batch: 12'
    bad 68 'wait: layer: not where stages have replicas' 'schedule: pipedream, sync: ddp, wait: layer'
    bad 56 'overlap: an iteration of a model needs the weights' 'schedule: zb-h1, overlap: 2'
    bad 60 'overlap: an operation waits for one 3 iterations later, which is not open with 3 at once' \
        'schedule: pipedream, overlap: 3, parallelism: {pipeline: 4}'
}
