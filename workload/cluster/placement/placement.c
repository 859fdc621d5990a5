/* The registry of placements on a cluster, and how one is read. */
#include "workload/cluster/placement/placement.h"

#include <string.h>

#include "core/config/module.h"
#include "core/memory.h"
#include "workload/cluster/placement/list.h"
#include "workload/world.h"

#define DECLARE(name)                                                          \
    extern const struct orr_cluster_placement_ops orr__cluster_placement_##name;
ORR_CLUSTER_PLACEMENT_LIST(DECLARE)
#undef DECLARE

const struct orr_cluster_placement_ops *const *orr__seats(void)
{
#define ENTRY(name) &orr__cluster_placement_##name,
    static const struct orr_cluster_placement_ops *const all[] = {
        ORR_CLUSTER_PLACEMENT_LIST(ENTRY) NULL};
#undef ENTRY
    return all;
}

static orr_err find(const struct orr_module *m,
                    const struct orr_cluster_placement_ops **out)
{
    const struct orr_cluster_placement_ops *const *all = orr__seats();
    const char *names[ORR_MODULE_KINDS] = {NULL};
    for (size_t i = 0; all[i] && i < ORR_MODULE_KINDS - 1; i++) {
        names[i] = all[i]->name;
        if (m->name && strcmp(m->name, all[i]->name) == 0) {
            *out = all[i];
            return ORR_OK;
        }
    }
    return orr__module_unknown(m, names);
}

orr_err orr__cluster_placement_read(struct orr_cluster *c,
                                    const struct orr_yaml *node,
                                    const char *what, const char *fallback,
                                    struct orr_report *why)
{
    struct orr_module m = {
        .c = c->world->config, .node = node, .what = what, .why = why};
    orr__module_name(&m, fallback);
    orr_err err = find(&m, &c->seat);
    if (err)
        return err;
    size_t size = c->seat->params_size ? c->seat->params_size : 1;
    c->seat_params = orr__arena_alloc(orr__config_arena(m.c), 1, size);
    if (!c->seat_params)
        return orr__no_memory(why);
    const struct orr_param_set set = {c->seat->params, c->seat_params};
    return orr__module_read(&m, &set, 1);
}
