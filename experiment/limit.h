/* What bounds each collective of a job: its algorithm's lower bound, and the
 * link that held it up. */
#ifndef ORR_EXPERIMENT_LIMIT_H
#define ORR_EXPERIMENT_LIMIT_H

#include "core/error.h"
#include "core/none.h"
#include "workload/rank/rank.h"
#include "workload/world.h"

/* Of a call in one iteration. */
struct orr_limit {
    int64_t bound_ps; /* orr__bound_call, or orr__bound_cut: the larger */
    /* A link that the call's payload crosses: the one that was busy longest in
     * the call's time, with whatever traffic. Unless another one was busier by
     * a fiftieth: the one that takes longest to carry the payload that the
     * call sends over it; among equals the one that carried most over the
     * whole run, then the lowest. ORR_NONE: nothing crosses a link,
     * there are too many pairs of ranks to look at, or the network is
     * analytical, where links hold nothing up. What may take several paths
     * counts on all of them, the same share on each next hop. */
    uint32_t link;
    int64_t link_ps; /* what the call's payload takes there */
    double busy;     /* share of the call's time that the link was busy, all
                        traffic, to the accuracy of a bin; NaN: not seen */
};

/* Whether orr__limits_close will look for links that held collectives up, for
 * which world->watch.busy_time has to know how busy they were. */
bool orr__limits_wanted(const struct orr_world *w);
/* After the run and orr__jobs_close: what held up each collective that is
 * recorded. What is looked at in the series has a limit, for all jobs together.
 */
ORR_CHECK_RESULT orr_err orr__limits_close(struct orr_world *w,
                                           struct orr_report *why);

#endif
