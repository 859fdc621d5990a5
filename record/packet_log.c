#include "record/packet_log.h"
#include "core/none.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "net/watch/packet_observer.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

/* A packet at a port that has not begun; of links that are watched, each list
 * by the thread of the sending end. */
struct waiting {
    uint32_t connection, seq, size_flags, dst_kind;
    bool marked;
    int64_t queued;
    uint64_t queue;
};
/* Packets of a port, in the order in which they leave: [first, end). */
struct waiting_list {
    struct waiting *w;
    uint32_t first, end, room;
    struct waiting mark; /* a mark that came before the packet was queued */
};

/* A worker's own. */
struct gathered {
    _Alignas(64) struct orr_packet_row *row;
    uint64_t rows, row_room, order;
    struct orr_sent_message *message;
    uint64_t messages, message_room;
    uint8_t *known; /* per connection: KNOWN | bits of who wants it; 0: not
                     * asked yet */
    uint32_t known_room;
};
#define KNOWN 128u

/* Packets that somebody wants, as they are met. */
struct orr_packet_log {
    struct orr_world *world;
    struct orr_wanted wanted[ORR_WANTS];
    struct gathered *by;          /* per worker */
    struct waiting_list *at;      /* per link */
    struct orr_packet_row *ready; /* of the last call */
    uint64_t ready_room;
};

/* ---- who wants what ----------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The connections of a choice: of a job one for each stage of its schedule. */
static uint32_t specs_of(const struct orr_world *w, const struct orr_probed *p)
{
    return p->flow >= 0 ? 1 : w->jobs[p->job].team->stages;
}

/* The connection of a choice, at a stage of the schedule. */
static struct orr_connection_spec spec_of(const struct orr_world *w,
                                          const struct orr_probed *p,
                                          uint32_t stage)
{
    const struct orr_flow *flow;
    uint32_t i;
    if (p->flow < 0)
        return orr__post_spec(w->jobs[p->job].team, stage, (uint32_t)p->from,
                              (uint32_t)p->to);
    flow = w->flows->flow;
    i = (uint32_t)p->flow;
    i = flow[i].on ? flow[i].on - 1 : i;
    return orr__flow_spec(&flow[i], i);
}

static int by_identity(const void *a, const void *b)
{
    const struct orr_named *x = a, *y = b;
    return x->identity < y->identity ? -1 : x->identity > y->identity;
}

orr_err orr__wanted_names(const struct orr_world *w,
                          const struct orr_selection *s, struct orr_named **out,
                          uint32_t *n)
{
    uint32_t room = 0;
    int64_t jobs = 0;
    *n = 0;
    for (uint32_t i = 0; i < s->flows; i++)
        room += specs_of(w, &s->flow[i]);
    *out = orr__alloc(room + (size_t)1, sizeof **out);
    if (!*out)
        return ORR_ENOMEM;
    for (uint32_t i = 0; i < s->flows; i++) {
        const struct orr_probed *p = &s->flow[i];
        int64_t name = p->flow >= 0 ? p->flow : --jobs;
        for (uint32_t k = 0; k < specs_of(w, p); k++)
            (*out)[(*n)++] =
                (struct orr_named){spec_of(w, p, k).identity, name};
    }
    qsort(*out, *n, sizeof **out, by_identity);
    return ORR_OK;
}

orr_err orr__wanted_flows(struct orr_wanted *wanted, const struct orr_world *w,
                          const struct orr_selection *s)
{
    struct orr_named *named = NULL;
    uint32_t n;
    orr_err err = orr__wanted_names(w, s, &named, &n);
    if (err)
        return err;
    wanted->identity = orr__alloc(n + (size_t)1, sizeof *wanted->identity);
    wanted->identities = n;
    for (uint32_t i = 0; i < n && wanted->identity; i++)
        wanted->identity[i] = named[i].identity;
    orr__free(named);
    return wanted->identity ? ORR_OK : ORR_ENOMEM;
}

/* Both directions of each; path: room for all links. */
static void add_paths(struct orr_wanted *wanted, const struct orr_world *w,
                      const struct orr_selection *s, uint32_t *path)
{
    for (uint32_t i = 0; i < s->flows; i++)
        for (uint32_t k = 0; k < 2 * specs_of(w, &s->flow[i]); k++) {
            struct orr_connection_spec spec = spec_of(w, &s->flow[i], k / 2);
            uint32_t n =
                orr__net_path_of(w->net, &spec, k % 2, path, w->graph->links);
            for (uint32_t l = 0; l < n; l++)
                wanted->link[path[l]] = true;
        }
}

