#!/usr/bin/env bats
# `orrery run --astra`: which file is which, ASTRA-sim's own options, and its
# report.

load common

files() {
    mkdir set
    cp "$root"/configs/formats/astra/* set
}

@test "a folder, files in any order, and options give the same" {
    files
    orrery run --astra set -o a.h5 --json a.json -q
    [ "$status" -eq 0 ]
    orrery run set/workload.txt --astra set/network.json set/system.txt -q \
        -o b.h5 --json b.json
    [ "$status" -eq 0 ]
    orrery run --network-configuration=set/network.json -o c.h5 -q \
        --system-configuration=set/system.txt --json c.json \
        --workload-configuration=set/workload.txt
    [ "$status" -eq 0 ]
    orrery run "$root/configs/formats/astra.yaml" --json d.json -q
    for f in b c d; do
        [ "$(jq .fingerprint $f.json)" = "$(jq .fingerprint a.json)" ]
    done
}

@test "one set of several, by what its files begin with" {
    files
    mv set/network.json set/a.json
    mv set/system.txt set/a.txt
    cp set/a.json set/b.json
    sed s/direct_ring/ring_ring/ set/a.txt >set/b.txt
    orrery run --astra set
    [ "$status" -eq 2 ]
    [[ "$(cat ../err)" = *"set: there are several network files: a.json, b.json"* ]]
    [[ "$(cat ../err)" = *"as in set/a"* ]]
    orrery run --astra set/b -q -o b.h5
    [ "$status" -eq 0 ]
}

@test "what is missing" {
    files
    rm set/system.txt
    orrery run --astra set
    [ "$status" -eq 2 ]
    [[ "$(cat ../err)" = *"set: there is no system file of ASTRA-sim"* ]]
    orrery run --astra nowhere
    [ "$status" -eq 2 ]
    orrery run --astra
    [ "$status" -eq 2 ]
    orrery run --astra set --comm-scale fast
    [ "$status" -eq 2 ]
}

@test "what is wrong is told where the user's file says it" {
    files
    sed -i 's/100, 500/0, 500/' set/network.json
    orrery run --astra set --packets
    fails 2 'set/network.json: the link from host 0 to host 1 has no delay: every link needs a propagation delay > 0
hint: only `transport: analytical`, a network of formulas, does without'
    sed -i 's/direct_ring/direct_ring_ring/' set/system.txt
    orrery run --astra set
    fails 2 'set/system.txt:6:28: trace: 3 implementations of all-reduce for 2 dimensions'
    orrery run --astra set --remote-memory-configuration=none
    is_text <(head -1 ../err) \
        'none: trace.memory: cannot read none: No such file or directory'
    # a file that is called as the format is
    mv set/system.txt set/workload.txt .
    mv system.txt astra
    orrery run --astra set/network.json astra workload.txt
    fails 2 'astra:6:28: trace: 3 implementations of all-reduce for 2 dimensions'
    sed -i s/direct_ring_ring/direct_ring/ astra
    orrery run --astra set/network.json astra workload.txt --packets
    grep -q '^set/network.json: the link from host 0 to host 1' ../err
    orrery run --astra set/network.json astra workload.txt -q
    [ "$status" -eq 0 ]
    [ -s astra.h5 ]
}

@test "EndToEnd.csv, detailed.csv, scales and passes" {
    files
    orrery run --astra set --path . --run-name first --num-passes 2 -q -o a.h5
    [ "$status" -eq 0 ]
    [ "$(wc -l <EndToEnd.csv)" -eq 4 ]
    # computation of both passes, in us
    [ "$(tail -n 1 EndToEnd.csv | cut -d, -f1-5)" = \
        "mlp,first,180.000000,180.000000,180.000000" ]
    # and of all layers together, beside the first
    [ "$(sed -n 2p EndToEnd.csv | cut -d, -f13)" = 980.000000 ]
    head -n 1 detailed.csv | grep -q 'avg chunk delay dimension 2'
    orrery run --astra set --path . --compute-scale 0 -q -o a.h5
    [ "$(sed -n 2p EndToEnd.csv | cut -d, -f13)" = 0.000000 ]
    # the folder is made; where that cannot be, nothing is run
    orrery run --astra set --path new -q -o b.h5
    [ "$status" -eq 0 ]
    cmp new/detailed.csv <(orrery run --astra set --path . -q -o b.h5 &&
        cat detailed.csv)
    orrery run --astra set --path new/detailed.csv -q -o c.h5
    [ "$status" -eq 2 ]
    [ ! -e c.h5 ]
}

@test "packets as they travel are acknowledged" {
    files
    orrery run --astra set --packets -q -o a.h5 --json a.json
    [ "$status" -eq 0 ]
    jq -e '.jobs[0].finish_ns > 490000' a.json
    orrery run --astra set -q -o b.h5 --json b.json
    jq -e -s '.[0].counters.packet_hops > 100 * .[1].counters.packet_hops' \
        a.json b.json
}

@test "check tells the graph of a trace" {
    orrery check "$root/configs/formats/chakra.yaml"
    [ "$status" -eq 0 ]
    grep -q '14 nodes in 4 files' ../out
    grep -q 'rank 0: 1 collective of 4.194 MB, 1 message of 1.049 MB' ../out
    grep -q 'longest chain of computations 55 us, 3 nodes' ../out
    # ranks that have one file have its nodes each
    cp "$root/configs/formats/chakra/step.1.et" one.0.et
    sed 's|path: .*}|path: one, replicate: true}|' \
        "$root/configs/formats/chakra.yaml" >one.yaml
    orrery check one.yaml
    [ "$status" -eq 0 ]
    grep -q ' 12 nodes of 4 ranks, in 1 file$' ../out
}
