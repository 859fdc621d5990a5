# repeat: sampled. Ten mixes of jobs that share a leaf-spine of 2:1: the mean
# iteration of each job beside that of the run in which all is simulated, within
# the error that was asked for.
# shellcheck shell=bash

mix_error=3%

# mix NAME: its jobs, one a line: name, leaves that it lies across, compute time,
# size of its all-reduce, iterations
mix_jobs() {
    case $1 in
    pair | pair_*) echo "a 4 400us 1MiB 600" "b 4 500us 1MiB 600" ;;
    three | three_*)
        echo "a 4 300us 1MiB 600" "b 4 500us 1MiB 600" "c 4 700us 2MiB 600"
        ;;
    short) echo "a 4 300us 1MiB 600" "b 4 500us 1MiB 120" ;;
    four)
        echo "a 4 200us 512KiB 500" "b 4 300us 512KiB 500" \
            "c 4 500us 1MiB 500" "d 4 700us 1MiB 500"
        ;;
    long) echo "a 4 2ms 4MiB 300" "b 4 3ms 2MiB 300" ;;
    esac
}

# write_mix NAME CC ARGUMENT...: $tmp/mix.yaml
write_mix() {
    local first=0 name ranks compute size iterations
    {
        echo "topology: {kind: leaf-spine, leaves: 4, spines: 2," \
            "hosts_per_leaf: 4, link: {rate: 25Gbps, delay: 1us}}"
        echo "network: {mtu: 4096B, cc: $2," \
            "queue: {kind: ecn, threshold: 100KB}}"
        echo "seed: ${3:-1}"
        echo "jobs:"
        mix_jobs "$1" | grep -o '[a-z] [0-9]* [^ ]* [^ ]* [0-9]*' |
            while read -r name ranks compute size iterations; do
                echo "  - {name: $name, ranks: $ranks, iterations: $iterations," \
                    "placement: [$first, $((first + 4)), $((first + 8))," \
                    "$((first + 12))], program: [{compute: $compute}," \
                    "{all-reduce: {size: $size, algorithm: ring}}]}"
                first=$((first + 1))
            done
    } >"$tmp/mix.yaml"
}

# one_mix NAME CC [SEED]: all its jobs
one_mix() {
    local job
    write_mix "$@"
    simulate "$tmp/mix.yaml"
    cp "$tmp/out.json" "$tmp/full.json"
    simulate "$tmp/mix.yaml" --set "repeat={kind: sampled, error: $mix_error}"
    for job in $(jq -r '.jobs[].name' "$tmp/full.json"); do
        row "$1 $2: $job, $(json ".repeat.jobs[] | select(.name == \"$job\") |
            .inferred") inferred" \
            "$(json ".jobs[] | select(.name == \"$job\").iteration_ns.mean")" \
            "$(jq ".jobs[] | select(.name == \"$job\").iteration_ns.mean" \
                "$tmp/full.json")" "$mix_error" ns
    done
}

heading 'repeat: sampled, mean iteration (reference: all simulated)'
one_mix pair dctcp
one_mix pair reno
one_mix pair cubic
one_mix pair swift
one_mix three dctcp
one_mix three dctcp 2
one_mix three '{kind: mltcp, base: dctcp}'
one_mix short dctcp
one_mix four dctcp
one_mix long dctcp

# six_jobs ERROR: the mix of configs/studies/schedules.yaml, whose jobs end one
# after another, each with other periods.
six_jobs() {
    local job config=configs/studies/schedules.yaml
    local -a longer=()
    for job in 0 1 2 3 4 5; do
        longer+=(--set "jobs[$job].iterations=300"
            --set "jobs[$job].warmup=0")
    done
    simulate $config "${longer[@]}"
    cp "$tmp/out.json" "$tmp/full.json"
    simulate $config "${longer[@]}" \
        --set "repeat={kind: sampled, error: $1}"
    for job in $(jq -r '.jobs[].name' "$tmp/full.json"); do
        row "six jobs: $job, $(json ".repeat.jobs[] | select(.name == \"$job\") |
            .inferred") of 300 inferred" \
            "$(json ".jobs[] | select(.name == \"$job\").iteration_ns.mean")" \
            "$(jq ".jobs[] | select(.name == \"$job\").iteration_ns.mean" \
                "$tmp/full.json")" "$1" ns
    done
}

six_jobs 5%
