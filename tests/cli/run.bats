#!/usr/bin/env bats
# orrery run: what it prints and writes, and how it ends.

load common

@test "a cut network: exit 1, an account, and records" {
    cat >cut.yaml <<'EOF'
topology: {kind: dumbbell, left: 4, right: 4, link: {rate: 10Gbps, delay: 1us}}
flows: [{src: 0, dst: 4, size: 1MB}, {src: 1, dst: 2, size: 1MB}]
failures: [{link: [8, 9], down: 500us}]
EOF
    orrery run cut.yaml --json cut.json
    [ "$status" -eq 1 ]
    grep -q "1 of 2 flows did not finish: flow 0 (host 0 to host 4" ../err
    grep -q "^hint: link 8 (left > right) failed at 500 us" ../err
    grep -q "left > right *500 us to the end" ../out
    [ -s cut.h5 ]
    [ "$(jq '.failures[0].drops > 0' cut.json)" = true ]
    [ "$(jq .flows.completed cut.json)" = 1 ]
}

@test "a run writes its records and prints a summary" {
    small
    orrery run small.yaml
    [ "$status" -eq 0 ]
    [ ! -s ../err ]
    grep -q "^one flow$" ../out
    grep -q "^records  *small.h5$" ../out
    leaves small.h5 small.yaml
    ncdump -h small.h5 >header
    for word in "group: links" "group: flows" "group: topology" \
        "group: config" ':Conventions = "CF-1.10"' ':title = "one flow"' \
        ':seed = 1ULL' ':status = "complete"' \
        ':history = "orrery run small.yaml"'; do
        grep -q "$word" header || { echo "no $word"; return 1; }
    done
}

@test "the output goes where -o says, and replaces what was there" {
    small
    mkdir folder
    echo old >folder/x.h5
    orrery run small.yaml -q -o folder/x.h5
    [ "$status" -eq 0 ]
    [ ! -s ../out ]
    [ ! -s ../err ]
    ncdump -h folder/x.h5 >header
    grep -q ':history = "orrery run small.yaml -q -o folder/x.h5"' header
    leaves folder header small.yaml
    [ "$(ls -A folder)" = x.h5 ]
}

@test "the command line is kept as a shell would read it" {
    small
    orrery run small.yaml -q --set "title=two words"
    [ "$status" -eq 0 ]
    h5dump -a /history small.h5 |
        grep -F "orrery run small.yaml -q --set 'title=two words'"
    orrery run small.yaml -q --set "title=it's 'so'"
    [ "$status" -eq 0 ]
    line=$(h5dump -a /history small.h5 |
        sed -n 's/.*: "\(orrery run .*\)"$/\1/p')
    echo "$line"
    eval "set -- $line"
    [ "$#" -eq 6 ]
    [ "$6" = "title=it's 'so'" ]
}

@test "record: none writes no file" {
    small
    orrery run small.yaml --set record=none
    [ "$status" -eq 0 ]
    [ -z "$(grep "^records" ../out)" ]
    leaves small.yaml
}

@test "JSON on stdout is all there is on stdout" {
    small
    orrery run small.yaml --set record=none --json -
    [ "$status" -eq 0 ]
    jq -e '.title == "one flow" and .seed == 1 and .orrery == "0.2.0"
        and .flows.count == 1 and .flows.completed == 1
        and .flows.list[0].src == 0 and .flows.list[0].bytes == 1000000
        and .flows.list[0].fct_ns == .flows.fct_ns.max
        and .flows.slowdown.max == 1
        and .counters.packet_hops == 490 and .counters.packets_dropped == 0
        and .wall.threads == 1 and (.fingerprint | test("^[0-9a-f]{16}$"))
        and (.links.busiest[0] | .from, .to | length) > 0' ../out
}

