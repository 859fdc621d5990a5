#include "workload/schedule/plan.h"
#include "core/none.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "topo/node_names.h"
#include "workload/job/job.h"
#include "workload/schedule/demand.h"
#include "workload/schedule/expect.h"
#include "workload/schedule/schedule.h"
#include "workload/schedule/turns.h"

/* ---- demands ------------------------------------------------------------ */

uint64_t orr__demand_peak(const struct orr_link_demand *d)
{
    uint64_t peak = 0;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->phase[i].rate_bps > peak)
            peak = d->phase[i].rate_bps;
    return peak;
}

double orr__plan_turn_ps(const struct orr_plan_job *x)
{
    return (double)x->period_ps / (x->times ? x->times : 1);
}

static bool counts(const struct orr_plan *s, const struct orr_link_demand *d)
{
    return (double)orr__demand_peak(d)
           > ORR_PLAN_FAINT * (double)s->world->graph->rate_bps[d->link];
}

/* By its own ways, or by those chosen. */
static orr_err demand_of(const struct orr_plan *s, struct orr_plan_job *j,
                         const struct orr_outline *o, struct orr_report *why)
{
    struct orr_paths_by by = {s->world, j->job, &j->paths};
    const struct orr_message_paths paths = {orr__path_choice_by, &by};
    orr__profile_fini(&j->profile);
    return orr__demand(s->world, j->job, o, &paths, &j->profile, why);
}

/* What a user's profile is called by: a key of the map. */
static orr_err check_profiles(struct orr_plan *s,
                              const struct orr_yaml *profiles,
                              struct orr_report *why)
{
    struct orr_config *c = s->world->config;
    if (profiles && !orr__yaml_is_map(profiles))
        return orr__yaml_fail(c, profiles, why,
                              "profiles: a map is expected, "
                              "names of jobs and files: {first: first.yaml}");
    for (size_t i = 0; profiles && i < orr__yaml_count(profiles); i++) {
        const struct orr_yaml *key = orr__yaml_key(profiles, i);
        const char *name = orr__yaml_text(c, key);
        bool found = false;
        for (uint32_t j = 0; name && j < s->n && !found; j++)
            found = strcmp(s->job[j].job->name, name) == 0;
        if (!found)
            return orr__yaml_fail(c, key, why,
                                  "profiles: no job is called "
                                  "\"%s\"",
                                  name ? name : "?");
    }
    return ORR_OK;
}

/* A profile that uses links of hosts without ranks of the job was made for
 * another placement. */
static orr_err check_hosts(const struct orr_plan *s,
                           const struct orr_plan_job *j,
                           const struct orr_yaml *node, struct orr_report *why)
{
    const struct orr_world *w = s->world;
    uint32_t host = 0;
    char name[ORR_NODE_NAME];
    if (!orr__profile_strange(&j->profile, w->graph, j->job->hosts,
                              j->job->members, &host))
        return ORR_OK;
    (void)orr__yaml_fail(w->config, node, why,
                         "profiles: this one uses %s, "
                         "where job \"%s\" has no rank",
                         orr__node_name(w->graph, host, name, sizeof name),
                         j->job->name);
    orr__hint(why, "a profile holds for the topology and the placement that it "
                   "was made for");
    return ORR_ECONFIG;
}

/* The user's profile, else one made from the outline; without either the job
 * counts as one that never communicates. */
static orr_err read_or_make(struct orr_plan *s, struct orr_plan_job *j,
                            const struct orr_yaml *profiles,
                            const struct orr_outline *o, struct orr_report *why)
{
    const struct orr_world *w = s->world;
    const struct orr_yaml *node = orr__yaml_get(profiles, j->job->name);
    j->given = node != NULL;
    j->unknown = !node && !o;
    if (j->unknown) { /* as if it never communicated */
        j->profile =
            (struct orr_profile){.iteration_ps = ORR_S, .compute_ps = -1};
        return ORR_OK;
    }
    orr_err err = ORR_OK;
    if (!node && s->request.turns)
        err = orr__outline_swing(w, j->job, o, &j->swing, why);
    if (err || !node)
        return err ? err : demand_of(s, j, o, why);
    err = orr__profile_read(w->config, node, w->graph, w->readers.profile_text,
                            &j->profile, why);
    if (!err && j->profile.job && strcmp(j->profile.job, j->job->name) != 0)
        err = orr__yaml_fail(w->config, node, why,
                             "profiles: this is one of "
                             "job \"%s\"",
                             j->profile.job);
    return err ? err : check_hosts(s, j, node, why);
}

