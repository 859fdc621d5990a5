/* cassini: jobs that meet on links take turns (Rajasekaran, Ghobadi, Akella:
 * "CASSINI: Network-Aware Job Scheduling in Machine Learning Clusters", NSDI
 * 2024). From the paper: circles, score, affinity graph, shifts, a shift of
 * jobs that are late by more than 5 % of their period. Ours: exact sums instead
 * of 72 samples, the middle of the best stretch, links with the same jobs as
 * one vertex, parts with a loop turned at once instead of refused, periods that
 * keep their ratios, longer ones where no turns make jobs compatible, and none
 * where those are no gain. */
#include "workload/schedule/planner.h"

/* The keys of this schedule. */
struct keys {
    struct orr_planner_keys common;
    const struct orr_yaml
        *candidates; /* study/run/candidates.h: chosen before */
};

static const struct orr_param params[] = {
    ORR_PLANNER_PARAMS(struct keys, common),
    {.key = "candidates",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct keys, candidates),
     .fallback = "",
     .help =
         "placements to choose from: a list of maps from jobs to placements, "
         "or {generate: cassini, count: 10}; `orrery help candidates`"},
    ORR_PARAM_END,
};

static orr_err plan(struct orr_world *w, struct orr_report *why)
{
    const struct keys *k = w->scheduler->params;
    const struct orr_plan_request request = {
        .turns = true, .classes = 8, .orders = ORR_PLAN_ORDERS};
    return orr__planner_plan(w, &k->common, &request, why);
}

extern const struct orr_scheduler_ops orr__schedule_kind_cassini;
const struct orr_scheduler_ops orr__schedule_kind_cassini = {
    .name = "cassini",
    .doc = "jobs with contention take turns, by gates (NSDI'24)",
    .params = params,
    .params_size = sizeof(struct keys),
    .gates = true,
    .replans = true,
    .candidates = true,
    .plan = plan,
    .json = orr__planner_json,
    .text = orr__planner_text,
    .remark = orr__planner_remark,
    .free = orr__planner_free,
};
