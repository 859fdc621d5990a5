#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/plain_search.h"

static const char *const samples[] = {
    "{kind: ring, hosts: 2, links: 2, " LINK "}",
    "{kind: ring, hosts: 9, " LINK "}",
    "{kind: ring, hosts: 8, links: 2, " LINK "}",
    "{kind: fully-connected, hosts: 7, links: 3, " LINK "}",
    "{kind: fat-tree, k: 2, " LINK "}",
    "{kind: fat-tree, k: 4, oversubscription: 2, " LINK "}",
    "{kind: fat-tree, k: 4, links: 2, " LINK "}",
    "{kind: torus, dims: [4, 3, 2], " LINK "}",
    "{kind: torus, dims: [5, 5], links: 2, " LINK "}",
    "{kind: parameter-server, workers: 5, servers: 2, racks: 3, " LINK "}",
    "{kind: switch, hosts: 1, " LINK "}",
    "{kind: switch, hosts: 6, " LINK "}",
    "{kind: dumbbell, left: 3, right: 2, links: 2, " LINK "}",
    "{kind: leaf-spine, leaves: 4, spines: 3, hosts_per_leaf: 2, " LINK "}",
    "{kind: leaf-spine, hosts: 13, oversubscription: 2, " LINK "}",
    "{kind: fat-tree, hosts: 20, " LINK "}",
    "{kind: clos, hosts: 13, radix: 4, " LINK "}",
    "{kind: clos, hosts: 9, radix: 6, links: 2, oversubscription: 2, " LINK "}",
    "{kind: dragonfly, h: 1, " LINK "}",
    "{kind: dragonfly, p: 2, a: 3, h: 2, groups: 4, " LINK "}",
    "{kind: hyperx, dims: [3, 2, 2, 2], hosts_per_switch: 2, " LINK "}",
    "{kind: slimfly, q: 4, hosts_per_switch: 2, " LINK "}",
    "{kind: jellyfish, switches: 9, degree: 4, hosts_per_switch: 2, " LINK "}",
    "{kind: bcube, n: 3, k: 1, " LINK "}",
    "{kind: strides, hosts: 16, degree: 6, " LINK "}",
    "{kind: strides, hosts: 16, degree: 4, direction: forward, " LINK "}",
    "{kind: strides, hosts: 9, degree: 3, links: 2, direction: forward, "
    "matching: [[0, 4], [8, 2]], " LINK "}",
    "{kind: strides, hosts: 7, strides: [3], direction: forward, servers: "
    "{gpus: 2, " LINK "}, " LINK "}",
    "{kind: ring, hosts: 4, servers: {gpus: 3, " LINK "}, " LINK "}",
    "{kind: dragonfly, h: 1, servers: {gpus: 2, " LINK "}, " LINK "}",
    "{kind: fat-tree, k: 4, links: 2, servers: {gpus: 2, " LINK "}, " LINK "}",
};

/* With some links closed: what is left of the ways, and no other. */
static void check_around(const struct orr_graph *g, struct orr_random *random,
                         bool every_host)
{
    struct orr_report why = {.code = ORR_OK};
    bool *closed = orr__alloc(g->links, sizeof *closed);
    uint32_t *dist = orr__alloc(g->nodes, sizeof *dist);
    uint32_t *all = orr__alloc(g->hosts, sizeof *all), n = 0;
    struct orr_routing *r;
    for (uint32_t l = 0; l < g->links; l++) {
        uint32_t a = g->from[l], b = g->to[l];
        closed[l] = g->out_off[a + 1] - g->out_off[a] > 1
                    && g->out_off[b + 1] - g->out_off[b] > 1
                    && orr__random_below(random, 4) == 0;
        closed[l] |= orr__link_absent(g, l);
    }
    for (uint32_t h = 0; h < g->hosts; h++)
        if (every_host || orr__random_below(random, 2))
            all[n++] = h;
    assert_int_equal(orr__routing_build_around(g, closed, all, n, &r, &why),
                     ORR_OK);
    for (uint32_t i = 0; i < n; i++) {
        relax(g, closed, all[i], dist);
        compare(g, closed, r, all[i], dist);
        for (uint32_t v = 0; v < g->nodes; v++) {
            const uint32_t *set;
            if (dist[v] != FAR || r->row[v] == ORR_NO_ROW)
                continue;
            assert_int_equal(next_hops(g, r, v, all[i], &set), 1);
            assert_int_equal(*set, g->links);
        }
    }
    orr__routing_free(r);
    orr__free(closed);
    orr__free(dist);
    orr__free(all);
}

