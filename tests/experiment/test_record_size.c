/* How large records would be, known before the run. */
#include "tests/workload/small_workload.h"

#include "core/units.h"

static orr_err plan_of(const char *yaml, struct orr_estimate *e,
                       struct orr_report *why)
{
    struct orr_options o = {.no_output = true};
    orr_experiment *x = NULL;
    orr_err err = experiment_load(yaml, &o, &x, why);
    if (err == ORR_OK)
        err = orr_experiment_estimate(x, e, why);
    orr_experiment_free(x);
    return err;
}

static void bins_are(const char *yaml, double bins, double samples)
{
    struct orr_report why = {0};
    struct orr_estimate e;
    if (plan_of(yaml, &e, &why) != ORR_OK)
        fail_msg("%s", why.message);
    if (e.bins != bins || e.samples != samples)
        fail_msg("%g bins and %g samples, not %g and %g", e.bins, e.samples,
                 bins, samples);
    assert_true((e.record_bytes > 0) == (bins + samples > 0));
}

/* The longest of what any host sends, receives, computes, waits. */
static void test_least_time(void **state)
{
    /* a MB at 8 Gbps */
    bins_are(SWITCH "flows: [{src: 0, dst: 1, size: 1MB}]\n"
                    "record: {interval: 10us}\n",
             100, 0);
    /* three of them into one host */
    bins_are(SWITCH "flows: [{generate: incast, dst: 0, size: 1MB}]\n"
                    "record: {interval: 10us, ports: [0], sample: 5us}\n",
             300, 600);
    bins_are(SWITCH "flows: [{src: 0, dst: 1, size: 1KB, start: 2s}]\n"
                    "record: {interval: 1ms}\n",
             2000, 0);
    bins_are(SWITCH "flows: [{src: 0, dst: 1, size: 1KB, start: 2s}]\n"
                    "stop: 1s\nrecord: {interval: 1ms}\n",
             1000, 0);
    bins_are(SWITCH "flows: [{src: 0, dst: 1, size: 1MB}]\n", 0, 0);
    bins_are(SWITCH "flows: [{src: 0, dst: 1, size: 1MB}]\n"
                    "record: none\n",
             0, 0);
    bins_are(SWITCH "flows: [{src: 0, dst: 1, size: 1MB}]\n"
                    "record: {flows: [0], sample: 1us}\n",
             0, 1000);
    /* a sample of nothing is none */
    bins_are(SWITCH "flows: [{src: 0, dst: 1, size: 1MB}]\n"
                    "record: {sample: 1us}\n",
             0, 0);
}

static void test_computations_count_where_they_follow(void **state)
{
    bins_are(SWITCH "jobs:\n"
                    "  - ranks: 2\n"
                    "    start: 1ms\n"
                    "    iterations: 10\n"
                    "    program:\n"
                    "      - compute: 2ms\n"
                    "      - parallel: [compute: 1ms, compute: 3ms]\n"
                    "      - {compute: 4ms, ranks: [0]}\n"
                    "      - {compute: 1ms, ranks: [1]}\n"
                    "record: {interval: 1ms}\n",
             91, 0);
}

static void test_too_many_are_refused(void **state)
{
    struct orr_report why = {0};
    struct orr_estimate e;
    const char *yaml =
        SWITCH "flows: [{src: 0, dst: 1, size: 1KB, start: 11s}]\n"
               "record: {interval: 1us}\n";
    assert_int_equal(plan_of(yaml, &e, &why), ORR_ECONFIG);
    assert_string_equal(why.message,
                        "record.interval: the run takes 11 s or more, which "
                        "makes 1.1e+07 bins; no more than 10000000 are "
                        "written");
    assert_int_equal(why.line, 3);
    yaml = SWITCH "flows: [{src: 0, dst: 1, size: 1KB, start: 11s}]\n"
                  "record: {flows: [0], sample: 1us}\n";
    why = (struct orr_report){0};
    assert_int_equal(plan_of(yaml, &e, &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, "record.sample: the run takes 11 s"));
    /* and what ends before is not */
    bins_are(SWITCH "flows: [{src: 0, dst: 1, size: 1KB, start: 11s}]\n"
                    "stop: 1s\nrecord: {interval: 1us}\n",
             1e6, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_time),
        cmocka_unit_test(test_computations_count_where_they_follow),
        cmocka_unit_test(test_too_many_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
