/* The questions of orrery/study.h: each answers, each refuses what it cannot
 * take, and a comparison runs its runs as children. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>
#include <cmocka.h>

#include "orrery/study.h"

#define RING                                                                   \
    "network: {mtu: 1500B, ack_every: 1}\n"                                    \
    "topology: {kind: ring, hosts: 4, link: {rate: 10Gbps, delay: 1us}}\n"
#define JOBS                                                                   \
    "jobs:\n"                                                                  \
    "  - {name: a, ranks: 4, iterations: 3, program: [{compute: 10us},"        \
    " {all-reduce: {size: 100KB, algorithm: ring}}]}\n"

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* The reply's JSON, to be given back with json_decref. */
static json_t *object_of(const orr_reply *r)
{
    json_t *o = json_loads(orr_reply_json(r), 0, NULL);
    assert_non_null(o);
    return o;
}

static double number(json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

#define ASK(function, call)                                                    \
    do {                                                                       \
        struct orr_report why = {.code = ORR_OK};                              \
        orr_err err = function(&call, &r, &why);                               \
        if (err)                                                               \
            print_error("%s\n", why.message);                                  \
        assert_int_equal(err, ORR_OK);                                         \
        assert_non_null(r);                                                    \
    } while (0)

static void check_estimates(void **state)
{
    const struct orr_check_call call = {.size = sizeof call,
                                        .config = "job.yaml"};
    orr_reply *r = NULL;
    ASK(orr_study_check, call);
    json_t *o = object_of(r);
    /* 3 iterations of 6 steps of 4 ranks, 25 KB in 17 packets with an ACK each:
     * data and ACKs each cross one link */
    assert_true(number(json_object_get(o, "estimate"), "packet_hops")
                > 3 * 6 * 4 * 17);
    assert_string_equal(json_string_value(json_object_get(o, "kind")), "run");
    assert_non_null(strstr(orr_reply_text(r), "job.yaml: ok"));
    assert_null(orr_reply_config(r));
    json_decref(o);
    orr_reply_free(r);
}

static void check_counts_a_study(void **state)
{
    const struct orr_check_call call = {.size = sizeof call,
                                        .config = "study.yaml"};
    orr_reply *r = NULL;
    ASK(orr_study_check, call);
    json_t *o = object_of(r);
    assert_string_equal(json_string_value(json_object_get(o, "kind")), "study");
    assert_int_equal(number(o, "runs"), 4);
    json_decref(o);
    orr_reply_free(r);
}

static void a_topology_is_arrays(void **state)
{
    const char *const sets[] = {"topology.hosts=5"};
    const struct orr_options options = {.sets = sets, .n_sets = 1};
    const struct orr_topology_call call = {
        .size = sizeof call, .config = "job.yaml", .options = &options};
    struct orr_graph_arrays g = {.size = sizeof g};
    orr_reply *r = NULL;
    ASK(orr_study_topology, call);
    assert_int_equal(orr_reply_graph(r, &g), ORR_OK);
    assert_int_equal(g.hosts, 5);
    assert_int_equal(g.switches, 0);
    assert_int_equal(g.links, 10);
    for (uint32_t l = 0; l < g.links; l++) {
        assert_true(g.rate_bps[l] == 10000000000 && g.delay_ps[l] == 1000000);
        assert_true(g.from[l] < 5 && g.to[l] < 5 && g.from[l] != g.to[l]);
        assert_string_equal(g.tier[l], "ring");
    }
    assert_string_equal(g.name[3], "host 3");
    json_t *o = object_of(r);
    assert_int_equal(number(o, "diameter"), 2);
    json_decref(o);
    orr_reply_free(r);
}

/* An older program's struct is filled as far as it goes. */
static void arrays_of_an_older_program(void **state)
{
    const struct orr_topology_call call = {
        .size = sizeof call, .config = "job.yaml", .no_metrics = true};
    struct orr_graph_arrays g = {.size =
                                     offsetof(struct orr_graph_arrays, from),
                                 .from = (const uint32_t *)1};
    orr_reply *r = NULL;
    ASK(orr_study_topology, call);
    assert_int_equal(orr_reply_graph(r, &g), ORR_OK);
    assert_int_equal(g.links, 8);
    assert_ptr_equal(g.from, (const uint32_t *)1);
    assert_null(strstr(orr_reply_json(r), "diameter"));
    orr_reply_free(r);
}

static void a_profile_reads_back(void **state)
{
    const struct orr_profile_call call = {.size = sizeof call,
                                          .config = "job.yaml"};
    orr_reply *r = NULL;
    ASK(orr_study_profile, call);
    json_t *o = object_of(r);
    assert_string_equal(json_string_value(json_object_get(o, "job")), "a");
    assert_true(number(o, "iteration_ns") > 10000);
    assert_int_equal(json_array_size(json_object_get(o, "links")), 8);
    assert_non_null(strstr(orr_reply_config(r), "iteration:"));
    json_decref(o);
    orr_reply_free(r);
}

static void a_plan_and_its_configuration(void **state)
{
    const struct orr_plan_call call = {
        .size = sizeof call, .config = "two.yaml", .configured = true};
    orr_reply *r = NULL;
    ASK(orr_study_plan, call);
    json_t *o = object_of(r);
    assert_non_null(json_object_get(o, "jobs"));
    assert_non_null(strstr(orr_reply_config(r), "gate"));
    json_decref(o);
    orr_reply_free(r);
}

/* Causes add up to the iteration, to the picosecond. */
static void an_iteration_is_explained(void **state)
{
    const struct orr_explain_call call = {.size = sizeof call,
                                          .config = "job.yaml",
                                          .which = ORR_WHICH_ONE,
                                          .iteration = 1};
    orr_reply *r = NULL;
    ASK(orr_study_explain, call);
    assert_non_null(strstr(orr_reply_text(r), "iteration 1"));
    json_t *o = object_of(r);
    assert_true(json_is_object(o));
    json_decref(o);
    orr_reply_free(r);
}

static uint32_t told;

static void count_progress(void *arg, const struct orr_study_progress *p)
{
    assert_ptr_equal(arg, &told);
    assert_true(p->done <= p->runs);
    told++;
}

static void a_comparison_runs_its_runs(void **state)
{
    const struct orr_compare_call call = {.size = sizeof call,
                                          .config = "study.yaml",
                                          .folder = "out",
                                          .jobs = 2,
                                          .keep = 1,
                                          .progress = count_progress,
                                          .progress_arg = &told};
    orr_reply *r = NULL;
    told = 0;
    ASK(orr_study_compare, call);
    assert_true(told > 0);
    json_t *o = object_of(r);
    assert_int_equal(json_array_size(json_object_get(o, "cells")), 2);
    json_decref(o);
    assert_non_null(strstr(orr_reply_text(r), "dctcp"));
    assert_int_equal(access("out/table.csv", R_OK), 0);
    orr_reply_free(r);
    /* what is there is not run again */
    r = NULL;
    assert_int_equal(system("cp -r out/runs before"), 0);
    ASK(orr_study_compare, call);
    assert_int_equal(system("diff -r out/runs before"), 0);
    orr_reply_free(r);
}

/* A child that fails says why, and the others are there. */
static void a_failed_run_is_told(void **state)
{
    const char *const over[] = {"network.queue.capacity=10KB,16MiB"};
    const char *const measures[] = {"flows.fct_ns.max"};
    const struct orr_compare_call call = {.size = sizeof call,
                                          .config = "lost.yaml",
                                          .over = over,
                                          .n_over = 1,
                                          .measures = measures,
                                          .n_measures = 1,
                                          .folder = "failed",
                                          .jobs = 1};
    orr_reply *r = NULL;
    ASK(orr_study_compare, call);
    assert_non_null(
        strstr(orr_reply_text(r),
               "[1] capacity=10KB, seed 1: no events are left, but"));
    assert_null(strstr(orr_reply_text(r), "[2]"));
    orr_reply_free(r);
}

static void interrupted_before_it_begins(void **state)
{
    static const int yes = 1;
    const struct orr_options options = {.interrupt = &yes};
    const struct orr_compare_call call = {.size = sizeof call,
                                          .config = "study.yaml",
                                          .options = &options,
                                          .folder = "never"};
    struct orr_report why = {.code = ORR_OK};
    orr_reply *r = NULL;
    assert_int_equal(orr_study_compare(&call, &r, &why), ORR_EINTERRUPTED);
    assert_null(r);
}

/* What is wrong in a configuration is told at its place, of every call. */
static void wrong_configurations(void **state)
{
    struct orr_report why[6] = {{.code = ORR_OK}};
    orr_reply *r = NULL;
    const struct orr_check_call check = {sizeof check, "bad.yaml", NULL};
    const struct orr_topology_call topology = {sizeof topology, "bad.yaml",
                                               NULL, NULL, false};
    const struct orr_profile_call profile = {.size = sizeof profile,
                                             .config = "bad.yaml"};
    const struct orr_plan_call plan = {.size = sizeof plan,
                                       .config = "bad.yaml"};
    const struct orr_explain_call explain = {.size = sizeof explain,
                                             .config = "bad.yaml"};
    const struct orr_compare_call compare = {.size = sizeof compare,
                                             .config = "bad.yaml"};
    assert_int_equal(orr_study_check(&check, &r, &why[0]), ORR_ECONFIG);
    assert_int_equal(orr_study_topology(&topology, &r, &why[1]), ORR_ECONFIG);
    assert_int_equal(orr_study_profile(&profile, &r, &why[2]), ORR_ECONFIG);
    assert_int_equal(orr_study_plan(&plan, &r, &why[3]), ORR_ECONFIG);
    assert_int_equal(orr_study_explain(&explain, &r, &why[4]), ORR_ECONFIG);
    assert_int_equal(orr_study_compare(&compare, &r, &why[5]), ORR_ECONFIG);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(why[i].file, "bad.yaml");
        assert_true(why[i].line == 1 && why[i].col == 31);
        assert_non_null(strstr(why[i].message, "smallest"));
    }
    assert_string_equal(why[5].message,
                        "there is nothing to compare: no dimension");
    assert_null(r);
}

