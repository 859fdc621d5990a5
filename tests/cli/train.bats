#!/usr/bin/env bats
# Jobs with a model: times and bytes that can be worked out by hand.
#
# Four layers of 1 ms forward and 2 ms backward, a million fp32 numbers each, one
# sample; hosts at one switch, 8 Gbps, so a megabyte takes 1 ms. A message of
# whole packets of 1000 B takes its bytes' time plus a packet's time at the
# switch (1 us) and two delays (2 us): 3 us more.

load common

# plain RANKS HOSTS KEYS...: runs the job; its summary is in out.
plain() {
    cat >four.yaml <<'END'
title: four equal layers
profile: {batch: 1}
batch: 1
layers:
  - name: layer
    repeat: 4
    layers:
      - {name: only, tensors: [1000000], activations: 1000000B,
         forward: 1ms, backward: 2ms}
END
    cat >job.yaml <<END
topology: {kind: switch, hosts: $2, link: {rate: 8Gbps, delay: 1us}}
network: {mtu: 1000B, header: 0B, ack: 1B, ack_every: 1000,
          queue: {kind: droptail, capacity: 1GiB}, transport: datagram}
jobs: [{ranks: $1, model: four.yaml, ${*:3}}]
record: none
END
    orrery run job.yaml --quiet --json -
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
}

# is FILTER VALUE: over the first job.
is() {
    got=$(jq -c ".jobs[0] | $1" ../out)
    [ "$got" = "$2" ] || { echo "$1 is $got, not $2"; return 1; }
}

# about FILTER VALUE: within 0.02 %, where packets of several messages mix.
about() {
    jq -e "(.jobs[0] | $1) / $2 - 1 | fabs < 0.0002" ../out
}

@test "bulk: all of the computation, then one all-reduce" {
    # 6 ring steps of 4 MB
    plain 4 4 sync: bulk
    is ".iteration_ns.mean" 36018000
    is ".bytes_sent" 96000000
    is ".collectives | length" 1
    is ".collectives[0].bytes" 16000000
}

@test "bulk by layer and by tensor: an all-reduce each" {
    for what in layer tensor; do
        plain 4 4 sync: bulk, granularity: $what
        is ".iteration_ns.mean" 36072000
        is ".collectives | length" 4
    done
}

@test "DDP: a bucket starts when its gradients are there and the last is done" {
    # backward ends at 6, 8, 10, 12 ms; a bucket takes 6 steps of 1.003 ms
    plain 4 4 sync: ddp, bucket_cap: 4MB, first_bucket: 4MB
    is ".iteration_ns.mean" 30072000
    is "[.collectives[].start_ns]" "[6000000,12018000,18036000,24054000]"
    is ".bytes_sent" 96000000
    # buckets of 4 and 12 MB: the second waits for the backward pass
    plain 4 4 sync: ddp, bucket_cap: 9MB, first_bucket: 1MB
    is "[.collectives[].bytes]" "[4000000,12000000]"
    is "[.collectives[].start_ns]" "[6000000,12018000]"
    is ".iteration_ns.mean" 30036000
}

@test "DDP in 16 bit: half the bytes" {
    plain 4 4 sync: ddp, bucket_cap: 2MB, first_bucket: 2MB, dtype: fp16
    is "[.collectives[].bytes]" "[2000000,2000000,2000000,2000000]"
    is ".bytes_sent" 48000000
}

@test "gather and scatter: all through the link of rank 0" {
    # a tensor: three times 4 MB in, three times out
    plain 4 4 sync: gather-scatter
    about .iteration_ns.mean 108024000
    is ".bytes_sent" 96000000
    is ".collectives | length" 8
}

@test "parameter servers share the load" {
    plain 4 5 sync: parameter-server, "servers: [4]"
    is ".iteration_ns.mean" 140006000
    is ".bytes_sent" 128000000
    plain 4 6 sync: parameter-server, "servers: [4, 5]"
    about .iteration_ns.mean 76006000
    is ".bytes_sent" 128000000
}