orr_err orr__wanted_links(struct orr_wanted *wanted, const struct orr_world *w,
                          const struct orr_selection *s)
{
    uint32_t *path;
    if (!s->ports && !orr__observed_fixed_paths(w->net))
        return ORR_OK; /* any of them */
    wanted->link =
        orr__alloc(w->graph->links + (size_t)1, sizeof *wanted->link);
    if (!wanted->link)
        return ORR_ENOMEM;
    for (uint32_t i = 0; i < s->ports; i++)
        wanted->link[s->port[i]] = true;
    if (s->ports)
        return ORR_OK;
    path = orr__alloc(w->graph->links + (size_t)1, sizeof *path);
    if (!path)
        return ORR_ENOMEM;
    add_paths(wanted, w, s, path);
    orr__free(path);
    return ORR_OK;
}

void orr__wanted_fini(struct orr_wanted *wanted)
{
    orr__free(wanted->link);
    orr__free(wanted->identity);
    *wanted = (struct orr_wanted){.on = false};
}

/* ---- gathering: in the thread of a node --------------------------------- */

/* Whether there is room in a list; without, the run ends. */
static bool has_room(struct orr_packet_log *c, bool room)
{
    if (!room)
        orr__net_fail(c->world->net, ORR_ENOMEM);
    return room;
}

/* Who wants the packets of a connection: KNOWN and bits. */
static uint8_t ask_observers(const struct orr_packet_log *c,
                             uint32_t connection)
{
    uint64_t identity =
        orr__observed_connection(c->world->net, connection).identity;
    uint8_t known = KNOWN;
    for (unsigned i = 0; i < ORR_WANTS; i++) {
        const struct orr_wanted *w = &c->wanted[i];
        if (w->on
            && (!w->identity
                || bsearch(&identity, w->identity, w->identities,
                           sizeof identity, by_number)))
            known |= (uint8_t)(1u << i);
    }
    return known;
}

/* Who wants the packets of a connection: bits. */
static uint8_t wants_of(struct orr_packet_log *c, struct gathered *g,
                        uint32_t connection)
{
    if (connection == ORR_NONE)
        return !c->wanted[ORR_WANT_PCAP].identity << ORR_WANT_PCAP;
    if (connection >= g->known_room) {
        uint32_t had = g->known_room;
        if (!has_room(c, orr__array_more(g->known, g->known_room, connection)))
            return 0;
        memset(g->known + had, 0, g->known_room - had);
    }
    if (!g->known[connection])
        g->known[connection] = ask_observers(c, connection);
    return g->known[connection] & (uint8_t)~KNOWN;
}

/* The same at a link. */
static uint8_t wants_at(struct orr_packet_log *c, struct gathered *g,
                        uint32_t link, const struct orr_packet *p)
{
    uint8_t wants = wants_of(c, g, p->connection);
    for (unsigned i = 0; i < ORR_WANTS; i++)
        if (!c->wanted[i].on || (c->wanted[i].link && !c->wanted[i].link[link]))
            wants &= (uint8_t) ~(1u << i);
    return wants;
}

static struct gathered *gathered_at(const struct orr_packet_log *c,
                                    uint32_t node)
{
    return &c->by[orr__net_worker(c->world->net, node)];
}

/* If there is no room, the run ends. */
static void add_row(struct orr_packet_log *c, struct gathered *g,
                    const struct orr_packet *p, struct orr_packet_row row)
{
    if (!has_room(c, orr__array_more(g->row, g->row_room, g->rows)))
        return;
    row.order = g->order++;
    row.connection = p->connection;
    row.seq = p->seq;
    row.size_flags = p->size_flags;
    row.dst_kind = p->dst_kind;
    row.aux = p->aux;
    g->row[g->rows++] = row;
}

/* What a port does to a packet changes none of this. */
static bool is_packet(const struct waiting *w, const struct orr_packet *p)
{
    const uint32_t ce = ORR_PACKET_CE;
    return w->connection == p->connection && w->seq == p->seq
           && w->dst_kind == p->dst_kind
           && (w->size_flags | ce) == (p->size_flags | ce);
}

/* NULL: it is not on the list. Equal ones go in order. */
static struct waiting *find_waiting(struct waiting_list *l,
                                    const struct orr_packet *p)
{
    for (uint32_t i = l->first; i < l->end; i++)
        if (is_packet(&l->w[i], p))
            return &l->w[i];
    return NULL;
}

/* The one that was queued last. */
static struct waiting *find_last(struct waiting_list *l,
                                 const struct orr_packet *p, int64_t queued)
{
    struct waiting *w = l->end > l->first ? &l->w[l->end - 1] : NULL;
    return w && w->queued == queued && is_packet(w, p) ? w : NULL;
}

