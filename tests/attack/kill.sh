#!/usr/bin/env bash
# kill.sh [N [SEED]]: N runs that are interrupted, killed or left without room
# for their files at a random moment. What is there under its final name is
# whole; an interrupted run closes its files; nothing else is left behind.
set -u

cd "$(dirname "$0")/../.." || exit 1
count=${1:-20}
seed=${2:-1}
ORRERY=$(realpath "${ORRERY:-build/orrery}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

cat >long.yaml <<'END'
topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}
network: {cc: dctcp, queue: {kind: ecn, capacity: 1MiB, threshold: 65KB}}
jobs: [{ranks: 16, iterations: 1000, program: [{all-to-all: {size: 1MB}}]}]
record: {interval: 1us, flows: [{job: job0, from: all, to: all}], sample: 1us}
END

# Repeatable, whichever shell this is.
number() { awk -v s=$((seed * 7919 + $1)) -v n="$2" \
    'BEGIN { srand(s); rand(); print int(rand() * n) }'; }

# A file that is there opens and says that it is whole.
whole() {
    [ ! -e out.h5 ] ||
        h5dump -a /fingerprint out.h5 >/dev/null 2>&1 ||
        echo "out.h5 is there and does not open"
    [ ! -e out.json ] || jq -e .fingerprint out.json >/dev/null 2>&1 ||
        echo "out.json is there and is no summary"
}

# Waits until a run answers to SIGINT (bit 1 of what it catches): before that
# the signal meets what the shell has left, where INT is ignored, or the shell
# itself, which catches it until it has become the command.
listens() {
    local caught=0 tries
    for ((tries = 0; tries < 2000; tries++)); do
        caught=$(sed -n 's/^SigCgt:[[:space:]]*/0x/p' "/proc/$1/status" 2>/dev/null)
        [ $((${caught:-0} & 2)) -ne 0 ] &&
            [ "$(readlink "/proc/$1/exe")" = "$ORRERY" ] && return
        [ -d "/proc/$1" ] || return
        sleep 0.005
    done
}

# Stopped by a signal after so many milliseconds.
stop() {
    local signal=$1 delay=$2 status=0
    "$ORRERY" run long.yaml -o out.h5 --json out.json --quiet \
        >/dev/null 2>err.txt &
    local pid=$!
    listens $pid
    sleep "0.$(printf %03d "$delay")"
    kill -s "$signal" $pid 2>/dev/null
    wait $pid 2>/dev/null || status=$?
    case $signal:$status in
    KILL:137 | INT:130 | TERM:130) ;;
    *) echo "status $status"; cat err.txt ;;
    esac
    whole
    [ "$signal" = KILL ] || ! ls ./*.partial* >/dev/null 2>&1 ||
        echo "an unfinished file is left behind"
}

# No file may be larger than so many KiB.
fill() {
    local most=$1 status=0
    (
        ulimit -f "$most"
        exec timeout 60 "$ORRERY" run long.yaml --set jobs[0].iterations=2 \
            -o out.h5 --json out.json --quiet >/dev/null 2>err.txt
    ) || status=$?
    case $status in
    0) [ -s out.h5 ] || echo "status 0 and no file" ;;
    1) [ -s err.txt ] || echo "status 1 and not a word" ;;
    *) echo "status $status"; cat err.txt ;;
    esac
    whole
    ! ls ./*.partial* >/dev/null 2>&1 ||
        [ $status -eq 1 ] || echo "an unfinished file is left behind"
}

bad=0
for ((i = 0; i < count; i++)); do
    rm -f out.* err.txt ./*.partial*
    case $((i % 4)) in
    0) what="INT after $(number $i 300) ms"; said=$(stop INT "$(number $i 300)") ;;
    1) what="TERM after $(number $i 300) ms"; said=$(stop TERM "$(number $i 300)") ;;
    2) what="KILL after $(number $i 300) ms"; said=$(stop KILL "$(number $i 300)") ;;
    3) what="files of $(number $i 2000) KiB"; said=$(fill "$(number $i 2000)") ;;
    esac
    [ -z "$said" ] && continue
    bad=$((bad + 1))
    echo "$what: $said"
done
echo "kill: $((count - bad)) passed, $bad failed"
[ $bad -eq 0 ]
