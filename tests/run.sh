#!/usr/bin/env bash
# run.sh [unit|command|short|larger]: runs the tests of the build in $BUILD,
# several files at once, and ends with "N passed, N failed". short: what is worth
# its time in a slow build: unit tests and some of all that reads files. Every
# cmocka test and every bats test counts as one; a file that dies counts as one
# failure more. Beside each file stands the CPU time of all that it started, and
# at the end the ten (SLOWEST) that took most of it.
# larger: tests/larger/, and the bats tests of other files that are tagged so.
set -eu

cd "$(dirname "$0")/.."
BUILD=$(realpath "${BUILD:-build}")
ORRERY=${ORRERY:-$BUILD/orrery}
JOBS=${JOBS:-2}
# seconds of CPU time for each process of a file: a machine that is busy takes long,
# and only what hangs takes this
tags='!larger'
if [ "${1-}" = larger ]; then
    LIMIT=${LIMIT:-3600}
    tags=larger
fi
LIMIT=${LIMIT:-900}
ASLEEP=$((LIMIT * 10)) # seconds for a file that sleeps for ever
export BUILD ORRERY LIMIT ASLEEP tags

# A unit test makes many small networks one after another: their large tables come
# as pages of zeros from the kernel, of which little is touched, and not as the
# last one's memory, to be wiped from end to end.
export MALLOC_MMAP_THRESHOLD_=2097152

logs=$(mktemp -d)
export logs
trap 'rm -rf "$logs"' EXIT

# Debian 12's jq takes 18 ms to start, gojq 3: for 1,500 filters, half a minute.
if command -v gojq >/dev/null; then
    mkdir "$logs/bin"
    ln -s "$(command -v gojq)" "$logs/bin/jq"
    PATH=$logs/bin:$PATH
fi

# Prints the files to run: a test_*.c stands for its program.
list() {
    case $1 in
    unit) find tests -name 'test_*.c' -not -path 'tests/larger/*' ;;
    command) find tests -name '*.bats' -not -path 'tests/larger/*' ;;
    short)
        list unit
        printf 'tests/%s.bats\n' cli/bad cli/check cli/convert cli/plugin \
            cli/topo docs/network
        ;;
    larger)
        find tests/larger -name '*.bats' -o -name 'test_*.c'
        grep -rl --include='*.bats' '^# bats test_tags=larger' tests
        ;;
    *)
        list unit
        list command
        ;;
    esac
}

# cpu LINE: seconds of CPU time in "0m1.5s 0m0.2s", a line of the shell's `times`
cpu() {
    awk -F '[ms ]+' '{ printf "%.1f", $1 * 60 + $2 + $3 * 60 + $4 }' <<<"$1"
}
export -f cpu

# guarded COMMAND...: within LIMIT and ASLEEP
guarded() {
    (ulimit -t "$LIMIT" && exec timeout "$ASLEEP" "$@")
}
export -f guarded

# Runs one file and leaves its TAP in $logs; says how it went in one line.
run_one() {
    local file=$1 log code=0 spent
    log=$logs/${file//\//_}
    case $file in
    *.c) CMOCKA_MESSAGE_OUTPUT=tap guarded "$BUILD/${file%.c}" ;;
    tests/larger/*) guarded tests/tap.sh "$file" ;;
    *) guarded tests/tap.sh "$file" "$tags" ;;
    esac >"$log" 2>&1 </dev/null || code=$?
    times >"$log.times" # a pipe would be a shell of its own, with its own times
    spent=$(cpu "$(tail -n 1 "$log.times")")
    rm "$log.times"
    echo "$spent s $file" >>"$logs/spent"
    # A program that ends badly without a test to blame has failed as a whole.
    if [ $code -ne 0 ] && ! grep '^not ok ' "$log" | grep -qv '# SKIP'; then
        printf 'not ok 0 %s ended with status %d\n' "$file" $code >>"$log"
    fi
    if grep '^not ok ' "$log" | grep -qv '# SKIP'; then
        printf 'FAIL %s\n%s\n' "$file" "$(sed 's/^/    /' "$log")"
    else
        printf 'ok   %s (%d) %s s\n' "$file" "$(grep -c '^ok ' "$log")" "$spent"
    fi
}
export -f run_one

began=$SECONDS
list "${1:-all}" | sort | xargs -r -P "$JOBS" -I{} bash -c 'run_one {}'

# cmocka writes a skipped test as "not ok N # SKIP", bats as "ok N name # skip".
skipped=$(cat "$logs"/tests_* | grep -cE '^(not )?ok [0-9]+.*# (SKIP|skip)' || true)
passed=$(cat "$logs"/tests_* | grep -E '^ok ' | grep -cvE '# (SKIP|skip)' || true)
failed=$(cat "$logs"/tests_* | grep -E '^not ok ' | grep -cv '# SKIP' || true)
echo "slowest:"
sort -rn "$logs/spent" | head -n "${SLOWEST:-10}" | sed 's/^/    /'
times >"$logs/.times"
echo "in $((SECONDS - began)) s, $(cpu "$(tail -n 1 "$logs/.times")") s of CPU time"
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
