/* Placements that `schedule.candidates` has had compared: what came of each.
 * They belong to the configuration that the chosen one was put into. */
#ifndef ORR_WORKLOAD_SCHEDULE_CANDIDATES_H
#define ORR_WORKLOAD_SCHEDULE_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"

struct orr_json;

/* A placement and what it is worth. */
struct orr_candidate {
    const char *name;
    double score;             /* mean over its tight links */
    bool loop;                /* of its affinity graph */
    double fair_s, planned_s; /* sums of expected iterations over the jobs */
};

/* All of them; owned by the configuration. */
struct orr_candidates {
    struct orr_candidate *item;
    uint32_t n, chosen; /* chosen: one of the n */
};

/* Leaves them with the document; what they are made of lives as long. */
ORR_CHECK_RESULT orr_err orr__candidates_keep(struct orr_config *c,
                                              struct orr_candidates *what,
                                              struct orr_report *why);
/* NULL: none were asked for. */
const struct orr_candidates *orr__candidates_of(const struct orr_config *c);
/* A list of them into a map of the results. */
void orr__candidates_json(const struct orr_candidates *c, const char *key,
                          struct orr_json *j);

#endif
