/* Graphviz: one node and one edge a line, with what a reader of the picture
 * wants to know. Positions are in points and fixed, far enough from one another
 * for the labels: `neato -n` takes them as they are, and so does `dot`, by the
 * layout that the file asks for. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/file.h"
#include "core/units.h"
#include "topo/graph.h"
#include "topo/node_names.h"

enum { ROWS = 8, LOOKED_AT = 4096, LABELLED = 64 };
#define APART 64.0 /* points between two labels */

/* Points of a unit of the layout, across and up. */
struct scale {
    double x, y;
};

static double y_of_node(const struct orr_graph *g, uint32_t v)
{
    return g->y[v];
}

/* Heights that nodes stand at, if there are few of them; 0: many. */
static unsigned list_rows(const struct orr_graph *g, double row[ROWS])
{
    unsigned n = 0;
    for (uint32_t v = 0; v < g->nodes; v++) {
        unsigned i = 0;
        while (i < n && row[i] != y_of_node(g, v))
            i++;
        if (i == ROWS)
            return 0;
        if (i == n)
            row[n++] = y_of_node(g, v);
    }
    return n;
}

/* The least distance of two nodes that do not coincide; same: in one row. */
static double closest(const struct orr_graph *g, bool same)
{
    uint32_t n = g->nodes < LOOKED_AT ? g->nodes : LOOKED_AT;
    double least = DBL_MAX;
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < a; b++) {
            double x = g->x[a] - g->x[b], y = g->y[a] - g->y[b];
            double square = x * x + y * y;
            if (square > 1e-12 && square < least && !(same && y != 0))
                least = square;
        }
    }
    return least < DBL_MAX ? sqrt(least) : 1;
}

/* Rows are stretched across and not up, or a wide one would be as tall. */
static struct scale fit_scale(const struct orr_graph *g)
{
    double row[ROWS], gap = DBL_MAX, width;
    unsigned n = list_rows(g, row);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < i; j++)
            gap = fabs(row[i] - row[j]) < gap ? fabs(row[i] - row[j]) : gap;
    width = APART / closest(g, n > 0);
    return (struct scale){width, n > 1 ? 2 * APART / gap : width};
}

/* A name as Graphviz reads it. */
static void write_label(FILE *f, const struct orr_graph *g, uint32_t v)
{
    char buf[ORR_NODE_NAME];
    for (const char *c = orr__node_name(g, v, buf, sizeof buf); *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', f);
        fputc(*c, f);
    }
}

static void write_node(FILE *f, const struct orr_graph *g, uint32_t v,
                       const struct scale *s)
{
    static const char *const fill[] = {"white", "#dbe9f6", "#c7e3c7", "#f6dcc0",
                                       "#e6d3ee"};
    unsigned level = g->level[v] < 5 ? g->level[v] : 4;
    fprintf(f, "  %" PRIu32 " [label=\"", v);
    write_label(f, g, v);
    fprintf(f, "\", shape=%s, fillcolor=\"%s\", pos=\"%.6g,%.6g!\"];\n",
            orr__is_host(g, v) ? "ellipse" : "box", fill[level], s->x * g->x[v],
            s->y * g->y[v]);
}

/* What a cable is, as a label where there are few, and as a tip. */
static void write_cable(FILE *f, const struct orr_graph *g, uint32_t c)
{
    static const char *const colour[] = {"#606060", "#1f77b4", "#2ca02c",
                                         "#d95f02", "#9467bd", "#8c564b"};
    char rate[32], delay[32];
    orr__format_rate(g->rate_bps[c], rate, sizeof rate);
    orr__format_time(g->delay_ps[c], delay, sizeof delay);
    fprintf(f, "  %" PRIu32 " -- %" PRIu32 " [%s=\"%s %s\", color=\"%s\"",
            g->from[c], g->to[c], g->cables <= LABELLED ? "label" : "tooltip",
            rate, delay, colour[g->tier[c] % 6]);
    if (g->loss[c] > 0)
        fprintf(f, ", loss=%g", g->loss[c]);
    if (g->simplex && g->simplex[c])
        fprintf(f, ", dir=forward");
    fprintf(f, "];\n");
}

orr_err orr__graph_write_dot(const struct orr_graph *g, const char *path,
                             struct orr_report *why)
{
    struct scale scale = fit_scale(g);
    struct orr_file s;
    orr_err err = orr__file_open(&s, path, why);
    if (err)
        return err;
    fprintf(s.out,
            "graph \"%s\" {\n"
            "  graph [layout=neato, inputscale=72, overlap=true];\n"
            "  node [style=filled, fontsize=9, margin=\"0.03,0.02\", "
            "width=0.5, height=0.25];\n"
            "  edge [fontsize=8];\n",
            g->kind);
    for (uint32_t v = 0; v < g->nodes; v++)
        write_node(s.out, g, v, &scale);
    for (uint32_t c = 0; c < g->cables; c++)
        write_cable(s.out, g, c);
    fprintf(s.out, "}\n");
    return orr__file_close(&s, ORR_OK, why);
}
