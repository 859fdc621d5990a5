/* Gates of jobs that run are put up, changed and taken away. */
#include "tests/workload/small_workload.h"

#include "cluster/shared_network.h"
#include "core/units.h"
#include "experiment/experiment.h"
#include "workload/job/job.h"

/* Two ranks compute for 10 us and send 10,000 bytes to one another: an
 * iteration takes as long as the first, of which 10 us are before the gate. */
#define NET                                                                    \
    "topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts: 4, "            \
    "link: {rate: 100Gbps, delay: 1us}}\n"                                     \
    "network: {cc: dctcp}\nrecord: none\n"
#define JOB                                                                    \
    "ranks: 2, iterations: 100, placement: [0, 2], "                           \
    "program: [{compute: 10us}, {all-to-all: {size: 20000B}}]"
#define COMPUTE (10 * ORR_US)

static struct orr_shared_network *open_shared_network(unsigned threads)
{
    const struct orr_options o = {.threads = threads};
    struct orr_report why = {0};
    struct orr_shared_network *l = NULL;
    if (orr__shared_network_open("live", NET, &o, 4, &l, &why) != ORR_OK)
        fail_msg("%s", why.message);
    if (orr__shared_network_add(l, "{" JOB "}", 0, 0, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return l;
}

static void run_to(struct orr_shared_network *l, int64_t until_ps)
{
    struct orr_report why = {0};
    int64_t now;
    if (orr__shared_network_run(l, until_ps, &now, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

/* From the next iteration on, or the first, the job has this gate: "" none. */
static void steer(struct orr_shared_network *l, const char *gate, bool fresh)
{
    const struct orr_open_options how = {.later = {.expected = true}};
    const struct orr_options o = {.no_output = true};
    struct orr_report why = {0};
    orr_experiment *x = NULL;
    char text[1000];
    snprintf(text, sizeof text, "%sjobs:\n- {%s%s}\n", NET, JOB, gate);
    orr_err err = orr__experiment_open("planned", text, &o, &how, &x, &why);
    if (!err)
        err = orr__shared_network_steer(
            l, 0, &orr__experiment_world(x)->jobs[0], 0, fresh, &why);
    if (err)
        fail_msg("%s", why.message);
    orr_experiment_free(x);
}

static int64_t end_of(const struct orr_shared_network *l, uint32_t iteration)
{
    int64_t end = orr__shared_network_end_of(l, 0, iteration);
    assert_true(end > 0);
    return end;
}

static int64_t length_of(const struct orr_shared_network *l, uint32_t iteration)
{
    return end_of(l, iteration) - end_of(l, iteration - 1);
}

/* Iterations from..to end as long after the gate opens as messages take. */
static void assert_held(const struct orr_shared_network *l, uint32_t from,
                        uint32_t to, int64_t period, int64_t offset,
                        int64_t rest)
{
    for (uint32_t i = from; i <= to; i++) {
        int64_t since = end_of(l, i) - rest - offset;
        if (since % period != 0)
            fail_msg("iteration %u goes %lld ps after its gate opens", i,
                     (long long)(since % period));
    }
    for (uint32_t i = from + 1; i <= to; i++)
        assert_int_equal(length_of(l, i), period);
}

static void gates_come_change_and_go(void **state)
{
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct orr_shared_network *l = open_shared_network(threads);
        run_to(l, 200 * ORR_US);
        uint32_t done;
        int64_t last;
        assert_true(orr__shared_network_progress(l, 0, &done, &last));
        assert_in_range(done, 5, 20);
        int64_t alone = end_of(l, 0), rest = alone - COMPUTE;
        steer(l, ", gate: {period: 50us, offset: 3us, drift: none}", false);
        run_to(l, 1000 * ORR_US);
        /* the one under way, and perhaps the next, is as it was */
        uint32_t first = done + 2, second;
        assert_int_equal(length_of(l, 1), alone);
        assert_int_equal(length_of(l, done), alone);
        assert_true(orr__shared_network_progress(l, 0, &second, &last));
        assert_held(l, first, second - 1, 50 * ORR_US, 3 * ORR_US, rest);
        steer(l,
              ", gate: {period: 70us, offset: 11us, "
              "drift: {most: 1 per 1ms}}",
              false);
        run_to(l, 2000 * ORR_US);
        uint32_t third;
        assert_true(orr__shared_network_progress(l, 0, &third, &last));
        assert_true(third > second + 5);
        assert_held(l, second + 2, third - 1, 70 * ORR_US, 11 * ORR_US, rest);
        steer(l, "", false);
        run_to(l, 2500 * ORR_US);
        uint32_t fourth;
        assert_true(orr__shared_network_progress(l, 0, &fourth, &last));
        for (uint32_t i = third + 2; i < fourth; i++)
            assert_int_equal(length_of(l, i), alone);
        assert_true(fourth > third + 5);
        orr__shared_network_free(l);
    }
}

static void from_the_first_iteration_on(void **state)
{
    struct orr_shared_network *l = open_shared_network(1);
    steer(l, ", gate: {period: 40us, offset: 25us, drift: none}", true);
    run_to(l, 500 * ORR_US);
    int64_t rest = end_of(l, 0) - 25 * ORR_US;
    assert_true(rest > 0 && rest < 40 * ORR_US);
    assert_held(l, 0, 9, 40 * ORR_US, 25 * ORR_US, rest);
    orr__shared_network_free(l);
}

/* A gate that is always open leaves connections as they were; one that is said
 * again is no other. */
static void connections_go_on(void **state)
{
    uint64_t fingerprint[3];
    for (int i = 0; i < 3; i++) {
        struct orr_shared_network *l = open_shared_network(1);
        run_to(l, 200 * ORR_US);
        for (int k = 0; k < i; k++)
            steer(l, ", gate: {period: 1ps, drift: none}", false);
        run_to(l, ORR_NEVER);
        assert_true(orr__shared_network_ended(l, 0));
        fingerprint[i] = orr__shared_network_fingerprint(l);
        orr__shared_network_free(l);
    }
    assert_true(fingerprint[0] == fingerprint[1]);
    assert_true(fingerprint[0] == fingerprint[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gates_come_change_and_go),
        cmocka_unit_test(from_the_first_iteration_on),
        cmocka_unit_test(connections_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