@test "JSON in a file, beside the summary" {
    small
    orrery run small.yaml --set record=none --json out.json
    [ "$status" -eq 0 ]
    grep -q "^one flow$" ../out
    jq -e '.jobs == [] and .flows.count == 1' out.json
    leaves out.json small.yaml
}

# Who starts a process bequeaths it the peak that getrusage tells of.
@test "the peak of memory is the run's own" {
    local much
    small
    "$ORRERY" run small.yaml -q --set record=none --json alone.json
    printf -v much %30000000s x
    "$ORRERY" run small.yaml -q --set record=none --json run.json
    [ ${#much} -eq 30000000 ]
    jq -es '.[1].wall.peak_memory_bytes < .[0].wall.peak_memory_bytes + 1.5e7' \
        alone.json run.json
}

@test "a configuration from stdin" {
    small
    "$ORRERY" run - -q --json - <small.yaml | jq -e .flows.completed==1
    leaves orrery.h5 small.yaml
}

@test "--set and --seed change what is run, and are recorded" {
    small
    orrery run small.yaml -q --set flows[0].size=3MB --set network.mtu=1KB \
        --seed 42 --json out.json
    [ "$status" -eq 0 ]
    jq -e '.seed == 42 and .flows.list[0].bytes == 3000000
        and .counters.packets_sent == 6000' out.json
    h5dump -d /config/effective small.h5 | grep -q "seed: 42"
    h5dump -d /config/effective small.h5 | grep -q "mtu: 1KB"
}

@test "the effective configuration runs, and gives the same run" {
    cat >mixed.yaml <<'END'
topology: {kind: fat-tree, k: 4, link: {rate: 400Gbps, delay: 500ns}}
jobs:
  - ranks: 4
    program: [all-reduce: {size: 1MiB}]
  - {ranks: 4, placement: random, program: [compute: 1us]}
flows:
  - {generate: permutation, size: {min: 1MB, max: 2MB}}
  - {generate: poisson, size: websearch, load: 0.3, count: 20}
END
    orrery run mixed.yaml -q --json a.json
    [ "$status" -eq 0 ]
    h5dump -y -o text -d /config/effective mixed.h5 >/dev/null
    sed -E 's/^ {6}"//; s/^ {11}//; s/^"$//' text | grep . >again.yaml
    orrery run again.yaml -q --json b.json
    cat ../err
    [ "$status" -eq 0 ]
    [ "$(jq .fingerprint a.json)" = "$(jq .fingerprint b.json)" ]
}

@test "one fingerprint on 1, 2, 3 and 4 threads" {
    cat >busy.yaml <<'END'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {cc: {kind: dctcp}, queue: {kind: ecn, capacity: 100KB, threshold: 50KB}}
jobs:
  - ranks: 8
    placement: random
    program: [all-to-all: {size: 1MiB}, all-reduce: {size: 1MiB}]
flows:
  - {generate: permutation, size: {min: 100KB, max: 1MB}}
  - {generate: incast, dst: 5, size: 200KB}
END
    for threads in 1 2 3 4; do
        orrery run busy.yaml -q --threads $threads --set record=none --json $threads.json
        [ "$status" -eq 0 ]
        jq "{fingerprint, counters, sim_time_ns, flows, jobs}" $threads.json >$threads
        cmp 1 $threads
        [ "$(jq .wall.threads $threads.json)" = $threads ]
    done
    jq -e '.counters.packets_dropped > 0 and .counters.ecn_marks > 0' 1.json
}

@test "another seed is another run" {
    small
    cat >>small.yaml <<'END'
  - {generate: permutation, size: {min: 1KB, max: 1MB}}
END
    sed -i 's/flows: .*/flows:/' small.yaml
    orrery run small.yaml -q --set record=none --json a.json
    orrery run small.yaml -q --set record=none --json b.json --seed 2
    [ "$(jq .fingerprint a.json)" != "$(jq .fingerprint b.json)" ]
}

@test "stop ends a run early, and that is no failure" {
    long
    orrery run long.yaml --set stop=1ms --json -
    [ "$status" -eq 0 ]
    jq -e '.sim_time_ns < 1000000 and .sim_time_ns > 900000' ../out
    ncdump -h long.h5 | grep ":status"
}

# ---- how a run ends ----------------------------------------------------------

@test "a run that goes quiet says who waits, closes its records and exits 1" {
    cat >stuck.yaml <<'END'
topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}
jobs:
  - ranks: 2
    program: [recv: {from: 1, size: 1KB}]
END
    cat >lost.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 8Gbps, delay: 1us}}
