#include "workload/rank/traffic.h"
#include "core/none.h"

#include <xxhash.h>

#include "core/memory.h"
#include "core/table.h"

/* ---- one call ----------------------------------------------------------- */

/* Transfers looked at for one call; beyond that they are sampled. */
#define LOOKED_AT (UINT64_C(1) << 21)

/* Sums up messages that follow one another between the same members. */
struct sum {
    orr_traffic_fn *fn;
    void *arg;
    const uint32_t *hosts;
    bool members; /* fn is told members, not their hosts */
    uint32_t src, dst;
    uint64_t bytes, messages;
    uint64_t times; /* what is summed up counts so often; > 0 */
};

static void flush_sum(struct sum *s)
{
    if (s->messages == 0)
        return; /* as at the beginning: there are no ranks yet */
    uint32_t src = s->hosts[s->src], dst = s->hosts[s->dst];
    if (src != dst || !s->members)
        s->fn(s->arg, s->members ? s->src : src, s->members ? s->dst : dst,
              s->bytes * s->times, s->messages * s->times);
    s->bytes = s->messages = 0;
}

static void add_message(struct sum *s, uint32_t src, uint32_t dst,
                        uint64_t bytes, uint64_t messages)
{
    if (src != s->src || dst != s->dst)
        flush_sum(s);
    s->src = src;
    s->dst = dst;
    s->bytes += bytes;
    s->messages += messages;
}

/* Transfers of the first member in one of a lane's first steps, at most. */
static uint32_t sends_at_once(const struct orr_call *x)
{
    uint64_t steps = x->c.ops->steps(&x->c, 0);
    uint32_t sends, receives, most = 1;
    for (uint32_t s = 0; s < steps && s < 2; s++) {
        x->c.ops->count(&x->c, (struct orr_spot){0, 0, s}, &sends, &receives);
        if (sends > most)
            most = sends;
    }
    return most;
}

/* Transfers of a call's groups, all in all: no more than that. */
static uint64_t transfers(const struct orr_call *x)
{
    return (uint64_t)x->c.n * sends_at_once(x) * x->c.ops->steps(&x->c, 0)
           * x->lanes;
}

/* How much a lane's steps and a call's members are thinned out. */
struct stride {
    uint32_t step, member;
};

/* Which steps and members are looked at, where there are too many: each then
 * counts for those left out. */
static struct stride thin_out(const struct orr_call *x)
{
    uint64_t steps = x->c.ops->steps(&x->c, 0), all = transfers(x);
    struct stride d = {1, 1};
    if (x->c.sizes)
        return d; /* no member stands for others */
    if (steps > 64 && all > LOOKED_AT) {
        d.step = (uint32_t)(all / LOOKED_AT + 1);
        if (d.step > steps / 16)
            d.step = (uint32_t)(steps / 16);
        all /= d.step;
    }
    if (all > LOOKED_AT)
        d.member = (uint32_t)(all / LOOKED_AT + 1);
    return d;
}

/* On trees hosts send to switches: as if each member sent to the next one, what
 * their links carry is the same. */
static void add_on_trees(const struct orr_team *t, const struct orr_call *x,
                         uint32_t of, struct sum *sum)
{
    const struct orr_program *p = t->program;
    for (uint32_t m = 0; m < x->c.n; m++)
        add_message(sum, orr__call_rank(p, x, m, of),
                    orr__call_rank(p, x, m + 1 < x->c.n ? m + 1 : 0, of),
                    x->bytes, (uint64_t)x->chunks * x->lanes);
    flush_sum(sum);
}

