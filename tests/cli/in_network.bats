#!/usr/bin/env bats
# Trees of switches that copy and add up: exact numbers, losses, and what is
# refused.

load common

one_switch() {
    cat >switch.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1000B, header: 40B, in_network: {kind: switchml, payload: 1000B}}
record: none
jobs: [{name: a, ranks: 4, program: [all-reduce: {size: 100KB, algorithm: in-network}]}]
END
}

leaf_spine() {
    cat >leaf.yaml <<'END'
topology: {kind: leaf-spine, leaves: 4, spines: 4, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1000B, header: 0B, in_network: {kind: switchml, payload: 1000B, timeout: 1ms}}
record: none
jobs: [{name: a, ranks: 16, iterations: 2, program: [all-reduce: {size: 1MB, algorithm: in-network}]}]
END
}

# run CONFIG ARGUMENT...: run.json
run_json() {
    orrery run "$@" -q --json run.json
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
}

# is QUERY: of run.json
is() {
    jq -e "$1" run.json >/dev/null || { echo "$1"; jq -c '[.jobs[].iteration_ns, .counters, .in_network]' run.json; return 1; }
}

@test "one switch: S goes up and S comes down, at the rate of p of p + h" {
    one_switch
    run_json switch.yaml
    # 101 packets of 1,040 B one after another, and two delays
    is '.jobs[0].iteration_ns.mean == 101 * 83.2 + 2000'
    is '[.links.busiest[].bytes] == [range(8) | 104000]'
    is '.jobs[0].wire_bytes == 4 * 104000 and .jobs[0].bytes_sent == 400000'
    is '.in_network | [.summed, .sums, .results, .copies, .duplicates, .misfits] ==
        [400, 100, 100, 300, 0, 0]'
    is '.jobs[0].collectives[0] | .lower_bound_ns == 10000 and .duration_ns > .lower_bound_ns'
    # a window of 10: ten packets in a round trip
    run_json switch.yaml --set network.header=0B --set network.in_network.window=10
    is '.jobs[0].iteration_ns.mean == 10 * (2000 + 2 * 80) + 9 * 80'
    # slots for ten do the same
    run_json switch.yaml --set network.header=0B --set network.in_network.slots=10
    is '.jobs[0].iteration_ns.mean == 10 * (2000 + 2 * 80) + 9 * 80'
    # the aggregator takes 1 us, or takes in four links at the rate of two
    run_json switch.yaml --set network.header=0B --set network.in_network.latency=1us
    is '.jobs[0].iteration_ns.mean == 101 * 80 + 3000'
    run_json switch.yaml --set network.header=0B --set network.in_network.rate=200Gbps
    is '.jobs[0].iteration_ns.mean == 80 + 400 * 40 + 80 + 2000'
}

@test "leaves, then a spine: each tree of k carries an equal part" {
    leaf_spine
    for kind in switchml sharp; do
        run_json leaf.yaml --set network.in_network.kind=$kind
        # four links deep and back: 1,000 packets, three more hops, four delays
        is '.jobs[0].iteration_ns.mean == 1003 * 80 + 4000'
    done
    orrery run leaf.yaml -q -o run.h5 --set record=null --set jobs[0].iterations=1 \
        --set 'jobs[0].program[0].all-reduce.trees=4'
    # four leaves take in 4,000 packets each, spines four times a quarter of 1,000
    h5dump -w 0 -y -d /in_network/summed run.h5 | grep -q ' 4000, 4000, 4000, 4000, 1000, 1000, 1000, 1000$'
    h5dump -w 0 -y -d /in_network/results run.h5 | grep -q ' 0, 0, 0, 0, 250, 250, 250, 250$'
}

@test "the others of its kind: multicast, reduce, reduce-scatter" {
    leaf_spine
    for op in 'broadcast: {size: 1MB, algorithm: multicast, root: 3}' \
        'broadcast: {size: 1MB, algorithm: in-network, root: 9}' \
        'reduce: {size: 1MB, algorithm: in-network, root: 5}' \
        'reduce-scatter: {size: 1MB, algorithm: in-network}'; do
        run_json leaf.yaml --set jobs[0].iterations=1 --set "jobs[0].program=[{$op}]"
        is '.jobs[0].iteration_ns.mean == 1003 * 80 + 4000'
        is '.jobs[0].collectives[0] | .lower_bound_ns <= .duration_ns and .lower_bound_ns >= 84000'
    done
    # a multicast puts S on each link of its tree, once
    run_json leaf.yaml --set jobs[0].iterations=1 --set network.ack=1B \
        --set 'jobs[0].program=[{broadcast: {size: 1MB, algorithm: multicast}}]'
    is '[.links.busiest[] | .bytes] | unique == [1000000]'
    # who gets no sum gets ACKs
    run_json leaf.yaml --set jobs[0].iterations=1 \
        --set 'jobs[0].program=[{reduce: {size: 1MB, algorithm: in-network, root: 5}}]'
    is '.jobs[0] | [.rank_list[].bytes_received] == [range(16) | if . == 5 then 1000000 else 0 end]'
}

