#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"
#include "topo/link_names.h"

/* Nodes with signs in their names: a, b-c, a-b, c, x > y, z. */
#define SIGNS                                                                  \
    "{kind: ring, hosts: 6, " LINK ", names: [a, b-c, c, a-b, x > y, z]}"

static void names(const struct orr_graph *g, const char *text, uint32_t from,
                  uint32_t to)
{
    struct orr_report why = {.code = ORR_OK};
    uint32_t link = 99;
    if (orr__link_find(g, "here", text, &link, &why))
        fail_msg("%s: %s", text, why.message);
    assert_int_equal(g->from[link], from);
    assert_int_equal(g->to[link], to);
}

static void fails(const struct orr_graph *g, const char *text,
                  const char *message, const char *hint)
{
    struct orr_report why = {.code = ORR_OK};
    uint32_t link = 99;
    assert_int_equal(orr__link_find(g, "here", text, &link, &why), ORR_ECONFIG);
    assert_string_equal(why.message, message);
    assert_string_equal(why.hint, hint);
    assert_int_equal(link, 99);
}

static void three_spellings(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 4, " LINK "}");
    uint32_t link = 0;
    names(g, "host 0 > host 1", 0, 1);
    names(g, "host 0 -> host 1", 0, 1);
    names(g, "host 0-host 1", 0, 1);
    names(g, "host 1>host 0", 1, 0);
    names(g, "host 1->host 0", 1, 0);
    names(g, " host 1  -  host 0 ", 1, 0);
    names(g, "0 > host 3", 0, 3);
    names(g, "0-3", 0, 3);
    assert_int_equal(orr__link_find(g, "here", "7", &link, NULL), ORR_OK);
    assert_int_equal(link, 7);
    fails(g, "8", "here: there is no link 8: they are 0 to 7", "");
    fails(g, "-1", "here: there is no link -1: they are 0 to 7", "");
    fails(g, "host 0 > host 2", "here: there is no link \"host 0 > host 2\"",
          "a link is an id or a name as in \"host 0 > host 1\"; `orrery topo "
          "CONFIG --links` prints all");
    fails(g, "", "here: there is no link \"\"",
          "a link is an id or a name as in \"host 0 > host 1\"; `orrery topo "
          "CONFIG --links` prints all");
    orr__graph_free(g);
}

/* The ring joins a > b-c, b-c > c, c > a-b, a-b > x > y, x > y > z, z > a. */
static void signs_in_names(void **state)
{
    struct orr_graph *g = topology(SIGNS);
    names(g, "a > b-c", 0, 1);
    names(g, "b-c-a", 1, 0);
    names(g, "b-c-c", 1, 2);
    names(g, "c > a-b", 2, 3);
    names(g, "c-a-b", 2, 3);
    names(g, "a-b > x > y", 3, 4);
    names(g, "x > y > z", 4, 5);
    names(g, "x > y-z", 4, 5);
    names(g, "z-x > y", 5, 4);
    fails(g, "a-bb > c", "here: there is no link \"a-bb > c\"",
          "did you mean \"a-b\"?");
    orr__graph_free(g);
}

static void several(void **state)
{
    /* a > b-c and a-b > c are both there */
    struct orr_graph *g = topology("{kind: fully-connected, hosts: 4, " LINK
                                   ", names: [a, b-c, a-b, c]}");
    uint32_t one = 0, other = 0;
    char text[200];
    names(g, "a > b-c", 0, 1);
    names(g, "a-b > c", 2, 3);
    assert_int_equal(orr__link_find(g, "here", "a > b-c", &one, NULL), ORR_OK);
    assert_int_equal(orr__link_find(g, "here", "a-b -> c", &other, NULL),
                     ORR_OK);
    snprintf(text, sizeof text,
             "here: \"a-b-c\" names 2 links: %u (a > b-c), %u (a-b > c)", one,
             other);
    fails(g, "a-b-c", text, "name it by its id");
    orr__graph_free(g);
    /* two cables side by side */
    g = topology("{kind: ring, hosts: 2, " LINK "}");
    if (g->links > 2)
        fails(g, "0 > 1",
              "here: \"0 > 1\" names 2 links: 0 (host 0 > host 1), "
              "3 (host 0 > host 1)",
              "name it by its id");
    orr__graph_free(g);
}

static void long_texts(void **state)
{
    struct orr_graph *g = topology("{kind: ring, hosts: 4, " LINK "}");
    char text[2000];
    uint32_t link;
    memset(text, '-', sizeof text);
    memset(text, '>', sizeof text / 2);
    text[sizeof text - 1] = '\0';
    assert_int_equal(orr__link_find(g, "here", text, &link, NULL), ORR_ECONFIG);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_spellings),
        cmocka_unit_test(signs_in_names),
        cmocka_unit_test(several),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
