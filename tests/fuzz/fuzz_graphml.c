/* GraphML from anyone: read, routed, measured and written again. The first
 * byte chooses whether topology.link stands in for what edges leave out. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "topo/graph.h"
#include "topo/metrics.h"
#include "topo/routing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct orr_graph *g, const char *path)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_routing *r = NULL;
    struct orr_metrics m;
    uint32_t dests[8], n = g->hosts < 8 ? g->hosts : 8;
    for (uint32_t i = 0; i < n; i++)
        dests[i] = g->hosts - 1 - i;
    if (orr__routing_build(g, dests, n, &r, &why) == ORR_OK)
        orr__routing_free(r);
    why.code = ORR_OK;
    if (orr__graph_metrics(g, &m, &why) == ORR_OK && m.diameter >= g->nodes)
        abort();
    why.code = ORR_OK;
    if (orr__graph_write_graphml(g, path, &why) != ORR_OK)
        abort();
}

/* What was written must read back. */
static struct orr_graph *read_graph(const char *path, const char *link)
{
    char text[256];
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c;
    struct orr_graph *g = NULL;
    int n = snprintf(text, sizeof text, "topology: {kind: file, file: %s%s}\n",
                     path, link);
    if (orr__config_parse("fuzz", text, (size_t)n, &c, &why) != ORR_OK)
        abort();
    if (orr__graph_build(c, orr__yaml_get(orr__config_root(c), "topology"), 1,
                         &g, &why)
        != ORR_OK)
        g = NULL;
    orr__config_free(c);
    return g;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/orrery-fuzz-XXXXXX";
    if (size == 0 || size > 65536)
        return -1;
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)size - 1)
        abort();
    close(fd);
    struct orr_graph *g = read_graph(
        path, data[0] & 1 ? ", link: {rate: 1Gbps, delay: 1us}" : "");
    if (g && g->nodes < 200) {
        use(g, path);
        struct orr_graph *back = read_graph(path, "");
        if (back == NULL || back->cables != g->cables)
            abort();
        orr__graph_free(back);
    }
    orr__graph_free(g);
    unlink(path);
    return 0;
}