@test "n - 1 of n that arrive hold their slots" {
    one_switch
    run_json switch.yaml --set stop=1ms --set network.in_network.timeout=1s \
        --set 'jobs=[{ranks: 4, stragglers: {2: 1000}, program: [compute: {time: 1us}, all-reduce: {size: 1MB, algorithm: in-network}]}]'
    is '.in_network | .results == 0 and .most_slots == 256 and .summed == 3 * 256'
    is '.end.state == "stopped"'
}

@test "beside a ring of many: half the time, within the headers" {
    cat >many.yaml <<'END'
topology: {kind: switch, hosts: 64, link: {rate: 100Gbps, delay: 100ns}}
network: {mtu: 1000B, header: 82B, ack: 1B, in_network: {kind: switchml, payload: 1000B, children: 64}}
record: none
jobs: [{name: a, ranks: 64, program: [all-reduce: {size: 8MB, algorithm: in-network}]}]
END
    run_json many.yaml
    ours=$(jq .jobs[0].iteration_ns.mean run.json)
    run_json many.yaml --set jobs[0].program[0].all-reduce.algorithm=ring
    jq -e --argjson ours "$ours" '.jobs[0].iteration_ns.mean / $ours | . > 1.95 and . < 2.1' run.json
}

@test "losses: every result has every rank once, and nothing falls back" {
    leaf_spine
    for loss in 0.0001 0.001 0.01; do
        for kind in switchml panama sharp atp; do
            run_json leaf.yaml --set topology.link.loss=$loss \
                --set network.in_network.kind=$kind
            is '.end.state == "done" and .in_network.results == 2000 and .in_network.misfits == 0'
            is ".in_network.fallen_back == 0 or \"$kind\" == \"atp\""
        done
        for op in 'broadcast: {size: 1MB, algorithm: multicast}' \
            'reduce: {size: 1MB, algorithm: in-network, root: 5}' \
            'reduce-scatter: {size: 1MB, algorithm: in-network}'; do
            run_json leaf.yaml --set topology.link.loss=$loss --set "jobs[0].program=[{$op}]"
            is '.end.state == "done"'
        done
    done
}

multicast() {
    cat >multicast.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 10us, loss: 0.02}}
network: {mtu: 1000B, header: 40B}
stop: 100s
record: none
jobs: [{name: a, ranks: 4, iterations: 20, program: [broadcast: {size: 1MB, algorithm: multicast}]}]
END
}

@test "a multicast whose window was cut goes on after a timeout" {
    multicast
    for cc in reno dctcp cubic none; do
        run_json multicast.yaml --set network.cc=$cc
        is '.end.state == "done" and
            [.jobs[0].rank_list[].bytes_received] == [0, 2e7, 2e7, 2e7]'
        is '.counters.longest_timeout_ns == 1e7 and .counters.timeouts > 20'
        # timeouts follow one another; beside them there is at most a round trip
        # for each packet
        is '(.jobs[0].iteration_ns.mean - .counters.timeouts / 20 * 1e7) as $rest |
            $rest >= 1000 * 83.2 and $rest < 1000 * 40400'
        cp run.json first.json
        run_json multicast.yaml --set network.cc=$cc --threads 2
        [ "$(jq .fingerprint run.json)" = "$(jq .fingerprint first.json)" ]
    done
    for loss in 0.0005 0.001 0.005; do
        run_json multicast.yaml --set network.cc=cubic --set topology.link.loss=$loss
        is '.end.state == "done" and .jobs[0].iteration_ns.mean < 1e7 * (.counters.timeouts / 20 + 1)'
    done
}

