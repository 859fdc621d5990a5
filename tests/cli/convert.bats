#!/usr/bin/env bats
# orrery convert: from other simulators' files, and to them.

load common

# Three hosts on a switch that is node 0; two flows from 2 s on.
hpcc_files() {
    mkdir mix
    printf '4 1 3\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n' \
        >mix/topology.txt
    printf '2\n2 1 3 100 100000 2\n3 1 3 100 50000 2.000001\n' >mix/flow.txt
    cat >mix/config.txt <<'TXT'
PACKET_PAYLOAD_SIZE 1000
TOPOLOGY_FILE mix/topology.txt
FLOW_FILE mix/flow.txt
CC_MODE 3
GLOBAL_T 0
MI_THRESH 0
BUFFER_SIZE 32
SIMULATOR_STOP_TIME 2.5
TXT
}

json() { "$ORRERY" run "$1" -q --json - --set record=none | jq -c "$2"; }

@test "convert hpcc: config.txt and what it names" {
    hpcc_files
    orrery convert hpcc mix/config.txt -o out.yaml
    [ "$status" -eq 0 ]
    is_text ../err ''
    leaves mix out.yaml
    grep -q '^topology: {kind: file, format: hpcc, file: mix/topology.txt}$' \
        out.yaml
    grep -q 'file: mix/flow.txt, format: hpcc, origin: 2s}' out.yaml
    grep -q '^stop: 500ms$' out.yaml
    grep -q 'kind: hpcc, telemetry: fields, counts: payload, max_stage' out.yaml
    # host 2 of the files is host 1 here
    [ "$(json out.yaml '.flows.list | map([.src, .dst, .bytes, .start_ns])')" = \
        '[[1,0,100000,0],[2,0,50000,1000]]' ]
}

# Twice 2 us and 1,000 B at two links of 100 Gbps one way: 4,160 ns.
@test "convert hpcc: GLOBAL_T is the longest round trip" {
    hpcc_files
    sed -i 's/GLOBAL_T 0/GLOBAL_T 1/' mix/config.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    grep -q 'telemetry: fields, counts: payload, base_rtt: 4160ns,' out.yaml
    # one host is 3 us farther away: 7 us and 160 ns
    sed -i 's/^0 3 100Gbps 1us/0 3 100Gbps 2500ns/' mix/topology.txt
    for mode in 1 7 8 10; do
        sed -i "s/^CC_MODE.*/CC_MODE $mode\nVAR_WIN 1/" mix/config.txt
        orrery convert hpcc mix/config.txt -o out.yaml
        grep -q 'counts: payload, base_rtt: 7160ns' out.yaml
        orrery run out.yaml -q --set record=none --json -
        [ "$status" -eq 0 ]
    done
    grep -q 'telemetry: pint, pint_form: hpcc, pint_base: 1.05' out.yaml
    # each pair its own: ports keep the longest
    sed -i 's/GLOBAL_T 1/GLOBAL_T 0/' mix/config.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    grep -q 'pint_share: 1, pint_rtt: 7160ns, counts: payload, max' out.yaml
    # no control: a window of a bandwidth-delay product, 89,500 B of payload
    sed -i "s/^CC_MODE.*/CC_MODE 12/" mix/config.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    grep -qx '  window: 89500B' out.yaml
}

@test "convert hpcc: flows that are not counted, and remarks behind them" {
    hpcc_files
    {
        printf '1 1 3 100 7 2\n\nFirst line: # of flows\n'
        printf 'src0 dst0 3 dst_port0 size0 start_time0\n...\n\n'
        printf 'Please order the flows in ascending start_time!\n'
    } >remarks
    cat remarks >>mix/flow.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    [ "$status" -eq 0 ]
    grep -q 'mix/flow.txt counts 2 flows and lists 3: as in HPCC' ../err
    grep -q 'origin: 2s}' out.yaml
    printf '2\n2 1 3 100 100000 2\n3 1 3 100 50000 2.000001\n' >mix/flow.txt
    sed 1d remarks >>mix/flow.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    [ "$(grep -c 'counts 2 flows' ../err)" -eq 0 ]
}

@test "convert hpcc: names are relative to the configuration" {
    hpcc_files
    mkdir -p deep/er
    orrery convert hpcc mix/topology.txt mix/flow.txt -o deep/er/out.yaml
    [ "$status" -eq 0 ]
    grep -q 'file: ../../mix/topology.txt}' deep/er/out.yaml
    json deep/er/out.yaml .flows.completed | grep -qx 2
}

@test "convert hpcc: stdout, and flows that are not counted" {
    hpcc_files
    echo '1 3 3 100 7 2' >>mix/flow.txt
    orrery convert hpcc mix/flow.txt mix/topology.txt
    [ "$status" -eq 0 ]
    is_text ../err 'note: mix/flow.txt counts 2 flows and lists 3: as in HPCC, the rest is not read'
    is_text ../out 'topology: {kind: file, format: hpcc, file: mix/topology.txt}
network: {mtu: 1000B, header: 48B, ack: 60B}
flows:
  - {file: mix/flow.txt, format: hpcc, origin: 2s}'
}

@test "convert hpcc: there and back" {
    hpcc_files
    orrery convert hpcc mix/topology.txt mix/flow.txt -o one.yaml
    orrery convert --to hpcc one.yaml -o again
    [ "$status" -eq 0 ]
    orrery convert hpcc again/topology.txt again/flow.txt -o two.yaml
    [ "$status" -eq 0 ]
    [ "$(json one.yaml .flows.list)" = "$(json two.yaml .flows.list)" ]
    # once in our numbers, it stays as it is
    orrery convert --to hpcc two.yaml -o third
    cmp again/topology.txt third/topology.txt
    cmp again/flow.txt third/flow.txt
}

# CONFIG, written for HPCC and read again twice: the second time says the same.
hpcc_and_back() {
    orrery convert --to hpcc "$1" -o one
    [ "$status" -eq 0 ]
    orrery convert hpcc one/config.txt -o one.yaml
    [ "$status" -eq 0 ]
    orrery convert --to hpcc one.yaml -o two
    [ "$status" -eq 0 ]
    diff -r one two
    orrery convert hpcc two/config.txt -o two.yaml
    [ "$(json one.yaml .fingerprint)" = "$(json two.yaml .fingerprint)" ]
}

