/* Calls that were gone through, by what they depend on: the state of the
 * connections, how long they have rested if that counts, which call it is, and
 * when each member enters it.
 *
 * A state is known by a digest, and is come to by going through the calls that
 * led there: nothing is kept of it, and nothing restored. A call in which lots
 * were drawn is of its island and its time alone; that island has a bench of
 * its own then, as long as it is in a state that no other comes to. */
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/fingerprint.h"
#include "core/memory.h"
#include "core/none.h"
#include "workload/memo/internal.h"

#define PAUSE_OF_NO_USE UINT64_MAX
enum { KEY_STATE, KEY_PAUSE, KEY_CALL, KEY_OFFSETS };

void orr__known_fini(struct orr_known_call *k)
{
    orr__free(k->key);
    orr__free(k->part);
    orr__free(k->link);
}

void orr__class_fini(struct orr_island_class *c)
{
    orr__bench_free(c->bench);
    for (uint32_t i = 0; i < c->n_known; i++)
        orr__known_fini(&c->known[i]);
    orr__free(c->known);
    orr__free(c->state);
    orr__free(c->trial);
    orr__table_fini(&c->by_key);
    orr__program_free(c->program);
    orr__free(c->host);
    orr__routing_free(c->routes);
    orr__graph_free(c->graph);
}

/* ---- which call it is ---------------------------------------------------- */

/* Whether two calls send the same, in the same order, among members. */
static bool same_call(const struct orr_call *a, const struct orr_call *b)
{
    const struct orr_collective *x = &a->c, *y = &b->c;
    return x->ops == y->ops && x->n == y->n && x->root == y->root
           && x->direction == y->direction && x->shape == y->shape
           && x->window == y->window && x->local == y->local
           && x->ports == y->ports && x->n_dims == y->n_dims
           && memcmp(x->dim, y->dim, x->n_dims * sizeof *x->dim) == 0
           && a->bytes == b->bytes && a->chunks == b->chunks
           && a->concurrent == b->concurrent && a->lanes == b->lanes
           && a->group == b->group;
}

/* The number of a call among those of the class. */
static orr_err number_call(struct orr_island_class *c, const struct orr_call *x,
                           const int64_t *place, uint32_t *number,
                           struct orr_report *why)
{
    struct orr_program *p = c->program;
    struct orr_op op = {.kind = ORR_OP_COLLECTIVE, .who = ORR_EVERYONE};
    struct orr_call call = *x;
    orr_err err = orr__program_group(p, place, c->n, &call.group, why);
    if (err)
        return err;
    call.stride = call.from = call.count = 0;
    call.c.sizes = NULL;
    for (*number = 0; *number < p->calls; ++*number)
        if (same_call(&call, &p->call[*number]))
            return ORR_OK;
    err = orr__program_call(p, &call, NULL, &op.index, why);
    return err ? err : orr__program_add(p, &op, number, why);
}

/* Which call of the class a call of the job is for the members of an island. */
static orr_err name_call(const struct orr_call_memo *m,
                         const struct orr_island *i, const struct orr_call *x,
                         uint32_t *number, struct orr_report *why)
{
    const struct orr_group_of_ranks *g = &m->group[i->group];
    const struct orr_program *p = m->world->jobs[g->job].team->program;
    int64_t place[ORR_ISLAND_MOST];
    for (uint32_t k = 0; k < i->n; k++)
        place[orr__call_member(p, x, g->rank[k])] = k;
    return number_call(&m->class[i->class], x, place, number, why);
}

/* ---- trials ----------------------------------------------------------------
 */

/* How long the network of an island needs to come to rest once the first of its
 * members is done with a call, of what came of that. */
static int64_t quiet_time(const struct orr_known_call *k, uint32_t n)
{
    int64_t first = k->part[0].end_ps;
    for (uint32_t i = 1; i < n; i++)
        first = k->part[i].end_ps < first ? k->part[i].end_ps : first;
    return k->quiet_ps - first;
}

