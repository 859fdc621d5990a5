/* The graph of a program: building it, and questions about it. */
#include "workload/program/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/units.h"

struct orr_program *orr__program_new(uint32_t ranks)
{
    struct orr_program *p = orr__alloc(1, sizeof *p);
    if (p)
        p->ranks = ranks;
    return p;
}

orr_err orr__program_add(struct orr_program *p, const struct orr_op *op,
                         uint32_t *id, struct orr_report *why)
{
    ORR_ASSERT(op->time_ps >= 0 && op->time_ps <= ORR_HORIZON);
    if (p->ops == ORR_OPS_MAX)
        return orr__fail(why, ORR_ECONFIG, "more than %u operations do not fit",
                         ORR_OPS_MAX);
    if (!orr__array_more(p->op, p->op_room, p->ops))
        return orr__no_memory(why);
    *id = p->ops;
    p->op[p->ops++] = *op;
    if ((orr__op_has(op->kind, ORR_OP_COMPUTES) || op->holds)
        && op->stream >= p->streams)
        p->streams = op->stream + 1u;
    if (orr__op_has(op->kind, ORR_OP_HAS_CALL)
        && p->call[op->index].op == UINT32_MAX)
        p->call[op->index].op = *id;
    return ORR_OK;
}

orr_err orr__program_depend(struct orr_program *p, uint32_t before,
                            uint32_t after, struct orr_report *why)
{
    if (!orr__array_more(p->edge, p->edge_room, p->edges))
        return orr__no_memory(why);
    p->edge[p->edges++] = (struct orr_edge){before, after};
    return ORR_OK;
}

orr_err orr__program_depend_across(struct orr_program *p, uint32_t before,
                                   uint32_t after, int32_t distance,
                                   struct orr_report *why)
{
    ORR_ASSERT(distance != 0 && distance <= ORR_FARTHEST
               && distance >= -ORR_FARTHEST);
    if (!orr__array_more(p->crossing, p->crossing_room, p->crossings))
        return orr__no_memory(why);
    p->crossing[p->crossings++] =
        (struct orr_crossing){before, after, distance};
    if (distance > (int32_t)p->farthest)
        p->farthest = (uint32_t)distance;
    if (-distance > (int32_t)p->latest)
        p->latest = (uint32_t)-distance;
    return ORR_OK;
}

/* ---- parts and streams -------------------------------------------------- */

orr_err orr__program_part(struct orr_program *p, uint32_t *id,
                          struct orr_report *why)
{
    if (!orr__array_more(p->part, p->part_room, p->parts))
        return orr__no_memory(why);
    *id = p->parts;
    p->part[p->parts++] = (struct orr_part){.op = p->ops};
    return ORR_OK;
}

orr_err orr__program_assign(struct orr_program *p, uint32_t rank, uint32_t part,
                            struct orr_report *why)
{
    if (!p->part_of)
        p->part_of = orr__alloc(p->ranks, sizeof *p->part_of);
    if (!p->part_of)
        return orr__no_memory(why);
    p->part_of[rank] = part;
    return ORR_OK;
}

orr_err orr__program_slots(struct orr_program *p, uint32_t stream,
                           uint32_t slots, struct orr_report *why)
{
    if (stream >= p->n_slots) {
        uint32_t *more = orr__resize(p->slots, stream + 1, sizeof *more);
        if (!more)
            return orr__no_memory(why);
        for (p->slots = more; p->n_slots <= stream; p->n_slots++)
            more[p->n_slots] = 1;
    }
    p->slots[stream] = slots;
    return ORR_OK;
}

orr_err orr__program_label(struct orr_program *p, struct orr_report *why)
{
    if (p->labels == p->ops)
        return ORR_OK;
    uint64_t *more = orr__resize(p->label, p->op_room, sizeof *more);
    if (!more)
        return orr__no_memory(why);
    for (p->label = more; p->labels < p->ops; p->labels++)
        more[p->labels] = ORR_NO_LABEL;
    return ORR_OK;
}

