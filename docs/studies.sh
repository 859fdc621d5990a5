#!/usr/bin/env bash
# studies.sh FOLDER: prints docs/studies.md with the tables of the studies that
# `make studies` has left in FOLDER (out/studies). A line `<!-- compare FILE
# OPTION... -->` is followed by the table that `orrery compare FILE --collect`
# makes of what is there, and by its notes; what stands there now, rows, notes
# and empty lines, makes room for them.
set -eu

cd "$(dirname "$0")/.."
ORRERY=$(realpath "${ORRERY:-build/orrery}")
folder=${1:-out/studies}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip=0
while IFS= read -r line; do
    if [ $skip -eq 1 ]; then
        case $line in
        '' | '|'* | '- '*) continue ;;
        esac
        skip=0
        echo
    fi
    printf '%s\n' "$line"
    case $line in
    '<!-- compare '*' -->')
        words=${line#<!-- compare }
        words=${words% -->}
        file=${words%% *}
        name=$(basename "$file" .yaml)
        eval "set -- ${words#"$file"}"
        "$ORRERY" compare "$file" --collect --markdown -o "$work/$name" "$@" \
            "$folder/$name" 2>/dev/null
        skip=1
        ;;
    esac
done <docs/studies.md
