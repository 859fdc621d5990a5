#!/usr/bin/env bash
# full.sh MAKE: everything that `make test` has no time for. Goes on after a
# failure, so that one run tells all; says at the end what failed.
set -u

cd "$(dirname "$0")/.." || exit 1
read -ra again <<<"${1:-make}"
failed=()

# step NAME COMMAND...
step() {
    printf '\n== %s\n' "$1"
    "${@:2}" || failed+=("$1")
}

# The tests of `make test` over the build in a folder.
tests_of() {
    ORRERY=$PWD/$1/orrery BUILD=$PWD/$1 LIMIT=900 tests/run.sh
}

export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1

step "build" "${again[@]}" all tests WERROR=1
step "test" tests_of build
step "asan build" "${again[@]}" asan
step "asan and ubsan" tests_of build/asan
step "tsan build" "${again[@]}" tsan
step "tsan, two threads and more" tests/threads/tsan.sh build/tsan
step "attack, ten minutes" "${again[@]}" attack SECONDS=600
for kind in asan tsan; do
    step "attack under $kind" "build/$kind/tests/attack/attack" --seconds 200 \
        --jobs 2 --seed "$(date +%s)"
done
step "equivalence" tests/threads/equivalence.sh "${again[*]}"
step "fuzz" "${again[@]}" fuzz-smoke
step "cost of a packet-hop" env ORRERY="$PWD/build/orrery" bench/hops.sh check
step "allocations that fail" env POINTS=40 ORRERY="$PWD/build/orrery" \
    BUILD="$PWD/build" bats tests/starve/commands.bats
step "larger cases" "${again[@]}" larger
step "tour in Python" env PYTHONPATH="$PWD/python" MPLBACKEND=agg \
    /usr/bin/python3 tests/python/notebook.py docs/tour.ipynb
step "lint" "${again[@]}" lint

echo
if [ ${#failed[@]} -eq 0 ]; then
    echo "all of test-full passed"
else
    printf 'failed: %s\n' "${failed[@]}"
    exit 1
fi
