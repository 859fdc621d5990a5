#!/usr/bin/env bats
# orrery plan: what it says, and that a run does what it says.

load common

# pair COMPUTE SIZE [KEYS]: two jobs on one link of 10 Gbps, and keys beside
# `jobs`.
pair() {
    cat >pair.yaml <<END2
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 1us}, bottleneck: {rate: 10Gbps, delay: 1us}}
network: {mtu: 9000B, header: 54B, queue: {kind: ecn, capacity: 2MB, threshold: 300KB}, cc: dctcp}
record: none
$3
jobs:
  - {name: first, ranks: 2, placement: [0, 2], iterations: 12, warmup: 2, complete: acked, program: &p [compute: $1, parallel: [send: {to: +1, size: $2}, recv: {from: +1}]]}
  - {name: second, ranks: 2, placement: [1, 3], iterations: 12, warmup: 2, complete: acked, program: *p}
END2
}

# circles NAME COMPUTE COMM RATE...: a profile for each job of ITERATION ms, on
# the one link of circles.yaml.
circles() {
    {
        echo "topology: {kind: dumbbell, left: 3, right: 3, link: {rate: 50Gbps, delay: 1us}, bottleneck: {rate: 50Gbps, delay: 1us}}"
        echo "schedule: {kind: cassini, profiles: {"
        i=0
        while [ $# -gt 0 ]; do
            echo "  j$i: {iteration: $(($1 + $2))ms, links: [{from: left, to: right, phases: [{at: ${1}ms, for: ${2}ms, rate: $3}]}]},"
            shift 3
            i=$((i + 1))
        done
        echo "  }}"
        echo "jobs:"
        for ((j = 0; j < i; j++)); do
            echo "  - {name: j$j, ranks: 2, placement: [$j, $((j + 3))], program: [send: {to: +1, size: 1MB}, recv: {from: -1}]}"
        done
    } >circles.yaml
}

# CASSINI's circles: the exact best score, and the published grid's.
@test "circles: scores and shifts of the paper's kind are exact" {
    check() {
        want=$1 shift1=$2
        shift 2
        circles "$@"
        orrery plan circles.yaml --json
        [ "$status" -eq 0 ] || { cat ../err; return 1; }
        jq -e --argjson want "$want" --argjson t "$shift1" \
            '(.links[0].score - $want | fabs) < 1e-9 and
             (.links[0].score_of_72_samples - $want | fabs) < 1e-9 and
             ($t < 0 or .jobs[1].turn.shift_ns == $t * 1e6) and
             .jobs[0].turn.shift_ns == 0' ../out
    }
    check 1 50 50 50 50Gbps 50 50 50Gbps
    check 0.5 -1 50 50 50Gbps 50 50 50Gbps 50 50 50Gbps
    check 1 -1 80 40 50Gbps 80 40 50Gbps 80 40 50Gbps
    check 0.83333333333333333 0 20 20 50Gbps 40 20 50Gbps
    check 1 127.5 141 114 50Gbps 141 114 50Gbps
    jq -e '.links[0].perimeter_ns == 255e6' ../out
}

@test "links that carry all demands at once need no turns" {
    circles 20 20 25Gbps 40 20 25Gbps
    orrery plan circles.yaml --json
    jq -e '.links == [] and .links_met == 1 and .score == 1 and
        .jobs[1].turn == null' ../out
}

# Three jobs that ask for a whole link for 40 days could take turns in 120: more
# than the clock holds.
@test "a period is not made longer than the clock" {
    circles 1 3456000000 50Gbps 1 3456000000 50Gbps 1 3456000000 50Gbps
    orrery plan circles.yaml --json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e '[.jobs[].turn.period_ns | . > 3456000000000000 and . < 3.5e15] | all' \
        ../out
}

@test "a run of what was planned takes what was expected, without a mark" {
    pair 6ms 5MB "schedule: cassini"
    orrery plan pair.yaml --json
    cp ../out plan.json
    orrery run pair.yaml --json run.json --quiet
    [ "$status" -eq 0 ]
    jq -e '.counters.ecn_marks == 0 and .schedule.kind == "cassini" and
        .schedule.loops == 0' run.json
    for j in 0 1; do
        jq -e --slurpfile p plan.json \
            "(.jobs[$j].iteration_ns.mean / \$p[0].jobs[$j].expected.planned_ns - 1 |
              fabs) < 0.002 and
             .jobs[$j].iteration_ns.mean / \$p[0].jobs[$j].expected.alone_ns < 1.005" \
            run.json
    done
}

