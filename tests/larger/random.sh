#!/usr/bin/env bash
# random.sh [N [SEED]]: runs N random small experiments, SEED, SEED + 1, ...,
# each with one, two and three threads, with computed and explicit ports, with a
# process for each node, and without records. All must be the same run: one
# fingerprint and one summary.
# Only datagrams may be lost for good (status 1). Says how to repeat what fails.
set -u

cd "$(dirname "$0")" || exit 1
count=${1:-50}
seed=${2:-1}
ORRERY=${ORRERY:-../../build/orrery}
ORRERY=$(realpath "$ORRERY")
LIMIT=${LIMIT:-60} # seconds of CPU time for one run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# go NAME OPTION...: one run; NAME.json is what has to agree, NAME.status how it
# ended. Which link held a collective up is found out from the records.
go() {
    local name=$1 status=0
    (ulimit -t "$LIMIT" && exec timeout $((LIMIT * 20)) \
        "$ORRERY" run "$work/scenario.yaml" --quiet \
        --json "$work/all.json" -o "$work/$name.h5" "${@:2}" \
        2>"$work/$name.err") || status=$?
    echo $status >"$work/$name.status"
    [ $status -le 1 ] && jq \
        'del(.wall, .output, .jobs[].collectives[].limiting_link)' \
        "$work/all.json" >"$work/$name.json"
}

# What must hold in any run by itself; prints what does not. Bounds of collectives
# and utilization go by the rates of the topology, which `failures` may raise.
sane() {
    jq -r --argjson datagram "$1" --argjson pause "$2" --argjson rates "$3" '
        def must(what; ok): if ok then empty else what end;
        must("packets do not balance"; .counters |
             .packets_sent == .packets_delivered + .packets_dropped),
        must("dropped though senders are paused"; ($pause | not) or
             .counters.packets_dropped == 0),
        must("a flow is open"; $datagram or .flows.count == .flows.completed),
        must("a flow beats the ideal one";
             [.flows.list[] | select(.fct_ns) | .fct_ns >= .ideal_ns] | all),
        must("a collective beats its bound"; $rates or
             ([.jobs[].collectives[] | select(.lower_bound_ns) |
               .duration_ns == null or .duration_ns >= .lower_bound_ns] |
              all)),
        must("a link is more than busy";
             [.links.busiest[] | ($rates or .utilization <= 1)
              and .mean_queue_bytes >= 0
              and .mean_queue_bytes <= .max_queue_bytes] | all),
        must("time runs backwards";
             [.jobs[].iterations[] | select(.span_ns) | .span_ns >= 0] |
             all)' "$work/one.json" 2>&1
}

# Everything about one scenario; prints what is wrong.
try() {
    local name datagram=false pause=false rates=false
    grep -q 'transport: datagram' "$work/scenario.yaml" && datagram=true
    grep -q 'at: 0s' "$work/scenario.yaml" && rates=true
    grep -q 'pfc:' "$work/scenario.yaml" &&
        ! grep -q 'loss:\|down:' "$work/scenario.yaml" && pause=true
    go one
    go two --threads 2
    go three --threads 3 --set record.interval=1ms
    go explicit --set network.ports=explicit
    go nodes --set network.processes=nodes
    go both --set network.ports=explicit --threads 2 --set record=none
    case $(cat "$work/one.status") in
    0) ;;
    1) $datagram || { echo "failed"; cat "$work/one.err"; } ;;
    *) echo "status $(cat "$work/one.status")"; cat "$work/one.err"; return ;;
    esac
    for name in two three explicit nodes both; do
        cmp -s "$work/one.status" "$work/$name.status" ||
            { echo "$name: another status"; cat "$work/$name.err"; continue; }
        cmp -s "$work/one.json" "$work/$name.json" ||
            { echo "$name: another run";
              diff "$work/one.json" "$work/$name.json" | head -20; }
    done
    sane "$datagram" "$pause" "$rates"
}

bad=0
for ((i = seed; i < seed + count; i++)); do
    awk -v seed=$i -f scenario.awk >"$work/scenario.yaml"
    rm -f "$work"/*.json "$work"/*.h5* "$work"/*.status
    said=$(try)
    [ -z "$said" ] && continue
    bad=$((bad + 1))
    printf 'scenario %d (awk -v seed=%d -f tests/larger/scenario.awk)\n%s\n' \
        "$i" "$i" "$said"
done
echo "random: $((count - bad)) passed, $bad failed"
[ $bad -eq 0 ]
