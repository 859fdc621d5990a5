#include "net/host/darkness.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/none.h"
#include "net/fabric/nic_port.h"
#include "net/fabric/queue.h"
#include "net/host/host.h"
#include "net/path/route.h"
#include "net/port/egress.h"

/* A link is lit, routes take it again, or it goes dark: in this order at one
 * time. */
struct change {
    int64_t at;
    uint32_t link;
    enum { LIT, KNOWN, DARK } what;
};

/* Owned by the net, with its arrays. */
struct orr_darkness {
    struct change *change; /* in order of time */
    uint32_t changes, next;
    uint32_t *link; /* that go dark some time, ascending */
    uint32_t *near; /* all links of the nodes that send on these: connections
                     * move among them only */
    uint32_t links, nears;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    return (x->link > y->link) - (x->link < y->link);
}

/* The NIC's port that sends on a link, or NULL. */
static struct orr_nic_port *nic_of(const struct orr_net *n, uint32_t link)
{
    return n->graph->sends[n->graph->from[link]]
               ? &n->nic_port[n->nic_port_of[link]]
               : NULL;
}

/* Does a path lead to the sender's destination now? */
static bool has_path(const struct orr_net *n, const struct orr_sender *s)
{
    struct orr_probe p = orr__probe_of(n, s, 1);

    return orr__probe_next(n, n->routes, s->src, &p) != orr__nowhere(n);
}

/* Connections of a list that have a path, or have none, leave a port for
 * another one. */
static void reroute_list(struct orr_net *n, uint32_t first, bool path,
                         int64_t now)
{
    uint32_t left = 0;

    for (uint32_t s = first; s != ORR_NONE; s = orr__sender(n, s)->list_next)
        left++;
    for (uint32_t id = first; left > 0; left--) {
        struct orr_sender *s = orr__sender(n, id);
        unsigned list;

        id = s->list_next;
        if (has_path(n, s) != path)
            continue;
        orr__nic_withdraw(n, s);
        list = orr__sender_wants(s);
        if (list != ORR_LIST_NONE)
            orr__nic_enter(n, orr__lane_of(n, s->src), s, list, now);
    }
}

/* What waits at a dark port goes where routes lead now; what has no path leaves
 * a port that is lit for one that is dark. */
static void reroute(struct orr_net *n, uint32_t link, int64_t now)
{
    struct orr_nic_port *np = nic_of(n, link);
    bool path = n->queue[link]->dark;

    if (!np || np->shares)
        return;
    for (uint32_t c = 0; c < n->config->classes; c++) {
        reroute_list(n, orr__nic_round(np, c)->repeat_first, path, now);
        reroute_list(n, orr__nic_round(np, c)->data_first, path, now);
    }
}

/* A NIC holds back what would take the link, as if the other end had paused it;
 * so nobody's timer goes off. The packet in service goes on. */
static void set_link(struct orr_net *n, const struct change *c)
{
    uint32_t node = n->graph->from[c->link];
    const struct orr_queue *q = n->queue[c->link];
    struct orr_lane *lane = orr__lane_of(n, node);
    uint8_t all = (uint8_t)((1u << n->config->classes) - 1);
    bool dark = c->what == DARK;

    orr__egress_darken(n, lane, &n->port[c->link], dark, c->at);
    if (!dark) /* before it sends what has no path */
        reroute(n, c->link, c->at);
    if (!nic_of(n, c->link))
        return;
    nic_of(n, c->link)->acks_pass = q->passes && !dark;
    orr__nic_pause(n, lane, n->nic_port_of[c->link], dark ? all : q->paused,
                   c->at);
}

/* Its process is to look at the port: one that is caught up with has no event
 * of its own. */
static void wake_port(struct orr_net *n, uint32_t link, int64_t now)
{
    const struct orr_queue *q = n->queue[link];
    int64_t busy = q->busy ? q->busy_until : ORR_NEVER;
    int64_t due = q->caught_up ? busy : n->process[q->process].at[q->slot];

    if (due != ORR_NEVER)
        orr__windows_wake(n->windows, q->process, due > now ? due : now);
}

