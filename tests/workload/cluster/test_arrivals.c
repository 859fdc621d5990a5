/* When jobs come, and of what kind. */
#include "tests/workload/cluster/coming.h"

#include <math.h>

#define TWO                                                                    \
    "[{name: bert, model: bert-large, batch: 16, gpus: [8, 16], "              \
    "iterations: 100, weight: 3}, {name: vgg, model: vgg16, gpus: 4, "         \
    "duration: 2h}]"

static void templates_are_split_from_jobs(void **state)
{
    struct coming s;
    coming_open(&s, "jobs: " TWO "\narrivals: [{at: 0s}]\n");
    const struct orr_template *t = s.c.template;
    assert_int_equal(s.c.templates, 2);
    assert_string_equal(t[0].name, "bert");
    assert_int_equal(t[0].n_gpus, 2);
    assert_int_equal(t[0].gpus[1], 16);
    assert_true(t[0].iterations.mean == 100 && t[0].weight == 3);
    assert_true(t[0].duration.mean == 0);
    assert_true(t[1].duration.mean == 7200e9 && t[1].weight == 1);
    /* what a job of `jobs` would say, and nothing else */
    assert_int_equal(orr__yaml_count(t[0].body), 2);
    assert_non_null(orr__yaml_get(t[0].body, "model"));
    assert_non_null(orr__yaml_get(t[0].body, "batch"));
    assert_int_equal(orr__yaml_count(t[0].node), 6);
    coming_close(&s);
}

static void a_list_is_taken_as_it_is(void **state)
{
    struct coming s;
    coming_open(&s, "jobs: " TWO "\narrivals: [{template: vgg, at: 2h, name: "
                    "last}, {template: bert, at: 1h, gpus: 2, iterations: 7}, "
                    "{template: bert, at: 90d, duration: 3d, "
                    "hosts: [5, 4, 9]}]\n");
    const struct orr_arrival *a = s.c.arrivals.item;
    assert_int_equal(s.c.arrivals.n, 3);
    assert_int_equal(s.c.until_ns, INT64_MAX);
    assert_string_equal(a[0].name, "bert-0");
    assert_int_equal(a[0].at_ns, HOUR);
    assert_int_equal(a[0].gpus, 2);
    assert_int_equal(a[0].iterations, 7);
    assert_int_equal(a[0].duration_ns, 0);
    assert_null(a[0].hosts);
    assert_string_equal(a[1].name, "last");
    assert_int_equal(a[1].template, 1);
    assert_int_equal(a[1].gpus, 4);
    assert_int_equal(a[1].iterations, 0);
    assert_int_equal(a[1].duration_ns, 2 * HOUR);
    assert_int_equal(a[2].at_ns, 90 * 24 * HOUR);
    assert_int_equal(a[2].duration_ns, 72 * HOUR);
    assert_int_equal(a[2].gpus, 3);
    assert_int_equal(a[2].hosts[0], 5);
    assert_int_equal(a[2].hosts[2], 9);
    coming_close(&s);
}

static double work_of(const struct coming *s, const struct orr_arrival *a)
{
    double alone;
    (void)coming_alone(NULL, a->template, a->gpus, &alone, NULL);
    return a->gpus
           * (a->duration_ns ? (double)a->duration_ns
                             : (double)a->iterations * alone);
}

/* Jobs come as a Poisson process: as many in each half, gaps whose standard
 * deviation is their mean; the mix is by weight; what they ask for in all is
 * the load, within five standard errors of 10,000 jobs. */
static void poisson_is_of_its_load(void **state)
{
    struct coming s;
    enum { N = 10000 };
    double gaps = 0, squares = 0, work = 0;
    uint32_t bert = 0, large = 0;
    coming_open(&s, "jobs: [{name: a, gpus: [1, 3], iterations: 1000000, "
                    "weight: 3}, {name: b, gpus: 2, duration: 500s}]\n"
                    "arrivals: {load: 80%, most: 10000}\n");
    const struct orr_arrival *a = s.c.arrivals.item;
    assert_int_equal(s.c.arrivals.n, N);
    for (uint32_t i = 0; i < N; i++) {
        double gap = (double)(a[i].at_ns - (i ? a[i - 1].at_ns : 0));
        assert_true(gap >= 0);
        gaps += gap;
        squares += gap * gap;
        work += work_of(&s, &a[i]);
        bert += a[i].template == 0;
        large += a[i].gpus == 3;
    }
    /* a: 1,000 s on 2 GPUs on average, b: 500 s on 2 */
    double mean = (0.75 * 2000 + 0.25 * 1000) * 1e9 / (0.8 * 32);
    assert_true(fabs(gaps / N / mean - 1) < 5 / sqrt(N));
    assert_true(fabs(sqrt(squares / N - (gaps / N) * (gaps / N)) / mean - 1)
                < 10 / sqrt(N));
    assert_in_range(bert, 7500 - 217, 7500 + 217);
    assert_in_range(large, 3750 - 243, 3750 + 243);
    double load = work / (double)a[N - 1].at_ns / 32;
    assert_true(fabs(load / 0.8 - 1) < 0.06);
    coming_close(&s);
}

