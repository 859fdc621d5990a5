/* The layout of the public structs, as programs and plug-ins that are compiled
 * already have it (64 bits: pointers and size_t of 8 bytes). A line that must
 * change means: those of orrery.h and network.h, another SONAME (the first
 * number of ORR_VERSION); those of cc.h, another ORR_CC_ABI. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "orrery/cc.h"
#include "orrery/network.h"
#include "orrery/study.h"

#define SIZE(type, bytes)                                                      \
    {                                                                          \
#type, sizeof(struct type), bytes                                      \
    }
#define FIELD(type, field, at)                                                 \
    {                                                                          \
#type "." #field, offsetof(struct type, field), at                     \
    }

struct fact {
    const char *of;
    size_t is, was;
};

static const struct fact library[] = {
    SIZE(orr_report, 1804),
    FIELD(orr_report, code, 0),
    FIELD(orr_report, line, 4),
    FIELD(orr_report, col, 8),
    FIELD(orr_report, file, 12),
    FIELD(orr_report, message, 268),
    FIELD(orr_report, hint, 1292),
    FIELD(orr_report, excerpt, 1548),
    SIZE(orr_progress, 32),
    FIELD(orr_progress, time_ps, 0),
    FIELD(orr_progress, packet_hops, 8),
    FIELD(orr_progress, wall_s, 16),
    FIELD(orr_progress, share, 24),
    SIZE(orr_options, 104),
    FIELD(orr_options, sets, 0),
    FIELD(orr_options, n_sets, 8),
    FIELD(orr_options, threads, 16),
    FIELD(orr_options, has_seed, 20),
    FIELD(orr_options, seed, 24),
    FIELD(orr_options, output, 32),
    FIELD(orr_options, no_output, 40),
    FIELD(orr_options, folder, 48),
    FIELD(orr_options, command, 56),
    FIELD(orr_options, progress, 64),
    FIELD(orr_options, progress_arg, 72),
    FIELD(orr_options, interrupt, 80),
    FIELD(orr_options, plugins, 88),
    FIELD(orr_options, n_plugins, 96),
    SIZE(orr_estimate, 48),
    FIELD(orr_estimate, packet_hops, 0),
    FIELD(orr_estimate, memory_bytes, 8),
    FIELD(orr_estimate, seconds, 16),
    FIELD(orr_estimate, bins, 24),
    FIELD(orr_estimate, samples, 32),
    FIELD(orr_estimate, record_bytes, 40),
    SIZE(orr_cable_spec, 32),
    FIELD(orr_cable_spec, a, 0),
    FIELD(orr_cable_spec, b, 4),
    FIELD(orr_cable_spec, rate_bps, 8),
    FIELD(orr_cable_spec, delay_ps, 16),
    FIELD(orr_cable_spec, loss, 24),
    SIZE(orr_graph_spec, 40),
    FIELD(orr_graph_spec, hosts, 0),
    FIELD(orr_graph_spec, switches, 4),
    FIELD(orr_graph_spec, cable, 8),
    FIELD(orr_graph_spec, cables, 16),
    FIELD(orr_graph_spec, name, 24),
    FIELD(orr_graph_spec, hosts_forward, 32),
    SIZE(orr_link_info, 24),
    FIELD(orr_link_info, from, 0),
    FIELD(orr_link_info, to, 4),
    FIELD(orr_link_info, rate_bps, 8),
    FIELD(orr_link_info, delay_ps, 16),
    SIZE(orr_link_counters, 64),
    FIELD(orr_link_counters, bytes, 0),
    FIELD(orr_link_counters, packets, 8),
    FIELD(orr_link_counters, marks, 16),
    FIELD(orr_link_counters, drops, 24),
    FIELD(orr_link_counters, queue_bytes, 32),
    FIELD(orr_link_counters, max_queue_bytes, 40),
    FIELD(orr_link_counters, busy_ps, 48),
    FIELD(orr_link_counters, pauses, 56),
    SIZE(orr_send, 72),
    FIELD(orr_send, src, 0),
    FIELD(orr_send, dst, 4),
    FIELD(orr_send, channel, 8),
    FIELD(orr_send, traffic_class, 12),
    FIELD(orr_send, bytes, 16),
    FIELD(orr_send, arrived, 24),
    FIELD(orr_send, sent, 32),
    FIELD(orr_send, acked, 40),
    FIELD(orr_send, arrived_arg, 48),
    FIELD(orr_send, sent_arg, 56),
    FIELD(orr_send, acked_arg, 64),
    SIZE(orr_job_figures, 96),
    FIELD(orr_job_figures, ended, 0),
    FIELD(orr_job_figures, iterations, 4),
    FIELD(orr_job_figures, start_ps, 8),
    FIELD(orr_job_figures, end_ps, 16),
    FIELD(orr_job_figures, mean_iteration_ps, 24),
    FIELD(orr_job_figures, bytes_sent, 32),
    FIELD(orr_job_figures, wire_bytes, 40),
    FIELD(orr_job_figures, marks, 48),
    FIELD(orr_job_figures, retransmissions, 56),
    FIELD(orr_job_figures, timeouts, 64),
    FIELD(orr_job_figures, compute_ps, 72),
    FIELD(orr_job_figures, communication_ps, 80),
    FIELD(orr_job_figures, overlap_ps, 88),
};

/* Members may follow in the last line of each but orr_study_progress: calls
 * begin with their size. */
