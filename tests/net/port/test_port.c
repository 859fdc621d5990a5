/* The numbers of a port: the area of its queue, of any size; below what a
 * packet need not be checked; how many it has accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "net/port/port.h"

typedef unsigned __int128 wide;

/* Adds; what there is now. */
static wide area(struct orr_net *n, struct orr_port *port, uint64_t bytes,
                 uint64_t twice_ps)
{
    orr__port_area(n, port, bytes, twice_ps);
    return orr__port_area_of(n, port);
}

/* Sums and products beyond 64 bits are as exact as others, and are those of
 * this port alone. */
static void test_area(void **state)
{
    uint64_t over[2] = {0, 5};
    struct orr_net n = {.area_over = over};
    struct orr_port port = {.id = 0};
    wide sum = 0;

    assert_true(area(&n, &port, 4096, 1000001) == (sum += 4096000000 + 4096));
    assert_int_equal(port.area, 4096000000 + 4096);
    sum += (wide)UINT32_MAX * UINT32_MAX;
    assert_true(area(&n, &port, UINT32_MAX, UINT32_MAX) == sum);
    sum += (wide)UINT32_MAX * UINT32_MAX; /* more than 2^64 - 1 together */
    assert_true(area(&n, &port, UINT32_MAX, UINT32_MAX) == sum);
    assert_int_equal(over[0], 1);
    sum += (wide)1 << 80; /* alone */
    assert_true(area(&n, &port, UINT64_C(1) << 20, UINT64_C(1) << 60) == sum);
    sum += 1;
    assert_true(area(&n, &port, 1, 1) == sum);
    assert_int_equal(over[1], 5);

    orr__port_area_set(&n, &port, sum - 3);
    assert_true(orr__port_area_of(&n, &port) == sum - 3);
}

/* There is an end: it stays there, and does not begin anew. */
static void test_area_ends(void **state)
{
    uint64_t over[1] = {UINT64_MAX};
    struct orr_net n = {.area_over = over};
    struct orr_port port = {.id = 0, .area = UINT64_MAX - 10};
    const wide most = ~(wide)0;

    assert_true(area(&n, &port, 5, 2) == most);
    assert_true(area(&n, &port, 1, 1) == most);
    assert_true(area(&n, &port, UINT64_MAX, UINT64_MAX) == most);
}

/* Up to the least of the three limits none is checked; all are at
 * a port that uses its queue, or where a byte takes no whole number of ps. */
static void test_unchecked(void **state)
{
    struct orr_port port = {
        .ps_per_byte = 80, .drop_ps = 9000, .mark_ps = 5000, .max_ps = 7000};

    orr__port_set_unchecked(&port);
    assert_int_equal(port.unchecked_below, 5001);
    port.mark_ps = INT64_MAX;
    orr__port_set_unchecked(&port);
    assert_int_equal(port.unchecked_below, 7001);
    port.max_ps = 10000;
    orr__port_set_unchecked(&port);
    assert_int_equal(port.unchecked_below, 9001);
    port.drop_ps = port.max_ps = UINT32_MAX - INT64_C(1);
    orr__port_set_unchecked(&port);
    assert_int_equal(port.unchecked_below, UINT32_MAX);
    port.drop_ps = port.max_ps = INT64_MAX;
    orr__port_set_unchecked(&port);
    assert_int_equal(port.unchecked_below, UINT32_MAX);
    port.uses_queue = true;
    orr__port_set_unchecked(&port);
    assert_int_equal(port.unchecked_below, 0);
    port.uses_queue = false;
    port.ps_per_byte = 0;
    orr__port_set_unchecked(&port);
    assert_int_equal(port.unchecked_below, 0);
}

static void no_limits(const void *params, uint64_t rate_bps,
                      struct orr_queue_limits *out)
{
    out->drop_ps = out->mark_ps = INT64_MAX;
}

/* A byte's time is a number where it is whole, and fits. */
static void test_byte(void **state)
{
    const struct orr_queue_ops queue = {.limits = no_limits};
    const struct orr_net_config config = {.queue = &queue};
    uint64_t rate[] = {100000000000, 7000000000, 2000, 1600};
    const uint32_t ps[] = {80, 0, 4000000000, 0};
    struct orr_queue *none[4] = {NULL};
    struct orr_net n = {.config = &config, .rate_bps = rate, .queue = none};

    for (uint32_t i = 0; i < 4; i++) {
        struct orr_port port = {.id = i};

        orr__port_tune(&n, &port);
        assert_int_equal(port.ps_per_byte, ps[i]);
        assert_int_equal(orr__port_time(&n, &port, 7),
                         (56000000000000u + rate[i] - 1) / rate[i]);
    }
}

/* Those on the ring count once it was looked at and before, also where their
 * numbers begin at 0 again; at explicit ports only what was counted does. */
static void test_packets(void **state)
{
    uint32_t rounds = 1, inlet_of = 0;
    struct orr_inlet inlet = {.visible = UINT32_MAX};
    struct orr_net n = {.explicit = false,
                        .rounds = &rounds,
                        .inlet = &inlet,
                        .inlet_of = &inlet_of};
    struct orr_port port = {.packets = 3, .tail = 4};

    assert_true(orr__port_packets(&n, &port) == (UINT64_C(2) << 32) + 7);
    n.explicit = true;
    assert_true(orr__port_packets(&n, &port) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_area),      cmocka_unit_test(test_area_ends),
        cmocka_unit_test(test_unchecked), cmocka_unit_test(test_byte),
        cmocka_unit_test(test_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
