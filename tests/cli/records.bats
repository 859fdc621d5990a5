#!/usr/bin/env bats
# What is recorded is right, and recording changes nothing.

load common

# links_of CONFIG ARGUMENT...: the summary's links, as they are with these.
links_of() {
    orrery run "$1" --quiet --json - "${@:2}"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
    jq .links ../out
}

# within TABLE LEAST MOST: all of a table of /links.
within() {
    h5dump -y -w 0 -d "/links/$1" -o data run.h5 >/dev/null
    tr -s ', \n' '\n' <data | awk -v table="$1" -v least="$2" -v most="$3" '
        NF { n++; if ($1 + 0 < least || $1 + 0 > most) { print table, $1; bad = 1 } }
        END { exit bad || !n }'
}

# The same whatever is recorded, and nobody uses more than all of a link.
same_links() {
    links_of "$1" --set record=none >none
    for record in "{}" "{interval: 1us}" "{interval: 333ns, links: all}"; do
        links_of "$1" -o run.h5 --set "record=$record" >some
        diff none some || return 1
        jq -e '.max_utilization <= 1' some || return 1
        within bytes 0 1e15 || return 1
        within mean_queue 0 1e15 || return 1
        within utilization 0 1 || return 1
    done
}

@test "tables of zeros take no room" {
    cat >two.yaml <<'END'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
flows: [{src: 0, dst: 1, size: 1MB}]
record: {interval: 1us}
END
    orrery run two.yaml -q
    [ "$status" -eq 0 ]
    for table in drops marks pauses paused; do
        h5ls -v two.h5/links/$table | grep -q ' 0 allocated bytes'
    done
    h5ls -v two.h5/links/bytes >bytes
    ! grep -q ' 0 allocated bytes' bytes || false
    h5dump -d /links/drops two.h5 | grep -q '(0,0): 0, 0'
}

# One dataset under two names, which takes the room of one.
@test "utilization: as in the summary, and under its older name" {
    cat >two.yaml <<'END'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
jobs: [{name: a, ranks: 8, program: [all-reduce: {size: 1MiB}]}]
record: {interval: 10us, by_job: true}
END
    orrery run two.yaml -q
    [ "$(h5ls two.h5/links | grep -c 'Dataset, same as')" -eq 2 ]
    python_has h5py xarray || skip "no xarray"
    PYTHONPATH=$root/python /usr/bin/python3 - <<'END'
import orrery
with orrery.open("two.h5") as r:
    assert "utilization" in r.links and "utilisation" not in r.links
    assert float(r.links.utilization.max()) > 0
    assert float(r.links_by_job.utilization.max()) > 0
    old = r.file["links/utilisation"][...]
    assert (old == r.links.utilization.values).all()
END
}

@test "a faster output that begins late: one packet is one packet" {
    cat >cut.yaml <<'END'
topology:
  {kind: fat-tree, k: 4, link: {rate: 10Gbps, delay: 1us},
   tiers: {host: {rate: 3GB/s, delay: 100ns}}}
network: {switching: cut-through}
flows: [{src: 2, dst: 1, size: 3493B}]
END
    same_links cut.yaml
    [ "$(jq '[.busiest[].max_queue_bytes] | max' none)" -eq 3493 ]
}

@test "a rate that changes: the longest queue is that of bytes" {
    cat >rate.yaml <<'END'
topology: {kind: dumbbell, left: 1, right: 1, link: {rate: 1Gbps, delay: 1us}}
flows: [{src: 0, dst: 1, size: 300KB}]
failures: [{link: 0, at: 10us, rate: 3GB/s}]
END
    same_links rate.yaml
    [ "$(jq '.busiest[] | select(.id == 0).max_queue_bytes' none)" -eq 4096 ]
    # 300 KB in 2.473 ms: 4,096 bytes at 1 Gbps and the rest at 24 Gbps
    jq -e '.busiest[] | select(.id == 0).utilization |
        . > 0.053 and . < 0.0532' none
    # slower, and never more than all of it
    sed 's/3GB/100MB/' rate.yaml >slow.yaml
    same_links slow.yaml
}

@test "rates that make no whole picoseconds of a byte" {
    cat >odd.yaml <<'END'
topology: {kind: dumbbell, left: 8, right: 1, link: {rate: 7001Gbps, delay: 1us}}
flows: [{generate: incast, dst: 8, size: 64KB, senders: 8}]
END
    same_links odd.yaml
}
