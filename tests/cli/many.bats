#!/usr/bin/env bats
# Many of a thing: what a run costs grows as their number does. Each of these
# took minutes, or most of one, where it grew as the square.

load common

topology='topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}'

# Runs the file many.yaml; it takes a second or so.
in_time() {
    cpu 10 "$ORRERY" run many.yaml "$@" >../out 2>../err
}

@test "200,000 iterations, with records and as JSON" {
    cat >many.yaml <<EOF
$topology
jobs: [{ranks: 2, iterations: 200000, program: [{compute: 1ns}]}]
EOF
    in_time --json many.json
    jq -e '.jobs[0].iterations | length == 200000 and .[199999].end_ns == 200000' \
        many.json
    h5dump -d /iterations/end -s 199999 -c 1 many.h5 | grep -q "200000000$"
}

@test "100,000 operations with names" {
    {
        echo "$topology"
        echo "jobs:"
        echo "  - ranks: 2"
        echo "    program:"
        echo "      - {compute: 1ns, id: a0}"
        seq 1 99999 | awk '{ printf "      - {compute: 1ns, id: a%d, " \
                             "after: a%d}\n", $1, $1 - 1 }'
    } >many.yaml
    in_time --set record=none
    grep -q "100 us (100,000.000 ns)" ../out
}

@test "40,000 failures of one link" {
    {
        echo "$topology"
        echo "flows: [{src: 0, dst: 1, size: 1GB}]"
        echo "failures:"
        seq 1 40000 | awk '{ printf "  - {link: [2, 4], down: %dus, " \
                             "up: %dus}\n", 2 * $1, 2 * $1 + 1 }'
    } >many.yaml
    in_time --set record=none
    grep -q "^flows  *1 of 1 completed" ../out
}
