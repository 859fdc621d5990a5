/* Routes that change when links fail and come back. */
#include "net/failure.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "net/connection.h"

struct orr_rerouting {
    int64_t *time;          /* of changes, ascending, none twice */
    uint32_t times, next;   /* how many; the next to come */
    struct orr_routes *own; /* in use; NULL: the base routes are */
    bool *closed;           /* per link, while routes are made */
    uint32_t *dests, n_dests;
};

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* When routes change: outages are noticed, unless they end before, and end. */
static void list_times(struct orr_rerouting *r, const struct orr_failures *f)
{
    uint32_t n = 0, kept = 0;

    for (uint32_t i = 0; i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];

        if (o->noticed < o->up)
            r->time[n++] = o->noticed;
        if (o->up != ORR_NEVER)
            r->time[n++] = o->up;
    }
    qsort(r->time, n, sizeof *r->time, by_time);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || r->time[i] != r->time[kept - 1])
            r->time[kept++] = r->time[i];
    r->times = kept;
}

static void adopt(struct orr_net *n, const struct orr_routes *r)
{
    n->routes = r;
    for (uint32_t i = 0; i < n->graph->nodes; i++) {
        struct orr_node *node = &n->node[i];

        node->row = r->row[i] == ORR_NO_ROW ? NULL : r->table + r->row[i];
        node->only_link = r->only_link[i];
    }
}

/* Marks the links that routes must avoid now; how many are there? */
static uint32_t close_links(struct orr_net *n, int64_t now)
{
    const struct orr_failures *f = n->config->failures;
    struct orr_rerouting *r = n->rerouting;
    uint32_t count = 0;

    memset(r->closed, 0, n->graph->links * sizeof *r->closed);
    for (uint32_t i = 0; i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];

        if (o->noticed <= now && now < o->up) {
            r->closed[o->link] = true;
            count++;
        }
    }
    return count;
}

/* What waits at an explicit port when its link comes back was queued before
 * that, and is lost as it leaves. Computed ports knew when they queued it. */
static void doom(struct orr_net *n, int64_t now)
{
    const struct orr_failures *f = n->config->failures;

    for (uint32_t i = 0; i < f->outages; i++)
        if (f->outage[i].up == now)
            n->queue[f->outage[i].link]->doomed
                = n->queue[f->outage[i].link]->order;
}

static int64_t change(void *arg, int64_t now)
{
    struct orr_net *n = arg;
    struct orr_rerouting *r = n->rerouting;
    struct orr_routes *old = r->own;

    doom(n, now);
    r->own = NULL;
    if (close_links(n, now) > 0
        && orr__routes_build_around(n->graph, r->closed, r->dests, r->n_dests,
                                    &r->own, NULL)
               != ORR_OK) {
        orr__fabric_out_of_memory(n);
        r->own = old;
        return ORR_NEVER;
    }
    adopt(n, r->own ? r->own : n->base);
    orr__routes_free(old);
    return ++r->next < r->times ? r->time[r->next] : ORR_NEVER;
}

orr_err orr__rerouting_start(struct orr_net *n, struct orr_report *why)
{
    const struct orr_failures *f = n->config->failures;
    struct orr_rerouting *r;

    if (!f || !f->outages)
        return ORR_OK;
    r = n->rerouting = orr__alloc(1, sizeof *r);
    if (!r)
        return orr__no_memory(why);
    r->time = orr__alloc(2 * (size_t)f->outages, sizeof *r->time);
    r->closed = orr__alloc(n->graph->links, sizeof *r->closed);
    r->dests = orr__alloc(n->graph->hosts, sizeof *r->dests);
    if (!r->time || !r->closed || !r->dests)
        return orr__no_memory(why);
    for (uint32_t h = 0; h < n->graph->hosts; h++)
        if (n->base->column[h] != ORR_NO_COLUMN)
            r->dests[r->n_dests++] = h;
    list_times(r, f);
    if (r->times == 0)
        return ORR_OK;
    return orr__windows_control(n->windows, r->time[0], change, n, why);
}

void orr__rerouting_free(struct orr_net *n)
{
    struct orr_rerouting *r = n->rerouting;

    if (!r)
        return;
    orr__routes_free(r->own);
    orr__free(r->time);
    orr__free(r->closed);
    orr__free(r->dests);
    orr__free(r);
}

bool orr__rerouted(const struct orr_net *n, int64_t from, int64_t to)
{
    const struct orr_failures *f = n->config->failures;

    for (uint32_t i = 0; f && i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];

        if (o->noticed < o->up && o->noticed <= to && from <= o->up)
            return true;
    }
    return false;
}

/* Dead, and never alive again. */
static bool is_gone(const struct orr_net *n, uint32_t link, int64_t now)
{
    const struct orr_outage *o;
    uint32_t count = orr__failures_of(n->config->failures, link, &o);

    return count && o[count - 1].up == ORR_NEVER && o[count - 1].down <= now;
}

bool orr__rerouting_in_vain(const struct orr_net *n,
                            const struct orr_sender *s, int64_t now)
{
    const struct orr_rerouting *r = n->rerouting;

    if (!r || r->next < r->times)
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
