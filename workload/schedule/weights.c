/* weights: static unfairness (Rajasekaran et al., "Congestion Control in
 * Machine Learning Clusters", HotNets'22): a job whose control grows faster
 * takes the larger share of a link, and so jobs that can take turns slide apart
 * until they do. The paper's way is a shorter timer of rate increase in DCQCN;
 * `weights`, a factor on any control's additive increase, is ours. */
#include "core/units.h"
#include "net/cc/wrapped.h"
#include "workload/job/adjust.h"
#include "workload/schedule/describe.h"
#include "workload/schedule/schedule.h"

/* The keys of this schedule. */
struct keys {
    const struct orr_yaml *weights, *timers;
};

static const struct orr_param params[] = {
    {
        .key = "weights",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct keys, weights),
        .fallback = "",
        .help = "factors on the additive increase of jobs: {vgg: 2, bert: "
                "0.5}; 1 for all others",
    },
    {
        .key = "timers",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct keys, timers),
        .fallback = "",
        .help = "`increase_interval` of jobs that have DCQCN: {vgg: 55us, "
                "bert: 300us}",
    },
    ORR_PARAM_END,
};

/* What one entry of a map asks for. */
typedef orr_err set_fn(struct orr_world *w, const struct orr_yaml *value,
                       const char *text, struct orr_net_service *s,
                       struct orr_report *why);

static orr_err set_weight(struct orr_world *w, const struct orr_yaml *value,
                          const char *text, struct orr_net_service *s,
                          struct orr_report *why)
{
    if (text && !orr__parse_real(text, &s->weight) && s->weight >= 0.001
        && s->weight <= 1000)
        return ORR_OK;
    return orr__yaml_fail(w->config, value, why,
                          "schedule.weights: a number from 0.001 to 1000 is "
                          "expected");
}

/* The job's control with another timer of increase, at least 1 ns. */
static orr_err set_timer(struct orr_world *w, const struct orr_yaml *value,
                         const char *text, struct orr_net_service *s,
                         struct orr_report *why)
{
    const struct orr_cc *cc;
    int64_t ps;
    const char *wrong =
        text ? orr__parse_time(text, &ps) : "a time is expected";
    if (!wrong && ps < ORR_NS)
        wrong = "at least 1ns is expected";
    if (wrong)
        return orr__yaml_fail(w->config, value, why, "schedule.timers: %s",
                              wrong);
    orr_err err =
        orr__cc_with_time(w->config, s->cc, "increase_interval", ps, &cc, why);
    if (!err && !cc)
        err = orr__yaml_fail(w->config, value, why,
                             "schedule.timers: the control of this job, %s, "
                             "has no timer of increase",
                             s->cc->ops->name);
    if (!err)
        s->cc = cc;
    return err;
}

/* Of all jobs that an entry names. */
static orr_err set_entry(struct orr_world *w, const struct orr_yaml *map,
                         size_t i, set_fn *set, struct orr_report *why)
{
    const struct orr_yaml *value = orr__yaml_value(map, i);
    struct orr_job *j = NULL;
    uint32_t at = 0;
    orr_err err = orr__schedule_job(w, orr__yaml_key(map, i), &at, &j, why);
    while (!err && j) {
        struct orr_net_service *s = orr__job_service(w, j);
        err = s ? set(w, value, orr__yaml_text(w->config, value), s, why)
                : orr__no_memory(why);
        if (!err)
            err = orr__schedule_job(w, orr__yaml_key(map, i), &at, &j, why);
    }
    return err;
}

/* Calls set for each job that the map names. */
static orr_err set_each(struct orr_world *w, const struct orr_yaml *map,
                        const char *what, set_fn *set, struct orr_report *why)
{
    if (!map)
        return ORR_OK;
    if (!orr__yaml_is_map(map))
        return orr__yaml_fail(w->config, map, why,
                              "schedule.%s: a map from jobs to values is "
                              "expected",
                              what);
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < orr__yaml_count(map); i++)
        err = set_entry(w, map, i, set, why);
    return err;
}

static orr_err serve(struct orr_world *w, struct orr_report *why)
{
    const struct keys *k = w->scheduler->params;
    if (!k->weights && !k->timers)
        return orr__yaml_fail(w->config, w->scheduler->at, why,
                              "schedule: `weights` needs weights or timers of "
                              "jobs");
    orr_err err = set_each(w, k->weights, "weights", set_weight, why);
    return err ? err : set_each(w, k->timers, "timers", set_timer, why);
}

/* The timer that the user gave a job, as `serve` has read it. */
static void tell_timer(const struct orr_world *w, const struct orr_job *job,
                       struct orr_json *j)
{
    const struct keys *k = w->scheduler->params;
    const struct orr_yaml *value = orr__yaml_get(k->timers, job->name);
    int64_t ps;
    if (value && !orr__parse_time(orr__yaml_text(w->config, value), &ps))
        orr__json_time(j, "increase_interval_ns", ps);
}

static void json(const struct orr_world *w, struct orr_json *j)
{
    orr__describe_jobs(w, j, tell_timer);
}

extern const struct orr_scheduler_ops orr__schedule_kind_weights;
const struct orr_scheduler_ops orr__schedule_kind_weights = {
    .name = "weights",
    .doc = "static unfairness: some jobs' controls grow faster (HotNets'22)",
    .params = params,
    .params_size = sizeof(struct keys),
    .joins = true,
    .serve = serve,
    .json = json,
};
