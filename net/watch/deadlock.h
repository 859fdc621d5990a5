/* Circles of paused ports (PFC). */
#ifndef ORR_NET_WATCH_DEADLOCK_H
#define ORR_NET_WATCH_DEADLOCK_H

#include "net/fabric/fabric.h"

/* Looks for deadlocks every now and then, and ends the run if one has lasted
 * from one look to the next (frames may be under way when it begins). */
ORR_CHECK_RESULT orr_err orr__pfc_watch(struct orr_net *n,
                                        struct orr_report *why);
/* ERUN, with an account, if ports wait for one another in a cycle, for ever;
 * between windows. */
ORR_CHECK_RESULT orr_err orr__pfc_deadlock(const struct orr_net *n,
                                           struct orr_report *why);

#endif