@test "a multicast that nobody answers gives up" {
    multicast
    for cc in reno none; do
        orrery run multicast.yaml -q --json run.json --set network.cc=$cc \
            --set topology.link.loss=1 --set stop=1h
        [ "$status" -eq 1 ]
        grep -q 'host 0 gave up sending to its tree after' ../err
        is '.end.state == "failed" and .counters.timeouts == 1000'
    done
}

# A control that says what it measures: its window is 30, after a timeout 1.
tells() {
    cat >../tells.c <<'END'
#include <inttypes.h>
#include <stdio.h>
#include <orrery/cc.h>
static void on_ack(void *s, const void *p, struct orr_cc_limits *w,
                   const struct orr_cc_event *e)
{
    w->cwnd = 30;
    fprintf(stderr, "rtt %" PRId64 "\n", e->rtt_ps);
}
static void on_loss(void *s, const void *p, struct orr_cc_limits *w,
                    const struct orr_cc_event *e)
{
}
static void on_timeout(void *s, const void *p, struct orr_cc_limits *w,
                       const struct orr_cc_event *e)
{
    w->cwnd = 1;
    fprintf(stderr, "timeout %" PRIu32 "\n", e->timeouts);
}
const struct orr_cc_plugin orr_cc_plugin = {
    .abi = ORR_CC_ABI, .size = sizeof orr_cc_plugin, .name = "tells",
    .doc = "Says what it measures.", .state_size = 8, .on_ack = on_ack,
    .on_loss = on_loss, .on_timeout = on_timeout};
END
    ${CC:-cc} -std=c11 -shared -fPIC -I"$root/include" -o tells.so ../tells.c
}

@test "round trips of a multicast: none is shorter than the way, or a timeout" {
    multicast
    tells
    run_json multicast.yaml --set 'plugins=[./tells.so]' --set network.cc=tells
    is '.end.state == "done"'
    # 40 us of delay and two times 83.2 ns of a packet; where ACKs are lost, the
    # ACK of a packet that another member lacked comes some round trips later
    awk '/^rtt -1$/ { none++ } /^rtt [0-9]/ { n++; bad += $2 < 40166400 || $2 > 200e6 }
        /^timeout/ { late++; again += $2 > 1 }
        END { print n, none, late, again, bad
            exit !(n > 1000 && none > 100 && late > 20 && again > 0 && !bad) }' ../err
}

@test "a slot that lost a packet waits for its timeout; the others go on" {
    one_switch
    # no slot can lose more often than it is used: 100 packets in 100 slots
    run_json switch.yaml --set network.header=0B --set network.in_network.timeout=1ms \
        --set topology.link.loss=0.01
    is '.counters.timeouts > 0 and .counters.longest_timeout_ns == 1e6'
    # one timeout, or a few in a row, and what it takes without
    is '.jobs[0].iteration_ns.mean | (. / 1e6 | floor) as $n | $n >= 1 and $n <= 3 and
        . - $n * 1e6 < 11000'
}

@test "the same whatever must not matter: threads, ports, processes" {
    leaf_spine
    for kind in switchml panama atp; do
        run_json leaf.yaml --set topology.link.loss=0.002 --set network.in_network.kind=$kind \
            --set network.in_network.latency=500ns
        cp run.json first.json
        for other in "--threads 2" "--set network.ports=explicit" "--set network.processes=one" \
            "--set network.processes=nodes"; do
            # shellcheck disable=SC2086
            run_json leaf.yaml --set topology.link.loss=0.002 --set network.in_network.kind=$kind \
                --set network.in_network.latency=500ns $other
            [ "$(jq .fingerprint run.json)" = "$(jq .fingerprint first.json)" ]
            [ "$(jq -c .in_network run.json)" = "$(jq -c .in_network first.json)" ]
        done
    done
}

@test "two jobs: fixed halves of the slots, or whoever comes first" {
    leaf_spine
    two="jobs=[{name: a, ranks: 8, placement: [0, 2, 4, 6, 8, 10, 12, 14], program: [all-reduce: {size: 1MB, algorithm: in-network}]}, \
        {name: b, ranks: 8, placement: [1, 3, 5, 7, 9, 11, 13, 15], program: [all-reduce: {size: 1MB, algorithm: in-network}]}]"
    run_json leaf.yaml --set "$two" --set network.in_network.slots=64
    # 32 packets in a round trip of eight hops
    is '[.jobs[].iteration_ns.mean] | .[0] == .[1] and .[0] > 1000 / 32 * 4320'
    is '.in_network.most_slots <= 64'
    run_json leaf.yaml --set "$two" --set network.in_network.slots=64 --set network.in_network.kind=atp
    is '.in_network | .collisions > 0 and .fallen_back > 0 and .results == 2000 and .misfits == 0'
    orrery run leaf.yaml -q --set "$two" --set network.in_network.slots=1
    [ "$status" -eq 2 ]
    grep -q 'network.in_network.slots: leaf[0-3] has 1 for 2 jobs' ../err
}

