#!/usr/bin/env bats
# Each shell command of README.md, docs/workloads.md and docs/results.md runs as
# printed, in a copy of configs/.

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    ORRERY=$(realpath "${ORRERY:-$root/build/orrery}")
    mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/work/build"
    ln -s "$ORRERY" "$BATS_TEST_TMPDIR/bin/orrery"
    ln -s "$ORRERY" "$BATS_TEST_TMPDIR/work/build/orrery"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    cd "$BATS_TEST_TMPDIR/work" || return 1
    cp -r "$root/configs" .
}

# block PAGE HEADING LANGUAGE: the first block of that below the heading.
block() {
    awk -v heading="$2" -v fence="\`\`\`$3" '
        /^#/ && !in_block { below = $0 == heading }
        /^```/ { if (on) exit
                 in_block = !in_block
                 on = in_block && below && $0 == fence
                 next }
        on' "$root/$1"
}

# runs PAGE HEADING [LANGUAGE]: its block, as a script, of some lines at least.
runs() {
    block "$@" >script
    [ "$(wc -l <script)" -ge 1 ]
    bash -eu script >out
}

@test "docs/workloads.md: ASTRA-sim's files" {
    runs docs/workloads.md '## ASTRA-sim' sh
    [ "$(grep -c '^simulated ' out)" -eq 5 ]
    [ -s configs/formats/results/EndToEnd.csv ]
}

@test "docs/workloads.md: HPCC's, and back" {
    runs docs/workloads.md "## HPCC, and the ns-3 backends made from it" sh
    [ "$(wc -l <configs/formats/fct.txt)" -eq 9 ]
    # and what was written can be run
    orrery run --hpcc configs/formats/mix/config.txt -q --json two.json
    [ "$(jq .flows.completed two.json)" -eq 9 ]
}

@test "docs/workloads.md: SimAI's" {
    runs docs/workloads.md '## SimAI' sh
    [ -s configs/formats/simai/config.yaml ]
}

@test "docs/workloads.md: htsim's, and back" {
    runs docs/workloads.md '## htsim' sh
    cd configs/formats/htsim
    orrery run --htsim htsim/network.topo htsim/flows.cm -q --json two.json
    [ "$(jq .flows.completed two.json)" -eq 9 ]
}

@test "docs/workloads.md: traces of jobs" {
    runs docs/workloads.md "## Traces of a configuration's jobs" sh
    [ -s et/v.0.et ] && [ -s et/v.groups.json ]
}

@test "docs/results.md: what reads the records" {
    orrery run configs/conformance/ring_1mib.yaml -q -o run.h5
    block docs/results.md '## The HDF5 file' '' | grep -v '^python3' >script
    [ "$(wc -l <script)" -eq 2 ]
    sed -i 's,/flows/fct,/iterations/duration,' script # it has a job, no flows
    bash -eu script >out
    grep -q 'netcdf run {' out
}

@test "README.md: the files of others" {
    runs README.md '## What else to ask' ''
    grep -q '^simulated  *45.68 us in ' out
    grep -q '^usage: orrery convert ' out
    grep -q '^  vgg16' out
}

@test "README.md: ASTRA-sim's first ring takes what ASTRA-sim says" {
    orrery run --astra configs/formats/astra1/ring -q --json one.json
    [ "$(jq '.jobs[0].finish_ns' one.json)" -eq 45681 ]
    orrery run --packets --astra configs/formats/astra1/ring -q --json two.json
    [ "$(jq '.jobs[0].finish_ns' two.json)" = 45690.856 ]
}
