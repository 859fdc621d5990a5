#include "net/loop/analytical.h"

#include "core/config/config.h"
#include "core/fingerprint.h"
#include "core/units.h"
#include "net/ideal/analytical_time.h"
#include "net/path/route.h"
#include "net/port/passage.h"
#include "net/port/port.h"

/* ---- sending ---- */

/* Other workers count on the same link. Sums of whole numbers do not depend on
 * the order, and are read between windows. */
static void count_bytes(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                        uint64_t wire)
{
    struct orr_port *port = &n->port[link];

    __atomic_fetch_add(&port->bytes, wire, __ATOMIC_RELAXED);
    __atomic_fetch_add(&port->packets, 1, __ATOMIC_RELAXED);
    lane->active[link / 64] |= UINT64_C(1) << link % 64;
}

/* Where a message has got to on its path, after the time of its head. */
struct head {
    uint64_t wire;
    int64_t now, from, slowest, end; /* end: of the message, at most */
};

/* Over one more link, and none of it after its end. */
static void pass_link(struct orr_net *n, struct head *h, uint32_t link)
{
    int64_t time = orr__serialisation(h->wire, n->rate_bps[link]), until;

    h->slowest = time > h->slowest ? time : h->slowest;
    until = orr__time_add(h->from, h->slowest);
    if (!orr__passages_add(n->passages, link, h->now, h->from,
                           until < h->end ? until : h->end, h->wire))
        orr__fabric_out_of_memory(n);
    h->from = orr__time_add(h->from, n->port[link].delay_ps);
    h->from = h->from < h->end ? h->from : h->end;
}

#define SHORT 16 /* links of paths that are walked once */

/* All at once: when it is there. */
static int64_t fly_to_end(struct orr_net *n, struct orr_sender *s,
                          const struct orr_message *m, uint64_t wire,
                          int64_t now)
{
    struct orr_lane *lane = orr__sender_lane(n, s);
    struct orr_probe p = orr__probe_of(n, s, true);
    struct orr_analytical_path w = {0};
    uint32_t path[SHORT], links = 0;
    int64_t end;

    for (uint32_t at = s->src; at != s->dst;) {
        uint32_t link = orr__probe_next(n, n->base, at, &p);

        orr__analytical_add_link(n, &w, link, wire);
        count_bytes(n, lane, link, wire);
        at = n->graph->to[link];
        if (links < SHORT)
            path[links] = link;
        links++;
    }
    end = orr__time_add(now, orr__analytical_path_time(n, &w));
    struct head h = {.wire = wire, .now = now, .from = now, .end = end};
    for (uint32_t i = 0; links <= SHORT && i < links; i++)
        pass_link(n, &h, path[i]);
    p = orr__probe_of(n, s, true);
    for (uint32_t at = s->src; links > SHORT && at != s->dst;) {
        uint32_t link = orr__probe_next(n, n->base, at, &p);

        pass_link(n, &h, link);
        at = n->graph->to[link];
    }
    orr__fabric_post(n, s->src, now, s->dst, end, ORR_WHAT_HERE, m->id);
    return end;
}

/* The link that a message of this sender takes from a node. */
static uint32_t link_from(const struct orr_net *n, const struct orr_sender *s,
                          uint32_t node)
{
    struct orr_probe p = orr__probe_of(n, s, true);

    while (p.path && n->graph->from[*p.path] != node)
        p.path++;
    return orr__probe_next(n, n->base, node, &p);
}

/* Its source learns when it is at its destination. The source itself sets a
 * timer, the last node on a longer path posts one. */
static void tell_end(struct orr_net *n, uint32_t node,
                     const struct orr_sender *s, const struct orr_message *m,
                     int64_t now, int64_t end)
{
    const struct orr_message *gone =
        orr__message_new(n, orr__lane_of(n, node), m);

    if (!gone)
        return;
    if (node != s->src)
        orr__fabric_post(n, node, now, s->src, end, ORR_WHAT_GONE, gone->id);
    else
        orr__fabric_timer(n, s->src, end,
                          ORR_RANK_USER | n->node[s->src].timers_set++,
                          ORR_WHAT_GONE, gone->id);
}

/* Over the next link, when those that came before have left it; by the worker
 * of this node. */
