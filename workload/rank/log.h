/* What a rank did, and when: beginnings and ends of its operations. Only the
 * thread of its host touches it while the job runs. */
#ifndef ORR_WORKLOAD_RANK_LOG_H
#define ORR_WORKLOAD_RANK_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define ORR_LOG_END 0x80000000u /* beside the operation: it is over */

/* A beginning or an end. */
struct orr_log_event {
    int64_t at_ps;      /* never before that of the one before it */
    uint32_t op;        /* of the program, all parts together */
    uint32_t iteration; /* of the rank */
};

struct orr_log {                 /* zeroed but for `most`: empty */
    struct orr_log_event *event; /* in order of time */
    uint32_t n, room;            /* of `event`, which is owned */
    uint32_t most;               /* events that it keeps; 0: none at all */
    uint64_t missed;             /* those that came later */
};

/* Notes an event; false: no memory, and nothing changed. */
bool orr__log_add(struct orr_log *l, int64_t now, uint32_t op,
                  uint32_t iteration);

/* One operation in one iteration. */
struct orr_log_span {
    int64_t start_ps, end_ps; /* end -1: not over */
    uint32_t op, iteration;
};

/* The spans of a log in order of their start; *spans is to be freed with
 * orr__free. An end whose beginning was not noted is left out. False: no
 * memory. */
bool orr__log_spans(const struct orr_log *l, struct orr_log_span **spans,
                    uint32_t *n);

#endif
