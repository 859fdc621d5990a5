#!/usr/bin/env bats
# A cluster over time: jobs arrive, wait, run where there is room, and leave.

load common

setup_file() {
    export ORRERY_CACHE=$BATS_FILE_TMPDIR/cache
}

# Jobs of two kinds that meet on the spines of four racks.
racks() {
    cat >racks.yaml <<'END'
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts: 24, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 128KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
repeat: {kind: sampled, error: 2%}
cluster:
  arrivals: {kind: poisson, load: 80%, most: 12}
  jobs:
  - {name: vgg, gpus: [4, 8], iterations: 300, program: [{compute: 20ms}, {all-reduce: {size: 20MB}}]}
  - {name: bert, gpus: [2, 6], iterations: 200, program: [{compute: 10ms}, {all-reduce: {size: 20MB}}]}
END
}

# figure FILE PATH: of a summary.
figure() {
    jq -c ".$2" "$1"
}

# halves FILE: of the intervals, without what it cost to know them.
halves() {
    jq -c '.basis.intervals | del(.simulated, .packet_hops)' "$1"
}

@test "a cluster runs to its end, the same on any number of threads" {
    racks
    for t in 1 3; do
        rm -rf "$ORRERY_CACHE"
        orrery run racks.yaml -t $t -o $t.h5 --json $t.json
        [ "$status" -eq 0 ]
        jq 'del(.wall, .output)' $t.json >$t.same
    done
    cmp 1.same 3.same
    [ "$(figure 1.json cluster.done)" = 12 ]
    [ "$(figure 1.json partial)" = false ]
    [ "$(figure 1.json basis.simulated)" -gt 2 ]
    jq -e '.basis.iterations_simulated < 0.5 * .basis.iterations' 1.json
    jq -e '.cluster.slowdown.max > 1.02' 1.json # some do meet
    jq -e '.cluster.gpu_hours | (.given + .idle + .out) / .all - 1 |
           fabs < 1e-9' 1.json
    jq -e '[.jobs[] | .queueing_ns + .iteration_ns * .iterations
            - .completion_ns | fabs] | max < 1e6' 1.json
}

@test "what was seen before is not simulated again, and comes out the same" {
    racks
    rm -rf "$ORRERY_CACHE"
    orrery run racks.yaml -q -o a.h5 --json a.json --seed 5
    orrery run racks.yaml -q -o b.h5 --json b.json --seed 5
    [ "$(figure a.json fingerprint)" = "$(figure b.json fingerprint)" ]
    [ "$(figure b.json basis.simulated)" = 0 ]
    [ "$(figure b.json basis.packet_hops)" = 0 ]
    jq 'del(.wall, .output, .basis)' a.json >a.same
    jq 'del(.wall, .output, .basis)' b.json | cmp a.same -
    [ "$(figure a.json basis.intervals.simulated)" -gt 0 ]
    [ "$(figure b.json basis.intervals.simulated)" = 0 ]
    [ "$(halves a.json)" = "$(halves b.json)" ]
}

@test "replications: what is not known for certain is in the intervals" {
    racks
    orrery run racks.yaml --json known.json -o a.h5
    grep -q '^intervals  *completion +-.*, slowdown +-.*, computing +-' ../out
    grep -q ': 95 %, 8 replications, [0-9]* more sets$' ../out
    jq -e '.basis.intervals | .replications == 8 and
           .completion_ns_mean > 0 and .slowdown_mean > 0' known.json
    # what is known worse has wider ones
    orrery run racks.yaml -q --json rough.json -o a.h5 \
        -s repeat.error=0.01% -s cluster.most=8
    jq -s -e '.[1].basis.intervals.slowdown_mean >
              .[0].basis.intervals.slowdown_mean' known.json rough.json
    # the run itself is what it is without them
    orrery run racks.yaml -q --json none.json -o a.h5 -s cluster.replications=0
    [ "$(figure none.json fingerprint)" = "$(figure known.json fingerprint)" ]
    [ "$(figure none.json basis.intervals)" = null ]
}

@test "replications: none where they are not asked for; the same in other words" {
    racks
    rm -rf "$ORRERY_CACHE"
    orrery explain racks.yaml --seed 5
    [ "$status" -eq 0 ]
    orrery run racks.yaml -q -o a.h5 --json a.json --seed 5
    jq -e '.basis | .simulated == 0 and .intervals.simulated > 0' a.json
    # what it would be by itself, said, and under another title
    orrery run racks.yaml -q -o b.h5 --json b.json --seed 5 \
        -s cluster.phases=200 -s title=again
    [ "$(halves a.json)" = "$(halves b.json)" ]
}

