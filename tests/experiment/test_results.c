#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/json.h"
#include "core/memory.h"
#include "core/statistics.h"
#include "core/text.h"
#include "core/units.h"
#include "experiment/doubt.h"
#include "experiment/notes.h"
#include "experiment/results.h"
#include "net/config/config.h"
#include "net/net.h"
#include "record/figures.h"
#include "record/series.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/job/shared_hosts.h"
#include "workload/program/program.h"
#include "workload/rank/rank.h"

/* A net of four links that says what a test wants. */
static struct orr_net_totals totals;
static struct orr_link_sample sample[4];

void orr__net_totals(const struct orr_net *n, struct orr_net_totals *t)
{
    *t = totals;
}

void orr__net_link_sample(const struct orr_net *n, uint32_t link, int64_t t,
                          struct orr_link_sample *s)
{
    assert_int_equal(t, 45691123);
    *s = sample[link];
}

bool orr__net_has_groups(const struct orr_net *n)
{
    return false;
}

void orr__net_group_totals(const struct orr_net *n, struct orr_group_totals *t)
{
    *t = (struct orr_group_totals){0};
}

uint64_t orr__net_outage_drops(const struct orr_net *n, uint32_t link,
                               uint32_t outage, int64_t t)
{
    return 0; /* nothing fails here */
}

/* Of the notes the one that asks no net and none of its users. */
orr_err orr__gather_notes(const struct orr_world *w, struct orr_notes *out)
{
    struct orr_shared_hosts on;
    struct orr_report ignored = {0};
    orr_err err = orr__jobs_share_hosts(w, &on, &ignored);
    char text[600];
    *out = (struct orr_notes){.text = NULL};
    if (err)
        return err;
    orr__shared_hosts_text(w, &on, text, sizeof text);
    if (text[0])
        orr__notes_add(out, "%s", text);
    return orr__notes_done(out);
}

static const struct orr_net_config network; /* no control, no marks */
static uint32_t from[] = {0, 1, 2, 2}, to[] = {2, 2, 0, 1};
static uint64_t rate[] = {400000000000, 400000000000, 400000000000,
                          400000000000};
static uint32_t out_off[] = {0, 1, 2, 4};
static uint8_t tier[4], level[] = {0, 0, 1};
static const char *const tiers[] = {"host", NULL};
static struct orr_graph graph = {
    .hosts = 2,
    .nodes = 3,
    .cables = 2,
    .links = 4,
    .kind = "switch",
    .from = from,
    .to = to,
    .rate_bps = rate,
    .out_off = out_off,
    .tier = tier,
    .level = level,
    .tier_names = tiers,
};

static struct orr_iteration passes[] = {
    {0, 12000000}, {11000000, 34000000}, {34000000, 45691123}, {-1, -1}};
static struct orr_collective_record records[] = {
    {.job = 0,
     .iteration = 1,
     .operation = 2,
     .kind = "all-reduce",
     .algorithm = "ring",
     .group_size = 2,
     .bytes = 1048576,
     .start_ps = 12000000,
     .end_ps = 33000000,
     .algorithm_bps = 399.5e9,
     .bus_bps = 399.5e9,
     .lower_bound_ps = 10000000,
     .chunk_latency_ps = 11422800.4,
     .queueing_ps = 17134200.6,
     .message_ps = 805000,
     .messages = 112},
    {.job = 0,
     .iteration = 2,
     .operation = 2,
     .kind = "all-reduce",
     .algorithm = "ring",
     .group_size = 2,
     .bytes = 1048576,
     .start_ps = 34000000,
     .end_ps = 45691123,
     .algorithm_bps = 700.5e9,
     .bus_bps = 700.5e9,
     .lower_bound_ps = 10000000,
     .chunk_latency_ps = 11422800.4,
     .queueing_ps = 17134200.6,
     .message_ps = 805000,
     .messages = 112},
};
static struct orr_program program;
static struct orr_team team = {.overlap = 1, .program = &program};
static struct orr_job one_job = {
    .team = &team,
    .name = "first \"job\"\n\xff",
    .ranks = 2,
    .iterations = 4,
    .warmup = 1,
    .finish_ps = -1,
    .iteration = passes,
    .bytes_sent = 1500000,
    .wire_bytes = 1510000,
    .retransmissions = 4,
    .timeouts = 1,
    .marks = 9,
    .cnps = 2,
    .collective = records,
    .n_collectives = 2,
    .collectives_run = 2,
};

