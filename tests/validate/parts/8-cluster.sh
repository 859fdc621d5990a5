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

# small SEED ACCURACY: 24 servers of 4 racks, 50 jobs of 100 iterations
small() {
    simulate configs/cluster/small.yaml --seed "$1" \
        --set cluster.arrivals.most=50 \
        --set 'cluster.jobs[0].iterations=100' \
        --set 'cluster.jobs[1].iterations=100' --set "cluster.accuracy=$2"
}

completion() {
    json '.cluster.completion_ns.mean / 1e9'
}

# what it may be off by, in s: 2 %, or more where the run itself says so, as
# what all packets do there hangs on a nanosecond
interval() {
    json '[.basis.intervals.completion_ns_mean,
           0.02 * .cluster.completion_ns.mean] | max / 1e9'
}

accuracies() {
    local seed whole
    heading 'Mean completion of 50 jobs: inferred beside all packets (fluid: no promise)'
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        small $seed packets
        whole=$(completion)
        small $seed sampled
        row "seed $seed, sampled: 2 %, or its interval" "$(completion)" \
            "$whole" "$(interval)" s
        small $seed fluid
        row "seed $seed, fluid" "$(completion)" "$whole" 5% s
    done
}

ORRERY_CACHE=$tmp/cache
export ORRERY_CACHE
queues
accuracies