@test "asynchronous workers: a worker alone is as fast as its link" {
    # the same bytes; one worker needs 16 ms each way
    plain 4 5 sync: parameter-server, "servers: [4]", asynchronous: true
    is ".bytes_sent" 128000000
    plain 1 2 sync: parameter-server, "servers: [1]", asynchronous: true
    is ".iteration_ns.mean" 44006000
}

@test "FSDP: units gathered one ahead, gradients scattered" {
    # Steps of 1 MB and 3 to an all-gather or a reduce-scatter, 3.009 ms. All
    # twelve follow one another but for the first backward gather, which waits
    # for the forward pass: 12.036 + 1 ms, then 8 of them.
    plain 4 4 sync: fsdp
    is ".iteration_ns.mean" 37108000
    is ".bytes_sent" 144000000 # 3 (n - 1) / n of the model for each rank
    is "[.collectives[0:4][].start_ns]" "[0,3009000,6018000,9027000]"
    is '[.collectives[].kind] | group_by(.) | map(length)' "[8,4]"
    # without prefetching computation and gathering take turns
    plain 4 4 sync: fsdp, prefetch: 0
    is ".bytes_sent" 144000000
    is "[.collectives[0:4][].start_ns]" "[0,4009000,8018000,12027000]"
}

@test "pipelines: (m + p - 1) slots, and three hops each way" {
    # a hop of 1 MB takes 1.003 ms
    for schedule in gpipe 1f1b; do
        plain 4 4 "parallelism: {pipeline: 4}", batch: 4, micro_batches: 4, \
            schedule: $schedule, sync: bulk
        is ".bytes_sent" 24000000
        case $schedule in
        # first micro-batch at stage 3: 3 (1 + 1.003); there 4 forward and 4
        # backward; the last gradient back: 3 (1.003 + 2)
        gpipe) is ".iteration_ns.mean" 27018000 ;;
        # 7 slots of 3 ms and 10 hops: as one micro-batch goes forward and one
        # back, hops are waited for in the steady state as well
        *) is ".iteration_ns.mean" 31030000 ;;
        esac
    done
}

@test "tensor parallel: two all-reduces forward and two backward a layer" {
    cat >megatron.yaml <<'END'
profile: {batch: 1}
layers:
  - name: layer
    repeat: 3
    layers:
      - {name: attention, tensors: [400], activations: 4MB, forward: 4ms,
         backward: 8ms, tensor: reduce}
      - {name: mlp, tensors: [800], activations: 4MB, forward: 8ms,
         backward: 16ms, tensor: reduce}
END
    plain 4 4 "parallelism: {tensor: 4}"
    sed -i 's/four.yaml/megatron.yaml, batch: 1/' job.yaml
    orrery run job.yaml --quiet --json -
    is ".collectives | length" 12
    is "[.collectives[].bytes] | unique" "[4000000]"
    # a quarter of 108 ms, and 12 all-reduces of 6 steps
    is ".iteration_ns.mean" 99216000
}

@test "tensor and data: a rank's share of the gradients, in its own group" {
    plain 8 8 "parallelism: {tensor: 2, data: 4}", sync: bulk
    # the layers are whole: each rank sums all of them with 4 replicas
    is ".bytes_sent" 192000000
    sed -i 's/forward:/tensor: split, forward:/' four.yaml
    orrery run job.yaml --quiet --json -
    is ".bytes_sent" 96000000
    is ".iteration_ns.mean" 18018000
    is ".collectives[0].group_size" 4
}

@test "experts: all-to-all before and after, gradients over the replicas only" {
    plain 4 4 "parallelism: {expert: 4}", sync: bulk
    is ".bytes_sent" 96000000 # no layer has experts: plain replicas
    sed -i 's/forward:/expert: exchange, forward:/' four.yaml
    orrery run job.yaml --quiet --json -
    is '[.collectives[].kind] | unique' '["all-to-all"]'
    # 4 layers, 2 forward and 2 backward, 3/4 of 1 MB from each of 4 ranks
    is ".collectives | length" 16
    is ".bytes_sent" 48000000
}

