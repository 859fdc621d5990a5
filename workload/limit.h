/* What bounds each collective of a job: its algorithm's lower bound, and the
 * link that needs longest for its bytes. */
#ifndef ORR_WORKLOAD_LIMIT_H
#define ORR_WORKLOAD_LIMIT_H

#include "core/error.h"
#include "workload/rank.h"
#include "workload/world.h"

#define ORR_NO_LINK UINT32_MAX

struct orr_call_limit {
    int64_t bound_ps; /* orr__bound_call */
    /* The link that takes longest to carry the payload that the call sends
     * over it; among equals the one that carried most over the whole run, then
     * the lowest. ORR_NO_LINK: nothing crosses a link, or there are too many
     * pairs of ranks to look at. Packets that are sprayed count on one of
     * their paths. */
    uint32_t link;
    int64_t link_ps;
};
/* Per call of the team's program. Calls that are alike are looked at once. */
ORR_CHECK_RESULT orr_err orr__call_limits(const struct orr_world *w,
                                          const struct orr_team *t,
                                          struct orr_call_limit *out);

#endif
