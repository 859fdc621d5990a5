#!/usr/bin/env bats
# `orrery compare`: what a study is, what it leaves, and how it ends.

load common

# Eight hosts, one flow whose host is drawn by the seed, and a job.
base() {
    cat >base.yaml <<'TEXT'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
network: {queue: {kind: ecn, capacity: 1MiB, threshold: 100KB}, cc: dctcp}
flows: [{generate: permutation, size: 200KB}]
jobs: [{ranks: 8, program: [all-reduce: {size: 256KiB}]}]
TEXT
    echo 'topology: {kind: ring, hosts: 8, link: {rate: 200Gbps, delay: 1us}}' \
        >ring.yaml
    echo 'topology: {kind: torus, dims: [4, 2], link: {rate: 100Gbps, delay: 1us}}' \
        >torus.yaml
}

# compare ARGUMENT...: of base.yaml, two at once, without records.
compare() {
    orrery compare base.yaml --no-keep -j 2 "$@"
}

# rows FILTER: how many rows of study/table.csv match.
rows() {
    grep -cE "$1" study/table.csv || true
}

# The table of a study that is run in one go.
reference() {
    compare "$@" -q -o reference
    [ "$status" -eq 0 ]
}

same_tables() {
    for file in table.csv table.md study.json study.h5; do
        cmp "reference/$file" "${1:-study}/$file"
    done
}

@test "a question in one command: a table, its files, and a folder for each run" {
    base
    compare --over network.cc=dctcp,swift --over topology=ring.yaml,torus.yaml \
        --seeds 1..3 -o study/
    [ "$status" -eq 0 ]
    grep -q '^cc  *topology ' ../out
    grep -q '4 combinations, 12 runs; mean and 95 % interval' ../out
    grep -q 'change: against cc=dctcp, topology=ring, paired by seed' ../out
    grep -qE '^swift  torus .* ± .* us' ../out
    is_text ../err "12 runs, 0 from before; study/table.csv, table.md, study.json, study.h5"
    # tidy: a row for each run and measure
    is_text <(head -1 study/table.csv) "cc,topology,seed,measure,value,unit,status,marks,doubt"
    [ "$(rows ',ok,,$')" -eq $((12 * 5)) ]
    [ "$(ls study/runs | wc -l)" -eq 12 ]
    for run in study/runs/*; do
        [ -s "$run/config.yaml" ] && [ -s "$run/summary.json" ]
        [ ! -e "$run/run.h5" ] && [ -e "$run/log" ]
    done
    jq -e '.cells | length == 4' study/study.json
    jq -e '[.cells[].runs[].status] == ["ok" * 12 | while(. != ""; .[2:])][:12]
        or ([.cells[].runs[].status] | unique == ["ok"])' study/study.json
}

@test "a value in the table is the run's own" {
    base
    compare --over network.mtu=1KB,4KB --seeds 7 -o study
    "$ORRERY" run base.yaml --seed 7 --set network.mtu=1KB -q --json own.json \
        --set record=none
    jq -e --slurpfile own own.json '.cells[0].runs[0].values[1]
        == $own[0].flows.slowdown.mean' study/study.json
    # and so is each folder's
    hash=$(jq -r '.cells[0].runs[0].run' study/study.json)
    "$ORRERY" run "study/runs/$hash/config.yaml" -q --json again.json
    is_text <(jq -r .fingerprint again.json) \
        "$(jq -r .fingerprint "study/runs/$hash/summary.json")"
    is_text <(jq -r .fingerprint own.json) "$(jq -r .fingerprint again.json)"
}

@test "study.h5 is netCDF-4: a variable over the dimensions by their names" {
    base
    compare --over network.cc=dctcp,swift --over topology=ring.yaml,torus.yaml \
        --seeds 3,5 -m flows.slowdown.p99 -o study
    ncdump -h study/study.h5 >header
    grep -q 'double flows.slowdown.p99(cc, topology, seed)' header
    grep -q ':title = "base"' header # of the file, as it says nothing itself
    ncdump -v cc,seed study/study.h5 >values
    grep -q 'cc = "dctcp", "swift"' values
    grep -q 'seed = 3, 5' values
    # the same numbers as in the table, in the same order
    h5dump -d /flows.slowdown.p99 -m '%.12g' -y -w 0 -o raw study/study.h5 >/dev/null
    tr -s ' ,\n' '\n' <raw | grep . >h5
    awk -F, 'NR > 1 { printf "%.12g\n", $5 }' study/table.csv >csv
    diff csv h5
}

@test "a study is one file: variants by name, seeds, measures, baseline, keep" {
    base
    cat >>base.yaml <<'TEXT'
compare:
  over:
    topology:
      ring: {kind: ring, hosts: 8, link: {rate: 200Gbps, delay: 1us}}
      torus: {topology: {kind: torus, dims: [4, 2], link: {rate: 100Gbps, delay: 1us}}}
      wide: torus.yaml
    hosts:
      near: {"jobs[0].placement": linear}
      far: {"jobs[0].placement": random, network.header: 64B}
  seeds: [2, 4]
  measure: [jobs.job0.iteration_ns.mean, flows.by_size.200KB.slowdown.p99]
  baseline: {topology: torus}
  keep: true
  claim: |
    rings are slower,
    they say
TEXT
    orrery compare base.yaml -o study
    [ "$status" -eq 0 ]
    is_text <(tail -n 2 study/table.md) "- claim: rings are slower,
- they say"
    grep -qx 'claim: rings are slower,' ../out
    jq -e '.claim == "rings are slower,\nthey say\n"' study/study.json
    [ "$(rows '^(ring|torus|wide),(near|far),(2|4),.*,ok,,$')" -eq 24 ]
    jq -e '.baseline == {"topology": "torus"}' study/study.json
    # against the same placement on the torus
    jq -e '.cells[] | select(.at == {"topology": "ring", "hosts": "far"})
        | .measures[0].difference.n == 2' study/study.json
    # torus and wide come to the same, and are one run for each seed
    [ "$(ls study/runs/*/run.h5 | wc -l)" -eq 8 ]
    jq -e '[.cells[] | select(.at.hosts == "near" and .at.topology != "ring")
        | .runs[0].run] | unique | length == 1' study/study.json
    # a run of the file itself leaves the section aside
    orrery run base.yaml --quiet --json one.json --set record=none
    [ "$status" -eq 0 ]
}

