/* The family of placements on a cluster: which of the free GPUs a job gets,
 * `cluster.placement`. One member a file, one line in list.h. */
#ifndef ORR_WORKLOAD_CLUSTER_PLACEMENT_PLACEMENT_H
#define ORR_WORKLOAD_CLUSTER_PLACEMENT_PLACEMENT_H

#include "workload/cluster/cluster.h"

/* A member of the family. */
struct orr_cluster_placement_ops {
    const char *name, *doc;
    const struct orr_param *params; /* beside kind; may be an empty table */
    size_t params_size;
    /* Chooses c->job[job].is.gpus different GPUs, by rank, of those that
     * orr__gpu_free says are free; there are as many. *found false: it wants to
     * wait for better ones. variant 0 is the choice; 1, 2, ... are others that
     * it might have made, for those that choose among candidates (with the
     * same result where there are no more). Depends on the arguments, the seed
     * and the parameters alone. */
    orr_err (*choose)(const struct orr_cluster *c, const void *params,
                      uint32_t job, uint32_t variant, uint32_t *gpu,
                      bool *found, struct orr_report *why);
    /* Whether variants are to be scored by the schedule's circles, and how
     * many. NULL: variant 0 is taken. */
    uint32_t (*candidates)(const void *params);
};

/* The members in the order of list.h; NULL ends. The first is the default. */
const struct orr_cluster_placement_ops *const *orr__cluster_placements(void);
/* Reads a placement (a name or a map with kind; NULL: `fallback`) into
 * c->placement and its parameters; what: its path, for messages. */
ORR_CHECK_RESULT orr_err orr__cluster_placement_read(
    struct orr_cluster *c, const struct orr_yaml *node, const char *what,
    const char *fallback, struct orr_report *why);
/* Fills the inventory of a graph; fini frees it. */
ORR_CHECK_RESULT orr_err orr__inventory_init(struct orr_inventory *v,
                                             const struct orr_graph *g,
                                             uint32_t share,
                                             struct orr_report *why);
void orr__inventory_fini(struct orr_inventory *v);

#endif
