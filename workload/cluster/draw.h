/* Numbers that are drawn for each job. */
#ifndef ORR_WORKLOAD_CLUSTER_DRAW_H
#define ORR_WORKLOAD_CLUSTER_DRAW_H

#include "core/random.h"
#include "workload/cluster/arrivals.h"

/* Reads `100`, `2h`, {lognormal: {mean, sd}}, {exponential: {mean}} or
 * {uniform: {min, max}}: numbers, or times in ns. what: their name in
 * messages. */
ORR_CHECK_RESULT orr_err orr__draw_read(struct orr_config *c,
                                        const struct orr_yaml *node, bool times,
                                        const char *what, struct orr_draw *out,
                                        struct orr_report *why);
/* A scalar that is a time of a cluster, ns. */
ORR_CHECK_RESULT orr_err orr__long_time_read(struct orr_config *c,
                                             const struct orr_yaml *node,
                                             const char *what, int64_t *ns,
                                             struct orr_report *why);
/* Drawn, and rounded to a whole number of 1 or more. */
int64_t orr__draw_integer(const struct orr_draw *d, struct orr_random *r);

extern const struct orr_param orr__lognormal_params[],
    orr__exponential_params[], orr__uniform_params[];

#endif