/* The group that rank `of` is in. */
static void add_group(const struct orr_team *t, const struct orr_call *x,
                      uint32_t of, struct sum *sum)
{
    const struct orr_collective *c = &x->c;
    const struct orr_program *p = t->program;
    struct stride d = thin_out(x);
    uint32_t sends, receives;
    if (c->ops->on_trees) {
        add_on_trees(t, x, of, sum);
        return;
    }
    for (uint32_t m = 0; m < c->n + c->servers; m += m < c->n ? d.member : 1) {
        struct orr_spot at = {m, 0, 0};
        uint32_t src = orr__call_rank(p, x, m, of);
        uint64_t weight = m < c->n ? d.member : 1;
        for (; at.lane < x->lanes; at.lane++)
            for (at.step = 0; at.step < c->ops->steps(c, at.lane);
                 at.step += d.step) {
                c->ops->count(c, at, &sends, &receives);
                for (uint32_t i = 0; i < sends; i++) {
                    struct orr_transfer s;
                    c->ops->send(c, x->bytes, at, i, &s);
                    uint32_t dst = orr__call_rank(p, x, s.peer, of);
                    if (s.bytes)
                        add_message(sum, src, dst,
                                    orr__wire_bytes(&c->plan, s.bytes) * weight
                                        * d.step,
                                    x->chunks * weight * d.step);
                }
            }
    }
    flush_sum(sum);
}

static void add_call(const struct orr_team *t, const struct orr_call *x,
                     struct sum *sum)
{
    if (!x->stride)
        add_group(t, x, 0, sum);
    uint32_t end = x->from + orr__call_ranks(t->program, x);
    for (uint32_t r = x->from; x->stride && r < end; r++)
        if (r / x->stride % x->c.n == 0)
            add_group(t, x, r, sum);
}

static void add_send(const struct orr_team *t, const struct orr_op *op,
                     uint32_t part, struct sum *sum)
{
    const struct orr_program *p = t->program;
    bool one = op->who != ORR_EVERYONE && op->who & ORR_ONLY;
    uint32_t first = one ? op->who & ~ORR_ONLY : 0;
    uint32_t end = one ? first + 1 : t->ranks;
    for (uint32_t r = first; r < end; r++)
        if (orr__part_of(p, r) == &p->part[part] && orr__program_runs(p, op, r))
            add_message(sum, r, orr__op_peer(p, op, r), op->bytes, 1);
}

/* ---- calls that are alike ----------------------------------------------- */

/* A hash of all that a call's traffic depends on. Pointers are part of it, so
 * it is good within one process only. */
static uint64_t likeness(const struct orr_call *x)
{
    const struct orr_collective *c = &x->c;
    const uint64_t v[] = {
        (uint64_t)(uintptr_t)c->ops,
        c->n,
        c->root,
        c->servers,
        (uint64_t)c->direction,
        (uint64_t)c->shape,
        (uint64_t)c->shards,
        (uint64_t)c->local,
        (uint64_t)c->trees,
        (uint64_t)c->ports,
        (uint64_t)c->window,
        c->n_dims,
        x->bytes,
        x->chunks,
        x->concurrent,
        (uint64_t)x->endpoint_delay_ps,
        x->memory_bps,
        (uint64_t)c->protocol,
        c->plan.channels,
        c->plan.room,
        x->group,
        x->stride,
        x->from,
        x->count,
        (uint64_t)(uintptr_t)x->rules,
        (uint64_t)(uintptr_t)c->sizes,
    };
    uint64_t h = XXH3_64bits(v, sizeof v);
    h = XXH3_64bits_withSeed(c->strides.v, c->strides.n * sizeof *c->strides.v,
                             h);
    h = XXH3_64bits_withSeed(c->dim, c->n_dims * sizeof c->dim[0], h);
    return XXH3_64bits_withSeed(x->server, c->servers * sizeof x->server[0], h);
}

bool orr__calls_alike(const struct orr_program *p, uint32_t *first)
{
    uint32_t mask = 15;
    while (mask < 2 * (uint64_t)p->calls)
        mask = mask * 2 + 1;
    uint32_t *slot = orr__alloc(mask + (size_t)1, sizeof *slot);
    uint64_t *hash = orr__alloc(p->calls, sizeof *hash);
    for (uint32_t i = 0; slot && hash && i < p->calls; i++) {
        hash[i] = likeness(&p->call[i]);
        uint32_t at = (uint32_t)hash[i] & mask;
        while (slot[at] && hash[slot[at] - 1] != hash[i])
            at = (at + 1) & mask;
        if (!slot[at])
            slot[at] = i + 1;
        first[i] = slot[at] - 1;
    }
    bool ok = slot && hash;
    orr__free(slot);
    orr__free(hash);
    return ok;
}

