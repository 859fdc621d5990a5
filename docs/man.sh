#!/usr/bin/env bash
# man.sh FOLDER: manual pages of the command and its subcommands, by help2man
# from what `orrery help` says, and orrery-config(5) from the tables of keys.
set -euo pipefail

command -v help2man >/dev/null || {
    echo "man.sh: help2man is not there: it makes the manual pages; its" \
        "package is help2man" >&2
    exit 1
}
cd "$(dirname "$0")/.."
folder=$1
ORRERY=$(realpath "${ORRERY:-build/orrery}")
mkdir -p "$folder"
version=$("$ORRERY" version | cut -d ' ' -f 2)
# pages do not change when nothing but the day does
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null ||
    stat -c %Y include/orrery/orrery.h)}
export SOURCE_DATE_EPOCH

# help2man wants a program that answers --help, with a capital at the start
asked=$(mktemp)
trap 'rm -f "$asked" "$asked.page"' EXIT
page() { # NAME DOC COMMAND...
    local name=$1 doc=$2
    shift 2
    { echo '#!/bin/sh'; printf 'exec %s | sed "1s/^usage:/Usage:/"\n' "$*"; } \
        >"$asked"
    chmod +x "$asked"
    help2man -N --help-option=' ' --version-string="orrery $version" \
        --name="$doc" --manual='orrery' --source="orrery $version" "$asked" |
        sed -e "s/$(basename "$asked")/$name/g" \
            -e "s/$(basename "$asked" | tr '[:lower:]' '[:upper:]')/${name^^}/g" \
            >"$asked.page"
    [ -s "$asked.page" ] # or it would be installed
    mv "$asked.page" "$folder/$name.1"
}

page orrery 'simulates, packet by packet, how training jobs share a network' \
    "$ORRERY help"
"$ORRERY" help | sed -n '/^usage:/,/^`/s/^  \([a-z]*\)  *\(.*\)/\1 \2/p' |
    while read -r name doc; do
        page "orrery-$name" "$doc" "$ORRERY help $name"
    done

{
    printf '.TH ORRERY-CONFIG 5 "" "orrery %s" orrery\n' "$version"
    printf '.SH NAME\norrery-config \\- keys of a configuration\n'
    printf '.SH DESCRIPTION\nA configuration is YAML. A congestion control, a '
    printf 'topology and so on have keys\nof their own: '
    printf '.B orrery help FAMILY NAME\nsays which.\n' | sed 's/^\.B /\n.B /'
    "$ORRERY" help | sed -n '/^  configuration/,$s/^  \([a-z_-]*\)  *\(.*\)/\1 \2/p' |
        while read -r section doc; do
            printf '.SH %s\n%s\n.PP\n.nf\n' "${section^^}" "$doc"
            "$ORRERY" help "$section" | sed -e 's/\\/\\e/g' -e "s/^[.']/\\\\\&&/"
            printf '.fi\n'
        done
} >"$folder/orrery-config.5"
