/* Topology files of other simulators: whatever the text, a graph that routes
 * and reads back, or a failure that says something. The first byte, from '0',
 * chooses the format. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/config/config.h"
#include "topo/file/file.h"
#include "topo/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct orr_graph *read_graph(const char *path,
                                    const struct orr_topology_format_ops *k)
{
    char text[512];
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c;
    struct orr_graph *g = NULL;
    int n = snprintf(text, sizeof text,
                     "topology: {kind: file, file: %s, format: %s%s}\n", path,
                     k->name,
                     k->open ? ", vertices: leaves, component: largest, link: "
                               "{rate: 1Gbps, delay: 1us}"
                             : "");
    if (orr__config_parse("fuzz", text, (size_t)n, &c, &why) != ORR_OK)
        abort();
    orr_err err = orr__graph_build(
        c, orr__yaml_get(orr__config_root(c), "topology"), 1, &g, &why);
    if (err != ORR_OK) {
        if (!why.message[0] || err == ORR_EINTERNAL)
            abort();
        g = NULL;
    }
    orr__config_free(c);
    return g;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct orr_topology_format_ops *const *k = orr__topology_formats();
    size_t formats = 0;
    char path[] = "/tmp/orrery-fuzz-XXXXXX";
    if (size == 0 || size > 65536)
        return -1;
    while (k[formats])
        formats++;
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)size - 1)
        abort();
    close(fd);
    struct orr_graph *g =
        read_graph(path, k[(uint8_t)(data[0] - '0') % formats]);
    if (g && g->nodes < 200) {
        struct orr_report why = {.code = ORR_OK};
        if (orr__graph_write_graphml(g, path, &why) != ORR_OK)
            abort();
        struct orr_graph *back = read_graph(path, k[0]);
        if (!back || back->cables != g->cables || back->hosts != g->hosts)
            abort();
        orr__graph_free(back);
    }
    orr__graph_free(g);
    unlink(path);
    return 0;
}
