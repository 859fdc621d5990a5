#include "workload/schedule/planner.h"

#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "workload/job/adjust.h"
#include "workload/schedule/candidates.h"
#include "workload/schedule/plan_notes.h"
#include "workload/schedule/turns.h"

/* Late by more than a share of the period it shifts, at most `shifts` times a
 * minute. */
static void set_gate(struct orr_job *j, const struct orr_plan_job *x,
                     const struct orr_planner_keys *k)
{
    j->gate = (struct orr_gate){
        .period_ps = x->period_ps,
        .offset_ps = x->offset_ps,
        .times = x->times,
    };
    memcpy(j->gate.time_ps, x->time_ps, sizeof j->gate.time_ps);
    j->gate.threshold_ps = (int64_t)(orr__plan_turn_ps(x) * k->threshold);
    if (j->gate.threshold_ps < 1)
        j->gate.threshold_ps = 1;
    j->gate.most = (uint32_t)k->shifts;
    j->gate.span_ps = 60 * ORR_S;
}

static orr_err set_paths(struct orr_world *w, struct orr_job *j,
                         const struct orr_path_table *t, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < t->n && !err; i++)
        if (t->path[i].src < j->ranks && t->path[i].dst < j->ranks)
            err = orr__job_path(w, j, t->path[i].src, t->path[i].dst,
                                t->path[i].link, t->path[i].n, why);
    return err;
}

orr_err orr__planner_apply(struct orr_world *w, struct orr_job *j,
                           const struct orr_plan_job *x,
                           const struct orr_plan_request *request,
                           const struct orr_planner_keys *k,
                           struct orr_report *why)
{
    if (x->gated && orr__job_sends(j))
        set_gate(j, x, k);
    orr_err err = request->paths ? set_paths(w, j, &x->paths, why) : ORR_OK;
    if (err || !request->priorities)
        return err;
    struct orr_net_service *service = orr__job_service(w, j);
    if (!service)
        return orr__no_memory(why);
    service->class = x->class;
    return ORR_OK;
}

static orr_err apply_plan(struct orr_world *w, const struct orr_plan *s,
                          const struct orr_planner_keys *k,
                          struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < s->n; i++)
        err =
            orr__planner_apply(w, &w->jobs[i], &s->job[i], &s->request, k, why);
    return err;
}

orr_err orr__planner_plan(struct orr_world *w, const struct orr_planner_keys *k,
                          const struct orr_plan_request *request,
                          struct orr_report *why)
{
    struct orr_plan_request all = *request;
    all.grid_ps = k->grid == ORR_AUTO ? 0 : k->grid;
    all.slack = k->slack;
    all.threshold = k->threshold;
    struct orr_plan *s = orr__alloc(1, sizeof *s);
    if (!s)
        return orr__no_memory(why);
    orr_err err = orr__plan_make(w, k->profiles, &all, s, why);
    if (err == ORR_EINTERRUPTED) { /* half a plan is none */
        orr__planner_free(s);
        return err;
    }
    w->scheduler->state = s;
    if (err)
        return orr__yaml_place(w->config, w->scheduler->at, err, why);
    return apply_plan(w, s, k, why);
}

const struct orr_plan *orr__planner_plan_all(const struct orr_world *w)
{
    bool planner = w->scheduler && w->scheduler->ops->plan
                   && w->scheduler->ops->free == orr__planner_free;
    return planner ? w->scheduler->state : NULL;
}

orr_err orr__planner_best(struct orr_world *w, struct orr_report *why)
{
    return orr__planner_plan_all(w) ? orr__plan_best(w->scheduler->state, why)
                                    : ORR_OK;
}

/* At most so many pairs of a job are told one by one. */
enum { MOST_PAIRS = 100 };

