#!/usr/bin/env bats
# record.pcap and record.packets: what packets met, for Wireshark and as tables.

load common

incast() {
    cat >incast.yaml <<'END'
title: incast
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 500ns}}
network: {cc: dctcp, queue: {kind: ecn, threshold: 30KB, capacity: 1MB}}
flows:
  - {src: 0, dst: 4, size: 100001B}
  - {src: 1, dst: 4, size: 300KB}
  - {src: 5, dst: 4, size: 200KB}
END
}

# column NAME: of /packets in run.h5, a number a line.
column() {
    h5dump -A 0 -y -w 1 -d "/packets/$1" run.h5 | sed -n 's/^ *\(-\{0,1\}[0-9][0-9]*\),\{0,1\}$/\1/p'
}

# A test that ends in a pipe of wireshark's asks for it first: `skip` in a pipe
# would be the pipe's alone.
need_wireshark() {
    command -v tshark >/dev/null || skip "tshark is not installed"
}

wireshark() {
    tshark -r "$1" "${@:2}" 2>../tshark
}

# fields FILE FIELD...: of each packet a line, with | between them. Starting tshark
# takes a quarter of a second: once for all that is looked at.
fields() {
    wireshark "$1" -T fields -E separator='|' "${@:2}"
}

@test "packets: each hop, with what links counted" {
    incast
    orrery run incast.yaml -q -o run.h5 --json run.json \
        --set 'record={packets: {flow: all}}'
    [ "$status" -eq 0 ]
    column event >event; column kind >kind; column marked >marked
    column arrival >arrival; column start >start; column departure >departure
    column bytes >bytes; column queue >queue; column link >links
    # every transmission is a row, and every mark
    [ "$(grep -c '^0$' event)" -eq "$(jq .counters.packet_hops run.json)" ]
    [ "$(grep -c '^1$' marked)" -eq "$(jq .counters.ecn_marks run.json)" ]
    [ "$(grep -c '^1$' marked)" -gt 0 ]
    # what a packet waits is what it finds: 8 bits a byte at 100 Gbit/s
    paste event arrival start departure bytes queue links | awk '
        $1 != 0 { next }
        { n++; wait = $3 - $2 }
        $4 - $3 != $5 * 80 { print "sent", $0; bad = 1 }
        wait < 0 || wait - $6 * 80 > 80 || $6 * 80 - wait > 80 { print; bad = 1 }
        END { exit bad || !n }'
    # in order of time
    paste event arrival start departure | awk '
        { at = $1 == 0 ? $3 : $1 == 2 ? $4 : $2 }
        at < last { print NR, $0; bad = 1 } { last = at } END { exit bad }'
}

@test "packets: one flow, and which is which" {
    incast
    orrery run incast.yaml -q -o run.h5 --set 'record={packets: {flow: 1}}'
    [ "$status" -eq 0 ]
    [ "$(column flow | sort -u)" = 1 ]
    # 300,000 bytes are 74 packets, over four links, and as many ACKs
    paste <(column kind) <(column event) | sort | uniq -c | sed 's/^ *//' >n
    is_text n "$(printf '%s\t%s\n' '296 0' 0 '74 0' 3 '296 1' 0 '74 1' 3)"
    h5dump -d /packet_flows/label run.h5 | grep -q '"flow 1"'
}

@test "packets: drops and losses are told of" {
    incast
    orrery run incast.yaml -q -o run.h5 --json run.json \
        --set 'record={packets: {flow: all}}' --set network.queue.capacity=20KB
    [ "$status" -eq 0 ]
    drops=$(jq .counters.packets_dropped run.json)
    [ "$drops" -gt 0 ]
    [ "$(column event | grep -c '^1$')" -eq "$drops" ]
    ! column event | grep -q '^2$' || false
    orrery run incast.yaml -q -o run.h5 --json run.json \
        --set 'record={packets: {flow: all}}' --set topology.link.loss=0.01
    [ "$status" -eq 0 ]
    lost=$(jq .counters.packets_dropped run.json)
    [ "$lost" -gt 0 ]
    [ "$(column event | grep -c '^2$')" -eq "$lost" ]
}

