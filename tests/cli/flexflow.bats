#!/usr/bin/env bats
# FlexFlow's task graphs, as TopoOpt's packet simulator runs them.

load common

@test "convert flexflow: a configuration that runs" {
    cp "$root/tests/attack/samples/flexflow/tasks.txt" .
    orrery convert flexflow tasks.txt -o c.yaml
    [ "$status" -eq 0 ]
    grep -q 'trace: {format: flexflow, tasks: tasks.txt' c.yaml
    orrery check c.yaml
    [ "$status" -eq 0 ]
    grep -q '11 nodes\|10 nodes' ../out
    orrery convert flexflow tasks.txt tasks.txt -o c.yaml
    fails 2 'orrery: one task graph at a time'
    echo '0 FWD 0 1 0' >tasks.txt
    orrery convert flexflow tasks.txt -o c.yaml
    fails 2 'tasks.txt: a graph of one node has nothing to send'
}

@test "FlexFlow's own file is the same as its text" {
    cp "$root/tests/attack/samples/flexflow/tasks.fbuf" .
    printf '%s\n' '7 FWD 0 0.001 0 8' '8 COMM 0>1 0.5 4000 9' \
        '9 BWD 1 0.002 0 10' '10 ALLREDUCE None 0 8000 0 1' >tasks.txt
    orrery convert flexflow tasks.txt -o text.yaml
    orrery convert flexflow tasks.fbuf -o flat.yaml
    for i in text flat; do
        orrery run $i.yaml -q --json $i.json --set record=none
        [ "$status" -eq 0 ]
    done
    [ "$(jq .fingerprint text.json)" = "$(jq .fingerprint flat.json)" ]
    head -c 300 tasks.fbuf >cut.fbuf
    orrery convert flexflow cut.fbuf
    [ "$status" -eq 2 ]
    grep -q "^cut.fbuf: no task graph of FlexFlow's: " ../err
}

# took FILE FROM TO: its task graph takes so many ns.
took() {
    orrery convert flexflow "$DATA/$1" -o c.yaml
    orrery run c.yaml -q --json c.json --set record=none
    jq -e ".jobs[0].iteration_ns.mean | . > $2 and . < $3" c.json
}

@test "what TopoOpt's simulator took" {
    DATA=${ORRERY_DATA:-$root/../shared/data}/topoopt
    [ -d "$DATA" ] || skip "no $DATA here"
    # 62.8151 ms there, 62.2018 of it computing; one more handshake here
    took 100transformer_16.tasks.txt 62814000 62818000
}

# bats test_tags=larger
@test "CANDLE by data: what TopoOpt's simulator took, where the network decides" {
    awk -f "$root/tests/larger/candle.awk" >tasks.txt
    orrery convert flexflow tasks.txt -o c.yaml
    near_() { # DEGREE NS: within a thousandth
        orrery run c.yaml -q --json c.json --set record=none \
            --set topology.degree="$1"
        jq -e ".jobs[0].iteration_ns.mean / $2 | . > 0.999 and . < 1.001" c.json
    }
    near_ 8 131546055 # also in the artefact's own results
    near_ 4 218485899
}
