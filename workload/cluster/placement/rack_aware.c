/* rack-aware: in one rack, the one in which it fits best; else in as few racks
 * as possible. */
#include "core/memory.h"
#include "workload/cluster/placement/free_gpus.h"

/* wait: for one rack, if there will be one with enough GPUs. */
struct params {
    bool wait;
};

static const struct orr_param params[] = {
    {"wait", ORR_PARAM_BOOL, offsetof(struct params, wait), "false", NULL, NULL,
     NULL, "a job that fits an empty rack waits for one rack with room"},
    ORR_PARAM_END,
};

/* Whether some rack could ever hold n, and whether one has room now. */
static void find_rack(const struct orr_free_gpus *room, uint32_t n, bool *ever,
                      bool *now)
{
    const struct orr_inventory *v = room->inventory;
    uint32_t *in = room->count;
    *ever = *now = false;
    for (uint32_t r = 0; r < v->racks; r++)
        in[r] = 0;
    for (uint32_t i = 0; i < v->gpus; i++)
        in[v->rack[i]] += !v->out[i];
    for (uint32_t r = 0; r < v->racks; r++) {
        *ever = *ever || in[r] >= n;
        *now = *now || room->rack_left[r] >= n;
    }
}

/* *found false: no rack has room now, but one could. */
static orr_err choose(const struct orr_cluster *c, const void *given,
                      uint32_t job, uint32_t variant, uint32_t *gpu,
                      bool *found, struct orr_report *why)
{
    const struct params *p = given;
    struct orr_free_gpus room;
    uint32_t n = c->job[job].is.gpus;
    bool ever, now;
    orr_err err =
        orr__free_gpus_init(&room, &c->inventory, n, gpu, NULL, 0, why);
    if (!err) {
        find_rack(&room, n, &ever, &now);
        *found = !p->wait || now || !ever;
        if (*found) {
            orr__free_gpus_racks(&room, n);
            orr__free_gpus_sort(&room);
        }
    }
    orr__free_gpus_fini(&room);
    return err;
}

extern const struct orr_cluster_placement_ops orr__cluster_placement_rack_aware;
const struct orr_cluster_placement_ops orr__cluster_placement_rack_aware = {
    .name = "rack-aware",
    .doc = "in one rack by best fit, else in the fewest",
    .params = params,
    .params_size = sizeof(struct params),
    .choose = choose,
};
