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
#include "topo/route.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define LINK "link: {rate: 100Gbps, delay: 500ns}"

/* Builds the value of `topology`; *why tells why not. */
static inline orr_err try_topology(const char *yaml, struct orr_graph **g,
                                   struct orr_report *why)
{
    struct orr_config *c;
    char text[4096];
    int n = snprintf(text, sizeof text, "topology: %s\n", yaml);
    assert_true(n > 0 && (size_t)n < sizeof text);
    *why = (struct orr_report){ .code = ORR_OK };
    *g = NULL;
    orr_err err = orr__config_parse("t.yaml", text, (size_t)n, &c, why);
    if (err)
        return err;
    err = orr__graph_build(c, orr__yaml_get(orr__config_root(c), "topology"),
                           1, g, why);
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
static inline struct orr_routes *all_routes(const struct orr_graph *g)
{
    struct orr_report why = { .code = ORR_OK };
    struct orr_routes *r = NULL;
    uint32_t *all = orr__alloc(g->hosts, sizeof *all);
    for (uint32_t h = 0; h < g->hosts; h++)
        all[h] = h;
    if (orr__routes_build(g, all, g->hosts, &r, &why) != ORR_OK)
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
        fail_msg("%s: cable %u runs from %u to %u, not from %u to %u",
                 g->kind, c, g->from[c], g->to[c], a, b);
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
