/* A plan as JSON, for `plan --json`. What is in it and in which unit: struct
 * orr_plan (workload/schedule/plan.h). */
#include "core/json.h"
#include "core/memory.h"
#include "core/none.h"
#include "study/plan/show.h"
#include "topo/node_names.h"
#include "workload/job/job.h"
#include "workload/schedule/candidates.h"
#include "workload/schedule/mltcp_range.h"
#include "workload/schedule/plan_notes.h"

static void put_node(struct orr_json *j, const struct orr_plan *s,
                     const char *key, uint32_t id)
{
    char name[ORR_NODE_NAME];
    orr__json_text(j, key,
                   orr__node_name(s->world->graph, id, name, sizeof name));
}

static void link_of(struct orr_json *j, const struct orr_plan *s, uint32_t link)
{
    orr__json_count(j, "link", link);
    put_node(j, s, "from", s->world->graph->from[link]);
    put_node(j, s, "to", s->world->graph->to[link]);
}

/* null: the job shares no link that is asked for too much. */
static void put_turn(struct orr_json *j, const struct orr_plan *s, uint32_t i)
{
    const struct orr_plan_job *x = &s->job[i];
    if (s->affinity.part_of[i] == ORR_NONE) {
        orr__json_null(j, "turn");
        return;
    }
    orr__json_flat_object(j, "turn");
    orr__json_count(j, "part", s->affinity.part_of[i]);
    orr__json_time(j, "period_ns", x->period_ps);
    orr__json_time(j, "shift_ns", s->affinity.shift[i]);
    orr__json_time(j, "offset_ns", x->offset_ps);
    orr__gate_times_json(j, x->times, x->time_ps);
    orr__json_text(j, "holds", x->gated ? "every" : "none");
    orr__json_real(j, "stretch", x->stretch);
    orr__json_end(j);
}

/* Links by id. */
static void put_paths(struct orr_json *j, const struct orr_plan_job *x)
{
    orr__json_list(j, "paths");
    for (uint32_t i = 0; i < x->paths.n; i++) {
        const struct orr_chosen_path *w = &x->paths.path[i];
        orr__json_flat_object(j, NULL);
        orr__json_count(j, "from", w->src);
        orr__json_count(j, "to", w->dst);
        orr__json_count(j, "candidates", w->tried);
        orr__json_list(j, "links");
        for (uint32_t k = 0; k < w->n; k++)
            orr__json_count(j, NULL, w->link[k]);
        orr__json_end(j);
        orr__json_end(j);
    }
    orr__json_end(j);
}

/* By the plan, and by packets where these were simulated. */
static void expected(struct orr_json *j, const struct orr_plan_job *x,
                     const struct orr_verdict_job *v)
{
    orr__json_flat_object(j, "expected");
    orr__json_mean_time(j, "alone_ns", x->baseline_ps);
    if (x->best_ps > 0)
        orr__json_mean_time(j, "best_ns", x->best_ps);
    orr__json_mean_time(j, "fair_ns", x->fair_ps);
    orr__json_mean_time(j, "planned_ns", v->expected_ps);
    if (v->planned_ps > 0)
        orr__json_mean_time(j, "simulated_ns", v->planned_ps);
    if (v->none_ps > 0)
        orr__json_mean_time(j, "none_ns", v->none_ps);
    orr__json_end(j);
}

/* Keys and their units are part of the interface. */
static void put_job(struct orr_json *j, const struct orr_plan *s,
                    const struct orr_verdict *v, uint32_t i)
{
    const struct orr_plan_job *x = &s->job[i];
    orr__json_object(j, NULL);
    orr__json_text(j, "name", x->job->name);
    orr__json_text(j, "profile",
                   x->given     ? "given"
                   : x->unknown ? "unknown"
                                : "estimated");
    orr__json_time(j, "iteration_ns", x->profile.iteration_ps);
    orr__json_mean_time(j, "compute_ns", x->rank.compute_s * 1e12);
    orr__json_mean_time(j, "busiest_ns", x->rank.busy_s * 1e12);
    if (x->tightest == ORR_NONE) {
        orr__json_null(j, "busiest_link");
    } else {
        orr__json_count(j, "busiest_link", x->tightest);
    }
    orr__json_real(j, "peak_share", x->own_demand);
    orr__json_real(j, "intensity", x->rank.intensity);
    orr__json_real(j, "factor", x->rank.factor);
    orr__json_real(j, "priority", x->rank.priority);
    orr__json_count(j, "class", x->class);
    put_turn(j, s, i);
    expected(j, x, &v->job[i]);
    if (s->request.paths)
        put_paths(j, x);
    orr__json_end(j);
}