@test "convert --to hpcc: config.txt says what HPCC can say" {
    for cc in '{kind: dcqcn, window: scaled, counts: payload, rate_ai: 50Mbps}' '{kind: hpcc}' \
        '{kind: timely, window: bdp}' '{kind: dctcp}' none cubic \
        '{kind: dctcp-rate, window: scaled, counts: payload, base_rtt: 8240ns}' \
        '{kind: hpcc, telemetry: pint, pint_rtt: 8240ns}' \
        '{kind: hpcc, telemetry: pint, base_rtt: 8240ns}'; do
        cat >c.yaml <<YAML
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, link: {rate: 100Gbps, delay: 1us}}
network:
  mtu: 1000B
  header: 48B
  ack: 60B
  recovery: go-back-n
  cc: $cc
  queue: {kind: red, mark: dequeue, capacity: 32MiB}
  buffer: {kind: shared, size: 32MiB, alpha: 0.125}
  pfc: {enabled: true, form: hpcc}
stop: 1s
failures: [{link: [4, 6], down: 15us}]
flows:
  - {src: 0, dst: 3, size: 1MB, class: 3}
  - {src: 2, dst: 3, size: 1MB, class: 3}
  - {src: 1, dst: 3, size: 1MB, class: 3, start: 10us}
YAML
        hpcc_and_back c.yaml
        grep -qx 'LINK_DOWN 15 4 6' one/config.txt
        grep -qx 'SIMULATOR_STOP_TIME 3' one/config.txt
        grep -q 'failures:' one.yaml
        case $cc in # those without headers of telemetry are the same run
            *dcqcn* | none)
                [ "$(json c.yaml .fingerprint)" = \
                    "$(json one.yaml .fingerprint)" ] ;;
        esac
        rm -r one two
    done
}

@test "convert --to hpcc: what comes out otherwise is told" {
    cat >c.yaml <<'YAML'
topology: {kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 1us}}
network:
  header: 60B
  ack: 80B
  queue: {kind: red, weight: 0.5}
  switching: store-and-forward
flows:
  - {src: 0, dst: 3, size: 1MB, cc: dctcp, class: 3}
  - {src: 1, dst: 3, size: 1MB}
YAML
    hpcc_and_back c.yaml
    orrery convert --to hpcc c.yaml -o one
    sort ../err >told
    diff - told <<'NOTES'
note: 1 flow has a congestion control of its own: HPCC has one for all
note: HPCC's switches always send pause frames
note: ack: HPCC's acknowledgements have 60 bytes, not 80
note: buffer: the ports of a switch share its memory in HPCC, and all switches have as much as the largest one's ports together
note: flows begin at 2 s, as HPCC's do; a flow without a class is of priority group 3
note: header: HPCC's packets have 48 bytes beside the payload, not 60
note: queue.mark: HPCC marks a packet by the queue behind it (dequeue), not by the one that it finds
note: queue.weight: HPCC uses the queue, not an average
note: recovery: HPCC's is go-back-N
NOTES
    # nothing else differs, but for what was told: the same run
    cat >c.yaml <<'YAML'
topology: {kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 1us}}
network:
  mtu: 1000B
  header: 48B
  ack: 60B
  recovery: go-back-n
  queue: {kind: red, mark: dequeue, capacity: 8MiB}
  buffer: {kind: shared, size: 8MiB}
  pfc: {enabled: true, form: hpcc, hold_acks: false}
flows:
  - {src: 0, dst: 3, size: 1MB, class: 3}
  - {src: 1, dst: 3, size: 1MB, class: 3}
YAML
    orrery convert --to hpcc c.yaml -o same
    is_text ../err "note: flows begin at 2 s, as HPCC's do; a flow without a \
class is of priority group 3"
    orrery convert hpcc same/config.txt -o same.yaml
    [ "$(json c.yaml .fingerprint)" = "$(json same.yaml .fingerprint)" ]
}

@test "convert --to hpcc: a switch has room for what pause frames need" {
    printf 'topology: {kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 1us}}
flows: [{src: 0, dst: 3, size: 1MB}]
network: {queue: {kind: droptail, capacity: 100KB}}\n' >c.yaml
    orrery convert --to hpcc c.yaml -o one
    grep -qx 'BUFFER_SIZE 2' one/config.txt
    grep -q 'note: buffer: 2 MiB, of which pause frames need' ../err
    orrery convert hpcc one/config.txt -o two.yaml
    [ "$status" -eq 0 ]
    json two.yaml .flows.completed | grep -qx 1
}

@test "convert hpcc: a link that fails does so after the second second" {
    hpcc_files
    echo 'LINK_DOWN 7 0 2' >>mix/config.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    grep -q 'link: \[3, 1\], down: 7us' out.yaml
    # a flow that begins before 2 s: 0 is there where it is in the files
    printf '1\n2 1 3 100 100000 1\n' >mix/flow.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    grep -q 'link: \[3, 1\], down: 2000007us' out.yaml
}

@test "convert hpcc: what has no meaning here is told" {
    hpcc_files
    printf 'ACK_HIGH_PRIO 1\nRATE_BOUND 0\nL2_BACK_TO_ZERO 1\n' >>mix/config.txt
    printf 'ERROR_RATE_PER_LINK 0.01\nUSE_DYNAMIC_PFC_THRESHOLD 0\n' >>mix/config.txt
    printf 'MULTI_RATE 1\nSAMPLE_FEEDBACK 1\nINT_MULTI 7\nVAR_WIN 0\n' >>mix/config.txt
    echo 'L2_ACK_INTERVAL 4000' >>mix/config.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    [ "$status" -eq 0 ]
    for key in RATE_BOUND L2_BACK_TO_ZERO \
        USE_DYNAMIC_PFC_THRESHOLD MULTI_RATE SAMPLE_FEEDBACK INT_MULTI \
        L2_ACK_INTERVAL HAS_WIN; do
        grep -q "^note: $key" ../err
    done
    grep -q 'hold_acks: false' out.yaml
    # what a link's own line says goes before
    grep -q 'topology.txt, loss: 0.01}$' out.yaml
    sed -i 's/^0 2 100Gbps 1us 0/0 2 100Gbps 1us 0.5/' mix/topology.txt
    orrery topo out.yaml --dot -
    [ "$(grep -c 'loss=0.01' ../out)" -eq 2 ]
    [ "$(grep -c 'loss=0.5' ../out)" -eq 1 ]
}

