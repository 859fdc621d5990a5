/* The groups of a record that say what ran and what came out. */
#ifndef ORR_RECORD_WRITE_H5_H
#define ORR_RECORD_WRITE_H5_H

#include "record/record.h"
#include "record/write_circles.h"
#include "workload/world.h"

/* Before the run: attributes, /config, /topology, and t as /circles; NULL: none
 * are there. Failures other than of memory show in the record. */
ORR_CHECK_RESULT orr_err orr__write_head(struct orr_record *r,
                                         const struct orr_world *w,
                                         const struct orr_circle_tables *t);
/* /doubt/line: what makes the figures doubtful, from a text of lines that end
 * with a line feed each; nothing of "" or NULL. ENOMEM alone fails. */
ORR_CHECK_RESULT orr_err orr__write_doubt(struct orr_record *r,
                                          const char *lines);
/* After it: the fingerprint, /jobs, /ranks, /iterations, /collectives and
 * /flows. */
ORR_CHECK_RESULT orr_err orr__write_tail(struct orr_record *r,
                                         const struct orr_world *w);

#endif
