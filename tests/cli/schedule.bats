#!/usr/bin/env bats
# Schedules: coordination of jobs.

load common

# two_jobs KEYS_OF_THE_FIRST KEYS_OF_THE_SECOND: two pairs of hosts, each of
# which computes 500 us and then sends for some 500 us over one link of 50 Gbps.
two_jobs() {
    cat <<END
topology:
  kind: dumbbell
  left: 2
  right: 2
  link: {rate: 50Gbps, delay: 1us}
  bottleneck: {rate: 50Gbps, delay: 1us}
network:
  mtu: 4096B
  queue: {kind: ecn, capacity: 2MB, threshold: 200KB}
  cc: dctcp
record: none
jobs:
  - name: first
    ranks: 2
    placement: [0, 2]
    iterations: 20
    program: &iteration
      - compute: 500us
      - parallel:
          - send: {to: +1, size: 3125KB}
          - recv: {from: +1}
$1
  - name: second
    ranks: 2
    placement: [1, 3]
    iterations: 20
    program: *iteration
$2
END
}

@test "gates: jobs that take turns do not meet" {
    two_jobs '' '' >together.yaml
    two_jobs '    gate: {period: 1.05ms, offset: 0ms}' \
        '    gate: {period: 1.05ms, offset: 525us}' >turns.yaml
    orrery run together.yaml --json together.json
    [ "$status" -eq 0 ]
    orrery run turns.yaml --json turns.json
    [ "$status" -eq 0 ]
    jq -e '[.jobs[].marks] | add > 1000' together.json
    jq -e '[.jobs[].marks] | add == 0' turns.json
    # the second iteration on: one a period, to the picosecond
    jq -e '[.jobs[].iterations[2:][].duration_ns] | all(. == 1050000)' turns.json
    orrery run turns.yaml --threads 2 --json threads.json
    [ "$(jq .fingerprint turns.json)" = "$(jq .fingerprint threads.json)" ]
}

# Two jobs that fill 95 % of a link; the gates' period has to be no shorter than
# an iteration with its jitter.
@test "schedule: turns hold with noise on computations" {
    two_jobs '    jitter: {kind: normal, spread: 0.01}' \
        '    jitter: {kind: normal, spread: 0.01}' |
        sed 's/iterations: 20/iterations: 200/; s/compute: 500us/compute: 560us/' >a.yaml
    orrery run a.yaml --set schedule=ideal --json alone.json
    orrery run a.yaml --json shared.json
    orrery run a.yaml --set schedule=cassini --json a.json
    [ "$status" -eq 0 ]
    jq -e --slurpfile alone alone.json --slurpfile shared shared.json '
        .counters.ecn_marks * 30 < $shared[0].counters.ecn_marks and
        ([.jobs, $alone[0].jobs] | transpose
            | all(.[0].iteration_ns.mean < 1.01 * .[1].iteration_ns.mean and
                  .[0].gate.shifts < 3))' a.json
}

@test "gates are in the effective configuration, with their defaults" {
    two_jobs '    gate: {period: 1.05ms}' '' >a.yaml
    orrery check --effective a.yaml
    [ "$status" -eq 0 ]
    grep -A6 '^    gate:' ../out | grep -q 'most: 2 per minute'
    cp ../out b.yaml
    orrery run a.yaml --json a.json
    orrery run b.yaml --json b.json
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ]
}

@test "schedule: weights are those that jobs may say themselves" {
    two_jobs '    weight: 2' '' >own.yaml
    two_jobs '' '' >none.yaml
    orrery run own.yaml --json own.json
    [ "$status" -eq 0 ]
    orrery run none.yaml --set 'schedule={kind: weights, weights: {first: 2}}' \
        --json weights.json
    [ "$status" -eq 0 ]
    orrery run none.yaml --json none.json
    [ "$(jq .fingerprint own.json)" = "$(jq .fingerprint weights.json)" ]
    [ "$(jq .fingerprint own.json)" != "$(jq .fingerprint none.json)" ]
}

@test "schedule: timers are those of a job's own DCQCN" {
    cc='network: {cc: {kind: dcqcn, preset: paper}, queue: {kind: red, capacity: 4MB}}'
    two_jobs '    cc: {kind: dcqcn, preset: paper, increase_interval: 300us}' '' |
        sed "/^network:/,/cc: dctcp/c\\$cc" >own.yaml
    two_jobs '' '' | sed "/^network:/,/cc: dctcp/c\\$cc" >none.yaml
    orrery run own.yaml --json own.json
    [ "$status" -eq 0 ]
    orrery run none.yaml --set 'schedule={kind: weights, timers: {first: 300us}}' \
        --json timers.json
    [ "$status" -eq 0 ]
    [ "$(jq .fingerprint own.json)" = "$(jq .fingerprint timers.json)" ]
}

