#!/usr/bin/env bats
# topology.circuits: links that exist only for a while.

load common

# took KEYS [OPTION]...: when the flow ends, ns, what is dropped, and of circuits.
took() {
    echo "$1" >c.yaml
    orrery run c.yaml -q --json c.json --set record=none "${@:2}"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -c '[.flows.fct_ns.max, .counters.packets_dropped, .counters.timeouts,
        .circuits.set, .circuits.dark_ns]' c.json
}

pair='topology: {kind: fully-connected, hosts: 2, link: {rate: 8Gbps, delay: 1us},
  circuits: [{at: 100us, links: [[0, 1]]}], reconfigure: {delay: 10us}}
network: {mtu: 1000B, cc: none}
flows: [{src: 0, dst: 1, size: 4KB}]'

# Four hosts, whose circuits go round: each pair has one for 90 of 300 us.
rotor='topology: {kind: fully-connected, hosts: 4, link: {rate: 8Gbps, delay: 1us},
  circuits: [{at: 0s, links: [[0, 1], [2, 3]]}, {at: 100us, links: [[0, 2], [1, 3]]},
    {at: 200us, links: [[0, 3], [1, 2]]}],
  reconfigure: {delay: 10us, period: 300us, until: 2ms}}
network: {mtu: 1000B, cc: none}
flows: [{src: 0, dst: 2, size: 150KB}]'

@test "circuits: packets wait until the link is lit" {
    # four packets of 1 us, 1 us to get there and 1.064 us back
    [ "$(took "$pair")" = '[116064,0,0,1,20000]' ]
}

@test "circuits: a rotor's rounds, and no timeout while it is dark" {
    # 90 packets before 200 us, the others from 410 us on
    [ "$(took "$rotor" | jq -c '[.[0], .[2], .[3]]')" = '[472064,0,20]' ]
    a=$(jq .fingerprint c.json)
    took "$rotor" -t 3
    [ "$(jq .fingerprint c.json)" = "$a" ]
    # lost instead, and sent again
    took "$rotor" --set topology.reconfigure.drop=true >../drop
    jq -e '.[0] > 410000 and .[1] > 0 and .[4] == 0' ../drop
    orrery run c.yaml --set record=none
    grep -q '^circuits set 20 times; links dark for ' ../out
}

@test "circuits: routes take what is there" {
    # by host 2 while the cable between 0 and 1 is away
    took 'topology: {kind: custom, hosts: 3, hosts_forward: true,
  cables: [[0, 1], [0, 2], [2, 1]], link: {rate: 8Gbps, delay: 1us},
  circuits: [{at: 0s, links: [[0, 1]]}, {at: 10us, links: [[0, 2]]}]}
network: {mtu: 1000B, cc: none}
flows: [{src: 0, dst: 1, size: 30KB}]' >../out
    jq -e '.[0] < 40000' ../out
    jq -e '.failures == [] and .circuits.set == 2' c.json
}

@test "circuits: who has no path waits for one, whichever port comes first" {
    # eight hosts, three circuits each, one at a time for 9 of 10 us; at the ends of
    # rounds each has to wait for the second: 11 us, 1 us, 1 us there and 1.064 back
    cat >c.yaml <<'END'
topology: {kind: custom, hosts: 8, hosts_forward: true, link: {rate: 8Gbps, delay: 1us},
  cables: [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4],
    [1, 5], [2, 6], [3, 7]],
  circuits: [{at: 0us, links: [[0, 1], [2, 3], [4, 5], [6, 7]]},
    {at: 10us, links: [[0, 2], [1, 3], [4, 6], [5, 7]]},
    {at: 20us, links: [[0, 4], [1, 5], [2, 6], [3, 7]]}],
  reconfigure: {delay: 1us, period: 30us, until: 10ms}}
network: {mtu: 1000B, cc: none}
flows: [{src: 0, dst: 2, size: 1KB}, {src: 2, dst: 0, size: 1KB, start: 600us},
  {src: 5, dst: 7, size: 1KB, start: 900us}, {src: 7, dst: 5, size: 1KB, start: 2100us}]
END
    orrery run c.yaml -q --json c.json --set record=none
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq -e '[.flows.list[].fct_ns] == [14064, 14064, 14064, 14064]' c.json
    jq -e '.counters.packets_dropped == 0' c.json
}
