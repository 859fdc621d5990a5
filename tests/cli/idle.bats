#!/usr/bin/env bats
# Keys that a user set and that have no effect are told at their place: by check,
# by run (also a quiet one), and by a study where they have one in no
# combination.

load common

job="jobs: [{ranks: 4, program: [all-reduce: {size: 64KB}]}]"

# The first line of each a.yaml.
top() {
    echo "topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2," \
        "link: {rate: 100Gbps, delay: 1us}}"
}

# config NETWORK [JOBS]: a.yaml
config() {
    { top && echo "network: {$1}" && echo "${2-$job}"; } >a.yaml
}

# told: what check says, the places and keys alone
told() {
    orrery check a.yaml
    [ "$status" -eq 0 ]
    sed -n 's/^  note      a.yaml:\([0-9]*:[0-9]*\): \([^ ]*\) .*/\1 \2/p' ../out
}

# idle NETWORK KEY...: of these alone is it said that they have no effect
idle() {
    local key
    config "$1"
    shift
    told | cut -d' ' -f2 | sort >keys
    for key in "$@"; do echo "network.$key"; done | sort | diff - keys
}

@test "keys of what is switched off" {
    idle "buffer: {size: 1MiB, alpha: 2}" buffer.size buffer.alpha
    idle "buffer: {kind: shared, size: 1MiB, alpha: 2}"
    idle "buffer: {kind: shared}, queue: {capacity: 1MB}" queue.capacity
    idle "pfc: {xoff: 10KB, reserve: 1KiB, headroom: 9KB, hysteresis: 1KiB}" \
        pfc.xoff pfc.reserve pfc.headroom pfc.hysteresis
    idle "pfc: {enabled: true, reserve: 1KiB}"
    idle "pfc: {enabled: true, headroom: 200KB}, buffer: {kind: shared, size: 9MB}"
    idle "pfc: {enabled: true, xoff: 10KB, headroom: 200KB}, buffer: {kind: shared, size: 9MB}" \
        pfc.headroom
    idle "pfc: {enabled: true, xoff: 10KB, reserve: 1KiB}, buffer: {alpha: 1}" \
        pfc.reserve buffer.alpha
    idle "ack_delay: 5us" ack_delay
    idle "ack_every: 2, ack_delay: 5us"
    idle "ack_every: 2, ack_delay: 5us, ack_rule: uec" ack_delay ack_every
    idle "ack_bytes: 9KB" ack_bytes
    idle "ack_bytes: 9KB, ack_rule: uec"
    idle "cut_through_header: 100B" cut_through_header
    idle "cut_through_header: 100B, switching: cut-through"
    idle "contention: links, resolution: 1ns, tiers: lowest" contention \
        resolution tiers
    idle "transport: analytical, contention: links, tiers: lowest" tiers
    idle "transport: analytical, mtu: 1KB" mtu
    idle "transport: analytical, nic: {queue: fifo}" nic
    idle "transport: analytical, mtu: 1KB, header: 40B"
    idle "transport: datagram, recovery: sack, rto: {min: 1ms}, ack: 40B" \
        recovery rto ack
    idle "queue: {scheduler: drr, weights: [2]}" queue.scheduler queue.weights
    idle "classes: 3" classes
    idle "classes: 3, queue: {scheduler: drr}"
    idle "queue: {scheduler: fair}"
}

@test "tiers where there is one" {
    idle "transport: analytical, tiers: lowest"
    top() {
        echo "topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}}"
    }
    idle "transport: analytical, tiers: lowest" tiers
}

@test "keys of another recovery or control" {
    idle "rto: {probe: 2ms, min: 2ms}, recovery: sack" rto.probe
    idle "rto: {probe: 2ms}"
    idle "recovery: rack, nack_interval: 1us" nack_interval
    idle "recovery: go-back-n, nack_interval: 1us, reorder_window: 1us" \
        reorder_window
    idle "recovery: selective, reorder_window: 1us" reorder_window
    idle "recovery: selective, reorder_window: 1us, routing: spray-random"
    idle "cc: dctcp, window: 16, queue: ecn" window
    idle "window: 16, initial_window: 5, idle_restart: true" initial_window \
        idle_restart
    idle "cc: dctcp, initial_window: 5, queue: ecn"
    idle "cc: hpcc, initial_window: 5" initial_window
    idle "cc: hpcc, initial_window: 5, idle_restart: true"
}