static void ways_around_closed_links(void **state)
{
    struct orr_random random;
    orr__random_init(&random, 5, 0, ORR_PURPOSE_LOSS);
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *g = topology(samples[i]);
        for (int round = 0; round < 10; round++)
            check_around(g, &random, round % 2);
        orr__graph_free(g);
    }
}

static void every_kind_matches_a_plain_search(void **state)
{
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *g = topology(samples[i]);
        struct orr_routing *r = all_routes(g);
        check_all(g, r);
        orr__routing_free(r);
        orr__graph_free(g);
    }
}

static void random_graphs_match_a_plain_search(void **state)
{
    struct orr_random r;
    uint32_t shared = 0, own = 0;
    orr__random_init(&r, 1, 1, ORR_PURPOSE_TEST);
    for (int i = 0; i < 150; i++) {
        char yaml[128], *path = text_file("");
        FILE *f = fopen(path, "w");
        random_graph(&r, f);
        assert_int_equal(fclose(f), 0);
        snprintf(yaml, sizeof yaml, "{kind: file, file: %s, " LINK "}", path);
        struct orr_graph *g = topology(yaml);
        struct orr_routing *routes = all_routes(g);
        check_all(g, routes);
        for (uint32_t h = 0; h < g->hosts; h++) {
            shared += g->out_off[h + 1] - g->out_off[h] == 1;
            own += g->out_off[h + 1] - g->out_off[h] > 1;
        }
        orr__routing_free(routes);
        orr__graph_free(g);
        unlink(path);
        free(path);
    }
    assert_true(shared > 50 && own > 50); /* both sorts were met */
}

static void hosts_of_a_switch_share_a_column(void **state)
{
    struct orr_graph *g = topology("{kind: fat-tree, k: 8, " LINK "}");
    struct orr_routing *r = all_routes(g);
    assert_int_equal(r->columns, 32);
    for (uint32_t h = 0; h < g->hosts; h++) {
        assert_int_equal(r->column[h], h / 4);
        assert_true(r->row[h] == ORR_NO_ROW);
        assert_int_equal(r->only_link[h], h);
        assert_int_equal(r->last_link[h], g->cables + h);
    }
    /* 80 switches, 32 columns, and few different sets */
    assert_true(r->list_length <= 2 * 384);
    assert_true(r->bytes < 80 * 32 * 4 + 32768);
    orr__routing_free(r);
    orr__graph_free(g);
}

static void tables_exist_only_for_destinations(void **state)
{
    static const uint32_t dests[] = {0, 9, 9, 127, 0};
    struct orr_graph *g = topology("{kind: fat-tree, k: 8, " LINK "}");
    struct orr_report why = {.code = ORR_OK};
    struct orr_routing *r;
    assert_int_equal(orr__routing_build(g, dests, 5, &r, &why), ORR_OK);
    assert_int_equal(r->columns, 3);
    for (uint32_t h = 0; h < g->hosts; h++)
        assert_int_equal(r->column[h] != ORR_NONE,
                         h == 0 || h == 9 || h == 127);
    check_all(g, r);
    orr__routing_free(r);
    assert_int_equal(orr__routing_build(g, NULL, 0, &r, &why), ORR_OK);
    assert_int_equal(r->columns, 0);
    orr__routing_free(r);
    orr__graph_free(g);
}

