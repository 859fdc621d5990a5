#!/usr/bin/env bash
# Dependencies run one way: core <- topo <- net <- workload <- record, formats
# <- experiment <- cluster <- study <- cli. A library that others must not see is included only where it
# is named below.
set -u

bad=0
say() {
    echo "$1"
    bad=1
}

# LAYER: the folders whose headers its files may include.
declare -A may=(
    [core]="core"
    [topo]="core topo"
    [net]="core topo net"
    [workload]="core topo net workload"
    [record]="core topo net workload record"
    [formats]="core topo net workload formats"
    [experiment]="core topo net workload record formats experiment"
    [cluster]="core topo net workload record formats experiment cluster"
    [study]="core topo net workload record formats experiment cluster study"
    [cli]="core topo net workload record formats experiment cluster study cli"
)
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
done < <(grep -rnE '^ *# *include "(\.|[^/"]+")' core topo net workload record formats \
    study cli include --include='*.[ch]')

# only HEADER FILES: HEADER (a regex) may be included by FILES (a regex) alone.
only() {
    while IFS= read -r hit; do
        say "$hit: only $2 may include <$1...>"
    done < <(grep -rnE "^ *# *include <$1" core topo net workload record \
        formats study cli include --include='*.[ch]' | grep -vE "^($2)")
}
only igraph 'topo/'
only hdf5 '(record/record|core/libraries)[a-z_]*\.[ch]:'
only libfyaml 'core/config/(config|yaml)\.[ch]:'

exit $bad