@test "stages of a pipeline synchronise their own layers" {
    plain 4 4 "parallelism: {pipeline: 2, data: 2}", batch: 2, \
        micro_batches: 2, sync: ddp, bucket_cap: 4MB, first_bucket: 4MB
    is "[.collectives[].bytes]" "[4000000,4000000,4000000,4000000]"
    is ".collectives[0].group_size" 2
    # activations and gradients of two micro-batches over one boundary, two
    # replicas; 4 MB from each rank for each of its two buckets
    is ".bytes_sent" 40000000
}

@test "compute: shared out in the layers' proportion, exactly" {
    plain 1 1 sync: none, compute: 1000000007ps
    is ".iteration_ns.mean" 1000000.007
    plain 1 1 sync: none, flops: 1TFLOPS
    is ".iteration_ns.mean" 0
    sed -i 's/activations/flops: 1000000000, activations/' four.yaml
    orrery run job.yaml --quiet --json -
    is ".iteration_ns.mean" 12000000
}

@test "every model runs" {
    plain 8 8 sync: ddp
    for model in $("$ORRERY" list models | awk '/^  / { print $1 }'); do
        sed -i "s/model: [^,}]*/model: $model/" job.yaml
        orrery check job.yaml
        [ "$status" -eq 0 ] || { cat ../err; return 1; }
    done
}

@test "every model, every synchronisation: the bytes of the table" {
    # four replicas; S bytes of gradients, what all ranks and servers send
    while read -r model parameters bytes; do
        for sync in bulk ddp gather-scatter parameter-server fsdp; do
            case $sync in
            fsdp) times=9 ;;             # 3 (n - 1) / n S each
            parameter-server) times=8 ;; # up and down
            *) times=6 ;;
            esac
            cat >model.yaml <<END
topology: {kind: switch, hosts: 4, link: {rate: 100Tbps, delay: 1ns}}
network: {mtu: 8MiB, transport: datagram,
          queue: {kind: droptail, capacity: 1TB}}
jobs: [{ranks: 4, model: $model, sync: $sync,
        local: {rate: 100Tbps, delay: 1ns}}]
record: none
END
            orrery run model.yaml --quiet --json -
            sent=$(jq .jobs[0].bytes_sent ../out)
            all=$((times * parameters * bytes))
            # the server on rank 0's host: that rank's do not cross the network
            [ $sync = parameter-server ] && all=$((all * 3 / 4))
            # shares of units are padded to whole numbers
            [ $sync = fsdp ] && [ "$sent" -ge "$all" ] &&
                [ $((sent - all)) -lt 10000 ] && sent=$all
            [ "$sent" -eq "$all" ] || { echo "$model $sync: $sent"; false; }
        done
    done <<'END'
vgg11-cifar 9231114 4
vgg16 138357544 4
vgg19 143667240 4
resnet50 25557032 4
bert-base 109482240 4
bert-large 335141888 4
gpt2 124439808 4
gpt2-medium 354823168 4
gpt2-large 774030080 4
gpt2-xl 1557611200 4
END
}

@test "help prints a model's file, and the file is a model" {
    plain 1 1 sync: none
    orrery help model vgg16
    grep -q "fc6, tensors: \[102760448, 4096\]" ../out
    cp ../out mine.yaml
    sed -i 's/four.yaml/mine.yaml/' job.yaml
    orrery run job.yaml --quiet --json -
    cp ../out mine.json
    sed -i 's/mine.yaml/vgg16/' job.yaml
    orrery run job.yaml --quiet --json -
    [ "$(jq .fingerprint ../out)" = "$(jq .fingerprint mine.json)" ]
}

@test "hierarchical: ranks of one host first, then hosts" {
    # two hosts of four ranks: between them 2 (1 / 2) of each rank's quarter
    plain 8 2 "placement: [0, 0, 0, 0, 1, 1, 1, 1]", algorithm: hierarchical, \
        "local: {rate: 8Gbps, delay: 3us}"
    is ".collectives[0].algorithm" '"hierarchical"'
    is ".bytes_sent" 32000000 # over the network: 8 ranks, 4 MB each
    # inside: 3 steps of 4 MB before and after (local messages do not share a
    # link), between: 2 steps of 2 MB of four ranks each
    about .iteration_ns.mean 52024000
}