@test "a change of kind drops what only the other kind knows" {
    base
    compare --set topology='{kind: torus, dims: [4, 2], hosts: 8, link: {rate: 1Gbps, delay: 1us}}' \
        --over topology.kind=ring,fully-connected -m flows.fct_ns.mean -o study
    [ "$status" -eq 0 ]
    [ "$(rows ',ok,,$')" -eq 2 ]
    # beside the same kind nothing is dropped
    compare --over 'topology={kind: ring, dims: [2, 2]}' -o other
    fails 2 '--over topology:1:15: unknown key "dims" in topology
    [{kind: ring, dims: [2, 2]}]
                  ^
hint: known keys: kind size link links planes scale names circuits reconfigure servers hosts; with topology=ring
hint: "dims" is a key of `topology` of kind torus, `topology` of kind hyperx, `algorithm` of kind torus'
}

@test "a figure that no run has is told below the table" {
    base
    compare --over network.cc=dctcp,swift -m flows.completed \
        -m flows.list.99.fct_ns -o study
    [ "$status" -eq 0 ]
    grep -qx 'flows.list.99.fct_ns: no run has this figure' ../out
    [ "$(grep -c 'flows.completed: no run' ../out)" -eq 0 ]
    grep -qx -- '- flows.list.99.fct_ns: no run has this figure' study/table.md
}

