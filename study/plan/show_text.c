/* The same plan for people: tables of who asks what of which link, who meets
 * whom there, and what each job is to do about it. Long lists are cut, which is
 * said. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "core/text.h"
#include "core/units.h"
#include "study/plan/show.h"
#include "topo/node_names.h"
#include "workload/job/job.h"
#include "workload/schedule/candidates.h"
#include "workload/schedule/mltcp_range.h"
#include "workload/schedule/plan_notes.h"

enum { NAME = 16, LINK_LINES = 24, JOB_LINES = 40, PATH_LINES = 12 };

const char *orr__plan_proof(enum orr_rotation_proof p)
{
    static const char *const names[] = {"exact", "exact on the grid",
                                        "searched"};
    return names[p];
}

static void time_at(struct orr_text *t, size_t column, double ps)
{
    char text[32];
    orr__human_time((int64_t)(ps + 0.5), text, sizeof text);
    orr__text_column(t, column);
    orr__text_add(t, "%s", text);
}

static void rate_at(struct orr_text *t, size_t column, double bps)
{
    char text[32];
    orr__human_rate(bps, text, sizeof text);
    orr__text_column(t, column);
    orr__text_add(t, "%s", text);
}

static void name_of(struct orr_text *t, const char *name)
{
    orr__text_add(t, "  ");
    orr__text_words(t, name, NAME - 3);
}

static void note_unshown(struct orr_text *t, uint32_t n, uint32_t shown,
                         const char *what)
{
    if (n > shown)
        orr__text_add(t, "  ... and %u more %s\n", n - shown, what);
}

/* ---- jobs --------------------------------------------------------------- */

/* What each job asks for by itself. */
static void put_demands(struct orr_text *t, const struct orr_plan *s)
{
    char link[ORR_PLAN_LINK];
    orr__text_add(t, "\ndemands       iteration  computing  busiest link"
                     " carries for\n");
    for (uint32_t j = 0; j < s->n && j < JOB_LINES; j++) {
        const struct orr_plan_job *x = &s->job[j];
        name_of(t, x->job->name);
        time_at(t, NAME, (double)x->profile.iteration_ps);
        orr__text_column(t, 27);
        orr__text_add(t, "%.1f %%",
                      100 * x->rank.compute_s / x->rank.iteration_s);
        time_at(t, 38, x->rank.busy_s * 1e12);
        orr__text_column(t, 49);
        orr__text_add(t, "%s%s\n",
                      orr__plan_link(s, x->tightest, link, sizeof link),
                      x->given ? " (given)" : "");
    }
    note_unshown(t, s->n, JOB_LINES, "jobs");
}

/* What is odd about a job's demand. */
static void warnings(struct orr_text *t, const struct orr_plan *s)
{
    char remark[ORR_PLAN_REMARK];
    for (uint32_t j = 0; j < s->n; j++)
        if (orr__plan_remark(s, j, remark, sizeof remark))
            orr__text_add(t, "note: %s\n", remark);
    for (uint32_t i = 0; i < s->circles.n && i < LINK_LINES; i++)
        if (orr__mltcp_doubt(s, i, remark, sizeof remark))
            orr__text_add(t, "note: %s\n", remark);
}

/* ---- links -------------------------------------------------------------- */

static void jobs_on(struct orr_text *t, const struct orr_plan *s,
                    const struct orr_shared_link *m)
{
    for (uint32_t i = 0; i < m->n && i < 4; i++)
        orr__text_add(t, "%s%s", i ? ", " : "",
                      s->job[m->turn[i].job].job->name);
    if (m->n > 4)
        orr__text_add(t, " and %u more", m->n - 4);
}

