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
  shortest paths a pair 1 to 4, mean 3.533
  cable-disjoint paths  2
  switch-disjoint paths 2
  failures survived     any 1 cable, or any 1 switch, beyond hosts' own
  switches              20 with 4 ports
  capacity              9.6 Tbps over all links
  price                 35312 USD: ports 14960, NICs 10848, optics 9504
  power                 0.4728 kW
  prices by             TopoOpt, NSDI 2023 (prices); Slim Fly, SC 2014, and NVIDIA MMS4X00-NS (power)"
    leaves
}

@test "every kind has a link by default" {
    server="servers.link.rate=3.6Tbps servers.link.delay=300ns"
    for words in "ring hosts=8" "fully-connected hosts=8" "fat-tree k=4" \
        "torus dims=[4,4,4]" "parameter-server workers=8 servers=2" \
        "switch hosts=8" "dumbbell left=4 right=4" \
        "leaf-spine leaves=4 spines=2 hosts_per_leaf=8" \
        "clos hosts=64 radix=8" "dragonfly h=2" \
        "hyperx dims=[4,4] hosts_per_switch=2" \
        "slimfly q=5" "jellyfish switches=10 degree=4 hosts_per_switch=2" \
        "bcube n=4 k=1" "strides hosts=16 degree=4" \
        "rail-optimised hosts=4 servers.gpus=4 $server" \
        "rail-only hosts=4 servers.gpus=4 $server"; do
        # shellcheck disable=SC2086 # words
        orrery topo $words --json
        [ "$status" -eq 0 ]
        jq -e ".kind == \"${words%% *}\" and .hosts >= 8 and .diameter >= 1" ../out
    done
}

@test "every kind that is listed is tried above, or is a list of its own" {
    "$ORRERY" list topologies | awk 'NR > 1 { print $1 }' >names
    while read -r name; do
        [ "$name" = file ] || [ "$name" = custom ] || grep -q "\"$name " "$BATS_TEST_FILENAME"
    done <names
    [ "$(wc -l <names)" -ge 17 ]
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
  shortest paths a pair 1 to 2, mean 1.143
  cable-disjoint paths  2
  switch-disjoint paths 2
  failures survived     any 1 cable, or any 1 switch, beyond hosts' own
  switches              none
  capacity              6.4 Tbps over all links
  price                 32416 USD: ports 0, NICs 26080, optics 6336
  power                 0.2256 kW
  prices by             TopoOpt, NSDI 2023 (prices); Slim Fly, SC 2014, and NVIDIA MMS4X00-NS (power)"
    orrery topo small.yaml --set topology.hosts=2 --json
    jq -e '.hosts == 2 and .cables == 1 and .diameter == 1' ../out
}

@test "paths and links" {
    orrery topo dumbbell left=1 right=2 bottleneck.rate=10Gbps --path 0 2
    [ "$status" -eq 0 ]
    is_text ../out "path from host 0 to host 2: 3 links, one of 1
       0  host 0 > left  400Gbps  500ns
       3  left > right  10Gbps  500ns
       6  right > host 2  400Gbps  500ns"
    orrery topo ring hosts=2 link.loss=0.01 --links
    is_text ../out "       0  host 0 > host 1  400Gbps  500ns  loss 0.01
       1  host 1 > host 0  400Gbps  500ns  loss 0.01"
    orrery topo torus dims=[3,3] --json --links --path 0 4
    jq -e '(.link_list | length) == .links and .path.count == 2
        and (.path.links | length) == 2 and .path.links[0].from == 0
        and .path.links[1].to == 4 and .link_list[5].id == 5' ../out
}

@test "nodes go by their names" {
    orrery topo fat-tree k=4 --path "host 0" "host 12"
    [ "$status" -eq 0 ]
    grep -q "pod0/edge0 > pod0/agg0" ../out
    orrery topo ring hosts=3 'names=[oslo, rome, bonn]' --path oslo bonn
    is_text ../out "path from oslo to bonn: 1 links, one of 1
       5  oslo > bonn  400Gbps  500ns"
    orrery topo ring hosts=3 'names=[oslo, rome, bonn]' --path oslo rmoe
    [ "$status" -eq 2 ]
    is_text ../err 'orrery: --path: host rmoe does not exist: hosts are 0 to 2
hint: did you mean "rome"?'
}

