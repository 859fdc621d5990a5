/* Results: the JSON summary and the text for people, from a world that ran. */
#ifndef ORR_EXPERIMENT_RESULTS_H
#define ORR_EXPERIMENT_RESULTS_H

#include "core/json.h"
#include "workload/world.h"

/* Free with orr__free; NULL when out of memory. whole: as of orr__list_paths,
 * or NULL. */
char *orr__results_json(const struct orr_world *w, const char *const *whole);
/* The members of that which doubt is taken from (experiment/doubt.h), and no
 * others: jobs and flows may be many. */
char *orr__results_doubt_json(const struct orr_world *w);
char *orr__results_summary(const struct orr_world *w);

/* The first and the last members of a summary's head, of a run or of a cluster:
 * what was run, up to `partial`; where records are, and the topology. */
void orr__results_head(struct orr_json *j, const struct orr_world *w,
                       uint64_t fingerprint, bool partial);
void orr__results_place(struct orr_json *j, const struct orr_world *w);

#endif
