#!/usr/bin/env bats
# orrery report: the page of runs and studies.

load common

# The data that a page shows.
data() {
    sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>.*/\1/p' \
        "${1:-report.html}"
}

# A job on a dumbbell beside flows; its name must not end the page's script.
two() {
    cat >two.yaml <<'YAML'
title: "one </script><script>alert(1)</script>"
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 1us}}
jobs:
- {name: "<b>", ranks: 2, placement: [0, 2], iterations: 3, program: [compute: 10us, all-reduce: {size: 100KB}]}
flows: [{src: 1, dst: 3, size: 50KB}, {src: 3, dst: 1, size: 10KB, start: 5us}]
YAML
    "$ORRERY" run two.yaml -q
}

# has FILTER: it holds for what the page shows.
has() {
    data | jq -e "$1" >/dev/null || { data | jq -c "$1"; echo "not: $1"; return 1; }
}

@test "a run: all of it is on the page" {
    two
    orrery report two.h5
    [ "$status" -eq 0 ]
    is_text ../out ''
    is_text ../err ''
    leaves report.html two.h5 two.yaml
    [ "$(grep -c 'alert(1)' report.html)" -eq 1 ] # in the data, harmless
    ! grep -q 'alert(1)</script' report.html || false
    has 'length == 1 and .[0].run'
    has '.[0].title == "one </script><script>alert(1)</script>"'
    has '.[0].jobs | length == 1 and .[0].name == "<b>" and .[0].iterations == 3'
    has '.[0].flows | .count == 2 and .completed == 2'
    has '.[0].topology | .nodes == 6 and .cables == 5 and (.from | length) == 10'
    has '.[0].links | .columns == (.id | length) and (.name[0] | test(" > "))'
    has '.[0].gantt | map(.rank) == [0, 1]'
}

@test "a run: figures are those of the summary" {
    two
    orrery run two.yaml -q --set record=none --json two.json
    orrery report two.h5
    data | jq '.[0].jobs[0].mean * 1e9 | round' >mean
    jq '.jobs[0].iteration_ns.mean | round' two.json >expected
    cmp mean expected
    # of an even number of iterations, too: percentiles are values that occurred
    orrery run two.yaml -q --set 'jobs[0].iterations=6' \
        --set 'jobs[0].jitter={kind: uniform, spread: 0.2}' \
        --json many.json -o many.h5
    orrery report many.h5 -o many.html
    data many.html | jq -c '.[0].jobs[0] | [.p50, .p99, .max] |
        map(. * 1e12 | round)' >drawn
    jq -c '.jobs[0].iteration_ns | [.p50, .p99, .max] | map(. * 1e3 | round)' \
        many.json >expected
    [ "$(jq 'unique | length' expected)" -gt 1 ]
    cmp drawn expected
    data | jq -c '[.[0].links | .name[0], (.bytes[0] | round)]' >busiest
    jq -c '.links.busiest[0] | [.from_name + " > " + .to_name, .bytes]' two.json >expected
    cat busiest expected
    cmp busiest expected
}

# explains CONFIG NAME: summary, report, picture and timeline show that link
# first, which all say has the longest queue of all that are as busy.
explains() {
    orrery run "$1" --json run.json -o run.h5 --set record.interval=10us
    [ "$status" -eq 0 ]
    [ "$(sed -n '/^busiest links/{n;s/^  *//;s/  .*//;p}' ../out)" = \
        "$2" ]
    jq -e '.links.busiest[0] as $f | .links.busiest |
        map(select(.utilization > $f.utilization * 0.998)) |
        length > 1 and all(.max_queue_bytes <= $f.max_queue_bytes)' run.json
    orrery report run.h5
    [ "$(data | jq -r '.[0].links.name[0]')" = "$2" ]
    orrery plot run.h5 series --script
    grep -q "title '$2'" ../out
    orrery timeline run.h5 --links 1 -o -
    [ "$(jq -r '.traceEvents[] | select(.ph == "C").name' ../out | sort -u)" = \
        "$2, queue B
$2, utilization %" ]
}

@test "the link shown first is the one that explains" {
    cat >marks.yaml <<'YAML'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 3, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 2MiB, threshold: 150KB}}
