#!/usr/bin/env bats
# orrery plot: single pictures, by gnuplot.

load common

run_and_study() {
    cat >two.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
jobs:
- {name: "it's", ranks: 4, iterations: 3, program: [compute: 20us, all-reduce: {size: 100KB}]}
flows: [{src: 0, dst: 1, size: 50KB}, {src: 2, dst: 1, size: 20KB}]
compare: {over: {network.cc: [none, dctcp]}, seeds: 1..2, measure: [jobs.*.iteration_ns.mean]}
YAML
    "$ORRERY" run two.yaml -q
    "$ORRERY" compare two.yaml -o study -j 1 >/dev/null 2>&1
}

# is_kind FILE: what its first bytes say it is.
is_kind() {
    case $1 in
    *.png) [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] ;;
    *.pdf) [ "$(head -c 4 "$1")" = %PDF ] ;;
    *.svg) grep -q '<svg' "$1" && grep -q '</svg>' "$1" ;;
    esac
}

@test "each plot in each format, and nothing is said" {
    run_and_study
    for what in heat series iterations gantt cdf; do
        for ending in svg pdf png; do
            orrery plot two.h5 $what -o $what.$ending
            [ "$status" -eq 0 ]
            is_text ../err ''
            is_kind $what.$ending
            [ "$(stat -c %s $what.$ending)" -gt 3000 ]
        done
    done
    orrery plot study bars
    [ "$status" -eq 0 ]
    is_text ../err ''
    is_kind bars.svg
}

@test "the figures are those of the run" {
    run_and_study
    orrery plot two.h5 iterations --script
    "$ORRERY" run two.yaml -q --json two.json --set record=none
    sed -n '/^\$job0/,/^END/p' ../out | awk 'NF == 2 {printf "%.3f\n", $2}' >drawn
    jq -r '.jobs[0].iterations[].duration_ns / 1000' two.json |
        awk '{printf "%.3f\n", $1}' >expected
    grep -q "'duration, us'" ../out
    cmp drawn expected
    grep -q "title 'it''s'" ../out
    orrery plot two.h5 cdf --of slowdown --script
    [ "$(sed -n '/^\$cdf/,/^END/p' ../out | awk 'NF == 2 {print $2}' | paste -sd' ')" = \
        '0.5 1' ]
    orrery plot study bars --script
    # the first group is of none, the second of dctcp
    sed -n '/^\$figures0_0/,/^END/p' ../out | awk '$1 == 1 {printf "%.0f\n", 1000 * $2}' >drawn
    awk -F, '$1 == "dctcp" {n++; s += $4} END {printf "%.0f\n", s / n}' \
        study/table.csv >expected
    cmp drawn expected
}

@test "one link, one bin, one iteration, one flow: drawn, and nothing is said" {
    cat >one.yaml <<'YAML'
topology: {kind: ring, hosts: 2, link: {rate: 100Gbps, delay: 1us}}
network: {transport: datagram}
jobs: [{ranks: 1, program: [compute: 5us]}]
flows: [{src: 0, dst: 1, size: 100KB}]
YAML
    for interval in 1us 1s; do
        "$ORRERY" run one.yaml -q --set record.interval=$interval
        for what in heat series iterations cdf; do
            orrery plot one.h5 $what
            [ "$status" -eq 0 ]
            is_text ../err ''
        done
    done
    orrery plot one.h5 cdf --script
    is_text <(sed -n '/^\$cdf/,/^END/p' ../out) "\$cdf << END
9 0
9 1
18 1
END"
    # a bin lasts to its end
    orrery plot one.h5 series --script
    is_text <(sed -n '/^\$link0/,/^END/p' ../out | awk '/^[0-9]/ { print $1 }') \
        "0
9"
    orrery plot one.h5 iterations --script
    grep -qx 'set xrange \[-0.5:0.5\]' ../out
}

@test "series: links by name and by id" {
    run_and_study
    orrery plot two.h5 series --link 'host 0 -> switch 4' --link 3 --script
    [ "$status" -eq 0 ]
    [ "$(grep -c "title 'host 0 > switch 4'" ../out)" -eq 2 ]
    [ "$(grep -c '^\$link1' ../out)" -eq 1 ]
}

