/* A cluster as an experiment runs it. */
#ifndef ORR_CLUSTER_MULTI_RUN_H
#define ORR_CLUSTER_MULTI_RUN_H

#include "experiment/multi_run.h"

extern const struct orr_multi_run_ops orr__cluster_multi_run;

#endif
