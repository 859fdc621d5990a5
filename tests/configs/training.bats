#!/usr/bin/env bats
# configs/training/: jobs with a model do what they say.

load common

folder=configs/training

@test "VGG-16: DDP hides what bulk does not" {
    simulate $folder/vgg16_ddp.yaml
    near ".counters.packets_dropped" 0
    near ".jobs[0].rank_list[3].bytes_sent" 3113044740
    near '[.jobs[0].collectives[] | select(.iteration == 2) | .bytes] |
        if . == [16388000, 67125248, 411058176, 28317696, 28319744, 2221312]
        then 1 else 0 end' 1
    ddp=$(jq .jobs[0].iteration_ns.mean "$json")
    # the profile, 64 of 128 samples; only the last bucket is exposed
    near ".jobs[0].breakdown.compute_ns" 336280000
    jq -e ".jobs[0].breakdown.exposed_communication_ns < 2e6" "$json"
    simulate $folder/vgg16_ddp.yaml --set jobs[0].sync=bulk
    near ".jobs[0].breakdown.overlap_ns" 0
    jq -e ".jobs[0].iteration_ns.mean > $ddp + 75e6" "$json"
}

@test "BERT-large: FSDP sends three times (n - 1) / n of the model" {
    simulate $folder/bert_fsdp.yaml
    # 2 B a parameter, shares of each unit padded to whole numbers
    near ".jobs[0].bytes_sent / 8 / 2" \
        "$(jq -n '3 * 7 / 8 * 335141888 * 2')" 0.01%
    near ".jobs[0].collectives_run / 2" 81 # 27 units
    jq -e ".jobs[0].breakdown.overlap_ns > 0" "$json"
}

@test "GPT-2 XL over three dimensions" {
    simulate $folder/gpt2_3d.yaml
    # between servers: 3 boundaries, 2 directions, 8 micro-batches of 1024 x
    # 1600 numbers, 8 ranks; and no gradients, whose groups are on one host
    near ".jobs[0].bytes_sent" \
        "$(jq -n '3 * 2 * 8 * 1024 * 1600 * 2 * 8')"
    # 48 layers: two all-reduces forward and two backward
    simulate $folder/gpt2_3d.yaml --set jobs[0].batch=1 \
        --set jobs[0].micro_batches=1
    near '[.jobs[0].collectives[] | select(.group_size == 4)] | length' 192
}

@test "DLRM: tables by all-to-all, MLPs by all-reduce" {
    simulate $folder/dlrm.yaml
    near '[.jobs[0].collectives[] | select(.kind == "all-to-all") | .bytes] |
        unique[0]' 16777216
    near ".jobs[0].rank_list[0].bytes_sent / 2" "$(jq -n \
        '2 * 31 / 32 * 16777216 + 2 * 31 / 32 * 281022464 * 4')" 0.01%
}

@test "every file is tested" {
    for file in "$folder"/*.yaml; do
        grep -q "/$(basename "$file")" "$BATS_TEST_FILENAME"
    done
}
