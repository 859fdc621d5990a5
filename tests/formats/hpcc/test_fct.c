/* Flow completion times as HPCC's simulator writes them: addresses, ports,
 * order, units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/units.h"
#include "formats/hpcc/fct.h"
#include "workload/flow/flows.h"

static orr_err write_all(struct orr_flow *flow, uint32_t n, struct orr_graph *g,
                         char **text)
{
    struct orr_flows flows = {.flow = flow, .count = n};
    struct orr_world w = {.graph = g, .flows = n ? &flows : NULL};
    struct orr_report why = {.code = ORR_OK};
    size_t size;
    FILE *f = open_memstream(text, &size);
    assert_non_null(f);
    orr_err err = orr__fct_write(&w, f, &why);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(why.code, err);
    return err;
}

/* In order of their ends; the ports of a pair in order of their starts; times
 * in whole nanoseconds; one that has not ended is left out. */
static void test_lines(void **state)
{
    struct orr_graph g = {.hosts = 300, .nodes = 300};
    struct orr_flow flow[] = {
        {.src = 1,
         .dst = 2,
         .bytes = 1000,
         .start_ps = 5 * ORR_US,
         .finish_ps = 9 * ORR_US + 999,
         .ideal_ps = 2500999},
        {.src = 1,
         .dst = 2,
         .bytes = 2000,
         .start_ps = 2 * ORR_US,
         .finish_ps = 20 * ORR_US,
         .ideal_ps = 3 * ORR_US},
        {.src = 2, .dst = 1, .bytes = 7, .start_ps = 0, .finish_ps = -1},
        {.src = 299,
         .dst = 0,
         .bytes = 1u << 31,
         .start_ps = ORR_US,
         .finish_ps = 9 * ORR_US,
         .ideal_ps = 0},
        {.src = 1,
         .dst = 2,
         .bytes = 3,
         .start_ps = 5 * ORR_US,
         .finish_ps = 20 * ORR_US,
         .ideal_ps = ORR_NS},
    };
    char *text;
    assert_int_equal(write_all(flow, 5, &g, &text), ORR_OK);
    assert_string_equal(text,
                        "0b012b01 0b000001 10000 100 2147483648 1000 8000 0\n"
                        "0b000101 0b000201 10001 100 1000 5000 4000 2500\n"
                        "0b000101 0b000201 10000 100 2000 2000 18000 3000\n"
                        "0b000101 0b000201 10002 100 3 5000 15000 1\n");
    free(text);
}

/* Hosts that had other numbers in the file they came from have those again. */
static void test_numbers_of_the_file(void **state)
{
    uint32_t node_of[] = {2, 0, 1}; /* of the file's nodes */
    struct orr_graph g = {.hosts = 2, .nodes = 3, .node_of = node_of};
    struct orr_flow flow[] = {
        {.src = 0, .dst = 1, .bytes = 1, .start_ps = 0, .finish_ps = ORR_NS},
    };
    char *text;
    assert_int_equal(write_all(flow, 1, &g, &text), ORR_OK);
    assert_string_equal(text, "0b000101 0b000201 10000 100 1 0 1 0\n");
    free(text);
}

static void test_none(void **state)
{
    struct orr_graph g = {.hosts = 2, .nodes = 2};
    char *text;
    assert_int_equal(write_all(NULL, 0, &g, &text), ORR_OK);
    assert_string_equal(text, "");
    free(text);
}

static void test_out_of_memory(void **state)
{
    struct orr_graph g = {.hosts = 2, .nodes = 2};
    struct orr_flow flow[] = {
        {.src = 0, .dst = 1, .bytes = 1, .start_ps = 0, .finish_ps = ORR_NS},
    };
    for (uint64_t n = 1; n <= 3; n++) {
        char *text;
        orr__memory_fail_after(n, 0);
        assert_int_equal(write_all(flow, 1, &g, &text), ORR_ENOMEM);
        orr__memory_fail_after(0, 0);
        assert_string_equal(text, "");
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_numbers_of_the_file),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
