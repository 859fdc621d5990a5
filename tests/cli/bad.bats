#!/usr/bin/env bats
# Every file of tests/bad/ is refused: exit status 2, the message that stands in
# the .txt beside it, nothing on stdout, and no file left behind.

load common

refuses() {
    cp "$root"/tests/bad/*.{graphml,hpcc,topo,cm,cdf,simai,json} .
    cp "$root"/tests/bad/flows.txt .
    cp "$root/tests/bad/$1.yaml" .
    ls -A >../before
    orrery run "$1.yaml"
    [ "$status" -eq 2 ]
    [ ! -s ../out ]
    sed -E -i -f "$root/tests/bad/mask.sed" ../err
    is_text ../err "$(cat "$root/tests/bad/$1.txt")"
    ls -A | diff ../before -
    # check says the same
    orrery check "$1.yaml"
    [ "$status" -eq 2 ]
    sed -E -i -f "$root/tests/bad/mask.sed" ../err
    is_text ../err "$(cat "$root/tests/bad/$1.txt")"
}

@test "bad input: absurd collective" { refuses absurd_collective; }
@test "bad input: acked datagrams" { refuses acked_datagrams; }
@test "bad input: absurd size" { refuses absurd_size; }
@test "bad input: all reduce too large" { refuses all_reduce_too_large; }
@test "bad input: analytical control" { refuses analytical_control; }
@test "bad input: analytical failures" { refuses analytical_failures; }
@test "bad input: analytical losses" { refuses analytical_losses; }
@test "bad input: analytical queue" { refuses analytical_queue; }
@test "bad input: astra system" { refuses astra_system; }
@test "bad input: billions of hosts" { refuses billions_of_hosts; }
@test "bad input: binary" { refuses binary; }
@test "bad input: buffer without unit" { refuses buffer_without_unit; }
@test "bad input: cdf missing" { refuses cdf_missing; }
@test "bad input: collective without unit" { refuses collective_without_unit; }
@test "bad input: compute too long" { refuses compute_too_long; }
@test "bad input: compute without unit" { refuses compute_without_unit; }
@test "bad input: cut through explicit" { refuses cut_through_explicit; }
@test "bad input: dcqcn gain" { refuses dcqcn_gain; }
@test "bad input: dcqcn interval" { refuses dcqcn_interval; }
@test "bad input: dcqcn preset" { refuses dcqcn_preset; }
@test "bad input: deep key" { refuses deep_key; }
@test "bad input: delay without unit" { refuses delay_without_unit; }
@test "bad input: disconnected" { refuses disconnected; }
@test "bad input: duplicate key" { refuses duplicate_key; }
@test "bad input: empty" { refuses empty; }
@test "bad input: endless flows" { refuses endless_flows; }
@test "bad input: endless incast" { refuses endless_incast; }
@test "bad input: failure and rate" { refuses failure_and_rate; }
@test "bad input: failure at without rate" { refuses failure_at_without_rate; }
@test "bad input: failure no such link" { refuses failure_no_such_link; }
@test "bad input: failure not a list" { refuses failure_not_a_list; }
@test "bad input: failure three nodes" { refuses failure_three_nodes; }
@test "bad input: failure two rates" { refuses failure_two_rates; }
@test "bad input: failure unknown link" { refuses failure_unknown_link; }
@test "bad input: failure unknown node" { refuses failure_unknown_node; }
@test "bad input: failure up before down" { refuses failure_up_before_down; }
@test "bad input: failure while down" { refuses failure_while_down; }
@test "bad input: failure without time" { refuses failure_without_time; }
@test "bad input: falling cdf" { refuses falling_cdf; }
@test "bad input: flops without unit" { refuses flops_without_unit; }
@test "bad input: flow file" { refuses flow_file; }
@test "bad input: flow too slow" { refuses flow_too_slow; }
@test "bad input: flowlet without gap" { refuses flowlet_without_gap; }
@test "bad input: gap of ecmp" { refuses gap_of_ecmp; }
@test "bad input: gather too large" { refuses gather_too_large; }
@test "bad input: graphml missing" { refuses graphml_missing; }
@test "bad input: graphml not xml" { refuses graphml_not_xml; }
@test "bad input: graphml without rate" { refuses graphml_without_rate; }
@test "bad input: graphml zero delay" { refuses graphml_zero_delay; }
@test "bad input: hierarchical local" { refuses hierarchical_local; }
@test "bad input: hierarchical without local" { refuses hierarchical_without_local; }
@test "bad input: hpcc eta" { refuses hpcc_eta; }
@test "bad input: hpcc flow cut" { refuses hpcc_flow_cut; }
@test "bad input: hpcc rate" { refuses hpcc_rate; }
@test "bad input: htsim failure" { refuses htsim_failure; }
@test "bad input: htsim node" { refuses htsim_node; }
@test "bad input: htsim radix" { refuses htsim_radix; }
@test "bad input: huge fat tree" { refuses huge_fat_tree; }
@test "bad input: incast too late" { refuses incast_too_late; }
@test "bad input: indivisible parallelism" { refuses indivisible_parallelism; }
@test "bad input: interval without unit" { refuses interval_without_unit; }
@test "bad input: job without program" { refuses job_without_program; }
@test "bad input: layers too long" { refuses layers_too_long; }
@test "bad input: link too long" { refuses link_too_long; }
@test "bad input: link too slow" { refuses link_too_slow; }
@test "bad input: local too slow" { refuses local_too_slow; }
@test "bad input: millions of bins" { refuses millions_of_bins; }
@test "bad input: millions of hosts" { refuses millions_of_hosts; }
@test "bad input: misspelt algorithm" { refuses misspelt_algorithm; }
@test "bad input: misspelt cc" { refuses misspelt_cc; }
@test "bad input: misspelt format" { refuses misspelt_format; }
@test "bad input: misspelt job cc" { refuses misspelt_job_cc; }
@test "bad input: misspelt key" { refuses misspelt_key; }
@test "bad input: misspelt kind" { refuses misspelt_kind; }
@test "bad input: misspelt model" { refuses misspelt_model; }
@test "bad input: misspelt operation" { refuses misspelt_operation; }
@test "bad input: misspelt scheduler" { refuses misspelt_scheduler; }
@test "bad input: misspelt switching" { refuses misspelt_switching; }
@test "bad input: misspelt sync" { refuses misspelt_sync; }
@test "bad input: mltcp base" { refuses mltcp_base; }
@test "bad input: mltcp falls" { refuses mltcp_falls; }
@test "bad input: model and program" { refuses model_and_program; }
@test "bad input: model file missing" { refuses model_file_missing; }
@test "bad input: model key without model" { refuses model_key_without_model; }
@test "bad input: model too long" { refuses model_too_long; }
@test "bad input: model too slow" { refuses model_too_slow; }
@test "bad input: model wrong algorithm" { refuses model_wrong_algorithm; }
@test "bad input: more ranks than hosts" { refuses more_ranks_than_hosts; }
@test "bad input: negative iterations" { refuses negative_iterations; }
@test "bad input: negative size" { refuses negative_size; }
@test "bad input: no hosts" { refuses no_hosts; }
@test "bad input: no jobs" { refuses no_jobs; }
@test "bad input: no link" { refuses no_link; }
@test "bad input: no ranks" { refuses no_ranks; }
@test "bad input: no topology" { refuses no_topology; }
@test "bad input: not a map" { refuses not_a_map; }
@test "bad input: not yaml" { refuses not_yaml; }
@test "bad input: nothing to run" { refuses nothing_to_run; }
@test "bad input: odd fat tree" { refuses odd_fat_tree; }
@test "bad input: overflowing size" { refuses overflowing_size; }
@test "bad input: packets no flow" { refuses packets_no_flow; }
@test "bad input: packets unknown flow" { refuses packets_unknown_flow; }
@test "bad input: packets unknown job" { refuses packets_unknown_job; }
@test "bad input: pcap analytical" { refuses pcap_analytical; }
@test "bad input: pcap headers" { refuses pcap_headers; }
@test "bad input: pcap no link" { refuses pcap_no_link; }
@test "bad input: pcap nothing" { refuses pcap_nothing; }
@test "bad input: pcap repeat" { refuses pcap_repeat; }
@test "bad input: pcap unknown flow" { refuses pcap_unknown_flow; }
@test "bad input: pcap unknown key" { refuses pcap_unknown_key; }
@test "bad input: pcap unknown node" { refuses pcap_unknown_node; }
@test "bad input: path and entropy" { refuses path_and_entropy; }
@test "bad input: path not adjacent" { refuses path_not_adjacent; }
@test "bad input: path twice" { refuses path_twice; }
@test "bad input: path unknown node" { refuses path_unknown_node; }
@test "bad input: path without routing" { refuses path_without_routing; }
@test "bad input: path wrong end" { refuses path_wrong_end; }
@test "bad input: pfc small buffer" { refuses pfc_small_buffer; }
@test "bad input: pfc trimmed" { refuses pfc_trimmed; }
@test "bad input: pfc without headroom" { refuses pfc_without_headroom; }
@test "bad input: pfc xoff too large" { refuses pfc_xoff_too_large; }
@test "bad input: program empty" { refuses program_empty; }
@test "bad input: program not a list" { refuses program_not_a_list; }
@test "bad input: queue weight zero" { refuses queue_weight_zero; }
@test "bad input: rate without unit" { refuses rate_without_unit; }
@test "bad input: red drop at dequeue" { refuses red_drop_at_dequeue; }
@test "bad input: red one threshold" { refuses red_one_threshold; }
@test "bad input: red probability" { refuses red_probability; }
@test "bad input: red thresholds" { refuses red_thresholds; }
@test "bad input: sample without unit" { refuses sample_without_unit; }
@test "bad input: send too large" { refuses send_too_large; }
@test "bad input: send too slow" { refuses send_too_slow; }
@test "bad input: size without unit" { refuses size_without_unit; }
@test "bad input: split analytical" { refuses split_analytical; }
@test "bad input: split cluster" { refuses split_cluster; }
@test "bad input: split repeated" { refuses split_repeated; }
@test "bad input: staleness without asynchronous" { refuses staleness_without_asynchronous; }
@test "bad input: start too late" { refuses start_too_late; }
@test "bad input: stop without unit" { refuses stop_without_unit; }
@test "bad input: stragglers factor" { refuses stragglers_factor; }
@test "bad input: stragglers rank" { refuses stragglers_rank; }
@test "bad input: swift scaling" { refuses swift_scaling; }
@test "bad input: tab" { refuses tab; }
@test "bad input: timely thresholds" { refuses timely_thresholds; }
@test "bad input: too many next hops" { refuses too_many_next_hops; }
@test "bad input: too many stages" { refuses too_many_stages; }
@test "bad input: trace missing" { refuses trace_missing; }
@test "bad input: trimmed datagrams" { refuses trimmed_datagrams; }
@test "bad input: uneven micro batches" { refuses uneven_micro_batches; }
@test "bad input: unknown cc parameter" { refuses unknown_cc_parameter; }
@test "bad input: unknown class" { refuses unknown_class; }
@test "bad input: unknown host" { refuses unknown_host; }
@test "bad input: unknown key" { refuses unknown_key; }
@test "bad input: unknown recorded flow" { refuses unknown_recorded_flow; }
@test "bad input: unknown recorded port" { refuses unknown_recorded_port; }
@test "bad input: useless weights" { refuses useless_weights; }
@test "bad input: wrong parallelism" { refuses wrong_parallelism; }
@test "bad input: wrong record" { refuses wrong_record; }
@test "bad input: wrong stages" { refuses wrong_stages; }
@test "bad input: warmup of nothing" { refuses warmup_of_nothing; }
@test "bad input: nic marks fair" { refuses nic_marks_fair; }
@test "bad input: nic marks droptail" { refuses nic_marks_droptail; }
@test "bad input: nic fifo explicit" { refuses nic_fifo_explicit; }
@test "bad input: handshake of datagrams" { refuses handshake_datagram; }
@test "bad input: pint two ways" { refuses pint_two_ways; }
@test "bad input: pint without rtt" { refuses pint_without_rtt; }
@test "bad input: zero delay" { refuses zero_delay; }
@test "bad input: zero mtu" { refuses zero_mtu; }
@test "bad input: zero rate" { refuses zero_rate; }
@test "bad input: zero weight" { refuses zero_weight; }

@test "every bad file has its message and its test" {
    for file in "$root"/tests/bad/*.yaml; do
        name=$(basename "$file" .yaml)
        [ -s "${file%.yaml}.txt" ]
        grep -q "{ refuses $name; }" "$BATS_TEST_FILENAME"
    done
}

# ---- what is wrong outside the file -------------------------------------------

@test "a configuration that is not there" {
    orrery run nosuch.yaml
    fails 2 "orrery: cannot read nosuch.yaml: No such file or directory"
    leaves
}

@test "a wrong --set" {
    small
    orrery run small.yaml --set topology.link.delay=500
    fails 2 '--set topology.link.delay:1:1: topology.link.delay: "500": a unit is missing
    500
    ^
hint: write a time like 10us or 500ns'
    orrery run small.yaml --set topology.hots=9
    fails 2 '--set topology.hots: unknown key "hots" in topology
hint: did you mean "hosts"?'
    leaves small.yaml
}

@test "an output in a folder that is not there" {
    small
    orrery run small.yaml -o nosuch/out.h5
    fails 2 "orrery: cannot write nosuch/out.h5.partial: No such file or directory"
    orrery run small.yaml --json nosuch/out.json
    fails 2 "orrery: cannot write nosuch/out.json: No such file or directory"
    leaves small.yaml
}

@test "an output that is a folder or a device" {
    small
    mkdir folder
    orrery run small.yaml -o folder
    fails 2 "orrery: cannot write folder: not a regular file"
    orrery run small.yaml -o /dev/null
    fails 2 "orrery: cannot write /dev/null: not a regular file"
    [ -c /dev/null ]
    leaves folder small.yaml
}

@test "an output where nobody may write" {
    [ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
    small
    mkdir -m 555 closed
    orrery run small.yaml -o closed/out.h5
    fails 2 "orrery: cannot write closed/out.h5.partial: Permission denied"
    leaves closed small.yaml
}

@test "a full disk" {
    small
    ulimit -f 4 # 4 KiB: less than the file needs when it is made
    orrery run small.yaml
    [ "$status" -eq 2 ]
    grep -q "small.h5.partial: File too large" ../err
    leaves small.yaml
}

@test "a JSON file on a full device" {
    small
    orrery run small.yaml --json /dev/full
    fails 2 "orrery: cannot write /dev/full: No space left on device"
}

@test "a full standard output" {
    small
    for arguments in "run small.yaml" "run small.yaml --json -" list \
        "help run" "topo small.yaml" "check small.yaml" version; do
        status=0
        # shellcheck disable=SC2086 # words
        "$ORRERY" $arguments >/dev/full 2>../err || status=$?
        fails 1 "orrery: standard output: No space left on device"
    done
}

@test "no file is written over another" {
    small
    cp small.yaml kept.yaml
    ln -s small.yaml link.yaml
    for option in --json --output; do
        orrery run small.yaml $option link.yaml
        fails 2 "orrery run: that would overwrite the configuration
hint: \`orrery help run\` says how it is used"
    done
    orrery run small.yaml --json out --output out
    fails 2 "orrery run: --json and --output name one file
hint: \`orrery help run\` says how it is used"
    cmp small.yaml kept.yaml
    leaves kept.yaml link.yaml small.yaml
}

@test "runs that write the same summary at once do not disturb each other" {
    small
    for i in 1 2 3 4 5 6; do
        "$ORRERY" run small.yaml --quiet --json out.json --set record=none &
        runs[i]=$!
    done
    for i in 1 2 3 4 5 6; do wait "${runs[i]}"; done
    jq -e .fingerprint out.json
    leaves out.json small.yaml
}
@test "bad input: misspelt preset" { refuses misspelt_preset; }
@test "bad input: preset and queue" { refuses preset_and_queue; }
@test "bad input: gate late" { refuses gate_late; }
@test "bad input: gate zero" { refuses gate_zero; }
@test "bad input: gate silent" { refuses gate_silent; }
@test "bad input: gate threshold" { refuses gate_threshold; }
@test "bad input: gate most" { refuses gate_most; }
@test "bad input: gate drift" { refuses gate_drift; }
@test "bad input: schedule kind" { refuses schedule_kind; }
@test "bad input: schedule job" { refuses schedule_job; }
@test "bad input: schedule weight" { refuses schedule_weight; }
@test "bad input: schedule timer" { refuses schedule_timer; }
@test "bad input: schedule nothing" { refuses schedule_nothing; }
@test "bad input: paths choice" { refuses paths_choice; }
@test "bad input: paths twice" { refuses paths_twice; }
@test "bad input: paths both" { refuses paths_both; }
@test "bad input: paths rank" { refuses paths_rank; }
@test "bad input: paths links" { refuses paths_links; }
@test "bad input: paths short" { refuses paths_short; }
@test "bad input: changes order" { refuses changes_order; }
@test "bad input: schedule order" { refuses schedule_order; }
@test "bad input: schedule twice" { refuses schedule_twice; }
@test "bad input: schedule fair" { refuses schedule_fair; }
@test "bad input: schedule mltcp" { refuses schedule_mltcp; }
@test "bad input: exclusive" { refuses exclusive; }
@test "bad input: cluster load zero" { refuses cluster_load_zero; }
@test "bad input: cluster load above" { refuses cluster_load_above; }
@test "bad input: cluster endless" { refuses cluster_endless; }
@test "bad input: cluster queue" { refuses cluster_queue; }
@test "bad input: cluster quantum" { refuses cluster_quantum; }
@test "bad input: cluster placement" { refuses cluster_placement; }
@test "bad input: cluster candidates" { refuses cluster_candidates; }
@test "bad input: cluster larger" { refuses cluster_larger; }
@test "bad input: cluster ranks" { refuses cluster_ranks; }
@test "bad input: cluster two lengths" { refuses cluster_two_lengths; }
@test "bad input: cluster no length" { refuses cluster_no_length; }
@test "bad input: cluster draw" { refuses cluster_draw; }
@test "bad input: cluster key of job" { refuses cluster_key_of_job; }
@test "bad input: cluster template" { refuses cluster_template; }
@test "bad input: cluster hosts" { refuses cluster_hosts; }
@test "bad input: cluster until" { refuses cluster_until; }
@test "bad input: cluster format" { refuses cluster_format; }
@test "bad input: cluster trace missing" { refuses cluster_trace_missing; }