network: {transport: datagram, mtu: 1000B, queue: {kind: droptail, capacity: 4KB}}
flows: [{generate: incast, dst: 0, size: 20KB}]
END
    orrery run lost.yaml --json out.json
    [ "$status" -eq 1 ]
    grep -q "^orrery: no events are left, but [123] of 3 flows did not finish: flow " ../err
    grep -q "^hint: datagrams that are dropped are not sent again$" ../err
    jq -e '.flows.completed < 3' out.json
    ncdump -h lost.h5 >header
    leaves header lost.h5 lost.yaml out.json stuck.yaml
}

# in_background ARGUMENT...: starts a run as $pid, and waits until its records
# are there.
in_background() {
    "$ORRERY" run "$@" >../out 2>../err </dev/null 3>&- &
    pid=$!
    for _ in $(seq 6000); do
        [ -s long.h5.partial ] && break
        sleep 0.1
    done
    sleep 0.1
}

@test "Ctrl-C ends a run cleanly" {
    long
    for signal in INT TERM; do
        # a shell starts background jobs with SIGINT ignored: the command takes
        # the signal all the same
        in_background long.yaml --json out.json
        kill -$signal $pid
        status=0
        wait $pid || status=$?
        [ "$status" -eq 130 ]
        grep -q "^orrery: interrupted at " ../err
        ncdump -h long.h5 >header
        grep -q ":status" header
        jq -e '.jobs[0].iterations | length > 0' out.json
        leaves header long.h5 long.yaml out.json
        rm long.h5 out.json header
    done
}

@test "a signal that comes twice at once is one request" {
    # as timeout(1) sends it: to the process and to its group
    long
    for _ in 1 2 3; do
        in_background long.yaml --threads 2 --json out.json
        kill -TERM $pid $pid
        status=0
        wait $pid || status=$?
        [ "$status" -eq 130 ]
        grep -q "^orrery: interrupted at " ../err
        jq -e ".partial" out.json
        ncdump -h long.h5 >header
        rm out.json
    done
}

@test "a killed run leaves records that open" {
    long
    in_background long.yaml
    sleep 0.5
    kill -KILL $pid
    wait $pid || true
    ls -A
    ncdump -h long.h5.partial >header
    grep -q "group: links" header
}

# ---- usage -------------------------------------------------------------------

@test "wrong usage" {
    small
    orrery run
    fails 2 'orrery run: which configuration?
hint: `orrery help run` says how it is used'
    orrery run a.yaml b.yaml
    fails 2 'orrery run: one configuration at a time
hint: `orrery help run` says how it is used'
    orrery run small.yaml --thread=x
    fails 2 'orrery run: --threads takes a number from 0 to 1024, not "x"
hint: `orrery help run` says how it is used'
    orrery run small.yaml --outptu=x
    fails 2 'orrery run: no option is called "--outptu"
hint: did you mean "--output"?'
    orrery run small.yaml --htsmi
    fails 2 'orrery run: no option is called "--htsmi"
hint: did you mean "--htsim"?'
    orrery run small.yaml -z
    fails 2 'orrery run: no option is called "-z"
hint: `orrery help run` says how it is used'
    orrery run small.yaml -o
    fails 2 'orrery run: -o needs a value
hint: `orrery help run` says how it is used'
    orrery run small.yaml --quiet=3
    fails 2 'orrery run: --quiet takes no value
hint: `orrery help run` says how it is used'
    orrery rnu small.yaml
    fails 2 'orrery: no subcommand is called "rnu"
hint: did you mean "run"?'
    leaves small.yaml
}

