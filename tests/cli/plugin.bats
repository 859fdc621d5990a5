#!/usr/bin/env bats
# A congestion control from a shared object: the example, and each file that is
# not one.

load common

# mycc SED...: the example, changed, as mycc.so in the current folder.
mycc() {
    sed "$@" "$root/docs/examples/cc/mycc.c" >../mycc.c
    ${CC:-cc} -std=c11 -O1 -Wall -Wno-unused -shared -fPIC \
        -I"$root/include" -o mycc.so ../mycc.c
}

# Two senders into one port that marks.
two() {
    cat >two.yaml <<'END'
topology: {kind: switch, hosts: 3, link: {rate: 10Gbps, delay: 1us}}
network: {cc: mycc, queue: {kind: ecn, capacity: 1MiB, threshold: 60KB}}
plugins: [./mycc.so]
flows: [{src: 0, dst: 2, size: 10MB}, {src: 1, dst: 2, size: 10MB}]
record: none
END
}

fingerprint() {
    "$ORRERY" run "$@" -q --json - | jq -r .fingerprint
}

# refused SED TEXT [HINT]: what is said of an example that was changed so.
refused() {
    mycc "$1"
    orrery run two.yaml
    fails 2 "two.yaml:3:11: $2
    plugins: [./mycc.so]
              ^${3:+
hint: $3}"
}

@test "the example runs, shares a link, and is the same on two threads" {
    two
    mycc ''
    orrery run two.yaml --json out.json
    [ "$status" -eq 0 ]
    [ "$(jq .flows.completed out.json)" = 2 ]
    one=$(fingerprint two.yaml)
    [ -n "$one" ]
    [ "$one" = "$(fingerprint two.yaml -t 2)" ]
    # it decides: with other parameters, and without it, the run is another
    [ "$one" != "$(fingerprint two.yaml \
        --set 'network.cc={kind: mycc, keep: 0.9}')" ]
    [ "$one" != "$(fingerprint two.yaml --set network.cc=none)" ]
}

@test "--plugin: relative to where the command runs" {
    two
    sed -i /plugins/d two.yaml
    mycc ''
    mkdir sub
    mv two.yaml sub
    orrery run sub/two.yaml -q --plugin ./mycc.so
    [ "$status" -eq 0 ]
    orrery run sub/two.yaml -q --plugin mycc.so
    [ "$status" -eq 0 ]
    orrery check sub/two.yaml --plugin "$PWD/mycc.so"
    [ "$status" -eq 0 ]
    orrery run sub/two.yaml -q
    [ "$status" -eq 2 ]
    grep -q '^sub/two.yaml:2:15: network.cc: no kind "mycc"' ../err
    mv mycc.so "it's mine.so"
    orrery run sub/two.yaml -q --plugin "it's mine.so"
    [ "$status" -eq 0 ]
}

@test "its parameters are like any other: help, list, errors, records" {
    two
    mycc ''
    orrery help cc mycc --plugin ./mycc.so
    [ "$status" -eq 0 ]
    grep -q '^congestion-control mycc: adds a packet a round trip' ../out
    grep -q '(number; default 0.5; at least 0; at most 1)' ../out
    orrery list cc --plugin ./mycc.so
    grep -q '^  mycc  *adds a packet a round trip, halves at a mark$' ../out
    orrery list cc
    [ "$(grep -c mycc ../out)" = 0 ]
    orrery run two.yaml --set 'network.cc={kind: mycc, keep: 2}'
    [ "$status" -eq 2 ]
    grep -q 'network.cc.keep: 2 is above the largest allowed, 1$' ../err
    orrery run two.yaml --set 'network.cc={kind: mycc, keeps: 0.2}'
    [ "$status" -eq 2 ]
    grep -q 'unknown key "keeps" in network.cc' ../err
    grep -q 'did you mean "keep"' ../err
    sed -i 's/^record.*/record: {interval: 1ms}/; s/cc: mycc/cc: {kind: mycc}/' \
        two.yaml
    orrery run two.yaml -q -o two.h5
    [ "$status" -eq 0 ]
    h5dump two.h5 | grep -q 'increase: 1'
}

@test "MLTCP over it, and a study with it" {
    two
    mycc ''
    orrery run two.yaml -q \
        --set 'network.cc={kind: mltcp, base: mycc, keep: 0.7}'
    [ "$status" -eq 0 ]
    orrery compare two.yaml --over network.cc=mycc,dctcp -m flows.completed \
        -j 1
    [ "$status" -eq 0 ]
    grep -q mycc ../out
    sed -i /plugins/d two.yaml
    orrery compare two.yaml --plugin ./mycc.so \
        --over network.cc=mycc,dctcp -m flows.completed -j 1 -o other
    [ "$status" -eq 0 ]
    grep -q mycc ../out
    echo 'compare: {over: {network.cc: [mycc, dctcp]}, measure: flows.completed}' \
        >>two.yaml
    orrery check two.yaml --plugin ./mycc.so
    [ "$status" -eq 0 ]
}

@test "what it answers is kept within bounds" {
    two
    sed -i '$a stop: 1ms' two.yaml
    for w in '(0.0 / 0.0)' '(-5.0)' 1e300; do
        mycc "s,w->cwnd \*= .*,w->cwnd = $w; w->rate = -$w;,"
        orrery run two.yaml -q
        [ "$status" -eq 0 ]
    done
}

