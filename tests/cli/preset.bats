#!/usr/bin/env bats
# Presets: what they say, that the user's own keys go before it, and that it all
# shows in the effective configuration.

load common

flows='topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
flows: [{generate: incast, dst: 3, size: 200KB}]
record: none'

@test "list presets names them, help prints what they say" {
    orrery list presets
    [ "$status" -eq 0 ]
    for name in tcp-dctcp roce-dcqcn roce-hpcc uec-nscc swift; do
        grep -q "^  $name " ../out
    done
    orrery help preset roce-hpcc
    [ "$status" -eq 0 ]
    grep -q '^cc: {kind: hpcc, telemetry: fields}' ../out
}

@test "each preset runs, by option and by key, and loses nothing" {
    echo "$flows" >a.yaml
    for name in tcp-dctcp roce-dcqcn roce-hpcc uec-nscc swift; do
        orrery run a.yaml --preset $name --json one.json
        [ "$status" -eq 0 ]
        [ "$(jq .counters.packets_dropped one.json)" -eq 0 ]
        { echo "$flows"; echo "network: {preset: $name}"; } >b.yaml
        orrery run b.yaml --json two.json
        [ "$status" -eq 0 ]
        [ "$(jq .fingerprint one.json)" = "$(jq .fingerprint two.json)" ]
    done
}

@test "the effective configuration has the preset's keys and the user's" {
    { echo "$flows"; echo 'network:
  preset: roce-dcqcn
  mtu: 1000B
  queue: {pmax: 0.5}
  cc: {kind: dcqcn, min_rate: 1Gbps}
  routing: {kind: adaptive, per: packet}'; } >a.yaml
    orrery check --effective a.yaml
    [ "$status" -eq 0 ]
    cp ../out effective.yaml
    grep -q 'mtu: 1000B' effective.yaml
    grep -q 'header: 82B' effective.yaml
    grep -q 'recovery: go-back-n' effective.yaml
    grep -q 'pmax: 0.5' effective.yaml
    grep -q 'mark: dequeue' effective.yaml
    grep -q 'min_rate: 1Gbps' effective.yaml
    grep -q 'kind: adaptive' effective.yaml
    # and says the same when it is read again
    orrery run a.yaml --json one.json
    [ "$status" -eq 0 ]
    orrery run effective.yaml --json two.json
    [ "$status" -eq 0 ]
    [ "$(jq .fingerprint one.json)" = "$(jq .fingerprint two.json)" ]
}

# A queue of another kind has no use for the preset's parameters.
@test "another kind replaces the preset's as a whole" {
    { echo "$flows"; echo 'network:
  preset: uec-nscc
  queue: {kind: ecn, threshold: 50KB}'; } >a.yaml
    orrery check --effective a.yaml
    [ "$status" -eq 0 ]
    grep -q 'kind: nscc' ../out
    ! grep -q 'capacity: 150KB' ../out
}

# Packets that were sprayed overtake one another; none of them is lost for that.
@test "uec-nscc sends next to nothing again that was not cut" {
    echo 'topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
flows: [{generate: permutation, size: 2MB}]
record: none' >a.yaml
    orrery run a.yaml --preset uec-nscc --json one.json
    [ "$status" -eq 0 ]
    jq '.counters | [.retransmissions, .packets_trimmed, .packets_sent]' one.json
    [ "$(jq '.counters | .retransmissions <= .packets_trimmed + .packets_sent / 1000' one.json)" = true ]
}

@test "as: another simulator's rules lie under the preset's and the user's" {
    { echo "$flows"; echo 'network: {as: ns3, preset: tcp-dctcp, mtu: 1000B}'; } >a.yaml
    orrery check --effective a.yaml
    [ "$status" -eq 0 ]
    grep -q 'mtu: 1000B' ../out      # the user's
    grep -q 'header: 90B' ../out     # the preset's
    grep -q 'recovery: rack' ../out
    grep -q 'handshake: true' ../out # the simulator's, by its control too
    grep -q 'prr_form: ns3' ../out
    grep -q 'min_cwnd: 1$' ../out
    cp ../out effective.yaml
    orrery run a.yaml --json one.json -q
    [ "$status" -eq 0 ]
    orrery run effective.yaml --json two.json -q
    [ "$(jq .fingerprint one.json)" = "$(jq .fingerprint two.json)" ]
    # by name alone, of a flow's own control, and of one that is wrapped
    { echo "$flows" | sed 's/size: 200KB/size: 200KB, cc: cubic/'
        echo 'network: {as: ns3, cc: {kind: mltcp, bytes: 1MB}}'; } >b.yaml
    orrery check --effective b.yaml
    [ "$status" -eq 0 ]
    [ "$(grep -c 'prr_form: ns3' ../out)" -eq 2 ]
    grep -q 'growth: 1$' ../out
    grep -q 'friendly: false' ../out
    orrery check b.yaml
    grep -q 'b.yaml:4:15: network.as: ns3 differs beyond what keys set' ../out
}

@test "as: each simulator runs, help says each rule, others are refused" {
    for name in ns3 linux htsim hpcc-sim; do
        { echo "$flows"; echo "network: {as: $name}"; } >a.yaml
        orrery run a.yaml --json - -q
        [ "$status" -eq 0 ]
    done
    orrery help simulator linux
    grep -q 'TCP_RTO_MIN' ../out
    grep -q '^cubic: {cc: {form: linux' ../out
    { echo "$flows"; echo 'network: {as: ns-3}'; } >a.yaml
    orrery check a.yaml
    [ "$status" -eq 2 ]
    grep -q 'a.yaml:4:15: network.as: no simulator "ns-3"' ../err
    grep -q 'did you mean "ns3"' ../err
}
