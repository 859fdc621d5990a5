/* community: where free GPUs hang together. Communities of the free part of the
 * network (topo/community.h) are found anew for each job. It gets the smallest
 * that has room for all of it; else the largest ones whole, and what remains
 * where that fits best. */
#include "topo/community.h"
#include "core/memory.h"
#include "core/none.h"
#include "workload/cluster/placement/free_gpus.h"

static const struct orr_param params[] = {ORR_PARAM_END};

/* The label with the fewest of those that have n GPUs, else with the most;
 * the lowest of equal ones. */
static uint32_t best_label(const uint32_t *size, uint32_t labels, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t l = 1; l < labels; l++) {
        bool enough = size[l] >= n;
        if (enough != (size[best] >= n) ? enough
            : enough                    ? size[l] < size[best]
                                        : size[l] > size[best])
            best = l;
    }
    return best;
}

/* label: per GPU. size: per label, GPUs that may be taken. */
static orr_err take_community(const struct orr_inventory *v,
                              const uint32_t *label, uint32_t *size,
                              uint32_t labels, uint32_t n, uint32_t *gpu,
                              struct orr_report *why)
{
    uint32_t got = 0;
    while (got < n) {
        struct orr_free_gpus room;
        uint32_t l = best_label(size, labels, n - got);
        uint32_t part = size[l] < n - got ? size[l] : n - got;
        orr_err err =
            orr__free_gpus_init(&room, v, part, gpu + got, label, l, why);
        if (!err) {
            orr__free_gpus_pack(&room, ORR_ANY_RACK, part);
            orr__free_gpus_sort(&room);
        }
        orr__free_gpus_fini(&room);
        if (err)
            return err;
        got += part;
        size[l] = 0;
    }
    return ORR_OK;
}

/* Those that `room` may take are nodes of the graph that is divided. */
static orr_err divide(const struct orr_free_gpus *room, uint32_t *label,
                      uint32_t *size, uint32_t *labels, struct orr_report *why)
{
    const struct orr_graph *g = room->inventory->graph;
    bool *in = orr__alloc(g->nodes, sizeof *in);
    if (!in)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < g->nodes; i++)
        in[i] = i >= g->hosts || room->free[i];
    orr_err err = orr__graph_communities(g, in, label, labels, why);
    for (uint32_t i = 0; !err && i < g->hosts; i++) {
        if (room->free[i])
            size[label[i]]++;
        else
            label[i] = ORR_NONE;
    }
    orr__free(in);
    return err;
}

/* Ranks go by label, so neighbours in rank are near. */
static orr_err choose(const struct orr_cluster *c, const void *given,
                      uint32_t job, uint32_t variant, uint32_t *gpu,
                      bool *found, struct orr_report *why)
{
    const struct orr_inventory *v = &c->inventory;
    struct orr_free_gpus room;
    uint32_t n = c->job[job].is.gpus, nodes = v->graph->nodes, labels;
    uint32_t *label = orr__alloc(nodes, sizeof *label);
    uint32_t *size = orr__alloc(nodes, sizeof *size);
    orr_err err = orr__free_gpus_init(&room, v, n, gpu, NULL, 0, why);
    if (!err && (!label || !size))
        err = orr__no_memory(why);
    if (!err)
        err = divide(&room, label, size, &labels, why);
    orr__free_gpus_fini(&room);
    if (!err)
        err = take_community(v, label, size, labels, n, gpu, why);
    orr__free(label);
    orr__free(size);
    *found = !err;
    return err;
}

extern const struct orr_cluster_placement_ops orr__cluster_placement_community;
const struct orr_cluster_placement_ops orr__cluster_placement_community = {
    .name = "community",
    .doc = "within communities of the free part of the network",
    .params = params,
    .choose = choose,
};
