/* Whose model a question is about: a job's of the document, or one that the
 * question names itself. */
#ifndef ORR_STUDY_PLAN_MODEL_JOB_MODEL_H
#define ORR_STUDY_PLAN_MODEL_JOB_MODEL_H

#include "study/plan/question/question.h"
#include "workload/model/train.h"

/* What a question says of it; NULL, 0: nothing. */
struct orr_job_model_keys {
    const char *job;              /* a name */
    const struct orr_yaml *model; /* in place of a job */
    int64_t batch;                /* in place of the job's, or the model's */
};

/* What there is then. */
struct orr_job_model {
    bool has_job;                /* it is about a job of the document ... */
    size_t job;                  /* ... at this place */
    const struct orr_yaml *node; /* that job, or the question */
    struct orr_model *model;     /* owned */
    struct orr_layer_costs costs;
};

/* The model and its costs; `model` of the keys goes before any job. *out is to
 * be given to orr__job_model_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__job_model_read(const struct orr_question *q,
                                             const struct orr_job_model_keys *k,
                                             struct orr_job_model *out,
                                             struct orr_report *why);
void orr__job_model_fini(struct orr_job_model *m);

#endif
