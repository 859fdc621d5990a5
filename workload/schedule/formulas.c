/* The clock of formulas (workload/rank/clock.h): an event heap in place of the
 * net, and what messages and collectives take, worked out. */
#include "workload/schedule/formulas.h"

#include <string.h>
#include <xxhash.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/heap.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/table.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/program/groups.h"
#include "workload/rank/bound.h"
#include "workload/rank/rank.h"

enum kind { DUE, COMPLETE, ARRIVED };
/* An event; those of one time in the order in which they were set. */
struct event {
    int64_t at;
    uint64_t number; /* of all, in the order in which they were set */
    uint32_t rank;   /* where it happens */
    uint32_t what;   /* DUE: the slot; COMPLETE: the operation; ARRIVED: src */
    uint32_t tag;    /* ARRIVED */
    uint8_t kind;
};

/* Waits for the others in a call. */
struct waiting {
    uint32_t rank, op, next;
};

/* A program under way, by formulas. */
struct formula_run {
    const struct orr_formulas *f;
    struct orr_team team; /* the job's, with this clock */
    const struct orr_program *p;
    struct orr_outline *out;
    struct orr_tally tally;           /* of all ranks */
    struct orr_iteration_terms stage; /* the only one */
    int64_t *nic_free;  /* per member: when its host may send the next */
    struct event *heap; /* ordered by (at, number) */
    uint32_t events, event_room;
    uint64_t numbers, steps; /* events set; operations begun */
    struct waiting *waiting;
    uint32_t waiting_room, waiting_free;
    uint32_t *group_off;         /* per call: where its groups begin in ... */
    uint32_t *entered, *in_call; /* per group: ranks; first of waiting */
    uint32_t *alike;             /* per call: the first one that is like it */
    uint32_t *shipment;          /* per group, of calls in `alike` */
    struct orr_table sends;      /* (src, dst), bytes: shipment */
    uint32_t shipment_room, departure_room;
    __int128 computed; /* in the iteration that counts */
    bool out_of_memory, full;
};

static struct formula_run *run_of(const struct orr_rank *r)
{
    return r->team->clock_state;
}

/* ---- growing ------------------------------------------------------------ */

/* Notes that there is no memory if so. */
static bool has_room(struct formula_run *k, bool room)
{
    k->out_of_memory |= !room;
    return room;
}

/* ---- events ------------------------------------------------------------- */

static inline uint32_t heap_count(const struct formula_run *k)
{
    return k->events;
}

static inline const struct event *heap_at(const struct formula_run *k,
                                          uint32_t place)
{
    return &k->heap[place];
}

static inline void heap_settle(struct formula_run *k, const struct event *e,
                               uint32_t place)
{
    k->heap[place] = *e;
}

static inline bool heap_sooner(const struct formula_run *k,
                               const struct event *a, const struct event *b)
{
    return a->at < b->at || (a->at == b->at && a->number < b->number);
}

ORR_HEAP(heap, struct formula_run *, const struct event *, 2)

static void push_event(struct formula_run *k, struct event e)
{
    if (!has_room(k, orr__array_more(k->heap, k->event_room, k->events)))
        return;
    e.number = k->numbers++;
    heap_rise(k, &e, k->events++);
}

static struct event pop_event(struct formula_run *k)
{
    struct event first = k->heap[0], last = k->heap[--k->events];
    heap_sink(k, &last, 0);
    return first;
}

static void complete_at(struct formula_run *k, int64_t at, uint32_t rank,
                        uint32_t op)
{
    push_event(k, (struct event){
                      .at = at, .rank = rank, .what = op, .kind = COMPLETE});
}

static void arrive_at(struct formula_run *k, int64_t at, uint32_t rank,
                      uint32_t src, uint32_t tag)
{
    push_event(
        k,
        (struct event){
            .at = at, .rank = rank, .what = src, .tag = tag, .kind = ARRIVED});
}

/* Enters an operation into a list of those that wait; returns its new head, or
 * `next` without memory. */