@test "the estimate of a run counts its replications" {
    racks
    hops() {
        "$ORRERY" check racks.yaml -s cluster.replications=$1 |
            sed -n 's/.*estimate  \([^ ]*\) packet-hops.*/\1/p'
    }
    awk -v none="$(hops 0)" -v some="$(hops 8)" 'BEGIN {
        exit !(none > 0 && some > 1.2 * none && some <= 1.5 * none)
    }'
}

@test "replications: nothing is uncertain where nobody meets" {
    racks
    orrery run racks.yaml -q --json one.json -o a.h5 \
        -s cluster.arrivals.most=1
    [ "$status" -eq 0 ]
    jq -e '.basis.intervals | .simulated == 0 and .completion_ns_mean == 0 and
           .slowdown_mean == 0 and .queueing_ns_mean == 0' one.json
}

@test "killed and started again, it goes on from what it had found out" {
    racks
    rm -rf "$ORRERY_CACHE"
    orrery run racks.yaml -q -o whole.h5 --json whole.json
    rm -rf "$ORRERY_CACHE"
    "$ORRERY" run racks.yaml -q -o cut.h5 &
    until [ "$(grep -c . "$ORRERY_CACHE"/cluster-* 2>/dev/null)" -ge 2 ] 2>/dev/null; do
        kill -0 $! || break
    done
    kill -9 $! || true
    wait $! || true
    printf '%s' 0123456789abcdef >>"$(echo "$ORRERY_CACHE"/cluster-*)" # cut off
    orrery run racks.yaml -q -o cut.h5 --json cut.json
    [ "$status" -eq 0 ]
    [ "$(figure whole.json fingerprint)" = "$(figure cut.json fingerprint)" ]
    [ "$(figure cut.json basis.simulated)" -lt "$(figure whole.json basis.simulated)" ]
    [ "$(halves whole.json)" = "$(halves cut.json)" ]
}

@test "sets that never settle: bounded, counted, with their spread" {
    racks
    for most in 8 12; do
        orrery run racks.yaml -o a.h5 --json $most.json \
            -s repeat.error=0.01% -s cluster.most=$most
        [ "$status" -eq 0 ]
        grep -q '^error .*; 2 sets never settled$' ../out
        jq -e '.partial == false and .basis.unsettled == 2' $most.json
        jq -e '.basis.error_worst > 0.01 and
               .basis.error_worst == ([.jobs[].iteration_error] | max)' \
            $most.json
    done
    # none of them is simulated longer than that, nor shorter
    [ "$(figure 12.json basis.iterations_simulated)" -gt \
        "$(figure 8.json basis.iterations_simulated)" ]
    jq -e '.basis.iterations_simulated <= .basis.simulated * 2 * 12' 12.json
    # who remembers them knows them no better
    orrery run racks.yaml -o a.h5 --json again.json -s repeat.error=0.01% \
        -s cluster.most=12
    grep -q '^error .*; 2 sets never settled$' ../out
    jq -s -e '.[0].basis.simulated == 0 and
              .[0].basis.error_worst == .[1].basis.error_worst' \
        again.json 12.json
}

@test "what a set does not live to see is not simulated" {
    racks
    orrery run racks.yaml -q -o a.h5 --json short.json -s repeat.error=0.01% \
        -s cluster.most=1000 -s 'cluster.jobs[0].iterations=10' \
        -s 'cluster.jobs[1].iterations=10'
    [ "$(figure short.json cluster.done)" = 12 ]
    jq -e '.basis.unsettled > 0' short.json
    jq -e '.basis | .iterations_simulated <= .simulated * 2 * 16' short.json
}

@test "jobs that meet now and then: as often in a sample as with all packets" {
    # b takes 4 ms more: of 31 iterations ten are in one another's way
    cat >beat.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 128KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
record: none
repeat: {kind: sampled, error: 2%}
cluster:
  arrivals: [{template: a, at: 0s, hosts: [0, 2]}, {template: b, at: 60ms, hosts: [1, 3]}]
  jobs:
  - {name: a, gpus: 2, iterations: 150, program: [{compute: 100ms}, {all-reduce: {size: 25MB}}]}
  - {name: b, gpus: 2, iterations: 150, program: [{compute: 104ms}, {all-reduce: {size: 25MB}}]}
END
    orrery run beat.yaml -q --json sampled.json
    orrery run beat.yaml -q --json packets.json -s cluster.accuracy=packets
    jq -e '.cluster.slowdown.min > 1.02' packets.json
    jq -s -e '.[0].cluster.completion_ns.mean / .[1].cluster.completion_ns.mean - 1
              | fabs < 0.01' sampled.json packets.json
}

