#!/usr/bin/env bats
# orrery timeline: Chrome trace events of a run.

load common

# Two jobs; one sends and receives, one has a collective beside computations.
jobs() {
    cat >jobs.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
jobs:
- {name: "pass \"on\"", ranks: 2, placement: [0, 1], iterations: 3, program: [compute: 1us, parallel: [[{send: {to: +1, size: 10KB}}], [{recv: {from: +1}}]]]}
- {name: reduce, ranks: 2, placement: [2, 3], iterations: 2, program: [parallel: [[{compute: 50us}], [{all-reduce: {size: 40KB}}]]]}
YAML
    "$ORRERY" run jobs.yaml -q
}

# has FILTER: it holds for the trace.
has() {
    jq -e "$1" timeline.json >/dev/null || { echo "not: $1"; return 1; }
}

@test "ranks, jobs, arrows and counters" {
    jobs
    orrery timeline jobs.h5
    [ "$status" -eq 0 ]
    is_text ../out ''
    leaves jobs.h5 jobs.yaml timeline.json
    has '[.traceEvents[] | select(.name == "process_name") | .args.name] ==
         ["pass \"on\"", "reduce", "links"]'
    # that is how they stand one below the other, ranks before links
    has '[.traceEvents[] | select(.name == "process_sort_index") |
          [.pid, .args.sort_index]] == [[0, 0], [1, 1], [2, 2]]'
    # 2 ranks x 3 iterations x (compute, send, recv), 2 x 2 x (compute, collective)
    has '[.traceEvents[] | select(.ph == "X")] | length == 26'
    has '[.traceEvents[] | select(.ph == "X" and .name == "compute" and .pid == 0)
          | .dur] | length == 6 and all(. == 1)'
    # as many arrows as messages, none backwards in time
    has '[.traceEvents[] | select(.ph == "s")] | length == 6'
    has '[.traceEvents[] | select(.cat == "message")] | group_by(.id) |
         all(length == 2 and .[0].ph == "s" and .[1].ph == "f" and
             .[0].ts < .[1].ts and .[0].tid != .[1].tid)'
    # each end of an arrow is within a span of its track, before that ends
    has '[.traceEvents[] | select(.ph == "X")] as $spans |
         [.traceEvents[] | select(.cat == "message")] | length == 12 and
         all(. as $tip | any($spans[]; .pid == $tip.pid and .tid == $tip.tid and
             .ts <= $tip.ts and $tip.ts < .ts + .dur))'
    has '[.traceEvents[] | select(.ph == "C") | .args.value] | max > 50'
}

@test "counters for chosen links, by name or id" {
    jobs
    orrery timeline jobs.h5 --link 'switch 4 > host 1' --link 'host 2 -> switch 4' \
        --link 0
    [ "$status" -eq 0 ]
    jq -r '.traceEvents[] | select(.ph == "C") | .name' timeline.json | sort -u >names
    is_text names "$(printf '%s\n' 'host 0 > switch 4, queue B' \
        'host 0 > switch 4, utilization %' 'host 2 > switch 4, queue B' \
        'host 2 > switch 4, utilization %' 'switch 4 > host 1, queue B' \
        'switch 4 > host 1, utilization %')"
    orrery timeline jobs.h5 --link nowhere
    fails 2 'orrery: jobs.h5 has no link "nowhere" among the 8 that were used; names are as in "host 2 > switch 4"'
    leaves jobs.h5 jobs.yaml names timeline.json
}

@test "run --timeline: the same at once" {
    jobs
    orrery timeline jobs.h5 -o later.json
    orrery run jobs.yaml -q --timeline timeline.json
    [ "$status" -eq 0 ]
    cmp later.json timeline.json
    rm timeline.json
    orrery run jobs.yaml --set record=none --timeline timeline.json
    [ "$status" -eq 0 ]
    # shellcheck disable=SC2016
    is_text ../err 'note: timeline.json is not written: it is made of the records, and the configuration says `record: none`'
    orrery run jobs.yaml --timeline jobs.yaml
    fails 2 'orrery run: that would overwrite the configuration
hint: `orrery help run` says how it is used'
    orrery run jobs.yaml --timeline -
    fails 2 'orrery run: --timeline needs the name of a file
hint: `orrery help run` says how it is used'
    orrery run jobs.yaml --timeline a.json --json a.json
    fails 2 'orrery run: --timeline and another output name one file
hint: `orrery help run` says how it is used'
    leaves jobs.h5 jobs.yaml later.json
}

@test "what overlaps on a rank stands on tracks of its own" {
    jobs
    orrery timeline jobs.h5 -o - --links 0
    [ "$status" -eq 0 ]
    cp ../out timeline.json
    has '[.traceEvents[] | select(.ph == "C")] | length == 0'
    has '[.traceEvents[] | select(.ph == "X")] | group_by([.pid, .tid]) |
         all(. as $t | [range(1; length)] |
             all($t[.].ts >= $t[. - 1].ts + $t[. - 1].dur - 0.000001))'
}

@test "bad input: message and status" {
    jobs
    orrery timeline
    fails 2 'orrery timeline: which run?
hint: `orrery help timeline` says how it is used'
    orrery timeline jobs.h5 jobs.h5
    fails 2 'orrery timeline: one run only
hint: `orrery help timeline` says how it is used'
    orrery timeline jobs.yaml
    fails 2 'orrery: jobs.yaml is no HDF5 file
hint: run it first: `orrery run jobs.yaml -o run.h5` writes the record'
    orrery timeline jobs.h5 --links many
    [ "$status" -eq 2 ]
    leaves jobs.h5 jobs.yaml
}