@test "convert hpcc: any topology can be written and read again" {
    for topology in 'kind: fat-tree, k: 4' 'kind: torus, dims: [2, 3, 2]' \
        'kind: leaf-spine, leaves: 2, spines: 3, hosts_per_leaf: 2'; do
        printf 'topology: {%s, link: {rate: 2.5Gbps, delay: 1.5us, loss: 0.001}}
flows: [{src: 0, dst: 3, size: 1MB, start: 1234567ps}]\n' "$topology" >c.yaml
        orrery convert --to hpcc c.yaml -o out
        [ "$status" -eq 0 ]
        # nodes have no names and links no tiers there
        orrery topo c.yaml --links --json
        jq -c '.link_list[] | del(.tier)' ../out >before
        [ -s before ]
        orrery topo file format=hpcc file=out/topology.txt --links --json
        jq -c '.link_list[] | del(.tier)' ../out >after
        diff -q before after
        grep -qx '0 3 3 100 1000000 2.000001234567' out/flow.txt
    done
}

matrix() {
    cat >m.cm <<'CM'
Nodes 16
Connections 4
Triggers 2
0->13 id 9 start 0 size 2000 send_done_trigger 7
0->12 id 2 trigger 7 size 2000 recv_done_trigger 5
1->2 id 3 start 1000000 size 1000 send_done_trigger 5
5->6 id 4 trigger 5 size 1000
trigger id 7 oneshot
trigger id 5 barrier count 2
CM
}

@test "convert htsim: a matrix alone is on the default tree" {
    matrix
    orrery convert htsim m.cm -o out.yaml
    [ "$status" -eq 0 ]
    grep -q "^note: no .topo file: htsim's default, a fat-tree of 16 hosts" ../err
    grep -q '^topology: {kind: fat-tree, k: 4, ' out.yaml
    json out.yaml .flows.completed | grep -qx 4
}

@test "convert htsim: NSCC and queues that trim, of one product" {
    printf 'Nodes 16\nConnections 2\n0->9 start 0 size 2000000\n' >m.cm
    echo '1->9 start 0 size 2000000' >>m.cm
    orrery convert htsim m.cm -o out.yaml
    [ "$status" -eq 0 ]
    # 2 * 6 us, six packets of 4,150 B and six ACKs at 100 Gbps, in packets; the
    # figures that htsim_uec itself prints
    grep -q 'capacity: 178450B, kmin: 37350B, kmax: 145250B}' out.yaml
    grep -q 'rto: {initial: 100656ns, min: 100656ns, max: 100656ns}' out.yaml
    grep -q 'ack_rule: uec' out.yaml
    grep -q 'cc: {kind: nscc}' out.yaml
    grep -q 'note: the .cm names no protocol: as htsim_uec has it, NSCC' ../err
    json out.yaml '.counters | [.packets_trimmed > 0, .ecn_marks > 0]' |
        grep -qx '\[true,true\]'
    # the same of a tree in a file, from its slowest way
    orrery convert --to htsim out.yaml -o h
    orrery convert htsim h/flows.cm h/network.topo -o two.yaml
    grep -q 'capacity: 178450B' two.yaml
}

# One flow of 2 MB through uet-htsim: 176.2 us, 490 packets, 124 ACKs.
@test "run --htsim: one flow to the packet" {
    printf 'Nodes 16\nConnections 1\n0->13 start 0 size 2000000\n' >m.cm
    orrery run --htsim m.cm -q --json a.json --set record=none
    [ "$status" -eq 0 ]
    [ "$(jq -c '[.flows.fct_ns.max, .counters.packets_sent]' a.json)" = \
        '[176199.52,614]' ]
}

# Credits of receivers through uet-htsim: 177.368 us.
@test "run --htsim: one flow by credits" {
    printf 'Nodes 16\nConnections 1\n0->13 start 0 size 2000000\n' >m.cm
    orrery run --htsim -q --json a.json --set record=none -- -tm m.cm \
        -receiver_cc_only
    [ "$status" -eq 0 ]
    [ "$(jq '.flows.fct_ns.max' a.json)" = 177367.66 ]
    orrery convert htsim -o out.yaml -- -tm m.cm -receiver_cc -failed 1
    grep -q 'cc: {kind: rccc, base: nscc}' out.yaml
    grep -q 'by_tier: {host: {queue: .*}}, "core0 > pod0/agg0": {' out.yaml
    json out.yaml .flows.completed | grep -qx 1
}

# A quarter of the rate and of the queue, of links from the core down alone.
@test "run --htsim: words of htsim's command line" {
    printf 'Nodes 16\nConnections 1\n0->13 start 0 size 2000000\n' >m.cm
    orrery convert htsim -o out.yaml -- -tm m.cm -linkspeed 200000 -q 200 \
        -failed 3 -paths 8 -load_balancing_algo bitmap -sack_threshold 4000 \
        -hop_latency 2 -end 500 -strange 4 -sender_cc_only
    [ "$status" -eq 0 ]
    grep -q "^note: htsim's -strange has no counterpart here" ../err
    grep -q 'k: 4, link: {rate: 200000Mbps, delay: 2us}' out.yaml
    grep -q 'kind: bitmap, entropies: 8}' out.yaml
    grep -q 'ack_bytes: 4000B' out.yaml
    grep -q 'capacity: 830000B, kmin: 128650B' out.yaml
    grep -q '"core2 > pod0/agg1": {queue: {.*capacity: 207500B' out.yaml
    grep -q 'link: "core1 > pod0/agg0", at: 0s, rate: 50000000Kbps' out.yaml
    [ "$(grep -o 'at: 0s' out.yaml | wc -l)" -eq 3 ]
    grep -q '^stop: 500us' out.yaml
    json out.yaml .flows.completed | grep -qx 1
    orrery convert htsim -o out.yaml -- -tm m.cm -disable_trim
    grep -q 'kind: red, mark: dequeue, pmax: 1, capacity: 892250B, kmin: 37350B' out.yaml
    for i in '-paths x' '-failed -1' '-load_balancing_algo least' '-q'; do
        # shellcheck disable=SC2086
        orrery run --htsim -q -- -tm m.cm $i
        [ "$status" -eq 2 ]
        grep -q "^orrery: htsim's ${i%% *}" ../err || cat ../err
    done
}