static void take_out(struct waiting_list *l, const struct waiting *w)
{
    uint32_t i = (uint32_t)(w - l->w);
    memmove(l->w + l->first + 1, l->w + l->first,
            (i - l->first) * sizeof *l->w);
    l->first++;
    if (l->first == l->end)
        l->first = l->end = 0;
}

static bool has_mark(const struct waiting_list *l,
                     const struct orr_observed_hop *h)
{
    return l->mark.marked && l->mark.queued == h->now
           && is_packet(&l->mark, h->packet);
}

static struct waiting make_waiting(const struct orr_observed_hop *h)
{
    const struct orr_packet *p = h->packet;
    return (struct waiting){.connection = p->connection,
                            .seq = p->seq,
                            .size_flags = p->size_flags,
                            .dst_kind = p->dst_kind,
                            .queued = h->now};
}

/* A packet came to a port. */
static void queued(void *collector, const struct orr_observed_hop *h)
{
    struct orr_packet_log *c = collector;
    const struct orr_world *world = c->world;
    struct waiting_list *l = &c->at[h->link];
    struct waiting w;
    if (!wants_at(c, gathered_at(c, world->graph->from[h->link]), h->link,
                  h->packet))
        return;
    if (l->end == l->room && l->first > l->room / 2) {
        memmove(l->w, l->w + l->first, (l->end - l->first) * sizeof *l->w);
        l->end -= l->first;
        l->first = 0;
    }
    if (!has_room(c, orr__array_more(l->w, l->room, l->end)))
        return;
    w = make_waiting(h);
    w.queue = orr__observed_backlog(world->net, h->link, h->now);
    w.marked = has_mark(l, h);
    l->mark.marked = false;
    l->w[l->end++] = w;
}

/* Computed ports mark what is queued, explicit ones before it is, or as it
 * begins. */
static void marked(void *collector, const struct orr_observed_hop *h)
{
    struct orr_packet_log *c = collector;
    struct waiting_list *l = &c->at[h->link];
    struct waiting *w = find_waiting(l, h->packet);
    if (w) {
        w->marked = true;
        return;
    }
    l->mark = make_waiting(h);
    l->mark.marked = true;
}

/* A port begins to send a packet. */
static void begins(void *collector, const struct orr_observed_hop *h)
{
    struct orr_packet_log *c = collector;
    uint32_t node = c->world->graph->from[h->link];
    struct gathered *g = gathered_at(c, node);
    struct waiting_list *l = &c->at[h->link];
    uint8_t wants = wants_at(c, g, h->link, h->packet);
    struct waiting *w = wants ? find_waiting(l, h->packet) : NULL;
    struct orr_packet_row row = {
        .at = h->begin,
        .queued = w ? w->queued : h->now,
        .took = h->time,
        .queue = w ? w->queue : 0,
        .place = h->link,
        .event = ORR_PACKET_SENT,
        .wants = wants,
        .marked = w ? w->marked : has_mark(l, h),
    };
    if (!wants)
        return;
    if (w)
        take_out(l, w);
    l->mark.marked = false;
    add_row(c, g, h->packet, row);
}

/* A port had no room for a packet, or the link lost it. */
static void dropped(void *collector, const struct orr_observed_hop *h)
{
    struct orr_packet_log *c = collector;
    struct gathered *g = gathered_at(c, c->world->graph->from[h->link]);
    struct waiting_list *l = &c->at[h->link];
    uint8_t wants =
        wants_at(c, g, h->link, h->packet) & (1u << ORR_WANT_PACKETS);
    struct waiting *w = h->lost ? NULL : find_last(l, h->packet, h->now);
    struct orr_packet_row row = {
        .at = h->now,
        .queued = h->now,
        .place = h->link,
        .wants = wants,
        .event = h->lost ? ORR_PACKET_LOST : ORR_PACKET_DROPPED,
    };
    if (!h->lost && wants)
        row.queue = w ? w->queue
                      : orr__observed_backlog(c->world->net, h->link, h->now);
    if (w) /* a computed port reported it before */
        l->end--;
    if (!h->lost)
        l->mark.marked = false;
    if (wants)
        add_row(c, g, h->packet, row);
}

/* A packet came to its host. */
static void arrived(void *collector, int64_t now, uint32_t host,
                    const struct orr_packet *p)
{
    struct orr_packet_log *c = collector;
    struct gathered *g = gathered_at(c, host);
    uint8_t wants = wants_of(c, g, p->connection) & (1u << ORR_WANT_PACKETS);
    if (wants)
        add_row(c, g, p,
                (struct orr_packet_row){.at = now,
                                        .queued = now,
                                        .place = c->world->graph->links + host,
                                        .event = ORR_PACKET_ARRIVED,
                                        .wants = wants});
}