@test "when: what is left out, and what alone is run" {
    base
    cat >>base.yaml <<'TEXT'
compare:
  over:
    network.cc: [dctcp, swift, reno]
    network.mtu: [1KB, 4KB]
  measure: flows.fct_ns.mean
  when: [{not: {cc: swift, mtu: 1KB}}, {cc: [dctcp, swift]}]
TEXT
    compare -o study
    [ "$status" -eq 0 ]
    is_text <(awk -F, 'NR > 1 { print $1, $2 }' study/table.csv) \
        "dctcp 1KB
dctcp 4KB
swift 4KB"
}

@test "runs that are there are not done again, and a new value adds its own" {
    base
    compare --over network.cc=dctcp,swift --seeds 1..2 -o study -q
    before=$(stat -c %y study/runs/*/summary.json)
    compare --over network.cc=dctcp,swift --seeds 1..2 -o study
    grep -q '^4 runs, 4 from before' ../err
    [ "$(stat -c %y study/runs/*/summary.json)" = "$before" ]
    compare --over network.cc=dctcp,swift,reno --seeds 1..3 -o study
    grep -q '^9 runs, 4 from before' ../err
    [ "$(wc -l <study/journal)" -eq 9 ]
    # another value of something else is another run
    compare --over network.cc=dctcp,swift --set network.mtu=1KB -o study
    grep -q '^2 runs, 0 from before' ../err
}

@test "a file that the configuration names is part of the run" {
    base
    printf 'time,src,dst,bytes\n0,0,1,100000\n' >flows.csv
    compare --set 'flows=[{file: flows.csv, format: csv, unit: us}]' --over network.cc=dctcp,reno -q -o study
    [ "$status" -eq 0 ]
    echo '0,2,3,100000' >>flows.csv
    compare --set 'flows=[{file: flows.csv, format: csv, unit: us}]' --over network.cc=dctcp,reno -o study
    grep -q '^2 runs, 0 from before' ../err
}

# killed_times N: a study is killed N times at random moments, and each time gone
# on with.
killed_times() {
    base
    arguments=(--over "network.cc=dctcp,swift,reno" --over "topology=ring.yaml,torus.yaml" --seeds 1..20)
    reference "${arguments[@]}"
    killed=0
    before=0
    while [ "$killed" -lt "$1" ]; do
        status=0
        timeout -s KILL "0.$(printf %03d $((RANDOM % 150 + 20)))" \
            "$ORRERY" compare base.yaml --no-keep -j 2 "${arguments[@]}" \
            -q -o study >/dev/null 2>&1 || status=$?
        if [ "$status" -eq 0 ]; then # it came to its end: once more
            same_tables
            rm -r study
            before=0
            continue
        fi
        [ "$status" -eq 137 ]
        killed=$((killed + 1))
        [ -e study/journal ] || continue
        # what was done stays done
        done=$(wc -l <study/journal)
        [ "$done" -ge "$before" ]
        before=$done
    done
    printf 'ok 0123' >>study/journal # a line that was cut short
    compare "${arguments[@]}" -q -o study
    [ "$status" -eq 0 ]
    same_tables
    leaves base.yaml reference ring.yaml study torus.yaml
}

@test "killed at random moments, the tables are the same" {
    killed_times 2
}

# bats test_tags=larger
@test "killed twenty times at random moments, the tables are the same" {
    killed_times 20
}

@test "interrupted, it says so and keeps what it has" {
    base
    long
    "$ORRERY" compare long.yaml --over jobs[0].iterations=1,1000000 --no-keep \
        -j 2 -o study 2>../err &
    for _ in $(seq 6000); do
        grep -qs ^ok study/journal && break
        sleep 0.1
    done
    kill -INT $!
    status=0
    wait $! || status=$?
    [ "$status" -eq 130 ]
    grep -q 'interrupted; start it again to continue' ../err
    [ "$(grep -c ^ok study/journal)" -eq 1 ]
    [ "$(wc -l <study/journal)" -eq 1 ]
}