@test "fluid: the quick look is near what packets say" {
    racks
    orrery run racks.yaml -q -o a.h5 --json a.json
    orrery run racks.yaml -q -o b.h5 --json b.json -s cluster.accuracy=fluid
    [ "$(figure b.json basis.packet_hops)" = 0 ]
    jq -s -e '.[0].cluster.completion_ns.mean / .[1].cluster.completion_ns.mean
              | . > 0.97 and . < 1.03' a.json b.json
    # and where they begin counts: two that begin at once lose most
    begun() {
        cat >two.yaml <<END
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 1us}, bottleneck: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 64KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
cluster:
  accuracy: fluid
  arrivals: [{template: t, at: 0s, hosts: [0, 2]}, {template: t, at: $1, hosts: [1, 3]}]
  jobs: [{name: t, gpus: 2, iterations: 20, program: [{compute: 30ms}, {all-reduce: {size: 10MB}}]}]
END
        "$ORRERY" run two.yaml -q -s record=none --json two.json
        jq '.cluster.slowdown.max' two.json
    }
    at_once=$(begun 1us)
    in_turn=$(begun 25ms)
    awk -v a="$at_once" -v b="$in_turn" 'BEGIN {exit !(a > 1.15 && b < 1.001)}'
}

@test "records of a cluster: jobs, stretches and epochs add up" {
    racks
    orrery run racks.yaml -q -o a.h5 --json a.json -s cluster.accuracy=fluid
    h5dump -d /cluster_epochs/used -y -w 0 a.h5 | grep -q '[1-9]'
    h5dump -d /cluster_jobs/name a.h5 | grep -q '"vgg-'
    [ "$(h5dump -a /status a.h5 | grep -c complete)" = 1 ]
}

@test "servers that fail: jobs restart elsewhere, or end" {
    racks
    orrery run racks.yaml -q -o a.h5 --json a.json -s cluster.accuracy=fluid \
        -s 'cluster.failures=[{server: 0, at: 12s, for: 10s}]' \
        -s cluster.restart=1s
    [ "$status" -eq 0 ]
    [ "$(jq '[.jobs[].restarted] | add' a.json)" -ge 1 ]
    jq -e '.cluster.gpu_hours.out > 0 and .cluster.done == 12' a.json
    orrery run racks.yaml -q -o a.h5 --json b.json -s cluster.accuracy=fluid \
        -s 'cluster.failures=[{server: 0, at: 12s, for: 10s}]' \
        -s cluster.on_failure=fail
    [ "$(figure b.json cluster.failed)" = 1 ]
    jq -e '[.jobs[] | select(.state == "failed")][0].failed ==
           "a server of its GPUs failed"' b.json
}

@test "a cluster takes no jobs beside it, and no server that is not there" {
    racks
    orrery check racks.yaml -s 'jobs=[{ranks: 2, program: [{barrier: {}}]}]'
    fails 2 "--set jobs:1:1: a configuration has a \`cluster\` or \`jobs\` and \`flows\`, not both
    [{ranks: 2, program: [{barrier: {}}]}]
    ^"
    orrery check racks.yaml -s stop=1s
    fails 2 "--set stop:1:1: stop: a cluster ends at \`cluster.end\`
    1s
    ^"
    orrery check racks.yaml -s 'failures=[{link: 0, at: 1s}]'
    fails 2 "--set failures:1:1: failures: links of a cluster fail only with \`accuracy: packets\`, since paths do not change without packets; servers fail by \`cluster.failures\`
    [{link: 0, at: 1s}]
    ^"
    orrery check racks.yaml -s 'cluster.failures=[{server: 24, at: 2s}]'
    fails 2 "--set cluster.failures:1:11: failures: there is no server 24; servers are 0 to 23
    [{server: 24, at: 2s}]
              ^"
    orrery check racks.yaml -s 'cluster.end=5'
    fails 2 "--set cluster.end:1:1: end: \"5\": a unit is missing: write a time like 30s or 24h
    5
    ^"
}

@test "a comparison of queues and placements of a cluster" {
    racks
    orrery compare racks.yaml --over cluster.queue=fifo,sjf \
        --over cluster.placement=packed,random -s cluster.accuracy=fluid \
        -m cluster.completion_ns.mean -m 'jobs.*.rho.max' -o study
    [ "$status" -eq 0 ]
    [ "$(grep -c ',ok' study/table.csv)" = 8 ]
}

@test "check says what a cluster is" {
    racks
    orrery check racks.yaml
    [ "$status" -eq 0 ]
    grep -qx '  cluster   24 GPUs in 24 servers, 4 racks' ../out
    grep -q '^  workload  12 jobs of 2 templates, the last one after ' ../out
    grep -qx '  queue     fifo, placement packed, accuracy sampled' ../out
}

# within_two CONFIG ARGUMENT...: what check says of packet-hops is within a
# factor of two of what a run of nothing seen before comes to.
within_two() {
    said=$("$ORRERY" check "$@" -s record=none |
        sed -n 's/^  estimate  \([^ ]*\) packet-hops, about .* on one thread$/\1/p')
    ORRERY_CACHE=$(mktemp -d) "$ORRERY" run "$@" -q --json r.json -s record=none
    jq -e --argjson said "$said" \
        '.basis | (.packet_hops + .intervals.packet_hops) / $said |
         . > 0.5 and . < 2' r.json
}