@test "hierarchical: each group in its own servers" {
    # tensor groups on a host each, data groups over all: rings between hosts
    plain 4 2 "placement: [0, 0, 1, 1]", "parallelism: {tensor: 2, data: 2}", \
        algorithm: hierarchical
    is ".bytes_sent" 64000000
    # `local` counts ranks: of a server's four a data group has two
    plain 8 8 "parallelism: {tensor: 2, data: 4}", \
        "algorithm: {name: hierarchical, local: 4}"
    # a step of 8 MB inside, two of 4 MB between, a step of 8 MB inside
    about .iteration_ns.mean 36012000
    is ".bytes_sent" 192000000
    # servers of eight hold a group whole, servers of two one member of each:
    # rings
    for local in 8 2 1; do
        plain 8 8 "parallelism: {tensor: 2, data: 4}", \
            "algorithm: {name: hierarchical, local: $local}"
        is ".iteration_ns.mean" 36018000
    done
    refused() { # MESSAGE and plain's arguments
        if plain "${@:2}" >/dev/null; then return 1; fi
        [ "$status" -eq 2 ]
        grep -q "$1" ../err
    }
    refused "ranks are not servers of 3" 8 8 \
        "parallelism: {tensor: 2, data: 4}", \
        "algorithm: {name: hierarchical, local: 3}"
    refused "needs local here" 8 8 "parallelism: {tensor: 2, data: 4}", \
        algorithm: hierarchical
    # as many on each host, or it is said what is needed
    refused "needs local here" 8 2 "placement: [0, 0, 0, 1, 1, 1, 1, 1]", \
        algorithm: hierarchical
}

@test "double trees: latency grows by the logarithm, all of the bandwidth" {
    tree() { # RANKS SIZE MORE
        cat >tree.yaml <<END
topology: {kind: switch, hosts: $1, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 64KiB, header: 0B, transport: datagram,
          queue: {kind: droptail, capacity: 1GiB}}
jobs: [{ranks: $1, program: [all-reduce: {size: $2, algorithm: double-tree $3}]}]
record: none
END
        orrery run tree.yaml --quiet --json -
    }
    # a message's way is 2 us: 2 log2(n) of them; a ring has 2 (n - 1)
    for ranks in 4 16 64 256; do
        tree $ranks 8B
        jq -e ".jobs[0].iteration_ns.mean / 4000 -
            ($ranks | log2) | fabs < 0.01" ../out
    done
    # who is inside one tree sends three halves there and one as a leaf of the
    # other: 2 S / B
    for ranks in 16 64; do
        tree $ranks 256MB ", chunks: 1024, concurrent: 32"
        jq -e ".jobs[0].iteration_ns.mean / 40.96e6 - 1 |
            . > -0.001 and . < 0.01" ../out
    done
}

@test "where the time goes: compute, exposed communication, overlap" {
    # buckets from 6 to 30.072 ms, computation up to 12 ms
    plain 4 4 sync: ddp, bucket_cap: 4MB, first_bucket: 4MB, iterations: 3
    is '.breakdown | [.compute_ns, .communication_ns, .exposed_communication_ns, .overlap_ns]' \
        '[12000000,24072000,18072000,6000000]'
    is ".rank_list[2] | .bytes_sent, .bytes_received" "72000000
72000000"
    is '.rank_list[2].exposed_communication_ns' 54216000
    # each step of 1 MB, 6 steps, over the link of each host
    is '.collectives[0] | .bytes_sent, .limiting_link.time_ns' "24000000
6000000"
    plain 4 4 sync: none
    is .breakdown.communication_ns 0
}

@test "bytes of each rank: the root of gather-scatter" {
    plain 4 4 sync: gather-scatter
    is "[.rank_list[] | .bytes_sent]" "[48000000,16000000,16000000,16000000]"
    is "[.rank_list[] | .bytes_received]" "[48000000,16000000,16000000,16000000]"
    is ".collectives[0].limiting_link | .from, .to, .time_ns" "4
0
12000000"
    # the servers' bytes are told beside those of the ranks
    plain 4 5 sync: parameter-server, "servers: [4]"
    is ".rank_list[4] | .server, .bytes_sent, .bytes_received" "true
64000000
64000000"
}

