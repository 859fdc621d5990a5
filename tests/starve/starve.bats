#!/usr/bin/env bats
# A sample of what tests/larger/starve.bats does for every allocation.

load common

@test "a run with records, an allocation of which fails" {
    mixed
    every 431 run "$PWD/mixed.yaml" -q -t 2 -o run.h5 --json run.json
}

@test "a run without records does not start HDF5" {
    mixed
    every 131 run "$PWD/mixed.yaml" -q --set record=none --json run.json
    grep -q fy_parser_set_string count
    ! grep -q H5 count || return 1
}

@test "a run with records, short of memory" {
    mixed
    limits 90000 210000 24007 run "$PWD/mixed.yaml" -q -o run.h5 \
        --json run.json
}
