#!/usr/bin/env bats
# Iterations that overlap: `overlap` of a job, and `after: [id@-1]`.

load common

# two_steps DISTANCE: 10 us on one stream and then 10 us on another, and the
# first waits for the second so many iterations earlier.
two_steps() {
    cat <<END
topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, delay: 1us}}
network: {mtu: 1000B, header: 0B, ack: 1B, transport: reliable}
record: none
jobs:
  - ranks: 1
    iterations: 6
    program:
      - {id: f, compute: 10us, after: ["c@-$1"]}
      - {id: c, compute: {time: 10us, stream: 1}}
END
}

# layers STALE BYTES: forward and backward of two layers, 6 ms; forward waits for
# the gradients of its layer, of the first one STALE iterations earlier (and of
# the second, if that is "all").
layers() {
    local first=-1 second=-1
    [ "$1" = none ] || first=-2
    [ "$1" != all ] || second=-2
    cat <<END
topology: {kind: switch, hosts: 4, link: {rate: 8Gbps, delay: 1us}}
network: {mtu: 10000B, header: 0B, ack: 1B, transport: reliable}
record: none
jobs:
  - name: a
    ranks: 4
    iterations: 40
    overlap: 2
    program:
      - {id: f1, compute: 1ms, after: ["b1@-1", "g1@$first"]}
      - {id: f2, compute: 1ms, after: [f1, "g2@$second"]}
      - {id: b2, compute: 2ms}
      - {id: b1, compute: 2ms}
      - {id: g2, all-reduce: {size: $2}, after: [b2]}
      - {id: g1, all-reduce: {size: $2}, after: [b1]}
END
}

# json EXPRESSION: of the last run.
json() {
    jq -c "$1" out.json
}

@test "an iteration begins while another goes on, as far as overlap and distance let it" {
    local distance overlap
    for distance in 1 2 3; do
        two_steps $distance >a.yaml
        for overlap in 1 2 3; do
            orrery run a.yaml -q --set "jobs[0].overlap=$overlap" --json out.json
            [ "$status" -eq 0 ]
            if [ $distance -eq 1 ] || [ $overlap -eq 1 ]; then
                [ "$(json '[.jobs[0].iterations[].duration_ns] | unique')" = \
                    '[20000]' ]
            else
                [ "$(json '[.jobs[0].iterations[].duration_ns]')" = \
                    '[20000,10000,10000,10000,10000,10000]' ]
                [ "$(json '[.jobs[0].iterations[].span_ns] | unique')" = \
                    '[20000]' ]
                [ "$(json '[.jobs[0].iterations[].open]')" = '[1,2,2,2,2,2]' ]
            fi
        done
    done
}

# SAPipe: T(none stale) = forward + backward + exposed; T(all stale) = the larger
# of computation and communication; T never grows with stale layers; as many bytes.
@test "stale layers: all wait, some, none" {
    local stale last=99999999 bytes=
    for stale in none first all; do
        layers $stale 3MB >a.yaml
        orrery run a.yaml -q --json out.json
        [ "$status" -eq 0 ]
        mean=$(json '.jobs[0].iterations[20].duration_ns')
        [ "${mean%.*}" -le "$last" ]
        last=${mean%.*}
        [ -z "$bytes" ] || [ "$(json '.jobs[0].bytes_sent')" = "$bytes" ]
        bytes=$(json '.jobs[0].bytes_sent')
    done
    # two all-reduces of 3 MB over 4 ranks: 2 * 1.5 * 3 MB at 1 GB/s, and 1 B of
    # acknowledgement for each packet of 10,000 B
    [ "$mean" = 9000900 ]
    layers none 1MB >a.yaml
    orrery run a.yaml -q --json out.json
    # forward and backward, and the all-reduce of the first layer
    alone=$(json '.jobs[0].iterations[0].duration_ns')
    [ "$(json '[.jobs[0].iterations[].duration_ns] | unique')" = "[$alone]" ]
    layers first 1MB >a.yaml
    orrery run a.yaml -q --json out.json
    [ "$(json '.jobs[0].iterations[20].duration_ns')" = 6000000 ]
}