@test "a terminal sees how far a run is, others do not" {
    script -qc true /dev/null >/dev/null 2>&1 || skip "no pseudo-terminals here"
    long
    command -v script >/dev/null || skip "no script(1)"
    # as soon as it says so, it is told to end
    TERM=xterm script -qefc "exec '$ORRERY' run long.yaml -t 1" typescript \
        </dev/null >/dev/null &
    for _ in $(seq 6000); do
        sleep 0.1
        ! grep -qs "simulated, .* packet-hops/s" typescript || break
    done
    pkill -INT -P $!
    wait $! || true
    grep -q "simulated, .* packet-hops/s" typescript
    TERM=dumb timeout -s INT 1.5 script -qefc "'$ORRERY' run long.yaml -t 1" typescript \
        </dev/null >/dev/null || true
    ! grep -q "simulated, .* packet-hops/s" typescript
}

@test "jobs and flows that are stuck are both told of" {
    cat >stuck.yaml <<'EOF'
topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
network: {transport: datagram, queue: {kind: droptail, capacity: 8KB}}
jobs: [{ranks: 2, program: [{recv: {from: 0, tag: 3}, ranks: [1]}]}]
flows: [{src: 0, dst: 2, size: 1MB}, {src: 1, dst: 2, size: 1MB}]
record: none
EOF
    orrery run -q stuck.yaml
    [ "$status" -eq 1 ]
    grep -q "1 rank waits: job0: rank 1" ../err
    grep -q "^hint: 1 of 2 flows did not finish either$" ../err
}

@test "a run that fails says what failed, where and when" {
    cat >two.yaml <<'EOF'
topology: {kind: switch, hosts: 4, link: {rate: 100Gbps, delay: 1us}}
jobs:
  - ranks: 4
    program:
      - compute: 3ms
      - parallel:
          - send: {from: 2, to: 1, size: 6TB, tag: 1}
          - send: {from: 2, to: 1, size: 6TB, tag: 2}
EOF
    orrery check two.yaml
    [ "$status" -eq 0 ]
    for threads in 1 2; do
        orrery run two.yaml -q --set record=none --threads $threads
        fails 1 "orrery: at 3 ms: host 2 has more than 2147483647 packets \
in flight to host 1 on one connection, with a message of 6000000000000 B"
    done
}

@test "the end of simulated time: who was at what" {
    cat >long.yaml <<'EOF'
topology: {kind: switch, hosts: 4, link: {rate: 100bps, delay: 1us}}
jobs:
  - {name: slow, ranks: 2, iterations: 5, program: [compute: 1000000s]}
flows: [{src: 2, dst: 3, size: 50MB}, {src: 0, dst: 1, size: 1B}]
EOF
    orrery check long.yaml
    [ "$status" -eq 0 ]
    orrery run long.yaml -q --set record=none
    fails 1 "orrery: simulated time has reached its limit of 53 days; \
2 ranks have not finished: slow: rank 0 in iteration 4 computes, since \
4000000 s; slow: rank 1 in iteration 4 computes, since 4000000 s; 1 of 2 \
flows not: flow 0 (host 2 to host 3, 50 MB, since 0 ps)"
}

@test "the largest window that can be written is a window" {
    small
    for key in window initial_window; do
        orrery run small.yaml -q --json out.json --set record=none \
            --set "network.$key=18446744073709551615B" \
            --set "network.cc=$([ $key = window ] && echo none || echo reno)"
        [ "$status" -eq 0 ]
        [ "$(jq .flows.completed out.json)" = 1 ]
    done
}

