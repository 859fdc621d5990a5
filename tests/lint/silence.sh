#!/usr/bin/env bash
# The library neither prints, nor exits, nor aborts, nor allocates behind
# core/memory.c's back; only cli/ talks to people.
set -u

# Comments and strings are blanked first, so that words in them do not count.
blank() {
    sed -E -e 's,"([^"\\]|\\.)*","",g' -e 's,/\*.*\*/,,' -e 's,^ ?\*.*,,' \
        -e 's,/\*.*,,' -e 's,//.*,,' "$1"
}

bad=0
look() { # NAMES EXCEPT WHY
    local files hits file
    files=$(find core topo net workload record formats study -name '*.[ch]' | grep -vE "$2")
    for file in $files; do
        hits=$(blank "$file" | grep -nE "(^|[^a-zA-Z0-9_.>])($1) *\(") || continue
        bad=1
        sed "s,^,$file:,; s,\$,  <- $3," <<<"$hits"
    done
}
look 'printf|vprintf|puts|putchar|perror|psignal' '^$' 'only cli/ prints'
look 'exit|_exit|abort|_Exit|quick_exit|atexit' '^$' 'only cli/ ends a process'
look 'malloc|calloc|realloc|free|strdup|strndup|asprintf|aligned_alloc' \
    '^core/memory\.[ch]$' 'memory comes from core/memory.h'
look 'rand|srand|random|drand48|time|gettimeofday|strtok|setenv' '^$' \
    'results must not depend on it'
if grep -rnwE 'stdout|stderr' core topo net workload record formats study \
    --include='*.[ch]' |
    grep -vE '^[^:]*:[0-9]+: *(/?\*|//)'; then
    echo '<- only cli/ prints'
    bad=1
fi
exit $bad