/* The first MOST_PAIRS pairs, or all if asked for. */
static void json_paths(struct orr_json *j, const struct orr_path_table *t)
{
    orr__json_count(j, "pairs", t->n);
    uint64_t shown =
        orr__json_shown(j, "schedule.jobs.*.paths", t->n, MOST_PAIRS);
    orr__json_list(j, "paths");
    for (uint32_t i = 0; i < shown; i++) {
        orr__json_flat_object(j, NULL);
        orr__json_count(j, "from", t->path[i].src);
        orr__json_count(j, "to", t->path[i].dst);
        orr__json_count(j, "of", t->path[i].tried);
        orr__json_list(j, "links");
        for (uint32_t k = 0; k < t->path[i].n; k++)
            orr__json_count(j, NULL, t->path[i].link[k]);
        orr__json_end(j);
        orr__json_end(j);
    }
    orr__json_end(j);
}

/* Keys are part of the interface. */
static void json_job(struct orr_json *j, const struct orr_plan *s,
                     const struct orr_plan_job *x)
{
    if (s->request.paths)
        orr__json_object(j, NULL);
    else
        orr__json_flat_object(j, NULL);
    orr__json_text(j, "name", x->job->name);
    if (x->gated) {
        orr__json_time(j, "period_ns", x->period_ps);
        orr__json_time(j, "offset_ns", x->offset_ps);
        orr__gate_times_json(j, x->times, x->time_ps);
        orr__json_text(j, "holds", "every");
    }
    if (s->request.priorities)
        orr__json_count(j, "class", x->class);
    if (s->request.priorities)
        orr__json_real(j, "intensity", x->rank.intensity);
    if (s->request.paths)
        json_paths(j, &x->paths);
    orr__json_mean_time(j, "expected_ns", x->planned_ps);
    orr__json_end(j);
}

static uint32_t count_loops(const struct orr_plan *s)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < s->affinity.parts; p++)
        n += s->affinity.part[p].loop;
    return n;
}

/* Parts whose jobs run without turns. */
static uint32_t refused(const struct orr_plan *s)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < s->affinity.parts; p++)
        n += orr__plan_refuses(s, p);
    return n;
}

void orr__planner_json(const struct orr_world *w, struct orr_json *j)
{
    const struct orr_plan *s = orr__planner_plan_all(w);
    if (!s)
        return;
    orr__json_real(j, "score", s->affinity.score);
    orr__json_count(j, "links", s->circles.n);
    orr__json_count(j, "loops", count_loops(s));
    if (s->request.turns)
        orr__json_count(j, "refused", refused(s));
    if (s->request.priorities) {
        orr__json_real(j, "lost", s->lost);
        orr__json_text(j, "cut", s->cut == ORR_CUT_EXACT ? "exact" : "sampled");
    }
    if (orr__candidates_of(w->config))
        orr__candidates_json(orr__candidates_of(w->config), "placements", j);
    orr__json_list(j, "jobs");
    for (uint32_t i = 0; i < s->n; i++)
        json_job(j, s, &s->job[i]);
    orr__json_end(j);
}

const char *orr__planner_remark(const struct orr_world *w, uint32_t job,
                                char *buf, size_t size)
{
    const struct orr_plan *s = orr__planner_plan_all(w);
    return s && job < s->n ? orr__plan_remark(s, job, buf, size) : NULL;
}

char *orr__planner_text(const struct orr_world *w)
{
    const struct orr_plan *s = orr__planner_plan_all(w);
    struct orr_text t = {0};
    if (!s)
        return NULL;
    orr__text_add(&t, "%u link%s with a demand above the rate", s->circles.n,
                  s->circles.n == 1 ? "" : "s");
    if (s->request.turns && s->circles.n)
        orr__text_add(&t, "; score %.4f", s->affinity.score);
    if (s->request.turns && count_loops(s))
        orr__text_add(&t, "; %u affinity graph%s with a loop, turned at once",
                      count_loops(s), count_loops(s) == 1 ? "" : "s");
    if (s->request.turns && refused(s))
        orr__text_add(&t,
                      "; %u of %u part%s without turns, which would not "
                      "hold",
                      refused(s), s->affinity.parts,
                      s->affinity.parts == 1 ? "" : "s");
    const struct orr_candidates *c = orr__candidates_of(w->config);
    if (c)
        orr__text_add(&t, "; placement \"%s\", of %u", c->item[c->chosen].name,
                      c->n);
    return orr__text_done(&t);
}

void orr__planner_free(void *state)
{
    struct orr_plan *s = state;
    if (s)
        orr__plan_fini(s);
    orr__free(s);
}
