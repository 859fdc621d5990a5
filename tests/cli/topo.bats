#!/usr/bin/env bats
# orrery topo: what a graph is, its paths and links, and its exports.

load common

@test "a kind and its parameters" {
    orrery topo fat-tree k=4 link.rate=100Gbps link.delay=1us
    [ "$status" -eq 0 ]
    is_text ../out "fat-tree: 16 hosts, 20 switches, 48 cables (96 links)
  host                  16 cables, 100Gbps, 1us
  edge                  16 cables, 100Gbps, 1us
  aggregation           16 cables, 100Gbps, 1us
  diameter              6 links
  mean shortest path    5.467 links
  bisection bandwidth   800 Gbps
  shortest paths a pair 1 to 4, mean 3.533"
    leaves
}

@test "every kind has a link by default" {
    for words in "ring hosts=8" "fully-connected hosts=8" "fat-tree k=4" \
        "torus dims=[4,4,4]" "parameter-server workers=8 servers=2" \
        "switch hosts=8" "dumbbell left=4 right=4" \
        "leaf-spine leaves=4 spines=2 hosts_per_leaf=8"; do
        # shellcheck disable=SC2086 # words
        orrery topo $words --json
        [ "$status" -eq 0 ]
        jq -e ".kind == \"${words%% *}\" and .hosts >= 8 and .diameter >= 1" ../out
    done
}

@test "every kind that is listed is tried above, or is file" {
    "$ORRERY" list topologies | awk 'NR > 1 { print $1 }' >names
    while read -r name; do
        [ "$name" = file ] || grep -q "\"$name " "$BATS_TEST_FILENAME"
    done <names
    [ "$(wc -l <names)" -ge 9 ]
}

@test "the topology of a configuration" {
    small
    orrery topo small.yaml
    [ "$status" -eq 0 ]
    is_text ../out "ring: 8 hosts, 0 switches, 8 cables (16 links)
  ring                  8 cables, 400Gbps, 500ns
  diameter              4 links
  mean shortest path    2.286 links
  bisection bandwidth   800 Gbps
  shortest paths a pair 1 to 2, mean 1.143"
    orrery topo small.yaml --set topology.hosts=2 --json
    jq -e '.hosts == 2 and .cables == 1 and .diameter == 1' ../out
}

@test "paths and links" {
    orrery topo dumbbell left=1 right=2 bottleneck.rate=10Gbps --path 0 2
    [ "$status" -eq 0 ]
    is_text ../out "path from host 0 to host 2: 3 links, one of 1
       0  host 0 -> switch 3  400Gbps  500ns
       3  switch 3 -> switch 4  10Gbps  500ns
       6  switch 4 -> host 2  400Gbps  500ns"
    orrery topo ring hosts=2 link.loss=0.01 --links
    is_text ../out "       0  host 0 -> host 1  400Gbps  500ns  loss 0.01
       1  host 1 -> host 0  400Gbps  500ns  loss 0.01"
    orrery topo torus dims=[3,3] --json --links --path 0 4
    jq -e '(.link_list | length) == .links and .path.count == 2
        and (.path.links | length) == 2 and .path.links[0].from == 0
        and .path.links[1].to == 4 and .link_list[5].id == 5' ../out
}

@test "GraphML that is written reads back to the same graph" {
    orrery topo leaf-spine leaves=3 spines=2 hosts_per_leaf=2 --graphml a.graphml
    [ "$status" -eq 0 ]
    cp ../out first
    orrery topo file file=a.graphml --graphml b.graphml
    [ "$status" -eq 0 ]
    diff <(tail -n +5 first) <(tail -n +5 ../out)
    cmp a.graphml b.graphml
    "$ORRERY" topo leaf-spine leaves=3 spines=2 hosts_per_leaf=2 --links >x
    "$ORRERY" topo file file=a.graphml --links >y
    diff <(tr -d a-z <x) <(tr -d a-z <y)
    leaves a.graphml b.graphml first x y
}

@test "DOT" {
    orrery topo ring hosts=3 --dot ring.dot
    [ "$status" -eq 0 ]
    grep -q "^graph\|^digraph" ring.dot
    [ "$(grep -c -- '--\|->' ring.dot)" -eq 3 ]
    leaves ring.dot
}

@test "a wrong parameter is named as it was typed" {
    orrery topo ring hosts=-3
    fails 2 'orrery topo hosts:1:1: topology.hosts: -3 is below the smallest allowed, 2
    -3
    ^'
    orrery topo ring hosts
    fails 2 'orrery: topo: "hosts" is not a parameter
hint: write key=value, such as hosts=8'
    orrery topo ring hosst=3
    fails 2 'orrery topo hosst: unknown key "hosst" in topology
hint: did you mean "hosts"?'
    orrery topo fat-tree k=4 link.rate=5
    fails 2 'orrery topo link.rate:1:1: topology.link.rate: "5": a unit is missing
    5
    ^
hint: write a rate like 400Gbps or 50GB/s'
}

@test "wrong graphs and wrong usage" {
    orrery topo rign hosts=3
    fails 2 'orrery topo: no kind of topology, and no file, is called "rign"
hint: did you mean "ring"?'
    orrery topo ring
    fails 2 'orrery topo: topology.hosts is missing
hint: hosts: number of hosts'
    orrery topo ring hosts=3 --path 0
    fails 2 'orrery topo: --path takes two hosts
hint: `orrery help topo` says how it is used'
    orrery topo ring hosts=3 --path 0 3
    fails 2 'orrery: --path: host 3 does not exist: hosts are 0 to 2'
    orrery topo ring hosts=3 --graphml nosuch/x.graphml
    [ "$status" -eq 2 ]
    grep -q "nosuch/x.graphml" ../err
    small
    orrery topo small.yaml hosts=3
    fails 2 'orrery topo: "hosts=3" is not expected after a configuration
hint: `orrery help topo` says how it is used'
    orrery topo
    fails 2 'orrery topo: which configuration, or which kind of topology?
hint: `orrery help topo` says how it is used'
    leaves small.yaml
}
