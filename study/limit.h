/* What bounds each collective of a job: its algorithm's lower bound, and the
 * link that held it up. */
#ifndef ORR_WORKLOAD_LIMIT_H
#define ORR_WORKLOAD_LIMIT_H

#include "core/error.h"
#include "workload/rank/rank.h"
#include "workload/world.h"

#define ORR_NO_LINK UINT32_MAX

/* Of a call in one iteration. */
struct orr_limit {
    int64_t bound_ps; /* orr__bound_call */
    /* A link that the call's payload crosses: the one that was busy longest in
     * the call's time, with whatever traffic. Unless another one was busier by
     * a fiftieth: the one that takes longest to carry the payload that the
     * call sends over it; among equals the one that carried most over the
     * whole run, then the lowest. ORR_NO_LINK: nothing crosses a link,
     * there are too many pairs of ranks to look at, or the network is
     * analytical, where links hold nothing up. What may take several paths
     * counts on all of them, the same share on each next hop. */
    uint32_t link;
    int64_t link_ps; /* what the call's payload takes there */
    double busy;     /* share of the call's time that the link was busy, all
                        traffic, to the accuracy of a bin; NaN: not seen */
};

/* Of one run: what is looked at in its series has a limit, for all jobs
 * together. Needs world->net, after the run. *out is to be freed also when this
 * fails. */
struct orr_limits;
ORR_CHECK_RESULT orr_err orr__limits_new(const struct orr_world *w,
                                         struct orr_limits **out);
/* Turns to the calls of a team's program; those that are alike are looked at
 * once. */
ORR_CHECK_RESULT orr_err orr__limits_team(struct orr_limits *l,
                                          const struct orr_team *t);
void orr__limits_free(struct orr_limits *l);
struct orr_limit orr__limits_find(struct orr_limits *l, uint32_t call,
                                  int64_t start_ps, int64_t end_ps);

#endif
