#include "study/explain/chain.h"
#include "core/none.h"

#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/watch/packet_observer.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

/* Something that happened to a rank. */
struct event {
    int64_t at;
    uint32_t cause;     /* ORR_NONE: the job's start; of a free one: the next */
    uint32_t refs;      /* what may come of it, and what came */
    struct orr_leg leg; /* from its cause to it */
};

/* A message or a timer on its way: in whose course it was sent or set. */
struct pending {
    uint32_t event; /* or ORR_NONE */
    uint64_t serial;
    int64_t overhead; /* of a computation */
};

struct chain { /* of one job */
    struct orr_chains *all;
    struct orr_team *team;
    bool wanted;
    const struct orr_net_ops *own; /* the job's, and its context */
    void *context;
    struct event *event;
    uint32_t events, free, room;
    uint32_t now;            /* in whose course things happen; ORR_NONE: none */
    uint32_t slot_now;       /* a timer's slot, if it is one; else 0 */
    struct pending *message; /* by number */
    uint32_t messages;
    struct slots {
        struct pending *slot;
        uint32_t n;
    } * timer;        /* per member */
    uint64_t *sent;   /* messages so far, per member */
    uint32_t *last;   /* per iteration: the event that ended it, or ORR_NONE */
    uint32_t *out;    /* per iteration: ranks that have ended it */
    uint32_t until;   /* iterations to run; 0: all */
    int64_t start_ps; /* of the first; -1: not yet */
};

/* The first pass: causes of all jobs; an observer of the net. */
struct orr_chains {
    struct orr_world *world;
    struct chain *chain; /* per job */
};

static void fail_chain(struct chain *c)
{
    orr__net_fail(c->all->world->net, ORR_ENOMEM);
}

/* ---- events ---- */

static void drop_event(struct chain *c, uint32_t e)
{
    while (e != ORR_NONE && --c->event[e].refs == 0) {
        uint32_t cause = c->event[e].cause;

        ORR_ASSERT(cause == ORR_NONE || c->event[cause].refs > 0);
        c->event[e].cause = c->free;
        c->free = e;
        e = cause;
    }
}

/* A new event with one reference, the caller's. ORR_NONE: no memory. */
static uint32_t new_event(struct chain *c, int64_t at, uint32_t cause)
{
    uint32_t e = c->free;

    if (e != ORR_NONE) {
        c->free = c->event[e].cause;
    } else {
        if (c->events == ORR_NONE
            || !orr__array_more(c->event, c->room, c->events)) {
            fail_chain(c);
            return ORR_NONE;
        }
        e = c->events++;
    }
    ORR_ASSERT(cause == ORR_NONE || c->event[cause].at <= at);
    c->event[e] = (struct event){.at = at, .cause = cause, .refs = 1};
    if (cause != ORR_NONE)
        c->event[cause].refs++;
    return e;
}

static void keep_pending(struct chain *c, struct pending *p, uint64_t serial,
                         int64_t overhead)
{
    drop_event(c, p->event);
    *p = (struct pending){c->now, serial, overhead};
    if (c->now != ORR_NONE)
        c->event[c->now].refs++;
}

/* Room for number i, all beyond what there was empty. */
static bool make_room(struct pending **p, uint32_t *n, uint32_t i)
{
    uint32_t had = *n;

    if (!orr__array_more(*p, *n, i))
        return false;
    for (uint32_t k = had; k < *n; k++)
        (*p)[k] = (struct pending){.event = ORR_NONE};
    return true;
}

/* ---- what the observer is told ---- */

static struct chain *chain_of(struct orr_chains *all, uint32_t user)
{
    for (uint32_t i = 0; i < all->world->n_jobs; i++)
        if (all->chain[i].wanted && all->chain[i].team->user == user)
            return &all->chain[i];
    return NULL;
}

/* A message is sent: it keeps what was happening then. */
static void message(void *observer, int64_t now, const struct orr_message *m)
{
    struct chain *c = chain_of(observer, m->user);

    if (!c)
        return;
    if (!make_room(&c->message, &c->messages, m->id)) {
        fail_chain(c);
        return;
    }
    keep_pending(c, &c->message[m->id],
                 orr__leg_serial(m->src, c->sent[m->src]++), 0);
}

/* What of a computation that is set now is not its own: a thread that sends
 * messages has the CPU first, or had it meanwhile. */