/* Twice: all at once, and one half a call later than the others. */
static orr_err try_call(struct orr_call_memo *m, const struct orr_island *i,
                        uint32_t call, struct orr_bench *b,
                        struct orr_call_trial *out, struct orr_report *why)
{
    struct orr_known_call k = {0};
    int64_t offset[ORR_ISLAND_MOST] = {0};
    orr_err err = ORR_OK;
    k.part = orr__alloc(i->n, sizeof *k.part);
    if (!k.part)
        err = orr__no_memory(why);
    for (int late = 0; late < 2 && !err; late++) {
        const struct orr_bench_run run = {
            .call = call, .offset = offset, .pause_ps = -1, .island = i};
        uint64_t digest;
        bool goes_on;
        offset[0] = late ? k.quiet_ps / 2 : 0;
        err = orr__bench_go(b, &run, &k, &digest, &goes_on, why);
        if (err)
            break;
        m->result.hops_simulated += k.hops;
        int64_t time = quiet_time(&k, i->n);
        out->extent_ps = time > out->extent_ps ? time : out->extent_ps;
        out->hops = late ? out->hops : k.hops;
    }
    orr__known_fini(&k);
    return err;
}

orr_err orr__memo_try(struct orr_call_memo *m, const struct orr_island *i,
                      const struct orr_call *x, struct orr_call_trial *out,
                      struct orr_report *why)
{
    struct orr_island_class *c = &m->class[i->class];
    struct orr_bench *b = NULL;
    uint32_t call, tried = c->program->calls;
    orr_err err = name_call(m, i, x, &call, why);
    if (!err && call == tried) {
        if (!orr__array_one_more(c->trial, call))
            return orr__no_memory(why);
        c->trial[call] = (struct orr_call_trial){0};
        err = orr__bench_new(m, c, &b, why);
        if (!err)
            err = try_call(m, i, call, b, &c->trial[call], why);
        orr__bench_free(b);
    }
    if (!err)
        *out = c->trial[call];
    return err;
}

/* ---- states and benches -------------------------------------------------- */

/* The state that was come to. ORR_NONE: no memory. */
static uint32_t state_of(struct orr_island_class *c, uint64_t digest,
                         bool goes_on, uint32_t from)
{
    for (uint32_t s = 1; s < c->states; s++)
        if (c->state[s].digest == digest && c->state[s].goes_on == goes_on)
            return s;
    if (!orr__array_one_more(c->state, c->states))
        return ORR_NONE;
    c->state[c->states] = (struct orr_memo_state){digest, from, goes_on};
    return c->states++;
}

/* Goes through a known call once more, to come to the state after it. */
static orr_err repeat_call(struct orr_island_class *c,
                           const struct orr_island *i,
                           const struct orr_known_call *k,
                           struct orr_report *why)
{
    struct orr_known_call same = {0};
    uint64_t digest;
    bool goes_on;
    const struct orr_bench_run run = {
        .call = (uint32_t)k->key[KEY_CALL],
        .offset = (const int64_t *)&k->key[KEY_OFFSETS],
        .pause_ps = (int64_t)k->key[KEY_PAUSE],
        .island = i,
    };
    same.part = orr__alloc(c->n, sizeof *same.part);
    orr_err err =
        same.part ? orr__bench_go(c->bench, &run, &same, &digest, &goes_on, why)
                  : orr__no_memory(why);
    ORR_ASSERT(err || digest == c->state[k->after].digest);
    orr__known_fini(&same);
    if (!err)
        orr__bench_set_state(c->bench, k->after);
    return err;
}

/* The class's bench in a state: the one that there is, or a new one that is
 * taken there. */
