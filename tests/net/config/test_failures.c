/* Failures of whole nodes, by chance, again and again, and bit errors. */
#include "tests/net/small_world.h"

#include <math.h>

#include "core/units.h"

/* Hosts 0 to 3, leaves 4 and 5, spines 6 and 7; cables of hosts are 0 to 3, of
 * leaf 0 4 and 5, of leaf 1 6 and 7; 8 more is the way back. */
#define TOPOLOGY                                                               \
    "topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, "   \
    "link: {rate: 100Gbps, delay: 1us}}\n"

static const struct orr_failures *read(struct small_world *w, const char *list)
{
    char yaml[1024];

    snprintf(yaml, sizeof yaml, TOPOLOGY "failures: %s\n", list);
    small_read(w, yaml, 1);
    return w->net_config->failures;
}

/* Of a node all links, in both directions, at the same times. */
static void test_nodes(void **state)
{
    static const struct {
        const char *list;
        uint32_t n, link[4];
    } cases[] = {
        {"[{host: 1, down: 1ms, up: 2ms}]", 2, {1, 9}},
        {"[{switch: spine1, down: 1ms, for: 1ms}]", 4, {5, 7, 13, 15}},
        {"[{switch: 7, at: 1ms, for: 1ms}]", 4, {5, 7, 13, 15}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct small_world w;
        const struct orr_failures *f = read(&w, cases[i].list);

        assert_int_equal(f->outages, cases[i].n);
        for (uint32_t k = 0; k < f->outages; k++) {
            assert_int_equal(f->outage[k].link, cases[i].link[k]);
            assert_int_equal(f->outage[k].down, ORR_MS);
            assert_int_equal(f->outage[k].up, 2 * ORR_MS);
        }
        small_free(&w);
    }
}

/* A link is dead while its host or its switch is; then from 2 ms to 7 ms. */
static void test_overlaps(void **state)
{
    struct small_world w;
    const struct orr_failures *f =
        read(&w, "[{host: 0, down: 2ms, up: 5ms, detect: 2ms}, "
                 "{switch: leaf0, down: 3ms, up: 7ms}, "
                 "{link: 0, down: 8ms, up: 9ms}]");
    const struct orr_outage *o;

    assert_int_equal(orr__failures_of(f, 0, &o), 2);
    assert_int_equal(o[0].down, 2 * ORR_MS);
    assert_int_equal(o[0].noticed, 3 * ORR_MS);
    assert_int_equal(o[0].up, 7 * ORR_MS);
    assert_int_equal(o[1].down, 8 * ORR_MS);
    small_free(&w);
}

static void test_flaps(void **state)
{
    struct small_world w;
    const struct orr_failures *f =
        read(&w, "[{link: 2, down: 1ms, for: 100us, every: 1ms, times: 3}, "
                 "{link: 3, at: 0s, for: 1us, every: 1ms, until: 4500us}]");
    const struct orr_outage *o;

    assert_int_equal(orr__failures_of(f, 2, &o), 3);
    assert_int_equal(o[2].down, 3 * ORR_MS);
    assert_int_equal(o[2].up, 3100 * ORR_US);
    assert_int_equal(orr__failures_of(f, 3, &o), 5);
    small_free(&w);
}

/* Each of eight cables for 10 s: 8,000 s of one, up for 9 ms and down for 1 ms
 * on average. Cycles vary by sqrt(82) / 10 of their mean, times down by their
 * mean: bounds are five standard deviations. */
static void test_chance(void **state)
{
    struct small_world w, same, other;
    const struct orr_failures *f =
        read(&w, "[{of: links, mtbf: 9ms, mttr: 1ms, seed: 5, until: 10s}]");
    double cycles = 8 * 1000.0, down = 0;
    uint32_t n = f->outages / 2;

    for (uint32_t i = 0; i < n; i++) /* ways back are the other half */
        down += (double)(f->outage[i].up - f->outage[i].down) / ORR_MS;
    assert_true(fabs(n - cycles) < 5 * sqrt(0.82 * cycles));
    assert_true(fabs(down / n - 1) < 5 / sqrt(n));
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(f->outage[i].down, f->outage[n + i].down);
        assert_int_equal(f->outage[i].down % ORR_NS, 0);
    }
    /* other entries change nothing, another seed does */
    assert_int_equal(
        read(&same, "[{host: 0, down: 20s}, {of: links, mtbf: 9ms, mttr: 1ms, "
                    "seed: 5, until: 10s}]")
            ->outages,
        f->outages + 2);
    assert_int_not_equal(
        read(&other, "[{of: links, mtbf: 9ms, mttr: 1ms, until: 10s}]")
            ->outage[0]
            .down,
        f->outage[0].down);
    small_free(&w);
    small_free(&same);
    small_free(&other);
}

/* Of a tier its cables alone; switches and hosts with all of theirs, for good
 * where nothing is repaired. */
static void test_what_fails(void **state)
{
    struct small_world w;
    const struct orr_failures *f =
        read(&w, "[{of: links, tier: host, mtbf: 1ms, until: 1s}]");
    const struct orr_outage *o;

    assert_int_equal(f->outages, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(f->outage[i].link, i < 4 ? i : i + 4);
    assert_int_equal(f->outage[0].up, ORR_NEVER);
    small_free(&w);
    f = read(&w, "[{of: switches, mtbf: 1ms, mttr: 1us, until: 50ms}]");
    assert_true(orr__failures_of(f, 0, &o) > 20);
    assert_true(orr__failures_of(f, 4, &o) > 40); /* both of its ends */
    small_free(&w);
}

/* 10,000 packets of 1,000 B, each of 8,000 bits, over a link of which one in
 * 100,000 is wrong: p = 1 - (1 - 1e-5)^8000 of them are lost. Before and
 * behind, none. */
static void test_bit_errors(void **state)
{
    static const struct {
        const char *times;
        double share;
    } cases[] = {{"", 1}, {", at: 300us, for: 200us", 0.25}};
    const struct orr_bit_errors e = {.until = ORR_NEVER, .rate = 1e-5};
    double p = orr__bit_errors_loss(&e, 1, 1000, 0);

    assert_true(fabs(p - (1 - pow(1 - 1e-5, 8000))) < 1e-12);
    for (size_t i = 0; i < 2; i++) {
        struct transfer t = {.src = 0, .dst = 1, .bytes = 10000000};
        struct small_world w;
        char yaml[512];
        double wanted = 10000 * p * cases[i].share;

        snprintf(yaml, sizeof yaml,
                 TOPOLOGY "network: {mtu: 1000B, transport: datagram}\n"
                          "failures: [{link: 0, ber: 1e-5%s}]\n",
                 cases[i].times);
        small_build(&w, yaml, 1);
        small_run(&w, &t, 1);
        assert_true(fabs((double)w.totals.packets_dropped - wanted)
                    < 5 * sqrt(wanted));
        small_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes),      cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_flaps),      cmocka_unit_test(test_chance),
        cmocka_unit_test(test_what_fails), cmocka_unit_test(test_bit_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
