/* The graph has a vertex for each job and for each group of links, and an edge
 * where a job uses them. It is never stored: a group's jobs stand in its first
 * link's circle. */
#include "workload/schedule/affinity.h"
#include "core/none.h"

#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/units.h"
#include "workload/schedule/fit.h"

static const struct orr_shared_link *shared_of(
    const struct orr_circles *c, const struct orr_affinity_group *g)
{
    return &c->shared[g->shared[0]];
}

/* ---- parts -------------------------------------------------------------- */

static uint32_t root_of(uint32_t *up, uint32_t j)
{
    while (up[j] != j)
        j = up[j] = up[up[j]];
    return j;
}

/* Numbers the parts in order of their first jobs. */
static orr_err find_parts(const struct orr_circles *c, struct orr_affinity *a,
                          struct orr_report *why)
{
    uint32_t *up = orr__alloc(c->jobs, sizeof *up);
    if (!up)
        return orr__no_memory(why);
    for (uint32_t j = 0; j < c->jobs; j++) {
        up[j] = j;
        a->part_of[j] = ORR_NONE;
    }
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 1; k < c->shared[i].n; k++) {
            uint32_t x = root_of(up, c->shared[i].turn[0].job);
            uint32_t y = root_of(up, c->shared[i].turn[k].job);
            up[x > y ? x : y] = x > y ? y : x;
        }
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < c->shared[i].n; k++) {
            uint32_t j = root_of(up, c->shared[i].turn[k].job);
            a->part_of[j] = 0; /* to be numbered */
        }
    for (uint32_t j = 0; j < c->jobs; j++) {
        uint32_t r = root_of(up, j);
        if (a->part_of[r] == ORR_NONE)
            continue;
        if (r == j)
            a->part_of[j] = a->parts++;
        else
            a->part_of[j] = a->part_of[r];
    }
    orr__free(up);
    a->part = orr__alloc(a->parts, sizeof *a->part);
    if (!a->part)
        return orr__no_memory(why);
    for (uint32_t j = 0; j < c->jobs; j++)
        if (a->part_of[j] != ORR_NONE)
            a->part[a->part_of[j]].jobs++;
    return ORR_OK;
}

/* ---- groups ------------------------------------------------------------- */

static bool same_jobs(const struct orr_shared_link *x,
                      const struct orr_shared_link *y)
{
    if (x->n != y->n)
        return false;
    for (uint32_t i = 0; i < x->n; i++)
        if (x->turn[i].job != y->turn[i].job)
            return false;
    return true;
}

/* Links that the same jobs use are one group; its vertex counts in the part of
 * its first job. */
static orr_err find_groups(const struct orr_circles *c, struct orr_affinity *a,
                           struct orr_report *why)
{
    a->group = orr__alloc(c->n, sizeof *a->group);
    if (!a->group)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t g = 0;
        while (g < a->groups
               && !same_jobs(&c->shared[i], shared_of(c, &a->group[g])))
            g++;
        struct orr_affinity_group *at = &a->group[g];
        if (!orr__array_one_more(at->shared, at->n))
            return orr__no_memory(why);
        at->shared[at->n++] = i;
        if (g < a->groups)
            continue;
        at->jobs = c->shared[i].n;
        a->groups++;
        a->part[a->part_of[c->shared[i].turn[0].job]].groups++;
    }
    return ORR_OK;
}

/* A connected graph has a loop if it has as many edges as vertices. */
static void find_loops(const struct orr_circles *c, struct orr_affinity *a)
{
    for (uint32_t p = 0; p < a->parts; p++) {
        uint64_t edges = 0;
        for (uint32_t g = 0; g < a->groups; g++)
            if (a->part_of[shared_of(c, &a->group[g])->turn[0].job] == p)
                edges += a->group[g].jobs;
        a->part[p].loop =
            edges >= (uint64_t)a->part[p].jobs + a->part[p].groups;
    }
}

/* ---- shifts ------------------------------------------------------------- */

/* Room for one traversal. */
struct solve {
    struct orr_circles *c;
    struct orr_affinity *a;
    uint64_t seed;
    int64_t *rotated; /* per job: shifts on the group at hand */
    int64_t **weight; /* per group: per its job, in order */
    uint32_t *queue;
    bool *seen, *done; /* per job; per group */
    struct orr_report *why;
};

