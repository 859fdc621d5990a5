#!/usr/bin/env bash
# Every header compiles alone, and the public one also as C++ and as strict C.
set -u

bad=0
flags=${CPPFLAGS:--I. -Iinclude -D_GNU_SOURCE}
alone() { # LANGUAGE STANDARD HEADER
    # shellcheck disable=SC2086 # flags are words
    echo "#include \"$3\"" | ${CC:-cc} -x "$1" "-std=$2" -Wall -Wextra \
        -Wno-unused-parameter -Werror $flags -fsyntax-only - || {
        echo "$3 does not compile alone ($1, $2)"
        bad=1
    }
}
while read -r header; do
    # A list.h is an X-macro list: it means something only to its registry.
    [[ $header != *list.h ]] || continue
    alone c c11 "$header"
    grep -q '^#ifndef ORR' "$header" || {
        echo "$header has no include guard that starts with ORR"
        bad=1
    }
done < <(find core topo net workload record formats experiment cluster study cli \
    include -name '*.h')
for header in orrery cc network; do
    flags=-Iinclude alone c c99 orrery/$header.h
    ! command -v g++ >/dev/null ||
        CC=g++ flags=-Iinclude alone c++ c++11 orrery/$header.h
done
exit $bad