@test "marks of any packet are marks of the sum" {
    leaf_spine
    run_json leaf.yaml --set network.in_network.kind=panama --set network.queue='{kind: ecn, threshold: 3KB}' \
        --set 'flows=[{src: 1, dst: 0, size: 1MB}, {src: 2, dst: 0, size: 1MB}]'
    is '.jobs[0].marks > 0 and .counters.ecn_marks > 0'
    # each of 16 hears of one that was made at a single port
    is '.jobs[0].marks >= 16'
}

@test "inside a server: S in place of 2 (n - 1) / n S" {
    cat >nvls.yaml <<'END'
topology: {kind: switch, hosts: 2, link: {rate: 400Gbps, delay: 1us}, servers: {gpus: 8, link: {rate: 450GB/s, delay: 300ns}, in_network: sharp}}
network: {mtu: 4096B, header: 0B}
record: none
jobs: [{ranks: 8, program: [all-reduce: {size: 64MiB, algorithm: in-network}]}]
END
    run_json nvls.yaml
    jq .jobs[0].collectives[0].bus_bps run.json >ours
    run_json nvls.yaml --set jobs[0].program[0].all-reduce.algorithm=ring
    jq -e --argjson ours "$(cat ours)" '$ours / .jobs[0].collectives[0].bus_bps |
        . > 1.75 and . < 1.85' run.json
    orrery run nvls.yaml -q --set jobs[0].ranks=16
    [ "$status" -eq 2 ]
    grep -q 'add up what is in one server' ../err
}

@test "profiles, plans and check know trees; repeat says that it does not" {
    leaf_spine
    orrery profile leaf.yaml
    [ "$status" -eq 0 ]
    grep -q '84' ../out
    orrery check leaf.yaml
    [ "$status" -eq 0 ]
    orrery explain leaf.yaml --set 'jobs[0].program=[broadcast: {size: 1MB, algorithm: multicast}]'
    fails 2 "orrery: packets that switches copy (algorithm: multicast) cannot be explained yet: one becomes many"
    run_json leaf.yaml --set repeat=exact --set jobs[0].iterations=20
    is '.repeat.full | test("sums")'
}

# explained CAUSE PS ARGUMENT...: explain names so many ps of a cause, and parts
# come to the duration, in ps.
explained() {
    local cause=$1 ps=$2
    shift 2
    orrery explain leaf.yaml --json e.json "$@"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e --arg cause "$cause" --argjson ps "$ps" 'all(.explained[]; (.duration_ns * 1000 | round) as $all |
        ([.causes_ns[] | . * 1000 | round] | add) == $all and ([.parts[].time_ns * 1000 | round] | add) == $all)
        and (.explained[0].causes_ns[$cause] // 0) * 1000 == $ps' e.json >/dev/null ||
        { jq -c '.explained[].causes_ns' e.json; return 1; }
}

@test "explain: waiting for the slowest worker, or for a slot of another job" {
    leaf_spine
    # four links each way, 1,000 packets
    explained propagation 4e6
    explained "slowest worker" 0
    grep -q '^  serialisation   80.16 us ' ../out
    # rank 5 begins 100 us after the others
    late='jobs=[{name: a, ranks: 16, stragglers: {5: 3}, program: [compute: {time: 50us}, all-reduce: {size: 1MB, algorithm: in-network}]}]'
    for kind in switchml sharp panama; do
        explained gate 0 --set "$late" --set network.in_network.kind=$kind
        jq -e '.explained[0].causes_ns["slowest worker"] | . > 90000 and . < 110000' e.json
        grep -q 'of job a at host 5 > leaf1' ../out
    done
    explained "slowest worker" 1e8 --set "$late"
    two="jobs=[{name: a, ranks: 8, placement: [0, 2, 4, 6, 8, 10, 12, 14], program: [all-reduce: {size: 1MB, algorithm: in-network}]}, \
        {name: b, ranks: 8, placement: [1, 3, 5, 7, 9, 11, 13, 15], program: [all-reduce: {size: 1MB, algorithm: in-network}]}]"
    # 32 packets in a round trip of 54
    explained slot 54.56e6 --set "$two" --set network.in_network.slots=64
    grep -q '54.56 us held by job b' ../out
    for more in "" --set=network.in_network.kind=panama --set=network.in_network.kind=atp; do
        explained gate 0 --set topology.link.loss=0.002 $more --set 'failures=[{switch: spine0, down: 30us}]'
    done
}

