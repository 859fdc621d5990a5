#!/usr/bin/env bats
# All-to-all of unequal sizes: what is sent, how long it must take, and what is
# refused. Four hosts at one switch of 100 Gbit/s: 1 MB takes 80 us.

load common

# job BODY: an all-to-all of four ranks into job.yaml
job() {
    cat >job.yaml <<END
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 500ns}}
network: {mtu: 4096B, header: 0B, queue: {kind: droptail, capacity: 64MiB}}
record: none
jobs:
  - ranks: 4
    iterations: 2
    program:
      - all-to-all: {$1}
END
}

# summary BODY [ARGUMENT...]: runs it into run.json
summary() {
    job "$1"
    orrery run job.yaml -q --json run.json "${@:2}"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
}

# holds FILTER: of the last run
holds() {
    jq -e "$1" run.json >/dev/null || { echo "$1"; jq .jobs run.json; return 1; }
}

same() {
    jq "{fingerprint, counters, sim_time_ns}" run.json >now
    [ -e first ] || cp now first
    cmp first now
}

@test "sizes that are all equal are the plain all-to-all" {
    local row=1MiB,1MiB,1MiB,1MiB algorithm body
    local rates='.jobs[0].collectives[0] | [.bus_bps, .lower_bound_ns]'
    printf '%s\n' '# bytes' 0,1048576,1048576,1048576 1048576,5,1048576,1048576 \
        '' 1048576,1048576,0,1048576 '1048576, 1048576, 1048576, 0' >equal.csv
    for algorithm in direct "direct, window: 2" ring relay; do
        rm -f first
        summary "algorithm: $algorithm, size: 4MiB"
        same
        jq "$rates" run.json >plain
        for body in "sizes: [[$row], [$row], [$row], [$row]]" \
            "sizes: equal.csv" "size: 3MiB, sizes: {zipf: 0}" \
            "size: 3MiB, sizes: {hot: {rank: 1, share: 0.3333333333333}}"; do
            summary "algorithm: $algorithm, $body"
            same
            # the busiest rank sends three of the four pieces
            holds ".jobs[0].collectives[0].bytes == 3145728"
            jq "$rates" run.json | diff plain -
            summary "algorithm: $algorithm, $body" --threads 3
            same
        done
    done
}

@test "what each rank sends and gets, and the bound of the busiest" {
    # rank 2 gets 3 MB: 240 us; nobody sends more than 1 MB
    summary "sizes: [[0, 0, 1MB, 0], [0, 0, 1MB, 0], [0, 0, 0, 9], [0, 0, 1MB, 0]]"
    holds '.jobs[0].collectives[0] | .bytes == 3000000
        and .lower_bound_ns == 240000
        and .duration_ns > 240000 and .duration_ns < 260000'
    holds '[.jobs[0].rank_list[].bytes_sent] == [2000000, 2000000, 18, 2000000]'
    # rank 1 sends 2 MB
    summary "sizes: [[0, 0, 0, 0], [1MB, 0, 1000000, 0], [0, 0, 0, 0], [0, 0, 0, 0]]"
    holds '.jobs[0].collectives[0].lower_bound_ns == 160000'
    # 60 % of 1 MB from three
    summary "size: 1MB, sizes: {hot: {rank: 3, share: 0.6}}"
    holds '.jobs[0].collectives[0] | .bytes == 1800000
        and .lower_bound_ns == 144000'
    holds '[.jobs[0].rank_list[].bytes_sent] | unique == [2000000]'
    # weights 1, 1/2, 1/3, 1/4: rank 0 gets 12/19, 12/21 and 12/22 of the others
    summary "size: 1MB, sizes: {zipf: 1}"
    holds '.jobs[0].collectives[0].bytes ==
        ([12 / 19, 12 / 21, 12 / 22] | map(. * 1e6 | round) | add)'
    # within a group, by its order
    summary "group: [3, 1], sizes: [[0, 1MB], [5, 0]]"
    holds '[.jobs[0].rank_list[].bytes_sent] == [0, 10, 0, 2000000]'
    # nothing at all is over at once
    summary "sizes: [[7, 0, 0, 0], [0, 7, 0, 0], [0, 0, 7, 0], [0, 0, 0, 7]]"
    holds '.sim_time_ns == 0 and .jobs[0].bytes_sent == 0'
}

@test "estimates, profiles and explain know the sizes" {
    job "sizes: [[0, 0, 1MB, 0], [0, 0, 1MB, 0], [0, 0, 0, 0], [0, 0, 1MB, 0]]"
    # 245 packets from three ranks, twice, over two links, and their ACKs
    orrery check job.yaml
    [ "$status" -eq 0 ]
    grep -qF 'estimate  5.88e+03 packet-hops' ../out || { cat ../out; return 1; }
    orrery explain job.yaml
    [ "$status" -eq 0 ]
    grep -qE 'all-to-all \(operation 0\), rank [013] > 2' ../out
    orrery profile job.yaml
    [ "$status" -eq 0 ]
    # rank 2's link has 2 x 3 MB, all of the time
    grep -qF 'switch 4' ../out
    orrery convert --to chakra job.yaml -o traces
    [ "$status" -eq 0 ]
    grep -qF '1 all-to-all of unequal sizes' ../err ../out
}

