#!/usr/bin/env bats
# Collectives in channels: `protocol`, `channels` and `slots`, and nccl-auto.

load common

# star RANKS KEYS: ranks on one switch, each its own server; nothing is cut.
star() {
    cat >star.yaml <<END
topology: {kind: switch, hosts: $1, link: {rate: 200Gbps, delay: 250ns}}
network: {mtu: 65536B, header: 64B, ack: 64B}
record: none
jobs: [{ranks: $1, program: [all-reduce: {$2}]}]
END
}

# mn5 KEYS: two servers of four GPUs on rails.
mn5() {
    cat >mn5.yaml <<END
topology:
  {kind: rail-optimised, hosts: 2, servers: {gpus: 4, link: {rate: 3600Gbps, delay: 300ns}},
   link: {rate: 200Gbps, delay: 500ns}}
network: {mtu: 4096B, queue: {capacity: 1GiB}}
record: none
jobs: [{name: j, ranks: 8, iterations: 3, program: [all-reduce: {local: 4, $1}]}]
END
}

@test "a ring of LL takes what its table says, to the picosecond" {
    for n in 2 5 8; do
        star $n "size: $((n * 1000))B, algorithm: nccl-ring, protocol: ll, local: 1, channels: 1"
        orrery run star.yaml -q --json run.json
        [ "$status" -eq 0 ] || cat ../err
        # 6.6 us; 2 (n - 1) + 1 copies of 1,000 B at 12 GB/s; as many hops less
        # one of 2.7 us, and 2,064 B on two links at 25 GB/s
        jq -e --argjson n $n '.jobs[0].collectives[0] |
            (2 * ($n - 1)) as $hops |
            (.duration_ns - (6600 + ($hops + 1) * 83.334 + $hops * (2700 + 2 * 82.56)) | fabs) < 0.001
            and .protocol == "ll" and .channels == 1 and .messages == $n * $hops
            and .bytes_sent == 2 * 1000 * $n * $hops' run.json
    done
}

@test "a slice of Simple holds its channel, and bounded room holds the sender" {
    # two ranks, 4 MiB in two channels: a chunk of 1 MiB each, in two slices;
    # four copies of a step, and the third step's; 24 GB/s shared by two channels
    star 2 "size: 4MiB, algorithm: nccl-ring, protocol: simple, local: 1, channels: 2"
    orrery run star.yaml -q --json run.json
    first=$(jq '.jobs[0].collectives[0].duration_ns' run.json)
    orrery run star.yaml -q --json run.json --set 'jobs[0].program[0].all-reduce.slots=64'
    [ "$(jq '.jobs[0].collectives[0].duration_ns' run.json)" = "$first" ]
    # of a long pipeline less room is less time for the same bytes
    mn5 "size: 64MiB, algorithm: nccl-ring, protocol: simple"
    for slots in 6 8 64; do
        orrery run mn5.yaml -q --json run$slots.json --set jobs[0].iterations=1 \
            --set "jobs[0].program[0].all-reduce.slots=$slots"
    done
    jq -se 'map(.jobs[0].collectives[0].duration_ns) | .[0] > .[1] and .[1] >= .[2]' \
        run6.json run8.json run64.json
}

@test "nccl-auto says what it chose; threads, repetition and explain agree" {
    mn5 "size: 1MiB, algorithm: nccl-auto"
    orrery run mn5.yaml
    grep -q 'all-reduce  *nccl-ring, 1MiB, 8 ranks, chosen by nccl-auto, ll128 in 8 channels' ../out
    print=$(grep fingerprint ../out)
    orrery run mn5.yaml --threads 4
    [ "$(grep fingerprint ../out)" = "$print" ]
    mn5 "size: 100KiB, algorithm: nccl-auto, protocol: simple"
    orrery run mn5.yaml -q --json run.json
    jq -e '.jobs[0].collectives[0] | .protocol == "simple" and .channels == 3' run.json
    orrery run mn5.yaml -q --json exact.json --set repeat=exact --set jobs[0].iterations=30
    jq -e '.jobs[0].iterations[29].duration_ns > 0' exact.json
    orrery explain mn5.yaml
    [ "$status" -eq 0 ] || cat ../err
    orrery run mn5.yaml -q --json run.json --set 'jobs=[{name: m, model: resnet50, ranks: 8, sync: ddp, iterations: 1, batch: 8, algorithm: {name: nccl-auto, local: 4}}]'
    [ "$status" -eq 0 ] || cat ../err
    jq -e '[.jobs[0].collectives[].protocol] | all(. != null)' run.json
}

@test "what channels cannot be is refused, and what has no effect is noted" {
    mn5 "size: 1MiB, algorithm: nccl-ring, protocol: simple, slots: 4"
    orrery run mn5.yaml
    [ "$status" -eq 2 ]
    grep -q '^mn5.yaml:6:.*: all-reduce.slots: nccl-ring by simple needs 6 at least, or its ranks would wait for one another$' ../err
    mn5 "size: 1MiB, algorithm: nccl-tree, protocol: ll, chunks: 4"
    orrery run mn5.yaml
    [ "$status" -eq 2 ]
    grep -q ': all-reduce.chunks: with `protocol` channels cut the message themselves$' ../err
    mn5 "size: 1MiB, algorithm: nccl-ring, slots: 4"
    orrery run mn5.yaml
    grep -q 'all-reduce.slots has no effect: with' ../out
}

@test "sizes without end are refused, none is no message" {
    mn5 "size: 900000TB, algorithm: nccl-auto"
    orrery run mn5.yaml
    [ "$status" -eq 2 ]
    grep -q ': all-reduce.size: too many slices for 8 ranks$' ../err
    mn5 "size: 0B, algorithm: nccl-ring, protocol: ll128"
    orrery run mn5.yaml -q --json run.json
    jq -e '.jobs[0].bytes_sent == 0' run.json
}
