#!/usr/bin/env bash
# coverage.sh [FOLDER]: what the tests that were run over a build with --coverage
# have reached: lines, and branches taken, of each room and of the files that
# are furthest from it. Fails where a room is below 95 % of its lines or 85 % of
# its branches.
set -u

cd "$(dirname "$0")/.." || exit 1
build=${1:-build/coverage}
for room in core topo net workload record formats experiment cluster study cli; do
    find "$build/$room" -name '*.gcno' | sed 's/\.gcno$//' | sort |
        while read -r object; do
            # one that was never linked into what ran has no counts: all missed
            gcov -b -n -o "$(dirname "$object")" "$object" 2>/dev/null |
                awk -v want="${object#"$build"/}.c" '
                /^File / { on = $0 == "File \x27" want "\x27" }
                on && sub(/^Lines executed:/, "") { split($0, l, "% of ") }
                on && sub(/^Taken at least once:/, "") { split($0, b, "% of ") }
                END { if (l[2]) print want, l[1] * l[2] / 100, l[2],
                                      b[1] * b[2] / 100, b[2] + 0 }'
        done
done | awk '
    { room = $1; sub(/\/.*/, "", room); file[NR] = $0
      if (!(room in lines)) order[++rooms] = room
      hit[room] += $2; lines[room] += $3; taken[room] += $4; ways[room] += $5 }
    function share(part, all) { return all ? 100 * part / all : 100 }
    END {
        sort = "sort -k2n"
        printf "%-10s %7s %7s %9s %9s\n", "", "lines", "%", "branches", "%"
        for (i = 1; i <= rooms; i++) {
            r = order[i]
            l = share(hit[r], lines[r]); b = share(taken[r], ways[r])
            low = l < 95 || b < 85
            bad += low
            printf "%-10s %7d %7.1f %9d %9.1f%s\n", r, lines[r], l, ways[r], b,
                low ? "  low" : ""
        }
        print ""
        for (i = 1; i <= NR; i++) {
            split(file[i], f, " ")
            if (share(f[2], f[3]) < 90 || share(f[4], f[5]) < 70)
                printf("%-38s %5.1f %% of %4d lines, %5.1f %% of %4d " \
                       "branches\n", f[1], share(f[2], f[3]), f[3],
                       share(f[4], f[5]), f[5]) | sort
        }
        close(sort)
        exit bad > 0
    }'