# refuses SET TEXT: such a change is refused at its place, with these words.
refuses() {
    orrery run leaf.yaml -q --set "$1"
    [ "$status" -eq 2 ] || { echo "$1"; return 1; }
    head -1 ../err | grep -qE "^.+:[0-9]+:[0-9]+: .*$2" || { cat ../err; return 1; }
}

@test "what cannot be is refused by name, at its place" {
    leaf_spine
    refuses network.in_network.slots=0 "slots: 0 is below"
    refuses network.in_network.payload=2KB "payload: 2000 B are more than network.mtu, 1000 B"
    refuses network.in_network.at=middle "at: all, top, bottom or a list"
    refuses 'network.in_network.at=[host 1]' '"host 1" is a host'
    refuses network.in_network.children=3 "would add up packets of 4 senders"
    refuses network.in_network.kind=tofino 'no kind "tofino"'
    refuses network.transport=analytical "needs .network.transport: reliable"
    refuses network.transport=datagram "needs .network.transport: reliable"
    refuses network.switching=cut-through "needs .network.switching"
    refuses network.queue=trim "needs a queue that does not cut"
    refuses network.in_network=null "there is no .network.in_network"
    refuses jobs[0].program[0].all-reduce.trees=5 "5 trees are too many: 4 switches"
    refuses 'topology.circuits=[{at: 1us, links: [[leaf0, spine0]]}]' "without circuits"
    refuses 'network.in_network={kind: panama, cc: hpcc}' "a sum has several"
    refuses 'topology={kind: ring, hosts: 16, link: {rate: 100Gbps, delay: 1us}}' "switch"
}

@test "a switch fails: its trees are made anew, and nobody is added twice" {
    leaf_spine
    down='failures=[{switch: spine0, down: 30us}]'
    for kind in switchml sharp; do
        run_json leaf.yaml --set network.in_network.kind=$kind --set "$down"
        # 27 results were on their way down: two of four links, 80 ns each
        is '.jobs[0].iteration_ns.mean == 1003 * 80 + 4000 + 27 * 80 and .in_network.new_trees == 1
            and .in_network.results == 2000 + 27 and .counters.timeouts == 0'
    done
    run_json leaf.yaml --set network.in_network.kind=switchml --set "$down" \
        --set 'jobs[0].program[0].all-reduce.trees=4' --set jobs[0].iterations=1
    is '.in_network.new_trees == 1 and .in_network.results < 1000 + 27'
    for kind in switchml panama sharp atp; do
        for more in "" ", {switch: spine1, down: 45us}, {host: 5, down: 60us, up: 100us}"; do
            set -- leaf.yaml --set network.in_network.kind=$kind --set topology.link.loss=0.002 \
                --set "failures=[{switch: spine0, down: 30us, detect: 10us}$more]"
            run_json "$@"
            is '.end.state == "done" and .in_network.misfits == 0 and .in_network.results >= 2000
                and .in_network.new_trees >= 1'
            cp run.json first.json
            run_json "$@" --threads 2 --set network.ports=explicit
            [ "$(jq .fingerprint run.json)" = "$(jq .fingerprint first.json)" ]
        done
    done
}

@test "no switch that adds is left: a host adds until there is one again" {
    leaf_spine
    for op in 'all-reduce: {size: 1MB, algorithm: in-network}' \
        'reduce: {size: 1MB, algorithm: in-network, root: 5}' \
        'reduce-scatter: {size: 1MB, algorithm: in-network}'; do
        run_json leaf.yaml --set "jobs[0].program=[{$op}]" --set 'network.in_network.at=[spine0]' \
            --set 'failures=[{switch: spine0, down: 30us, up: 100us}]'
        is '.in_network | .new_trees == 2 and .fallen_back > 5 and .fallen_back < 100 and
            .results >= 2000 and .misfits == 0'
    done
    orrery run leaf.yaml --set 'network.in_network.at=[spine0]' --set 'failures=[{switch: spine0, down: 30us}]'
    grep -q '1 trees made anew, .* results fell back' ../out
}

