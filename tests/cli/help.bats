#!/usr/bin/env bats
# orrery list, help and version: what there is, from the modules' own tables.

load common

@test "version" {
    wanted=$(sed -n 's/^#define ORR_VERSION "\(.*\)"/\1/p' "$root/include/orrery/orrery.h")
    for how in version --version -V; do
        orrery $how
        [ "$status" -eq 0 ]
        is_text ../out "orrery $wanted"
    done
}

@test "without arguments, help and exit status 2" {
    orrery
    [ "$status" -eq 2 ]
    cp ../out first
    for how in help --help -h; do
        orrery $how
        [ "$status" -eq 0 ]
        cmp first ../out
    done
    head -1 first | grep -q "^orrery simulates, packet by packet,"
}

@test "help of each subcommand, by help and by --help" {
    "$ORRERY" help | sed -n '/^usage/,/^`/s/^  \([a-z]*\) .*/\1/p' >names
    [ "$(wc -l <names)" -ge 6 ]
    while read -r name; do
        orrery help "$name"
        [ "$status" -eq 0 ]
        grep -q "^usage: orrery $name" ../out
        cp ../out first
        case $name in help | version) continue ;; esac
        orrery "$name" --help
        [ "$status" -eq 0 ]
        # help also explains a section of the configuration of that name
        head -n "$(wc -l <../out)" first | cmp - ../out
    done <names
}

@test "a name of several things: all of them" {
    orrery help compare
    grep -q '^usage: orrery compare' ../out
    grep -q '^compare: what `compare` holds' ../out
    grep -q '^  baseline ' ../out
    orrery help profile
    grep -q '^  iteration ' ../out
    orrery help path
    grep -q '^routing: ' ../out
    grep -q '^  entropy ' ../out
}

@test "every family is listed, and every member is explained" {
    "$ORRERY" list | sed -n 's/^\([a-z]*\): .*/\1/p' >families
    [ "$(wc -l <families)" -ge 8 ]
    while read -r family; do
        orrery list "$family"
        [ "$status" -eq 0 ]
        grep -q "^$family: " ../out
        orrery help "$family"
        [ "$status" -eq 0 ]
        [ "$family" = collectives ] && continue
        "$ORRERY" list "$family" | awk 'NR > 1 { print $1 }' >members
        [ -s members ]
        while read -r member; do
            orrery help "$family" "$member"
            [ "$status" -eq 0 ]
            grep -q " $member: " ../out
        done <members
    done <families
}

@test "the issue's parts are all there" {
    for words in "topologies ring fully-connected fat-tree torus parameter-server switch dumbbell leaf-spine file" \
        "cc none reno dctcp" "queues droptail ecn" "routing ecmp spray" \
        "placements linear random strided list" \
        "generators permutation incast poisson" \
        "collectives all-reduce ring direct halving-doubling tree double-tree torus parameter-server reduce-scatter all-gather all-to-all broadcast reduce gather scatter barrier"; do
        # shellcheck disable=SC2086 # words
        set -- $words
        "$ORRERY" list "$1" >list
        shift
        for name; do
            awk '{ print $1 }' list | grep -qx "$name" || { echo "no $name"; return 1; }
        done
    done
}

@test "parameters come with type, default and bounds" {
    orrery help cc dctcp
    grep -q "^congestion-control dctcp: " ../out
    grep -q "^  g  .*weight" ../out
    grep -q "(number; default 0.0625; at least 0; at most 1)" ../out
    orrery help network
    grep -q "(size; default 4096B; at least 1B; at most 8MiB)" ../out
    grep -q "(choice: reliable | datagram | analytical;" ../out
    orrery help topology fat-tree
    grep -q "^  k " ../out
    orrery help collective all-reduce ring
    grep -q "direction" ../out
    orrery help collective all-reduce
    grep -q "^  endpoint_delay" ../out
    orrery help collective ring
    [ "$(grep -c "^collective .* ring: " ../out)" -ge 4 ]
}

@test "no line of help is wider than a terminal" {
    for words in "" run check topo list help network configuration job record \
        topologies cc collectives "collective all-reduce" generators sizes; do
        # shellcheck disable=SC2086 # words
        "$ORRERY" help $words | awk -v w="$words" \
            'length > 80 { print w ": " $0; bad = 1 } END { exit bad }'
    done
}

@test "misspelt names" {
    orrery list topologis
    fails 2 'orrery list: no family is called "topologis"
hint: did you mean "topologies"?'
    orrery help netwrok
    fails 2 'orrery help: nothing is called "netwrok"
hint: did you mean "network"?'
    orrery help cc dctpc
    fails 2 'orrery help: no congestion-control is called "dctpc"
hint: did you mean "dctcp"?'
    orrery help collective all-reduce rnig
    fails 2 'orrery help: no collective is called "rnig"
hint: did you mean "ring"?'
    orrery help cc foo
    fails 2 'orrery help: no congestion-control is called "foo"
hint: `orrery list cc` names them'
    orrery list foo
    fails 2 'orrery list: no family is called "foo"
hint: `orrery list` names them'
    orrery topo foo
    fails 2 'orrery topo: no kind of topology, and no file, is called "foo"
hint: `orrery list topologies` names them'
    orrery help flows generate
    fails 2 'orrery help: "flows" is no family of parts
hint: `orrery help flows` explains all of it'
    orrery --help-me
    [ "$status" -eq 2 ]
}

@test "help of the maps that a job with a model holds" {
    while read -r topic key; do
        orrery help "$topic"
        [ "$status" -eq 0 ]
        grep -q "^  $key " ../out || { echo "$topic lacks $key"; false; }
    done <<'END'
message_overhead rate
local delay
parallelism expert
model-file profile
layer activations
END
}
