/* Kinds of GPU, and how fast jobs are on them. */
#include "tests/workload/cluster/coming.h"

#include <math.h>

#include "workload/cluster/gpu_kinds.h"
#include "workload/cluster/queue/expect.h"

/* 8 servers of 4 GPUs */
#define GROUPS(list)                                                           \
    "topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 2, "   \
    "link: {rate: 100Gbps, delay: 1us}, "                                      \
    "servers: {gpus: 4, link: {rate: 900Gbps, delay: 300ns}, groups: " list    \
    "}}\n"
#define TWO                                                                    \
    "[{count: 3, gpu: a100}, {count: 4, gpu: h100}, {count: 1, gpu: a100}]"

static orr_err read_all(struct coming *s, const char *groups, const char *jobs,
                        const char *arrivals, struct orr_report *why)
{
    char all[2048];
    snprintf(all, sizeof all, "%sjobs: %s\narrivals: %s\n", groups, jobs,
             arrivals);
    world_open(&s->world, all);
    s->c = (struct orr_cluster){.world = &s->world,
                                .node = orr__config_root(s->world.config)};
    orr_err err = orr__inventory_init(&s->c.inventory, s->world.graph, 1, why);
    if (!err)
        err = orr__gpu_kinds_read(&s->c.inventory, s->world.config, why);
    if (!err)
        err = orr__templates_read(&s->c, world_node(&s->world, "jobs"), why);
    if (!err)
        err = orr__arrivals_read(&s->c, world_node(&s->world, "arrivals"),
                                 coming_alone, NULL, why);
    return err;
}

#define JOBS                                                                   \
    "[{name: a, gpus: 4, iterations: 9, throughput: {a100: {1: 1, 2: 1.5, 8: " \
    "4.5}, h100: 3}}, {name: b, gpus: 4, iterations: 9, program: [{compute: "  \
    "1s}], throughput: {h100: 4, a100: {2: 2, 4: 0}}}]"

static void servers_have_kinds_in_order(void **state)
{
    struct coming s;
    struct orr_report why = {0};
    assert_int_equal(read_all(&s, GROUPS(TWO), JOBS, "[{at: 0s}]", &why),
                     ORR_OK);
    const struct orr_inventory *v = &s.c.inventory;
    assert_int_equal(v->n_kinds, 2);
    assert_string_equal(v->kinds[1], "h100");
    assert_int_equal(orr__kind_gpus(v, 0), 16);
    for (uint32_t g = 0; g < 32; g++)
        assert_int_equal(orr__gpu_kind(v, g), g >= 12 && g < 28);
    coming_close(&s);
}

