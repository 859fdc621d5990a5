#!/usr/bin/env bash
# Files of at most 800 lines, functions of at most 50 (in tests, where cases
# stand in tables, 80), lines of at most 80 columns, no tabs, no notes to self.
set -u

mapfile -t files < <(find core topo net workload record formats experiment cluster study cli \
    include tests bench \
    -name '*.[ch]' | sort)

awk '
    FNR == 1 { if (name) finish(); name = FILENAME; start = 0; lines = 0 }
    { lines = FNR }
    length($0) > 80 && !/https?:/ { tell(FILENAME, FNR, length($0) " columns") }
    /\t/ { tell(FILENAME, FNR, "a tab") }
    / +$/ { tell(FILENAME, FNR, "blanks at the end of the line") }
    /(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)/ { tell(FILENAME, FNR, "a note to self") }
    /^[a-zA-Z_].*\(/ { head = $0 }
    /^\{/ { start = FNR }
    /^\}/ && start {
        if (FNR - start + 1 > (FILENAME ~ /^(tests|bench)/ ? 80 : 50))
            tell(FILENAME, start, "a function of " FNR - start + 1 " lines: " head)
        start = 0
    }
    END { finish(); exit bad }
    function finish() { if (lines > 800) tell(name, lines, "more than 800 lines") }
    function tell(f, l, what) { print f ":" l ": " what; bad = 1 }
' "${files[@]}"
