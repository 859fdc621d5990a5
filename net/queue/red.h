/* The line between two thresholds that RED marks by, for the kinds that do. */
#ifndef ORR_NET_QUEUE_RED_H
#define ORR_NET_QUEUE_RED_H

#include "net/queue/queue.h"

/* Thresholds in bytes, by rate; pmax from 0 to 1; weight from 0 to 1, 1: no
 * average. */
struct orr_red {
    struct orr_by_rate kmin, kmax; /* bytes; both ORR_AUTO_SIZE: in proportion
                                    * to the port's rate */
    struct orr_by_rate pmax;
    double weight;
};

/* Refuses thresholds that do not fit together. */
ORR_CHECK_RESULT orr_err orr__red_check(struct orr_config *c,
                                        const struct orr_yaml *at,
                                        const struct orr_red *r,
                                        struct orr_report *why);
void orr__red_limits(const struct orr_red *r, uint64_t rate_bps,
                     struct orr_queue_limits *out);
/* Is this packet one of those that the queue picks? */
bool orr__red_picks(const struct orr_red *r, const struct orr_queue_limits *l,
                    const struct orr_queue_case *q);

#endif
