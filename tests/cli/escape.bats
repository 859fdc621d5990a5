#!/usr/bin/env bats
# Names of the user's in all that other programs read: a terminal, gnuplot, CSV,
# Markdown, LaTeX.

load common

# texts FILE.svg: what stands in a picture, a line each.
texts() {
    grep -o '<text.*</text>' "$1" |
        sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}

# plain FILE: nothing in it moves a cursor, or turns text round.
plain() {
    ! LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1" ||
        { cat -v "$1"; return 1; }
}

odd_names() {
    cat >odd.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}, names: ["'a", "100%", "a%sb", "x`date`y\\z", "it's"]}
jobs:
- {name: "'a", ranks: 4, iterations: 3, program: [compute: 20us, all-reduce: {size: 100KB}]}
- {name: "100%", ranks: 4, iterations: 3, program: [compute: 20us, all-reduce: {size: 100KB}]}
- {name: "a%sb`echo no` \\ ${X} <b>&'", ranks: 4, iterations: 3, program: [compute: 20us, all-reduce: {size: 100KB}]}
YAML
}

@test "gnuplot: names are names, in strings and in formats" {
    odd_names
    "$ORRERY" run odd.yaml -q
    for what in heat series iterations gantt; do
        orrery plot odd.h5 $what
        [ "$status" -eq 0 ] || { cat ../err; return 1; }
        is_text ../err ''
    done
    for name in "'a" '100%' 'a%sb' 'x`date`y\z'; do
        texts heat.svg | grep -qxF "$name > it's"
    done
    for name in "'a" '100%' 'a%sb`echo no` \ ${X} <b>&'"'"; do
        texts iterations.svg | grep -qxF "$name"
        texts gantt.svg | grep -qxF "$name rank 3"
    done
}

study() {
    cat >study.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
flows: [{src: 0, dst: 1, size: 10KB}]
compare:
  over:
    "a|`b\u202e": {"=cmd|x\n<script>alert(1)</script>": {network: {mtu: 1KB}}, "-1": {network: {mtu: 2KB}}, "'q%s `id` \\| [x](http://y)\u009b31m": {network: {mtu: 3KB}}}
  measure: [flows.fct_ns.mean]
YAML
    orrery compare study.yaml -o study -j 1 "$@"
    [ "$status" -eq 0 ] || { cat ../err; return 1; }
}

@test "a study: no formula, no line and no element of a page begins in a name" {
    study
    plain ../out
    plain study/table.csv
    plain study/table.md
    plain study/study.json
    [ "$(jq -r '.dimensions[0].variants[2]' study/study.json)" = \
        "$(printf "'q%%s \`id\` \\\\| [x](http://y)\302\23331m")" ]
    # as many lines as rows, and all of as many fields
    [ "$(wc -l <study/table.csv)" -eq 4 ]
    ! grep -Eq '(^|,)"?[=+@]' study/table.csv || false
    [ "$(cut -d, -f1 study/table.csv | sed -n 3p)" = -1 ]
    [ "$(grep -c '^|' study/table.md)" -eq 5 ]
    ! grep -v '^$\|^|\|^- ' study/table.md || false
    ! grep -Eq '<|\]\(' study/table.md || false
    grep -qF '| =cmd\|x &lt;script&gt;alert(1)&lt;/script&gt; |' study/table.md
    orrery plot study bars
    [ "$status" -eq 0 ]
    texts bars.svg | grep -qxF -- '-1'
    texts bars.svg | grep -qF "'q%s \`id\` \\| [x](http://y)"
    study --latex
    plain ../out
    [ "$(grep -c '\\\\' ../out)" -eq 4 ]
    ! sed '/end{tabular}/q' ../out | grep -qF 'q%s' || false
}

# What people see: no C1 control, no override.
@test "a terminal: titles, jobs, nodes and arguments" {
    cat >c1.yaml <<'YAML'
{"title": "\u009b31mc1\u202e", "topology": {"kind": "ring", "hosts": 4, "link": {"rate": "100Gbps", "delay": "1us"}, "names": ["\u009b2Ja", "\u2066b", "c", "d"]},
 "jobs": [{"name": "\u009b31mc1\u202e", "ranks": 4, "iterations": 2, "program": [{"compute": "1us"}, {"all-reduce": {"size": "64KiB", "algorithm": "ring"}}]}],
 "schedule": {"kind": "crux"}, "alone": true}
YAML
    for command in run explain check plan "topo --links" "topo --path 0,2" "profile --job x" "topo --json" "run --json -" "run -q --threads"; do
        orrery $command c1.yaml
        plain ../out || { echo "$command"; return 1; }
        plain ../err || { echo "$command"; return 1; }
    done
    orrery run c1.yaml -q
    for command in "timeline -o -" "plot --script heat" "plot --script iterations"; do
        set -- $command
        orrery "$1" c1.h5 "${@:2}"
        plain ../out
        plain ../err
    done
    odd=$(printf '\302\23331m\342\200\256')
    for command in run help list plot nonsense; do
        orrery "$command" "$odd"
        plain ../err
        orrery run c1.yaml --"$odd"
        plain ../err
        orrery "$odd"
        plain ../err
    done
}
