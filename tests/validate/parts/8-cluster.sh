# Clusters over time. Jobs without messages are customers of a queue:
# what they wait is on paper (Erlang C; Pollaczek and Khinchine). And clusters
# small enough to be run packet by packet, all of it, beside what is inferred
# from some iterations, and beside shares of links without packets.
# shellcheck shell=bash

# queue GPUS DURATION LOAD [EACH]: to $tmp/queue.yaml; EACH GPUs a job, 1
queue() {
    cat >"$tmp/queue.yaml" <<END
topology: {kind: switch, hosts: $1, link: {rate: 10Gbps, delay: 1us}}
cluster:
  accuracy: fluid
  arrivals: {kind: poisson, load: $3, most: 10000}
  jobs: [{name: one, gpus: ${4:-1}, duration: $2, program: [compute: 1ms]}]
END
}

# waits NAME THEORY GPUS DURATION LOAD [EACH]: the mean wait of ten seeds of
# 10,000 jobs, in s; allowed is the 99.9 % interval of that mean (Student's t)
waits() {
    local seed=0 figures mean half
    queue "${@:3}"
    figures=$(while [ $((seed += 1)) -le 10 ]; do
        simulate "$tmp/queue.yaml" --seed $seed
        json '.cluster.queueing_ns.mean / 1e9'
    done)
    mean=$(means <<<"$figures")
    half=$(deviations <<<"$figures" | awk '{ print 4.781 * $1 / sqrt(10) }')
    row "$1" "$mean" "$2" "$half" s
}

queues() {
    heading 'Waiting for GPUs: 99.9 % intervals of ten runs'
    # M/M/c: C(c, a) / (c (1 - rho)) times the mean service
    waits 'M/M/2, 50 % load' 33.3333 2 '{exponential: {mean: 100s}}' 50%
    waits 'M/M/4, 80 % load' 74.5541 4 '{exponential: {mean: 100s}}' 80%
    waits 'M/M/8, 80 % load' 28.6028 8 '{exponential: {mean: 100s}}' 80%
    # M/G/1, each job has both GPUs: rate E[S^2] / (2 (1 - rho))
    waits 'M/M/1, 50 % load' 100 2 '{exponential: {mean: 100s}}' 50% 2
    waits 'M/D/1, 50 % load' 50 2 100s 50% 2
    waits 'M/G/1, lognormal, 50 % load' 100 2 \
        '{lognormal: {mean: 100s, sd: 100s}}' 50% 2
    waits 'M/G/1, uniform, 80 % load' 266.667 2 \
        '{uniform: {min: 1ms, max: 200s}}' 80% 2
}

# small SEED ACCURACY [LONGER]: 24 servers of 4 racks, 50 jobs of 100
# iterations; links are LONGER ns longer
small() {
    simulate configs/cluster/small.yaml --seed "$1" \
        --set cluster.arrivals.most=50 \
        --set 'cluster.jobs[0].iterations=100' \
        --set 'cluster.jobs[1].iterations=100' \
        --set "topology.link.delay=$((1000 + ${3:-0}))ns" \
        --set "cluster.accuracy=$2"
}

completion() {
    json '.cluster.completion_ns.mean / 1e9'
}

# all_packets SEED: mean completion by all packets, s, and half of the 95 %
# interval of it. Such a cluster is chaotic: one job that ends a moment later
# is behind whom others queue, and a nanosecond moves the mean by a twentieth.
# One run is a draw; these are DRAWS of them, by links that are a little longer.
DRAWS='0 1 3 10'
T_DRAWS=3.182 # Student's t of four draws, 95 %
all_packets() {
    local longer draws
    draws=$(for longer in $DRAWS; do
        small "$1" packets "$longer"
        completion
    done)
    echo "$(means <<<"$draws") $(deviations <<<"$draws" |
        awk -v t=$T_DRAWS '{ print t * $1 / sqrt(4) }')"
}

