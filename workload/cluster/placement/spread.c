/* spread: over as many racks as possible, the emptiest first, and over as many
 * servers within each. */
#include "workload/cluster/placement/free_gpus.h"

static const struct orr_param params[] = {ORR_PARAM_END};

/* Never waits. */
static orr_err choose(const struct orr_cluster *c, const void *given,
                      uint32_t job, uint32_t variant, uint32_t *gpu,
                      bool *found, struct orr_report *why)
{
    struct orr_free_gpus room;
    uint32_t n = c->job[job].is.gpus;
    orr_err err =
        orr__free_gpus_init(&room, &c->inventory, n, gpu, NULL, 0, why);
    if (!err) {
        orr__free_gpus_apart(&room, n);
        orr__free_gpus_sort(&room);
        *found = true;
    }
    orr__free_gpus_fini(&room);
    return err;
}

extern const struct orr_cluster_placement_ops orr__cluster_placement_spread;
const struct orr_cluster_placement_ops orr__cluster_placement_spread = {
    .name = "spread",
    .doc = "over as many racks as possible, then over as many servers",
    .params = params,
    .choose = choose,
};
