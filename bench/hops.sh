#!/usr/bin/env bash
# hops.sh [check|update]: what a packet-hop costs where it does not matter how
# busy the machine is: instructions, and misses of a 1 MiB second-level cache,
# by callgrind, inside orr__net_run. Prints a table beside bench/hops.tsv;
# `check` fails when a case became dearer than that by more than 5 %, `update`
# writes it anew. CASES="k8 ring" takes some of them. One thread, no records. The
# figures kept are those of the Makefile's flags and Debian 12's gcc.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
BUILD=$(realpath "${BUILD:-build}")
ORRERY=${ORRERY:-$BUILD/orrery}
CASES=${CASES:-k8 k16 k16short ring explicit hpcc dcqcn nscc aggregate}
kept=bench/hops.tsv
configs=bench/configs
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Prints the arguments of a case, one a line.
arguments() {
    local red='{kind: red, capacity: 32MiB, kmin: 400KB, kmax: 1600KB, pmax: 0.2}'

    case $1 in
    k8 | explicit | hpcc | dcqcn | nscc)
        printf '%s\n' $configs/fat_tree.yaml --set "flows=[{file: $tmp/k8}]"
        ;;&
    k16 | k16short)
        printf '%s\n' $configs/fat_tree.yaml --set topology.k=16 \
            --set "flows=[{file: $tmp/$1}]"
        ;;
    ring) printf '%s\n' $configs/ring_small.yaml ;;
    aggregate) printf '%s\n' $configs/aggregate.yaml ;;
    explicit) printf '%s\n' --set network.ports=explicit ;;
    hpcc) printf '%s\n' --set network.cc=hpcc ;;
    nscc)
        printf '%s\n' --set 'network={preset: uec-nscc}'
        ;;
    dcqcn)
        printf '%s\n' --set network.cc=dcqcn --set "network.queue=$red" \
            --set 'network.pfc={enabled: true}'
        ;;
    esac
}

name_of() {
    case $1 in
    k8) echo "k = 8, 128 flows, DCTCP" ;;
    k16) echo "k = 16, 1,024 flows" ;;
    k16short) echo "the same, an eighth as long" ;;
    ring) echo "ring all-reduce, 1,024 ranks" ;;
    explicit) echo "k = 8, ports: explicit" ;;
    hpcc) echo "k = 8, HPCC" ;;
    dcqcn) echo "k = 8, DCQCN, RED, PFC" ;;
    nscc) echo "k = 8, NSCC, sprayed, trimmed" ;;
    aggregate) echo "k = 8, added up by switches" ;;
    esac
}

# cost CASE: "instructions misses" for a packet-hop
cost() {
    local hops

    mapfile -t list < <(arguments "$1")
    valgrind --tool=callgrind --cache-sim=yes --LL=1048576,16,64 \
        --toggle-collect=orr__net_run --callgrind-out-file="$tmp/out.$1" \
        "$ORRERY" run "${list[@]}" --quiet --threads 1 \
        --json "$tmp/json" >"$tmp/log" 2>&1 || {
        cat "$tmp/log" >&2
        exit 2
    }
    [ -z "${KEEP-}" ] || cp "$tmp/out.$1" "$KEEP"
    hops=$(jq -r .counters.packet_hops "$tmp/json")
    awk -v hops="$hops" '
    $1 == "events:" { for (i = 2; i <= NF; i++) name[i] = $i }
    $1 == "summary:" || $1 == "totals:" {
        for (i = 2; i <= NF; i++)
            sum[name[i]] = $i
    }
    END {
        printf "%.1f %.2f\n", sum["Ir"] / hops,
            (sum["ILmr"] + sum["DLmr"] + sum["DLmw"]) / hops
    }' "$tmp/out.$1"
}

# kept CASE COLUMN
kept() {
    awk -v name="$1" -v column="$2" '$1 == name { print $column }' $kept
}

# dearer NOW BEFORE ROOM: more than 5 % and this room above
dearer() {
    [ -n "$2" ] && awk "BEGIN { exit !($1 > 1.05 * $2 + $3) }"
}

command -v valgrind >/dev/null || {
    echo "hops.sh: no valgrind: \`make deps-develop\` installs it" >&2
    [ "${1-}" != check ]
    exit
}
awk -v hosts=128 -v rounds=1 -v period=0 -v seed=1 \
    -f bench/permutation.awk >"$tmp/k8"
awk -v hosts=1024 -v rounds=1 -v period=0 -v seed=1 \
    -f bench/permutation.awk >"$tmp/k16"
awk '{ print $1, $2, int($3 / 8) }' "$tmp/k16" >"$tmp/k16short"

printf '%-30s %12s %10s %9s %9s\n' 'for a packet-hop' instructions \
    'L2 misses' 'kept' 'kept'
bad=0
for case in $CASES; do
    read -r instructions misses < <(cost "$case")
    printf '%-30s %12s %10s %9s %9s' "$(name_of "$case")" "$instructions" \
        "$misses" "$(kept "$case" 2)" "$(kept "$case" 3)"
    if dearer "$instructions" "$(kept "$case" 2)" 0 ||
        dearer "$misses" "$(kept "$case" 3)" 0.05; then
        printf '  dearer'
        bad=$((bad + 1))
    fi
    echo
    printf '%s\t%s\t%s\n' "$case" "$instructions" "$misses" >>"$tmp/new"
done
if [ "${1-}" = update ]; then # cases that were left out stay as they were
    awk 'NR == FNR { new[$1] = $0; next } { print $1 in new ? new[$1] : $0 }' \
        "$tmp/new" $kept >"$tmp/kept"
    cp "$tmp/kept" $kept
fi
[ "${1-}" != check ] || [ $bad -eq 0 ]
