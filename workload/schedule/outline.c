/* The walk through a job's program. Two iterations are gone through: what is
 * told is the second one, when ranks are as far apart as they will be. What
 * jitter does to them more are gone through for. */
#include "workload/schedule/outline.h"
#include "core/none.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/heap.h"
#include "core/memory.h"
#include "core/table.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/program/receives.h"
#include "workload/rank/bound.h"
#include "workload/rank/mailbox.h"
#include "workload/rank/rank.h"

/* Operations of all ranks, and shipments' departures: more are not gone
 * through. */
#define MOST_STEPS UINT64_C(20000000)
enum { ITERATIONS = 2 };
/* With jitter, and fewer where they are of more than so many steps. */
enum { VARIED_ITERATIONS = 65, LEAST_VARIED = 9 };
#define VARIED_STEPS 4000000

enum kind { DONE, ARRIVED };
struct event {
    int64_t at;
    uint64_t number;   /* of all, in the order in which they were set */
    uint32_t rank, op; /* DONE */
    uint64_t key;      /* ARRIVED: of the message */
    uint8_t kind;
};

/* Waits for a stream, or for the others in a call. */
struct waiting {
    uint32_t rank, op, next;
};

struct walker {
    uint32_t iteration, left;
    uint64_t base;  /* in waits[] */
    uint32_t queue; /* of struct waiting: operations for busy streams */
    struct orr_mailbox mail;
    struct orr_receives posted;
    int64_t computed; /* in the iteration that counts */
};

struct walk {
    const struct orr_world *w;
    const struct orr_job *job;
    const struct orr_team *t;
    const struct orr_program *p;
    const struct orr_message_paths *ways; /* NULL: the job's own */
    struct orr_outline *out;
    struct orr_report *why;
    struct walker *rank;
    uint32_t *waits;    /* per rank, per operation of its part */
    uint8_t *busy;      /* per rank, per stream: things that keep it */
    int64_t *nic_free;  /* per member: when its host may send the next */
    struct event *heap; /* ordered by (at, number) */
    uint32_t events, event_room;
    uint64_t numbers, steps;
    struct waiting *waiting;
    uint32_t waiting_room, waiting_free;
    uint32_t *group_off;         /* per call: where its groups begin in ... */
    uint32_t *entered, *in_call; /* per group: ranks; first of waiting */
    uint32_t *alike;             /* per call: the first one that is like it */
    uint32_t *shipment;          /* per group, of calls in `alike` */
    struct orr_table sends;      /* (src, dst), bytes: shipment */
    uint32_t shipment_room, departure_room;
    uint32_t iterations; /* gone through; the last one counts */
    bool varied;         /* computations take what jitter makes of them */
    int64_t start, *end; /* of the iteration that counts; of each */
    uint32_t done;
    bool out_of_memory;
};

/* ---- growing ------------------------------------------------------------ */

/* Notes that there is no memory if so. */
static bool has_room(struct walk *k, bool room)
{
    k->out_of_memory |= !room;
    return room;
}

/* ---- events ------------------------------------------------------------- */

static inline uint32_t heap_count(const struct walk *k)
{
    return k->events;
}

static inline const struct event *heap_at(const struct walk *k, uint32_t place)
{
    return &k->heap[place];
}

static inline void heap_settle(struct walk *k, const struct event *e,
                               uint32_t place)
{
    k->heap[place] = *e;
}

static inline bool heap_sooner(const struct walk *k, const struct event *a,
                               const struct event *b)
{
    return a->at < b->at || (a->at == b->at && a->number < b->number);
}

ORR_HEAP(heap, struct walk *, const struct event *, 2)

static void push(struct walk *k, struct event e)
{
    if (!has_room(k, orr__array_more(k->heap, k->event_room, k->events)))
        return;
    e.number = k->numbers++;
    heap_rise(k, &e, k->events++);
}

static struct event pop(struct walk *k)
{
    struct event first = k->heap[0], last = k->heap[--k->events];
    heap_sink(k, &last, 0);
    return first;
}

static void done_at(struct walk *k, int64_t at, uint32_t rank, uint32_t op)
{
    push(k, (struct event){.at = at, .rank = rank, .op = op, .kind = DONE});
}

