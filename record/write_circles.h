/* The circles of a plan: what jobs ask of the links on which they meet, and by
 * how much each was turned. */
#ifndef ORR_RECORD_WRITE_CIRCLES_H
#define ORR_RECORD_WRITE_CIRCLES_H

#include "record/record.h"
#include "workload/world.h"

/* /circles, if the schedule has made a plan with links that jobs take turns
 * on, else nothing; ENOMEM. Failures of the file show in the record. */
ORR_CHECK_RESULT orr_err orr__circles_write(struct orr_record *r,
                                            const struct orr_world *w);

#endif
