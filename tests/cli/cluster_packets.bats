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

# Jobs of a cluster are called by their GPUs, which ECMP goes by, those of `jobs`
# by their place there: ways that both have.
simplex() {
    network | sed 's/cc: dctcp/&, routing: first/'
}

# Four jobs with GPUs that they name, some of which two jobs share.
known_seats() {
    simplex
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
    simplex
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
        --set schedule=ideal
    [ "$status" -eq 2 ]
    [[ "$output" == *"schedule: \`ideal\` is planned for jobs that are there from the beginning"* ]]
    run "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/cluster.yaml" \
        --set 'cluster.arrivals.jobs[0].iterations=2000000'
    [ "$status" -eq 1 ]
    [[ "$output" == *"job ring-0 has 2000000 iterations to go: with \`accuracy: packets\` a job has 1000000 at most"* ]]
    run "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/cluster.yaml" \
        --set 'cluster.arrivals.jobs[3].at=60d'
    [ "$status" -eq 1 ]
    [[ "$output" == *"job swap-3 would start after the 53 days that can be simulated packet by packet"* ]]
}

# The same four jobs, all from 0 on, with a schedule that plans for them.
at_once() {
    "$1" | sed -e 's/at: [0-9]*[mu]*s/at: 0s/' -e 's/start: [0-9]*[mu]s, //' \
        -e 's/share: 2/share: 3/'
}

# ends SCHEDULE: of each job, in the run and in the cluster, where the run's is
# first.
ends() {
    "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/cluster.yaml" -s "schedule=$1" \
        --json "$BATS_TEST_TMPDIR/cluster.json"
    "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/jobs.yaml" -s "schedule=$1" \
        --json "$BATS_TEST_TMPDIR/jobs.json"
    jq -r '.jobs[] | .finished_ns' "$BATS_TEST_TMPDIR/cluster.json" >"$BATS_TEST_TMPDIR/ends"
    jq -r '.jobs[] | .iterations | last | .end_ns' "$BATS_TEST_TMPDIR/jobs.json" |
        paste - "$BATS_TEST_TMPDIR/ends" | sort -n
}

@test "schedules that plan: jobs there from the beginning end as they do in a run" {
    at_once known_seats > "$BATS_TEST_TMPDIR/cluster.yaml"
    at_once known_jobs > "$BATS_TEST_TMPDIR/jobs.yaml"
    # once a job has left, ways, shares and turns are planned again
    for schedule in cassini '{kind: crux, turns: true}' crux '{kind: priority, by: size, mode: weighted}'; do
        ends "$schedule" | tee "$BATS_TEST_TMPDIR/both"
        awk 'NR == 1 {bad = $2 < $1 || $2 > $1 + 1002} END {exit bad || NR != 4}' \
            "$BATS_TEST_TMPDIR/both"
    done
    # who goes before whom stays as it was
    for schedule in priority '{kind: priority, by: size}'; do
        ends "$schedule" | tee "$BATS_TEST_TMPDIR/both"
        awk '$2 < $1 || $2 > $1 + 1002 {bad = 1} END {exit bad || NR != 4}' \
            "$BATS_TEST_TMPDIR/both"
    done
}

@test "schedules that plan: again when jobs come and go, the same on any threads" {
    crowd fifo > "$BATS_TEST_TMPDIR/crowd.yaml"
    for schedule in none crux priority cassini '{kind: crux, turns: true}'; do
        for t in 1 3; do
            "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/crowd.yaml" -s "schedule=$schedule" \
                -t "$t" --json "$BATS_TEST_TMPDIR/$schedule.$t.json"
        done
        jq -e '.cluster.done == 20' "$BATS_TEST_TMPDIR/$schedule.1.json"
        [ "$(jq .fingerprint "$BATS_TEST_TMPDIR/$schedule.1.json")" = \
            "$(jq .fingerprint "$BATS_TEST_TMPDIR/$schedule.3.json")" ]
    done
    [ "$(jq .fingerprint "$BATS_TEST_TMPDIR/crux.1.json")" != \
        "$(jq .fingerprint "$BATS_TEST_TMPDIR/none.1.json")" ]
    # marks of connections before a change are not forgotten, nor counted twice
    jq -e '[.jobs[].marks_per_iteration] | min >= 0 and max < 1e6' \
        "$BATS_TEST_TMPDIR/crux.1.json"
    "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/crowd.yaml" -s schedule=crux \
        -s cluster.queue=srtf --json "$BATS_TEST_TMPDIR/srtf.json"
    jq -e '.cluster.done == 20 and ([.jobs[].preempted] | add) > 0' \
        "$BATS_TEST_TMPDIR/srtf.json"
}