@test "fair sharing is expected to take what the formula says" {
    pair 6ms 5MB
    orrery plan pair.yaml --json
    # (1 + a) T
    jq -e '.jobs[0] | (.expected.fair_ns / (.iteration_ns + .busiest_ns) - 1 |
        fabs) < 0.001' ../out
}

@test "--write gives a configuration that runs the same" {
    for kind in cassini crux "{kind: crux, turns: true}"; do
        pair 6ms 5MB "schedule: $kind"
        orrery plan pair.yaml --write planned.yaml
        [ "$status" -eq 0 ]
        orrery run pair.yaml --json a.json --quiet
        orrery run planned.yaml --json b.json --quiet
        [ "$status" -eq 0 ] || { cat ../err; return 1; }
        # (a class that is named is in the fingerprint)
        [ "$(jq -c '[.jobs[].iterations, .counters]' a.json)" = \
            "$(jq -c '[.jobs[].iterations, .counters]' b.json)" ]
    done
}

@test "crux: the more intense job goes first" {
    pair 6ms 5MB "schedule: crux"
    orrery run pair.yaml --set 'jobs[1].program[0].compute=3ms' --json a.json --quiet
    [ "$status" -eq 0 ]
    jq -e '.schedule.jobs | .[0].class == 1 and .[1].class == 0' a.json
    jq -e '.jobs[0].iteration_ns.mean < 10.2e6 and
        .jobs[1].iteration_ns.mean > 7.2e6' a.json
}

@test "crux: jobs choose paths that they do not share" {
    cat >paths.yaml <<'END2'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, link: {rate: 10Gbps, delay: 1us}}
network: {mtu: 9000B, queue: {kind: ecn, capacity: 2MB, threshold: 300KB}, cc: dctcp}
record: none
schedule: {kind: crux, priorities: false}
jobs:
  - {name: first, ranks: 2, placement: [0, 2], iterations: 3, program: &p [compute: 1ms, send: {to: +1, size: 5MB}, recv: {from: -1}]}
  - {name: second, ranks: 2, placement: [1, 3], iterations: 3, program: *p}
END2
    for seed in 1 2 3 4; do
        orrery run paths.yaml --seed $seed --json a.json --quiet
        [ "$status" -eq 0 ]
        jq -e '.counters.ecn_marks == 0 and (.jobs | map(.iteration_ns.mean) |
            max / min < 1.01)' a.json
    done
    orrery plan paths.yaml --json
    jq -e '[.jobs[].paths[].candidates] | unique == [2]' ../out
}

@test "a loop of the affinity graph is told, and turned at once" {
    cat >loop.yaml <<'END2'
topology: {kind: ring, hosts: 3, link: {rate: 10Gbps, delay: 1us}}
schedule: cassini
record: none
jobs:
  - {name: a, ranks: 2, placement: [0, 1], iterations: 3, program: &p [compute: 10ms, send: {to: +1, size: 10MB}, recv: {from: -1}]}
  - {name: b, ranks: 2, placement: [0, 1], iterations: 3, program: *p}
  - {name: c, ranks: 2, placement: [1, 2], iterations: 3, program: *p}
  - {name: d, ranks: 2, placement: [1, 2], iterations: 3, program: *p}
  - {name: e, ranks: 4, placement: [0, 1, 1, 2], iterations: 3, program: [compute: 10ms, all-to-all: {size: 10MB}]}
  - {name: f, ranks: 4, placement: [0, 1, 1, 2], iterations: 3, program: [compute: 10ms, all-to-all: {size: 10MB}]}
END2
    orrery plan loop.yaml
    [ "$status" -eq 0 ]
    grep -q "the affinity graph has a loop: all turned at once" ../out
    orrery run loop.yaml
    grep -q "1 affinity graph with a loop, turned at once" ../out
}

