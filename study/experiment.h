/* Inside of the experiment, beyond the public API in orrery.h. */
#ifndef ORR_STUDY_EXPERIMENT_H
#define ORR_STUDY_EXPERIMENT_H

#include "core/config/param.h"
#include "orrery/orrery.h"
#include "workload/world.h"

/* The outermost keys of a configuration, for help. */
const struct orr_param *orr__experiment_params(void);
/* As orr_experiment_load, from a text; `name` stands for its file. */
ORR_CHECK_RESULT orr_err
orr__experiment_load_text(const char *name, const char *text,
                          const struct orr_options *options,
                          orr_experiment **out, struct orr_report *why);
/* What was built, for looking only; lives as long as the experiment. */
const struct orr_world *orr__experiment_world(const orr_experiment *x);

#endif
