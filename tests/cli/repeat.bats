#!/usr/bin/env bats
# repeat: iterations that are the same as others are not simulated, and the
# results are as if they had been.

load common

# What a run says of itself, and not of what it simulated, is left out.
results() {
    jq 'del(.wall, .fingerprint, .repeat, .output)
        | .links.busiest[].mean_queue_bytes |= (. * 1e3 | round)' "$1"
}

# both NAME [ARGUMENT...]: simulates NAME.yaml in full and with repetition.
both() {
    local name=$1
    shift
    orrery run "$name.yaml" --quiet --json full.json -o full.h5 "$@"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    orrery run "$name.yaml" --json exact.json -o exact.h5 "$@" \
        --set repeat=exact
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    diff <(results full.json) <(results exact.json)
}

# Every series, iteration and total in the files.
same_files() {
    local group
    for group in links iterations jobs collectives; do
        h5diff -p 1e-9 full.h5 exact.h5 "/$group" || return 1
    done
}

# ring CONTROL [ITERATIONS [NETWORK]]
ring() {
    cat >ring.yaml <<END
topology:
  kind: leaf-spine
  leaves: 4
  spines: 2
  hosts_per_leaf: 4
  link: {rate: 100Gbps, delay: 500ns}
network: {mtu: 4096B, cc: $1, ties: index,
          ${3:-"queue: {kind: ecn, threshold: 100KB}"}}
jobs:
  - name: ring
    ranks: 8
    iterations: ${2:-300}
    program:
      - compute: 50us
      - all-reduce: {size: 256KiB, algorithm: ring}
END
}

@test "a job alone: a thousand iterations, to the last picosecond" {
    ring none 1000
    both ring
    same_files
    [ "$(jq '.repeat.jobs[0].repeated > 900' exact.json)" = true ]
    [ "$(jq '.repeat.jobs[0] | .simulated + .repeated' exact.json)" = 1000 ]
    grep -q "^repeated  *9[0-9]* of 1,000 iterations" ../out
}

# repeats_under CONTROL...
repeats_under() {
    local cc
    for cc; do
        ring "$cc" "${iterations:-320}"
        both ring --set record=none
        [ "$(jq '.repeat.jobs[0].repeated > 50' exact.json)" = true ] ||
            { echo "$cc"; jq .repeat exact.json; return 1; }
    done
}

@test "the same under controls that show their state" {
    repeats_under reno dcqcn swift "{kind: mltcp, base: dctcp}"
}

# bats test_tags=larger
@test "the same under the other controls that do" {
    iterations=500
    repeats_under cubic dctcp timely nscc
}

# repeats_with: lines of CONTROL; NETWORK
repeats_with() {
    local cc network
    while IFS=';' read -r cc network; do
        ring "$cc" "${iterations:-260}" "$network"
        both ring
        same_files || { echo "$cc, $network"; return 1; }
        [ "$(jq '.repeat.jobs[0].repeated > 50' exact.json)" = true ] ||
            { echo "$cc, $network"; jq .repeat exact.json; return 1; }
    done
}

@test "ports whose departures are events: classes, pause frames, telemetry" {
    repeats_with <<'END'
dctcp; ports: explicit
hpcc; queue: {kind: droptail}
dcqcn; pfc: {enabled: true}, queue: {kind: red, capacity: 32MiB}
none; buffer: {kind: shared, size: 4MiB, alpha: 1}, queue: {scheduler: fair}
END
}

# bats test_tags=larger
@test "more such ports: telemetry in fields, two classes, trimming" {
    iterations=300
    repeats_with <<'END'
{kind: hpcc, telemetry: fields}; queue: {kind: droptail}
{kind: mltcp, base: hpcc}; queue: {scheduler: strict}, classes: 2
nscc; queue: {kind: trim}
END
}

@test "what links lose and what telemetry draws is not looked at" {
    ring hpcc 30
    orrery run ring.yaml --set repeat=exact --json a.json --quiet \
        --set 'network.cc={kind: hpcc, telemetry: pint, base_rtt: 10us}'
    [ "$status" -eq 0 ]
    [ "$(jq -r .repeat.full a.json)" = "its telemetry is rounded at random" ]
    orrery run ring.yaml --set repeat=exact --json a.json --quiet \
        --set topology.link.loss=0.0001
    [ "$status" -eq 0 ]
    [ "$(jq -r .repeat.full a.json)" = "links lose packets" ]
    orrery run ring.yaml --set repeat=exact --json a.json --quiet \
        --set network.cc=none --set network.switching=cut-through
    [ "$status" -eq 0 ]
    [ "$(jq -r .repeat.full a.json)" = "switches cut through" ]
}

