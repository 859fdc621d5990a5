#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "topo/igraph.h"

static void success_is_ok(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    assert_int_equal(orr__igraph(&why, IGRAPH_SUCCESS, "x"), ORR_OK);
    assert_int_equal(why.code, ORR_OK);
}

static void an_error_returns_with_its_reason(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    igraph_vector_int_t edges;
    igraph_t graph;
    orr__igraph_init();
    assert_int_equal(igraph_vector_int_init(&edges, 3), IGRAPH_SUCCESS);
    igraph_error_t status = igraph_create(&graph, &edges, 2, false);
    igraph_vector_int_destroy(&edges);
    assert_int_equal(orr__igraph(&why, status, "building"), ORR_EINTERNAL);
    assert_non_null(strstr(why.message, "building: igraph: "));
    assert_non_null(strstr(why.message, "odd"));
}

static void a_file_that_cannot_be_parsed_is_the_users(void **state)
{
    static char text[] = "<graphml><graph><node id='a'/><edge source='a' "
                         "target='nowhere'/></graph";
    struct orr_report why = {.code = ORR_OK};
    FILE *f = fmemopen(text, sizeof text - 1, "r");
    igraph_t graph;
    orr__igraph_init();
    igraph_error_t status = igraph_read_graph_graphml(&graph, f, 0);
    fclose(f);
    assert_int_equal(orr__igraph(&why, status, "reading g.graphml"),
                     ORR_ECONFIG);
    assert_non_null(strstr(why.message, "reading g.graphml: igraph: "));
}

/* A reason is told once: the next failure does not inherit it. */
static void reasons_do_not_linger(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    orr__igraph_init();
    igraph_error("first reason", "f.c", 1, IGRAPH_FAILURE);
    igraph_error("", "f.c", 2, IGRAPH_FAILURE); /* passed on */
    assert_int_equal(orr__igraph(&why, IGRAPH_FAILURE, "a"), ORR_EINTERNAL);
    assert_string_equal(why.message, "a: igraph: first reason");
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__igraph(&why, IGRAPH_EFILE, "b"), ORR_EIO);
    assert_string_equal(why.message, "b: igraph: File operation error");
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__igraph(&why, IGRAPH_ENOMEM, "c"), ORR_ENOMEM);
    assert_string_equal(why.message, "out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_is_ok),
        cmocka_unit_test(an_error_returns_with_its_reason),
        cmocka_unit_test(a_file_that_cannot_be_parsed_is_the_users),
        cmocka_unit_test(reasons_do_not_linger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