@test "the link that held a collective up is seen, not worked out" {
    # two ranks over the dumbbell's middle, which is a fifth faster than the
    # hosts' links; a flow shares it and leaves half of it
    cat >shared.yaml <<'END'
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 1us},
           bottleneck: {rate: 12Gbps, delay: 1us}}
network: {mtu: 1000B, queue: {kind: droptail, capacity: 1GiB},
          transport: datagram}
jobs: [{ranks: 2, placement: [0, 2], program: [all-reduce: {size: 10MB}]}]
flows: [{src: 1, dst: 3, size: 100MB}]
END
    limit=".collectives[0].limiting_link"
    orrery run shared.yaml --quiet --json -
    is "$limit | .from, .to" "4
5"
    # 10 MB in two steps; on its path all traffic keeps the middle busy
    is "$limit.time_ns" 6666666.667
    jq -e ".jobs[0]$limit.busy > 0.95" ../out
    # alone it is the link that its own bytes take longest
    orrery run shared.yaml --quiet --json - --set flows=null
    is "$limit.from" 0
    jq -e ".jobs[0]$limit.busy > 0.95" ../out
    # what is recorded, and how finely, makes no difference
    orrery run shared.yaml --quiet --json -
    jq ".jobs[0]$limit, .links" ../out >seen
    for record in none "{interval: 100us, links: all}" "{interval: 1ms}"; do
        orrery run shared.yaml --quiet --json - --set "record=$record"
        jq ".jobs[0]$limit, .links" ../out | diff seen -
    done
}

@test "where packets go many ways, a collective counts on all of them" {
    # two equal ways of 2 spines; 8 MB each way in an exchange of 16 MB
    cat >spray.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 1,
           link: {rate: 10Gbps, delay: 1us}}
network: {mtu: 1000B, transport: datagram, routing: spray,
          queue: {kind: droptail, capacity: 1GiB}}
jobs: [{ranks: 2, program: [all-reduce: {size: 16MB}]}]
record: none
END
    limit=".collectives[0].limiting_link"
    orrery run spray.yaml --quiet --json -
    is "$limit.time_ns" 12800000
    # alone on a slower spine: its half is what takes longest
    orrery run spray.yaml --quiet --json - --set \
        "topology.uplink={rate: 4Gbps, delay: 1us}"
    is "$limit.time_ns" 16000000
}

@test "an analytical network has no limiting link, and bounds hold" {
    cat >two.yaml <<'END'
topology: {kind: switch, hosts: 2, link: {rate: 10Gbps, delay: 1us}}
network: {transport: analytical}
jobs:
  - {name: j, ranks: 4, placement: [0, 0, 1, 1],
     program: [all-reduce: {size: 4MB, algorithm: direct}]}
record: none
END
    # six messages of 1 MB each leave a host and wait for nothing
    orrery run two.yaml --quiet --json -
    is ".collectives[0] | .duration_ns >= .lower_bound_ns" true
    is ".collectives[0].limiting_link" null
    # one after another, in a ring: exactly its six steps
    orrery run two.yaml --quiet --json - --set "jobs[0].placement=linear" \
        --set topology.hosts=4 \
        --set "jobs[0].program=[all-reduce: {size: 4MB, algorithm: ring}]"
    is ".collectives[0] | .duration_ns, .lower_bound_ns" "4812000
4812000"
}

@test "a run that was stopped tells of the iterations that ended" {
    # 30.072 ms each; half of the third one
    plain 4 4 sync: ddp, bucket_cap: 4MB, first_bucket: 4MB, iterations: 1
    whole=$(jq -c ".jobs[0] | .breakdown, .slowest_rank" ../out)
    plain 4 4 sync: ddp, bucket_cap: 4MB, first_bucket: 4MB, iterations: 9
    orrery run job.yaml --quiet --json - --set stop=68ms
    is ". | .breakdown, .slowest_rank" "$whole"
    orrery run job.yaml --set stop=68ms
    grep -q "sent by a rank 24 MB to 24 MB an iteration" ../out
    # ranks: up to the end, 2 * 12 ms + 7.856 ms
    orrery run job.yaml --quiet --json - --set stop=68ms
    is ".rank_list[0].compute_ns" 31856000
}

