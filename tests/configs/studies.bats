#!/usr/bin/env bats
# The studies that ship with orrery: all combinations are fine, and a part of
# each is run.

load common

folder=configs/studies

# study NAME ARGUMENT...: its table goes to $table.
study() {
    table=$BATS_TEST_TMPDIR/table
    "$ORRERY" compare "$folder/$1.yaml" -j 2 -o "$BATS_TEST_TMPDIR/$1" \
        "${@:2}" >"$table" 2>/dev/null
    json=$BATS_TEST_TMPDIR/$1/study.json
}

@test "each study can be run as it is" {
    "$ORRERY" check "$folder"/*.yaml >"$BATS_TEST_TMPDIR/checked"
    [ "$(grep -c ' combinations, ' "$BATS_TEST_TMPDIR/checked")" -ge 3 ]
    [ "$(grep -c ': ok$' "$BATS_TEST_TMPDIR/checked")" -eq \
        "$(ls "$folder"/*.yaml | wc -l)" ]
}

@test "controls: an incast under each of the eight" {
    study controls --seeds 1 --over 'workload={flows: [{generate: incast, dst: 0, hosts: 9, size: 200KB}]}'
    [ "$(jq '.cells | length' "$json")" -eq 8 ]
    jq -e '[.cells[].runs[].status] | unique == ["ok"]' "$json"
    # where pause frames are, nothing is dropped
    jq -e '[.cells[] | select(.at.cc | test("dcqcn|timely|hpcc"))
        | .runs[0].values[3]] | unique == [0]' "$json"
}

@test "jobs: priority keeps the first job to its own time" {
    study jobs --seeds 1 --set 'jobs[0].iterations=12' --set 'jobs[1].iterations=12' \
        --over 'jobs={}' --over 'placement={"jobs[0].placement": [0, 4, 8, 12], "jobs[1].placement": [1, 5, 9, 13]}'
    jq -e '[.cells[] | {(.at.sharing): .measures[0].value.mean}] | add
        | .priority < 1.02 * 5.1e6 and .dctcp > .priority' "$json"
}

@test "topologies: for the same money, what needs fewer tiers has faster links" {
    study topologies --set 'jobs[0].program=[all-reduce: {size: 4MiB, algorithm: ring, direction: both, chunks: 4, concurrent: 4}]' \
        --set 'compare.when=[{ranks: 64, collective: all-reduce, topology: [fat-tree, leaf-spine, dragonfly, slim fly, jellyfish, hyperx 4x4, bcube, ring]}]'
    [ "$(jq '.cells | length' "$json")" -eq 8 ]
    jq -e '[.cells[].runs[].status] | unique == ["ok"]' "$json"
    jq -e '[.cells[].measures[] | select(.path == "topology.price")
        | .value.mean / 495744 - 1 | fabs < 1e-5] | all' "$json"
    jq -e '[.cells[] | {(.at.topology): .measures[0].value.mean}] | add
        | .["leaf-spine"] < .["fat-tree"] and .ring < .["leaf-spine"]' "$json"
    # what they became
    grep -q '^64 *fat-tree .* 400 Gbps ' "$table"
    grep -q '^64 *leaf-spine .* 567.7 Gbps ' "$table"
}

# schedules NAMES N: so many of them, over a few iterations.
schedules() {
    local i fewer=()
    for i in 0 1 2 3 4 5; do
        fewer+=(--set "jobs[$i].iterations=8" --set "jobs[$i].warmup=2")
    done
    study schedules --seeds 1 "${fewer[@]}" --over "schedule=$1"
    [ "$(jq '.cells | length' "$json")" -eq "$2" ]
    jq -e '[.cells[].runs[].status] | unique == ["ok"]' "$json"
}

@test "schedules: each can be planned, and a few are run" {
    schedules none,ideal,crux 3
}

# Five seconds of rotations of six jobs.
# bats test_tags=larger
@test "schedules: CASSINI's rotations of six jobs" {
    schedules none,cassini 2
}
