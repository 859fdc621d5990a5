#!/usr/bin/env bash
# Records the fingerprint of every file under configs/ that is checked against
# one, and shows what changed. A change needs a reason in its commit message.
set -eu

cd "$(dirname "$0")/../.."
kept=tests/golden/fingerprints.tsv
new=$(mktemp)
json=$(mktemp)
trap 'rm -f "$new" "$json"' EXIT

for config in configs/conformance/*.yaml configs/seeds/*.yaml; do
    "$ORRERY" run "$config" --quiet --set record=none --json "$json" >/dev/null
    printf '%s\t%s\n' "$config" "$(jq -r .fingerprint "$json")"
done >"$new"

touch $kept
if diff -u $kept "$new"; then
    echo "no fingerprint has changed"
else
    cat "$new" >$kept
    echo "$kept is updated: say why in the commit message"
fi