/* ---- all of a job ------------------------------------------------------- */

/* One message from a rank to its peer. */
static bool is_send(const struct orr_op *op)
{
    return orr__op_has(op->kind, ORR_OP_TRANSMITS)
           && orr__op_has(op->kind, ORR_OP_HAS_PEER);
}

/* Calls that are alike are walked once; without memory, each. */
static void add_calls(const struct orr_team *t, struct sum *sum)
{
    const struct orr_program *p = t->program;
    uint32_t *first = orr__alloc(p->calls, sizeof *first);
    uint32_t *times = orr__alloc(p->calls, sizeof *times);
    bool known = first && times && orr__calls_alike(p, first);
    for (uint32_t i = 0; known && i < p->calls; i++)
        times[first[i]]++;
    for (uint32_t i = 0; i < p->calls; i++) {
        sum->times = known ? times[i] : 1;
        if (sum->times)
            add_call(t, &p->call[i], sum);
    }
    sum->times = 1;
    orr__free(first);
    orr__free(times);
}

static void add_sends(const struct orr_team *t, struct sum *sum)
{
    const struct orr_program *p = t->program;
    for (uint32_t k = 0; k < p->parts; k++)
        for (uint32_t i = 0; i < p->part[k].ops; i++)
            if (is_send(&p->op[p->part[k].op + i]))
                add_send(t, &p->op[p->part[k].op + i], k, sum);
    flush_sum(sum);
}

void orr__traffic(const struct orr_team *t, orr_traffic_fn *fn, void *arg)
{
    struct sum sum = {.fn = fn, .arg = arg, .hosts = t->hosts, .times = 1};
    add_calls(t, &sum);
    add_sends(t, &sum);
}

void orr__traffic_of_call(const struct orr_team *t, const struct orr_call *x,
                          orr_traffic_fn *fn, void *arg)
{
    struct sum sum = {
        .fn = fn, .arg = arg, .hosts = t->hosts, .members = true, .times = 1};
    add_call(t, x, &sum);
    flush_sum(&sum);
}

/* ---- pairs --------------------------------------------------------------- */

/* About so many: a table of these is in a processor's caches. */
#define PAIRS_LOOKED_AT (UINT64_C(1) << 17)

/* Pairs of members that talk, while they are counted. */
struct pairs {
    const struct orr_team *t;
    struct orr_table known; /* src << 32 | dst, of members that are looked at */
    uint32_t every;         /* of so many members one is */
    double missed;          /* for want of memory */
};

/* Spread over the job, whatever the pattern of its groups. */
static bool is_looked_at(const struct pairs *p, uint32_t member)
{
    return (member * UINT32_C(2654435761) >> 8) % p->every == 0;
}

static void note_pair(struct pairs *p, uint32_t src, uint32_t dst)
{
    uint64_t key = (uint64_t)src << 32 | dst;
    if (p->t->hosts[src] != p->t->hosts[dst]
        && orr__table_find(&p->known, key) == ORR_NONE
        && !orr__table_add(&p->known, key, 0))
        p->missed++;
}

/* Of one member of a call, in the group that rank `of` is in. */
static void pairs_of_member(struct pairs *p, const struct orr_call *x,
                            uint32_t member, uint32_t of)
{
    const struct orr_collective *c = &x->c;
    struct orr_spot at = {member, 0, 0};
    uint32_t src = orr__call_rank(p->t->program, x, member, of);
    uint32_t sends, receives;
    if (!is_looked_at(p, src))
        return;
    for (; at.lane < x->lanes; at.lane++)
        for (at.step = 0; at.step < c->ops->steps(c, at.lane); at.step++) {
            c->ops->count(c, at, &sends, &receives);
            for (uint32_t i = 0; i < sends; i++) {
                struct orr_transfer s;
                c->ops->send(c, x->bytes, at, i, &s);
                if (s.bytes)
                    note_pair(p, src,
                              orr__call_rank(p->t->program, x, s.peer, of));
            }
        }
}

