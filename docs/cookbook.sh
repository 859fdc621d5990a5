#!/usr/bin/env bash
# Prints a page, docs/cookbook.md or the one that is named, with the output that
# its commands have now. A block of YAML whose first line is "# NAME.yaml" is
# written to that file; a block that begins with "$ COMMAND" is run, in one
# folder for the whole page. `make docs` puts the result in the place of the
# page, and a test holds them equal.
set -eu

cd "$(dirname "$0")/.."
root=$PWD page=${1:-docs/cookbook.md}
ORRERY=$(realpath "${ORRERY:-build/orrery}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/page"
ln -s "$ORRERY" "$work/bin/orrery"
ln -s "$root/configs" "$work/page/configs"
export PATH=$work/bin:$PATH LC_ALL=C.UTF-8

cd "$work/page"
block=0 file='' skip=0
while IFS= read -r line; do
    case $line in
    '```'*)
        block=$((1 - block)) file='' skip=0 first=1
        printf '%s\n' "$line"
        continue
        ;;
    esac
    if [ $block -eq 1 ] && [ "$first" -eq 1 ]; then
        first=0
        case $line in
        '# '*.yaml) file=${line#\# } && : >"$file" ;;
        '$ '*)
            printf '%s\n' "$line"
            bash -c "${line#\$ }" 2>/dev/null </dev/null || true
            skip=1
            continue
            ;;
        esac
    fi
    [ $skip -eq 1 ] && continue
    [ -n "$file" ] && printf '%s\n' "$line" >>"$file"
    printf '%s\n' "$line"
done <"$root/$page"
