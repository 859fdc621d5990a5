/* What sends need not be a host: a switch with a NIC. */
#include "tests/net/small_world.h"

#define SLOW "{rate: 8Gbps, delay: 1us}" /* 1 ns a byte */

/* Leaf 4 of two sends to the host behind the other leaf, and that to it. */
static void sends_and_receives(const char *ports)
{
    struct transfer t[] = {{.src = 4, .dst = 3, .bytes = 10000},
                           {.src = 3, .dst = 4, .bytes = 10000}};
    struct small_world w;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: leaf-spine, leaves: 2, spines: 1, "
             "hosts_per_leaf: 2, link: " SLOW "}\n"
             "network: {mtu: 1000B, header: 0B, ack: 1B, ports: %s}\n",
             ports);
    small_read(&w, yaml, 1);
    assert_false(w.graph->sends[4]);
    w.graph->sends[4] = true;
    small_make(&w, 2);
    small_run(&w, t, 2);
    /* three links of 1 us: ten packets on the first, and one on each of the
     * others; ACKs of 1 ns may come before some */
    for (int i = 0; i < 2; i++) {
        assert_in_range(t[i].received, 15000000, 15000000 + 20 * 1000);
        assert_in_range(t[i].sent, 10000000, 10000000 + 10 * 1000);
    }
    assert_true(t[0].acked > 0 && t[1].acked > 0);
    small_free(&w);
}

static void test_computed(void **state)
{
    sends_and_receives("computed");
}

static void test_explicit(void **state)
{
    sends_and_receives("explicit");
}

/* It passes on what others send beside its own. */
static void test_still_a_switch(void **state)
{
    struct transfer t[] = {{.src = 3, .dst = 0, .bytes = 20000},
                           {.src = 3, .dst = 1, .bytes = 20000}};
    struct small_world w;

    small_read(&w,
               "topology: {kind: switch, hosts: 3, link: " SLOW "}\n"
               "network: {mtu: 1000B}\n",
               1);
    w.graph->sends[3] = true;
    small_make(&w, 1);
    t[1].src = 2;
    small_run(&w, t, 2);
    assert_int_equal(t[0].received, 20000000 + 1000000);
    assert_true(t[1].received > 0);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_computed),
        cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_still_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