@test "keys of a control, beside others of it or without what they wait for" {
    marks="queue: ecn"
    idle "$marks, cc: {kind: dctcp, g: 0.2}"
    idle "cc: {kind: dctcp, g: 0.2, prr_marks: true}" cc.g cc.prr_marks
    idle "cc: {kind: reno, prr: false}, recovery: go-back-n" cc.prr
    idle "$marks, cc: {kind: hpcc, pint_share: 0.5}" cc.pint_share
    idle "$marks, cc: {kind: hpcc, pint_share: 0.5, telemetry: pint, base_rtt: 9us}"
    idle "cc: {kind: swift, fs_range: 0ns, fs_min: 1, fs_max: 2}" cc.fs_min \
        cc.fs_max
    idle "cc: {kind: timely, reference: 50us}" cc.reference
    idle "cc: {kind: nscc, gamma: 0.4, max_decrease: 0.5}, $marks" \
        cc.max_decrease
    idle "cc: {kind: mltcp, slope: 0, function: sqrt}" cc.function
    # of the base that it wraps
    idle "cc: {kind: mltcp, base: timely, reference: 50us}" cc.reference
    config "$marks" \
        "jobs: [{ranks: 4, cc: {kind: swift, fs_range: 0ns, fs_min: 1}, program: [all-reduce: {size: 64KB}]}]"
    [ "$(told)" = "3:52 jobs[0].cc.fs_min" ]
}

@test "keys of paths where there is one, or no detour" {
    idle "routing: {kind: adaptive, per: packet, gap: 9us, table: 64}" \
        routing.gap routing.table
    idle "routing: {kind: adaptive, gap: 9us, table: 64}"
    idle "routing: {kind: ugal, threshold: 9us, stops: 2}" routing.threshold \
        routing.stops
    top() {
        echo "topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 2," \
            "link: {rate: 100Gbps, delay: 1us}}"
    }
    idle "routing: {kind: ugal, threshold: 9us, stops: 2}"
    idle "routing: {kind: valiant, stops: 3}" routing.stops
    top() {
        echo "topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}"
    }
    idle "routing: ecmp" routing
    idle "routing: {kind: k-shortest, k: 3}" routing
    # those who wait for packets that were overtaken wait longer
    idle "routing: spray, recovery: rack"
    idle "routing: spray, recovery: sack" routing
    idle "routing: ugal"
}

@test "keys of jobs that send nothing, or end before" {
    config "mtu: 1KB" "jobs: [{ranks: 1, iterations: 2, message_overhead: {time: 1us},
  changes: [{iteration: 2, weight: 2}], jitter: {kind: none, spread: 1us},
  placement: {kind: strided, stride: 3},
  program: [compute: 1us, all-reduce: {size: 64KB, endpoint_delay: 1us}]}]"
    [ "$(told)" = "2:11 network.mtu
3:34 job.message_overhead
4:3 job.changes
5:30 placement.stride
4:62 jitter.spread
6:52 all-reduce.endpoint_delay" ]
    config "routing: ecmp" \
        "jobs: [{ranks: 4, iterations: 2, paths: [{from: 0, to: 1, entropy: 3},
  {from: 0, to: 2, entropy: 3}], changes: [{iteration: 2, weight: 2}],
  program: [{all-to-all: {size: 64KB, sizes: {zipf: 1}}},
    {all-to-all: {size: 64KB, sizes: {zipf: 1}, group: [0, 1]}}]}]"
    [ "$(told)" = "3:59 paths.entropy
4:45 changes.iteration
4:59 changes.weight
6:39 sizes.zipf" ]
    config "routing: ecmp" \
        "jobs: [{ranks: 4, program: [
  {all-to-all: {size: 64KB, sizes: {hot: {rank: 0, share: 0.3}}, group: [0, 1]}},
  {all-to-all: {size: 64KB, sizes: {zipf: 1}, group: [0]}},
  {all-reduce: {size: 64KB, algorithm: hierarchical, local: 2}},
  {all-reduce: {size: 64KB, algorithm: hierarchical, local: 1, group: [0, 1, 2]}}]}]"
    [ "$(told)" = "4:37 sizes.hot
5:17 all-to-all.size
5:29 all-to-all.sizes
7:54 all-reduce.local" ]
    sed -i '1s/.*/topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}}/
        3,$d' a.yaml
    echo "jobs: [{ranks: 4, program: [
  {broadcast: {size: 64KB, algorithm: multicast, trees: 2, fallback: ring}}]}]" >>a.yaml
    [ "$(told)" = "4:50 broadcast.trees" ]
    config "routing: first" \
        "jobs: [{ranks: 4, paths: {entropy: 3}, program: [all-reduce: {size: 64KB}]}]"
    [ "$(told)" = "3:27 paths.entropy" ]
    config "classes: 2, queue: {scheduler: strict}" \
        "flows: [{src: 0, dst: 3, size: 1KB, class: 2}]"
    [ "$(told)" = "2:11 network.classes" ]
}