/* Rates of 1 and 3 bytes a ps, and one that does not end. */
static struct orr_flow some[] = {
    {.src = 0,
     .dst = 1,
     .bytes = 1000,
     .start_ps = 500,
     .finish_ps = 1500,
     .ideal_ps = 500},
    {.src = 1,
     .dst = 0,
     .bytes = 9000,
     .start_ps = 1000,
     .finish_ps = 4000,
     .ideal_ps = 3000,
     .retransmissions = 3,
     .timeouts = 2,
     .marks = 7,
     .cnps = 1},
    {.src = 1,
     .dst = 0,
     .bytes = 9000,
     .start_ps = 0,
     .finish_ps = -1,
     .ideal_ps = 3000},
};
static struct orr_flows flows = {some, 3};

static char output[] = "run.h5";
static struct orr_world world;

static int setup(void **state)
{
    totals = (struct orr_net_totals){
        .events = 1000,
        .packet_hops = 14336,
        .packets_sent = 7168,
        .packets_delivered = 7160,
        .packets_dropped = 8,
        .ecn_marks = 1234,
        .retransmissions = 5,
        .last_event_ps = 45691123,
        .fingerprint = 0x0123456789abcdef,
    };
    memset(sample, 0, sizeof sample);
    /* Links 1 and 3 were busy for exactly half of the time, 0 a quarter. */
    sample[0].bytes = 571139;
    sample[1].bytes = sample[3].bytes = 1142278;
    sample[0].busy_ps = 45691123 / 4;
    sample[1].busy_ps = sample[3].busy_ps = 45691123 / 2;
    sample[1].area = 1000.0 * 45691123;
    sample[1].max_queue = 9000;
    sample[3].max_queue = 4100;
    sample[1].drops = 8;
    sample[1].marks = 1234;
    world = (struct orr_world){
        .net_config = &network,
        .options.title = "two hosts",
        .seed = 7,
        .options.workers = 1,
        .options.threads = 1,
        .graph = &graph,
        .jobs = &one_job,
        .n_jobs = 1,
        .flows = &flows,
        .result.end_ps = 45691123,
        .result.partial = true,
        .result.wall_s = 0.001,
        .options.output = output,
    };
    return 0;
}

static double number(json_t *at, const char *key)
{
    json_t *v = json_object_get(at, key);
    assert_true(json_is_number(v));
    return json_number_value(v);
}

static void json_has_the_contract_s_keys(void **state)
{
    char *text = orr__results_json(&world, NULL);
    json_error_t error;
    json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(all);
    assert_string_equal(json_string_value(json_object_get(all, "orrery")),
                        ORR_VERSION);
    assert_string_equal(json_string_value(json_object_get(all, "fingerprint")),
                        "0123456789abcdef");
    assert_true(json_is_true(json_object_get(all, "partial")));
    assert_true(number(all, "seed") == 7);
    json_t *counters = json_object_get(all, "counters");
    assert_true(number(counters, "packet_hops") == 14336);
    assert_true(number(counters, "pfc_pauses") == 0);
    json_t *wall = json_object_get(all, "wall");
    assert_true(number(wall, "packet_hops_per_second") == 14336000);
    assert_true(number(wall, "threads") == 1);
    json_t *job = json_array_get(json_object_get(all, "jobs"), 0);
    assert_string_equal(json_string_value(json_object_get(job, "name")),
                        "first \"job\"\n\xef\xbf\xbd");
    assert_true(json_is_null(json_object_get(job, "finish_ns")));
    assert_true(number(job, "bytes_sent") == 1500000);
    assert_true(number(job, "wire_bytes") == 1510000);
    assert_true(number(job, "retransmissions") == 4);
    assert_true(number(job, "timeouts") == 1);
    assert_true(number(job, "marks") == 9);
    assert_true(number(job, "cnps") == 2);
    assert_int_equal(json_array_size(json_object_get(job, "iterations")), 3);
    json_t *links = json_object_get(all, "links");
    assert_true(number(links, "count") == 4);
    assert_true(fabs(number(links, "max_utilization") - .5) < 1e-6);
    assert_true(fabs(number(links, "mean_utilization") - .3125) < 1e-6);
    json_decref(all);
    orr__free(text);
}

