#!/usr/bin/env bats
# orrery check: builds everything, runs nothing, estimates.

load common

line="link: {rate: 100Gbps, delay: 1us}"

@test "check says ok and what the run would take" {
    small
    orrery check small.yaml
    [ "$status" -eq 0 ]
    [ ! -s ../err ]
    sed -E 's/about [0-9.e-]+ (.B|s)/about N \1/g' ../out >text
    is_text text "small.yaml: ok
  topology  ring: 8 hosts, 0 switches, 8 cables (16 links)
  workload  1 flow
  estimate  490 packet-hops, about N s on one thread, about N MB of memory"
    leaves small.yaml text
}

# The estimate counts what a run without losses counts.
@test "the estimate meets the run" {
    cat >mixed.yaml <<'END'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1000B, ack_every: 2, queue: {kind: droptail, capacity: 1GiB}}
jobs:
  - ranks: 8
    iterations: 3
    program:
      - all-reduce: {size: 1MiB, algorithm: ring}
      - all-to-all: {size: 1MiB}
flows: [{generate: permutation, size: {min: 100KB, max: 1MB}}]
END
    "$ORRERY" run mixed.yaml -q --set record=none --json run.json
    hops=$(jq .counters.packet_hops run.json)
    said=$("$ORRERY" check mixed.yaml | sed -n 's/.*estimate  \([^ ]*\) packet-hops.*/\1/p')
    echo "estimated $said, ran $hops"
    awk "BEGIN { exit !($said > 0.97 * $hops && $said < 1.03 * $hops) }"
}

# Sanitizers take memory of their own.
plain_build() {
    ! grep -q __asan_init "$ORRERY" && ! grep -q __tsan_init "$ORRERY"
}

# A pair of ranks has one connection, however many collectives it is in.
# memory_within_two NAME...
memory_within_two() {
    plain_build || skip "a sanitizer takes memory of its own"
    cat >gpt.yaml <<'END'
topology: {kind: fat-tree, k: 8, link: {rate: 400Gbps, delay: 500ns}}
network: {mtu: 8MiB, transport: datagram,
          queue: {kind: droptail, capacity: 1GiB}}
jobs:
  - {model: gpt2-medium, ranks: 128, parallelism: {tensor: 8, pipeline: 4},
     batch: 16, micro_batches: 16}
record: none
END
    # many iterations, hardly any traffic
    cat >often.yaml <<'END'
topology: {kind: switch, hosts: 2, link: {rate: 100Gbps, delay: 1us}}
jobs: [{ranks: 2, iterations: 300000, program: [{barrier: {}}]}]
record: none
END
    # many windows at once
    cat >windows.yaml <<'END'
topology: {kind: fat-tree, k: 16, link: {rate: 100Gbps, delay: 1us}}
network: {preset: tcp-dctcp}
flows: [{generate: permutation, size: 300KB}]
record: none
END
    # queues that a threshold keeps long, round after round
    cat >rounds.yaml <<'END'
topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1448B, cc: dctcp,
          queue: {kind: ecn, capacity: 150MB, threshold: 302KB}}
flows:
  - {generate: permutation, size: 2MB}
  - {generate: permutation, size: 2MB, start: 600us}
  - {generate: permutation, size: 2MB, start: 1200us}
record: none
END
    # an idle network beside a few who send; records of those that do
    cat >idle.yaml <<'END'
topology: {kind: fat-tree, k: 32, link: {rate: 100Gbps, delay: 1us}}
flows: [{src: 0, dst: 8000, size: 1MB}, {src: 1, dst: 8001, size: 1MB}]
END
    # flows by the thousand between the same hosts
    cat >short.yaml <<'END'
topology: {kind: switch, hosts: 16, link: {rate: 100Gbps, delay: 1us}}
flows: [{generate: poisson, load: 0.3, duration: 40ms, size: 40KB}]
record: none
END
    for file; do
        "$ORRERY" run $file.yaml -q --json run.json
        took=$(jq .wall.peak_memory_bytes run.json)
        said=$("$ORRERY" check $file.yaml |
            sed -n 's/.* about \([0-9.]*\) MB of memory$/\1e6/p')
        echo "$file: estimated $said, took $took"
        awk "BEGIN { exit !($said > $took / 2 && $said < 2 * $took) }"
    done
}