static void wrong_calls(void **state)
{
    struct {
        struct orr_check_call call;
        uint64_t later; /* a member of a later version */
    } newer = {{sizeof newer, "job.yaml", NULL}, 0};
    struct orr_check_call c = {0, "job.yaml", NULL};
    struct orr_graph_arrays g = {.size = sizeof g};
    struct orr_report why = {.code = ORR_OK};
    orr_reply *r = NULL;
    assert_int_equal(orr_study_check(NULL, &r, &why), ORR_ECALL);
    assert_int_equal(orr_study_check(&c, &r, NULL), ORR_ECALL);
    c.size = sizeof c;
    assert_int_equal(orr_study_check(&c, NULL, NULL), ORR_ECALL);
    c.config = NULL;
    assert_int_equal(orr_study_check(&c, &r, NULL), ORR_ECALL);
    assert_int_equal(orr_study_check(&newer.call, &r, NULL), ORR_OK);
    assert_int_equal(orr_reply_graph(r, &g), ORR_ECALL);
    orr_reply_free(r);
    r = NULL;
    newer.later = 1;
    assert_int_equal(orr_study_check(&newer.call, &r, NULL), ORR_ECALL);
    orr_reply_free(NULL);
    assert_string_equal(orr_reply_json(NULL), "");
}