@test "threads and other processes change nothing; repeat: exact and sampled neither" {
    local stale t full
    for stale in first all; do
        layers $stale 1MB >a.yaml
        orrery run a.yaml -q --json out.json
        full=$(json '[.fingerprint, .jobs[0].iterations]')
        for t in 2 3; do
            orrery run a.yaml -q --threads $t --json out.json
            [ "$(json '[.fingerprint, .jobs[0].iterations]')" = "$full" ]
        done
        orrery run a.yaml -q --set 'jobs[0].iterations=200' --json out.json
        full=$(json '[.jobs[0] | del(.fingerprint)]')
        orrery run a.yaml -q --set 'jobs[0].iterations=200' --set repeat=exact \
            --json out.json
        [ "$(json '.repeat.jumps | length')" -gt 0 ]
        [ "$(json '[.jobs[0] | del(.fingerprint)]')" = "$full" ]
        orrery run a.yaml -q --set 'jobs[0].iterations=200' \
            --set repeat=sampled --json out.json
        [ "$(json '.repeat.jumps | length')" -gt 0 ]
        [ "$(json '.jobs[0].iterations')" = \
            "$(jq -c '.[0].iterations' <<<"$full")" ]
    done
}

@test "explain: the parts of an iteration that overlaps add up to the picosecond" {
    local i
    layers all 3MB >a.yaml
    orrery run a.yaml -q --json run.json
    for i in 0 1 20 39; do
        orrery explain a.yaml --iteration $i --json out.json
        [ "$status" -eq 0 ]
        [ "$(json '.explained[0] | [.parts[].time_ns * 1000 | round] | add')" = \
            "$(json '.explained[0].duration_ns * 1000 | round')" ]
        [ "$(json '.explained[0].duration_ns')" = "$(
            jq ".jobs[0].iterations[$i].duration_ns" run.json
        )" ]
    done
}

@test "gates: each iteration takes a turn of its own" {
    layers first 1MB >a.yaml
    orrery run a.yaml -q --json out.json \
        --set 'jobs[0].gate={period: 7ms, offset: 1ms, drift: none}'
    [ "$status" -eq 0 ]
    # one a period, however many are open
    json '.jobs[0].iterations | .[39].end_ns - .[9].end_ns'
    json '.jobs[0].iterations | .[39].end_ns - .[9].end_ns' | awk '
        $1 < 30 * 7e6 - 1e5 || $1 > 30 * 7e6 + 1e5 { exit 1 }'
    [ "$(json '.jobs[0].iterations[20].open')" = 2 ]
}

@test "profiles: one period of the steady state" {
    layers first 1MB >a.yaml
    orrery plan a.yaml
    [ "$status" -eq 0 ]
    grep -q '^  a  *6 ms' ../out
    layers all 3MB >a.yaml
    orrery plan a.yaml
    grep -q '^  a  *9.001 ms' ../out
}

# stale WAIT N: VGG16 by DDP on four hosts.
vgg() {
    cat <<END
topology: {kind: switch, hosts: 4, link: {rate: $1, delay: 1us}}
network: {mtu: 64000B, header: 0B, ack: 1B, transport: reliable, window: 1MB}
record: none
jobs:
  - {name: v, model: vgg16, batch: 64, ranks: 4, sync: $2, iterations: 6}
END
}

# Without classes the gradients of the first layers wait for all others.
@test "gradients in traffic classes by layer: the first layers go first" {
    local n
    vgg 10Gbps ddp | sed 's/ranks: 4,/ranks: 4, wait: layer,/' >a.yaml
    for n in 1 2 8; do
        orrery run a.yaml -q --json "$n.json" --threads $((1 + n % 2)) \
            --set "jobs[0].layer_classes=$n" --set network.queue.scheduler=strict
        [ "$status" -eq 0 ]
    done
    orrery run a.yaml -q --json threads.json --threads 2 \
        --set 'jobs[0].layer_classes=8' --set network.queue.scheduler=strict
    [ "$(jq .fingerprint 8.json)" = "$(jq .fingerprint threads.json)" ]
    # as many bytes; what all layers stale take is reached without any
    orrery run a.yaml -q --json all.json --set 'jobs[0].stale_layers=16'
    jq -es '(map(.jobs[0].bytes_sent) | unique | length == 1) and
        (map(.jobs[0].iterations[4].duration_ns) |
        .[1] < 0.9 * .[0] and .[2] < 0.99 * .[1] and .[2] < .[3])' \
        1.json 2.json 8.json all.json
    # the same of servers, one by one
    sed -i 's/sync: ddp/sync: parameter-server, granularity: layer, servers: [0]/; s/ranks: 4/placement: [1, 2, 3], ranks: 3/' a.yaml
    for n in 1 4; do
        orrery run a.yaml -q --json "$n.json" --set "jobs[0].layer_classes=$n" \
            --set network.queue.scheduler=strict
        [ "$status" -eq 0 ]
    done
    jq -es '(map(.jobs[0].bytes_sent) | unique | length == 1) and
        (map(.jobs[0].iterations[4].duration_ns) | .[1] < 0.97 * .[0])' 1.json 4.json
}