/* What a job asks of its busiest link, and what it needs for its intensity. */
static void measure_demand(struct orr_plan *s, struct orr_plan_job *j)
{
    const struct orr_graph *g = s->world->graph;
    uint32_t link = ORR_NONE;
    j->tightest = j->over = ORR_NONE;
    j->own_demand = 0;
    uint64_t bytes = 0;
    int64_t busy = orr__profile_longest(&j->profile, g, &link);
    if (busy)
        j->tightest = link;
    for (uint32_t i = 0; i < j->profile.n; i++) {
        const struct orr_link_demand *d = &j->profile.link[i];
        double share =
            (double)orr__demand_peak(d) / (double)g->rate_bps[d->link];
        bytes += orr__demand_bytes(d);
        if (share > j->own_demand) {
            j->own_demand = share;
            j->over = d->link;
        }
    }
    double compute = j->profile.compute_ps >= 0
                         ? (double)j->profile.compute_ps
                         : (double)(j->profile.iteration_ps - busy);
    compute = compute > 0 ? compute : 0;
    j->rank = (struct orr_contender){
        .work = compute * 1e-12 * j->job->ranks,
        .iteration_s = (double)j->profile.iteration_ps * 1e-12,
        .compute_s = compute * 1e-12,
        .busy_s = (double)busy * 1e-12,
        .bytes = bytes,
    };
}

/* Intensities need all jobs at once. */
static orr_err rank_all(struct orr_plan *s, struct orr_report *why)
{
    struct orr_contender *all = orr__alloc(s->n, sizeof *all);
    if (!all)
        return orr__no_memory(why);
    for (uint32_t j = 0; j < s->n; j++) {
        measure_demand(s, &s->job[j]);
        all[j] = s->job[j].rank;
    }
    orr__intensities(all, s->n);
    for (uint32_t j = 0; j < s->n; j++)
        s->job[j].rank = all[j];
    orr__free(all);
    return ORR_OK;
}

/* ---- paths -------------------------------------------------------------- */

/* The next in order of intensity after `last` (n: none yet), or n. */
static uint32_t next_intense(const struct orr_plan *s, const bool *done)
{
    uint32_t best = s->n;
    for (uint32_t j = 0; j < s->n; j++)
        if (!done[j]
            && (best == s->n
                || s->job[j].rank.intensity > s->job[best].rank.intensity))
            best = j;
    return best;
}

/* By the ways chosen an iteration may be shorter than by its own. */
static orr_err outline_anew(const struct orr_plan *s, struct orr_plan_job *x,
                            struct orr_outline *o, struct orr_report *why)
{
    struct orr_paths_by by = {s->world, x->job, &x->paths};
    const struct orr_message_paths paths = {orr__path_choice_by, &by};
    orr__outline_fini(o);
    orr_err err = orr__outline_by(s->world, x->job, &paths, o, why);
    return err ? err : demand_of(s, x, o, why);
}

/* A job whose profile is given keeps its paths: the profile names its links.
 * Where classes alone are wanted, the paths are those that jobs have anyway: a
 * class that a configuration names takes part in the hash of ECMP. */
static orr_err choose_paths(struct orr_plan *s, struct orr_outline *o,
                            struct orr_report *why)
{
    uint32_t links = s->world->graph->links;
    double *load = orr__alloc(links, sizeof *load);
    bool *done = orr__alloc(s->n, sizeof *done);
    orr_err err = load && done ? ORR_OK : orr__no_memory(why);
    for (uint32_t i = 0; i < s->n && !err; i++) {
        uint32_t j = next_intense(s, done);
        struct orr_plan_job *x = &s->job[j];
        done[j] = true;
        if (x->unknown)
            continue;
        if (x->given) {
            for (uint32_t k = 0; k < x->profile.n; k++) {
                const struct orr_link_demand *d = &x->profile.link[k];
                load[d->link] += 8e12 * (double)orr__demand_bytes(d)
                                 / (double)x->profile.iteration_ps
                                 / (double)s->world->graph->rate_bps[d->link];
            }
            continue;
        }
        err = orr__path_choice_list(s->world, x->job, &o[j], &x->paths, why);
        if (!err && s->request.paths)
            err = orr__path_choice_choose(s->world, x->job,
                                          x->profile.iteration_ps, &x->paths,
                                          load, why);
        if (!err && s->request.paths && x->paths.n) /* else as it was */
            err = outline_anew(s, x, &o[j], why);
    }
    orr__free(load);
    orr__free(done);
    return err ? err : rank_all(s, why);
}