flows: [{src: 3, dst: 0, size: 3MB}, {src: 4, dst: 1, size: 3MB}, {src: 5, dst: 2, size: 3MB}]
YAML
    explains marks.yaml "leaf1 > spine0"
    cat >drops.yaml <<'YAML'
topology: {kind: dumbbell, left: 3, right: 3, link: {rate: 40Gbps, delay: 1us}, bottleneck: {rate: 40Gbps, delay: 1us}}
network: {cc: reno, queue: {kind: droptail, capacity: 64KiB}}
flows: [{src: 3, dst: 0, size: 2MB}, {src: 4, dst: 0, size: 2MB}, {src: 5, dst: 0, size: 2MB}]
YAML
    explains drops.yaml "right > left"
    sed 's/src: \([345]\), dst: 0/src: 0, dst: \1/g' drops.yaml >spread.yaml
    explains spread.yaml "host 0 > left"
}

@test "links by job: shares are of all that a link carried" {
    two
    orrery report two.h5
    has '.[0] | has("split") | not'
    orrery run two.yaml -q --set record.by_job=true
    orrery report two.h5
    [ "$status" -eq 0 ]
    has '.[0].split | (.owner | unique) == ["<b>", "flows"] and
        (.link | length) == (.bytes | length)'
    has '.[0] as $run | [$run.links.id, $run.links.bytes] | transpose |
        map(. as [$id, $bytes] | [range($run.split.link | length) |
            select($run.split.link[.] == $id) | $run.split.bytes[.]] |
            add == $bytes) | length == 10 and all'
}

@test "what a rank did is what it spent" {
    two
    orrery report two.h5
    # spans are [start, end, what]; 1 computes, 2 communicates, 3 both
    threes='def threes: range(0; length; 3) as $i | .[$i:$i + 3];'
    data | jq "$threes"'[.[0].gantt[0].spans | threes | select(.[2] == 1 or .[2] == 3)
               | .[1] - .[0]] | add * 1e12 | round' >computed
    is_text computed 30000000 # three times 10 us
    data | jq "$threes"'.[0] | [.gantt[] | [.spans | threes | select(.[2] == 2)
               | .[1] - .[0]] | add] | add / 2 * 1e9 | round' >exposed
    data | jq '.[0].jobs[0].exposed * 1e9 | round' >expected
    cmp exposed expected
}

@test "of many ranks those are shown that computed longest, and the first" {
    cat >many.yaml <<'YAML'
topology: {kind: switch, hosts: 16, link: {rate: 100Gbps, delay: 1us}}
jobs: [{name: v, ranks: 16, iterations: 2, stragglers: {12: 3},
        program: [compute: 100us, all-reduce: {size: 100KB}]}]
YAML
    "$ORRERY" run many.yaml -q
    orrery report many.h5
    has '.[0].gantt | map(.rank) == [0, 1, 2, 3, 4, 5, 6, 12]'
    has '.[0].gantt_note == "8 of 16 ranks, of each job those that computed '"\
"'longest and the first"'
    orrery plot many.h5 gantt --script
    grep -q "^set title '8 of 16 ranks, of each job " ../out
    grep -q "'v rank 12'" ../out
    "$ORRERY" run many.yaml -q --set 'jobs[0].iterations=2000' \
        --set 'jobs[0].program[1].all-reduce.size=1B' \
        --set record.interval=10ms -o long.h5
    orrery report long.h5 -o long.html
    data long.html | jq -r '.[0].gantt_note' >note
    is_text note '5 of 16 ranks: the others are not on record'
    # what made them wait is on record, be there room for two ranks alone
    is_text <(data long.html | jq -c '.[0].gantt | map(.rank)') '[0,1,2,3,12]'
    "$ORRERY" run many.yaml -q --set 'jobs[0].iterations=11000' \
        --set 'jobs[0].program[1].all-reduce.size=1B' \
        --set record.interval=10ms -o long.h5 \
        --set 'jobs[0].stragglers={0: 2, 5: 1.5, 7: 4, 9: 0.5}'
    orrery report long.h5 -o long.html
    is_text <(data long.html | jq -c '.[0].gantt | map(.rank)') '[0,7]'
    # rank 0 is there as it is, and needs no other beside it
    "$ORRERY" run many.yaml -q --set 'jobs[0].iterations=11000' \
        --set 'jobs[0].program[1].all-reduce.size=1B' \
        --set record.interval=10ms -o long.h5 --set 'jobs[0].stragglers={0: 2}'
    orrery report long.h5 -o long.html
    is_text <(data long.html | jq -c '.[0].gantt | map(.rank)') '[0]'
    # where all are shown nothing is said
    two
    orrery report two.h5
    has '.[0] | has("gantt_note") | not'
    # servers do nothing of their own
    "$ORRERY" run many.yaml -q -o served.h5 --set 'jobs=[{ranks: 4,
        program: [{all-reduce: {size: 100KB, algorithm: parameter-server,
                   servers: [4, 5]}}]}]'
    orrery report served.h5 -o served.html
    data served.html >page.json
    jq -e '.[0] | (.gantt | length == 4) and (has("gantt_note") | not)' page.json
}

