#!/usr/bin/env bash
# tsan.sh BUILD: runs a ThreadSanitizer build's unit tests, and what stands
# under configs/ and was found by attack on two, three and four threads; a race
# fails the run.
set -eu

cd "$(dirname "$0")/../.."
build=$(realpath "$1")
BUILD=$build LIMIT=900 tests/run.sh unit

json=$(mktemp)
trap 'rm -f "$json"' EXIT
while read -r config kept; do
    for threads in 2 3 4; do
        "$build/orrery" run "$config" --quiet --json "$json" \
            --threads $threads --set record=none >/dev/null
        [ "$(jq -r .fingerprint "$json")" = "$kept" ] || {
            echo "$config on $threads threads: another fingerprint"
            exit 1
        }
    done
done <tests/golden/fingerprints.tsv
for config in tests/attack/found/*.yaml; do
    for threads in 2 3 4; do
        code=0 # some of them are refused, or fail
        timeout 60 "$build/orrery" run "$config" --quiet --threads $threads \
            --set record=none >/dev/null 2>&1 || code=$?
        [ $code -ne 66 ] || {
            echo "$config on $threads threads: a race"
            exit 1
        }
    done
done
echo "no race"