@test "series: one time stands at one place in both parts" {
    cat >deep.yaml <<'YAML'
topology: {kind: switch, hosts: 3, link: {rate: 10Gbps, delay: 1us}}
network: {queue: {kind: droptail, capacity: 1MB}, cc: cubic}
flows: [{src: 0, dst: 2, size: 5MB}, {src: 1, dst: 2, size: 3MB}]
YAML
    "$ORRERY" run deep.yaml -q
    orrery plot deep.h5 series -o deep.svg
    # down the axis of y and along that of x: where each begins and ends
    sed -n "s/.* d='M\([0-9.]*\),\([0-9.]*\) L\1,\([0-9.]*\) L\([0-9.]*\),\3 M\4,\2 .*/\3 \1 \4/p" \
        deep.svg | sort -u >axes
    [ "$(wc -l <axes)" -eq 2 ]
    [ "$(cut -d' ' -f2- axes | sort -u | wc -l)" -eq 1 ]
}

@test "bad input: message and status" {
    run_and_study
    hint='
hint: `orrery help plot` says how it is used'
    orrery plot two.h5
    fails 2 "orrery plot: a run or a study, and what to plot$hint"
    orrery plot two.h5 heap
    [ "$status" -eq 2 ]
    grep -q 'heat' ../err
    orrery plot two.h5 heat -o heat.jpg
    fails 2 "orrery plot: heat.jpg: its name says what it is: .svg, .pdf or .png$hint"
    orrery plot two.h5 heat --size 12
    [ "$status" -eq 0 ] # the height stays
    orrery plot two.h5 heat --size 1,2
    fails 2 "orrery plot: --size \"1,2\": two lengths in cm, from 2 to 100, as in 12,7.5$hint"
    orrery plot two.h5 heat --link 0
    fails 2 "orrery plot: --link is of \`series\`, not of heat$hint"
    orrery plot two.h5 gantt --of fct
    fails 2 "orrery plot: --of is of \`cdf\`, not of gantt$hint"
    orrery plot two.h5 heat --measure fct
    fails 2 "orrery plot: --measure is of a study's pictures, not of heat$hint"
    orrery plot two.h5 bars
    fails 2 'orrery: two.h5 is a run: bars is of studies'
    orrery plot study heat
    fails 2 'orrery: study is a study: heat is of runs'
    orrery plot two.h5 series --link nowhere
    fails 2 'orrery: two.h5 has no link "nowhere" among the 8 busiest; names are as in "switch 4 > host 1"'
    orrery plot two.h5 cdf --of size
    fails 2 'orrery: a distribution of "size": it is of fct, or of slowdown'
    orrery plot study bars --measure none
    fails 2 'orrery: study has no measure "none"'
    cat >figure.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
jobs: [{ranks: 4, program: [compute: 20us]}]
compare: {over: {network.cc: [none, dctcp]}, measure: [flows.fct_ns.mean]}
YAML
    orrery compare figure.yaml -j 1 -o figure
    orrery plot figure bars
    fails 2 'orrery: figure has no flows.fct_ns.mean to plot'
    orrery run two.yaml -q --set 'flows=[]' -o none.h5
    orrery plot none.h5 cdf
    fails 2 'orrery: none.h5 has no flows that ended to plot'
    PATH=/nowhere orrery plot two.h5 heat -o there.svg
    fails 2 'orrery: gnuplot is not there: it draws the pictures; its package is gnuplot-nox'
    leaves figure figure.yaml heat.svg none.h5 study two.h5 two.yaml
}

