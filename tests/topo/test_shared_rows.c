#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/topo/plain_search.h"

#define SERVERS "servers: {gpus: 4, " LINK "}, " LINK "}"
#define RAIL    "{kind: rail-optimised, hosts: 9, servers_per_leaf: "

static const char *const samples[] = {
    RAIL "3, spines: 5, " SERVERS,
    RAIL "2, spines: 1, " SERVERS,
    RAIL "9, " SERVERS,
    RAIL "5, spines: 300, " SERVERS,
    RAIL "4, spines: 3, links: 2, " SERVERS,
    RAIL "3, forward: true, " SERVERS,
    "{kind: rail-only, hosts: 5, " SERVERS,
    "{kind: rail-optimised, hosts: 1, " SERVERS,
    "{kind: fat-tree, k: 4, links: 2, " SERVERS,
    "{kind: fat-tree, k: 4, " LINK "}",
    "{kind: bcube, n: 3, k: 1, " LINK "}",
    "{kind: torus, dims: [4, 3], " LINK "}",
    "{kind: leaf-spine, leaves: 4, spines: 3, hosts_per_leaf: 2, links: "
    "2, " LINK "}",
    "{kind: jellyfish, switches: 9, degree: 4, hosts_per_switch: 2, " LINK "}",
};

static struct orr_routing *routes_by(const struct orr_graph *g,
                                     const uint32_t *dests, uint32_t n,
                                     enum orr_rows_kind rows)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_routing_request want = {.rows = rows};
    struct orr_routing *r = NULL;
    if (orr__routing_build_for(g, NULL, &want, dests, n, &r, &why) != ORR_OK)
        fail_msg("%s: %s", g->kind, why.message);
    return r;
}

/* At every node that packets to d can be at: the same links, in that order;
 * and a count of 0 at the same nodes. */
static void compare_tables(const struct orr_graph *g,
                           const struct orr_routing *a,
                           const struct orr_routing *b, uint32_t d)
{
    for (uint32_t v = 0; v < g->nodes; v++) {
        uint32_t n[2] = {0};
        assert_int_equal(a->row[v] == ORR_NO_ROW, b->row[v] == ORR_NO_ROW);
        assert_int_equal(a->only_link[v], b->only_link[v]);
        if (a->row[v] == ORR_NO_ROW)
            continue;
        uint32_t x = a->table[a->row[v] + a->column[d]];
        uint32_t y = b->table[b->row[v] + b->column[d]];
        assert_int_equal(orr__entry_count(x), orr__entry_count(y));
        assert_int_equal(x == 0, y == 0);
        const uint32_t *of_a = orr__routing_next(a, v, d, &n[0]);
        const uint32_t *of_b = orr__routing_next(b, v, d, &n[1]);
        assert_int_equal(n[0], n[1]);
        for (uint32_t i = 0; i < n[0]; i++)
            assert_int_equal(of_a[i], of_b[i]);
    }
}

/* Some of the hosts in random order, at times with a switch. */
static uint32_t draw_destinations(const struct orr_graph *g,
                                  struct orr_random *random, uint32_t *dests)
{
    uint32_t n = 0, most = (uint32_t)orr__random_below(random, g->hosts) + 1;
    bool all = flip(random, 2);
    for (uint32_t h = 0; h < g->hosts; h++)
        if (all || orr__random_below(random, g->hosts) < most)
            dests[n++] = h;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = (uint32_t)orr__random_below(random, i), h = dests[i - 1];
        dests[i - 1] = dests[k];
        dests[k] = h;
    }
    if (flip(random, 3) && g->nodes > g->hosts && !g->gpus)
        dests[n++] = g->hosts;
    return n;
}

/* Returns whether rows were shared. */
static bool check_graph(const struct orr_graph *g, struct orr_random *random)
{
    uint32_t *dests = orr__alloc((size_t)g->hosts + 1, sizeof *dests);
    uint32_t n = draw_destinations(g, random, dests);
    struct orr_routing *whole = routes_by(g, dests, n, ORR_ROWS_ALL);
    struct orr_routing *shared = routes_by(g, dests, n, ORR_ROWS_SHARED);
    for (uint32_t v = 0; v < g->nodes; v++)
        assert_int_equal(whole->column[v] == ORR_NONE,
                         shared->column[v] == ORR_NONE);
    for (uint32_t i = 0; i < n; i++)
        compare_tables(g, whole, shared, dests[i]);
    if (!g->gpus) /* where ways over NVSwitches are preferred: as whole ones */
        check_all(g, shared);
    bool differs = shared->bytes != whole->bytes;
    orr__routing_free(whole);
    orr__routing_free(shared);
    orr__free(dests);
    return differs;
}

