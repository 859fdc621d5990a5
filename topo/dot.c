/* Graphviz: one node and one edge a line, with what a reader of the picture
 * wants to know. `neato -n` takes the positions as they are. */
#include <inttypes.h>
#include <stdio.h>

#include "core/units.h"
#include "topo/graph.h"
#include "core/file.h"

static void write_node(FILE *f, const struct orr_graph *g, uint32_t v)
{
    bool host = orr__is_host(g, v);
    fprintf(f,
            "  %" PRIu32 " [label=\"%s %" PRIu32
            "\", shape=%s, pos=\"%g,%g\"];\n",
            v, host ? "host" : "switch", v, host ? "ellipse" : "box",
            100 * g->x[v], 100 * g->y[v]);
}

static void write_cable(FILE *f, const struct orr_graph *g, uint32_t c)
{
    char rate[32], delay[32];
    orr__format_rate(g->rate_bps[c], rate, sizeof rate);
    orr__format_time(g->delay_ps[c], delay, sizeof delay);
    fprintf(f, "  %" PRIu32 " -- %" PRIu32 " [label=\"%s %s\"", g->from[c],
            g->to[c], rate, delay);
    if (g->loss[c] > 0)
        fprintf(f, ", loss=%g", g->loss[c]);
    fprintf(f, "];\n");
}

orr_err orr__graph_write_dot(const struct orr_graph *g, const char *path,
                             struct orr_report *why)
{
    struct orr_file s;
    orr_err err = orr__file_open(&s, path, why);
    if (err)
        return err;
    fprintf(s.out, "graph \"%s\" {\n", g->kind);
    for (uint32_t v = 0; v < g->nodes; v++)
        write_node(s.out, g, v);
    for (uint32_t c = 0; c < g->cables; c++)
        write_cable(s.out, g, c);
    fprintf(s.out, "}\n");
    return orr__file_close(&s, ORR_OK, why);
}
