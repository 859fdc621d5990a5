/* Calls that a rank is in, between call.c and channel.c. */
#ifndef ORR_WORKLOAD_RANK_RUN_H
#define ORR_WORKLOAD_RANK_RUN_H

#include "core/assert.h"
#include "workload/rank/rank.h"
#include "workload/rank/snapshot.h"

/* One call that a rank is in, on cache lines of its own: all that a step of its
 * only chunk needs is in the second. Chunks and how many there are: below
 * ORR_MAX_CHUNKS. */
struct orr_run {
    _Alignas(64) int64_t start_ps;
    uint32_t op, number;
    bool starting;           /* orr_run_go is at work: do not enter it again */
    struct orr_block *block; /* in the same memory; NULL: not in channels */

    _Alignas(64) struct orr_tally_call *record; /* in `iteration` */
    int64_t step_ps;                            /* for struct orr_call_end */
    uint32_t call, member;
    uint32_t steps : 31;         /* of its only lane; 0: it has several */
    uint32_t full : 1;           /* no message of its chunks is empty */
    uint32_t iteration;          /* that it is of */
    uint16_t next, active, done; /* chunks */
    uint16_t slots;
    struct orr_chunk {
        uint16_t index;
        bool active;
        uint32_t unsent; /* messages: not sent, or it waits for their leaving */
        uint32_t left;   /* lanes that are not over, or with rules->begin steps;
                            one more while they are being entered */
        int64_t left_at; /* when those have left that it does not wait for */
        int64_t start_ps;
        struct orr_pace pace;
    } chunk[];
};
_Static_assert(ORR_MAX_CHUNKS <= UINT16_MAX, "chunks of a run");
_Static_assert(offsetof(struct orr_run, chunk[0].start_ps) <= 128, "one line");

static inline uint32_t orr__run_slot(struct orr_run *const *run, uint32_t mask,
                                     uint32_t call)
{
    uint32_t i = call & mask; /* calls under way are mostly neighbours */
    while (run[i] && run[i]->call != call)
        i = (i + 1) & mask;
    return i;
}

static inline __attribute__((always_inline)) struct orr_run *orr__run_of(
    const struct orr_rank *r, uint32_t call)
{
    if (r->recent && r->recent->call == call)
        return r->recent;
    return r->run[orr__run_slot(r->run, r->run_mask, call)];
}

/* Into the table of calls under way, which is grown here. false: no memory, and
 * `run` is still the caller's. */
bool orr__run_remember(struct orr_rank *r, struct orr_run *run);
/* Frees a run. */
void orr__run_forget(struct orr_rank *r, uint32_t call);

/* channel.c: bytes that the blocks of a call take behind its run; they begin.
 */
size_t orr__channels_bytes(const struct orr_call *x);
void orr__channels_begin(struct orr_rank *r, int64_t now, struct orr_run *run);
/* A slice, or room for one, is there; a copy is over. */
void orr__channels_received(struct orr_rank *r, int64_t now, uint32_t call,
                            uint64_t tag);
void orr__channels_copied(struct orr_rank *r, int64_t now, struct orr_run *run,
                          uint64_t tag);
/* The state of a run, for snapshots. */
void orr__channels_snapshot(struct orr_run *run, const struct orr_call *x,
                            struct orr_snapshot *w);
/* call.c: blocks are over, so many. */
void orr__collect_blocks_over(struct orr_rank *r, int64_t now,
                              struct orr_run *run, uint32_t n);

#endif
