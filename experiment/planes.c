#include "experiment/planes.h"

#include "net/net.h"

/* Sums over the links that lead into a plane, at the end of the run. */
static struct orr_link_sample sum_of(const struct orr_world *w, uint32_t plane)
{
    const struct orr_graph *g = w->graph;
    struct orr_link_sample sum = {0}, s;

    for (uint32_t l = 0; l < g->links; l++) {
        if (g->plane[g->from[l]] || g->plane[g->to[l]] != plane + 1)
            continue;
        orr__net_link_sample(w->net, l, w->result.end_ps, &s);
        sum.bytes += s.bytes;
        sum.packets += s.packets;
        sum.drops += s.drops;
    }
    return sum;
}

void orr__planes_json(struct orr_json *j, const struct orr_world *w)
{
    if (w->graph->planes < 2)
        return;
    orr__json_list(j, "planes");
    for (uint32_t p = 0; p < w->graph->planes; p++) {
        struct orr_link_sample s = sum_of(w, p);

        orr__json_flat_object(j, NULL);
        orr__json_count(j, "plane", p);
        orr__json_count(j, "bytes", s.bytes);
        orr__json_count(j, "packets", s.packets);
        orr__json_count(j, "drops", s.drops);
        orr__json_end(j);
    }
    orr__json_end(j);
}