static int64_t overhead_of(const struct chain *c, const struct orr_rank *r,
                           uint32_t slot)
{
    const struct orr_later *x = &r->later[slot];
    ORR_ASSERT(slot < r->later_room);
    int64_t now = c->now == ORR_NONE ? 0 : c->event[c->now].at;

    if (x->kind != ORR_LATER_COMPUTE
        || c->team->overhead_on != ORR_OVERHEAD_THREAD || x->stream != 0)
        return 0;
    if (c->slot_now == slot && c->event[c->now].leg.rank == r->rank)
        return INT64_MAX; /* it goes on after that */
    return r->post_free_ps > now ? r->post_free_ps - now : 0;
}

/* A timer is set: it keeps what was happening then. Slot 0 is a start, which
 * nothing causes. */
static void timer(void *observer, uint32_t user, uint32_t host, int64_t at,
                  uint64_t arg)
{
    struct chain *c = chain_of(observer, user);
    uint32_t slot = arg & ((1u << ORR_RANK_SLOT_BITS) - 1);
    uint32_t member = (uint32_t)(arg >> ORR_RANK_SLOT_BITS);
    struct slots *s;

    if (!c || slot == 0)
        return;
    ORR_ASSERT(member < c->team->members);
    s = &c->timer[member];
    if (!make_room(&s->slot, &s->n, slot)) {
        fail_chain(c);
        return;
    }
    keep_pending(c, &s->slot[slot], 0,
                 overhead_of(c, &c->team->rank[member], slot));
}

/* ---- the job's upcalls, on their way to it ---- */

/* Something happens to a member, caused by what p says. */
static uint32_t enter_event(struct chain *c, int64_t now,
                            const struct pending *p, uint32_t member)
{
    uint32_t cause = p ? p->event : ORR_NONE, e = new_event(c, now, cause);

    c->now = e;
    if (e == ORR_NONE)
        return e;
    ORR_ASSERT(cause == ORR_NONE || c->event[cause].refs > 0);
    c->event[e].leg = (struct orr_leg){
        .from = cause == ORR_NONE ? c->team->world->jobs[c->team->job].start_ps
                                  : c->event[cause].at,
        .until = now,
        .rank = member,
        .peer = member,
        .op = UINT32_MAX,
        .serial = p ? p->serial : 0,
        .overhead = p ? p->overhead : 0,
    };
    return e;
}

/* It has happened; iterations that ended in its course were at `before`. */
static void end_event(struct chain *c, uint32_t e, uint32_t member,
                      uint32_t before)
{
    const struct orr_rank *r = &c->team->rank[member];

    c->now = ORR_NONE;
    c->slot_now = 0;
    if (e == ORR_NONE)
        return;
    for (uint32_t i = before; !r->serves && i < r->iteration; i++) {
        uint32_t old = c->last[i];

        ORR_ASSERT(c->out[i] < c->team->ranks);
        if (++c->out[i] == c->team->ranks && i + 1 == c->until)
            orr__net_halt(c->team->net);
        if (old != ORR_NONE && c->event[old].at >= c->event[e].at)
            continue;
        c->event[e].refs++;
        c->last[i] = e;
        drop_event(c, old);
    }
    drop_event(c, e);
}

/* The operation that a message is of. */
static uint32_t op_of_tag(const struct orr_team *t, uint64_t tag, uint32_t arg)
{
    if (orr__is_request(arg))
        arg = orr__requested_by(arg);
    return arg == ORR_ARG_PLAIN ? (uint32_t)tag : t->program->call[arg].op;
}

/* An event that a message causes; ORR_NONE: no memory. */
static uint32_t enter_message(struct chain *c, int64_t now,
                              const struct orr_message *m, uint32_t member,
                              enum orr_leg_kind kind)
{
    const struct pending *p = m->id < c->messages ? &c->message[m->id] : NULL;
    uint32_t e = enter_event(c, now, p, member);
    struct orr_leg *s;

    if (e == ORR_NONE)
        return e;
    s = &c->event[e].leg;
    s->kind = (uint8_t)kind;
    s->rank = m->src;
    s->peer = m->dst;
    s->bytes = m->bytes;
    s->tag = m->tag;
    s->arg = m->arg;
    s->op = op_of_tag(c->team, m->tag, m->arg);
    return e;
}

static void received(void *chain, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct chain *c = chain;
    uint32_t before = c->team->rank[m->dst].iteration;
    uint32_t e = enter_message(c, now, m, m->dst, ORR_LEG_ARRIVAL);

    c->own->received(c->context, host, now, m);
    end_event(c, e, m->dst, before);
}

static void sent(void *chain, uint32_t host, int64_t now,
                 const struct orr_message *m)
{
    struct chain *c = chain;
    uint32_t before = c->team->rank[m->src].iteration;
    uint32_t e = enter_message(c, now, m, m->src, ORR_LEG_SENT);

    c->own->sent(c->context, host, now, m);
    end_event(c, e, m->src, before);
}

