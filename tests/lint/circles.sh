#!/usr/bin/env bash
# Circles among files and among folders, as the linker sees them: a file leads to
# another one if its object needs a symbol that the other defines. A header that
# many files implement hides these from the include graph (rooms.sh). Limits are
# what there is today; they are lowered, never raised.
set -u

. tests/lint/rooms_table.sh
BUILD=${BUILD:-build}
# The largest circle of a room, of files and of folders. Of folders none that is
# not named here: a family and what lists it are one.
files="any=1 core=5 net=7 cli=3 cluster=3 study=4 workload=5 formats=7"
folders="any=1 formats=6 workload=4 topo=3"

# An object whose source is gone is an older build's.
objects() {
    # shellcheck disable=SC2086
    find $rooms -name '*.c' | sort | sed 's/c$/o/' |
        while IFS= read -r object; do
            [ -e "$BUILD/$object" ] && echo "$object"
        done
}
known() { # "ROOM OTHER" for each that it may know
    for room in "${!may[@]}"; do
        for other in ${may[$room]}; do
            echo "$room $other"
        done
    done
}
(objects | (cd "$BUILD" && xargs nm -A -g)) |
    awk -v files="$files" -v folders="$folders" -v known="$(known)" \
        -f tests/lint/circle.awk -f <(
        cat <<'AWK'
function number_of(name) {
    if (!(name in number)) {
        number[name] = ++n
        names[n] = name
    }
    return number[name]
}
function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
function room_of(path) { sub(/\/.*/, "", path); return path }
# "any=8 net=29"
function limit_of(room, limits,    n, i, pair, side, limit) {
    n = split(limits, pair, " ")
    for (i = 1; i <= n; i++) {
        split(pair[i], side, "=")
        if (side[1] == "any" || side[1] == room)
            limit = side[2]
    }
    return limit
}
function report(what, limits,    i, member) {
    for (i = 1; i <= circles; i++) {
        split(circle[i], member, " ")
        if (circle_size[i] > limit_of(room_of(member[1]), limits)) {
            print "a circle of " circle_size[i] " " what ":" circle[i]
            bad = 1
        } else if (list)
            print "note circle of " circle_size[i] " " what ":" circle[i]
    }
    print "note the largest circle of " what " has " largest + 0
}
function reset() {
    delete index_of; delete low; delete on_stack; delete circle
    delete circle_size; delete out; delete names; delete number
    n = visited = top = circles = largest = 0
}
# build/x/y.o:0000 T symbol, or build/x/y.o:      U symbol
{
    split($0, part, ":")
    path = part[1]
    sub(/\.o$/, "", path)
    symbol = $NF
    type = $(NF - 1)
    if (type == "U")
        needs[++uses] = path SUBSEP symbol
    else if (type ~ /^[TDBRVW]$/)
        defined[symbol] = path
}
END {
    list = ENVIRON["LIST"] != ""
    n_known = split(known, line, "\n")
    for (i = 1; i <= n_known; i++) {
        split(line[i], word, " ")
        may[word[1], word[2]] = 1
    }
    for (i = 1; i <= uses; i++) {
        split(needs[i], end, SUBSEP)
        to = defined[end[2]]
        if (to == "" || to == end[1] || seen[end[1], to]++)
            continue
        out[number_of(end[1])] = out[number_of(end[1])] " " number_of(to)
        edge[++edges] = end[1] SUBSEP to
        if (!((room_of(end[1]), room_of(to)) in may)) {
            print end[1] ".c: " end[2] " is of " to ".c: " room_of(end[1]) \
                " must not know " room_of(to)
            bad = 1
        }
    }
    find_circles()
    report("files", files)
    reset()
    for (i = 1; i <= edges; i++) {
        split(edge[i], end, SUBSEP)
        from = folder_of(end[1])
        to = folder_of(end[2])
        if (from != to && !seen_folder[from, to]++)
            out[number_of(from)] = out[number_of(from)] " " number_of(to)
    }
    find_circles()
    report("folders", folders)
    exit bad
}
AWK
    )