static void json_times_are_exact(void **state)
{
    static const char *const wanted[] = {
        "\"sim_time_ns\": 45691.123,",
        /* iteration 1 overlaps the first: its duration is between the ends */
        "{\"start_ns\": 11000.000, \"end_ns\": 34000.000, "
        "\"duration_ns\": 22000.000, \"span_ns\": 23000.000}",
        /* without the warm-up */
        "\"iteration_ns\": {\"mean\": 16845.562, \"p10\": 11691.123, "
        "\"p50\": 11691.123, \"p90\": 22000.000, \"p95\": 22000.000, \"p99\": "
        "22000.000, \"min\": 11691.123, "
        "\"max\": 22000.000}",
        "\"lower_bound_ns\": 10000.000",
        "\"chunk_latency_ns\": 11422.800, \"queueing_ns\": 17134.201, "
        "\"message_ns\": 805.000",
        "\"fct_ns\": {\"mean\": 2.000, \"p10\": 1.000, \"p50\": 1.000, "
        "\"p90\": 3.000, \"p95\": 3.000, "
        "\"p99\": 3.000, "
        "\"min\": 1.000, \"max\": 3.000}",
        "{\"src\": 1, \"dst\": 0, \"src_name\": \"host 1\", "
        "\"dst_name\": \"host 0\", \"bytes\": 9000, \"start_ns\": 0.000, "
        "\"fct_ns\": null,",
        "\"retransmissions\": 3, \"timeouts\": 2, \"marks\": 7, \"cnps\": 1}",
    };
    char *text = orr__results_json(&world, NULL);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strstr(text, wanted[i]) == NULL)
            fail_msg("no '%s' in:\n%s", wanted[i], text);
    orr__free(text);
}

/* Records take their doubt from some members alone: it is that of all. */
static void doubt_needs_no_more_than_its_members(void **state)
{
    char *all = orr__results_json(&world, NULL);
    char *part = orr__results_doubt_json(&world);
    char *doubt = orr__doubt_of_summary(all);
    char *same = orr__doubt_of_summary(part);
    assert_true(strlen(part) < strlen(all));
    assert_non_null(strstr(doubt, "lost"));
    assert_string_equal(same, doubt);
    orr__free(all);
    orr__free(part);
    orr__free(doubt);
    orr__free(same);
}

static void jq_reads_it(void **state)
{
    if (system("command -v jq >/dev/null") != 0)
        skip();
    char *text = orr__results_json(&world, NULL);
    FILE *p = popen("jq -e '.links.busiest | map(.from) == [1, 2, 0]' "
                    ">/dev/null",
                    "w");
    fputs(text, p);
    assert_int_equal(pclose(p), 0);
    orr__free(text);
}

