#include "net/loop/marker.h"

#include "core/none.h"
#include "net/fabric/nic_port.h"
#include "net/host/host.h"
#include "net/port/port.h"
#include "net/watch/bench.h"

/* On the ring of its link, which counts it as a packet: the link's counters and
 * the audit are told that it is none. */
static bool mark_arrival(struct orr_net *n, const struct orr_marker *m)
{
    uint32_t host = n->graph->to[m->link];
    struct orr_lane *lane = orr__lane_of(n, host);
    struct orr_port *port = &n->port[m->link];
    struct orr_packet *slot;

    if (orr__port_full(port, port->tail)
        && !orr__port_grow(n, port, port->tail))
        return false;
    slot = orr__port_slot(port, port->tail++);
    *slot = (struct orr_packet){
        .at = m->at,
        .connection = ORR_NONE,
        .dst_kind = orr__packet_to(host, ORR_PACKET_MARKER),
        .seq = m->tag,
        .aux = m->user,
    };
    port->packets -= !n->explicit;
    n->skipped[m->link]--;
    lane->frames_received--;
    lane->events--;
    orr__fabric_show(n, m->link);
    return true;
}

void orr__marker_arrived(struct orr_net *n, struct orr_lane *lane,
                         const struct orr_packet *p)
{
    const struct orr_net_user *u = &n->user[p->aux];

    lane->frames_received++;
    u->ops->marked(u->context, orr__packet_dst(p), p->at, p->seq);
}

/* A message that leaves then: `sent` of markers' own user is called, which
 * calls who wanted the marker. Its port has nothing else to do, and is as if it
 * were computed. */
static bool mark_departure(struct orr_net *n, const struct orr_marker *m)
{
    uint32_t host = n->graph->from[m->link], port = n->nic_port_of[m->link];
    struct orr_nic_port *np = &n->nic_port[port];
    const struct orr_message what = {
        .user = n->markers, .tag = m->tag, .arg = m->user, .departs_by = port};
    struct orr_message *new = orr__message_new(n, orr__lane_of(n, host), &what);

    ORR_ASSERT(np->departing == ORR_NONE && !np->own_queued);
    if (!new)
        return false;
    np->explicit = false;
    np->departing = new->id;
    orr__source_set(np->process, np->slot, m->at);
    if (!n->port[m->link].local)
        orr__windows_wake(n->windows, n->node[host].process, m->at);
    return true;
}

static void departed(void *net, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct orr_net *n = net;
    const struct orr_net_user *u = &n->user[m->arg];
    uint32_t tag = (uint32_t)m->tag;

    orr__message_release(n, orr__lane_of(n, host), m->id);
    u->ops->marked(u->context, host, now, tag);
}

bool orr__net_may_mark(struct orr_net *n)
{
    static const struct orr_net_ops ops = {.sent = departed};

    n->markers = orr__net_user(n, &ops, n);
    return n->markers != ORR_NONE && orr__net_may_gain(n);
}

bool orr__net_mark(struct orr_net *n, const struct orr_marker *m)
{
    return m->arrives ? mark_arrival(n, m) : mark_departure(n, m);
}