@test "a queue that drops before it marks" {
    idle "queue: {kind: ecn, threshold: 2MiB}" queue.threshold
    idle "queue: {kind: ecn, threshold: 1MiB}" queue.threshold
    idle "queue: {kind: ecn, threshold: 1048575B}"
    idle "queue: {kind: red, limit: 1, ecn: true, pmax: 0.5}" queue.ecn queue.pmax
    idle "queue: {kind: red, limit: 3, ecn: true, pmax: 0.5}"
    idle "queue: {kind: ecn, threshold: 2MiB}, buffer: {kind: shared}"
    idle "queue: {kind: red, kmin: 2MiB, kmax: 3MiB, pmax: 1}" queue.kmin \
        queue.kmax queue.pmax
    idle "queue: {kind: red, kmin: 1MB, kmax: 3MiB, pmax: 1}"
}

@test "a control of its own: the network's has no effect" {
    config "cc: {kind: swift, ai: 2}" \
        "jobs: [{ranks: 4, cc: reno, program: [all-reduce: {size: 64KB}]}]"
    [ "$(told)" = "2:11 network.cc" ]
    config "cc: {kind: swift, ai: 2}" \
        "jobs: [{ranks: 4, cc: reno, program: [all-reduce: {size: 64KB}]}]
flows: [{src: 0, dst: 3, size: 1KB}]"
    [ -z "$(told)" ]
}

