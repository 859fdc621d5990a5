#!/usr/bin/env bats
# The README's own example and commands work as they stand. What it says of the
# demonstration: tests/configs/demo.bats.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    ORRERY=$(realpath "${ORRERY:-build/orrery}")
    readme=$PWD/README.md
}

# The fenced block whose first line or opening line matches a pattern.
block() {
    awk -v want="$1" '
        /^```/ && on { exit }
        /^```/ { fence = 1; next }
        fence && $0 ~ want { on = 1 }
        { fence = 0 }
        on' "$readme"
}

@test "the example runs and prints what the README shows" {
    cd "$BATS_TEST_TMPDIR"
    block '^# ring.yaml' >ring.yaml
    "$ORRERY" run ring.yaml | grep -v ' s, .* packet-hops (' >now
    block 'build/orrery run ring.yaml$' | tail -n +2 |
        grep -v ' s, .* packet-hops (' >shown
    diff -u shown now
    ncdump -h ring.h5 >/dev/null
}

@test "each command line of the README is accepted" {
    cd "$BATS_TEST_TMPDIR"
    block '^# ring.yaml' >ring.yaml
    tried=0
    while read -r line; do
        eval "${line/build\/orrery/\"\$ORRERY\"}" >/dev/null
        tried=$((tried + 1))
    done < <(block '^build/orrery run ring.yaml --set')
    [ "$tried" -ge 5 ]
    [ -s ring.h5 ]
    [ -d /usr/share/javascript/chart.js ] || skip "no libjs-chart.js"
    for line in "$(block '^build/orrery report ring.h5')" \
        "$(block '^build/orrery report out/demo' | tail -n 1)"; do
        eval "${line//build\/orrery/\"\$ORRERY\"}" >out
    done
    [ -s report.html ]
    [ -s timeline.json ]
}

@test "run, report, explain: three commands, and what they say fits together" {
    cd "$BATS_TEST_TMPDIR"
    block '^# ring.yaml' >ring.yaml
    "$ORRERY" run ring.yaml --json run.json -q
    "$ORRERY" report ring.h5 -o report.html
    "$ORRERY" explain ring.yaml --json why.json
    jq -e -s '.[0].fingerprint == .[1].fingerprint and
        .[0].jobs[0].iterations[0].duration_ns == .[1].explained[0].duration_ns and
        (.[1].explained[0] | ([.causes_ns[]] | add * 1000 | round) ==
                            (.duration_ns * 1000 | round))' run.json why.json
    grep -q "$(jq -r .fingerprint run.json)" report.html
}

@test "each link of the documents leads to a file" {
    for page in README.md CONTRIBUTING.md docs/*.md; do
        for link in $(grep -oE '\]\([^)#:]+\)' "$page" | tr -d '])('); do
            [ -e "$(dirname "$page")/$link" ]
        done
    done
}
