#!/usr/bin/env bats
# What is wrong with a study is said before anything runs, at its place.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >base.yaml <<'TEXT'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
network: {queue: {kind: ecn, capacity: 1MiB, threshold: 100KB}, cc: dctcp}
flows: [{generate: permutation, size: 200KB}]
jobs: [{ranks: 8, program: [all-reduce: {size: 256KiB}]}]
TEXT
}

# compare ARGUMENT...: of base.yaml, into a folder that must not come to be.
compare() {
    cp "$BATS_FILE_TMPDIR/base.yaml" .
    orrery compare base.yaml -o study "$@"
    [ ! -e study ]
}

# refuses TEXT ARGUMENT...: the same, and says exactly that.
refuses() {
    local text=$1
    shift
    compare "$@"
    fails 2 "$text"
}

@test "a dimension that does not exist, and the nearest that does" {
    refuses '--over network.ccc: unknown key "ccc" in network
hint: did you mean "cc"?; with ccc=dctcp' --over network.ccc=dctcp,hpcc
    refuses '--over netwrok.cc: unknown key "netwrok"
hint: did you mean "network"?; with cc=dctcp' --over netwrok.cc=dctcp
    refuses '--over netwrk: compare.over: a configuration has no key "netwrk"
hint: did you mean "network"?' --over netwrk=a,b
    refuses '--over jobs[0].rank: unknown key "rank" in job
hint: did you mean "ranks"?; with rank=4' --over 'jobs[0].rank=4,8'
    refuses '--over jobs[1].ranks: a job needs a `program`, a `trace`, a `model` or `serve`
hint: with ranks=4' --over 'jobs[1].ranks=4,8'
    refuses '--over seed: compare.over: seeds are no dimension
hint: use `seeds: 1..5`, or --seeds 1..5' --over seed=1,2
    refuses 'orrery: --over takes a key and its values, not "network.cc"
hint: for example --over network.cc=dctcp,hpcc' --over network.cc
}

