#!/usr/bin/env bats
# The page of `orrery report` in a browser: it draws what it should, and says
# nothing on the console. Needs chromium (make deps-develop).

load ../cli/common

browser() {
    chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
        --virtual-time-budget=8000 --window-size=1280,2400 \
        --enable-logging=stderr "$@" 2>../console
}

# count PATTERN: how often the page, once drawn, has it.
count() { grep -o "$1" dom.html | wc -l; }

# drawn SCRIPT FILTER: what of the page matches the filter once keys were pressed.
drawn() {
    sed "s#</body>#<script>const press = (what, key) => document.querySelector(what).dispatchEvent(new KeyboardEvent('keydown', {key, cancelable: true})); setTimeout(() => { $1 }, 500)</script></body>#" \
        report.html >pressed.html
    browser --dump-dom "file://$PWD/pressed.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    grep -o "$2" dom.html | head -1
}

@test "a run and a study: the marks are there, the console is silent" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >two.yaml <<'YAML'
title: two jobs
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 4, link: {rate: 10Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 1MiB, threshold: 50KB}}
jobs:
- {name: a, ranks: 4, placement: [0, 1, 4, 5], iterations: 4, program: [compute: 100us, all-reduce: {size: 200KB}]}
- {name: b, ranks: 4, placement: [2, 3, 6, 7], iterations: 4, program: [compute: 100us, all-reduce: {size: 200KB}]}
flows: [{generate: poisson, size: 20KB, load: 0.1, duration: 1ms}]
compare: {over: {network.cc: [dctcp, reno]}, seeds: 1..2, measure: [jobs.*.iteration_ns.mean]}
YAML
    "$ORRERY" run two.yaml -q -o two.h5
    "$ORRERY" compare two.yaml -o study -j 1 >/dev/null 2>&1
    "$ORRERY" explain two.yaml --json why.json >/dev/null
    orrery report two.h5 study --explain why.json
    [ "$status" -eq 0 ]
    browser --dump-dom "file://$PWD/report.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    [ "$(count 'class="cable"')" -eq 12 ]
    [ "$(count 'class="span"')" -gt 30 ]
    [ "$(count 'class="heat"')" -eq 1 ]
    [ "$(count '<h2>Why did it take so long')" -eq 1 ]
    [ "$(count '>behind job [ab]<')" -ge 1 ]
    [ "$(count '<h2')" -ge 7 ]
    [ "$(count 'class="dygraph-axis-label')" -gt 5 ]
    # marks stand below the load of the same time
    [ "$(drawn 'document.title = [...document.querySelectorAll("section[id=series] .dygraph")].map(d => [...d.querySelectorAll(".dygraph-axis-label-x")].map(x => Math.round(x.getBoundingClientRect().left)).join()).filter((x, i, all) => x ? x === all[0] : false).length' \
        '<title>[^<]*')" = '<title>2' ]
    # a picture is not blank: many colours
    browser --screenshot=page.png "file://$PWD/report.html" >/dev/null
    [ "$(stat -c %s page.png)" -gt 100000 ]
}

@test "one flow is a sentence, two are distributions" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >flows.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
flows: [{src: 0, dst: 1, size: 100KB}]
YAML
    "$ORRERY" run flows.yaml -q
    orrery report flows.h5
    browser --dump-dom "file://$PWD/report.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    [ "$(count '1 of 1 flows ended: it took ')" -eq 1 ]
    [ "$(count 'aria-label="distribution of')" -eq 0 ]
    "$ORRERY" run flows.yaml -q \
        --set 'flows=[{src: 0, dst: 1, size: 100KB}, {src: 2, dst: 3, size: 1MB}]'
    orrery report flows.h5
    browser --dump-dom "file://$PWD/report.html" >dom.html
    [ "$(count '2 of 2 flows ended: half within ')" -eq 1 ]
    [ "$(count 'aria-label="distribution of')" -ge 1 ]
}

@test "charts are as wide as there is room once the window is narrower" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >flows.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
flows: [{src: 0, dst: 1, size: 100KB}, {src: 2, dst: 3, size: 1MB}]
YAML
    "$ORRERY" run flows.yaml -q
    orrery report flows.h5
    cat >frame.html <<'HTML'
<html><head><title>none</title></head><body>
<iframe src="report.html" style="border: 0; width: 1200px; height: 900px"></iframe>
<script>
const frame = document.querySelector("iframe");
setTimeout(() => { frame.style.width = "900px"; }, 1500);
setTimeout(() => {
    const pairs = [...frame.contentDocument.querySelectorAll(".pair")];
    const halves = pairs.flatMap(p => [...p.children].map(c =>
        c.getBoundingClientRect().width / p.getBoundingClientRect().width));
    document.title = `wide ${halves.filter(x => x > 0.5).length} of ` +
                     halves.length;
}, 4000);
</script></body></html>
HTML
    browser --allow-file-access-from-files --dump-dom \
        "file://$PWD/frame.html" >dom.html
    [ "$(count '<title>wide 0 of 1<')" -eq 1 ]
}

