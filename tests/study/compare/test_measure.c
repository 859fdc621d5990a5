/* Figures by their paths in a summary, and their units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "study/compare/measure.h"

static const char summary[] =
    "{\"counters\": {\"drops\": 3, \"ok\": true},"
    " \"jobs\": [{\"name\": \"a\","
    "             \"iteration_ns\": {\"mean\": 10, \"p99\": 30}},"
    "            {\"name\": \"b\","
    "             \"iteration_ns\": {\"mean\": 20, \"p99\": 50}}],"
    " \"flows\": {\"list\": [{\"fct_ns\": 5}, {\"fct_ns\": 1},"
    "                        {\"fct_ns\": null}, {\"fct_ns\": 3}],"
    "  \"by_size\": [{\"from\": 1000, \"to\": 2000,"
    "                 \"slowdown\": {\"p99\": 1.5}},"
    "                {\"from\": 10000, \"to\": 20000,"
    "                 \"slowdown\": {\"p99\": 2.5}}]}}";

static double value(const char *path)
{
    double v;
    json_t *j = json_loads(summary, 0, NULL);
    assert_non_null(j);
    assert_int_equal(orr__measure_value(j, path, &v), ORR_OK);
    json_decref(j);
    return v;
}

static void paths_lead_to_numbers(void **state)
{
    assert_true(value("counters.drops") == 3);
    assert_true(value("counters.ok") == 1);
    assert_true(value("jobs.0.iteration_ns.p99") == 30);
    assert_true(value("jobs.b.iteration_ns.p99") == 50);
    assert_true(value("jobs.b.iteration_ns") == 20); /* its mean */
    assert_true(value("jobs.*.iteration_ns") == 15);
}

static void several_become_one_by_the_last_word(void **state)
{
    assert_true(value("jobs.*.iteration_ns.mean") == 15);
    assert_true(value("jobs.*.iteration_ns.p99") == 50);
    assert_true(value("flows.list.*.fct_ns") == 3);
    assert_true(value("flows.list.*.fct_ns.mean") == 3);
    assert_true(value("flows.list.*.fct_ns.max") == 5);
    assert_true(value("flows.list.*.fct_ns.min") == 1);
    assert_true(value("flows.list.*.fct_ns.p50") == 3);
    assert_true(value("flows.list.*.fct_ns.sum") == 9);
}

static void a_class_is_found_by_a_size_in_it(void **state)
{
    assert_true(value("flows.by_size.1KB.slowdown.p99") == 1.5);
    assert_true(value("flows.by_size.15KB.slowdown.p99") == 2.5);
    assert_true(isnan(value("flows.by_size.2KB.slowdown.p99")));
}

static void what_is_not_there_is_no_number(void **state)
{
    static const char *const paths[] = {
        "",
        ".",
        "nothing",
        "counters",
        "counters.drops.more",
        "jobs.*",
        "jobs.c.iteration_ns.mean",
        "jobs.7.iteration_ns.mean",
        "jobs..x",
        "flows.list.2.fct_ns",
        "counters.drops.p98",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_true(isnan(value(paths[i])));
}

static void units_follow_from_names(void **state)
{
    assert_string_equal(orr__measure_unit("jobs.*.iteration_ns.mean"), "ns");
    assert_string_equal(orr__measure_unit("sim_time_ns"), "ns");
    assert_string_equal(orr__measure_unit("flows.goodput_bps"), "bit/s");
    assert_string_equal(orr__measure_unit("jobs.0.bytes_sent"), "B");
    assert_string_equal(orr__measure_unit("links.busiest.*.max_queue_bytes"),
                        "B");
    assert_string_equal(orr__measure_unit("wall.cpu_seconds"), "s");
    assert_string_equal(orr__measure_unit("flows.slowdown.p99"), "1");
    assert_string_equal(orr__measure_unit("mean"), "1");
}

/* The report of a check of one path, "" if it is fine. */
static const char *checked(const char *path, struct orr_report *why)
{
    struct orr_config *c = NULL;
    const char *text = "measure: here\n";
    *why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__config_parse("t.yaml", text, 14, &c, why), ORR_OK);
    const struct orr_yaml *at = orr__yaml_value(orr__config_root(c), 0);
    orr_err err = orr__measure_check(c, &path, &at, 1, why);
    assert_int_equal(err, why->code);
    orr__config_free(c);
    return why->message;
}

