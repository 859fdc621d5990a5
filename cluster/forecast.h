/* What a cluster would take to be run: it is gone through as a run does, by the
 * same events, queues and placements, and where that would move packets it is
 * reckoned what they would cost. */
#ifndef ORR_CLUSTER_FORECAST_H
#define ORR_CLUSTER_FORECAST_H

#include "cluster/engine.h"
#include "orrery/orrery.h"

/* e is another of the same configuration, which need not have run. out: its
 * seconds and packet_hops are set; both 0: that cannot be known. *cut: it was
 * interrupted, and they are reckoned for all from what was gone through. What
 * earlier runs have left in the cache is not counted on. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__cluster_forecast(const struct orr_engine *e,
                                               struct orr_estimate *out,
                                               bool *cut,
                                               struct orr_report *why);

#endif
