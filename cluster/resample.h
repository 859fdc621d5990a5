/* Those who go through a cluster again, to find out how well its figures are
 * known: where a set of jobs does not stand as it did in the run itself, what
 * is known of similar ones stands for it; and paces are off by what may be
 * expected. The same for the same replication, whatever else is going on. */
#ifndef ORR_CLUSTER_RESAMPLE_H
#define ORR_CLUSTER_RESAMPLE_H

#include "cluster/engine.h"
#include "cluster/job_sets.h"
#include "cluster/known_sets.h"
#include "cluster/measure.h"
#include "cluster/memo.h"

/* Names of a set: of its ways and kinds. Phases of members are as before. */
ORR_CHECK_RESULT orr_err orr__resample_name(const struct orr_cluster *c,
                                            struct orr_member *const *member,
                                            uint32_t n, bool choosing,
                                            uint64_t salt,
                                            struct orr_known_set *s,
                                            struct orr_report *why);
/* Whether enough is known of those like it that it need not be simulated. */
bool orr__resample_enough(const struct orr_known_sets *seen,
                          const struct orr_known_set *s);
/* What is known of a set, or of one like it, into out, whose n outcomes hold
 * what its members do alone. */
ORR_CHECK_RESULT orr_err orr__resample_draw(const struct orr_engine *e,
                                            const struct orr_known_sets *seen,
                                            const struct orr_memo *memo,
                                            const struct orr_known_set *s,
                                            struct orr_member *const *member,
                                            struct orr_outcome *out,
                                            struct orr_report *why);
/* What is known of the phase of a job beyond the parts that it is counted in:
 * where in such a part it is, a share of it. */
double orr__resample_shift(const struct orr_engine *e, uint32_t job);

#endif
