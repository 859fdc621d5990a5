/* Pause frames can lock: in a cycle of ports each waits for the next to send.
 *
 * A class of a link is stuck if it is paused and would stay so even if every
 * packet left that does not itself wait at a stuck one. What is stuck in this
 * sense is the largest such set, found by letting go of whoever would be
 * resumed until nobody is; nothing that happens later can free it, because more
 * packets never raise a threshold. So a set that is not empty is a deadlock,
 * whenever one looks, and each of its members waits for another: going from
 * one to the next ends in a cycle. */
#include "net/watch/deadlock.h"
#include "core/none.h"

#include <stdio.h>

#include "core/memory.h"
#include "core/units.h"
#include "net/port/buffer.h"
#include "net/port/pfc.h"
#include "net/port/share.h"
#include "net/watch/link_observer.h"

/* By link and class, as ingress. */
struct search {
    const struct orr_net *n;
    uint32_t classes;
    bool *stuck;
    uint64_t *waiting; /* bytes that came by it and wait at stuck ports */
    uint32_t members;
};

static size_t index_of(const struct search *s, uint32_t link, uint32_t class)
{
    return (size_t)link * s->classes + class;
}

static bool is_paused(const struct orr_net *n, uint32_t link, uint32_t class)
{
    const struct orr_queue *back = n->queue[orr__reverse(n, link)];

    return n->queue[link]->paused >> class & 1 && back->wanted >> class & 1;
}

/* The largest set that may be stuck: every paused class of a link. */
static void assume_stuck(struct search *s)
{
    for (uint32_t l = 0; l < s->n->graph->links; l++) {
        if (!s->n->queue[l]->paused)
            continue;
        for (uint32_t c = 0; c < s->classes; c++)
            if (is_paused(s->n, l, c)) {
                s->stuck[index_of(s, l, c)] = true;
                s->members++;
            }
    }
}

/* Adds what waits in one queue of a stuck port. */
static void add_queue(struct search *s, uint32_t link, uint32_t fifo,
                      uint32_t class)
{
    const struct orr_queue *q = s->n->queue[link];

    for (uint32_t i = 0; i < orr__waiting(q, fifo); i++) {
        const struct orr_packet *p =
            orr__waiting_at(&s->n->port[link], q, fifo, i);
        uint32_t from = orr__ticket_link(p);

        if (from != ORR_NONE)
            s->waiting[index_of(s, from, class)] += orr__packet_size(p);
    }
}

/* Sums up `waiting` over all stuck ports. */
static void add_up(struct search *s)
{
    uint32_t links = s->n->graph->links;

    for (size_t i = 0; i < (size_t)links * s->classes; i++)
        s->waiting[i] = 0;
    for (uint32_t l = 0; l < links; l++) {
        const struct orr_queue *q = s->n->queue[l];

        for (uint32_t i = 0; i < q->fifos; i++) {
            uint32_t class = orr__fifo_class(q, i);

            if (s->stuck[index_of(s, l, class)])
                add_queue(s, l, i, class);
        }
    }
}

/* What would be left of an ingress if all others went. */
static struct orr_ingress what_stays(const struct search *s, uint32_t link,
                                     uint32_t class)
{
    struct orr_ingress in = *orr__ingress(s->n, link, class);
    uint64_t stays = s->waiting[index_of(s, link, class)];
    uint64_t gone = in.held + in.over - stays;

    in.over -= gone < in.over ? gone : in.over;
    in.held = stays - in.over;
    return in;
}

static uint64_t shared_part(const struct orr_net *n, uint64_t held)
{
    return held > n->pfc->reserve ? held - n->pfc->reserve : 0;
}

/* The threshold of a link at whose end only what is stuck has stayed. */
static uint64_t threshold(const struct search *s, uint32_t of)
{
    const struct orr_graph *g = s->n->graph;
    uint32_t node = g->to[of];
    const struct orr_memory *m = &s->n->pfc->memory[node];
    uint64_t used = 0;

    if (s->n->config->pfc.xoff)
        return s->n->config->pfc.xoff;
    for (uint32_t i = g->in_off[node]; i < g->in_off[node + 1]; i++)
        for (uint32_t c = 0; c < s->classes; c++)
            used += shared_part(s->n, what_stays(s, g->in_link[i], c).held);
    return (uint64_t)(s->n->pfc->alpha[of] * (double)(m->size - used));
}

static bool would_resume(const struct search *s, uint32_t link, uint32_t class)
{
    struct orr_ingress in = what_stays(s, link, class);
    uint64_t part = shared_part(s->n, in.held);

    if (in.over > 0)
        return false;
    return part == 0
           || part + s->n->config->pfc.hysteresis <= threshold(s, link);
}

/* Lets go of those that would be resumed; true if there were any. */
static bool let_go(struct search *s)
{
    uint32_t before = s->members;

    for (uint32_t l = 0; l < s->n->graph->links; l++)
        for (uint32_t c = 0; c < s->classes; c++)
            if (s->stuck[index_of(s, l, c)] && would_resume(s, l, c)) {
                s->stuck[index_of(s, l, c)] = false;
                s->members--;
            }
    return s->members != before;
}