/* An outline that cannot be worked out is no error: the job is then unknown to
 * the plan. */
static orr_err make_demands(struct orr_plan *s, const struct orr_yaml *profiles,
                            struct orr_report *why)
{
    struct orr_outline *o = orr__alloc(s->n, sizeof *o);
    orr_err err = o ? check_profiles(s, profiles, why) : orr__no_memory(why);
    for (uint32_t j = 0; j < s->n && !err; j++) {
        struct orr_report end = {0};
        err = orr__world_go_on(s->world, why);
        if (err)
            break;
        err = orr__outline(s->world, s->job[j].job, &o[j], &end);
        if (err == ORR_ENOMEM)
            err = orr__no_memory(why);
        else
            err =
                read_or_make(s, &s->job[j], profiles, err ? NULL : &o[j], why);
    }
    if (!err)
        err = rank_all(s, why);
    if (!err && (s->request.paths || s->request.priorities))
        err = choose_paths(s, o, why);
    for (uint32_t j = 0; o && j < s->n; j++)
        orr__outline_fini(&o[j]);
    orr__free(o);
    return err;
}

/* ---- meetings ----------------------------------------------------------- */

struct turn { /* a job on a link */
    uint32_t link, job;
};

static int by_link(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    return x->job < y->job ? -1 : x->job > y->job;
}

/* The jobs of one link, if there are two or more and their peaks are above its
 * rate. */
static orr_err add_circle(struct orr_plan *s, const struct turn *t, uint32_t n,
                          struct orr_report *why)
{
    uint64_t rate = s->world->graph->rate_bps[t->link];
    double sum = 0;
    if (n < 2)
        return ORR_OK;
    s->shared_links++;
    uint32_t *job = orr__alloc(n, sizeof *job);
    const struct orr_link_demand **d = orr__alloc(n, sizeof *d);
    orr_err err = job && d ? ORR_OK : orr__no_memory(why);
    for (uint32_t i = 0; i < n && !err; i++) {
        job[i] = t[i].job;
        d[i] = orr__profile_link(&s->job[t[i].job].profile, t->link);
        sum += (double)orr__demand_peak(d[i]);
    }
    if (!err && sum > ORR_PLAN_TIGHT * (double)rate)
        err = orr__circles_contend(&s->circles, t->link, rate, n, job, d, why);
    orr__free(job);
    orr__free(d);
    return err;
}

/* Lateness goes on from one iteration to the next: if a period is longer by d
 * than the mean iteration, whose deviation is v, a job is later than x for some
 * exp(-2 d x / v^2) of the time. x is the threshold of gates, and RARELY that
 * share; more than v is not spent on it. */
#define RARELY 1e-3

static int64_t period_of(const struct orr_plan *s, const struct orr_plan_job *j)
{
    double ps = (double)j->profile.iteration_ps, v = j->swing.deviation_ps;
    double d = -log(RARELY) * v * v / (2 * s->request.threshold * ps);
    double more =
        ps * s->request.slack + fmax(j->swing.longer_ps, 0) + fmin(d, v);
    if (j->given)
        return j->profile.iteration_ps;
    return j->profile.iteration_ps
           + (int64_t)fmin(more, 0.5 * (double)ORR_HORIZON);
}

