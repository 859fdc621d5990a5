#!/usr/bin/env bats
# What makes a figure doubtful is said beside it, wherever the figure is shown:
# losses, timeouts, runs that were stopped, what was inferred, lists that are
# cut.

load common

# Twelve ranks, whose first packets the queues cannot hold.
lossy() {
    cat >lossy.yaml <<'END'
topology: {kind: leaf-spine, leaves: 3, spines: 1, hosts: 12, link: {rate: 100Gbps, delay: 1us}}
network: {cc: reno, queue: {kind: droptail, capacity: 20KB}}
record: none
jobs:
- {name: a, ranks: 12, program: [all-to-all: {size: 1MB}]}
END
}

@test "timeouts are counted: all of them, and how long the longest was" {
    lossy
    orrery run lossy.yaml --json out.json
    [ "$status" -eq 0 ]
    jq -e '.counters.timeouts == .jobs[0].timeouts and .counters.timeouts > 1
        and .counters.longest_timeout_ns == 10000000' out.json
    n=$(jq .counters.timeouts out.json)
    tr -s ' \n' ' ' <../out | grep -q " sent again, $n timeouts of up to 10 ms "
    [ "$(wc -L <../out)" -le 80 ]
    # of flows too, whatever the threads; without losses there are none
    cat >flows.yaml <<'END'
topology: {kind: switch, hosts: 5, link: {rate: 100Gbps, delay: 1us}}
network: {cc: reno, queue: {kind: droptail, capacity: 8KB}}
record: none
flows: [{generate: incast, dst: 4, size: 30KB}]
END
    for threads in 1 2; do
        "$ORRERY" run flows.yaml -q --threads $threads --json $threads.json
        jq -e '.counters.timeouts == ([.flows.list[].timeouts] | add)
            and .counters.timeouts > 0' $threads.json
    done
    cmp <(jq .counters 1.json) <(jq .counters 2.json)
    orrery run lossy.yaml --set network.queue.capacity=1GB --json none.json
    jq -e '.counters | .timeouts == 0 and .longest_timeout_ns == 0' none.json
    [ "$(grep -c timeout ../out)" -eq 0 ]
}

# 1,200 jobs of a second, of which number 1,101 takes 100 s.
many_jobs() {
    echo 'name,at,template,gpus,duration' >many.csv
    for i in $(seq 1200); do
        echo "j$i,$((2 * i))s,t,1,$((i == 1101 ? 100 : 1))s"
    done >>many.csv
    cat >many.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
record: none
cluster:
  accuracy: fluid
  arrivals: {trace: {file: many.csv, format: csv}}
  jobs:
  - {name: t, gpus: 1, duration: 1s, program: [compute: 1s]}
END
}

@test "a list that is cut says so and by how much; --whole has it to its end" {
    many_jobs
    orrery run many.yaml -q --json cut.json
    [ "$status" -eq 0 ]
    jq -e '.cut == [{list: "jobs", shown: 1000, of: 1200}]
        and (.jobs | length) == 1000' cut.json
    for list in jobs all; do
        orrery run many.yaml -q --json whole.json --whole $list
        jq -e '.cut == [] and (.jobs | length) == 1200' whole.json
    done
    orrery run many.yaml --whole jobs.*.ranks
    [ "$status" -eq 2 ]
    grep -q 'no list of the summary is called "jobs.\*.ranks"' ../err
    # so do the lists of an experiment, over all its jobs
    cat >flows.yaml <<'END'
topology: {kind: switch, hosts: 1100, link: {rate: 100Gbps, delay: 1us}}
record: none
flows: [{generate: permutation, size: 1KB}]
jobs: [{ranks: 1100, program: [all-reduce: {size: 1KB, algorithm: double-tree}]}]
END
    orrery run flows.yaml --json flows.json
    jq -e '.cut == [{list: "jobs.*.rank_list", shown: 1000, of: 1100},
        {list: "flows.list", shown: 1000, of: 1100}]' flows.json
    grep -qE '^  and [0-9,]+ more$' ../out # of the busiest links
    orrery run flows.yaml -q --json flows.json --whole flows.list
    jq -e '(.cut | length) == 1 and (.flows.list | length) == 1100' flows.json
}