static orr_err bring_bench(const struct orr_call_memo *m,
                           struct orr_island_class *c,
                           const struct orr_island *i, uint32_t state,
                           struct orr_report *why)
{
    uint32_t *chain = NULL, n = 0;
    orr_err err = ORR_OK;
    if (c->bench && orr__bench_state(c->bench) == state)
        return ORR_OK;
    orr__bench_free(c->bench);
    c->bench = NULL;
    for (uint32_t s = state; !err && c->state[s].from != ORR_NONE;
         s = c->known[c->state[s].from].before) {
        if (!orr__array_one_more(chain, n))
            err = orr__no_memory(why);
        else
            chain[n++] = c->state[s].from;
    }
    if (!err)
        err = orr__bench_new(m, c, &c->bench, why);
    while (!err && n > 0)
        err = repeat_call(c, i, &c->known[chain[--n]], why);
    orr__free(chain);
    return err;
}

/* ---- looking up ---------------------------------------------------------- */

static uint64_t digest_of(const uint64_t *key, uint32_t n)
{
    uint64_t digest = n;
    for (uint32_t i = 0; i < n; i++)
        digest = orr__digest(digest, key[i], i);
    return digest;
}

static struct orr_known_call *find_call(const struct orr_island_class *c,
                                        const uint64_t *key, uint64_t digest)
{
    size_t size = (KEY_OFFSETS + c->n) * sizeof *key;
    uint32_t i = orr__table_find(&c->by_key, digest);
    while (i != ORR_NONE && memcmp(c->known[i].key, key, size) != 0)
        i = c->known[i].next;
    return i == ORR_NONE ? NULL : &c->known[i];
}

/* Room for what is to be gone through. */
static orr_err make_known(const struct orr_island_class *c, const uint64_t *key,
                          struct orr_known_call *k, struct orr_report *why)
{
    *k = (struct orr_known_call){.next = ORR_NONE};
    k->key = orr__alloc(KEY_OFFSETS + c->n, sizeof *k->key);
    k->part = orr__alloc(c->n, sizeof *k->part);
    if (!k->key || !k->part)
        return orr__no_memory(why);
    memcpy(k->key, key, (KEY_OFFSETS + c->n) * sizeof *key);
    k->before = (uint32_t)key[KEY_STATE];
    return ORR_OK;
}

/* The call is of an island alone: it keeps what came of it, and its bench. */
static orr_err keep_own(struct orr_island *i, struct orr_known_call *k,
                        struct orr_report *why)
{
    if (!i->own)
        i->own = orr__alloc(1, sizeof *i->own);
    if (!i->own)
        return orr__no_memory(why);
    orr__known_fini(i->own);
    *i->own = *k;
    *k = (struct orr_known_call){0};
    return ORR_OK;
}

/* Others may come to that state, and know the call. */
static orr_err keep_for_all(struct orr_island_class *c,
                            struct orr_known_call *k, uint64_t digest,
                            struct orr_report *why)
{
    uint32_t first;
    if (!orr__array_more(c->known, c->known_room, c->n_known))
        return orr__no_memory(why);
    first = orr__table_find(&c->by_key, digest);
    if (first == ORR_NONE) {
        if (!orr__table_add(&c->by_key, digest, c->n_known))
            return orr__no_memory(why);
    } else { /* the first stays the first */
        k->next = c->known[first].next;
        c->known[first].next = c->n_known;
    }
    c->known[c->n_known++] = *k;
    *k = (struct orr_known_call){0};
    return ORR_OK;
}

/* An island on its own bench: whatever it does there is exact. Where it comes
 * to a state that others come to, it is one of them again. */
