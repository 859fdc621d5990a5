#!/usr/bin/env bats
# Traces of jobs on a cluster: what is taken of them, and what is refused at its
# line.

load common

setup_file() {
    export ORRERY_CACHE=$BATS_FILE_TMPDIR/cache
}

# cluster TRACE: two kinds of jobs on 16 GPUs, and that in `trace`.
cluster() {
    cat >c.yaml <<END
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp}
cluster:
  servers: {gpus: 4, link: {rate: 900Gbps, delay: 300ns}}
  jobs:
  - {name: small, program: [{compute: {time: 1ms}}], gpus: [2, 4], iterations: 100}
  - {name: large, program: [{compute: {time: 2ms}}], gpus: 8, duration: 1s}
  arrivals: {trace: {$1}}
END
}

refused() {
    orrery check c.yaml
    [ "$status" -eq 2 ]
    is_text ../err "$1"
}

@test "pollux: applications by a file, lengths by the entry" {
    printf 'name,time,application,num_replicas,batch_size\na-0,107,x,4,8\nb-1,108,y,8,8\n' >t.csv
    printf 'x: small\n"*": large\n' >apps.yaml
    cluster 'file: t.csv, format: pollux, applications: apps.yaml'
    orrery run c.yaml -q -o out.h5 --json out.json
    [ "$status" -eq 0 ]
    # 4 GPUs for 100 iterations of 1 ms; a second later 8 for a second
    [ "$(jq -c '.cluster | [.jobs, .makespan_ns, (.gpu_hours.given * 36000 + 0.5 | floor)]' out.json)" = \
        '[2,2000000000,84]' ]
}

@test "lines out of order are refused at theirs" {
    printf 'name,at,gpus\na,2h,4\nb,1h,4\n' >t.csv
    cluster 'file: t.csv'
    refused 't.csv:3:1: this job was submitted before the one above it
hint: `sort: true` puts them in order'
    cluster 'file: t.csv, sort: true'
    orrery check c.yaml
    [ "$status" -eq 0 ]
}

@test "jobs larger than the cluster are refused at their line, or left out" {
    printf 'name,at,gpus\na,1h,4\nb,2h,17\n' >t.csv
    cluster 'file: t.csv'
    refused 't.csv:3:1: a job of 17 GPUs is larger than the cluster, which has 16
hint: `larger: leave-out` skips such jobs'
    cluster 'file: t.csv, larger: leave-out'
    orrery check c.yaml
    [ "$status" -eq 0 ]
}

@test "a size that an elastic job cannot have is refused at its line" {
    printf 'at,gpus,template\n1h,4,small\n2h,5,small\n' >t.csv
    cluster 'file: t.csv'
    sed -i 's/gpus: \[2, 4\]/gpus: {min: 2, max: 8, step: 2}/' c.yaml
    refused 't.csv:3:1: a job of small has 2 to 8 GPUs; 5 is not one of its sizes'
    sed -i 's/5/6/' t.csv
    orrery run c.yaml -q --json c.json -s cluster.accuracy=fluid
    jq -e '[.jobs[].gpus] == [4, 6]' c.json
}

@test "a hole is refused where it is" {
    printf 'job_id,gpu_num,submit_time,duration\n1,1,2020-06-09 18:41:01,60\n2,,2020-06-09 18:41:02,60\n' >t.csv
    cluster 'file: t.csv, format: helios'
    refused 't.csv:3:3: gpu_num is missing
    2,,2020-06-09 18:41:02,60
      ^'
}

@test "applications that nobody knows are named, all at once" {
    printf 'LM\tc\t--steps\t100\t0\t1\nA3C\tc\t--steps\t100\t1\t1\nLM\tc\t--steps\t9\t2\t1\n' >t
    cluster 'file: t, format: gavel, applications: {CycleGAN: small}'
    orrery check c.yaml
    [ "$status" -eq 2 ]
    head -n 1 ../err >first
    is_text first 'c.yaml:8:60: t has applications that are no entry of cluster.jobs: "LM", "A3C"'
}

@test "a job without GPUs is left out; none at all are refused" {
    printf 'at,gpus\n1h,0\n2h,4\n' >t.csv
    cluster 'file: t.csv'
    orrery check c.yaml
    [ "$status" -eq 0 ]
    grep -q 'workload  1 job of 2 templates' ../out
    orrery run c.yaml --json c.json -s cluster.accuracy=fluid
    [ "$(jq .cluster.left_out c.json)" = 1 ]
    grep -q '^jobs *1, 1 done, 1 left out of the trace, in ' ../out
    printf 'at,gpus\n1h,0\n' >t.csv
    orrery check c.yaml
    [ "$status" -eq 2 ]
    grep -q 'c.yaml:8:13: cluster.arrivals: no job comes' ../err
}

@test "a trace of centuries: what its lines take together stays in range" {
    local ages='{"start_time": "1970-01-01 00:00:01", "end_time": "2200-12-31 00:00:00", "detail": [{"gpus": ["a", "b"]}]}'
    local short='{"start_time": "2000-01-01 00:00:00", "end_time": "2000-01-01 00:00:10", "detail": [{"gpus": ["a", "b"]}]}'
    printf '[{"jobid": "a", "submitted_time": "1970-01-01 00:00:05", "attempts": [%s, %s]},
{"jobid": "b", "submitted_time": "2200-12-30 00:00:05", "attempts": [%s]}]' "$ages" "$ages" "$short" >t.json
    cluster "file: t.json, format: philly, applications: {\"*\": large}"
    orrery run c.yaml -q -o out.h5 --json out.json
    [ "$status" -eq 0 ]
    [ "$(jq -c '.cluster | [.jobs, .done, .makespan_ns > 9e18]' out.json)" = '[2,2,true]' ]
}
