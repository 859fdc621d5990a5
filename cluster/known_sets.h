/* Which sets of jobs a run has asked about, so that those who go through the
 * cluster again may draw from what is known of similar ones. */
#ifndef ORR_CLUSTER_KNOWN_SETS_H
#define ORR_CLUSTER_KNOWN_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

/* What two sets may have in common, the more alike first. */
enum orr_likeness {
    ORR_LIKE_PATHS, /* all but when its jobs begin */
    ORR_LIKE_KINDS, /* templates and sizes */
    ORR_LIKENESSES,
};

/* A member of a set that was simulated. */
struct orr_known_set_job {
    uint32_t template;  /* in the cluster's list */
    double baseline_ps; /* of an iteration */
};

/* A set; its key is that of the memo, which knows what came of it. Its name is
 * its own: the key has the text of the configuration in it as well, which may
 * say the same in other words. */
struct orr_known_set {
    uint64_t key, name;
    uint64_t like[ORR_LIKENESSES]; /* names, equal in sets that are alike */
    uint32_t first, n;             /* its members, among all */
};

struct orr_known_sets {          /* zeroed: nothing */
    struct orr_known_set *sight; /* owned, like `job` */
    uint32_t n, room;
    uint32_t own; /* of them, those of the run itself, once it is over */
    struct orr_known_set_job *job; /* of all sets, one after another */
    uint32_t jobs, jobs_room;      /* of `job` */
};

/* Zeroed, or filled in part, is fine. */
void orr__known_sets_fini(struct orr_known_sets *s);
/* Whether a set of this key is among them. */
bool orr__known_sets_has(const struct orr_known_sets *s, uint64_t key);
/* A set that is not there yet, but for `first`; job: its members. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__known_sets_add(
    struct orr_known_sets *s, const struct orr_known_set *sight,
    const struct orr_known_set_job *job, struct orr_report *why);
/* How many are like a set of that name. */
uint32_t orr__known_sets_like(const struct orr_known_sets *s,
                              enum orr_likeness how, uint64_t name);
/* One of them, by a share of 1 in which each has an equal part; NULL: there is
 * none. */
const struct orr_known_set *orr__known_sets_pick(const struct orr_known_sets *s,
                                                 enum orr_likeness how,
                                                 uint64_t name, double share);
/* The same of jobs of a template in any company: its number among all jobs;
 * *sight: where it is. UINT32_MAX: there is none. */
uint32_t orr__known_sets_pick_job(const struct orr_known_sets *s,
                                  uint32_t template, double share,
                                  const struct orr_known_set **sight);

#endif
