#!/usr/bin/env bash
# tsan.sh BUILD: runs a ThreadSanitizer build's unit tests, and what stands
# under configs/ on two, three and four threads; a race fails the run.
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
echo "no race"
