/* Direct networks while they are designed: paths as few coins as can be, loads
 * that add up, ports of each host, and rings and matchings where the traffic
 * is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/none.h"
#include "study/plan/topoopt/search.h"

static struct orr_report why;

/* Coins of strides, in both directions, for a sum modulo n: all sums of one
 * coin, of two, and so on. */
static uint32_t fewest_coins(const struct orr_direct *d, uint32_t sum)
{
    bool reached[ORR_DIRECT_HOSTS] = {true};
    for (uint32_t coins = 0;; coins++) {
        bool more[ORR_DIRECT_HOSTS] = {false};
        if (reached[sum])
            return coins;
        for (uint32_t x = 0; x < d->n; x++)
            for (uint32_t s = 0; s < d->strides && reached[x]; s++) {
                more[(x + d->stride[s]) % d->n] = true;
                more[(x + d->n - d->stride[s]) % d->n] |= d->both;
            }
        for (uint32_t x = 0; x < d->n; x++)
            reached[x] |= more[x];
    }
}

static void test_coins(void **state)
{
    for (uint32_t n = 5; n <= 64; n += 7)
        for (uint32_t k = 1; k <= 3; k++)
            for (int both = 0; both < 2; both++) {
                struct orr_direct d = {.n = n, .both = both, .strides = k};
                if (orr__strides_count(n, 8) < (both ? 2 : 1) * k)
                    continue;
                orr__strides_choose(n, k, both, d.stride);
                assert_int_equal(orr__direct_finish(&d, &why), ORR_OK);
                assert_int_equal(d.links, n * k * (both ? 2 : 1));
                for (uint32_t i = 0; i < n; i++)
                    assert_int_equal(d.distance[i], /* from i to 0 */
                                     fewest_coins(&d, (n - i) % n));
                orr__direct_fini(&d);
            }
}

/* Bytes times hops is what all links carry; no link more than is said. */
static void test_loads(void **state)
{
    struct orr_direct d = {
        .n = 8, .both = true, .strides = 1, .stride = {1}, .matchings = 1};
    double demand[64] = {0};
    const struct orr_traffic ring = {ORR_TRAFFIC_RINGS, 1, 0};
    const struct orr_traffic pairs = {ORR_TRAFFIC_PAIRS, 8, 0};
    d.mate = calloc(8, sizeof *d.mate);
    for (uint32_t i = 0; i < 8; i++)
        d.mate[i] = (i + 4) % 8;
    assert_int_equal(orr__direct_finish(&d, &why), ORR_OK);
    orr__traffic_add(&ring, 8, 3, demand);
    struct orr_congestion c = orr__direct_route(&d, demand);
    assert_true(c.load == 1.5 && c.hops == 1);
    for (int i = 0; i < 64; i++)
        demand[i] = 0;
    orr__traffic_add(&pairs, 8, 1, demand);
    c = orr__direct_route(&d, demand);
    /* one and two hops either way, opposite by the cable, three by two parts:
     * over it and back, or round; of 3 that the cable carries half is of
     * both hosts beside the opposite one */
    assert_int_equal(c.hops, 2);
    double all = 0;
    for (uint32_t l = 0; l < d.links; l++)
        all += d.load[l];
    assert_true(all == 8 * (1 + 2 + 2 + 1 + 2 + 2 + 1));
    free(d.mate);
    d.mate = NULL;
    orr__direct_fini(&d);
}

/* A model of one dense layer, or of tables. */
static void make_design(struct orr_design *d, struct orr_design_layer *layer,
                        uint32_t n, uint32_t degree)
{
    static uint32_t divisor[3], first[3];
    divisor[0] = 1;
    divisor[1] = 2;
    divisor[2] = n;
    first[0] = 6;
    first[1] = 6 + 2 * n;
    first[2] = 6 + 3 * n;
    *d = (struct orr_design){.n = n,
                             .layers = 1,
                             .layer = layer,
                             .divisors = 3,
                             .divisor = divisor,
                             .first = first,
                             .traffics = 3 * n + 8,
                             .rate_bps = 100000000000,
                             .delay_ps = 1000000,
                             .wire = 1,
                             .degree = degree,
                             .both = true,
                             .strides = 3};
}

static uint32_t ports(const struct orr_direct *net, uint32_t host)
{
    return net->off[host + 1] - net->off[host];
}

static void test_finder(void **state)
{
    struct orr_design_layer x = {
        .kind = ORR_LAYER_DENSE, .gradients = 1000000, .output = 10};
    struct orr_design d;
    struct orr_direct net = {0};
    struct orr_choice c = {.parts = 1};
    /* by data: rings alone */
    make_design(&d, &x, 14, 6);
    assert_int_equal(orr__design_network(&d, &c, &net, &why), ORR_OK);
    assert_true(net.strides == 3 && net.matchings == 0);
    orr__direct_fini(&net);
    /* halves of the layer on neighbours: rings of every other host, of seven,
     * which two matchings cannot make; outputs between neighbours get none */
    c.parts = 2;
    assert_int_equal(orr__design_network(&d, &c, &net, &why), ORR_OK);
    for (uint32_t i = 0; i < 14; i++)
        assert_true(ports(&net, i) <= 6);
    orr__direct_fini(&net);
    /* of eight hosts: groups of four, two apart; the whole ring keeps a port
     * each way */
    make_design(&d, &x, 8, 4);
    d.strides = 2;
    assert_int_equal(orr__design_network(&d, &c, &net, &why), ORR_OK);
    assert_true(net.strides == 1 && net.matchings == 2);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(ports(&net, i), 4);
        uint32_t a = net.mate[i], b = net.mate[8 + i];
        assert_true((a == (i + 2) % 8 && b == (i + 6) % 8)
                    || (b == (i + 2) % 8 && a == (i + 6) % 8));
    }
    orr__direct_fini(&net);
    /* what neighbours exchange outweighs: cables between them */
    x.output = 100000000;
    assert_int_equal(orr__design_network(&d, &c, &net, &why), ORR_OK);
    assert_true(net.strides == 1 && net.matchings == 2);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(net.mate[i], i % 8 ^ 1);
    orr__direct_fini(&net);
}

/* By data on two rings both parts: a fourth of what one direction of one ring
 * takes, behind 14 steps; beside the way back of the chain. */
static void test_time(void **state)
{
    struct orr_design_layer x = {.kind = ORR_LAYER_DENSE,
                                 .gradients = 8000000,
                                 .forward_ps = 5000,
                                 .backward_ps = 7000};
    struct orr_design d;
    struct orr_direct net = {0};
    struct orr_choice c = {.parts = 1};
    struct orr_known known[32] = {0};
    double demand[64];
    make_design(&d, &x, 8, 4);
    d.strides = 2;
    assert_int_equal(orr__design_network(&d, &c, &net, &why), ORR_OK);
    struct orr_design_time t = orr__choices_time(&d, &c, &net, known, demand);
    double tail = 14e6 / 4 * 80 + 14 * 1e6;
    assert_true(t.compute == 12000 && t.exchange == 0);
    assert_true(t.tail == tail && t.iteration == 12000 + tail);
    orr__direct_fini(&net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coins),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_finder),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
