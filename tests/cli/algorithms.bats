#!/usr/bin/env bats
# Collectives against a formula on paper, on networks where nothing waits.

load common

# time_of TOPOLOGY RANKS OPERATION: what it takes, ns; 8 Gbit/s are 1 ns a byte
time_of() {
    cat >a.yaml <<END
topology: {$1, link: {rate: 8Gbps, delay: 100ns}}
network: {mtu: 65536B, header: 0B, transport: datagram}
record: none
jobs: [{ranks: $2, program: [$3]}]
END
    orrery run a.yaml -q --json run.json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq '.jobs[0].iterations[0].duration_ns' run.json
}

@test "bine and swing: neighbours of a ring and of a torus, both directions at once" {
    for name in bine swing; do
        # two shares of 8,000 B, halved twice and gathered: all one hop
        [ "$(time_of 'kind: ring, hosts: 4' 4 "all-reduce: {size: 16000B, algorithm: $name, dims: [4]}")" = \
            $((2 * (4000 + 2000) + 4 * 100)) ]
        # 4 x 4: four shares of 8,000 B, four halvings of one hop each
        [ "$(time_of 'kind: torus, dims: [4, 4]' 16 "all-reduce: {size: 32000B, algorithm: $name}")" = \
            $((2 * (4000 + 2000 + 1000 + 500) + 8 * 100)) ]
        [ "$(time_of 'kind: torus, dims: [4, 4]' 16 "all-reduce: {size: 32000B, algorithm: $name, variant: latency}")" = \
            $((4 * (8000 + 100))) ]
        [ "$(time_of 'kind: torus, dims: [4, 4]' 16 "all-reduce: {size: 32000B, algorithm: $name, ports: 1}")" = \
            $((2 * (16000 + 8000 + 4000 + 2000) + 8 * 100)) ]
    done
    time_of 'kind: torus, dims: [4, 4]' 12 'all-reduce: {size: 32000B, algorithm: bine, dims: [4, 3]}' && false
    grep -q '^a.yaml:4:.*: all-reduce by bine: every dimension must be a power of two, and one is 3$' ../err
}

@test "pat: ceil(log2 n) steps with the blocks of a binomial tree, any n" {
    # two links, each message one packet: distances 4, 2, 1 with 1, 1 and 2 blocks
    [ "$(time_of 'kind: switch, hosts: 5' 5 'all-gather: {size: 1000B, algorithm: pat}')" = \
        $((2 * (1000 + 1000 + 2000) + 3 * 200)) ]
    [ "$(time_of 'kind: switch, hosts: 8' 8 'all-gather: {size: 1000B, algorithm: pat}')" = \
        $((2 * (1000 + 2000 + 4000) + 3 * 200)) ]
    [ "$(time_of 'kind: switch, hosts: 8' 8 'reduce-scatter: {size: 8000B, algorithm: pat}')" = \
        $((2 * (1000 + 2000 + 4000) + 3 * 200)) ]
}

@test "pxn: a hop inside the server, then all pieces of the server on one rail" {
    # 3 servers of 2: pieces of 1,000 B; NVLink as fast as the NIC here. Three
    # pieces go to the neighbour, the last one to be sent on arrives after
    # 2 * (3 * 1000) less what the switch overlaps; then 2 x 2,000 B on the rail
    t=$(time_of 'kind: rail-only, hosts: 3, servers: {gpus: 2, link: {rate: 8Tbps, delay: 1ns}}' 6 \
        'all-to-all: {size: 6000B, algorithm: pxn, local: 2}')
    # 2 ns and 3 pieces of 1 ns inside, twice; two messages through a leaf
    awk -v t="$t" 'BEGIN { exit !(t >= 3 * 2000 + 200 && t < 3 * 2000 + 200 + 10) }'
    jq -e '.jobs[0].collectives[0].bytes_sent == 6 * (3 * 1000 + 2 * 2000)' run.json
}

@test "msccl: a schedule from a file, to the nanosecond; what is wrong has its place" {
    cat >two.xml <<'END'
<algo name="two" nchunksperloop="2" proto="LL" ngpus="2" coll="allreduce" inplace="1">
 <gpu id="0" i_chunks="2" o_chunks="2" s_chunks="0">
  <tb id="0" send="1" recv="1" chan="0">
   <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1"/>
   <step s="1" type="rrcs" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="1" deps="0"/>
   <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1"/>
  </tb>
  <tb id="1" send="-1" recv="-1" chan="0">
   <step s="0" type="nop" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="0" depid="0" deps="0"/>
  </tb>
 </gpu>
 <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="0">
  <tb id="0" send="0" recv="0" chan="0">
   <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1"/>
   <step s="1" type="rrcs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1"/>
   <step s="2" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1"/>
  </tb>
 </gpu>
</algo>
END
    # two messages of 1,000 B, one after the other, on two links
    [ "$(time_of 'kind: switch, hosts: 2' 2 'all-reduce: {size: 2000B, algorithm: msccl, file: two.xml}')" = \
        $((2 * (2 * 1000 + 200))) ]
    sed -i '15s/type="rrcs"/type="rcs"/' two.xml
    orrery run a.yaml
    fails 2 'two.xml:1:1: this is no all-reduce: GPU 0 ends with a part of the sum in chunk 0 of its input'
    orrery run a.yaml --set 'jobs[0].program[0].all-reduce.file=none.xml'
    [ "$status" -eq 2 ]
    grep -q 'all-reduce.file:1:1: cannot read none.xml: No such file' ../err
}