@test "sizes that are drawn anew each iteration" {
    # the one that gets 3 x 800 kB is rank 1 first, then another
    local sizes="size: 1MB, sizes: {hot: {rank: 1, share: 0.8}}, each: iteration"
    rm -f first
    summary "$sizes" --set 'jobs[0].iterations=12'
    same
    holds '[.jobs[0].collectives[] | [.bytes, .lower_bound_ns]] | unique
        == [[2400000, 192000]]'
    holds '[.jobs[0].rank_list[] | .bytes_received > 4000000] == [true, true, true, true]'
    jq '[.jobs[0].rank_list[].bytes_received]' run.json >received
    summary "$sizes" --set 'jobs[0].iterations=12' --threads 3
    same
    summary "$sizes" --set repeat=exact
    holds '.repeat.full == "sizes of its messages are drawn anew"'
    summary "$sizes, draw_every: 3" --set 'jobs[0].iterations=3'
    holds '[.jobs[0].rank_list[] | .bytes_received > 4000000] == [false, true, false, false]'
    summary "$sizes" --set 'jobs[0].iterations=12' --seed 9
    jq '[.jobs[0].rank_list[].bytes_received]' run.json | cmp - received && return 1
    orrery check job.yaml
    ! grep -q 'no effect' ../out ../err || false
    job "size: 1MB, each: iteration"
    orrery check job.yaml
    grep -qF 'all parts are equal' ../out ../err
}

# ---- what is refused ---------------------------------------------------------

# refused BODY PLACE MESSAGE
refused() {
    job "$1"
    orrery run job.yaml
    [ "$status" -eq 2 ] || { echo "$1: $status"; return 1; }
    grep -qF "$2: $3" ../err || { cat ../err; return 1; }
}

@test "a matrix that is none of these ranks" {
    refused 'sizes: [[0, 1], [1, 0]]' job.yaml:8:29 \
        'all-to-all.sizes: there are 2 rows, and 4 ranks take part'
    refused 'sizes: [[0, 1, 1, 1], [1, 0, 1], [], []]' job.yaml:8:44 \
        'all-to-all.sizes: row 1 has 3 entries, and 4 ranks take part'
    refused 'sizes: [[0, 1, 1, 1], 7, [], []]' job.yaml:8:44 \
        'all-to-all.sizes: a row like [0, 64KiB] is expected'
    refused 'sizes: [[0, 1, -1, 1], [], [], []]' job.yaml:8:37 \
        'all-to-all.sizes: "-1": it is negative'
    refused 'sizes: [[0, 1, nan, 1], [], [], []]' job.yaml:8:37 \
        'all-to-all.sizes: "nan": not a size'
    refused 'sizes: [[0, 1, [], 1], [], [], []]' job.yaml:8:37 \
        'all-to-all.sizes: "?": a size like 4MiB'
    refused 'sizes: [[0, 4611686018427387904, 1, 1], [], [], []]' \
        job.yaml:8:55 'all-to-all.sizes: the sum of all sizes is beyond 4 EiB'
    refused 'size: 1MB, sizes: [[]]' job.yaml:8:28 \
        "all-to-all.size: \`sizes\` says what each rank sends"
    refused 'sizes: ~' job.yaml:8:29 'all-to-all.sizes: a matrix, the name'
    refused 'algorithm: direct' job.yaml:8:21 'all-to-all.size is missing'
}

# table BYTES PLACE MESSAGE
table() {
    printf '%b' "$1" >bad.csv
    refused 'sizes: bad.csv' "bad.csv:$2" "$3"
}

@test "a file of sizes that is none" {
    table '0,1\n1,0\n' 1:4 'this line has 2 sizes, and 4 ranks take part'
    table '0,1,1,1,1\n' 1:9 'more than 4 sizes, and 4 ranks take part'
    table '0,1,2,3\n1,0,-4,1\n' 2:5 'a size must be from 0 to'
    table '0,1,2,3\n1,0,nan,1\n' 2:5 'a size must be a whole number, not "nan"'
    table '0,1,2,3\n1,0,1.5,1\n' 2:5 'a size must be a whole number, not "1.5"'
    table '0,4611686018427387904,1,3\n' 1:23 'the sum of all sizes is beyond'
    table '0,,1,2\n' 1:3 'a size is missing'
    table '0,1,1,1\n1,0,1,1\n' 3:1 'there are 2 lines, and 4 ranks take part'
    table '0,1,1,1\n0,1,1,1\n0,1,1,1\n0,1,1,1\n0,1,1,1\n' 5:1 'more than 4 lines'
    refused 'sizes: none.csv' job.yaml:8:29 'cannot read none.csv'
}