/* zero: shifts for the score without turns; all 0 again afterwards. */
static void put_link(struct orr_text *t, const struct orr_plan *s,
                     const struct orr_shared_link *m, int64_t *zero)
{
    char link[ORR_PLAN_LINK];
    double published, peak = 0;
    for (uint32_t i = 0; i < m->n; i++)
        peak += (double)orr__demand_peak(
            orr__profile_link(&s->job[m->turn[i].job].profile, m->link));
    orr__text_add(t, "  %s", orr__plan_link(s, m->link, link, sizeof link));
    rate_at(t, 30, (double)m->capacity_bps);
    rate_at(t, 42, peak);
    orr__text_column(t, 54);
    orr__text_add(t, "%.4f", orr__circle_score(&s->circles, m, zero));
    orr__text_column(t, 62);
    orr__text_add(t, "%.4f",
                  orr__circle_score(&s->circles, m, s->affinity.shift));
    orr__text_column(t, 70);
    if (orr__circle_published(&s->circles, m, zero, &published))
        orr__text_add(t, "%.4f", published);
    else
        orr__text_add(t, "-");
    memset(zero, 0, s->n * sizeof *zero);
    orr__text_add(t, "  ");
    jobs_on(t, s, m);
    orr__text_add(t, "\n");
}

/* Without memory t->failed is set. */
static void put_links(struct orr_text *t, const struct orr_plan *s)
{
    orr__text_add(t,
                  "\n%u link%s used by two jobs or more; on %u they ask for "
                  "more than the rate\n",
                  s->shared_links, s->shared_links == 1 ? " is" : "s are",
                  s->circles.n);
    if (!s->circles.n)
        return;
    int64_t *zero = orr__alloc(s->n, sizeof *zero);
    if (!zero) {
        t->failed = true;
        return;
    }
    orr__text_add(t, "                                                      "
                     "score\n"
                     "  link                        rate        peaks       "
                     "at once turned  72 samples\n");
    for (uint32_t i = 0; i < s->circles.n && i < LINK_LINES; i++)
        put_link(t, s, &s->circles.shared[i], zero);
    note_unshown(t, s->circles.n, LINK_LINES, "links");
    orr__free(zero);
}

/* ---- turns -------------------------------------------------------------- */

/* One line for each part of the affinity graph. */
static void put_parts(struct orr_text *t, const struct orr_plan *s)
{
    const struct orr_affinity *a = &s->affinity;
    char grid[32];
    for (uint32_t p = 0; p < a->parts && p < LINK_LINES; p++) {
        const struct orr_affinity_part *x = &a->part[p];
        orr__text_add(t, "  part %u: %u jobs, %u group%s of links, %s, ", p,
                      x->jobs, x->groups, x->groups == 1 ? "" : "s",
                      x->loop ? "the affinity graph has a loop: all turned at "
                                "once"
                              : "no loop");
        orr__text_add(t, "%s", orr__plan_proof(x->rotation.proof));
        if (x->rotation.gap > 0)
            orr__text_add(t, ", %.4f below the best score at most",
                          x->rotation.gap);
        orr__format_time(x->grid.step_ps, grid, sizeof grid);
        if (x->grid.step_ps > 1)
            orr__text_add(t, "; iterations rounded up to %s, %.2f %% at most",
                          grid, 100 * x->grid.error);
        orr__text_add(t, "\n");
    }
    note_unshown(t, a->parts, LINK_LINES, "parts");
}

/* Periods, shifts and gates of jobs that share a link. */
static void put_turns(struct orr_text *t, const struct orr_plan *s)
{
    if (!s->affinity.parts)
        return;
    orr__text_add(t, "\nturns (CASSINI): mean score %.4f\n", s->affinity.score);
    put_parts(t, s);
    orr__text_add(t, "  job           period     shift      its gate opens at  "
                     "part  holds\n");
    uint32_t shown = 0, all = 0;
    for (uint32_t j = 0; j < s->n; j++) {
        const struct orr_plan_job *x = &s->job[j];
        if (s->affinity.part_of[j] == ORR_NONE || all++ >= JOB_LINES)
            continue;
        shown++;
        name_of(t, x->job->name);
        time_at(t, NAME, (double)x->period_ps);
        time_at(t, 27, (double)s->affinity.shift[j]);
        time_at(t, 38, (double)x->offset_ps);
        orr__text_column(t, 57);
        orr__text_add(t, "%u", s->affinity.part_of[j]);
        orr__text_column(t, 63);
        orr__text_add(t, "%s", x->gated ? "every iteration" : "none: no turns");
        if (x->times > 1)
            orr__text_add(t, ", %u a period", x->times);
        if (x->stretch > 1)
            orr__text_add(t, ", x %.3f", x->stretch);
        orr__text_add(t, "\n");
    }
    note_unshown(t, all, shown, "jobs");
}

