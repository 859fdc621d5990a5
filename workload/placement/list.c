/* list: the hosts as they are written, one a rank. */
#include "workload/placement/placement.h"

#include "core/memory.h"
#include "topo/node_names.h"

/* The list, as `hosts` or by itself. */
struct params {
    const struct orr_yaml *hosts;
};

static const struct orr_param params[] = {
    {"hosts", ORR_PARAM_NODE, offsetof(struct params, hosts), "", NULL, NULL,
     NULL,
     "the host of each rank, in order; a host may occur more than once. "
     "`placement: [0, 4, 8]` is short for it"},
    ORR_PARAM_END,
};

/* Hosts that ranks share are meant where all have as many. Where only some are
 * listed again, it may be a slip: at the first of those. */
static orr_err remark_twice(const struct orr_placement_request *q,
                            const struct orr_yaml *list, const uint32_t *hosts,
                            struct orr_report *why)
{
    uint32_t n = q->world->graph->hosts, again = q->ranks, least = UINT32_MAX;
    uint32_t *ranks = orr__alloc(n, sizeof *ranks), most = 0;
    orr_err err = ranks ? ORR_OK : orr__no_memory(why);
    for (uint32_t r = 0; r < q->ranks && !err; r++)
        if (++ranks[hosts[r]] == 2 && again == q->ranks)
            again = r;
    for (uint32_t r = 0; r < q->ranks && !err; r++) {
        least = ranks[hosts[r]] < least ? ranks[hosts[r]] : least;
        most = ranks[hosts[r]] > most ? ranks[hosts[r]] : most;
    }
    if (!err && least < most)
        err =
            orr__yaml_remark(q->world->config, orr__yaml_item(list, again), why,
                             "placement: host %u is listed again: %u "
                             "ranks of this job share it, and fewer share "
                             "other hosts",
                             hosts[again], ranks[hosts[again]]);
    orr__free(ranks);
    return err;
}

/* As many hosts as ranks; one that is listed twice is remarked, not refused. */
static orr_err place(const struct orr_placement_request *q, const void *given,
                     uint32_t *hosts, struct orr_report *why)
{
    const struct params *p = given;
    struct orr_config *c = q->world->config;
    const struct orr_yaml *list = p->hosts ? p->hosts : q->node;
    const struct orr_graph *g = q->world->graph;
    if (!orr__yaml_is_list(list))
        return orr__yaml_fail(c, list, why,
                              "a placement by list needs a list of hosts");
    if (orr__yaml_count(list) != q->ranks)
        return orr__yaml_fail(c, list, why, "%zu hosts are listed for %u ranks",
                              orr__yaml_count(list), q->ranks);
    orr_err err = ORR_OK;
    for (uint32_t r = 0; r < q->ranks && !err; r++)
        err = orr__host_read(g, c, orr__yaml_item(list, r), &hosts[r], why);
    return err ? err : remark_twice(q, list, hosts, why);
}

const struct orr_placement_ops orr__placement_list = {
    .name = "list",
    .doc = "a list of hosts, one per rank",
    .params = params,
    .params_size = sizeof(struct params),
    .repeats = true,
    .place = place,
};
