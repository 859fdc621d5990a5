/* `orrery plan`: a configuration's scheme, and of several placements the one
 * that is best. */
#ifndef ORR_STUDY_PLAN_PLAN_H
#define ORR_STUDY_PLAN_PLAN_H

#include "core/config/config.h"
#include "study/plan/question/question.h"
#include "study/plan/show.h"
#include "study/plan/verdict.h"

/* What `orrery plan` made; freed with orr__planned_fini. */
struct orr_planned {
    struct orr_config_file file; /* the configuration */
    orr_experiment *experiment;  /* of the placement chosen */
    struct orr_plan own;         /* where its schedule has made none */
    bool has_own;
    struct orr_verdict verdict; /* on the plan */
    bool asked; /* the configuration asks a question of its own: */
    struct orr_answer answer; /* all of the above is empty */
};

/* Answers the configuration's question; without one, plans and tries the plan
 * with packets where that is cheap. configured: orr__planned_config will be
 * asked for. *out is to be given to orr__planned_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__planned_make(const char *config,
                                           const struct orr_options *o,
                                           bool configured,
                                           struct orr_planned *out,
                                           struct orr_report *why);
/* NULL: it was a question. */
const struct orr_plan *orr__planned_plan(const struct orr_planned *p);
/* The plan with its verdict, or the answer: for programs, and for people; free
 * with orr__free. NULL: no memory. */
char *orr__planned_json(const struct orr_planned *p);
char *orr__planned_text(const struct orr_planned *p);
/* The configuration with the plan filled in, as YAML; free with orr__free. NULL
 * when that failed, which *why tells. */
char *orr__planned_config(const struct orr_planned *p,
                          const struct orr_options *o, struct orr_report *why);
void orr__planned_fini(struct orr_planned *p);

#endif
