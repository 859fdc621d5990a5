#!/usr/bin/env bats
# orrery completion: what may stand where, and that bash takes it.

load common

words() { orrery completion words "$@"; }
offers() { grep -qxF -- "$1" ../out || { echo "no $1 in:"; cat ../out; return 1; }; }

@test "subcommands, options, families, members" {
    words ''
    offers run
    offers completion
    words co
    is_text ../out "$(printf '%s\n' compare convert completion)"
    words run --se
    is_text ../out "$(printf '%s\n' --set --seed)"
    words run -
    offers -q
    offers --threads
    words help ''
    offers record
    offers cc
    offers check
    words help cc d
    is_text ../out "$(printf '%s\n' dctcp dcqcn)"
    words list q
    is_text ../out queues
    words run --preset ro
    offers roce-dcqcn
    words run x
    is_text ../out ''
}

@test "keys of --set and their values, of every table" {
    words run --set network.q
    offers network.queue=
    offers network.queue.capacity=
    words run --set network.cc=dc
    is_text ../out "$(printf '%s\n' network.cc=dctcp network.cc=dcqcn)"
    words run -s network.cc.kind=hp
    is_text ../out network.cc.kind=hpcc
    words run --set network.ties=
    is_text ../out "$(printf '%s\n' network.ties=index network.ties=shuffled | sort)" ||
        is_text ../out "$(printf '%s\n' network.ties=shuffled network.ties=index)"
    words run --set 'jobs[0].pl'
    offers 'jobs[0].placement='
    words compare --over topology.
    offers topology.oversubscription=
    # whatever is offered is a key that the configuration takes, or has a value
    words run --set record.
    while IFS= read -r key; do
        printf 'topology: {kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 1us}}\nflows: [{src: 0, dst: 1, size: 1KB}]\n' >c.yaml
        "$ORRERY" check c.yaml --set "${key}x" 2>err || true
        ! grep -q 'unknown key' err
    done <../out
}

@test "the scripts: bash completes with it, others are there" {
    orrery completion bash
    [ "$status" -eq 0 ]
    cp ../out orrery.bash
    PATH=$(dirname "$ORRERY"):$PATH bash --norc -c '
        source ./orrery.bash
        complete_line() {
            COMP_LINE=$1 COMP_POINT=${#1}
            read -ra COMP_WORDS <<<"$1"
            [[ $1 == *" " ]] && COMP_WORDS+=("")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            COMPREPLY=()
            compopt() { :; }
            _orrery
            echo "${COMPREPLY[*]}"
        }
        complete_line "orrery ti"
        complete_line "orrery help cc hp"
        complete_line "orrery run a.yaml --set network.cc=hp"' >said
    printf '%s\n' timeline hpcc hpcc >expected
    sed -i '/^timeline$/d' expected
    sed -i 1d said
    cmp said expected
    for shell in zsh fish; do
        orrery completion $shell
        [ "$status" -eq 0 ]
        grep -q 'orrery completion words' ../out
    done
}

@test "bad input: message and status" {
    orrery completion
    fails 2 'orrery completion: for which shell? bash, zsh or fish
hint: `orrery help completion` says how it is used'
    orrery completion tcsh
    [ "$status" -eq 2 ]
}
