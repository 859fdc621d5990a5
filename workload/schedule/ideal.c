/* ideal: each job alone, on its own paths: jobs run one after another, each
 * with the network to itself. Messages of one job may still meet on the paths
 * that its connections draw, so a schedule that chooses paths may be better.
 * `paths: best` chooses them here, too: no schedule can be better than that, as
 * far as paths were found, and none that is carried out on one network need be
 * as good. Gates are taken away. Ours. */
#include "core/json.h"
#include "net/config/config.h"
#include "workload/flow/flows.h"
#include "workload/job/adjust.h"
#include "workload/schedule/best.h"
#include "workload/schedule/schedule.h"

enum paths { OWN, BEST };

/* The keys of this schedule. */
struct keys {
    int paths;
};

static const char *const paths[] = {"own", "best", NULL};

static const struct orr_param params[] = {
    {
        .key = "paths",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct keys, paths),
        .fallback = "own",
        .choices = paths,
        .help = "the paths that the job has anyway, or the best equal-cost "
                "paths: the bound for schedules",
    },
    ORR_PARAM_END,
};

static orr_err serve(struct orr_world *w, struct orr_report *why)
{
    if (w->flows)
        return orr__yaml_fail(w->config, w->scheduler->at, why,
                              "schedule: with `ideal` each job is alone, but "
                              "there are flows without a job");
    for (uint32_t i = 0; i < w->n_jobs; i++)
        w->jobs[i].gate.period_ps = 0;
    w->jobs_apart = true;
    return ORR_OK;
}

/* The paths of one job; its own, if none are better. */
static orr_err set_best(struct orr_world *w, struct orr_job *j,
                        struct orr_report *why)
{
    struct orr_best b;
    orr_err err = orr__best_paths(w, j, &b, why);
    for (uint32_t i = 0; i < b.paths.n && !err; i++) {
        const struct orr_chosen_path *x = &b.paths.path[i];
        if (x->src < j->ranks && x->dst < j->ranks)
            err = orr__job_path(w, j, x->src, x->dst, x->link, x->n, why);
    }
    orr__best_fini(&b);
    return err;
}

static orr_err plan(struct orr_world *w, struct orr_report *why)
{
    const struct keys *k = w->scheduler->params;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; k->paths == BEST && i < w->n_jobs && !err; i++)
        err = set_best(w, &w->jobs[i], why);
    return orr__yaml_place(w->config, w->scheduler->at, err, why);
}

/* When each began by the clock of the one network that they had in turn. */
static void json(const struct orr_world *w, struct orr_json *j)
{
    const struct keys *k = w->scheduler->params;
    orr__json_text(j, "paths", paths[k->paths]);
    orr__json_list(j, "jobs");
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *job = &w->jobs[i];
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "name", job->name);
        orr__json_time(j, "begun_ns",
                       job->iteration ? job->iteration[0].start_ps : -1);
        orr__json_end(j);
    }
    orr__json_end(j);
}

extern const struct orr_scheduler_ops orr__schedule_kind_ideal;
const struct orr_scheduler_ops orr__schedule_kind_ideal = {
    .name = "ideal",
    .baseline = true,
    .doc = "jobs one after another, each alone, on its own or the best paths",
    .params = params,
    .params_size = sizeof(struct keys),
    .serve = serve,
    .plan = plan,
    .json = json,
};
