/* Paths in order: what is chosen, and that load is added up. */
#include "tests/workload/small_workload.h"

#include "workload/job/job.h"
#include "workload/schedule/path_choice.h"

/* Two leaves of two hosts, two spines: two paths for every pair across. */
static const char yaml[] =
    "topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, "
    "link: {rate: 10Gbps, delay: 1us}}\n"
    "jobs:\n"
    "- {ranks: 2, placement: [0, 2], program: &p [compute: 1ms, send: {to: +1, "
    "size: 1MB}, recv: {from: -1}]}\n"
    "- {ranks: 2, placement: [1, 3], program: *p}\n"
    "- {ranks: 2, placement: [0, 1], program: *p}\n";

static orr_experiment *load(void)
{
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true};
    orr_experiment *x;
    if (experiment_load(yaml, &o, &x, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return x;
}

static void list(const struct orr_world *w, uint32_t job,
                 struct orr_path_table *t)
{
    struct orr_outline o;
    assert_int_equal(orr__outline(w, &w->jobs[job], &o, NULL), ORR_OK);
    assert_int_equal(orr__path_choice_list(w, &w->jobs[job], &o, t, NULL),
                     ORR_OK);
    orr__outline_fini(&o);
}

static void pairs_have_the_ways_of_their_connections(void **state)
{
    orr_experiment *x = load();
    const struct orr_world *w = orr__experiment_world(x);
    struct orr_path_table t;
    uint32_t link[ORR_PATH_LINKS];
    list(w, 0, &t);
    assert_int_equal(t.n, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(t.path[i].src, i);
        assert_int_equal(t.path[i].dst, 1 - i);
        assert_int_equal(t.path[i].n, 4);
        assert_true(t.path[i].bytes >= 1000000);
        assert_int_equal(
            orr__own_path(w, &w->jobs[0], i, 1 - i, true, link, ORR_PATH_LINKS),
            4);
        assert_memory_equal(link, t.path[i].link, sizeof(uint32_t) * 4);
        assert_ptr_equal(orr__path_choice_find(&t, i, 1 - i), &t.path[i]);
    }
    assert_null(orr__path_choice_find(&t, 1, 1));
    orr__path_choice_fini(&t);
    orr_experiment_free(x);
}

static void the_second_job_takes_what_the_first_left(void **state)
{
    orr_experiment *x = load();
    const struct orr_world *w = orr__experiment_world(x);
    struct orr_path_table t[3];
    double *load = orr__alloc(w->graph->links, sizeof *load);
    for (uint32_t j = 0; j < 3; j++) {
        list(w, j, &t[j]);
        assert_int_equal(orr__path_choice_choose(w, &w->jobs[j],
                                                 INT64_C(2000000000), &t[j],
                                                 load, NULL),
                         ORR_OK);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(t[0].path[i].tried, 2);
        assert_int_equal(t[2].path[i].tried, 1); /* by the leaf alone */
        assert_int_equal(t[2].path[i].n, 2);
        for (uint32_t k = 1; k < 3; k++) /* from leaf to spine to leaf */
            assert_int_not_equal(t[0].path[i].link[k], t[1].path[i].link[k]);
    }
    /* 1 MB in 2 ms of 10 Gbps is 40 %; headers are on top */
    for (uint32_t l = 0; l < w->graph->links; l++)
        assert_true(load[l] < 0.9);
    assert_true(load[t[0].path[0].link[1]] >= 0.4);
    for (uint32_t j = 0; j < 3; j++)
        orr__path_choice_fini(&t[j]);
    orr__free(load);
    orr_experiment_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_the_ways_of_their_connections),
        cmocka_unit_test(the_second_job_takes_what_the_first_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