@test "convert htsim: starts are picoseconds, and htsim_uec's are not" {
    printf 'Nodes 16\nConnections 2\n0->9 start 0 size 2000\n' >m.cm
    echo '1->9 start 0.0 size 2000' >>m.cm
    orrery convert htsim m.cm -o out.yaml
    [ "$status" -eq 0 ]
    [ -z "$(grep microseconds ../err)" ]
    sed -i 's/start 0.0/start 7/' m.cm
    orrery convert htsim m.cm -o out.yaml
    grep -q '^note: starts are read as picoseconds, .*flows\[0\].unit=us' ../err
    json out.yaml '[.flows.list[].start_ns]' | grep -qx '\[0,0.007\]'
    orrery run --htsim m.cm --set 'flows[0].unit=us' -q --json a.json \
        --set record=none
    [ "$(jq -c '[.flows.list[].start_ns]' a.json)" = '[0,7000]' ]
    orrery convert --to htsim out.yaml -o h
    grep -q '^note: starts are picoseconds, .*in microseconds$' ../err
}

@test "convert htsim: a size of 0 sends to the end of the run" {
    printf 'Nodes 16\nConnections 2\n0->9 start 0 size 0\n' >m.cm
    echo '1->9 start 0 size 200000' >>m.cm
    orrery convert htsim m.cm -o out.yaml
    [ "$status" -eq 0 ]
    grep -qx 'stop: 1ms' out.yaml
    grep -q "^note: a flow of size 0 sends to the end of the run" ../err
    # alone it fills its link to the last, with 64 B beside 4,086
    orrery run --htsim m.cm -q --json a.json --set record=none
    [ "$status" -eq 0 ]
    jq -e '.flows.completed == 1 and .flows.list[0].fct_ns == null and
           .sim_time_ns > 999000' a.json
}

@test "convert htsim: messages of one connection follow one another" {
    cat >m.cm <<'CM'
Nodes 16
Connections 4
0->9 id 1 msg start 0 size 200000
0->9 id 1 msg 2 start 0 size 200000
0->9 id 1 msg start 100 size 200000
4->5 id 2 start 100 size 200000
CM
    orrery convert htsim m.cm -o out.yaml
    [ "$status" -eq 0 ]
    # 49 packets each; the third begins, as its start says, at 100 us
    json out.yaml '[.flows.list[] | [.start_ns, .fct_ns]]' |
        grep -qx '\[\[0,29941.6\],\[0,46192.48\],\[100000,29941.6\],\[100000,20593.12\]\]'
    orrery convert --to htsim out.yaml -o h
    grep -qx '0->9 id 1 msg start 100 size 200000' h/flows.cm
    orrery convert htsim h/flows.cm h/network.topo -o two.yaml
    [ "$(json out.yaml '[.flows.list[].fct_ns]')" = \
        "$(json two.yaml '[.flows.list[].fct_ns]')" ]
}

@test "convert htsim: there and back, triggers and tree" {
    matrix
    orrery convert htsim m.cm -o one.yaml
    orrery convert --to htsim one.yaml -o h
    [ "$status" -eq 0 ]
    orrery convert htsim h/flows.cm h/network.topo -o two.yaml
    [ "$status" -eq 0 ]
    [ "$(json one.yaml '[.flows.list[] | [.src, .dst, .start_ns, .ideal_ns]]')" = \
        "$(json two.yaml '[.flows.list[] | [.src, .dst, .start_ns, .ideal_ns]]')" ]
    "$ORRERY" topo one.yaml --json | jq 'del(.kind, .bisection_exact)' >a
    "$ORRERY" topo two.yaml --json | jq 'del(.kind, .bisection_exact)' >b
    diff a b
}

@test "convert htsim: starts that 24 bits do not hold are counted" {
    cat >m.yaml <<'TEXT'
topology: {kind: fat-tree, k: 4, link: {rate: 40Gbps, delay: 1us}}
flows:
- {src: 0, dst: 5, size: 1KB, start: 17us}
- {src: 0, dst: 6, size: 1KB, start: 17000001ps}
TEXT
    orrery convert --to htsim m.yaml -o h
    [ "$status" -eq 0 ]
    grep -qx 'note: htsim reads starts to 24 bits: 1 of them is rounded there' ../err
}

@test "convert htsim: leaves and spines, and what is no tree" {
    printf 'topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 4,
  link: {rate: 100Gbps, delay: 500ns}}
flows: [{src: 0, dst: 9, size: 1MB}]\n' >c.yaml
    orrery convert --to htsim c.yaml -o h
    [ "$status" -eq 0 ]
    is_text ../err ''
    grep -qx 'Oversubscribed 2' h/network.topo
    orrery topo file format=htsim file=h/network.topo
    grep -q '16 hosts, 6 switches, 24 cables' ../out
    printf 'topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 500ns}}
flows: [{src: 0, dst: 2, size: 1MB}]\n' >c.yaml
    orrery convert --to htsim c.yaml -o ring
    [ "$status" -eq 0 ]
    grep -q '^note: no .topo' ../err
    is_text <(ls ring) flows.cm
}

# Describes the graph of a configuration.
graph() { "$ORRERY" topo "$1" --links; }