static uint32_t wait_in(struct walk *k, uint32_t rank, uint32_t op,
                        uint32_t next)
{
    uint32_t i = k->waiting_free;
    if (i == ORR_NONE) {
        uint32_t had = k->waiting_room;
        if (!has_room(k, orr__array_more(k->waiting, k->waiting_room, had)))
            return next;
        for (uint32_t f = had; f < k->waiting_room; f++)
            k->waiting[f].next = f + 1 < k->waiting_room ? f + 1 : ORR_NONE;
        i = had;
    }
    k->waiting_free = k->waiting[i].next;
    k->waiting[i] = (struct waiting){rank, op, next};
    return i;
}

static struct waiting leave(struct walk *k, uint32_t i)
{
    struct waiting x = k->waiting[i];
    k->waiting[i].next = k->waiting_free;
    k->waiting_free = i;
    return x;
}

/* ---- shipments ---------------------------------------------------------- */

uint32_t orr__own_path(const struct orr_world *w, const struct orr_job *j,
                       uint32_t src, uint32_t dst, bool forward, uint32_t *link,
                       uint32_t max)
{
    const struct orr_connection_spec spec =
        orr__post_spec(j->team, 0, src, dst);
    uint32_t n = orr__net_path_of(w->net, &spec, forward, link, max);
    return n < max ? n : max;
}

static uint32_t way_of(void *arg, uint32_t src, uint32_t dst, bool forward,
                       uint32_t *link, uint32_t max)
{
    const struct walk *k = arg;
    if (k->ways)
        return k->ways->links(k->ways->arg, src, dst, forward, link, max);
    return orr__own_path(k->w, k->job, src, dst, forward, link, max);
}

/* The same without the way back: without ACKs. */
static uint32_t way_out(void *arg, uint32_t src, uint32_t dst, bool forward,
                        uint32_t *link, uint32_t max)
{
    return forward ? way_of(arg, src, dst, forward, link, max) : 0;
}

void orr__parcel_links(const struct orr_world *w,
                       const struct orr_message_paths *ways,
                       const struct orr_parcel *p,
                       void (*fn)(void *arg, uint32_t link, uint64_t bytes),
                       void *arg)
{
    struct orr_net_wire wire = orr__net_wire(w->net_config);
    uint32_t link[ORR_PATH_LINKS], n;
    uint64_t each = p->messages ? p->bytes / p->messages : 0;
    n = ways->links(ways->arg, p->src, p->dst, true, link, ORR_PATH_LINKS);
    uint64_t mtu = n <= 2 ? wire.local_mtu : wire.mtu;
    uint64_t packets = each && !wire.whole ? (each + mtu - 1) / mtu : 1;
    packets *= p->messages;
    for (uint32_t i = 0; i < n; i++)
        fn(arg, link[i], p->bytes + packets * wire.header);
    if (!wire.reliable || !wire.ack)
        return;
    n = ways->links(ways->arg, p->src, p->dst, false, link, ORR_PATH_LINKS);
    for (uint32_t i = 0; i < n; i++)
        fn(arg, link[i],
           (packets + wire.ack_every - 1) / wire.ack_every * wire.ack);
}

static void add_parcel(struct walk *k, struct orr_shipment *s, uint32_t *room,
                       uint32_t src, uint32_t dst, uint64_t bytes,
                       uint64_t messages)
{
    struct orr_parcel *last = s->n ? &s->parcel[s->n - 1] : NULL;
    if (k->job->hosts[src] == k->job->hosts[dst])
        return;
    if (last && last->src == src && last->dst == dst) {
        last->bytes += bytes;
        last->messages += messages;
        return;
    }
    if (!has_room(k, orr__array_more(s->parcel, *room, s->n)))
        return;
    ORR_ASSERT(s->parcel != NULL);
    s->parcel[s->n++] = (struct orr_parcel){src, dst, bytes, messages};
}

struct collect {
    struct walk *k;
    struct orr_shipment *s;
    const struct orr_call *call;
    uint32_t group; /* whose parcels are taken */
    uint32_t room;
};