# bats test_tags=larger
@test "check says what larger clusters would take" {
    within_two "$BATS_TEST_DIRNAME/../../configs/cluster/elastic.yaml"
    within_two "$BATS_TEST_DIRNAME/../../configs/cluster/small.yaml"
}

@test "check says what a cluster would take" {
    racks
    within_two "$BATS_TEST_DIRNAME/../../configs/cluster/small.yaml" \
        -s cluster.arrivals.most=8
    within_two racks.yaml -s cluster.accuracy=packets \
        -s 'cluster.jobs[0].iterations=20' -s 'cluster.jobs[1].iterations=20'
    # the fluid moves none
    [ "$("$ORRERY" check racks.yaml -s cluster.accuracy=fluid |
        sed -n 's/^  estimate  \(.*\) packet-hops.*/\1/p')" = 0 ]
}

@test "check of a fluid cluster: what sharing links takes, most of it left out" {
    racks
    takes() {
        "$ORRERY" check racks.yaml -s cluster.accuracy=fluid \
            -s cluster.placement=spread -s "cluster.arrivals.most=$1" |
            sed -n 's/^  estimate  0 packet-hops, about \(.*\) s on one thread$/\1/p'
    }
    # counted, not timed: the same everywhere
    awk -v few="$(takes 250)" -v many="$(takes 2500)" 'BEGIN {
        exit !(few > 0 && many > 7 * few && many < 14 * few)
    }'
}

@test "check of leases over centuries does not go through all of them" {
    cat >leases.yaml <<'END'
topology: {kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 1us}}
cluster:
  jobs: [{name: a, gpus: 5, duration: 800000h,
    program: [{compute: 10us}, {broadcast: {size: 4KB}}]}]
  arrivals: [{template: a, at: 0h}, {template: a, at: 1h}, {template: a, at: 2h}]
  queue: themis
END
    cpu 20 "$ORRERY" check leases.yaml >../out
    # what is said is of all of them: three jobs with three leases an hour
    seconds=$(sed -n 's/^  estimate .* about \(.*\) s on one thread.*/\1/p' ../out)
    awk -v s="$seconds" 'BEGIN { exit !(s > 10 && s < 100) }'
}

# column FILE DATASET: its values, one a line.
column() {
    h5dump -y -w 1 -m %.17g -d "$2" "$1" |
        awk '/DATA \{/ {on = 1; next} on && /}/ {exit}
             on {gsub(/[ ,]/, ""); print}'
}

@test "the records of a cluster: who had which GPUs, who met whom, and where" {
    racks
    orrery run racks.yaml -q -o r.h5 --json r.json
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    # GPU time by holdings is GPU time given
    paste <(column r.h5 /cluster_gpus/gpus) <(column r.h5 /cluster_gpus/from) \
        <(column r.h5 /cluster_gpus/to) |
        awk '{h += $1 * ($3 - $2) / 3600} END {printf "%.12g\n", h}' >held
    jq -e --argjson held "$(cat held)" \
        '.cluster.gpu_hours.given / $held - 1 | fabs < 1e-9' r.json
    # no GPU has two jobs at once
    paste <(column r.h5 /cluster_gpus/first) <(column r.h5 /cluster_gpus/gpus) \
        <(column r.h5 /cluster_gpus/from) <(column r.h5 /cluster_gpus/to) |
        awk '{for (g = $1; g < $1 + $2; g++) print g, $3, $4}' |
        sort -n -k1,1 -k2,2 | awk '$1 == g && $2 < to {bad = 1}
            {g = $1; to = $3} END {exit bad}'
    # what meetings cost is what links cost, and what was lost in company
    paste <(column r.h5 /cluster_meetings/job) \
        <(column r.h5 /cluster_meetings/lost) |
        awk 'NR == FNR {gpus[FNR - 1] = $1; next} {h += gpus[$1] * $2 / 3600}
             END {printf "%.12g\n", h}' <(column r.h5 /cluster_jobs/gpus) - >met
    column r.h5 /cluster_links/lost |
        awk '{h += $1} END {printf "%.12g\n", h}' >links
    jq -e --argjson met "$(cat met)" --argjson links "$(cat links)" \
        '.cluster.gpu_hours.lost as $lost | $lost > 0
         and ($met / $lost - 1 | fabs < 1e-6)
         and ($links / $lost - 1 | fabs < 1e-6)' r.json
    jq -e '([.contention.worst[].lost_gpu_hours] | add) as $all
           | .contention.links <= 20 and .contention.links > 0
           and ($all / .cluster.gpu_hours.lost - 1 | fabs < 1e-6)' r.json
    # both of a pair say so, at the same time
    paste <(column r.h5 /cluster_meetings/job) \
        <(column r.h5 /cluster_meetings/rival) \
        <(column r.h5 /cluster_meetings/from) \
        <(column r.h5 /cluster_meetings/to) | sort >pairs
    awk '{print $2 "\t" $1 "\t" $3 "\t" $4}' pairs | sort | cmp - pairs
    [ -s pairs ]
}

