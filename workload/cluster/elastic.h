/* Jobs whose number of GPUs may change while they run: `gpus: {min, max, ...}`
 * of a template. */
#ifndef ORR_WORKLOAD_CLUSTER_ELASTIC_H
#define ORR_WORKLOAD_CLUSTER_ELASTIC_H

#include "workload/cluster/cluster.h"

extern const struct orr_param orr__elastic_params[];

/* Reads the map `gpus` of a template, t->node and t->body are known: t->size,
 * t->gpus and all that goes with them. */
ORR_CHECK_RESULT orr_err orr__elastic_read(struct orr_cluster *c,
                                           const struct orr_yaml *map,
                                           struct orr_template *t,
                                           struct orr_report *why);
/* Whether jobs of a template may have so many GPUs; any number if it is not
 * elastic. */
bool orr__elastic_allows(const struct orr_template *t, uint32_t gpus);
/* The largest size of at most `most` GPUs; 0: there is none. */
uint32_t orr__elastic_below(const struct orr_template *t, uint32_t most);
/* The next size above `gpus`; 0: there is none. */
uint32_t orr__elastic_above(const struct orr_template *t, uint32_t gpus);
/* The batch of a replica with so many GPUs; 0: what the template says. */
uint64_t orr__elastic_batch(const struct orr_template *t, uint32_t gpus);
/* How many of the job's iterations, which are those of `asked` GPUs, one with
 * `gpus` counts as. */
double orr__elastic_scale(const struct orr_template *t, uint32_t asked,
                          uint32_t gpus);

#endif