/* A message was given to its connection. */
static void message(void *collector, int64_t now, const struct orr_message *m)
{
    struct orr_packet_log *c = collector;
    struct orr_net *net = c->world->net;
    struct gathered *g =
        gathered_at(c, orr__observed_connection(net, m->connection).src);
    if (!(wants_of(c, g, m->connection) & 1u << ORR_WANT_PCAP)
        || !has_room(c,
                     orr__array_more(g->message, g->message_room, g->messages)))
        return;
    g->message[g->messages++] =
        (struct orr_sent_message){.bytes = m->bytes,
                                  .connection = m->connection,
                                  .first_seq = m->first_seq,
                                  .packets = m->packets,
                                  .user = m->user,
                                  .src = m->src,
                                  .dst = m->dst,
                                  .arg = m->arg};
}

static const struct orr_packet_observer_ops ops = {
    .message = message,
    .queued = queued,
    .begins = begins,
    .frame = begins,
    .dropped = dropped,
    .marked = marked,
    .arrived = arrived,
};

/* ---- life --------------------------------------------------------------- */

static void watch_packets(struct orr_packet_log *c)
{
    for (uint32_t l = 0; l < c->world->graph->links; l++)
        for (unsigned i = 0; i < ORR_WANTS; i++)
            if (c->wanted[i].on
                && (!c->wanted[i].link || c->wanted[i].link[l])) {
                orr__observed_link(c->world->net, l, true);
                break;
            }
}

orr_err orr__packet_log_new(struct orr_world *w, struct orr_wanted *wanted,
                            struct orr_packet_log **out, struct orr_report *why)
{
    struct orr_packet_log *c = orr__alloc(1, sizeof *c);
    orr_err err;
    if (!c) {
        for (unsigned i = 0; i < ORR_WANTS; i++)
            orr__wanted_fini(&wanted[i]);
        return orr__no_memory(why);
    }
    c->world = w;
    memcpy(c->wanted, wanted, sizeof c->wanted);
    c->by = orr__alloc_lines(w->options.workers, sizeof *c->by);
    c->at = orr__alloc(w->graph->links + (size_t)1, sizeof *c->at);
    err = c->by && c->at ? orr__net_observe_packets(w->net, &ops, c, why)
                         : orr__no_memory(why);
    if (err) {
        orr__packet_log_free(c);
        return err;
    }
    watch_packets(c);
    *out = c;
    return ORR_OK;
}

void orr__packet_log_free(struct orr_packet_log *c)
{
    if (!c)
        return;
    for (unsigned i = 0; c->by && i < c->world->options.workers; i++) {
        orr__free(c->by[i].row);
        orr__free(c->by[i].message);
        orr__free(c->by[i].known);
    }
    for (uint32_t l = 0; c->at && l < c->world->graph->links; l++)
        orr__free(c->at[l].w);
    for (unsigned i = 0; i < ORR_WANTS; i++)
        orr__wanted_fini(&c->wanted[i]);
    orr__free(c->by);
    orr__free(c->at);
    orr__free(c->ready);
    orr__free(c);
}

/* ---- in order ----------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct orr_packet_row *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Those before `until` go to the end of `to`; the others stay, in order. */
static uint64_t move_rows(struct gathered *g, int64_t until,
                          struct orr_packet_row *to)
{
    uint64_t n = 0, kept = 0;
    for (uint64_t i = 0; i < g->rows; i++)
        if (g->row[i].at < until)
            to[n++] = g->row[i];
        else
            g->row[kept++] = g->row[i];
    g->rows = kept;
    return n;
}

uint64_t orr__packet_log_kept(const struct orr_packet_log *c)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < c->world->options.workers; i++)
        n += c->by[i].rows;
    return n;
}

struct orr_packet_row *orr__packet_log_rows(struct orr_packet_log *c,
                                            int64_t until, uint64_t *n)
{
    uint64_t most = orr__packet_log_kept(c);
    *n = 0;
    if (!orr__array_room(c->ready, c->ready_room, most)) {
        *n = UINT64_MAX;
        return NULL;
    }
    for (unsigned i = 0; i < c->world->options.workers; i++)
        *n += move_rows(&c->by[i], until, c->ready + *n);
    if (*n)
        qsort(c->ready, *n, sizeof *c->ready, by_time);
    return c->ready;
}

void orr__packet_log_messages(struct orr_packet_log *c,
                              void (*each)(void *arg,
                                           const struct orr_sent_message *m),
                              void *arg)
{
    for (unsigned i = 0; i < c->world->options.workers; i++) {
        for (uint64_t k = 0; k < c->by[i].messages; k++)
            each(arg, &c->by[i].message[k]);
        c->by[i].messages = 0;
    }
}
