#!/usr/bin/env bats
# Experiments of papers: what they claim, at their full size, over the first
# iterations. `make validate` runs MLTCP's to the end.

load common

folder=configs/papers

# iterations N: for both jobs, as arguments
iterations() {
    both=(--set "jobs[0].iterations=$1" --set "jobs[1].iterations=$1")
}
# The second job's end of each iteration behind the first one's, ms.
offsets='[.jobs[].iterations | map(.end_ns)] | transpose | map((.[1] - .[0]) / 1e6)'

# 236,112 packets of 9,000 B, 54 B of header, 64 B for the ACK of one that comes
# the other way; there and back is 30 us
@test "mltcp_isolated: computation, payload, headers and ACKs" {
    simulate "$folder/mltcp_isolated.yaml" --set 'jobs[0].iterations=3'
    near .counters.packets_dropped 0
    for i in 0 1 2; do
        near ".jobs[0].iterations[$i].duration_ns" 684.5e6 0.05%
    done
}

# A tenth of a communication apart: of jobs that begin together, chance in the
# queue decides which is ahead, and when one is.
@test "mltcp_mltcp: the jobs take turns after three iterations" {
    iterations 5
    simulate "$folder/mltcp_mltcp.yaml" "${both[@]}" --set 'jobs[1].start=34ms'
    jq -e "$offsets | map(fabs) | .[0] < 250 and .[2] > 0.95 * 340
        and .[3] > 0.95 * 340" "$json"
    near '.jobs[0].iterations[3].duration_ns' 684.5e6 2%
    near '.jobs[1].iterations[4].duration_ns' 684.5e6 4%
}

@test "mltcp_reno: the jobs go on meeting" {
    iterations 3
    simulate "$folder/mltcp_reno.yaml" "${both[@]}"
    jq -e '.jobs[0].iterations[1:] | map(.duration_ns) | add / length
        > 1.2 * 684.5e6' "$json"
    jq -e "$offsets | .[2] < 170" "$json"
}

# bats test_tags=larger
@test "hotnets22_fair: equal DCQCN stays together for the first iterations" {
    iterations 4
    simulate "$folder/hotnets22_fair.yaml" "${both[@]}"
    near .counters.packets_dropped 0
    jq -e "$offsets | map(fabs) | max < 12" "$json"
    for i in 0 1 2 3; do
        near ".jobs[0].iterations[$i].duration_ns" 380e6 4%
    done
}

# bats test_tags=larger
@test "hotnets22_timers: unfair DCQCN makes both jobs faster" {
    iterations 5
    simulate "$folder/hotnets22_timers.yaml" "${both[@]}"
    near .counters.packets_dropped 0
    for job in 0 1; do
        near ".jobs[$job].iterations[3].duration_ns" 258.3e6 1%
        near ".jobs[$job].iterations[4].duration_ns" 258.3e6 1%
    done
}

# bats test_tags=larger
@test "hotnets22_timers: with seed 1 turns hold from the third iteration on" {
    simulate "$folder/hotnets22_timers.yaml"
    jq -e '[.jobs[].iterations | map(.duration_ns)] | transpose
        | map(max < 1.02 * 258.1e6) | (rindex(false) + 2) == 3' "$json"
}

# The communication alone: 173,951 packets of 4,096 B, 48 B and 64 B
# bats test_tags=larger
@test "hotnets22_weights: the distance halves with every iteration" {
    iterations 5
    simulate "$folder/hotnets22_weights.yaml" "${both[@]}"
    for i in 0 1 2 3 4; do
        near "($offsets)[$i]" \
            "$(awk "BEGIN { print 117.117 * (1 - 0.5 ^ ($i + 1)) }")" 0.3%
    done
}

# study NAME ARGUMENT...: its cells go to $json.
study() {
    "$ORRERY" compare "$folder/$1.yaml" -j 2 -o "$BATS_TEST_TMPDIR/$1" --quiet \
        "${@:2}" 2>/dev/null
    json=$BATS_TEST_TMPDIR/$1/study.json
}

