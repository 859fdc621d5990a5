/* Demands from programs, without packets. */
#include "tests/workload/small_workload.h"

#include <math.h>

#include "core/units.h"
#include "workload/job/job.h"
#include "workload/schedule/demand.h"

#define STAR                                                                   \
    "topology: {kind: switch, hosts: 4, link: {rate: 8Gbps, delay: 1us}}\n"    \
    "network: {mtu: 1000B, header: 0B, ack: 1B, transport: reliable}\n"

static orr_experiment *load_on(const char *network, const char *jobs)
{
    char yaml[2048];
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true};
    orr_experiment *x;
    snprintf(yaml, sizeof yaml, "%s%s", network, jobs);
    if (experiment_load(yaml, &o, &x, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return x;
}

static orr_experiment *load(const char *jobs)
{
    return load_on(STAR, jobs);
}

static void profile_of(orr_experiment *x, uint32_t job, struct orr_profile *p)
{
    const struct orr_world *w = orr__experiment_world(x);
    struct orr_outline o;
    struct orr_report why = {0};
    orr_err err = orr__outline(w, &w->jobs[job], &o, &why);
    if (!err)
        err = orr__demand_own(w, &w->jobs[job], &o, p, &why);
    if (err)
        fail_msg("%s", why.message);
    orr__outline_fini(&o);
}

static void near(double a, double b, double share)
{
    if (fabs(a - b) > share * fabs(b))
        fail_msg("%.12g is not %.12g", a, b);
}

/* 10 ms of computation, 1 MB to the other one: 1 ms. */
static void a_send_is_one_phase(void **state)
{
    orr_experiment *x =
        load("jobs: [{name: a, ranks: 2, program: [compute: 10ms, parallel: "
             "[send: {to: +1, size: 1MB}, recv: {from: +1}]]}]\n");
    struct orr_profile p;
    profile_of(x, 0, &p);
    near((double)p.iteration_ps, 11e9, 1e-3);
    assert_true(p.compute_ps == 10 * ORR_MS);
    assert_int_equal(p.n, 4); /* up and down of two hosts */
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(p.link[i].n, 1);
        near((double)p.link[i].phase[0].at_ps, 10e9, 1e-3);
        near((double)p.link[i].phase[0].for_ps, 1e9, 1e-3);
        near((double)p.link[i].phase[0].rate_bps, 8e9, 3e-3);
        near((double)orr__demand_bytes(&p.link[i]), 1e6, 3e-3);
    }
    uint32_t link;
    near((double)orr__profile_longest(&p, orr__experiment_world(x)->graph,
                                      &link),
         1e9, 3e-3);
    near((double)orr__profile_first(&p), 10e9, 1e-3);
    orr__profile_fini(&p);
    orr_experiment_free(x);
}

/* What a run of the same takes; overhead: headers and ACKs, for each byte. */
static void agrees_on(const char *network, const char *jobs, double overhead,
                      double share)
{
    orr_experiment *x = load_on(network, jobs);
    struct orr_profile p;
    struct orr_report why = {0};
    profile_of(x, 0, &p);
    if (orr_experiment_run(x, &why) != ORR_OK)
        fail_msg("%s", why.message);
    const struct orr_job *j = &orr__experiment_world(x)->jobs[0];
    const struct orr_iteration *last = &j->iteration[j->iterations - 1];
    near((double)p.iteration_ps, (double)(last->end_ps - last[-1].end_ps),
         share);
    uint64_t sent = 0, told = 0;
    for (uint32_t i = 0; i < p.n; i++) /* links of hosts and of the switch */
        told += orr__demand_bytes(&p.link[i]);
    sent = j->bytes_sent / j->iterations;
    near((double)told, 2 * (double)sent * (1 + overhead), 3e-3);
    orr__profile_fini(&p);
    orr_experiment_free(x);
}

static void agrees(const char *jobs, double share)
{
    agrees_on(STAR, jobs, 0, share);
}

/* Messages of a ring's chain share their links with the ACKs of the way back,
 * 1.6 % here. */
static void acks_make_chains_longer(void **state)
{
    agrees_on("topology: {kind: switch, hosts: 4, link: {rate: 50Gbps, "
              "delay: 3us}}\n"
              "network: {mtu: 4096B, header: 64B, ack: 64B}\n",
              "jobs: [{ranks: 4, iterations: 4, program: [compute: 10us, "
              "all-reduce: {size: 8MB}]}]\n",
              128.0 / 4096, 4e-3);
}

static void iterations_take_what_they_take_in_a_run(void **state)
{
    agrees("jobs: [{ranks: 4, iterations: 3, program: [compute: 1ms, "
           "all-reduce: {size: 4MB}]}]\n",
           2e-3);
    agrees("jobs: [{ranks: 4, iterations: 3, program: [compute: 1ms, "
           "all-to-all: {size: 4MB}]}]\n",
           2e-2);
    agrees("jobs: [{ranks: 3, iterations: 3, program: [{id: a, compute: 1ms}, "
           "{id: b, after: [a], all-reduce: {size: 1MB}}, {id: c, after: [a], "
           "compute: 2ms}, {id: d, after: [b, c], all-gather: {size: 1MB}}]"
           "}]\n",
           5e-3);
    agrees("jobs: [{ranks: 2, iterations: 3, complete: acked, program: "
           "[compute: 1ms, parallel: [send: {to: +1, size: 2MB}, "
           "recv: {from: +1}]]}]\n",
           5e-3);
}

