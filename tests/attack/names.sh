#!/usr/bin/env bash
# Hostile names of jobs, nodes, studies and their variants: what is written with
# them is well-formed for whoever reads it, and nothing in it obeys them.
# names.sh CASES SEED; needs jq, and for pictures gnuplot and xmllint.
set -u

cases=${1:-10} seed=${2:-1}
orrery=${ORRERY:-build/orrery}
orrery=$(realpath "$orrery")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
RANDOM=$seed
bad=0 refused=0 names=()

# shellcheck disable=SC2016,SC1003 # as they are
atoms=('<script>alert(1)</script>' '</script>' "'" '\"' '\\' '%s' '%n' '100%'
    '`' '$(x)' '${x}' '&amp;' '&' '<b>' '{' '}' '_' '^' '#' '~' '|' '=1+1' '@x'
    '-x' '+x' '\u202e' '\u2066' '\u200b' '\ufeff' '\u009b' '\u001b[31m' '\u00e9'
    '\u65e5' '\ud83d\ude00' '{/Symbol a}' '\\n' '\\textbf{x}' '$x$' '*b*'
    '[a](b)' '<!--' '-->' ']]>' '\u2028' '\u00a0' ';' ':' '/' '..' 'a b' ',')

# draw: names for all places, as in JSON strings (no subshell: it draws anew)
draw() {
    local i n
    for ((i = 0; i < 10; i++)); do
        names[i]=
        for ((n = RANDOM % 3; n >= 0; n--)); do
            names[i]+=${atoms[RANDOM % ${#atoms[@]}]}
        done
        names[i]+=$i
    done
}

complain() {
    echo "not ok - case $case of seed $seed: $*"
    bad=$((bad + 1))
    [ -z "${STOP-}" ] || exit 1
}

# shows FILE WHAT: no control but line breaks and tabs, no override in it
shows() {
    ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xef\xbb\xbf' "$1" ||
        complain "$2 obeys or hides a name"
}

# pictures OF WHAT...
pictures() {
    local of=$1 what
    shift
    command -v gnuplot xmllint >/dev/null || return 0
    for what in "$@"; do
        "$orrery" plot "$of" "$what" -o x.svg 2>err ||
            complain "plot $what: $(head -1 err)"
        xmllint --noout x.svg 2>err || complain "plot $what: $(head -1 err)"
        shows err "plot $what"
    done
}

# elements FILE: how many there are in a page, beside what scripts make
elements() { sed 's/<script[ >].*//' "$1" | grep -o '<[a-zA-Z/!]' | wc -l; }

one() {
    draw
    [ $((case % 2)) -eq 0 ] ||
        nodes=", \"names\": [\"${names[5]}\", \"${names[6]}\"]"
    cat >c.yaml <<END
{"title": "${names[9]}",
"topology": {"kind": "switch", "hosts": 3, "link": {"rate": "10Gbps", "delay": "1us"}$nodes},
"record": {"interval": "50us"},
"jobs": [{"name": "${names[0]}", "ranks": 2, "iterations": 2, "program": [{"compute": "10us"}, {"all-reduce": {"size": "60KB"}}]},
{"name": "${names[1]}", "ranks": 2, "placement": [2, 1], "program": [{"all-reduce": {"size": "60KB"}}]}]}
END
    "$orrery" run c.yaml -o r.h5 --json r.json >out 2>err
    status=$?
    shows out run
    shows err run
    if [ $status -eq 2 ] && grep -q '^c.yaml:[0-9]*:[0-9]*: ' err; then
        refused=$((refused + 1))
        return
    fi
    [ $status -eq 0 ] || complain "run ends with $status: $(head -1 err)"
    jq -e --slurpfile c c.yaml '[.jobs[].name] == [$c[0].jobs[].name]' r.json \
        >/dev/null || complain "other names in JSON"
    "$orrery" report r.h5 -o r.html >out 2>&1 || complain "report"
    shows out report
    [ "$(elements r.html)" -eq "$elements" ] || complain "elements of a page"
    pictures r.h5 iterations gantt heat
    jq --arg a "$(jq -r '.jobs[0].name' c.yaml)" --arg b "$(jq -r '.jobs[1].name' c.yaml)" \
        '. + {compare: {over: {variant: {"\($a)x": {seed: 1}, "\($b)y": {seed: 2}}}}}' \
        c.yaml >s.yaml
    rm -rf s
    "$orrery" compare s.yaml -o s >out 2>err || complain "compare: $(head -1 err)"
    shows out compare
    [ -e s/table.csv ] || return
    shows s/table.csv table.csv
    shows s/table.md table.md
    ! grep -qE '(^|,)"?[=@]' s/table.csv || complain "a formula in table.csv"
    ! grep -qE '(^|[^\\])<' s/table.md || complain "an element in table.md"
    pictures s bars
}

# the page of plain names, which all others are held to
kept=("${atoms[@]}") atoms=(a) case=0 nodes="" elements=0
one >/dev/null
elements=$(elements r.html)
atoms=("${kept[@]}") bad=0
for ((case = 0; case < cases; case++)); do
    nodes=
    one
done
echo "$([ $bad -eq 0 ] && echo ok || echo not ok) - hostile names: $cases cases, $refused refused at a place, $bad findings"
[ $bad -eq 0 ]
