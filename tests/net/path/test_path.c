/* Load balancing: how packets and connections spread over equal next hops. */
#include "tests/net/small_world.h"

#define HOSTS 16 /* k = 4 fat-tree; its cables: 16 host, 16 edge, 16 core */

/* One message of `packets` from host 0 to host 12 on each of n connections;
 * packets on the two uplinks of host 0's edge switch. */
static void spread(const char *routing, uint32_t n, uint32_t packets,
                   uint64_t up[2])
{
    struct transfer *t = calloc(n, sizeof *t);
    struct small_world w;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, routing: %s, queue: {kind: droptail, "
             "capacity: 64MiB}}\n",
             routing);
    for (uint32_t i = 0; i < n; i++)
        t[i] = (struct transfer){.dst = 12, .bytes = 1000 * packets};
    small_build(&w, yaml, 1);
    small_run(&w, t, n);
    for (uint32_t i = 0, found = 0; i < w.graph->links; i++) {
        struct orr_link_sample s;

        if (w.graph->from[i] != HOSTS || w.graph->to[i] < HOSTS)
            continue;
        orr__net_link_sample(w.net, i, w.end, &s);
        assert_true(found < 2);
        up[found++] = s.packets;
    }
    assert_int_equal(up[0] + up[1], (uint64_t)n * packets);
    small_free(&w);
    free(t);
}

static void test_ecmp(void **state)
{
    uint64_t up[2];

    spread("ecmp", 1, 100, up); /* a connection stays on one path */
    assert_true(up[0] == 0 || up[1] == 0);
    spread("ecmp", 1000, 1, up); /* six standard deviations: 95 */
    assert_in_range(up[0], 405, 595);
}

static void test_first(void **state)
{
    uint64_t up[2];

    spread("first", 50, 10, up);
    assert_int_equal(up[0], 500);
}

static void test_spray(void **state)
{
    uint64_t up[2];

    spread("spray", 1, 100, up); /* round robin: even to the packet */
    assert_int_equal(up[0], 50);
    spread("spray-random", 1, 1000, up);
    assert_in_range(up[0], 405, 595);
}

/* In a ring of four the opposite host is two hops away both ways; the clockwise
 * link has the lower id. */
static void test_ring_goes_clockwise(void **state)
{
    struct transfer t = {.src = 1, .dst = 3, .bytes = 5000};
    struct small_world w;
    uint32_t links[4];

    small_build(&w,
                "topology: {kind: ring, hosts: 4, link: {rate: 1Gbps, "
                "delay: 1us}}\nnetwork: {routing: first}\n",
                1);
    small_run(&w, &t, 1);
    assert_int_equal(orr__net_path(w.net, 1, 3, 1, true, links, 4), 2);
    assert_int_equal(links[0], 1);
    assert_int_equal(links[1], 2);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ecmp),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_spray),
        cmocka_unit_test(test_ring_goes_clockwise),
    };

    return cmocka_run_group_tests_name("net/path", tests, NULL, NULL);
}