# Two layers, whose gradients are ready 1 us apart: with classes those of the
# first, which are ready last, wait for a packet of the others at each step.
@test "gradients of a higher class take what they take alone" {
    local n
    cat >model.yaml <<'END'
title: two
dtype: fp32
batch: 1
profile: {batch: 1, device: none}
layers:
  - {name: first, tensors: [1000000], forward: 1ms, backward: 1us, activations: 4B}
  - {name: second, tensors: [1000000], forward: 1ms, backward: 1us, activations: 4B}
END
    vgg 8Gbps ddp | sed 's/model: vgg16, batch: 64/model: model.yaml, batch: 1, bucket_cap: 1B, first_bucket: 1B, wait: layer/' >a.yaml
    for n in 1 2; do
        orrery run a.yaml -q --json "$n.json" --set "jobs[0].layer_classes=$n" \
            --set network.queue.scheduler=strict
        [ "$status" -eq 0 ]
    done
    jq -es 'map(.jobs[0].collectives[1].duration_ns) |
        .[1] > .[0] and .[1] <= .[0] + 6 * 64000' 1.json 2.json
}

@test "a model whose layers wait for their own gradients, and stale ones" {
    local n last=999999999 bytes=
    vgg 25Gbps ddp >a.yaml
    orrery run a.yaml -q --json out.json
    bytes=$(json '.jobs[0].bytes_sent')
    whole=$(json '.jobs[0].iterations[4].duration_ns')
    for n in 0 1 2 3 16; do
        orrery run a.yaml -q --json out.json --set 'jobs[0].wait=layer' \
            --set "jobs[0].stale_layers=$n"
        [ "$status" -eq 0 ]
        [ "$(json '.jobs[0].bytes_sent')" = "$bytes" ]
        mean=$(json '.jobs[0].iterations[4].duration_ns')
        # the first layer's gradients come last: none stale is as DDP is
        [ "$n" -gt 0 ] || [ "$mean" = "$whole" ]
        [ "${mean%.*}" -le "$last" ]
        last=${mean%.*}
    done
    # all stale: forward and backward
    [ "$mean" = 336280000 ]
    # ... or what gradients take, where that is more: nothing but gradients
    orrery run a.yaml -q --json out.json --set 'jobs[0].sync=bulk' \
        --set topology.link.rate=5Gbps --set 'jobs[0].compute=1ps' \
        --set network.mtu=16KB
    sent=$(json '.jobs[0].iterations[4].duration_ns')
    orrery run a.yaml -q --json out.json --set 'jobs[0].wait=layer' \
        --set 'jobs[0].stale_layers=16' --set topology.link.rate=5Gbps \
        --set network.mtu=16KB
    json '.jobs[0].iterations[4].duration_ns' | awk -v sent="$sent" '
        $1 < 0.999 * sent || $1 > 1.001 * sent { print $1, sent; exit 1 }'
}

@test "parameter servers: the next iteration waits for what its layers need" {
    local n last=9999999999
    vgg 25Gbps parameter-server >a.yaml
    for n in 0 8 16; do
        orrery run a.yaml -q --json out.json --set 'jobs[0].wait=layer' \
            --set 'jobs[0].granularity=layer' --set "jobs[0].stale_layers=$n"
        [ "$status" -eq 0 ]
        mean=$(json '.jobs[0].iterations | (.[5].end_ns - .[2].end_ns) / 3')
        [ "${mean%.*}" -le "$last" ]
        last=${mean%.*}
    done
}