/* ---- groups ------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool same_group(const struct orr_group *g, const int64_t *ranks,
                       size_t n)
{
    if (g->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (g->rank[i] != ranks[i])
            return false;
    return true;
}

static void group_fini(struct orr_group *g)
{
    orr__free(g->rank);
    orr__free(g->sorted);
    orr__free(g->place);
}

/* Ranks in order of the group, and sorted with their places; no rank twice.
 * Freed by the caller even after an error. */
static orr_err group_init(struct orr_group *g, const int64_t *ranks, size_t n)
{
    uint32_t *pair = orr__alloc(n, 2 * sizeof *pair);
    g->n = (uint32_t)n;
    g->rank = orr__alloc(n, sizeof *g->rank);
    g->sorted = orr__alloc(n, sizeof *g->sorted);
    g->place = orr__alloc(n, sizeof *g->place);
    bool ok = pair && g->rank && g->sorted && g->place;
    for (uint32_t i = 0; ok && i < n; i++) {
        g->rank[i] = pair[2 * i] = (uint32_t)ranks[i];
        pair[2 * i + 1] = i;
    }
    if (ok)
        qsort(pair, n, 2 * sizeof *pair, by_rank);
    for (uint32_t i = 0; ok && i < n; i++) {
        ORR_ASSERT(i == 0 || pair[2 * i] != g->sorted[i - 1]);
        g->sorted[i] = pair[2 * i];
        g->place[i] = pair[2 * i + 1];
    }
    orr__free(pair);
    return ok ? ORR_OK : ORR_ENOMEM;
}

orr_err orr__program_fits(const struct orr_program *p, const int64_t *ranks,
                          size_t n, size_t *misfit, struct orr_report *why)
{
    bool *seen = orr__alloc(p->ranks, sizeof *seen);
    if (!seen)
        return orr__no_memory(why);
    for (*misfit = 0; *misfit < n; ++*misfit) {
        int64_t rank = ranks[*misfit];
        if (rank < 0 || rank >= p->ranks || seen[rank])
            break;
        seen[rank] = true;
    }
    orr__free(seen);
    return ORR_OK;
}

void orr__program_misfit(const struct orr_program *p, int64_t rank,
                         char text[ORR_MISFIT])
{
    if (rank < 0 || rank >= p->ranks)
        snprintf(text, ORR_MISFIT,
                 "there is no rank %" PRId64 "; ranks are 0 to %" PRIu32, rank,
                 p->ranks - 1);
    else
        snprintf(text, ORR_MISFIT, "rank %" PRId64 " is listed twice", rank);
}

orr_err orr__program_group(struct orr_program *p, const int64_t *ranks,
                           size_t n, uint32_t *group, struct orr_report *why)
{
    bool everyone = n == p->ranks;
    for (size_t i = 0; everyone && i < n; i++)
        everyone = ranks[i] == (int64_t)i;
    *group = ORR_EVERYONE;
    if (everyone)
        return ORR_OK;
    for (*group = 0; *group < p->groups; ++*group)
        if (same_group(&p->group[*group], ranks, n))
            return ORR_OK;
    struct orr_group g = {0};
    if (!orr__array_one_more(p->group, p->groups) || group_init(&g, ranks, n)) {
        group_fini(&g);
        return orr__no_memory(why);
    }
    p->group[p->groups++] = g;
    return ORR_OK;
}