@test "convert htsim: any .topo there and back" {
    # two tiers; three with bundles, other speeds and odd latencies
    cat >two.topo <<'TXT'
Nodes 12
Tiers 2
Podsize 12
Tier 0
Downlink_speed_Gbps 25
Radix_Down 4
Radix_Up 2
Oversubscribed 2
Downlink_Latency_ns 300
Switch_Latency_ns 101
Tier 1
Downlink_speed_Gbps 25
Radix_Down 6
Downlink_Latency_ns 700
Bundle 2
TXT
    cat >three.topo <<'TXT'
Nodes 16
Tiers 3
Podsize 8
Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 2
Oversubscribed 1
Downlink_Latency_ns 500
Tier 1
Downlink_speed_Gbps 200
Radix_Down 2
Radix_Up 4
Oversubscribed 1
Downlink_Latency_ns 500
Switch_Latency_ns 33
Tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Bundle 2
Downlink_Latency_ns 1500
TXT
    printf 'Nodes 12\nConnections 2\nFailures 1\n0->11 start 0 size 2000000000
9->2 id 4 start 7000 size 9 prio 1
failure switch_type TOR switch_id 1 link_id 0\n' >two.cm
    printf 'Nodes 16\nConnections 1\nFailures 2\n0->15 start 0 size 50000
failure switch_type AGG switch_id 2 link_id 1
failure switch_type CORE switch_id 0 link_id 1\n' >three.cm
    for i in two three; do
        orrery convert htsim $i.topo $i.cm -o $i.yaml
        [ "$status" -eq 0 ]
        orrery convert --to htsim $i.yaml -o $i
        [ "$status" -eq 0 ]
        [ "$i" = three ] || sed -i '/^note: starts are picoseconds/d' ../err
        is_text ../err ''
        grep -q failure $i/flows.cm
        orrery convert htsim $i/network.topo $i/flows.cm -o $i.again.yaml
        [ "$status" -eq 0 ]
        diff <(graph $i.yaml) <(graph $i.again.yaml)
        [ "$(json $i.yaml '[.fingerprint, .failures, .flows.list]')" = \
            "$(json $i.again.yaml '[.fingerprint, .failures, .flows.list]')" ]
    done
    [ "$(json three.yaml '.failures | length')" -eq 4 ]
}

@test "convert --to htsim: why there is no .topo, and what is left out" {
    local link='link: {rate: 100Gbps, delay: 1us}'
    while IFS='|' read -r topology why; do
        printf 'topology: {%s}\nflows: [{src: 0, dst: 1, size: 1MB}]\n' \
            "$topology" >c.yaml
        orrery convert --to htsim c.yaml -o h
        [ "$status" -eq 0 ]
        is_text ../err "note: no .topo, which describes fat-trees: $why"
    done <<TXT
kind: ring, hosts: 4, $link|cables join nodes that are not one tier apart
kind: switch, hosts: 4, $link|it has only one tier of switches
kind: fat-tree, k: 4, link: {rate: 1.5Gbps, delay: 1us}|rates are no whole numbers of Gbps
kind: fat-tree, k: 4, link: {rate: 1Gbps, delay: 1.0001us}|delays are no whole numbers of ns
kind: fat-tree, k: 4, $link, tiers: {edge: {rate: 400Gbps}}|the capacity below a tier is no whole multiple of that above it
kind: fat-tree, k: 4, link: {rate: 1Gbps, delay: 1us, loss: 0.1}|cables lose packets
TXT
    printf 'topology: {kind: fat-tree, k: 4, link: {rate: 1Gbps, delay: 1us}}
failures: [{link: [16, 24], down: 1ms, up: 2ms}]
flows: [{src: 0, dst: 1, size: 1MB}]\n' >c.yaml
    orrery convert --to htsim c.yaml -o h
    grep -q "^note: htsim's links fail for the whole run.*: 2 other changes" ../err
}

@test "convert: what cannot be told is refused" {
    matrix
    printf 'topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
flows: [{file: m.cm, format: htsim}]\n' >c.yaml
    orrery convert --to hpcc c.yaml -o h
    fails 2 'orrery: flow 1 waits for a trigger: HPCC has none'
    printf 'topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
jobs: [{ranks: 2, program: [all-reduce: {size: 1MB}]}]\n' >c.yaml
    orrery convert --to htsim c.yaml -o h
    fails 2 'orrery: htsim knows flows, no jobs, and this configuration has 1'
}

@test "convert: bad files keep their places, and leave nothing" {
    hpcc_files
    printf '1\n2 1 3 100 100000\n' >mix/flow.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    fails 2 'mix/flow.txt:3:1: the start is missing'
    leaves mix
    printf '4 1 3\n0\n0 1 100Gbps 1us 0\n' >mix/topology.txt
    orrery convert hpcc mix/config.txt -o out.yaml
    grep -q '^mix/topology.txt:1:5: 3 links do not fit in a file of 26' ../err
    [ "$status" -eq 2 ]
    printf '4 1 3\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n0 3 1Gbps 1us 0\n' >apart.txt
    orrery convert hpcc apart.txt mix/flow.txt
    fails 2 'orrery: apart.txt: the graph is not connected: there is no path from node "0" to node "2"'
    printf 'Nodes 16\n' >m.cm
    orrery convert htsim m.cm
    fails 2 'm.cm:2:1: neither a topology (.topo) nor a connection matrix (.cm)'
    printf 'Nodes 15\nConnections 0\n' >m.cm
    orrery convert htsim m.cm
    fails 2 'orrery: m.cm has 15 nodes, which no default fat-tree of htsim has: name a .topo file too'
}