static const struct fact calls[] = {
    SIZE(orr_check_call, 24),
    FIELD(orr_check_call, size, 0),
    FIELD(orr_check_call, config, 8),
    FIELD(orr_check_call, options, 16),
    SIZE(orr_topology_call, 40),
    FIELD(orr_topology_call, size, 0),
    FIELD(orr_topology_call, config, 8),
    FIELD(orr_topology_call, options, 16),
    FIELD(orr_topology_call, prices, 24),
    FIELD(orr_topology_call, no_metrics, 32),
    SIZE(orr_graph_arrays, 96),
    FIELD(orr_graph_arrays, size, 0),
    FIELD(orr_graph_arrays, hosts, 8),
    FIELD(orr_graph_arrays, switches, 12),
    FIELD(orr_graph_arrays, links, 16),
    FIELD(orr_graph_arrays, from, 24),
    FIELD(orr_graph_arrays, to, 32),
    FIELD(orr_graph_arrays, rate_bps, 40),
    FIELD(orr_graph_arrays, delay_ps, 48),
    FIELD(orr_graph_arrays, loss, 56),
    FIELD(orr_graph_arrays, tier, 64),
    FIELD(orr_graph_arrays, name, 72),
    FIELD(orr_graph_arrays, x, 80),
    FIELD(orr_graph_arrays, y, 88),
    SIZE(orr_profile_call, 40),
    FIELD(orr_profile_call, size, 0),
    FIELD(orr_profile_call, config, 8),
    FIELD(orr_profile_call, options, 16),
    FIELD(orr_profile_call, job, 24),
    FIELD(orr_profile_call, iterations, 32),
    FIELD(orr_profile_call, bins, 36),
    SIZE(orr_plan_call, 32),
    FIELD(orr_plan_call, size, 0),
    FIELD(orr_plan_call, config, 8),
    FIELD(orr_plan_call, options, 16),
    FIELD(orr_plan_call, configured, 24),
    SIZE(orr_explain_call, 48),
    FIELD(orr_explain_call, size, 0),
    FIELD(orr_explain_call, config, 8),
    FIELD(orr_explain_call, options, 16),
    FIELD(orr_explain_call, job, 24),
    FIELD(orr_explain_call, which, 32),
    FIELD(orr_explain_call, iteration, 36),
    FIELD(orr_explain_call, flow, 40),
    FIELD(orr_explain_call, has_flow, 44),
    FIELD(orr_explain_call, alone, 45),
    SIZE(orr_study_progress, 24),
    FIELD(orr_study_progress, runs, 0),
    FIELD(orr_study_progress, done, 4),
    FIELD(orr_study_progress, failed, 8),
    FIELD(orr_study_progress, running, 12),
    FIELD(orr_study_progress, left_s, 16),
    SIZE(orr_compare_call, 136),
    FIELD(orr_compare_call, size, 0),
    FIELD(orr_compare_call, config, 8),
    FIELD(orr_compare_call, options, 16),
    FIELD(orr_compare_call, over, 24),
    FIELD(orr_compare_call, measures, 32),
    FIELD(orr_compare_call, n_over, 40),
    FIELD(orr_compare_call, n_measures, 48),
    FIELD(orr_compare_call, seeds, 56),
    FIELD(orr_compare_call, until, 64),
    FIELD(orr_compare_call, baseline, 72),
    FIELD(orr_compare_call, prices, 80),
    FIELD(orr_compare_call, sort, 88),
    FIELD(orr_compare_call, folder, 96),
    FIELD(orr_compare_call, jobs, 104),
    FIELD(orr_compare_call, keep, 108),
    FIELD(orr_compare_call, equal_cost, 112),
    FIELD(orr_compare_call, progress, 120),
    FIELD(orr_compare_call, progress_arg, 128),
};

