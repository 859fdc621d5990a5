/* random: any free GPUs, and ranks in the order in which they were drawn; or
 * any servers with free GPUs, whose GPUs stay together. */
#include "workload/cluster/placement/free_gpus.h"

enum unit { BY_GPU, BY_SERVER };

/* As configured; seed -1: the run's; unit: GPUs or servers. */
struct params {
    int64_t seed;
    int unit;
};

static const struct orr_param params[] = {
    {"seed", ORR_PARAM_INT, offsetof(struct params, seed), "-1", "-1", NULL,
     NULL, "names the draws, each job's its own; -1: the experiment's seed"},
    {.key = "unit",
     .type = ORR_PARAM_CHOICE,
     .fallback = "gpu",
     .offset = offsetof(struct params, unit),
     .help = "unit of the draw: GPUs, or servers with all of their free GPUs",
     .choices = (const char *const[]){"gpu", "server", NULL}},
    ORR_PARAM_END,
};

/* Depends on seed, job and variant, not on earlier choices. */
static orr_err choose(const struct orr_cluster *c, const void *given,
                      uint32_t job, uint32_t variant, uint32_t *gpu,
                      bool *found, struct orr_report *why)
{
    const struct params *p = given;
    struct orr_random r;
    struct orr_free_gpus room;
    uint32_t n = c->job[job].is.gpus;
    orr__cluster_placement_stream(c, job, p->seed, variant, &r);
    orr_err err =
        orr__free_gpus_init(&room, &c->inventory, n, gpu, NULL, 0, why);
    if (!err && p->unit == BY_SERVER)
        err = orr__free_gpus_draw_servers(&room, n, &r, why);
    else if (!err)
        err = orr__free_gpus_draw(&room, n, &r, why);
    *found = !err;
    orr__free_gpus_fini(&room);
    return err;
}

extern const struct orr_cluster_placement_ops orr__cluster_placement_random;
const struct orr_cluster_placement_ops orr__cluster_placement_random = {
    .name = "random",
    .doc = "any free GPUs, drawn for each job",
    .params = params,
    .params_size = sizeof(struct params),
    .choose = choose,
};