@test "jobs without communication, and links too slow for a profile, are told" {
    circles 50 50 100Gbps 50 50 50Gbps
    orrery plan circles.yaml
    grep -q 'note: job "j0" alone asks for 2.00 times the rate of left' ../out
    orrery plan circles.yaml --set 'schedule=cassini' \
        --set 'jobs[0].program=[compute: 1ms]'
    grep -q 'note: job "j0" does not communicate' ../out
    # and by runs with such a plan
    circles 50 50 100Gbps 50 50 50Gbps
    over='job "j0" alone asks for 2.00 times the rate of left > right: '
    over+='its iterations take longer than its profile says'
    orrery run circles.yaml --set record=none --json ran.json
    [ "$status" -eq 0 ]
    grep -q "^note  *$over\$" <(unwrapped ../out)
    jq -e --arg over "$over" '.notes == [$over]' ran.json
    orrery run circles.yaml --set record=none --set schedule=crux --json ran.json \
        --set 'jobs[0].program=[compute: 1ms]'
    jq -e '.notes == ["job \"j0\" does not communicate; it needs no turn '"\
"'and no class"]' ran.json
    orrery run circles.yaml --set record=none --set schedule=crux --json ran.json
    jq -e '.notes == []' ran.json
}

@test "bad input is refused at its place" {
    circles 50 50 50Gbps 50 50 50Gbps
    sed -i 's/to: right/to: spine3/' circles.yaml
    orrery plan circles.yaml
    [ "$status" -eq 2 ]
    grep -q 'circles.yaml:3:.*to: there is no node "spine3" in this topology' ../err
    circles 50 50 50Gbps
    sed -i 's/  j0: {/  j9: {/' circles.yaml
    orrery plan circles.yaml
    [ "$status" -eq 2 ]
    grep -q 'circles.yaml:3:3: profiles: no job is called "j9"' ../err
    small
    orrery plan small.yaml
    [ "$status" -eq 2 ]
    grep -q 'there is nothing to plan: no jobs' ../err
    pair 6ms 5MB "schedule: {kind: crux, priorities: false}"
    orrery run pair.yaml --set network.routing=valiant
    [ "$status" -eq 2 ]
    grep -q 'schedule: crux chooses paths, which network.routing valiant does not allow' ../err
}