@test "a multicast goes on over another tree" {
    leaf_spine
    for loss in 0 0.003; do
        run_json leaf.yaml --set jobs[0].iterations=1 --set topology.link.loss=$loss \
            --set 'jobs[0].program=[{broadcast: {size: 1MB, algorithm: multicast}}]' \
            --set 'failures=[{switch: spine0, down: 30us}]'
        is '.end.state == "done" and .in_network.new_trees == 1 and
            [.jobs[0].rank_list[].bytes_received] == [0, (range(15) | 1e6)]'
    done
}

@test "a tree that comes to a switch takes slots of those that are there" {
    leaf_spine
    two="jobs=[{name: a, ranks: 4, placement: [0, 4, 8, 12], program: [all-reduce: {size: 1MB, algorithm: in-network}]}, \
        {name: b, ranks: 4, placement: [1, 5, 9, 13], program: [all-reduce: {size: 1MB, algorithm: in-network}]}]"
    run_json leaf.yaml --set "$two" --set network.in_network.slots=32 --set network.in_network.at=top \
        --set 'failures=[{switch: spine1, down: 30us}, {switch: spine2, down: 30us}, {switch: spine3, down: 30us}]'
    # 32 packets each in a round trip at first, 16 from then on
    is '[.jobs[].iteration_ns.mean] | all(. > 1000 / 16 * 4320 - 32000 and . < 1000 / 16 * 4320)'
    is '.in_network | .new_trees == 1 and .most_slots <= 32 and .no_slots == 0'
    orrery run leaf.yaml -q --set "$two" --set network.in_network.slots=1 --set network.in_network.at=top \
        --set 'failures=[{switch: spine1, down: 30us}, {switch: spine2, down: 30us}, {switch: spine3, down: 30us}]'
    [ "$status" -eq 1 ]
    grep -q 'spine0 has no slot for each job that adds there' ../err
}

@test "a worker that is cut off: all wait until it is back, or give up at once" {
    leaf_spine
    for kind in switchml panama atp; do
        run_json leaf.yaml --set network.in_network.kind=$kind \
            --set 'failures=[{host: 5, down: 30us, up: 3ms}]'
        is '.end.state == "done" and .in_network.misfits == 0 and .in_network.new_trees == 0'
        orrery run leaf.yaml -q --json run.json --set network.in_network.kind=$kind \
            --set 'failures=[{host: 5, down: 30us}]'
        [ "$status" -eq 1 ]
        grep -q 'host 5 > leaf1) failed at 30 us and did not come back' ../err
        is '.end.time_ns < 2e6 and .counters.timeouts == 0'
    done
}

@test "several cables between the source and its switch are one root" {
    cat >p.yaml <<'END'
topology: {kind: switch, hosts: 2, links: 64, link: {rate: 100Gbps, delay: 1us}}
jobs: [{ranks: 2, program: [broadcast: {size: 10KB, algorithm: multicast}]}]
END
    orrery run p.yaml -q
    [ "$status" -eq 0 ]
}

# Switches inside servers add for groups of one server alone.
@test "switches inside and outside of servers of different kinds" {
    for in in "atp switchml" "sharp atp"; do
        read -r inner outer <<<"$in"
        cat >x.yaml <<END
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}, servers: {gpus: 4, link: {rate: 1Tbps, delay: 100ns}, in_network: {kind: $inner, slots: 4, payload: 1000B}}}
network: {mtu: 1000B, header: 40B, in_network: {kind: $outer, payload: 1000B}}
jobs: [{ranks: 8, program: [all-reduce: {size: 100KB, algorithm: in-network, servers: [8]}]}]
END
        [ "$outer" = atp ] || sed -i 's/, servers: \[8\]//' x.yaml
        orrery run x.yaml -q --json x.json
        [ "$status" -eq 0 ]
        jq -e '.in_network.misfits == 0 and .end.state == "done"' x.json
    done
}

@test "at: levels and names are of the switches that the key is about" {
    cat >t.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, link: {rate: 100Gbps, delay: 1us}, servers: {gpus: 4, link: {rate: 1Tbps, delay: 100ns}, in_network: {kind: sharp, at: top}}}
