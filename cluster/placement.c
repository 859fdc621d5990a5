/* Which GPUs a job gets: the placement's choice or, of several that it might
 * make, the one that gets along best with the jobs that run: the mean score of
 * the circles of the links that it would share (CASSINI, NSDI 2024, Algorithm
 * 2). Ours: only the links of the job itself are scored, because those of
 * others are the same for all candidates. */
#include <math.h>
#include <string.h>

#include "cluster/engine.h"
#include "cluster/known_jobs.h"
#include "core/array.h"
#include "core/fingerprint.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "workload/cluster/placement/placement.h"
#include "workload/schedule/affinity.h"
#include "workload/schedule/plan.h"

/* As for the schedule: more than that together, and turns are needed. */
#define TIGHT 1.02

/* Scores that are kept at a time. */
enum { MOST_SCORES = 1 << 16 };

/* The candidate is job 0 of the circles, those that share links with it come
 * behind. */
struct scene {
    struct orr_engine *e;
    const struct orr_demand_item *own;
    uint32_t *number; /* per running job: in the circles; 0: not there */
    uint32_t n;       /* jobs of the circles */
    uint32_t *job;    /* room for all of them, on one link */
    const struct orr_link_demand **demand;
};

static const struct orr_link_demand *demand_on(const struct scene *s,
                                               uint32_t at, uint32_t link)
{
    const struct orr_engine *e = s->e;
    uint32_t job = e->cluster.running[at];
    const struct orr_link_demand *d =
        e->known[job] ? orr__profile_link(&orr__facts_of(e, job)->profile, link)
                      : NULL;
    return d && orr__facts_counts(e->cluster.world->graph, d) ? d : NULL;
}

/* Who shares links with the candidate; iteration: room for all. */
static void number_rivals(struct scene *s, int64_t *iteration)
{
    const struct orr_profile *own = &s->own->facts.profile;
    iteration[0] = own->iteration_ps;
    s->n = 1;
    for (uint32_t i = 0; i < s->e->cluster.n_running; i++)
        for (uint32_t k = 0; k < own->n && !s->number[i]; k++)
            if (demand_on(s, i, own->link[k].link)) {
                const struct orr_facts *f =
                    orr__facts_of(s->e, s->e->cluster.running[i]);
                iteration[s->n] = f->profile.iteration_ps;
                s->number[i] = s->n++;
            }
}

/* A circle for a link of the job's own, if running jobs use it and peaks exceed
 * TIGHT of its rate. */
static orr_err add_link(struct scene *s, const struct orr_link_demand *own,
                        struct orr_circles *c, struct orr_report *why)
{
    const struct orr_graph *g = s->e->cluster.world->graph;
    double sum = (double)orr__demand_peak(own);
    uint32_t n = 1;
    if (!orr__facts_counts(g, own))
        return ORR_OK;
    s->job[0] = 0;
    s->demand[0] = own;
    for (uint32_t i = 0; i < s->e->cluster.n_running; i++) {
        const struct orr_link_demand *d =
            s->number[i] ? demand_on(s, i, own->link) : NULL;
        if (!d)
            continue;
        s->job[n] = s->number[i];
        s->demand[n++] = d;
        sum += (double)orr__demand_peak(d);
    }
    if (n == 1 || sum <= TIGHT * (double)g->rate_bps[own->link])
        return ORR_OK;
    return orr__circles_contend(c, own->link, g->rate_bps[own->link], n, s->job,
                                s->demand, why);
}

/* -1: its affinity graph has a loop, or no circle: worse than any score but
 * no reason to wait. iteration: of those that are numbered. */
static orr_err work_out(struct scene *s, const int64_t *iteration,
                        double *score, struct orr_report *why)
{
    struct orr_circles c = {0};
    struct orr_affinity a = {0};
    struct orr_report none = {0};
    orr_err err = orr__circles_init(&c, s->n, iteration, why);
    c.work = ORR_CIRCLE_WORK_OFTEN; /* placements are many, too */
    *score = 1;
    for (uint32_t k = 0; !err && k < s->own->facts.profile.n; k++)
        err = add_link(s, &s->own->facts.profile.link[k], &c, why);
    if (!err && c.n) {
        orr_err e =
            orr__affinity_solve(&c, 0, s->e->cluster.world->seed, &a, &none);
        if (e == ORR_ENOMEM)
            err = orr__no_memory(why);
        *score = e ? -1 : a.score;
        for (uint32_t p = 0; !e && p < a.parts; p++)
            if (a.part[p].loop)
                *score = -1;
        orr__affinity_fini(&a);
    }
    orr__circles_fini(&c);
    return err;
}

/* All that a score depends on, of a network and a seed: what each asks of links
 * is that of its place in the store. */
