#!/usr/bin/env bash
# Writes docs/configuration.md: an example, then what the command says of every
# section, family and part. `make docs` runs it; nothing below is kept twice.
set -eu

cd "$(dirname "$0")/.."
ORRERY=${ORRERY:-build/orrery}

cat <<'TEXT'
# The configuration

An experiment is one YAML file: a topology, a network, and jobs or flows (or
both). Only `topology.kind` with its size, and jobs or flows, have to be there.

```yaml
TEXT
cat configs/conformance/ring_chunks.yaml
cat <<'TEXT'
```

Values carry their units: `400Gbps`, `50GB/s`, `500ns`, `4MiB`, `25MB`. MB and KB
are powers of ten, MiB and KiB powers of two; Gbps count bits, GB/s bytes. A bare
number where a unit belongs is an error, and so are unknown and duplicate keys.
`--set jobs[0].iterations=3` changes a value from the command line.

A program is a list of operations in order. `parallel` holds a list whose
members, each an operation or a list of operations, run at once. Beside an
operation may stand `ranks: [...]` (only these carry it out), `id: NAME`, and
`after: NAME` or a list of names (what it waits for instead of the operation
before it). `NAME@-1` is the operation NAME one iteration earlier; with `overlap` of
the job that one may still be going on.

```yaml
program:
  - compute: 3ms
  - parallel:
      - compute: 2ms
      - - all-reduce: {size: 25MB, algorithm: ring, chunks: 4, concurrent: 2}
        - all-reduce: {size: 10MB, algorithm: tree}
  - send: {to: 1, size: 1MiB}
    ranks: [0]
  - recv: {from: 0}
    ranks: [1]
```

What follows is printed by `orrery help`; `make docs` writes this page.

## Contents

TEXT

block() {
    local text
    text=$("$ORRERY" help "$@")
    # a subcommand or a family may have the name of a section: the section
    case $# in 1) text=$(awk -v head="^$1: " '$0 ~ head { on = 1; text = "" }
        { text = text $0 "\n" }
        END { printf "%s", text }' <<<"$text") ;; esac
    case $text in "#"*) return ;; esac # a file, not keys
    case $text in *'no parameters of its own'*) return ;; esac
    # shellcheck disable=SC2016 # backquotes of Markdown
    printf '\n```\n%s\n```\n' "$text"
}

# `orrery help` ends with a list of families and a list of sections, each entry
# a name and a description, two blanks in front.
topics() {
    "$ORRERY" help | awk '/explains a family/ { on = 1 }
        on && /^  [a-z]/ { print $1 }'
}
# Families stand before the first empty line of these.
families() {
    "$ORRERY" help | awk '/explains a family/ { on = 1 }
        on && shown && /^$/ { on = 0 }
        on && /^  [a-z]/ { print $1; shown = 1 }'
}
# The names of a family's members; where members stand in groups, each group
# (a line of its own in the list) and its members as "GROUP MEMBER".
members() {
    "$ORRERY" list "$1" 2>/dev/null | awk '
        /^  [a-z]/ && NF == 1 { group = $1; print group; next }
        /^  [a-z]/ { print $1 }
        /^    [a-z]/ && group { print group, $1 }'
}

"$ORRERY" help | awk '/explains a family/ { on = 1 }
    on && /^  [a-z]/ { name = $1
        sub(/^ *[^ ]+ +/, "")
        printf "- [%s](#%s): %s\n", name, name, $0 }'

parts=$(families)
for topic in $(topics); do
    printf '\n## %s\n' "$topic"
    block "$topic"
    grep -qx "$topic" <<<"$parts" || continue
    members "$topic" | while read -r -a member; do
        block "$topic" "${member[@]}"
    done
done