@test "runs that were interrupted with it are done anew, whatever they noted" {
    base
    long
    printf 'record: none\n' >>long.yaml
    # as from a terminal: the signal goes to all of them
    setsid "$ORRERY" compare long.yaml --over jobs[0].iterations=1000000 \
        -o study 2>/dev/null &
    for _ in $(seq 6000); do
        grep -qs '^note: ' study/runs/*/log && break
        sleep 0.1
    done
    sleep 0.5
    kill -INT -- -$!
    wait $! || true
    grep -q '^note: ' study/runs/*/log
    grep -q '^orrery: interrupted' study/runs/*/log
    orrery compare long.yaml --over jobs[0].iterations=1000000 -o study --collect
    grep -q '1 combination, 1 run, 1 missing' ../out || { cat ../out; return 1; }
}

@test "a run that cannot finish is a cell that says why, and is not tried again" {
    cat >base.yaml <<'TEXT'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
network: {transport: datagram, queue: {kind: droptail, capacity: 1MiB}}
flows: [{src: 0, dst: 3, size: 1MB}, {src: 1, dst: 3, size: 1MB}]
TEXT
    compare --over network.queue.capacity=10KB,16MiB -m flows.fct_ns.max -o study
    [ "$status" -eq 1 ]
    grep -q '^10KB  *-  *=  *LQ  failed \[1\]$' ../out
    grep -q '^\[1\] capacity=10KB, seed 1: no events are left, but' ../out
    grep -q '^10KB,1,flows.fct_ns.max,,ns,"failed: no events are left' study/table.csv
    grep -q '^16MiB,1,flows.fct_ns.max,[0-9.]*,ns,ok,,$' study/table.csv
    cp -r study reference
    compare --over network.queue.capacity=10KB,16MiB -m flows.fct_ns.max -o study
    [ "$status" -eq 1 ]
    grep -q '^2 runs, 2 from before; some failed' ../err
    same_tables
}

@test "a run that crashes is a cell too, and is tried again" {
    base
    long
    # a sanitizer would take the signal, and exit
    ASAN_OPTIONS=handle_segv=0 "$ORRERY" compare long.yaml \
        --over jobs[0].iterations=1,1000000 --no-keep -j 1 -o study \
        >../out 2>../err &
    study=$!
    run=
    for _ in $(seq 6000); do
        run=$(pgrep -P $study) && break
        sleep 0.1
    done
    sleep 0.5
    kill -SEGV "$run"
    status=0
    wait $study || status=$?
    [ "$status" -eq 1 ]
    grep -q 'ended by signal 11 (Segmentation fault)' ../out
    # the other one was run all the same
    grep -q '^1,1,.*,ok,' study/table.csv
    [ "$(grep -c '^failed' study/journal)" -eq 1 ]
}

@test "a program that is gone, or another by now, ends the study" {
    long
    cp "$ORRERY" own
    ./own compare long.yaml --over jobs[0].iterations=999999,1000000 \
        --no-keep -j 1 -o study >/dev/null 2>../err &
    study=$!
    run=
    for _ in $(seq 6000); do
        run=$(pgrep -P $study) && break
        sleep 0.1
    done
    rm own
    kill -SEGV "$run"
    status=0
    wait $study || status=$?
    [ "$status" -eq 1 ]
    grep -q '^orrery: cannot start .*/own: No such file or directory$' ../err
    [ "$(wc -l <study/journal)" -eq 1 ] # what was not begun did not fail
}

@test "no process of a study outlives it" {
    long
    "$ORRERY" compare long.yaml --over jobs[0].iterations=999999,1000000 \
        --no-keep -j 2 -o study >/dev/null 2>&1 &
    study=$!
    for _ in $(seq 6000); do
        [ "$(pgrep -P $study | wc -l)" -eq 2 ] && break
        sleep 0.1
    done
    runs=$(pgrep -P $study)
    kill -KILL $study
    wait $study || true
    sleep 0.3
    for run in $runs; do
        [ ! -e "/proc/$run" ] || grep -q '^State:.*Z' "/proc/$run/status"
    done
}

