#!/usr/bin/env bash
# run.sh: packet-hops per CPU second of orrery, beside ns-3 and, where they lie
# beside the project, the prototype of the engine and htsim (htsim.sh); and what
# `orrery check` had said of each case, over what it took. ORRERY names the command,
# BUILD the folder for what is compiled here, RUNS how often each is repeated:
# the best counts, because the machine is never quiet. What matters are the
# ratios: both sides of one were measured within the same minutes.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
BUILD=$(realpath "${BUILD:-build}")
ORRERY=${ORRERY:-$BUILD/orrery}
PROTOTYPE=${ORRERY_PROTOTYPE:-../shared/prototype/windows.c}
RUNS=${RUNS:-3}
configs=bench/configs
red='{kind: red, capacity: 32MiB, kmin: 400KB, kmax: 1600KB, pmax: 0.2}'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# calc EXPRESSION: a number, by awk.
calc() {
    awk "BEGIN { printf \"%.${2:-6}g\", $1 }"
}

# once CONFIG [ARGUMENT...]: one run; sets cpu, CPU seconds of the whole process.
# The summary is in $tmp/out.json.
once() {
    local times TIMEFORMAT='%U %S'
    # shellcheck disable=SC2086  # words of a command, or none
    { time ${ORRERY_ON-} "$ORRERY" run "$1" --quiet --json "$tmp/out.json" \
        --output "$tmp/records.h5" "${@:2}" \
        >"$tmp/stdout" 2>"$tmp/stderr"; } 2>"$tmp/times" || {
        cat "$tmp/stderr" >&2
        exit 1
    }
    read -r -a times <"$tmp/times"
    cpu=$(calc "${times[0]} + ${times[1]}")
}

json() {
    jq -r "$1" "$tmp/out.json"
}

# least VARIABLE VALUE: keeps the smallest.
least() {
    if [ -z "${!1}" ] || [ "$(calc "$2 < ${!1}")" = 1 ]; then
        printf -v "$1" '%s' "$2"
    fi
}

# measure CONFIG [ARGUMENT...]: the best of RUNS. Sets run (CPU seconds of the
# run proper), setup (all others: starting the process, building, results),
# run_wall, hops, ns (CPU nanoseconds a packet-hop), memory (bytes), and
# measured: its own arguments.
measure() {
    local i
    setup='' run='' run_wall=''
    measured=("$@")
    for ((i = 0; i < RUNS; i++)); do
        once "$@"
        least run "$(json .wall.cpu_seconds)"
        least run_wall "$(json .wall.seconds)"
        least setup "$(calc "$cpu - $(json .wall.cpu_seconds)")"
    done
    hops=$(json .counters.packet_hops)
    ns=$(calc "$run * 1e9 / $hops")
    memory=$(json .wall.peak_memory_bytes)
}

# permutations HOSTS ROUNDS FILE
permutations() {
    awk -v hosts="$1" -v rounds="$2" -v period=1200 -v seed=1 \
        -f bench/permutation.awk >"$3"
}

# ns3_ns K LIST: CPU nanoseconds a packet-hop of ns-3 after its set-up, or "".
ns3_ns() {
    [ -n "$ns3" ] || return 0
    "$ns3" --topology=fat-tree --k="$1" --list="$2" --cc=dctcp --mark=200 |
        jq -r '.wall.cpu_seconds * 1e9 / .packet_hops'
}

# prototype_ns K LIST: the same of the prototype, best of RUNS, or "".
prototype_ns() {
    local i
    [ -n "$prototype" ] || return 0
    for ((i = 0; i < RUNS; i++)); do
        "$prototype" "$1" "$2" | grep -o '[0-9.]* ns a packet-hop'
    done | sort -n | head -n 1 | cut -d' ' -f1
}

# foretold NAME: what check says of the case that was measured, over what it
# took; a line of the last table, for later
foretold() {
    "$ORRERY" check "${measured[@]}" |
        awk -v name="$1" -v hops="$hops" -v cpu="$(calc "$run + $setup")" \
            -v memory="$memory" '
        BEGIN {
            times["s"] = 1; times["minutes"] = 60; times["hours"] = 3600
            times["kB"] = 1e3; times["MB"] = 1e6; times["GB"] = 1e9
        }
        $1 == "estimate" {
            printf "%-34s %8.2f %8.2f %8.2f\n", name, $2 / hops,
                $5 * times[$6] / cpu, $11 * times[$12] / memory
        }' >>"$tmp/foretold"
}

