/* The records that NCCL's Inspector plug-in writes: JSON objects, one after
 * another, each a collective as one rank saw it. */
#ifndef ORR_FORMATS_NCCL_INSPECTOR_RECORDS_H
#define ORR_FORMATS_NCCL_INSPECTOR_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/memory.h"

/* A collective, as all its ranks saw it together. */
struct orr_inspector_call {
    const char *communicator; /* its id; texts are in the arena */
    const char *kind;         /* "all-reduce"; NULL: none that orrery has */
    const char *name;         /* "AllReduce" */
    const char *algorithm, *protocol; /* NULL: not said */
    uint64_t number;                  /* in its communicator */
    uint64_t bytes;   /* as `size` of a collective means it here */
    uint32_t ranks;   /* of the communicator */
    uint32_t seen;    /* ranks whose records are there */
    double time_ns;   /* of the slowest rank that is seen */
    double dumped_us; /* the first moment of a record; 0: not said */
    const char *file; /* the caller's name of it */
    int line;         /* of its first record */
};

/* Calls by communicator and number; zeroed: none. */
struct orr_inspector {
    struct orr_arena arena;
    struct orr_inspector_call *call;
    size_t n, room;
    uint64_t messages; /* records of single messages, passed over */
};

/* Adds the records of a text (with a NUL behind it); of several files, call
 * settle when all are there. */
ORR_CHECK_RESULT orr_err orr__inspector_add(struct orr_inspector *x,
                                            const char *name, const char *text,
                                            size_t length,
                                            struct orr_report *why);
/* Records of one call become one. ECONFIG: they contradict one another. */
ORR_CHECK_RESULT orr_err orr__inspector_settle(struct orr_inspector *x,
                                               struct orr_report *why);
void orr__inspector_fini(struct orr_inspector *x);

#endif
