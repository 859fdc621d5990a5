/* Nodes of a configuration by number and by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "tests/topo/small_topology.h"

static const char text[] =
    "[0, paris, 3, \"host 2\", leaf0, 4, berlin, 9, pari, [1], leaf]";

struct fixture {
    struct orr_graph *g;
    struct orr_config *c;
    const struct orr_yaml *list;
};

static struct fixture open_fixture(void)
{
    struct orr_report why = {.code = ORR_OK};
    struct fixture f;
    char doc[200];
    f.g = topology("{kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: "
                   "2, names: [oslo, paris], " LINK "}");
    snprintf(doc, sizeof doc, "list: %s\n", text);
    assert_int_equal(orr__config_parse("c", doc, strlen(doc), &f.c, &why),
                     ORR_OK);
    f.list = orr__yaml_get(orr__config_root(f.c), "list");
    return f;
}

static void close_fixture(struct fixture *f)
{
    orr__config_free(f->c);
    orr__graph_free(f->g);
}

static void hosts_by_number_and_name(void **state)
{
    static const uint32_t expected[] = {0, 1, 3, 2};
    struct fixture f = open_fixture();
    struct orr_report why = {.code = ORR_OK};
    for (size_t i = 0; i < 4; i++) {
        uint32_t host = 99;
        assert_int_equal(
            orr__host_read(f.g, f.c, orr__yaml_item(f.list, i), &host, &why),
            ORR_OK);
        assert_int_equal(host, expected[i]);
    }
    close_fixture(&f);
}

static void nodes_are_switches_too(void **state)
{
    struct fixture f = open_fixture();
    struct orr_report why = {.code = ORR_OK};
    uint32_t node = 99;
    assert_int_equal(
        orr__node_read(f.g, f.c, orr__yaml_item(f.list, 4), &node, &why),
        ORR_OK);
    assert_int_equal(node, 4);
    assert_int_equal(
        orr__node_read(f.g, f.c, orr__yaml_item(f.list, 5), &node, &why),
        ORR_OK);
    assert_int_equal(node, 4);
    close_fixture(&f);
}

static void what_means_none_is_told(void **state)
{
    static const struct {
        size_t item;
        const char *message, *hint;
    } cases[] = {
        {4, "leaf0 is a switch, no host", ""},
        {5, "host 4 does not exist: hosts are 0 to 3", ""},
        {6,
         "a host is named by its number, or by a name that it has in the "
         "topology",
         ""},
        {7, "host 9 does not exist: hosts are 0 to 3", ""},
        {8,
         "a host is named by its number, or by a name that it has in the "
         "topology",
         "did you mean \"paris\"?"},
        {9,
         "a host is named by its number, or by a name that it has in the "
         "topology",
         ""},
    };
    struct fixture f = open_fixture();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_report why = {.code = ORR_OK};
        uint32_t host;
        assert_int_equal(orr__host_read(f.g, f.c,
                                        orr__yaml_item(f.list, cases[i].item),
                                        &host, &why),
                         ORR_ECONFIG);
        assert_string_equal(why.message, cases[i].message);
        assert_string_equal(why.hint, cases[i].hint);
    }
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_by_number_and_name),
        cmocka_unit_test(nodes_are_switches_too),
        cmocka_unit_test(what_means_none_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