static struct orr_swing swing_of(const char *jobs, uint32_t job)
{
    orr_experiment *x = load(jobs);
    const struct orr_world *w = orr__experiment_world(x);
    struct orr_outline o;
    struct orr_swing s;
    assert_int_equal(orr__outline(w, &w->jobs[job], &o, NULL), ORR_OK);
    assert_int_equal(orr__outline_swing(w, &w->jobs[job], &o, &s, NULL),
                     ORR_OK);
    orr__outline_fini(&o);
    orr_experiment_free(x);
    return s;
}

/* Of two that wait for each other the slower one counts: 0.564 deviations above
 * the mean, with 0.826 of a deviation. The draws are the same for the second
 * job. One rank alone is as its jitter says. */
static void jitter_makes_iterations_vary(void **state)
{
    const char *pair =
        "jobs: [{ranks: 2, jitter: {kind: normal, spread: 0.1}, program: &p "
        "[compute: 10ms, parallel: [send: {to: +1, size: 1MB}, "
        "recv: {from: +1}]]}, "
        "{ranks: 2, jitter: {kind: normal, spread: 0.1}, program: *p}]\n";
    struct orr_swing s = swing_of(pair, 0), t = swing_of(pair, 1);
    near(s.longer_ps, 0.564e9, 0.35);
    near(s.deviation_ps, 0.826e9, 0.25);
    near(t.longer_ps, s.longer_ps, 0);
    near(t.deviation_ps, s.deviation_ps, 0);
    s = swing_of("jobs: [{ranks: 1, jitter: {kind: exponential, spread: 1ms}, "
                 "program: [compute: 10ms]}]\n",
                 0);
    near(s.longer_ps, 1e9, 0.35);
    near(s.deviation_ps, 1e9, 0.35);
    s = swing_of("jobs: [{ranks: 1, program: [compute: 10ms]}]\n", 0);
    assert_true(s.longer_ps == 0 && s.deviation_ps == 0);
}

static void overlapping_phases_add_up(void **state)
{
    orr_experiment *x =
        load("jobs: [{ranks: 2, program: [compute: 1ms, "
             "parallel: [{send: {to: +1, size: 1MB, tag: 1}}, "
             "{recv: {from: +1, tag: 1}}, {send: {to: +1, size: 2MB, tag: 2}}, "
             "{recv: {from: +1, tag: 2}}]]}]\n");
    struct orr_profile p;
    profile_of(x, 0, &p);
    near((double)p.iteration_ps, 4e9, 5e-3);
    for (uint32_t i = 0; i < p.n; i++)
        near((double)orr__demand_bytes(&p.link[i]), 3e6, 3e-3);
    orr__profile_fini(&p);
    orr_experiment_free(x);
}

/* Sends of 0 bytes around a ring: only their ACKs of 1 B are carried, each on
 * the two links of its way back; a link has those of one message. */
static void empty_messages_ask_for_their_acks(void **state)
{
    orr_experiment *x =
        load("jobs: [{name: a, ranks: 4, iterations: 3, program: "
             "[send: {to: +3, size: 0B}, recv: {from: -3}]}]\n");
    struct orr_profile p;
    profile_of(x, 0, &p);
    assert_int_equal(p.n, 8);
    for (uint32_t i = 0; i < p.n; i++)
        assert_int_equal(orr__demand_bytes(&p.link[i]), 1);
    assert_true(p.iteration_ps < 10 * ORR_US);
    orr__profile_fini(&p);
    orr_experiment_free(x);
}

static void a_job_without_communication_asks_for_nothing(void **state)
{
    orr_experiment *x = load("jobs: [{ranks: 2, program: [compute: 10ms]}]\n");
    struct orr_profile p;
    uint32_t link;
    profile_of(x, 0, &p);
    assert_int_equal(p.n, 0);
    assert_true(p.iteration_ps == 10 * ORR_MS);
    assert_true(orr__profile_longest(&p, orr__experiment_world(x)->graph, &link)
                == 0);
    orr__profile_fini(&p);
    orr_experiment_free(x);
}

static void memory_may_run_out(void **state)
{
    orr_experiment *x =
        load("jobs: [{ranks: 4, jitter: {kind: uniform, spread: 0.1}, program: "
             "[compute: 1ms, all-reduce: {size: 4MB}, parallel: "
             "[send: {to: +1, size: 1MB}, recv: {from: -1}]]}]\n");
    const struct orr_world *w = orr__experiment_world(x);
    orr_err err = ORR_ENOMEM;
    for (uint64_t n = 1; err; n++) {
        struct orr_outline o;
        struct orr_profile p;
        struct orr_swing s;
        orr__memory_fail_after(n, 0);
        err = orr__outline(w, &w->jobs[0], &o, NULL);
        if (!err)
            err = orr__outline_swing(w, &w->jobs[0], &o, &s, NULL);
        if (!err)
            err = orr__demand_own(w, &w->jobs[0], &o, &p, NULL);
        orr__memory_fail_after(0, 0);
        assert_true(!err || err == ORR_ENOMEM);
        orr__outline_fini(&o);
        if (!err)
            orr__profile_fini(&p);
    }
    orr_experiment_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_send_is_one_phase),
        cmocka_unit_test(iterations_take_what_they_take_in_a_run),
        cmocka_unit_test(acks_make_chains_longer),
        cmocka_unit_test(jitter_makes_iterations_vary),
        cmocka_unit_test(overlapping_phases_add_up),
        cmocka_unit_test(empty_messages_ask_for_their_acks),
        cmocka_unit_test(a_job_without_communication_asks_for_nothing),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
