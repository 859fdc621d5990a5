#!/usr/bin/env bats
# orrery convert: from what a cluster recorded of itself, to a workload.

load common

# step RANK OTHER LAST: a step of PyTorch's profiler on four ranks.
step() {
    local args='"Collective name": "allreduce", "dtype": "Float"'
    cat <<JSON
{"distributedInfo": {"rank": $1, "world_size": 4}, "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 10, "dur": 100, "args": {"stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "ts": 112, "dur": 50, "args": {"stream": 20, $args,
 "In msg nelems": 1000, "Group size": 4, "Process Group Ranks": "[0, 1, 2, 3]"}},
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 115, "dur": 100, "args": {"stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel", "ts": 220, "dur": 80, "args": {"stream": 20, $args,
 "In msg nelems": 500, "Group size": 2, "Process Group Ranks": "[$2]"}},
{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 302, "dur": $3, "args": {"stream": 7}}]}
JSON
}

@test "convert kineto: one rank stands for all, or each has its file" {
    step 0 '0, 2' 10 >0.json
    orrery convert kineto 0.json -o one.yaml
    [ "$status" -eq 0 ]
    grep -q '0.json stands for all of 4 ranks' ../err
    # the other group of two has a copy; the last computation waits for both
    grep -q '{id: o3_1, all-reduce: {size: 2000B, group: \[1, 3\]}, after: \[o2, o1\]}' one.yaml
    grep -q '{id: o4, compute: 12000ns, after: \[o2, o3, o3_1\]}' one.yaml
    step 1 '1, 3' 11 >1.json
    step 2 '0, 2' 12 >2.json
    step 3 '1, 3' 13 >3.json
    orrery convert kineto 3.json 1.json 0.json 2.json -o all.yaml
    [ "$status" -eq 0 ]
    grep -q '{id: o4_3, compute: 15000ns, after: \[o2_3, o3_1\], ranks: \[3\]}' all.yaml
    orrery run all.yaml -q --json - --set record=none
    # 102 + 108 + 15 us of computing, and the second all-reduce behind it
    [ "$(jq '.jobs[0].iteration_ns.mean | . > 225000 and . < 230000' ../out)" = true ]
    sed -i 's/"In msg nelems": 500/"In msg nelems": 501/' 3.json
    orrery convert kineto 3.json 1.json 0.json 2.json
    fails 2 '1.json:1:1: all-reduce of 2000 bytes where rank 3 has all-reduce of 2004' \
        || fails 2 '3.json:1:1: all-reduce of 2004 bytes where rank 1 has all-reduce of 2000'
    orrery convert kineto 0.json 1.json
    fails 2 'orrery: 2 files of 4 ranks: one for each, or one that stands for all'
}

@test "convert nccl-inspector: a period becomes iterations" {
    local n=0 kind size
    for kind in Broadcast:64 AllReduce:1000 AllGather:500 AllReduce:1000 AllGather:500; do
        size=${kind#*:} n=$((n + 1))
        printf '{"header": {"id": "0x1", "rank": 0, "n_ranks": 2}, "coll_perf": {"coll": "%s", "coll_sn": %d, "coll_msg_size_bytes": %d, "coll_exec_time_us": 7}}\n' \
            "${kind%:*}" $n "$size"
    done >i.json
    orrery convert nccl-inspector i.json -o out.yaml
    [ "$status" -eq 0 ]
    grep -q '5 collectives are 2 iterations of 2' ../err
    grep -q '^    iterations: 2$' out.yaml
    grep -q '^      - all-gather: {size: 500B} # 7 us$' out.yaml
}

@test "convert pcap: what a run sent comes back" {
    cat >job.yaml <<'YAML'
topology: {kind: switch, hosts: 3, link: {rate: 10Gbps, delay: 1us}}
network: {mtu: 1448B, header: 90B}
jobs:
  - ranks: 3
    iterations: 12
    program: [compute: 1ms, send: {from: 0, to: 1, size: 30KB}, send: {from: 1, to: 2, size: 10KB}]
record: {pcap: {ports: all, file: job.pcapng}}
YAML
    orrery run job.yaml -q
    orrery convert pcap job.pcapng -o out.yaml
    [ "$status" -eq 0 ]
    # 1 ms, and 21 packets at 10 Gbps
    grep -q '^note: period: 1.02[0-9]* ms, 12 times' ../err
    grep -q 'send: {from: 0, to: 1, size: 30000B}' out.yaml
    grep -q 'send: {from: 1, to: 2, size: 10000B}' out.yaml
    orrery run out.yaml -q --json - --set record=none
    [ "$(jq '.jobs[0].iteration_ns.mean | . > 1020000 and . < 1030000' ../out)" = true ]
    orrery convert pcap job.yaml
    fails 2 'job.yaml:1:1: no capture: neither pcap nor pcapng'
}
