#!/usr/bin/env bash
# studies.sh FOLDER: prints docs/studies.md with the tables of the studies that
# `make studies` has left in FOLDER (out/studies). A line `<!-- compare FILE
# OPTION... -->` is followed by the table that `orrery compare FILE --collect`
# makes of what is there, up to the next empty line.
set -eu

cd "$(dirname "$0")/.."
ORRERY=$(realpath "${ORRERY:-build/orrery}")
folder=${1:-out/studies}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip=0
while IFS= read -r line; do
    case $line in
    '<!-- compare '*' -->')
        words=${line#<!-- compare }
        words=${words% -->}
        file=${words%% *}
        name=$(basename "$file" .yaml)
        printf '%s\n' "$line"
        eval "set -- ${words#"$file"}"
        "$ORRERY" compare "$file" --collect --markdown -o "$work/$name" "$@" \
            "$folder/$name" 2>/dev/null
        skip=1
        continue
        ;;
    '') skip=0 ;;
    esac
    [ $skip -eq 1 ] || printf '%s\n' "$line"
done <docs/studies.md