@test "compare measures all members of a list, or none" {
    many_jobs
    study=(many.yaml --over "cluster.placement=packed,linear" --no-keep -o study
        -m "jobs.*.completion_ns.max" -m "jobs.*.completion_ns"
        -m cluster.completion_ns.max -m jobs.1150.completion_ns)
    orrery compare "${study[@]}"
    [ "$status" -eq 0 ]
    is_text <(sed -n 2,5p study/table.csv | cut -d, -f1-6) \
        "packed,1,jobs.*.completion_ns.max,100000000000,ns,ok
packed,1,jobs.*.completion_ns,1082500000,ns,ok
packed,1,cluster.completion_ns.max,100000000000,ns,ok
packed,1,jobs.1150.completion_ns,1000000000,ns,ok"
    # a run that left a shorter list before is done again
    cp study/table.csv before
    for run in study/runs/*; do
        "$ORRERY" run "$run/config.yaml" --folder . -q --json "$run/summary.json"
    done
    cp -r study cut
    orrery compare "${study[@]}" -q
    cmp before study/table.csv
    # and where none is run, its members count for nothing
    orrery compare "${study[@]}" -o cut --collect
    [ "$status" -eq 0 ]
    [ "$(grep -c '^packed,1,jobs.*,,ns,absent' cut/table.csv)" -eq 3 ]
    grep -q '^packed,1,cluster.completion_ns.max,100000000000,ns,ok' \
        cut/table.csv
}

# Of lossy.yaml, with and without room in the queues.
lossy_study() {
    lossy
    orrery compare lossy.yaml --over network.queue.capacity=20KB,10MB \
        --over network.cc=reno,none --no-keep -o study \
        -m jobs.a.iteration_ns.mean "$@"
}

@test "each row of a study has its marks, and lines below say what they mean" {
    lossy_study
    [ "$status" -eq 0 ]
    grep -qE '^capacity  cc .* change  doubt$' ../out
    [ "$(grep -cE '^20KB .*  LT$' ../out)" -eq 2 ]
    [ "$(grep -cE '^10MB .*[^LTSQINC]$' ../out)" -eq 2 ]
    run=$(jq -r '.cells[0].runs[0].run' study/study.json)
    lost=$(jq '.counters | 100 * .packets_dropped / .packets_sent * 10
        | round / 10' "study/runs/$run/summary.json")
    n=$(jq .counters.timeouts "study/runs/$run/summary.json")
    grep -q "^L: .*$lost % of packets lost (capacity=20KB, cc=reno)" ../out
    grep -q "^T: .*$n timeouts of up to 10 ms (capacity=20KB, cc=reno)" ../out
    # the same in the other files
    grep -q '^| 20KB | reno | .* | LT |$' study/table.md
    grep -q "^- L: .*$lost % of packets lost (capacity=20KB, cc=reno)" \
        study/table.md
    grep -q "^20KB,reno,1,.*,ok,LT,\"$lost % of packets lost, $n timeouts of up to 10 ms\"$" \
        study/table.csv
    [ "$(grep -c '^10MB,.*,ok,,$' study/table.csv)" -eq 2 ]
    jq -e --argjson n "$n" '[.cells[].marks] == ["LT", "LT", "", ""]
        and (.cells[0].runs[0] | .marks == "LT" and .doubt[1].amount == $n)
        and .cells[0].doubt[1].runs == 1 and .cells[2].doubt == []' \
        study/study.json
    lossy_study --latex
    # shellcheck disable=SC1003
    grep -q '^20KB & reno & .* & LT & *\\\\$' ../out ||
        grep -q '^20KB & reno & .* & LT \\\\$' ../out
    grep -q "^.multicolumn{5}.*footnotesize L: .*$lost .% of packets lost" ../out
    # study.h5 has it, and so have page and pictures
    ncdump study/study.h5 | tr -s ' \n' ' ' >h5
    grep -q 'marks = {{"LT"}, {"LT"}}, {{_}, {_}} ;' h5
    grep -q "says = {{\"$lost % of packets lost, $n timeouts of up to 10 ms\"" h5
    orrery report study -o page.html
    [ "$status" -eq 0 ]
    grep -q '"marks":\["LT","LT","",""\]' page.html
    grep -q "\"doubt\":\[\"L: .*$lost % of packets lost (capacity=20KB, cc=reno)" \
        page.html
    orrery plot study bars --script
    # two groups of two bars, a bar's width between them
    grep -qE "^set label 'LT' at first -0.2, first [0-9.]+ center " ../out
    grep -qE "^set label 'LT' at first 0.2, first [0-9.]+ center " ../out
    [ "$(grep -c "^set label 'LT'" ../out)" -eq 2 ]
    grep -q "^set label 'L: .* at screen 0.01" ../out
    orrery plot study bars -o bars.svg
    [ "$status" -eq 0 ]
    grep -q '>LT<' bars.svg
    # what is known from before is told as well
    lossy_study
    grep -q "^L: .*$lost % of packets lost (capacity=20KB, cc=reno)" ../out
}

@test "runs that were stopped, went quiet, were inferred or have notes are marked" {
    lossy
    orrery compare lossy.yaml --over network.queue.capacity=20KB,10MB \
        --set stop=2ms -o stopped --no-keep --seeds 1..2
    [ "$status" -eq 0 ]
    grep -qx 'S: stopped at 2 ms: 1 of 1 job not finished (capacity=20KB, seed 1; in 2 of 2 runs)' ../out
    orrery compare lossy.yaml --over network.transport=reliable,datagram -o quiet
    [ "$status" -eq 1 ]
    grep -q '^datagram .*  LQ  failed \[1\]$' ../out
    grep -qE '^Q: no events left at .* not finished \(transport=datagram\)$' ../out
    cat >cluster.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp}
record: none
cluster:
  jobs: [{name: a, gpus: 2, iterations: 50, program: [compute: 1us, all-reduce: {size: 64KB}]}]
  arrivals: [{template: a, at: 0s}, {template: a, at: 1us}]
END
    orrery compare cluster.yaml --over cluster.accuracy=fluid,packets -o cluster \
        -m cluster.completion_ns.mean
    [ "$status" -eq 0 ]
    grep -qx 'I: shares of links, no packets (accuracy=fluid)' ../out
    jq -e '[.cells[].marks] == ["I", ""]' cluster/study.json
    orrery compare lossy.yaml --set network.cc=dctcp --no-keep -o noted \
        --over network.queue.capacity=5MB,10MB
    grep -q '^N: in 2 of 2 runs: dctcp needs marks, and no queue marks' ../out
    orrery compare lossy.yaml --no-keep -o inferred --set "network.queue={kind: ecn, capacity: 1MB, threshold: 100KB}" \
        --set network.cc=dctcp --set 'jobs[0].iterations=500' \
        --over 'repeat=none,{kind: sampled}' -m jobs.a.iteration_ns.mean
    jq -e '.cells[1] | .marks == "I" and
        (.doubt[0].says | test("^[0-9.]+ % of iterations inferred, means known to [0-9.e-]+ %$"))' \
        inferred/study.json
}

@test "many rows are told of by those that are worst, and how many more there are" {
    lossy
    orrery compare lossy.yaml --no-keep -o study \
        --over network.queue.capacity=20KB,25KB,30KB,35KB,40KB
    [ "$(grep -cE '^L: ([^;]*; ){3}and 2 more, the least ' ../out)" -eq 1 ]
}

@test "compare -q says why it failed, and so does a part" {
    cat >lost.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
network: {transport: datagram, queue: {kind: droptail, capacity: 1MiB}}
flows: [{src: 0, dst: 3, size: 1MB}, {src: 1, dst: 3, size: 1MB}]
END
    study=(lost.yaml --no-keep -m flows.fct_ns.max
        --over "network.queue.capacity=10KB,16MiB" --seeds 1..7)
    orrery compare "${study[@]}" -q -o study
    [ "$status" -eq 1 ]
    [ ! -s ../out ]
    is_text <(sed -n 1p ../err) 'orrery: 7 of 14 runs failed'
    grep -q '^  capacity=10KB, seed 1: no events are left, but 2 of 2 flows' ../err
    is_text <(tail -n 1 ../err) '  and 2 more: study/runs/*/log'
    orrery compare "${study[@]}" --shard 1/1 -o study
    [ "$status" -eq 1 ]
    grep -qx 'orrery: 7 of 14 runs failed' ../err
    # without failures it says nothing
    orrery compare "${study[@]}" -q -o fine --set network.queue.capacity=16MiB \
        --over network.queue.capacity=16MiB,32MiB
    fails 0 ''
}

@test "what a killed compare has left is gone after the next" {
    lossy
    mkdir study
    for file in table.csv.123 table.csv.0 table.md.77.3 study.json.99999 study.h5; do
        echo half >"study/$file.partial"
    done
    echo mine >study/notes.partial
    orrery compare lossy.yaml -q --no-keep -o study \
        --over network.queue.capacity=20KB,10MB
    [ "$status" -eq 0 ]
    is_text <(ls study) 'journal
notes.partial
runs
study.h5
study.json
table.csv
table.md'
    # so is what a killed run has, beside a file that is written again
    echo half >out.json.0.partial
    "$ORRERY" run lossy.yaml -q --json out.json
    leaves lossy.yaml out.json study
}
