/* Conservation: what was sent is delivered, dropped, queued or on its way, for
 * each link and in all. Cheap, so every run is audited when it ends. */
#include "net/config/timers.h"
#include "net/fabric/timer.h"
#include "net/host/host.h"
#include "net/port/egress.h"
#include "net/port/port.h"
#include "topo/node_names.h"

#include <stdio.h>

static uint64_t waiting(const struct orr_net *n, uint32_t link)
{
    const struct orr_queue *q = n->queue[link];

    return q && q->explicit ? orr__egress_packets(q) : 0;
}

/* The ring's counters are 32 bits and wrap; the sum is compared as they are. */
static bool link_balances(const struct orr_net *n, uint32_t link)
{
    const struct orr_port *port = &n->port[link];
    uint32_t head = orr__inlet_of(n, link)->head;
    uint64_t lost = n->queue[link] ? n->queue[link]->lost : 0;

    lost += n->skipped ? n->skipped[link] : 0;
    return (uint32_t)(orr__port_packets(n, port) - lost - waiting(n, link))
               == port->tail
           && port->tail - head <= port->mask + 1;
}

/* With nothing left to happen, a reliable sender has nothing in flight, and
 * waits for no answer. */
static bool sender_rests(const struct orr_sender *s)
{
    return s->una == s->next && s->in_flight == 0 && s->here == 0
           && s->lost == 0 && s->opening <= ORR_UNOPENED;
}

/* ORR_ERUN: who gave up on whom, and since when nothing was heard. A member of
 * a tree (net/tree/) sends to all the others. */
static orr_err gave_up(const struct orr_net *n, const struct orr_sender *s,
                       struct orr_report *why)
{
    char heard[32], src[ORR_NODE_NAME], dst[ORR_NODE_NAME];

    orr__human_time(s->active_at, heard, sizeof heard);
    if (s->stream)
        snprintf(dst, sizeof dst, "its tree");
    else
        orr__node_name(n->graph, s->dst, dst, sizeof dst);
    return orr__fail(why, ORR_ERUN,
                     "%s gave up sending to %s after %d timeouts in "
                     "a row, without an answer since %s: a link loses "
                     "everything, or a queue is smaller than a packet",
                     orr__node_name(n->graph, s->src, src, sizeof src), dst,
                     ORR_MOST_VAIN, heard);
}

/* Whether a is reported rather than b: by what they connect, as numbers
 * of connections depend on threads. */
static bool is_before(const struct orr_sender *a, const struct orr_sender *b)
{
    if (a->src != b->src)
        return a->src < b->src;
    return a->dst != b->dst ? a->dst < b->dst : a->hash < b->hash;
}

/* When nothing is left to happen. A connection that was cut off, or gave up for
 * lack of answers, may be in any state: the first of the latter is reported.
 * dropped: packets of all of them that were. */
static orr_err audit_senders(struct orr_net *n, uint64_t dropped,
                             struct orr_report *why)
{
    /* what was lost at the end is then waited for in vain */
    bool vain = dropped > 0 && !orr__timers_run(n->config);
    uint32_t bound = orr__slab_bound(&n->senders);
    const struct orr_sender *first = NULL;

    if (n->config->transport != ORR_TRANSPORT_RELIABLE)
        return ORR_OK;
    for (uint32_t i = 0; i < bound; i++) {
        const struct orr_sender *s = orr__sender(n, i);

        if (s->cut || vain || sender_rests(s))
            continue; /* who waits for what is told by those who wait */
        if (s->vain != ORR_MOST_VAIN)
            return orr__fail(why, ORR_EINTERNAL,
                             "connection %u -> %u: quiet with %u of %u packets "
                             "unacknowledged, %u counted in flight",
                             s->src, s->dst, s->next - s->una, s->next,
                             s->in_flight);
        if (!first || is_before(s, first))
            first = s;
    }
    return first ? gave_up(n, first, why) : ORR_OK;
}

/* Messages that are neither here nor lost are still to come. */
static orr_err audit_analytical(struct orr_net *n, struct orr_report *why)
{
    struct orr_net_totals t;

    orr__net_totals(n, &t);
    if (t.packets_delivered == t.packets_sent
        || (t.packets_delivered < t.packets_sent
            && !orr__windows_quiet(n->windows)))
        return ORR_OK;
    return orr__fail(why, ORR_EINTERNAL,
                     "messages do not balance: %llu sent, %llu delivered",
                     (unsigned long long)t.packets_sent,
                     (unsigned long long)t.packets_delivered);
}

/* Processes count what may come of their timers. */
static bool timers_balance(const struct orr_net *n)
{
    uint32_t bound = orr__slab_bound(&n->senders);
    struct orr_process all = {0}, found = {0};

    for (uint32_t i = 0; i < n->processes; i++) {
        const struct orr_process *p = &n->process[i];

        all.armed += p->armed;
        all.held += p->held;
        for (uint32_t k = 0; k < p->timers.count; k++)
            orr__timer_count(&found, p->timers.item[k].what, 1);
    }
    for (uint32_t i = 0; i < bound; i++) {
        const struct orr_sender *s = orr__sender(n, i);

        if (s->control && orr__alarms_armed(s) != s->armed)
            return false;
        found.armed += s->armed;
    }
    return found.armed == all.armed && found.held == all.held;
}

orr_err orr__net_audit(struct orr_net *n, struct orr_report *why)
{
    struct orr_net_totals t;
    uint64_t in_flight = 0;

    ORR_ASSERT(timers_balance(n));
    if (n->config->transport == ORR_TRANSPORT_ANALYTICAL)
        return audit_analytical(n, why);
    for (uint32_t l = 0; l < n->graph->links; l++) {
        const struct orr_port *port = &n->port[l];

        if (!link_balances(n, l))
            return orr__fail(why, ORR_EINTERNAL,
                             "link %u: packets do not balance", l);
        in_flight += port->tail - orr__inlet_of(n, l)->head + waiting(n, l);
        if (n->queue[l])
            in_flight +=
                orr__spans_open(&n->queue[l]->losses, orr__net_moment(n));
    }
    for (unsigned w = 0; w < n->workers; w++) /* pause frames are no packets */
        in_flight -= n->lane[w].frames - n->lane[w].frames_received;
    orr__net_totals(n, &t);
    if (t.packets_sent != t.packets_delivered + t.packets_dropped + in_flight)
        return orr__fail(why, ORR_EINTERNAL,
                         "packets do not balance: %llu sent, %llu delivered, "
                         "%llu dropped, %llu in flight",
                         (unsigned long long)t.packets_sent,
                         (unsigned long long)t.packets_delivered,
                         (unsigned long long)t.packets_dropped,
                         (unsigned long long)in_flight);
    return orr__windows_quiet(n->windows)
               ? audit_senders(n, t.packets_dropped, why)
               : ORR_OK;
}
