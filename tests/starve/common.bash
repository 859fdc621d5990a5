# Runs of the command in which memory ends: at an allocation (starve.c), or at
# a limit of the process. Each must do what it does with memory enough, or say
# "out of memory" in one line, end with 1 or 2, and leave no unfinished file.

load ../cli/common

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    root=${root%/tests}
    ORRERY=${ORRERY:-$root/build/orrery}
    ! grep -qE '__[at]san_init|__ubsan' "$ORRERY" || skip "a sanitizer allocates"
    # every function of HDF5's that orrery calls
    { grep -ohE '\bH5[A-Z]*[a-z_0-9]+\(' "$root"/core/*.c "$root"/record/*.c | tr -d '(' |
        sort -u && echo H5open; } | sed 's/.*/SPARE(&)/' \
        >"$BATS_FILE_TMPDIR/hdf5_calls.h"
    cc -shared -fPIC -O1 -Wall -I "$BATS_FILE_TMPDIR" \
        -o "$BATS_FILE_TMPDIR/starve.so" "$root/tests/starve/starve.c"
}

# Every kind of part: a job, flows, a failure, marks, two workers and a file.
mixed() {
    cat >mixed.yaml <<'END'
topology: {kind: torus, dims: [3, 2], link: {rate: 100Gbps, delay: 1us}}
network: {cc: {kind: dctcp}, queue: {kind: red}}
jobs: [{ranks: 4, program: [all-reduce: {size: 64KiB}]}]
flows: [{generate: permutation, size: 20KB}]
failures: [{link: 3, down: 1us, up: 2us}]
END
}

# What a run is known by: its summary without what depends on the machine.
known() {
    jq -S 'del(.wall)' run.json 2>/dev/null
}

# judge STATUS: of the run that ended in this folder; whole: what `known` says
# of one with memory enough.
judge() {
    if [ "$1" -eq 0 ]; then
        [ ! -s err ] && [ "$(known)" = "$(cat ../whole)" ] || return 1
    else
        [ "$1" -eq 1 ] || [ "$1" -eq 2 ] || return 1
        grep -q 'out of memory' err && [ "$(wc -l <err)" -le 2 ] || return 1
    fi
    [ -z "$(ls | grep partial)" ] || return 1
    # what stands under its final name is whole
    [ ! -e run.h5 ] || h5dump -n run.h5 >/dev/null
}

# one N ALL ARGUMENT...: a run in which allocation N fails, judged.
one() {
    local n=$1 all=$2 status=0
    shift 2
    mkdir -p "run.$n.$all" && cd "run.$n.$all" || return 1
    [ "$all" = 1 ] && export STARVE_ALL=1
    LD_PRELOAD=$BATS_FILE_TMPDIR/starve.so STARVE_AT=$n timeout 60 \
        "$ORRERY" "$@" >out 2>err </dev/null || status=$?
    if ! judge $status; then
        echo "allocation $n${STARVE_ALL:+ and all after it}: status $status"
        cat err && ls && return 1
    fi
    cd .. && rm -rf "run.$n.$all"
}

# every STEP ARGUMENT...: each STEP-th allocation of a command fails, alone and
# with all after it; two runs at once.
every() {
    local step=$1 count
    shift
    mkdir -p whole.run && cd whole.run
    LD_PRELOAD=$BATS_FILE_TMPDIR/starve.so STARVE_COUNT=$PWD/../count \
        "$ORRERY" "$@" >out 2>err </dev/null
    known >../whole || true
    cd ..
    count=$(head -n 1 count)
    [ "$count" -gt 100 ]
    export -f one judge known
    export ORRERY BATS_FILE_TMPDIR
    for ((n = 1; n <= count; n += step)); do
        echo "$n 0"
        echo "$n 1"
    done | xargs -P 2 -L 1 bash -c \
        'one "${@: -2:1}" "${@: -1}" "${@:1:$#-2}"' starve "$@" >bad ||
        { cat bad; return 1; }
}

# limits FROM TO STEP ARGUMENT...: the process may have so many KiB.
limits() {
    local from=$1 to=$2 step=$3 status good=0 short=0
    shift 3
    mkdir -p limited && cd limited
    "$ORRERY" "$@" >out 2>err </dev/null
    known >../whole || true
    for ((k = from; k <= to; k += step)); do
        rm -f -- *
        status=0
        (ulimit -v "$k" && exec timeout 60 "$ORRERY" "$@") >out 2>err \
            </dev/null || status=$?
        # before main there is nobody to say anything
        grep -q 'shared libraries' err && continue
        judge $status || { echo "$k KiB: status $status"; cat err; return 1; }
        if [ $status -eq 0 ]; then good=$((good + 1)); else short=$((short + 1)); fi
    done
    echo "$good had enough, $short had not"
    [ $good -gt 0 ] && [ $short -gt 0 ]
}