@test "operations: none, all, and which are kept" {
    two
    for which in none all; do
        orrery run two.yaml -q --set "record.operations=$which" -o $which.h5
        [ "$status" -eq 0 ]
    done
    h5dump -H -d /operations/start none.h5 | grep -q '{ ( 0 )'
    h5dump -H -d /operations/start all.h5 | grep -q '{ ( 12 )'
    orrery report none.h5
    [ "$status" -eq 0 ]
    has '.[0].gantt == []'
}

@test "a study: means and intervals over the seeds" {
    cat >study.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
flows: [{generate: poisson, size: 20KB, load: 0.5, duration: 1ms}]
compare:
  over: {network.cc: [none, dctcp]}
  seeds: 1..3
  measure: [flows.fct_ns.mean]
YAML
    "$ORRERY" compare study.yaml -o study -j 1 >/dev/null 2>&1
    orrery report study
    [ "$status" -eq 0 ]
    has '.[0].run | not'
    has '.[0].dimensions == [{"name": "cc", "values": ["none", "dctcp"]}] or
         (.[0].dimensions[0].values == ["none", "dctcp"])'
    has '.[0].seeds == 3'
    # the table of compare has the same mean and half width
    awk -F, 'NR > 1 && $1 == "dctcp" {n++; s += $4; q += $4 * $4}
             END {m = s / n; h = 4.302653 * sqrt((q / n - m * m) / (n - 1))
                  printf "%d %d\n", m + .5, h + .5}' study/table.csv >expected
    data | jq -r '.[0].measures[0] | "\(.mean[1] | round) \(.half[1] | round)"' >got
    cat got expected
    cmp got expected
}

@test "several files on one page, - is stdout" {
    two
    cp two.h5 three.h5
    orrery report two.h5 three.h5 -o -
    [ "$status" -eq 0 ]
    [ "$(data ../out | jq -c 'map(.file)')" = '["two.h5","three.h5"]' ]
}

@test "a run that was killed is shown as far as it went" {
    cat >long.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
flows: [{src: 0, dst: 1, size: 1TB}]
record: {interval: 1ms}
YAML
    "$ORRERY" run long.yaml -q >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 6000); do # a first flush after some 2 s
        sleep 0.1
        ncdump -h long.h5.partial 2>/dev/null |
            grep -q 'time = UNLIMITED ; // ([1-9]' && break
    done
    kill -9 $pid
    wait $pid 2>/dev/null || true
    orrery report long.h5.partial
    [ "$status" -eq 0 ]
    has '.[0].status == "unfinished"'
    has '.[0].links.columns > 0'
}

@test "a run that failed, or was interrupted, is shown as far as it went" {
    # datagrams of an incast are lost for good: the run fails
    cat >lost.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 8Gbps, delay: 1us}}
