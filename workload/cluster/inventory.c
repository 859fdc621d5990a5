/* Servers and racks, out of a graph. */
#include "core/none.h"
#include "workload/cluster/placement/placement.h"

#include "core/assert.h"
#include "core/memory.h"

/* The lowest of the switches that a node hangs on, but for those that are in
 * servers; or `best` if that is lower. */
static uint32_t lowest_switch(const struct orr_graph *g, uint32_t node,
                              uint32_t first, uint32_t best)
{
    for (uint32_t i = g->out_off[node]; i < g->out_off[node + 1]; i++) {
        uint32_t to = g->to[g->out_link[i]];
        if (to >= first && to < best)
            best = to;
    }
    return best;
}

/* number: per switch, that of its rack; ORR_NONE: it has none yet. */
static void number_racks(struct orr_inventory *v, uint32_t *number)
{
    const struct orr_graph *g = v->graph;
    uint32_t each = g->gpus ? g->gpus : 1;
    uint32_t first = g->hosts + (g->gpus ? v->servers : 0), alone = 0;
    for (uint32_t i = first; i < g->nodes; i++)
        number[i] = ORR_NONE;
    for (uint32_t s = 0; s < v->servers; s++) {
        uint32_t leaf = ORR_NONE;
        if (g->gpus)
            leaf = lowest_switch(g, g->hosts + s, first, leaf);
        for (uint32_t k = 0; k < each && leaf == ORR_NONE; k++)
            leaf = lowest_switch(g, s * each + k, first, leaf);
        if (leaf != ORR_NONE && number[leaf] == ORR_NONE)
            number[leaf] = v->racks++;
        for (uint32_t k = 0; k < each; k++) {
            v->server[s * each + k] = s;
            v->rack[s * each + k] = leaf == ORR_NONE ? ORR_NONE : number[leaf];
        }
        alone += leaf == ORR_NONE;
    }
    for (uint32_t i = 0; i < v->gpus && alone; i++)
        if (v->rack[i] == ORR_NONE)
            v->rack[i] = v->racks + v->server[i];
    v->racks += alone ? v->servers : 0;
    for (uint32_t i = 0; i < v->gpus; i++)
        ORR_ASSERT(v->server[i] < v->servers && v->rack[i] < v->racks);
}

orr_err orr__inventory_init(struct orr_inventory *v, const struct orr_graph *g,
                            uint32_t share, struct orr_report *why)
{
    *v = (struct orr_inventory){
        .graph = g,
        .gpus = g->hosts,
        .share = share,
        .n_kinds = 1,
        .servers = g->gpus ? g->hosts / g->gpus : g->hosts,
        .taken = orr__alloc(g->hosts, sizeof *v->taken),
        .resting = orr__alloc(g->hosts, sizeof *v->resting),
        .out = orr__alloc(g->hosts, sizeof *v->out),
        .server = orr__alloc(g->hosts, sizeof *v->server),
        .rack = orr__alloc(g->hosts, sizeof *v->rack),
    };
    uint32_t *number = orr__alloc(g->nodes, sizeof *number);
    bool ok =
        v->taken && v->resting && v->out && v->server && v->rack && number;
    if (ok)
        number_racks(v, number);
    orr__free(number);
    if (ok)
        return ORR_OK;
    orr__inventory_fini(v);
    return orr__no_memory(why);
}

void orr__inventory_fini(struct orr_inventory *v)
{
    orr__free(v->taken);
    orr__free(v->resting);
    orr__free(v->out);
    orr__free(v->server);
    orr__free(v->rack);
    orr__free(v->kind);
    v->kind = NULL;
    v->taken = v->resting = NULL;
    v->out = NULL;
    v->server = v->rack = NULL;
}