# row NAME NS3_NS PROTOTYPE_NS: a line of the first table, of what was measured
row() {
    foretold "$1"
    awk -v name="$1" -v hops="$hops" -v run="$run" -v setup="$setup" \
        -v ns3="$2" -v prototype="$3" '
    function times(a, b) { return a == "" ? "-" : sprintf("%.2f", b) }
    BEGIN {
        ns = run * 1e9 / hops
        printf "%-34s %8.1f %8.2f %7.1f %8.1f", name, hops / 1e6,
            hops / run / 1e6, ns, setup * 1e3
        printf " %8s %8s", ns3 == "" ? "-" : sprintf("%.0f", ns3),
            ns3 == "" ? "-" : sprintf("%.0f", ns3 / ns)
        printf " %9s %8s\n", prototype == "" ? "-" : prototype,
            prototype == "" ? "-" : sprintf("%.2f", ns / prototype)
    }'
}

trees() {
    local k rounds
    # k = 8: 32 permutations one after another; ns-3 gets the first of them.
    for k in 8 16; do
        rounds=$((k == 8 ? 32 : 4))
        permutations $((k * k * k / 4)) $rounds "$tmp/flows"
        permutations $((k * k * k / 4)) 1 "$tmp/flows_once"
        measure $configs/fat_tree.yaml --set topology.k=$k \
            --set "flows=[{file: $tmp/flows}]"
        if [ $k = 8 ]; then
            row "fat-tree k = 8, permutations" \
                "$(ns3_ns $k "$tmp/flows_once")" \
                "$(prototype_ns $k "$tmp/flows_once")"
        else
            row "fat-tree k = 16, permutations" "" \
                "$(prototype_ns $k "$tmp/flows_once")"
        fi
    done
}

others() {
    measure $configs/ring_1024.yaml
    row "ring all-reduce, 1,024 ranks" "" ""
    measure $configs/incast.yaml
    row "incast, 127 to 1" "" ""
}

# busy_flows APART: eight hosts, so many apart, send in a circle
busy_flows() {
    awk -v apart="$1" 'BEGIN {
        for (i = 0; i < 8; i++)
            print i * apart, (i + 1) % 8 * apart, 400000000
    }' >"$tmp/busy"
}

busy() {
    local small
    busy_flows 16
    measure $configs/busy_8.yaml --set "flows=[{file: $tmp/busy}]"
    small=$ns
    small_memory=$memory
    row "8 busy hosts of 128" "" ""
    busy_flows 1024
    measure $configs/busy_8.yaml --set topology.k=64 \
        --set "flows=[{file: $tmp/busy}]"
    row "8 busy hosts of 65,536" "" ""
    busy_ratio=$(calc "$ns / $small" 3)
    host_memory=$(calc "($memory - $small_memory) / (65536 - 128)" 4)
}

# All of 65,536 hosts send 1 MB each, as far as they come in 60 us. Once: it
# takes as long as all others.
large() {
    permutations 65536 1 "$tmp/all"
    awk '{ print $1, $2, 1000000 }' "$tmp/all" >"$tmp/flows"
    RUNS=1 measure $configs/fat_tree.yaml --set topology.k=64 \
        --set "flows=[{file: $tmp/flows}]" --set stop=60us
    row "65,536 hosts, all sending" "" ""
    echo "0 400000 1000000" >"$tmp/flows"
    RUNS=1 measure $configs/fat_tree.yaml --set topology.k=128 \
        --set "flows=[{file: $tmp/flows}]"
    row "524,288 hosts, one flow" "" ""
    RUNS=1 measure $configs/gpt3.yaml
    row "GPT-3, 1,024 ranks" "" ""
}

# With LONG=1, as it takes minutes: six jobs whose iterations are inferred.
study() {
    [ -n "${LONG-}" ] || return 0
    RUNS=1 measure $configs/study.yaml \
        --set 'repeat={kind: sampled, error: 10%}'
    printf '%-58s %s\n' \
        'six jobs, iterations simulated of 6,000, at 10 %' \
        "$(json '[.repeat.jobs[].simulated] | add')" \
        'and the largest error of a mean that is printed, %' \
        "$(calc "$(json '[.repeat.jobs[].error] | max') * 100" 2)" \
        'CPU minutes' "$(calc "($run + $setup) / 60" 3)"
}

