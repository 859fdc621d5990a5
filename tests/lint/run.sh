#!/usr/bin/env bash
# Runs every check of this folder; each prints what it finds and fails. Ends
# with "N passed, N failed".
set -u

cd "$(dirname "$0")/../.." || exit 1
passed=0
bad=0
for check in layers rooms names silence size symbols headers shell tidy; do
    if found=$("tests/lint/$check.sh" 2>&1); then
        passed=$((passed + 1))
        echo "ok   $check"
        grep '^note ' <<<"$found" # what it drew
    else
        bad=$((bad + 1))
        printf 'FAIL %s\n    %s\n' "$check" "${found//$'\n'/$'\n    '}"
    fi
done
# How the code would look after `make format`: told, not enforced.
if command -v clang-format >/dev/null; then
    other=$(git ls-files '*.c' '*.h' |
        xargs clang-format --dry-run 2>&1 | grep -c 'clang-format-violations')
    echo "note clang-format would change $other places"
fi
echo "$passed passed, $bad failed"
[ $bad -eq 0 ]
