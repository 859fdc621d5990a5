#!/usr/bin/env bats
# GPUs of jobs that run change: elastic jobs grow, shrink and are told their
# size; jobs move. What they took is worked out on paper.

load common

setup_file() {
    export ORRERY_CACHE=$BATS_FILE_TMPDIR/cache
}

network() {
    cat <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
END
}

# A begins with all eight GPUs; B needs four of them; C takes two of A's; when B
# ends, A and C have four each; when A ends, C has eight.
three_jobs() {
    network
    cat <<'END'
cluster:
  accuracy: fluid
  resize: {cost: 100ms}
  arrivals:
  - {template: wide, at: 0s, name: A}
  - {template: fixed, at: 2s, name: B}
  - {template: wide, at: 4s, name: C}
  jobs:
  - {name: wide, gpus: {min: 2, max: 8, ask: 4, step: 2}, iterations: 1000, program: [{compute: 10ms}]}
  - {name: fixed, gpus: 4, iterations: 300, program: [{compute: 10ms}]}
END
}

# paces FILE JOB: from, to, GPUs.
paces() {
    jq -c --arg job "$2" '.jobs[] | select(.name == $job) |
        [.pace[] | [.from_ns / 1e9, .to_ns / 1e9, .gpus]]' "$1"
}

# column FILE DATASET: one value a line.
column() {
    h5dump -d "$2" -y -w 0 "$1" | sed -n '/^ *DATA {/,/}/p' | sed '/}/q' |
        tr -d ' {}' | sed 's/^DATA//' | tr ',' '\n' | sed '/^$/d'
}

@test "an elastic job grows, shrinks and pays for it, to the nanosecond" {
    three_jobs >three.yaml
    for accuracy in fluid sampled; do
        orrery run three.yaml -o a.h5 --json a.json -s cluster.accuracy=$accuracy
        [ "$status" -eq 0 ]
        # 200 iterations that count twice, 190, 45 that count half, 365
        [ "$(paces a.json A)" = '[[0,2,8],[2.1,4,4],[4.1,5,2],[5.1,8.75,4]]' ]
        [ "$(paces a.json B)" = '[[2,5,4]]' ]
        [ "$(paces a.json C)" = '[[4,5,2],[5.1,8.75,4],[8.85,11.775,8]]' ]
        jq -e '[.jobs[] | [.gpus, .resized, .done]] ==
               [[4, 3, 1000], [4, 0, 300], [4, 2, 1000]]' a.json
        # 2 s of 8 GPUs, 2 s of 4, 1 s of 2, 3.75 s of 4
        jq -e '[.jobs[].gpu_hours * 3600] | [41, 12, 41.2] as $want |
               [range(3) as $i | .[$i] - $want[$i] | fabs] | max < 1e-6' a.json
        jq -e '.cluster | .resized == 5 and .preempted == 0' a.json
        grep -q '^changes  *5 resized, 1 moved$' ../out
        # two GPUs of one rack and two of the other: four of one instead
        jq -e '[.jobs[].moved] == [1, 0, 0]' a.json
        # in the record, and by explain
        [ "$(column a.h5 /cluster_jobs/resized | tr '\n' ' ')" = '3 0 2 ' ]
        [ "$(column a.h5 /cluster_jobs/moved | tr '\n' ' ')" = '1 0 0 ' ]
        column a.h5 /cluster_stretches/gpus | sort -u | tr '\n' ' ' | grep -qx '2 4 8 '
        orrery explain three.yaml --job A -s cluster.accuracy=$accuracy
        grep -q '^  resized 3 times, moved 1, preempted 0, restarted 0: 0.01139 GPU hours$' ../out
    done
}

@test "packets: the same, but for the iteration that a change cuts off" {
    three_jobs >three.yaml
    for t in 1 2 3; do
        orrery run three.yaml -q -t $t -o a.h5 --json $t.json -s cluster.accuracy=packets
        [ "$status" -eq 0 ]
        jq 'del(.wall, .output)' $t.json >$t.same
    done
    cmp 1.same 2.same
    cmp 1.same 3.same
    [ "$(jq -c '[.jobs[].resized]' 1.json)" = '[3,0,2]' ]
    jq -e '[.jobs[].finished_ns / 1e9] | [8.75, 5, 11.775] as $want |
           [range(3) as $i | .[$i] - $want[$i]] | min >= 0 and max < 0.05' 1.json
    jq -e '[.jobs[].done] == [1000, 300, 1000]' 1.json
}

