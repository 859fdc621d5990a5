/* Inside of the experiment, beyond the public API in orrery.h. */
#ifndef ORR_WORKLOAD_EXPERIMENT_H
#define ORR_WORKLOAD_EXPERIMENT_H

#include "core/param.h"
#include "orrery/orrery.h"
#include "workload/world.h"

/* The outermost keys of a configuration, for help. */
const struct orr_param *orr__experiment_params(void);
/* What was built, for looking only; lives as long as the experiment. */
const struct orr_world *orr__experiment_world(const orr_experiment *x);

#endif
