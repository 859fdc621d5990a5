/* How much memory a run takes at most, from sizes alone: what it touches, and
 * what malloc takes beside it. */
#ifndef ORR_EXPERIMENT_FOOTPRINT_H
#define ORR_EXPERIMENT_FOOTPRINT_H

#include "workload/world.h"

/* What is known of its traffic. */
struct orr_footprint {
    double flows;      /* that have a connection, each */
    double flows_open; /* of these, at once */
    double flows_sent; /* packets that those have not acknowledged, at most */
    double pair_sent;  /* the same of a pair of a job's members, in the mean ...
                        */
    double host_sent;  /* ... and of all pairs of a host */
    double slots;      /* of rings of packets on links */
    double links;      /* that are used */
};

/* before: what is resident; bytes. */
uint64_t orr__footprint(const struct orr_world *w, uint64_t before,
                        const struct orr_footprint *f);

#endif