@test "GPU time given is that of the jobs, and with the idle all, at every event" {
    three_jobs >three.yaml
    for accuracy in fluid sampled packets; do
        orrery run three.yaml -q -o a.h5 --json a.json -s cluster.accuracy=$accuracy \
            -s 'cluster.arrivals[1].at=2500ms' -s cluster.failures='[{server: 1, at: 6s, for: 1s}]'
        [ "$status" -eq 0 ]
        [ "$(jq '[.jobs[].restarted] | add' a.json)" -ge 1 ]
        for x in time used out; do
            column a.h5 /cluster_epochs/$x >$x
        done
        for x in from to gpus first; do
            column a.h5 /cluster_gpus/$x >h.$x
        done
        paste time used out >epochs
        paste h.from h.to h.gpus h.first >held
        # what jobs hold after each event; no GPU twice
        awk 'NR == FNR {from[NR] = $1; to[NR] = $2; n[NR] = $3; first[NR] = $4; rows = NR; next}
             {sum = 0; delete had
              for (i = 1; i <= rows; i++)
                  if (from[i] <= $1 && $1 < to[i]) {
                      sum += n[i]
                      for (g = first[i]; g < first[i] + n[i]; g++)
                          if (had[g]++) {print "twice", g, $1; bad = 1}
                  }
              if (sum != $2 || sum + $3 > 8) {print "at", $1, ":", sum, $2, $3; bad = 1}}
             END {exit bad || FNR < 8}' held epochs
        jq -e '(.cluster.gpu_hours | (.given + .idle + .out) / .all - 1 | fabs < 1e-10)
               and (([.jobs[].gpu_hours] | add) / .cluster.gpu_hours.given - 1 |
                    fabs < 1e-10)' a.json
    done
}

@test "told: at exactly its time, and more as soon as there is room" {
    three_jobs >three.yaml
    # eight are not free before B ends
    orrery run three.yaml -q -o a.h5 --json a.json -s 'cluster.arrivals[2].at=100s' \
        -s 'cluster.resize.told=[{job: A, at: 1s, gpus: 2}, {job: A, at: 3500ms, gpus: 8}]'
    [ "$status" -eq 0 ]
    [ "$(paces a.json A | jq -c '.[:3]')" = '[[0,1,8],[1.1,5,2],[5.1,8.125,8]]' ]
    # 200, 195 and 605: 200 + 0.5 * 390 + 2 * 302.5
    [ "$(jq '.jobs[0].finished_ns' a.json)" = 8125000000 ]
    # one that waits begins with as many
    orrery run three.yaml -q -o a.h5 --json a.json \
        -s 'cluster.resize.told=[{job: C, at: 0s, gpus: 6}]'
    [ "$(paces a.json C | jq -c '.[0][2]')" = 6 ]
}

@test "a job that has just changed keeps its size for a while" {
    three_jobs >three.yaml
    # A changed at 4 s, when C began: both wait until 5.5 s, though B ends at 5;
    # A has done 400, 190 and 70 by then
    orrery run three.yaml -q -o a.h5 --json a.json -s cluster.resize.every=1500ms
    [ "$status" -eq 0 ]
    [ "$(paces a.json A | jq -c '.[2:4]')" = '[[4.1,5.5,2],[5.6,9,4]]' ]
    orrery run three.yaml -q -o a.h5 --json a.json -s cluster.resize.shrink=false \
        -s cluster.resize.grow=false
    jq -e '[.jobs[].resized] == [0, 0, 0]' a.json
    [ "$(paces a.json A)" = '[[0,10,4]]' ]
}

