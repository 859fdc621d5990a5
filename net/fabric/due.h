/* Which links of a switch have something before the end of a window. */
#ifndef ORR_NET_FABRIC_DUE_H
#define ORR_NET_FABRIC_DUE_H

#include "net/fabric/fabric.h"

#define ORR_MERGE_LINKS                                                        \
    128u /* at most, where arrivals are merged (merge.h)                       \
          */

/* Links of one switch with something before the end of the window; rebuilt for
 * each window. */
struct orr_due {
    int64_t after; /* the earliest of the others */
    uint32_t count;
    uint8_t inlet[ORR_MERGE_LINKS]; /* their places among the arrivals */
};

/* A process of arrivals alone (merges). */
static inline __attribute__((always_inline)) void orr__due_find(
    struct orr_due *due, const struct orr_process *p, int64_t end)
{
    const int64_t *arrival = p->at + p->n_departs;
    int64_t after = ORR_NEVER;
    uint32_t count = 0;

#pragma GCC unroll 4
    for (uint32_t i = 0; i < p->n_arrives; i++) {
        int64_t at = arrival[i];

        if (at < end)
            due->inlet[count++] = (uint8_t)i;
        else
            after = at < after ? at : after;
    }
    due->after = after;
    due->count = count;
}

/* Where a packet that says one of these goes is not decided by the tables
 * alone, with no look at queues nor at what came before, and with no trace. */
#define ORR_PACKET_LATE (ORR_PACKET_ROUTED | ORR_PACKET_PAUSE)

#define ORR_SPARSE_LINKS 4u

/* orr__switch_run, where so few links have something (sparse.c). */
int64_t orr__sparse_run(struct orr_net *n, struct orr_lane *lane,
                        struct orr_process *p, const struct orr_due *due,
                        int64_t end);
/* The arrivals of orr__switch_catch_up, likewise. Returns the next one; if it
 * catches up no longer, when the last was. */
int64_t orr__sparse_catch_up(struct orr_net *n, struct orr_lane *lane,
                             struct orr_process *p, const struct orr_due *due,
                             int64_t end);

#endif
