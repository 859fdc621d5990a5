/* Traces of PyTorch's profiler (Kineto): what one rank's GPU did in one step,
 * as a chain of computations and the collectives beside it.
 *
 * A collective begins when the computation before it is over. A computation
 * waits for a collective where the GPU was idle until that one ended; other
 * gaps are times of the CPU, and stay a part of the computation. */
#ifndef ORR_FORMATS_KINETO_TRACE_H
#define ORR_FORMATS_KINETO_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"

enum { ORR_KINETO_RANKS = 65536 };

/* A collective, or a computation. */
struct orr_kineto_op {
    const char *kind;     /* "all-reduce"; NULL: a computation */
    uint64_t bytes;       /* of a collective, as its `size` means it */
    const uint32_t *rank; /* its group: the trace's; NULL: all ranks */
    uint32_t ranks;       /* of these */
    double ns;            /* of a computation; measured, of a collective */
    uint32_t *wait;       /* operations that have to end before, beside the
                           * computation before; the trace's */
    uint32_t waits;
    bool main; /* it waits for the computation before it */
};

/* One rank's step; zeroed: nothing. */
struct orr_kineto {
    struct orr_arena arena;
    const char *file;
    uint32_t rank, world; /* world 0: not said */
    struct orr_kineto_op *op;
    uint32_t n, room;
    double step_ns; /* from its first event to its last */
};

/* Reads a file; notes say which step was taken. To be given to
 * orr__kineto_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__kineto_read(struct orr_kineto *k,
                                          const char *name, const char *text,
                                          size_t length, struct orr_text *notes,
                                          struct orr_report *why);
void orr__kineto_fini(struct orr_kineto *k);

#endif