/* ---- classes and paths -------------------------------------------------- */

/* What priorities go by, and the class that they became. */
static void put_classes(struct orr_text *t, const struct orr_plan *s)
{
    orr__text_add(t,
                  "\npriorities (Crux): %u classes, %s; %.4g of the "
                  "priorities is lost in them\n",
                  s->request.classes,
                  s->cut == ORR_CUT_EXACT ? "exact" : "sampled orders",
                  s->lost);
    orr__text_add(t, "  job           intensity  factor     priority   "
                     "class\n");
    for (uint32_t j = 0; j < s->n && j < JOB_LINES; j++) {
        const struct orr_plan_job *x = &s->job[j];
        name_of(t, x->job->name);
        orr__text_column(t, NAME);
        orr__text_add(t, "%.4g", x->rank.intensity);
        orr__text_column(t, 27);
        orr__text_add(t, "%.4g", x->rank.factor);
        orr__text_column(t, 38);
        orr__text_add(t, "%.4g", x->rank.priority);
        orr__text_column(t, 49);
        orr__text_add(t, "%u\n", x->class);
    }
    note_unshown(t, s->n, JOB_LINES, "jobs");
}

/* Only pairs that had a choice. */
static void put_paths(struct orr_text *t, const struct orr_plan *s)
{
    uint32_t shown = 0, all = 0;
    char link[ORR_PLAN_LINK];
    if (!s->request.paths)
        return;
    orr__text_add(t, "\npaths (Crux), the link of each that is busiest\n");
    for (uint32_t j = 0; j < s->n; j++)
        for (uint32_t i = 0; i < s->job[j].paths.n; i++) {
            const struct orr_chosen_path *x = &s->job[j].paths.path[i];
            if (x->tried < 2 || all++ >= PATH_LINES)
                continue;
            shown++;
            name_of(t, s->job[j].job->name);
            orr__text_column(t, NAME);
            orr__text_add(
                t, "rank %u to rank %u, one of %u, by %s\n", x->src, x->dst,
                x->tried,
                orr__plan_link(s, x->link[x->n / 2], link, sizeof link));
        }
    if (!all)
        orr__text_add(t, "  there is one path only for every pair\n");
    note_unshown(t, all, shown, "pairs");
}

/* ---- what it comes to --------------------------------------------------- */

/* Shares of an iteration: what is less is not worth a word. */
#define NOTED 1.01

/* Jobs that are slowed down by themselves: equal programs differ for this
 * reason alone. */
static void crowded(struct orr_text *t, const struct orr_plan *s)
{
    char link[ORR_PLAN_LINK], own[32], best[32];
    uint32_t shown = 0, all = 0;
    for (uint32_t j = 0; j < s->n; j++) {
        const struct orr_plan_job *x = &s->job[j];
        if (!(x->best_ps > 0) || x->baseline_ps < NOTED * x->best_ps
            || all++ >= PATH_LINES)
            continue;
        shown++;
        orr__human_time((int64_t)(x->baseline_ps + 0.5), own, sizeof own);
        orr__human_time((int64_t)(x->best_ps + 0.5), best, sizeof best);
        orr__text_add(t, "note: messages of ");
        orr__text_words(t, x->job->name, NAME);
        orr__text_add(t,
                      " share %s with one another: alone %s on %s paths, "
                      "%s on the best\n",
                      orr__plan_link(s, x->tightest, link, sizeof link), own,
                      s->request.paths ? "these" : "its own", best);
    }
    note_unshown(t, all, shown, "such jobs");
}

