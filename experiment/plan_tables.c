#include "experiment/plan_tables.h"

#include "core/assert.h"
#include "core/memory.h"
#include "workload/schedule/planner.h"

static void count_rows(const struct orr_circles *all,
                       struct orr_circle_tables *t)
{
    t->circles = all->n;
    for (uint32_t i = 0; i < all->n; i++) {
        t->turns += all->shared[i].n;
        for (uint32_t k = 0; k < all->shared[i].n; k++)
            t->phases += all->shared[i].turn[k].n;
    }
}

/* The phases of one job on one link, which has this number. */
static void put_phases(const struct orr_turn *turn, uint64_t number,
                       struct orr_turn_phase_row **next)
{
    for (uint32_t p = 0; p < turn->n; p++)
        *(*next)++ = (struct orr_turn_phase_row){
            .turn = (uint32_t)number,
            .from_ps = turn->edge[2 * p],
            .to_ps = turn->edge[2 * p + 1],
            .rate_bps = turn->rate_bps[p],
        };
}

/* zero: a shift of nothing for each job. */
static void fill_tables(const struct orr_plan *s, const int64_t *zero,
                        struct orr_circle_tables *t)
{
    const struct orr_circles *all = &s->circles;
    const struct orr_affinity *a = &s->affinity;
    struct orr_turn_phase_row *phase = t->phase;
    uint64_t turns = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        const struct orr_shared_link *m = &all->shared[i];
        t->circle[i] = (struct orr_circle_row){
            .link = m->link,
            .capacity_bps = m->capacity_bps,
            .perimeter_ps = m->perimeter_ps,
            .score_before = orr__circle_score(all, m, zero),
            .score = orr__circle_score(all, m, a->shift),
        };
        for (uint32_t k = 0; k < m->n; k++, turns++) {
            uint32_t job = m->turn[k].job;
            t->turn[turns] = (struct orr_turn_row){
                i,
                job,
                all->period_ps[job],
                a->shift[job],
            };
            put_phases(&m->turn[k], turns, &phase);
        }
    }
    ORR_ASSERT(turns == t->turns && phase == t->phase + t->phases);
    for (uint32_t g = 0; g < a->groups; g++)
        for (uint32_t i = 0; i < a->group[g].n; i++)
            t->circle[a->group[g].shared[i]].group = g;
}

orr_err orr__circle_tables(const struct orr_world *w,
                           struct orr_circle_tables *t)
{
    const struct orr_plan *s = orr__planner_plan_all(w);
    *t = (struct orr_circle_tables){0};
    if (!s || !s->request.turns || s->circles.n == 0)
        return ORR_OK;
    count_rows(&s->circles, t);
    t->circle = orr__alloc(t->circles, sizeof *t->circle);
    t->turn = orr__alloc(t->turns, sizeof *t->turn);
    t->phase = orr__alloc(t->phases, sizeof *t->phase);
    int64_t *zero = orr__alloc(s->n, sizeof *zero);
    orr_err err =
        t->circle && t->turn && t->phase && zero ? ORR_OK : ORR_ENOMEM;
    if (!err)
        fill_tables(s, zero, t);
    orr__free(zero);
    return err;
}

void orr__circle_tables_fini(struct orr_circle_tables *t)
{
    orr__free(t->circle);
    orr__free(t->turn);
    orr__free(t->phase);
    *t = (struct orr_circle_tables){0};
}
