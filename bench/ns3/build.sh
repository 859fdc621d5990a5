#!/usr/bin/env bash
# build.sh OUT: compiles the ns-3 program, if ns-3 is there. Says on stderr why
# not, and exits 1.
set -eu

cd "$(dirname "$0")"
out=$1
modules=(ns3-core ns3-internet ns3-point-to-point ns3-traffic-control)

if ! pkg-config --exists "${modules[@]}"; then
    echo "ns-3 is not installed (make deps-compare): its columns stay empty" >&2
    exit 1
fi
mkdir -p "$(dirname "$out")"
if [ "$out" -nt tcp.cc ] && [ "$out" -nt fabric.cc ] &&
    [ "$out" -nt fabric.h ] && [ "$out" -nt mltcp.h ]; then
    exit 0
fi
read -r -a libraries < <(pkg-config --libs "${modules[@]}")
# Debian's --cflags has a stray `-I/usr\;`, and the headers are where the
# compiler looks anyway.
${CXX:-c++} -std=c++17 -O2 -Wall -Wextra -o "$out" tcp.cc fabric.cc \
    "${libraries[@]}"
