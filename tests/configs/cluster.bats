#!/usr/bin/env bats
# The clusters that ship with orrery: each can be run as it is, and a quick look
# at each comes to an end.

load common

setup_file() {
    export ORRERY_CACHE=$BATS_FILE_TMPDIR/cache
}

# quick FILE ARGUMENT...: without packets; the summary goes to $json.
quick() {
    json=$BATS_TEST_TMPDIR/out.json
    "$ORRERY" run "$1" -q --json "$json" -s record=none \
        -s cluster.accuracy=fluid "${@:2}"
    jq -e '.partial == false and .cluster.done == .cluster.jobs' "$json"
    jq -e '.cluster.gpu_hours | (.given + .idle + .out) / .all - 1 |
           fabs < 1e-9' "$json"
}

# bats test_tags=larger
@test "each can be run as it is" {
    "$ORRERY" check configs/cluster/*.yaml configs/studies/cluster/*.yaml
}

@test "small: twenty jobs on 24 servers" {
    quick configs/cluster/small.yaml
    jq -e '.cluster.jobs == 20 and .cluster.racks == 4' "$json"
}

@test "elastic: sizes that change wait less than sizes that do not" {
    quick configs/cluster/elastic.yaml
    jq -e '.cluster.resized > 10 and .cluster.moved > 0' "$json"
    elastic=$(jq .cluster.completion_ns.mean "$json")
    quick configs/cluster/elastic.yaml -s cluster.resize.grow=false \
        -s cluster.resize.shrink=false -s cluster.migrate=null
    jq -e '.cluster.resized == 0 and .cluster.moved == 0' "$json"
    jq -e --argjson elastic "$elastic" '.cluster.completion_ns.mean > $elastic' "$json"
}

@test "tenants: two with quotas and others, on two kinds of GPU" {
    quick configs/cluster/tenants.yaml
    jq -e '[.cluster.tenants[].jobs] | add == 606' "$json"
    # nobody has more than it may, and what is free is borrowed
    jq -e '.cluster.tenants as [$v, $l, $o] | $l.borrowed_gpu_hours == 0 and
           $o.borrowed_gpu_hours == $o.gpu_hours and
           $v.borrowed_gpu_hours > 0' "$json"
}

@test "CASSINI's testbed" {
    quick configs/studies/cluster/cassini.yaml
    jq -e '.cluster.gpus == 24 and .cluster.racks == 6' "$json"
}

@test "a day of 1,024 GPUs, spread and packed" {
    quick configs/studies/cluster/racks.yaml \
        -s cluster.end=1000h -s cluster.arrivals.until=90min
    jq -e '.cluster.gpus == 1024 and .cluster.racks == 16' "$json"
    packed=$(jq .cluster.slowdown.mean "$json")
    quick configs/studies/cluster/racks.yaml \
        -s cluster.end=1000h -s cluster.arrivals.until=90min \
        -s cluster.placement=spread
    jq -e --argjson packed "$packed" '.cluster.slowdown.mean > $packed' "$json"
}

@test "2,000 GPUs under Crux" {
    quick configs/studies/cluster/crux.yaml \
        -s cluster.end=1000h -s cluster.arrivals.until=1h
    jq -e '.cluster.gpus == 2000 and .cluster.servers == 250' "$json"
}

@test "the first hour of a day of 1,024 GPUs, with packets" {
    ORRERY_CACHE=$BATS_TEST_TMPDIR "$ORRERY" run -q --json "$json" \
        configs/studies/cluster/day.yaml -s cluster.arrivals.until=40min \
        -s schedule=crux
    jq -e '.partial == false and .cluster.done == .cluster.jobs' "$json"
    # equal servers, equal jobs: most sets are known from others
    jq -e '.basis.remembered > .basis.simulated and .basis.simulated > 0' "$json"
    jq -e '.basis.unsettled > 0 or .basis.error_worst <= 0.02' "$json"
}