static orr_err run_on_own_bench(struct orr_call_memo *m, struct orr_island *i,
                                const struct orr_bench_run *run,
                                const uint64_t *key, struct orr_report *why)
{
    struct orr_island_class *c = &m->class[i->class];
    struct orr_known_call k;
    uint64_t digest;
    bool goes_on;
    orr_err err = make_known(c, key, &k, why);
    if (!err)
        err = orr__bench_go(i->bench, run, &k, &digest, &goes_on, why);
    if (!err) {
        m->result.simulated++;
        m->result.by_lot += k.lots > 0;
        m->result.hops_simulated += k.hops;
        err = keep_own(i, &k, why);
    }
    orr__known_fini(&k);
    for (uint32_t s = 1; !err && s < c->states; s++)
        if (c->state[s].digest == digest && c->state[s].goes_on == goes_on
            && orr__bench_lots(i->bench) == 0) {
            orr__bench_free(c->bench);
            c->bench = i->bench;
            orr__bench_set_state(c->bench, s);
            i->bench = NULL;
            i->state = s;
            break;
        }
    return err;
}

/* A call that nobody of the class has gone through yet. */
static orr_err go_first(struct orr_call_memo *m, struct orr_island *i,
                        const struct orr_bench_run *run, const uint64_t *key,
                        uint64_t name, struct orr_report *why)
{
    struct orr_island_class *c = &m->class[i->class];
    struct orr_known_call k;
    uint64_t digest;
    bool goes_on;
    orr_err err = make_known(c, key, &k, why);
    if (!err)
        err = bring_bench(m, c, i, i->state, why);
    if (!err)
        err = orr__bench_go(c->bench, run, &k, &digest, &goes_on, why);
    if (err) {
        orr__known_fini(&k);
        return err;
    }
    m->result.simulated++;
    m->result.by_lot += k.lots > 0;
    m->result.hops_simulated += k.hops;
    if (k.lots > 0) {
        i->bench = c->bench;
        c->bench = NULL;
        i->state = ORR_NONE;
        err = keep_own(i, &k, why);
    } else {
        k.after = state_of(c, digest, goes_on, c->n_known);
        orr__bench_set_state(c->bench, k.after);
        i->state = k.after;
        err = k.after == ORR_NONE ? orr__no_memory(why)
                                  : keep_for_all(c, &k, name, why);
    }
    orr__known_fini(&k);
    return err;
}

orr_err orr__memo_find_call(struct orr_call_memo *m, struct orr_island *i,
                            const struct orr_known_call **out,
                            struct orr_report *why)
{
    struct orr_island_class *c = &m->class[i->class];
    const struct orr_island_member *s = &m->member[i->first];
    const struct orr_program *p = s->rank->team->program;
    uint64_t key[KEY_OFFSETS + ORR_ISLAND_MOST] = {0};
    int64_t first = s->at_ps;
    uint32_t call;
    orr_err err = name_call(m, i, &p->call[p->op[s->op].index], &call, why);
    if (err)
        return err;
    for (uint32_t k = 1; k < i->n; k++)
        first = s[k].at_ps < first ? s[k].at_ps : first;
    bool counts = i->state == ORR_NONE || c->state[i->state].goes_on;
    key[KEY_STATE] = i->state;
    key[KEY_PAUSE] = counts ? (uint64_t)(first - i->quiet_ps) : PAUSE_OF_NO_USE;
    key[KEY_CALL] = call;
    for (uint32_t k = 0; k < i->n; k++)
        key[KEY_OFFSETS + k] = (uint64_t)(s[k].at_ps - first);
    const struct orr_bench_run run = {
        .call = call,
        .offset = (const int64_t *)&key[KEY_OFFSETS],
        .pause_ps = (int64_t)key[KEY_PAUSE],
        .island = i,
        .first_ps = first,
    };
    if (i->state == ORR_NONE) {
        err = run_on_own_bench(m, i, &run, key, why);
        *out = i->own;
        return err;
    }
    uint64_t name = digest_of(key, KEY_OFFSETS + c->n);
    struct orr_known_call *known = find_call(c, key, name);
    if (known) {
        i->state = known->after;
        *out = known;
        return ORR_OK;
    }
    err = go_first(m, i, &run, key, name, why);
    *out = i->state == ORR_NONE ? i->own : find_call(c, key, name);
    return err;
}
