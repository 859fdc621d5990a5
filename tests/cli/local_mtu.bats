#!/usr/bin/env bats
# network.local_mtu: packets within a server are of another size than those
# between servers.

load common

# Two servers of two GPUs at one switch, 8 Gbps everywhere: a byte takes 1 ns.
servers() {
    cat >servers.yaml <<'END'
topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, delay: 1us},
           servers: {gpus: 2, link: {rate: 8Gbps, delay: 1us}}}
network: {mtu: 1000B, local_mtu: 10KB, header: 0B, cc: none}
record: none
flows:
  - {src: 0, dst: 1, size: 100KB}
  - {src: 0, dst: 2, size: 100KB, start: 1s}
END
}

@test "local_mtu: packets of one server, and packets between two" {
    servers
    for transport in datagram reliable; do
        orrery run servers.yaml -q --json run.json --fct fct.txt \
            --set network.transport=$transport --set network.ack=1B
        [ "$status" -eq 0 ]
        # 10 packets of 10 KB, 100 of 1000 B, and as many ACKs
        acks=$([ $transport = reliable ] && echo 1 || echo 0)
        [ "$(jq .counters.packets_sent run.json)" = $((110 * (1 + acks))) ]
        # 2 links, and 4
        [ "$(jq .counters.packet_hops run.json)" = $((420 * (1 + acks))) ]
        # idle: as fast as can be
        [ "$(jq '.flows.slowdown.max == 1' run.json)" = true ]
    done
    # datagrams: the bytes, then one packet (10 us) once more, and two delays;
    # one of 1 us three times more, and four delays
    orrery run servers.yaml -q --fct fct.txt --set network.transport=datagram
    is_text <(awk '{ print $7 }' fct.txt) "$(printf '%s\n' 112000 107000)"
}

@test "local_mtu: auto is mtu, to the last packet" {
    servers
    orrery run servers.yaml -q --json a.json --set network.local_mtu=auto
    orrery run servers.yaml -q --json b.json --set network.local_mtu=1000B
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ]
    orrery run servers.yaml -q --json c.json
    [ "$(jq .fingerprint a.json)" != "$(jq .fingerprint c.json)" ]
}

@test "local_mtu: a lost packet is sent again with the bytes that it had" {
    servers
    for recovery in sack go-back-n selective rack; do
        orrery run servers.yaml -q --json run.json \
            --set network.recovery=$recovery --set topology.servers.link.loss=0.05
        [ "$status" -eq 0 ]
        [ "$(jq .counters.retransmissions run.json)" -gt 0 ]
        [ "$(jq '.flows.completed // .flows.count' run.json)" = 2 ]
    done
}