static uint32_t group_of(const struct orr_call *x, uint32_t rank);

static void take(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                 uint64_t messages)
{
    struct collect *c = arg;
    if (group_of(c->call, src) == c->group)
        add_parcel(c->k, c->s, &c->room, src, dst, bytes, messages);
}

/* Bytes on each link, to find the one that takes longest. */
struct load {
    const struct orr_graph *g;
    uint64_t *bytes; /* per link */
    int64_t longest;
};

static void put_on(void *arg, uint32_t link, uint64_t bytes)
{
    struct load *l = arg;
    l->bytes[link] += bytes;
    int64_t t = orr__serialisation(l->bytes[link], l->g->rate_bps[link]);
    l->longest = t > l->longest ? t : l->longest;
}

/* What a shipment takes on its busiest link; `links` says the ways. */
static int64_t carrying(struct walk *k, const struct orr_shipment *s,
                        uint32_t (*links)(void *arg, uint32_t src, uint32_t dst,
                                          bool forward, uint32_t *link,
                                          uint32_t max))
{
    const struct orr_message_paths ways = {links, k};
    struct load l = {k->w->graph, NULL, 0};
    l.bytes = orr__alloc(l.g->links, sizeof *l.bytes);
    k->out_of_memory |= !l.bytes;
    for (uint32_t i = 0; l.bytes && i < s->n; i++)
        orr__parcel_links(k->w, &ways, &s->parcel[i], put_on, &l);
    orr__free(l.bytes);
    return l.longest;
}

static uint32_t new_shipment(struct walk *k)
{
    struct orr_outline *o = k->out;
    if (!has_room(k,
                  orr__array_more(o->shipment, k->shipment_room, o->shipments)))
        return ORR_NONE;
    o->shipment[o->shipments] = (struct orr_shipment){0};
    return o->shipments++;
}

static int64_t with_headers(const struct walk *k, int64_t ps)
{
    struct orr_net_wire wire = orr__net_wire(k->w->net_config);
    return wire.whole
               ? ps
               : (int64_t)((__int128)ps * (wire.mtu + wire.header) / wire.mtu);
}

/* What a call takes: its bytes on the busiest link, or its longest chain of
 * messages, which share their links with ACKs. */
static int64_t calling(struct walk *k, const struct orr_shipment *s,
                       int64_t chain)
{
    int64_t all = carrying(k, s, way_of);
    int64_t data = carrying(k, s, way_out);
    chain = with_headers(k, chain);
    if (data > 0)
        chain = (int64_t)((__int128)chain * all / data);
    return all > chain ? all : chain;
}

/* Groups of a call that ranks enter side by side, and that of a rank. */
static uint32_t groups_of(const struct walk *k, const struct orr_call *x)
{
    return x->stride ? (k->t->ranks / (x->stride * x->c.n) + 1) * x->stride : 1;
}

static uint32_t group_of(const struct orr_call *x, uint32_t rank)
{
    if (!x->stride)
        return 0;
    return rank / (x->stride * x->c.n) * x->stride + rank % x->stride;
}

static uint32_t shipment_of_call(struct walk *k, uint32_t call, uint32_t rank)
{
    uint32_t first = k->alike[call];
    const struct orr_call *x = &k->p->call[first];
    uint32_t group = group_of(x, rank), at = k->group_off[first] + group;
    if (k->shipment[at] != ORR_NONE)
        return k->shipment[at];
    uint32_t id = new_shipment(k);
    if (id == ORR_NONE)
        return ORR_NONE;
    struct collect c = {k, &k->out->shipment[id], x, group, 0};
    orr__traffic_of_call(k->t, x, take, &c);
    c.s->for_ps = calling(k, c.s, orr__bound_call(k->w, k->t, x));
    k->shipment[at] = id;
    return id;
}

static void depart(struct walk *k, int64_t at, uint32_t shipment,
                   uint32_t iteration)
{
    struct orr_outline *o = k->out;
    if (iteration != k->iterations - 1 || !o->shipment[shipment].n)
        return;
    if (!has_room(
            k, orr__array_more(o->departure, k->departure_room, o->departures)))
        return;
    o->departure[o->departures++] = (struct orr_departure){shipment, at};
}