network: {transport: datagram, mtu: 1000B, queue: {kind: droptail, capacity: 4KB}}
flows: [{generate: incast, dst: 0, size: 20KB}]
jobs: [{name: j, ranks: 2, placement: [1, 2], iterations: 2, program: [compute: 1us]}]
YAML
    orrery run lost.yaml -q
    [ "$status" -eq 1 ]
    orrery report lost.h5
    [ "$status" -eq 0 ]
    is_text ../err ''
    has '.[0].status == "partial"'
    has '.[0].flows | .count == 3 and .completed < 3'
    has '.[0].links.drops | add > 0'
    has '.[0].jobs[0].iterations == 2'
    orrery timeline lost.h5
    [ "$status" -eq 0 ]
    jq -e '[.traceEvents[] | select(.ph == "X")] | length == 4' timeline.json

    cat >long.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
jobs: [{name: j, ranks: 4, iterations: 1000000, program: [all-reduce: {size: 1MB}]}]
record: {interval: 1ms}
YAML
    "$ORRERY" run long.yaml -q >/dev/null 2>&1 &
    pid=$!
    for _ in $(seq 6000); do
        sleep 0.1
        [ -s long.h5.partial ] && break
    done
    sleep 0.5
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 130 ]
    orrery report long.h5
    [ "$status" -eq 0 ]
    has '.[0].status == "partial"'
    has '.[0].links.columns > 0'
    has '.[0].jobs[0] | .iterations > 0 and .iterations < 1000000'
}

@test "iterations that ended are told from those that had begun" {
    two
    has_of() { orrery report two.h5 && has "$1"; }
    has_of '.[0].jobs[0] | .iterations == 3 and .ended == 3'
    # the second one is under way
    "$ORRERY" run two.yaml -q --set stop=180us
    has_of '.[0].jobs[0] | .iterations == 2 and .ended == 1 and
        (.duration | length == 2 and .[1] == null)'
}

@test "bad input: message and status" {
    two
    orrery report
    fails 2 'orrery report: which run, or which study?
hint: `orrery help report` says how it is used'
    orrery report none.h5
    fails 2 'orrery: none.h5: No such file or directory'
    echo no >text.h5
    orrery report text.h5
    fails 2 'orrery: text.h5 is no HDF5 file'
    head -c 20000 two.h5 >cut.h5
    orrery report cut.h5
    fails 2 'orrery: cut.h5 cannot be opened: it is truncated, or still being written'
    mkdir empty
    orrery report empty
    fails 2 'orrery: empty/study.h5: No such file or directory'
    orrery report two.h5 --javascript /nowhere
    fails 2 'orrery: /nowhere/chart.js/chart.min.js is missing: the charts of the page need the package libjs-chart.js'
    mkdir -p js/chart.js
    cp /usr/share/javascript/chart.js/chart.min.js js/chart.js/
    orrery report two.h5 --javascript js
    fails 2 'orrery: js/dygraphs/dygraph.min.js is missing: the charts of the page need the package libjs-dygraphs'
    leaves cut.h5 empty js text.h5 two.h5 two.yaml
}

@test "a run or a study of another version is refused, by all that read one" {
    python_has h5py || skip "no python3-h5py"
    two
    cat >>two.yaml <<'YAML'
compare: {over: {network.cc: [none]}, measure: [flows.fct_ns.mean]}
YAML
    "$ORRERY" compare two.yaml -o study -j 1 >/dev/null 2>&1
    reads=$(h5dump -a orrery_format two.h5 | sed -n 's/.*(0): //p')
    version=$("$ORRERY" version | sed -n '1s/orrery //p')
    /usr/bin/python3 - <<'PY'
import h5py
with h5py.File("two.h5", "r+") as f, h5py.File("study/study.h5", "r+") as s:
    f.attrs["orrery_format"] = 99
    f.attrs["source"] = "orrery 9.1.0"
    del s.attrs["orrery_format"] # of before there was one
    s.attrs["source"] = "orrery 0.1.0"
PY
    refused="; this is orrery $version, which reads format $reads
hint: run it again with this version"
    for what in 'report two.h5' 'timeline two.h5' 'plot two.h5 heat -o x.svg'; do
        # shellcheck disable=SC2086
        orrery $what
        fails 2 "orrery: two.h5 is of orrery 9.1.0, in format 99$refused"
    done
    orrery report study
    fails 2 "orrery: study/study.h5 is of orrery 0.1.0, in format 1$refused"
}

