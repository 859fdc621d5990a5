/* list: the hosts as they are written, one a rank. */
#include "workload/place/place.h"

#include "topo/names.h"

struct params {
    const struct orr_yaml *hosts;
};

static const struct orr_param params[] = {
    { "hosts", ORR_PARAM_NODE, offsetof(struct params, hosts), "", NULL, NULL,
      NULL, "the host of each rank, in order; a host may come more than once. "
      "`placement: [0, 4, 8]` is short for it" },
    ORR_PARAM_END,
};

static orr_err place(const struct orr_place_request *q, const void *given,
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
    return err;
}

const struct orr_place_ops orr__place_list = {
    .name = "list",
    .doc = "the hosts as they are listed, one a rank",
    .params = params,
    .params_size = sizeof(struct params),
    .repeats = true,
    .place = place,
};
