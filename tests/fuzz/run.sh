#!/usr/bin/env bash
# run.sh FOLDER: runs each fuzz target of FOLDER for $FUZZ_TIME seconds, from
# the committed seeds in tests/fuzz/seeds/NAME/ and what earlier runs found in
# FOLDER/NAME.corpus. A crash leaves its input beside the target.
set -eu

here=$(dirname "$0")
ran=0
for target in "$1"/fuzz_*; do
    case $target in *.o | *.d | *.corpus) continue ;; esac
    [ -x "$target" ] || continue
    name=$(basename "$target")
    seeds=$here/seeds/${name#fuzz_}
    mkdir -p "$target.corpus" "$seeds"
    log=$target.log
    if "$target" -max_total_time="${FUZZ_TIME:-60}" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="$target." \
        "$target.corpus" "$seeds" >"$log" 2>&1; then
        echo "ok   $name: $(grep -oE 'Done [0-9]+ runs' "$log")"
    else
        echo "FAIL $name"
        tail -n 40 "$log"
        exit 1
    fi
    ran=$((ran + 1))
done
[ $ran -gt 0 ]
