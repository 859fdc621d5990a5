/* Jobs that have ranks on the same hosts: not refused, for they may be meant
 * to, but never kept quiet about. */
#ifndef ORR_WORKLOAD_JOB_TOGETHER_H
#define ORR_WORKLOAD_JOB_TOGETHER_H

#include "workload/job/job.h"

struct orr_together {
    uint32_t hosts; /* that ranks of several jobs are on */
    uint32_t host;  /* the first of these, and two of its jobs */
    uint32_t a, b;
};
ORR_CHECK_RESULT orr_err orr__jobs_together(const struct orr_world *w,
                                            struct orr_together *out,
                                            struct orr_report *why);
/* Refuses another job on a host of one that is `exclusive`. list: the jobs as
 * they are written. */
ORR_CHECK_RESULT orr_err orr__jobs_exclusive(struct orr_world *w,
                                             const struct orr_yaml *list,
                                             struct orr_report *why);
/* "first and second have ranks on host 0; so it is on 3 hosts"; "" if not. */
void orr__together_text(const struct orr_world *w,
                        const struct orr_together *t, char *buf, size_t size);

#endif