/* Iterations with packets, over the baseline. */
static void put_simulated(struct orr_text *t, const struct orr_plan *s,
                          const struct orr_verdict *v)
{
    orr__text_add(t,
                  "\nwith packets, %s\n"
                  "  job           `none`               planned\n",
                  v->cut ? "the first iterations" : "all iterations");
    for (uint32_t j = 0; j < s->n && j < JOB_LINES; j++) {
        const struct orr_verdict_job *x = &v->job[j];
        double alone = s->job[j].baseline_ps;
        name_of(t, s->job[j].job->name);
        if (x->none_ps > 0) {
            time_at(t, NAME, x->none_ps);
            orr__text_add(t, "  x %.3f", x->none_ps / alone);
        }
        if (x->planned_ps > 0) {
            time_at(t, 37, x->planned_ps);
            orr__text_add(t, "  x %.3f", x->planned_ps / alone);
        }
        orr__text_add(t, "\n");
    }
    note_unshown(t, s->n, JOB_LINES, "jobs");
}

/* Iterations by the fluid model, then the verdict. */
static void put_expected(struct orr_text *t, const struct orr_plan *s,
                         const struct orr_verdict *v)
{
    orr__text_add(t,
                  "\nexpected iterations, without packets; alone, on %s "
                  "paths, and on the best\n"
                  "  job           alone      best paths fair shares"
                  "           planned\n",
                  s->request.paths ? "these" : "its own");
    for (uint32_t j = 0; j < s->n && j < JOB_LINES; j++) {
        const struct orr_plan_job *x = &s->job[j];
        name_of(t, x->job->name);
        time_at(t, NAME, x->baseline_ps);
        if (x->best_ps > 0)
            time_at(t, 27, x->best_ps);
        time_at(t, 38, x->fair_ps);
        orr__text_add(t, "  x %.3f", x->fair_ps / x->baseline_ps);
        time_at(t, 60, x->planned_ps);
        orr__text_add(t, "  x %.3f\n", x->planned_ps / x->baseline_ps);
    }
    note_unshown(t, s->n, JOB_LINES, "jobs");
    crowded(t, s);
    orr__text_add(t, "\nverdict       %s\n", v->says);
    if (!(v->packet_hops > 0))
        orr__text_add(t, "              (not tried with packets, which would "
                         "take too long or failed)\n");
}

/* NULL: nothing was chosen among. */
static void put_candidates(struct orr_text *t, const struct orr_candidates *of)
{
    if (!of)
        return;
    const struct orr_candidate *c = of->item;
    orr__text_add(t, "\nplacements    score      iterations, sum: fair  "
                     "planned\n");
    for (uint32_t i = 0; i < of->n; i++) {
        name_of(t, c[i].name);
        orr__text_column(t, NAME);
        orr__text_add(t, "%.4f", c[i].score);
        time_at(t, 27, c[i].fair_s * 1e12);
        time_at(t, 49, c[i].planned_s * 1e12);
        orr__text_add(t, "%s%s\n", c[i].loop ? "  loop" : "",
                      i == of->chosen ? "  chosen" : "");
    }
}

char *orr__plan_text(const struct orr_plan *s, const struct orr_verdict *v)
{
    struct orr_text t = {0};
    orr__text_words(&t, s->world->options.title ? s->world->options.title : "",
                    80);
    orr__text_add(&t, "\n%u job%s on %u hosts\n", s->n, s->n == 1 ? "" : "s",
                  s->world->graph->hosts);
    warnings(&t, s);
    put_candidates(&t, orr__candidates_of(s->world->config));
    put_demands(&t, s);
    put_links(&t, s);
    put_turns(&t, s);
    put_paths(&t, s);
    if (s->circles.n)
        put_classes(&t, s);
    if (v->packet_hops > 0)
        put_simulated(&t, s, v);
    put_expected(&t, s, v);
    return orr__text_shown(&t);
}