@test "the estimated memory is within a factor of 2 of what a run takes" {
    memory_within_two gpt rounds idle
}

# bats test_tags=larger
@test "the same of many iterations, windows and flows" {
    memory_within_two often windows short
}

# estimated ARGUMENT...: packet-hops and seconds.
estimated() {
    "$ORRERY" check "$@" | awk '$1 == "estimate" && $6 == "s" { print $2, $5 }'
}

# What a packet-hop costs is kept in bench/hops.tsv, in instructions and in misses
# of a second-level cache: at 0.09 ns and 4 ns each, as on the machine on which
# the estimate was measured, they make 24 ns of the first case. Nothing is timed.
@test "the estimated time follows what a packet-hop costs" {
    local red='{kind: red, capacity: 32MiB, kmin: 400KB, kmax: 1600KB, pmax: 0.2}'
    local tree=$root/bench/configs/fat_tree.yaml ring=$root/bench/configs/ring_small.yaml
    local case set hops seconds setup n=0
    while read -r case instructions misses; do
        set=("$tree")
        case $case in
        k8) ;;
        k16 | k16short) set+=(--set topology.k=16) ;;
        ring) set=("$ring") ;;
        explicit) set+=(--set network.ports=explicit) ;;
        hpcc) set+=(--set network.cc=hpcc) ;;
        nscc) set+=(--set 'network={preset: uec-nscc}') ;;
        dcqcn) set+=(--set network.cc=dcqcn --set "network.queue=$red"
            --set 'network.pfc={enabled: true}') ;;
        aggregate) set=("$root/bench/configs/aggregate.yaml") ;;
        *) false ;;
        esac
        read -r hops seconds < <(estimated "${set[@]}")
        # with next to nothing on the same network
        read -r _ setup < <(estimated "${set[@]}" --set 'jobs=[]' \
            --set 'flows=[{src: 0, dst: 1, size: 1B}]')
        awk -v case="$case" -v hops="$hops" -v s="$seconds" -v setup="$setup" \
            -v cost="$(awk "BEGIN { print $instructions * 0.09 + $misses * 4 }")" '
            BEGIN {
                ns = (s - setup) / hops * 1e9
                print case ": estimated " ns " ns a packet-hop, kept " cost
                exit !(ns > cost / 2 && ns < 2 * cost)
            }'
        n=$((n + 1))
    done <"$root/bench/hops.tsv"
    [ $n -eq 9 ]
}

# Collectives that are alike are looked at once: 97 buckets, a few sizes.
@test "check is quick about a thousand ranks and many buckets" {
    cat >many.yaml <<'END'
topology: {kind: fat-tree, k: 16, link: {rate: 400Gbps, delay: 500ns}}
jobs: [{model: gpt3, ranks: 1024, sync: ddp}]
END
    cpu 10 "$ORRERY" check many.yaml
}

# Beyond topology and program, a rank takes what it has under way.
# each_takes ARGUMENT...: of 1,024 ranks, beside what a run of two takes.
each_takes() {
    plain_build || skip "a sanitizer takes memory of its own"
    cat >ring.yaml <<'END'
topology: {kind: fat-tree, k: 16, link: {rate: 400Gbps, delay: 500ns}}
network: {mtu: 64KiB, queue: {kind: droptail, capacity: 1GiB}}
jobs: [{ranks: 1024, program: [all-reduce: {size: 64MiB, algorithm: ring}]}]
record: none
END
    # How much of the libraries' pages a process has depends on where they lie,
    # by half a MB: they lie where they always do, or, where that cannot be asked
    # for, the least of up to three is the program's own.
    same=()
    setarch -R true 2>/dev/null && same=(setarch -R)
    for i in 1 2 3; do
        "${same[@]}" "$ORRERY" run ring.yaml -q --set jobs[0].ranks=2 \
            --json two.$i.json
    done
    least() { jq -s 'map(.wall.peak_memory_bytes) | min' "$1".*.json; }
    for i in 1 2 3; do
        "${same[@]}" "$ORRERY" run ring.yaml -q --json all.$i.json "$@"
        each=$((($(least all) - $(least two)) / 1022))
        [ "$each" -ge 6000 ] || break
    done
    echo "$each bytes a rank"
    awk "BEGIN { exit !($each < 6000) }"
}