static void keep_worse(struct orr_rotation *p, const struct orr_rotation *than)
{
    if (than->proof > p->proof)
        p->proof = than->proof;
    if (than->gap > p->gap)
        p->gap = than->gap;
}

/* Shifts of a group's jobs, by the best rotation on its links. */
static orr_err weigh_group(struct solve *s, uint32_t g)
{
    struct orr_affinity_group *at = &s->a->group[g];
    const struct orr_shared_link *m = shared_of(s->c, at);
    s->weight[g] = orr__alloc(m->n, sizeof **s->weight);
    if (!s->weight[g])
        return orr__no_memory(s->why);
    orr_err err = orr__circles_rotate(s->c, at->shared, at->n, s->seed,
                                      s->rotated, &at->rotation, s->why);
    for (uint32_t i = 0; !err && i < m->n; i++)
        s->weight[g][i] = s->rotated[m->turn[i].job];
    if (!err)
        keep_worse(&s->a->part[s->a->part_of[m->turn[0].job]].rotation,
                   &at->rotation);
    return err;
}

/* From a job that has its shift, over a group of links, to the others there. */
static uint32_t pass_on(struct solve *s, uint32_t g, uint32_t from,
                        uint32_t tail)
{
    const struct orr_shared_link *m = shared_of(s->c, &s->a->group[g]);
    int64_t own = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->turn[i].job == from)
            own = s->weight[g][i];
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t k = m->turn[i].job;
        int64_t period = s->c->period_ps[k];
        if (s->seen[k])
            continue;
        int64_t t = (s->a->shift[from] - own + s->weight[g][i]) % period;
        s->a->shift[k] = t < 0 ? t + period : t;
        s->seen[k] = true;
        s->queue[tail++] = k;
    }
    return tail;
}

static bool takes_part(const struct solve *s, uint32_t g, uint32_t job)
{
    const struct orr_shared_link *m = shared_of(s->c, &s->a->group[g]);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->turn[i].job == job)
            return true;
    return false;
}

/* Breadth first from a part's first job. */
static orr_err traverse(struct solve *s, uint32_t start)
{
    uint32_t tail = 0;
    orr_err err = ORR_OK;
    s->queue[tail++] = start;
    s->seen[start] = true;
    for (uint32_t i = 0; i < tail; i++)
        for (uint32_t g = 0; g < s->a->groups && !err; g++) {
            if (s->done[g] || !takes_part(s, g, s->queue[i]))
                continue;
            s->done[g] = true;
            err = weigh_group(s, g);
            if (!err)
                tail = pass_on(s, g, s->queue[i], tail);
        }
    return err;
}

/* All links of a part with a loop at once. */
static orr_err jointly(struct solve *s, uint32_t part)
{
    uint32_t *all = orr__alloc(s->c->n, sizeof *all), n = 0;
    if (!all)
        return orr__no_memory(s->why);
    for (uint32_t i = 0; i < s->c->n; i++)
        if (s->a->part_of[s->c->shared[i].turn[0].job] == part)
            all[n++] = i;
    orr_err err = orr__circles_rotate(s->c, all, n, s->seed, s->a->shift,
                                      &s->a->part[part].rotation, s->why);
    orr__free(all);
    return err;
}

/* Periods of one part, on the grid or as fit.c finds. ORR_ECONFIG: on this grid
 * there is no common multiple. */
static orr_err round_part(struct solve *s, uint32_t part, int64_t grid_ps)
{
    char text[32];
    if (!grid_ps)
        return orr__fit_periods(s->c, s->a, part, s->why);
    bool *in = orr__alloc(s->c->jobs, sizeof *in);
    if (!in)
        return orr__no_memory(s->why);
    for (uint32_t j = 0; j < s->c->jobs; j++)
        in[j] = s->a->part_of[j] == part;
    bool ok = orr__circles_round(s->c, in, grid_ps, &s->a->part[part].grid);
    orr__free(in);
    if (ok)
        return ORR_OK;
    orr__format_time(grid_ps, text, sizeof text);
    orr_err err =
        orr__fail(s->why, ORR_ECONFIG,
                  "on a grid of %s the iteration times of jobs that share "
                  "links have no common multiple within %d times the longest",
                  text, ORR_CIRCLE_TURNS);
    orr__hint(s->why, "a coarser grid makes iteration times more alike; "
                      "`auto` finds one");
    return err;
}