@test "the pace of a job over time is that of its mean iteration" {
    racks
    "$ORRERY" run racks.yaml -q -o r.h5 --json r.json
    jq -e '[.jobs[] | ([.pace[] | .to_ns - .from_ns] | add)
            / ([.pace[] | (.to_ns - .from_ns) / .iteration_ns] | add)
            / .iteration_ns - 1 | fabs] | max < 1e-9' r.json
    jq -e '.cluster.queue_most >= 1 and .cluster.queue_mean > 0' r.json
}

@test "a job whose messages are lost for good is a failure that says so" {
    cat >lost.yaml <<'EOF'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 4, link: {rate: 1Gbps, delay: 1us}}
network: {transport: datagram, buffer: {kind: shared, size: 1B}, mtu: 1KB}
cluster:
  jobs: [{name: a, gpus: 2, iterations: 5, program: [{compute: 1ms}, {all-reduce: {size: 1KB}}]}]
  arrivals: [{template: a, at: 1s}]
EOF
    run "$ORRERY" run lost.yaml -s record=none --json r.json
    [ "$status" -eq 1 ]
    [[ $output == *'no events are left, but 2 ranks wait: a-0: rank 0 in iteration 0 waits for'* ]]
    [[ $output == *$'jobs                1, 0 done, 1 running, 0 waiting\n'* ]]
    [[ $output != *nan* ]]
    jq -e '.partial and .cluster.makespan_ns == null' r.json
}

# small ACCURACY SCHEDULE [ARGUMENT]...: JSON in $accuracy.json
planned() {
    ORRERY_CACHE=$PWD/cache orrery run "$root/configs/cluster/small.yaml" -q \
        --json "$1.json" --set "cluster.accuracy=$1" --set "schedule=$2" \
        --set 'cluster.jobs[0].iterations=60' --set 'cluster.jobs[1].iterations=60' \
        "${@:3}"
    [ "$status" -eq 0 ]
}

# bats test_tags=larger
@test "crux, sampled: a plan for all, and sets by its ways" {
    planned packets crux
    planned sampled crux
    # as with all packets, to the asked 2 %
    jq -es '.[0].cluster.completion_ns.mean / .[1].cluster.completion_ns.mean |
        . > 0.98 and . < 1.02' packets.json sampled.json
    # not all jobs in one set: sets are met again, and on any threads
    [ "$(jq .basis.remembered sampled.json)" -gt 0 ]
    rm -r cache
    mv sampled.json one.json
    planned sampled crux -t 3
    [ "$(jq .fingerprint one.json)" = "$(jq .fingerprint sampled.json)" ]
}

# seats ARGUMENT...: who gets which GPUs: job, the first, how many.
seats() {
    "$ORRERY" run seats.yaml -q -o seats.h5 "$@"
    for column in job first gpus; do
        column seats.h5 /cluster_gpus/$column | paste -s -d ,
    done | paste -s -d ' '
}

@test "placement cassini: rather GPUs whose links nobody needs at the same time" {
    # Two of the three GPUs of the first job are of one rack, the third one of
    # the next, where one is free: what takes that shares its links.
    cat >seats.yaml <<'END'
topology: {kind: leaf-spine, leaves: 4, spines: 1, hosts: 8, link: {rate: 10Gbps, delay: 1us}}
cluster:
  accuracy: fluid
  placement: cassini
  arrivals: [{template: first, at: 0s}, {template: second, at: 1ms}]
  jobs:
  - {name: first, gpus: 3, iterations: 20, program: [{compute: 1ms}, {all-reduce: {size: 10MB}}]}
  - {name: second, gpus: 3, iterations: 20, program: [{compute: 1ms}, {all-reduce: {size: 10MB}}]}
END
    [ "$(seats)" = "0,1,1 0,4,7 3,2,1" ]
    # the first two ways to choose, of which no one is better than the other;
    # the third one is over three racks, whose longer way counts in its ring
    for n in 1 2; do
        [ "$(seats -s "cluster.placement={kind: cassini, candidates: $n}")" = \
            "0,1 0,3 3,3" ]
    done
    # with as long to compute as that they can take turns
    sed -i 's/compute: 1ms/compute: 30ms/' seats.yaml
    [ "$(seats)" = "0,1 0,3 3,3" ]
}