# Two jobs that ask for all of a link half of the time, and meet both ways.
turns() {
    cat >turns.yaml <<'YAML'
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 50Gbps, delay: 1us}, bottleneck: {rate: 50Gbps, delay: 1us}}
schedule: {kind: cassini}
jobs:
- {name: a, ranks: 2, placement: [0, 2], iterations: 3, program: &p [compute: 3ms, parallel: [{send: {to: +1, size: 12MB}}, {recv: {from: +1}}]]}
- {name: "</script>", ranks: 2, placement: [1, 3], iterations: 3, program: *p}
YAML
    "$ORRERY" run turns.yaml -q
}

@test "circles of a plan: what plan says of them" {
    turns
    orrery report turns.h5
    [ "$status" -eq 0 ]
    "$ORRERY" plan turns.yaml --json >plan.json
    # both ways the same jobs meet: one stands for both
    has '.[0].circles | .groups == 1 and (.list | length) == 1 and .list[0].links == 2'
    has '.[0].circles.list[0] | .turns | map(.job) == [0, 1]'
    data | jq -c '.[0].circles.list[0] | [.before, .score, (.perimeter * 1e9 | round),
        (.turns[1].shift * 1e9 | round)]' >shown
    jq -c '[.links[0].score_at_once, .links[0].score, (.links[0].perimeter_ns | round),
        (.jobs[1].turn.shift_ns | round)]' plan.json >expected
    cat shown expected
    jq -e -s '[.[0], .[1]] | transpose | all((.[0] - .[1] | fabs) <= 1e-6 * (.[1] | fabs))' \
        shown expected
    # what is asked for in one turn is what a message takes on the link
    has '.[0].circles.list[0].turns[0] | [.start, .end, .rate] | transpose
        | map((.[1] - .[0]) * .[2] / 8) | add | . > 12e6 and . < 12.5e6'
    # without a plan there are none
    orrery run turns.yaml -q --set schedule=none -o none.h5
    orrery report none.h5
    has '.[0] | has("circles") | not'
}

@test "circles that cannot be: refused" {
    python_has h5py || skip "no python3-h5py"
    turns
    cases=(turn_circle=9 phase_turn=9 perimeter=0 turn_period=-5)
    for case in "${cases[@]}"; do
        cp turns.h5 "$case.h5"
    done
    /usr/bin/python3 -c 'import h5py, sys
for case in sys.argv[1:]:
    name, value = case.split("=")
    h5py.File(case + ".h5", "r+")["circles/" + name][-1] = int(value)' "${cases[@]}"
    for case in "${cases[@]}"; do
        mv "$case.h5" broken.h5
        orrery report broken.h5
        fails 2 "orrery: broken.h5: circles/${case%=*} has ${case#*=} where it cannot be"
    done
}

@test "what explain found out stands on the page of its run" {
    two
    "$ORRERY" explain two.yaml --json why.json >/dev/null
    "$ORRERY" run two.yaml -q --set seed=2 -o other.h5
    orrery report other.h5 two.h5 --explain why.json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    has '.[0].explained == null'
    has '.[1].explained.subjects | length == 1 and .[0].job == "<b>" and (.[0] | has("path") | not)'
    # the parts of the chart add up
    has '.[1].explained.subjects[0] | [.causes_ns[]] | add * 1000 | round'
    data | jq '.[1].explained.subjects[0] | ([.causes_ns[]] | add * 1000 | round) == (.duration_ns * 1000 | round)' | grep -q true
    # shellcheck disable=SC2016
    data | jq --slurpfile why why.json '.[1].explained.blame == $why[0].blame' | grep -q true
    orrery report other.h5 --explain why.json
    fails 2 "why.json: it explains a run of another fingerprint"
    echo '{"a": 1}' >no.json
    orrery report two.h5 --explain no.json
    # shellcheck disable=SC2016
    fails 2 'no.json: this is not what `orrery explain --json` writes'
    orrery report two.h5 --explain there.json
    fails 2 "there.json: No such file or directory"
}