static void an_empty_run_has_all_keys_too(void **state)
{
    world.n_jobs = 0;
    world.flows = NULL;
    world.options.output = NULL;
    world.options.title = NULL;
    memset(sample, 0, sizeof sample);
    char *text = orr__results_json(&world, NULL);
    json_t *all = json_loads(text, 0, NULL);
    assert_non_null(all);
    json_t *none = json_object_get(all, "flows");
    assert_true(number(none, "count") == 0);
    assert_true(json_is_null(json_object_get(none, "goodput_bps")));
    assert_true(json_is_null(
        json_object_get(json_object_get(none, "slowdown"), "p99")));
    assert_int_equal(json_array_size(json_object_get(all, "jobs")), 0);
    json_decref(all);
    orr__free(text);
    text = orr__results_summary(&world);
    assert_non_null(strstr(text, "fingerprint"));
    assert_null(strstr(text, "flows"));
    assert_null(strstr(text, "records"));
    orr__free(text);
}

static void the_list_of_flows_ends_at_a_thousand(void **state)
{
    struct orr_flow *many = test_calloc(1500, sizeof *many);
    struct orr_flows all = {many, 1500};
    for (int i = 0; i < 1500; i++)
        many[i] = (struct orr_flow){.bytes = 1, .finish_ps = i + 1};
    world.flows = &all;
    char *text = orr__results_json(&world, NULL);
    json_t *top = json_loads(text, 0, NULL);
    json_t *f = json_object_get(top, "flows");
    assert_true(number(f, "completed") == 1500);
    assert_int_equal(json_array_size(json_object_get(f, "list")), 1000);
    json_decref(top);
    orr__free(text);
    test_free(many);
}

static void figures_of_links(void **state)
{
    struct orr_figures f;
    assert_int_equal(orr__figures(&world, &f), ORR_OK);
    assert_int_equal(f.links_used, 3);
    assert_int_equal(f.n_busiest, 3);
    assert_int_equal(f.busiest[0].link, 1); /* a tie: the lower id first */
    assert_int_equal(f.busiest[1].link, 3);
    assert_int_equal(f.busiest[2].link, 0);
    assert_int_equal(f.busiest[0].max_queue, 9000);
    assert_int_equal(f.busiest[1].max_queue, 4100);
    assert_true(fabs(f.busiest[0].mean_queue - 1000) < 1e-9);
}

static void figures_of_flows(void **state)
{
    struct orr_figures f;
    assert_int_equal(orr__figures(&world, &f), ORR_OK);
    assert_int_equal(f.flows.completed, 2);
    /* 10,000 B from 500 to 4,000 ps */
    assert_true(fabs(f.flows.goodput_bps / (8e16 / 3500) - 1) < 1e-12);
    assert_true(fabs(f.flows.jain - 16.0 / 20) < 1e-12);
    assert_true(f.flows.slowdown.min == 1 && f.flows.slowdown.max == 2);
}

/* 0 B, 1 to 9 B, and so on: five of each size, of slowdown 1 to 5. */
static void figures_by_size(void **state)
{
    static const uint64_t size[] = {0, 1, 9, 10, 19, 20, 999, 1000};
    static const struct {
        bool fine;
        uint64_t from, to;
        size_t n;
    } want[] = {
        {true, 0, 1, 5},       {true, 1, 2, 5},       {true, 5, 10, 5},
        {true, 10, 20, 10},    {true, 20, 50, 5},     {true, 500, 1000, 5},
        {true, 1000, 2000, 5}, {false, 0, 1, 5},      {false, 1, 10, 10},
        {false, 10, 100, 15},  {false, 100, 1000, 5}, {false, 1000, 10000, 5},
    };
    struct orr_flow many[42];
    struct orr_flows all = {many, 42};
    struct orr_size_class c[ORR_SIZE_CLASSES];
    uint32_t n[2], at = 0;
    for (int i = 0; i < 40; i++)
        many[i] = (struct orr_flow){.bytes = size[i / 5],
                                    .start_ps = 7,
                                    .ideal_ps = 100,
                                    .finish_ps = 7 + 100 * (i % 5 + 1)};
    many[40] = (struct orr_flow){.bytes = 9, .finish_ps = -1};
    many[41] = (struct orr_flow){.bytes = 70000, .finish_ps = -1};
    world.flows = &all;
    for (int coarse = 0; coarse < 2; coarse++) {
        assert_int_equal(orr__figures_by_size(&world, !coarse, c, &n[coarse]),
                         ORR_OK);
        for (uint32_t i = 0; i < n[coarse]; i++, at++) {
            assert_int_equal(want[at].fine, !coarse);
            assert_int_equal(c[i].from, want[at].from);
            assert_int_equal(c[i].to, want[at].to);
            assert_int_equal(c[i].fct_ps.n, want[at].n);
            assert_true(c[i].slowdown.p50 == 3 && c[i].slowdown.p95 == 5);
            assert_true(c[i].fct_ps.p50 == 300 && c[i].fct_ps.max == 500);
        }
    }
    assert_int_equal(n[0] + n[1], sizeof want / sizeof *want);
}