@test "convert: usage" {
    orrery convert
    fails 2 "orrery convert: which format?
hint: \`orrery help convert\` says how it is used"
    orrery convert hpc x
    fails 2 'orrery convert: no format is called "hpc"
hint: did you mean "hpcc"?'
    orrery convert hpcc
    fails 2 "orrery convert: which files?
hint: \`orrery help convert\` says how it is used"
    hpcc_files
    orrery convert hpcc mix/topology.txt -o mix/topology.txt
    fails 2 "orrery convert: that would overwrite mix/topology.txt
hint: \`orrery help convert\` says how it is used"
    orrery convert hpcc mix/topology.txt mix/topology.txt
    fails 2 'orrery: mix/topology.txt and mix/topology.txt are both a topology.txt'
    orrery convert --to hpcc c.yaml
    fails 2 "orrery convert: --to needs a folder: -o FOLDER
hint: \`orrery help convert\` says how it is used"
}

@test "run --fct: a line a flow, in order of their ends" {
    hpcc_files
    orrery convert hpcc mix/topology.txt mix/flow.txt -o c.yaml
    orrery run c.yaml -q --fct fct.txt --set record=none
    [ "$status" -eq 0 ]
    # addresses are of the files' numbers: 3, 2 and 1; the later one is shorter
    [ "$(cut -d' ' -f1-6 fct.txt)" = '0b000301 0b000101 10000 100 50000 1000
0b000201 0b000101 10000 100 100000 0' ]
    # alone: 100 packets of 1,048 bytes and one more at the second link, two
    # links there and two back, two ACKs of 60 bytes
    [ "$(awk '$5 == 100000 { print $8 }' fct.txt)" = 12477 ]
    orrery run c.yaml -q --fct c.yaml
    [ "$status" -eq 2 ]
}

@test "convert --to chakra: a job and its traces run alike" {
    printf 'topology: {kind: ring, hosts: 4, link: {rate: 400Gbps, delay: 500ns}}
jobs:
  - {name: a/b, ranks: 4, iterations: 2, program: [compute: 10us,
     all-reduce: {size: 1MiB, algorithm: ring}]}\n' >c.yaml
    orrery convert --to chakra c.yaml -o et
    [ "$status" -eq 0 ]
    is_text ../err 'note: a_b: one of its 2 iterations'
    is_text <(ls et) "$(printf '%s\n' a_b.{0,1,2,3}.et a_b.groups.json)"
    printf 'topology: {kind: ring, hosts: 4, link: {rate: 400Gbps, delay: 500ns}}
jobs: [{ranks: 4, trace: {format: chakra, path: et/a_b, algorithm: ring}}]\n' \
        >t.yaml
    [ "$(json c.yaml '.jobs[0].iterations[0].duration_ns')" = \
        "$(json t.yaml '.jobs[0].iterations[0].duration_ns')" ]
    orrery convert chakra et/a_b.0.et
    [ "$status" -eq 2 ]
    printf 'topology: {kind: ring, hosts: 4, link: {rate: 400Gbps, delay: 500ns}}
flows: [{src: 0, dst: 1, size: 1MB}]\n' >c.yaml
    orrery convert --to chakra c.yaml -o none
    fails 2 'orrery: traces are of jobs, and this configuration has none'
}

# Files of the simulators themselves, where they are.
data() {
    DATA=${ORRERY_DATA:-$root/../shared/data}
    [ -d "$DATA/$1" ] || skip "no $DATA/$1 here"
}

@test "convert: HPCC's own files" {
    data hpcc
    orrery convert hpcc "$DATA/hpcc/config.txt" -o c.yaml
    [ "$status" -eq 0 ]
    json c.yaml '[.flows.completed, .counters.packets_dropped]' |
        grep -qx '\[2,0\]'
    hpcc_and_back c.yaml
    orrery topo file format=hpcc "file=$DATA/hpcc/fat.txt"
    grep -q '320 hosts, 56 switches, 480 cables' ../out
}

@test "run --hpcc and --htsim: the files as they are" {
    hpcc_files
    orrery convert hpcc mix/config.txt -o out.yaml
    orrery run --hpcc mix/config.txt -q --json a.json --set record=none
    [ "$status" -eq 0 ]
    [ "$(jq -c .fingerprint a.json)" = "$(json out.yaml .fingerprint)" ]
    matrix
    orrery run --htsim m.cm -q --json b.json --set record=none
    [ "$status" -eq 0 ]
    jq -e '.flows.completed == 4' b.json
}

@test "convert: htsim's own files" {
    data htsim
    orrery convert htsim "$DATA/htsim/perm_16n_16c_2MB.cm" \
        "$DATA/htsim/fat_tree_128_4os.topo" -o c.yaml
    [ "$status" -eq 0 ]
    json c.yaml .flows.completed | grep -qx 16
    # 490 packets of 4,150 bytes over six links of 100 Gbps and 1 us
    orrery convert htsim "$DATA/htsim/one.cm" -o c.yaml
    json c.yaml .flows.fct_ns.max | grep -qx 176199.52
}

@test "a topology of SimAI's own" {
    data simai
    orrery topo file format=simai \
        "file=$DATA/simai/Spectrum-X_16g_8gps_400Gbps_H100"
    grep -q '16 hosts, 12 switches, 48 cables' ../out
    grep -q 'nvlink  *16 cables, 2880Gbps, 25ns' ../out
}

# ---- SimAI --------------------------------------------------------------

# Two servers of two GPUs; the workload is for all of them.
simai_files() {
    printf '8 2 2 2 9 A100\n4 5 6 7\n' >topo
    printf '%s 2400Gbps 25ns 0\n' '0 4' '1 4' '2 5' '3 5' >>topo
    printf '%s 400Gbps 500ns 0\n' '0 6' '1 7' '2 6' '3 7' '6 7' >>topo
    cat >work.txt <<'TXT'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0
1
l0 -1 1000 ALLREDUCE 100000 1 NONE 0 1 ALLREDUCE 200000 1
TXT
    printf 'PACKET_PAYLOAD_SIZE 9000\nCC_MODE 12\nHAS_WIN 0\n' >SimAI.conf
    printf 'SIMULATOR_STOP_TIME 40000000000000.00\nTRACE_NODE 0\n' >>SimAI.conf
    printf 'KMAX_MAP 1 2400000000000 3200\n' >>SimAI.conf
}

@test "convert simai: no system file is needed" {
    simai_files
    orrery convert simai work.txt topo SimAI.conf -o out.yaml
    [ "$status" -eq 0 ]
    grep -q 'topology: {kind: file, format: simai, file: topo}' out.yaml
    grep -q 'trace: {format: simai, workload: work.txt}' out.yaml
    grep -q 'ranks: 4$' out.yaml
    [ "$(grep -c '^stop:' out.yaml)" -eq 0 ]
    # TP in the server 2 (2 - 1) / 2, DP between servers as much
    [ "$(json out.yaml '.jobs[0].bytes_sent')" = $((4 * (100000 + 200000))) ]
}

@test "run --simai: each pipeline stage has collectives of its own" {
    cp "$root"/configs/formats/simai/* .
    orrery run --simai workload.txt topology SimAI.conf --set record=none \
        --json simai.json
    grep -qx '  all-reduce        nccl-ring, 1MiB, 2 ranks of 0 to 3' ../out
    # two stages, twelve each; none lasts from the one stage's to the other's
    jq -e '.jobs[0].collectives | length == 24 and
        ([.[] | .duration_ns / .chunk_latency_ns] | max < 1.01)' simai.json
}

@test "run --simai: the options of SimAI_simulator" {
    simai_files
    orrery convert simai work.txt topo SimAI.conf -o out.yaml
    orrery run --simai -t 2 -w work.txt -n topo -c SimAI.conf -q --json a.json \
        --set record=none
    [ "$status" -eq 0 ]
    [ "$(jq -c .fingerprint a.json)" = "$(json out.yaml .fingerprint)" ]
}

@test "run --simai, --hpcc: what is wrong is told where the user's file says it" {
    simai_files
    cp "$root"/configs/formats/simai/SimAI.conf .
    sed -i 's/^RP_TIMER.*/  RP_TIMER 0/' SimAI.conf
    orrery run --simai work.txt topo SimAI.conf
    [ "$status" -eq 2 ]
    is_text <(grep -v ^note ../err) 'SimAI.conf:8:3: RP_TIMER: network.cc.increase_interval: 0s is below the smallest allowed, 1ns
      RP_TIMER 0
      ^'
    sed -i 's/^  RP_TIMER.*/BUFFER_SIZE 0/; s/^BUFFER_SIZE 32//' SimAI.conf
    orrery run --simai work.txt topo SimAI.conf
    is_text <(grep '^SimAI' ../err) \
        'SimAI.conf:8:1: BUFFER_SIZE: network.queue.capacity: 0MiB is below the smallest allowed, 1B'
    # of a key that the file does not have, and of the command's own
    orrery run --simai work.txt topo --set jobs[0].ranks=2
    grep -q '^work.txt:1:96: trace: the workload is for 4 GPUs' ../err
    orrery run --simai work.txt topo --set network.mtu=0B
    grep -q '^--set network.mtu:1:1: network.mtu: 0B is below' ../err
    # a message that no packets can carry
    sed -i 's/100000/1e15/' work.txt
    orrery run --simai work.txt topo
    grep -q '^work.txt: operation .*: a message of .* is more than 2^31 packets' ../err
    cp -r "$root"/configs/formats/hpcc/* .
    printf 'BUFFER_SIZE 0\n' >>config.txt
    orrery run --hpcc config.txt
    grep -q "^config.txt:$(wc -l <config.txt):1: BUFFER_SIZE: network.* 0MiB is below" ../err
}

@test "convert simai: what does not fit together is refused" {
    simai_files
    sed -i 's/all_gpus: 4/all_gpus: 1024/' work.txt
    orrery convert simai work.txt topo -o out.yaml
    [ "$status" -eq 2 ]
    is_text ../err 'work.txt:1:96: all_gpus: the workload is for 1024 GPUs, and topo has 4'
    orrery convert simai topo topo -o out.yaml
    [ "$status" -eq 2 ]
    grep -q 'are both a topology' ../err
    orrery convert simai work.txt -o out.yaml
    [ "$status" -eq 2 ]
    grep -q 'there is no topology among the files' ../err
    orrery run --simai
    [ "$status" -eq 2 ]
    orrery run -w work.txt c.yaml
    [ "$status" -eq 2 ]
    orrery run --simai --htsim work.txt topo
    [ "$status" -eq 2 ]
}

@test "hpcc: a first line that is none of its files'" {
    echo '276 20 16 320 25000000000 25000000000' >six.txt
    orrery convert hpcc six.txt
    [ "$status" -eq 2 ]
    grep -q '^six.txt:1:[0-9]*: the first line has 6 numbers: that of a' ../err
    echo '8 4 0 2 9 A100' >simai.txt
    orrery convert hpcc simai.txt
    grep -q '^simai.txt:1:[0-9]*: this is a topology of SimAI' ../err
    for comment in '# nodes' '#' '// nodes'; do
        printf '%s\n# links\n\n3 1 2\n2\n0 2 1Gbps 1us 0\n' "$comment" >t.txt
        orrery convert hpcc t.txt
        [ "$status" -eq 2 ]
        grep -q '^t.txt:1:1: a topology.txt or flow.txt has no comments' ../err
    done
    printf '# a comment\nENABLE_QCN 1\n' >config.txt
    orrery convert hpcc config.txt
    fails 2 "orrery: there is no topology.txt among the files"
}

@test "convert hpcc: thresholds by the rate of each link" {
    mkdir mix
    printf '%s\n' '4 1 3' 3 '0 3 400Gbps 1us 0' '1 3 100Gbps 1us 0' \
        '2 3 25Gbps 1us 0' >mix/topology.txt
    printf '%s\n' 2 '0 2 3 100 1000000 2' '0 1 3 100 1000000 2' >mix/flow.txt
    cat >mix/config.txt <<'CONFIG'
TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
CC_MODE 12
HAS_WIN 0
KMAX_MAP 2 25000000000 40 100000000000 1600
KMIN_MAP 2 25000000000 10 100000000000 400
PMAX_MAP 3 25000000000 0.1 100000000000 0.2 400000000000 0.2
BUFFER_SIZE 32
CONFIG
    orrery convert hpcc mix/config.txt -o mix.yaml
    [ "$status" -eq 0 ]
    grep -q 'kmin: {400Gbps: 1600000B, 100Gbps: 400000B, 25Gbps: 10000B}' \
        mix.yaml
    grep -q 'kmax: {400Gbps: 6400000B, 100Gbps: 1600000B, 25Gbps: 40000B}' \
        mix.yaml
    grep -q 'pmax: {400Gbps: 0.2, 100Gbps: 0.2, 25Gbps: 0.1}' mix.yaml
    grep -q 'note: KMIN_MAP, KMAX_MAP: 400Gbps, which links have, is not' ../err
    ! grep -q 'no rate of the topology\|PMAX_MAP' ../err || return 1
    # and they are what queues go by: the run where each is said for its link
    orrery run --hpcc mix/config.txt --set record=none --json all.json
    [ "$(jq .counters.ecn_marks all.json)" -gt 100 ]
    local first
    first=$(jq .counters.ecn_marks all.json)
    orrery run mix.yaml --json all.json --set record=none \
        --set 'network.queue.kmin={25Gbps: 400KB, 100Gbps: 400KB, 400Gbps: 1MB}'
    [ "$status" -eq 2 ]
    grep -q 'kmin is larger than kmax' ../err
    orrery run mix.yaml --json all.json --set record=none \
        --set 'network.queue.kmax={25Gbps: 400KB, 100Gbps: 1MB, 400Gbps: 4MB}'
    [ "$(jq .counters.ecn_marks all.json)" -lt "$first" ]
    # all the rates are there and go back as they came
    orrery convert --to hpcc mix.yaml -o back
    grep -qx 'KMIN_MAP 3 400000000000 1600 100000000000 400 25000000000 10' \
        back/config.txt
    grep -qx 'PMAX_MAP 3 400000000000 0.2 100000000000 0.2 25000000000 0.1' \
        back/config.txt
}

# Two servers of two GPUs, each on its NVSwitch, and a switch that all are on.
@test "convert simai: NICs have their own thresholds, not the NVSwitches'" {
    simai_files
    printf '%s\n' '7 2 2 1 8 H100' '4 5 6' '0 4 900Gbps 25ns 0' \
        '1 4 900Gbps 25ns 0' '2 5 900Gbps 25ns 0' '3 5 900Gbps 25ns 0' \
        '0 6 400Gbps 500ns 0' '1 6 400Gbps 500ns 0' '2 6 400Gbps 500ns 0' \
        '3 6 400Gbps 500ns 0' >topo
    printf '%s\n' 'CC_MODE 1' 'KMAX_MAP 1 400000000000 3200' \
        'KMIN_MAP 1 400000000000 800' 'PMAX_MAP 1 400000000000 0.2' \
        >SimAI.conf
    orrery convert simai work.txt topo SimAI.conf -o out.yaml
    [ "$status" -eq 0 ]
    grep -q 'kmin: {900Gbps: 3600000B, 400Gbps: 800000B}' out.yaml
    grep -q 'note: KMIN_MAP, KMAX_MAP: 900Gbps, which links have' ../err
}

@test "convert: cables behind those that a file counts are told" {
    printf '%s\n' '3 1 2' 2 '0 2 100Gbps 1us 0' '1 2 100Gbps 1us 0' >topology.txt
    printf '%s\n' 1 '0 1 3 100 1000000 2' >flow.txt
    orrery convert hpcc topology.txt flow.txt
    is_text ../err ''
    printf '%s\n' '0 1 100Gbps 1us 0' '' 'ends, rate, delay, error rate' \
        '1 0 25Gbps 0.001ms 0.5' '0 1 2' >>topology.txt
    orrery convert hpcc topology.txt flow.txt
    is_text ../err 'note: topology.txt counts 2 links and lists 4: as in HPCC, the rest is not read'
    # the same without a conversion
    printf '%s\n' 'topology: {kind: file, format: hpcc, file: topology.txt}' \
        'flows: [{src: 0, dst: 1, size: 1KB}]' 'record: none' >plain.yaml
    orrery check plain.yaml
    grep -q 'note .*the file of the topology counts 2 links and lists 4' ../out
    orrery run plain.yaml --json sum.json
    jq -e '.notes | length == 1' sum.json
    orrery topo plain.yaml
    grep -q 'note .*the file counts 2 links and lists 4' ../out
    sed '1s/.*/3 2 0 1 2 H100/' topology.txt >topo
    orrery topo file format=simai file=topo
    grep -q 'note .*the file counts 2 links and lists 4' ../out
    simai_files
    echo '0 7 400Gbps 500ns 0' >>topo
    orrery convert simai work.txt topo SimAI.conf
    grep -q 'note: topo counts 9 links and lists 10' ../err
}

@test "convert hpcc: first lines that are not HPCC's" {
    printf '%s\n' '1' '0 1 3 100 1000 2' >flow.txt
    for line in '276 20 16 320 25000000000 25000000000' '40 8 4 64' '3 1'; do
        echo "$line" >first.txt
        orrery convert hpcc first.txt flow.txt
        [ "$status" -eq 2 ]
        grep -q 'the first line has [246] numbers: that of a topology.txt' ../err
        ! grep -q SimAI ../err || return 1
        orrery convert simai first.txt
        [ "$status" -eq 2 ]
        grep -q 'no file of SimAI' ../err
    done
    echo '33 8 8 9 88 H100' >first.txt
    orrery convert hpcc first.txt flow.txt
    grep -q 'a topology of SimAI' ../err
    echo '33 8 8 9 88 100' >first.txt
    orrery topo file format=simai file=first.txt
    grep -q 'first.txt:1:13: a type of GPU is expected here, not a number' ../err
    # remarks: none in files of numbers, but in config.txt, as it skips them
    printf '%s\n' '# two hosts' '3 1 2' 2 '0 2 1Gbps 1us 0' '1 2 1Gbps 1us 0' \
        >topology.txt
    orrery convert hpcc topology.txt flow.txt
    [ "$status" -eq 2 ]
    grep -q '^topology.txt:1:1: a topology.txt or flow.txt has no comments' ../err
    sed -i 1d topology.txt
    printf '%s\n' '# as shipped' 'TOPOLOGY_FILE topology.txt' 'CC_MODE 12' \
        'FLOW_FILE flow.txt' >config.txt
    orrery convert hpcc config.txt
    [ "$status" -eq 0 ]
    echo 'nodes switches links' >words.txt
    orrery convert hpcc words.txt flow.txt
    grep -q 'hint: .*topology.txt and flow.txt begin with a number' ../err
}

@test "convert htsim: packets are sprayed by entropies" {
    printf '%s\n' 'Nodes 16' 'Connections 1' '0->9 start 0 size 1000' >one.cm
    orrery convert htsim one.cm -o one.yaml
    grep -q 'routing: {kind: mixed, entropies: 64}$' one.yaml
    grep -q 'its acknowledgements, entropies (mixed)' ../err
}
