/* The registry of placements on a cluster, and how one is read. */
#include "workload/cluster/placement/placement.h"

#include <string.h>

#include "core/config/family.h"
#include "core/memory.h"
#include "workload/cluster/placement/list.h"
#include "workload/world.h"

ORR_FAMILY(orr__cluster_placements, ORR_CLUSTER_PLACEMENT_LIST,
           struct orr_cluster_placement_ops, orr__cluster_placement_)

ORR_FAMILY_FIND(find, orr__cluster_placements, struct orr_cluster_placement_ops)

orr_err orr__cluster_placement_read(struct orr_cluster *c,
                                    const struct orr_yaml *node,
                                    const char *what, const char *fallback,
                                    struct orr_report *why)
{
    struct orr_module m = {
        .c = c->world->config, .node = node, .what = what, .why = why};
    orr__module_name(&m, fallback);
    orr_err err = find(&m, &c->placement);
    if (err)
        return err;
    size_t size = c->placement->params_size ? c->placement->params_size : 1;
    c->placement_params = orr__arena_alloc(orr__config_arena(m.c), 1, size);
    if (!c->placement_params)
        return orr__no_memory(why);
    const struct orr_param_set set = {c->placement->params,
                                      c->placement_params};
    return orr__module_read(&m, &set, 1);
}
