#!/usr/bin/env bash
# The scripts, by shellcheck where it is installed.
set -u

command -v shellcheck >/dev/null || {
    echo "shellcheck is missing: make deps-lint"
    exit 1
}
# SC2154: what a common.bash sets is not seen from the file that loads it.
git ls-files -z "*.sh" "*.bats" .ci/run |
    xargs -0 shellcheck -x -S warning -e SC2154
