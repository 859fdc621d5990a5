/* How much memory a run takes at most, from sizes alone: what it touches, and
 * what malloc takes beside it. */
#ifndef ORR_EXPERIMENT_FOOTPRINT_H
#define ORR_EXPERIMENT_FOOTPRINT_H

#include "workload/world.h"

enum { ORR_SENT_SIZES = 32 };

/* What is known of its traffic. */
struct orr_footprint {
    double flows;      /* that have a connection, each */
    double flows_open; /* of these, at once */
    double flows_sent; /* packets that those have not acknowledged, at most */
    double pairs_sent[ORR_SENT_SIZES]; /* pairs of a job's members, by 2^i
                                        * packets that one has not acknowledged
                                        */
    double path_sent; /* packets that one has room for on its path ... */
    double host_sent; /* ... and all of a host on its cables */
    bool crowded;     /* some link is to carry more than hosts can send */
    double slots;     /* of rings of packets on links */
    double links;     /* that are used */
};

/* Slots of a ring with room for so many packets: no ring has more. */
double orr__ring_slots(double packets);

/* before: what is resident; bytes. */
uint64_t orr__footprint(const struct orr_world *w, uint64_t before,
                        const struct orr_footprint *f);

#endif
