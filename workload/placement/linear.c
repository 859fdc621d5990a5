/* linear: rank r on host offset + r. */
#include "workload/placement/placement.h"

/* As configured. */
struct params {
    int64_t offset;
};

static const struct orr_param params[] = {
    {"offset", ORR_PARAM_INT, offsetof(struct params, offset), "0", "0", NULL,
     NULL, "host of rank 0; the others follow it"},
    ORR_PARAM_END,
};

/* ORR_ECONFIG: not enough hosts behind the offset. */
static orr_err place(const struct orr_placement_request *q, const void *given,
                     uint32_t *hosts, struct orr_report *why)
{
    const struct params *p = given;
    uint32_t all = q->world->graph->hosts;
    if (p->offset > (int64_t)(all - q->ranks))
        return orr__yaml_fail(q->world->config, q->node, why,
                              "%u ranks from host %lld on do not fit on %u "
                              "hosts",
                              q->ranks, (long long)p->offset, all);
    for (uint32_t r = 0; r < q->ranks; r++)
        hosts[r] = (uint32_t)p->offset + r;
    return ORR_OK;
}

const struct orr_placement_ops orr__placement_linear = {
    .name = "linear",
    .doc = "consecutive hosts: rank r on host offset + r",
    .params = params,
    .params_size = sizeof(struct params),
    .place = place,
};