static void hop_link(struct orr_net *n, uint32_t node, uint32_t id, int64_t now)
{
    const struct orr_message *m = orr__message(n, id);
    const struct orr_sender *s = orr__sender(n, m->connection);
    uint64_t wire = orr__analytical_wire_bytes(n, m->bytes);
    uint32_t link = link_from(n, s, node), to = n->graph->to[link];
    struct orr_port *port = &n->port[link];
    int64_t backlog = port->free_at > now ? port->free_at - now : 0;
    int64_t exact = orr__serialisation(wire, n->rate_bps[link]);
    int64_t time = orr__analytical_steps(n, exact);
    int64_t end =
        orr__time_add(now + backlog, orr__analytical_hop_time(n, link, wire));

    port->free_at = orr__time_add(now + backlog, time);
    orr__port_area(n, port, wire, 2 * (uint64_t)backlog);
    orr__port_area(n, port, wire, (uint64_t)time);
    /* all of its bytes wait, also where their time is cut to whole steps */
    if (orr__time_add(backlog, exact) > port->max_ps)
        port->max_ps = orr__time_add(backlog, exact);
    count_bytes(n, orr__lane_of(n, node), link, wire);
    orr__fabric_post(n, node, now, to, end,
                     to == s->dst ? ORR_WHAT_HERE : ORR_WHAT_HOP, id);
    if (to == s->dst)
        tell_end(n, node, s, m, now, end);
}

void orr__analytical_hop(struct orr_net *n, uint32_t node, uint32_t id,
                         int64_t now)
{
    hop_link(n, node, id, now);
}

void orr__analytical_send(struct orr_net *n, struct orr_sender *s, uint32_t id,
                          int64_t now)
{
    struct orr_message *m = orr__message(n, id);
    struct orr_lane *lane = orr__sender_lane(n, s);
    uint64_t wire = orr__analytical_wire_bytes(n, m->bytes);

    if (n->config->contention == ORR_CONTENTION_LINKS)
        hop_link(n, s->src, id, now);
    else
        tell_end(n, s->src, s, m, now, fly_to_end(n, s, m, wire, now));
    lane->sent++;
    s->packets++;
    s->stats.payload_bytes += m->bytes;
    s->wire_bytes += wire;
}

void orr__analytical_end(struct orr_net *n, uint32_t what, uint32_t id,
                         int64_t now)
{
    struct orr_message *m = orr__message(n, id);
    struct orr_receiver *r = orr__receiver(n, m->connection);
    uint32_t host = what == ORR_WHAT_HERE ? r->dst : r->src;
    struct orr_lane *lane = orr__lane_of(n, host);
    uint64_t *digest = orr__digest_of(n, host);

    if (now > lane->last_event)
        lane->last_event = now;
    if (what == ORR_WHAT_HERE) {
        lane->delivered++;
        lane->events++;
        *digest = orr__digest(*digest, (uint64_t)now ^ m->bytes,
                              (uint64_t)r->hash << 32 | m->first_seq);
        orr__call_received(n, host, now, m);
    } else {
        orr__call_sent(n, host, now, m);
    }
    orr__message_release(n, lane, id);
}

/* ---- what it has not ---- */

/* The first thing asked for that such a network has not, NULL: nothing; *at:
 * where it stands, if at one place. */
static const char *missing(const struct orr_net *n, const struct orr_yaml **at)
{
    const struct orr_net_config *c = n->config;
    const struct orr_yaml *root = orr__config_root(c->document);
    const struct {
        const struct orr_yaml *node;
        bool asked;
        const char *what;
    } all[] = {
        {c->queue_node, c->queue_node != NULL, "queues"},
        {c->buffer_node, c->buffer_node != NULL, "buffers"},
        {c->pfc_node, c->pfc_node != NULL, "pause frames"},
        {c->routing_node, c->moves || c->reorders,
         "packets to spread over paths"},
        {c->routing_node, c->detours, "detours"},
        {c->tier_node, c->rules > 0, "rules by tier"},
        {orr__yaml_get(orr__yaml_get(root, "topology"), "circuits"),
         c->failures && c->failures->slots, "circuits"},
        {orr__yaml_get(root, "failures"), c->failures != NULL,
         "links that fail or change their rate"},
        {c->control_node, c->controlled, "congestion control"},
        {orr__yaml_get(root, "network"), n->explicit,
         "traffic classes, nor ports with events"},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].asked) {
            *at = all[i].node;
            return all[i].what;
        }
    for (uint32_t l = 0; l < n->graph->links; l++)
        if (n->graph->loss[l] > 0) {
            *at = orr__yaml_get(root, "topology");
            return "losses";
        }
    return NULL;
}

orr_err orr__analytical_check(const struct orr_net *n, struct orr_report *why)
{
    const struct orr_net_config *c = n->config;
    const struct orr_yaml *at = NULL;
    const char *what = NULL;
    orr_err err;

    if (c->transport == ORR_TRANSPORT_ANALYTICAL)
        what = missing(n, &at);
    if (!what)
        return ORR_OK;
    err = orr__yaml_fail(c->document, at, why,
                         "`transport: analytical` has no "
                         "%s",
                         what);
    orr__hint(why, "`transport: datagram` and `reliable` simulate packets");
    return err;
}
