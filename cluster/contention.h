/* Which jobs contended on which link, from when to when, and its cost: what is
 * known of links without following packets. Links and their loads are
 * those of orr_facts: by the ways that connections have by themselves. */
#ifndef ORR_CLUSTER_CONTENTION_H
#define ORR_CLUSTER_CONTENTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

struct orr_engine;

/* A job and another one of those that it shares links with, as long as it does
 * without a break. */
struct orr_contention_spell {
    uint32_t job, rival;
    uint32_t link;  /* of those that they share, the one where both are most */
    uint32_t links; /* that they shared at most */
    int64_t from_ns, to_ns; /* to_ns -1: they still do */
    double lost_ns; /* of the job's time: what its iterations took more than
                     * alone. Where it has several rivals, or links, each has a
                     * part as large as the chance that both are on the link at
                     * once if they do not know of one another: the product of
                     * the shares of the time that each would need it. Below 0:
                     * it was faster than alone. */
};

/* Of a link, in a bin of time. */
struct orr_link_bin {
    int64_t shared_ns; /* two jobs or more used it */
    uint64_t jobs_ns;  /* meanwhile: jobs, times that time */
    double asked_ns; /* meanwhile: the most that they ask of it together, share
                      * of its rate, times that time */
    double lost_ns;  /* GPU time that it cost jobs */
};
enum { ORR_LINK_BINS = 240 }; /* at most */

struct orr_contention_log;

/* NULL: no memory. */
struct orr_contention_log *orr__contention_log_new(const struct orr_engine *e);
void orr__contention_log_free(struct orr_contention_log *m); /* NULL is fine */
/* Jobs have come, gone, or others' pace is known: time up to now goes to what
 * was so. Call before stretches end. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__contention_log_note(struct orr_engine *e,
                                                  struct orr_report *why);
/* The run is over. */
ORR_CHECK_RESULT orr_err orr__contention_log_end(struct orr_engine *e,
                                                 struct orr_report *why);

/* All that there were, in the order in which they began. */
const struct orr_contention_spell *orr__contention_encounters(
    const struct orr_engine *e, uint32_t *n);
/* The bins of a link, *n of *width_ns from 0 on; NULL: no contention there. */
const struct orr_link_bin *orr__contention_log_bins(const struct orr_engine *e,
                                                    uint32_t link, uint32_t *n,
                                                    int64_t *width_ns);
/* When a bin ends, ns; INT64_MAX: it is the one in which the clock does. */
int64_t orr__contention_log_bin_end(uint32_t bin, int64_t width_ns);

#endif