@test "neither threads nor processes change what is repeated" {
    ring dctcp
    orrery run ring.yaml --quiet --json one.json --set repeat=exact
    [ "$status" -eq 0 ]
    orrery run ring.yaml --quiet --json two.json --set repeat=exact \
        --threads 2
    [ "$status" -eq 0 ]
    diff <(jq '.repeat, .fingerprint' one.json) \
        <(jq '.repeat, .fingerprint' two.json)
    [ "$(jq '.repeat.jumps | length' one.json)" -ge 1 ]
}

@test "what comes from outside is not gone over: flows, other jobs" {
    cat >mix.yaml <<'END'
topology:
  kind: leaf-spine
  leaves: 4
  spines: 2
  hosts_per_leaf: 4
  link: {rate: 100Gbps, delay: 500ns}
network: {mtu: 4096B, ties: index}
flows: [{src: 12, dst: 15, size: 1MB, start: 30ms}]
jobs:
  - name: a
    ranks: 2
    placement: [0, 4]
    iterations: 400
    program:
      - compute: 50us
      - all-reduce: {size: 128KiB, algorithm: ring}
  - name: b
    ranks: 2
    placement: [8, 9]
    start: 20ms
    iterations: 60
    program:
      - compute: 300us
      - all-reduce: {size: 64KiB, algorithm: ring}
END
    both mix
    same_files
    [ "$(jq '.repeat.jumps | length > 1' exact.json)" = true ]
    # none begins before and ends after what comes
    for at in 20 30; do
        [ "$(jq ".repeat.jumps | map(select(.at_ns < ${at}e6 and
            .at_ns + .period_ns * .times > ${at}e6)) | length" \
            exact.json)" = 0 ]
    done
}

@test "a stop between" {
    ring dctcp
    both ring --set stop=30ms
    [ "$(jq '.repeat.jobs[0].repeated > 10' exact.json)" = true ]
}

@test "what does not repeat itself is simulated in full, and that is said" {
    ring none 30
    orrery run ring.yaml --set repeat=exact --json a.json \
        --set 'network.routing=spray'
    [ "$status" -eq 0 ]
    grep -q "^repeated  *none; all was simulated: packets of a connection" \
        ../out
    [ "$(jq -r .repeat.full a.json)" = \
        "packets of a connection take several paths" ]
    orrery run ring.yaml --quiet --json b.json \
        --set 'network.routing=spray'
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ]
    orrery run ring.yaml --set repeat=exact --quiet --json c.json \
        --set 'jobs=[{name: a, ranks: 4, iterations: 5,
            jitter: {kind: normal, spread: 0.1}, program: [{compute: 1us},
            {all-reduce: {size: 1KB}}]}]'
    [ "$(jq -r .repeat.full c.json)" = "its computations have jitter" ]
}

mix() {
    cat >mix.yaml <<'END'
topology:
  kind: leaf-spine
  leaves: 4
  spines: 2
  hosts_per_leaf: 4
  link: {rate: 25Gbps, delay: 1us}
network: {mtu: 4096B, queue: {kind: ecn, threshold: 100KB}, cc: dctcp}
jobs:
  - name: a
    ranks: 4
    placement: [0, 4, 8, 12]
    iterations: 400
    program: [{compute: 300us}, {all-reduce: {size: 512KiB, algorithm: ring}}]
  - name: b
    ranks: 4
    placement: [1, 5, 9, 13]
    iterations: 300
    program: [{compute: 500us}, {all-reduce: {size: 512KiB, algorithm: ring}}]
END
}

@test "servers of a job: to the last byte" {
    cat >serve.yaml <<'END'
topology: {kind: switch, hosts: 6, link: {rate: 8Gbps, delay: 1us}}
network: {cc: none, ties: index}
jobs: [{ranks: 4, iterations: 200, program: [{compute: 100us},
        {all-reduce: {size: 100KB, algorithm: parameter-server, servers: [4, 5]}}]}]
END
    both serve
    [ "$(jq '.repeat.jobs[0].repeated > 100' exact.json)" = true ]
    same_files
}