@test "a straggler holds everyone up" {
    plain 4 4 sync: bulk, "stragglers: {2: 1.5}"
    is ".iteration_ns.mean" 42018000
    is ".slowest_rank | .rank, .compute_ns" "2
18000000"
    about .rank_list[3].exposed_communication_ns 30018000
    about ".rank_list[2].exposed_communication_ns + 6000000" 30018000
}

@test "the summary of a job with a model fits a terminal" {
    plain 4 4 sync: ddp, "stragglers: {2: 1.5}"
    orrery run job.yaml
    grep -q "^  slowest rank      2: computes 18 ms, 1.333 times the mean$" ../out
    grep -q "^    limited by      host" ../out
    awk 'length > 80 { bad = 1; print } END { exit bad }' ../out
}

@test "the summary of a job with a model says how many collectives it leaves out" {
    orrery run "$root/configs/training/vgg16_ddp.yaml" --json job.json \
        --set record=none
    shown=$(grep -c '^    limited by ' ../out)
    all=$(jq '.jobs[0].collectives | (last | .iteration) as $i |
        map(select(.iteration == $i and .duration_ns > 0)) | length' job.json)
    [ "$shown" -eq 3 ]
    [ "$all" -gt 4 ]
    grep -q "^  \.\.\.               $((all - 3)) more collectives are in the JSON" ../out
    # a single one leaves out none
    plain 4 4 sync: bulk
    orrery run job.yaml
    ! grep -q 'more collective' ../out || false
}

# Bins of links reach beyond a short call: of those only a part is seen.
@test "a link is busy for as long as a collective's own bytes take there" {
    orrery run "$root/configs/training/vgg16_ddp.yaml" --json - --quiet \
        --set record=none
    jq -e '.jobs[0].collectives | length > 5 and all(.limiting_link |
        .busy <= 1) and all(.limiting_link.busy * .duration_ns * 1.000001 >=
        .limiting_link.time_ns)' ../out
}

@test "asynchronous: one misses what the others do meanwhile" {
    plain 4 5 sync: parameter-server, "servers: [4]", asynchronous: true, \
        iterations: 20
    # equal speeds: P - 1 updates of others, fewer in the first iteration
    is ".staleness.updates" 80
    jq -e ".jobs[0].staleness.mean | . > 2.7 and . < 3" ../out
    is ".staleness.max <= 6" true
    # synchronous ones miss nothing and count none
    plain 4 5 sync: parameter-server, "servers: [4]"
    is ".staleness" null
}

@test "a clock bounds how far ahead one may be" {
    # rank 0 computes ten times as long as the others, messages hardly count
    job() {
        plain 4 5 sync: parameter-server, "servers: [4]", asynchronous: true, \
            iterations: 12, "stragglers: {0: 10}" "$@"
    }
    sed_tensors() { sed -i 's/1000000\]/100]/' four.yaml; }
    job && sed_tensors
    orrery run job.yaml --quiet --json -
    is ".staleness.max > 20" true
    free=$(jq ".jobs[0].rank_list[1].exposed_communication_ns" ../out)
    before=$free
    for s in 4 1 0; do
        job , staleness: $s && sed_tensors
        # what arrives at one instant may come in another order, one too many
        orrery run job.yaml --set network.ties=index --quiet --json -
        [ "$status" -eq 0 ] || cat ../err
        # three others, at most s + 1 iterations of each between two of rank 0
        is ".staleness.max <= 3 * ($s + 1)" true
        # the tighter the bound, the longer the fast ones wait
        waits=$(jq ".jobs[0].rank_list[1].exposed_communication_ns" ../out)
        jq -n -e "$waits > $before"
        before=$waits
    done
    # none ahead: as slow as the straggler, 12 times 120 ms and messages
    jq -e ".jobs[0].iteration_ns.mean / 120e6 - 1 | . > 0 and . < 0.001" ../out
}
