/* Who shares a cluster. */
#include "tests/workload/cluster/coming.h"

#include <math.h>

#include "workload/cluster/tenants.h"

static orr_err read_all(struct coming *s, const char *tenants, const char *jobs,
                        const char *arrivals, struct orr_report *why)
{
    char all[2048];
    snprintf(all, sizeof all,
             RACKS "tenants: %s\njobs: %s\narrivals: %s\nseed: 5\n", tenants,
             jobs, arrivals);
    world_open(&s->world, all);
    s->c = (struct orr_cluster){.world = &s->world,
                                .node = orr__config_root(s->world.config)};
    orr_err err = orr__inventory_init(&s->c.inventory, s->world.graph, 1, why);
    if (!err)
        err = orr__tenants_read(&s->c, world_node(&s->world, "tenants"), why);
    if (!err)
        err = orr__templates_read(&s->c, world_node(&s->world, "jobs"), why);
    if (!err)
        err = orr__arrivals_read(&s->c, world_node(&s->world, "arrivals"),
                                 coming_alone, NULL, why);
    return err;
}

#define ONE "[{name: x, gpus: 1, iterations: 9}]"
#define THREE                                                                  \
    "[{name: a, quota: 16}, {name: b, quota: 33.4%, borrow: false, weight: "   \
    "3}, {name: c, priority: -2, weight: 0}]"

static void quotas_are_numbers_or_shares(void **state)
{
    struct coming s;
    struct orr_report why = {0};
    assert_int_equal(read_all(&s, THREE, ONE, "[{at: 0s}]", &why), ORR_OK);
    const struct orr_tenant *t = s.c.tenant;
    assert_int_equal(s.c.tenants, 3);
    assert_int_equal(t[0].quota, 16);
    assert_int_equal(t[1].quota, 10);
    assert_int_equal(t[2].quota, ORR_NONE);
    assert_true(t[0].borrows && !t[1].borrows && t[0].reclaims);
    assert_int_equal(t[2].priority, -2);
    coming_close(&s);
}

/* By arrival, by template, or drawn by weight, within five standard errors. */
static void a_job_is_somebodys(void **state)
{
    struct coming s;
    struct orr_report why = {0};
    uint32_t n[3] = {0};
    assert_int_equal(
        read_all(
            &s, THREE,
            "[{name: x, gpus: 1, iterations: 9}, {name: y, tenant: c, gpus: "
            "1, iterations: 9, deadline: 30s}]",
            "[{at: 3s, template: y}, {at: 4s, template: y, tenant: a, "
            "deadline: 5s}, {at: 5s, template: x}]",
            &why),
        ORR_OK);
    const struct orr_arrival *a = s.c.arrivals.item;
    assert_int_equal(a[0].tenant, 2);
    assert_int_equal(a[0].deadline_ns, 33 * SEC);
    assert_int_equal(a[1].tenant, 0);
    assert_int_equal(a[1].deadline_ns, 9 * SEC);
    assert_int_equal(a[2].deadline_ns, INT64_MAX);
    coming_close(&s);
    assert_int_equal(read_all(&s, THREE, ONE, "{rate: 10, most: 4000}", &why),
                     ORR_OK);
    for (uint32_t i = 0; i < s.c.arrivals.n; i++)
        n[s.c.arrivals.item[i].tenant]++;
    assert_true(fabs(n[0] - 1000.0) < 5 * sqrt(750));
    assert_int_equal(n[0] + n[1], 4000);
    coming_close(&s);
}

/* Whose it is changes nothing else that is drawn. */
static void tenants_leave_jobs_as_they_are(void **state)
{
    static const char jobs[] = "[{name: x, gpus: [1, 2, 4], iterations: "
                               "{uniform: {min: 5, max: 500}}}]";
    struct coming s, other;
    struct orr_report why = {0};
    assert_int_equal(read_all(&s, "null", jobs, "{rate: 10, most: 50}", &why),
                     ORR_OK);
    assert_int_equal(
        read_all(&other, THREE, jobs, "{rate: 10, most: 50}", &why), ORR_OK);
    for (uint32_t i = 0; i < 50; i++) {
        const struct orr_arrival *a = &s.c.arrivals.item[i];
        const struct orr_arrival *b = &other.c.arrivals.item[i];
        assert_int_equal(a->at_ns, b->at_ns);
        assert_int_equal(a->gpus, b->gpus);
        assert_int_equal(a->iterations, b->iterations);
    }
    coming_close(&s);
    coming_close(&other);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        const char *tenants, *jobs, *arrivals, *message;
        int line;
    } row[] = {
        {"[{name: a, quota: 33}]", ONE, "[{at: 0s}]",
         "33 GPUs are more than the cluster has, which are 32", 2},
        {"[{name: a, quota: 20}, {name: b, quota: 40%}]", ONE, "[{at: 0s}]",
         "quotas up to here are 32", 0},
        {"[{name: a, quota: 20}, {name: b, quota: 41%}]", ONE, "[{at: 0s}]",
         "quotas up to here are 33 GPUs, the cluster has 32", 2},
        {"[{name: a, quota: 101%}]", ONE, "[{at: 0s}]", "a share like 25%", 2},
        {"[{name: a, quota: -1}]", ONE, "[{at: 0s}]", "a number of GPUs", 2},
        {"[{name: a}, {name: b}, {name: a}]", ONE, "[{at: 0s}]",
         "two tenants are called \"a\"", 2},
        {"[]", ONE, "[{at: 0s}]", "a list of {name, quota, ...}", 2},
        {"[{name: a, weight: 0}]", ONE, "[{at: 0s}]", "all weights are 0", 2},
        {"[{name: aaa}]", "[{name: x, tenant: aab, gpus: 1, iterations: 9}]",
         "[{at: 0s}]", "no tenant is called \"aab\"", 3},
        {"[{name: a}]", ONE, "[{at: 0s, tenant: b}]", "no tenant is called", 4},
        {"null", ONE, "[{at: 0s, tenant: b}]", "`cluster.tenants` says who", 4},
        {"[{name: a, quota: 3, borrow: false}]", ONE, "[{at: 0s, gpus: 4}]",
         "larger than the quota of a, which is 3", 4},
        {"[{name: a}]", ONE, "[{at: 0s, deadline: 0s}]", "must be above 0", 4},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct coming s;
        struct orr_report why = {0};
        orr_err err =
            read_all(&s, row[i].tenants, row[i].jobs, row[i].arrivals, &why);
        if (row[i].line == 0)
            assert_int_equal(err, ORR_OK);
        else if (err != ORR_ECONFIG || !strstr(why.message, row[i].message))
            fail_msg("row %zu: \"%s\"", i, why.message);
        assert_int_equal(why.line, row[i].line);
        coming_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotas_are_numbers_or_shares),
        cmocka_unit_test(a_job_is_somebodys),
        cmocka_unit_test(tenants_leave_jobs_as_they_are),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