/* What a job is does not depend on when it comes, or on how many there are. */
static void each_job_has_its_own_stream(void **state)
{
    struct coming s, t;
    coming_open(&s, "jobs: " TWO "\narrivals: {rate: 10, most: 50}\n");
    coming_open(&t, "jobs: " TWO "\narrivals: {kind: poisson, rate: 20, "
                    "most: 20}\n");
    for (uint32_t i = 0; i < 20; i++) {
        const struct orr_arrival *a = &s.c.arrivals.item[i];
        const struct orr_arrival *b = &t.c.arrivals.item[i];
        assert_int_equal(a->template, b->template);
        assert_int_equal(a->gpus, b->gpus);
        assert_string_equal(a->name, b->name);
        assert_true(llabs(a->at_ns - 2 * b->at_ns) <= i + 2);
    }
    coming_close(&s);
    coming_close(&t);
}

static void nothing_comes_after_until(void **state)
{
    struct coming s;
    coming_open(&s, "jobs: " TWO "\narrivals: {rate: 100, until: 10h}\n");
    assert_int_equal(s.c.until_ns, 10 * HOUR);
    assert_in_range(s.c.arrivals.n, 1000 - 160, 1000 + 160);
    assert_true(s.c.arrivals.item[s.c.arrivals.n - 1].at_ns <= 10 * HOUR);
    coming_close(&s);
}

/* Bursts are rarer, so that jobs come as often. */
static void bursts_come_together(void **state)
{
    struct coming s;
    uint32_t together = 0;
    coming_open(&s, "jobs: " TWO "\narrivals: {kind: dynamic, rate: 100, "
                    "burst: 5, until: 100h}\n");
    const struct orr_arrival *a = s.c.arrivals.item;
    assert_int_equal(s.c.arrivals.n % 5, 0);
    assert_in_range(s.c.arrivals.n, 10000 - 1120, 10000 + 1120);
    for (uint32_t i = 1; i < s.c.arrivals.n; i++)
        together += a[i].at_ns == a[i - 1].at_ns;
    assert_int_equal(together, s.c.arrivals.n / 5 * 4);
    coming_close(&s);
    coming_open(&s, "jobs: " TWO "\narrivals: {kind: dynamic, rate: 100, "
                    "burst: {uniform: {min: 1, max: 9}}, within: 1min, "
                    "until: 100h}\n");
    a = s.c.arrivals.item;
    for (uint32_t i = 1; i < s.c.arrivals.n; i++)
        assert_true(a[i].at_ns >= a[i - 1].at_ns && a[i].at_ns <= 100 * HOUR);
    coming_close(&s);
}

