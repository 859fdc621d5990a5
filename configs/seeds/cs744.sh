#!/usr/bin/env bash
# Prints the experiments of CS744 beside what was measured: four workers train
# VGG-11 on CIFAR-10 and synchronise their gradients in three ways. One link rate
# and one cost of a message for all rows; both stand in the files.
set -eu

cd "$(dirname "$0")/../.."
ORRERY=${ORRERY:-build/orrery}
json=$(mktemp)
trap 'rm -f "$json"' EXIT

run() { # CONFIG [ARGUMENT...]
    "$ORRERY" run "configs/seeds/cs744_$1.yaml" --quiet --json "$json" \
        --set record=none "${@:2}" >/dev/null
}
value() { # FILTER over the job
    jq -r ".jobs[0] | $1" "$json"
}

seconds() { # FILTER that gives nanoseconds, ITERATIONS
    printf %.3f "$(value "($1) / 1e9 / $2")"
}

line='%-24s %8s %8s %8s   %9s %9s %9s\n'
# shellcheck disable=SC2059 # one format for all lines
say() { printf "$line" "$@"; }
say "" "seconds" "an" "iteration" "node 0:" "MB an" "iteration"
say "gradients by" "2025" "2021" "orrery" "received" "sent" "orrery"
row() { # NAME CONFIG 2025 2021 RECEIVED SENT [ARGUMENT...]
    run "$2" "${@:7}"
    say "$1" "$3" "$4" \
        "$(seconds .iteration_ns.mean 1)" "$5" "$6" "$(value \
            '([.rank_list[] | select(.host == 0).bytes_sent] | add) /
            (.iterations | length) / 1e5 | round / 10')"
}
row "gather and scatter" gather_scatter 1.3634 1.2564 - -
row "all-reduce (ring)" allreduce 1.0231 0.9883 55.6 55.7
row "DDP, buckets of 25 MiB" ddp 0.870 0.7679 54.1 54.2
row "asynchronous, slowest" asynchronous - shorter - more
say "asynchronous, fastest" - shorter "$(seconds '[.rank_list[:4][]
    | .compute_ns + .exposed_communication_ns] | min' 10)" - more ""

printf '\n%-24s %11s %8s %36s\n' "DDP, bucket_cap" "s/iteration" "buckets" \
    "node 0: B on the wire, both ways"
for cap in 5 10 25 50; do
    run ddp --set "jobs[0].bucket_cap=${cap}MiB"
    printf '%-24s %11.3f %8d %36d\n' "$cap MiB" \
        "$(value '.iteration_ns.mean / 1e9')" \
        "$(value '(.collectives | length) / (.iterations | length)')" \
        "$(jq '.jobs[0].iterations as $i | [.links.busiest[]
            | select(.from == 0 or .to == 0).bytes] | add / ($i | length)' \
            "$json")"
done