@test "one batch for all GPUs: as many iterations, each shorter" {
    network >m.yaml
    cat >>m.yaml <<'END'
cluster:
  accuracy: fluid
  arrivals: [{template: net, at: 0s}]
  jobs:
  - {name: net, gpus: {min: 2, max: 8, ask: 4, step: double, batch: global}, iterations: 500, model: resnet50, batch: 32}
END
    orrery run m.yaml -q -o a.h5 --json global.json
    orrery run m.yaml -q -o a.h5 --json gpu.json -s 'cluster.jobs[0].gpus.batch=gpu'
    orrery run m.yaml -q -o a.h5 --json eight.json \
        -s 'cluster.jobs[0].gpus=8' -s 'cluster.jobs[0].batch=16'
    orrery run m.yaml -q -o a.h5 --json four.json -s 'cluster.jobs[0].gpus=4'
    pace() { jq '.jobs[0].iteration_ns' "$1.json"; }
    end() { jq '.jobs[0].finished_ns' "$1.json"; }
    # half the batch on twice the GPUs, 500 times
    [ "$(pace global)" = "$(pace eight)" ]
    [ "$(end global)" = "$(end eight)" ]
    # the batch of a GPU on twice the GPUs, 250 times
    jq -n -e "($(end gpu) / 250 - $(pace gpu) | fabs) < 1"
    jq -n -e "$(end global) < $(end four) and $(end gpu) < $(end global)"
    [ "$(jq '.jobs[0].alone_ns' global.json)" = "$(jq '.jobs[0].alone_ns' four.json)" ]
}

@test "by gain: GPUs go where they save most time" {
    network >g.yaml
    cat >>g.yaml <<'END'
cluster:
  accuracy: fluid
  resize: {by: gain}
  arrivals: [{template: short, at: 0s, name: S}, {template: long, at: 0s, name: L}]
  jobs:
  - {name: short, gpus: {min: 2, max: 6, ask: 2, step: 2}, iterations: 100, program: [{compute: 10ms}]}
  - {name: long, gpus: {min: 2, max: 6, ask: 2, step: 2}, iterations: 1000, program: [{compute: 10ms}]}
END
    orrery run g.yaml -q -o a.h5 --json a.json
    [ "$(paces a.json S)" = '[[0,1,2]]' ]
    [ "$(paces a.json L | jq -c '.[0][2]')" = 6 ]
    orrery run g.yaml -q -o a.h5 --json a.json -s cluster.resize.by=share
    [ "$(paces a.json S | jq -c '.[0][2]')" = 4 ]
    [ "$(paces a.json L | jq -c '.[0][2]')" = 4 ]
    # a job that more GPUs make slower stays as it is
    orrery run g.yaml -q -o a.h5 --json a.json -s cluster.resize.by=share \
        -s 'cluster.jobs[1].program=[{compute: 1us}, {broadcast: {size: 1MB, algorithm: direct}}]'
    [ "$(paces a.json L | jq -c '.[0][2]')" = 2 ]
}

@test "a job moves to one rack, for a price, if that is worth it" {
    network >m.yaml
    cat >>m.yaml <<'END'
cluster:
  accuracy: fluid
  migrate: {cost: 500ms}
  arrivals:
  - {template: three, at: 0s, name: A, iterations: 100}
  - {template: three, at: 0s, name: B, iterations: 1000}
  - {template: two, at: 0s, name: C, iterations: 1000}
  jobs:
  - {name: three, gpus: 3, iterations: 1, program: [{compute: 10ms}]}
  - {name: two, gpus: 2, iterations: 1, program: [{compute: 10ms}, {all-reduce: {size: 1MB}}]}
END
    for accuracy in fluid sampled packets; do
        orrery run m.yaml -q -o a.h5 --json a.json -s cluster.accuracy=$accuracy
        [ "$status" -eq 0 ]
        jq -e '[.jobs[].moved] == [0, 0, 1] and .cluster.moved == 1' a.json
        # its iterations are shorter then: two switches fewer on each way
        jq -e '.jobs[2].pace | length == 2 and
               .[1].from_ns - .[0].to_ns == 5e8 and
               .[1].iteration_ns < .[0].iteration_ns - 3000' a.json
    done
    orrery run m.yaml -q -o a.h5 --json a.json -s cluster.migrate.cost=20s
    jq -e '[.jobs[].moved] == [0, 0, 0]' a.json
    orrery run m.yaml -q -o a.h5 --json a.json -s cluster.migrate.every=2s
    jq -e '[.jobs[].moved] == [0, 0, 0]' a.json # nothing happens after 1 s
    orrery run m.yaml -q -o a.h5 --json a.json -s cluster.migrate=null
    jq -e '[.jobs[].moved] == [0, 0, 0]' a.json
}

