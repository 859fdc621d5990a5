/* `orrery topo` as a call, and the graph as arrays. */
#include "study/topology/topology.h"

#include <string.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "study/calls/reply.h"
#include "topo/node_names.h"

/* Reads the file with what the options set. *c is the caller's, also when this
 * fails. */
static orr_err read_config(const struct orr_topology_call *call,
                           struct orr_config **c, struct orr_report *why)
{
    const struct orr_options *o = call->options;
    orr_err err = orr__config_load(call->config, c, why);
    for (size_t i = 0; o && i < o->n_sets && err == ORR_OK; i++)
        err = orr__config_set(*c, o->sets[i], why);
    return err;
}

/* Texts of all figures, or of sizes alone. */
static orr_err describe(orr_reply *r, const struct orr_topology_call *call,
                        struct orr_config *c, const struct orr_yaml *at,
                        struct orr_report *why)
{
    struct orr_topology_figures f;
    struct orr_text line = {.s = NULL};
    if (call->no_metrics) {
        orr__graph_line(&line, r->graph);
        r->json = orr__topology_sizes_json(r->graph);
        r->text = orr__text_shown(&line);
        return ORR_OK;
    }
    orr_err err = orr__topology_prices(call->prices, &f, why);
    if (err == ORR_OK)
        err = orr__yaml_place(c, at, orr__topology_measure(r->graph, &f, why),
                              why);
    if (err == ORR_OK) {
        r->json = orr__topology_json(r->graph, &f, NULL);
        r->text = orr__topology_text(r->graph, &f);
    }
    orr__topology_figures_fini(&f);
    return err;
}

/* Names of nodes, one behind another, and the tier of each link. */
static orr_err name_parts(orr_reply *r, struct orr_report *why)
{
    const struct orr_graph *g = r->graph;
    size_t length = 0;
    r->tier = orr__alloc(g->links, sizeof *r->tier);
    r->name = orr__alloc(g->nodes, sizeof *r->name);
    r->names = orr__alloc(g->nodes, ORR_NODE_NAME);
    if (!r->tier || !r->name || !r->names)
        return orr__no_memory(why);
    for (uint32_t l = 0; l < g->links; l++)
        r->tier[l] = orr__link_absent(g, l) ? NULL : g->tier_names[g->tier[l]];
    for (uint32_t n = 0; n < g->nodes; n++) {
        char buf[ORR_NODE_NAME];
        const char *name = orr__node_name(g, n, buf, sizeof buf);
        size_t size = strlen(name) + 1;
        r->name[n] = memcpy(r->names + length, name, size);
        length += size;
    }
    return ORR_OK;
}

orr_err orr_study_topology(const struct orr_topology_call *call,
                           orr_reply **out, struct orr_report *why)
{
    struct orr_topology_call k;
    struct orr_config *c = NULL;
    const struct orr_yaml *at;
    orr_err err = orr__call_take("orr_study_topology", call, sizeof k, sizeof k,
                                 &k, out, why);
    if (err)
        return err;
    orr_reply *r = orr__reply_new();
    if (!r)
        return orr__no_memory(why);
    err = read_config(&k, &c, why);
    if (err == ORR_OK)
        err = orr__topology_build(c, &at, &r->graph, why);
    if (err == ORR_OK)
        err = describe(r, &k, c, at, why);
    if (err == ORR_OK)
        err = name_parts(r, why);
    orr__config_free(c);
    return orr__reply_give(r, err, out, why);
}

orr_err orr_reply_graph(const orr_reply *r, struct orr_graph_arrays *out)
{
    const struct orr_graph *g = r ? r->graph : NULL;
    if (!g || !out || out->size < sizeof out->size)
        return ORR_ECALL;
    const struct orr_graph_arrays mine = {
        .size = out->size,
        .hosts = g->hosts,
        .switches = g->nodes - g->hosts,
        .links = g->links,
        .from = g->from,
        .to = g->to,
        .rate_bps = g->rate_bps,
        .delay_ps = g->delay_ps,
        .loss = g->loss,
        .tier = r->tier,
        .name = r->name,
        .x = g->x,
        .y = g->y,
    };
    size_t n = out->size;
    if (n > sizeof mine)
        memset((char *)out + sizeof mine, 0, n - sizeof mine);
    memcpy(out, &mine, n < sizeof mine ? n : sizeof mine);
    return ORR_OK;
}