@test "what planned schedules cannot do while jobs come and go is told" {
    known_seats > "$BATS_TEST_TMPDIR/cluster.yaml"
    run "$ORRERY" run --quiet "$BATS_TEST_TMPDIR/cluster.yaml" --set schedule=crux \
        --set 'cluster.jobs[0].changes=[{iteration: 2, class: 1}]'
    [ "$status" -eq 2 ]
    [[ "$output" == *"changes: with \`accuracy: packets\` the schedule crux changes paths and classes"* ]]
}

@test "who is said to meet whom does, and nobody else: ways are those of the packets" {
    cat >four.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 4, hosts: 8, link: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}, mtu: 128KiB}
record: none
cluster:
  accuracy: packets
  arrivals: [{template: a, at: 0s, hosts: [0, 4]}, {template: a, at: 0s, hosts: [1, 5]},
             {template: a, at: 0s, hosts: [2, 6]}, {template: a, at: 0s, hosts: [3, 7]}]
  jobs: [{name: a, gpus: 2, iterations: 20, program: [{compute: 10ms}, {all-reduce: {size: 25MB}}]}]
END
    for seed in 1 2 3; do
        orrery run four.yaml -q --seed $seed --json $seed.json
    done
    jq -c '.jobs[] | [.slowdown, (.company | length)]' 1.json 2.json 3.json | tee pairs
    jq -s -e 'all(if .[1] > 0 then .[0] > 1.2 else .[0] < 1.02 end) and
              any(.[1] == 0) and any(.[1] > 1)' pairs
}

# Two jobs that meet on a spine from the beginning, and one that comes later.
meeting() {
    cat <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}, mtu: 64KiB}
record: none
cluster:
  accuracy: packets
  arrivals:
  - {template: a, at: 0s, hosts: [0, 4]}
  - {template: a, at: 0s, hosts: [1, 5]}
  - {template: a, at: 100ms, hosts: [2, 6], iterations: 10}
  jobs:
  - {name: a, gpus: 2, iterations: 20, program: [{compute: 10ms}, {all-reduce: {size: 30MB}}]}
END
}

@test "cassini: jobs that meet take turns, also with one that comes later" {
    meeting >m.yaml
    for schedule in none cassini; do
        orrery run m.yaml -q --json $schedule.json -s schedule=$schedule \
            -s 'cluster.jobs[0].program=[{compute: 20ms}, {all-reduce: {size: 30MB}}]'
    done
    # three times 4.9 ms fit into 25
    jq -s -e '.[0].cluster.slowdown.min > 1.15 and .[1].cluster.slowdown.max < 1.1
              and .[1].cluster.marks_per_iteration < .[0].cluster.marks_per_iteration / 3' \
        none.json cassini.json
}

