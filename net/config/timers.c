#include "net/config/timers.h"

#include "core/memory.h"
#include "core/units.h"

/* ---- what can get lost --------------------------------------------------- */

/* Pause frames keep queues from dropping anything, if headroom is what it
 * takes; what is left are links that lose packets or fail, and a queue that
 * drops instead of marking. */
static bool may_lose(const struct orr_net_config *c, const struct orr_graph *g)
{
    if (!c->pfc.enabled || c->pfc.form == ORR_PFC_HPCC || c->failures
        || orr__net_count_lossless(c) < orr__net_count_used(c)
        || (orr__net_judges(c) && !orr__net_marks(c)))
        return true;
    for (uint32_t l = 0; l < g->links; l++)
        if (g->loss[l] > 0)
            return true;
    return false;
}

static bool timers_wanted(const struct orr_net_config *c,
                          const struct orr_graph *g)
{
    switch (c->rto.timer) {
    case ORR_TIMER_ALWAYS: return true;
    case ORR_TIMER_NEVER: return false;
    default: return may_lose(c, g);
    }
}

/* ---- how long a round trip may take -------------------------------------- */

/* The most hops from node `from`, or to it, over nodes that forward. Nodes that
 * it does not come to count for nothing. */
static orr_err farthest(const struct orr_graph *g, uint32_t from, bool against,
                        uint32_t *hops, struct orr_report *why)
{
    const uint32_t *off = against ? g->in_off : g->out_off;
    uint32_t *far = orr__alloc(g->nodes, sizeof *far);
    uint32_t *list = orr__alloc(g->nodes, sizeof *list), n = 0;

    *hops = 0;
    if (!far || !list) {
        orr__free(far);
        orr__free(list);
        return orr__no_memory(why);
    }
    list[n++] = from;
    far[from] = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = list[i];

        *hops = far[at] - 1;
        if (i > 0 && !g->forwards[at])
            continue;
        for (uint32_t k = off[at]; k < off[at + 1]; k++) {
            uint32_t to =
                against ? g->from[g->in_link[k]] : g->to[g->out_link[k]];

            if (far[to])
                continue;
            far[to] = far[at] + 1;
            list[n++] = to;
        }
    }
    orr__free(far);
    orr__free(list);
    return ORR_OK;
}

/* That a packet takes for any link, and for the node behind it; ps. */
static int64_t slowest_link(const struct orr_net_config *c,
                            const struct orr_graph *g)
{
    uint64_t bytes = orr__largest_payload(c) + c->header;
    int64_t most = 0, node = c->latency.switch_ps > c->latency.host_ps
                                 ? c->latency.switch_ps
                                 : c->latency.host_ps;

    if (bytes < c->ack)
        bytes = c->ack;
    for (uint32_t l = 0; l < g->links; l++) {
        int64_t time = orr__time_add(orr__serialisation(bytes, g->rate_bps[l]),
                                     g->delay_ps[l]);

        most = time > most ? time : most;
    }
    return orr__time_add(most, node);
}

/* No base round trip of a path that routing chooses takes longer than *rtt:
 * from one node that forwards to any other it is no farther than twice the most
 * hops from one of them; packets that make detours go twice. */
static orr_err longest_rtt(const struct orr_net_config *c,
                           const struct orr_graph *g, int64_t *rtt,
                           struct orr_report *why)
{
    int64_t link = slowest_link(c, g);
    uint32_t root = g->nodes, hops = 1, back = 0;
    orr_err err = ORR_OK;

    for (uint32_t i = 0; i < g->nodes && root == g->nodes; i++)
        if (g->forwards[i])
            root = i;
    if (root < g->nodes)
        err = farthest(g, root, false, &hops, why);
    if (!err && g->simplex && root < g->nodes)
        err = farthest(g, root, true, &back, why);
    hops = back > hops ? back : hops;
    *rtt = 0;
    for (uint32_t i = 0; i < (c->detours ? 8 : 4); i++)
        *rtt = orr__time_add(*rtt, link < ORR_NEVER / (hops + 1) ? link * hops
                                                                 : ORR_NEVER);
    return err;
}

int64_t orr__timers_first(const struct orr_net_config *c, int64_t rtt_ps)
{
    int64_t first = rtt_ps < ORR_NEVER / 4 ? 3 * rtt_ps : ORR_NEVER;

    first = orr__time_add(first, c->held_ps);
    if (first > c->rto.max_ps)
        first = c->rto.max_ps;
    return first > ORR_FIRST_TIMEOUT ? first : ORR_FIRST_TIMEOUT;
}

orr_err orr__timers_settle(struct orr_net_draft *draft,
                           const struct orr_graph *g, struct orr_report *why)
{
    struct orr_net_config *c = &draft->config;
    int64_t rtt;
    orr_err err;

    if (c->transport != ORR_TRANSPORT_RELIABLE) {
        c->rto.first_ps = ORR_FIRST_TIMEOUT; /* not needed */
        return ORR_OK;
    }
    if (!timers_wanted(c, g)) {
        c->rto.first_ps = c->rto.least_ps = c->rto.most_ps = ORR_NEVER;
        return ORR_OK;
    }
    if (c->rto.first_ps != ORR_AUTO)
        return ORR_OK;
    err = longest_rtt(c, g, &rtt, why);
    if (err == ORR_OK && orr__timers_first(c, rtt) == ORR_FIRST_TIMEOUT)
        c->rto.first_ps = ORR_FIRST_TIMEOUT; /* of all, then */
    return err;
}

void orr__timers_hint(const struct orr_net_config *c, struct orr_report *why)
{
    if (c && c->transport == ORR_TRANSPORT_RELIABLE && !orr__timers_run(c))
        orr__hint(why, "senders have no timer (network.rto.timer): a lost "
                       "packet with none behind it is never retransmitted");
}
