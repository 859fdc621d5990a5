#!/usr/bin/env bats
# configs/seeds/ gives what was measured or printed elsewhere.

load common

folder=configs/seeds
duration=".jobs[0].finish_ns - .jobs[0].start_ns"

@test "ASTRA-sim ring: 45,691 ns, to the picosecond" {
    simulate $folder/astra_ring8.yaml
    near "$duration" 45691 1
    near "($duration) * 1000 | round" 45690856
}

@test "ASTRA-sim ring: chunk latency, queueing and message time" {
    simulate $folder/astra_ring8.yaml
    near ".jobs[0].collectives[0].chunk_latency_ns" 11420 5
    near ".jobs[0].collectives[0].queueing_ns" 17130 5
    near ".jobs[0].collectives[0].message_ns" 805 1
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

# Wire bytes that node 0 sends and receives, ACKs included.
node0() {
    jq '[.links.busiest[] | select(.from == 0 or .to == 0) | .bytes] | add' \
        "$json"
}

@test "CS744: gather and scatter take longer than all-reduce, and load node 0" {
    simulate $folder/cs744_gather_scatter.yaml
    near ".jobs[0].iteration_ns.mean" 1363400000 1%
    gather=$(jq .jobs[0].iteration_ns.mean "$json")
    gather_bytes=$(node0)
    simulate $folder/cs744_allreduce.yaml
    near ".jobs[0].iteration_ns.mean" 1023100000 1%
    near ".counters.packets_dropped" 0
    jq -e --argjson other "$gather" '.jobs[0].iteration_ns.mean < $other' "$json"
    [ "$(node0)" -lt "$gather_bytes" ]
}

@test "CS744: a worker sends 55.6 MB an iteration as payload, within 3 %" {
    simulate $folder/cs744_allreduce.yaml
    # The ideal ring over each of the tensors: 2 * 3/4 of 36,924,456 B.
    near ".jobs[0].bytes_sent / 4 / 5" 55386684
    near ".jobs[0].bytes_sent / 4 / 5" 55600000 3%
}

@test "CS744: DDP is the fastest and sends no more than all-reduce" {
    simulate $folder/cs744_allreduce.yaml
    plain=$(jq .jobs[0].iteration_ns.mean "$json")
    wire=$(jq .jobs[0].wire_bytes "$json")
    simulate $folder/cs744_ddp.yaml
    near ".jobs[0].rank_list[0].bytes_sent / 5" 55600000 3%
    near ".jobs[0].rank_list[0].bytes_received / 5" 55600000 3%
    near ".jobs[0].iteration_ns.mean" 797286000 0.1%
    # between the two groups
    jq -e ".jobs[0].iteration_ns.mean | . > 767.9e6 and . < 870e6" "$json"
    jq -e ".jobs[0] | .iteration_ns.mean < $plain and .wire_bytes <= $wire" \
        "$json"
    near '[.jobs[0].collectives[] | select(.iteration == 0) | .bytes] |
        if . == [9463848, 27156480, 304128] then 1 else 0 end' 1
}

@test "CS744: larger buckets send less on the wire and hide less" {
    before=0 bytes=999999999999 buckets=99
    for cap in 5 10 25 50; do
        simulate $folder/cs744_ddp.yaml --set "jobs[0].bucket_cap=${cap}MiB"
        jq -e ".jobs[0].iteration_ns.mean > $before" "$json"
        # each message has headers and an ACK; as many messages, as many bytes
        now=$(jq '[.jobs[0].collectives[] | select(.iteration == 0)] | length' \
            "$json")
        if [ "$now" -lt "$buckets" ]; then
            [ "$(node0)" -lt "$bytes" ]
        else
            [ "$(node0)" -eq "$bytes" ]
        fi
        before=$(jq .jobs[0].iteration_ns.mean "$json")
        bytes=$(node0) buckets=$now
    done
    [ "$buckets" -eq 2 ]
}

@test "CS744: every asynchronous worker is faster, and node 0 sends more" {
    simulate $folder/cs744_allreduce.yaml
    plain=$(jq .jobs[0].iteration_ns.mean "$json")
    simulate $folder/cs744_asynchronous.yaml
    jq -e "[.jobs[0].rank_list[:4][] | .compute_ns + .exposed_communication_ns] |
        max / 10 < 0.97 * $plain" "$json"
    jq -e ".jobs[0].iteration_ns.mean < 0.97 * $plain" "$json"
    # the server stands on host 0: three times the gradients, each way
    near "[.jobs[0].rank_list[] | select(.host == 0) | .bytes_sent] | add / 10" \
        110773368
    near ".jobs[0].staleness.mean" 2.775
}

@test "CS744: one link rate and one cost of a message for all" {
    for key in "link: {rate" "message_overhead:"; do
        [ "$(grep -h "$key" $folder/cs744_*.yaml | sort -u | wc -l)" -eq 1 ]
    done
}

@test "CS744: the table has all rows" {
    configs/seeds/cs744.sh >"$BATS_TEST_TMPDIR/table"
    while read -r row; do
        grep -q "^$row" "$BATS_TEST_TMPDIR/table" || { echo "$row"; false; }
    done <<'END'
gather and scatter  *1.3634  *1.2564  *1.357 .* 110.8$
all-reduce (ring)  *1.0231  *0.9883  *1.029 .* 55.4$
DDP, buckets of 25 MiB  *0.870  *0.7679  *0.797 .* 55.4$
asynchronous, slowest  *- *shorter  *0.990 .* 110.8$
asynchronous, fastest  *- *shorter  *0.808 
50 MiB  *0.849  *2  *121102488$
END
}

@test "every seed is tested" {
    for file in "$folder"/*.yaml; do
        grep -q "/$(basename "$file")" "$BATS_TEST_FILENAME"
    done
}