@test "compare: one seed has the intervals that its runs give" {
    racks
    sed -i 's/mtu: 128KiB/mtu: 512KiB/; s/most: 12}/most: 12}\n  most: 6/' racks.yaml
    cat >>racks.yaml <<'END'
compare:
  over: {cluster.placement: [random, packed]}
  measure: [cluster.completion_ns.mean, cluster.slowdown, cluster.queue_most]
END
    orrery compare racks.yaml -j 1 -o study
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    grep -q '; one seed: 95 % intervals where the runs give any$' ../out
    grep -q '^random .* ± .* s .* ± ' ../out
    # shellcheck disable=SC2016
    for run in study/runs/*; do
        jq -e --arg run "${run##*/}" --slurpfile own "$run/summary.json" '
            $own[0].basis.intervals as $i |
            .cells[] | select(.runs[0].run == $run) | .measures |
            (.[0].value.half_interval - $i.completion_ns_mean | fabs) <= 1e-9 * $i.completion_ns_mean
            and .[1].value.half_interval == $i.slowdown_mean
            and .[2].value.half_interval == null' study/study.json
    done
    h5dump -d /cluster.completion_ns.mean_half_interval study/study.h5 |
        grep -q '95 % interval'
    ! h5ls study/study.h5 | grep queue_most_half || false
    # the page has them as whiskers, and measures in the order asked for
    orrery report study
    sed -n 's/.*id="data">\(.*\)<\/script>.*/\1/p' report.html >page.json
    jq -e --slurpfile s study/study.json '.[0].measures |
        ([.[].long_name] == ["cluster.completion_ns.mean", "cluster.slowdown",
                             "cluster.queue_most"])
        and ([.[0].half[] - $s[0].cells[].measures[0].value.half_interval | fabs] | min < 1)
        and (.[2].half == [null, null])' page.json
    # of a difference both
    # shellcheck disable=SC2016
    jq -e '[.cells[].measures[0]] | .[0].value.half_interval as $a |
        .[1].value.half_interval as $b | .[1].difference.half_interval as $d |
        $d > 0 and ($a * $a + $b * $b - $d * $d | fabs) < 1e-6 * $d * $d
        and (.[1].significant | type) == "boolean"' study/study.json
    # several seeds have their own
    orrery compare racks.yaml -j 1 -o study --seeds 1,2
    grep -q "; mean and 95 % interval (Student's t)" ../out
}

@test "a study of a cluster that says its servers: each run reads back" {
    cat >servers.yaml <<'END'
topology: {kind: leaf-spine, hosts: 8, leaves: 2, oversubscription: 4, link: {rate: 200Gbps, delay: 500ns}}
cluster:
  accuracy: fluid
  servers: {gpus: 4, link: {rate: 3.6Tbps, delay: 300ns}}
  arrivals: {kind: poisson, load: 80%, until: 1h}
  jobs: [{name: gpt, gpus: [8, 16], duration: 10min, program: [compute: 37.5ms, all-reduce: {size: 125MB, algorithm: hierarchical, local: 4}]}]
compare:
  over: {cluster.placement: [packed, spread]}
  measure: [cluster.slowdown.mean]
END
    orrery compare servers.yaml -j 1 -q -o s.study
    [ "$status" -eq 0 ]
    [ "$(jq -s 'map(.cluster.servers) | unique == [8]' s.study/runs/*/*.json)" = true ]
    orrery check servers.yaml -s 'topology.servers={gpus: 2, link: {rate: 3.6Tbps, delay: 300ns}}'
    [ "$status" -eq 2 ]
    grep -q 'cluster.servers: `topology` already defines servers$' ../err
}

@test "the shortest goes first where GPUs are shared, and where it names them" {
    # E needs a third GPU, which B and D have, or just the ones that B has
    begin() { # HOSTS SHARE JOBS
        cat >first.yaml <<END
topology: {kind: switch, hosts: $1, link: {rate: 10Gbps, delay: 1us}}
record: none
cluster:
  accuracy: fluid
  queue: srtf
  share: $2
  arrivals:
  - {template: a, name: B, at: 0s, gpus: 2, duration: 1000s, hosts: [2, 3]}
  - $3
  jobs: [{name: a, gpus: [1, 2, 3], duration: 1s, program: [{compute: 1ms}]}]
END
        orrery run first.yaml -q --json first.json
        jq -c '[.jobs[] | [.name, .queueing_ns / 1e9, .preempted]]' first.json
    }
    begin 4 2 '{template: a, name: D, at: 0s, gpus: 2, duration: 900s, hosts: [2, 3]}
  - {template: a, name: E, at: 20s, gpus: 3, duration: 5s}' >got
    [ "$(cat got)" = '[["B",5,1],["D",0,0],["E",0,0]]' ]
    begin 5 1 '{template: a, name: E, at: 20s, gpus: 2, duration: 5s, hosts: [3, 1]}' >got
    [ "$(cat got)" = '[["B",5,1],["E",0,0]]' ]
    # it takes nothing in vain: GPU 4 has one that is shorter still
    begin 6 1 '{template: a, name: S, at: 19s, gpus: 1, duration: 3s, hosts: [4]}
  - {template: a, name: E, at: 20s, gpus: 2, duration: 5s, hosts: [3, 4]}' >got
    [ "$(cat got)" = '[["B",5,1],["S",0,0],["E",2,0]]' ]
}

