#!/usr/bin/env bats
# Schedules in GOAL's text format.

load common

@test "convert goal: a configuration that runs" {
    cp "$root/tests/attack/samples/goal/schedule.goal" .
    orrery convert goal schedule.goal -o c.yaml
    [ "$status" -eq 0 ]
    grep -q 'a schedule has no network' ../err
    orrery run c.yaml -q --json c.json --set record=none
    [ "$status" -eq 0 ]
    jq -e '.jobs[0].bytes_sent == 20001' c.json # a message has a byte at least
    orrery convert goal schedule.goal schedule.goal
    fails 2 'orrery: one schedule at a time'
}

@test "trace goal: what is wrong is told at its place" {
    refuses() { # SCHEDULE MESSAGE
        printf 'num_ranks 2\nrank 0 {\n%s\n}\n' "$1" >s.goal
        echo 'topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, delay: 1us}}
jobs: [{ranks: 2, trace: {format: goal, file: s.goal}}]' >c.yaml
        orrery check c.yaml
        [ "$status" -eq 2 ]
        grep -q "$2" ../err || { cat ../err; return 1; }
    }
    refuses 'l1: calc 5 to 1' '^s.goal:3:12: there is no to here: cpu and nic may follow'
    refuses 'send 5b to 2' '^s.goal:3:12: a rank'
    refuses 'l1 requires l1' '^s.goal:3:4: rank 0 has no operation l1 above this line'
    refuses 'recv 5b from 1' 'node 3 .*rank 1'
    # both wait for the other's message
    printf 'num_ranks 2\n' >s.goal
    for r in 0 1; do
        printf 'rank %u {\na: recv 5b from %u\nb: send 5b to %u\nb requires a\n}\n' \
            $r $((1 - r)) $((1 - r)) >>s.goal
    done
    orrery run c.yaml --set record=none
    [ "$status" -ne 0 ]
    grep -q 'rank 0 .* from rank 1 (recv, node 3).*rank 1 .*(recv, node 8)' ../err
    sed -i 's/s.goal}/t.goal}/' c.yaml
    orrery check c.yaml
    [ "$status" -eq 2 ]
    grep -q '^c.yaml:2:47: trace.file: cannot read t.goal: No such file' ../err
}