# By then they have all that they will ever have under way.
@test "a ring of 1,024 ranks takes a few kB for each" {
    each_takes --set stop=3ms
}

# bats test_tags=larger
@test "a ring of 1,024 ranks takes a few kB for each, to its end" {
    each_takes
}

@test "check says how many records there will be, and when they are many" {
    cat >long.yaml <<'END'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
jobs: [{ranks: 8, iterations: 1000, program: [compute: 20ms, {barrier: {}}]}]
record: {interval: 1ms, ports: [0], sample: 100us}
END
    orrery check long.yaml
    [ "$status" -eq 0 ]
    grep -q '^  records   2e+04 bins, 2e+05 samples or more, up to' ../out
    [ "$(grep -c warning ../out)" -eq 0 ]
    orrery check long.yaml --set record.interval=10us
    grep -q '^  records   2e+06 bins, 2e+05 samples or more, up to' ../out
    grep -q '^  warning   these records may cost more than the run' ../out
}

@test "several configurations, one of them wrong" {
    small
    sed 's/kind: ring/kind: rnig/' small.yaml >wrong.yaml
    orrery check small.yaml wrong.yaml
    [ "$status" -eq 2 ]
    grep -q "^small.yaml: ok" ../out
    grep -q '^wrong.yaml:2:18: topology.kind: there is no topology "rnig"' ../err
}

@test "check reads the record settings, too" {
    small
    orrery check small.yaml --set record.interval=5
    [ "$status" -eq 2 ]
    grep -q "a unit is missing" ../err
    leaves small.yaml
}

@test "what is too large is told before it is built" {
    for topology in "{kind: torus, dims: [256, 256, 256], $line}" \
        "{kind: ring, hosts: 17000000, $line}" \
        "{kind: fat-tree, k: 400, $line}" \
        "{kind: leaf-spine, leaves: 70000, spines: 300, hosts_per_leaf: 230, $line}"; do
        echo "{topology: $topology, flows: [{src: 0, dst: 1, size: 1B}]}" >big.yaml
        status=0
        cpu 5 "$ORRERY" check big.yaml >../out 2>../err || status=$?
        [ "$status" -eq 2 ]
        # by its routes or by its memory, as the machine is
        grep -qE 'is too large: ([0-9.e+]* hosts to route to|.* of memory)' ../err
    done
}

@test "every configuration of the repository is fine" {
    cd "$root"
    local file others=()
    for file in configs/*/*.yaml; do
        # studies are checked by tests/configs/studies.bats
        [[ $file = configs/studies/* ]] || others+=("$file")
    done
    "$ORRERY" check "${others[@]}" >"$BATS_TEST_TMPDIR/out"
    [ "$(grep -c ': ok$' "$BATS_TEST_TMPDIR/out")" -eq ${#others[@]} ]
}

@test "wrong usage of check" {
    orrery check
    fails 2 'orrery check: which configuration?
hint: `orrery help check` says how it is used'
    orrery check --seeed=3
    fails 2 'orrery check: no option is called "--seeed"
hint: did you mean "--seed"?'
}

@test "a study is checked in all its combinations" {
    small
    cat >>small.yaml <<'TEXT'
compare: {over: {network.cc: [dctcp, reno], network.mtu: [1KB, 4KB]}, seeds: 1..3}
TEXT
    orrery check small.yaml
    [ "$status" -eq 0 ]
    grep -q '^  study     4 combinations, 12 runs$' ../out
    leaves small.yaml
    sed -i 's/4KB/4/' small.yaml
    orrery check small.yaml
    fails 2 'small.yaml:4:64: network.mtu: "4": a unit is missing
    cp, reno], network.mtu: [1KB, 4]}, seeds: 1..3}
                                  ^
hint: write a size like 4096B or 4MiB; with cc=dctcp, mtu=4'
}

# What the notes of a configuration say of congestion controls: "" or whom.
unmarked() {
    printf '%s\n' 'topology: {kind: switch, hosts: 2, link: {rate: 1Gbps, delay: 1us}}' \
        "network: $1" "flows: [{src: 0, dst: 1, size: 1KB$2}]" >marks.yaml
    orrery check marks.yaml
    [ "$status" -eq 0 ] || return 1
    sed -n 's/^  note *\(.*\) needs marks, and no queue .*/\1/p' ../out
}

