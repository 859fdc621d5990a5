#!/usr/bin/env bats
# shellcheck disable=SC2154 # json is set by common.bash
# configs/seeds/ gives what was measured or printed elsewhere.

load common

folder=configs/seeds
duration=".jobs[0].finish_ns - .jobs[0].start_ns"

@test "ASTRA-sim ring: 45,691 ns, to the picosecond" {
    simulate $folder/astra_ring8.yaml
    near "$duration" 45691 1
    near "($duration) * 1000 | round" 45690856
}

@test "ASTRA-sim ring: larger sizes within 0.1 %" {
    while read -r size expected; do
        simulate $folder/astra_ring8.yaml \
            --set "jobs[0].program[0].all-reduce.size=$size"
        near "$duration" "$expected" 0.1%
    done <<<"2MiB 62761
4MiB 96921
8MiB 165297
16MiB 302077"
}

@test "ASTRA-sim switch: one packet a message more than 58,449 ns" {
    simulate $folder/astra_switch8.yaml
    near "$duration" 58449 0.25%
    near "($duration) * 1000 | round" 58579648
    simulate $folder/astra_switch8.yaml --set network.mtu=4096B
    near "$duration" 60319 0.1%
}

@test "ASTRA-sim fully connected: 9,001 ns" {
    simulate $folder/astra_fully_connected8.yaml
    near "$duration" 9001 3
    near "($duration) * 1000 | round" 9003816
}
