/* list: the hosts as they are written, one a rank. */
#include "workload/place/place.h"

#include "core/units.h"
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
    uint32_t all = g->hosts;
    if (!orr__yaml_is_list(list))
        return orr__yaml_fail(c, list, why,
                              "a placement by list needs a list of hosts");
    if (orr__yaml_count(list) != q->ranks)
        return orr__yaml_fail(c, list, why, "%zu hosts are listed for %u ranks",
                              orr__yaml_count(list), q->ranks);
    for (uint32_t r = 0; r < q->ranks; r++) {
        const struct orr_yaml *item = orr__yaml_item(list, r);
        const char *text = orr__yaml_text(c, item);
        int64_t host;
        if (text && orr__node_find(g, text, &hosts[r]) &&
            orr__is_host(g, hosts[r]))
            continue;
        if (!text || orr__parse_int(text, &host))
            return orr__yaml_fail(c, item, why,
                                  "a host is named by its number, or by a "
                                  "name that it has in the topology");
        if (host < 0 || host >= all)
            return orr__yaml_fail(c, item, why,
                                  "host %lld does not exist: hosts are 0 to "
                                  "%u", (long long)host, all - 1);
        hosts[r] = (uint32_t)host;
    }
    return ORR_OK;
}

const struct orr_place_ops orr__place_list = {
    .name = "list",
    .doc = "the hosts as they are listed, one a rank",
    .params = params,
    .params_size = sizeof(struct params),
    .repeats = true,
    .place = place,
};
