/* Jobs that have ranks on the same hosts: not refused, for they may be meant
 * to, but never kept quiet about. */
#ifndef ORR_WORKLOAD_JOB_SHARED_HOSTS_H
#define ORR_WORKLOAD_JOB_SHARED_HOSTS_H

#include "workload/job/job.h"

/* Counted once the jobs have their hosts. */
struct orr_shared_hosts {
    uint32_t hosts; /* that ranks of several jobs are on */
    uint32_t host;  /* the first of these, and two of its jobs */
    uint32_t a, b;
};
ORR_CHECK_RESULT orr_err orr__jobs_share_hosts(const struct orr_world *w,
                                               struct orr_shared_hosts *out,
                                               struct orr_report *why);
/* Refuses another job on a host of one that is `exclusive`. list: the jobs as
 * they are written. */
ORR_CHECK_RESULT orr_err orr__jobs_have_own_hosts(struct orr_world *w,
                                                  const struct orr_yaml *list,
                                                  struct orr_report *why);
/* "first and second have ranks on host 0; so it is on 3 hosts"; "" if not. */
void orr__shared_hosts_text(const struct orr_world *w,
                            const struct orr_shared_hosts *t, char *buf,
                            size_t size);

#endif
