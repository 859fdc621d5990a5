#!/usr/bin/env bats
# Hosts and nodes by name, wherever a configuration names one.

load common

named() {
    cat >named.yaml <<'TEXT'
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 1us}, names: [a, b, c, d]}
network: {routing: explicit}
flows:
  - {src: a, dst: host 7, size: 1MB, path: [a, leaf0, 10, leaf1, 7]}
  - {generate: incast, dst: c, size: 1MB, senders: [a, d]}
  - {generate: poisson, src: a, dst: d, count: 1, interval: 1us, size: 1KB}
jobs: [{ranks: 2, placement: [b, host 6], program: [all-reduce: {size: 64KB}]}]
failures: [{link: [b, leaf0], down: 1us, up: 2us}]
record: none
TEXT
}

refuses() {
    orrery run named.yaml --set "$1"
    fails 2 "$2"
}

@test "flows, placements and failures go by name" {
    named
    orrery run named.yaml -q --json named.json
    [ "$status" -eq 0 ]
    jq -e '[.flows.list[] | [.src, .dst]] == [[0, 7], [0, 2], [3, 2], [0, 3]]' named.json
    jq -e '[.flows.list[:2][] | [.src_name, .dst_name]] == [["a", "host 7"], ["a", "c"]]' named.json
    sed -e 's/, names: \[[^]]*\]//' -e 's/: a,/: 0,/g; s/dst: host 7/dst: 7/' \
        -e 's/dst: c/dst: 2/; s/dst: d/dst: 3/; s/\[a, d\]/[0, 3]/; s/\[b, host 6\]/[1, 6]/' \
        -e 's/\[b, leaf0\]/[1, 8]/; s/\[a, leaf0, 10, leaf1, 7\]/[0, 8, 10, 9, 7]/' \
        named.yaml >numbers.yaml
    orrery run numbers.yaml -q --json numbers.json
    [ "$status" -eq 0 ]
    is_text <(jq -r .fingerprint named.json) "$(jq -r .fingerprint numbers.json)"
}

@test "a name that no host has" {
    named
    refuses 'flows[0].src=leaf0' '--set flows[0].src:1:1: leaf0 is a switch, no host
    leaf0
    ^'
    refuses 'flows[0].dst=leaf' '--set flows[0].dst:1:1: a host is named by its number, or by a name that it has in the topology
    leaf
    ^
hint: did you mean "leaf0"?'
    refuses 'flows[0].dst=8' '--set flows[0].dst:1:1: host 8 does not exist: hosts are 0 to 7
    8
    ^'
    refuses 'flows[1].senders=[a, a]' '--set flows[1].senders:1:5: host 0 is listed twice
    [a, a]
        ^'
    refuses 'flows[0].path=[a, lef0, 7]' '--set flows[0].path:1:5: a node is named by its number, or by a name that it has in the topology
    [a, lef0, 7]
        ^
hint: did you mean "leaf0"?'
}

@test "names in files of flows, and the nearest to one that there is not" {
    cat >files.yaml <<'TEXT'
topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}, names: [north, east, south, west]}
flows: [{file: flows.csv, format: csv}]
failures: [{link: [north, east], down: 1ms, up: 2ms}]
record: none
TEXT
    printf 'time_ns,src,dst,bytes\n0,north,host 2,1000000\n2,0,west,7\n' >flows.csv
    orrery run files.yaml -q --json out.json
    [ "$status" -eq 0 ]
    jq -e '[.flows.list[] | [.src, .dst, .bytes]] == [[0, 2, 1000000], [0, 3, 7]]' out.json
    orrery run files.yaml --set 'failures=[{link: [north, esat], down: 1us}]'
    fails 2 '--set failures:1:17: failures.link: there is no node "esat"
    [{link: [north, esat], down: 1us}]
                    ^
hint: did you mean "east"?'
    printf 'time_ns,src,dst,bytes\n0,north,suoth,1\n' >flows.csv
    orrery run files.yaml
    fails 2 'flows.csv:2:9: a host is named by its number, or by a name that it has in the topology
    0,north,suoth,1
            ^
hint: did you mean "south"?'
}