@test "a job that no clock sees the end of is told" {
    cat >long.yaml <<'END2'
topology: {kind: switch, hosts: 2, link: {rate: 10Gbps, delay: 1us}}
record: none
cluster:
  accuracy: fluid
  arrivals: [{template: a, at: 0s}]
  jobs: [{name: a, gpus: 2, iterations: 1000000000, program: [{compute: 10s}]}]
END2
    for accuracy in fluid sampled; do
        orrery run long.yaml -q --set cluster.accuracy=$accuracy
        [ "$status" -eq 1 ]
        grep -q 'job a-0 would take longer than the 292 years of a cluster' ../err
    done
}

@test "a job whose iterations take no time is done at once" {
    cat >zero.yaml <<'END2'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
record: none
cluster:
  arrivals: [{template: a, at: 0s}]
  jobs: [{name: a, gpus: 1, iterations: 2, program: [all-reduce: {size: 1MB}]}]
END2
    for accuracy in sampled fluid packets; do
        orrery run zero.yaml --json zero.json -s cluster.accuracy=$accuracy
        [ "$status" -eq 0 ] || { cat ../err; return 1; }
        grep -q '^jobs  *1, 1 done, in ' ../out
        ! grep -e nan -e 'slower than alone' ../out || return 1
        jq -e '.cluster.done == 1 and .partial == false and
               .jobs[0].finished_ns <= 1 and .cluster.makespan_ns <= 1 and
               (.jobs[0].slowdown == 1 or .jobs[0].slowdown == null)' zero.json
    done
}

@test "times in JSON are whole, however late it is" {
    cat >late.yaml <<'END2'
topology: {kind: switch, hosts: 2, link: {rate: 10Gbps, delay: 1us}}
record: none
cluster:
  arrivals: [{template: a, at: 123456789.123456789s}]
  jobs: [{name: a, gpus: 1, iterations: 3, program: [compute: 1234567ns]}]
END2
    for accuracy in sampled fluid; do
        orrery run late.yaml -q --json late.json -s cluster.accuracy=$accuracy
        [ "$status" -eq 0 ]
        for line in '"arrived_ns": 123456789123456789.000' \
            '"started_ns": 123456789123456789.000' \
            '"finished_ns": 123456789127160490.000' \
            '"completion_ns": 3703701.000' '"iteration_ns": 1234567.000' \
            '"sim_time_ns": 123456789127160490.000'; do
            grep -q "$line" late.json || { echo "$line"; return 1; }
        done
        orrery explain late.yaml --job a-0 --json why.json -s cluster.accuracy=$accuracy
        grep -q '"arrived_ns": 123456789123456789.000' why.json
    done
}

# never: b runs to its end; a loses its servers for good.
never() {
    cat >never.yaml <<'END2'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
record: none
cluster:
  arrivals: [{template: a, at: 0s, hosts: [0, 1]}, {template: b, at: 0s}]
  failures: [{server: 0, at: 1s}, {server: 1, at: 1s}]
  jobs:
  - {name: a, gpus: 2, iterations: 3, program: [compute: 1s]}
  - {name: b, gpus: 1, iterations: 3, program: [compute: 1s]}
END2
}

@test "who waits for room that never comes is told, and why" {
    never
    for accuracy in sampled fluid packets; do
        orrery run never.yaml --json never.json -s cluster.accuracy=$accuracy
        fails 1 "orrery: no events are left, but 1 job waits for GPUs: \
a-0: its GPU 0 is out"
        grep -qx 'jobs  *2, 1 done, 1 failed, in 3 s from the first arrival' ../out
        grep -qx 'never room for  *a-0: its GPU 0 is out' ../out
        ! grep nan ../out || return 1
        jq -e '.partial and .jobs[0].failed == "there is never room for it" and
               .jobs[1].finished_ns == 3e9' never.json
    done
    orrery run never.yaml -q \
        -s 'cluster.arrivals=[{template: a, at: 2s, gpus: 2}, {template: a, at: 2s}]' \
        -s cluster.jobs[1].weight=0 \
        -s 'cluster.failures=[{server: 0, at: 1s}, {server: 1, at: 1s}, {server: 2, at: 1s}]'
    fails 1 "orrery: no events are left, but 2 jobs wait for GPUs: \
a-0: it needs 2 GPUs; not out: 1; a-1: it needs 2 GPUs; not out: 1"
    # what it would take is said nevertheless
    orrery check never.yaml
    [ "$status" -eq 0 ]
    grep -q '^  estimate ' ../out
}

