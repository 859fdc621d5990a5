# Runs of the command in which memory ends: at an allocation (starve.c), or at
# a limit of the process. Each must do what it does with memory enough, or say
# "out of memory" in one line, end with 1 or 2, and leave no unfinished file.

load ../cli/common

setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    export root
    # the one whose libraries are shared
    export ORRERY=${BUILD:-$root/build}/tests/starve/orrery
    if grep -qE '__[at]san_init|__ubsan' "$ORRERY"; then
        export SANITIZED=1 # bats 1.8 skips no whole file
        return
    fi
    # every function of HDF5's that orrery calls
    { grep -ohE '\bH5[A-Z]*[a-z_0-9]+\(' "$root"/core/*.c "$root"/record/*.c | tr -d '(' |
        sort -u && echo H5open; } | sed 's/.*/SPARE(&)/' \
        >"$BATS_FILE_TMPDIR/hdf5_calls.h"
    cc -shared -fPIC -O1 -Wall -I "$BATS_FILE_TMPDIR" \
        -o "$BATS_FILE_TMPDIR/starve.so" "$root/tests/starve/starve.c"
}

setup() {
    [ -z "${SANITIZED-}" ] || skip "a sanitizer allocates"
    mkdir -p "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work" || return 1
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

# What a run is known by: what it said, its summary without what depends on the
# machine, and the files that it made, records and folders aside.
known() {
    local file
    cat err
    jq 'del(.wall, (.. | .load_seconds?))' run.json 2>/dev/null
    for file in *; do
        case $file in
        err | out | status | run.json | *.h5) ;;
        *) [ ! -f "$file" ] || cksum "$file" ;;
        esac
    done
}

# judge STATUS: of the run that ended in this folder; whole: what `known` says
# of one with memory enough.
judge() {
    local files lines
    mapfile -t lines <err
    if [ "$1" -eq 0 ]; then
        [ "$(known)" = "$(<../whole)" ] || return 1
    else
        [ "$1" -eq 1 ] || [ "$1" -eq 2 ] || return 1
        [[ ${lines[*]} == *'out of memory'* ]] && [ ${#lines[@]} -le 2 ] ||
            return 1
    fi
    files=$(printf '%s\n' * .[!.]*)
    [[ $files != *partial* ]] || return 1
    # what stands under its final name is whole
    [ ! -e run.h5 ] || h5dump -n run.h5 >/dev/null
}

# some LIST ARGUMENT...: a run for each line of the list, judged; what went well
# is removed.
some() {
    local list=$1 n all
    shift
    LD_PRELOAD=$BATS_FILE_TMPDIR/starve.so STARVE_LIST=$list \
        "$ORRERY" "$@" </dev/null || return 1
    while read -r n all; do
        cd "run.$n.$all" || return 1
        if ! judge "$(<status)"; then
            [ "$all" = 0 ] || all=' and all after it'
            echo "allocation $n${all#0}: status $(<status)"
            cat err && ls && return 1
        fi
        cd ..
    done <"$list"
    sed 's/\(.*\) \(.*\)/run.\1.\2/' "$list" | xargs rm -r
}

# every STEP ARGUMENT...: each STEP-th allocation of a command fails, alone and
# with all after it; two runs at once. STEP "/N": as many as that there are N of
# them, or a few less; "place": one for each call that one came by, alone.
every() {
    local step=$1 count
    shift
    rm -rf whole.run && mkdir whole.run && cd whole.run || return
    [ "$step" != place ] || export STARVE_PLACES=$PWD/../places
    LD_PRELOAD=$BATS_FILE_TMPDIR/starve.so STARVE_COUNT=$PWD/../count \
        "$ORRERY" "$@" >out 2>err </dev/null
    unset STARVE_PLACES
    known >../whole || true
    cd ..
    count=$(head -n 1 count)
    [ "$count" -gt "${LEAST:-100}" ]
    [[ $step != /* ]] || step=$((count / ${step#/} + 1))
    rm -rf lists && mkdir lists
    if [ "$step" = place ]; then
        [ -s places ] && cat places
    else
        for ((n = 1; n <= count; n += step)); do
            echo "$n 0"
            echo "$n 1"
        done
    fi | split -l 200 - lists/
    export -f some judge known
    export ORRERY BATS_FILE_TMPDIR
    printf '%s\n' "$PWD"/lists/* | xargs -P 2 -I{} \
        bash -c 'some "$@"' starve {} "$@" >bad || { cat bad; return 1; }
}

# limits FROM TO STEP ARGUMENT...: the process may have so many KiB.
limits() {
    local from=$1 to=$2 step=$3 status good=0 short=0
    shift 3
    mkdir -p limited && cd limited || return
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