static void few_flows_are_not_told_by_size(void **state)
{
    static struct orr_flow many[100];
    struct orr_flows all = {many, 99};
    for (int i = 0; i < 100; i++)
        many[i] = (struct orr_flow){
            .bytes = 2000, .ideal_ps = 10, .finish_ps = 10 * (i + 1)};
    world.flows = &all;
    char *text = orr__results_summary(&world);
    assert_null(strstr(text, "by size"));
    orr__free(text);
    all.count = 100;
    text = orr__results_summary(&world);
    assert_non_null(strstr(text, "\nslowdown by size"));
    assert_non_null(strstr(text, "\n  from 1 KB                100        50"
                                 "        95        99       100\n"));
    orr__free(text);
    text = orr__results_json(&world, NULL);
    assert_non_null(
        strstr(text, "\"slowdown\": {\"mean\": 50.5, \"p10\": 10, \"p50\": 50, "
                     "\"p90\": 90, \"p95\": 95, \"p99\": 99"));
    json_t *top = json_loads(text, 0, NULL);
    json_t *by = json_object_get(json_object_get(top, "flows"), "by_size");
    assert_int_equal(json_array_size(by), 1);
    assert_true(number(json_array_get(by, 0), "from") == 2000);
    assert_true(number(json_array_get(by, 0), "to") == 5000);
    assert_true(number(json_array_get(by, 0), "count") == 100);
    json_decref(top);
    orr__free(text);
}

static void percentiles_are_values_of_the_sample(void **state)
{
    double v[200];
    for (int i = 0; i < 200; i++)
        v[i] = 200 - i;
    struct orr_statistics s = orr__statistics(v, 200);
    assert_true(s.p95 == 190);
    assert_true(s.p50 == 100 && s.p99 == 198 && s.min == 1 && s.max == 200);
    assert_true(fabs(s.mean - 100.5) < 1e-9);
    v[0] = 5;
    s = orr__statistics(v, 1);
    assert_true(s.p50 == 5 && s.p99 == 5 && s.mean == 5);
    s = orr__statistics(v, 0);
    assert_true(isnan(s.mean) && isnan(s.p50) && isnan(s.max));
}

