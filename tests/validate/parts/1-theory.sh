# Queueing theory, and cases with an answer on paper.
# shellcheck shell=bash

queueing() {
    local load packets mean theory half
    heading 'M/D/1: mean wait, 99.9 % interval'
    "$BUILD/tests/validate/mdone" >"$tmp/queueing"
    while read -r load packets mean theory half; do
        row "load $load, $packets packets" "$mean" "$theory" "$half" ns
    done <"$tmp/queueing"
}

# configs/conformance/expected.tsv: config, filter over the summary in ns, the
# answer in ps, tolerance
conformance() {
    local config filter ps tolerance last=
    heading 'Conformance and analytic jobs (ps)'
    while IFS=$'\t' read -r config filter ps tolerance; do
        [ "$config" != config ] || continue
        if [ "$config" != "$last" ]; then
            simulate "configs/conformance/$config.yaml"
            last=$config
        fi
        row "$config ${filter//iteration/iter}" \
            "$(json "($filter) * 1000 | round")" "$ps" "$tolerance"
    done <configs/conformance/expected.tsv
}

queueing
conformance