static void throughput_goes_by_kind_and_number(void **state)
{
    struct coming s;
    struct orr_report why = {0};
    assert_int_equal(read_all(&s, GROUPS(TWO), JOBS, "[{at: 0s}]", &why),
                     ORR_OK);
    const struct orr_template *a = &s.c.template[0], *b = &s.c.template[1];
    static const struct {
        uint32_t gpus;
        double rate;
    } row[] = {{1, 1}, {2, 1.5}, {4, 2.5}, {8, 4.5}, {16, 9}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_true(fabs(orr__throughput(a, 0, row[i].gpus) - row[i].rate)
                    < 1e-12);
    assert_true(orr__throughput(a, 1, 5) == 3);
    uint32_t kind[2];
    assert_int_equal(orr__kinds_of(&s.c, a, 8, kind), 2);
    assert_int_equal(kind[0], 0);
    assert_int_equal(orr__kinds_of(&s.c, a, 2, kind), 2);
    assert_int_equal(kind[0], 1);
    assert_int_equal(orr__kinds_of(&s.c, b, 4, kind), 1);
    assert_int_equal(kind[0], 1);
    assert_int_equal(orr__fastest_kind(&s.c, a, 8), 0);
    /* a has no program: its iterations are what throughput says */
    assert_true(fabs(orr__bare_iteration(a, 0, 4) - 4e8) < 1e-6);
    assert_true(orr__bare_iteration(b, 1, 4) == 0);
    /* b's is for h100, which it names first */
    assert_true(orr__compute_scale(&s.c, b, 1, 2) == 1);
    assert_true(orr__compute_scale(&s.c, b, 0, 2) == 2);
    assert_true(orr__compute_scale(&s.c, a, 0, 2) == 1);
    coming_close(&s);
}

static void room_is_of_one_kind(void **state)
{
    struct coming s;
    struct orr_report why = {0};
    struct orr_cluster_job j = {.is = {.gpus = 16}};
    assert_int_equal(read_all(&s, GROUPS(TWO), JOBS, "[{at: 0s}]", &why),
                     ORR_OK);
    struct orr_inventory *v = &s.c.inventory;
    assert_true(orr__could_have_room(&s.c, &j));
    j.is.gpus = 17;
    assert_false(orr__could_have_room(&s.c, &j));
    j.is.gpus = 16;
    v->out[0] = true;
    assert_true(orr__could_have_room(&s.c, &j));
    v->out[12] = true;
    assert_false(orr__could_have_room(&s.c, &j));
    v->taken[1] = 1;
    assert_int_equal(orr__kind_free(v, 0), 14);
    v->only = 2;
    assert_false(orr__gpu_free(v, 2));
    assert_true(orr__gpu_free(v, 13));
    coming_close(&s);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        const char *groups, *jobs, *arrivals, *message;
        int line;
    } row[] = {
        {GROUPS("[{count: 9, gpu: a}]"), JOBS, "[{at: 0s}]",
         "there are 8 servers, and groups up to here have 9", 1},
        {GROUPS("[{count: 7, gpu: a}]"), JOBS, "[{at: 0s}]",
         "groups have 7 servers, of which there are 8", 1},
        {GROUPS("7"), JOBS, "[{at: 0s}]", "a list of {count, gpu}", 1},
        {GROUPS(TWO), "[{name: a, gpus: 1, iterations: 9, program: []}]",
         "[{at: 0s}]", "\"a\" has no throughput on a100", 2},
        {GROUPS(TWO),
         "[{name: a, gpus: 1, iterations: 9, throughput: {a100: 1}}]",
         "[{at: 0s}]", "\"a\" has no throughput on h100", 2},
        {GROUPS(TWO),
         "[{name: a, gpus: 1, iterations: 9, throughput: {v100: 1}}]",
         "[{at: 0s}]", "no GPU is of a kind \"v100\"", 2},
        {RACKS, "[{name: a, gpus: 1, iterations: 9, throughput: {v100: 1}}]",
         "[{at: 0s}]", "`servers.groups` says", 2},
        {GROUPS(TWO),
         "[{name: a, gpus: 1, iterations: 9, throughput: {a100: 0, h100: 0}}]",
         "[{at: 0s}]", "runs on no kind of GPU", 2},
        {GROUPS(TWO),
         "[{name: a, gpus: 1, iterations: 9, throughput: {a100: {2: 1, 1: "
         "3}}}]",
         "[{at: 0s}]", "each above the one before", 2},
        {GROUPS(TWO),
         "[{name: a, gpus: {min: 1, max: 4}, iterations: 9, throughput: "
         "{a100: 1, h100: 2}}]",
         "[{at: 0s}]", "changes its size", 2},
        {GROUPS(TWO), JOBS, "[{at: 0s, gpus: 17, template: a}]",
         "there are not 17 GPUs of one kind", 3},
        {GROUPS(TWO), JOBS, "[{at: 0s, hosts: [11, 12], template: a}]",
         "GPUs of one kind", 3},
        {GROUPS(TWO), JOBS, "[{at: 0s, hosts: [0, 1, 2, 3], template: b}]",
         "on which it runs", 3},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct coming s;
        struct orr_report why = {0};
        orr_err err =
            read_all(&s, row[i].groups, row[i].jobs, row[i].arrivals, &why);
        if (err != ORR_ECONFIG || !strstr(why.message, row[i].message))
            fail_msg("row %zu: \"%s\"", i, why.message);
        assert_int_equal(why.line, row[i].line);
        coming_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_have_kinds_in_order),
        cmocka_unit_test(throughput_goes_by_kind_and_number),
        cmocka_unit_test(room_is_of_one_kind),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