@test "schedule: mltcp is what jobs may say themselves" {
    two_jobs '' '' >none.yaml
    two_jobs '' '' | sed 's/cc: dctcp/cc: {kind: mltcp, base: dctcp, slope: 2}/' \
        >own.yaml
    orrery run own.yaml --json own.json
    [ "$status" -eq 0 ]
    orrery run none.yaml --set 'schedule={kind: mltcp, slope: 2}' --json a.json
    [ "$status" -eq 0 ]
    [ "$(jq .fingerprint own.json)" = "$(jq .fingerprint a.json)" ]
    # what a job says itself stays
    orrery run own.yaml --set schedule=mltcp --json b.json
    [ "$(jq .fingerprint own.json)" = "$(jq .fingerprint b.json)" ]
    orrery run none.yaml --set schedule=mltcp --set network.cc=none
    [ "$status" -eq 2 ]
    grep -q 'job "first" has the control `none`' ../err
}

# many_jobs N: as two_jobs, N pairs of hosts.
many_jobs() {
    two_jobs '' '' | sed -e '/^jobs:/,$d' -e "s/left: 2/left: $1/" \
        -e "s/right: 2/right: $1/" -e "s/1us/100ns/"
    echo 'jobs:'
    for ((i = 0; i < $1; i++)); do
        echo "  - {name: j$i, ranks: 2, placement: [$i, $((i + $1))]," \
            "iterations: 4, program: [compute: 500us, {parallel:" \
            "[{send: {to: +1, size: 3125KB}}, {recv: {from: +1}}]}]}"
    done
}

# Two iterations: where there are more than two jobs a head start grows, from a
# packet on, and in the end they take turns in part.
@test "schedule: fair gives (1 + (n - 1) a) T, whatever the control" {
    many_jobs 1 >one.yaml
    orrery run one.yaml --set schedule=fair --json one.json
    [ "$status" -eq 0 ]
    for n in 2 3 10; do
        many_jobs $n >n.yaml
        orrery run n.yaml --set schedule=fair --json n.json
        [ "$status" -eq 0 ]
        jq -e --slurpfile one one.json --argjson n $n '
            $one[0].jobs[0].iteration_ns.mean as $t | (($t - 500000) / $t) as $a
            | [.jobs[].iterations[:2][].duration_ns]
            | all(. / ((1 + ($n - 1) * $a) * $t) | . > 0.995 and . < 1.005)
        ' n.json
        jq -e '.counters | .ecn_marks == 0 and .packets_dropped == 0' n.json
        [ $n = 3 ] && cp n.json three.json
    done
    many_jobs 3 >n.yaml
    for cc in reno '{kind: dcqcn, preset: paper}' hpcc; do
        orrery run n.yaml --set schedule=fair --set "network.cc=$cc" \
            --json n.json
        [ "$(jq .fingerprint n.json)" = "$(jq .fingerprint three.json)" ]
    done
}

@test "paths: choices, and changes between iterations" {
    cat >a.yaml <<END
topology:
  kind: leaf-spine
  leaves: 2
  spines: 4
  hosts_per_leaf: 2
  link: {rate: 50Gbps, delay: 1us}
record: none
jobs:
  - ranks: 2
    placement: [0, 2]
    iterations: 10
    paths: [{from: 0, to: 1, choice: 2}]
    changes: [{iteration: 4, paths: [{from: 0, to: 1, path: [0, 4, 9, 5, 2]}]}]
    program: [{send: {from: 0, to: 1, size: 100KB}}]
END
    orrery run a.yaml --json a.json
    [ "$status" -eq 0 ]
    # leaves are 4 and 5, spines 6 to 9
    jq -e '[.links.busiest[] | select(.from == 4 and .to > 5) | [.to, .bytes]]
           == [[9, 600000], [8, 400000]]' a.json
    orrery run a.yaml --threads 2 --json b.json
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ]
    # a change of the class alone leaves the way as it was
    orrery run a.yaml --json c.json --set 'jobs[0].paths={entropy: 5}' \
        --set 'jobs[0].changes=[{iteration: 4, class: 1}]'
    [ "$status" -eq 0 ]
    jq -e '[.links.busiest[] | select(.from == 4 and .to > 5)] | length == 1' \
        c.json
}

