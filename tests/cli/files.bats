#!/usr/bin/env bats
# Where output goes, and where it does not.

load common

setup_file() {
    export precious="what must not be lost"
}

@test "a link under the name of an unfinished file is not followed" {
    small
    echo "$precious" >precious
    ln -s precious run.h5.partial
    ln -s precious run.h5.partial.next
    orrery run small.yaml --quiet -o run.h5
    fails 2 "orrery: cannot write run.h5.partial: that is there, and is no \
regular file"
    is_text precious "$precious"
    [ ! -e run.h5 ]
}

@test "what a killed run has left is replaced, not written into" {
    small
    echo "$precious" >precious
    ln precious run.h5.partial
    orrery run small.yaml --quiet -o run.h5
    [ "$status" -eq 0 ]
    is_text precious "$precious"
    leaves precious run.h5 small.yaml
}

@test "a link as the name of an output is followed, and stays" {
    small
    mkdir there
    ln -s there/run.json out.json
    ln -s there/run.h5 out.h5
    echo old >there/run.json
    echo old >there/run.h5
    orrery run small.yaml --quiet -o out.h5 --json out.json
    [ "$status" -eq 0 ]
    [ -L out.json ] && [ -L out.h5 ]
    [ "$(jq .flows.completed there/run.json)" -eq 1 ]
    h5dump -n there/run.h5 >/dev/null
    is_text <(ls there) "$(printf 'run.h5\nrun.json')"
}

@test "a pipe that nobody reads is refused at once; one that is read works" {
    small
    mkfifo pipe
    status=0
    cpu 10 timeout 600 "$ORRERY" run small.yaml -q --set record=none --json pipe \
        2>../err || status=$?
    fails 2 "orrery: cannot write pipe: the pipe has no reader"
    cat pipe >got &
    for _ in $(seq 6000); do # until cat has opened it
        status=0
        cpu 10 timeout 600 "$ORRERY" run small.yaml -q --set record=none --json pipe \
            2>../err || status=$?
        [ "$status" -eq 2 ] || break
        sleep 0.05
    done
    wait
    [ "$status" -eq 0 ]
    [ "$(jq .flows.completed got)" -eq 1 ]
}

@test "standard output by its name keeps its place and is not replaced" {
    small
    { echo before && "$ORRERY" run small.yaml -q --set record=none \
        --json /dev/stdout && echo after; } >log
    [ "$(head -n 1 log)" = before ]
    [ "$(tail -n 1 log)" = after ]
    [ "$(sed '1d;$d' log | jq .flows.completed)" -eq 1 ]
    leaves log small.yaml
    orrery run small.yaml -q -o /dev/stdout
    fails 2 "orrery: cannot write /dev/stdout: not a regular file"
}

# same FILE COMMAND...: each CONFIG among its words stands for the file, and for
# the same from pipes of all kinds, which can be read once.
same() {
    local file=$1 name
    shift
    from "$file" "$@" >want || { cat err; return 1; }
    from - "$@" <"$file" >got || { cat err; return 1; }
    diff want got
    name=/dev/stdin
    cat "$file" | from $name "$@" >got || { cat err; return 1; }
    diff want got
    from <(cat "$file") "$@" >got || { cat err; return 1; }
    diff want got
    mkfifo pipe
    cat "$file" >pipe &
    from pipe "$@" >got || { cat err; return 1; }
    rm pipe
    diff want got
}

# from NAME COMMAND...: what it says, without the name and times of its own.
from() {
    local name=$1
    shift
    rm -rf study
    cpu 60 timeout 600 "$ORRERY" "${@//CONFIG/$name}" 2>err |
        sed -e "s:^$name\: ok:ok:" -e 's/about [0-9.]* .B of memory//' \
            -e '/ wall\|[Ss]imulated\|CPU/d'
    return "${PIPESTATUS[0]}"
}

@test "a configuration from a pipe is read once, by all commands" {
    cat >two.yaml <<'END'
title: two
topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
jobs:
  - {name: a, ranks: 4, iterations: 3, program: [compute: 9us, all-reduce: {size: 1MB}]}
  - {name: b, ranks: 4, iterations: 3, program: [compute: 7us, all-reduce: {size: 1MB}]}
END
    { cat two.yaml
      echo 'compare: {over: {network.cc: [none, dctcp]}, measure: [sim_time_ns]}'
    } >study.yaml
    echo '{title: one, topology: {kind: switch, hosts: 4, link: {rate: 50Gbps, delay: 1us}},
           flows: [{src: 0, dst: 1, size: 1MB}]}' >flow.yaml
    same two.yaml check CONFIG
    same two.yaml check --effective CONFIG
    same study.yaml check CONFIG
    grep -q ' study ' got
    same two.yaml topo CONFIG
    same two.yaml run CONFIG --set record=none
    same two.yaml explain CONFIG --job a --alone
    same two.yaml profile CONFIG --job a
    same two.yaml plan CONFIG --write plan.yaml
    same study.yaml compare CONFIG -o study
    same flow.yaml convert --to hpcc CONFIG -o hpcc
}

@test "what a configuration from a pipe names is looked for in the folder" {
    echo '0 1 1000' >some.flows
    cat >named.yaml <<'END'
topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
flows: {file: some.flows}
END
    orrery check named.yaml
    [ "$status" -eq 0 ] || { cat ../err; false; }
    cat named.yaml | "$ORRERY" check /dev/stdin
    "$ORRERY" check <(cat named.yaml)
}