@test "each experiment is compared, beside what is claimed" {
    for file in "$folder"/*.yaml; do
        "$ORRERY" compare "$file" --list -o "$BATS_TEST_TMPDIR/none" \
            >"$BATS_TEST_TMPDIR/list"
        [ "$(wc -l <"$BATS_TEST_TMPDIR/list")" -gt 1 ]
        grep -q '^  claim: ' "$file"
    done
}

@test "cassini_circles: scores as by hand" {
    study cassini_circles
    jq -e '[.cells[].measures[0].value.mean * 1e6 | round] ==
        [1000000, 500000, 1000000, 833333, 1000000, 1000000]' "$json"
}

# bats test_tags=larger
@test "cassini_testbed: scores of the paper's kind; turns without a mark" {
    study cassini_testbed --seeds 1 --set 'jobs[0].iterations=36' \
        --set 'jobs[1].iterations=36'
    jq -e '[.cells[] | select(.at.schedule == "cassini") |
        .measures[3].value.mean * 10 | round] == [10, 10, 9, 8, 6]' "$json"
    jq -e '[.cells[] | select(.at.schedule == "cassini") |
        .measures[2].value.mean] | unique == [0]' "$json"
    # as long as alone, 4.925 ms: the gates' period is no shorter than that
    jq -e '[.cells[] | select(.at.mix == "VGG16 and ResNet" and
        .at.schedule == "cassini") | .measures[0, 1].value.mean] |
        max < 1.005 * 4.925e6' "$json"
    # beside shares as DCTCP makes them
    jq -e '[.cells[] | select(.at.mix == "BERT and VGG19") |
        .measures[0].value.mean] | .[1] < 0.8 * .[0]' "$json"
}

# While both are at work: the one whose rate grows faster gains what the other
# loses.
# bats test_tags=larger
@test "hotnets22_pairs: of an incompatible pair one job loses" {
    study hotnets22_pairs --set stop=3s --set \
        'compare.when=[{pair: incompatible, timers: [125/125, 55/300]}]'
    jq -e '[.cells[] | {(.at.timers): [.measures[].value.mean]}] | add
        | .["55/300"][0] < 0.9 * .["125/125"][0]
        and .["55/300"][1] > 1.1 * .["125/125"][1]' "$json"
    jq -e '.claim | startswith("the paper: ")' "$json"
}

@test "crux_clos: paths of their own keep the jobs apart" {
    local i fewer=()
    for i in 0 1 2 3; do
        fewer+=(--set "jobs[$i].iterations=4" --set "jobs[$i].warmup=1")
    done
    "$ORRERY" plan "$folder/crux_clos.yaml" --set schedule=crux --json \
        "${fewer[@]}" >"$BATS_TEST_TMPDIR/plan.json"
    jq -e '.jobs | length == 4 and (map(.expected.planned_ns /
        .expected.alone_ns) | max) < 1.01' "$BATS_TEST_TMPDIR/plan.json"
}

# use ARGUMENT...: of GPUs, without and with Crux, to the file `used`.
use() {
    rm -f "$BATS_TEST_TMPDIR/used"
    for schedule in '{kind: none}' '{kind: crux}'; do
        simulate "$folder/crux_clos.yaml" --seed 2 --set "schedule=$schedule" "$@"
        # what all ranks compute over their time, by hand
        jq -e '(.gpus.utilization - ([.jobs[] | .ranks * .breakdown.compute_ns /
            .iteration_ns.mean] | add) / ([.jobs[].ranks] | add)) |
            . < 1e-9 and . > -1e-9' "$json"
        jq .gpus.utilization "$json" >>"$BATS_TEST_TMPDIR/used"
    done
}

@test "crux_clos: the use of GPUs, as Crux counts it" {
    use --set network.mtu=32KiB
    jq -s -e '.[1] > .[0]' "$BATS_TEST_TMPDIR/used"
}

# bats test_tags=larger
@test "crux_clos: how much of GPUs is used" {
    use
    # with paths that no two jobs share, what it is with each alone
    jq -s -e '.[1] > .[0] and .[1] > 0.574 and .[1] < 0.575' \
        "$BATS_TEST_TMPDIR/used"
}

@test "mltcp_fattree: turns on a grid that suits both jobs" {
    simulate "$folder/mltcp_fattree.yaml" --seed 2 --set jobs[0].iterations=12 \
        --set jobs[1].iterations=12 --set 'schedule={kind: cassini, grid: 14ms}'
    jq -e '[.jobs[].iteration_ns.mean] | max < 28.6e6' "$json"
}

# Alone they take 30.08 and 60.08 ms, and in fair shares 12 % more.
@test "mltcp_periods: turns where one period is twice the other" {
    simulate "$folder/mltcp_periods.yaml" --set schedule=mltcp \
        --set 'jobs[1].program[0].compute=50ms' --set 'jobs[1].iterations=30' \
        --set 'jobs[0].iterations=60' --set 'jobs[0].warmup=40' \
        --set 'jobs[1].warmup=20'
    near '.jobs[0].iteration_ns.mean' 30.08e6 2%
    near '.jobs[1].iteration_ns.mean' 60.08e6 2%
}

# Computation is 336.28 ms, by the profile. Gradients are 553.43 MB, of which a ring
# of four sends 1.5 times as much over each link.
@test "sapipe_vgg16: stale layers hide the tail, down to the larger of computing and sending" {
    layer=(--set 'jobs[0].iterations=3' --set 'jobs[0].wait=layer' --set)
    simulate "$folder/sapipe_vgg16.yaml" --set 'jobs[0].iterations=3'
    near '.jobs[0].iterations[2].duration_ns' 384.9e6 0.1%
    simulate "$folder/sapipe_vgg16.yaml" "${layer[@]}" 'jobs[0].stale_layers=2'
    near '.jobs[0].iterations[2].duration_ns' 344.3e6 0.1%
    simulate "$folder/sapipe_vgg16.yaml" "${layer[@]}" 'jobs[0].stale_layers=4' \
        --set network.mtu=64KB
    near '.jobs[0].iterations[2].duration_ns' 336.28e6
    # 553.43 MB * 1.5 at 10 Gbps, with headers
    simulate "$folder/sapipe_vgg16.yaml" "${layer[@]}" 'jobs[0].stale_layers=16' \
        --set topology.link.rate=10Gbps
    near '.jobs[0].iterations[2].duration_ns' 669.2e6 0.5%
}

@test "pipedream_vgg16: a plan's prediction, and the cut by packets" {
    config=$folder/pipedream_vgg16.yaml
    "$ORRERY" plan "$config" --json "$json" --set 'plan.machines=[4]' \
        --set plan.cost=paper >"$BATS_TEST_TMPDIR/stdout"
    near '.slowest_ns' 85706667 1
    [ "$(jq -c '[.stages[].replicas]' "$json")" = '[3,1]' ]
    simulate "$config" --set 'jobs[0].schedule=pipedream' \
        --set 'jobs[0].overlap=3' --set 'jobs[0].iterations=10' \
        --set 'jobs[0].stages=[{units: 7, replicas: 3}, {units: 9}]'
    # three minibatches in the first stage's time
    near '.jobs[0].iterations[6].duration_ns' 257120000
}

@test "sapipe_vgg16: layers in classes need no stale ones at 25 Gbps" {
    simulate "$folder/sapipe_vgg16.yaml" --set 'jobs[0].iterations=3' --set 'jobs[0].wait=layer' \
        --set 'jobs[0].layer_classes=4' --set network.queue.scheduler=strict
    near '.jobs[0].iterations[2].duration_ns' 337.4e6 0.1%
}

@test "sapipe_bert: as many stale layers as help" {
    simulate "$folder/sapipe_bert.yaml" --set 'jobs[0].wait=layer' \
        --set 'jobs[0].stale_layers=auto' --set 'jobs[0].iterations=3'
    near '.jobs[0].stale_layers' 3
    near '.jobs[0].iterations[2].duration_ns' 649.2e6 0.1%
}

@test "panama: trees beside rings, and short flows that end" {
    simulate "$folder/panama.yaml"
    near .in_network.misfits 0
    near .in_network.fallen_back 0
    for i in 0 1; do
        near ".jobs[$i].iteration_ns.mean" 3781e3 2%
    done
    jq -e '.flows.count == .flows.completed' "$json"
}

@test "atp: what collides falls back to a server" {
    simulate "$folder/atp.yaml"
    near .in_network.misfits 0
    jq -e '.in_network | .collisions > 0 and .fallen_back > 0 and .results == 5 * 4000 + 5 * 1000' "$json"
}

@test "topoopt: rings carry what the plan says by formulas" {
    set -- "$folder/topoopt.yaml" --set 'jobs[0].model=ncf' \
        --set 'jobs[0].batch=512' --set 'jobs[0].flops=400TFLOPS'
    "$ORRERY" plan "$@" --set plan.budget=40 --json >"$BATS_TEST_TMPDIR/plan.json"
    jq -e ".topology.links == 512" "$BATS_TEST_TMPDIR/plan.json"
    simulate "$@" --set 'jobs[0].algorithm=strides'
    near '.jobs[0].iteration_ns.mean' \
        "$(jq .data_parallel_ns "$BATS_TEST_TMPDIR/plan.json")" 5%
}
