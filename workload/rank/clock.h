/* What a rank's operations take their time from. There is one interpreter of
 * programs (rank.c): it knows operations, dependencies, streams, gates and
 * iterations, and asks the clock of its team to begin operations and to tell
 * when something is due. Two clocks exist: packets (packets.c), and formulas
 * (workload/schedule/formulas.c). */
#ifndef ORR_WORKLOAD_RANK_CLOCK_H
#define ORR_WORKLOAD_RANK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/program/kinds.h"

struct orr_rank;
struct orr_later;

/* Begins an operation, which orr__rank_complete ends, now or later. */
typedef void orr_start_fn(struct orr_rank *r, int64_t now, uint32_t op);

/* A clock; static. */
struct orr_clock {
    /* By kind. NULL: such an operation is over as soon as it begins; it is then
     * no part of what the rank communicates. */
    orr_start_fn *start[ORR_OP_KINDS];
    /* orr__rank_due is to be called with the slot, at `at`. */
    void (*timer)(struct orr_rank *r, int64_t at, uint32_t slot);
    /* How long a thing keeps its stream busy that begins now, ps. */
    int64_t (*duration)(struct orr_rank *r, const struct orr_later *x);
    /* An iteration begins on a rank. NULL: not wanted. */
    void (*begun)(struct orr_rank *r, uint32_t iteration);
    /* An operation is complete. NULL: not wanted. */
    void (*completed)(struct orr_rank *r, int64_t now, uint32_t op);
    /* The run is to stop: memory is out, or (full) slots are. */
    void (*fail)(struct orr_rank *r, bool full);
    /* Operations that hold streams do so; else computations alone. */
    bool turns;
};

/* Those that every clock has. */
orr_start_fn orr__rank_compute, orr__rank_receive;

extern const struct orr_clock orr__packet_clock;

#endif
