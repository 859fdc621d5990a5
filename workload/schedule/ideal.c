/* ideal: each job as if it were alone: they run one after another, in order,
 * each with the network to itself. No schedule can be better, and none that is
 * carried out on one network need be as good. Gates are taken away. Ours. */
#include "core/json.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/schedule/schedule.h"

static const struct orr_param params[] = {ORR_PARAM_END};

static orr_err serve(struct orr_world *w, struct orr_report *why)
{
    if (w->flows)
        return orr__yaml_fail(w->config, w->scheduler->at, why,
                              "schedule: with `ideal` each job is alone, but "
                              "there are flows, which belong to none");
    for (uint32_t i = 0; i < w->n_jobs; i++)
        w->jobs[i].gate.period_ps = 0;
    w->apart = true;
    return ORR_OK;
}

/* When each began by the clock of the one network that they had in turn. */
static void json(const struct orr_world *w, struct orr_json *j)
{
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
    .doc = "each job as if it were alone: one after another",
    .params = params,
    .serve = serve,
    .json = json,
};
