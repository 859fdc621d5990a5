/* Sums over a whole net: events, packets, the fingerprint. */
#include "net/fabric/fabric.h"
#include "net/host/darkness.h"
#include "net/port/cut_through.h"
#include "net/port/passage.h"
#include "net/port/port.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t orr__fabric_work(void *net)
{
    const struct orr_net *n = net;
    uint64_t events = 0;

    for (unsigned i = 0; i < n->workers; i++)
        events += n->lane[i].events;
    return events;
}

int64_t orr__fabric_lasts(void *net)
{
    const struct orr_net *n = net;
    struct orr_net_totals totals;
    int64_t last;

    orr__net_totals(n, &totals);
    last = totals.last_event_ps;
    for (uint32_t l = 0; l < n->graph->links; l++)
        if (orr__port_packets(n, &n->port[l]) && n->port[l].free_at > last)
            last = n->port[l].free_at;
    int64_t dark = orr__darkness_lasts(n);
    return dark > last ? dark : last;
}

/* Packets accepted by computed ports that have not begun to leave by t. */
static uint64_t not_begun(const struct orr_net *n, uint32_t link, int64_t t)
{
    const struct orr_port *port = &n->port[link];
    const struct orr_queue *q = n->queue[link];
    uint64_t count = 0;

    if (n->passages)
        return orr__passages_by(n->passages, link, t).coming;
    if (q && q->explicit)
        return q->waiting;
    if (port->free_at <= t)
        return 0;
    if (q)
        count = orr__spans_ahead(&q->losses, t);
    for (uint32_t i = port->tail; i != orr__inlet_of(n, link)->head; i--) {
        const struct orr_packet *p = &port->ring[(i - 1) & port->mask];
        int64_t time =
            orr__serialisation(orr__packet_size(p), n->rate_bps[link]);

        if (p->at + orr__cut_lead(n, link, orr__packet_size(p)) - port->delay_ps
                - time
            < t)
            break;
        count++;
    }
    return count;
}

void orr__net_totals(const struct orr_net *n, struct orr_net_totals *t)
{
    int64_t now = orr__net_moment(n);

    *t = (struct orr_net_totals){.pfc = n->pfc != NULL};
    for (unsigned w = 0; w < n->workers; w++) {
        const struct orr_lane *lane = &n->lane[w];

        t->events += lane->events;
        t->packets_sent += lane->sent + lane->made;
        t->packets_delivered += lane->delivered + lane->absorbed;
        t->packets_dropped += lane->dropped;
        t->ecn_marks += lane->marks;
        t->retransmissions += lane->repeats;
        t->pfc_pauses += lane->pauses;
        t->packets_trimmed += lane->trimmed;
        t->timeouts += lane->timeouts;
        if (lane->longest_timeout > t->longest_timeout_ps)
            t->longest_timeout_ps = lane->longest_timeout;
        t->packet_hops -= lane->frames; /* which are neither data nor ACKs */
        if (lane->last_event > t->last_event_ps)
            t->last_event_ps = lane->last_event;
    }
    /* where all has happened, messages may have been sent since */
    int64_t begun = n->passages && n->ended ? t->last_event_ps : now;
    for (uint32_t l = 0; l < n->graph->links; l++)
        t->packet_hops +=
            orr__port_packets(n, &n->port[l]) - not_begun(n, l, begun);
    for (uint32_t l = 0; n->any_queue && l < n->graph->links; l++)
        if (n->queue[l])
            t->packets_dropped -= orr__spans_open(&n->queue[l]->losses, now);
    for (uint32_t i = 0; i < n->graph->nodes; i++) {
        uint64_t key[2] = {i, *orr__digest_of(n, i)};

        if (key[1])
            t->fingerprint += XXH3_64bits(key, sizeof key);
    }
    t->fingerprint += n->jumped;
}