@test "circles are drawn, one a link" {
    pair 6ms 5MB
    orrery plan pair.yaml --svg pictures
    [ "$status" -eq 0 ]
    [ "$(find pictures -name 'link-*.svg' | wc -l)" -eq 2 ]
    grep -q "score 1.0000" pictures/link-*.svg
    xmllint --noout pictures/*.svg
}

# racks CANDIDATES: two jobs of four on two racks of four hosts, as written
# across both of them
racks() {
    cat >racks.yaml <<END2
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {mtu: 9000B, cc: dctcp, queue: {kind: ecn, capacity: 2MB, threshold: 200KB}}
record: none
schedule: {kind: cassini${1:+, candidates: $1}}
jobs:
  - {name: a, ranks: 4, placement: [0, 4, 1, 5], iterations: 4, program: [compute: 2ms, all-reduce: {size: 10MB}]}
  - {name: b, ranks: 4, placement: [2, 6, 3, 7], iterations: 4, program: [compute: 2ms, all-reduce: {size: 10MB}]}
END2
}

# A stretch of a little more than a quarter of a circle, at a time that a double
# has not exactly.
@test "circles are drawn wherever their corners are" {
    circles 5 5 50Gbps 5 5 50Gbps
    sed -i 's/at: 5ms, for: 5ms/at: 3955530752ps, for: 2998192896ps/' circles.yaml
    orrery plan circles.yaml --svg pictures
    [ "$status" -eq 0 ]
    [ "$(grep -c '<path fill="#0072b2"' pictures/link-*.svg)" -eq 4 ]
    xmllint --noout pictures/*.svg
}

@test "candidates: placements are made, the best one is taken, and is written" {
    racks ''
    orrery plan racks.yaml --json
    score=$(jq .score ../out)
    orrery run racks.yaml -q --json written.json \
        --set 'jobs[0].placement=[0, 1, 2, 3]' \
        --set 'jobs[1].placement=[4, 5, 6, 7]'
    racks '{generate: packed, count: 3}'
    orrery plan racks.yaml --json --write planned.yaml
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    # variants of `packed` are all the same
    jq -e --argjson score "$score" '$score < 0.99 and (.placements
        | map(.name) == ["as written", "packed 1"]
        and map(.chosen) == [false, true] and .[0].score == $score
        and .[1].score == 1 and .[0].planned_ns > .[1].planned_ns)' ../out
    grep -q 'placement: \[4, 5, 6, 7\]' planned.yaml
    orrery run racks.yaml -q --json ran.json
    jq -e '.counters.ecn_marks == 0 and (.schedule.placements | length == 2)
        and .schedule.score == 1' ran.json
    orrery run racks.yaml
    grep -q 'placement "packed 1", of 2$' ../out
    orrery run planned.yaml -q --json planned.json
    for f in ran planned; do
        [ "$(jq .fingerprint $f.json)" = "$(jq .fingerprint written.json)" ]
    done
}

@test "candidates: of those that are given the best, first among equals" {
    racks '[{a: [0, 1, 4, 5]}, {a: [0, 1, 2, 3], b: [4, 5, 6, 7]}, {a: [7, 6, 5, 4], b: {kind: linear}}]'
    orrery plan racks.yaml --json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e '.placements | map(.chosen) == [false, true, false]
        and map(.score == 1) == [false, true, true]' ../out
    orrery plan racks.yaml
    grep -Eq '^  2 +1\.0000 .* chosen$' ../out
}

@test "candidates: many are drawn, none twice, and one with a loop goes last" {
    racks '{count: 40}'
    sed -i 's/spines: 1, hosts: 8/spines: 1, leaves: 3, hosts: 9/; s/leaves: 2, //
        s/, placement: ....[^]]*]//; s/ranks: 4/ranks: 3/' racks.yaml
    echo '  - {name: c, ranks: 3, iterations: 4, program: [compute: 1ms, all-reduce: {size: 5MB}]}' >>racks.yaml
    orrery plan racks.yaml --json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e '.placements | length > 9 and any(.loop)
        and (map(select(.chosen)) == [.[0]] and .[0].name == "cassini 1")
        and (.[0] | .score == 1 and (.loop | not))' ../out
    racks '{generate: random, count: 8}'
    orrery plan racks.yaml --json
    cp ../out first
    orrery plan racks.yaml --json
    cmp first ../out
    # nothing but the placements of jobs is looked at: the same with a seed
    orrery plan racks.yaml --json --set \
        'schedule.candidates={generate: {kind: random, seed: 1}, count: 8}' \
        --seed 2
    cmp first ../out
}

@test "plan: equal jobs differ by their paths alone, which is said" {
    cat >twins.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 8, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 4096B, header: 64B, cc: dctcp, queue: {kind: ecn, capacity: 2MiB, threshold: 150KB}}
jobs:
  - {name: acme, ranks: 8, placement: [0, 8, 1, 9, 2, 10, 3, 11], iterations: 2, program: &p [compute: 4ms, all-reduce: {size: 4MiB}]}
  - {name: bravo, ranks: 8, placement: [4, 12, 5, 13, 6, 14, 7, 15], iterations: 2, program: *p}
END
    orrery plan twins.yaml
    grep -qx 'expected iterations, without packets; alone, on its own paths, and on the best' ../out
    grep -q '^note: messages of acme share leaf0 > spine0 with one another: alone 6.404 ms on its own paths, 5.22 ms on the best' ../out
    [ "$(awk '/^expected/ { on = 1 } on && /^  (acme|bravo)/ { print $4, $5 }' ../out | sort -u)" = "5.22 ms" ]
    # what crux chooses is what it reckons with: equal jobs are equal
    orrery plan twins.yaml --set schedule=crux --json
    jq -e '[.jobs[].expected.alone_ns] == [.jobs[].expected.best_ns] and
           .jobs[0].expected.alone_ns == .jobs[1].expected.alone_ns and
           .jobs[0].factor == .jobs[1].factor' ../out
    orrery plan twins.yaml --set schedule=crux
    ! grep '^note: messages' ../out || false
    grep -q 'alone, on these paths' ../out
}

# three KEYS: jobs of 12, 6 and 18 ms but for parts in a thousand, which fill
# 60 % of a link both ways.
three() {
    cat >three.yaml <<END2
topology: {kind: dumbbell, left: 3, right: 3, link: {rate: 50Gbps, delay: 1us}, bottleneck: {rate: 50Gbps, delay: 1us}}
network: {mtu: 9000B, cc: dctcp, queue: {kind: ecn, capacity: 4MB, threshold: 300KB}}
record: none
schedule: cassini
jobs:
  - {name: a, ranks: 2, placement: [0, 3], iterations: 15, warmup: 3, complete: acked, program: [compute: 9.91ms, parallel: [send: {to: +1, size: 13MB}, recv: {from: +1}]]}
  - {name: b, ranks: 2, placement: [1, 4], iterations: 30, warmup: 3, complete: acked, program: [compute: 4.83ms, parallel: [send: {to: +1, size: 7.2MB}, recv: {from: +1}]]}
  - {name: c, ranks: 2, placement: [2, 5], iterations: 10, warmup: 3, complete: acked, program: [compute: 15.38ms, parallel: [send: {to: +1, size: 16MB}, recv: {from: +1}]]}
END2
}

@test "periods keep their ratios: jobs that fit take turns, and a run does" {
    three
    orrery plan three.yaml --json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e '.score == 1 and .parts[0].grid_error < 0.003 and
        ([.jobs[].turn.period_ns] | .[0] == 2 * .[1] and .[2] == 3 * .[1]) and
        all(.jobs[]; .turn.holds == "every") and
        (.verdict | .holds and .gains and (.refuses | not) and .packet_hops > 0)' ../out
    cp ../out plan.json
    orrery run three.yaml -q --json run.json
    jq -e --slurpfile p plan.json '.counters.ecn_marks == 0 and
        all([.jobs, $p[0].jobs] | transpose | .[];
            .[0].iteration_ns.mean / .[1].expected.alone_ns < 1.015 and
            (.[0].iteration_ns.mean / .[1].expected.planned_ns - 1 |
                fabs) < 0.003)' run.json
    orrery plan three.yaml
    grep -q '^verdict  *every iteration is held; iterations .* % shorter than with `none`$' ../out
}

# Jobs of 40 and 60 ms, 20 of which each needs a link: every rotation collides,
# and periods in which they do not cost one of them a third.
@test "turns that would not hold are none: a run is that without a schedule" {
    three
    sed -i '/name: c,/d; s/compute: 9.91ms/compute: 2ms/; s/compute: 4.83ms/compute: 4ms/
        s/size: [0-9.]*MB/size: 12.5MB/; s/iterations: [0-9]*/iterations: 20/' three.yaml
    orrery plan three.yaml --json
    jq -e '.score < 0.84 and all(.jobs[]; .turn.holds == "none") and
        (.verdict | .refuses and (.holds | not) and (.gains | not) and
            (.says | contains("will not hold: expect what `none` gives")))' ../out
    cp ../out plan.json
    orrery run three.yaml -q --json run.json
    jq -e --slurpfile p plan.json '.schedule.refused == 1 and
        all([.jobs, $p[0].jobs] | transpose | .[];
            .[0].iteration_ns.mean / .[1].expected.planned_ns - 1 | fabs < 0.03)' run.json
    orrery run three.yaml -q --json none.json --set schedule=none
    [ "$(jq .fingerprint run.json)" = "$(jq .fingerprint none.json)" ]
    orrery run three.yaml
    grep -q '1 of 1 part without turns, which would not hold' <(unwrapped ../out)
}

