/* Flows that arrive at random by groups, with answers, or with pauses. */
#include "tests/workload/small_workload.h"

#include "core/units.h"
#include "workload/flow/build.h"
#include "workload/flow/trigger.h"

/* A world with these flows; whatever is wrong fails the test. */
static void opened(struct orr_world *w, const char *text)
{
    struct orr_report why = {0};
    char yaml[1024];
    snprintf(yaml, sizeof yaml, FAT_TREE "flows: %s\n", text);
    world_open(w, yaml);
    if (orr__flows_read(w, world_node(w, "flows"), &why) != ORR_OK)
        fail_msg("%s: %s", text, why.message);
}

/* Each time five different hosts to another one at once; so many that they are
 * a fiftieth of what 16 hosts can send: 5 * 50 KB in 12.5 us of all, so one in
 * 62.5 us. */
static void incasts_arrive(void **state)
{
    struct orr_world w;
    opened(&w, "[{generate: incasts, fan_in: 5, size: 50KB, load: 0.02, "
               "count: 4000}]");
    const struct orr_flow *f = w.flows->flow;
    uint32_t got[16] = {0};
    assert_int_equal(w.flows->count, 20000);
    for (uint32_t i = 0; i < 20000; i++) {
        assert_int_equal(f[i].dst, f[i / 5 * 5].dst);
        assert_int_equal(f[i].start_ps, f[i / 5 * 5].start_ps);
        assert_true(f[i].src != f[i].dst);
        for (uint32_t k = i / 5 * 5; k < i; k++)
            assert_true(f[k].src != f[i].src);
        got[f[i].dst]++;
    }
    double all = 0;
    for (uint32_t h = 0; h < w.graph->hosts; h++)
        all +=
            (double)w.graph->rate_bps[w.graph->out_link[w.graph->out_off[h]]];
    double mean = 8e12 * 5 * 50000 / (0.02 * all);
    assert_in_range((uint64_t)((double)f[19999].start_ps / mean), 3750, 4250);
    for (int h = 0; h < 16; h++)
        assert_in_range(got[h], 5 * 180, 5 * 330); /* 250, sigma 15 */
    world_close(&w);
}

/* Three hosts each send to two others; a receiver of incasts may be named. */
static void coflows_are_complete(void **state)
{
    struct orr_world w;
    opened(&w, "[{generate: coflows, fan_in: 3, fan_out: 2, size: 1KB, "
               "interval: 1us, count: 50, hosts: 6},"
               " {generate: incasts, fan_in: 2, size: 1KB, interval: 1us, "
               "count: 9, hosts: [4, 2, 9], dst: 2}]");
    const struct orr_flow *f = w.flows->flow;
    assert_int_equal(w.flows->count, 50 * 6 + 9 * 2);
    for (uint32_t i = 0; i < 50; i++, f += 6) {
        uint32_t all = 0;
        for (uint32_t k = 0; k < 6; k++) {
            all |= 1u << f[k].src | 1u << f[k].dst;
            assert_int_equal(f[k].src, f[k / 2 * 2].src);
            assert_int_equal(f[k].dst, f[k % 2].dst);
            assert_int_equal(f[k].start_ps, f[0].start_ps);
        }
        assert_int_equal(__builtin_popcount(all), 5);
        assert_true(all < 1 << 6);
    }
    for (uint32_t i = 0; i < 18; i++) {
        assert_int_equal(f[i].dst, 2);
        assert_true(f[i].src == 4 || f[i].src == 9);
    }
    world_close(&w);
}

/* An answer goes back, and waits for its request. */
static void requests_are_answered(void **state)
{
    struct orr_world w;
    opened(&w, "[{src: 1, dst: 2, size: 1B},"
               " {generate: requests, size: 5KB, request: 70B, dst: 3, "
               "interval: 1us, count: 20}]");
    const struct orr_flow *f = w.flows->flow + 1;
    assert_int_equal(w.flows->count, 41);
    for (uint32_t i = 0; i < 40; i += 2) {
        assert_int_equal(f[i].bytes, 70);
        assert_int_equal(f[i].dst, 3);
        assert_int_equal(f[i + 1].bytes, 5000);
        assert_int_equal(f[i + 1].start_ps, -1);
        assert_int_equal(f[i + 1].src, 3);
        assert_int_equal(f[i + 1].dst, f[i].src);
        assert_false(orr__triggers_wait(orr__flows_triggers(&w), 1 + i));
        assert_true(orr__triggers_wait(orr__flows_triggers(&w), 2 + i));
    }
    world_close(&w);
}

/* On for a fifth of the time, a flow in 2 us then: 16 hosts in 10 ms begin
 * 16,000, in bursts to one host each. */
static void senders_pause(void **state)
{
    struct orr_world w;
    opened(&w, "[{generate: on-off, on: 50us, off: 200us, interval: 2us, "
               "duration: 10ms, size: 1KB}]");
    const struct orr_flow *f = w.flows->flow;
    uint32_t turns = 0, gaps = 0;
    assert_in_range(w.flows->count, 13500, 18500);
    for (uint32_t i = 0; i < w.flows->count; i++) {
        assert_true(f[i].src != f[i].dst);
        assert_true(f[i].start_ps < 10 * ORR_MS);
        if (i == 0 || f[i].src != f[i - 1].src)
            continue;
        int64_t gap = f[i].start_ps - f[i - 1].start_ps;
        assert_true(gap >= 0);
        turns += f[i].dst != f[i - 1].dst;
        gaps += gap > 20 * ORR_US; /* e^-10 while one sends */
    }
    assert_in_range(turns, 480, 720); /* 640 bursts, 1 of 15 to the same host */
    assert_in_range(gaps, 450, 720);
    world_close(&w);
}

/* Another one in each round. */
static void permutations_change(void **state)
{
    struct orr_world w;
    opened(&w, "[{generate: permutation, size: 1KB, repeat: 4, period: 7us}]");
    const struct orr_flow *f = w.flows->flow;
    uint32_t same = 0;
    assert_int_equal(w.flows->count, 64);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(f[i].start_ps, i / 16 * 7 * ORR_US);
        same += f[i].dst == f[i % 16].dst;
    }
    assert_in_range(same, 16, 32);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incasts_arrive),
        cmocka_unit_test(coflows_are_complete),
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(senders_pause),
        cmocka_unit_test(permutations_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