/* ---- operations --------------------------------------------------------- */

static uint64_t message_key(uint32_t src, uint32_t tag)
{
    return (uint64_t)src << 32 | tag;
}

static int64_t path_delay(struct walk *k, uint32_t src, uint32_t dst)
{
    uint32_t link[ORR_PATH_LINKS];
    uint32_t n = way_of(k, src, dst, true, link, ORR_PATH_LINKS);
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum = orr__time_add(sum, k->w->graph->delay_ps[link[i]]);
    return sum;
}

/* One send is a shipment of its own; the same again is the same. */
static uint32_t shipment_of_send(struct walk *k, uint32_t src, uint32_t dst,
                                 uint64_t bytes)
{
    uint64_t key = ((uint64_t)src << 32 | dst) * UINT64_C(0x9e3779b97f4a7c15);
    key ^= bytes * UINT64_C(0xbf58476d1ce4e5b9);
    uint32_t id = orr__table_find(&k->sends, key), room = 0;
    if (id != ORR_NONE)
        return id;
    id = new_shipment(k);
    if (id == ORR_NONE)
        return ORR_NONE;
    struct orr_shipment *s = &k->out->shipment[id];
    add_parcel(k, s, &room, src, dst, bytes, 1);
    s->for_ps = carrying(k, s, way_of);
    k->out_of_memory |= !orr__table_add(&k->sends, key, id);
    return id;
}

static void start_send(struct walk *k, int64_t now, uint32_t rank, uint32_t id)
{
    const struct orr_op *op = &k->p->op[id];
    uint32_t peer = orr__op_peer(k->p, op, rank);
    struct event e = {
        .rank = peer, .kind = ARRIVED, .key = message_key(rank, op->index)};
    if (k->job->hosts[rank] == k->job->hosts[peer]) {
        int64_t t = orr__serialisation(op->bytes, k->t->local_bps);
        done_at(k, orr__time_add(now, t), rank, id);
        e.at = orr__time_add(orr__time_add(now, t), k->t->local_delay_ps);
        push(k, e);
        return;
    }
    uint32_t shipment = shipment_of_send(k, rank, peer, op->bytes);
    if (shipment == ORR_NONE)
        return;
    int64_t start = now > k->nic_free[rank] ? now : k->nic_free[rank];
    int64_t left = orr__time_add(start, k->out->shipment[shipment].for_ps);
    int64_t delay = path_delay(k, rank, peer);
    k->nic_free[rank] = left;
    depart(k, start, shipment, k->rank[rank].iteration);
    done_at(k, k->t->acked ? orr__time_add(left, 2 * delay) : left, rank, id);
    e.at = orr__time_add(left, delay);
    push(k, e);
}

static void start_recv(struct walk *k, int64_t now, uint32_t rank, uint32_t id)
{
    const struct orr_op *op = &k->p->op[id];
    uint64_t key = message_key(orr__op_peer(k->p, op, rank), op->index);
    int32_t count = 0;
    if (!orr__mailbox_add(&k->rank[rank].mail, 0, key, -1, &count)
        || (count < 0 && !orr__receives_add(&k->rank[rank].posted, key, id)))
        k->out_of_memory = true;
    else if (count >= 0)
        done_at(k, now, rank, id);
}

static void arrive(struct walk *k, const struct event *e)
{
    struct walker *r = &k->rank[e->rank];
    int32_t count = 0;
    if (!orr__mailbox_add(&r->mail, 0, e->key, 1, &count))
        k->out_of_memory = true;
    else if (count <= 0)
        done_at(k, e->at, e->rank, orr__receives_take(&r->posted, e->key));
}