# Jobs that compute 1, 2 and 0.5 ms and send for 1, 1 and 0.3 ms: by intensity
# second, third, first; by size third, then the first two.
three_jobs() {
    two_jobs '' '' | sed -e '/^jobs:/,$d' -e 's/left: 2/left: 3/' \
        -e 's/right: 2/right: 3/'
    cat <<END
jobs:
  - name: first
    ranks: 2
    placement: [0, 3]
    iterations: 10
    program: [compute: 1ms, {parallel: [{send: {to: +1, size: 6250KB}}, {recv: {from: +1}}]}]
  - name: second
    ranks: 2
    placement: [1, 4]
    iterations: 10
    program: [compute: 2ms, {parallel: [{send: {to: +1, size: 6250KB}}, {recv: {from: +1}}]}]
  - name: third
    ranks: 2
    placement: [2, 5]
    iterations: 20
    program: [compute: 500us, {parallel: [{send: {to: +1, size: 2MB}}, {recv: {from: +1}}]}]
END
}

@test "schedule: who goes first takes what it takes alone" {
    three_jobs >a.yaml
    orrery run a.yaml --set schedule=priority --json a.json
    [ "$status" -eq 0 ]
    # computation, data with ACKs against it, 1 % for the delays
    jq -e '.jobs[1].iteration_ns.mean | . > 3015000 and . < 3030000' a.json
    orrery run a.yaml --set 'schedule={kind: priority, by: size}' --json a.json
    jq -e '.jobs[2].iteration_ns.mean | . > 825000 and . < 835000' a.json
    orrery run a.yaml --json a.json \
        --set 'schedule={kind: priority, by: order, order: [first]}'
    jq -e '.jobs[0].iteration_ns.mean | . > 2015000 and . < 2030000' a.json
    # weighted: between first and equal
    orrery run a.yaml --json b.json --set \
        'schedule={kind: priority, by: order, order: [first], mode: weighted, ratio: 3}'
    jq -e '.jobs[0].iteration_ns.mean | . > 2050000 and . < 2600000' b.json
}

@test "schedule: what was decided is in the summary" {
    three_jobs >a.yaml
    orrery run a.yaml --set schedule=priority --json a.json
    [ "$status" -eq 0 ]
    # computation over what the busiest cable takes at 10 Gbps
    jq -e '.schedule | .kind == "priority" and
        (.jobs | sort_by(-.intensity) | [.[].class] == [2, 1, 0])' a.json
    grep -q '^priority .*: .*[0-9]$' ../out
    orrery run a.yaml --set 'schedule={kind: priority, by: size}' --json a.json
    jq -e '.schedule.jobs | sort_by(.bytes) | [.[].class] == [2, 1, 0]' a.json
    orrery run a.yaml --json a.json \
        --set 'schedule={kind: priority, by: order, order: [first]}'
    jq -e '.schedule.jobs | [.[].class] == [1, 0, 0] and
        (map(has("bytes") or has("intensity")) | any | not)' a.json
    orrery run a.yaml --set schedule=mltcp --json a.json
    jq -e '.schedule.jobs | map(.cc == "mltcp" and .base == "dctcp") | all' \
        a.json
    orrery run a.yaml --json a.json \
        --set 'schedule={kind: weights, weights: {first: 2}}'
    jq -e '.schedule.jobs | [.[].weight] == [2, 1, 1]' a.json
    orrery run a.yaml --json a.json --set network.cc=dcqcn \
        --set 'schedule={kind: weights, timers: {first: 55us}}'
    jq -e '.schedule.jobs | .[0].increase_interval_ns == 55000 and
        (.[1] | has("increase_interval_ns") | not)' a.json
    orrery run a.yaml --set schedule=ideal --json a.json
    jq -e '[.schedule.jobs[].begun_ns] == [.jobs[].iterations[0].start_ns] and
        (.schedule.jobs | length) == 3' a.json
    orrery run a.yaml --set schedule=fair --json a.json
    jq -e '.schedule.window_packets > 8' a.json
    orrery run a.yaml --set schedule=crux --json a.json
    jq -e '.schedule | .cut == "exact" and .lost == 0 and
        (.jobs | length) == 3 and (.jobs[0].paths | length) == .jobs[0].pairs
        and .jobs[0].pairs > 0 and (.jobs[0].paths[0].links | length) == 3' \
        a.json
    orrery run a.yaml --json a.json
    jq -e 'has("schedule") | not' a.json
}

