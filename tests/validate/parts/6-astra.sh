# ASTRA-sim's own inputs, where they are found (ORRERY_DATA), beside what
# ASTRA-sim prints for them: exercises 1 and 2 of its MLSys 2022 tutorial and
# the first demonstration of MICRO 2024. Its network is one of messages; beside
# it the same with packets as they travel, acknowledged and stored on the way.
# Then inputs of our own, whose figures follow from the rules of the sources of
# ASTRA-sim 1.0 (astra_inputs.sh) and 2.x (astra2_inputs.sh) and were worked out
# independently; three of those of 2.x were published.
# shellcheck shell=bash
# shellcheck source=/dev/null
. tests/validate/astra_inputs.sh
# shellcheck source=/dev/null
. tests/validate/astra2_inputs.sh

astra_run() { # OPTION... : finish in ns
    "$ORRERY" run "$@" --quiet --json "$tmp/out.json" --set record=none \
        >"$tmp/stdout" 2>"$tmp/stderr" || {
        cat "$tmp/stderr" >&2
        exit 1
    }
    json '.jobs[0].finish_ns'
}

# NAME EXPECTED OPTION...
astra_row() {
    local name=$1 expected=$2
    shift 2
    row "$name" "$(astra_run "$@")" "$expected" 0.2% ns
    printf '%-52s %15s\n' '  with packets as they travel' \
        "$(astra_run "$@" --packets)"
}

astra() {
    local a=$DATA/astra-sim m=$DATA/astra-sim/micro2024_demo1 mib ns
    heading 'ASTRA-sim, its files unchanged'
    if [ ! -d "$a" ]; then
        echo "skipped: $a is not there"
        return
    fi
    for mib in 1:45681 2:62761 4:96921 8:165297 16:302077; do
        ns=${mib#*:} mib=${mib%:*}
        astra_row "exercise 1, ring, $mib MiB" "$ns" --astra "$a/exercise_1" \
            --comm-scale "$mib"
    done
    astra_row 'exercise 2, ring' 45681 --astra "$a/exercise_2/ring"
    astra_row 'exercise 2, switch, halving-doubling' 58449 \
        --astra "$a/exercise_2/switch"
    astra_row 'exercise 2, fully connected, direct' 9001 \
        --astra "$a/exercise_2/fullyconnected"
    astra_row 'MICRO 2024, ring, Chakra' 117780 --astra "$m/Ring_8.yml" \
        "$m/Ring_sys.json" "$DATA/chakra/allreduce8/allreduce"
    astra_row 'MICRO 2024, fully connected, Chakra' 16860 \
        --astra "$m/FullyConnected_8.yml" "$m/Direct_sys.json" \
        "$DATA/chakra/allreduce8/allreduce"
}

astra_rules() {
    local net sys layers ns options
    heading 'ASTRA-sim 1.0 by its rules, inputs of our own'
    mkdir -p "$tmp/astra"
    (cd "$tmp/astra" && astra_inputs)
    while read -r net sys layers ns options; do
        [ -n "$net" ] || continue
        # shellcheck disable=SC2086 # options are words
        row "$layers on $net, $sys${options:+, $options}" \
            "$(astra_run --astra "$tmp/astra/$net.json" \
                "$tmp/astra/$sys.txt" "$tmp/astra/$layers.layers" $options)" \
            "$ns" 0.2% ns
    done <<<"$astra_expected"
}

astra2() {
    local net sys work ns exposed options set=$tmp/astra2
    heading 'ASTRA-sim 2.x, inputs of our own'
    mkdir -p "$set"
    (cd "$set" && astra2_inputs)
    while read -r net sys work ns exposed options; do
        [ -n "$net" ] || continue
        # shellcheck disable=SC2086 # options are words
        row "$work on $net, $sys${options:+, $options}" \
            "$(astra_run --astra "$set/$net.yml" "$set/$sys.json" \
                "$set/$work" "$set/$work.groups.json" $options)" \
            "$ns" 0.2% ns
        row '  exposed communication' "$(json \
            '.jobs[0].astra.sys[0].exposed_communication_cycles')" \
            "$exposed" 0.2% ns
    done <<<"$astra2_expected"
}

astra
astra_rules
astra2
