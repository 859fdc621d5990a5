/* /operations of a record: what ranks did, and when. */
#ifndef ORR_RECORD_OPERATIONS_H
#define ORR_RECORD_OPERATIONS_H

#include "record/record.h"
#include "workload/world.h"

enum orr_operations {                      /* record.operations */
                      ORR_OPERATIONS_AUTO, /* of as many ranks as fit into
                                              ORR_OPERATIONS_MOST */
                      ORR_OPERATIONS_ALL,
                      ORR_OPERATIONS_NONE,
};

/* Operations that `auto` keeps of all jobs together. */
#define ORR_OPERATIONS_MOST 20000u

/* Has the jobs note them; before orr__jobs_start. */
ORR_CHECK_RESULT orr_err orr__operations_ask(struct orr_world *w,
                                             enum orr_operations which,
                                             struct orr_report *why);
/* After the run. ENOMEM; failures of the file show in the record. */
ORR_CHECK_RESULT orr_err orr__operations_write(struct orr_record *r,
                                               const struct orr_world *w);

#endif
