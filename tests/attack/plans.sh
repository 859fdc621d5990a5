#!/usr/bin/env bash
# Plans that are written and run: what `plan --write` makes is a configuration,
# and its jobs take as long as the plan said of it by packets.
# plans.sh CASES SEED
set -u

cases=${1:-10} seed=${2:-1}
orrery=$(realpath "${ORRERY:-build/orrery}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
RANDOM=$seed
bad=0 compared=0 cut=0

complain() {
    echo "not ok - case $case of seed $seed: $*"
    bad=$((bad + 1))
    [ -z "${KEEP-}" ] || cp c.yaml "$KEEP.$case"
}

topologies=(
    'kind: dumbbell, left: 3, right: 3, link: {rate: 10Gbps, delay: 1us}, bottleneck: {rate: 10Gbps, delay: 1us}'
    'kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 3, link: {rate: 25Gbps, delay: 1us}'
    'kind: switch, hosts: 6, link: {rate: 40Gbps, delay: 500ns}'
    'kind: fat-tree, k: 4, link: {rate: 20Gbps, delay: 1us}')
controls=(dctcp '{kind: swift}' hpcc none)
schedules=(cassini crux '{kind: crux, turns: true}' '{kind: crux, paths: true}')
collectives=('all-reduce: {algorithm: ring, size: '
    'all-to-all: {size: ' 'broadcast: {size: ')

draw() {
    local i n=$((2 + RANDOM % 2))
    echo "topology: {${topologies[RANDOM % 4]}}"
    echo "network: {mtu: 9000B, queue: {kind: ecn, capacity: 2MB, threshold: 200KB}, cc: ${controls[RANDOM % 4]}}"
    echo "record: none"
    echo "schedule: ${schedules[RANDOM % 4]}"
    echo "jobs:"
    for ((i = 0; i < n; i++)); do
        echo "- {name: \"j $i\", ranks: 2, placement: [$i, $((3 + i))], iterations: $((3 + RANDOM % 8)), warmup: $((RANDOM % 2)), program: [compute: $((500 + RANDOM % 4000))us, ${collectives[RANDOM % 3]}$((1 + RANDOM % 3000))KB}]}"
    done
}

for ((case = 0; case < cases; case++)); do
    draw >c.yaml
    "$orrery" plan c.yaml --json p.json --write w.yaml >out 2>err ||
        { complain "plan: $(head -1 err)"; continue; }
    "$orrery" check w.yaml >out 2>err || complain "check: $(head -1 err)"
    "$orrery" run w.yaml -q --json r.json >out 2>err ||
        { complain "run: $(head -1 err)"; continue; }
    if jq -e '.verdict.cut or ([.jobs[].expected.simulated_ns] | any(. == null))' p.json >/dev/null; then
        cut=$((cut + 1))
        continue
    fi
    compared=$((compared + 1))
    jq -n -e --slurpfile p p.json --slurpfile r r.json '
        [$p[0].jobs[] | [.name, .expected.simulated_ns]] as $want |
        [$r[0].jobs[] | [.name, .iteration_ns.mean]] as $got |
        [range($want | length) | $want[.][0] == $got[.][0] and
            ($want[.][1] - $got[.][1] | fabs) <= 0.001] | all' >/dev/null ||
        complain "the plan says $(jq -c '[.jobs[].expected.simulated_ns]' p.json), and the run $(jq -c '[.jobs[].iteration_ns.mean]' r.json)"
done
echo "$([ $bad -eq 0 ] && echo ok || echo not ok) - plans that are run: $cases cases, $compared compared, $cut not simulated in full, $bad findings"
[ $bad -eq 0 ]