uint32_t orr__group_find(const struct orr_group *g, uint32_t rank)
{
    uint32_t low = 0, high = g->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (g->sorted[mid] < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < g->n && g->sorted[low] == rank ? g->place[low] : UINT32_MAX;
}

/* ---- calls and jitter --------------------------------------------------- */

static orr_err server_index(struct orr_program *p, uint32_t host,
                            uint32_t *index, struct orr_report *why)
{
    for (*index = 0; *index < p->servers; ++*index)
        if (p->server_host[*index] == host)
            return ORR_OK;
    if (!orr__array_one_more(p->server_host, p->servers))
        return orr__no_memory(why);
    p->server_host[p->servers++] = host;
    return ORR_OK;
}

orr_err orr__program_call(struct orr_program *p, const struct orr_call *call,
                          const uint32_t *servers, uint32_t *id,
                          struct orr_report *why)
{
    orr_err err = ORR_OK;
    if (!orr__array_one_more(p->call, p->calls)) {
        orr__pair_sizes_free(call->c.sizes);
        return orr__no_memory(why);
    }
    struct orr_call *x = &p->call[p->calls];
    *x = *call;
    x->c.largest = orr__largest_chunk(call->bytes, call->chunks);
    x->lanes = orr__collective_lanes(&x->c);
    x->op = UINT32_MAX;
    x->server = orr__alloc(x->c.servers, sizeof *x->server);
    if (!x->server) {
        orr__pair_sizes_free(x->c.sizes);
        return orr__no_memory(why);
    }
    *id = p->calls++;
    for (uint32_t i = 0; i < x->c.servers && !err; i++)
        err = server_index(p, servers[i], &x->server[i], why);
    return err;
}

orr_err orr__program_jitter(struct orr_program *p, const struct orr_jitter *j,
                            uint32_t *id, struct orr_report *why)
{
    if (!orr__array_one_more(p->jitter, p->jitters))
        return orr__no_memory(why);
    p->jitter[p->jitters] = *j;
    *id = p->jitters++;
    return ORR_OK;
}

/* ---- finishing ---------------------------------------------------------- */

/* CSR by counting: how many each waits for, and who follows; then first
 * operations of each part. */
static void fill_successors(struct orr_program *p)
{
    for (uint32_t i = 0; i < p->edges; i++) {
        p->waits[p->edge[i].after]++;
        p->next_off[p->edge[i].before + 1]++;
    }
    for (uint32_t i = 0; i < p->ops; i++)
        p->next_off[i + 1] += p->next_off[i];
    /* next_off[i] runs to where op i's part ends, then is set back by one op */
    for (uint32_t i = 0; i < p->edges; i++)
        p->next[p->next_off[p->edge[i].before]++] = p->edge[i].after;
    for (uint32_t i = p->ops; i > 0; i--)
        p->next_off[i] = p->next_off[i - 1];
    p->next_off[0] = 0;
    for (uint32_t i = 0, k = 0; i < p->ops; i++) {
        while (k + 1 < p->parts && i >= p->part[k + 1].op)
            k++;
        if (p->waits[i])
            continue;
        if (p->part[k].n_first++ == 0)
            p->part[k].first = p->n_first;
        p->first[p->n_first++] = i;
    }
}

/* The same for dependencies on earlier iterations, each with its distance. */
static void list_across(struct orr_program *p)
{
    for (uint32_t i = 0; i < p->crossings; i++) {
        p->across_waits[p->crossing[i].after]++;
        p->across_off[p->crossing[i].before + 1]++;
    }
    for (uint32_t i = 0; i < p->ops; i++)
        p->across_off[i + 1] += p->across_off[i];
    for (uint32_t i = p->crossings; i-- > 0;) {
        const struct orr_crossing *x = &p->crossing[i];
        p->across_next[--p->across_off[x->before + 1]] =
            (struct orr_across){x->after, x->distance};
    }
    /* across_off[op + 1] is where op's begin: set back by one op */
    for (uint32_t i = 0; i < p->ops; i++)
        p->across_off[i] = p->across_off[i + 1];
    p->across_off[p->ops] = p->crossings;
}

/* Tables by operation of what waits for earlier iterations; NULL without such
 * waits. They are the program's, also after a failure. */
static orr_err fill_across(struct orr_program *p, struct orr_report *why)
{
    if (p->crossings == 0)
        return ORR_OK;
    p->across_off = orr__alloc(p->ops + (size_t)1, sizeof *p->across_off);
    p->across_next = orr__alloc(p->crossings, sizeof *p->across_next);
    p->across_waits = orr__alloc(p->ops, sizeof *p->across_waits);
    if (!p->across_off || !p->across_next || !p->across_waits)
        return orr__no_memory(why);
    list_across(p);
    return ORR_OK;
}

orr_err orr__program_may_be_stale(struct orr_program *p, uint32_t layer,
                                  struct orr_report *why)
{
    struct orr_stale *s = &p->stale;
    ORR_ASSERT(p->crossings > 0);
    if (!orr__array_more(s->wait, s->room, s->waits))
        return orr__no_memory(why);
    s->wait[s->waits++] = (struct orr_stale_wait){p->crossings - 1, layer};
    return ORR_OK;
}

void orr__program_set_stale(struct orr_program *p, uint32_t n)
{
    struct orr_stale *s = &p->stale;
    for (uint32_t i = 0; i < s->waits; i++)
        p->crossing[s->wait[i].crossing].distance =
            s->wait[i].layer < n ? 2 : 1;
    s->found = true;
    s->n = n;
    p->overlap = n > 0 ? 3 : 2;
    if (p->crossings == 0)
        return;
    memset(p->across_off, 0, (p->ops + (size_t)1) * sizeof *p->across_off);
    memset(p->across_waits, 0, p->ops * sizeof *p->across_waits);
    list_across(p);
}

/* Every operation belongs to a part, and a part is where the next begins. */
static orr_err close_parts(struct orr_program *p, struct orr_report *why)
{
    uint32_t none;
    if (p->parts == 0) {
        orr_err err = orr__program_part(p, &none, why);
        if (err)
            return err;
        p->part[0].op = 0;
    }
    for (uint32_t i = 0; i < p->parts; i++)
        p->part[i].ops =
            (i + 1 < p->parts ? p->part[i + 1].op : p->ops) - p->part[i].op;
    return ORR_OK;
}

/* Whether every operation can be reached in order of dependencies; if not,
 * *stuck is one that cannot. left and order are scratch, ops long. */
static bool acyclic(const struct orr_program *p, uint32_t *left,
                    uint32_t *order, uint32_t *stuck)
{
    uint32_t n = p->n_first;
    memcpy(left, p->waits, p->ops * sizeof *left);
    memcpy(order, p->first, n * sizeof *order);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = p->next_off[order[i]]; e < p->next_off[order[i] + 1];
             e++)
            if (--left[p->next[e]] == 0)
                order[n++] = p->next[e];
    for (*stuck = 0; *stuck < p->ops && left[*stuck] == 0; ++*stuck)
        ;
    return n == p->ops;
}

