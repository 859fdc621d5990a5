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
    is_text ../out "$(printf '%s\n' dctcp dctcp-rate dcqcn)"
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
    is_text ../out "$(printf '%s\n' network.cc=dctcp network.cc=dctcp-rate network.cc=dcqcn)"
    words run -s network.cc.kind=hp
    is_text ../out network.cc.kind=hpcc
    words run --set network.ties=
    is_text ../out "$(printf '%s\n' network.ties=index network.ties=shuffled | sort)" ||
        is_text ../out "$(printf '%s\n' network.ties=shuffled network.ties=index)"
    words run --set 'jobs[0].pl'
    offers 'jobs[0].placement='
    words compare --over topology.
    offers topology.oversubscription=
    words run --set network.preset=ro
    is_text ../out "$(printf '%s\n' network.preset=roce-dcqcn network.preset=roce-hpcc)"
    words run --set network.cc.k
    is_text ../out network.cc.kind=
    words plot run.h5 fa
    is_text ../out fairness
    words plot run.h5 cdf --style sl
    is_text ../out slides
    words run --set jobs[0].model=resnet5
    is_text ../out jobs[0].model=resnet50
    # whatever is offered is a key that the configuration takes, or has a value
    for place in record record.pcap record.packets repeat network.nic network.pfc \
        compare compare.until compare.equal_cost; do
        words run --set "$place."
        grep -q "^${place}[.][a-z_]*=$" ../out
        cat ../out
    done | sort -u >keys
    while IFS= read -r key; do
        printf 'topology: {kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 1us}}\nflows: [{src: 0, dst: 1, size: 1KB}]\n' >c.yaml
        "$ORRERY" check c.yaml --set "${key}x" 2>err || true
        ! grep 'unknown key' err || false
    done <keys
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
}

# in_zsh LINE...: what its command line is after a Tab at the end of each LINE.
in_zsh() {
    mkdir -p functions
    "$ORRERY" completion zsh >functions/_orrery
    cat >type.zsh <<'ZSH'
zmodload zsh/zpty
zpty -b z zsh -f -i
# typed TEXT N: until N command lines have been told
typed() {
    zpty -w -n z $1
    for (( i = 0; i < 300; i++ )); do
        zpty -t z && zpty -r z heard
        (( $(wc -l <told) >= $2 )) && return
        sleep 0.1
    done
    exit 1
}
: >told
typed "PS1=; fpath=($PWD/functions \$fpath); autoload -Uz compinit
compinit -u -D; tell() { print -r -- \"\$BUFFER|\" >>$PWD/told; BUFFER= }
zle -N tell; bindkey '^X' tell"$'\n\x18' 1
n=1
for line in "$@"; do typed $line$'\t\x18' $(( ++n )); done
zpty -d z
sed 1d told
ZSH
    PATH=$(dirname "$ORRERY"):$PATH zsh -f type.zsh "$@"
}

@test "zsh completes with it, at a prompt" {
    command -v zsh >/dev/null || skip "no zsh"
    touch ring.yaml
    in_zsh 'orrery timel' 'orrery run ring.yaml --set network.cc=dct' \
        'orrery run --set network.queue.capa' 'orrery run rin' \
        "orrery run --set 'jobs[0].placement.k" \
        'orrery run -s jobs\[0\].placement.k' 'orrery help cc hp' >said
    # what is complete has a space behind it, a key waits for its value
    is_text said "$(printf '%s|\n' 'orrery timeline ' \
        'orrery run ring.yaml --set network.cc=dctcp ' \
        'orrery run --set network.queue.capacity=' 'orrery run ring.yaml ' \
        "orrery run --set 'jobs[0].placement.kind=" \
        'orrery run -s jobs\[0\].placement.kind=' 'orrery help cc hpcc ')"
}

@test "fish completes with it" {
    command -v fish >/dev/null || skip "no fish"
    touch ring.yaml network.yaml
    "$ORRERY" completion fish >orrery.fish
    for line in 'orrery timel' 'orrery run ring.yaml --set network.cc=d' \
        'orrery run --set network.queue.capa' 'orrery run rin' \
        'orrery run --set jobs[0].placement.k' 'orrery help cc hp'; do
        PATH=$(dirname "$ORRERY"):$PATH HOME=$PWD fish --no-config -c \
            "source orrery.fish; complete -C '$line'"
    done | sed 's/\t.*//' >said
    is_text said "$(printf '%s\n' timeline network.cc=dcqcn network.cc=dctcp \
        network.queue.capacity= ring.yaml 'jobs[0].placement.kind=' hpcc)"
}

@test "bad input: message and status" {
    orrery completion
    fails 2 'orrery completion: for which shell? bash, zsh or fish
hint: `orrery help completion` says how it is used'
    orrery completion tcsh
    [ "$status" -eq 2 ]
}
