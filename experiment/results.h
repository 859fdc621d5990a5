/* Results: the JSON summary and the text for people, from a world that ran. */
#ifndef ORR_EXPERIMENT_RESULTS_H
#define ORR_EXPERIMENT_RESULTS_H

#include "workload/world.h"

/* Free with orr__free; NULL when out of memory. whole: as of orr__list_paths,
 * or NULL. */
char *orr__results_json(const struct orr_world *w, const char *const *whole);
char *orr__results_summary(const struct orr_world *w);

#endif