@test "a job that lost nothing, on a network of one cable" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >one.yaml <<'YAML'
topology: {kind: ring, hosts: 2, link: {rate: 10Gbps, delay: 1us}}
jobs: [{name: solo, ranks: 1, program: [compute: 5us]}]
YAML
    "$ORRERY" run one.yaml -q
    orrery report one.h5
    browser --dump-dom "file://$PWD/report.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    [ "$(count '>solo: 5\.000 µs an iteration\. No time was lost to the network\.<')" -eq 1 ]
    [ "$(count '>ring: 2 nodes, 1 cable; no link was recorded\.<')" -eq 1 ]
}

@test "several runs: a table and curves, then each folded" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >runs.yaml <<'YAML'
topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
network: {queue: {kind: droptail, capacity: 20KB}}
jobs: [{name: a, ranks: 4, iterations: 3, program: [all-to-all: {size: 200KB}]}]
flows: [{src: 0, dst: 1, size: 15KB}, {src: 2, dst: 1, size: 150KB}]
YAML
    for cc in reno cubic; do
        "$ORRERY" run runs.yaml -q -s network.cc=$cc -o $cc.h5
    done
    orrery report reno.h5 cubic.h5
    browser --dump-dom "file://$PWD/report.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    [ "$(count '<h2>How do the runs compare')" -eq 1 ]
    [ "$(count 'class="chart"')" -eq 3 ] # iterations, flows, the busiest link
    [ "$(count '<details id="part-[01]" class="part">')" -eq 2 ]
    [ "$(count 'h5) lost</b>')" -eq 2 ]
    [ "$(drawn 'document.getElementById("part-1").open = true; setTimeout(() => { document.title = document.querySelectorAll("[id=part-1] section").length > 3; }, 200)' \
        '<title>[^<]*')" = '<title>true' ]
}

@test "a measure of a study: who has least and most, or that all have the same" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >three.yaml <<'YAML'
topology: {kind: ring, hosts: 4, link: {rate: 10Gbps, delay: 1us}}
jobs: [{name: a, ranks: 4, program: [all-reduce: {size: 200KB}]}]
record: none
compare: {over: {topology.link.rate: [5Gbps, 10Gbps, 20Gbps]},
          measure: [jobs.*.iteration_ns.mean, jobs.*.bytes_sent]}
YAML
    "$ORRERY" compare three.yaml -o study -j 1 >/dev/null 2>&1
    orrery report study
    browser --dump-dom "file://$PWD/report.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    [ "$(count '>Smallest: [^<]* Largest: [^<]* times that\.<')" -eq 1 ]
    [ "$(count '>The same everywhere: 1\.200 MB\.<')" -eq 1 ]
}

