#include "experiment/fit.h"

#include "core/config/config.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/bound.h"

/* The first packet found that a queue on its path cannot hold. */
struct misfit {
    const struct orr_world *w;
    uint64_t bytes; /* on the wire; 0: none */
};

static bool is_direct(const struct orr_graph *g, uint32_t src, uint32_t dst)
{
    for (uint32_t i = g->out_off[src]; i < g->out_off[src + 1]; i++)
        if (g->to[g->out_link[i]] == dst)
            return true;
    return false;
}

/* Can a port behind a switch hold it, were it empty? Limits of capacities alone
 * are in proportion to rates, so one link stands for all of its kind of queue.
 */
static bool is_held(const struct orr_world *w, uint64_t bytes)
{
    const struct orr_net_config *c = w->net_config;
    const struct orr_graph *g = w->graph;
    bool asked[ORR_MOST_TIERS + 1] = {false}, held = g->links == 0;
    for (uint32_t l = 0; l < g->links && !held; l++) {
        uint32_t rule = c->rule_of ? c->rule_of[l] : 0;
        struct orr_queue_kind kind = orr__queue_at(c, rule);
        struct orr_queue_limits limits = {.mark_ps = ORR_NEVER};
        if (asked[rule])
            continue;
        asked[rule] = true;
        kind.ops->limits(kind.params, g->rate_bps[l], &limits);
        held = orr__serialisation(bytes, g->rate_bps[l]) <= limits.drop_ps;
    }
    return held;
}

/* Messages between two hosts; of several the mean is known: it is a share of
 * one, at most. A host's own port holds all of its packets. */
static void try_message(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                        uint64_t messages)
{
    struct misfit *m = arg;
    const struct orr_net_config *c = m->w->net_config;
    if (m->bytes || src == dst || messages == 0)
        return;
    uint64_t each = bytes / messages;
    uint64_t payload = each < c->mtu ? each : c->mtu;
    if (is_direct(m->w->graph, src, dst) || is_held(m->w, payload + c->header))
        return;
    m->bytes = payload + c->header;
}

orr_err orr__packets_fit(const struct orr_world *w, struct orr_report *why)
{
    const struct orr_net_config *c = w->net_config;
    struct misfit m = {w, 0};
    char size[32];
    if (c->transport != ORR_TRANSPORT_RELIABLE || c->buffer.shared
        || c->pfc.enabled || is_held(w, c->mtu + c->header))
        return ORR_OK;
    for (uint32_t i = 0; w->flows && i < w->flows->count; i++) {
        const struct orr_flow *f = &w->flows->flow[i];
        try_message(&m, f->src, f->dst, f->bytes, 1);
    }
    for (uint32_t i = 0; i < w->n_jobs; i++)
        orr__traffic(w->jobs[i].team, try_message, &m);
    if (!m.bytes)
        return ORR_OK;
    orr__human_size(m.bytes, size, sizeof size);
    const struct orr_yaml *at = orr__yaml_get(c->queue_node, "capacity");
    orr_err err = orr__yaml_fail(
        w->config, at ? at : c->queue_node, why,
        "network.queue.capacity: a packet has %s here (mtu and header) and "
        "does not fit into any queue: it would always be lost",
        size);
    orr__hint(why, "a larger capacity, or a smaller network.mtu");
    return err;
}
