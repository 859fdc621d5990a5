#!/usr/bin/env bats
# orrery fit: keys from times that were measured.

load common

files() {
    cat >ring.yaml <<'YAML'
topology: {kind: ring, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
network: {queue: {kind: droptail, capacity: 1GiB}}
jobs: [{ranks: 4, program: [all-reduce: {size: 1KiB, algorithm: ring}]}]
YAML
    # 6 x (256 B at 10 Gbps + 5 us) = 31.2288 us; by analogy
    cat >nccl.txt <<'TXT'
# nThread 1 nGpus 1
#  Rank  3 Group  0 Pid 1 on a device 3
# size count type redop root time algbw busbw #wrong time algbw busbw #wrong
# (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)
1024 256 float sum -1 31.2288 0.03 0.05 0 99 0 0 0
4096 1024 float sum -1 34.9152 0.12 0.18 0 99 0 0 0
8192 2048 float sum -1 7 0 0 5 99 0 0 0
TXT
}

@test "what was measured comes out, in each form" {
    files
    orrery fit ring.yaml -m nccl.txt -v topology.link.delay -o out.yaml \
        --csv out.csv
    [ "$status" -eq 0 ]
    grep -q '^topology.link.delay    1 us    5 us' ../out
    grep -q '^- fitted: 2 points, median' ../out
    is_text ../err 'nccl.txt:7: left out: the results out-of-place of 8192 bytes were wrong'
    grep -q 'delay: 50000..ps' out.yaml || grep -q 'delay: 4999...ps' out.yaml
    grep -q '^4,1024,,fitted,31228.8,,,312' out.csv
    orrery fit ring.yaml -m nccl.txt -v topology.link.delay --json
    [ "$status" -eq 0 ]
    [ "$(jq -r '.keys[0].value | round' ../out)" = 5000 ]
}

@test "bad measurements are told at their place" {
    files
    sed -i 's/1024 256 float/256 256 float/' nccl.txt
    orrery fit ring.yaml -m nccl.txt -v topology.link.delay
    [ "$status" -eq 2 ]
    [[ $(<../err) == nccl.txt:5:*"256 elements of 4 bytes are not 256 bytes"* ]]
    orrery fit ring.yaml -m nccl.txt
    fails 2 'orrery fit: which keys? --vary KEY
hint: `orrery help fit` says how it is used'
}