/* Only way from a to c: through b, a host with two cables. */
static void hosts_that_do_not_forward_separate(void **state)
{
    static const char text[] =
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"type\" "
        "attr.type=\"string\"/><graph edgedefault=\"undirected\">"
        "<node id=\"a\"><data key=\"t\">host</data></node>"
        "<node id=\"s\"><data key=\"t\">switch</data></node>"
        "<node id=\"b\"><data key=\"t\">host</data></node>"
        "<node id=\"t\"><data key=\"t\">switch</data></node>"
        "<node id=\"c\"><data key=\"t\">host</data></node>"
        "<edge source=\"a\" target=\"s\"/><edge source=\"s\" target=\"b\"/>"
        "<edge source=\"b\" target=\"t\"/><edge source=\"t\" target=\"c\"/>"
        "</graph></graphml>";
    static const uint32_t fine[] = {0, 1}, cut[] = {0, 1, 2};
    char yaml[128], *path = text_file(text);
    struct orr_report why = {.code = ORR_OK};
    struct orr_routing *r = NULL;
    snprintf(yaml, sizeof yaml, "{kind: file, file: %s, " LINK "}", path);
    struct orr_graph *g = topology(yaml);
    assert_int_equal(orr__routing_build(g, fine, 2, &r, &why), ORR_OK);
    check_all(g, r);
    orr__routing_free(r);
    r = NULL;
    assert_int_equal(orr__routing_build(g, cut, 3, &r, &why), ORR_ECONFIG);
    assert_null(r);
    assert_string_equal(
        why.message,
        "c cannot reach a: every path leads through hosts that do not forward");
    orr__graph_free(g);
    unlink(path);
    free(path);
}

static void too_many_hops_are_refused(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_routing *r = NULL;
    static const uint32_t dests[] = {0, 1};
    struct orr_graph *g = topology("{kind: leaf-spine, leaves: 2, spines: "
                                   "65536, hosts_per_leaf: 1, " LINK "}");
    assert_int_equal(orr__routing_build(g, dests, 2, &r, &why), ORR_ECONFIG);
    assert_string_equal(
        why.message,
        "node 3 has 65536 equally good next hops; the limit is 65535");
    orr__graph_free(g);
}

/* Up to 255 are counted in the table, more in the list. */
static void many_hops_are_all_there(void **state)
{
    static const uint32_t spines[] = {254, 255, 256, 257, 700};
    for (size_t i = 0; i < COUNT(spines); i++) {
        char yaml[160];
        uint32_t n = 0;
        snprintf(yaml, sizeof yaml,
                 "{kind: leaf-spine, leaves: 3, spines: %u, "
                 "hosts_per_leaf: 2, " LINK "}",
                 spines[i]);
        struct orr_graph *g = topology(yaml);
        struct orr_routing *r = all_routes(g);
        check_all(g, r);
        const uint32_t *link = orr__routing_next(r, g->hosts, 5, &n);
        assert_int_equal(n, spines[i]);
        assert_int_equal(g->from[link[n - 1]], g->hosts);
        orr__routing_free(r);
        orr__graph_free(g);
    }
}

/* A node's sets stand together, whoever asks in which order, so that an entry
 * counts from where its node's begin: 2^24 of them are each node's own. */
static void a_node_has_a_part_of_the_list(void **state)
{
    struct orr_graph *g = topology("{kind: jellyfish, switches: 60, degree: 7, "
                                   "hosts_per_switch: 2, " LINK "}");
    struct orr_routing *r = all_routes(g);
    uint32_t before = 0;
    for (uint32_t v = g->hosts; v < g->nodes; v++) {
        uint32_t end = v + 1 < g->nodes
                           ? r->part[v + 1]
                           : (uint32_t)(r->list_length / ORR_PART_ALIGN);
        assert_true(r->part[v] >= before && r->part[v] < end);
        before = r->part[v];
        const uint32_t *part = orr__routing_list(r, r->part[v]);
        uint32_t n = (end - before) * ORR_PART_ALIGN;
        for (uint32_t i = 0; i < n; i++) /* zeros fill it up */
            assert_true(g->from[part[i]] == v
                        || (part[i] == 0 && i + ORR_PART_ALIGN > n));
    }
    assert_true(before > 0);
    orr__routing_free(r);
    orr__graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_matches_a_plain_search),
        cmocka_unit_test(ways_around_closed_links),
        cmocka_unit_test(random_graphs_match_a_plain_search),
        cmocka_unit_test(hosts_of_a_switch_share_a_column),
        cmocka_unit_test(a_node_has_a_part_of_the_list),
        cmocka_unit_test(tables_exist_only_for_destinations),
        cmocka_unit_test(hosts_that_do_not_forward_separate),
        cmocka_unit_test(too_many_hops_are_refused),
        cmocka_unit_test(many_hops_are_all_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
