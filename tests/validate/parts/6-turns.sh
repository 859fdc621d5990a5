# Where MLTCP makes jobs take turns: control x number of jobs x ratio of periods
# x how much of a link of 50 Gbps, both ways, they ask for. Each job of a mix
# computes and then sends the same bytes; those that could take turns in 10 ms, a
# few iterations long. From four random starts; of each the last third of
# iterations, the mean, of the job that loses most, over what it takes alone:
# 1 are turns. Starts make an interval, and the worst of them is what
# workload/schedule/mltcp_range.c tells; up to 1.05 are turns. Mixes that do not
# settle depend on every packet; they are shown beside what the table says.
# shellcheck shell=bash

turns_queue() {
    case $1 in
    dctcp) echo '{kind: ecn, capacity: 2MB, threshold: 200KB}' ;;
    dcqcn) echo '{kind: red, capacity: 8MB, kmin: 200KB, kmax: 800KB, pmax: 0.2}' ;;
    swift) echo '{kind: droptail, capacity: 4MB}' ;;
    *) echo '{kind: droptail, capacity: 1MB}' ;;
    esac
}

# turns_mix CONTROL USAGE SEED MULTIPLE...: to $tmp/turns.yaml; periods of
# 10 ms times MULTIPLE
turns_mix() {
    local control=$1 usage=$2 seed=$3 n=$(($# - 3)) us i
    shift 3
    us=$((100 * usage / n)) # that each sends for
    cat >"$tmp/turns.yaml" <<END
topology: {kind: dumbbell, left: $n, right: $n, link: {rate: 50Gbps, delay: 1us}, bottleneck: {rate: 50Gbps, delay: 1us}}
network: {mtu: 9000B, cc: $control, queue: $(turns_queue "$control")}
schedule: {kind: mltcp${turns_keys:+, $turns_keys}}
jobs:
END
    for ((i = 0; i < n; i++)); do
        echo "  - {name: j$i, ranks: 2, placement: [$i, $((i + n))]," \
            "start: $(((seed * 7919 + i * 4241 + seed * i * 1543) % 10000))us," \
            "iterations: $((60 / $1)), complete: acked, program:" \
            "[compute: $(($1 * 10000 - us))us, {parallel: [{send: {to: +1," \
            "size: $((us * 6250))B}}, {recv: {from: +1}}]}]}"
        shift
    done >>"$tmp/turns.yaml"
}

# The job that loses most, over its period, from four starts.
turns_took() {
    local seed
    for seed in 1 2 3 4; do
        turns_mix "$1" "$2" $seed "${@:3}"
        simulate "$tmp/turns.yaml"
        json "[.jobs[].iterations | .[length * 2 / 3 | floor:] |
            map(.duration_ns) | add / length] as \$took |
            [$(IFS=,; echo "${*:3}")] as \$times |
            [range(\$took | length) | \$took[.] / \$times[.] / 1e7] | max"
    done
}

# turns_row CONTROL WORST USAGE MULTIPLE...
turns_row() {
    local interval worst
    turns_took "$1" "${@:3}" >"$tmp/turns"
    interval=$(awk '{ s += $1; q += $1 * $1 }
        END { m = s / NR; printf "%.3f +- %.3f", m,
            3.182 * sqrt((q / NR - m * m) / (NR - 1)) }' "$tmp/turns")
    worst=$(sort -g "$tmp/turns" | tail -1)
    if awk "BEGIN { exit !($2 <= 1.05) }"; then
        row "$1, $3 %, ${turns_keys:+$turns_keys, }${*:4}: $interval" "$worst" 1 0.05
    else
        beside "$1, $3 %, ${turns_keys:+$turns_keys, }${*:4}: $interval" "$worst" "$2"
    fi
}

heading 'MLTCP: the job that loses most, of alone; worst of 4 starts'
# the rows of the table: control, usage and periods, as there
while read -r control worst usage periods; do
    case " ${MLTCP:-$control} " in
    *" $control "*) ;;
    *) continue ;;
    esac
    # shellcheck disable=SC2086 # some words
    turns_row "$control" "$worst" $usage $periods
done <<'END'
reno 1.02 67 1 1
reno 1.02 90 1 1
reno 1.19 75 1 1 1
reno 1.25 90 1 1 1
reno 1.23 80 1 1 1 1
reno 1.35 80 1 1 1 1 1 1
reno 1.03 60 1 2
reno 1.01 90 1 2
reno 1.02 75 1 2 2
cubic 1.02 67 1 1
cubic 1.02 90 1 1
cubic 1.13 75 1 1 1
cubic 1.47 90 1 1 1
cubic 1.09 80 1 1 1 1
cubic 1.52 80 1 1 1 1 1 1
cubic 1.01 60 1 2
cubic 1.02 90 1 2
cubic 1.09 75 1 2 2
dctcp 1.01 67 1 1
dctcp 1.01 90 1 1
dctcp 1.01 75 1 1 1
dctcp 1.02 90 1 1 1
dctcp 1.21 80 1 1 1 1
dctcp 1.37 80 1 1 1 1 1 1
dctcp 1.01 60 1 2
dctcp 1.01 90 1 2
dctcp 1.03 75 1 2 2
swift 1.00 67 1 1
swift 1.00 90 1 1
swift 1.01 75 1 1 1
swift 1.00 90 1 1 1
swift 1.00 80 1 1 1 1
swift 1.17 80 1 1 1 1 1 1
swift 1.01 60 1 2
swift 1.01 90 1 2
swift 1.01 75 1 2 2
dcqcn 1.00 67 1 1
dcqcn 1.64 90 1 1
dcqcn 1.58 75 1 1 1
dcqcn 1.79 90 1 1 1
dcqcn 1.63 80 1 1 1 1
dcqcn 1.68 80 1 1 1 1 1 1
dcqcn 1.00 60 1 2
dcqcn 1.01 90 1 2
dcqcn 1.00 75 1 2 2
END

# With the slope that the authors' code has, 4, those of the rows above that did
# not settle and do then. Others become no better.
turns_keys='slope: 4'
while read -r control worst usage periods; do
    case " ${MLTCP:-$control} " in
    *" $control "*) ;;
    *) continue ;;
    esac
    # shellcheck disable=SC2086 # some words
    turns_row "$control" "$worst" $usage $periods
done <<'END'
dcqcn 1.00 90 1 1
dctcp 1.02 80 1 1 1 1
reno 1.04 75 1 1 1
swift 1.01 80 1 1 1 1 1 1
END
