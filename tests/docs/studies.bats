#!/usr/bin/env bats
# docs/studies.md: the tables are those of its commands, row by row; of each
# study a part is run again, and its figures stand there to the letter.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    ORRERY=$(realpath "${ORRERY:-build/orrery}")
    page=$PWD/docs/studies.md
    work=$BATS_TEST_TMPDIR
}

# What a table says whatever the figures are: the head as it is, and of each
# row its first columns, before the first measure; how many runs there were.
shape() {
    awk -F ' [|] ' -v measures="$1" '
        /^[|]/ && !head { head = $0
            sub(/ [|]  [|]$/, " |", head) # a column for what is missing
            sub(/ [|] doubt [|]$/, " |", head) # there if a row has some
            print head
            for (i = 1; i <= NF; i++)
                if (index($i, measures)) { columns = i - 1; break } }
        /^[|]-/ { next }
        /^[|]/ && head { line = ""
            for (i = 1; i <= columns; i++) line = line $i " | "
            print line }
        /^- [0-9]+ combinations/ { print $2, $4 }'
}

@test "each table has the columns and the rows that its command gives" {
    tables=0
    while read -r line; do
        words=${line#<!-- compare }
        words=${words% -->}
        file=${words%% *}
        eval "set -- ${words#"$file"}"
        measure='iteration\'
        case $words in *slowdown*) measure=slowdown ;; esac
        tables=$((tables + 1))
        "$ORRERY" compare "$file" --collect --markdown -o "$work/$tables" \
            "$@" "$work/nothing" 2>/dev/null | shape "$measure" |
            LC_ALL=C sort >"$work/now"
        awk -v line="$line" '
            on && /^$/ && ++empty > 1 { exit }
            on
            $0 == line { on = 1 }' "$page" | shape "$measure" |
            sed -E 's/ \([a-zA-Z]+\) \|/ |/g' | # units are of figures
            LC_ALL=C sort >"$work/shown"
        diff -u "$work/shown" "$work/now"
        [ "$(wc -l <"$work/now")" -ge 8 ]
    done < <(grep '^<!-- compare ' "$page")
    [ "$tables" -eq 7 ]
}

# stands STUDY ROWS OPTION...: so many rows of this part stand in the page, whose
# tables have a column for doubt; the part has none if none of its rows has any.
stands() {
    "$ORRERY" compare "configs/studies/$1.yaml" --markdown -j 2 \
        -o "$work/$1" "${@:3}" 2>/dev/null | grep '^| ' >"$work/part"
    no_doubt='  |'
    ! head -n 1 "$work/part" | grep -q '| doubt |$' || no_doubt=''
    tail -n +2 "$work/part" | sed "s/\$/$no_doubt/" >"$work/rows"
    [ "$(wc -l <"$work/rows")" -eq "$2" ]
    while IFS= read -r row; do
        grep -qxF -- "$row" "$page" || { echo "not there: $row"; return 1; }
    done <"$work/rows"
}

@test "controls: the incast, eight controls and five seeds, to the letter" {
    stands controls 8 --set 'compare.when=[{workload: incast}]' \
        -m flows.slowdown.mean -m flows.slowdown.p99 \
        -m counters.packets_dropped --baseline cc=dctcp
}

# bats test_tags=larger
@test "topologies: three of them, to the letter" {
    stands topologies 3 -m jobs.0.iteration_ns.mean \
        --set 'compare.when=[{ranks: 64, collective: all-to-all, topology: [fat-tree, torus, jellyfish]}]'
}

# bats test_tags=larger
@test "jobs: two across the leaves, to the letter" {
    stands jobs 1 --set 'compare.when=[{jobs: two, placement: across, sharing: dctcp}]'
}
