/* The registry of queueing policies, and how one is read. */
#include "workload/cluster/queue/queue.h"

#include <string.h>

#include "core/config/family.h"
#include "core/linear_program.h"
#include "core/memory.h"
#include "workload/cluster/queue/list.h"
#include "workload/world.h"

ORR_FAMILY(orr__queue_policies, ORR_QUEUE_POLICY_LIST,
           struct orr_queue_policy_ops, orr__queue_policy_)

ORR_FAMILY_FIND(find, orr__queue_policies, struct orr_queue_policy_ops)

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
    if (c->queue == &orr__queue_policy_max_min && !orr__linear_program_there())
        return orr__yaml_fail(m.c, node, why,
                              "cluster.queue: max-min needs GLPK "
                              "(libglpk-dev), which this build lacks");
    size_t size = c->queue->params_size ? c->queue->params_size : 1;
    c->queue_params = orr__arena_alloc(orr__config_arena(m.c), 1, size);
    if (!c->queue_params)
        return orr__no_memory(why);
    const struct orr_param_set set = {c->queue->params, c->queue_params};
    return orr__module_read(&m, &set, 1);
}
