#!/usr/bin/env bats
# A host with several ports whose packets may leave by any: all ports are in use,
# each for its share.

load common

# hosts N RATE...: N hosts, each with a port of each rate to a switch of its own.
hosts() {
    local n=$1 cables="" i=0 h
    shift
    for rate in "$@"; do
        for ((h = 0; h < n; h++)); do
            cables+=", [$h, $((n + i)), ${rate}Gbps, 100ns]"
        done
        i=$((i + 1))
    done
    cat >ports.yaml <<END
topology: {kind: custom, hosts: $n, switches: $#, link: {rate: 1Gbps, delay: 100ns}, cables: [${cables:2}]}
network: {mtu: 4096B, header: 0B, ack: 64B}
record: {interval: 10s, links: all}
END
}

# flows SRC-DST:MB...
flows() {
    echo "flows:"
    printf '%s\n' "$@" |
        sed 's/\(.*\)-\(.*\):\(.*\)/  - {src: \1, dst: \2, size: \3MB}/'
}

column() {
    h5dump -A 0 -y -w 1 -d "$1" run.h5 | sed -n 's/^ *\([0-9][0-9]*\),\{0,1\}$/\1/p'
}

# bytes_of HOST: that it sent, by port.
bytes_of() {
    paste <(column /topology/from) <(column /links/bytes) |
        awk -v host="$1" '$1 == host { print $2 }'
}

# shares HOST TOLERANCE RATE...: its ports carry bytes in these proportions.
shares() {
    local host=$1 most=$2
    shift 2
    paste <(bytes_of "$host") <(printf '%s\n' "$@") | awk -v most="$most" '
        { bytes[NR] = $1; rate[NR] = $2; all += $1; rates += $2 }
        END {
            for (i = 1; i <= NR; i++) {
                off = bytes[i] / all / (rate[i] / rates) - 1
                if (off > most || off < -most) {
                    print "port", i, bytes[i], "off by", off
                    bad = 1
                }
            }
            exit bad || NR < 2
        }'
}

# us: when the last flow was done.
us() {
    jq '.flows.fct_ns.max / 1000 | floor' run.json
}

# run ROUTING ARGUMENT...
run_by() {
    orrery run ports.yaml -q -o run.h5 --json run.json --set "network.routing=$1" "${@:2}"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
}

adaptive="{kind: adaptive, per: packet}"

@test "adaptive by packet takes a port that is free" {
    hosts 2 100 100 100 100
    flows 0-1:40 1-0:40 >>ports.yaml
    run_by "$adaptive"
    # 40.6 MB each, ACKs too, at 400 Gbit/s: 813 us
    [ "$(us)" -ge 813 ] && [ "$(us)" -le 830 ]
    shares 0 0.01 1 1 1 1 && shares 1 0.01 1 1 1 1
    # two ports, three, and more connections
    hosts 2 100 100
    flows 0-1:20 1-0:20 >>ports.yaml
    run_by "$adaptive"
    [ "$(us)" -ge 813 ] && [ "$(us)" -le 830 ]
    hosts 2 50 50 50
    flows 0-1:5 0-1:5 0-1:5 1-0:15 >>ports.yaml
    run_by "$adaptive"
    [ "$(us)" -ge 813 ] && [ "$(us)" -le 830 ]
}

@test "adaptive by packet: ports of unequal rates are used by rate" {
    for rates in "100 50 25 25" "100 30 30 30" "25 200" "40 100 100"; do
        hosts 2 $rates
        flows 0-1:20 1-0:20 >>ports.yaml
        run_by "$adaptive" --set network.reorder_window=1ms
        shares 0 0.01 $rates
        # 20.3 MB over all of them
        most=$(echo "$rates" | awk '{ for (i = 1; i <= NF; i++) s += $i
                                      print int(20.3125e6 * 8 / s / 1e3 * 1.05) }')
        [ "$(us)" -le "$most" ]
    done
}

@test "adaptive by packet leaves a port alone that is paused" {
    # two hosts send to a third over two switches, whose last port is slow at one
    cat >ports.yaml <<'END'
topology:
  kind: custom
  hosts: 3
  switches: 2
  link: {rate: 100Gbps, delay: 100ns}
  cables: [[0, 3], [0, 4], [1, 3], [1, 4], [2, 3, 1Gbps, 100ns], [2, 4]]
network: {mtu: 4096B, header: 0B, pfc: {enabled: true}, reorder_window: 100ms,
          queue: {kind: droptail, capacity: 1MiB}}
record: {interval: 10s, links: all}
END
    flows 0-2:5 1-2:5 >>ports.yaml
    run_by "$adaptive"
    # the fast way takes 800 us alone, and the slow one holds 1 MiB
    [ "$(jq .counters.packets_dropped run.json)" -eq 0 ]
    bytes_of 0 >bytes
    awk 'NR == 1 { slow = $1 } NR == 2 { exit !(slow < $1 / 4) }' bytes
}

@test "spray: each connection's data and ACKs in turn, whoever else sends" {
    hosts 4 100 100 100 100
    flows 0-1:40 0-2:30 0-3:30 1-0:20 2-0:10 >>ports.yaml
    for every in 1 2 3; do
        run_by spray --set network.ack_every=$every --set network.reorder_window=1ms
        for host in 0 1 2 3; do
            shares $host 0.003 1 1 1 1
        done
        [ "$(us)" -le 2030 ] # 100 MB of data and 1/64 of ACKs
    done
    # connections of one packet begin in turn
    hosts 2 100 100
    for ((i = 0; i < 20; i++)); do echo 0-1:0.004; done | xargs -d '\n' bash -c '
        echo "flows:"; for f; do echo "  - {src: 0, dst: 1, size: 4000B}"; done' _ >>ports.yaml
    run_by spray
    is_text <(bytes_of 0) "$(printf '40000\n40000')"
}

@test "spray: ports of unequal rates are used by rate" {
    for rates in "100 50 25 25" "100 30 30 30" "25 200" "40 100 100"; do
        hosts 2 $rates
        flows 0-1:20 1-0:20 >>ports.yaml
        run_by spray --set network.reorder_window=1ms
        shares 0 0.005 $rates && shares 1 0.005 $rates
        most=$(echo "$rates" | awk '{ for (i = 1; i <= NF; i++) s += $i
                                      print int(20.3125e6 * 8 / s / 1e3 * 1.08) }')
        [ "$(us)" -le "$most" ]
    done
}

@test "the same on any number of threads, and with explicit ports" {
    hosts 4 100 50 25 25
    flows 0-1:4 0-2:3 1-0:2 2-0:1 3-2:2 >>ports.yaml
    for routing in spray "$adaptive"; do
        run_by "$routing" --threads 1
        jq .fingerprint run.json >one
        run_by "$routing" --threads 3
        jq .fingerprint run.json | diff - one
        run_by "$routing" --set network.ports=explicit
        jq .fingerprint run.json | diff - one
    done
}

@test "equal next hops of different rates that are given as many packets are noted" {
    cat >u.yaml <<'YAML'
topology:
  kind: custom
  hosts: 2
  switches: 4
  link: {rate: 100Gbps, delay: 1us}
  cables: [[0,2],[1,3],[2,4],[4,3],[2,5,25Gbps,1us],[5,3,25Gbps,1us]]
flows: [{src: 0, dst: 1, size: 1MB}]
YAML
    for kind in spray spray-random; do
        orrery check u.yaml --set network.routing=$kind
        grep -q "^  note  *network.routing: $kind gives equal next hops of switch 2, of 25Gbps and of 100Gbps, the same number of packets" ../out
    done
    for kind in ecmp adaptive; do
        orrery check u.yaml --set network.routing=$kind
        [ -z "$(grep '^  note' ../out)" ]
    done
    # a host shares its packets out by rate where they take turns
    sed -i 's/switches: 4/switches: 2/; s/cables.*/cables: [[0,2],[0,3,25Gbps,1us],[1,2],[1,3,25Gbps,1us]]/' u.yaml
    orrery check u.yaml --set network.routing=spray
    [ -z "$(grep '^  note' ../out)" ]
    orrery check u.yaml --set network.routing=spray-random
    grep -q '^  note  *network.routing: spray-random gives equal next hops of host 0' ../out
    sed -i 's/,25Gbps,1us//g' u.yaml
    orrery check u.yaml --set network.routing=spray-random
    [ -z "$(grep '^  note' ../out)" ]
}