@test "a Chakra trace keeps what waits for earlier iterations" {
    layers first 1MB >a.yaml
    # a wait that only joins, between two iterations
    sed -i 's/{id: g1, \(.*\), after: \[b1\]}/{id: w, wait: ["g2@-1", g2]}\n      - {id: g1, \1, after: [b1, w]}/' a.yaml
    orrery run a.yaml -q --json out.json
    [ "$status" -eq 0 ]
    all=$(json '.jobs[0].iterations')
    mkdir et
    orrery convert --to chakra a.yaml -o et
    [ "$status" -eq 0 ]
    grep -q 'overlap: 2' ../err
    sed '/^    program:/,$d' a.yaml >b.yaml
    echo '    trace: {format: chakra, path: et/a, groups: et/a.groups.json}' >>b.yaml
    orrery run b.yaml -q --json out.json
    [ "$status" -eq 0 ]
    [ "$(json '.jobs[0].iterations')" = "$all" ]
}

# elastic GPUS: jobs of a cluster whose all-reduces hide behind computations.
elastic() {
    cat <<END
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts: 8, link: {rate: 8Gbps, delay: 1us}}
network: {mtu: 1000B, transport: reliable}
cluster:
  arrivals: {kind: poisson, load: 80%, most: 6}
  resize: {cost: 1ms, every: 20ms}
  jobs:
  - name: a
    gpus: $1
    iterations: 30
    overlap: 2
    program:
      - {id: f, compute: 1ms, after: ["b@-1", "g@-2"]}
      - {id: b, compute: 4ms}
      - {id: g, all-reduce: {size: 100KB}}
END
}

@test "jobs of a cluster overlap, by packets and by shares, and while they are resized" {
    local how
    elastic '[2, 4]' | grep -v resize: >c.yaml
    for how in packets sampled fluid; do
        orrery run c.yaml -q --set cluster.accuracy=$how --json out.json
        [ "$status" -eq 0 ] || cat ../err
        # forward and backward; 5.3 ms, if they did not overlap
        json '.cluster.iteration_ns.mean' | awk '
            $1 < 5e6 || $1 > 5.02e6 { print; exit 1 }'
    done
    elastic '{min: 2, ask: 4, max: 8, step: double}' >c.yaml
    orrery run c.yaml -q --set cluster.accuracy=packets --json out.json
    [ "$status" -eq 0 ]
    [ "$(json '.cluster.done')" = 6 ]
    [ "$(json '.cluster.resized')" -gt 0 ]
    first=$(json .fingerprint)
    orrery run c.yaml -q --set cluster.accuracy=packets --threads 2 --json out.json
    [ "$(json .fingerprint)" = "$first" ]
}

@test "repeat: exact says when iterations began that were skipped, and overlap" {
    cat >a.yaml <<'END'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
network: {transport: reliable}
record: none
jobs:
  - ranks: 3
    placement: [0, 0, 2]
    iterations: 24
    overlap: 4
    program:
      - {id: a, compute: {time: 154us, stream: 2}}
      - {id: b, after: ["a@-3", a], compute: {time: 275us, stream: 1}}
END
    orrery run a.yaml -q --json out.json
    full=$(json .jobs)
    orrery run a.yaml -q --set repeat=exact --json out.json
    [ "$(json '.repeat.jumps | length')" -gt 0 ]
    [ "$(json .jobs)" = "$full" ]
}

# one_ahead OVERLAP: the backward pass of an iteration waits for the forward pass
# of the next: 1F1B without a flush, 1 ms and 2 ms.
one_ahead() {
    cat <<END
topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, delay: 1us}}
network: {mtu: 1000B, header: 0B, ack: 1B, transport: reliable}
record: none
jobs:
  - name: a
    ranks: 2
    iterations: 60
    overlap: $1
    program:
      - {id: f, compute: 1ms, after: ["b@-2"]}
      - {id: s, send: {to: +1, size: 10B}, after: [f]}
      - {id: r, recv: {from: +1}, after: [f]}
      - {id: b, compute: 2ms, after: [f, "f@+1"]}
END
}

