#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/config/param.h"
#include "tests/topo/small_topology.h"
#include "topo/build/build.h"

/* Every kind, small, with the spices that change what is drawn. */
static const char *const samples[] = {
    "{kind: ring, hosts: 2, " LINK "}",
    "{kind: ring, hosts: 5, links: 3, " LINK "}",
    "{kind: fully-connected, hosts: 2, " LINK "}",
    "{kind: fully-connected, hosts: 6, links: 2, " LINK "}",
    "{kind: fat-tree, k: 2, " LINK "}",
    "{kind: fat-tree, k: 4, oversubscription: 3, links: 2, " LINK "}",
    "{kind: torus, dims: [2], " LINK "}",
    "{kind: torus, dims: [4, 2, 1, 3], links: 2, " LINK "}",
    "{kind: torus, dims: [2, 2, 2, 2], " LINK "}",
    "{kind: parameter-server, workers: 3, servers: 2, " LINK "}",
    "{kind: parameter-server, workers: 7, servers: 3, racks: 4, " LINK "}",
    "{kind: switch, hosts: 1, " LINK "}",
    "{kind: switch, hosts: 4, links: 2, " LINK "}",
    "{kind: dumbbell, left: 2, right: 5, " LINK "}",
    "{kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 4, " LINK "}",
    "{kind: leaf-spine, hosts: 13, oversubscription: 2, " LINK "}",
    "{kind: fat-tree, hosts: 20, " LINK "}",
    "{kind: clos, hosts: 13, radix: 4, " LINK "}",
    "{kind: clos, hosts: 9, radix: 6, links: 2, oversubscription: 2, " LINK "}",
    "{kind: dragonfly, h: 1, " LINK "}",
    "{kind: dragonfly, p: 2, a: 3, h: 2, groups: 4, " LINK "}",
    "{kind: hyperx, dims: [3, 2, 2, 2], hosts_per_switch: 2, " LINK "}",
    "{kind: slimfly, q: 4, hosts_per_switch: 2, " LINK "}",
    "{kind: jellyfish, switches: 9, degree: 4, hosts_per_switch: 2, " LINK "}",
    "{kind: strides, hosts: 11, degree: 4, " LINK "}",
    "{kind: strides, hosts: 11, degree: 5, direction: forward, matching: [[3, "
    "9]], " LINK "}",
    "{kind: bcube, n: 3, k: 1, " LINK "}",
    "{kind: custom, hosts: 3, switches: 1, cables: [[0, 3], [1, 3], [2, "
    "3]], " LINK "}",
    "{kind: rail-optimised, hosts: 3, servers_per_leaf: 2, servers: {gpus: "
    "2, " LINK "}, " LINK "}",
    "{kind: rail-only, hosts: 3, servers: {gpus: 3, " LINK "}, " LINK "}",
    "{kind: ring, hosts: 4, servers: {gpus: 3, " LINK "}, " LINK "}",
    "{kind: dragonfly, h: 1, servers: {gpus: 2, " LINK "}, " LINK "}",
    "{kind: fat-tree, k: 4, links: 2, servers: {gpus: 2, " LINK "}, " LINK "}",
};

static void check_links(const struct orr_graph *g)
{
    assert_int_equal(g->links, 2 * g->cables);
    for (uint32_t c = 0; c < g->cables; c++) {
        uint32_t back = g->cables + c;
        assert_true(g->from[c] < g->nodes && g->to[c] < g->nodes);
        assert_int_not_equal(g->from[c], g->to[c]);
        assert_int_equal(g->from[back], g->to[c]);
        assert_int_equal(g->to[back], g->from[c]);
        assert_true(g->rate_bps[c] == 100000000000u);
        assert_true(g->rate_bps[back] == g->rate_bps[c]);
        assert_true(g->delay_ps[c] == 500000);
        assert_true(g->delay_ps[back] == g->delay_ps[c]);
        assert_true(g->loss[c] == 0 && g->loss[back] == 0);
        assert_int_equal(g->tier[c], g->tier[back]);
        for (unsigned t = 0; t <= g->tier[c]; t++)
            assert_non_null(g->tier_names[t]);
    }
}

static void check_index(const struct orr_graph *g, const uint32_t *node,
                        const uint32_t *off, const uint32_t *link)
{
    uint32_t present = g->links;
    for (uint32_t c = 0; g->simplex && c < g->cables; c++)
        present -= g->simplex[c];
    assert_int_equal(off[0], 0);
    assert_int_equal(off[g->nodes], present);
    for (uint32_t v = 0; v < g->nodes; v++) {
        for (uint32_t i = off[v]; i < off[v + 1]; i++) {
            assert_int_equal(node[link[i]], v);
            if (i > off[v])
                assert_true(link[i] > link[i - 1]);
        }
    }
}

static void every_kind_is_sound(void **state)
{
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *g = topology(samples[i]);
        check_links(g);
        check_index(g, g->from, g->out_off, g->out_link);
        check_index(g, g->to, g->in_off, g->in_link);
        for (uint32_t v = 0; v < g->nodes; v++) {
            assert_int_equal(g->level[v] == 0, v < g->hosts);
            assert_int_equal(g->sends[v], v < g->hosts);
            if (v >= g->hosts || g->hosts == g->nodes)
                assert_true(g->forwards[v]);
            else /* all hosts do, or none */
                assert_int_equal(g->forwards[v], g->forwards[0]);
        }
        orr__graph_free(g);
    }
}

static void parallel_links_are_blocks(void **state)
{
    struct orr_graph *one = topology("{kind: fat-tree, k: 4, " LINK "}");
    struct orr_graph *three =
        topology("{kind: fat-tree, k: 4, links: 3, " LINK "}");
    assert_int_equal(three->cables, 3 * one->cables);
    assert_int_equal(three->parallel, 3);
    for (uint32_t c = 0; c < three->cables; c++)
        assert_cable(three, c, one->from[c % one->cables],
                     one->to[c % one->cables]);
    orr__graph_free(one);
    orr__graph_free(three);
}

static void places_differ(void **state)
{
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *g = topology(samples[i]);
        for (uint32_t a = 0; a < g->nodes; a++)
            for (uint32_t b = 0; b < a; b++)
                if (g->x[a] == g->x[b] && g->y[a] == g->y[b]
                    && g->z[a] == g->z[b])
                    fail_msg("%s: nodes %u and %u coincide", samples[i], a, b);
        orr__graph_free(g);
    }
}

static void kinds_are_listed(void **state)
{
    size_t n = 0;
    const struct orr_topology_ops *const *k = orr__topology_kinds();
    for (; *k; k++, n++) {
        size_t of_kind = 0;
        char head[64];
        assert_true(strlen((*k)->doc) > 10);
        for (const struct orr_param *p = (*k)->params; p->key; p++)
            assert_true(strlen(p->help) > 5);
        snprintf(head, sizeof head, "{kind: %s,", (*k)->name);
        for (size_t i = 0; i < COUNT(samples); i++)
            of_kind += strncmp(samples[i], head, strlen(head)) == 0;
        assert_true(of_kind > 0 || strcmp((*k)->name, "file") == 0);
    }
    assert_int_equal(n, 19);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_sound),
        cmocka_unit_test(parallel_links_are_blocks),
        cmocka_unit_test(places_differ),
        cmocka_unit_test(kinds_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