@test "pause frames on links that take hours for a packet" {
    cat >slow.yaml <<'EOF'
topology: {kind: switch, hosts: 4, link: {rate: 1bps, delay: 1us}}
network: {pfc: {enabled: true}}
flows: [{src: 0, dst: 1, size: 100KB}, {src: 2, dst: 1, size: 100KB}]
EOF
    cpu 20 "$ORRERY" run slow.yaml -q --json out.json --set record=none
    [ "$(jq .flows.completed out.json)" = 2 ]
}

@test "warm-up and cool-down: such flows run, and are no part of the figures" {
    cat >steady.yaml <<'TEXT'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
flows:
  - {generate: poisson, count: 50, interval: 100us, size: 10KB, seed: 1}
TEXT
    run_one() {
        orrery run steady.yaml --quiet --json s.json -o s.h5 --set "$1"
        [ "$status" -eq 0 ]
    }
    run_one seed=1
    jq -e '.flows | .count == 50 and .completed == 50 and .measured == 50' s.json
    jq '.flows.list | sort_by(.start_ns)' s.json >list
    # so many flows, in the order of their starts
    run_one 'flows[0].warmup=10'
    jq -e --slurpfile l list '.flows | .completed == 50 and .measured == 40
        and .fct_ns.max == ($l[0][10:] | map(.fct_ns) | max)
        and .fct_ns.min == ($l[0][10:] | map(.fct_ns) | min)
        and (.by_size | map(.count) | add) == 40' s.json
    [ "$(h5dump -y -w 0 -d /flows/measured -o raw s.h5 >/dev/null
        tr -s ' ,\n' '\n' <raw | grep -c '^yes$\|^1$')" -eq 40 ]
    # or all that start in a time
    run_one 'flows[0].cooldown=1ms'
    jq -e --slurpfile l list '.flows.measured ==
        ($l[0] | map(select(.start_ns <= $l[0][49].start_ns - 1e6)) | length)' s.json
    orrery run steady.yaml --set 'flows[0].warmup=10' --set record=none
    grep -q '^flows  *50 of 50 completed, 40 measured, ' ../out
}

# Two DCTCP flows whose packets meet at the same instants in every round. In one
# order for ever the first takes 4.5 times what the other gets; by default nobody
# is first for ever.
@test "equal flows share a link alike" {
    cat >equal.yaml <<END
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 10Gbps, delay: 1us},
  bottleneck: {rate: 10Gbps, delay: 1us}}
network: {mtu: 1000B, cc: dctcp,
  queue: {kind: ecn, capacity: 10MB, threshold: 20KB}}
record: none
flows: [{src: 0, dst: 2, size: 20MB}, {src: 1, dst: 3, size: 20MB}]
END
    for seed in 1 2 3; do
        orrery run equal.yaml --seed $seed --json out.json
        [ "$status" -eq 0 ]
        [ "$(jq '.flows.fct_ns | .min > 0.9 * .max' out.json)" = true ]
    done
    orrery run equal.yaml --set network.ties=index --json out.json
    [ "$status" -eq 0 ]
    [ "$(jq '.flows.fct_ns | .min < 0.7 * .max' out.json)" = true ]
}

@test "the summary tells collectives of several groups apart, in units people read" {
    cat >groups.yaml <<'END'
topology: {kind: switch, hosts: 9, link: {rate: 100Gbps, delay: 1us}}
jobs:
  - name: j
    ranks: 8
    program:
      - all-reduce: {size: 61044KiB, group: [0, 1, 2, 3]}
      - all-reduce: {size: 61044KiB, group: [4, 5, 6, 7]}
      - all-gather: {size: 7813632B, group: [0, 2, 4, 6]}
      - all-gather: {size: 64KiB, group: [1, 2, 7]}
END
    orrery run groups.yaml
    [ "$status" -eq 0 ]
    grep '^  all-\|^  \.\.\.' ../out >calls
    is_text calls '  all-reduce        ring, 62.51 MB, 4 ranks: 0 to 3
  all-reduce        ring, 62.51 MB, 4 ranks: 4 to 7
  all-gather        ring, 7.814 MB, 4 ranks: 0 to 6, every 2
  ...               1 more collective is in the JSON summary'
    ! grep -E '[0-9]{4,}(KiB|B)|[0-9],[0-9]{3} ns' ../out || false
}

