#!/usr/bin/env bats
# Every other subcommand, and every foreign format, with allocations that fail:
# some, spread over all that there are. None of them may leave half a file.

load common

# few ARGUMENT...: some three (POINTS) of a command's allocations fail, alone
# and with all after them; with POINTS=places one for each call by which any are
# made.
few() {
    if [ "${POINTS-}" = places ]; then
        LEAST=50 every place "$@"
    else
        LEAST=50 every "/${POINTS:-2}" "$@"
    fi
}

two_jobs() {
    cat >two.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2,
  link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp}
jobs:
  - {name: a, ranks: 2, iterations: 3, placement: [0, 2], program: [
      compute: 30us, all-reduce: {size: 128KiB}]}
  - {name: b, ranks: 2, iterations: 3, placement: [1, 3], program: [
      compute: 20us, all-reduce: {size: 256KiB}]}
flows: [{src: 0, dst: 3, size: 20KB}]
record: {interval: 10us, links: all, operations: all}
END
    here=$PWD
}

@test "a page, pictures and a timeline of a run" {
    two_jobs
    "$ORRERY" run two.yaml -q -o run.h5 --json run.json
    few report "$here/run.h5" -o page.html
    few timeline "$here/run.h5" -o timeline.json
    few plot "$here/run.h5" gantt -o gantt.svg
    few plot "$here/run.h5" series -o series.svg
    few plot "$here/run.h5" heat -o heat.svg
}

@test "a profile as HDF5, given back" {
    two_jobs
    few profile "$here/two.yaml" --job a -o a.h5
    "$ORRERY" profile two.yaml --job a -o a.h5
    few plan "$here/two.yaml" \
        -s "schedule={kind: cassini, profiles: {a: $here/a.h5}}"
}

@test "where time went, what may be planned, and what a job asks" {
    two_jobs
    few explain "$here/two.yaml" --alone --json why.json
    few plan "$here/two.yaml" -s schedule=cassini --write planned.yaml
    few plan "$here/two.yaml" -s 'schedule={kind: cassini, candidates: {generate: {kind: random, seed: 1}, count: 3}}'
    few profile "$here/two.yaml" --job a -o a.yaml
    few check "$here/two.yaml"
    gates=(-s schedule=cassini -s record.by_job=true)
    "$ORRERY" run two.yaml -q "${gates[@]}" -o met.h5
    "$ORRERY" explain two.yaml -q "${gates[@]}" --json why.json >why
    few report "$here/met.h5" --explain "$here/why.json" -o page.html
    few topo "$here/two.yaml" --json
}

@test "a page and a picture of a study" {
    two_jobs
    "$ORRERY" compare two.yaml --no-keep -q -o study --over "network.cc=dctcp,swift"
    few report "$here/study" -o page.html
    few plot "$here/study" bars -o bars.svg
}

@test "what a study would run, and what came of it" {
    two_jobs
    cat >>two.yaml <<'END'
compare:
  over:
    cc: {dctcp: {}, swift: {network: {cc: {kind: swift, beta: 0.5}}}}
    schedule: {plain: none, gated: {kind: cassini}}
  seeds: [1, 2..3]
  when: [{not: {schedule: gated, cc: swift}}]
  baseline: {schedule: plain}
  measure: [jobs.a.iteration_ns.mean, flows.fct_ns.p99, partial]
END
    few compare "$here/two.yaml" --list -o s
    few compare "$here/two.yaml" --list -o s --equal-cost \
        --over "topology.spines=1,2" --seeds 1
    "$ORRERY" compare two.yaml --no-keep -q -o study --seeds 1,2
    few compare "$here/two.yaml" "$here/study" --no-keep --seeds 1,2 --collect -o s
}

@test "a fit" {
    printf 'ranks,bytes,time_us\n4,1024,9\n4,65536,80\n' >m.csv
    cat >ring.yaml <<'END'
topology: {kind: ring, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
jobs: [{ranks: 4, program: [all-reduce: {size: 1KiB, algorithm: ring}]}]
END
    few fit "$PWD/ring.yaml" -m "$PWD/m.csv" -v topology.link.delay -t 1 \
        -o fitted.yaml
}

@test "configurations of other programs, and back to them" {
    samples=$root/tests/attack/samples/convert
    few convert hpcc "$samples/hpcc/config.txt" -o out.yaml
    few convert htsim "$samples/htsim/tree.topo" "$samples/htsim/traffic.cm" \
        -o out.yaml
    few convert simai "$samples/simai/topology" "$samples/simai/workload.txt" \
        -o out.yaml
    few convert kineto "$samples/kineto/step.json" -o out.yaml
    few convert nccl-inspector "$samples/nccl-inspector/records.json" -o out.yaml
    few convert pcap "$samples/pcap/job.pcap" -o out.yaml
    cat >plain.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
flows: [{generate: permutation, size: 20KB}]
record: none
END
    few convert --to hpcc "$PWD/plain.yaml" -o files
    few convert --to htsim "$PWD/plain.yaml" -o files
}

@test "a conversion, behind every call: what it has to tell is not lost" {
    LEAST=50 every place convert hpcc \
        "$root/tests/attack/samples/convert/hpcc/config.txt" -o out.yaml
}

@test "traces of other programs" {
    for name in astra simai chakra; do
        few run "$root/configs/formats/$name.yaml" -q --set record=none \
            --json run.json
    done
}

@test "iterations that are like others" {
    two_jobs
    few run "$here/two.yaml" -q --set record=none --set repeat=sampled \
        --set jobs[0].iterations=200 --set jobs[1].iterations=300 \
        --json run.json
    few run "$here/two.yaml" -q --set record=none --set repeat=exact \
        --set jobs[0].iterations=20 --set jobs[1].iterations=30 \
        --json run.json
}

@test "iterations that overlap, repeated, planned and written as a trace" {
    cat >overlap.yaml <<'END'
topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, delay: 1us}}
network: {mtu: 1000B, transport: reliable}
record: none
jobs:
  - name: a
    ranks: 2
    iterations: 9
    overlap: 2
    program:
      - {id: f, compute: 1ms, after: ["b@-1", "g@-2"]}
      - {id: b, compute: 1ms}
      - {id: g, all-reduce: {size: 1MB}, after: [b, "g@-1"]}
END
    few run "$PWD/overlap.yaml" -q --set repeat=exact --json run.json
    few plan "$PWD/overlap.yaml"
    few convert --to chakra "$PWD/overlap.yaml" -o .
}

@test "a cluster" {
    # each run remembers for itself, in its own folder
    local -x ORRERY_CACHE=memory
    few run "$root/configs/cluster/small.yaml" -q -o run.h5 --json run.json \
        --set cluster.arrivals.most=4
    "$ORRERY" run "$root/configs/cluster/small.yaml" -q -o run.h5 \
        --set cluster.arrivals.most=4
    few report "$PWD/run.h5" -o page.html
    few run "$root/configs/cluster/elastic.yaml" -q --set record=none --json run.json \
        --set cluster.arrivals.most=6 --set cluster.accuracy=fluid
}

@test "graphs from files" {
    samples=$root/tests/attack/samples/topology
    for format in graphml gml csv networkx; do
        few topo file file="$(echo "$samples/$format".*)" format=$format \
            vertices=host component=largest link.rate=1Gbps link.delay=1us
    done
}
