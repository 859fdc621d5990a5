#!/usr/bin/env bash
# The code looks as `make format` would leave it. docs/examples shows other ways
# to write, as its readers would.
set -u

command -v clang-format >/dev/null || {
    echo "clang-format is missing: make deps-develop"
    exit 1
}
mapfile -t files < <(git ls-files '*.c' '*.h' ':!docs/examples')
clang-format --dry-run --Werror "${files[@]}" 2>&1 |
    awk '/error:/ { print; bad = 1 } END { exit bad }'
