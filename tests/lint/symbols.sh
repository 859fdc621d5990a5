#!/usr/bin/env bash
# What the built library shows: the .so exports the public API alone, global
# names carry the house's prefixes, and there is no static mutable data.
set -u

BUILD=${BUILD:-build}
bad=0

exported=$(nm -D --defined-only "$BUILD/liborrery.so" | awk '{ print $3 }' |
    grep -vE '^orr_[a-z]')
if [ -n "$exported" ]; then
    echo "liborrery.so exports more than include/orrery/ declares:"
    echo "$exported"
    bad=1
fi
while read -r name; do
    nm -D --defined-only "$BUILD/liborrery.so" | grep -qw "$name" || {
        echo "liborrery.so does not export $name"
        bad=1
    }
done < <(cat include/orrery/*.h | tr '\n' ' ' |
    grep -oE '\*?\borr_[a-z_]+\(' | grep -oE 'orr_[a-z_]+' | sort -u)

foreign=$(nm --defined-only -g "$BUILD/liborrery.a" 2>/dev/null |
    awk 'NF == 3 { print $3 }' | grep -vE '^orr_(_)?[a-z]')
if [ -n "$foreign" ]; then
    echo "global names that start with neither orr_ nor orr__:"
    echo "$foreign"
    bad=1
fi

# The exceptions: the countdown by which tests make an allocation fail, the
# pthread_once that tames the error handlers of other libraries, and the reason
# that igraph gives to a handler without an argument of ours.
known='^memory.o:fail_countdown$|^deps.o:(once(\.[0-9]+)?|last_reason)$'
mutable=$(objdump -t "$BUILD/liborrery.a" 2>/dev/null | awk '
    /file format/ { file = $1 }
    / O \.(data|bss|tdata|tbss)(\.[^r]|[ \t])/ { print file $NF }
    / O \*COM\*/ { print file $NF }' | grep -vE "$known")
if [ -n "$mutable" ]; then
    echo "static mutable data:"
    echo "$mutable"
    bad=1
fi
exit $bad