/* The last rank that comes begins the call for all. */
static void enter_call(struct walk *k, int64_t now, uint32_t rank, uint32_t id)
{
    uint32_t call = k->p->op[id].index;
    const struct orr_call *x = &k->p->call[call];
    uint32_t at = k->group_off[call] + group_of(x, rank);
    uint32_t all = x->stride ? x->c.n : orr__call_ranks(k->p, x);
    k->in_call[at] = wait_in(k, rank, id, k->in_call[at]);
    if (++k->entered[at] < all)
        return;
    uint32_t shipment = shipment_of_call(k, call, rank);
    if (shipment == ORR_NONE)
        return;
    depart(k, now, shipment, k->rank[rank].iteration);
    int64_t end = orr__time_add(now, k->out->shipment[shipment].for_ps);
    while (k->in_call[at] != ORR_NONE) {
        struct waiting w = leave(k, k->in_call[at]);
        k->in_call[at] = w.next;
        done_at(k, end, w.rank, w.op);
    }
    k->entered[at] = 0;
}

/* Who else holds streams does so by the rules of a foreign system, which are
 * not known here. */
static bool uses_stream(const struct orr_op *op)
{
    return op->kind == ORR_OP_COMPUTE;
}

static uint8_t *stream_of(const struct walk *k, uint32_t rank,
                          const struct orr_op *op)
{
    return &k->busy[(size_t)rank * k->p->streams + op->stream];
}

static int64_t computation(const struct walk *k, uint32_t rank, uint32_t id)
{
    const struct orr_op *op = &k->p->op[id];
    int64_t time = op->time_ps;
    if (k->t->slower)
        time = (int64_t)((double)time * k->t->slower[rank] + 0.5);
    if (!k->varied)
        return time;
    const uint64_t name[] = {rank, id, k->rank[rank].iteration};
    return orr__jitter_draw(orr__op_jitter(k->p, op, &k->t->jitter), time, 0,
                            XXH3_64bits(name, sizeof name));
}

static void begin(struct walk *k, int64_t now, uint32_t rank, uint32_t id)
{
    const struct orr_op *op = &k->p->op[id];
    int64_t time;
    switch (op->kind) {
    case ORR_OP_COMPUTE:
        time = computation(k, rank, id);
        if (k->rank[rank].iteration == k->iterations - 1)
            k->rank[rank].computed += time;
        done_at(k, orr__time_add(now, time), rank, id);
        break;
    case ORR_OP_SEND: start_send(k, now, rank, id); break;
    case ORR_OP_RECV: start_recv(k, now, rank, id); break;
    case ORR_OP_COLLECTIVE: enter_call(k, now, rank, id); break;
    default: /* a wait; nobody is ahead of anyone's clock */
        done_at(k, now, rank, id);
    }
}

static void make_ready(struct walk *k, int64_t now, uint32_t rank, uint32_t id)
{
    const struct orr_op *op = &k->p->op[id];
    struct walker *r = &k->rank[rank];
    k->steps++;
    if (!orr__program_runs(k->p, op, rank)) {
        done_at(k, now, rank, id | ORR_TURN); /* had no stream */
        return;
    }
    if (uses_stream(op)) {
        if (*stream_of(k, rank, op)) {
            r->queue = wait_in(k, rank, id, r->queue);
            return;
        }
        (*stream_of(k, rank, op))++;
    }
    begin(k, now, rank, id);
}

/* The next for a stream: the highest priority, of these the one that came
 * first; the queue has the last that came at its head. */
static void serve_stream(struct walk *k, int64_t now, uint32_t rank,
                         uint16_t stream)
{
    struct walker *r = &k->rank[rank];
    uint32_t *best = NULL;
    for (uint32_t *at = &r->queue; *at != ORR_NONE;
         at = &k->waiting[*at].next) {
        const struct orr_op *op = &k->p->op[k->waiting[*at].op];
        if (op->stream == stream
            && (!best
                || op->priority >= k->p->op[k->waiting[*best].op].priority))
            best = at;
    }
    if (!best)
        return;
    uint32_t i = *best;
    *best = k->waiting[i].next;
    struct waiting x = leave(k, i);
    (*stream_of(k, rank, &k->p->op[x.op]))++;
    begin(k, now, rank, x.op);
}

/* ---- iterations --------------------------------------------------------- */