# One permutation of 8 to 32 MB from the same two files, NSCC: CPU time of both
# processes.
beside_htsim() {
    local i times TIMEFORMAT='%U %S' theirs=''
    [ -n "$htsim" ] || return 0
    permutations 128 1 "$tmp/once"
    awk '{ print $1, $2, 8 * $3 }' "$tmp/once" >"$tmp/flows"
    "$ORRERY" convert --to htsim $configs/fat_tree.yaml \
        --set "flows=[{file: $tmp/flows}]" -o "$tmp/htsim" 2>"$tmp/stderr"
    cd "$tmp/htsim"
    measure --htsim network.topo flows.cm --set record=none
    for ((i = 0; i < RUNS; i++)); do
        { time "$htsim" -topo network.topo -tm flows.cm -end 100000 >log; } \
            2>"$tmp/times"
        read -r -a times <"$tmp/times"
        least theirs "$(calc "${times[0]} + ${times[1]}")"
    done
    cd - >"$tmp/stdout"
    [ "$(grep -c finished "$tmp/htsim/log")" = 128 ]
    printf '%-58s %s\n' 'htsim over orrery, CPU time, k = 8, NSCC' \
        "$(calc "$theirs / ($run + $setup)" 3)"
}

# pair NAME WHAT ARGUMENT...: a row of the second table: two threads over one,
# by WHAT (run_wall: how many times as fast; run: CPU time, how much more).
pair() {
    local one
    measure "${@:3}" --threads 1
    one=${!2}
    measure "${@:3}" --threads 2
    if [ "$2" = run_wall ]; then
        printf '%-58s %s\n' "$1" "$(calc "$one / $run_wall" 3)"
    else
        printf '%-58s %s\n' "$1" "$(calc "$run / $one" 3)"
    fi
}

# Wall time, which says something only where two processors have nothing else to
# do; and of two threads that have one processor between them, CPU time.
threads() {
    local first size what
    first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    echo
    for size in '8 32' '16 4' '32 1'; do
        what="two threads over one, fat-tree k = ${size% *}, wall time"
        permutations $((${size% *} ** 3 / 4)) "${size#* }" "$tmp/flows"
        pair "$what" run_wall $configs/fat_tree.yaml \
            --set topology.k="${size% *}" --set "flows=[{file: $tmp/flows}]"
    done
    pair 'two threads over one, ring all-reduce, wall time' run_wall \
        $configs/ring_1024.yaml
    permutations 128 8 "$tmp/flows"
    RUNS=5 ORRERY_ON="taskset -c $first" \
        pair 'two threads over one, on one processor, CPU time' run \
        $configs/fat_tree.yaml --set "flows=[{file: $tmp/flows}]"
}

# What records cost: CPU time of the process, over that without; room, over the
# same file as h5repack compresses it.
records() {
    local name arguments with none bytes
    permutations 128 32 "$tmp/flows"
    for name in 'fat-tree k = 8' 'ring all-reduce'; do
        arguments=("$configs/fat_tree.yaml" --set "flows=[{file: $tmp/flows}]")
        [ "$name" = 'fat-tree k = 8' ] || arguments=("$configs/ring_1024.yaml")
        measure "${arguments[@]}"
        none=$(calc "$run + $setup")
        for with in '{}' '{interval: 1us}'; do
            measure "${arguments[@]}" --set "record=$with"
            printf '%-58s %s\n' "record: $with over none, $name" \
                "$(calc "($run + $setup) / $none" 3)"
            h5repack -f GZIP=1 "$tmp/records.h5" "$tmp/packed.h5"
            bytes=$(stat -c %s "$tmp/records.h5")
            printf '%-58s %s\n' 'its file, MB; over what h5repack makes of it' \
                "$(calc "$bytes / 1e6" 3) $(calc \
                    "$bytes / $(stat -c %s "$tmp/packed.h5")" 3)"
        done
    done
}