/* zero: room for a shift of each job, for the score without turns. */
static void put_circle(struct orr_json *j, const struct orr_plan *s,
                       const struct orr_shared_link *m, int64_t *zero)
{
    double published;
    orr__json_object(j, NULL);
    link_of(j, s, m->link);
    orr__json_count(j, "rate_bps", m->capacity_bps);
    orr__json_time(j, "perimeter_ns", m->perimeter_ps);
    orr__json_list(j, "jobs");
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t k = m->turn[i].job;
        const struct orr_link_demand *d =
            orr__profile_link(&s->job[k].profile, m->link);
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "name", s->job[k].job->name);
        orr__json_count(j, "peak_bps", orr__demand_peak(d));
        orr__json_count(j, "bytes", orr__demand_bytes(d));
        orr__json_count(j, "repeats",
                        (uint64_t)(m->perimeter_ps / s->circles.period_ps[k]));
        orr__json_end(j);
    }
    orr__json_end(j);
    for (uint32_t i = 0; i < s->n; i++)
        zero[i] = 0;
    orr__json_real(j, "score_at_once", orr__circle_score(&s->circles, m, zero));
    orr__json_real(j, "score",
                   orr__circle_score(&s->circles, m, s->affinity.shift));
    if (orr__circle_published(&s->circles, m, zero, &published))
        orr__json_real(j, "score_of_72_samples", published);
    else
        orr__json_null(j, "score_of_72_samples");
    orr__json_end(j);
}

/* One part of the affinity graph. */
static void put_part(struct orr_json *j, const struct orr_affinity_part *p)
{
    orr__json_flat_object(j, NULL);
    orr__json_count(j, "jobs", p->jobs);
    orr__json_count(j, "groups", p->groups);
    orr__json_flag(j, "loop", p->loop);
    orr__json_text(j, "proof", orr__plan_proof(p->rotation.proof));
    orr__json_real(j, "gap", p->rotation.gap);
    orr__json_time(j, "grid_ns", p->grid.step_ps);
    orr__json_real(j, "grid_error", p->grid.error);
    orr__json_end(j);
}

static void verdict(struct orr_json *j, const struct orr_verdict *v)
{
    orr__json_flat_object(j, "verdict");
    orr__json_text(j, "says", v->says);
    orr__json_flag(j, "holds", v->holds);
    orr__json_flag(j, "gains", v->gains);
    orr__json_flag(j, "refuses", v->refuses);
    orr__json_real(j, "packet_hops", v->packet_hops);
    orr__json_flag(j, "cut", v->cut && v->packet_hops > 0);
    orr__json_end(j);
}

/* What is odd about jobs, and about those that meet. */
static void put_notes(struct orr_json *j, const struct orr_plan *s)
{
    char text[ORR_PLAN_REMARK];
    orr__json_list(j, "notes");
    for (uint32_t i = 0; i < s->n; i++)
        if (orr__plan_remark(s, i, text, sizeof text))
            orr__json_text(j, NULL, text);
    for (uint32_t i = 0; i < s->circles.n; i++)
        if (orr__mltcp_doubt(s, i, text, sizeof text))
            orr__json_text(j, NULL, text);
    orr__json_end(j);
}

char *orr__plan_json(const struct orr_plan *s, const struct orr_verdict *v)
{
    struct orr_json j = {0};
    int64_t *zero = orr__alloc(s->n, sizeof *zero);
    if (!zero)
        return NULL;
    orr__json_object(&j, NULL);
    orr__json_text(&j, "title", s->world->options.title);
    orr__json_count(&j, "links_met", s->shared_links);
    orr__json_real(&j, "score", s->affinity.score);
    orr__json_list(&j, "links");
    for (uint32_t i = 0; i < s->circles.n; i++)
        put_circle(&j, s, &s->circles.shared[i], zero);
    orr__json_end(&j);
    orr__json_list(&j, "parts");
    for (uint32_t i = 0; i < s->affinity.parts; i++)
        put_part(&j, &s->affinity.part[i]);
    orr__json_end(&j);
    orr__json_list(&j, "jobs");
    for (uint32_t i = 0; i < s->n; i++)
        put_job(&j, s, v, i);
    orr__json_end(&j);
    orr__candidates_json(orr__candidates_of(s->world->config), "placements",
                         &j);
    orr__json_real(&j, "priorities_lost", s->lost);
    orr__json_text(&j, "compression",
                   s->cut == ORR_CUT_EXACT ? "exact" : "sampled");
    verdict(&j, v);
    put_notes(&j, s);
    orr__json_end(&j);
    orr__free(zero);
    return orr__json_done(&j);
}
