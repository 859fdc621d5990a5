/* Whether the collectives of a group follow one another, with a rest between
 * two, and begin when a timer fires: by the program alone. */
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "workload/memo/internal.h"

/* What is known of an operation of a rank, from what it waits for. */
struct before {
    int32_t calls;   /* of the group's, in their order: the last that is over
                      * when it begins; -1: none is known to be */
    int32_t through; /* the same when a computation begins that it waits for and
                      * that is long enough; -2: there is none */
    bool timed;      /* it waits for computations, and nothing else */
};

/* One job at a time; all arrays are owned. */
struct chain {
    struct orr_call_memo *m;
    const struct orr_job *job;
    uint32_t *order; /* operations of the program, each behind all that it waits
                      * for; part by part */
    uint32_t *waits; /* scratch, per operation */
    struct before *before; /* per operation */
};

/* Kahn's algorithm, of one part. */
static void sort_part(struct chain *c, const struct orr_program *p,
                      const struct orr_part *part)
{
    uint32_t *order = c->order + part->op, n = 0;
    for (uint32_t o = part->op; o < part->op + part->ops; o++) {
        c->waits[o] = p->waits[o];
        if (!c->waits[o])
            order[n++] = o;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = p->next_off[order[i]]; k < p->next_off[order[i] + 1];
             k++)
            if (--c->waits[p->next[k]] == 0)
                order[n++] = p->next[k];
    ORR_ASSERT(n == part->ops);
}

/* The least that a computation takes; 0: nothing is known. */
static int64_t least_time(const struct orr_team *t, uint32_t rank, uint32_t op)
{
    const struct orr_program *p = t->program;
    const struct orr_jitter *j = orr__op_jitter(p, &p->op[op], &t->jitter);
    int64_t time = orr__rank_slowed(
        &(struct orr_rank){.team = (struct orr_team *)t, .rank = rank}, op);
    double spread =
        j->share > 0 ? j->share * (double)time : (double)j->spread_ps;
    switch (j->kind) {
    case ORR_JITTER_NONE:
    case ORR_JITTER_EXPONENTIAL: return time;
    case ORR_JITTER_UNIFORM:
        return (double)time > spread ? time - (int64_t)spread - ORR_NS : 0;
    default: return 16 * spread <= (double)time ? time / 2 : 0;
    }
}

/* What an operation of a rank that is over means to those that wait for it. */
static void pass_on(struct chain *c, uint32_t rank, uint32_t o, int32_t calls,
                    int64_t pause_ps)
{
    const struct orr_team *t = c->job->team;
    const struct orr_program *p = t->program;
    bool computes = p->op[o].kind == ORR_OP_COMPUTE
                    && orr__program_runs(p, &p->op[o], rank);
    int64_t time = computes ? least_time(t, rank, o) : 0;
    for (uint32_t k = p->next_off[o]; k < p->next_off[o + 1]; k++) {
        struct before *b = &c->before[p->next[k]];
        b->calls = calls > b->calls ? calls : b->calls;
        b->timed &= time > 0;
        if (time >= pause_ps && calls > b->through)
            b->through = calls;
    }
}

bool orr__is_call_of(const struct orr_program *p, const struct orr_call *x,
                     uint32_t rank, const struct orr_group_of_ranks *g)
{
    if (x->c.n != g->n || orr__call_member(p, x, rank) == UINT32_MAX
        || (x->stride && x->count
            && (rank < x->from || rank - x->from >= x->count)))
        return false;
    uint32_t first = orr__call_member(p, x, g->rank[0]);
    return first != UINT32_MAX
           && (!x->stride || orr__call_rank(p, x, first, rank) == g->rank[0]);
}

static bool is_start_of(const struct chain *c, const struct orr_op *op,
                        uint32_t rank, const struct orr_group_of_ranks *g)
{
    const struct orr_program *p = c->job->team->program;
    return op->kind == ORR_OP_COLLECTIVE && orr__program_runs(p, op, rank)
           && orr__is_call_of(p, &p->call[op->index], rank, g);
}

/* What stands in the way at one rank of a group; NULL: nothing. */
static const char *check_rank(struct chain *c,
                              const struct orr_group_of_ranks *g, uint32_t rank)
{
    const struct orr_program *p = c->job->team->program;
    const struct orr_part *part = orr__part_of(p, rank);
    int32_t calls = -1;
    for (uint32_t o = part->op; o < part->op + part->ops; o++)
        c->before[o] = (struct before){-1, -2, p->waits[o] > 0};
    for (uint32_t i = part->op; i < part->op + part->ops; i++) {
        uint32_t o = c->order[i];
        const struct before *b = &c->before[o];
        int32_t over = b->calls;
        if (is_start_of(c, &p->op[o], rank, g)) {
            if (!b->timed || p->op[o].holds)
                return "a collective begins when something else than "
                       "computations is over";
            if (b->calls < calls)
                return "its collectives may overlap";
            if (b->through < calls)
                return "no computation of some length lies between two of its "
                       "collectives";
            over = ++calls;
        }
        pass_on(c, rank, o, over, g->pause_ps);
    }
    return NULL;
}

/* All groups of the job that nothing stands in the way of so far. */
static void check_job(struct chain *c)
{
    const struct orr_program *p = c->job->team->program;
    for (uint32_t i = 0; i < p->parts; i++)
        sort_part(c, p, &p->part[i]);
    for (uint32_t i = 0; i < c->m->groups; i++) {
        struct orr_group_of_ranks *g = &c->m->group[i];
        if (g->job != c->job->index || g->why)
            continue;
        for (uint32_t k = 0; k < g->n && !g->why; k++)
            g->why = check_rank(c, g, g->rank[k]);
    }
}

orr_err orr__memo_check_order(struct orr_call_memo *m, struct orr_report *why)
{
    const struct orr_world *w = m->world;
    bool ok = true;
    for (uint32_t i = 0; i < w->n_jobs && ok; i++) {
        const struct orr_job *j = &w->jobs[i];
        struct chain c = {.m = m, .job = j};
        if (w->only_job && w->only_job != j)
            continue;
        c.order = orr__alloc(j->team->program->ops, sizeof *c.order);
        c.waits = orr__alloc(j->team->program->ops, sizeof *c.waits);
        c.before = orr__alloc(j->team->program->ops, sizeof *c.before);
        ok = c.order && c.waits && c.before;
        if (ok)
            check_job(&c);
        orr__free(c.order);
        orr__free(c.waits);
        orr__free(c.before);
    }
    return ok ? ORR_OK : orr__no_memory(why);
}
