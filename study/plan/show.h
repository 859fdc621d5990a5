/* A scheme as text for people, as JSON, as pictures of its circles, and as a
 * configuration that carries it out. */
#ifndef ORR_STUDY_PLAN_SHOW_H
#define ORR_STUDY_PLAN_SHOW_H

#include "core/error.h"
#include "study/plan/verdict.h"
#include "workload/schedule/plan.h"

/* Texts to be freed with orr__free; NULL: no memory. */
char *orr__plan_text(const struct orr_plan *s, const struct orr_verdict *v);
char *orr__plan_json(const struct orr_plan *s, const struct orr_verdict *v);
/* A tight link's circle before and after its jobs were turned: demands one upon
 * another, the capacity, and what exceeds it. */
char *orr__plan_svg(const struct orr_plan *s, uint32_t circle);
/* Into `folder`, which is made: link-ID.svg for each tight link. */
ORR_CHECK_RESULT orr_err orr__plan_pictures(const struct orr_plan *s,
                                            const char *folder,
                                            struct orr_report *why);
/* Sets in a configuration what the scheme decided: gates, paths and classes of
 * jobs, and no schedule. c is one that was just read, and not understood yet.
 */
ORR_CHECK_RESULT orr_err orr__plan_fill(const struct orr_plan *s,
                                        struct orr_config *c,
                                        struct orr_report *why);

/* "exact", "exact on the grid", "searched". */
const char *orr__plan_proof(enum orr_rotation_proof p);

#endif