# What `sampled` may be off by, in s: the 2 % that it was asked for, or the 95 %
# interval of a difference of what the run knows itself to and what draws of
# all packets do. interval MEAN HALF
interval() {
    json ".basis.intervals.completion_ns_mean / 1e9" |
        awk -v mean="$1" -v half="$2" '{
            both = sqrt($1 * $1 + half * half)
            print (both > 0.02 * mean ? both : 0.02 * mean) }'
}

# accuracies SEED...
accuracies() {
    local seed whole half sampled off='' fluid=''
    heading "Mean completion of 50 jobs beside four draws of all packets"
    for seed; do
        read -r whole half <<<"$(all_packets "$seed")"
        small "$seed" sampled
        sampled=$(completion)
        row "seed $seed, sampled: 2 %, or 95 % of the difference" \
            "$sampled" "$whole" "$(interval "$whole" "$half")" s
        off+=$(awk '{ print 100 * ($1 / $2 - 1) }' <<<"$sampled $whole")$'\n'
        small "$seed" fluid
        beside "seed $seed, fluid" "$(completion)" "$whole" s
        fluid+=$(awk '{ print 100 * ($1 / $2 - 1) }' \
            <<<"$(completion) $whole")$'\n'
    done
    # chance goes both ways; what stays in the mean is how it is done
    row 'sampled, mean of the differences: 2 %' \
        "$(printf %s "$off" | means)" 0 2 %
    beside 'fluid, mean of the differences' "$(printf %s "$fluid" | means)" 0 %
    beside 'fluid, deviation of the differences' \
        "$(printf %s "$fluid" | deviations)" 0 %
}

# gavel TRACE GPUS: so many V100s, first come, first served, jobs by the
# throughputs of Gavel's own file for their type and scale factor
gavel() {
    cp "$gavel/traces/physical_cluster/$1.trace" "$tmp/gavel.trace"
    cut -f1,7 "$tmp/gavel.trace" | sort -u |
        jq -R -s --slurpfile all "$gavel/simulation_throughputs.json" \
            --argjson gpus "$2" '
            [split("\n")[] | select(. != "") | split("\t")] | group_by(.[0]) |
            map({name: .[0][0], gpus: (.[0][1] | tonumber), iterations: 1,
                 throughput: {v100: (map({(.[1]):
                     $all[0].v100["(\u0027\(.[0])\u0027, \(.[1]))"]["null"]}) |
                     add)}}) |
            {topology: {kind: "leaf-spine", leaves: 1, spines: 1, hosts: $gpus,
                        link: {rate: "10Gbps", delay: "1us"},
                        servers: {gpus: 1, link: {rate: "100Gbps", delay: "1us"},
                                  groups: [{count: $gpus, gpu: "v100"}]}},
             cluster: {accuracy: "fluid", jobs: .,
                       arrivals: {trace: {file: "gavel.trace",
                                          format: "gavel"}}}}' \
            >"$tmp/gavel.yaml"
    simulate "$tmp/gavel.yaml"
}

# Figures of the simulator of Gavel (OSDI 2020), policy fifo, rounds of 360 s: a
# job of it ends with a round of its own, so that what differs is a second or
# two. Its traces and throughputs are read where its repository is.
gavels() {
    local name gpus mean
    gavel=${ORRERY_GAVEL:-../shared/data/gavel/scheduler}
    heading "Mean completion by Gavel's simulator, 0.1 %"
    if [ ! -d "$gavel/traces" ]; then
        echo "left out: $gavel is not there (ORRERY_GAVEL: its folder scheduler)"
        return
    fi
    while read -r name gpus mean; do
        gavel "$name" "$gpus"
        row "$name, $gpus GPUs" "$(completion)" "$mean" \
            "$(awk '{ print $1 / 1000 }' <<<"$mean")" s
    done <<'END'
artifact_evaluation 4 3434.0
medium_test 8 13829.5
minimize_makespan 20 54879.94
END
}

