#!/usr/bin/env bash
# A type's name means one thing in all rooms. And each file says at its top what
# it is: itself, or the header of its name.
set -u

mapfile -t files < <(find core topo net workload record formats study cli \
    include -name '*.[ch]' | sort)

awk '
    FNR == 1 { says[FILENAME] = /^\/\*/; name[++n] = FILENAME }
    /^ *(struct|union|enum) orr_[a-z_0-9]+ \{/ {
        type = $1 " " $2
        if (type in by && by[type] != FILENAME) {
            print FILENAME ":" FNR ": " type " is defined by " by[type] " too"
            bad = 1
        }
        by[type] = FILENAME
    }
    END {
        for (i = 1; i <= n; i++) {
            header = name[i]
            sub(/\.c$/, ".h", header)
            if (!says[name[i]] && !says[header]) {
                print name[i] ": neither it nor a header of its name says " \
                    "what it is"
                bad = 1
            }
        }
        exit bad
    }
' "${files[@]}"
