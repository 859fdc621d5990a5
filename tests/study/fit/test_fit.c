#include "study/fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <jansson.h>

#include "core/memory.h"
#include "orrery/orrery.h"
#include "tests/refused.h"

static char folder[] = "/tmp/orrery-fit-XXXXXX";
static char config[64], measured[64];

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* A ring all-reduce: 2 (n - 1) (size / n / rate + delay + overhead). */
static const char text[] =
    "topology: {kind: ring, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
    "network: {mtu: 64KiB, queue: {kind: droptail, capacity: 1GiB}}\n"
    "jobs:\n"
    "  - ranks: 4\n"
    "    message_overhead: {time: 1us, on: nic}\n"
    "    program: [all-reduce: {size: 1KiB, algorithm: ring}]\n";

static int begin(void **state)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(config, sizeof config, "%s/c.yaml", folder);
    snprintf(measured, sizeof measured, "%s/m.csv", folder);
    put_file(config, text);
    return 0;
}

static int end(void **state)
{
    unlink(config);
    unlink(measured);
    return rmdir(folder);
}

/* What a run of the configuration takes, ns. */
static double time_of(const char *const *sets, size_t n)
{
    const struct orr_options o = {.sets = sets, .n_sets = n, .no_output = true};
    struct orr_report why = {.code = ORR_OK};
    orr_experiment *x = NULL;
    assert_int_equal(orr_experiment_load(config, &o, &x, &why), ORR_OK);
    assert_int_equal(orr_experiment_run(x, &why), ORR_OK);
    char *json = orr_experiment_json(x);
    json_t *summary = json_loads(json, 0, NULL);
    json_t *job = json_array_get(json_object_get(summary, "jobs"), 0);
    double ns = json_number_value(
        json_object_get(json_object_get(job, "iteration_ns"), "mean"));
    json_decref(summary);
    orr_text_free(json);
    orr_experiment_free(x);
    return ns;
}

/* Measurements that the simulator itself makes, with a delay and a rate that
 * the configuration does not have; times off by `noise`, one up, one down. */
static void measure(double noise)
{
    static const unsigned sizes[] = {1024, 65536, 1048576, 8388608};
    static const unsigned ranks[] = {4, 6};
    char size[64], n[32], hosts[32], line[256];
    FILE *f = fopen(measured, "w");
    assert_non_null(f);
    fputs("ranks,bytes,time_ns\n", f);
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 4; i++) {
            snprintf(size, sizeof size,
                     "jobs[0].program[0].all-reduce.size=%uB", sizes[i]);
            snprintf(n, sizeof n, "jobs[0].ranks=%u", ranks[r]);
            snprintf(hosts, sizeof hosts, "topology.hosts=%u", ranks[r]);
            const char *sets[] = {size, n, hosts, "topology.link.rate=40Gbps",
                                  "topology.link.delay=2500ns"};
            double ns = time_of(sets, 5);
            snprintf(line, sizeof line, "%u,%u,%.3f\n", ranks[r], sizes[i],
                     ns * (1 + (i % 2 ? noise : -noise)));
            fputs(line, f);
        }
    assert_int_equal(fclose(f), 0);
}

static struct orr_fit_options options(const char *const *vary)
{
    static const char *const files[] = {measured};
    return (struct orr_fit_options){.config = config,
                                    .measured = files,
                                    .n_measured = 1,
                                    .vary = vary,
                                    .n_vary = 1,
                                    .threads = 1};
}

/* A fit as JSON; to be given to json_decref. */
static json_t *summary_of(const struct orr_fit *f)
{
    char *json = orr__fit_json(f);
    json_t *summary = json_loads(json, 0, NULL);
    assert_non_null(summary);
    orr__free(json);
    return summary;
}

static json_t *fit(const struct orr_fit_options *o)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_fit *f = NULL;
    orr_err err = orr__fit_make(o, &f, &why);
    if (err)
        fail_msg("%s", why.message);
    json_t *summary = summary_of(f);
    orr__fit_free(f);
    return summary;
}

static double key_number(const json_t *summary, size_t key, const char *name)
{
    return json_number_value(json_object_get(
        json_array_get(json_object_get(summary, "keys"), key), name));
}

