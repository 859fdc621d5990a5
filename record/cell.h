/* What a link, or a part of what it carries, did in a bin. */
#ifndef ORR_RECORD_CELL_H
#define ORR_RECORD_CELL_H

#include <stdint.h>

struct orr_cell {
    uint64_t bytes;                /* on the wire */
    int64_t busy_ps;               /* time in which it was sending */
    double area;                   /* integral of the queue, byte * ps */
    uint64_t max_queue;            /* bytes */
    uint64_t marks, drops, pauses; /* ECN marks; packets lost; pause frames that
                                    * its sender obeyed */
    int64_t paused_ps;             /* in which that held something back */
    uint32_t link; /* or the number of a part: record/by_job.h */
};

#endif
