/* What a run by packets rests on, for its summary. */
#ifndef ORR_CLUSTER_PACKET_TALLY_H
#define ORR_CLUSTER_PACKET_TALLY_H

#include "cluster/engine.h"
#include "cluster/memo.h"
#include "cluster/tasks.h"

/* Constellations by their keys; zeroed: none. */
struct orr_packet_tally {
    struct orr_table known; /* those that counted once already */
};

/* One that was simulated. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__tally_task(struct orr_packet_tally *t,
                                         struct orr_engine *e,
                                         const struct orr_task *task,
                                         struct orr_report *why);
/* One of n jobs that the memo has, from this run or from one before. How well
 * it is known counts once, whoever simulated it, so that a run that was killed
 * says in the end what one says that was not. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__tally_known(struct orr_packet_tally *t,
                                          struct orr_engine *e,
                                          const struct orr_memo *memo,
                                          uint64_t key, uint32_t n,
                                          struct orr_report *why);
void orr__tally_fini(struct orr_packet_tally *t);

#endif
