#!/usr/bin/env bash
# Dependencies run one way: core <- topo <- net <- workload <- record, formats
# <- study <- cli. A library that others must not see is included only where it
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
    [study]="core topo net workload record formats study"
    [cli]="core topo net workload record formats study cli"
)
for layer in "${!may[@]}"; do
    allowed=${may[$layer]}
    while IFS=: read -r file line include; do
        folder=$(sed -E 's/.*"([a-z]+)\/.*/\1/' <<<"$include")
        case " $allowed orrery " in
        *" $folder "*) ;;
        *) say "$file:$line: $layer must not include $include" ;;
        esac
    done < <(grep -rnE '^ *# *include "[a-z]+/' "$layer" --include='*.[ch]')
done

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
only hdf5 '(record/record|core/deps)[a-z_]*\.[ch]:'
only libfyaml 'core/config/(config|yaml)\.[ch]:'

exit $bad