@test "two studies do not share a folder" {
    long
    "$ORRERY" compare long.yaml --over jobs[0].iterations=999999,1000000 \
        --no-keep -j 1 -o study >/dev/null 2>&1 &
    study=$!
    for _ in $(seq 6000); do
        [ -n "$(pgrep -P $study)" ] && break
        sleep 0.1
    done
    orrery compare long.yaml --over jobs[0].iterations=1 -o study
    kill -TERM $study
    wait $study || true
    fails 2 'orrery: study: another `orrery compare` is at work there
hint: wait for it, or give this one a folder of its own: -o DIR'
    # and it is free again
    compare_again=$(cpu 20 timeout 600 "$ORRERY" compare long.yaml --no-keep -q \
        --over jobs[0].iterations=1 -o study 2>&1)
    [ -z "$compare_again" ]
}

@test "--list: a command for each run, for others to carry out" {
    base
    arguments=(--over "network.cc=dctcp,swift" --seeds 1..2)
    reference "${arguments[@]}"
    compare "${arguments[@]}" --list -o 'a study'
    [ "$status" -eq 0 ]
    [ ! -s ../err ]
    [ "$(wc -l <../out)" -eq 4 ]
    xargs -P 2 -I{} -a <(sed "s/'/\\\\'/g" ../out) sh -c '{}'
    compare "${arguments[@]}" --collect -q -o 'a study'
    [ "$status" -eq 0 ]
    same_tables 'a study'
    compare "${arguments[@]}" --list -o 'a study'
    [ ! -s ../out ]
}

@test "--shard and --collect: parts, in one folder or in several" {
    base
    arguments=(--over "network.cc=dctcp,swift,reno" --seeds 1..3)
    reference "${arguments[@]}"
    for part in 1 2; do
        compare "${arguments[@]}" --shard $part/2 -o "part$part"
        [ "$status" -eq 0 ]
        [ ! -s ../out ]
        is_text ../err "part $part of 2 done; \`orrery compare CONFIG --collect -o part$part\` makes the tables"
        compare "${arguments[@]}" --shard $part/2 -q -o study
    done
    [ $(($(ls part1/runs | wc -l) + $(ls part2/runs | wc -l))) -eq 9 ]
    orrery compare base.yaml --no-keep "${arguments[@]}" --collect part1 part2 -q -o all
    [ "$status" -eq 0 ]
    same_tables all
    compare "${arguments[@]}" --collect -q -o study
    same_tables
    # what is missing is said
    orrery compare base.yaml --no-keep "${arguments[@]}" --collect part1 -o some
    [ "$status" -eq 0 ]
    grep -q 'missing' ../out
    grep -q ',missing,,$' some/table.csv
    # those with more seeds than one have intervals all the same
    grep -q "missing; mean and 95 % interval (Student's t)" ../out
}

@test "--until: seeds are added until the interval is narrow, at most so many" {
    base
    compare --over network.cc=dctcp,swift -m flows.slowdown.mean --seeds 1..3 \
        --until 8% -o study
    [ "$status" -eq 0 ]
    jq -e '[.cells[].measures[0].value
        | .half_interval / .mean < 0.08 and .n >= 3] | all' study/study.json
    compare --over network.cc=dctcp,swift -m flows.slowdown.mean \
        --until '{interval: 0.01%, most: 5}' -o few
    jq -e '[.cells[].measures[0].value.n] == [5, 5]' few/study.json
    # and started again it comes to the same
    compare --over network.cc=dctcp,swift -m flows.slowdown.mean \
        --until '{interval: 0.01%, most: 5}' -o few
    grep -q '^10 runs, 10 from before' ../err
    # where it gives up it says so, and where it does not it is silent
    [ "$(grep -cE '^until 0.01%: not reached: cc=(dctcp|swift), flows.slowdown.mean: [0-9.]+ % of the mean with 5 seeds, the most there may be$' ../out)" -eq 2 ]
    jq -e '.until == {interval: 0.0001, measure: "flows.slowdown.mean", most: 5}
        and ([.cells[].until | .reached == false and .reason == "seeds"
        and .seeds == 5 and .interval > 0.0001] | all)' few/study.json
    grep -q '^- until 0.01%: not reached: cc=dctcp' few/table.md
    [ "$(grep -c until study/table.md)" -eq 0 ]
    jq -e '[.cells[].until | .reached and .interval < 0.08
        and has("reason") == false] | all' study/study.json
    compare --over network.cc=dctcp,swift --until 2% --shard 1/2 -o none
    fails 2 'orrery compare: --until needs results before it continues: not with --shard
