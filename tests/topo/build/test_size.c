#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/small_topology.h"

/* The same graph as one whose keys are written out. */
static void are_alike(const char *size, const char *keys)
{
    struct orr_graph *a = topology(size), *b = topology(keys);

    assert_int_equal(a->hosts, b->hosts);
    assert_int_equal(a->links, b->links);
    assert_memory_equal(a->from, b->from, a->links * sizeof *a->from);
    assert_memory_equal(a->to, b->to, a->links * sizeof *a->to);
    orr__graph_free(a);
    orr__graph_free(b);
}

static void keys_of_each_kind(void **state)
{
    static const char *const pairs[][2] = {
        {"ring, size: 12", "ring, hosts: 12"},
        {"fully-connected, size: 5", "fully-connected, hosts: 5"},
        {"switch, size: 5", "switch, hosts: 5"},
        {"fat-tree, size: 128", "fat-tree, k: 8"},
        {"fat-tree, size: 128, oversubscription: 4",
         "fat-tree, hosts: 128, oversubscription: 4"},
        {"clos, size: 100, radix: 16", "clos, hosts: 100, radix: 16"},
        {"strides, size: 16, degree: 4", "strides, hosts: 16, degree: 4"},
        {"leaf-spine, size: 24", "leaf-spine, hosts: 24"},
        {"leaf-spine, size: 24, hosts_per_leaf: 8, spines: 4",
         "leaf-spine, leaves: 3, hosts_per_leaf: 8, spines: 4"},
        {"torus, size: 512", "torus, dims: [8, 8, 8]"},
        {"torus, size: 48", "torus, dims: [4, 4, 3]"},
        {"torus, size: 15", "torus, dims: [5, 3]"},
        {"torus, size: 64, dimensions: [{}, {}]", "torus, dims: [8, 8]"},
        {"hyperx, size: 64", "hyperx, dims: [4, 4], hosts_per_switch: 4"},
        {"hyperx, size: 24, hosts_per_switch: 2",
         "hyperx, dims: [4, 3], hosts_per_switch: 2"},
        {"dragonfly, size: 72", "dragonfly, h: 2"},
        {"dragonfly, size: 512", "dragonfly, h: 4, groups: 16"},
        {"dragonfly, size: 24, h: 1, p: 3, a: 4",
         "dragonfly, h: 1, p: 3, a: 4, groups: 2"},
        {"slimfly, size: 200", "slimfly, q: 5, hosts_per_switch: 4"},
        {"slimfly, size: 150, q: 5", "slimfly, q: 5, hosts_per_switch: 3"},
        {"jellyfish, size: 54",
         "jellyfish, switches: 27, degree: 8, hosts_per_switch: 2"},
        {"bcube, size: 64", "bcube, n: 8, k: 1"},
        {"bcube, size: 64, n: 4", "bcube, n: 4, k: 2"},
        {"parameter-server, size: 10, servers: 2",
         "parameter-server, workers: 8, servers: 2"},
        {"dumbbell, size: 9", "dumbbell, left: 5, right: 4"},
        {"dumbbell, size: 9, right: 1", "dumbbell, left: 8, right: 1"},
    };

    for (size_t i = 0; i < COUNT(pairs); i++) {
        char a[256], b[256];

        snprintf(a, sizeof a, "{kind: %s, " LINK "}", pairs[i][0]);
        snprintf(b, sizeof b, "{kind: %s, " LINK "}", pairs[i][1]);
        are_alike(a, b);
    }
}

/* GPUs count, whatever `hosts` of the kind counts. */
static void gpus_of_servers(void **state)
{
    static const char *const kinds[] = {"ring",          "fat-tree",  "torus",
                                        "dragonfly",     "rail-only", "switch",
                                        "rail-optimised"};

    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct orr_graph *g;
        char text[256];

        snprintf(text, sizeof text,
                 "{kind: %s, size: 512, servers: {gpus: 8, " LINK "}, " LINK
                 "}",
                 kinds[i]);
        g = topology(text);
        assert_int_equal(g->hosts, 512);
        orr__graph_free(g);
    }
}

static void what_is_not_exact(void **state)
{
    static const struct {
        const char *text, *message, *hint;
    } cases[] = {
        {"torus, size: 509", "no torus has 509 hosts", "508 and 510"},
        {"dragonfly, size: 509", "no dragonfly has", "504 and 512"},
        {"bcube, size: 500", "no bcube has", "484 and 512"},
        {"slimfly, size: 500", "no slimfly has", "490 and 512"},
        {"ring, size: 20, servers: {gpus: 8, " LINK "}", "no ring has 20 hosts",
         "16 and 24"},
        {"leaf-spine, size: 20, hosts_per_leaf: 8", "no leaf-spine has",
         "16 and 24"},
        {"ring, size: 8, hosts: 8", "topology.hosts: `size` replaces it", NULL},
        {"torus, size: 8, dims: [8]", "topology.dims: `size` replaces it",
         NULL},
        {"dragonfly, size: 72, groups: 9", "topology.groups: `size`", NULL},
        {"custom, size: 8", "is not known by its size", NULL},
        {"ring, size: 99999999", "more than 16777216 hosts", NULL},
        {"ring, size: 1", "topology.hosts: 1 is below", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_report why;
        struct orr_graph *g;
        char text[256], said[2048];

        snprintf(text, sizeof text, "{kind: %s, " LINK "}", cases[i].text);
        assert_int_equal(try_topology(text, &g, &why), ORR_ECONFIG);
        orr__report_format(&why, said, sizeof said);
        assert_non_null(strstr(said, "t.yaml:1:"));
        assert_non_null(strstr(said, cases[i].message));
        assert_true(!cases[i].hint || strstr(said, cases[i].hint));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_each_kind),
        cmocka_unit_test(gpus_of_servers),
        cmocka_unit_test(what_is_not_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
