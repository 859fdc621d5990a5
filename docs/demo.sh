#!/usr/bin/env bash
# demo.sh [STUDY [PICTURE]]: draws docs/demo.svg, or PICTURE, from the study that
# the demonstration left (out/demo): when each run finished, and how much of what
# the hosts may send was under way over time, summed over the links that leave a
# host. docs/readme.sh calls it with the study whose table it puts beside it.
set -euo pipefail

picture=$(realpath -m "${2:-$(dirname "$0")/demo.svg}")
OUT=$(realpath -m "${1:-${OUT:-$(dirname "$0")/../out/demo}}")
for tool in jq h5dump gnuplot; do
    command -v $tool >/dev/null || {
        echo "demo.sh: $tool is not there: it draws docs/demo.svg" >&2
        exit 1
    }
done
[ -f "$OUT/study.json" ] || {
    echo "demo.sh: $OUT holds no study: \`make demo\` makes it" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "TOPOLOGY, ALGORITHM" and the folder of its run.
runs() {
    jq -r '.cells[] | [.at.topology + ", " + .at.algorithm, .runs[0].run]
        | @tsv' "$OUT/study.json"
}

# column RUN DATASET: its numbers, one a line.
column() {
    h5dump -y -w 0 -d "$2" -o "$work/raw" "$OUT/runs/$1/run.h5" >/dev/null
    tr -s ', \n' '\n' <"$work/raw" | grep -v '^$'
}

while IFS=$'\t' read -r name run; do
    jq -r --arg name "$name" '[$name, .jobs[0].finish_ns / 1e3] | @tsv' \
        "$OUT/runs/$run/summary.json" >>"$work/times"
    column "$run" /links/time >"$work/start"
    column "$run" /links/time_end >"$work/end"
    column "$run" /links/from >"$work/from"
    column "$run" /links/bytes >"$work/bytes"
    # 64 hosts at 400 Gbps send 3.2 B in a picosecond.
    awk -v work="$work" '
        BEGIN {
            while ((getline v < (work "/from")) > 0) host[links++] = v < 64
            while ((getline v < (work "/start")) > 0) start[bins++] = v
            for (i = 0; (getline v < (work "/end")) > 0; i++) end[i] = v
        }
        { if (host[(NR - 1) % links]) sum[int((NR - 1) / links)] += $1 }
        END { # several bins for a point: a picture has no room for all
            step = int(bins / 150) + 1
            for (i = 0; i < bins; i += step) {
                bytes = 0
                for (j = i; j < i + step && j < bins; j++) bytes += sum[j]
                share = 100 * bytes / (3.2 * (end[j - 1] - start[i]))
                printf "%.3f %.2f\n%.3f %.2f\n", \
                    i ? start[i] / 1e6 : 10, share, end[j - 1] / 1e6, share
            }
        }' "$work/bytes" >"$work/${name//[ ,]/-}.share"
done < <(runs)
sort -t$'\t' -k2n -o "$work/times" "$work/times"

cd "$work"
gnuplot >demo.svg <<'PLOT'
set terminal svg size 1000,380 font "sans,12" background "white"
set multiplot
set border 3
set tics nomirror

set size 0.48, 1
set origin 0, 0
set title "64 ranks, 16 MiB all-reduce: time to finish"
set logscale x
set xrange [100:*]
set xlabel "microseconds"
set yrange [10.6:-0.6]
set lmargin 26
set style fill solid 0.8 noborder
set datafile separator "\t"
plot "times" using (sqrt($2 * 100)):0:(100):2:($0 - 0.35):($0 + 0.35):\
        ytic(1) with boxxyerror linecolor rgb "#4477aa" notitle, \
     "times" using ($2 * 1.1):0:(sprintf("%.0f", $2)) with labels left notitle

set datafile separator whitespace
set origin 0.49, 0
set size 0.51, 1
set lmargin 8
set title "share of the hosts' 64 x 400 Gbps in use"
set xrange [10:60000]
set yrange [0:119]
set ylabel "%"
set ytics auto
set format y "%g"
set key font ",10" samplen 1
set key at graph 1.0, 0.98
plot "torus--its-own.share" with lines linewidth 2 \
        linecolor rgb "#228833" title "torus, by dimension", \
     "torus--ring.share" with lines linewidth 2 \
        linecolor rgb "#ee6677" title "torus, ring", \
     "ring--ring.share" with lines linewidth 2 \
        linecolor rgb "#4477aa" title "ring, one way", \
     "parameter-server--its-own.share" with lines linewidth 2 \
        linecolor rgb "#aa3377" title "parameter server", \
     "fully-connected--ring.share" with lines linewidth 2 \
        linecolor rgb "#bbaa22" title "fully-connected, ring"
unset multiplot
PLOT
cp "$work/demo.svg" "$picture"
