/* A plan of stages as text for people, as JSON, and as a configuration that
 * runs it. */
#ifndef ORR_STUDY_PLAN_PIPEDREAM_SHOW_H
#define ORR_STUDY_PLAN_PIPEDREAM_SHOW_H

#include "study/plan/pipedream/partition.h"
#include "study/plan/question/question.h"

/* A question and its answer. Who made it owns all of it but what request points
 * to, the cuts beside it. */
struct orr_stage_plan {
    struct orr_model *model;
    struct orr_layer_costs costs;
    struct orr_cuts cuts;
    struct orr_partition_request request; /* of these cuts */
    struct orr_partition result;
    bool has_job; /* it is about a job of the document, at this place */
    size_t job;
};

/* Weights that a rank of a stage has at most: one for each minibatch that it
 * has begun and not ended, by the runtime's rule. */
uint32_t orr__stage_versions(const struct orr_partition *p, uint32_t stage);

/* To be freed with orr__free; NULL: no memory. */
char *orr__stage_plan_text(const struct orr_stage_plan *p);
char *orr__stage_plan_json(const struct orr_stage_plan *p);
/* The configuration that runs it, as YAML; to be freed with orr__free. Changes
 * the question's document. ECONFIG where a stage is no stretch of the model. */
ORR_CHECK_RESULT orr_err orr__stage_plan_config(const struct orr_stage_plan *p,
                                                const struct orr_question *q,
                                                char **out,
                                                struct orr_report *why);

#endif