@test "sampled: jobs in each other's way, within the error that is asked for" {
    mix
    orrery run mix.yaml --quiet --json full.json --set record=none
    orrery run mix.yaml --json sampled.json -o sampled.h5 \
        --set 'repeat={kind: sampled, error: 3%}'
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -s -e '.[0].jobs as $full | .[1] as $s | [range(2)]
        | all(. as $j | $s.repeat.jobs[$j] as $r
            | ($s.jobs[$j].iterations | length) == ($full[$j].iterations | length)
            and $r.simulated + $r.repeated + $r.inferred
                == ($full[$j].iterations | length)
            and $r.inferred > 100 and $r.error <= 0.03
            and (($s.jobs[$j].iteration_ns.mean / $full[$j].iteration_ns.mean
                - 1) | fabs) <= 0.03
            and (($s.jobs[$j].finish_ns / $full[$j].finish_ns - 1) | fabs)
                <= 0.03)' full.json sampled.json
    jq -s -e '(.[1].links.busiest[0].bytes / .[0].links.busiest[0].bytes - 1
        | fabs) < 0.03' full.json sampled.json
    grep -q "^repeated  *[0-9]* of 700 iterations, inferred; a job's mean is known to" \
        ../out
    jq -e '.counters | .packets_sent == .packets_delivered + .packets_dropped' \
        sampled.json
    # iterations follow one another, in the file as well
    jq -e '.jobs | all(.iterations | [.[:-1], .[1:]] | transpose
        | all(.[0].end_ns < .[1].end_ns))' sampled.json
    [ "$(h5dump -d /links/time sampled.h5 | grep -c "([0-9]*):")" -gt 10 ]
}

@test "sampled: jobs that end one after another, the error is of all iterations" {
    mix
    sed -i 's/iterations: 400/iterations: 900/' mix.yaml
    orrery run mix.yaml --quiet --json full.json --set record=none \
        --set 'jobs[1].start=20ms'
    orrery run mix.yaml --quiet --json sampled.json --set record=none \
        --set 'jobs[1].start=20ms' --set 'repeat={kind: sampled, error: 3%}'
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    # a alone, both, and a alone again: each has its own mean, nothing is
    # skipped from one into the other, and their errors add up to the asked one
    jq -s -e '.[0].jobs as $full | .[1] as $s
        | $full[1].finish_ns as $over
        | ([$s.repeat.jumps[] | .at_ns] | [map(select(. < 20e6)),
            map(select(. > 20e6 and . < $over)), map(select(. > $over))]
            | all(length > 0))
        and ($s.repeat.jumps | all(.at_ns + .times * .period_ns < 20e6
            or .at_ns > 20e6))
        and ([range(2)] | all(. as $j
            | $s.repeat.jobs[$j].error <= 0.03
            and $s.repeat.jobs[$j].inferred > 100
            and (($s.repeat.jobs[$j].mean_ns
                / $full[$j].iteration_ns.mean - 1) | fabs) <= 0.03
            and (($s.jobs[$j].iteration_ns.mean / $full[$j].iteration_ns.mean
                - 1) | fabs) <= 0.03))' full.json sampled.json
}

# Its first rank waits for nobody: in a stretch it does more iterations than the
# other.
@test "sampled: ranks that do not stay together are not inferred, nor who is beside them" {
    cat >ahead.yaml <<'END'
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, threshold: 50KB}}
jobs:
  - name: ahead
    ranks: 2
    placement: [0, 2]
    iterations: 100
    program: [{compute: 20us, ranks: [0]}, {send: {to: 1, size: 100KB}, ranks: [0]},
              {compute: 500us, ranks: [1]}, {recv: {from: 0}, ranks: [1]}]
  - {name: b, ranks: 2, placement: [1, 3], iterations: 600, program: [compute: 50us, send: {from: 0, to: 1, size: 100KB}]}
record: none
END
    orrery run ahead.yaml --quiet --json full.json
    orrery run ahead.yaml --quiet --json -  \
        --set 'repeat={kind: sampled, error: 5%}'
    jq -e --slurpfile full full.json '
        .jobs[0].bytes_sent == 10000000 and .repeat.jobs[0].inferred == 0
        and (.jobs[1].iterations | length) == 600
        and (.jobs[1].iteration_ns.mean / $full[0].jobs[1].iteration_ns.mean
             | . > 0.95 and . < 1.05)' ../out
}

@test "sampled: what jobs have sent and computed is that of all iterations" {
    cat >totals.yaml <<'END'
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, threshold: 50KB}}
jobs:
  - {name: a, ranks: 2, placement: [0, 2], iterations: 700, program: [compute: 70us, send: {from: 0, to: 1, size: 150KB}]}
  - {name: b, ranks: 2, placement: [1, 3], iterations: 1000, program: [compute: 50us, send: {from: 0, to: 1, size: 100KB}]}
