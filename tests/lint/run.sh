#!/usr/bin/env bash
# Runs every check of this folder; each prints what it finds and fails. Ends
# with "N passed, N failed".
set -u

cd "$(dirname "$0")/../.." || exit 1
passed=0
bad=0
for check in layers rooms circles names words short comments silence size format symbols \
    headers shell tidy; do
    if found=$("tests/lint/$check.sh" 2>&1); then
        passed=$((passed + 1))
        echo "ok   $check"
        grep '^note ' <<<"$found" # what it drew
    else
        bad=$((bad + 1))
        printf 'FAIL %s\n    %s\n' "$check" "${found//$'\n'/$'\n    '}"
    fi
done
echo "$passed passed, $bad failed"
[ $bad -eq 0 ]