static const char *own(const char *path, bool *share)
{
    static struct orr_arena arena;
    static char text[100];
    struct orr_measure_own o;
    assert_int_equal(orr__measure_own(&arena, path, &o), ORR_OK);
    if (share)
        *share = o.share;
    snprintf(text, sizeof text, "%s", o.path ? o.path : "none");
    orr__arena_fini(&arena);
    return text;
}

static void runs_give_intervals_of_some(void **state)
{
    bool share;
    assert_string_equal(own("cluster.slowdown.p99", &share),
                        "basis.intervals.slowdown_p99");
    assert_false(share);
    assert_string_equal(own("cluster.completion_ns.mean", NULL),
                        "basis.intervals.completion_ns_mean");
    assert_string_equal(own("cluster.completion_ns", NULL),
                        "basis.intervals.completion_ns_mean");
    assert_string_equal(own("cluster.makespan_ns", NULL),
                        "basis.intervals.makespan_ns");
    assert_string_equal(own("cluster.slowdown", NULL),
                        "basis.intervals.slowdown_mean");
    assert_string_equal(own("jobs.vgg.iteration_ns.mean", &share),
                        "repeat.jobs.vgg.error");
    assert_true(share);
    assert_string_equal(own("jobs.*.iteration_ns", &share),
                        "repeat.jobs.*.error");
    assert_string_equal(own("jobs.0.iteration_ns.p99", NULL), "none");
    assert_string_equal(own("cluster.gpu_hours.lost", NULL),
                        "basis.intervals.gpu_hours_lost");
    assert_string_equal(own("cluster.queue_most", NULL), "none");
    assert_string_equal(own("cluster.slow", NULL), "none");
    assert_string_equal(own("counters.packets_sent", NULL), "none");
    assert_string_equal(own("jobs.0", NULL), "none");
}

static void misspelt_keys_are_told(void **state)
{
    struct orr_report why;
    static const char *const fine[] = {
        "flows.slowdown.p99",
        "jobs.vgg.iteration_ns.mean",
        "flows.by_size.10KB.slowdown.p99",
        "links.busiest.0.pauses",
        "links.busiest.*.mean_queue_bytes.max",
        "counters.ecn_marks",
        "jobs.*.staleness.mean", /* of some jobs only */
        "jobs.vgg.collectives.*.duration_ns.max",
        "jobs.0.iterations.7.duration_ns",
        "failures.*.drops.sum",
        "failures.0.drops",
        "repeat.jobs.vgg.inferred",
        "repeat.jobs.*.error.max",
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        assert_string_equal(checked(fine[i], &why), "");
    assert_string_equal(checked("flows.slowdwn.p99", &why),
                        "compare.measure: flows.slowdwn.p99: a summary has no "
                        "\"slowdwn\" there");
    assert_string_equal(why.hint, "did you mean \"slowdown\"?");
    assert_string_equal(checked("flow.slowdown", &why),
                        "compare.measure: flow.slowdown: a summary has no "
                        "\"flow\" there");
    assert_string_equal(checked("zebra", &why),
                        "compare.measure: zebra: a summary has no \"zebra\" "
                        "there");
    assert_string_equal(checked("flows", &why),
                        "compare.measure: flows is no number of a summary");
    assert_non_null(strstr(why.hint, "one of these, perhaps: count completed"));
    assert_string_equal(checked("jobs.vgg.iteration_ns", &why), "");
    assert_string_equal(checked("jobs.vgg", &why),
                        "compare.measure: jobs.vgg is no number of a "
                        "summary");
    assert_string_equal(checked("jobs.vgg.collectives.duration_ns", &why),
                        "compare.measure: jobs.vgg.collectives.duration_ns: no "
                        "member of a list is called \"duration_ns\"");
    assert_string_equal(why.hint, "write *.duration_ns for all of it, "
                                  "0.duration_ns for the first");
    assert_string_equal(checked("jobs.vgg.name", &why),
                        "compare.measure: jobs.vgg.name is no number of a "
                        "summary");
    assert_string_equal(checked("counters.ecn_marks.x", &why),
                        "compare.measure: counters.ecn_marks.x: there is no "
                        "\"x\" below a figure");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lead_to_numbers),
        cmocka_unit_test(several_become_one_by_the_last_word),
        cmocka_unit_test(a_class_is_found_by_a_size_in_it),
        cmocka_unit_test(what_is_not_there_is_no_number),
        cmocka_unit_test(units_follow_from_names),
        cmocka_unit_test(runs_give_intervals_of_some),
        cmocka_unit_test(misspelt_keys_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
