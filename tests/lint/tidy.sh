#!/usr/bin/env bash
# clang-tidy with .clang-tidy's checks over the library and the command, with the
# invariants that ORR_ASSERT states. FILES="a.c b.c" looks at those alone.
set -u

command -v clang-tidy >/dev/null || {
    echo "clang-tidy is missing: make deps-lint"
    exit 1
}
# shellcheck disable=SC2086 # files are words
if [ -n "${FILES:-}" ]; then
    printf '%s\0' $FILES
else
    find core topo net workload record formats experiment cluster study cli \
        -name '*.c' -print0
fi |
    xargs -0 -P "${JOBS:-2}" -n 4 sh -c '
        clang-tidy --quiet "$@" -- -std=c11 -DORR_DEBUG '"${CPPFLAGS:-}"' 2>/dev/null' tidy