@test "files that are no plug-in" {
    two
    at='
    plugins: [./mycc.so]
              ^'
    orrery run two.yaml
    fails 2 "two.yaml:3:11: cannot load ./mycc.so: No such file or directory$at"
    mkdir mycc.so
    orrery check two.yaml
    fails 2 "two.yaml:3:11: cannot load ./mycc.so: it is no file$at"
    rmdir mycc.so
    echo text >mycc.so
    orrery run two.yaml
    fails 2 "two.yaml:3:11: cannot load ./mycc.so: file too short$at"
    orrery help cc mycc --plugin ./mycc.so
    [ "$status" -eq 2 ]
    grep -q '^--plugin ./mycc.so.*: cannot load .*/mycc.so: file too short' \
        ../err
    orrery run two.yaml --set plugins=mycc.so
    [ "$status" -eq 2 ]
    grep -q 'plugins: a list of paths is expected here, like \[./mycc.so\]' \
        ../err
    orrery run two.yaml --set 'plugins=[{a: b}]'
    [ "$status" -eq 2 ]
    grep -q 'plugins: the path of a shared object is expected here' ../err
}

@test "shared objects that are no plug-in, or not of this orrery" {
    two
    refused 's/orr_cc_plugin orr_cc_plugin = /orr_cc_plugin other = /' \
        './mycc.so: it has no symbol orr_cc_plugin' \
        'orrery/cc.h says what a plug-in exports'
    refused 's/abi = ORR_CC_ABI/abi = 7/' \
        './mycc.so: made for ABI 7 of orrery/cc.h; this orrery has ABI 1' \
        'compile it anew with the orrery/cc.h of this orrery'
    refused 's/size = sizeof(struct orr_cc_plugin)/size = 8/' \
        './mycc.so: its struct orr_cc_plugin has 8 bytes; here it has 128' \
        'compile it anew with the orrery/cc.h of this orrery'
    echo 'void orr_cc_plugin(void) {}' >../f.c
    ${CC:-cc} -shared -fPIC -o mycc.so ../f.c
    orrery run two.yaml
    [ "$status" -eq 2 ]
    grep -q 'its orr_cc_plugin is no struct orr_cc_plugin' ../err
}

@test "plug-ins that say something wrong of themselves" {
    two
    refused 's/\.on_ack = on_ack, //' './mycc.so: on_ack is NULL'
    refused 's/\.on_loss = cut, //' './mycc.so: on_loss is NULL'
    refused 's/\.on_timeout = on_timeout,//' './mycc.so: on_timeout is NULL'
    refused 's/\.name = "mycc", //' './mycc.so: name is NULL'
    refused 's/, \.doc = "adds.*"/, .doc = NULL/' './mycc.so: doc is NULL'
    refused 's/name = "mycc"/name = "My CC"/' \
        './mycc.so: "My CC" is no name: small letters, digits, _ and -, at most 40'
    refused 's/name = "mycc"/name = "dctcp"/' \
        './mycc.so: a congestion control "dctcp" exists already'
    refused 's/params_size = sizeof(struct params)/params_size = 1 << 30/' \
        './mycc.so: 4 bytes of state and 1073741824 of parameters; at most 1048576 each'
    mycc ''
    orrery run two.yaml --plugin ./mycc.so
    [ "$status" -eq 2 ]
    grep -q 'mycc.so: a congestion control "mycc" exists already' ../err
}

@test "wrong tables of parameters" {
    two
    at='./mycc.so: parameter "keep": '
    refused 's/params_size = sizeof(struct params)/params_size = 8/' \
        "${at}its field lies outside of params_size"
    refused 's/"keep", .type = ORR_CC_REAL/"keep", .type = 99/' \
        "${at}its type is none of enum orr_cc_type"
    refused 's/fallback = "0.5"/fallback = "half"/' \
        "${at}its fallback is no value of its type"
    refused 's/fallback = "0.5"/fallback = ""/' "${at}its fallback is empty"
    refused 's/fallback = "0.5"/fallback = "2"/' \
        "${at}its fallback is above its max"
    refused 's/\.max = "1"/.max = "one"/' "${at}its max is no value of its type"
    refused 's/\.help = "share.*"/.help = NULL/' "${at}its help is NULL"
    refused 's/offsetof(struct params, keep)/4/' "${at}its field is not aligned"
    refused 's/\.key = "keep", .type = ORR_CC_REAL/.key = "keep", .type = ORR_CC_BOOL/' \
        "${at}its type has no order, so no min and max"
    refused 's/\.key = "keep"/.key = "increase"/' \
        './mycc.so: parameter "increase": there are two of it'
    refused 's/\.key = "keep"/.key = "kind"/' \
        './mycc.so: parameter "kind": a key has small letters, digits and _, and is not `kind`'
}

@test "a combination that the plug-in refuses" {
    two
    mycc -e '/^const struct orr_cc_plugin/i static const char *no(void *p) { return "not like this"; }' \
        -e 's/\.params = params,/& .check = no,/'
    orrery run two.yaml
    fails 2 'two.yaml:2:15: mycc: not like this
    network: {cc: mycc, queue: {kind: ecn, capacity: 1MiB, thres
                  ^'
}
