/* The options with which a caller loads an experiment. */
#ifndef ORR_EXPERIMENT_OPTIONS_H
#define ORR_EXPERIMENT_OPTIONS_H

#include "core/error.h"
#include "orrery/orrery.h"

/* Lists that the caller says are there are there; else ORR_ECALL. */
ORR_CHECK_RESULT orr_err orr__check_options(const struct orr_options *o,
                                            struct orr_report *why);

#endif