# Both jobs ask for the link's rate for half of their period: at once that is
# two sectors and one above the rate, in turn two sectors.
@test "circles of a plan: sectors, names, none above the rate once planned" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >turns.yaml <<'YAML'
topology: {kind: dumbbell, left: 2, right: 2, link: {rate: 50Gbps, delay: 1us}, bottleneck: {rate: 50Gbps, delay: 1us}}
schedule: {kind: cassini}
jobs:
- {name: a, ranks: 2, placement: [0, 2], iterations: 3, program: &p [compute: 3ms, parallel: [{send: {to: +1, size: 12MB}}, {recv: {from: +1}}]]}
- {name: "<b>", ranks: 2, placement: [1, 3], iterations: 3, program: *p}
YAML
    "$ORRERY" run turns.yaml -q
    orrery report turns.h5
    [ "$status" -eq 0 ]
    browser --dump-dom "file://$PWD/report.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    [ "$(count '<h2>Do the jobs take turns')" -eq 1 ]
    tr '\n' ' ' <dom.html | grep -o '<svg[^>]*class="circle".*</svg>' |
        sed 's/<svg/\n<svg/g' | grep 'class="circle"' >circles
    [ "$(wc -l <circles)" -eq 2 ]
    [ "$(grep -o 'url(#above)' circles | wc -l)" -ge 1 ]
    ! sed -n 2p circles | grep 'url(#above)' || false
    sed -n 1p circles | grep -q 'at once: score 0.[0-9]'
    sed -n 2p circles | grep -q 'as planned: score 1'
    for i in 1 2; do
        for job in a '&lt;b&gt;'; do
            sed -n ${i}p circles | grep -q "class=\"on\">$job</text>"
        done
    done
}

@test "a click on a link shows its series" {
    command -v chromium >/dev/null || skip "no chromium"
    small
    "$ORRERY" run small.yaml -q -o small.h5
    orrery report small.h5
    # the second row of the table is pressed by a script at the end of the page
    sed 's#</body>#<script>setTimeout(() => document.querySelectorAll("td button")[1].click(), 500)</script></body>#' \
        report.html >pressed.html
    browser --dump-dom "file://$PWD/report.html" >dom.html
    first=$(grep -o '<h3>[^<]*used' dom.html | head -1)
    browser --dump-dom "file://$PWD/pressed.html" >dom.html
    second=$(grep -o '<h3>[^<]*used' dom.html | head -1)
    echo "$first / $second"
    [ -n "$first" ] && [ -n "$second" ] && [ "$first" != "$second" ]
    [ "$(count 'tr class="chosen"')" -eq 1 ]
}

@test "keys: links are chosen, pictures zoomed, the slider moves" {
    command -v chromium >/dev/null || skip "no chromium"
    small
    "$ORRERY" run small.yaml -q -o small.h5
    orrery report small.h5
    chosen='<text[^>]*class="chosen"[^<]*<'
    first=$(drawn '' "$chosen")
    second=$(drawn 'press("svg.heat", "ArrowDown")' "$chosen")
    echo "$first / $second"
    [ -n "$first" ] && [ -n "$second" ] && [ "$first" != "$second" ]
    # twice as large: half of the bins, and back again
    bins='viewBox="[0-9.]* 0 [0-9.]* [0-9]*" preserveAspectRatio'
    all=$(drawn '' "$bins")
    near=$(drawn 'press("svg.heat", "+")' "$bins")
    back=$(drawn 'press("svg.heat", "+"); press("svg.heat", "-")' "$bins")
    echo "$all / $near / $back"
    [ -n "$all" ] && [ "$all" = "$back" ] && [ "$all" != "$near" ]
    echo "$all $near" | awk '{ exit !($8 > 0.49 * $3 && $8 < 0.51 * $3) }'
    # the time that the slider says, of which colours are
    time='<output>[^<]*<'
    is_text <(drawn '' "$time") '<output>mean over the run<'
    [[ "$(drawn 'const s = document.querySelector("input[type=range]"); s.stepUp(3); s.dispatchEvent(new Event("input"))' "$time")" = *' to '* ]]
    # all that can be used with a mouse can be reached by keys
    drawn '[...document.querySelectorAll("button, select, input[type=range], svg.heat, summary")].forEach(x => { x.focus(); if (document.activeElement !== x) document.title = "lost" })' \
        '<title>[^<]*' >title
    ! grep lost title || false
}

@test "a cluster: GPUs, queue, links and jobs are drawn" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >cluster.yaml <<'YAML'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 8, link: {rate: 50Gbps, delay: 1us}}
network: {mtu: 64KiB}
cluster:
  accuracy: fluid
  placement: spread
  arrivals: {load: 90%, most: 60}
  jobs: [{name: a, gpus: [2, 4], iterations: 50, program: [compute: 1ms, all-reduce: {size: 20MB}]}]