network: {mtu: 1000B, header: 40B}
jobs: [{ranks: 4, program: [all-reduce: {size: 100KB, algorithm: in-network}]}]
END
    orrery run t.yaml -q
    [ "$status" -eq 0 ]
    orrery check t.yaml -s 'network.in_network={kind: sharp, at: [server0]}'
    [ "$status" -eq 2 ]
    grep -q 'network.in_network.at: "server0" is a switch inside a server' ../err
    orrery check t.yaml -s 'network.in_network={kind: atp, children: 33}'
    [ "$status" -eq 2 ]
    grep -q 'children: a packet of `kind: atp` tells 32 children apart' ../err
}

# A sum whose result is lost on the way gives its slot back with its successor.
@test "slots of atp are not lost with packets" {
    cat >l.yaml <<'END'
topology: {kind: leaf-spine, leaves: 4, spines: 1, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 1us, loss: 0.003}}
network: {mtu: 1000B, header: 40B, in_network: {kind: atp, payload: 1000B, slots: 128}}
record: none
jobs: [{ranks: 12, iterations: 5, program: [all-reduce: {size: 500KB, algorithm: in-network, servers: [15]}]}]
END
    orrery run l.yaml -q --json few.json
    orrery run l.yaml -q --json many.json -s 'jobs[0].iterations=40'
    jq -e --slurpfile few few.json '.end.state == "done" and
        .in_network.mean_slots < 1.5 * $few[0].in_network.mean_slots' many.json
}

# column PATH: one value a line
column() {
    h5dump -w 0 -y -m %.15g -d "$1" run.h5 | sed -n '/DATA {/,/}/{p;/}/q}' |
        grep -o '[0-9.e+-]\+' | grep '[0-9]'
}

@test "slots over time: their means are those of the run, however many" {
    leaf_spine
    for size in 1MB 40MB; do
        orrery run leaf.yaml -q -o run.h5 --json run.json --set record=null --set network.in_network.kind=atp \
            --set network.in_network.slots=64 --set jobs[0].iterations=1 \
            --set "jobs[0].program[0].all-reduce.size=$size"
        [ "$status" -eq 0 ]
        s=/in_network_series
        paste <(column $s/node) <(column $s/time) <(column $s/slots) <(column $s/collisions) >rows
        paste <(column /in_network/node) <(column /in_network/mean_slots) >means
        # the run's mean is until a switch's last slot was given back
        awk 'FNR == NR { mean[$1] = $2; next }
            { area[$1] += $3 * ($2 - t[$1]); t[$1] = $2; hits += $4; n++ }
            END { for (v in area) bad += area[v] > mean[v] * t[v] * 1.0001 || area[v] < mean[v] * t[v] * 0.99
                print bad + 0, hits, n }' means rows >sum
        read -r bad hits n <sum
        is ".in_network.collisions == $hits and $hits > 0 and $n <= 1024 * 8 and $bad == 0"
    done
    orrery report run.h5 -o page.html
    [ "$status" -eq 0 ]
    grep -q '"adders":{"summed":\[' page.html
    grep -q '"lines":\[{"node":' page.html
}

@test "in_network figures are measures of a study" {
    one_switch
    echo 'compare: {over: {network.in_network.slots: [1, 8]}, measure: [in_network.most_slots]}' >>switch.yaml
    orrery compare switch.yaml -q
    [ "$status" -eq 0 ]
}

@test "fallback: another algorithm where no switch can, told; else the trees" {
    one_switch
    sed -i 's/algorithm: in-network/algorithm: in-network, trees: 1, fallback: ring/' switch.yaml
    run_json switch.yaml
    is '.jobs[0].iteration_ns.mean == 101 * 83.2 + 2000 and (.notes | any(test("falls back")) | not)'
    run_json switch.yaml --set network.in_network=null
    is '.jobs[0].collectives[0].algorithm == "ring" and (.notes | any(. ==
        "all-reduce of a falls back to ring: no switch adds: there is no `network.in_network`"))'
    cp run.json first.json
    run_json switch.yaml --set network.in_network=null --set 'jobs[0].program[0].all-reduce.trees=3'
    [ "$(jq .fingerprint run.json)" = "$(jq .fingerprint first.json)" ]
    orrery run switch.yaml -q --set network.in_network=null \
        --set 'jobs[0].program[0].all-reduce.fallback=strides'
    [ "$status" -eq 2 ]
    grep -q 'all-reduce.fallback: "strides" is no algorithm that needs no keys' ../err
}
