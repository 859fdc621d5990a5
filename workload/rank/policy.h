/* A program's own policy of streams: who waits where, who is next, and when an
 * operation counts as over. Ordinary programs have none: operations queue up by
 * priority, the first that is ready first, and each rank ends its own.
 *
 * It is asked about operations with a rule alone (orr_op.rule). All calls are
 * made by the thread of the rank's host. */
#ifndef ORR_WORKLOAD_RANK_POLICY_H
#define ORR_WORKLOAD_RANK_POLICY_H

#include "workload/rank/rank.h"

/* How a call went that has ended for a rank. */
struct orr_call_end {
    int64_t step_ps; /* when its last step began */
    uint32_t number; /* of calls that this rank began before it */
};

/* A policy; static. What it keeps is in team->policy. */
struct orr_policy {
    /* Makes team->policy, what it keeps; false: no memory. Before the ranks. */
    bool (*make)(struct orr_team *t);
    void (*free)(struct orr_team *t);
    /* Where among what waits for s the operation in `slot` goes: the link to be
     * set. What is there already stays in its order. */
    uint32_t *(*place)(struct orr_rank *r, struct orr_stream *s, uint32_t slot);
    /* An operation asks for its stream; one is over that had it. */
    void (*ask)(struct orr_rank *r, int64_t now, uint32_t op);
    void (*over)(struct orr_rank *r, int64_t now, uint32_t op);
    /* A collective has ended here: orr__rank_complete, now or later. */
    void (*ended)(struct orr_rank *r, int64_t now, uint32_t op,
                  const struct orr_call_end *end);
    /* Another rank has sent a message of a call, op, that this is not in. */
    void (*begun)(struct orr_rank *r, int64_t now, uint32_t op);
    /* A timer of kind ORR_LATER_POLICY. */
    void (*timer)(struct orr_rank *r, int64_t now, const struct orr_later *x);
};

#endif
