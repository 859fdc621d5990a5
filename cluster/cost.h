/* What jobs cost to simulate, for a forecast. */
#ifndef ORR_CLUSTER_COST_H
#define ORR_CLUSTER_COST_H

#include "core/error.h"
#include "workload/world.h"

/* Of a job on its GPUs. */
struct orr_job_cost {
    double network_s;         /* CPU seconds to make its part of the network */
    double iteration_s, hops; /* of an iteration: CPU seconds, packet-hops */
};

/* What was gone through so far. */
struct orr_forecast {
    double seconds, hops;
    struct {
        double seconds; /* CPU: what all shares of links take to work out */
        double spent, latest; /* of those that were worked out, the latest */
    } fluid;
    struct {
        double seconds, hops;
    } sets;           /* of these, what sets of several jobs are */
    uint32_t places;  /* at which jobs were looked */
    uint32_t moments; /* at which something happened */
    double *done;     /* per job: iterations that are reckoned */
    double share;     /* of all that happens, how much was gone through */
    bool cut;         /* by whoever interrupted it */
    volatile int stop;
};

/* A job was looked at in its part of the network, w, whose one job it is, for
 * one iteration. */
ORR_CHECK_RESULT orr_err orr__forecast_job(struct orr_forecast *f,
                                           const struct orr_world *w,
                                           struct orr_job_cost *out,
                                           struct orr_report *why);
void orr__forecast_add(struct orr_forecast *f, const struct orr_job_cost *job,
                       double iterations);

#endif
