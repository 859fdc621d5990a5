/* What is said of jobs that serve requests. */
#ifndef ORR_EXPERIMENT_SERVING_H
#define ORR_EXPERIMENT_SERVING_H

#include "core/json.h"
#include "core/text.h"
#include "workload/job/job.h"

/* Nothing of a job that serves none. ENOMEM. */
ORR_CHECK_RESULT orr_err orr__serving_json(struct orr_json *j,
                                           const struct orr_job *job);
/* Lines with values from column `label` on. */
ORR_CHECK_RESULT orr_err orr__serving_text(struct orr_text *t,
                                           const struct orr_job *job,
                                           unsigned label);

#endif
