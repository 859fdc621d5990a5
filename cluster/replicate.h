/* How well the figures of a cluster are known: it is gone through again. */
#ifndef ORR_CLUSTER_REPLICATE_H
#define ORR_CLUSTER_REPLICATE_H

#include "cluster/engine.h"

/* e has run to its end, with sets of jobs that were sampled; sets its
 * intervals, with as many replications as it is told to. Without sets in which
 * jobs meet nothing is uncertain, and none is made. ENOMEM, EINTERRUPTED. */
ORR_CHECK_RESULT orr_err orr__replicate(struct orr_engine *e,
                                        const struct orr_engine_user *u,
                                        struct orr_report *why);

#endif
