#!/usr/bin/env bash
# What the built library shows: the .so exports what include/orrery/ declares and
# orrery.map lists, no more and no less, each with a version; global names carry
# the house's prefixes, and there is no static mutable data.
set -u

BUILD=${BUILD:-build}
bad=0

declared=$(cat include/orrery/*.h | tr '\n' ' ' |
    grep -oE '\*?\borr_[a-z_]+\(' | grep -oE 'orr_[a-z_]+' | sort -u)
listed=$(grep -oE '^ +orr_[a-z_]+;' orrery.map | tr -d ' ;' | sort)
exported=$(nm -D --defined-only "$BUILD/liborrery.so" | awk '
    $2 == "A" { next } # the names of the versions
    $3 !~ /^[a-z_]+@@ORRERY_[0-9.]+$/ { print $3 " (of no version)"; next }
    { sub(/@@.*/, "", $3); print $3 }' | sort)
same() { # WHAT, WHAT OTHER, and the two lists
    local different
    different=$(diff <(echo "$3") <(echo "$4") | sed -n "s,^<,$1 alone:,p
        s,^>,$2 alone:,p")
    [ -z "$different" ] || {
        echo "$different"
        bad=1
    }
}
same "include/orrery/" "orrery.map" "$declared" "$listed"
same "orrery.map" "liborrery.so" "$listed" "$exported"

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
known='^memory.o:fail_countdown$|^libraries.o:(once(\.[0-9]+)?|last_reason)$'
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