hint: `orrery help compare` says how it is used'
}

@test "--until: what failed, and what was only collected, is told" {
    cat >base.yaml <<'TEXT'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
network: {transport: datagram, queue: {kind: droptail, capacity: 1MiB}}
flows: [{src: 0, dst: 3, size: 1MB}, {src: 1, dst: 3, size: 1MB}]
TEXT
    compare --over network.queue.capacity=10KB,16MiB -m flows.fct_ns.max \
        --until 1% -o study
    [ "$status" -eq 1 ]
    is_text <(grep until ../out) \
        'until 1%: not reached: capacity=10KB, flows.fct_ns.max: 1 seed, not all ran well'
    jq -e '[.cells[].until | .reached, .reason, .seeds]
        == [false, "failed", 1, true, null, 2]' study/study.json
    # a file's until adds no seeds to what parts of a study run
    base
    cat >>base.yaml <<'TEXT'
compare: {until: {interval: 0.01%, most: 5}, seeds: 1..2, over: {network.cc: [dctcp]},
  measure: [flows.slowdown.mean]}
TEXT
    compare -o parts --shard 1/1
    compare -o parts --collect
    grep -qE '^until 0.01%: .*: [0-9.]+ % of the mean with 2 seeds, none added: that takes a run of the whole study$' ../out
    jq -e '.cells[0].until.reason == "open"' parts/study.json
    rm -r parts/runs parts/journal
    compare -o parts --collect
    grep -q ': 2 seeds, not all are there$' ../out
    jq -e '.cells[0].until | .reason == "missing" and .interval == null' \
        parts/study.json
}

@test "--sort, --markdown, --latex" {
    base
    arguments=(--over "network.mtu=500B,4KB,1KB" -m flows.fct_ns.mean -o study)
    compare "${arguments[@]}" --sort flows.fct_ns.mean
    sorted=$(awk '/^[0-9]/ && !/combination/ { print $1 }' ../out | tr '\n' ' ')
    compare "${arguments[@]}" --sort=-flows.fct_ns.mean
    is_text <(awk '/^[0-9]/ && !/combination/ { print $1 }' ../out | tac | tr '\n' ' ') \
        "$sorted"
    compare "${arguments[@]}" --markdown
    is_text <(sed -n 1,2p ../out) '| mtu | flows.fct\_ns.mean (us) | change |
|---|--:|--:|'
    diff ../out study/table.md
    compare "${arguments[@]}" --latex
    is_text <(head -5 ../out) '% \usepackage{booktabs,siunitx}
\begin{tabular}{lS[separate-uncertainty]r}
\toprule
mtu & {mean completion time of flows (us)} & change \\
\midrule'
}

@test "--latex compiles as it is" {
    command -v pdflatex >/dev/null && kpsewhich siunitx.sty >/dev/null ||
        skip "texlive-latex-recommended and texlive-science are not installed"
    base
    compare --over network.routing=ecmp,spray --over 'network.queue.capacity=10KB,1MB' \
        --seeds 1..2 -m flows.fct_ns.mean -m counters.timeouts -o study --latex
    { echo '\documentclass{article}\usepackage{booktabs,siunitx}\begin{document}'
      cat ../out; echo '\end{document}'; } >table.tex
    pdflatex -halt-on-error -interaction=batchmode table.tex >log
    [ -s table.pdf ]
}

