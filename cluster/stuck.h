/* Jobs that wait although nothing is left to happen that would make room. */
#ifndef ORR_CLUSTER_STUCK_H
#define ORR_CLUSTER_STUCK_H

#include "cluster/engine.h"

/* Nobody runs, and nothing will happen any more: those that wait are given up.
 * ERUN, which says who they are and why, unless the engine goes through a
 * cluster again or reckons what it would cost. */
ORR_CHECK_RESULT orr_err orr__stuck_give_up(struct orr_engine *e,
                                            struct orr_report *why);
/* Whether a job was given up so. */
bool orr__is_stuck(const struct orr_cluster_job *j);
/* Why there is no room for it, for people: "its GPU 3 is out". */
enum { ORR_STUCK_TEXT = 120 };
void orr__stuck_text(const struct orr_engine *e, uint32_t job,
                     char buf[ORR_STUCK_TEXT]);

#endif
