/* mltcp: every job's control is wrapped by MLTCP (net/cc/mltcp.c), so that jobs
 * slide apart by themselves until they take turns. What a job says itself
 * (`cc: {kind: mltcp, ...}`) stays.
 *
 * Of the paper: the linear function with 1.75 and 0.25, and that there is
 * nothing central. It is shown over Reno, CUBIC and DCQCN there; over others it
 * is ours. HPCC and NSCC set their windows by what they measure, and their
 * increase is a small part of that: there it does next to nothing. */
#include "net/cc/mltcp.h"
#include "net/cc/wrapped.h"
#include "workload/job/adjust.h"
#include "workload/schedule/describe.h"
#include "workload/schedule/schedule.h"

/* The job's control becomes the base of MLTCP; ORR_ECONFIG for one that never
 * increases. */
static orr_err wrap_control(struct orr_world *w, struct orr_job *j,
                            struct orr_report *why)
{
    struct orr_net_service *s = orr__job_service(w, j);
    if (!s)
        return orr__no_memory(why);
    if (s->cc->ops->wraps)
        return ORR_OK;
    if (!s->cc->state_size)
        return orr__yaml_fail(w->config, w->scheduler->at, why,
                              "schedule: job \"%s\" has the control `%s`, "
                              "which has no increase for MLTCP to scale",
                              j->name, s->cc->ops->name);
    return orr__cc_wrap(w->config, &orr__cc_mltcp, w->scheduler->params, s->cc,
                        &s->cc, why);
}

static orr_err serve(struct orr_world *w, struct orr_report *why)
{
    orr_err err = ORR_OK;
    if (orr__cc_mltcp.check)
        err = orr__cc_mltcp.check(w->config, w->scheduler->at,
                                  w->scheduler->params, why);
    for (uint32_t i = 0; !err && i < w->n_jobs; i++)
        if (orr__job_sends(&w->jobs[i]))
            err = wrap_control(w, &w->jobs[i], why);
    return err;
}

static void json(const struct orr_world *w, struct orr_json *j)
{
    orr__describe_jobs(w, j, NULL);
}

extern const struct orr_scheduler_ops orr__schedule_kind_mltcp;
const struct orr_scheduler_ops orr__schedule_kind_mltcp = {
    .name = "mltcp",
    .doc = "every job's control wrapped by MLTCP (HotNets'24): jobs on a link "
           "take turns; `plan` notes where they do not; almost no effect on "
           "hpcc, nscc",
    .params = orr__mltcp_params + 1, /* but `base` */
    .params_size = sizeof(struct orr_mltcp_params),
    .joins = true,
    .serve = serve,
    .json = json,
};
