/* What a link, or a part of what it carries, did in a bin. */
#ifndef ORR_RECORD_CELL_H
#define ORR_RECORD_CELL_H

#include <stdint.h>

#include "record/link_columns.h"

/* A member for each column of /links; those of OVER_TIME are times (ps) or
 * integrals over them (byte * ps). */
struct orr_cell {
#define ORR_MEMBER(id, member, type, ...) type member;
    ORR_LINK_COLUMNS(ORR_MEMBER)
#undef ORR_MEMBER
    uint32_t link; /* or the number of a part: record/by_job.h */
};

#endif
