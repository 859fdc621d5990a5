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
        --csv out.csv --plot out.svg
    [ "$status" -eq 0 ]
    grep -q '^topology.link.delay    1 us    5 us' ../out
    grep -q '^- fitted: 2 points, median' ../out
    is_text ../err 'nccl.txt:7: left out: the results out-of-place of 8192 bytes were wrong'
    grep -q 'delay: 50000..ps' out.yaml || grep -q 'delay: 4999...ps' out.yaml
    grep -q '^4,1024,,fitted,31228.8,,,312' out.csv
    grep -q '</svg>' out.svg
    orrery fit ring.yaml -m nccl.txt -v topology.link.delay --json
    [ "$status" -eq 0 ]
    [ "$(jq -r '.keys[0].value | round' ../out)" = 5000 ]
}

@test "compare puts measurements beside a study" {
    files
    orrery compare ring.yaml --over 'jobs[0].program[0].all-reduce.size=1KiB,4KiB,2KiB' \
        -m jobs.0.iteration_ns.mean --measured nccl.txt --baseline none -j 1
    [ "$status" -eq 0 ]
    # 6 x (204.8 ns + 1 us) = 7.2288 us, measured 31.2288
    grep -q '^1KiB *7.229 us  *31.23 us  *-76.9 %$' ../out
    grep -q '^2KiB *[0-9.]* us  *-  *-$' ../out
    grep -q 'rows for 2 of 3 combinations$' ../out
    grep -q '^1KiB,1,jobs.0.iteration_ns.mean,7228.8,ns,ok,31228.8,-0.768' \
        ring.study/table.csv
    [ "$(jq '[.cells[].measured.line]' -c ring.study/study.json)" = '[5,6,null]' ]
    orrery compare ring.yaml --over 'topology.link.delay=1us,2us' --measured nccl.txt \
        -m counters.packets_sent
    fails 2 'orrery: --measured: the study measures no time
hint: -m jobs.0.iteration_ns.mean'
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
