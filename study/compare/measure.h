/* Figures of a run by their paths in its JSON summary.
 *
 * A path is keys joined by dots. In a list, * stands for all of it, a number
 * for one member, a name for the member with that `name`, and a size for the
 * member whose `from` and `to` it lies between (flows.by_size.10KB). Several
 * numbers become one by the word at the end (mean, p10, p50, p90, p95, p99,
 * min, max, sum; mean if there is none), which may also be a key of what is
 * there. */
#ifndef ORR_STUDY_COMPARE_MEASURE_H
#define ORR_STUDY_COMPARE_MEASURE_H

#include <stdbool.h>

#include <jansson.h>

#include "core/config/config.h"
#include "core/memory.h"

/* The member of the summary's `cut` for a list that the path goes through and
 * that ends early; NULL: all are there. *all: the path is of all members. */
const json_t *orr__measure_cut(const json_t *summary, const char *path,
                               bool *all);
/* NaN: the summary has no such number, or not all that the path is of. ENOMEM
 * alone fails. */
ORR_CHECK_RESULT orr_err orr__measure_value(const json_t *summary,
                                            const char *path, double *value);
/* By the names of its keys. */
const char *orr__measure_unit(const char *path);
/* Half of the 95 % interval that a run itself gives for a figure, where that
 * stands: of a cluster's, in its unit (docs/clusters.md, `intervals`); of
 * iterations that were sampled, as a share of their mean (docs/model.md). */
struct orr_measure_own {
    const char *path; /* NULL: no run gives any */
    bool share;       /* of the figure; else in its unit */
};
/* ENOMEM alone fails. */
ORR_CHECK_RESULT orr_err orr__measure_own(struct orr_arena *arena,
                                          const char *path,
                                          struct orr_measure_own *own);
/* Against the summary of a small run of all kinds: ECONFIG for what is near a
 * key that there is, but is none, and for what leads nowhere at the outermost
 * level. at: where each stands. */
ORR_CHECK_RESULT orr_err orr__measure_check(struct orr_config *c,
                                            const char *const *path,
                                            const struct orr_yaml *const *at,
                                            uint32_t n, struct orr_report *why);

#endif