@test "an operation waits for a later iteration, which is none behind the last" {
    one_ahead 2 >a.yaml
    orrery run a.yaml -q --json out.json
    [ "$status" -eq 0 ]
    [ "$(json '.jobs[0].iterations[:3] | map([.start_ns, .end_ns, .open])')" = \
        '[[0,4000000,1],[1000000,7000000,2],[4000000,10000000,2]]' ]
    [ "$(json '.jobs[0].iterations[59] | [.duration_ns, .span_ns]')" = \
        '[2000000,5000000]' ]
    all=$(json .jobs)
    for t in 1 2; do
        for how in none exact; do
            orrery run a.yaml -q --json out.json --threads $t \
                --set repeat=$how --set network.ties=index
            [ "$status" -eq 0 ]
            [ "$how" = none ] || [ "$(json '.repeat.jumps | length')" -gt 0 ]
            [ "$(json .jobs)" = "$all" ]
        done
    done
    for i in 0 1 30 59; do
        orrery explain a.yaml --iteration $i --json out.json
        [ "$(json '.explained[0] | ([.parts[].time_ns * 1000 | round] | add) == (.duration_ns * 1000 | round)')" = true ]
    done
    orrery plan a.yaml
    grep -q '^  a  *3 ms' ../out
    mkdir et
    orrery convert --to chakra a.yaml -o et
    [ "$status" -eq 0 ]
    sed '/^    program:/,$d' a.yaml >b.yaml
    echo '    trace: {format: chakra, path: et/a, groups: et/a.groups.json}' >>b.yaml
    orrery run b.yaml -q --json out.json
    [ "$status" -eq 0 ]
    [ "$(json '.jobs[0].iterations')" = "$(jq -c '.[0].iterations' <<<"$all")" ]
}

@test "circles through iterations, and too few that are open" {
    one_ahead 1 >a.yaml
    orrery run a.yaml
    [ "$status" -eq 2 ]
    grep -q '^a.yaml:8:14: overlap: an operation waits for one 1 iteration later, which is not open with 1 at once$' ../err
    # b waits for c, c for the b of the next iteration
    one_ahead 9 | sed 's/id: s, .*/id: c, compute: 1ms, after: [f, "b@+1"]}/; s/after: \[f, "f@+1"\]/after: [c]/' >a.yaml
    orrery run a.yaml
    [ "$status" -eq 2 ]
    grep -q '^a.yaml:11:[0-9]*: "b@+1" waits for a later iteration, which waits for this one: a circle' ../err
    # earlier than it is later: no circle
    one_ahead 4 | sed 's/"f@+1"/"f@+2"/; s/"b@-2"/"b@-3"/' >a.yaml
    orrery run a.yaml -q --json out.json
    [ "$status" -eq 0 ]
    [ "$(json '.jobs[0].iterations[30].duration_ns')" = 3000000 ]
    sed -i 's/"b@-3"/"b@-2"/' a.yaml
    orrery run a.yaml
    [ "$status" -eq 2 ]
    grep -q '"f@+2" waits for a later iteration' ../err
}

@test "stale_layers: auto is the least number that hides what can be hidden" {
    for rate in 10Gbps 25Gbps; do
        vgg $rate ddp >a.yaml
        at() {
            orrery run a.yaml -q --json out.json --set 'jobs[0].wait=layer' \
                --set 'jobs[0].iterations=9' --set "jobs[0].stale_layers=$1"
            [ "$status" -eq 0 ] || { cat ../err; return 1; }
            json '.jobs[0].iterations[7].duration_ns'
        }
        at auto
        n=$(json .jobs[0].stale_layers)
        auto=$(json '[.fingerprint, .jobs[0].iterations]')
        all=$(at 16)
        [ "$(at "$n")" = "$all" ]
        # as if the number had been written
        [ "$(json '[.fingerprint, .jobs[0].iterations]')" = "$auto" ]
        [ "$n" -eq 0 ] || awk -v less="$(at $((n - 1)))" -v all="$all" '
            BEGIN { exit !(less > all * 1.000001) }'
    done
    orrery run a.yaml --set 'jobs[0].wait=layer' --set 'jobs[0].stale_layers=auto'
    grep -q 'stale layers  *[0-9]* of 16, found by formulas' ../out
    orrery run a.yaml --set 'jobs[0].wait=layer' --set 'jobs[0].stale_layers=some'
    [ "$status" -eq 2 ]
    grep -q 'stale_layers: a number of layers is expected, or auto' ../err
}