@test "classes and weights that nothing goes by" {
    config "cc: none" "flows: [{src: 0, dst: 3, size: 1KB, class: 1, weight: 2}]"
    [ "$(told)" = "3:37 flow.class
3:47 flow.weight" ]
    config "cc: reno, queue: {scheduler: strict}" \
        "flows: [{src: 0, dst: 3, size: 1KB, class: 1, weight: 2}]"
    [ -z "$(told)" ]
}

@test "a preset with another control" {
    config "preset: roce-hpcc, cc: dctcp, queue: ecn"
    [ "$(told)" = "2:34 network.cc:" ]
    grep -q 'dctcp replaces hpcc, for which the preset roce-hpcc' ../out
    config "preset: roce-hpcc, cc: {kind: hpcc, eta: 0.9}"
    [ -z "$(told)" ]
    config "preset: roce-hpcc, rto: {probe: 1ms}"
    [ "$(told)" = "2:36 network.rto.probe" ]
}

@test "outermost keys" {
    config "cc: none"
    echo "control_delay: 20us" >>a.yaml
    [ "$(told)" = "4:1 control_delay" ]
    config "cc: none" "flows: [{src: 0, dst: 3, size: 1KB}]"
    printf 'alone: true\nrepeat: exact\n' >>a.yaml
    [ "$(told)" = "4:1 alone
5:1 repeat" ]
}

@test "a fluid cluster and a schedule" {
    { top && cat <<'EOF'; } >a.yaml
cluster:
  accuracy: fluid
  jobs: [{name: a, gpus: 2, iterations: 10, program: [compute: 1ms, all-reduce: {size: 1MiB}]}]
  arrivals: {kind: list, jobs: [{template: a, at: 0s}]}
schedule: fair
EOF
    [ "$(told)" = "6:1 schedule" ]
    orrery run a.yaml -q --json a.json
    [ "$status" -eq 0 ]
    grep -q '^note: a.yaml:6:1: schedule has no effect: ' ../err
    jq -e '.notes | length == 1' a.json
    sed -i 's/fluid/packets/' a.yaml
    [ -z "$(told)" ]
}

@test "said by run: in its summary, or on stderr where that is not wanted" {
    config "rto: {probe: 2ms}, recovery: sack"
    orrery run a.yaml --json a.json
    [ ! -s ../err ]
    grep -q '^note  *a.yaml:2:17: network.rto.probe has no effect: ' ../out
    jq -e '.notes == ["a.yaml:2:17: network.rto.probe has no effect: only " +
           "`recovery: rack` sends probes"]' a.json
    orrery run a.yaml -q
    [ ! -s ../out ]
    is_text ../err 'note: a.yaml:2:17: network.rto.probe has no effect: only `recovery: rack` sends probes'
    orrery run a.yaml --json -
    grep -q '^note: a.yaml:2:17: ' ../err
    orrery run a.yaml -q -s network.recovery=rack -s network.nack_interval=1us
    is_text ../err 'note: --set network.nack_interval:1:1: network.nack_interval has no effect: only `recovery: go-back-n` sends NACKs'
}

@test "an effective configuration says all keys, and is not told of them" {
    config "rto: {probe: 2ms}, recovery: sack"
    orrery check a.yaml --effective
    cp ../out b.yaml
    orrery run b.yaml -q
    [ "$status" -eq 0 ]
    [ ! -s ../err ]
}

@test "a study: only what has an effect in no combination" {
    config "rto: {probe: 2ms}, recovery: sack, window: 16"
    orrery compare a.yaml --over network.cc=none,reno -q -o one
    is_text ../err 'note: a.yaml:2:17: network.rto.probe has no effect: only `recovery: rack` sends probes'
    orrery compare a.yaml --over network.recovery=sack,rack -q -o two
    [ ! -s ../err ]
    orrery compare a.yaml --over network.cc=reno,cubic -q -o three
    [ "$(grep -c 'network.window has no effect' ../err)" -eq 1 ]
    jq -e '.notes == []' one/runs/*/summary.json
    echo "compare: {over: {network.cc: [reno, cubic]}}" >>a.yaml
    orrery check a.yaml
    grep -q '^  note      a.yaml:2:46: network.window has no effect: ' ../out
}

@test "a load that links cannot carry, and a host that is listed again" {
    config "cc: none" \
        "flows: [{generate: poisson, load: 1.5, duration: 10us, size: 1KB}]"
    [ "$(told)" = "3:35 load:" ]
    config "cc: none" \
        "jobs: [{ranks: 4, placement: [0, 1, 2, 2], program: [all-reduce: {size: 64KB}]}]"
    [ "$(told)" = "3:40 placement:" ]
    grep -q 'host 2 is listed again: 2 ranks' ../out
    config "cc: none" \
        "jobs: [{ranks: 4, placement: [0, 0, 2, 2], program: [all-reduce: {size: 64KB}]}]"
    [ -z "$(told)" ]
}

# item_idle ITEM KEY...: of a job of this item, these alone have no effect
item_idle() {
    local key
    config "cc: none" "jobs: [{ranks: 4, program: [$1]}]"
    shift
    told | cut -d' ' -f2 | sort >keys
    for key in "$@"; do echo "$key"; done | sort | diff - keys
}

@test "keys of collectives" {
    local costs="chunks: 4, concurrent: 2, memory: 10GB/s, endpoint_delay: 1us"
    item_idle "all-reduce: {size: 64KB, $costs}"
    item_idle "reduce-scatter: {size: 64KB, $costs}"
    item_idle "reduce: {size: 64KB, $costs}"
    item_idle "all-reduce: {size: 64KB, concurrent: 2}" all-reduce.concurrent
    item_idle "all-gather: {size: 64KB, $costs}" all-gather.memory
    item_idle "all-to-all: {size: 64KB, $costs}" all-to-all.memory
    item_idle "broadcast: {size: 64KB, $costs}" broadcast.memory
    item_idle "all-reduce: {size: 0B, memory: 10GB/s}" all-reduce.memory
    item_idle "all-reduce: {size: 64KB, algorithm: nccl-ring, local: 4, protocol: ll, memory: 1GB/s}" \
        all-reduce.memory
    item_idle "broadcast: {size: 64KB, algorithm: multicast, trees: 3, fallback: ring}"
    item_idle "all-gather: {size: 0B, endpoint_delay: 1us}" all-gather.endpoint_delay
    item_idle "barrier: {chunks: 4, concurrent: 2, endpoint_delay: 1us}" \
        barrier.chunks barrier.concurrent
    item_idle "all-reduce: {group: [2], size: 64KB, $costs}" \
        all-reduce.chunks all-reduce.concurrent all-reduce.memory \
        all-reduce.endpoint_delay
    item_idle "broadcast: {size: 64KB, algorithm: multicast, trees: 1}"
    item_idle "broadcast: {group: [2], size: 64KB, algorithm: multicast, trees: 1}" \
        broadcast.trees
    item_idle "send: {from: 0, to: 1, size: 64KB}"
    item_idle "recv: {from: +1, size: 64KB}, send: {to: -1, size: 64KB}" \
        recv.size
}

@test "keys of clusters" {
    local jobs="jobs: [{name: a, gpus: {min: 1, max: 2, step: 1}, iterations: 2, program: [compute: 1us]},
  {name: b, gpus: 1, iterations: 2, program: [compute: 1us]}]"
    local all="tenants: [{name: x, priority: 1}, {name: y}], resize: {cost: 1s, grow: true}"
    local arrivals="arrivals: [{template: a, at: 0s}, {template: b, at: 0s}]"
    config "mtu: 1KB" "cluster: {$jobs, $all, $arrivals}"
    [ -z "$(told)" ]
    config "mtu: 1KB" "cluster: {${jobs/max: 2/max: 1},
  ${all/\{name: y/\{name: y, priority: 1}, ${arrivals/template: b/template: a}}"
    [ "$(told)" = "5:23 cluster.tenants.priority
5:47 cluster.tenants.priority
3:51 cluster.jobs.gpus.step
5:71 cluster.resize.cost
5:81 cluster.resize.grow
4:3 cluster.jobs:" ]
}

# job_idle KEYS KEY...: of the keys of a job, these alone have no effect
job_idle() {
    local key
    config "cc: none" "jobs: [{ranks: 4, $1}]"
    shift
    told | cut -d' ' -f2 | sort >keys
    for key in "$@"; do echo "$key"; done | sort | diff - keys
}

@test "keys of jobs" {
    local sends="program: [all-reduce: {size: 64KB}]"
    local works="program: [compute: 1us, all-reduce: {size: 64KB}]"
    job_idle "overlap: 2, $sends" job.overlap
    job_idle "overlap: 2, iterations: 2, $sends"
    job_idle "exclusive: true, $sends" job.exclusive
    job_idle "exclusive: true, placement: [0, 0, 1, 1], $sends},
  {ranks: 2, placement: [2, 3], $sends"
    job_idle "compute_factor: 2, jitter: {kind: uniform, spread: 0.1}, stragglers: {1: 2}, $sends" \
        job.compute_factor job.jitter job.stragglers
    job_idle "compute_factor: 2, jitter: {kind: uniform, spread: 0.1}, stragglers: {1: 2}, $works"
    job_idle "local: {delay: 1us}, $sends" job.local
    job_idle "local: {delay: 1us}, placement: [0, 0, 1, 1], $sends"
    job_idle "gate: {period: 1ms, every: first}, $sends" gate.every
    job_idle "gate: {period: 1ms, every: first}, iterations: 2, $sends"
}

@test "keys of jobs with a model" {
    local m="model: vgg16"
    job_idle "$m, first_bucket: 1MB, bucket_cap: 2MB, prefetch: 2" \
        job.first_bucket job.bucket_cap job.prefetch
    job_idle "$m, sync: ddp, first_bucket: 1MB, bucket_cap: 2MB"
    job_idle "$m, sync: ddp, granularity: layer" job.granularity
    job_idle "$m, granularity: layer"
    job_idle "$m, sync: fsdp, prefetch: 2"
    job_idle "$m, sync: ddp, bucket_cap: 2MB, parallelism: {pipeline: 4}" \
        job.bucket_cap
    job_idle "$m, schedule: gpipe, stages: [16]" job.schedule job.stages
    job_idle "$m, schedule: gpipe, micro_batches: 2, parallelism: {pipeline: 2}"
    job_idle "$m, batch: 4, compute: 1ms" job.batch
    job_idle "$m, batch: 4"
    job_idle "$m, batch: 4, compute: 1ms, parallelism: {pipeline: 2}"
    job_idle "$m, compute: 1ms, flops: 9TFLOPS" # other shares than its profile
    job_idle "$m, compute: 0ms, flops: 9TFLOPS" job.flops
    job_idle "model: gpt2, compute: 1ms, flops: 9TFLOPS" job.flops
    job_idle "$m, algorithm: {name: ring, concurrent: 2}" algorithm.concurrent
    job_idle "$m, algorithm: {name: ring, chunks: 2, concurrent: 2}"
}

# flow_idle KEYS KEY...: of the keys of a generator, these alone
flow_idle() {
    local key
    config "mtu: 1KB" "flows: [{$1}]"
    shift
    told | cut -d' ' -f2 | sort >keys
    for key in "$@"; do echo "$key"; done | sort | diff - keys
}

@test "keys of generated flows, and packets of empty ones" {
    local incast="generate: incast, dst: 0, size: 1KB"
    flow_idle "$incast, period: 5us" flows.period
    flow_idle "$incast, period: 5us, repeat: 2"
    flow_idle "$incast, senders: [1], hosts: [0, 1, 2]" flows.hosts
    flow_idle "$incast, hosts: [0, 1, 2]"
    flow_idle "generate: poisson, src: 0, dst: 1, size: 1KB, count: 3, load: 0.5, hosts: 2" \
        flows.hosts
    flow_idle "generate: permutation, size: 0B" network.mtu
    flow_idle "generate: permutation, size: 2B"
    config "mtu: 1KB" "jobs: [{ranks: 4, program: [barrier]}]"
    [ "$(told)" = "2:11 network.mtu" ]
}

@test "a list of notes that is cut says by how much" {
    { top && echo "jobs:"; } >a.yaml
    for i in {1..19}; do
        echo "- {ranks: 1, name: j$i, placement: [0], program: [compute: 1us]}"
    done >>a.yaml
    echo "schedule: crux" >>a.yaml
    orrery check a.yaml
    [ "$(grep -c 'does not communicate' ../out)" -eq 8 ]
    grep -q '^  note  *and 11 more jobs that the schedule has such a note for$' \
        ../out
    sed -i '/^schedule/d; s/placement/overlap: 2, &/' a.yaml
    orrery check a.yaml
    [ "$(grep -c 'has no effect: there is one iteration' ../out)" -eq 16 ]
    grep -q '^  note  *and 3 more places of the configuration with such a note$' \
        ../out
}

@test "a job that serves sends keys and values" {
    config "mtu: 2KB" "jobs: [{ranks: 2, message_overhead: {time: 1us}, class: 1,
  serve: {requests: 4, rate: 100, prompt: 8, output: 4, kv: 1KB,
    prefill: {ranks: 1, most: 2, all_reduce: 1KB}, decode: {ranks: 1, most: 4}}}]"
    [ "$(told)" = "3:50 job.class
5:34 prefill.all_reduce
5:71 decode.most" ]
}