static orr_err turn_part(struct solve *s, uint32_t part)
{
    uint32_t first = 0;
    while (s->a->part_of[first] != part)
        first++;
    return s->a->part[part].loop ? jointly(s, part) : traverse(s, first);
}

/* Part by part; one without a loop by traversal, as the paper does, one with a
 * loop jointly. */
static orr_err solve_parts(struct solve *s, int64_t grid_ps)
{
    orr_err err = ORR_OK;
    for (uint32_t p = 0; p < s->a->parts && !err; p++) {
        err = round_part(s, p, grid_ps);
        if (!err)
            err = turn_part(s, p);
    }
    s->a->score = s->c->n ? 0 : 1;
    for (uint32_t i = 0; i < s->c->n && !err; i++)
        s->a->score +=
            orr__circle_score(s->c, &s->c->shared[i], s->a->shift) / s->c->n;
    return err;
}

/* False: no memory; to be given to free_solve() all the same. */
static bool begin_solve(struct solve *s, struct orr_circles *c,
                        struct orr_affinity *a, uint64_t seed,
                        struct orr_report *why)
{
    *s = (struct solve){
        .c = c,
        .a = a,
        .seed = seed,
        .why = why,
        .rotated = orr__alloc(c->jobs, sizeof(int64_t)),
        .weight = orr__alloc(c->n, sizeof(int64_t *)),
        .queue = orr__alloc(c->jobs, sizeof(uint32_t)),
        .seen = orr__alloc(c->jobs, sizeof(bool)),
        .done = orr__alloc(c->n, sizeof(bool)),
    };
    return s->rotated && s->weight && s->queue && s->seen && s->done;
}

static void free_solve(struct solve *s)
{
    for (uint32_t g = 0; s->weight && g < s->a->groups; g++)
        orr__free(s->weight[g]);
    orr__free(s->rotated);
    orr__free(s->weight);
    orr__free(s->queue);
    orr__free(s->seen);
    orr__free(s->done);
}

orr_err orr__affinity_turn(struct orr_circles *c, const struct orr_affinity *a,
                           uint32_t part, uint64_t seed, int64_t *shift,
                           struct orr_report *why)
{
    struct orr_affinity own = *a; /* its rotations are not kept */
    struct solve s;
    own.shift = shift;
    own.group = orr__alloc(a->groups, sizeof *own.group);
    own.part = orr__alloc(a->parts, sizeof *own.part);
    bool ok = begin_solve(&s, c, &own, seed, why) && own.group && own.part;
    orr_err err = ok ? ORR_OK : orr__no_memory(why);
    if (!err) {
        memcpy(own.group, a->group, a->groups * sizeof *own.group);
        memcpy(own.part, a->part, a->parts * sizeof *own.part);
        err = turn_part(&s, part);
    }
    free_solve(&s);
    orr__free(own.group);
    orr__free(own.part);
    return err;
}

orr_err orr__affinity_solve(struct orr_circles *c, int64_t grid_ps,
                            uint64_t seed, struct orr_affinity *out,
                            struct orr_report *why)
{
    *out = (struct orr_affinity){
        .part_of = orr__alloc(c->jobs, sizeof(uint32_t)),
        .shift = orr__alloc(c->jobs, sizeof(int64_t)),
    };
    struct solve s;
    bool ok = begin_solve(&s, c, out, seed, why) && out->part_of && out->shift;
    orr_err err = ok ? find_parts(c, out, why) : orr__no_memory(why);
    if (!err)
        err = find_groups(c, out, why);
    if (!err) {
        find_loops(c, out);
        err = solve_parts(&s, grid_ps);
    }
    free_solve(&s);
    return err;
}

void orr__affinity_fini(struct orr_affinity *a)
{
    for (uint32_t g = 0; g < a->groups; g++)
        orr__free(a->group[g].shared);
    orr__free(a->group);
    orr__free(a->part);
    orr__free(a->part_of);
    orr__free(a->shift);
}