@test "packets: ports that are events tell the same" {
    incast
    for ports in computed explicit; do
        orrery run incast.yaml -q -o run.h5 --set network.ports=$ports \
            --set 'record={packets: {flow: all}}'
        [ "$status" -eq 0 ] || { cat ../err; return 1; }
        for name in flow number kind event link arrival start departure \
            marked ce bytes; do
            column $name >$name
        done
        paste flow number kind event link arrival start departure marked ce \
            bytes >rows.$ports
    done
    [ "$(wc -l <rows.explicit)" -gt 1000 ]
    diff rows.computed rows.explicit
}

@test "packets: a job's, any number of threads, the same fingerprint" {
    cat >job.yaml <<'END'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {cc: hpcc}
jobs: [{name: j, ranks: 16, iterations: 2, program: [all-reduce: {size: 160KB}]}]
END
    orrery run job.yaml -q --json - --set record=none
    jq .fingerprint ../out >none
    for threads in 1 4; do
        orrery run job.yaml -q -o run.h5 --threads $threads --json - --set \
            'record={packets: {flow: {job: j, from: 3}}, pcap: {ports: all}}'
        [ "$status" -eq 0 ]
        jq .fingerprint ../out | diff none -
        h5dump -g /packets run.h5 | grep -v 'DATASET [0-9]' >packets.$threads
        mv run.pcapng $threads.pcapng
    done
    # two that look on at once
    orrery run job.yaml -q -o run.h5 --set 'record={packets: {flow: {job: j, from: 3}}, pcap: {ports: all}, by_job: true}'
    [ "$status" -eq 0 ]
    h5dump -g /packets run.h5 | grep -v 'DATASET [0-9]' | diff packets.1 -
    cmp 1.pcapng run.pcapng
    diff packets.1 packets.4
    cmp 1.pcapng 4.pcapng
}

@test "pcap: where the file goes, and what is left when it cannot" {
    incast
    mkdir there
    orrery run incast.yaml -q -o there/a.h5 --set 'record={pcap: {flows: [0]}}'
    [ "$status" -eq 0 ]
    orrery run incast.yaml -q -o there/b.h5 \
        --set 'record={pcap: {flows: [0], file: c.pcapng}}'
    [ "$status" -eq 0 ]
    is_text <(ls there) "$(printf '%s\n' a.h5 a.pcapng b.h5 c.pcapng)"
    rm -r there
    cat >>incast.yaml <<'END'
record: {pcap: {flows: [0], file: no/such.pcapng}}
END
    orrery run incast.yaml -q
    fails 2 "incast.yaml:8:35: record.pcap.file: cannot write no/such.pcapng: No such file or directory
    record: {pcap: {flows: [0], file: no/such.pcapng}}
                                      ^"
    leaves incast.yaml
    orrery run incast.yaml -q --set record.pcap.file=incast.h5
    [ "$status" -eq 2 ]
    grep -q 'record.pcap.file: that is the name of the HDF5 file' ../err
    leaves incast.yaml
}

@test "pcap: a disk that is full leaves no file" {
    incast
    status=0
    (ulimit -f 600 && exec "$ORRERY" run incast.yaml -q \
        --set 'record={pcap: {ports: all, snaplen: 64KiB}}') 2>../err || status=$?
    [ "$status" -eq 1 ]
    grep -q 'cannot write incast.pcapng: File too large' ../err
    leaves incast.yaml
}