YAML
    "$ORRERY" run cluster.yaml -q -o cluster.h5
    orrery report cluster.h5
    [ "$status" -eq 0 ]
    browser --dump-dom "file://$PWD/report.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    for title in 'Who had which GPUs' 'How long was the queue' \
        'How long did jobs take' 'Where did jobs contend' 'What became of each job'; do
        [ "$(count "<h2>$title")" -eq 1 ]
    done
    [ "$(count 'class="heat"')" -eq 1 ]
    [ "$(count 'aria-label="when jobs shared leaf')" -ge 2 ]
    [ "$(count '<td>done</td>')" -eq 50 ] # a page of the table
    # "more" shows the rest
    sed 's#</body>#<script>setTimeout(() => [...document.querySelectorAll("button")].find(b => b.textContent === "more").click(), 500)</script></body>#' \
        report.html >pressed.html
    browser --dump-dom "file://$PWD/pressed.html" >dom.html
    [ "$(count '<td>done</td>')" -eq 10 ]
    browser --screenshot=page.png "file://$PWD/report.html" >/dev/null
    [ "$(stat -c %s page.png)" -gt 100000 ]
}

@test "2,000 bins of 5,000 links: thinned, to less than 10 MB" {
    cat >big.yaml <<'YAML'
topology: {kind: fat-tree, k: 16, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 9000B}
flows: [{generate: poisson, size: 40KB, load: 0.2, duration: 2ms}]
record: {interval: 1us}
YAML
    "$ORRERY" run big.yaml -q -o big.h5
    h5ls big.h5/links | sed -n 's|^bytes .*{\([0-9]*\)/Inf, \([0-9]*\)/Inf}|\1 \2|p' |
        awk '{ print; good = $1 >= 2000 && $2 >= 5000 } END { exit !good }'
    orrery report big.h5
    [ "$status" -eq 0 ]
    [ "$(stat -c %s report.html)" -gt 1000000 ]
    [ "$(stat -c %s report.html)" -lt 10000000 ]
}

@test "a million flows: a page and a picture that stay small" {
    cat >many.yaml <<'YAML'
topology: {kind: switch, hosts: 64, link: {rate: 400Gbps, delay: 100ns}}
network: {mtu: 9000B}
flows: [{generate: poisson, size: 5KB, load: 0.5, duration: 3.2ms}]
record: {interval: 10us}
YAML
    "$ORRERY" run many.yaml -q -o many.h5 --json many.json
    jq -e '.flows.count > 1000000 and .flows.completed == .flows.count' many.json
    orrery report many.h5
    [ "$status" -eq 0 ]
    [ "$(stat -c %s report.html)" -lt 2000000 ]
    sed -n 's/.*<script type="application\/json" id="data">\(.*\)<\/script>.*/\1/p' \
        report.html >data.json
    # of all flows, not of some: percentiles are those of the summary
    jq -e --slurpfile run many.json '.[0].flows | . as $f |
        .count == $run[0].flows.count and
        (.fct.share | index(first(.[] | select(. >= 0.99)))) as $i |
        ($f.fct.value[$i] * 1e9 / $run[0].flows.fct_ns.p99 - 1 | fabs) < 1e-6 and
        ($f.fct.share | . == sort)' data.json
    command -v gnuplot >/dev/null || skip "no gnuplot"
    orrery plot many.h5 cdf
    [ "$status" -eq 0 ]
    [ "$(stat -c %s cdf.svg)" -lt 1000000 ]
}

@test "switches that add: a chart of slots, and a row for each" {
    command -v chromium >/dev/null || skip "no chromium"
    cat >add.yaml <<'YAML'
topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 4, link: {rate: 100Gbps, delay: 1us}}
network: {mtu: 1000B, in_network: {kind: atp, payload: 1000B, slots: 32}}
jobs: [{ranks: 6, program: [all-reduce: {size: 500KB, algorithm: in-network, servers: [7]}]}]
YAML
    orrery run add.yaml -q -o add.h5
    orrery report add.h5 -o report.html
    browser --dump-dom "file://$PWD/report.html" >dom.html
    ! grep -i 'CONSOLE' ../console || false
    [ "$(count 'aria-label="slots of switches in use over time"')" -eq 1 ]
    [ "$(count '<tr><td>\(leaf[01]\|spine0\|host 7\)</td>')" -eq 4 ]
}
