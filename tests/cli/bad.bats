#!/usr/bin/env bats
# Every file of tests/bad/ is refused: exit status 2, the message that stands in
# the .txt beside it, nothing on stdout, and no file left behind.

load common

refuses() {
    cp "$root"/tests/bad/*.{graphml,hpcc,topo,cm,cdf,simai,json} .
    cp "$root"/tests/bad/flows.txt .
    cp "$root/tests/bad/$1.yaml" .
    ls -A >../before
    orrery run "$1.yaml"
    [ "$status" -eq 2 ]
    [ ! -s ../out ]
    sed -E -i -f "$root/tests/bad/mask.sed" ../err
    is_text ../err "$(cat "$root/tests/bad/$1.txt")"
    ls -A | diff ../before -
    # check says the same
    orrery check "$1.yaml"
    [ "$status" -eq 2 ]
    sed -E -i -f "$root/tests/bad/mask.sed" ../err
    is_text ../err "$(cat "$root/tests/bad/$1.txt")"
}

# All of them, by `run` and by `check`: a process each, and what they said is
# looked at in one go.
@test "every bad file is refused with its message, and nothing is left behind" {
    local name
    cp "$root"/tests/bad/* .
    ls -A >../before
    mkdir ../run ../expected
    cp ./*.txt ../expected
    rm ../expected/flows.txt
    sed -i '$a\' ../expected/*.txt # a last line that ends
    # in a shell that bats does not follow command by command
    ORRERY=$ORRERY bash -c 'for name in *.yaml; do
        status=0
        "$ORRERY" run "$name" >../out 2>"../run/${name%.yaml}.txt" \
            </dev/null || status=$?
        if [ $status -ne 2 ] || [ -s ../out ]; then
            echo "run $name: status $status" && cat ../out && exit 1
        fi
    done'
    # the same of all in one process
    orrery check *.yaml
    [ "$status" -eq 2 ] && [ ! -s ../out ]
    ls -A | diff ../before -
    sed -E -i -s -f mask.sed ../run/*.txt
    diff -r ../expected ../run
    sed -E -f mask.sed ../err >../check
    for name in *.yaml; do printf '%s\n' "../expected/${name%.yaml}.txt"; done |
        xargs cat | diff - ../check
    [ "$(ls ../expected | wc -l)" -gt 190 ]
}

# ---- what is wrong outside the file -------------------------------------------

@test "a configuration that is not there" {
    orrery run nosuch.yaml
    fails 2 "orrery: cannot read nosuch.yaml: No such file or directory"
    leaves
}

@test "a wrong --set" {
    small
    orrery run small.yaml --set topology.link.delay=500
    fails 2 '--set topology.link.delay:1:1: topology.link.delay: "500": a unit is missing
    500
    ^
hint: write a time like 10us or 500ns'
    orrery run small.yaml --set topology.hots=9
    fails 2 '--set topology.hots: unknown key "hots" in topology
hint: did you mean "hosts"?'
    leaves small.yaml
}

@test "an output in a folder that is not there" {
    small
    orrery run small.yaml -o nosuch/out.h5
    fails 2 "orrery: cannot write nosuch/out.h5.partial: No such file or directory"
    orrery run small.yaml --json nosuch/out.json
    fails 2 "orrery: cannot write nosuch/out.json: No such file or directory"
    leaves small.yaml
}

@test "an output without a name, before anything runs" {
    small
    while read -r option command; do
        # shellcheck disable=SC2086 # words
        orrery $command --$option ''
        fails 2 "orrery ${command%% *}: --$option needs a name
hint: \`orrery help ${command%% *}\` says how it is used"
    done <<'END'
output run small.yaml
json run small.yaml
fct run small.yaml
timeline run small.yaml
output compare small.yaml --over network.mtu=1KB,2KB
json explain small.yaml
write plan small.yaml
svg plan small.yaml
graphml topo small.yaml
dot topo small.yaml
output profile small.yaml
output report run.h5
output plot run.h5
output timeline run.h5
output convert hpcc topology.txt
END
    orrery run small.yaml -o ''
    fails 2 "orrery run: --output needs a name
hint: \`orrery help run\` says how it is used"
    leaves small.yaml
}

@test "an output that is a folder or a device" {
    small
    mkdir folder
    orrery run small.yaml -o folder
    fails 2 "orrery: cannot write folder: not a regular file"
    orrery run small.yaml -o /dev/null
    fails 2 "orrery: cannot write /dev/null: not a regular file"
    [ -c /dev/null ]
    leaves folder small.yaml
}

@test "an output where nobody may write" {
    [ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
    small
    mkdir -m 555 closed
    orrery run small.yaml -o closed/out.h5
    fails 2 "orrery: cannot write closed/out.h5.partial: Permission denied"
    leaves closed small.yaml
}

@test "a full disk" {
    small
    ulimit -f 4 # 4 KiB: less than the file needs when it is made
    orrery run small.yaml
    [ "$status" -eq 2 ]
    grep -q "small.h5.partial: File too large" ../err
    leaves small.yaml
}

@test "a JSON file on a full device" {
    small
    orrery run small.yaml -q --json /dev/full
    fails 1 "orrery: cannot write /dev/full: No space left on device"
    # more JSON than a buffer holds
    sed -i '/^flows/d' small.yaml
    echo 'flows: [{generate: incast, dst: 0, size: 1KB}, {generate: incast, dst: 1, size: 1KB}]' >>small.yaml
    orrery run small.yaml -q --json /dev/full
    fails 1 "orrery: cannot write /dev/full: No space left on device"
    orrery explain small.yaml --flow 0 -q --json /dev/full
    fails 1 "orrery: cannot write /dev/full: No space left on device"
    orrery run small.yaml -q --fct /dev/full
    fails 1 "orrery: cannot write /dev/full: No space left on device"
}

@test "a full standard output" {
    small
    for arguments in "run small.yaml" "run small.yaml --json -" list \
        "help run" "topo small.yaml" "check small.yaml" version; do
        status=0
        # shellcheck disable=SC2086 # words
        "$ORRERY" $arguments >/dev/full 2>../err || status=$?
        fails 1 "orrery: standard output: No space left on device"
    done
}

@test "no file is written over another" {
    small
    cp small.yaml kept.yaml
    ln -s small.yaml link.yaml
    for option in --json --output; do
        orrery run small.yaml $option link.yaml
        fails 2 "orrery run: that would overwrite the configuration
hint: \`orrery help run\` says how it is used"
    done
    orrery run small.yaml --json out --output out
    fails 2 "orrery run: --json and --output name one file
hint: \`orrery help run\` says how it is used"
    cmp small.yaml kept.yaml
    leaves kept.yaml link.yaml small.yaml
}

@test "runs that write the same summary at once do not disturb each other" {
    small
    for i in 1 2 3 4 5 6; do
        "$ORRERY" run small.yaml --quiet --json out.json --set record=none &
        runs[i]=$!
    done
    for i in 1 2 3 4 5 6; do wait "${runs[i]}"; done
    jq -e .fingerprint out.json
    leaves out.json small.yaml
}
@test "bad input: misspelt preset" { refuses misspelt_preset; }
@test "bad input: preset and queue" { refuses preset_and_queue; }
@test "bad input: gate late" { refuses gate_late; }
@test "bad input: gate zero" { refuses gate_zero; }
@test "bad input: gate silent" { refuses gate_silent; }
@test "bad input: gate threshold" { refuses gate_threshold; }
@test "bad input: gate most" { refuses gate_most; }
@test "bad input: gate drift" { refuses gate_drift; }
@test "bad input: gate times" { refuses gate_times; }
@test "bad input: gate times first" { refuses gate_times_first; }
@test "bad input: gate times none" { refuses gate_times_none; }
@test "bad input: layer classes" { refuses layer_classes; }
@test "bad input: layer classes stages" { refuses layer_classes_stages; }
@test "bad input: schedule kind" { refuses schedule_kind; }
@test "bad input: schedule job" { refuses schedule_job; }
@test "bad input: schedule weight" { refuses schedule_weight; }
@test "bad input: schedule timer" { refuses schedule_timer; }
@test "bad input: schedule nothing" { refuses schedule_nothing; }
@test "bad input: paths choice" { refuses paths_choice; }
@test "bad input: paths twice" { refuses paths_twice; }
@test "bad input: paths both" { refuses paths_both; }
@test "bad input: paths rank" { refuses paths_rank; }
@test "bad input: paths links" { refuses paths_links; }
@test "bad input: paths short" { refuses paths_short; }
@test "bad input: changes order" { refuses changes_order; }
@test "bad input: schedule order" { refuses schedule_order; }
@test "bad input: schedule twice" { refuses schedule_twice; }
@test "bad input: schedule fair" { refuses schedule_fair; }
@test "bad input: schedule mltcp" { refuses schedule_mltcp; }
@test "bad input: profile topology" { refuses profile_topology; }
@test "bad input: profile link" { refuses profile_link; }
@test "bad input: profile placement" { refuses profile_placement; }
@test "bad input: profile zero" { refuses profile_zero; }
@test "bad input: profile late" { refuses profile_late; }
@test "bad input: profile job" { refuses profile_job; }
@test "bad input: schedule grid" { refuses schedule_grid; }
@test "bad input: schedule grid fine" { refuses schedule_grid_fine; }
@test "bad input: exclusive" { refuses exclusive; }
@test "bad input: cluster load zero" { refuses cluster_load_zero; }
@test "bad input: cluster load above" { refuses cluster_load_above; }
@test "bad input: cluster endless" { refuses cluster_endless; }
@test "bad input: cluster queue" { refuses cluster_queue; }
@test "bad input: cluster quantum" { refuses cluster_quantum; }
@test "bad input: cluster placement" { refuses cluster_placement; }
@test "bad input: cluster candidates" { refuses cluster_candidates; }
@test "bad input: cluster larger" { refuses cluster_larger; }
@test "bad input: cluster ranks" { refuses cluster_ranks; }
@test "bad input: cluster two lengths" { refuses cluster_two_lengths; }
@test "bad input: cluster no length" { refuses cluster_no_length; }
@test "bad input: cluster draw" { refuses cluster_draw; }
@test "bad input: cluster key of job" { refuses cluster_key_of_job; }
@test "bad input: cluster template" { refuses cluster_template; }
@test "bad input: cluster hosts" { refuses cluster_hosts; }
@test "bad input: cluster until" { refuses cluster_until; }
@test "bad input: cluster format" { refuses cluster_format; }
@test "bad input: cluster trace missing" { refuses cluster_trace_missing; }
