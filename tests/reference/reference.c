#include "tests/reference/reference.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Kinds in the order in which one node handles them at one instant. */
enum kind { DEPARTURE, ARRIVAL, ACK_TIMER, START };

struct packet {
    const uint32_t *path; /* the link it takes next */
    uint32_t hops;        /* links still to take */
    uint32_t connection;
    uint32_t number; /* data: its place on the connection; ACK: next due */
    uint32_t message;
    uint64_t bytes;    /* on the wire */
    bool is_ack, last; /* last of its message */
};

struct event {
    int64_t at;
    enum kind kind;
    uint32_t node, link;
    uint64_t serial;      /* order of creation */
    struct packet packet; /* DEPARTURE, ARRIVAL */
    uint32_t what;        /* ACK_TIMER: connection; START: message */
    uint32_t rank;        /* ACK_TIMER: of the connection */
};

struct port {
    int64_t free_at;
    bool own; /* the node's own packet waits or is in service */
};

/* One end-to-end conversation, both ends of it. */
struct talk {
    uint32_t *queue;             /* messages in order of their start */
    uint32_t queued, at;         /* how many; the one being sent */
    uint64_t offset;             /* payload of it that was sent */
    uint32_t next, acknowledged; /* sender: packet numbers */
    uint64_t turn; /* place in the round robin; 0: nothing to send */
    uint32_t here, unacknowledged; /* receiver: arrived, not yet told */
    int64_t ack_due;               /* of the held ACK; -1: none is held */
};

struct sim {
    const struct ref_network *net;
    struct event *events;
    struct packet *acks; /* waiting at their port, oldest first */
    struct port *ports;
    struct talk *talks;
    uint32_t *end_number; /* per message: number of the packet after it */
    size_t n_events, n_acks;
    uint64_t serial, turns, hops;
    int64_t now;
    bool failed;
};

/* Room for one more item of `size` bytes; a full list holds a power of two. */
static void *grown(struct sim *s, void *list, size_t n, size_t size)
{
    void *more = n & (n - 1) ? list : realloc(list, (n ? 2 * n : 1) * size);

    if (more)
        return more;
    s->failed = true;
    return list;
}

static void add_event(struct sim *s, struct event e)
{
    e.serial = s->serial++;
    s->events = grown(s, s->events, s->n_events, sizeof e);
    if (!s->failed)
        s->events[s->n_events++] = e;
}

/* What is told apart by, of arrivals at one node at one time. */
static uint64_t tie_of(const struct event *e, uint64_t seed)
{
    uint64_t key[2] = {(uint64_t)e->at, (uint64_t)e->node << 32 | e->link};

    return XXH3_64bits_withSeed(key, sizeof key, seed);
}

static bool before(const struct ref_rules *r, const struct event *a,
                   const struct event *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->node != b->node)
        return a->node < b->node;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (a->link != b->link)
        return r->shuffled && a->kind == ARRIVAL
                   ? tie_of(a, r->seed) < tie_of(b, r->seed)
                   : a->link < b->link;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->serial < b->serial;
}

static struct event take_event(struct sim *s)
{
    size_t best = 0;
    struct event e;

    for (size_t i = 1; i < s->n_events; i++)
        if (before(&s->net->rules, &s->events[i], &s->events[best]))
            best = i;
    e = s->events[best];
    s->events[best] = s->events[--s->n_events];
    return e;
}

static int64_t duration(uint64_t bytes, uint64_t rate_bps)
{
    unsigned __int128 scaled = (unsigned __int128)bytes * 8000000000000u;

    return (int64_t)((scaled + rate_bps - 1) / rate_bps);
}

/* Queues p at its next link. Returns when its last byte leaves. */
static int64_t transmit(struct sim *s, struct packet p)
{
    uint32_t link = *p.path++;
    const struct ref_link *l = &s->net->links[link];
    struct port *port = &s->ports[link];
    int64_t start = port->free_at > s->now ? port->free_at : s->now;

    port->free_at = start + duration(p.bytes, l->rate_bps);
    s->hops++;
    p.hops--;
    add_event(s, (struct event){.at = port->free_at + l->delay_ps,
                                .kind = ARRIVAL,
                                .node = l->to,
                                .link = link,
                                .packet = p});
    return port->free_at;
}

static bool can_send(const struct sim *s, const struct talk *t)
{
    const struct ref_rules *r = &s->net->rules;

    return t->at < t->queued
           && (!r->reliable || t->next - t->acknowledged < r->window);
}

/* The next packet of new data of a talk that may send. */
static struct packet cut_packet(struct sim *s, uint32_t connection)
{
    const struct ref_connection *c = &s->net->connections[connection];
    const struct ref_rules *r = &s->net->rules;
    struct talk *t = &s->talks[connection];
    uint32_t message = t->queue[t->at];
    uint64_t left = s->net->messages[message].bytes - t->offset;
    uint64_t mtu = c->n_forward <= 2 ? r->local_mtu : r->mtu;
    uint64_t payload = left < mtu ? left : mtu;
    uint64_t bytes = payload + r->header;
    struct packet p = {.path = c->forward,
                       .hops = c->n_forward,
                       .connection = connection,
                       .number = t->next++,
                       .message = message,
                       .bytes = bytes ? bytes : 1};

    t->offset += payload;
    if (payload == left) {
        p.last = true;
        s->end_number[message] = t->next;
        t->at++;
        t->offset = 0;
    }
    return p;
}

/* What the node would send now through this port: its oldest ACK, else of the
 * talk whose turn is lowest. False: nothing. */
