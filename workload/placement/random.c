/* random: distinct hosts from a seeded shuffle. Parameter servers of the
 * topology are left out: they serve, they do not train. */
#include "workload/placement/placement.h"

#include "core/memory.h"
#include "core/random.h"

/* As configured; seed -1: the run's, by job. */
struct params {
    int64_t offset, seed;
};

static const struct orr_param params[] = {
    {"offset", ORR_PARAM_INT, offsetof(struct params, offset), "0", "0", NULL,
     NULL,
     "hosts of the shuffled order to skip; jobs that give the "
     "same seed share one order, so different offsets keep them apart"},
    {"seed", ORR_PARAM_INT, offsetof(struct params, seed), "-1", "-1", NULL,
     NULL, "names the shuffle; -1: the experiment's seed and the job"},
    ORR_PARAM_END,
};

/* Hosts that may hold ranks, in order; their number into *n. */
static uint32_t *candidates(const struct orr_graph *g, uint32_t *n)
{
    uint32_t *list = orr__alloc(g->hosts, sizeof *list);
    bool *server = orr__alloc(g->hosts, sizeof *server);
    *n = 0;
    if (list && server) {
        for (uint32_t i = 0; i < g->n_servers; i++)
            server[g->servers[i]] = true;
        for (uint32_t h = 0; h < g->hosts; h++)
            if (!server[h])
                list[(*n)++] = h;
    } else {
        orr__free(list);
        list = NULL;
    }
    orr__free(server);
    return list;
}

/* A partial shuffle of all hosts that train, so offsets of one seed do not
 * overlap. */
static orr_err place(const struct orr_placement_request *q, const void *given,
                     uint32_t *hosts, struct orr_report *why)
{
    const struct params *p = given;
    uint32_t n;
    uint32_t *list = candidates(q->world->graph, &n);
    if (!list)
        return orr__no_memory(why);
    if (q->ranks > n || p->offset > (int64_t)(n - q->ranks)) {
        orr__free(list);
        return orr__yaml_fail(q->world->config, q->node, why,
                              "%u ranks after the first %lld do not fit on "
                              "%u hosts (servers do not count)",
                              q->ranks, (long long)p->offset, n);
    }

    struct orr_random r;
    if (p->seed < 0)
        orr__random_init(&r, q->world->seed, q->job, ORR_PURPOSE_PLACEMENT);
    else
        orr__random_init(&r, (uint64_t)p->seed, 0, ORR_PURPOSE_PLACEMENT);
    for (uint32_t i = 0; i < p->offset + q->ranks; i++) {
        uint32_t j = i + (uint32_t)orr__random_below(&r, n - i);
        uint32_t t = list[i];
        list[i] = list[j];
        list[j] = t;
    }
    for (uint32_t i = 0; i < q->ranks; i++)
        hosts[i] = list[p->offset + i];
    orr__free(list);
    return ORR_OK;
}

const struct orr_placement_ops orr__placement_random = {
    .name = "random",
    .doc = "distinct hosts in a seeded random order",
    .params = params,
    .params_size = sizeof(struct params),
    .place = place,
};