static void the_summary_for_people(void **state)
{
    static const char wanted[] =
        "two hosts\n"
        "switch: 2 hosts, 1 switch, 4 links, seed 7\n"
        "PARTIAL: the run was stopped before its end\n"
        "\n"
        "training            2 ranks, 1.5 MB sent, 1.51 MB on the wire\n"
        "  4 iterations      mean 16.85 us   p50 11.69 us   p99 22 us   max "
        "22 us\n"
        "                    3 of 4 finished, the first 1 left out\n"
        "  all-reduce        ring, 1MiB, 2 ranks\n"
        "    time            16.35 us   lower bound 10 us (61.2 % of the "
        "time)\n"
        "    bandwidth       algorithm 550 Gbps   bus 550 Gbps\n"
        "    chunk latency   11.42 us   waited to begin 17.13 us   message "
        "time 805 "
        "ns\n"
        "\n"
        "flows               2 of 3 completed, 10 KB\n"
        "  completion        mean 2 ns   p50 1 ns   p99 3 ns   max 3 ns\n"
        "  slowdown          mean 1.5   p50 1   p99 2   max 2\n"
        "  goodput           22.86 Tbps   Jain 0.8000\n"
        "\n"
        "busiest links                  used mean queue  max queue    dropped"
        "     marked\n"
        "  host 1 > switch 2         50.00 %       1 KB       9 KB          8"
        "      1,234\n"
        "  switch 2 > host 1         50.00 %        0 B     4.1 KB          0"
        "          0\n"
        "  host 0 > switch 2         25.00 %        0 B        0 B          0"
        "          0\n"
        "\n"
        "packets             8 dropped, 1,234 marked, 5 sent again\n"
        "simulated           45.69 us in 0.001 s, 14,336 packet-hops (14.3 "
        "million/s)\n"
        "fingerprint         0123456789abcdef (partial)\n"
        "records             run.h5\n";
    const char *name = one_job.name;
    one_job.name = "training";
    char *text = orr__results_summary(&world);
    one_job.name = name;
    assert_string_equal(text, wanted);
    orr__free(text);
}

static bool marks_always(const void *params)
{
    return true;
}

/* More than one in a hundred: where, and what may help, by the first cause that
 * can be seen. */
static void losses_are_told(void **state)
{
    static const struct orr_cc_ops none = {.name = "none"};
    static const struct orr_cc cc = {.ops = &none};
    static const struct orr_queue_ops droptail = {.name = "droptail"};
    static const struct orr_queue_ops ecn = {.name = "ecn",
                                             .marks = marks_always};
    static const struct orr_queue_ops trim = {.name = "trim", .trims = true};
    struct orr_net_config config = {.service.cc = &cc, .queue = &droptail};
    const struct {
        const struct orr_queue_ops *queue;
        bool controlled, datagrams;
        const char *wanted;
    } cases[] = {
        {&droptail, false, false,
         "lost                1.4 % of all packets, 80 % of them at host 1 > "
         "switch 2\n"
         "  try               a congestion control, or a preset: orrery list "
         "presets\n"},
        {&droptail, true, false,
         "a larger network.queue.capacity, or "
         "network.queue.kind: ecn\n"},
        {&ecn, true, false,
         "a larger network.queue.capacity, or lower "
         "thresholds\n"},
        {&trim, true, false,
         "headers had no room: a larger "
         "network.queue.control\n"},
        {&droptail, false, true,
         "datagrams have no congestion control: a larger "
         "network.queue.capacity\n"},
    };
    char *text = orr__results_summary(&world);
    assert_null(strstr(text, "lost  ")); /* 8 of 7,168 */
    orr__free(text);
    totals.packets_dropped = 100;
    sample[1].drops = 80;
    world.net_config = &config;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config.queue = cases[i].queue;
        config.controlled = cases[i].controlled;
        config.transport = cases[i].datagrams ? ORR_TRANSPORT_DATAGRAM
                                              : ORR_TRANSPORT_RELIABLE;
        text = orr__results_summary(&world);
        assert_non_null(strstr(text, cases[i].wanted));
        orr__free(text);
    }
    text = orr__results_json(&world, NULL);
    assert_non_null(strstr(text, "\"drops\": 80,\n    \"no_route\": 20,\n"));
    orr__free(text);
}

/* No link lost what came to a node without a route. */
static void packets_without_a_route_are_told(void **state)
{
    static const struct orr_cc_ops none = {.name = "none"};
    static const struct orr_cc cc = {.ops = &none};
    static const struct orr_queue_ops droptail = {.name = "droptail"};
    struct orr_failures failures = {.outages = 0};
    struct orr_net_config config = {
        .service.cc = &cc, .queue = &droptail, .failures = &failures};
    totals.packets_dropped = 1008;
    sample[1].drops = 8;
    world.net_config = &config;
    char *text = orr__results_summary(&world);
    assert_non_null(strstr(text, "lost                14.1 % of all packets, "
                                 "1,000 of them found no route\n"
                                 "  try               links fail: failures\n"));
    orr__free(text);
    sample[1].drops = 0;
    text = orr__results_json(&world, NULL);
    assert_non_null(strstr(text, "\"losses\": {\n    \"share\": 0.140625,\n"
                                 "    \"no_route\": 1008,\n"));
    orr__free(text);
}