static bool choose(struct sim *s, uint32_t link, struct packet *p)
{
    uint32_t best = UINT32_MAX;
    struct talk *t;

    for (size_t i = 0; i < s->n_acks; i++)
        if (*s->acks[i].path == link) {
            *p = s->acks[i];
            s->n_acks--;
            memmove(&s->acks[i], &s->acks[i + 1],
                    (s->n_acks - i) * sizeof *s->acks);
            return true;
        }
    for (uint32_t c = 0; c < s->net->n_connections; c++)
        if (s->net->connections[c].forward[0] == link && s->talks[c].turn
            && (best == UINT32_MAX || s->talks[c].turn < s->talks[best].turn))
            best = c;
    if (best == UINT32_MAX)
        return false;
    t = &s->talks[best];
    *p = cut_packet(s, best);
    t->turn = can_send(s, t) ? ++s->turns : 0;
    return true;
}

/* One own packet at a time stands in a port's queue. */
static void pump(struct sim *s, uint32_t link)
{
    struct packet p;

    if (s->ports[link].own || !choose(s, link, &p))
        return;
    s->ports[link].own = true;
    add_event(s, (struct event){.at = transmit(s, p),
                                .kind = DEPARTURE,
                                .node = s->net->links[link].from,
                                .link = link,
                                .packet = p});
}

static void activate(struct sim *s, uint32_t connection)
{
    struct talk *t = &s->talks[connection];

    if (t->turn == 0 && can_send(s, t))
        t->turn = ++s->turns;
    pump(s, s->net->connections[connection].forward[0]);
}

static void send_ack(struct sim *s, uint32_t connection)
{
    const struct ref_connection *c = &s->net->connections[connection];
    struct talk *t = &s->talks[connection];

    t->unacknowledged = 0;
    t->ack_due = -1;
    s->acks = grown(s, s->acks, s->n_acks, sizeof *s->acks);
    if (s->failed)
        return;
    s->acks[s->n_acks++] = (struct packet){.path = c->back,
                                           .hops = c->n_back,
                                           .connection = connection,
                                           .number = t->here,
                                           .bytes = s->net->rules.ack,
                                           .is_ack = true};
    pump(s, c->back[0]);
}

static void on_data(struct sim *s, const struct packet *p)
{
    const struct ref_rules *r = &s->net->rules;
    struct talk *t = &s->talks[p->connection];

    t->here++;
    if (p->last)
        s->net->messages[p->message].received_ps = s->now;
    if (!r->reliable)
        return;
    if (++t->unacknowledged >= r->ack_every || p->last) {
        send_ack(s, p->connection);
    } else if (t->ack_due < 0) {
        t->ack_due = s->now + r->ack_delay_ps;
        add_event(
            s, (struct event){.at = t->ack_due,
                              .kind = ACK_TIMER,
                              .node = s->net->connections[p->connection].dst,
                              .what = p->connection,
                              .rank = s->net->connections[p->connection].rank});
    }
}

static void on_ack(struct sim *s, const struct packet *p)
{
    struct talk *t = &s->talks[p->connection];

    t->acknowledged = p->number;
    for (uint32_t i = 0; i < t->at; i++) {
        struct ref_message *m = &s->net->messages[t->queue[i]];

        if (m->acked_ps < 0 && s->end_number[t->queue[i]] <= p->number)
            m->acked_ps = s->now;
    }
    activate(s, p->connection);
}

static void on_start(struct sim *s, uint32_t message)
{
    uint32_t connection = s->net->messages[message].connection;
    struct talk *t = &s->talks[connection];

    t->queue[t->queued++] = message;
    activate(s, connection);
}

static void handle(struct sim *s, const struct event *e)
{
    const struct packet *p = &e->packet;

    s->now = e->at;
    if (e->kind == START) {
        on_start(s, e->what);
    } else if (e->kind == ACK_TIMER) {
        if (s->talks[e->what].ack_due == s->now)
            send_ack(s, e->what);
    } else if (e->kind == DEPARTURE) {
        s->ports[e->link].own = false;
        if (p->last)
            s->net->messages[p->message].sent_ps = s->now;
        pump(s, e->link);
    } else if (p->hops > 0) {
        transmit(s, *p);
    } else if (p->is_ack) {
        on_ack(s, p);
    } else {
        on_data(s, p);
    }
}

static void prepare(struct sim *s)
{
    const struct ref_network *n = s->net;

    s->ports = calloc(n->n_links + 1, sizeof *s->ports);
    s->talks = calloc(n->n_connections + 1, sizeof *s->talks);
    s->end_number = calloc(n->n_messages + 1, sizeof *s->end_number);
    s->failed = !s->ports || !s->talks || !s->end_number;
    for (uint32_t c = 0; c < n->n_connections && !s->failed; c++) {
        s->talks[c].ack_due = -1;
        s->talks[c].queue = calloc(n->n_messages, sizeof(uint32_t));
        s->failed = !s->talks[c].queue;
    }
    for (uint32_t i = 0; i < n->n_messages && !s->failed; i++) {
        struct ref_message *m = &n->messages[i];

        m->sent_ps = m->received_ps = m->acked_ps = -1;
        add_event(s, (struct event){.at = m->start_ps,
                                    .kind = START,
                                    .node = n->connections[m->connection].src,
                                    .what = i});
    }
}

uint64_t ref_run(const struct ref_network *net)
{
    struct sim s = {.net = net};

    prepare(&s);
    while (!s.failed && s.n_events > 0) {
        struct event e = take_event(&s);

        handle(&s, &e);
    }
    for (uint32_t c = 0; s.talks && c < net->n_connections; c++)
        free(s.talks[c].queue);
    free(s.talks);
    free(s.ports);
    free(s.end_number);
    free(s.acks);
    free(s.events);
    return s.failed ? 0 : s.hops;
}