# Jobs that ask for more than a link can carry in an iteration.
@test "periods are as much longer as turns need, and no more" {
    three
    sed -i '/name: c,/d; s/compute: [0-9.]*ms/compute: 1ms/
        s/size: [0-9.]*MB/size: 12.5MB/; s/iterations: [0-9]*/iterations: 20/' three.yaml
    orrery plan three.yaml --json
    # twice 2.007 ms, headers and ACKs with it, and 0.3 %
    jq -e '.score < 0.7 and all(.jobs[]; .turn.holds == "every" and
        (.turn.period_ns > 4.0e6 and .turn.period_ns < 4.1e6)) and
        (.verdict | .holds and .gains)' ../out
    orrery run three.yaml -q --json run.json
    jq -e '.counters.ecn_marks == 0 and all(.jobs[];
        .iteration_ns.mean > 4.0e6 and .iteration_ns.mean < 4.1e6)' run.json
}

# Jobs of 2.3 and 6.8 ms that need a link for 0.83 and 1.65 ms: whatever the
# rotation, one in three iterations of the first collides. Periods in which none
# does are 9 % longer; if one pause in three is longer, 2.7 %.
@test "jobs that collide in any rotation have turns that are not evenly apart" {
    three
    sed -i '/name: c,/d; s/compute: 9.91ms/compute: 1454us/; s/size: 13MB/size: 5106KB/
        s/compute: 4.83ms/compute: 5178us/; s/size: 7.2MB/size: 10219KB/
        s/iterations: 15/iterations: 60/; s/iterations: 30/iterations: 20/' three.yaml
    orrery plan three.yaml --json --write held.yaml
    jq -e '.score < 0.99 and all(.jobs[].turn; .holds == "every" and .stretch < 1.03) and
        (.jobs[0].turn.times_ns | length == 3 and .[0] == 0) and
        (.jobs[1].turn | has("times_ns") | not) and
        (.verdict | .holds and .gains)' ../out
    cp ../out plan.json
    orrery run three.yaml -q --json run.json
    jq -e --slurpfile p plan.json '.counters.ecn_marks == 0 and
        all([.jobs, $p[0].jobs] | transpose | .[];
        .[0].iteration_ns.mean / .[1].expected.alone_ns < 1.035)' run.json
    orrery run held.yaml -q --json held.json
    [ "$(jq .fingerprint run.json)" = "$(jq .fingerprint held.json)" ]
    jq -e --slurpfile p plan.json '.jobs[0].gate.times_ns == $p[0].jobs[0].turn.times_ns' held.json
    orrery plan three.yaml
    grep -q 'every iteration, 3 a period, x 1.0[0-9]*' ../out
}

