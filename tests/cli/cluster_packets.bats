#!/usr/bin/env bats
# `accuracy: packets` of a cluster: one network from the first event to the last.

load common

network() {
    cat <<'END'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 200KB, threshold: 30KB}}
record: none
END
}
ring='program: [compute: 20us, all-reduce: {size: 256KiB, algorithm: ring}]'
swap='program: [all-to-all: {size: 300KB}, compute: 7us]'

# Four jobs with GPUs that they name, some of which two jobs share.
known_seats() {
    network
    cat <<END
cluster:
  accuracy: packets
  share: 2
  arrivals:
    kind: list
    jobs:
    - {template: ring, at: 0s, gpus: 4, iterations: 6, hosts: [0, 4, 8, 12]}
    - {template: swap, at: 60us, gpus: 4, iterations: 9, hosts: [1, 0, 9, 5]}
    - {template: ring, at: 111us, gpus: 4, iterations: 4, hosts: [4, 5, 8, 13]}
    - {template: swap, at: 5ms, gpus: 4, iterations: 5, hosts: [2, 6, 10, 0]}
  jobs:
  - {name: ring, gpus: 4, iterations: 1, $ring}
  - {name: swap, gpus: 4, iterations: 1, $swap}
END
}

# The same as jobs that are known from the beginning.
known_jobs() {
    network
    cat <<END
jobs:
- {ranks: 4, iterations: 6, placement: [0, 4, 8, 12], $ring}
- {ranks: 4, start: 60us, iterations: 9, placement: [1, 0, 9, 5], $swap}
- {ranks: 4, start: 111us, iterations: 4, placement: [4, 5, 8, 13], $ring}
- {ranks: 4, start: 5ms, iterations: 5, placement: [2, 6, 10, 0], $swap}
END
}

# Twenty jobs on 16 GPUs: some wait, and are preempted where that is done.
crowd() {
    network
    cat <<END
cluster:
  accuracy: packets
  queue: $1
  arrivals: {kind: poisson, load: 95%, most: 20}
  jobs:
  - {name: ring, gpus: [4, 8], iterations: {exponential: {mean: 20}}, $ring}
  - {name: swap, gpus: [2, 3], iterations: {exponential: {mean: 30}}, $swap}
END
}

@test "jobs of a cluster end when the same jobs of a run do, within a window" {
    known_seats > "$BATS_TEST_TMPDIR/cluster.yaml"
    known_jobs > "$BATS_TEST_TMPDIR/jobs.yaml"
    "$ORRERY" run --quiet --json "$BATS_TEST_TMPDIR/c.json" \
        "$BATS_TEST_TMPDIR/cluster.yaml"
    "$ORRERY" run --quiet --json "$BATS_TEST_TMPDIR/j.json" \
        "$BATS_TEST_TMPDIR/jobs.yaml"
    run jq -e -n --slurpfile c "$BATS_TEST_TMPDIR/c.json" \
        --slurpfile j "$BATS_TEST_TMPDIR/j.json" '
        [$c[0].jobs, $j[0].jobs] | transpose | length == 4 and all(
            .[0].started_ns == .[1].start_ns and
            .[0].finished_ns >= .[1].finish_ns and
            .[0].finished_ns <= .[1].finish_ns + 1001)'
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a crowded cluster is the same for any number of threads, preempted or not" {
    local preempted=0
    for queue in fifo srtf las; do
        crowd "$queue" > "$BATS_TEST_TMPDIR/crowd.yaml"
        for threads in 1 2 3; do
            "$ORRERY" run --quiet --threads "$threads" \
                --json "$BATS_TEST_TMPDIR/$threads.json" \
                "$BATS_TEST_TMPDIR/crowd.yaml"
        done
        run jq -e -n --slurpfile a "$BATS_TEST_TMPDIR/1.json" \
            --slurpfile b "$BATS_TEST_TMPDIR/2.json" \
            --slurpfile c "$BATS_TEST_TMPDIR/3.json" '
            $a[0].cluster.done == 20 and
            $a[0].fingerprint == $b[0].fingerprint and
            $a[0].fingerprint == $c[0].fingerprint'
        echo "$queue: $output"
        [ "$status" -eq 0 ]
        preempted=$((preempted + $(jq '[.jobs[].preempted] | add' \
            "$BATS_TEST_TMPDIR/1.json")))
    done
    [ "$preempted" -gt 3 ]
}

@test "what packets cannot do is told" {
    known_seats > "$BATS_TEST_TMPDIR/cluster.yaml"
    run "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/cluster.yaml" \
        --set schedule=cassini
    [ "$status" -eq 2 ]
    [[ "$output" == *"schedule: \`cassini\` is planned for jobs that are there from the beginning"* ]]
    run "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/cluster.yaml" \
        --set 'cluster.arrivals.jobs[0].iterations=2000000'
    [ "$status" -eq 1 ]
    [[ "$output" == *"job ring-0 has 2000000 iterations to go: with \`accuracy: packets\` a job has 1000000 at most"* ]]
    run "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/cluster.yaml" \
        --set 'cluster.arrivals.jobs[3].at=60d'
    [ "$status" -eq 1 ]
    [[ "$output" == *"job swap-3 would start after the 53 days that can be simulated packet by packet"* ]]
}
