/* A graph from arrays as `topology: {kind: custom, ...}`: what was built in
 * code stands in the records, and can be run again from them. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/names.h"
#include "study/network/network.h"

/* ORR_ECALL with the number of the cable. */
static orr_err check_cable(const struct orr_graph_spec *g, uint32_t i,
                           struct orr_report *why)
{
    const struct orr_cable_spec *c = &g->cable[i];
    uint64_t nodes = (uint64_t)g->hosts + g->switches;

    if (c->a >= nodes || c->b >= nodes)
        return orr__fail(why, ORR_ECALL,
                         "cable[%u]: there is no node %u; "
                         "nodes are 0 to %llu",
                         i, c->a >= nodes ? c->a : c->b,
                         (unsigned long long)nodes - 1);
    if (c->a == c->b)
        return orr__fail(why, ORR_ECALL, "cable[%u] joins node %u to itself", i,
                         c->a);
    if (c->rate_bps == 0)
        return orr__fail(why, ORR_ECALL, "cable[%u]: a rate of 0", i);
    if (c->delay_ps <= 0)
        return orr__fail(why, ORR_ECALL,
                         "cable[%u]: every link needs a "
                         "propagation delay > 0",
                         i);
    if (!(c->loss >= 0 && c->loss <= 1))
        return orr__fail(why, ORR_ECALL, "cable[%u]: a loss is from 0 to 1", i);
    return ORR_OK;
}

/* All nodes have names, or none. */
static orr_err add_names(struct orr_text *t, const struct orr_graph_spec *g,
                         struct orr_report *why)
{
    if (!g->name)
        return ORR_OK;
    orr__text_add(t, "  names: [");
    for (uint32_t i = 0; i < g->hosts + g->switches; i++) {
        if (!g->name[i])
            return orr__fail(why, ORR_ECALL, "name[%u] is NULL", i);
        orr__text_add(t, i ? ", " : "");
        orr__text_quoted(t, g->name[i]);
    }
    orr__text_add(t, "]\n");
    return ORR_OK;
}

orr_err orr__network_topology(struct orr_text *t,
                              const struct orr_graph_spec *g,
                              struct orr_report *why)
{
    uint64_t nodes = (uint64_t)g->hosts + g->switches;

    if (g->hosts == 0)
        return orr__fail(why, ORR_ECALL, "a graph needs at least one host");
    if (nodes >= UINT32_MAX)
        return orr__fail(why, ORR_ECALL, "%llu nodes are too many",
                         (unsigned long long)nodes);
    if (g->cables && !g->cable)
        return orr__fail(why, ORR_ECALL, "cable is NULL");
    orr__text_add(t,
                  "topology:\n  kind: custom\n  hosts: %u\n  switches: %u\n"
                  "  hosts_forward: %s\n",
                  g->hosts, g->switches, g->hosts_forward ? "true" : "false");
    orr_err err = add_names(t, g, why);
    orr__text_add(t, g->cables ? "  cables:\n" : "  cables: []\n");
    for (uint32_t i = 0; i < g->cables && err == ORR_OK; i++) {
        const struct orr_cable_spec *c = &g->cable[i];

        err = check_cable(g, i, why);
        orr__text_add(t, "  - [%u, %u, %llubps, %lldps", c->a, c->b,
                      (unsigned long long)c->rate_bps, (long long)c->delay_ps);
        if (c->loss > 0)
            orr__text_add(t, ", %.17g", c->loss);
        orr__text_add(t, "]\n");
    }
    return err;
}