# Windows that never open wide enough leave all their packets in flight: two
# runs that differ only in the window differ by the memory of those packets.
packet_memory() {
    local small window arguments=(--set network.cc=none
        --set "flows=[{generate: incast, dst: 0, size: 20MB}]" --set stop=4ms)
    RUNS=1
    measure $configs/incast.yaml "${arguments[@]}" --set network.window=10
    small=$memory
    window=4000
    measure $configs/incast.yaml "${arguments[@]}" --set network.window=$window
    per_packet=$(calc "($memory - $small) / (127 * ($window - 10))" 3)
}

# cases of hops.sh, and records, that only the last table has
rest() {
    local tree=$configs/fat_tree.yaml
    permutations 128 1 "$tmp/flows"
    measure "$tree" --set "flows=[{file: $tmp/flows}]" --set network.ports=explicit
    foretold "k = 8, ports: explicit"
    measure "$tree" --set "flows=[{file: $tmp/flows}]" --set network.cc=dcqcn \
        --set "network.queue=$red" --set 'network.pfc={enabled: true}'
    foretold "k = 8, DCQCN, RED, PFC"
    measure "$tree" --set "flows=[{file: $tmp/flows}]" --set 'record={}'
    foretold "k = 8, with records"
    measure $configs/ring_small.yaml
    foretold "ring all-reduce, stopped"
}

# controls: every congestion control on one permutation, over `none`. Those that
# RDMA switches serve get RED as those mark; hpcc gets its telemetry, which
# makes ports explicit.
controls() {
    local kind none='' queue
    permutations 128 4 "$tmp/flows"
    printf '\n%-34s %8s %7s %8s\n' 'k = 8, one control each' 'M hops' ns \
        'over none'
    for kind in $("$ORRERY" list cc | awk '/^  [a-z]/ { print $1 }'); do
        queue=(--set "network.cc=$kind")
        case $kind in
        none) queue+=(--set network.window=200) ;;
        fixed-rate) queue=(--set 'network.cc={kind: fixed-rate, rate: 40Gbps}') ;;
        dcqcn | timely) queue+=(--set "network.queue=$red") ;;
        mltcp) queue=(--set 'network.cc={kind: mltcp, base: dctcp}') ;;
        esac
        measure $configs/fat_tree.yaml --set "flows=[{file: $tmp/flows}]" \
            "${queue[@]}"
        none=${none:-$ns}
        foretold "k = 8, $kind"
        printf '%-34s %8.1f %7.1f %8.2f\n' "$kind" \
            "$(calc "$hops / 1e6")" "$ns" "$(calc "$ns / $none" 3)"
    done
}

ns3=
if bench/ns3/build.sh "$BUILD/bench/ns3-tcp"; then
    ns3=$BUILD/bench/ns3-tcp
fi
htsim=
if bench/htsim.sh "$BUILD/bench/htsim"; then
    htsim=$BUILD/bench/htsim
fi
prototype=
if [ -f "$PROTOTYPE" ]; then
    mkdir -p "$BUILD/bench"
    prototype=$BUILD/bench/prototype
    ${CC:-cc} -O3 -march=native -o "$prototype" "$PROTOTYPE" -lm
else
    echo "no prototype at $PROTOTYPE: its columns stay empty" >&2
fi

echo "$(nproc) processors, $(sed -n 's/^model name.*: //p' /proc/cpuinfo |
    head -n 1), load $(cut -d' ' -f1 /proc/loadavg); best of $RUNS;" \
    "ns are CPU nanoseconds for a packet-hop"
printf '%-34s %8s %8s %7s %8s %8s %8s %9s %8s\n' '' 'M hops' 'M hops/s' ns \
    'setup ms' 'ns-3 ns' 'times' 'prototype' 'times'
trees
others
busy
large
threads
beside_htsim
records
study
packet_memory
printf '%-58s %s\n' \
    '8 busy hosts of 65,536 over 8 of 128, per packet-hop' "$busy_ratio" \
    'bytes of memory for a packet in flight' "$per_packet" \
    'bytes of memory for an idle host of a fat-tree k = 64' "$host_memory"
controls
rest
printf '\n%-34s %8s %8s %8s\n' 'check, over what it took' hops 'CPU time' memory
cat "$tmp/foretold"