@test "--latex: a change that may be none is marked, a row may begin with [" {
    base
    compare --over network.routing=ecmp,spray --seeds 1..3 \
        -m flows.fct_ns.mean -o study --latex
    grep -q ' \\% \$\\sim\$ \\\\$' ../out
    [ "$(grep -v '^%' ../out | grep -c '~')" -eq 0 ]
    cp torus.yaml base.yaml
    echo 'flows: [{src: 0, dst: 1, size: 1KB}]' >>base.yaml
    compare --over 'topology.dims=[4, 2],[2, 4]' -m flows.fct_ns.mean \
        -o torus --latex
    is_text <(sed -n 's/ &.*//; 6,7p' ../out) "{}[4, 2]
{}[2, 4]"
}

@test "a disk that is full in the middle: said, and done again when there is room" {
    base
    arguments=(--over "network.cc=dctcp,swift" --seeds 1..2 --keep)
    compare "${arguments[@]}" -q -o reference
    # no record fits, all else does
    (ulimit -f 64; orrery compare base.yaml -j 2 "${arguments[@]}" -o study
     echo "$status" >../status)
    [ "$(cat ../status)" -eq 1 ]
    grep -q 'run.h5.partial: File too large' study/table.csv
    (ulimit -f 1; orrery compare base.yaml -j 2 "${arguments[@]}" -o study
     echo "$status" >../status)
    [ "$(cat ../status)" -eq 1 ]
    grep -q '^orrery: cannot write study/runs/.*/config.yaml: File too large' ../err
    compare "${arguments[@]}" -q -o study
    [ "$status" -eq 0 ]
    same_tables
}

# Networks of one price: by our own table, or by one of six dollars a port and
# Gbit/s, whatever it belongs to.
equal() {
    base
    cat >prices.yaml <<'TEXT'
currency: EUR
source: a quotation
rates: [{rate: 1Gbps, port: 2, nic: 5, optics: 1}]
TEXT
    arguments=(--over network.cc=dctcp --seeds 1..2 -m flows.fct_ns.mean
        --over 'topology={kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 1us}},ring.yaml,torus.yaml')
}

@test "--equal-cost: rates are scaled, and the table says what they became" {
    equal
    compare "${arguments[@]}" --equal-cost --prices prices.yaml -o study
    [ "$status" -eq 0 ]
    # 8 NICs and 8 ports, 16 optics: 72 a Gbit/s
    grep -qE '^dctcp  switch  *7200 EUR  *100 Gbps ' ../out
    # 8 cables, 16 NICs; 12 cables, 24 NICs
    grep -qE '^dctcp  ring  *7200 EUR  *75 Gbps ' ../out
    grep -qE '^dctcp  torus  *7200 EUR  *50 Gbps ' ../out
    grep -q '^equal cost: rates of links are scaled so that a network costs what its baseline does; prices: a quotation$' ../out
    [ "$(rows '^dctcp,(switch|ring|torus),[12],topology.price,7200,EUR,ok,,$')" -eq 6 ]
    [ "$(rows '^dctcp,ring,[12],topology.scale,0.375,1,ok,,$')" -eq 2 ]
    jq -e '[.cells[].links] == ["100 Gbps", "75 Gbps", "50 Gbps"]
        and .prices == "a quotation"' study/study.json
    ncdump -h study/study.h5 | grep -q 'topology.price:units = "EUR"'
    # and what is run has them
    hash=$(jq -r '.cells[1].runs[0].run' study/study.json)
    grep -q '^  scale: 0.375$' "study/runs/$hash/config.yaml"
    "$ORRERY" topo "study/runs/$hash/config.yaml" --prices prices.yaml |
        grep -q '^  price *7200 EUR'
    # a baseline of each row: what it costs there
    compare "${arguments[@]}" --equal-cost --prices prices.yaml -q -o rows \
        --baseline topology=switch --over topology.link.rate=100Gbps,50Gbps
    jq -e '[.cells[] | select(.at.topology == "ring") | .links]
        == ["75 Gbps", "37.5 Gbps"]' rows/study.json
}