# Of periods of 2 and 3 whose messages fill the gaps of one another no turns are
# a gain over sharing.
@test "jobs that lose as much by turns have none" {
    three
    sed -i '/name: c,/d; s/compute: 9.91ms/compute: 3600us/; s/size: 13MB/size: 14.8MB/
        s/compute: 4.83ms/compute: 2850us/; s/size: 7.2MB/size: 7.1MB/' three.yaml
    orrery plan three.yaml --json
    jq -e '.verdict.refuses and all(.jobs[].turn; .holds == "none" and (has("times_ns") | not))' ../out
}

# A full link and jitter: turns without collisions that would hold without it
# do not.
@test "turns are tried with jitter before they are promised" {
    three
    sed -i '/name: c,/d; s/compute: 9.91ms/compute: 5280us/; s/size: 13MB/size: 21.8MB/
        s/compute: 4.83ms/compute: 21.02ms/; s/size: 7.2MB/size: 33.2MB/
        s/iterations: 15/iterations: 60/; s/iterations: 30/iterations: 20/
        s/ranks: 2/jitter: {kind: normal, spread: 0.01}, ranks: 2/' three.yaml
    orrery plan three.yaml --json
    jq -e 'all(.jobs[]; .turn.holds == "every") and
        (.verdict | .holds and .gains)' ../out
    cp ../out plan.json
    orrery run three.yaml -q --json run.json
    jq -e --slurpfile p plan.json 'all([.jobs, $p[0].jobs] | transpose | .[];
        .[0].iteration_ns.mean / .[1].turn.period_ns * (.[1].turn.times_ns // [0] | length)
            - 1 | fabs < 0.01)' run.json
}

# bats test_tags=larger
@test "what takes long is tried with so many packets only, which is said" {
    three
    sed -i 's/iterations: [0-9]*/iterations: 40000/' three.yaml
    orrery plan three.yaml --json
    jq -e '.verdict.cut and .verdict.packet_hops == 2e7 and .verdict.holds' ../out
}

@test "what would take long is not tried with packets, which is said" {
    three
    sed -i 's/iterations: [0-9]*/iterations: 40000/' three.yaml
    sed -i 's/9000B/64B/; s/MB, to/GB, to/; s/size: \([0-9.]*\)MB/size: \1GB/' three.yaml
    orrery plan three.yaml --json
    jq -e '.verdict.packet_hops == 0 and (.verdict.cut | not) and
        all(.jobs[]; .expected | has("simulated_ns") | not)' ../out
    orrery plan three.yaml
    grep -q 'not tried with packets' ../out
}

@test "mltcp: plan notes where jobs were not seen to take turns" {
    three
    orrery plan three.yaml --set schedule=mltcp --set network.cc=swift
    grep -q '^note: mltcp over swift: 3 jobs of unequal periods .* not measured' ../out
    sed -i 's/compute: [0-9.]*ms/compute: 7ms/; s/size: [0-9.]*MB/size: 14.5MB/
        s/iterations: [0-9]*/iterations: 5/' three.yaml
    # three of 2.4 in 9.4 ms
    orrery plan three.yaml --set schedule=mltcp --set network.cc=swift
    ! grep '^note: mltcp' ../out || false
    orrery plan three.yaml --set schedule=mltcp --set network.cc=dcqcn
    grep -q '^note: mltcp over dcqcn: 3 jobs of equal periods ask for 7[0-9] % of left > right, where jobs took up to 1.58 times as long as alone' ../out
    orrery plan three.yaml --set schedule=mltcp --set network.cc=timely --json
    jq -e '.notes | length == 2 and all(startswith("mltcp over timely: 3 jobs") and
        endswith("where it was not measured to make jobs take turns"))' ../out
}