static void pairs_of_call(struct pairs *p, const struct orr_call *x)
{
    uint32_t members = x->c.n + x->c.servers;
    uint32_t end = x->from + orr__call_ranks(p->t->program, x);
    for (uint32_t m = 0; !x->stride && m < members; m++)
        pairs_of_member(p, x, m, 0);
    for (uint32_t r = x->from; x->stride && r < end; r++)
        for (uint32_t m = 0; r / x->stride % x->c.n == 0 && m < members; m++)
            pairs_of_member(p, x, m, r);
}

static void pair_of_send(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                         uint64_t messages)
{
    if (is_looked_at(arg, src))
        note_pair(arg, src, dst);
}

/* How many members to look at, and how much is under way at once. */
static void choose_members(struct pairs *p, const uint32_t *first,
                           struct orr_pairs *out)
{
    const struct orr_program *q = p->t->program;
    uint64_t all = 0;
    for (uint32_t i = 0; i < q->calls; i++) {
        const struct orr_call *x = &q->call[i];
        uint32_t groups = orr__call_ranks(q, x) / (x->c.n ? x->c.n : 1);
        uint32_t chunks = x->chunks < x->concurrent ? x->chunks : x->concurrent;
        out->at_once = chunks > out->at_once ? chunks : out->at_once;
        if (!first || first[i] == i)
            all += transfers(x) * (x->stride && groups ? groups : 1);
    }
    p->every = (uint32_t)(all / PAIRS_LOOKED_AT) + 1;
    if (p->every > p->t->members / 16)
        p->every = p->t->members / 16;
    p->every = p->every ? p->every : 1;
}

uint32_t orr__traffic_peers(const struct orr_team *t)
{
    const struct orr_program *p = t->program;
    if (p->calls != 1 || p->call[0].c.ops->on_trees || p->call[0].c.servers)
        return UINT32_MAX;
    for (uint32_t k = 0; k < p->parts; k++)
        for (uint32_t i = 0; i < p->part[k].ops; i++)
            if (is_send(&p->op[p->part[k].op + i]))
                return UINT32_MAX;
    const struct orr_call *x = &p->call[0];
    uint32_t chunks = x->chunks < x->concurrent ? x->chunks : x->concurrent;
    return sends_at_once(x) * x->lanes * (chunks ? chunks : 1);
}

void orr__traffic_pairs(const struct orr_team *t, struct orr_pairs *out)
{
    const struct orr_program *q = t->program;
    struct pairs p = {.t = t};
    uint32_t *first = orr__alloc(q->calls, sizeof *first), looked_at = 0;
    struct sum sum = {.fn = pair_of_send,
                      .arg = &p,
                      .hosts = t->hosts,
                      .members = true,
                      .times = 1};
    if (first && !orr__calls_alike(q, first)) {
        orr__free(first);
        first = NULL;
    }
    *out = (struct orr_pairs){.at_once = 1};
    choose_members(&p, first, out);
    for (uint32_t i = 0; i < q->calls; i++)
        if (!first || first[i] == i)
            pairs_of_call(&p, &q->call[i]);
    add_sends(t, &sum);
    for (uint32_t m = 0; m < t->members; m++)
        looked_at += is_looked_at(&p, m);
    out->pairs = ((double)p.known.used + p.missed) * t->members
                 / (looked_at ? looked_at : 1);
    orr__table_fini(&p.known);
    orr__free(first);
}

/* ---- all jobs ------------------------------------------------------------ */

/* Calls fn with more times. */
struct repeat {
    orr_traffic_fn *fn;
    void *arg;
    uint64_t times;
};

static void repeated(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                     uint64_t messages)
{
    const struct repeat *r = arg;
    r->fn(r->arg, src, dst, bytes * r->times, messages * r->times);
}

void orr__jobs_traffic(const struct orr_world *w, orr_traffic_fn *fn, void *arg)
{
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        struct repeat r = {fn, arg, w->jobs[i].iterations};
        orr__traffic(w->jobs[i].team, repeated, &r);
    }
}
