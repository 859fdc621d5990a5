#!/usr/bin/env bash
# Records and files of studies in which a bit is turned, or the end is missing:
# who reads them says so or shows the same figures, and never crashes or hangs.
# flips.sh CASES SEED
set -u

cases=${1:-20} seed=${2:-1}
orrery=$(realpath "${ORRERY:-build/orrery}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
RANDOM=$seed
bad=0 refused=0 same=0

cat >c.yaml <<'END'
topology: {kind: switch, hosts: 3, link: {rate: 10Gbps, delay: 1us}}
network: {queue: {kind: ecn, threshold: 20KB}, cc: dctcp}
record: {interval: 20us, flows: all, ports: all}
jobs:
- {name: first, ranks: 2, iterations: 3, program: [{compute: 10us}, {all-reduce: {size: 60KB}}]}
- {name: second, ranks: 2, placement: [2, 1], iterations: 3, program: [{all-reduce: {size: 90KB}}]}
flows: [{generate: incast, dst: 0, size: 40KB}]
END
"$orrery" run c.yaml -o r.h5 -q || exit 2
sed '/^record/d' c.yaml >s.yaml
echo "compare: {seeds: 2, over: {network.cc: [dctcp, reno]}}" >>s.yaml
"$orrery" compare s.yaml -o s -q || exit 2

# figures OF: all that is shown of it
show() {
    case $1 in
    *.h5)
        "$orrery" plot "$1" iterations --script &&
            "$orrery" plot "$1" heat --script &&
            "$orrery" plot "$1" gantt --script &&
            "$orrery" report "$1" -o -
        ;;
    *) "$orrery" plot "$1" bars --script && "$orrery" report "$1" -o - ;;
    esac
}
# shown OF: a digest of its numbers, or nothing; what was said is in err. Texts
# have no check sum.
shown() {
    timeout 30 bash -c "$(declare -f show); orrery=$orrery; show $1" >out 2>err
    status=$?
    [ $status -eq 0 ] &&
        sed -E "s/\"([^\"\\]|\\\\.)*\"//g; s/'[^']*'//g" out |
        md5sum | cut -d' ' -f1
    return $status
}
# under the same names, for they are shown
mkdir good x
mv r.h5 s good/
cp -r good/* x/
cd x || exit 2
whole_run=$(shown r.h5) whole_study=$(shown s)

# damage FILE: a bit, a byte, or the end
damage() {
    local size at
    size=$(stat -c %s "$1")
    at=$(((RANDOM * 32768 + RANDOM) % size))
    if [ $((RANDOM % 8)) -eq 0 ]; then
        truncate -s "$at" "$1"
        what="cut at $at"
        return
    fi
    local byte bit=$((1 << RANDOM % 8))
    byte=$(od -An -tu1 -j "$at" -N 1 "$1")
    # shellcheck disable=SC2059 # the number of a byte
    printf "\\x$(printf %x $((byte ^ bit)))" |
        dd of="$1" bs=1 seek="$at" conv=notrunc status=none
    what="bit $bit at $at"
}

judge() {
    local want=$1 got=$2 of=$3
    if [ "$status" -eq 124 ]; then
        echo "not ok - case $case of seed $seed: $of, $what: hangs"
    elif [ "$status" -gt 2 ]; then
        echo "not ok - case $case of seed $seed: $of, $what: status $status"
    elif [ "$status" -ne 0 ] && [ ! -s err ]; then
        echo "not ok - case $case of seed $seed: $of, $what: fails without a word"
    elif [ "$status" -ne 0 ]; then
        refused=$((refused + 1))
        return
    elif [ "$got" = "$want" ]; then
        same=$((same + 1))
        return
    else
        echo "not ok - case $case of seed $seed: $of, $what: other figures"
        [ -z "${KEEP-}" ] || { cp out "$KEEP.$case"; }
    fi
    bad=$((bad + 1))
}

for ((case = 0; case < cases; case++)); do
    files=(r.h5 r.h5 r.h5 s/study.json s/study.h5)
    file=${files[RANDOM % 5]}
    rm -rf r.h5 s
    cp -r ../good/* .
    damage "$file"
    if [ "$file" = r.h5 ]; then
        got=$(shown r.h5)
        status=$?
        judge "$whole_run" "$got" record
    else
        got=$(shown s)
        status=$?
        judge "$whole_study" "$got" "$file"
    fi
done
echo "$([ $bad -eq 0 ] && echo ok || echo not ok) - damaged files: $cases cases, $refused refused, $same shown alike, $bad findings"
[ $bad -eq 0 ]