flows: [{src: 0, dst: 2, size: 20MB}]
record: none
END
    orrery run totals.yaml --quiet --json full.json
    orrery run totals.yaml --quiet --json - \
        --set 'repeat={kind: sampled, error: 5%}'
    jq -e --slurpfile full full.json '
        def sums: [.jobs[] | .bytes_sent, .breakdown.compute_ns,
                   (.rank_list[] | .bytes_sent, .bytes_received)];
        def near($x): . / $x | . > 0.99 and . < 1.01;
        (.repeat.jobs | map(.inferred) | add > 1000)
        and (.jobs | map(.bytes_sent) == [105000000, 100000000])
        and sums == ($full[0] | sums)
        and (.counters.packets_sent | near($full[0].counters.packets_sent))
        and (.links.mean_utilization | near($full[0].links.mean_utilization))' \
        ../out
}

# servers [KEY]: a job of four ranks and two servers, beside another one.
servers() {
    cat >four.yaml <<'END'
title: four equal layers
profile: {batch: 1}
batch: 1
layers:
  - {name: layer, repeat: 4, layers: [{name: only, tensors: [100000],
     activations: 100000B, forward: 100us, backward: 200us}]}
END
    cat >servers.yaml <<END
topology: {kind: switch, hosts: 8, link: {rate: 8Gbps, delay: 1us}}
network: {mtu: 16KB, cc: dctcp, queue: {kind: ecn, threshold: 100KB}}
record: none
jobs:
  - {name: p, ranks: 4, placement: [0, 1, 2, 3], model: four.yaml,
     iterations: 300, jitter: {kind: uniform, spread: 0.1},
     sync: parameter-server, servers: [4, 5]${1:+, $1}}
  - {name: q, ranks: 2, placement: [4, 6], model: four.yaml, iterations: 300}
END
}

@test "sampled: servers have sent and received what is of all iterations" {
    for kind in '' 'asynchronous: true'; do
        servers "$kind"
        orrery run servers.yaml --quiet --json - \
            --set 'repeat={kind: sampled, error: 5%}'
        jq -e 'def near($x): . / $x | . > 0.99 and . < 1.01;
            .repeat.jobs[0].inferred > 50
            and (.jobs[0].bytes_sent | near(3840000000))
            and ([.jobs[0].rank_list[] | .bytes_sent, .bytes_received] |
                 all(.[:8][]; . == 480000000)
                 and all(.[8:][]; near(960000000)))
            and (.jobs[0] | if .staleness then (.staleness.updates | near(1200))
                 else .collectives_run == 300 end)' ../out
    done
}

@test "sampled: the same with any number of threads" {
    mix
    for threads in 1 2; do
        orrery run mix.yaml --quiet --json $threads.json --set record=none \
            --set 'repeat={kind: sampled, error: 5%}' --threads $threads
        [ "$status" -eq 0 ]
    done
    diff <(results 1.json) <(results 2.json)
    diff <(jq '.fingerprint, .repeat' 1.json) <(jq '.fingerprint, .repeat' 2.json)
    [ "$(jq '.repeat.jumps | length > 0' 1.json)" = true ]
    # of stretches that hold no whole number of iterations, too
    servers 'asynchronous: true, staleness: 2'
    for threads in 1 2; do
        orrery run servers.yaml --quiet --json $threads.json \
            --set 'repeat={kind: sampled, error: 5%}' --threads $threads
        [ "$status" -eq 0 ]
    done
    diff <(results 1.json) <(results 2.json)
    [ "$(jq '.repeat.jumps | length > 0' 1.json)" = true ]
}

@test "sampled: an error that is none" {
    ring none 10
    orrery run ring.yaml --set 'repeat={kind: sampled, error: 0}'
    [ "$status" -eq 2 ]
    grep -q 'repeat.error: "0" is no share from 0.01% to 50%' ../err
    grep -q "^hint: for example {kind: sampled, error: 1%}" ../err
    orrery run ring.yaml --set 'repeat={kind: sampled, eror: 1%}'
    [ "$status" -eq 2 ]
    grep -q 'repeat: unknown key "eror"\|unknown key "eror"' ../err
}

@test "a kind of repetition that there is not" {
    ring none
    orrery run ring.yaml --set repeat=exactly
    fails 2 '--set repeat:1:1: repeat: no kind "exactly"
    exactly
    ^
hint: did you mean "exact"?'
}

@test "check says that its estimate is of all" {
    mix
    orrery check mix.yaml
    [ "$(grep -c repeat ../out)" -eq 0 ]
    orrery check mix.yaml --set repeat=exact
    grep -q "^ *if all of it is simulated: repeat will skip what it can" ../out
}