orr_err orr__program_finish(struct orr_program *p, struct orr_report *why)
{
    orr_err err = ORR_OK;
    uint32_t stuck;
    p->waits = orr__alloc(p->ops, sizeof *p->waits);
    p->next_off = orr__alloc(p->ops + (size_t)1, sizeof *p->next_off);
    p->next = orr__alloc(p->edges, sizeof *p->next);
    p->first = orr__alloc(p->ops, sizeof *p->first);
    uint32_t *left = orr__alloc(p->ops, sizeof *left);
    uint32_t *order = orr__alloc(p->ops, sizeof *order);
    if (!p->waits || !p->next_off || !p->next || !p->first || !left || !order) {
        err = orr__no_memory(why);
        goto out;
    }
    err = close_parts(p, why);
    if (err)
        goto out;
    fill_successors(p);
    err = fill_across(p, why);
    if (err)
        goto out;
    if (!acyclic(p, left, order, &stuck))
        err = orr__fail(why, ORR_ECONFIG,
                        "dependencies go in a circle: operation %u (%s) waits "
                        "for itself",
                        stuck, orr__op_name(p, stuck));
    orr__free(p->edge);
    p->edge = NULL;
    if (p->streams == 0)
        p->streams = 1;
out:
    orr__free(left);
    orr__free(order);
    return err;
}