static uint32_t wait_in(struct formula_run *k, uint32_t rank, uint32_t op,
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

static struct waiting take_waiting(struct formula_run *k, uint32_t i)
{
    struct waiting x = k->waiting[i];
    k->waiting[i].next = k->waiting_free;
    k->waiting_free = i;
    return x;
}

/* ---- shipments ---------------------------------------------------------- */

static uint32_t path_of(void *arg, uint32_t src, uint32_t dst, bool forward,
                        uint32_t *link, uint32_t max)
{
    const struct formula_run *k = arg;
    if (k->f->paths)
        return k->f->paths->links(k->f->paths->arg, src, dst, forward, link,
                                  max);
    return orr__own_path(k->f->w, k->f->job, src, dst, forward, link, max);
}

/* The same without the way back: without ACKs. */
static uint32_t path_out(void *arg, uint32_t src, uint32_t dst, bool forward,
                         uint32_t *link, uint32_t max)
{
    return forward ? path_of(arg, src, dst, forward, link, max) : 0;
}

/* Bytes from src to dst, added to the last parcel if that goes there too;
 * nothing within a host. */
static void add_parcel(struct formula_run *k, struct orr_shipment *s,
                       uint32_t *room, uint32_t src, uint32_t dst,
                       uint64_t bytes, uint64_t messages)
{
    struct orr_parcel *last = s->n ? &s->parcel[s->n - 1] : NULL;
    if (k->f->job->hosts[src] == k->f->job->hosts[dst])
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

/* What parcels of a call are put into. */
struct collect {
    struct formula_run *k;
    struct orr_shipment *s;
    const struct orr_call *call;
    uint32_t group; /* whose parcels are taken */
    uint32_t room;
    uint32_t rank; /* one of that group */
};

static uint32_t group_of(const struct orr_call *x, uint32_t rank);

static void take_message(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                         uint64_t messages)
{
    struct collect *c = arg;
    if (group_of(c->call, src) == c->group)
        add_parcel(c->k, c->s, &c->room, src, dst, bytes, messages);
}

static void take_on_tree(void *arg, uint32_t link, uint64_t bytes)
{
    struct collect *c = arg;
    struct orr_shipment *s = c->s;
    if (!has_room(c->k, orr__array_more(s->parcel, c->room, s->n)))
        return;
    s->parcel[s->n++] = (struct orr_parcel){ORR_NONE, link, bytes, 1};
}

/* Of a call on trees: what it puts on each link. */
static void collect_trees(struct collect *c)
{
    struct formula_run *k = c->k;
    struct orr_group_load load = {.fn = take_on_tree, .arg = c};
    struct orr_report why = {0};
    if (orr__call_group_load(k->f->w, k->p, c->call, k->team.hosts,
                             orr__call_group_of(k->p, c->call, c->rank),
                             k->team.job, &load, &why))
        k->out_of_memory = true;
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
static int64_t carrying(struct formula_run *k, const struct orr_shipment *s,
                        uint32_t (*links)(void *arg, uint32_t src, uint32_t dst,
                                          bool forward, uint32_t *link,
                                          uint32_t max))
{
    const struct orr_message_paths paths = {links, k};
    struct load l = {k->f->w->graph, NULL, 0};
    l.bytes = orr__alloc(l.g->links, sizeof *l.bytes);
    k->out_of_memory |= !l.bytes;
    for (uint32_t i = 0; l.bytes && i < s->n; i++)
        orr__parcel_links(k->f->w, &paths, &s->parcel[i], put_on, &l);
    orr__free(l.bytes);
    return l.longest;
}

/* What all departures take on the busiest link. Iterations that overlap can be
 * no shorter, though formulas let collectives be under way side by side. */
static bool busiest(struct formula_run *k, int64_t *ps)
{
    const struct orr_outline *o = k->out;
    const struct orr_message_paths paths = {path_of, k};
    struct load l = {k->f->w->graph, NULL, 0};
    l.bytes = orr__alloc(l.g->links, sizeof *l.bytes);
    for (uint32_t i = 0; l.bytes && i < o->departures; i++) {
        const struct orr_shipment *s = &o->shipment[o->departure[i].shipment];
        for (uint32_t n = 0; n < s->n; n++)
            orr__parcel_links(k->f->w, &paths, &s->parcel[n], put_on, &l);
    }
    *ps = l.longest;
    bool ok = l.bytes != NULL;
    orr__free(l.bytes);
    return ok;
}

static uint32_t new_shipment(struct formula_run *k)
{
    struct orr_outline *o = k->out;
    if (!has_room(k,
                  orr__array_more(o->shipment, k->shipment_room, o->shipments)))
        return ORR_NONE;
    o->shipment[o->shipments] = (struct orr_shipment){0};
    return o->shipments++;
}

static int64_t with_headers(const struct formula_run *k, int64_t ps)
{
    struct orr_net_wire wire = orr__net_wire(k->f->w->net_config);
    return wire.whole
               ? ps
               : (int64_t)((__int128)ps * (wire.mtu + wire.header) / wire.mtu);
}

/* What a call takes: its bytes on the busiest link, or its longest chain of
 * messages, which share their links with ACKs. */
static int64_t calling(struct formula_run *k, const struct orr_shipment *s,
                       int64_t chain)
{
    int64_t all = carrying(k, s, path_of);
    int64_t data = carrying(k, s, path_out);
    chain = with_headers(k, chain);
    if (data > 0)
        chain = (int64_t)((__int128)chain * all / data);
    return all > chain ? all : chain;
}

/* Groups of a call that ranks enter side by side, and that of a rank. */
static uint32_t groups_of(const struct formula_run *k, const struct orr_call *x)
{
    if (!x->stride)
        return 1;
    return (k->team.ranks / (x->stride * x->c.n) + 1) * x->stride;
}

static uint32_t group_of(const struct orr_call *x, uint32_t rank)
{
    if (!x->stride)
        return 0;
    return rank / (x->stride * x->c.n) * x->stride + rank % x->stride;
}

/* Each group of calls that are alike has one shipment, made the first time.
 * ORR_NONE: no memory. */
static uint32_t shipment_of_call(struct formula_run *k, uint32_t call,
                                 uint32_t rank)
{
    uint32_t first = k->alike[call];
    const struct orr_call *x = &k->p->call[first];
    uint32_t group = group_of(x, rank), at = k->group_off[first] + group;
    if (k->shipment[at] != ORR_NONE)
        return k->shipment[at];
    uint32_t id = new_shipment(k);
    if (id == ORR_NONE)
        return ORR_NONE;
    struct collect c = {k, &k->out->shipment[id], x, group, 0, rank};
    if (x->c.ops->on_trees)
        collect_trees(&c);
    else
        orr__traffic_of_call(&k->team, x, take_message, &c);
    c.s->for_ps = calling(k, c.s, orr__bound_call(k->f->w, &k->team, x));
    k->shipment[at] = id;
    return id;
}

static void depart(struct formula_run *k, int64_t at, uint32_t shipment,
                   uint32_t iteration)
{
    struct orr_outline *o = k->out;
    if (iteration != k->f->counts || !o->shipment[shipment].n)
        return;
    if (!has_room(
            k, orr__array_more(o->departure, k->departure_room, o->departures)))
        return;
    o->departure[o->departures++] = (struct orr_departure){shipment, at};
}

/* ---- operations --------------------------------------------------------- */

static int64_t path_delay(struct formula_run *k, uint32_t src, uint32_t dst)
{
    uint32_t link[ORR_PATH_LINKS];
    uint32_t n = path_of(k, src, dst, true, link, ORR_PATH_LINKS);
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum = orr__time_add(sum, k->f->w->graph->delay_ps[link[i]]);
    return sum;
}

/* One send is a shipment of its own; the same again is the same. */
static uint32_t shipment_of_send(struct formula_run *k, uint32_t src,
                                 uint32_t dst, uint64_t bytes)
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
    s->for_ps = carrying(k, s, path_of);
    k->out_of_memory |= !orr__table_add(&k->sends, key, id);
    return id;
}

static void send_local(struct formula_run *k, int64_t now,
                       const struct orr_rank *r, uint32_t id)
{
    const struct orr_op *op = &k->p->op[id];
    int64_t left =
        orr__time_add(now, orr__serialisation(op->bytes, k->team.local_bps));
    complete_at(k, left, r->rank, id);
    arrive_at(k, orr__time_add(left, k->team.local_delay_ps),
              orr__op_peer(k->p, op, r->rank), r->rank, op->index);
}

/* Messages of one host leave one after another. */
static void start_send(struct orr_rank *r, int64_t now, uint32_t id)
{
    struct formula_run *k = run_of(r);
    const struct orr_op *op = &k->p->op[id];
    uint32_t peer = orr__op_peer(k->p, op, r->rank);
    k->steps++;
    if (k->team.hosts[r->rank] == k->team.hosts[peer]) {
        send_local(k, now, r, id);
        return;
    }
    uint32_t shipment = shipment_of_send(k, r->rank, peer, op->bytes);
    if (shipment == ORR_NONE)
        return;
    int64_t start = now > k->nic_free[r->rank] ? now : k->nic_free[r->rank];
    int64_t left = orr__time_add(start, k->out->shipment[shipment].for_ps);
    int64_t delay = path_delay(k, r->rank, peer);
    k->nic_free[r->rank] = left;
    depart(k, start, shipment, orr__rank_iteration(r, id));
    complete_at(k, k->team.acked ? orr__time_add(left, 2 * delay) : left,
                r->rank, id);
    arrive_at(k, orr__time_add(left, delay), peer, r->rank, op->index);
}

/* The last rank that comes begins the call for all. */
static void start_call(struct orr_rank *r, int64_t now, uint32_t id)
{
    struct formula_run *k = run_of(r);
    uint32_t call = k->p->op[id].index;
    const struct orr_call *x = &k->p->call[call];
    uint32_t at = k->group_off[call] + group_of(x, r->rank);
    uint32_t all = x->stride ? x->c.n : orr__call_ranks(k->p, x);
    k->steps++;
    k->in_call[at] = wait_in(k, r->rank, id, k->in_call[at]);
    if (++k->entered[at] < all)
        return;
    uint32_t shipment = shipment_of_call(k, call, r->rank);
    if (shipment == ORR_NONE)
        return;
    depart(k, now, shipment, orr__rank_iteration(r, id));
    int64_t end = orr__time_add(now, k->out->shipment[shipment].for_ps);
    while (k->in_call[at] != ORR_NONE) {
        struct waiting w = take_waiting(k, k->in_call[at]);
        k->in_call[at] = w.next;
        complete_at(k, end, w.rank, w.op);
    }
    k->entered[at] = 0;
}

static void start_compute(struct orr_rank *r, int64_t now, uint32_t id)
{
    run_of(r)->steps++;
    orr__rank_compute(r, now, id);
}

static void start_receive(struct orr_rank *r, int64_t now, uint32_t id)
{
    run_of(r)->steps++;
    orr__rank_receive(r, now, id);
}

/* ---- time --------------------------------------------------------------- */

static void set_timer(struct orr_rank *r, int64_t at, uint32_t slot)
{
    push_event(
        run_of(r),
        (struct event){.at = at, .rank = r->rank, .what = slot, .kind = DUE});
}

/* Draws are the same for equal programs, so that equal jobs stay equal. */
static int64_t computation(struct orr_rank *r, const struct orr_later *x)
{
    struct formula_run *k = run_of(r);
    int64_t time = orr__rank_slowed(r, x->arg);
    uint32_t iteration = orr__rank_iteration(r, x->arg);
    const uint64_t name[] = {r->rank, x->arg, iteration};
    if (k->f->varied)
        time = orr__jitter_draw(
            orr__op_jitter(k->p, &k->p->op[x->arg], &k->team.jitter), time, 0,
            XXH3_64bits(name, sizeof name));
    if (iteration == k->f->counts)
        k->computed += time;
    return time;
}

static void fail(struct orr_rank *r, bool full)
{
    struct formula_run *k = run_of(r);
    k->full |= full;
    k->out_of_memory |= !full;
}

/* Nobody is ahead of anyone's clock. */
static const struct orr_clock formula_clock = {
    .start = {[ORR_OP_COMPUTE] = start_compute,
              [ORR_OP_SEND] = start_send,
              [ORR_OP_RECV] = start_receive,
              [ORR_OP_COLLECTIVE] = start_call},
    .timer = set_timer,
    .duration = computation,
    .fail = fail,
};

/* One event on its rank, and all that can go on then. */
static void happen(struct formula_run *k, const struct event *e)
{
    struct orr_rank *r = &k->team.rank[e->rank];
    ORR_ASSERT(e->rank < k->team.members);
    struct orr_later x;
    switch (e->kind) {
    case DUE:
        x = orr__rank_take(r, e->what);
        orr__rank_due(r, e->at, &x);
        break;
    case COMPLETE: orr__rank_complete(r, e->at, e->what); break;
    default: orr__rank_message(r, e->at, e->what, e->tag);
    }
    orr__rank_advance(r, e->at);
}

/* Until no event is left. ORR_ERUN: too many operations, or some rank waits for
 * ever. */
static orr_err run_events(struct formula_run *k, struct orr_report *why)
{
    for (uint32_t r = 0; r < k->team.ranks; r++)
        orr__rank_start(&k->team.rank[r], 0);
    while (k->events && !k->out_of_memory && !k->full
           && k->steps < ORR_FORMULAS_MOST) {
        struct event e = pop_event(k);
        happen(k, &e);
    }
    if (k->out_of_memory)
        return orr__no_memory(why);
    if (k->tally.finished < k->team.ranks)
        return orr__fail(why, ORR_ERUN,
                         k->events ? "the program of job \"%s\" is too large "
                                     "to be evaluated without packets"
                                   : "the program of job \"%s\" does not end",
                         k->f->job->name);
    return ORR_OK;
}

/* ---- making and freeing -------------------------------------------------- */

static bool make_tally(struct orr_tally *y, uint32_t iterations)
{
    y->finish_ps = -1;
    y->iteration = orr__alloc(iterations, sizeof *y->iteration);
    y->iteration_out = orr__alloc(iterations, sizeof *y->iteration_out);
    for (uint32_t i = 0; y->iteration && i < iterations; i++)
        y->iteration[i] = (struct orr_iteration){-1, -1};
    return y->iteration && y->iteration_out;
}

/* The job's team, by this clock: nothing holds its ranks, and nobody looks
 * on. */
static bool make_team(struct formula_run *k)
{
    static const struct orr_gate open;
    struct orr_team *t = &k->team;
    t->clock = &formula_clock;
    t->clock_state = k;
    t->iterations = k->f->iterations;
    t->gate = &open;
    t->stage = &k->stage;
    t->stages = 1;
    t->kept = 0;
    t->watch = NULL;
    t->ended = NULL;
    t->finished = NULL;
    t->rank = orr__alloc_lines(t->ranks, sizeof *t->rank);
    for (uint32_t i = 0; t->rank && i < t->ranks; i++)
        if (!orr__rank_init(&t->rank[i], t, i, &k->tally))
            return false;
    return t->rank;
}

/* Room by call and group, and which calls are alike. false: no memory. */
static bool make_calls(struct formula_run *k)
{
    size_t groups = 0;
    k->group_off = orr__alloc(k->p->calls, sizeof *k->group_off);
    for (uint32_t i = 0; k->group_off && i < k->p->calls; i++) {
        k->group_off[i] = (uint32_t)groups;
        groups += groups_of(k, &k->p->call[i]);
    }
    k->entered = orr__alloc(groups, sizeof *k->entered);
    k->in_call = orr__alloc(groups, sizeof *k->in_call);
    k->alike = orr__alloc(k->p->calls, sizeof *k->alike);
    k->shipment = orr__alloc(groups, sizeof *k->shipment);
    if (!k->group_off || !k->entered || !k->in_call || !k->alike
        || !k->shipment)
        return false;
    memset(k->in_call, 0xff, groups * sizeof *k->in_call);
    memset(k->shipment, 0xff, groups * sizeof *k->shipment);
    return orr__calls_alike(k->p, k->alike);
}

/* Of a walk that may be half made. */
static void free_run(struct formula_run *k)
{
    for (uint32_t r = 0; k->team.rank && r < k->team.ranks; r++)
        if (k->team.rank[r].team)
            orr__rank_fini(&k->team.rank[r]);
    orr__free(k->team.rank);
    orr__free(k->tally.iteration);
    orr__free(k->tally.iteration_out);
    orr__table_fini(&k->sends);
    orr__free(k->nic_free);
    orr__free(k->heap);
    orr__free(k->waiting);
    orr__free(k->group_off);
    orr__free(k->entered);
    orr__free(k->in_call);
    orr__free(k->alike);
    orr__free(k->shipment);
}

uint64_t orr__formulas_steps(const struct orr_job *j)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < j->team->ranks; r++)
        sum += orr__part_of(j->team->program, r)->ops;
    return sum;
}

orr_err orr__formulas_run(const struct orr_formulas *f,
                          struct orr_formulas_result *result,
                          struct orr_report *why)
{
    struct formula_run k = {.f = f,
                            .team = *f->job->team,
                            .p = f->job->team->program,
                            .out = result->out,
                            .waiting_free = ORR_NONE};
    result->end = orr__alloc(f->iterations, sizeof *result->end);
    k.nic_free = orr__alloc(k.team.members, sizeof *k.nic_free);
    bool ready = result->end && k.nic_free
                 && make_tally(&k.tally, f->iterations) && make_team(&k)
                 && make_calls(&k);
    orr_err err = ready ? run_events(&k, why) : orr__no_memory(why);
    for (uint32_t i = 0; !err && i < f->iterations; i++)
        result->end[i] = k.tally.iteration[i].end_ps;
    if (!err)
        result->start_ps = k.tally.iteration[f->counts].start_ps;
    result->computed_ps = k.computed;
    if (!err && k.team.overlap > 1 && !busiest(&k, &result->busiest_ps))
        err = orr__no_memory(why);
    free_run(&k);
    return err;
}