/* Circles of links on which two jobs contend. Both arrays are freed here. */
static orr_err find_circles(struct orr_plan *s, struct orr_report *why)
{
    size_t all = 0, n = 0;
    for (uint32_t j = 0; j < s->n; j++)
        all += s->job[j].profile.n;
    struct turn *t = orr__alloc(all, sizeof *t);
    int64_t *iteration = orr__alloc(s->n, sizeof *iteration);
    orr_err err = t && iteration ? ORR_OK : orr__no_memory(why);
    for (uint32_t j = 0; j < s->n && !err; j++) {
        const struct orr_profile *p = &s->job[j].profile;
        iteration[j] = period_of(s, &s->job[j]);
        for (uint32_t i = 0; i < p->n; i++)
            if (counts(s, &p->link[i]))
                t[n++] = (struct turn){p->link[i].link, j};
    }
    if (!err)
        err = orr__circles_init(&s->circles, s->n, iteration, why);
    if (!err)
        qsort(t, n, sizeof *t, by_link);
    if (s->world->job_kind) /* jobs of a cluster, whenever one comes or goes */
        s->circles.work = ORR_CIRCLE_WORK_OFTEN;
    for (size_t from = 0, to; from < n && !err; from = to) {
        for (to = from; to < n && t[to].link == t[from].link;)
            to++;
        err = add_circle(s, &t[from], (uint32_t)(to - from), why);
    }
    orr__free(t);
    orr__free(iteration);
    return err;
}

/* ---- turns and classes -------------------------------------------------- */

/* Shifts become offsets of gates: of the first byte, not of the iteration. */
static orr_err take_turns(struct orr_plan *s, struct orr_report *why)
{
    orr_err err = orr__affinity_solve(&s->circles, s->request.grid_ps,
                                      s->world->seed, &s->affinity, why);
    /* auto finds a grid: the one that is too fine was asked for */
    if (err == ORR_ECONFIG && s->request.grid_ps)
        err = orr__yaml_place(s->world->config,
                              orr__yaml_get(s->world->scheduler->node, "grid"),
                              err, why);
    for (uint32_t j = 0; j < s->n && !err; j++) {
        struct orr_plan_job *x = &s->job[j];
        x->stretch = 1;
        x->period_ps = s->circles.period_ps[j];
        x->offset_ps = (s->affinity.shift[j] + orr__profile_first(&x->profile))
                       % x->period_ps;
    }
    return err;
}

/* Jobs that share a link need an order; the rest is free. */
static orr_err assign_classes(struct orr_plan *s, struct orr_report *why)
{
    size_t n = s->n;
    bool *shares = orr__alloc(n * n, sizeof *shares);
    double *priority = orr__alloc(n, sizeof *priority);
    uint32_t *class = orr__alloc(n, sizeof *class);
    const struct orr_contention_graph c = {s->n, priority, shares};
    orr_err err = shares && priority && class ? ORR_OK : orr__no_memory(why);
    for (uint32_t i = 0; i < s->circles.n && !err; i++) {
        const struct orr_shared_link *m = &s->circles.shared[i];
        for (uint32_t a = 0; a < m->n; a++)
            for (uint32_t b = 0; b < m->n; b++)
                if (a != b)
                    shares[m->turn[a].job * n + m->turn[b].job] = true;
    }
    for (uint32_t j = 0; j < s->n && !err; j++)
        priority[j] = s->job[j].rank.priority;
    if (!err)
        err = orr__compress(&c, s->request.classes, s->request.orders,
                            s->world->seed, class, &s->lost, &s->cut, why);
    for (uint32_t j = 0; j < s->n && !err; j++)
        s->job[j].class = class[j];
    orr__free(shares);
    orr__free(priority);
    orr__free(class);
    return err;
}

orr_err orr__plan_make(const struct orr_world *w,
                       const struct orr_yaml *profiles,
                       const struct orr_plan_request *request,
                       struct orr_plan *out, struct orr_report *why)
{
    *out = (struct orr_plan){.world = w, .request = *request};
    out->job = orr__alloc(w->n_jobs, sizeof *out->job);
    if (!out->job)
        return orr__no_memory(why);
    for (; out->n < w->n_jobs; out->n++)
        out->job[out->n].job = &w->jobs[out->n];
    orr_err err = make_demands(out, profiles, why);
    if (!err)
        err = find_circles(out, why);
    if (!err)
        err = take_turns(out, why);
    if (!err)
        err = assign_classes(out, why);
    if (!err)
        err = orr__plan_expect(out, why);
    return err || !request->turns ? err : orr__plan_turns(out, why);
}

void orr__plan_fini(struct orr_plan *s)
{
    for (uint32_t j = 0; j < s->n; j++) {
        orr__profile_fini(&s->job[j].profile);
        orr__path_choice_fini(&s->job[j].paths);
    }
    orr__free(s->job);
    orr__circles_fini(&s->circles);
    orr__affinity_fini(&s->affinity);
}