static const char *key_fate(const json_t *summary, size_t key)
{
    return json_string_value(json_object_get(
        json_array_get(json_object_get(summary, "keys"), key), "fate"));
}

/* Rows that are held out come out as exactly as those that are fitted. */
static void test_recovers(void **state)
{
    static const char *const vary[] = {
        "topology.link.delay,topology.link.rate"};
    static const char *const out[] = {"6"};
    struct orr_fit_options o = options(vary);
    measure(0);
    o.hold_out = out;
    o.n_hold_out = 1;
    json_t *s = fit(&o);
    assert_true(fabs(key_number(s, 0, "value") - 2500) < 0.01);
    assert_true(fabs(key_number(s, 1, "value") / 40e9 - 1) < 1e-6);
    assert_true(key_number(s, 0, "to") - key_number(s, 0, "from") < 0.1);
    json_t *predicted = json_object_get(s, "predicted");
    assert_int_equal(json_integer_value(json_object_get(predicted, "points")),
                     4);
    assert_true(json_number_value(json_object_get(predicted, "max")) < 1e-6);
    json_decref(s);
}

/* Threads change nothing. */
static void test_threads(void **state)
{
    static const char *const vary[] = {"topology.link.delay"};
    struct orr_fit_options o = options(vary);
    struct orr_report why = {.code = ORR_OK};
    struct orr_fit *one = NULL, *three = NULL;
    measure(0.02);
    assert_int_equal(orr__fit_make(&o, &one, &why), ORR_OK);
    o.threads = 3;
    assert_int_equal(orr__fit_make(&o, &three, &why), ORR_OK);
    char *a = orr__fit_json(one), *b = orr__fit_json(three);
    assert_string_equal(a, b);
    orr__free(a);
    orr__free(b);
    orr__fit_free(one);
    orr__fit_free(three);
}

/* With noise of 2 % the intervals hold what was there. */
static void test_noise(void **state)
{
    static const char *const vary[] = {
        "topology.link.delay,topology.link.rate"};
    struct orr_fit_options o = options(vary);
    measure(0.02);
    json_t *s = fit(&o);
    assert_true(key_number(s, 0, "from") < 2500
                && key_number(s, 0, "to") > 2500);
    assert_true(key_number(s, 1, "from") < 40e9
                && key_number(s, 1, "to") > 40e9);
    assert_true(key_number(s, 0, "to") < 2700);
    json_decref(s);
}

/* A delay and an overhead are the same to every message of a ring. */
static void test_act_alike(void **state)
{
    static const char *const vary[] = {
        "topology.link.delay,jobs[0].message_overhead.time,topology.link.rate,"
        "network.rto.max"};
    struct orr_fit_options o = options(vary);
    struct orr_report why = {.code = ORR_OK};
    struct orr_fit *f = NULL;
    measure(0);
    assert_int_equal(orr__fit_make(&o, &f, &why), ORR_OK);
    json_t *s = summary_of(f);
    assert_string_equal(key_fate(s, 0), "tangled");
    assert_string_equal(key_fate(s, 1), "tangled");
    assert_string_equal(key_fate(s, 2), "found");
    assert_string_equal(key_fate(s, 3), "no-effect");
    json_decref(s);
    char *table = orr__fit_text(f, ORR_FIT_TEXT);
    assert_non_null(strstr(table,
                           "- not identifiable: topology.link.delay and "
                           "jobs[0].message_overhead.time act alike on these "
                           "points: only together are they determined\n"));
    assert_non_null(strstr(table, "- not identifiable: network.rto.max changes "
                                  "no fitted point\n"));
    orr__free(table);
    orr__fit_free(f);
}

/* A value that is beyond the bounds. */
static void test_bound(void **state)
{
    static const char *const vary[] = {"topology.link.delay=0s..2us"};
    struct orr_fit_options o = options(vary);
    measure(0);
    json_t *s = fit(&o);
    assert_string_equal(key_fate(s, 0), "at-bound");
    assert_true(key_number(s, 0, "value") > 1990);
    json_decref(s);
}