# Elastic jobs that meet on the spine, of two kinds, and come at random.
crowd() {
    cat <<'END'
topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts: 24, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 64KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
repeat: {kind: sampled, error: 2%}
cluster:
  arrivals: {kind: poisson, load: 90%, most: 14}
  resize: {cost: 50ms, every: 300ms}
  migrate: {cost: 100ms, every: 1s}
  jobs:
  - {name: vgg, gpus: {min: 2, max: 12, ask: 6, step: 2}, iterations: 200, program: [{compute: 20ms}, {all-reduce: {size: 20MB}}]}
  - {name: bert, gpus: [3, 6], iterations: 150, program: [{compute: 10ms}, {all-reduce: {size: 20MB}}]}
END
}

# bats test_tags=larger
@test "a crowd of elastic jobs: any queue, any number of threads, killed and started again" {
    local resized=0
    crowd >crowd.yaml
    for queue in fifo backfill sjf srtf las themis; do
        for t in 1 3; do
            rm -rf "$ORRERY_CACHE"
            orrery run crowd.yaml -q -t $t -o a.h5 --json $t.json -s cluster.queue=$queue
            [ "$status" -eq 0 ]
            jq 'del(.wall, .output)' $t.json >$t.same
        done
        cmp 1.same 3.same
        jq -e '.cluster.done == 14 and ([.jobs[] | .done == .iterations] | all)' 1.json
        jq -e '([.jobs[].gpu_hours] | add) / .cluster.gpu_hours.given - 1 |
               fabs < 1e-9' 1.json
        resized=$((resized + $(jq .cluster.resized 1.json)))
    done
    [ "$resized" -gt 20 ]
    # what was found out before it was killed is there when it starts again
    rm -rf "$ORRERY_CACHE"
    orrery run crowd.yaml -q -o whole.h5 --json whole.json
    rm -rf "$ORRERY_CACHE"
    "$ORRERY" run crowd.yaml -q -o cut.h5 &
    until [ "$(grep -c . "$ORRERY_CACHE"/cluster-* 2>/dev/null)" -ge 2 ] 2>/dev/null; do
        kill -0 $! || break
    done
    kill -9 $! || true
    wait $! || true
    orrery run crowd.yaml -q -o cut.h5 --json cut.json
    [ "$(jq .fingerprint whole.json)" = "$(jq .fingerprint cut.json)" ]
    jq -s -e '.[1].basis.simulated < .[0].basis.simulated' whole.json cut.json
}

@test "rho of an elastic job by itself is 1: against what is simulated alone" {
    cat >alone.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 4KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
repeat: {kind: sampled, error: 2%}
record: none
cluster:
  arrivals: [{template: a, at: 0s}]
  resize: {grow: false}
  jobs: [{name: a, gpus: {min: 4, ask: 8, max: 8}, iterations: 20, program: [{compute: 1ms}, {all-reduce: {size: 10MB}}]}]
END
    alone() { # its rho is, but for times that are rounded
        orrery run alone.yaml -q --json alone.json "$@"
        [ "$status" -eq 0 ] || cat ../err
        jq -e '.jobs[0].rho - 1 | fabs < 1e-6' alone.json
    }
    alone
    alone -s 'cluster.jobs[0].gpus={min: 4, ask: 4, max: 8, step: double}'
    alone -s 'cluster.jobs[0].gpus=8'
    # a size that it did not ask for says nothing of the one that it did: rho is
    # against an iteration of 4 GPUs, of which one of 8 counts as two
    alone -s 'cluster.jobs[0].gpus={min: 4, ask: 4, max: 8, step: double}'
    four=$(jq '.jobs[0].alone_ns' alone.json)
    orrery run alone.yaml -q --json grown.json -s cluster.resize.grow=true \
        -s 'cluster.jobs[0].gpus={min: 4, ask: 4, max: 8, step: double}'
    jq -e --argjson four "$four" '.jobs[0] | .resized == 0 and .rho < 0.6 and
        (.alone_ns / $four - 1 | fabs < 0.01)' grown.json
}
