/* Operations that wait for later iterations may wait for themselves, over
 * iterations. */
#ifndef ORR_WORKLOAD_PROGRAM_CIRCLE_H
#define ORR_WORKLOAD_PROGRAM_CIRCLE_H

#include "workload/program/program.h"

/* Whether an operation of a finished program waits for itself in the same or a
 * later iteration, when so many iterations may be open at once (0: any number).
 * *crossing: of p->crossing, one on the circle that waits for a later
 * iteration; ORR_NONE: there is no circle. Fails without memory. */
ORR_CHECK_RESULT orr_err orr__program_circle(const struct orr_program *p,
                                             uint32_t overlap,
                                             uint32_t *crossing,
                                             struct orr_report *why);
/* Fails at `overlap` of a job, or else at the job, if so many open iterations
 * are too few for an operation that waits for a later one. */
ORR_CHECK_RESULT orr_err orr__program_check_open(struct orr_config *c,
                                                 const struct orr_yaml *job,
                                                 const struct orr_program *p,
                                                 uint32_t overlap,
                                                 struct orr_report *why);

#endif
