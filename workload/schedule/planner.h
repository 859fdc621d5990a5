/* What the schedules share that plan before they run: cassini and crux. */
#ifndef ORR_WORKLOAD_SCHEDULE_PLANNER_H
#define ORR_WORKLOAD_SCHEDULE_PLANNER_H

#include "core/config/param.h"
#include "workload/schedule/plan.h"
#include "workload/schedule/schedule.h"

/* Keys that both have. */
struct orr_planner_keys {
    const struct orr_yaml *profiles; /* NULL: none */
    int64_t grid;                    /* ps, or ORR_AUTO */
    double slack, threshold;         /* shares of an iteration */
    int64_t shifts;                  /* a minute */
};
#define ORR_PLANNER_PARAMS(struct_type, member)                                \
    {                                                                          \
        .key = "profiles",                                                     \
        .type = ORR_PARAM_NODE,                                                \
        .offset = offsetof(struct_type, member.profiles),                      \
        .fallback = "",                                                        \
        .help = "demands of jobs, a map from jobs to files of `orrery "        \
                "profile`; others are estimated from their programs",          \
    },                                                                         \
        {                                                                      \
            .key = "grid",                                                     \
            .type = ORR_PARAM_TIME,                                            \
            .offset = offsetof(struct_type, member.grid),                      \
            .fallback = "auto",                                                \
            .min = "1ps",                                                      \
            .help =                                                            \
                "iteration times are rounded up to multiples of this; auto: "  \
                "as they are if they have a circle, or whole multiples of "    \
                "one base, which keep their ratios",                           \
        },                                                                     \
        {                                                                      \
            .key = "slack",                                                    \
            .type = ORR_PARAM_REAL,                                            \
            .offset = offsetof(struct_type, member.slack),                     \
            .fallback = "0.003",                                               \
            .min = "0",                                                        \
            .max = "1",                                                        \
            .help = "share by which periods of estimated jobs exceed their "   \
                    "iterations",                                              \
        },                                                                     \
        {                                                                      \
            .key = "threshold",                                                \
            .type = ORR_PARAM_REAL,                                            \
            .offset = offsetof(struct_type, member.threshold),                 \
            .fallback = "0.05",                                                \
            .min = "0.001",                                                    \
            .max = "1",                                                        \
            .help = "a job that is late by more than this share of its "       \
                    "period waits for its next turn",                          \
        },                                                                     \
    {                                                                          \
        .key = "shifts", .type = ORR_PARAM_INT,                                \
        .offset = offsetof(struct_type, member.shifts), .fallback = "2",       \
        .min = "1", .max = "1000", .help = "most shifts per minute",           \
    }

/* Makes the scheme, keeps it in w->scheduler->state and sets the gates and
 * classes that it has. */
ORR_CHECK_RESULT orr_err orr__planner_plan(
    struct orr_world *w, const struct orr_planner_keys *k,
    const struct orr_plan_request *request, struct orr_report *why);
/* What a scheme, of this world or another one of the same network, has for a
 * job: sets it of j, of the same ranks on the same hosts. k: of gates; NULL: it
 * has none. */
ORR_CHECK_RESULT orr_err orr__planner_apply(
    struct orr_world *w, struct orr_job *j, const struct orr_plan_job *x,
    const struct orr_plan_request *request, const struct orr_planner_keys *k,
    struct orr_report *why);
/* The scheme that the schedule of a world has made, or NULL. */
const struct orr_plan *orr__planner_plan_all(const struct orr_world *w);
/* Finds best_ps of its jobs (orr__plan_best), if there is one. */
ORR_CHECK_RESULT orr_err orr__planner_best(struct orr_world *w,
                                           struct orr_report *why);
/* Slots of struct orr_scheduler_ops. */
void orr__planner_json(const struct orr_world *w, struct orr_json *j);
char *orr__planner_text(const struct orr_world *w);
const char *orr__planner_remark(const struct orr_world *w, uint32_t job,
                                char *buf, size_t size);
void orr__planner_free(void *state);

#endif