static void acked(void *chain, uint32_t host, int64_t now,
                  const struct orr_message *m)
{
    struct chain *c = chain;
    uint32_t before = c->team->rank[m->src].iteration;
    uint32_t e = enter_message(c, now, m, m->src, ORR_LEG_ACKED);

    c->own->acked(c->context, host, now, m);
    end_event(c, e, m->src, before);
}

/* What a timer of a rank was for. */
static void describe(struct orr_leg *s, const struct orr_team *t,
                     const struct orr_later *x)
{
    switch (x->kind) {
    case ORR_LATER_COMPUTE:
        s->kind = ORR_LEG_COMPUTE;
        s->op = x->arg;
        break;
    case ORR_LATER_LEFT:
    case ORR_LATER_ARRIVED:
        s->kind = ORR_LEG_LOCAL;
        s->bytes = x->bytes;
        s->op = op_of_tag(t, x->tag, x->arg);
        s->peer = x->kind == ORR_LATER_ARRIVED ? s->rank : x->peer;
        s->rank = x->kind == ORR_LATER_ARRIVED ? x->peer : s->rank;
        break;
    case ORR_LATER_POST:
    case ORR_LATER_SLICE:
        s->kind = ORR_LEG_OVERHEAD;
        s->op = op_of_tag(t, x->tag, x->arg);
        s->bytes = x->bytes;
        break;
    case ORR_LATER_CHUNK:
    case ORR_LATER_STEP:
        s->kind = ORR_LEG_OVERHEAD;
        s->op = t->program->call[x->arg].op;
        break;
    case ORR_LATER_GATE: s->kind = ORR_LEG_GATE; break;
    default: s->kind = ORR_LEG_OVERHEAD;
    }
}

/* A timer fires: everything in its course has it as the cause. */
static void on_timer(void *chain, uint32_t host, int64_t now, uint64_t arg)
{
    struct chain *c = chain;
    uint32_t slot = arg & ((1u << ORR_RANK_SLOT_BITS) - 1);
    uint32_t member = (uint32_t)(arg >> ORR_RANK_SLOT_BITS), e, before;
    const struct orr_rank *r = &c->team->rank[member];
    struct pending *p = NULL;

    if (slot && slot < c->timer[member].n)
        p = &c->timer[member].slot[slot];
    if (!slot && (c->start_ps < 0 || now < c->start_ps))
        c->start_ps = now;
    before = r->iteration;
    e = enter_event(c, now, p, member);
    if (slot && e != ORR_NONE)
        describe(&c->event[e].leg, c->team, &r->later[slot]);
    c->slot_now = slot;
    if (p) { /* it may be set again in the course of this */
        drop_event(c, p->event);
        p->event = ORR_NONE;
    }
    c->own->timer(c->context, host, now, arg);
    end_event(c, e, member, before);
}

static const struct orr_net_ops upcalls = {
    .received = received,
    .sent = sent,
    .acked = acked,
    .timer = on_timer,
};
static const struct orr_packet_observer_ops observer = {
    .message = message,
    .timer = timer,
};

/* ---- life ---- */

/* false: no memory, the caller frees what there is. */
static bool make_chain(struct chain *c)
{
    c->free = c->now = ORR_NONE;
    c->start_ps = -1;
    c->timer = orr__alloc(c->team->members, sizeof *c->timer);
    c->last = orr__alloc(c->team->iterations, sizeof *c->last);
    c->out = orr__alloc(c->team->iterations, sizeof *c->out);
    c->sent = orr__alloc(c->team->members, sizeof *c->sent);
    if (!c->timer || !c->last || !c->out || !c->sent)
        return false;
    memset(c->last, 0xff, c->team->iterations * sizeof *c->last);
    return true;
}

orr_err orr__chains_new(struct orr_world *w, const bool *wanted,
                        struct orr_chains **out, struct orr_report *why)
{
    struct orr_chains *all = orr__alloc(1, sizeof *all);
    bool ok = all != NULL;
    orr_err err;

    if (ok)
        all->chain = orr__alloc(w->n_jobs, sizeof *all->chain);
    ok = ok && all->chain;
    if (all)
        all->world = w;
    for (uint32_t i = 0; ok && i < w->n_jobs; i++) {
        struct chain *c = &all->chain[i];

        c->all = all;
        c->team = w->jobs[i].team;
        c->wanted = wanted[i];
        ok = !c->wanted || make_chain(c);
    }
    err = ok ? orr__net_observe_packets(w->net, &observer, all, why)
             : orr__no_memory(why);
    if (err == ORR_OK)
        *out = all;
    else
        orr__chains_free(all);
    return err;
}