@test "pcap: tshark reads TCP" {
    need_wireshark
    incast
    orrery run incast.yaml -q --json run.json --set \
        'record={pcap: {ports: [[leaf1, host 4], [host 4, leaf1]]}}'
    [ "$status" -eq 0 ]
    fields incast.pcapng -e ip.dst -e tcp.len -e frame.comment \
        -e frame.interface_name -e ip.dsfield.ecn -e tcp.flags.ece >packets
    [ "$(awk -F '|' '$1 == "10.0.0.4" { n += $2 } END { print n }' packets)" \
        -eq 600001 ]
    # nothing is malformed, out of order or missing
    wireshark incast.pcapng -Y '_ws.malformed || tcp.analysis.flags' >odd
    [ ! -s odd ] || { head -3 odd; false; }
    is_text <(cut -d '|' -f 3 packets | grep . | sort) "$(printf 'flow %d\n' 0 1 2)"
    is_text <(cut -d '|' -f 4 packets | sort -u) \
        "$(printf '%s\n' 'host 4 > leaf1' 'leaf1 > host 4')"
    # marked, and echoed
    awk -F '|' '$5 == 3 { m = 1 } $6 == 1 { e = 1 } END { exit !m || !e }' packets
}

@test "pcap: times are those of the table, in whole nanoseconds" {
    need_wireshark
    incast
    orrery run incast.yaml -q -o run.h5 \
        --set 'record={packets: {flow: 1}, pcap: {flows: [1]}}'
    [ "$status" -eq 0 ]
    fields run.pcapng -e frame.time_epoch -e frame.cap_len -e frame.len >packets
    cut -d '|' -f 1 packets | tr -d . | sed 's/^0*\(.\)/\1/' | sort -n >moments
    paste <(column event) <(column start) |
        awk '$1 == 0 { printf "%d\n", $2 / 1000 }' | sort -n >expected
    [ "$(wc -l <moments)" -eq 592 ]
    diff expected moments
    # what is left out is told: headers are kept, lengths are those of the wire
    awk -F '|' '$2 > 100 { long = 1 } $3 > 4000 { data = 1 }
        END { exit long || !data }' packets
}

@test "pcap: tshark reads RoCEv2, notifications and pauses" {
    need_wireshark
    cat >rdma.yaml <<'END'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 500ns}}
network:
  cc: {kind: dcqcn, cnp_interval: 10us}
  queue: {kind: red, kmin: 10KB, kmax: 40KB, pmax: 1}
  pfc: {enabled: true, xoff: 30KB}
  buffer: {size: 4MB}
flows: [{generate: incast, senders: 4, dst: 4, size: 500KB}]
record: {pcap: {ports: all}}
END
    orrery run rdma.yaml -q --json run.json
    [ "$status" -eq 0 ]
    fields rdma.pcapng -e infiniband.bth.opcode -e frame.interface_id -e ip.src \
        -e infiniband.bth.destqp -e infiniband.bth.psn -e ip.dsfield.ecn \
        -e macc.cbfc.pause_time.c0 -e frame.comment >packets
    is_text <(cut -d '|' -f 1 packets | grep . | sort -n | uniq) \
        "$(printf '%s\n' 0 1 2 17 129)"
    wireshark rdma.pcapng -Y '_ws.malformed' >odd
    [ ! -s odd ] || { head -3 odd; false; }
    # numbers of a connection's packets follow one another on every link
    awk -F '|' '$1 == "" || $1 > 2 { next }
        { on = $2 " " $3 " " $4; n++ }
        on in last && $5 != last[on] + 1 { print; bad = 1 }
        { last[on] = $5 } END { exit bad || n < 1000 }' packets
    marked=$(cut -d '|' -f 6 packets | grep -cx 3)
    [ "$marked" -ge "$(jq .counters.ecn_marks run.json)" ]
    pauses=$(cut -d '|' -f 7 packets | grep -cx 65535)
    [ "$pauses" -eq "$(jq .counters.pfc_pauses run.json)" ]
    cut -d '|' -f 8 packets | grep -qx 'congestion notification'
}