@test "schedule: against alone, in the file as in the summary" {
    three_jobs >a.yaml
    ORRERY_CACHE=$PWD/cache
    export ORRERY_CACHE
    orrery run a.yaml --set alone=true --json a.json -o a.h5 --set record={}
    [ "$status" -eq 0 ]
    for column in slowdown alone mean; do
        h5dump -y -w 0 -m %.9g -d /jobs/$column -o $column a.h5 >/dev/null
    done
    paste -d, <(tr -s ', ' '\n\n' <slowdown | sed '/^$/d') \
        <(tr -s ', ' '\n\n' <alone | sed '/^$/d') \
        <(tr -s ', ' '\n\n' <mean | sed '/^$/d') |
        jq -R -s 'split("\n") | map(select(. != "") | split(",") |
            map(tonumber))' >file.json
    jq -e --slurpfile file file.json '[.jobs[] | [.slowdown, 1000 * .alone_ns,
        1000 * .iteration_ns.mean]] as $want | ($file[0] | length) == 3 and
        ([range(3) as $i | range(3) as $k |
            $want[$i][$k] / $file[0][$i][$k]] | map(. > 0.999999 and
            . < 1.000001) | all)' a.json
    orrery run a.yaml -o b.h5 --set record={}
    [ "$(h5dump -y -d /jobs/slowdown b.h5 | grep -ow nan | wc -l)" -eq 3 ]
}

@test "schedule: jobs on the same hosts are noted in the summary" {
    two_jobs '' '' >a.yaml
    orrery run a.yaml --json a.json
    jq -e '.notes == []' a.json
    orrery run a.yaml --json a.json --set 'jobs[1].placement=[0, 1]' \
        --set 'jobs[0].placement=[0, 1]'
    [ "$status" -eq 0 ]
    jq -e '.notes == ["first and second both have ranks on host 0; 2 hosts have '"\
"'ranks of several jobs"]' a.json
}

@test "schedule: a class that is drawn changes no path" {
    cat >a.yaml <<END
topology: {kind: leaf-spine, leaves: 2, spines: 4, hosts_per_leaf: 4, link: {rate: 50Gbps, delay: 1us}}
record: none
jobs:
  - {ranks: 8, program: [all-reduce: {size: 1MB, algorithm: ring}]}
END
    orrery run a.yaml --json a.json
    orrery run a.yaml --json b.json \
        --set 'schedule={kind: priority, by: order, order: [job0], classes: 2}'
    [ "$status" -eq 0 ]
    busiest='[.links.busiest[] | [.from, .to, .bytes]] | sort'
    [ "$(jq -c "$busiest" a.json)" = "$(jq -c "$busiest" b.json)" ]
}

@test "schedule: ideal is each job alone, one after another" {
    three_jobs >a.yaml
    orrery run a.yaml --set schedule=ideal --json a.json
    [ "$status" -eq 0 ]
    jq -e '[.jobs[].iteration_ns | .max / .min] | all(. < 1.005)' a.json
    jq -e '.jobs[1].start_ns >= .jobs[0].finish_ns' a.json
    jq -e '.counters.ecn_marks == 0' a.json
    orrery run a.yaml --set schedule=ideal --threads 2 --json b.json
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ]
    orrery run a.yaml --set schedule=ideal \
        --set 'flows=[{src: 0, dst: 1, size: 1MB}]'
    [ "$status" -eq 2 ]
    grep -q 'there are flows without a job' ../err
}

