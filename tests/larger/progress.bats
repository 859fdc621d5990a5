#!/usr/bin/env bats
# How far a run is, where stderr is no terminal.

load ../cli/common

@test "a line every ten seconds, and none before" {
    long
    "$ORRERY" run long.yaml --set record=none >../out 2>../err &
    sleep 7
    [ ! -s ../err ]
    sleep 15
    kill -INT $!
    wait $! || true
    grep -c 'simulated, .* million packet-hops/s' ../err >lines
    [ "$(cat lines)" -ge 1 ] && [ "$(cat lines)" -le 2 ]
    ! grep -q "$(printf '[\r\033]')" ../err || false
}

@test "explain: the same, and which pass it is at" {
    long
    "$ORRERY" explain long.yaml >/dev/null 2>../err &
    sleep 15
    kill -INT $!
    wait $! || true
    grep -q '^pass [12]: .* simulated, .* million packet-hops/s' ../err
    "$ORRERY" explain long.yaml -q >/dev/null 2>../err &
    sleep 12
    kill -INT $!
    wait $! || true
    ! grep 'packet-hops/s' ../err || false
}
