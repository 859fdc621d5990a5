/* Flows with a path or an entropy of their own. */
#include "tests/workload/small_workload.h"

#include "core/units.h"

#define EXPLICIT FAT_TREE "network: {mtu: 1000B, routing: explicit}\n"

/* Data packets and ACKs on the link from a to b. */
static uint64_t packets(const orr_experiment *x, uint32_t a, uint32_t b)
{
    const struct orr_world *w = orr__experiment_world(x);
    for (uint32_t l = 0; l < w->graph->links; l++) {
        struct orr_link_sample s;
        if (w->graph->from[l] != a || w->graph->to[l] != b)
            continue;
        orr__net_link_sample(w->net, l, w->result.end_ps, &s);
        return s.packets;
    }
    fail_msg("no link from %u to %u", a, b);
    return 0;
}

/* Edge switches are 16 to 23, aggregation 24 to 31, core 32 to 35. Each of the
 * four ways from host 0 to host 12 in turn. */
static void test_path(void **state)
{
    for (uint32_t way = 0; way < 4; way++) {
        uint32_t up = 24 + way / 2, core = 32 + way;
        uint32_t down = 30 + way / 2;
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 EXPLICIT "flows: [{src: 0, dst: 12, size: 100KB, "
                          "path: [0, 16, %u, %u, %u, 22, 12]}]\n",
                 up, core, down);
        orr_experiment *x = experiment_run(yaml, 2);
        const struct orr_flow *f = orr__experiment_world(x)->flows->flow;
        assert_int_equal(packets(x, 16, up), 100);
        assert_int_equal(packets(x, up, core), 100);
        assert_int_equal(packets(x, core, down), 100);
        assert_int_equal(packets(x, down, 22), 100);
        assert_int_equal(f->finish_ps, f->ideal_ps);
        orr_experiment_free(x);
    }
}

/* The long way round a ring, which no table of shortest paths knows. */
static void test_detour(void **state)
{
    orr_experiment *x = experiment_run(
        "topology: {kind: ring, hosts: 5, link: {rate: 8Gbps, delay: 1us}}\n"
        "network: {mtu: 1000B, ack: 1B, routing: explicit}\n"
        "flows: [{src: 0, dst: 1, size: 3KB, path: [0, 4, 3, 2, 1]}]\n",
        1);
    const struct orr_flow *f = orr__experiment_world(x)->flows->flow;
    /* 4 us of travel, three packets and three times one more; the ACK goes
     * straight back */
    assert_int_equal(f->finish_ps, 4 * ORR_US + 6 * ORR_US + ORR_NS + ORR_US);
    assert_int_equal(f->ideal_ps, f->finish_ps);
    orr_experiment_free(x);
}

/* Flows of one entropy go one way, of many several. */
static void test_entropy(void **state)
{
    for (int same = 0; same < 2; same++) {
        char yaml[4096];
        size_t n = (size_t)snprintf(yaml, sizeof yaml, EXPLICIT "flows:\n");
        for (int i = 0; i < 32; i++)
            n += (size_t)snprintf(yaml + n, sizeof yaml - n,
                                  "  - {src: 0, dst: 12, size: 10KB, "
                                  "entropy: %d}\n",
                                  same ? 7 : i);
        orr_experiment *x = experiment_run(yaml, 1);
        uint64_t a = packets(x, 16, 24), b = packets(x, 16, 25);
        assert_int_equal(a + b, 320);
        if (same)
            assert_true(a == 0 || b == 0);
        else
            assert_true(a > 0 && b > 0);
        orr_experiment_free(x);
    }
}

/* Of hashed and of pinned flows together, on one thread and on three. */
static void test_threads(void **state)
{
    uint64_t print[2];
    for (int i = 0; i < 2; i++) {
        orr_experiment *x = experiment_run(
            EXPLICIT
            "flows:\n"
            "  - {generate: permutation, size: 100KB}\n"
            "  - {src: 0, dst: 12, size: 1MB, path: [0, 16, 24, 33, 30, 22, "
            "12]}\n"
            "  - {src: 1, dst: 12, size: 1MB, entropy: 3}\n",
            i ? 3 : 1);
        print[i] = orr_experiment_fingerprint(x);
        orr_experiment_free(x);
    }
    assert_int_equal(print[0], print[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_detour),
        cmocka_unit_test(test_entropy),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("workload/flows_way", tests, NULL, NULL);
}
