/* Which running jobs share links, and what makes two such sets the same. */
#ifndef ORR_CLUSTER_JOB_SETS_H
#define ORR_CLUSTER_JOB_SETS_H

#include "cluster/facts.h"
#include "workload/cluster/cluster.h"

/* A job among others. */
struct orr_member {
    uint32_t job;                  /* in: its number, for the caller */
    const struct orr_facts *facts; /* in: what it asks of links */
    uint32_t set;         /* out: from 0 on; those of one number share links */
    uint32_t rival, link; /* out: of the links that it shares, the one that the
                           * two of them ask most of, and who the other is;
                           * UINT32_MAX: it shares none */
    uint32_t phase;       /* in: of its iteration, in `phases` */
    uint32_t class; /* in: that a schedule gave it; those of a set are compared,
                     * nothing else */
};

/* Parts members into sets. A job whose class goes behind others' shares a link
 * with them also where it asks for next to nothing: its ACKs wait there. Where
 * jobs choose their ways (`choosing`), those that have a choice may meet
 * anywhere. Returns the number of sets by *sets. */
ORR_CHECK_RESULT orr_err orr__job_sets_split(const struct orr_graph *g,
                                             struct orr_member *m, uint32_t n,
                                             bool choosing, uint32_t *sets,
                                             struct orr_report *why);
/* Names a set (member: its members, in an order that is theirs): templates,
 * sizes, phases, and ways but for the names of their links, with the rates and
 * delays of these. salt: all else that matters. */
ORR_CHECK_RESULT orr_err orr__job_sets_key(
    const struct orr_cluster *c, const struct orr_member *const *member,
    uint32_t n, bool choosing, uint64_t salt, uint64_t *key,
    struct orr_report *why);

#endif
