/* What one worker has seen of one job: sums and extremes that only its own
 * thread touches, merged after the run. All are integers, so the order in which
 * they are merged changes nothing. */
#ifndef ORR_WORKLOAD_RANK_TALLY_H
#define ORR_WORKLOAD_RANK_TALLY_H

#include <stdint.h>

#include "workload/job/job.h"

/* Collectives kept for the records of one job. */
#define ORR_COLLECTIVES_KEPT 100000u

/* Of one collective in one iteration. What many ranks, messages or chunks took
 * together may be more ps than 64 bits hold. */
struct orr_tally_call {
    int64_t start_ps, end_ps;    /* first in; last out */
    uint32_t in, out;            /* ranks that entered, that left */
    uint64_t sent, arrived;      /* messages */
    uint64_t bytes;              /* of those that were sent */
    uint64_t chunks;             /* over all ranks */
    __int128 message_ps;         /* when they arrived less when they were
                                    sent: once all have, what they took */
    __int128 chunk_ps, queue_ps; /* sums: start to end; call's start to
                                    chunk's start */
};

/* Owned by the team, one a worker. */
struct orr_tally {
    uint64_t bytes_sent; /* payload handed to the net */
    uint64_t stalest;    /* updates of others that one missed, at most */
    uint32_t finished;   /* ranks that ended their last iteration */
    int64_t finish_ps;   /* of the last of these */
    struct orr_iteration *iteration; /* per iteration: earliest, latest */
    uint32_t *iteration_out;         /* per iteration: ranks that ended it */
    struct orr_tally_call *call;     /* [iteration * calls + call], kept ones */
    struct orr_tally_call beyond;    /* where the others go */
    struct orr_connection_stats replayed; /* of calls that were replayed */
};

#endif