@test "what fair queues leave of marks, and routing by packet of telemetry, is noted" {
    local two='{kind: switch, hosts: 2, link: {rate: 1Gbps, delay: 1us}}'
    local job='{name: a, ranks: 2, program: [all-reduce: {size: 1KB}]}'

    printf '%s\n' "topology: $two" 'network: {cc: dctcp}' 'schedule: fair' \
        "jobs: [$job]" >fair.yaml
    orrery check fair.yaml
    [ -z "$(grep '^  note' ../out)" ]
    orrery check fair.yaml --set 'flows=[{src: 0, dst: 1, size: 1KB}]'
    grep -q '^  note  *dctcp needs marks, .*: `schedule: fair` has queues' ../out
    printf '%s\n' "topology: $two" 'network: {cc: {kind: mltcp, base: hpcc}}' \
        "jobs: [$job]" >told.yaml
    orrery check told.yaml
    [ -z "$(grep '^  note' ../out)" ]
    orrery check told.yaml --set network.routing=spray
    grep -q '^  note  *hpcc compares two packets in a row' ../out
    orrery check told.yaml --set network.routing=flowlet
    [ -z "$(grep '^  note  *hpcc' ../out)" ]
}

@test "a control that goes by marks where no queue marks is noted" {
    [ "$(unmarked '{cc: dctcp}')" = dctcp ]
    [ "$(unmarked '{cc: nscc, queue: droptail}')" = nscc ]
    [ "$(unmarked '{cc: {kind: mltcp, base: dcqcn}}')" = dcqcn ]
    [ "$(unmarked '{cc: dctcp, queue: {kind: red, ecn: false}}')" = dctcp ]
    [ "$(unmarked '{}' ', cc: dctcp')" = dctcp ]
    [ "$(unmarked '{cc: dctcp, queue: ecn}')" = "" ]
    [ "$(unmarked '{cc: dcqcn, queue: red}')" = "" ]
    [ "$(unmarked '{cc: nscc, queue: trim}')" = "" ]
    [ "$(unmarked '{cc: cubic}')" = "" ]
    [ "$(unmarked '{preset: tcp-dctcp}')" = "" ]
    [ "$(unmarked '{cc: mltcp}')" = "" ]
    unmarked '{cc: dctcp}'
    orrery run marks.yaml --json - --quiet
    jq -e '.notes | length == 1 and (.[0] | startswith("dctcp needs marks"))' ../out
    orrery run marks.yaml
    grep -q '^note  *dctcp needs marks' ../out
}

@test "a size that is no whole number of bytes is told, with its place" {
    cat >c.yaml <<'TEXT'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
flows:
  - {src: 0, dst: 3, size: 1.3B}
  - {src: 0, dst: 3, size: 1.5KB}
jobs: [{ranks: 2, program: [all-reduce: {size: 0.3KiB}]}]
TEXT
    orrery check c.yaml
    is_text <(grep note ../out) \
        '  note      a size that is no whole number of bytes is rounded: 0.3KiB (c.yaml:5:48), 1.3B (c.yaml:3:28)'
    orrery run c.yaml --json - --set record=none \
        --set 'flows[0].size=7B' --set 'jobs=[]'
    jq -e '.notes == []' ../out
    # four of them; one that is read for many flows or ranks is one
    orrery check c.yaml --set network.mtu=999.5B --set 'flows[1].size=0.7B' \
        --set 'flows[0]={generate: permutation, size: {kind: cdf, points: [[0.1KiB, 0], [3.7KiB, 1]]}}'
    grep -q 'rounded: 999.5B (--set network.mtu:1:1), .* and 1 more$' ../out
    orrery check c.yaml --set 'flows=[{generate: permutation, size: {kind: cdf, points: [[0.1KiB, 0], [3.7KiB, 1]]}}]'
    grep -q 'rounded: 0.3KiB (c.yaml:5:48), 0.1KiB (--set flows:1:.*), 3.7KiB (--set flows:1:[0-9]*)$' ../out
    # a long name leaves room for the place, and none moves the cursor
    local long esc=$'\e[31m.yaml'
    long=folder/$(printf 'é%.0s' {1..80}).yaml
    mkdir folder
    sed 's/1.3B/1.3000000000000000000000000000B/' c.yaml >"$long"
    cp c.yaml "$esc"
    orrery run "$long" --json - --set record=none
    jq -e '.notes[0] | endswith("(...\("é" * 29).yaml:5:48), 1.3000000000000000000000... (...\("é" * 29).yaml:3:28)")' ../out
    orrery run "$esc" --set record=none
    grep -q '1.3B (?\[31m.yaml:3:28)$' ../out
}