static void one_iteration_is_told_in_full(void **state)
{
    uint32_t iterations = one_job.iterations;
    one_job.iterations = 2;
    char *text = orr__results_summary(&world);
    one_job.iterations = iterations;
    assert_non_null(
        strstr(text, "\n  2 iterations      22 us (22,000.000 ns)\n"));
    orr__free(text);
}

static void many_jobs_take_a_line_each(void **state)
{
    struct orr_job many[30];
    uint32_t hosts[30][64]; /* each on a host of its own */
    struct orr_graph wide = graph;
    assert_in_range(one_job.ranks, 1, 64);
    for (uint32_t i = 0; i < 30; i++) {
        many[i] = one_job;
        many[i].hosts = hosts[i];
        for (int r = 0; r < 64; r++)
            hosts[i][r] = i;
    }
    wide.hosts = 30;
    world.graph = &wide;
    world.jobs = many;
    world.n_jobs = 30;
    char *text = orr__results_summary(&world);
    int lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_in_range(lines, 20, 30);
    assert_non_null(strstr(text, "... and 22 jobs more\n"));
    assert_null(strstr(text, "both have ranks"));
    orr__free(text);
    many[1].hosts = hosts[0];
    text = orr__results_summary(&world);
    assert_non_null(strstr(text, " both have ranks on host 0\n"));
    orr__free(text);
}

static void text_is_cut_and_filled_by_characters(void **state)
{
    struct orr_text t = {.s = NULL};
    char digits[32];
    assert_int_equal(orr__text_character("\xed\xa0\x80"), 0); /* surrogate */
    assert_int_equal(orr__text_character("\xe2\x82\xac"), 3);
    assert_int_equal(orr__text_character("\xc3"), 0);
    orr__text_add(&t, "x\n");
    orr__text_words(&t, "\xc3\xa4\n\xff\x7fmore", 4);
    orr__text_column(&t, 6);
    orr__text_add(&t, "|");
    char *s = orr__text_done(&t);
    assert_string_equal(s, "x\n\xc3\xa4???  |");
    orr__free(s);
    orr__group_digits(UINT64_MAX, digits, sizeof digits);
    assert_string_equal(digits, "18,446,744,073,709,551,615");
    orr__group_digits(0, digits, sizeof digits);
    assert_string_equal(digits, "0");
}

static void every_allocation_may_fail(void **state)
{
    for (int i = 0; i < 2; i++) {
        char *text = NULL;
        for (uint64_t n = 1; text == NULL && n < 100; n++) {
            orr__memory_fail_after(n, 0);
            text = i == 0 ? orr__results_json(&world, NULL)
                          : orr__results_summary(&world);
            orr__memory_fail_after(0, 0);
            assert_true(n > 3 || text == NULL);
        }
        assert_non_null(text);
        orr__free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup(f, setup)
        TEST(json_has_the_contract_s_keys),
        TEST(json_times_are_exact),
        TEST(doubt_needs_no_more_than_its_members),
        TEST(jq_reads_it),
        TEST(an_empty_run_has_all_keys_too),
        TEST(the_list_of_flows_ends_at_a_thousand),
        TEST(figures_of_links),
        TEST(figures_of_flows),
        TEST(figures_by_size),
        TEST(few_flows_are_not_told_by_size),
        TEST(percentiles_are_values_of_the_sample),
        TEST(the_summary_for_people),
        TEST(losses_are_told),
        TEST(packets_without_a_route_are_told),
        TEST(one_iteration_is_told_in_full),
        TEST(many_jobs_take_a_line_each),
        TEST(text_is_cut_and_filled_by_characters),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