/* Does a packet of this class wait at a port that came by `link`? */
static bool would_stay_stuck(const struct orr_net *n, uint32_t out,
                             uint32_t class, uint32_t link)
{
    const struct orr_queue *q = n->queue[out];

    for (uint32_t i = 0; i < q->fifos; i++)
        for (uint32_t k = 0;
             orr__fifo_class(q, i) == class && k < orr__waiting(q, i); k++)
            if (orr__ticket_link(orr__waiting_at(&n->port[out], q, i, k))
                == link)
                return true;
    return false;
}

/* A stuck port at the end of this link with a packet that came by it. */
static uint32_t next_of(const struct search *s, uint32_t link, uint32_t class)
{
    const struct orr_graph *g = s->n->graph;
    uint32_t node = g->to[link];

    for (uint32_t i = g->out_off[node]; i < g->out_off[node + 1]; i++) {
        uint32_t out = g->out_link[i];

        if (s->stuck[index_of(s, out, class)]
            && would_stay_stuck(s->n, out, class, link))
            return out;
    }
    return ORR_NONE;
}

/* A link of the cycle that the first stuck one leads to. */
static uint32_t find_cycle(const struct search *s, uint32_t *class)
{
    size_t i = 0;
    uint32_t link;

    while (!s->stuck[i])
        i++;
    link = (uint32_t)(i / s->classes);
    *class = (uint32_t)(i % s->classes);
    for (uint32_t step = 0; step < s->n->graph->links; step++)
        link = next_of(s, link, *class);
    return link;
}

/* ORR_ERUN, with the links of one cycle in order, as far as the message has
 * room. */
static orr_err report(const struct search *s, struct orr_report *why)
{
    const struct orr_graph *g = s->n->graph;
    char text[512], at[32];
    uint32_t class, first = find_cycle(s, &class), link = first, links = 0;
    size_t length = 0;

    do {
        int room = (int)(sizeof text - length);
        int wrote =
            snprintf(text + length, (size_t)room, "%s%u (%u > %u)",
                     links ? ", " : "", link, g->from[link], g->to[link]);

        if (wrote < room)
            length += (size_t)wrote;
        else
            text[length] = '\0';
        links++;
        link = next_of(s, link, class);
    } while (link != first);
    orr__human_time(orr__windows_now(s->n->windows), at, sizeof at);
    return orr__fail(why, ORR_ERUN,
                     "PFC deadlock, found at %s: class %u of %u links is "
                     "paused in a cycle, each waiting for the next: links %s",
                     at, class, links, text);
}

static bool any_paused(const struct orr_net *n)
{
    for (uint32_t l = 0; l < n->graph->links; l++)
        if (n->queue[l]->paused)
            return true;
    return false;
}

orr_err orr__pfc_deadlock(const struct orr_net *n, struct orr_report *why)
{
    struct search s = {.n = n, .classes = n->config->classes};
    size_t cells = (size_t)n->graph->links * s.classes;
    orr_err err = ORR_OK;

    if (!any_paused(n))
        return ORR_OK;
    s.stuck = orr__alloc(cells, sizeof *s.stuck);
    s.waiting = orr__alloc(cells, sizeof *s.waiting);
    if (!s.stuck || !s.waiting) {
        err = orr__no_memory(why);
    } else {
        assume_stuck(&s);
        do
            add_up(&s);
        while (s.members && let_go(&s));
        if (s.members)
            err = report(&s, why);
    }
    orr__free(s.stuck);
    orr__free(s.waiting);
    return err;
}

#define LEAST_PERIOD ORR_MS

/* A control event each pfc->period: a deadlock that two looks in a row find
 * stops the run, for a single one may be frames under way. */
static int64_t check_deadlock(void *net, int64_t now)
{
    struct orr_net *n = net;
    orr_err err;

    if (orr__replay_plays(n)) /* what goes on is not in deadlock */
        return orr__time_add(now, n->pfc->period);
    err = orr__pfc_deadlock(n, NULL);
    if (err == ORR_ENOMEM || (err != ORR_OK && n->pfc->suspected))
        orr__windows_fail(n->windows, err);
    n->pfc->suspected = err != ORR_OK;
    return orr__time_add(now, n->pfc->period);
}

orr_err orr__pfc_watch(struct orr_net *n, struct orr_report *why)
{
    uint64_t packet = orr__largest_payload(n->config) + n->config->header;
    int64_t longest = 0;

    if (!n->pfc)
        return ORR_OK;
    for (uint32_t l = 0; l < n->graph->links; l++) {
        int64_t time =
            orr__serialisation(packet, n->rate_bps[l]) + n->port[l].delay_ps;

        longest = time > longest ? time : longest;
    }
    longest = longest < ORR_NEVER / 4 ? 4 * longest : ORR_NEVER;
    n->pfc->period = longest > LEAST_PERIOD ? longest : LEAST_PERIOD;
    return orr__windows_control(n->windows, n->pfc->period, check_deadlock, n,
                                why);
}
