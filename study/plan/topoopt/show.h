/* What was designed, as text for people, as JSON, and as a configuration that
 * runs it. */
#ifndef ORR_STUDY_PLAN_TOPOOPT_SHOW_H
#define ORR_STUDY_PLAN_TOPOOPT_SHOW_H

#include "study/plan/model/job_model.h"
#include "study/plan/topoopt/search.h"

/* A question and its answer; what it points to is its maker's. */
struct orr_design_plan {
    struct orr_job_model of;
    struct orr_design design;
    struct orr_search search;
    uint64_t budget, seed;
    /* per division that was found, ps: with packets; 0: not tried */
    double packets_ps[ORR_DESIGN_CHAINS];
    uint32_t chosen; /* of those that were found */
    double hops;     /* packet-hops that trying one takes; 0: unknown */
};

/* To be freed with orr__free; NULL: no memory. */
char *orr__design_text(const struct orr_design_plan *p);
char *orr__design_json(const struct orr_design_plan *p);
/* The program of a division, as YAML on one line. */
void orr__design_program(const struct orr_design *d,
                         const struct orr_designed *x, struct orr_text *t);
/* The configuration that runs a division that was found, as YAML; to be freed
 * with orr__free. Changes no document of the question's. */
ORR_CHECK_RESULT orr_err orr__design_config(const struct orr_design_plan *p,
                                            const struct orr_question *q,
                                            uint32_t which, char **out,
                                            struct orr_report *why);

#endif
