/* crux: jobs with the highest GPU intensity choose their paths first and go
 * first at ports (Cao et al., "Crux: GPU-Efficient Communication Scheduling for
 * Deep Learning Training", SIGCOMM 2024). From the paper: intensity W / t,
 * paths in order of intensity on the least loaded candidates, P = k I,
 * compression into K classes by cuts of sampled topological orders. Ours: the
 * formula of k, the weights of the graph's edges (intensity.h), time spent
 * computing for the flops of W, and what load is. */
#include "net/config/config.h"
#include "net/schedule/schedule.h"
#include "workload/schedule/planner.h"

/* The keys of this schedule. */
struct keys {
    struct orr_planner_keys common;
    int64_t classes, orders;
    bool paths, priorities, turns;
};

static const struct orr_param params[] = {
    {
        .key = "paths",
        .type = ORR_PARAM_BOOL,
        .offset = offsetof(struct keys, paths),
        .fallback = "true",
        .help = "choose paths",
    },
    {
        .key = "priorities",
        .type = ORR_PARAM_BOOL,
        .offset = offsetof(struct keys, priorities),
        .fallback = "true",
        .help = "give jobs classes, served strictly",
    },
    {
        .key = "turns",
        .type = ORR_PARAM_BOOL,
        .offset = offsetof(struct keys, turns),
        .fallback = "false",
        .help = "take turns on these paths, as cassini does",
    },
    {
        .key = "classes",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct keys, classes),
        .fallback = "8",
        .min = "1",
        .max = "8",
        .help = "number of classes",
    },
    {
        .key = "orders",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct keys, orders),
        .fallback = "100",
        .min = "1",
        .max = "100000",
        .help =
            "topological orders sampled to assign classes, for more than 12 "
            "jobs",
    },
    ORR_PLANNER_PARAMS(struct keys, common),
    ORR_PARAM_END,
};

/* Ports need a scheduler that goes by class; FIFO is replaced by one, weighted
 * ones are refused. */
static orr_err serve_strictly(struct orr_world *w, const struct keys *k,
                              struct orr_report *why)
{
    struct orr_net_config *c = &w->draft->config;
    if (c->schedule->by_arrival)
        c->schedule = orr__schedule_by_class();
    if (!c->schedule->by_class)
        return orr__yaml_fail(w->config, w->scheduler->at, why,
                              "schedule: crux gives priorities, and the "
                              "scheduler of queues is %s",
                              c->schedule->name);
    c->strict = true;
    if (c->classes < (uint32_t)k->classes)
        c->classes = (uint32_t)k->classes;
    c->planned_classes = (uint32_t)k->classes;
    return ORR_OK;
}

static orr_err serve(struct orr_world *w, struct orr_report *why)
{
    const struct keys *k = w->scheduler->params;
    const struct orr_net_config *c = w->net_config;
    if (k->paths && c->detours)
        return orr__yaml_fail(w->config, w->scheduler->at, why,
                              "schedule: crux chooses paths, which "
                              "network.routing %s does not allow",
                              orr__path_kinds()[c->path].name);
    return k->priorities ? serve_strictly(w, k, why) : ORR_OK;
}

/* What crux asks of a plan: paths, priorities and turns, each can be switched
 * off. */
static orr_err plan(struct orr_world *w, struct orr_report *why)
{
    const struct keys *k = w->scheduler->params;
    const struct orr_plan_request request = {
        .turns = k->turns,
        .paths = k->paths,
        .priorities = k->priorities,
        .classes = (uint32_t)k->classes,
        .orders = (uint32_t)k->orders,
    };
    return orr__planner_plan(w, &k->common, &request, why);
}

extern const struct orr_scheduler_ops orr__schedule_kind_crux;
const struct orr_scheduler_ops orr__schedule_kind_crux = {
    .name = "crux",
    .doc = "paths and classes in order of GPU intensity (SIGCOMM'24)",
    .params = params,
    .params_size = sizeof(struct keys),
    .gates = true,
    .paths = true,
    .replans = true,
    .serve = serve,
    .plan = plan,
    .json = orr__planner_json,
    .text = orr__planner_text,
    .remark = orr__planner_remark,
    .free = orr__planner_free,
};