static int enter(void **state)
{
    static char folder[] = "/tmp/orrery-calls-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder))
        return -1;
    write_file("job.yaml", RING JOBS);
    write_file("bad.yaml",
               "topology: {kind: ring, hosts: -4, link: {rate: 10Gbps, delay: "
               "1us}}\n" JOBS);
    write_file("study.yaml", RING JOBS
               "compare: {over: {network.cc: [reno, dctcp]}, seeds: [1, 2], "
               "measure: ['jobs.*.iteration_ns.mean']}\n");
    write_file("two.yaml",
               "topology: {kind: custom, hosts: 4, switches: 2, cables: [[0, "
               "4], [1, 4], [2, 5], [3, 5], [4, 5]], link: {rate: 10Gbps, "
               "delay: 1us}}\n"
               "jobs:\n"
               "  - {name: a, placement: [0, 2], ranks: 2, iterations: 8, "
               "program: [{compute: "
               "2ms}, {all-reduce: {size: 1MB}}]}\n"
               "  - {name: b, placement: [1, 3], ranks: 2, iterations: 8, "
               "program: [{compute: "
               "2ms}, {all-reduce: {size: 1MB}}]}\n");
    write_file("lost.yaml",
               "topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: "
               "1us}}\n"
               "network: {transport: datagram, queue: {kind: droptail, "
               "capacity: 1MiB}}\n"
               "flows: [{src: 0, dst: 3, size: 1MB}, {src: 1, dst: 3, size: "
               "1MB}]\n");
    *state = folder;
    return 0;
}

static int leave(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", (const char *)*state);
    return chdir("/") || system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_estimates),
        cmocka_unit_test(check_counts_a_study),
        cmocka_unit_test(a_topology_is_arrays),
        cmocka_unit_test(arrays_of_an_older_program),
        cmocka_unit_test(a_profile_reads_back),
        cmocka_unit_test(a_plan_and_its_configuration),
        cmocka_unit_test(an_iteration_is_explained),
        cmocka_unit_test(a_comparison_runs_its_runs),
        cmocka_unit_test(a_failed_run_is_told),
        cmocka_unit_test(interrupted_before_it_begins),
        cmocka_unit_test(wrong_configurations),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
