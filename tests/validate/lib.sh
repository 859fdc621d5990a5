# lib.sh: what the parts of the validation share; read by run.sh, which has set
# ORRERY, BUILD, tmp, here and, if ns-3 is there, ns3.
# shellcheck shell=bash

# row NAME OURS REFERENCE TOLERANCE [UNIT]: TOLERANCE is a share ("3%") or an
# amount in the same unit.
row() {
    local line
    line=$(awk -v name="$1" -v ours="$2" -v ref="$3" -v tol="$4" \
        -v unit="${5:-}" '
    function shown(x) {
        return x == int(x) ? sprintf("%.0f", x) : sprintf("%.6g", x)
    }
    BEGIN {
        share = sub(/%$/, "", tol)
        allowed = share ? tol / 100 * (ref < 0 ? -ref : ref) : tol
        d = ours - ref
        ok = ours ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && ref != "" &&
            d <= allowed && -d <= allowed
        difference = sprintf("%+.4g", d)
        if (d == 0)
            difference = "0"
        else if (share && ref)
            difference = sprintf("%+.2f %%", 100 * d / ref)
        limit = share ? tol " %" : shown(tol)
        printf "%-52s %15s %15s %12s %10s  %s", name " " unit, shown(ours),
            shown(ref), difference, limit, ok ? "ok" : "FAILED"
    }')
    echo "$line"
    case $line in *FAILED) failures=$((failures + 1)) ;; esac
}

# beside NAME OURS REFERENCE [UNIT]: no more than how far apart they are, where
# nothing is promised.
beside() {
    awk -v name="$1" -v ours="$2" -v ref="$3" -v unit="${4:-}" 'BEGIN {
        difference = sprintf("%+.4g", ours - ref)
        if (ref + 0)
            difference = sprintf("%+.2f %%", 100 * (ours - ref) / ref)
        printf "%-52s %15.6g %15.6g %12s %10s\n", name " " unit, ours, ref,
            difference, "-"
    }'
}

heading() {
    printf '\n%-52s %15s %15s %12s %10s\n' "$1" ours reference difference \
        tolerance
}

# simulate CONFIG [ARGUMENT...]: the summary goes to $tmp/out.json.
simulate() {
    "$ORRERY" run "$1" --quiet --json "$tmp/out.json" --set record=none \
        "${@:2}" >"$tmp/stdout" 2>"$tmp/stderr" || {
        cat "$tmp/stderr" >&2
        exit 1
    }
}

json() {
    jq -r "$1" "$tmp/out.json"
}

# means: of each column of stdin; deviations: of its columns, between runs
means() {
    awk '{ for (i = 1; i <= NF; i++) s[i] += $i; n = NF }
        END { for (i = 1; i <= n; i++) printf "%.9g%s", s[i] / NR,
            i < n ? " " : "\n" }'
}
deviations() {
    awk '{ for (i = 1; i <= NF; i++) { s[i] += $i; q[i] += $i * $i }; n = NF }
        END { for (i = 1; i <= n; i++) printf "%.9g%s",
            sqrt((q[i] - s[i] * s[i] / NR) / (NR - 1)), i < n ? " " : "\n" }'
}

# reference KEY COMMAND...: figures of ns-3, now or as recorded
reference() {
    local key=$1 figures
    shift
    if [ -n "$ns3" ]; then
        figures=$("$@")
        printf '%s\t%s\n' "$key" "$figures" >>"$tmp/recorded"
        echo "$figures"
    else
        sed -n "s/^$key\t//p" $here/recorded.tsv
    fi
}
