/* How long every link was busy, over the time of a run: what limits of
 * collectives are seen by. Kept in memory whatever is recorded, in bins that
 * double in width so that there are never many. */
#ifndef ORR_RECORD_BUSY_TIME_H
#define ORR_RECORD_BUSY_TIME_H

#include "core/error.h"
#include "workload/world.h"

struct orr_busy_time;

/* Needs world->net, before the run: adds the control that closes the bins.
 * Until then, and if it is never called, world->watch.busy_time is NULL. */
ORR_CHECK_RESULT orr_err orr__busy_time_start(struct orr_world *w,
                                              struct orr_report *why);
/* After the run: closes the last bin at world->result.end_ps. */
ORR_CHECK_RESULT orr_err orr__busy_time_settle(struct orr_world *w,
                                               struct orr_report *why);
/* Busy time of links from one time to another: fn for each bin and link; of a
 * bin that lies partly within, a part. Returns how many times fn was called;
 * UINT64_MAX, and no call: nothing was kept. */
uint64_t orr__busy_time_between(
    const struct orr_world *w, int64_t from, int64_t to,
    void (*fn)(void *arg, uint32_t link, double busy_ps), void *arg);
void orr__busy_time_free(struct orr_world *w);

#endif
