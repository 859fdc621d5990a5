#!/usr/bin/env bash
# Rooms include only the rooms that rooms_table.sh says they may know. A library
# that others must not see is included only where it is named below.
set -u

bad=0
say() {
    echo "$1"
    bad=1
}

. tests/lint/rooms_table.sh
while IFS= read -r hit; do
    say "$hit"
done < <(
    for layer in "${!may[@]}"; do
        echo "$layer ${may[$layer]} orrery"
    done | awk '
        NR == FNR { for (i = 2; i <= NF; i++) may[$1, $i] = 1; next }
        {
            split($0, part, ":")
            layer = folder = $0
            sub(/\/.*/, "", layer)
            sub(/^[^"]*"/, "", folder)
            sub(/\/.*/, "", folder)
            if (!((layer, folder) in may))
                print part[1] ":" part[2] ": " layer " must not include " part[3]
        }' - <(grep -rnE '^ *# *include "[a-z]+/' "${!may[@]}" --include='*.[ch]')
)

# Nobody reaches into another folder by a bare or a relative name.
while IFS= read -r hit; do
    say "$hit: include by the full path from the top"
done < <(
    # shellcheck disable=SC2086
    grep -rnE '^ *# *include "(\.|[^/"]+")' $rooms include --include='*.[ch]'
)

# only HEADER FILES: HEADER (a regex) may be included by FILES (a regex) alone.
only() {
    while IFS= read -r hit; do
        say "$hit: only $2 may include <$1...>"
    done < <(
        # shellcheck disable=SC2086
        grep -rnE "^ *# *include <$1" $rooms include --include='*.[ch]' |
            grep -vE "^($2)"
    )
}
only igraph 'topo/'
only hdf5 '(record/record|core/libraries)[a-z_]*\.[ch]:'
only libfyaml 'core/config/(config|yaml)\.[ch]:'

exit $bad