static void begin_iteration(struct walk *k, int64_t now, uint32_t rank)
{
    struct walker *r = &k->rank[rank];
    const struct orr_part *part = orr__part_of(k->p, rank);
    if (r->iteration == k->iterations - 1 && (k->start < 0 || now < k->start))
        k->start = now;
    memcpy(&k->waits[r->base], &k->p->waits[part->op],
           part->ops * sizeof *k->waits);
    r->left = part->ops;
    for (uint32_t i = 0; i < part->n_first; i++)
        make_ready(k, now, rank, k->p->first[part->first + i]);
}

static void complete(struct walk *k, const struct event *e)
{
    struct walker *r = &k->rank[e->rank];
    uint32_t id = e->op & ~ORR_TURN;
    const struct orr_op *op = &k->p->op[id];
    const struct orr_part *part = orr__part_of(k->p, e->rank);
    if (uses_stream(op) && !(e->op & ORR_TURN)) {
        (*stream_of(k, e->rank, op))--;
        serve_stream(k, e->at, e->rank, op->stream);
    }
    for (uint32_t i = k->p->next_off[id]; i < k->p->next_off[id + 1]; i++) {
        uint32_t next = k->p->next[i];
        if (--k->waits[r->base + (next - part->op)] == 0)
            make_ready(k, e->at, e->rank, next);
    }
    if (--r->left)
        return;
    if (e->at > k->end[r->iteration])
        k->end[r->iteration] = e->at;
    if (++r->iteration < k->iterations)
        begin_iteration(k, e->at, e->rank);
    else
        k->done++;
}

static orr_err go(struct walk *k)
{
    k->start = -1;
    for (uint32_t r = 0; r < k->t->ranks; r++)
        begin_iteration(k, 0, r);
    while (k->events && !k->out_of_memory && k->steps < MOST_STEPS) {
        struct event e = pop(k);
        if (e.kind == ARRIVED)
            arrive(k, &e);
        else
            complete(k, &e);
    }
    if (k->out_of_memory)
        return orr__no_memory(k->why);
    if (k->done < k->t->ranks)
        return orr__fail(k->why, ORR_ERUN,
                         k->events ? "the program of job \"%s\" is too large "
                                     "to be worked out without packets"
                                   : "the program of job \"%s\" does not come "
                                     "to an end",
                         k->job->name);
    return ORR_OK;
}

static void conclude(struct walk *k)
{
    struct orr_outline *o = k->out;
    __int128 computed = 0;
    o->iteration_ps = k->end[ITERATIONS - 1] - k->end[ITERATIONS - 2];
    if (o->iteration_ps <= 0)
        o->iteration_ps = 1;
    for (uint32_t r = 0; r < k->t->ranks; r++)
        computed += k->rank[r].computed;
    ORR_ASSERT(k->t->ranks > 0); /* a job has some */
    o->compute_ps = (int64_t)(computed / k->t->ranks);
    if (o->compute_ps > o->iteration_ps)
        o->compute_ps = o->iteration_ps;
    for (uint32_t i = 0; i < o->departures; i++) {
        int64_t at = (o->departure[i].at_ps - k->start) % o->iteration_ps;
        o->departure[i].at_ps = at < 0 ? at + o->iteration_ps : at;
    }
}

static bool make(struct walk *k)
{
    uint64_t all = 0;
    k->rank = orr__alloc(k->t->ranks, sizeof *k->rank);
    for (uint32_t r = 0; k->rank && r < k->t->ranks; r++) {
        k->rank[r].base = all;
        k->rank[r].queue = ORR_NONE;
        all += orr__part_of(k->p, r)->ops;
    }
    k->waits = orr__alloc(all, sizeof *k->waits);
    k->busy = orr__alloc((size_t)k->t->ranks * k->p->streams, 1);
    k->nic_free = orr__alloc(k->t->members, sizeof *k->nic_free);
    k->end = orr__alloc(k->iterations, sizeof *k->end);
    k->group_off = orr__alloc(k->p->calls, sizeof *k->group_off);
    size_t groups = 0;
    for (uint32_t i = 0; k->group_off && i < k->p->calls; i++) {
        k->group_off[i] = (uint32_t)groups;
        groups += groups_of(k, &k->p->call[i]);
    }
    k->entered = orr__alloc(groups, sizeof *k->entered);
    k->in_call = orr__alloc(groups, sizeof *k->in_call);
    k->alike = orr__alloc(k->p->calls, sizeof *k->alike);
    k->shipment = orr__alloc(groups, sizeof *k->shipment);
    k->waiting_free = ORR_NONE;
    if (!k->group_off || !k->rank || !k->waits || !k->busy || !k->nic_free
        || !k->end || !k->entered || !k->in_call || !k->alike || !k->shipment)
        return false;
    memset(k->in_call, 0xff, groups * sizeof *k->in_call);
    memset(k->shipment, 0xff, groups * sizeof *k->shipment);
    return orr__calls_alike(k->p, k->alike);
}