static const struct bad_row bad_rows[] = {
    {"3", "[]",
     "cluster.jobs: a list of what jobs are made of is "
     "expected: [{name, gpus, iterations, model, ...}]",
     2},
    {"[a]", "[]",
     "an entry of cluster.jobs is a map: {name, gpus, "
     "iterations, model, ...}",
     2},
    {"[{gpus: 1, iterations: 1}]", "[]", "cluster.jobs.name is missing", 2},
    {"[{name: a, gpus: 1, iterations: 1, ranks: 3}]", "[]",
     "a job of a cluster has no `ranks`: `gpus` says how many it has", 2},
    {"[{name: a, gpus: 1, iterations: 1, placement: random}]", "[]",
     "a job of a cluster has no `placement`: `cluster.placement` says "
     "which GPUs a job gets",
     2},
    {"[{name: a, gpus: 1, iterations: 1, start: 1s}]", "[]",
     "a job of a cluster has no `start`: `cluster.arrivals` says when "
     "it comes",
     2},
    {"[{name: a, gpus: 0, iterations: 1}]", "[]",
     "cluster.jobs.gpus: a number of GPUs, 1 or more, or a list of such "
     "is expected",
     2},
    {"[{name: a, gpus: [], iterations: 1}]", "[]",
     "cluster.jobs.gpus: the list is empty", 2},
    {"[{name: a, gpus: [8, 64], iterations: 1}]", "[]",
     "a job of 64 GPUs is larger than the cluster, which has 32", 2},
    {"[{name: a, gpus: 8}]", "[]",
     "a job has either `iterations` or `duration`", 2},
    {"[{name: a, gpus: 8, iterations: 1, duration: 1h}]", "[]",
     "a job has either `iterations` or `duration`", 2},
    {"[{name: a, gpus: 8, iterations: 1}, {name: a, gpus: 4, "
     "iterations: 1}]",
     "[]", "two entries of cluster.jobs are called \"a\"", 2},
    {"[{name: a, gpus: 8, iterations: 1, weight: 0}]", "[]",
     "cluster.jobs: all weights are 0", 2},
    {TWO, "later",
     "cluster.arrivals: {load: 80%, until: 24h}, a list, or {trace: {file, "
     "format}} is expected",
     3},
    {TWO, "[]", "cluster.arrivals: no job comes", 3},
    {TWO, "{kind: fast}", "cluster.arrivals: no kind \"fast\"", 3},
    {TWO, "{load: 0, until: 1h}", "cluster.arrivals: a load is above 0%", 3},
    {TWO, "{load: -10%, until: 1h}", "cluster.arrivals: a load is above 0%", 3},
    {TWO, "{load: 120%, until: 1h}",
     "cluster.arrivals: a load above "
     "100% never ends: jobs ask for more than there is",
     3},
    {TWO, "{load: much, until: 1h}",
     "cluster.arrivals: a load is a share like 80%", 3},
    {TWO, "{load: 80%}",
     "cluster.arrivals: either `until` or `most` is "
     "needed: jobs would come for ever",
     3},
    {TWO, "{until: 1h}", "cluster.arrivals: either `load` or `rate` is needed",
     3},
    {TWO, "{load: 80%, rate: 3, until: 1h}",
     "cluster.arrivals: either `load` or `rate` is needed", 3},
    {TWO, "{rate: 1e-9, until: 1s}", "cluster.arrivals: no job comes", 3},
    {TWO,
     "{kind: dynamic, rate: 1, burst: 1e18, within: 200y, "
     "until: 1d}",
     "cluster.arrivals.within: unknown unit: a time of a "
     "cluster takes ns us ms s min h d",
     3},
    {TWO,
     "{kind: dynamic, rate: 1e9, burst: 1e7, within: 90000d, "
     "until: 1h}",
     "cluster.arrivals: more than 4000000 jobs come", 3},
    {TWO, "[{template: bart, at: 0s}]",
     "no entry of cluster.jobs is called \"bart\"", 3},
    {TWO, "[{template: bert}]", "cluster.arrivals.jobs.at is missing", 3},
    {TWO, "[{template: bert, at: 3}]",
     "cluster.arrivals.jobs.at: a "
     "unit is missing: write a time like 30s or 24h",
     3},
    {TWO, "[{template: bert, at: 3s, gpus: 33}]",
     "a job of 33 GPUs is larger than the cluster, which has 32", 3},
    {TWO, "[{at: 3s, iterations: 1, duration: 1s}]",
     "a job has either `iterations` or `duration`", 3},
    {TWO, "[{at: 3s, hosts: [1, 2], gpus: 3}]", "2 hosts are listed for 3 GPUs",
     3},
    {TWO, "[{at: 3s, hosts: [1, 2, 1]}]", "host 1 is listed twice", 3},
    {TWO, "[{at: 3s, name: x}, {at: 5s, name: x}]", "two jobs are called \"x\"",
     3},
    {TWO, "{kind: list, jobs: 7}", "cluster.arrivals.jobs: a list is expected",
     3},
};

static void bad_ones_are_refused(void **state)
{
    coming_refused(bad_rows, COUNT(bad_rows), NULL);
}

static void overload_may_be_asked_for(void **state)
{
    struct coming s;
    coming_open(&s, "jobs: " TWO "\narrivals: {load: 1.2, overload: true, "
                    "most: 10}\n");
    assert_int_equal(s.c.arrivals.n, 10);
    coming_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_are_split_from_jobs),
        cmocka_unit_test(a_list_is_taken_as_it_is),
        cmocka_unit_test(poisson_is_of_its_load),
        cmocka_unit_test(each_job_has_its_own_stream),
        cmocka_unit_test(nothing_comes_after_until),
        cmocka_unit_test(bursts_come_together),
        cmocka_unit_test(bad_ones_are_refused),
        cmocka_unit_test(overload_may_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