# Figures of the simulator of Muri (SIGCOMM 2022), which is that of Tiresias: the
# first 300 jobs of its Philly trace on 8 servers of 8 GPUs, whose iterations it
# has take 1.5 % longer; `shortest` is srtf, `shortest-gpu` the same by GPU time.
muris() {
    local queue mean
    muri=${ORRERY_MURI:-../shared/data/muri/simulator}
    heading "Mean completion by Muri's simulator, 0.01 %"
    if [ ! -d "$muri/trace-data" ]; then
        echo "left out: $muri is not there (ORRERY_MURI: its folder simulator)"
        return
    fi
    awk -F, 'NR == 1 { print "name,at,gpus,duration" }
             NR > 1 && NR <= 301 {
                 printf "j%s,%sms,%s,%.6fs\n", $1, $3, $2, $4 * $9 * 1.015e-3
             }' "$muri/trace-data/trace1.csv" >"$tmp/muri.csv"
    cat >"$tmp/muri.yaml" <<END
topology: {kind: leaf-spine, leaves: 1, spines: 1, hosts: 8, link: {rate: 10Gbps, delay: 1us}, servers: {gpus: 8, link: {rate: 100Gbps, delay: 1us}}}
cluster:
  accuracy: fluid
  arrivals: {trace: {file: muri.csv}}
  jobs: [{name: x, gpus: 1, duration: 1s, program: [compute: 1ms]}]
END
    while read -r mean queue; do
        simulate "$tmp/muri.yaml" --set "cluster.queue=$queue"
        row "trace1, $queue" "$(completion)" "$mean" \
            "$(awk '{ print $1 / 10000 }' <<<"$mean")" s
    done <<'END'
2525937.73 srtf
1817817.40 {kind: srtf, by: gpu-time}
END
}

# crowded GPUS LEAVES SPINES PLACEMENT QUEUE LOAD MOST SEED: to
# $tmp/crowded.yaml: short jobs, most of which share links
crowded() {
    cat >"$tmp/crowded.yaml" <<END
topology: {kind: leaf-spine, hosts: $1, leaves: $2, spines: $3, link: {rate: 50Gbps, delay: 1us}}
network: {cc: dctcp, mtu: 64KiB, queue: {kind: ecn, capacity: 4MB, threshold: 800KB}}
seed: $8
repeat: {kind: sampled, error: 2%}
cluster:
  arrivals: {kind: poisson, load: $6, most: $7}
  jobs:
  - {name: a, gpus: [3, 5], iterations: 60, program: [compute: 25ms, all-reduce: {size: 40MB}]}
  - {name: b, gpus: [4], iterations: {uniform: {min: 40, max: 120}}, program: [compute: 12ms, all-to-all: {size: 30MB}]}
  placement: $4
  queue: $5
END
}

# crowd NAME ARGUMENT...: the mean slowdown with links 0 to 100 ns longer, by
# sampling that goes on, beside all packets; allowed is the 95 % interval of the
# difference of the two means
crowd() {
    local longer accuracy
    crowded "${@:2}"
    for accuracy in packets sampled; do
        for longer in 0 1 10 30 100; do
            simulate "$tmp/crowded.yaml" --set cluster.accuracy=$accuracy \
                --set cluster.dearer=go-on --set cluster.replications=0 \
                --set topology.link.delay=$((1000 + longer))ns
            json .cluster.slowdown.mean
        done >"$tmp/$accuracy"
    done
    row "$1" "$(means <"$tmp/sampled")" "$(means <"$tmp/packets")" \
        "$(echo "$(deviations <"$tmp/sampled") $(deviations <"$tmp/packets")" |
            awk '{ print 2.306 * sqrt(($1 * $1 + $2 * $2) / 5) }')"
}

crowds() {
    heading 'Crowded clusters, five draws: sampled beside packets'
    crowd '16 jobs on 18 GPUs, slowdown' 18 3 2 spread fifo 85% 16 101
    crowd '14 jobs on 16 GPUs, slowdown' 16 2 1 random '{kind: srtf}' 90% 14 104
}

ORRERY_CACHE=$tmp/cache
export ORRERY_CACHE
queues
gavels
muris
accuracies 1 2 3 4 5 6 7 8 9 10
crowds
