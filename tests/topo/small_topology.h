/* Graphs from a line of YAML, for tests. Include cmocka's headers first. */
#ifndef ORR_TESTS_TOPO_SMALL_TOPOLOGY_H
#define ORR_TESTS_TOPO_SMALL_TOPOLOGY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "topo/graph.h"
#include "topo/metrics.h"
#include "topo/node_names.h"
#include "topo/partition.h"
#include "topo/routing.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define LINK     "link: {rate: 100Gbps, delay: 500ns}"

/* Builds the value of `topology`; *why tells why not. */
static inline orr_err try_topology(const char *yaml, struct orr_graph **g,
                                   struct orr_report *why)
{
    struct orr_config *c;
    char text[4096];
    int n = snprintf(text, sizeof text, "topology: %s\n", yaml);
    assert_true(n > 0 && (size_t)n < sizeof text);
    *why = (struct orr_report){.code = ORR_OK};
    *g = NULL;
    orr_err err = orr__config_parse("t.yaml", text, (size_t)n, &c, why);
    if (err)
        return err;
    err = orr__graph_build(c, orr__yaml_get(orr__config_root(c), "topology"), 1,
                           g, why);
    orr__config_free(c);
    return err;
}

static inline struct orr_graph *topology(const char *yaml)
{
    struct orr_graph *g;
    struct orr_report why;
    if (try_topology(yaml, &g, &why) != ORR_OK)
        fail_msg("%s: %s", yaml, why.message);
    return g;
}

/* Routes to all hosts. */
static inline struct orr_routing *all_routes(const struct orr_graph *g)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_routing *r = NULL;
    uint32_t *all = orr__alloc(g->hosts, sizeof *all);
    for (uint32_t h = 0; h < g->hosts; h++)
        all[h] = h;
    if (orr__routing_build(g, all, g->hosts, &r, &why) != ORR_OK)
        fail_msg("%s: %s", g->kind, why.message);
    orr__free(all);
    return r;
}

/* Cable c runs from a to b. */
static inline void assert_cable(const struct orr_graph *g, uint32_t c,
                                uint32_t a, uint32_t b)
{
    assert_true(c < g->cables);
    if (g->from[c] != a || g->to[c] != b)
        fail_msg("%s: cable %u runs from %u to %u, not from %u to %u", g->kind,
                 c, g->from[c], g->to[c], a, b);
}

/* Sizes, and what is known of distances and of the bisection: mean_sum is the
 * sum of the links between all pairs of hosts, in both directions; bisection 0:
 * only an upper bound is known. */
struct expected {
    uint32_t hosts, switches, cables, diameter;
    uint64_t distance_sum, bisection_bps;
};

static inline void assert_graph(const struct orr_graph *g,
                                const struct expected *e)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_metrics m;
    uint64_t bound;
    double pairs = (double)e->hosts * (e->hosts - 1);
    assert_int_equal(g->hosts, e->hosts);
    assert_int_equal(g->nodes - g->hosts, e->switches);
    assert_int_equal(g->cables, e->cables);
    assert_int_equal(g->links, 2 * e->cables);
    assert_int_equal(orr__graph_metrics(g, &m, &why), ORR_OK);
    assert_int_equal(m.diameter, e->diameter);
    if (m.mean_path * pairs < (double)e->distance_sum - 0.5
        || m.mean_path * pairs > (double)e->distance_sum + 0.5)
        fail_msg("%s: the distances are %.0f in sum, not %llu", g->kind,
                 m.mean_path * pairs, (unsigned long long)e->distance_sum);
    assert_int_equal(m.bisection_exact, e->bisection_bps != 0);
    if (!e->bisection_bps)
        return;
    assert_true(m.bisection_bps == e->bisection_bps);
    assert_int_equal(orr__graph_bisection_bound(g, &bound, &why), ORR_OK);
    assert_true(m.bisection_bps <= bound);
}

/* Cables of a node. */
static inline uint32_t degree(const struct orr_graph *g, uint32_t node)
{
    return g->out_off[node + 1] - g->out_off[node];
}

static inline void assert_name(const struct orr_graph *g, uint32_t node,
                               const char *name)
{
    char buf[ORR_NODE_NAME];
    uint32_t found = UINT32_MAX;
    assert_string_equal(orr__node_name(g, node, buf, sizeof buf), name);
    assert_true(orr__node_find(g, name, &found));
    assert_int_equal(found, node);
}

/* A temporary file with this text; the caller unlinks and frees its name. */
static inline char *text_file(const char *text)
{
    char *path = strdup("/tmp/orrery-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

#endif