@test "what is asked for and cannot be had is said" {
    small
    orrery run small.yaml --set record=none -o x.h5
    [ "$status" -eq 0 ]
    # shellcheck disable=SC2016
    is_text ../err 'note: x.h5 is not written: the configuration says `record: none`'
    cp ../err said
    orrery run small.yaml --set record=none -o x.h5 -q
    cmp said ../err
    cat >job.yaml <<'END'
topology: {kind: ring, hosts: 4, link: {rate: 400Gbps, delay: 500ns}}
jobs: [{ranks: 4, program: [all-reduce: {size: 1MB}]}]
record: none
END
    orrery run job.yaml --fct x.txt
    [ "$status" -eq 0 ]
    is_text ../err 'note: x.txt will be empty: there are no flows'
    orrery run --astra no/such
    fails 2 "no/such: there is no such file or folder
hint: a folder with ASTRA-sim's files, or the beginning of their names: there is no such.* either"
    orrery run --astra nosuch/
    fails 2 "nosuch/: there is no such file or folder"
}

# Each outage has what it took, and no more: not what others of its link took,
# nor what a full queue dropped, nor chance.
@test "the drops of each outage, of links that fail again and again" {
    cat >flap.yaml <<'EOF'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 3, link: {rate: 10Gbps, delay: 1us}}
network: {transport: datagram, cc: none, queue: {capacity: 100MB}}
record: none
flows:
  - {src: 0, dst: 3, size: 4MB}
  - {src: 1, dst: 3, size: 4MB}
  - {src: 2, dst: 4, size: 4MB}
failures:
  - {link: [6, 8], down: 300us, up: 400us}
  - {link: [8, 7], down: 450us, up: 460us}
  - {link: [6, 8], down: 500us, up: 550us}
  - {link: [6, 8], down: 551us, up: 552us}
  - {link: [7, 3], down: 350us, up: 520us}
  - {link: [6, 8], down: 3ms, up: 3.1ms}
  - {link: [6, 8], down: 30ms, up: 31ms}
EOF
    rows() { # ARGUMENT...
        rm -f flap.json
        orrery run flap.yaml -q --json flap.json "$@"
        jq -c '[.failures[] | [.from, .to, .down_ns, .drops]]' flap.json
    }
    for stop in 30ms 532us 551.5us; do
        computed=$(rows -s network.ports=computed -s stop=$stop)
        # nothing else drops anything here, but that there is no path
        jq -e '([.failures[].drops] | add) + (.losses.no_route // 0) ==
                   .counters.packets_dropped and
               .counters.packets_dropped > 0 and
               (.failures[] | select(.down_ns == 30e6) | .drops) == 0' flap.json
        [ "$(rows -s network.ports=explicit -s stop=$stop)" = "$computed" ]
        [ "$(rows -t 2 -s stop=$stop)" = "$computed" ]
    done
    # full queues, and chance, drop more, which is nobody's
    rows -s network.queue.capacity=200KB -s topology.link.loss=0.01
    jq -e '([.failures[].drops] | add) as $sum | $sum > 0 and
           $sum + 100 < .counters.packets_dropped' flap.json
    computed=$(rows -s network.queue.capacity=200KB)
    [ "$(rows -s network.queue.capacity=200KB -s network.ports=explicit)" = "$computed" ]
    # an outage at which nothing was sent
    [ "$(jq '[.failures[] | select(.down_ns == 30e6) | .drops] | add' flap.json)" = 0 ]
}
