#!/usr/bin/env bats
# orrery messages: what jobs send in an iteration, and which waits for which.

load common

ring='topology: {kind: ring, hosts: 4, link: {rate: 8Gbps, delay: 1us}}
jobs: [{name: "a,b", ranks: 4, program: [{compute: 1us}, {all-reduce: {size: 8KB, algorithm: ring}}]}]'

@test "messages: CSV and JSON of a ring" {
    echo "$ring" >c.yaml
    orrery messages c.yaml
    [ "$status" -eq 0 ]
    head -1 ../out >head.csv
    is_text head.csv 'id,job,operation,name,chunk,lane,step,from,to,bytes,depends'
    [ "$(wc -l <../out)" -eq 25 ]
    # whose steps wait for the message from the left
    grep -qx '0,"a,b",1,all-reduce,0,0,0,0,1,2000,' ../out
    grep -qx '4,"a,b",1,all-reduce,0,0,1,0,1,2000,3' ../out
    orrery messages c.yaml --json
    jq -e '[.messages[].bytes] | add == 48000' ../out
    jq -e '.messages as $all | [.messages[] | . as $m | .depends[] |
        . < $m.id and $all[.].to == $m.from] | all' ../out
    orrery messages c.yaml -o m.csv
    [ ! -s ../out ]
    [ "$(wc -l <m.csv)" -eq 25 ]
}

@test "messages: as many bytes as a run sends, of each kind of job" {
    for i in training/llama3_8b training/gpt2_experts training/bert_gpipe training/experts_nodes \
        formats/chakra formats/simai formats/astra seeds/cs744_gather_scatter; do
        orrery messages "$root/configs/$i.yaml" --json m.json
        [ "$status" -eq 0 ]
        orrery run "$root/configs/$i.yaml" -q --json r.json --set record=none \
            --set 'network={transport: analytical}'
        [ "$status" -eq 0 ] || { cat ../err; return 1; }
        [ "$(jq '[.messages[].bytes] | add' m.json)" = \
            "$(jq '[.jobs[] | .bytes_sent / (.iterations | length)] | add' r.json)" ] ||
            { echo "$i"; return 1; }
    done
}

@test "messages: what has none is refused" {
    echo "$ring" >c.yaml
    orrery messages
    [ "$status" -eq 2 ]
    grep -q '^orrery messages: which configuration?' ../err
    orrery messages c.yaml --job b
    fails 2 'orrery: there is no job called "b"'
    orrery messages c.yaml --set jobs= --set 'flows=[{src: 0, dst: 1, size: 1KB}]'
    fails 2 'orrery: the configuration has no jobs, whose messages could be listed'
    orrery messages "$root/configs/training/serve.yaml"
    [ "$status" -eq 2 ]
    grep -q 'serves requests: its messages depend on when they come' ../err
    [ ! -s ../out ]
}
