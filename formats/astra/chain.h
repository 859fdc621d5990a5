/* Operations of the chains of which ASTRA-sim's and SimAI's workloads are
 * made. */
#ifndef ORR_FORMATS_ASTRA_CHAIN_H
#define ORR_FORMATS_ASTRA_CHAIN_H

#include "workload/program/program.h"

/* Adds an operation that waits for `after` (ORR_NONE: for nothing); *id: its
 * number. */
ORR_CHECK_RESULT orr_err orr__chain_add(struct orr_program *p,
                                        const struct orr_op *op, uint32_t after,
                                        uint32_t *id, struct orr_report *why);
/* All ranks compute on a stream for so many ns. */
ORR_CHECK_RESULT orr_err orr__chain_compute(struct orr_program *p, double ns,
                                            uint32_t stream, uint32_t after,
                                            uint32_t *id,
                                            struct orr_report *why);

#endif
