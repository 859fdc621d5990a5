# A cluster ends, whatever its jobs wait for, under every queueing policy: with
# what they did, or with the reason for which they never will.

load common

queues() {
    "$ORRERY" list cluster-queues | awk '/^  [a-z]/ {print $1}'
    echo '{kind: las, promote: 2, quantum: 1ms}'
    echo '{kind: themis, lease: 1s, fairness: 0}'
}

# stuck WAY QUEUE ACCURACY: the configuration, way.yaml.
configure() {
    printf '%s\n' \
        'topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 4, link: {rate: 10Gbps, delay: 1us}}' \
        'record: none' 'cluster:' "  queue: $2" "  accuracy: $3" >way.yaml
    "$1" >>way.yaml
}

# Each way prints the rest of a cluster; the pattern of the message it ends
# with comes first, in a comment.
too_few() {
    cat <<'E'
  # 1 no events are left, but 1 job waits for GPUs: a-0: it needs 4 GPUs; not out: 3
  arrivals: [{template: a, at: 10ms}]
  jobs: [{name: a, gpus: 4, iterations: 3, program: [compute: 1ms]}]
  failures: [{server: 3, at: 5ms}]
E
}
too_few_beside_others() {
    cat <<'E'
  # 1 no events are left, but 1 job waits for GPUs: a-1: it needs 4 GPUs; not out: 3
  arrivals: [{template: b, at: 0s}, {template: a, at: 10ms}]
  jobs:
  - {name: a, gpus: 4, iterations: 3, program: [compute: 1ms]}
  - {name: b, gpus: 1, iterations: 100000, program: [compute: 10s]}
  failures: [{server: 3, at: 5ms}]
E
}
named_one_is_out() {
    cat <<'E'
  # 1 no events are left, but * for GPUs: a-0: its GPU 0 is out*
  preempt: 10ms
  arrivals: [{template: a, at: 0s, hosts: [0, 1]}, {template: b, at: 0s}, {template: b, at: 1s}]
  failures: [{server: 0, at: 100ms}]
  jobs:
  - {name: a, gpus: 2, iterations: 3, program: [compute: 1s]}
  - {name: b, gpus: 3, iterations: 40, program: [compute: 1s]}
E
}
shared_and_out() {
    cat <<'E'
  # 1 no events are left, but 1 job waits for GPUs: a-2: it needs 4 GPUs; not out: 3
  share: 2
  preempt: 10ms
  arrivals: [{template: b, at: 0s}, {template: b, at: 0s}, {template: a, at: 1s}]
  failures: [{server: 0, at: 500ms}]
  jobs:
  - {name: a, gpus: 4, iterations: 3, program: [compute: 1s]}
  - {name: b, gpus: 3, iterations: 40, program: [compute: 1s]}
E
}
elastic() {
    cat <<'E'
  # 1 no events are left, but 1 job waits for GPUs: a-0: it needs 2 GPUs; not out: 1
  resize: {every: 1ms}
  arrivals: [{template: a, at: 1s}]
  failures: [{server: 0, at: 1500ms}, {server: 1, at: 2s}, {server: 2, at: 2s}]
  jobs: [{name: a, gpus: {min: 2, ask: 3, max: 4}, iterations: 30, program: [compute: 1s]}]
E
}
elastic_is_told() {
    cat <<'E'
  # 1 no events are left, but 1 job waits for GPUs: a-1: it needs 4 GPUs; not out: 3
  resize: {told: [{job: a-1, at: 1s, gpus: 4}]}
  arrivals: [{template: a, at: 2s}, {template: b, at: 0s}]
  failures: [{server: 0, at: 1500ms}]
  jobs:
  - {name: a, gpus: {min: 1, ask: 2, max: 4}, iterations: 30, program: [compute: 1s]}
  - {name: b, gpus: 1, iterations: 30, program: [compute: 1s]}
E
}
suspended() {
    cat <<'E'
  # 1 no events are left, but 2 jobs wait for GPUs: a-0: it needs 4 GPUs; not out: 3; *
  preempt: 10ms
  arrivals: [{template: a, at: 0s}, {template: a, at: 1s}]
  failures: [{server: 0, at: 5s}]
  jobs: [{name: a, gpus: 4, iterations: 300, program: [compute: 1s]}]
E
}
message_never_comes() {
    cat <<'E'
  # 1 no events are left, but 1 rank waits: b: rank 1 in iteration 0 waits for a message with tag 3 from rank 0 *
  arrivals: [{template: b, at: 0s}, {template: a, at: 10ms}]
  jobs:
  - {name: a, gpus: 4, iterations: 3, program: [compute: 1ms]}
  - {name: b, gpus: 2, iterations: 3, program: [{compute: 10s}, {recv: {from: 0, tag: 3}, ranks: [1]}]}
E
}
longer_than_time() {
    cat <<'E'
  # 1 job b-0 *
  arrivals: [{template: b, at: 0s}, {template: a, at: 10ms}]
  jobs:
  - {name: a, gpus: 4, iterations: 3, program: [compute: 1ms]}
  - {name: b, gpus: 1, iterations: 1000000000000, program: [compute: 10s]}
E
}
starts_take_days() {
    cat <<'E'
  # 0
  start: 40d
  arrivals: [{template: a, at: 0s}]
  jobs: [{name: a, gpus: 4, iterations: 300, program: [compute: 1s]}]
E
}
rack_never_free() { # an outage in each: it need not wait
    cat <<'E'
  # 0
  placement: {kind: rack-aware, wait: true}
  arrivals: [{template: b, at: 0s}, {template: a, at: 1s}]
  failures: [{server: 0, at: 500ms}, {server: 2, at: 500ms}]
  jobs:
  - {name: a, gpus: 2, iterations: 3, program: [compute: 1s]}
  - {name: b, gpus: 1, iterations: 3, program: [compute: 1s]}
E
}
ways=(too_few too_few_beside_others named_one_is_out shared_and_out elastic
      elastic_is_told suspended message_never_comes longer_than_time
      starts_take_days rack_never_free)

