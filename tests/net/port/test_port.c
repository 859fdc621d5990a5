/* The area of a port's queue, in whole numbers of any size. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_area),
        cmocka_unit_test(test_area_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
