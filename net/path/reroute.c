/* Routes that change when links fail and come back. */
#include "net/path/reroute.h"
#include "core/none.h"

#include <stdlib.h>

#include "core/memory.h"
#include "net/fabric/queue.h"
#include "net/fabric/routing.h"
#include "net/host/host.h"
#include "net/path/route.h"
#include "net/port/toll.h"

/* When routes change: an outage is noticed, unless it ends before, or ends. */
struct change {
    int64_t at;
    const struct orr_outage *outage;
    bool ends;
    bool loses; /* what waits when the link comes back is lost */
};

/* Owned by the net; changed between windows only, since all switches read the
 * routes. */
struct orr_rerouting {
    struct change *change;   /* in the order in which they come */
    uint32_t changes, next;  /* how many; the next to come */
    struct orr_routing *own; /* in use; NULL: the base routes are */
    bool *closed;            /* per link: routes must avoid it now */
    uint32_t n_closed;
    uint32_t *dests, n_dests;
    struct orr_routing_request want; /* as the base has it */
};

/* At one time a link comes back before it fails again. */
static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (int)y->ends - (int)x->ends;
}

/* A turn where a failure is noticed and one where the link is back, in order of
 * time. A failure that ends before it is noticed has no effect on routes. */
static void list_changes(struct orr_rerouting *r, const struct orr_failures *f)
{
    for (uint32_t i = 0; i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];

        if (o->noticed < o->up)
            r->change[r->changes++] =
                (struct change){o->noticed, o, false, true};
        if (o->up != ORR_NEVER)
            r->change[r->changes++] = (struct change){o->up, o, true, true};
    }
    for (uint32_t i = 0; i < f->darks; i++) {
        const struct orr_outage *o = &f->dark[i];

        if (o->noticed == o->back)
            continue;
        r->change[r->changes++] = (struct change){o->noticed, o, false, false};
        r->change[r->changes++] = (struct change){o->back, o, true, false};
    }
    qsort(r->change, r->changes, sizeof *r->change, by_time);
}

static void adopt_routes(struct orr_net *n, const struct orr_routing *r)
{
    n->routes = r;
    for (uint32_t i = 0; i < n->graph->nodes; i++)
        orr__node_adopt(&n->node[i], r, i);
}

static void close_link(struct orr_rerouting *r, uint32_t link, bool closed)
{
    r->n_closed += closed;
    r->n_closed -= r->closed[link];
    r->closed[link] = closed;
}

static void apply_change(struct orr_net *n, const struct change *t)
{
    struct orr_queue *q = n->queue[t->outage->link];

    close_link(n->rerouting, t->outage->link, !t->ends);
    /* What waits at an explicit port when its link comes back was queued
     * before that, and is lost as it leaves. Computed ports knew when they
     * queued it. */
    if (t->ends && t->loses)
        q->doomed = q->toll[t->outage - q->outage].order = q->order;
}

/* A control event: all turns due now, then next hops anew without the links
 * that are closed. Returns when the next one is due; without memory the run
 * fails. */
static int64_t apply_changes(void *arg, int64_t now)
{
    struct orr_net *n = arg;
    struct orr_rerouting *r = n->rerouting;
    struct orr_routing *old = r->own;

    while (r->next < r->changes && r->change[r->next].at == now)
        apply_change(n, &r->change[r->next++]);
    r->own = NULL;
    if (r->n_closed > 0
        && orr__routing_build_for(n->graph, r->closed, &r->want, r->dests,
                                  r->n_dests, &r->own, NULL)
               != ORR_OK) {
        orr__fabric_out_of_memory(n);
        r->own = old;
        return ORR_NEVER;
    }
    adopt_routes(n, r->own ? r->own : n->base);
    orr__routing_free(old);
    return r->next < r->changes ? r->change[r->next].at : ORR_NEVER;
}

orr_err orr__rerouting_start(struct orr_net *n, struct orr_report *why)
{
    const struct orr_failures *f = n->config->failures;
    struct orr_rerouting *r;

    if (!orr__failures_reroute(f))
        return ORR_OK;
    r = n->rerouting = orr__alloc(1, sizeof *r);
    if (!r)
        return orr__no_memory(why);
    r->change =
        orr__alloc(2 * ((size_t)f->outages + f->darks), sizeof *r->change);
    r->closed = orr__alloc(n->graph->links, sizeof *r->closed);
    r->dests = orr__alloc(n->graph->nodes, sizeof *r->dests);
    if (!r->change || !r->closed || !r->dests)
        return orr__no_memory(why);
    for (uint32_t v = 0; v < n->graph->nodes; v++)
        if (n->base->column[v] != ORR_NONE)
            r->dests[r->n_dests++] = v;
    r->want = (struct orr_routing_request){
        .stops = n->base->stop,
        .n_stops = n->base->stops,
        .distances = n->base->distance != NULL,
        .plain = n->config->path == ORR_PATH_k_shortest,
    };
    list_changes(r, f);
    if (r->changes == 0)
        return ORR_OK;
    return orr__windows_control(n->windows, r->change[0].at, apply_changes, n,
                                why);
}

void orr__rerouting_free(struct orr_net *n)
{
    struct orr_rerouting *r = n->rerouting;

    if (!r)
        return;
    orr__routing_free(r->own);
    orr__free(r->change);
    orr__free(r->closed);
    orr__free(r->dests);
    orr__free(r);
}

bool orr__rerouting_closed(const struct orr_net *n, uint32_t link)
{
    return n->rerouting && n->rerouting->closed[link];
}

const bool *orr__rerouting_closed_links(const struct orr_net *n)
{
    return n->rerouting ? n->rerouting->closed : NULL;
}

int64_t orr__rerouting_next(const struct orr_net *n)
{
    const struct orr_rerouting *r = n->rerouting;

    return r && r->next < r->changes ? r->change[r->next].at : ORR_NEVER;
}

bool orr__rerouted(const struct orr_net *n, int64_t from, int64_t to)
{
    const struct orr_failures *f = n->config->failures;

    for (uint32_t i = 0; f && i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];

        if (o->noticed < o->up && o->noticed <= to && from <= o->up)
            return true;
    }
    for (uint32_t i = 0; f && i < f->darks; i++)
        if (f->dark[i].noticed <= to && from <= f->dark[i].up)
            return true;
    return false;
}

/* Dead, and never alive again. */
static bool is_gone(const struct orr_net *n, uint32_t link, int64_t now)
{
    const struct orr_outage *o;
    uint32_t count = orr__failures_of(n->config->failures, link, &o);

    return count && o[count - 1].up == ORR_NEVER && o[count - 1].down <= now;
}

bool orr__rerouting_in_vain(const struct orr_net *n, const struct orr_sender *s,
                            int64_t now)
{
    const struct orr_rerouting *r = n->rerouting;

    if (!r || r->next < r->changes)
        return false; /* what is cut now may not be later */
    for (int forward = 0; forward < 2; forward++) {
        struct orr_probe p = orr__probe_of(n, s, forward);
        uint32_t at = forward ? s->src : s->dst;

        while (at != orr__packet_dst(&p.packet)) {
            uint32_t link = orr__probe_next(n, n->routes, at, &p);

            if (link == orr__nowhere(n) || is_gone(n, link, now))
                return true;
            at = n->graph->to[link];
        }
    }
    return false;
}
