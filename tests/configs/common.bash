# What the tests over configs/ share. ORRERY names the command under test.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    ORRERY=${ORRERY:-build/orrery}
    export ORRERY_CACHE=${ORRERY_CACHE:-$BATS_FILE_TMPDIR/cache}
    json=$BATS_TEST_TMPDIR/out.json
}

# simulate CONFIG [ARGUMENT...]: runs without records; the summary is in $json.
simulate() {
    "$ORRERY" run "$1" --quiet --json "$json" --set record=none "${@:2}" \
        >"$BATS_TEST_TMPDIR/stdout"
}

# near FILTER WANTED [TOLERANCE]: the value of a jq filter over $json must be
# WANTED, to the last digit or within a share ("0.5%") or an amount of it.
near() {
    jq -r --arg filter "$1" --argjson wanted "$2" --arg tolerance "${3:-0}" "
        (\$tolerance | if endswith(\"%\")
            then (rtrimstr(\"%\") | tonumber) / 100 * (\$wanted | fabs)
            else tonumber end) as \$allowed
        | ($1) as \$got
        | if (\$got | type) == \"number\"
             and (\$got - \$wanted | fabs) <= \$allowed
          then empty
          else \"\(\$filter) is \(\$got), not \(\$wanted) within \(\$allowed)\n\"
               | halt_error(1) end" "$json"
}