@test "equal_cost in a file: a price, and whoever's prices" {
    equal
    mkdir sub
    mv prices.yaml sub
    cat base.yaml - >sub/study.yaml <<'TEXT'
compare:
  over: {topology.kind: [ring, fully-connected]}
  equal_cost: {price: 14400, prices: prices.yaml}
  measure: flows.fct_ns.mean
  keep: false
TEXT
    orrery compare sub/study.yaml -o study
    [ "$status" -eq 0 ]
    is_text <(awk '/EUR/ { print $1, $2, $3, $4, $5 }' ../out) \
        "ring 14400 EUR 150 Gbps
fully-connected 14400 EUR 42.86 Gbps"
    # to measure what is known is no mistake
    orrery compare sub/study.yaml -o study --sort topology.scale -m topology.price
    [ "$status" -eq 0 ]
    [ "$(rows ',topology.price,14400')" -eq 2 ]
    sed -i 's/equal_cost: .*/equal_cost: false/' sub/study.yaml
    orrery compare sub/study.yaml --no-keep -o study
    [ "$status" -eq 0 ]
    ! grep -q EUR ../out
}

@test "equal costs that there cannot be" {
    equal
    compare "${arguments[@]}" --equal-cost --baseline none
    fails 2 'base.yaml:1:1: compare.equal_cost: there is no baseline, whose cost is the target
    topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay
    ^
hint: name one, or say equal_cost: {price: 250000}; with cc=dctcp, topology=switch'
    compare "${arguments[@]}" --set compare.equal_cost=maybe
    fails 2 '--set compare.equal_cost:1:1: compare.equal_cost: true, false or a map is expected here
    maybe
    ^
hint: for example {price: 250000}'
    compare "${arguments[@]}" --set compare.equal_cost='{price: 1e12}'
    fails 2 '--set compare.equal_cost:1:1: switch: no rates make it cost 1e+12 USD: at a thousandth of them it is 25.52, at a thousand times 6.34e+06
    {price: 1e12}
    ^
hint: with cc=dctcp, topology=switch'
    compare "${arguments[@]}" --prices none.yaml
    fails 2 '--prices:1:1: cannot read none.yaml: No such file or directory
    none.yaml
    ^'
    compare "${arguments[@]}" --set compare.equal_cost='{prise: 3}'
    grep -q 'unknown key "prise" in compare.equal_cost' ../err
}

@test "a study's title is what its file says" {
    base
    { echo 'title: two controls'; cat base.yaml; } >named.yaml
    "$ORRERY" compare named.yaml -q --over network.cc=dctcp,swift -o study
    ncdump -h study/study.h5 | grep -q ':title = "two controls"'
}

@test "study.h5 in xarray: what the documents say of it" {
    python_has xarray h5netcdf || skip "no python3-xarray with h5netcdf"
    base
    compare --over network.cc=dctcp,swift --over network.mtu=1KB,4KB --seeds 1..3 \
        -m flows.slowdown.p99 -o study -q
    cat >look.py <<'TEXT'
import xarray
d = xarray.open_dataset("study/study.h5")
v = d["flows.slowdown.p99"].sel(cc="swift").mean("seed")
assert v.dims == ("mtu",), v.dims
print("%.9g" % v.sel(mtu="4KB"))
TEXT
    is_text <(/usr/bin/python3 look.py) "$(jq -r '.cells[] | select(.at.cc == "swift" and .at.mtu == "4KB")
        | .measures[0].value.mean' study/study.json | xargs printf '%.9g')"
}

@test "the folder of a study may be in folders that are not there yet" {
    small
    orrery compare small.yaml --over network.mtu=1024B,2048B -o not/there/yet -j 1
    [ "$status" -eq 0 ]
    [ -s not/there/yet/study.h5 ]
    echo >file
    orrery compare small.yaml --over network.mtu=1024B,2048B -o file/study -j 1
    [ "$status" -ne 0 ]
    grep -q 'cannot make the folder file/study: Not a directory' ../err
}
