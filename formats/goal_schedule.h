/* Schedules in GOAL's text format, which LogGOPSim and ATLAHS run: for each
 * rank its computations, messages and what waits for what (Hoefler, Schneider,
 * Lumsdaine: LogGOPSim, 2010).
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 100 cpu 0          nanoseconds, on one of the rank's cores
 *     l2: send 10b to 1 tag 5     bytes
 *     l2 requires l1              begins when l1 is over; irequires: begins
 *     }                           when it has begun
 *
 * A statement is a line; comments are as in C++. Names are a rank's own, and
 * stand above what refers to them. */
#ifndef ORR_FORMATS_GOAL_SCHEDULE_H
#define ORR_FORMATS_GOAL_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

enum { ORR_GOAL_RANKS = 1 << 20, ORR_GOAL_CORES = 256 };

enum orr_goal_kind { ORR_GOAL_CALC, ORR_GOAL_SEND, ORR_GOAL_RECV };

/* A line of a rank. */
struct orr_goal_op {
    uint64_t amount; /* ns of a calc, else bytes */
    uint32_t peer, tag;
    int line;
    uint8_t kind, core;
};

/* Operation `after` waits for `before`, both numbers among all; start: until
 * that has begun, not until it is over. */
struct orr_goal_wait {
    uint32_t after, before;
    bool start;
};

/* Arrays are owned. */
struct orr_goal {
    char *file; /* what messages call it */
    uint32_t ranks;
    struct orr_goal_op *op;
    struct orr_goal_wait *wait;
    /* per rank: its operations, and which of the waits are its own; those of a
     * rank stand together */
    struct orr_goal_part {
        uint32_t op, ops, wait, waits;
        int line; /* 0: the file does not name the rank */
    } * part;
    uint32_t ops, waits, op_room, wait_room;
    bool nics; /* it says which NIC a message is to take */
};

/* Reads `length` bytes of a file of that name. ECONFIG at what is wrong. *out
 * is to be freed however this ends. */
ORR_CHECK_RESULT orr_err orr__goal_read(const char *file, const char *text,
                                        size_t length, struct orr_goal *out,
                                        struct orr_report *why);
void orr__goal_free(struct orr_goal *g);

#endif
