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
    [ "$(basename "$header")" = list.h ] || alone c c11 "$header"
    grep -q '^#ifndef ORR' "$header" || [ "$(basename "$header")" = list.h ] || {
        echo "$header has no include guard that starts with ORR"
        bad=1
    }
done < <(find core topo net workload cli include -name '*.h')
flags=-Iinclude alone c c99 orrery/orrery.h
flags=-Iinclude alone c c99 orrery/cc.h
if command -v g++ >/dev/null; then
    CC=g++ flags=-Iinclude alone c++ c++11 orrery/orrery.h
    CC=g++ flags=-Iinclude alone c++ c++11 orrery/cc.h
fi
exit $bad