# on_terminal SLOWLY COMMAND...: with stderr on a terminal, and a configuration,
# small.yaml, that comes through a pipe after some time.
on_terminal() {
    local slowly=$1
    shift
    mkfifo slow.yaml
    (sleep "$slowly" && cat small.yaml) >slow.yaml &
    TERM=xterm script -qec "\"$ORRERY\" $* >told" typescript >/dev/null </dev/null
    rm slow.yaml
}

@test "what takes more than a second shows on a terminal that it goes on" {
    command -v script >/dev/null || skip "no script (util-linux)"
    small
    sed 's/^flows.*/jobs: [{ranks: 8, program: [all-reduce: {size: 1MB}]}]/' \
        small.yaml >jobs.yaml
    mv jobs.yaml small.yaml
    for command in "check slow.yaml" "plan slow.yaml" \
            "compare slow.yaml --over seed=1,2 -o st --list"; do
        on_terminal 1.7 $command || { cat -v typescript; false; }
        grep -q $'\r[a-z ]*: [0-9]* s'$'\033\[K' typescript ||
            { cat -v typescript; false; }
        grep -q $'s\033\[K\r\033\[K' typescript # wiped
        (sleep 1.7 && cat small.yaml) | "$ORRERY" check - >told 2>err
        [ ! -s err ] # no terminal: nothing
    done
}

# bats test_tags=larger
@test "check ends within five CPU seconds, and says what it left out" {
    cat >cluster.yaml <<'END'
topology: {kind: fat-tree, k: 24, link: {rate: 100Gbps, delay: 1us}}
cluster:
  placement: community
  accuracy: fluid
  arrivals: {kind: poisson, load: 80%, most: 3000}
  jobs: [{name: a, gpus: [4, 32, 90], iterations: 100,
          program: [compute: 1ms, all-reduce: {size: 1GB}]}]
END
    cpu 5 "$ORRERY" check cluster.yaml >out
    grep -q '^  estimate ' out
    grep -q '^  left out  what comes after 4 s: the rest is assumed to be alike' out
    cat >crux.yaml <<'END'
topology: {kind: fat-tree, k: 24, link: {rate: 100Gbps, delay: 1us}}
schedule: crux
jobs:
END
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "  - {ranks: 1200, program: [compute: ${i}ms, all-to-all: {size: 1GB}]}"
    done >>crux.yaml
    cpu 5 "$ORRERY" check crux.yaml >out
    grep -q '^  left out  the plan of its schedule, which takes longer than 3 s' out
    cat >study.yaml <<'END'
topology: {kind: fat-tree, k: 16, link: {rate: 100Gbps, delay: 1us}}
jobs: [{ranks: 1024, iterations: 9, program: [all-to-all: {size: 1GB}]}]
compare: {over: {network.cc: [dctcp, hpcc], network.mtu: [1KB, 2KB, 4KB, 8KB]},
          seeds: 1..10, measure: [sim_time_ns]}
END
    cpu 5 "$ORRERY" check study.yaml >out
    grep -q '^  study     8 combinations, 80 runs' out
    grep -q '^  left out  all combinations after the first' out || [ "$(wc -l <out)" = 3 ]
}
