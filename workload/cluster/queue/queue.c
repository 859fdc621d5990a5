/* The registry of queueing policies, and how one is read. */
#include "workload/cluster/queue/queue.h"

#include <string.h>

#include "core/config/module.h"
#include "core/memory.h"
#include "workload/cluster/queue/list.h"
#include "workload/world.h"

#define DECLARE(name)                                                          \
    extern const struct orr_queue_policy_ops orr__queue_policy_##name;
ORR_QUEUE_POLICY_LIST(DECLARE)
#undef DECLARE

const struct orr_queue_policy_ops *const *orr__queue_policies(void)
{
#define ENTRY(name) &orr__queue_policy_##name,
    static const struct orr_queue_policy_ops *const all[] = {
        ORR_QUEUE_POLICY_LIST(ENTRY) NULL};
#undef ENTRY
    return all;
}

static orr_err find(const struct orr_module *m,
                    const struct orr_queue_policy_ops **out)
{
    const struct orr_queue_policy_ops *const *all = orr__queue_policies();
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

orr_err orr__queue_policy_read(struct orr_cluster *c,
                               const struct orr_yaml *node,
                               struct orr_report *why)
{
    struct orr_module m = {.c = c->world->config,
                           .node = node,
                           .what = "cluster.queue",
                           .why = why};
    orr__module_name(&m, orr__queue_policies()[0]->name);
    orr_err err = find(&m, &c->queue);
    if (err)
        return err;
    size_t size = c->queue->params_size ? c->queue->params_size : 1;
    c->queue_params = orr__arena_alloc(orr__config_arena(m.c), 1, size);
    if (!c->queue_params)
        return orr__no_memory(why);
    const struct orr_param_set set = {c->queue->params, c->queue_params};
    return orr__module_read(&m, &set, 1);
}