/* A control event. Returns when the next change is due. */
static int64_t set_links(void *arg, int64_t now)
{
    struct orr_net *n = arg;
    struct orr_darkness *d = n->darkness;

    for (; d->next < d->changes && d->change[d->next].at == now; d->next++)
        if (d->change[d->next].what != KNOWN)
            set_link(n, &d->change[d->next]);
    for (uint32_t l = 0; l < n->graph->links; l++)
        if (n->queue[l]->dark)
            reroute(n, l, now);
    for (uint32_t l = 0; l < n->graph->links; l++)
        wake_port(n, l, now);
    return d->next < d->changes ? d->change[d->next].at : ORR_NEVER;
}

/* Does something wait for a link that is dark? */
static bool is_waited_for(const struct orr_net *n, uint32_t link)
{
    const struct orr_nic_port *np = nic_of(n, link);
    bool any = n->queue[link]->waiting || (np && (np->acks || np->n_paced));

    for (uint32_t c = 0; np && !any && c < n->config->classes; c++) {
        const struct orr_nic_round *t =
            orr__nic_round(&n->nic_port[n->nic_port_of[link]], c);

        any = t->repeat_first != ORR_NONE || t->data_first != ORR_NONE
              || np->shares;
    }
    return any && n->queue[link]->dark;
}

int64_t orr__darkness_lasts(const struct orr_net *n)
{
    const struct orr_darkness *d = n->darkness;

    /* which change will bring a path is not known: up to the last one */
    for (uint32_t i = 0; d && d->next < d->changes && i < d->links; i++)
        if (is_waited_for(n, d->link[i]))
            return d->change[d->changes - 1].at;
    return 0;
}

/* Fills link and near. */
static orr_err list_links(const struct orr_net *n, struct orr_darkness *d,
                          struct orr_report *why)
{
    const struct orr_graph *g = n->graph;
    const struct orr_failures *f = n->config->failures;
    bool *seen = orr__alloc(g->nodes, sizeof *seen);

    d->link = orr__alloc(g->links, sizeof *d->link);
    d->near = orr__alloc(g->links, sizeof *d->near);
    if (!seen || !d->link || !d->near) {
        orr__free(seen);
        return orr__no_memory(why);
    }
    for (uint32_t i = 0; i < f->darks; i++) {
        uint32_t node = g->from[f->dark[i].link];

        if (i == 0 || f->dark[i].link != f->dark[i - 1].link)
            d->link[d->links++] = f->dark[i].link;
        for (uint32_t o = g->out_off[node];
             o < g->out_off[node + 1] && !seen[node]; o++)
            d->near[d->nears++] = g->out_link[o];
        seen[node] = true;
    }
    orr__free(seen);
    return ORR_OK;
}

orr_err orr__darkness_start(struct orr_net *n, struct orr_report *why)
{
    const struct orr_failures *f = n->config->failures;
    struct orr_darkness *d;

    if (!orr__failures_wait(f))
        return ORR_OK;
    d = n->darkness = orr__alloc(1, sizeof *d);
    if (!d)
        return orr__no_memory(why);
    d->change = orr__alloc(3 * (size_t)f->darks, sizeof *d->change);
    if (!d->change)
        return orr__no_memory(why);
    orr_err err = list_links(n, d, why);
    if (err)
        return err;
    for (uint32_t i = 0; i < f->darks; i++) {
        const struct orr_outage *o = &f->dark[i];

        d->change[d->changes++] = (struct change){o->down, o->link, DARK};
        d->change[d->changes++] = (struct change){o->back, o->link, KNOWN};
        d->change[d->changes++] = (struct change){o->up, o->link, LIT};
    }
    qsort(d->change, d->changes, sizeof *d->change, by_time);
    return orr__windows_control(n->windows, d->change[0].at, set_links, n, why);
}

void orr__darkness_free(struct orr_net *n)
{
    if (!n->darkness)
        return;
    orr__free(n->darkness->change);
    orr__free(n->darkness->link);
    orr__free(n->darkness->near);
    orr__free(n->darkness);
}