static const struct {
    const char *table, *vary, *where, *when, *hold_out, *ranks_key, *figure;
    const char *message, *hint; /* hint NULL: any */
    int line;
} bad[] = {
    {.table = "bytes,time_us\n8,1\n",
     .vary = "topology.link.delay,seed",
     .message = "2 keys cannot be fitted to 1 point"},
    {.vary = "topology.link.dely",
     .message = "--vary topology.link.dely: the configuration has no such "
                "value",
     .hint = "give it one to begin with: -s topology.link.dely=VALUE"},
    {.vary = "topology.kind",
     .message = "--vary topology.kind: \"ring\": it is no time, rate, size or "
                "number"},
    {.vary = "network.header",
     .message = "--vary network.header: it is 0, which says nothing about "
                "where to look",
     .hint = "give bounds: --vary network.header=LOW..HIGH"},
    {.vary = "topology.link.delay=1us",
     .message = "--vary topology.link.delay: bounds are LOW..HIGH, not "
                "\"1us\""},
    {.vary = "topology.link.delay=2us..1us",
     .message = "--vary topology.link.delay: the lower bound is not below the "
                "upper one"},
    {.vary = "topology.link.delay=1ns..1Gbps",
     .message = "--vary topology.link.delay: \"1Gbps\": not in the unit of the "
                "key"},
    {.vary = "topology.link.delay,topology.link.delay",
     .message = "--vary: topology.link.delay twice"},
    {.vary = ",", .message = "--vary: a key is missing"},
    {.vary = "topology.link.delay",
     .where = "color=red",
     .message = "--where: no measurement has a column \"color\"",
     .hint = "columns of texts: algorithm"},
    {.vary = "topology.link.delay",
     .where = "algorithm=tree",
     .message = "no row is left to fit to"},
    {.vary = "topology.link.delay",
     .where = "algorithm",
     .message = "--where \"algorithm\": COLUMN=VALUE is expected"},
    {.vary = "topology.link.delay",
     .when = "algorithm=ring",
     .message = "--when \"algorithm=ring\": COLUMN=VALUE:KEY=VALUE is "
                "expected"},
    {.vary = "topology.link.delay",
     .hold_out = "8",
     .message = "--hold-out: no row has 8"},
    {.vary = "topology.link.delay",
     .hold_out = "4",
     .message = "--hold-out: no row is left to fit to"},
    {.vary = "topology.link.delay",
     .ranks_key = "jobs[0].ranks/3",
     .message = "4 is not divisible by 3, as --ranks-key jobs[0].ranks/3 asks",
     .line = 2},
    {.vary = "topology.link.delay",
     .figure = "jobs.0.nothing",
     .message = "the run for this row has no figure jobs.0.nothing",
     .line = 2},
    {.table = "bytes,ranks,algorithm,time_us\n8,4,a,1\n8,4,b,2\n",
     .vary = "topology.link.delay",
     .message = "line 2 is of the same run, but for its algorithm: \"a\", not "
                "\"b\"",
     .hint = "choose rows: --where 'algorithm=a'; or --when "
             "'algorithm=a:KEY=VALUE'",
     .line = 3},
    {.table = "bytes,time\n8,1\n",
     .vary = "topology.link.delay",
     .message = "a time has no unit",
     .line = 2},
};

static void test_refuses(void **state)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_fit *f = NULL;
        struct orr_fit_options o = options(&bad[i].vary);
        put_file(measured, bad[i].table
                               ? bad[i].table
                               : "bytes,ranks,algorithm,time_us\n8,4,ring,9\n");
        o.where = &bad[i].where;
        o.n_where = bad[i].where != NULL;
        o.when = &bad[i].when;
        o.n_when = bad[i].when != NULL;
        o.hold_out = &bad[i].hold_out;
        o.n_hold_out = bad[i].hold_out != NULL;
        o.ranks_key = bad[i].ranks_key;
        o.figure = bad[i].figure;
        assert_refused(
            orr__fit_make(&o, &f, &why), &why,
            (struct refused){i, bad[i].message, bad[i].hint, bad[i].line, 0});
        assert_null(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovers), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_noise),    cmocka_unit_test(test_act_alike),
        cmocka_unit_test(test_bound),    cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