@test "shares that are none, and what does not go with sizes" {
    refused 'sizes: {zipf: 1}' job.yaml:8:29 'all-to-all.size is missing'
    refused 'size: 1MB, sizes: {}' job.yaml:8:40 \
        "all-to-all.sizes: either \`zipf\` or \`hot\` is expected"
    refused 'size: 1MB, sizes: {zipf: nan}' job.yaml:8:47 \
        'sizes.zipf: "nan": not a number'
    refused 'size: 1MB, sizes: {zipf: -1}' job.yaml:8:47 'sizes.zipf: -1 is below'
    refused 'size: 1MB, sizes: {hot: {rank: 4, share: 0.1}}' job.yaml:8:53 \
        'hot.rank: rank 4 does not take part'
    refused 'size: 1MB, group: [0, 1, 2], sizes: {hot: {rank: 3, share: 0.1}}' \
        job.yaml:8:71 'hot.rank: rank 3 does not take part'
    refused 'size: 1MB, sizes: {hot: {rank: 0, share: 1.5}}' job.yaml:8:63 \
        'hot.share: 1.5 is above'
    refused 'size: 1MB, sizes: {zipf: 1}, chunks: 2' job.yaml:8:59 \
        "all-to-all.chunks: with \`sizes\` there is one"
    job 'size: 1MB'
    orrery run job.yaml --set 'jobs[0].program=[all-reduce: {size: 1MB, sizes: {zipf: 1}}]'
    [ "$status" -eq 2 ]
    grep -qF 'unknown key "sizes" in all-reduce' ../err
}

# experts BODY [COMBINE]
experts() {
    job "size: 1B"
    sed -i "s/- all-to-all: .*/- dispatch: {$1}/" job.yaml
    [ -z "${2-}" ] || echo "      - combine: {$2}" >>job.yaml
}

# wrong BODY MESSAGE [COMBINE]
wrong() {
    experts "$1" "${3-}"
    orrery check job.yaml
    [ "$status" -eq 2 ] && grep -qF "$2" ../err || { cat ../err; return 1; }
}

@test "tokens to experts and back" {
    # half a copy for each rank: 300 kB to the three others, and half of that
    # back, twice
    experts "tokens: 1000, hidden: 100, top_k: 2, experts: 16" "bytes: 1B"
    orrery run job.yaml -q --json run.json
    holds '[.jobs[0].rank_list[].bytes_sent] | unique == [900000]'
    holds '[.jobs[0].collectives[].kind] ==
        ["dispatch", "combine", "dispatch", "combine"]'
    experts "tokens: 1000, hidden: 100, experts: 16, skew: 1, capacity: 2" "of: x"
    sed -i 's/- dispatch: /- id: x\n        dispatch: /' job.yaml
    orrery run job.yaml --json run.json
    # the first two of 16 have 1 and 1/2 of 3.3807; 2/16 remain of each
    grep -qF 'dispatch.capacity: 19.4 %' ../out ../err
    rm -f first
    experts "tokens: 640, hidden: 10, top_k: 2, experts: 8, skew: 1, nodes: 1, local: 2, each: iteration" "bytes: 2B"
    orrery run job.yaml -q --json run.json
    same
    orrery run job.yaml -q --json run.json --threads 3
    same
}

@test "dispatches that cannot be" {
    wrong "hidden: 5" 'dispatch.tokens is missing'
    wrong "tokens: 5, hidden: 5, top_k: 5" \
        'job.yaml:8:49: dispatch.top_k: there are not so many experts'
    wrong "tokens: 5, hidden: 5, nodes: 2, local: 3" \
        'dispatch.local: it does not divide the ranks'
    wrong "tokens: 5, hidden: 5, nodes: 2, local: 2, group: [0, 1]" \
        "dispatch.group: with \`nodes\` all ranks take part"
    wrong "tokens: 5, hidden: 5, skew: nan" 'dispatch.skew: "nan"'
    wrong "tokens: 1000000000, hidden: 10000000, top_k: 4" \
        'dispatch.tokens: the sum of all sizes is beyond 4 EiB'
    wrong "tokens: 5, hidden: 5, bytes: 17B" 'dispatch.bytes: 17B is above'
    wrong "tokens: 5, hidden: 5" \
        'combine.of: no dispatch before it has the id "y"' "of: y"
    wrong "tokens: 5, hidden: 5, nods: 5" 'unknown key "nods" in dispatch'
    job "size: 1B"
    sed -i "s/- all-to-all: .*/- combine: {}/" job.yaml
    orrery check job.yaml
    grep -qF 'job.yaml:8:9: combine: no dispatch stands before it' ../err
}
