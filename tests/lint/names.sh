#!/usr/bin/env bash
# A type's name means one thing in all rooms, and so does a macro's that is not
# undefined again. A member of a family is asked for a property of its ops table,
# not for its name. And each file says at its top what it is: itself, or the header
# of its name.
set -u

bad=0
if grep -rnE 'strcmp\([^;]*(ops|queue|schedule|scheduler|cc|policy)->name, *"' \
    net workload record experiment cluster study --include='*.[ch]'; then
    echo '<- a property in the ops table says more than a name'
    bad=1
fi

mapfile -t files < <(find core topo net workload record formats experiment cluster study cli \
    include -name '*.[ch]' | sort)

awk '
    FNR == 1 { says[FILENAME] = /^\/\*/; name[++n] = FILENAME }
    /^# *define +ORR_/ { sub(/\(.*/, "", $2); macro[FILENAME, $2] = FNR }
    /^# *undef +ORR_/ { delete macro[FILENAME, $2] }
    /^ *(struct|union|enum) orr_[a-z_0-9]+ \{/ {
        type = $1 " " $2
        if (type in by && by[type] != FILENAME) {
            print FILENAME ":" FNR ": " type " is defined by " by[type] " too"
            bad = 1
        }
        by[type] = FILENAME
    }
    END {
        for (m in macro) {
            split(m, part, SUBSEP)
            if (part[2] in made) {
                print part[1] ":" macro[m] ": " part[2] " is defined in " \
                    made[part[2]] " too"
                bad = 1
            }
            made[part[2]] = part[1]
        }
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
' "${files[@]}" || bad=1
exit $bad