# A cluster of which the page shows all.
cluster() {
    cat >cluster.yaml <<'YAML'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {mtu: 64KiB}
cluster:
  accuracy: fluid
  placement: spread
  arrivals: {load: 90%, most: 30}
  jobs: [{name: a, gpus: [2, 4], iterations: 50, program: [compute: 1ms, all-reduce: {size: 20MB}]}]
YAML
    "$ORRERY" run cluster.yaml -q -o cluster.h5 --json cluster.json "$@"
}

@test "a cluster: what each tenant got" {
    cluster --set 'cluster.tenants=[{name: vision, quota: 4}, {name: others}]'
    orrery report cluster.h5
    has '.[0].cluster | .tenant_count == 2 and .tenants.name == ["vision", "others"] and
        (.tenants.jobs | add) == 30 and .tenants.quota == [4, 4294967295]'
    data | jq -c '.[0].cluster.tenants | [.gpu_hours, .share, .done]' >page
    jq -e --argjson page "$(cat page)" '[.cluster.tenants[] |
        [.gpu_hours, .share, .done]] | transpose | flatten as $want |
        [($page | flatten), $want] | transpose |
        all(.[0] - .[1] | fabs < 1e-9)' cluster.json
    # without tenants the page has none
    cluster
    orrery report cluster.h5
    has '.[0].cluster | has("tenants") | not'
}

@test "a cluster: jobs, GPUs, the queue and links" {
    cluster
    orrery report cluster.h5
    [ "$status" -eq 0 ]
    has '.[0].cluster | .count == 30 and .gpus == 8 and .queue == "fifo"'
    has '.[0].cluster.jobs | (.name | length) == 30 and .state == [range(30) | 3]'
    has '.[0].cluster.held | .all == (.job | length) and (.gpus | max) <= 4'
    data | jq '[.[0].cluster.held | [.gpus, .from, .to] | transpose[] |
                .[0] * (.[2] - .[1])] | add / 3600' >held
    jq -e --argjson held "$(cat held)" \
        '.cluster.gpu_hours.given / $held - 1 | fabs < 1e-6' cluster.json
    data | jq '.[0].cluster.over.waiting | max' >most
    jq -e --argjson most "$(cat most)" '.cluster.queue_most == $most' cluster.json
    data | jq '[.[0].cluster.links[].lost] | add' >lost
    jq -e --argjson lost "$(cat lost)" '.cluster.gpu_hours.lost > 0 and
        (.cluster.gpu_hours.lost / $lost - 1 | fabs < 1e-6)' cluster.json
    jq -r '.cluster.completion_ns | .p99 / 1e9 * 1000 | round' cluster.json >p99
    data | jq '.[0].cluster.completion_spread | .value[-1] * 1000 | round' | cmp p99 -
}

# bats test_tags=larger
@test "a cluster of ten thousand jobs: the page is below 10 MB" {
    cluster -s cluster.arrivals.most=10000
    orrery report cluster.h5
    [ "$status" -eq 0 ]
    [ "$(stat -c %s report.html)" -lt 10000000 ]
    has '.[0].cluster | .count == 10000 and (.jobs.name | length) == 10000'
    has '.[0].cluster.over | (.time | length) == 1500 and (.used | length) == 1500'
    # means of parts of the time are means of all of it
    data | jq '[.[0].cluster.over.used[]] | add / length / 8' >share
    jq -e --argjson share "$(cat share)" \
        '.cluster.utilization / $share - 1 | fabs < 1e-6' cluster.json
}

@test "a cluster's file without half of its columns is refused" {
    cluster
    python_has h5py || skip "no h5py"
    /usr/bin/python3 - <<'PY'
import h5py
with h5py.File("cluster.h5", "r+") as f:
    del f["cluster_gpus/to"]
PY
    orrery report cluster.h5
    fails 2 'orrery: cluster.h5: cluster_gpus/to cannot be read: the file is damaged, or of another version'
}
