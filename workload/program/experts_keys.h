/* The keys of `dispatch` and `combine`. */
#ifndef ORR_WORKLOAD_PROGRAM_EXPERTS_KEYS_H
#define ORR_WORKLOAD_PROGRAM_EXPERTS_KEYS_H

#include "core/config/param.h"

extern const struct orr_param orr__dispatch_params[], orr__combine_params[];

#endif
