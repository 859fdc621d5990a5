/* What kinds of topologies draw with: cables and where nodes lie on a picture.
 * A kind knows what is joined to what; rates, delays and the directions of
 * links are the same for all and are seen to here and in topo/graph.c. */
#include <igraph/igraph.h>
#include <math.h>

#include "core/assert.h"
#include "core/memory.h"
#include "topo/build/build.h"
#include "topo/igraph.h"

#define LINE_PARAMS(required)                                                  \
    {                                                                          \
        {.key = "rate",                                                        \
         .type = ORR_PARAM_RATE,                                               \
         .offset = offsetof(struct orr_line, rate_bps),                        \
         .fallback = required,                                                 \
         .min = "1bps",                                                        \
         .help = "bits per second, each direction"},                           \
            {.key = "delay",                                                   \
             .type = ORR_PARAM_TIME,                                           \
             .offset = offsetof(struct orr_line, delay_ps),                    \
             .fallback = required,                                             \
             .help = "propagation delay, more than 0"},                        \
            {.key = "loss",                                                    \
             .type = ORR_PARAM_REAL,                                           \
             .offset = offsetof(struct orr_line, loss),                        \
             .fallback = "",                                                   \
             .min = "0",                                                       \
             .max = "1",                                                       \
             .help = "probability that a packet is lost, 0 by default"},       \
            ORR_PARAM_END                                                      \
    }

static const struct orr_param whole_line[] = LINE_PARAMS(NULL);
static const struct orr_param part_of_line[] = LINE_PARAMS("");

const struct orr_param *orr__link_params(void)
{
    return whole_line;
}

orr_err orr__line_read(struct orr_config *c, const struct orr_yaml *map,
                       const char *what, const struct orr_line *base,
                       struct orr_line *out, struct orr_report *why)
{
    *out = base ? *base : (struct orr_line){.loss = 0};
    if (map == NULL && base)
        return ORR_OK;
    struct orr_param_set set = {base ? part_of_line : whole_line, out};
    orr_err err = orr__param_read(c, map, what, &set, 1, why);
    if (err)
        return err;
    if (out->delay_ps > 0)
        return ORR_OK;
    err = orr__yaml_fail(c, orr__yaml_get(map, "delay"), why,
                         "%s.delay is 0: every link needs a propagation "
                         "delay > 0",
                         what);
    orr__hint(why, "the shortest delay is the step in which nodes are "
                   "simulated side by side; a metre of fibre is 5ns");
    return err;
}

void orr__draft_cable(struct orr_draft *d, uint32_t a, uint32_t b,
                      unsigned tier, const struct orr_line *line)
{
    struct orr_graph *g = d->graph;
    ORR_ASSERT(d->drawn < g->cables && a != b);
    ORR_ASSERT(line->rate_bps > 0 && line->delay_ps >= 0);
    uint32_t c = d->drawn++;
    g->from[c] = a;
    g->to[c] = b;
    g->tier[c] = (uint8_t)tier;
    g->rate_bps[c] = line->rate_bps;
    g->delay_ps[c] = line->delay_ps;
    g->loss[c] = line->loss;
}

orr_err orr__draft_simplex(struct orr_draft *d, struct orr_report *why)
{
    struct orr_graph *g = d->graph;
    ORR_ASSERT(d->drawn > 0);
    if (!g->simplex)
        g->simplex = orr__alloc(g->cables, sizeof *g->simplex);
    if (!g->simplex)
        return orr__no_memory(why);
    g->simplex[d->drawn - 1] = true;
    return ORR_OK;
}

orr_err orr__draft_edges(struct orr_draft *d, const igraph_t *g,
                         struct orr_report *why)
{
    igraph_integer_t n = igraph_ecount(g);
    for (igraph_integer_t e = 0; e < n; e++) {
        igraph_integer_t a, b;
        orr_err err = orr__igraph(why, igraph_edge(g, e, &a, &b),
                                  "reading the edges of a graph");
        if (err)
            return err;
        if (!igraph_is_directed(g) && a > b) {
            igraph_integer_t swap = a;
            a = b;
            b = swap;
        }
        orr__draft_cable(d, (uint32_t)a, (uint32_t)b, 0, &d->link);
    }
    return ORR_OK;
}

void orr__draft_nodes(struct orr_draft *d, uint32_t first, uint32_t count,
                      unsigned level, bool host_forwards)
{
    for (uint32_t i = first; i < first + count; i++) {
        d->graph->level[i] = (uint8_t)level;
        d->graph->forwards[i] = level > 0 || host_forwards;
    }
}

void orr__draft_place(struct orr_draft *d, uint32_t node, double x, double y,
                      double z)
{
    d->graph->x[node] = rint(x * 1000) / 1000;
    d->graph->y[node] = rint(y * 1000) / 1000;
    d->graph->z[node] = rint(z * 1000) / 1000;
}

void orr__draft_ring(struct orr_draft *d, uint32_t first, uint32_t count,
                     double radius)
{
    double step = 2 * M_PI / (count ? count : 1);
    for (uint32_t i = 0; i < count; i++)
        orr__draft_place(d, first + i, radius * sin(i * step),
                         radius * cos(i * step), 0);
}

void orr__draft_circle(struct orr_draft *d, uint32_t first, uint32_t count)
{
    orr__draft_ring(d, first, count, 1);
}

void orr__draft_row(struct orr_draft *d, uint32_t first, uint32_t count,
                    double y)
{
    for (uint32_t i = 0; i < count; i++)
        orr__draft_place(d, first + i, (2.0 * i + 1) / count - 1, y, 0);
}
