#!/usr/bin/env bash
# Circles among files and among folders, as the linker sees them: a file leads to
# another one if its object needs a symbol that the other defines. A header that
# many files implement hides these from the include graph (rooms.sh). Limits are
# what there is today; they are lowered, never raised.
set -u

BUILD=${BUILD:-build}
files=${CIRCLE_FILES:-29}     # the largest circle of files
folders=${CIRCLE_FOLDERS:-9} # the largest circle of folders

# Objects of sources that are there: an old build may have others.
objects=$(find core topo net workload record formats experiment cluster study cli \
    -name '*.c' | sort | sed 's/c$/o/' | (cd "$BUILD" && xargs ls 2>/dev/null))
# shellcheck disable=SC2086 # objects are words
(cd "$BUILD" && nm -A -g $objects) |
    awk -v files="$files" -v folders="$folders" -f tests/lint/circle.awk -f <(
        cat <<'AWK'
function number_of(name) {
    if (!(name in number)) {
        number[name] = ++n
        names[n] = name
    }
    return number[name]
}
function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
function report(what, limit,    i) {
    for (i = 1; i <= circles; i++)
        if (circle_size[i] > limit) {
            print "a circle of " circle_size[i] " " what ":" circle[i]
            bad = 1
        } else if (list)
            print "note circle of " circle_size[i] " " what ":" circle[i]
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
    for (i = 1; i <= uses; i++) {
        split(needs[i], end, SUBSEP)
        to = defined[end[2]]
        if (to == "" || to == end[1] || seen[end[1], to]++)
            continue
        out[number_of(end[1])] = out[number_of(end[1])] " " number_of(to)
        edge[++edges] = end[1] SUBSEP to
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
