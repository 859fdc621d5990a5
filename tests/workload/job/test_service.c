/* What a job or a flow has of its own: control, class, weight. */
#include "tests/workload/small_workload.h"

#include "core/units.h"
#include "workload/job/job.h"

/* Two flows from different hosts to different hosts of a switch. */
static void test_flow_with_its_own_control(void **state)
{
    orr_experiment *x =
        experiment_run(SWITCH "flows:\n"
                              "  - {src: 0, dst: 1, size: 1MB}\n"
                              "  - {src: 2, dst: 3, size: 1MB,"
                              " cc: {kind: fixed-rate, rate: 1Gbps}}\n",
                       1);
    const struct orr_flows *f = orr__experiment_world(x)->flows;
    int64_t own = f->flow[1].finish_ps, other = f->flow[0].finish_ps;
    /* 1 MB at 8 Gbps and at 1 Gbps, and well under 20 us of travel */
    assert_true(other > 1000 * ORR_US && other < 1020 * ORR_US);
    assert_true(own > 7960 * ORR_US && own < 8020 * ORR_US);
    assert_null(f->flow[0].service);
    assert_non_null(f->flow[1].service);
    orr_experiment_free(x);
}

static void test_keys_reach_every_kind_of_entry(void **state)
{
    char path[] = "/tmp/orrery-test-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "0 1 1000\n2 3 1000\n", 18), 18);
    close(fd);
    char yaml[600];
    snprintf(yaml, sizeof yaml,
             SWITCH
             "flows:\n"
             "  - {generate: permutation, size: 1KB, class: 3}\n"
             "  - {generate: incast, dst: 0, size: 1KB, weight: 2.5}\n"
             "  - {generate: poisson, interval: 1us, count: 3, size: 1KB,"
             " cc: reno}\n"
             "  - {file: %s, cc: dctcp, class: 7}\n"
             "  - {src: 0, dst: 1, size: 1KB, class: 0, weight: 1}\n",
             path);
    orr_experiment *x = experiment_run(yaml, 1);
    const struct orr_flows *f = orr__experiment_world(x)->flows;
    assert_int_equal(f->count, 4 + 3 + 3 + 2 + 1);
    for (uint32_t i = 0; i < f->count; i++) {
        const struct orr_net_service *s = f->flow[i].service;
        if (i == 12) {
            assert_null(s); /* the defaults are the network's */
            continue;
        }
        assert_int_equal(s->class, i < 4 ? 3 : i < 10 ? 0 : 7);
        assert_true(s->weight == (i >= 4 && i < 7 ? 2.5 : 1));
        assert_non_null(s->cc);
    }
    assert_ptr_equal(f->flow[0].service, f->flow[3].service);
    assert_ptr_not_equal(f->flow[7].service->cc, f->flow[10].service->cc);
    orr_experiment_free(x);
    unlink(path);
}

#define PAIR_OF_JOBS(more)                                                     \
    SWITCH "jobs:\n"                                                           \
           "  - {name: a, ranks: 2, placement: [0, 1], program:"               \
           " [{send: {to: 1, size: 1MB}, ranks: [0]},"                         \
           " {recv: {from: 0}, ranks: [1]}]}\n"                                \
           "  - {name: b, ranks: 2, placement: [2, 3], " more " program:"      \
           " [{send: {to: 1, size: 1MB}, ranks: [0]},"                         \
           " {recv: {from: 0}, ranks: [1]}]}\n"

static void test_job_with_its_own_control(void **state)
{
    orr_experiment *x =
        experiment_run(PAIR_OF_JOBS("cc: {kind: fixed-rate, rate: 2Gbps},"), 1);
    const struct orr_world *w = orr__experiment_world(x);
    assert_true(w->jobs[0].finish_ps < 1020 * ORR_US);
    assert_true(w->jobs[1].finish_ps > 3960 * ORR_US);
    assert_true(w->jobs[1].finish_ps < 4020 * ORR_US);
    orr_experiment_free(x);
}

static uint64_t fingerprint_of(const char *yaml)
{
    orr_experiment *x = experiment_run(yaml, 1);
    uint64_t f = orr_experiment_fingerprint(x);
    orr_experiment_free(x);
    return f;
}

static void test_defaults_change_nothing(void **state)
{
    uint64_t plain = fingerprint_of(PAIR_OF_JOBS(""));
    assert_int_equal(plain,
                     fingerprint_of(PAIR_OF_JOBS("class: 0, weight: 1,")));
    assert_int_equal(plain, fingerprint_of(PAIR_OF_JOBS("cc: none,")));
}

static void refused(const char *more, const char *message)
{
    char yaml[400];
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true};
    orr_experiment *x = NULL;
    snprintf(yaml, sizeof yaml,
             SWITCH "flows: [{src: 0, dst: 1, size: 1KB},"
                    " {src: 0, dst: 1, size: 1KB, %s}]\n",
             more);
    assert_int_equal(experiment_load(yaml, &o, &x, &why), ORR_ECONFIG);
    if (!strstr(why.message, message))
        fail_msg("%s, not %s", why.message, message);
}

static void test_bad_services_are_refused(void **state)
{
    refused("cc: renoo", "flows[1].cc: no kind \"renoo\"");
    refused("cc: [reno]", "flows[1].cc: a name is expected");
    refused("cc: {kind: dctcp, gg: 1}", "unknown key \"gg\" in flows[1].cc");
    refused("class: 8", "class");
    refused("class: -1", "class");
    refused("weight: 0", "weight");
    refused("weight: -1", "weight");
    refused("weight: heavy", "weight");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow_with_its_own_control),
        cmocka_unit_test(test_keys_reach_every_kind_of_entry),
        cmocka_unit_test(test_job_with_its_own_control),
        cmocka_unit_test(test_defaults_change_nothing),
        cmocka_unit_test(test_bad_services_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