static uint64_t key_of(const struct scene *s)
{
    uint64_t key = orr__digest(0, s->own->key, s->n);
    for (uint32_t i = 0; i < s->e->cluster.n_running; i++)
        if (s->number[i])
            key = orr__digest(key, s->number[i],
                              s->e->known[s->e->cluster.running[i]]->key);
    return key;
}

/* Forgets the others when there are too many. */
static orr_err note_score(struct orr_scores *t, uint64_t key, double score,
                          struct orr_report *why)
{
    if (t->n == MOST_SCORES) {
        orr__table_fini(&t->by_scene);
        t->by_scene = (struct orr_table){0};
        t->n = 0;
    }
    if (!orr__array_more(t->score, t->room, t->n)
        || !orr__table_add(&t->by_scene, key, t->n))
        return orr__no_memory(why);
    t->score[t->n++] = score;
    return ORR_OK;
}

/* The same scenes come again, above all where leases are short. */
static orr_err score_of(struct scene *s, double *score, struct orr_report *why)
{
    struct orr_scores *t = &s->e->scores;
    uint32_t most = s->e->cluster.n_running + 1, at;
    int64_t *iteration = orr__alloc(most, sizeof *iteration);
    orr_err err = ORR_OK;
    uint64_t key;
    if (!iteration)
        return orr__no_memory(why);
    memset(s->number, 0, most * sizeof *s->number);
    number_rivals(s, iteration);
    key = key_of(s);
    at = orr__table_find(&t->by_scene, key);
    if (at != ORR_NONE)
        *score = t->score[at];
    else
        err = work_out(s, iteration, score, why);
    if (!err && at == ORR_NONE)
        err = note_score(t, key, *score, why);
    orr__free(iteration);
    return err;
}

static orr_err try_placement(struct scene *s, uint32_t job, uint32_t *gpu,
                             double *score, struct orr_report *why)
{
    struct orr_demand_item *item;
    orr_err err = orr__engine_facts(s->e, job, gpu, &item, why);
    *score = 0;
    if (err)
        return err;
    s->own = item;
    return item->facts.unknown ? ORR_OK : score_of(s, score, why);
}

/* The first of those with the highest score; a perfect one is not bettered. */
static orr_err choose_best(struct scene *s, uint32_t job, uint32_t n,
                           uint32_t *gpu, bool *found, struct orr_report *why)
{
    const struct orr_cluster *c = &s->e->cluster;
    uint32_t gpus = c->job[job].is.gpus;
    uint32_t *try = orr__alloc(gpus, sizeof *try);
    double best = -INFINITY;
    orr_err err = try ? ORR_OK : orr__no_memory(why);
    *found = false;
    for (uint32_t v = 0; !err && v < n && best < 1; v++) {
        bool there;
        double score = -INFINITY;
        err = c->placement->choose(c, c->placement_params, job, v, try, &there,
                                   why);
        if (!err && there)
            err = try_placement(s, job, try, &score, why);
        if (!err && score > best) {
            best = score;
            memcpy(gpu, try, gpus * sizeof *gpu);
            *found = true;
        }
    }
    orr__free(try);
    return err;
}

/* With one candidate no scores are worked out. *found false: the job has to
 * wait. */
static orr_err place_job(struct orr_engine *e, uint32_t job, uint32_t *gpu,
                         bool *found, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    uint32_t n = c->placement->candidates
                     ? c->placement->candidates(c->placement_params)
                     : 1;
    uint32_t most = e->cluster.n_running + 1;
    if (n == 1)
        return c->placement->choose(c, c->placement_params, job, 0, gpu, found,
                                    why);
    struct scene s = {.e = e,
                      .number = orr__alloc(most, sizeof *s.number),
                      .job = orr__alloc(most, sizeof *s.job),
                      .demand = orr__alloc(most, sizeof *s.demand)};
    orr_err err = s.number && s.job && s.demand ? ORR_OK : orr__no_memory(why);
    if (!err)
        err = choose_best(&s, job, n, gpu, found, why);
    orr__free(s.number);
    orr__free(s.job);
    orr__free(s.demand);
    return err;
}

/* Of its own kind alone: others are not there meanwhile. */
orr_err orr__engine_place_job(struct orr_engine *e, uint32_t job, uint32_t *gpu,
                              bool *found, struct orr_report *why)
{
    struct orr_inventory *v = &e->cluster.inventory;
    const struct orr_cluster_job *j = &e->cluster.job[job];
    orr_err err = ORR_OK;
    v->only = v->n_kinds > 1 ? j->kind : 0;
    *found = false;
    if (!v->only || orr__gpus_free(v) >= j->is.gpus)
        err = place_job(e, job, gpu, found, why);
    v->only = 0;
    return err;
}