@test "what was sampled of connections and ports" {
    cat >fair.yaml <<'YAML'
topology: {kind: switch, hosts: 3, link: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 1MB, threshold: 30KB}}
flows: [{src: 0, dst: 2, size: 1MB}, {src: 1, dst: 2, size: 1MB}]
record: {flows: all, ports: [[3, 2]], sample: 100us}
YAML
    "$ORRERY" run fair.yaml -q
    for what in flows ports fairness; do
        orrery plot fair.h5 $what
        [ "$status" -eq 0 ]
        is_text ../err ''
    done
    orrery plot fair.h5 flows --script
    # 10 Gbps are for both, in whole packets
    sed -n '/^\$rate/,/^END/p' ../out | awk '$1 == 1 {s += $2} END {exit !(s > 9 && s < 10.6)}'
    orrery plot fair.h5 fairness --script
    sed -n '/^\$jain/,/^END/p' ../out | awk '$2 ~ /^[0-9]/ {n++; if ($2 < 0.5 || $2 > 1) exit 1} END {exit n < 5}'
    orrery report fair.h5 -o fair.html
    grep -q '"flow_samples":{"of":2,' fair.html
    "$ORRERY" run fair.yaml -q -s record=null -o bare.h5
    orrery plot bare.h5 flows
    fails 2 'orrery: bare.h5 has no connections that were sampled (record: {flows}) to plot'
}

@test "plots of a cluster" {
    cat >cluster.yaml <<'YAML'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {mtu: 64KiB}
cluster:
  accuracy: fluid
  placement: spread
  arrivals: {load: 90%, most: 12}
  jobs: [{name: "it's", gpus: [2, 4], iterations: 50, program: [compute: 1ms, all-reduce: {size: 20MB}]}]
YAML
    "$ORRERY" run cluster.yaml -q -o c.h5 --json c.json
    for what in gantt queue utilization cdf; do
        orrery plot c.h5 $what -o $what.png
        [ "$status" -eq 0 ]
        is_text ../err ''
        is_kind $what.png
    done
    orrery plot c.h5 gantt --script
    grep -q "title 'it''s'" ../out
    [ "$(sed -n '/^\$kind0/,/^END/p' ../out | grep -c '^[0-9]')" -ge 12 ]
    # borders part jobs, unless these are thinner than a border
    grep -q "border lc rgb 'white'" ../out
    "$ORRERY" run cluster.yaml -q -s topology.hosts=256 -o wide.h5
    orrery plot wide.h5 gantt --script
    ! grep -q "rgb 'white' title" ../out || false
    orrery plot c.h5 cdf --of slowdown --script
    sed -n '/^\$cdf/,/^END/p' ../out | awk 'NF == 2 && !/END/ {x = $1} END {printf "%.6g\n", x}' >drawn
    jq -r '.cluster.slowdown.max' c.json | awk '{printf "%.6g\n", $1}' | cmp drawn -
    orrery plot c.h5 queue --script
    sed -n '/^\$line0/,/^END/p' ../out | awk 'NF == 2 && $2 > m {m = $2} END {print m + 0}' >most
    jq .cluster.queue_most c.json | cmp most -
    orrery plot c.h5 cdf --of fct
    fails 2 'orrery: a distribution of "fct": of a cluster it is of completion, queueing or slowdown'
    orrery plot c.h5 heat
    fails 2 'orrery: c.h5 has no links over time to plot'
    orrery timeline c.h5
    fails 2 'orrery: c.h5 is a cluster: what its ranks did is not recorded; `orrery report` and `orrery plot` show who had which GPUs'
    orrery run cluster.yaml -q -s cluster=null -s 'flows=[{src: 0, dst: 1, size: 1KB}]' -o f.h5
    orrery plot f.h5 queue
    fails 2 'orrery: f.h5 has no cluster to plot'
}

@test "a picture and a page of a run say what makes it doubtful" {
    cat >lossy.yaml <<'YAML'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 1us}}
network: {queue: {kind: droptail, capacity: 20KB}}
jobs: [{name: a, ranks: 8, program: [all-to-all: {size: 2MB}]}]
YAML
    "$ORRERY" run lossy.yaml -q --json lossy.json
    [ "$(jq '.counters.packets_dropped > 0 and .counters.timeouts > 0' lossy.json)" = true ]
    for what in heat series iterations gantt; do
        orrery plot lossy.h5 $what --script
        [ "$(grep -c "^set title .*% of packets lost; .* timeout" ../out)" = 1 ]
    done
    "$ORRERY" report lossy.h5 -o lossy.html
    grep -q '"doubt":\["L [0-9.]* % of packets lost","T [0-9,]* timeouts* of' lossy.html
    run_and_study
    orrery plot two.h5 gantt --script
    [ "$(grep -c lost ../out)" = 0 ]
    "$ORRERY" report two.h5 -o two.html
    [ "$(grep -c '"doubt":' two.html)" = 0 ]
}

