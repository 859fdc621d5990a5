/* cassini: several placements, of which the one is taken whose jobs get along
 * best with those that run. What they are scored by is CASSINI's (Rajasekaran
 * et al., NSDI 2024): circles of links, up to ten candidates of the scheduler
 * of hosts. That scheduler is ours: variant 0 is packed, 1 rack-aware, 2
 * spread; then those of as few servers, and of as few racks, but drawn among
 * equals, and every third any GPUs. */
#include "workload/cluster/placement/free_gpus.h"

/* As configured; seed -1: the run's. */
struct params {
    int64_t candidates, seed;
};

static const struct orr_param params[] = {
    {"candidates", ORR_PARAM_INT, offsetof(struct params, candidates), "10",
     "1", "1000", NULL, "placements that are compared for each job"},
    {"seed", ORR_PARAM_INT, offsetof(struct params, seed), "-1", "-1", NULL,
     NULL, "names the draws; -1: the experiment's seed"},
    ORR_PARAM_END,
};

enum { REGULAR = 3 };

/* Fills room->gpu for one variant. */
static orr_err fill_variant(struct orr_free_gpus *room, uint32_t variant,
                            struct orr_random *r, struct orr_report *why)
{
    uint32_t n = room->wanted;
    if (variant >= REGULAR && variant % REGULAR != 2)
        orr__free_gpus_shuffle(room, r);
    switch (variant % REGULAR) {
    case 0: orr__free_gpus_pack(room, ORR_ANY_RACK, n); break;
    case 1: orr__free_gpus_racks(room, n); break;
    default:
        if (variant >= REGULAR)
            return orr__free_gpus_draw(room, n, r, why);
        orr__free_gpus_apart(room, n);
    }
    return ORR_OK;
}

/* Several candidates, so *found is never false while there are enough GPUs. */
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
    if (!err)
        err = fill_variant(&room, variant, &r, why);
    if (!err)
        orr__free_gpus_sort(&room);
    *found = !err;
    orr__free_gpus_fini(&room);
    return err;
}

static uint32_t candidates(const void *given)
{
    const struct params *p = given;
    return (uint32_t)p->candidates;
}

extern const struct orr_cluster_placement_ops orr__cluster_placement_cassini;
const struct orr_cluster_placement_ops orr__cluster_placement_cassini = {
    .name = "cassini",
    .doc = "of several placements, the one with the best CASSINI score with "
           "the running jobs",
    .params = params,
    .params_size = sizeof(struct params),
    .choose = choose,
    .candidates = candidates,
};