@test "a value that does not parse" {
    refuses '--over network.cc:1:2: network.cc: no kind "dctp"
    [dctp,hpcc]
     ^
hint: did you mean "dctcp"?; with cc=dctp' --over network.cc=dctp,hpcc
    refuses '--over network.mtu:1:6: network.mtu: "banana": not a size
    [4KB,banana]
         ^
hint: write a number and a unit, like 4096B or 4MiB; with mtu=banana' \
        --over network.mtu=4KB,banana
    refuses '--over network.mtu:1:6: network.mtu: "4096": a unit is missing
    [4KB,4096]
         ^
hint: write a size like 4096B or 4MiB; with mtu=4096' --over network.mtu=4KB,4096
    refuses '--over network.cc:1:13: not valid YAML: mismatched flow sequence end
    [{kind: hpcc]
                ^' --over 'network.cc={kind: hpcc'
    refuses '--over network.cc:1:8: compare.over: dctcp is listed twice in network.cc
    [dctcp,dctcp]
           ^' --over network.cc=dctcp,dctcp
    refuses '--over topology:1:2: cannot read no.yaml: No such file or directory
    [no.yaml]
     ^' --over topology=no.yaml
    refuses '--seeds:1:1: compare.seeds: not a seed, a range or a list of them
    5..1
    ^
hint: for example 1..5 or [1, 2, 7]' --seeds 5..1 --over network.cc=dctcp
    refuses '--until:1:1: compare.until: "0" is no share between 0 and 100%
    0
    ^
hint: for example 2%' --until 0 --over network.cc=dctcp
}

@test "an empty product" {
    refuses 'base.yaml:1:1: there is nothing to compare: no dimension
    topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay
    ^
hint: for example --over network.cc=dctcp,hpcc, or a section compare: {over: {network.cc: [dctcp, hpcc]}}'
    refuses '--over network.cc:1:1: compare.over: network.cc has no values: there is nothing to run
    []
    ^' --over network.cc=
    refuses '--set compare.when:1:1: compare.when leaves out all combinations: there is nothing to run
    [{not: {cc: [dctcp, hpcc]}}]
    ^' --over network.cc=dctcp,hpcc --set 'compare.when=[{not: {cc: [dctcp, hpcc]}}]'
    refuses '--set compare.seeds:1:1: compare.seeds: not a seed, a range or a list of them
    []
    ^
hint: for example 1..5 or [1, 2, 7]' --over network.cc=dctcp --set 'compare.seeds=[]'
}

@test "ten million runs, and a hundred thousand and some" {
    refuses 'base.yaml:1:1: compare.over: 10000000 combinations and seeds are more than 1000000
    topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay
    ^
hint: vary one thing at a time, or fewer values of each' --seeds 1..10000 \
        --over "network.mtu=$(seq -s B, 1001 1100)B" \
        --over "network.header=$(seq -s B, 10)B"
    refuses 'base.yaml:1:1: compare: 110000 runs are more than 100000
    topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay
    ^' --seeds 1..10000 --over "network.header=$(seq -s B, 11)B"
    refuses '--seeds:1:1: compare.seeds: more than 10000
    1..10000000
    ^' --seeds 1..10000000 --over network.cc=dctcp
}

@test "jobs and iterations that no combination has" {
    refuses '--measure:1:2: compare.measure: jobs.nope.iteration_ns.mean: no combination has a job "nope"
    [jobs.nope.iteration_ns.mean]
     ^
hint: there are job0; `*` is all jobs' --over network.cc=dctcp \
        -m jobs.nope.iteration_ns.mean
    refuses '--measure:1:2: compare.measure: jobs.jobs0.finish_ns: no combination has a job "jobs0"
    [jobs.jobs0.finish_ns]
     ^
hint: did you mean "job0"?' --over network.cc=dctcp -m jobs.jobs0.finish_ns
    refuses '--measure:1:2: compare.measure: jobs.1.finish_ns: no combination has a job "1"
    [jobs.1.finish_ns]
     ^
hint: there are job0; `*` is all jobs' --over network.cc=dctcp -m jobs.1.finish_ns
    refuses '--measure:1:2: compare.measure: jobs.*.iterations.7.duration_ns: there is no iteration 7
    [jobs.*.iterations.7.duration_ns]
     ^
hint: they are counted from 0, and there are 3' \
        --over 'jobs[0].iterations=1,3' -m 'jobs.*.iterations.7.duration_ns'
    refuses '--measure:1:2: compare.measure: jobs.0.finish_ns: no combination has jobs
    [jobs.0.finish_ns]
     ^' --over network.cc=dctcp -m 'jobs.0.finish_ns' --set 'jobs=[]'
}

@test "names that no dimension, variant or measure has" {
    refuses '--set compare.when:1:3: compare.when: no dimension is called "ccc"
    [{ccc: dctcp}]
      ^
hint: did you mean "cc"?' --over network.cc=dctcp --set 'compare.when=[{ccc: dctcp}]'
    refuses '--baseline:1:6: compare.baseline: no variant of cc is called "dctp"
    {cc: dctp}
         ^
hint: did you mean "dctcp"?' --over network.cc=dctcp,hpcc --baseline cc=dctp
    refuses '--measure:1:2: compare.measure: flows.slowdwn.mean: a summary has no "slowdwn" there
    [flows.slowdwn.mean]
     ^
hint: did you mean "slowdown"?' --over network.cc=dctcp -m flows.slowdwn.mean
    refuses '--measure:1:2: compare.measure: flows is no number of a summary
    [flows]
     ^
hint: one of these, perhaps: count completed measured bytes goodput_bps jain fct_ns done_ns slowdown' --over network.cc=dctcp -m flows
    refuses 'orrery: --sort: no measure or dimension is called "foo"' \
        --over network.cc=dctcp --sort foo
    refuses 'orrery compare: --shard takes a part and how many there are, from 1/N to N/N, not "3/2"
hint: `orrery help compare` says how it is used' --over network.cc=dctcp --shard 3/2
}