@test "what there is no figure of has no interval" {
    never
    orrery run never.yaml --json none.json -s cluster.end=500ms
    [ "$status" -eq 0 ]
    grep -qx 'intervals  *completion +--, slowdown .*' ../out
    ! grep nan ../out || return 1
    jq -e '.basis.intervals | .replications == 8 and
           .completion_ns_mean == null and .rho_max == null and
           .utilization == 0' none.json
}

@test "nobody loses or wins by rounding: costs are above 0" {
    orrery run "$root/configs/cluster/small.yaml" --json small.json -o small.h5
    [ "$status" -eq 0 ]
    jq -e '(.contention.worst | length) as $n | $n > 0 and $n < .contention.links and
           ([.contention.worst[] | .lost_gpu_hours, .worst_lost_gpu_hours] | min) > 0
           and ([.jobs[].slowdown, .jobs[].company[].slowdown] | min) == 1' small.json
    # of the first arrival and of 0
    jq -e '.sim_time_ns - .cluster.makespan_ns == .jobs[0].arrived_ns' small.json
    grep -q '^jobs  *20, 20 done, in 3.197 min from the first arrival$' ../out
    # the page as well
    orrery report small.h5 -o small.html
    sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>.*/\1/p' \
        small.html | jq '.[0].cluster.links | map(.lost)' >page.json
    jq -e --slurpfile page page.json '(.contention.worst | length) ==
        ($page[0] | length) and ($page[0] | min) > 0' small.json
    grep -q '"from 0 to its end"' small.html
}

@test "control_delay, where it is given, passes before a job's GPUs have another" {
    cat >next.yaml <<'END2'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
record: none
cluster:
  arrivals: [{template: a, at: 0s}, {template: a, at: 1ms}, {template: a, at: 2ms}]
  jobs: [{name: a, gpus: 4, iterations: 5, program: [{compute: 1ms}, {all-reduce: {size: 1MB}}]}]
END2
    gaps() { # ns from the end of each to the beginning of the next
        orrery run next.yaml -q --json next.json "${@:2}" \
            -s cluster.accuracy="$1"
        [ "$status" -eq 0 ] || cat ../err
        jq -c '[.jobs | .[1].started_ns - .[0].finished_ns,
                .[2].started_ns - .[1].finished_ns]' next.json
    }
    for accuracy in sampled fluid; do
        [ "$(gaps $accuracy)" = '[0,0]' ]
        [ "$(gaps $accuracy -s control_delay=5ms)" = '[5000000,5000000]' ]
        # a link at least
        [ "$(gaps $accuracy -s control_delay=1ps)" = '[1000,1000]' ]
        [ "$(gaps $accuracy -s control_delay=5ms -s cluster.queue=srtf)" = \
            '[5000000,5000000]' ]
        jq -e '.cluster.done == 3 and .cluster.gpu_hours.idle > 0' next.json
    done
    # from the end itself, not from that of its window, which says finished_ns
    [ "$(gaps packets)" = '[0,0]' ]
    gaps packets -s control_delay=5ms | jq -e '.[0] > 4998999 and .[0] <= 5000000'
    # the last to come waits for nobody if none has ended
    [ "$(gaps fluid -s control_delay=5ms -s cluster.share=3)" != '[0,0]' ]
    jq -e '[.jobs[].queueing_ns] == [0, 0, 0]' next.json
}

@test "backfill: GPUs that rest are the first one's, who passes rests as long" {
    cat >rest.yaml <<'END2'
topology: {kind: switch, hosts: 10, link: {rate: 100Gbps, delay: 1us}}
record: none
control_delay: 10s
cluster:
  accuracy: fluid
  queue: backfill
  jobs: [{name: w, gpus: [2, 4, 6], iterations: 10, program: [compute: 1s]}]
  arrivals:
  - {template: w, at: 0s, gpus: 4, iterations: 100}
  - {template: w, at: 1s, gpus: 2, iterations: 49}  # to 50 s, and rests to 60
  - {template: w, at: 10s, gpus: 6, iterations: 10} # the first: at 60 s
  - {template: w, at: 20s, gpus: 2, iterations: 30} # as well: it passes
  - {template: w, at: 50500ms, gpus: 2, iterations: 5}
END2
    orrery run rest.yaml -q --json rest.json
    [ "$status" -eq 0 ]
    # over by 55.5 s, but its GPUs would rest to 65.5: it does not pass
    is_text <(jq -c '[.jobs[].started_ns / 1e9]' rest.json) '[0,1,60,20,80]'
    # without, they are free at once, and so is its place
    orrery run rest.yaml -q --json rest.json --set 'control_delay=1us'
    is_text <(jq -c '[.jobs[].started_ns / 1e9 | . * 1000 | round]' rest.json) \
        '[0,1000,50000,20000,60000]'
}
