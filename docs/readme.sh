#!/usr/bin/env bash
# Puts what the demonstration and the example print now into README.md, and draws
# the picture below the table from the same runs. `make docs` runs it.
set -eu

cd "$(dirname "$0")/.."
ORRERY=$(realpath "${ORRERY:-build/orrery}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The fenced block of the README whose first line is $1; the same awk finds the
# block that replace puts $2 in the place of, after its first line.
block() {
    awk -v first="$1" '/^```/ && on { exit } on || $0 == first { on = 1; print }' \
        README.md
}
replace() {
    awk -v first="$1" -v with="$2" '
        $0 == first { print; on = 1; while ((getline line < with) > 0) print line }
        /^```/ { on = 0 }
        !on' README.md >"$work/readme"
    cat "$work/readme" >README.md
}

"$ORRERY" compare configs/demo/demo.yaml --sort jobs.0.finish_ns \
    -o "$work/study" 2>/dev/null >"$work/demo"
docs/demo.sh "$work/study" docs/demo.svg
replace '$ make demo' "$work/demo"

block '# ring.yaml' >"$work/ring.yaml"
(cd "$work" && "$ORRERY" run ring.yaml) >"$work/run"
replace '$ build/orrery run ring.yaml' "$work/run"