static void clear(struct walk *k)
{
    for (uint32_t r = 0; k->rank && r < k->t->ranks; r++) {
        orr__free(k->rank[r].mail.slot);
        orr__receives_fini(&k->rank[r].posted);
    }
    orr__table_fini(&k->sends);
    orr__free(k->rank);
    orr__free(k->waits);
    orr__free(k->busy);
    orr__free(k->nic_free);
    orr__free(k->end);
    orr__free(k->heap);
    orr__free(k->waiting);
    orr__free(k->group_off);
    orr__free(k->entered);
    orr__free(k->in_call);
    orr__free(k->alike);
    orr__free(k->shipment);
}

/* ---- jitter ------------------------------------------------------------- */

static uint64_t steps_of(const struct walk *k)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < k->t->ranks; r++)
        sum += orr__part_of(k->p, r)->ops;
    return sum;
}

static void measure(const struct walk *k, const struct orr_outline *o,
                    struct orr_swing *out)
{
    uint32_t n = k->iterations - 1;
    double mean = (double)(k->end[n] - k->end[0]) / n, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        double d = (double)(k->end[i + 1] - k->end[i]) - mean;
        squares += d * d;
    }
    out->longer_ps = mean - (double)o->iteration_ps;
    out->deviation_ps = sqrt(squares / (n - 1));
}

orr_err orr__outline_swing(const struct orr_world *w, const struct orr_job *j,
                           const struct orr_outline *o, struct orr_swing *out,
                           struct orr_report *why)
{
    struct orr_outline scratch = {0};
    struct walk k = {.w = w,
                     .job = j,
                     .t = j->team,
                     .p = j->team->program,
                     .out = &scratch,
                     .why = why,
                     .varied = true};
    uint64_t steps = steps_of(&k), n = VARIED_STEPS / (steps ? steps : 1);
    *out = (struct orr_swing){0};
    if (!orr__program_varies(k.p, &k.t->jitter)
        || steps >= MOST_STEPS / LEAST_VARIED)
        return ORR_OK;
    n = n < VARIED_ITERATIONS ? n : VARIED_ITERATIONS;
    k.iterations = n > LEAST_VARIED ? (uint32_t)n : LEAST_VARIED;
    orr_err err = make(&k) ? go(&k) : orr__no_memory(why);
    if (!err)
        measure(&k, o, out);
    clear(&k);
    orr__outline_fini(&scratch);
    return err;
}

orr_err orr__outline_by(const struct orr_world *w, const struct orr_job *j,
                        const struct orr_message_paths *ways,
                        struct orr_outline *out, struct orr_report *why)
{
    struct walk k = {.w = w,
                     .job = j,
                     .t = j->team,
                     .p = j->team->program,
                     .ways = ways,
                     .out = out,
                     .why = why,
                     .iterations = ITERATIONS};
    *out = (struct orr_outline){0};
    orr_err err = make(&k) ? go(&k) : orr__no_memory(why);
    if (!err)
        conclude(&k);
    clear(&k);
    if (err) {
        orr__outline_fini(out);
        *out = (struct orr_outline){0};
    }
    return err;
}

orr_err orr__outline(const struct orr_world *w, const struct orr_job *j,
                     struct orr_outline *out, struct orr_report *why)
{
    return orr__outline_by(w, j, NULL, out, why);
}

void orr__outline_fini(struct orr_outline *o)
{
    for (uint32_t i = 0; i < o->shipments; i++)
        orr__free(o->shipment[i].parcel);
    orr__free(o->shipment);
    orr__free(o->departure);
}