void orr__program_free(struct orr_program *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->groups; i++)
        group_fini(&p->group[i]);
    for (uint32_t i = 0; i < p->calls; i++) {
        orr__free(p->call[i].server);
        orr__pair_sizes_free(p->call[i].c.sizes);
    }
    orr__free(p->op);
    orr__free(p->call);
    orr__free(p->group);
    orr__free(p->jitter);
    orr__free(p->server_host);
    orr__free(p->waits);
    orr__free(p->next_off);
    orr__free(p->next);
    orr__free(p->first);
    orr__free(p->part);
    orr__free(p->part_of);
    orr__free(p->label);
    orr__free(p->slots);
    orr__free(p->edge);
    orr__free(p->across_off);
    orr__free(p->across_next);
    orr__free(p->across_waits);
    orr__free(p->crossing);
    orr__free(p->stale.wait);
    if (p->pipeline)
        orr__free(p->pipeline->stage);
    orr__free(p->pipeline);
    orr__free(p);
}

/* ---- questions ---------------------------------------------------------- */

bool orr__program_runs(const struct orr_program *p, const struct orr_op *op,
                       uint32_t rank)
{
    if (op->who == ORR_EVERYONE)
        return true;
    if (op->who & ORR_ONLY)
        return (op->who & ~ORR_ONLY) == rank;
    return orr__group_find(&p->group[op->who], rank) != UINT32_MAX;
}

uint32_t orr__call_rank(const struct orr_program *p,
                        const struct orr_call *call, uint32_t member,
                        uint32_t of)
{
    if (member >= call->c.n)
        return p->ranks + call->server[member - call->c.n];
    if (call->stride) {
        uint32_t own = of / call->stride % call->c.n;
        return of - own * call->stride + member * call->stride;
    }
    return call->group == ORR_EVERYONE ? member
                                       : p->group[call->group].rank[member];
}

uint32_t orr__call_member(const struct orr_program *p,
                          const struct orr_call *call, uint32_t rank)
{
    if (rank >= p->ranks) {
        for (uint32_t i = 0; i < call->c.servers; i++)
            if (call->server[i] == rank - p->ranks)
                return call->c.n + i;
        return UINT32_MAX;
    }
    if (call->stride)
        return rank / call->stride % call->c.n;
    return call->group == ORR_EVERYONE
               ? rank
               : orr__group_find(&p->group[call->group], rank);
}

uint32_t orr__call_ranks(const struct orr_program *p,
                         const struct orr_call *call)
{
    if (!call->stride)
        return call->c.n;
    return call->count ? call->count : p->ranks;
}

uint32_t orr__op_peer(const struct orr_program *p, const struct orr_op *op,
                      uint32_t rank)
{
    return op->relative ? orr__round_up(rank, op->peer, p->ranks) : op->peer;
}

void orr__op_label(const struct orr_program *p, uint32_t op, char *buf,
                   size_t size)
{
    if (p->label && op < p->labels && p->label[op] != ORR_NO_LABEL)
        snprintf(buf, size, "node %llu", (unsigned long long)p->label[op]);
    else
        snprintf(buf, size, "operation %u", op);
}

const char *orr__op_name(const struct orr_program *p, uint32_t op)
{
    const struct orr_op *x = &p->op[op];
    return x->kind == ORR_OP_COLLECTIVE ? orr__call_name(&p->call[x->index])
                                        : orr__op_kind_name(x->kind);
}

bool orr__program_varies(const struct orr_program *p,
                         const struct orr_jitter *of_job)
{
    for (uint32_t i = 0; i < p->ops; i++)
        if (orr__op_has(p->op[i].kind, ORR_OP_COMPUTES)
            && orr__op_jitter(p, &p->op[i], of_job)->kind != ORR_JITTER_NONE)
            return true;
    return false;
}

bool orr__program_draws(const struct orr_program *p)
{
    for (uint32_t i = 0; i < p->calls; i++)
        if (p->call[i].c.sizes && p->call[i].c.sizes->drawn)
            return true;
    return false;
}

void orr__program_seed(struct orr_program *p, uint64_t seed, uint32_t job)
{
    struct orr_random r;
    orr__random_init(&r, seed, job, ORR_PURPOSE_SIZES);
    uint64_t key = orr__random_u64(&r);
    for (uint32_t i = 0; i < p->calls; i++)
        if (p->call[i].c.sizes)
            p->call[i].c.sizes->key += key;
}