# A study of three dimensions, one of numbers, and measures by size.
charts() {
    cat >charts.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
flows: [{src: 0, dst: 1, size: 15KB}, {src: 2, dst: 1, size: 15KB}, {src: 3, dst: 1, size: 150KB}]
compare:
  over: {network.cc: [none, dctcp], topology.link.rate: [10Gbps, 40Gbps, 400Gbps], topology.link.delay: [1us, 3us]}
  measure: [flows.fct_ns.mean, flows.by_size.10KB.slowdown.p99, flows.by_size.100KB.slowdown.p99]
  keep: false
YAML
    "$ORRERY" compare charts.yaml -o charts -j 1 >/dev/null 2>&1
}

# drawn BLOCK: the figures of a block of the script.
drawn() {
    sed -n "/^\\\$$1 /,/^END/p" ../out | awk 'NF == 4 {print $1, $2}' | paste -sd' '
}

@test "charts of a study: axis, series, panels, selection and names" {
    charts
    orrery plot charts lines --script --where delay=3us --name dctcp=DCTCP
    [ "$status" -eq 0 ]
    grep -q '^set logscale x' ../out # 10 to 400: by ratio
    grep -q "'10 Gbps' 1e+10, '40 Gbps' 4e+10, '400 Gbps' 4e+11" ../out
    grep -q "title 'DCTCP'" ../out
    grep -q "'delay: 3 us'" ../out
    grep -q "'mean completion time of flows, us'" ../out
    awk -F, '$1 == "none" && $3 == "3us" && $5 == "flows.fct_ns.mean" {printf "%g %.9g ", $2 * 1e9, $6 / 1000}' charts/table.csv |
        sed 's/ $//' >expected
    is_text <(drawn figures0_0) "$(cat expected)"
    # a `*` makes a dimension, and stands along the axis
    orrery plot charts lines --script --measure 'flows.by_size.*.slowdown.p99' \
        --facets delay --where rate=400Gbps
    [ "$status" -eq 0 ]
    grep -q "'10 KB' 10000, '100 KB' 100000" ../out
    [ "$(grep -c '^\$figures1_' ../out)" -eq 2 ]
    grep -q "'p99 slowdown of flows by size'" ../out
    # the order of --where is that of the bars
    orrery plot charts bars --script --x rate --where rate=400Gbps,10Gbps --where delay=1us
    grep -q "^set xtics norotate ('400 Gbps' 0, '10 Gbps' 1)" ../out
    orrery plot charts bars --script --log y --style ieee
    grep -q 'bars from ' ../out
    for what in lines bars box cdf; do
        orrery plot charts $what -o $what.svg
        [ "$status" -eq 0 ]
        is_text ../err ''
    done
}

@test "charts that cannot be: message and status" {
    charts
    orrery plot charts lines --where cc=x
    fails 2 'orrery: charts has no cc "x"; there are: none, dctcp'
    orrery plot charts lines --x size
    fails 2 'orrery: charts has no dimension "size"; there are: measure, cc, rate, delay'
    orrery plot charts lines --series cc
    fails 2 'orrery: delay has 2 values: choose one with --where delay=1us, or give --facets delay'
    orrery plot charts lines --name none
    fails 2 'orrery: --name "none": KEY=NAME is meant, and KEY is a measure, dimension or value of charts'
    orrery plot charts lines --x rate --facets rate
    fails 2 'orrery: rate cannot be both the axis and the panels'
    orrery plot charts bars --measure flows.fct_ns.mean --measure flows.by_size.10KB.slowdown.p99
    fails 2 'orrery: flows.fct_ns.mean and flows.by_size.10KB.slowdown.p99 are of different units (ns, 1): one axis shows one'
    orrery plot charts cdf --x rate
    fails 2 'orrery: --x is not of `cdf`: its axis is the measure'
    orrery plot charts bars --log x
    fails 2 'orrery: --log x: cc has values that are no numbers above 0'
}
