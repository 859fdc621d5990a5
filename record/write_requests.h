/* Requests that jobs serve, in a record. */
#ifndef ORR_RECORD_WRITE_REQUESTS_H
#define ORR_RECORD_WRITE_REQUESTS_H

#include "record/record.h"
#include "workload/world.h"

/* /requests, or nothing where no job serves any; ENOMEM. Failures of the file
 * show in the record. */
ORR_CHECK_RESULT orr_err orr__requests_write(struct orr_record *r,
                                             const struct orr_world *w);

#endif