# ends WAY QUEUE ACCURACY: within seconds, and says what it should.
ends() {
    local expected said status=0
    configure "$@"
    expected=$(sed -n 's/^  # //p' way.yaml)
    cpu 5 "$ORRERY" run way.yaml -q >../out 2>../err || status=$?
    said="$status$(sed 's/^orrery: / /' ../err)"
    # shellcheck disable=SC2053 # a pattern
    [[ $said == $expected ]] || { echo "$*: $said"; return 1; }
}

@test "all queues, all ways to be stuck: each run ends, and says why" {
    export ORRERY_CACHE=$PWD
    queues >../queues
    [ "$(wc -l <../queues)" -ge 8 ]
    while read -r queue; do
        for way in "${ways[@]}"; do
            ends "$way" "$queue" fluid
        done
    done <../queues
}

@test "the same with packets, and with samples of them" {
    export ORRERY_CACHE=$PWD
    for accuracy in sampled packets; do
        for queue in las '{kind: themis, lease: 1s, fairness: 0}'; do
            for way in "${ways[@]}"; do
                ends "$way" "$queue" $accuracy
            done
        done
    done
}

# GPUs go from job to job before a start is paid for, and for ever.
@test "jobs that take GPUs from one another and do nothing with them are told" {
    export ORRERY_CACHE=$PWD
    thrash() {
        cat <<'E'
  # 1 jobs preempt one another without progress: a-1 has lost its GPUs * times (does a start cost more than a lease, or an iteration[?])
  preempt: 10s
  start: 10s
  arrivals: [{template: a, at: 0s}, {template: a, at: 0s}, {template: a, at: 0s}]
  jobs: [{name: a, gpus: 4, iterations: 300, program: [compute: 3s]}]
E
    }
    for accuracy in fluid sampled packets; do
        ends thrash '{kind: las, threshold: 1s, quantum: 1ms, promote: 0.001}' \
            $accuracy
    done
}

@test "an estimate of what never ends comes nevertheless" {
    export ORRERY_CACHE=$PWD
    for way in too_few message_never_comes longer_than_time; do
        configure $way '{kind: themis, lease: 1s}' fluid
        cpu 5 "$ORRERY" check way.yaml >../out 2>../err || [ $? -eq 1 ]
    done
}
