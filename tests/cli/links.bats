#!/usr/bin/env bats
# Links by name: "a > b", "a -> b", and "a-b" where exactly one link answers,
# wherever a link is named.

load common

mesh() {
    cat >mesh.yaml <<'TEXT'
topology: {kind: fully-connected, hosts: 4, link: {rate: 10Gbps, delay: 1us}, names: [a, b-c, a-b, c]}
jobs: [{ranks: 4, program: [all-to-all: {size: 64KB}]}]
TEXT
}

@test "failures, ports and paths: the id and the three spellings are one" {
    mesh
    for link in 0 'a > b-c' 'a -> b-c' 'a>b-c'; do
        orrery run mesh.yaml -q --json out.json --set record=none \
            --set "failures=[{link: $link, at: 2us, rate: 1Gbps}]"
        [ "$status" -eq 0 ]
        jq -r .fingerprint out.json
    done | sort -u >prints
    [ "$(wc -l <prints)" -eq 1 ]
    for port in '[0]' '[a > b-c]' 'a -> b-c'; do
        orrery run mesh.yaml -q -o one.h5 --set "record.ports=$port" \
            --set 'record.sample=1us'
        [ "$status" -eq 0 ]
        h5dump -d /port_series/port one.h5 | grep -c '(0): 0$'
    done | sort -u >ports
    is_text ports 1
    for path in '[1]' '[a > a-b]' '[a-a-b]'; do
        orrery run mesh.yaml -q --json out.json --set record=none \
            --set "jobs[0].paths=[{from: 0, to: 2, links: $path}]"
        [ "$status" -eq 0 ]
        jq -r .fingerprint out.json
    done | sort -u >prints
    [ "$(wc -l <prints)" -eq 1 ]
}

@test "a name of several links is refused, with a list of them" {
    mesh
    orrery run mesh.yaml --set 'failures=[{link: a-b-c, down: 1us}]'
    fails 2 '--set failures:1:9: failures.link: "a-b-c" names 2 links: 0 (a > b-c), 5 (a-b > c)
    [{link: a-b-c, down: 1us}]
            ^
hint: name it by its id'
    orrery run mesh.yaml -q -o run.h5 --set record.operations=all
    [ "$status" -eq 0 ]
    orrery timeline run.h5 --link a-b-c
    fails 2 'orrery: run.h5: "a-b-c" names 2 links: 0 (a > b-c), 5 (a-b > c)
hint: name it by its id'
    orrery timeline run.h5 --link 'a-b>c' --link 'b-c-c'
    [ "$status" -eq 0 ]
    jq -r '.traceEvents[] | select(.ph == "C") | .name' timeline.json |
        grep utilization | sort -u >names
    is_text names "$(printf '%s\n' 'a-b > c, utilization %' 'b-c > c, utilization %')"
}

@test "cables side by side: the name is that of each, ids tell them apart" {
    printf '4 2 4\n2 3\n0 2 10Gbps 1us 0\n1 3 10Gbps 1us 0\n2 3 10Gbps 1us 0\n2 3 10Gbps 1us 0\n' >two.txt
    cat >two.yaml <<'TEXT'
topology: {kind: file, format: hpcc, file: two.txt}
flows: [{src: 0, dst: 1, size: 10KB}]
record: none
TEXT
    orrery run two.yaml --set 'failures=[{link: 2 > 3, down: 1us}]'
    fails 2 '--set failures:1:9: failures.link: "2 > 3" names 2 links: 2 (switch 2 > switch 3), 3 (switch 2 > switch 3)
    [{link: 2 > 3, down: 1us}]
            ^
hint: name it by its id'
    orrery run two.yaml -q --set 'failures=[{link: 2, at: 1us, rate: 1Gbps}]'
    [ "$status" -eq 0 ]
}