@test "names in a schedule: of jobs, also those to come, or of their kind" {
    meeting >m.yaml
    for accuracy in packets sampled; do
        # the one that goes first is as if it were alone; then those of its kind
        # in order
        for first in 0 1 2; do
            orrery run m.yaml -q --json o.json -s cluster.accuracy=$accuracy \
                -s "schedule={kind: priority, by: order, order: [a-$first, a]}"
            [ "$status" -eq 0 ]
            jq -e ".jobs[$first].slowdown < 1.02" o.json
            jq -e ".jobs[$first].slowdown == ([.jobs[].slowdown] | min)" o.json
        done
        orrery run m.yaml -q --json w.json -s cluster.accuracy=$accuracy \
            -s 'schedule={kind: weights, weights: {a: 2, a-1: 20}}'
        [ "$status" -eq 0 ]
        jq -e '.jobs[1].slowdown < .jobs[0].slowdown' w.json
    done
    for key in 'weights: {b: 2}' 'timers: {b: 5us}'; do
        orrery run m.yaml -q -s "schedule={kind: weights, $key}"
        [ "$status" -eq 2 ]
        grep -q 'schedule: neither an entry of `cluster.jobs` nor a job is called "b"$' ../err
    done
}

# A job over the first of two spines, as long as that can be reached.
wide() {
    cat <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}, mtu: 64KiB, routing: first}
record: none
END
}

@test "a link of a cluster fails and is back, at exactly its time" {
    job='program: [{compute: 10ms}, {all-to-all: {size: 30MB}}]'
    down='failures=[{link: [8, 10], down: 45ms, detect: 10ms, up: 105ms}]'
    { wide; echo "jobs: [{ranks: 4, iterations: 10, placement: [0, 4, 1, 5], $job}]"; } >jobs.yaml
    { wide; echo "cluster: {accuracy: packets, arrivals: [{template: a, at: 0s, hosts: [0, 4, 1, 5]}],"
      echo "  jobs: [{name: a, gpus: 4, iterations: 10, $job}]}"; } >cluster.yaml
    orrery run jobs.yaml -q --json whole.json
    orrery run jobs.yaml -q --json j.json -s "$down"
    [ "$status" -eq 0 ]
    orrery run cluster.yaml -q --json c.json -s "$down"
    [ "$status" -eq 0 ]
    jq -s -e '.[0].jobs[0].finish_ns as $j | .[1].jobs[0].finished_ns as $c |
              $c >= $j and $c <= $j + 1001 and
              $j > .[2].jobs[0].finish_ns + 1e6' j.json c.json whole.json
    # what it takes alone is of the network as it is without
    orrery run cluster.yaml -q --json u.json
    [ "$(jq '.jobs[0].alone_ns' u.json)" = "$(jq '.jobs[0].alone_ns' c.json)" ]
    for accuracy in sampled fluid; do
        orrery run cluster.yaml -q -s "$down" -s cluster.accuracy=$accuracy
        [ "$status" -eq 2 ]
        grep -q 'failures: links of a cluster fail only with `accuracy: packets`' ../err
    done
}

# Alone a job by duration takes that, whatever the accuracy, to half an
# iteration and what iterations at its beginning differ by.
@test "a duration is one time in all accuracies" {
    cat >duration.yaml <<'E'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 1MB, threshold: 30KB}}
record: none
cluster:
  arrivals: [{template: a, at: 0s}]
  placement: spread
  replications: 0
  jobs:
  - {name: a, gpus: 4, duration: 150ms, program: [{compute: 1ms}, {all-to-all: {size: 500KB}}]}
E
    for change in seed=1 network.queue.threshold=200KB \
        'cluster.jobs[0].duration=400ms' 'cluster.jobs[0].gpus=6' \
        'cluster.jobs[0].program=[{all-reduce: {size: 2MB, algorithm: ring}}]'; do
        for accuracy in fluid sampled packets; do
            orrery run duration.yaml -q --no-cache --json $accuracy.json \
                -s "$change" -s cluster.accuracy=$accuracy
            [ "$status" -eq 0 ] || cat ../err
            jq -e --arg change "$change" \
                '(if ($change | test("400ms")) then 400e6 else 150e6 end) as $d |
                 .jobs[0] | (.completion_ns - $d | fabs) <=
                            0.51 * .iteration_ns + 0.005 * $d' $accuracy.json ||
                { echo "$change $accuracy"; jq -c .jobs[0] $accuracy.json; false; }
        done
    done
}