static void every_kind_is_as_with_whole_rows(void **state)
{
    struct orr_random random;
    orr__random_init(&random, 3, 1, ORR_PURPOSE_TEST);
    for (size_t i = 0; i < COUNT(samples); i++) {
        struct orr_graph *g = topology(samples[i]);
        for (int round = 0; round < 8; round++)
            check_graph(g, &random);
        orr__graph_free(g);
    }
}

/* As GraphML: a tree of switches, switches apart from it that hosts alone
 * connect, and hosts on the tree, on some of the others, and on each other. */
static void graph_with_islands(struct orr_random *r, FILE *f)
{
    uint32_t tree = 1 + (uint32_t)orr__random_below(r, 6);
    uint32_t apart = 1 + (uint32_t)orr__random_below(r, 4);
    uint32_t hosts = 2 + (uint32_t)orr__random_below(r, 14);
    uint32_t first = tree + apart;
    fputs("<graphml><key id=\"t\" for=\"node\" attr.name=\"type\" "
          "attr.type=\"string\"/><graph edgedefault=\"undirected\">\n",
          f);
    for (uint32_t v = 0; v < first + hosts; v++)
        fprintf(f, "<node id=\"n%u\"><data key=\"t\">%s</data></node>\n", v,
                v < first ? "switch" : "host");
#define EDGE(a, b)                                                             \
    fprintf(f, "<edge source=\"n%u\" target=\"n%u\"/>\n", a, (uint32_t)(b))
    for (uint32_t v = 1; v < tree; v++)
        EDGE(v, orr__random_below(r, v));
    for (uint32_t v = tree; v < first; v++)
        EDGE(v, first + orr__random_below(r, hosts));
    for (uint32_t h = first; h < first + hosts; h++) {
        EDGE(h, orr__random_below(r, tree));
        while (flip(r, 2))
            EDGE(h, orr__random_below(r, flip(r, 2) ? first : tree));
        if (h > first && flip(r, 5))
            EDGE(h, first + orr__random_below(r, h - first));
    }
#undef EDGE
    fputs("</graph></graphml>\n", f);
}

/* Returns how many tables were not whole. */
static uint32_t try_graphs(void (*draw)(struct orr_random *, FILE *),
                           uint32_t most)
{
    struct orr_random random;
    uint32_t shared = 0;
    orr__random_init(&random, 4, 1, ORR_PURPOSE_TEST);
    for (uint32_t i = 0; i < most; i++) {
        char yaml[128], *path = text_file("");
        FILE *f = fopen(path, "w");
        draw(&random, f);
        assert_int_equal(fclose(f), 0);
        snprintf(yaml, sizeof yaml, "{kind: file, file: %s, " LINK "}", path);
        struct orr_graph *g = topology(yaml);
        shared += check_graph(g, &random);
        orr__graph_free(g);
        unlink(path);
        free(path);
    }
    return shared;
}

static void random_graphs_are_as_with_whole_rows(void **state)
{
    assert_true(try_graphs(random_graph, 300) > 200);
    assert_true(try_graphs(graph_with_islands, 300) > 280);
}

/* Servers as there are thousands of: few strips, whatever their number. */
static void a_table_of_rails_hardly_grows(void **state)
{
    static const char *const kinds[] = {
        "{kind: rail-optimised, hosts: 32, servers_per_leaf: 8, spines: 4, "
        "servers: {gpus: 8, " LINK "}, " LINK "}",
        "{kind: rail-optimised, hosts: 128, servers_per_leaf: 8, spines: 4, "
        "servers: {gpus: 8, " LINK "}, " LINK "}"};
    uint64_t bytes[2];
    for (int i = 0; i < 2; i++) {
        struct orr_graph *g = topology(kinds[i]);
        uint32_t *all = orr__alloc(g->hosts, sizeof *all);
        for (uint32_t h = 0; h < g->hosts; h++)
            all[h] = g->hosts - 1 - h;
        struct orr_routing *r = routes_by(g, all, g->hosts, ORR_ROWS_SHARED);
        bytes[i] = r->bytes;
        for (uint32_t h = 8; h < g->hosts; h++) /* those of one GPU number */
            assert_int_equal(r->row[h] + 8, r->row[h - 8]);
        orr__routing_free(r);
        orr__free(all);
        orr__graph_free(g);
    }
    assert_true(bytes[1] < 5 * bytes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_as_with_whole_rows),
        cmocka_unit_test(random_graphs_are_as_with_whole_rows),
        cmocka_unit_test(a_table_of_rails_hardly_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