void orr__chains_begin(struct orr_chains *all)
{
    for (uint32_t i = 0; i < all->world->n_jobs; i++) {
        struct chain *c = &all->chain[i];

        if (c->wanted)
            orr__observed_user(all->world->net, c->team->user, &upcalls, c,
                               &c->own, &c->context);
    }
}

void orr__chains_free(struct orr_chains *all)
{
    if (!all)
        return;
    for (uint32_t i = 0; all->chain && i < all->world->n_jobs; i++) {
        struct chain *c = &all->chain[i];

        for (uint32_t m = 0; c->timer && m < c->team->members; m++)
            orr__free(c->timer[m].slot);
        orr__free(c->timer);
        orr__free(c->event);
        orr__free(c->message);
        orr__free(c->last);
        orr__free(c->out);
        orr__free(c->sent);
    }
    orr__free(all->chain);
    orr__free(all);
}

/* ---- afterwards ---- */

void orr__chains_until(struct orr_chains *all, uint32_t job, uint32_t iteration)
{
    all->chain[job].until = iteration + 1;
}

uint32_t orr__chains_ended(const struct orr_chains *all, uint32_t job)
{
    const struct orr_team *t = all->chain[job].team;
    uint32_t least = t->iterations;

    for (uint32_t i = 0; i < t->ranks; i++)
        if (t->rank[i].iteration < least)
            least = t->rank[i].iteration;
    return least;
}

int64_t orr__chains_end(const struct orr_chains *all, uint32_t job,
                        uint32_t iteration)
{
    const struct chain *c = &all->chain[job];

    return c->event[c->last[iteration]].at;
}

int64_t orr__chains_start(const struct orr_chains *all, uint32_t job,
                          uint32_t iteration)
{
    return iteration ? orr__chains_end(all, job, iteration - 1)
                     : all->chain[job].start_ps;
}

/* What the rank itself did, or did for a rank on its host. */
static void spend_on_rank(const struct orr_team *t, struct orr_leg *s)
{
    const struct orr_what none = {.owner = ORR_NONE, .link = ORR_NONE};
    struct orr_what what = none;
    int64_t split;

    orr__line_begin(&s->line, s->from);
    switch (s->kind) {
    case ORR_LEG_COMPUTE:
        what.cause = ORR_CAUSE_OVERHEAD;
        split = orr__time_add(s->from, s->overhead);
        orr__line_add(&s->line, split < s->until ? split : s->until, what);
        what.cause = ORR_CAUSE_COMPUTE;
        break;
    case ORR_LEG_GATE: what.cause = ORR_CAUSE_GATE; break;
    case ORR_LEG_LOCAL:
        what.cause = ORR_CAUSE_SERIALISATION;
        split =
            orr__time_add(s->from, orr__serialisation(s->bytes, t->local_bps));
        orr__line_add(&s->line, split < s->until ? split : s->until, what);
        what.cause = ORR_CAUSE_PROPAGATION;
        break;
    default: what.cause = ORR_CAUSE_OVERHEAD;
    }
    orr__line_add(&s->line, s->until, what);
}

static uint32_t count_legs(const struct chain *c, uint32_t e, int64_t from)
{
    uint32_t n = 0;

    for (; e != ORR_NONE && c->event[e].at > from; e = c->event[e].cause)
        n += c->event[e].leg.until > c->event[e].leg.from;
    return n;
}

orr_err orr__chains_path(const struct orr_chains *all, uint32_t job,
                         uint32_t first, uint32_t last, struct orr_path *out,
                         struct orr_report *why)
{
    const struct chain *c = &all->chain[job];
    uint32_t e = c->last[last], n;

    *out = (struct orr_path){.from = orr__chains_start(all, job, first),
                             .until = c->event[e].at};
    n = out->n = count_legs(c, e, out->from);
    out->leg = orr__alloc(n, sizeof *out->leg);
    if (!out->leg)
        return orr__no_memory(why);
    for (; e != ORR_NONE && n > 0; e = c->event[e].cause) {
        struct orr_leg *s = &out->leg[n - 1];

        if (c->event[e].leg.until == c->event[e].leg.from)
            continue;
        *s = c->event[e].leg;
        n--;
        if (s->kind < ORR_LEG_ARRIVAL)
            spend_on_rank(c->team, s);
        if (s->line.failed)
            return orr__no_memory(why);
    }
    return ORR_OK;
}

void orr__path_fini(struct orr_path *p)
{
    for (uint32_t i = 0; p->leg && i < p->n; i++)
        orr__line_fini(&p->leg[i].line);
    orr__free(p->leg);
    *p = (struct orr_path){0};
}