static const struct fact controls[] = {
    SIZE(orr_cc_param, 56),
    FIELD(orr_cc_param, key, 0),
    FIELD(orr_cc_param, help, 8),
    FIELD(orr_cc_param, fallback, 16),
    FIELD(orr_cc_param, min, 24),
    FIELD(orr_cc_param, max, 32),
    FIELD(orr_cc_param, choices, 40),
    FIELD(orr_cc_param, type, 48),
    FIELD(orr_cc_param, offset, 52),
    SIZE(orr_cc_limits, 24),
    FIELD(orr_cc_limits, cwnd, 0),
    FIELD(orr_cc_limits, rate, 8),
    FIELD(orr_cc_limits, gain, 16),
    SIZE(orr_cc_start, 40),
    FIELD(orr_cc_start, now_ps, 0),
    FIELD(orr_cc_start, base_rtt_ps, 8),
    FIELD(orr_cc_start, line_bps, 16),
    FIELD(orr_cc_start, packet_bytes, 24),
    FIELD(orr_cc_start, payload_bytes, 28),
    FIELD(orr_cc_start, hops, 32),
    FIELD(orr_cc_start, trims, 36),
    FIELD(orr_cc_start, goes_back, 37),
    SIZE(orr_cc_hop_seen, 32),
    FIELD(orr_cc_hop_seen, at_ps, 0),
    FIELD(orr_cc_hop_seen, sent_bytes, 8),
    FIELD(orr_cc_hop_seen, queue_bytes, 16),
    FIELD(orr_cc_hop_seen, rate_bps, 24),
    SIZE(orr_cc_event, 72),
    FIELD(orr_cc_event, now_ps, 0),
    FIELD(orr_cc_event, rtt_ps, 8),
    FIELD(orr_cc_event, sent, 16),
    FIELD(orr_cc_event, acked, 24),
    FIELD(orr_cc_event, delivered, 28),
    FIELD(orr_cc_event, una, 32),
    FIELD(orr_cc_event, next, 36),
    FIELD(orr_cc_event, in_flight, 40),
    FIELD(orr_cc_event, peak, 44),
    FIELD(orr_cc_event, timeouts, 48),
    FIELD(orr_cc_event, hops, 52),
    FIELD(orr_cc_event, hop, 56),
    FIELD(orr_cc_event, echo, 64),
    FIELD(orr_cc_event, recovering, 65),
    FIELD(orr_cc_event, lost, 66),
    FIELD(orr_cc_event, trimmed, 67),
    SIZE(orr_cc_plugin, 128),
    FIELD(orr_cc_plugin, abi, 0),
    FIELD(orr_cc_plugin, size, 4),
    FIELD(orr_cc_plugin, name, 8),
    FIELD(orr_cc_plugin, doc, 16),
    FIELD(orr_cc_plugin, state_size, 24),
    FIELD(orr_cc_plugin, params_size, 32),
    FIELD(orr_cc_plugin, params, 40),
    FIELD(orr_cc_plugin, telemetry, 48),
    FIELD(orr_cc_plugin, check, 56),
    FIELD(orr_cc_plugin, cnp_interval, 64),
    FIELD(orr_cc_plugin, init, 72),
    FIELD(orr_cc_plugin, on_send, 80),
    FIELD(orr_cc_plugin, on_ack, 88),
    FIELD(orr_cc_plugin, on_loss, 96),
    FIELD(orr_cc_plugin, on_timeout, 104),
    FIELD(orr_cc_plugin, on_cnp, 112),
    FIELD(orr_cc_plugin, estimate, 120),
};

static void hold(const struct fact *facts, size_t n)
{
    if (sizeof(void *) != 8)
        skip();
    for (size_t i = 0; i < n; i++)
        if (facts[i].is != facts[i].was)
            fail_msg("%s: %zu, was %zu", facts[i].of, facts[i].is,
                     facts[i].was);
}

static void library_is_laid_out_as_before(void **state)
{
    hold(library, sizeof library / sizeof *library);
}

static void calls_are_laid_out_as_before(void **state)
{
    hold(calls, sizeof calls / sizeof *calls);
}

static void controls_are_laid_out_as_before(void **state)
{
    assert_int_equal(ORR_CC_ABI, 1);
    hold(controls, sizeof controls / sizeof *controls);
}

/* Codes and types are numbers in compiled programs. */
static void numbers_stay(void **state)
{
    assert_int_equal(ORR_OK, 0);
    assert_int_equal(ORR_ECONFIG, 1);
    assert_int_equal(ORR_ENOMEM, 2);
    assert_int_equal(ORR_EIO, 3);
    assert_int_equal(ORR_ERUN, 4);
    assert_int_equal(ORR_EINTERRUPTED, 5);
    assert_int_equal(ORR_EINTERNAL, 6);
    assert_int_equal(ORR_ECALL, 7);
    assert_int_equal(sizeof(orr_err), 4);
    assert_int_equal(ORR_WHICH_SLOWEST, 0);
    assert_int_equal(ORR_WHICH_ALL, 1);
    assert_int_equal(ORR_WHICH_ONE, 2);
    assert_int_equal(ORR_CC_CHOICE, 6);
    assert_true(ORR_LOCAL_DELAY_PS == 100000);
    assert_true(ORR_LOCAL_BPS == 3200000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_is_laid_out_as_before),
        cmocka_unit_test(calls_are_laid_out_as_before),
        cmocka_unit_test(controls_are_laid_out_as_before),
        cmocka_unit_test(numbers_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
