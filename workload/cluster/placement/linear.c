/* linear: the free GPUs with the lowest numbers. */
#include "workload/cluster/placement/free_gpus.h"

static const struct orr_param params[] = {ORR_PARAM_END};

/* In order of number, so ranks are too. */
static orr_err choose(const struct orr_cluster *c, const void *given,
                      uint32_t job, uint32_t variant, uint32_t *gpu,
                      bool *found, struct orr_report *why)
{
    struct orr_free_gpus room;
    uint32_t n = c->job[job].is.gpus, got = 0;
    orr_err err =
        orr__free_gpus_init(&room, &c->inventory, n, gpu, NULL, 0, why);
    for (uint32_t i = 0; !err && got < n; i++)
        if (room.free[i])
            gpu[got++] = i;
    *found = !err;
    orr__free_gpus_fini(&room);
    return err;
}

extern const struct orr_cluster_placement_ops orr__cluster_placement_linear;
const struct orr_cluster_placement_ops orr__cluster_placement_linear = {
    .name = "linear",
    .doc = "the free GPUs with the lowest numbers",
    .params = params,
    .choose = choose,
};
