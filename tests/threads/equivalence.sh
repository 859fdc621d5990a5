#!/usr/bin/env bash
# equivalence.sh MAKE: the same configurations under gcc and clang, -O0 and -O2,
# 1 to 4 threads, computed and explicit ports must be the same runs: one
# fingerprint each, the one that tests/golden/ keeps. Prints what differs.
set -eu

cd "$(dirname "$0")/../.."
read -ra again <<<"${1:-make}"
json=$(mktemp)
trap 'rm -f "$json"' EXIT

runs=0
bad=0
for cc in gcc clang; do
    for opt in -O0 -O2; do
        build=build/$cc$opt
        "${again[@]}" CC=$cc OPT=$opt BUILD="$build" "$build/orrery" >/dev/null
        while read -r config kept; do
            for threads in 1 2 3 4; do
                for ports in computed explicit; do
                    "$build/orrery" run "$config" --quiet --json "$json" \
                        --threads $threads --set network.ports=$ports \
                        --set record=none >/dev/null
                    got=$(jq -r .fingerprint "$json")
                    runs=$((runs + 1))
                    [ "$got" = "$kept" ] && continue
                    bad=$((bad + 1))
                    echo "$config: $got instead of $kept with" \
                        "$cc $opt, $threads threads, $ports ports"
                done
            done
        done <tests/golden/fingerprints.tsv
    done
done
echo "equivalence: $((runs - bad)) passed, $bad failed"
[ $bad -eq 0 ] && [ $runs -gt 0 ]
