/* The keys of a program's operations, as read from YAML. */
#ifndef ORR_WORKLOAD_PROGRAM_KEYS_H
#define ORR_WORKLOAD_PROGRAM_KEYS_H

#include "core/config/param.h"
#include "workload/program/program.h"

/* The map `compute`. */
struct orr_compute_keys {
    int64_t time, stream;          /* ps; number of the stream */
    const struct orr_yaml *jitter; /* NULL: the job's */
};

/* send, recv */
struct orr_message_keys {
    const char *from, *to; /* ranks as written: "3", or "+1" from the own one */
    uint64_t size;         /* bytes */
    int64_t tag;           /* what a receive waits for, beside who sent it */
};

enum { ORR_EACH_RUN, ORR_EACH_ITERATION };
/* When it is drawn anew which rank has which sizes. */
struct orr_draw_keys {
    int each;
    int64_t every; /* iterations */
};

/* Collectives, whatever their kind. */
struct orr_call_keys {
    uint64_t size;              /* bytes, as the kind of collective means it */
    uint64_t memory;            /* bit/s at which reductions go */
    const char *algorithm;      /* one of those that its kind has */
    int64_t chunks, concurrent; /* as in struct orr_call */
    int64_t delay;              /* ps: endpoint_delay */
    int64_t root;               /* rank; -1: none is given */
    struct orr_ints group;      /* ranks; empty: all */
    const struct orr_yaml *sizes; /* all-to-all; NULL: equal parts */
    struct orr_draw_keys draw;    /* of these */
};

#endif
