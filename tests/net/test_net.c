/* The packet layer against answers worked out by hand, to the picosecond. */
#include "tests/net/small_world.h"

#define FAT_TREE                                                             \
    "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}\n"

static const char *const ports[] = {"computed", "explicit"};

/* facts: 500 * 0.32512 + 5 * 0.32512 + 6 + 6 + 6 * 0.00512 us */
static void test_one_flow_over_six_links(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        struct small_world w;
        struct transfer t = {.src = 0, .dst = 13, .bytes = 2000000};
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 FAT_TREE "network: {mtu: 4000B, header: 64B, ports: %s}\n",
                 ports[i % 2]);
        small_build(&w, yaml, 1 + i / 2);
        small_run(&w, &t, 1);
        assert_int_equal(t.acked, 176216320);
        assert_int_equal(t.sent, 500 * 325120);
        assert_int_equal(t.received, 505 * 325120 + 6000000);
        assert_int_equal(orr__net_ideal(w.net, 0, 13, 1, 2000000), t.acked);
        assert_int_equal(w.totals.packet_hops, 500 * 6 * 2);
        assert_int_equal(w.totals.packets_delivered, 1000);
        small_free(&w);
    }
}

/* 16 hosts to one: 667,132,480 ps for the last. */
static void test_incast(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        struct small_world w;
        struct transfer t[16];
        char yaml[512];
        int64_t last = 0;

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 17, link: {rate: 100Gbps, "
                 "delay: 1us}}\n"
                 "network: {mtu: 1000B, header: 36B, ack: 60B, ports: %s, "
                 "queue: {kind: droptail, capacity: 16MiB}}\n",
                 ports[i]);
        for (uint32_t f = 0; f < 16; f++)
            t[f] = (struct transfer){.src = f + 1, .bytes = 500000};
        small_build(&w, yaml, 1);
        small_run(&w, t, 16);
        for (uint32_t f = 0; f < 16; f++)
            last = t[f].acked > last ? t[f].acked : last;
        assert_int_equal(last, 667132480);
        assert_int_equal(w.totals.packets_dropped, 0);
        small_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_flow_over_six_links),
        cmocka_unit_test(test_incast),
    };

    return cmocka_run_group_tests_name("net/net", tests, NULL, NULL);
}
