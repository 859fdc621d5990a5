#!/usr/bin/env bash
# The library neither prints, nor exits, nor aborts, nor allocates behind
# core/memory.c's back; only cli/ talks to people.
set -u

bad=0
mapfile -t files < <(find core topo net workload record formats experiment cluster study \
    -name '*.[ch]')
# Comments and strings are blanked first, so that words in them do not count.
awk '
    function look(names, except, why) {
        if ($0 ~ "(^|[^a-zA-Z0-9_.>])(" names ") *\\(" && FILENAME !~ except) {
            print FILENAME ":" FNR ":" $0 "  <- " why
            bad = 1
        }
    }
    {
        gsub(/"([^"\\]|\\.)*"/, "")
        gsub(/\/\*.*\*\//, "")
        sub(/^ ?\*.*/, "")
        sub(/\/\*.*/, "")
        sub(/\/\/.*/, "")
        if (!index($0, "("))
            next
        look("printf|vprintf|puts|putchar|perror|psignal", "^$",
             "only cli/ prints")
        look("exit|abort|_Exit|quick_exit|atexit", "^$",
             "only cli/ ends a process")
        # of a child that it has made itself
        look("_exit", "^(core/apart|study/calls/forks)\\.c$", "only cli/ ends a process")
        look("malloc|calloc|realloc|free|strdup|strndup|asprintf|aligned_alloc",
             "^core/memory\\.[ch]$", "memory comes from core/memory.h")
        look("rand|srand|random|drand48|time|gettimeofday|strtok|setenv", "^$",
             "results must not depend on it")
    }
    END { exit bad }' "${files[@]}" || bad=1
if grep -rnwE 'stdout|stderr' core topo net workload record formats experiment cluster study \
    --include='*.[ch]' |
    grep -vE '^[^:]*:[0-9]+: *(/?\*|//)'; then
    echo '<- only cli/ prints'
    bad=1
fi
exit $bad
