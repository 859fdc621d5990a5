#!/usr/bin/env bash
# htsim.sh OUT: compiles htsim_uec where the source of uet-htsim is at hand: in
# the folder that HTSIM names, or beside the project. Says on stderr why not, and
# exits 1.
set -eu

source=${HTSIM:-$(dirname "$0")/../../uet-htsim}/htsim/sim
out=$1

if [ ! -f "$source/CMakeLists.txt" ]; then
    echo "no uet-htsim at ${source%/htsim/sim}: nothing is compared with htsim" >&2
    exit 1
fi
if ! command -v cmake >/dev/null; then
    echo "no cmake: nothing is compared with htsim" >&2
    exit 1
fi
cmake -S "$source" -B "$out.build" -DCMAKE_BUILD_TYPE=Release >"$out.log" &&
    make -C "$out.build" htsim_uec >>"$out.log" 2>&1 || {
    echo "htsim does not compile: $out.log" >&2
    exit 1
}
cp "$out.build/datacenter/htsim_uec" "$out"