@test "prices of one's own" {
    cat >prices.yaml <<END
currency: EUR
source: a quotation
cable: 10
rates:
  - {rate: 400Gbps, port: 100, nic: 50, optics: 5, port_watts: 2}
END
    orrery topo switch hosts=4 --prices prices.yaml
    [ "$status" -eq 0 ]
    grep -q "price                 680 EUR: ports 400, NICs 200, optics 40, cables 40" ../out
    grep -q "power                 0.008 kW" ../out
    grep -q "prices by             a quotation" ../out
    orrery topo switch hosts=4 --prices prices.yaml --json
    jq -e '.budget.price.total == 680 and .budget.price.currency == "EUR"
        and .budget.watts == 8 and .budget.switches_by_ports[0].ports == 4
        and .diversity == null' ../out
    echo "rates: [{rate: 1Gbps, port: 1}]" >prices.yaml
    orrery topo switch hosts=4 --prices prices.yaml
    [ "$status" -eq 2 ]
    grep -q "prices.yaml:1:9: rates.nic is missing" ../err
    orrery topo switch hosts=4 --prices nowhere.yaml
    [ "$status" -eq 2 ]
    leaves prices.yaml
}

@test "a random topology is drawn with the run's seed" {
    small
    jellyfish="topology={kind: jellyfish, switches: 8, degree: 3, hosts_per_switch: 1, link: {rate: 1Gbps, delay: 1us}}"
    "$ORRERY" topo small.yaml --set "$jellyfish" --set seed=1 --links >one
    "$ORRERY" topo small.yaml --set "$jellyfish" --set seed=2 --links >two
    "$ORRERY" topo small.yaml --set "$jellyfish" --set seed=1 --links >three
    run cmp -s one two
    [ "$status" -eq 1 ]
    cmp one three
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
    grep -q '0 -- 1 .label="400Gbps 500ns"' ring.dot
    orrery topo fat-tree k=4 --dot tree.dot
    grep -q '16 .label="pod0/edge0", shape=box.* pos="-451.613,128!"' tree.dot
    # nodes of a row are as far apart as their labels need
    sed -n 's/.*shape=ellipse.*pos="\(.*\),0!".*/\1/p' tree.dot | sort -g |
        awk 'NR > 1 && $1 - last < 63.9 { exit 1 } { last = $1 }'
    leaves ring.dot tree.dot
}

@test "topo: - writes DOT or GraphML to stdout, and nothing else" {
    orrery topo ring hosts=3 --dot ring.dot --graphml ring.graphml
    "$ORRERY" topo ring hosts=3 --dot - | diff ring.dot -
    "$ORRERY" topo ring hosts=3 --graphml - | diff ring.graphml -
    orrery topo ring hosts=3 --dot -
    diff ring.dot ../out
    leaves ring.dot ring.graphml
    orrery topo ring hosts=3 --dot - --json
    [ "$status" -eq 2 ]
    grep -q '^orrery topo: --dot -, --graphml - and --json: one of them' ../err
}

@test "topo: XML that is no GraphML" {
    echo '<?xml version="1.0"?><!-- <a> --><system version="1"><cpu/></system>' \
        >nccl.xml
    orrery topo file file=nccl.xml link.rate=1Gbps link.delay=1us
    [ "$status" -eq 2 ]
    grep -q 'nccl.xml: this is no GraphML: it begins with <system>, not' ../err
    echo '<graphml></graphml>' >none.graphml
    orrery topo file file=none.graphml link.rate=1Gbps link.delay=1us
    grep -q 'none.graphml: there is no <graph> in it' ../err
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

# What a file does not say is a note of the summary, in text and in JSON.
@test "topo: a graph of places is run, and what is inferred is said" {
    printf '{"nodes": [{"id": "Z", "Latitude": 47.4, "Longitude": 8.5},
        {"id": "G", "Latitude": 46.2, "Longitude": 6.1}, {"id": "far"}],
        "links": [{"source": "Z", "target": "G"}]}' >places.json
    cat >places.yaml <<'END'
topology: {kind: file, format: networkx, file: places.json, vertices: host,
           component: Z, link: {rate: 10Gbps, delay: 1ms}}
flows: [{src: Z, dst: G, size: 1500B}]
END
    orrery run places.yaml --json
    [ "$status" -eq 0 ]
    jq -e '.notes | length == 3' ../out
    jq -e '.notes[0] == "the file of the topology gives no rate for 1 of 1 edges: they have that of topology.link"' ../out
    jq -e '.notes[1] | startswith("the delays of 1 of 1 edges are inferred from the coordinates")' ../out
    jq -e '.notes[2] | startswith("the file of the topology has 2 parts that no edge joins; nodes left out: 1")' ../out
    orrery topo places.yaml
    grep -q 'note  *no rate for 1 of 1 edges: topology.link' ../out
    grep -q 'note  *delays of 1 of 1 edges by distance' ../out
    grep -q 'note  *nodes of other parts that are left out: 1$' ../out
    orrery topo places.yaml --json
    jq -e '.inferred == {edges: 1, rates: 1, delays: 0, distances: 1, left_out: 1}' ../out
    orrery check places.yaml
    grep -q 'note  *the delays of 1 of 1 edges' ../out
    sed -i 's/component: Z/component: x/' places.yaml
    orrery run places.yaml
    [ "$status" -eq 2 ]
    grep -q '^places.yaml:2:23: topology.component: places.json has no node "x"' ../err
}