@test "alone: slowdowns, and what was run once is remembered" {
    export ORRERY_CACHE=$PWD/cache
    three_jobs >a.yaml
    orrery run a.yaml --set schedule=ideal --json ideal.json
    orrery run a.yaml --set alone=true --json a.json
    [ "$status" -eq 0 ]
    grep -q '^first .* 1\.[1-9][0-9]* x  *125 MB sent' ../out
    jq -e --slurpfile ideal ideal.json '[.jobs, $ideal[0].jobs] | transpose
        | all(.[0].alone_ns == .[1].iteration_ns.mean and
              .[0].slowdown >= 1)' a.json
    [ "$(ls cache | wc -l)" -eq 1 ]
    # found again under another schedule, and taken from there: what another
    # configuration takes, whose first job alone computes longer, stands in its
    # place, with the check sum that belongs to it
    sed 's/compute: 1ms/compute: 3ms/' a.yaml >other.yaml
    ORRERY_CACHE=$PWD/elsewhere orrery run other.yaml --set alone=true \
        --json other.json
    [ "$(ls elsewhere | wc -l)" -eq 1 ]
    [ "$(ls elsewhere)" != "$(ls cache)" ]
    cat elsewhere/* >"$(echo cache/*)"
    orrery run a.yaml --set alone=true --set schedule=fair --json b.json
    jq -e --slurpfile a a.json --slurpfile other other.json '
        .jobs[0].alone_ns == $other[0].jobs[0].alone_ns and
        .jobs[0].alone_ns > $a[0].jobs[0].alone_ns + 1900000 and
        .jobs[1].alone_ns == $a[0].jobs[1].alone_ns' b.json
    # what matters is in the name; what cannot be read is not believed
    orrery run a.yaml --set alone=true --seed 2 --json c.json
    [ "$(ls cache | wc -l)" -eq 2 ]
    for f in cache/*; do echo rubbish >"$f"; done
    orrery run a.yaml --set alone=true --json d.json
    jq -e --slurpfile a a.json '.jobs[0].alone_ns == $a[0].jobs[0].alone_ns' \
        d.json
    # no folder, no cache, no failure
    ORRERY_CACHE=$PWD/a.yaml/x orrery run a.yaml --set alone=true --json e.json
    [ "$status" -eq 0 ]
    jq -e '.jobs[0].slowdown > 1' e.json
}

@test "jobs on the same hosts are told of, and refused if one is exclusive" {
    two_jobs '' '' | sed 's/placement: .1, 3./placement: [1, 2]/' >a.yaml
    orrery check a.yaml
    [ "$status" -eq 0 ]
    grep -q '  note      first and second both have ranks on host 2$' ../out
    orrery run a.yaml --set 'jobs[1].placement=[2, 0]'
    grep -q '^note *first and second both have ranks on host 0; 2 hosts' ../out
    orrery run a.yaml --set 'jobs[1].placement=[1, 3]'
    ! grep -q '^note' ../out
}

# Two equal jobs of eight ranks, in rings over two leaves: what ECMP draws makes
# messages of one job meet one another.
twins() {
    cat >twins.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 8, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 4096B, header: 64B, cc: dctcp, queue: {kind: ecn, capacity: 2MiB, threshold: 150KB}}
record: none
jobs:
  - {name: one, ranks: 8, placement: [0, 8, 1, 9, 2, 10, 3, 11], iterations: 6, program: &p [compute: 1ms, all-reduce: {size: 4MiB}]}
  - {name: two, ranks: 8, placement: [4, 12, 5, 13, 6, 14, 7, 15], iterations: 6, program: *p}
END
}

@test "ideal: {paths: best} is the bound, and equal jobs are equal there" {
    twins
    for seed in 1 4; do
        for kind in "{kind: ideal, paths: best}" ideal crux none; do
            orrery run twins.yaml --seed $seed --set "schedule=$kind" \
                --json "${kind//[^a-z]/}.json"
            [ "$status" -eq 0 ] || { cat ../err; return 1; }
        done
        # both at 8 * 2 * 7/8 * 4 MiB / 8 over links that they share with nobody
        jq -e '[.jobs[].iteration_ns.p50] | (max / min) < 1.005' kindidealpathsbest.json
        for other in ideal crux none; do
            jq -e --slurpfile o $other.json '[.jobs, $o[0].jobs] | transpose |
                all(.[0].iteration_ns.p50 <= 1.005 * .[1].iteration_ns.p50)' \
                kindidealpathsbest.json
        done
        jq -e '.schedule.paths == "best"' kindidealpathsbest.json
        # and what it says is what the plan says, without delays and queues
        orrery plan twins.yaml --seed $seed --json
        jq -e --slurpfile o kindidealpathsbest.json --slurpfile i ideal.json '
            [.jobs, $o[0].jobs, $i[0].jobs] | transpose | all(
                (.[1].iteration_ns.p50 / .[0].expected.best_ns - 1 | fabs) < 0.03 and
                (.[2].iteration_ns.p50 / .[0].expected.alone_ns - 1 | fabs) < 0.05)' ../out
    done
    # by name `own` is what it was
    orrery run twins.yaml --set schedule=ideal --json a.json
    orrery run twins.yaml --set 'schedule={kind: ideal, paths: own}' --json b.json
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ]
    orrery run twins.yaml --set 'schedule={kind: ideal, paths: other}'
    [ "$status" -eq 2 ]
    # where packets take all paths, or make detours, there is nothing to choose
    for routing in spray valiant; do
        for paths in own best; do
            orrery run twins.yaml --set network.routing=$routing --json $paths.json \
                --set "schedule={kind: ideal, paths: $paths}"
            [ "$status" -eq 0 ]
        done
        [ "$(jq .fingerprint own.json)" = "$(jq .fingerprint best.json)" ]
    done
}
