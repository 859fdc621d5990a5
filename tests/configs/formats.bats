#!/usr/bin/env bats
# Other people's formats: the example of each, and the real files where they
# are (ORRERY_DATA, see tests/validate).

load common

@test "a step from Chakra traces" {
    simulate configs/formats/chakra.yaml
    # 20 us, then the ring's six steps in four chunks, then the message
    jq -e '.jobs[0].finish_ns > 20000 + 2*3/4*4194304/50 + 1048576/50' "$json"
    jq -e '.jobs[0].bytes_sent == 6 * 4194304 + 1048576' "$json"
    near .jobs[0].trace.by_type.collective 4
    near .jobs[0].trace.nodes 14
    near .jobs[0].trace.critical_path_ns 55000
}

@test "a schedule in GOAL" {
    simulate configs/formats/goal.yaml
    # 10 us, then twice a message: 80 us, two links of 0.5 us, a packet stored once,
    # and 1 us of a core on either side
    near .jobs[0].finish_ns "$(jq -n '10000 + 2 * (80000 + 1000 + 327.68 + 2000)')"
    near .jobs[0].trace.sends 2
}

@test "three layers as ASTRA-sim describes them" {
    simulate configs/formats/astra.yaml
    near .jobs[0].astra.compute_ns 490000
    # what is not computation is exposed; layers do not count the nanosecond of
    # each change of phase, nor what runs on when layer 0 is done
    jq -e '.jobs[0] | .finish_ns == .astra.compute_ns + .astra.exposed_ns' \
        "$json"
    jq -e '.jobs[0].astra | .exposed_ns - ([.layers[].exposed_ns[]] | add)
           | . > 0 and . < 21000' "$json"
    jq -e '.jobs[0].astra.layers | length == 3' "$json"
}

@test "a mixture of experts as SimAI describes it" {
    simulate configs/formats/simai.yaml
    near .jobs[0].astra.compute_ns 970008
    # a pipeline of two stages and two micro-batches: a third is its bubble
    jq -e '.jobs[0] | .finish_ns > 1.5 * .astra.compute_ns' "$json"
    jq -e '.jobs[0].astra.dimensions | map(.name) == ["TP", "DP", "EP", "DP_EP"]' "$json"
    jq -e '[.jobs[0].astra.layers[].exposed_ns | .[] | select(. < 0)] == []' "$json"
    # the files themselves give the same
    cd configs/formats/simai
    print=$("$ORRERY" run --simai -w workload.txt -n topology -c SimAI.conf \
        -q --json - --set record=none | jq -r .fingerprint)
    [ "$print" = "$(jq -r .fingerprint "$json")" ]
}

@test "SimAI's own files: 8 GPUs all-reduce over an NVSwitch" {
    data=${ORRERY_DATA:-../shared/data}
    [ -d "$data/simai" ] || skip "$data is not there (ORRERY_DATA)"
    "$ORRERY" run --simai "$data/simai/microAllReduce.txt" \
        "$data"/simai/Spectrum-X_16g_8gps_400Gbps_H100 \
        -q --json "$json" --set record=none
    # two rings' worth of 16 and 64 MiB, 14/8 of each from each of 8
    near .jobs[0].bytes_sent $((14 * (16777216 + 67108864)))
    jq -e '.jobs[0].finish_ns - 1112000 > 14 / 8 * 83886080 / 360' "$json"
    jq -e '.jobs[0].finish_ns - 1112000 < 1.2 * 14 / 8 * 83886080 / 360' "$json"
}

@test "the real files: PyTorch's trace replays, ASTRA-sim's come within 0.2 %" {
    data=${ORRERY_DATA:-../shared/data}
    [ -d "$data/chakra" ] || skip "$data is not there (ORRERY_DATA)"
    cat >"$BATS_TEST_TMPDIR/p.yaml" <<END
topology: {kind: switch, hosts: 8, link: {rate: 100Gbps, delay: 1us}}
jobs:
  - name: pytorch
    ranks: 8
    trace:
      format: chakra
      path: $(realpath "$data")/chakra/pytorch.0.et
      replicate: true
END
    simulate "$BATS_TEST_TMPDIR/p.yaml"
    near .jobs[0].trace.nodes $((8 * 3664))
    near .jobs[0].trace.collectives 7
    near .jobs[0].trace.collective_bytes 102441032
    near .jobs[0].collectives_run 7
    jq -e '.jobs[0].finish_ns > .jobs[0].trace.critical_path_ns' "$json"
    "$ORRERY" run --astra "$data/astra-sim/exercise_1" -q --json "$json" \
        --set record=none
    near .jobs[0].finish_ns 45681 0.2%
}

@test "places from a list of edges" {
    simulate configs/formats/places.yaml
    near .flows.list[0].done_ns 1501000
    near .flows.list[0].fct_ns 3001064
    jq -e '.notes | length == 2' "$json"
}
