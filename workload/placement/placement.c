#include "workload/placement/placement.h"
#include "core/config/module.h"

#include <stdio.h>
#include <string.h>

#include "core/config/family.h"
#include "core/memory.h"
#include "workload/placement/list.h"

ORR_FAMILY(orr__placements, ORR_PLACEMENT_LIST, struct orr_placement_ops,
           orr__placement_)

/* The member that this name, read at node, means. */
static const struct orr_placement_ops *find_member(struct orr_config *c,
                                                   const struct orr_yaml *node,
                                                   const char *name,
                                                   struct orr_report *why)
{
    const struct orr_placement_ops *const *members = orr__placements();
    const char *names[ORR_MODULE_KINDS] = {NULL};
    for (size_t i = 0; members[i] && i < ORR_MODULE_KINDS - 1; i++) {
        names[i] = members[i]->name;
        if (strcmp(names[i], name) == 0)
            return members[i];
    }
    (void)orr__yaml_fail(c, node, why, "no placement is called \"%s\"", name);
    if (!orr__hint_nearest(why, names, name))
        orr__hint(why, "`orrery list placements` names them all");
    return NULL;
}

/* Which member a `placement` asks for, and the map of its parameters (NULL:
 * none given). */
static const struct orr_placement_ops *choose(struct orr_config *c,
                                              const struct orr_yaml *node,
                                              const struct orr_yaml **map,
                                              struct orr_report *why)
{
    *map = NULL;
    if (!node || orr__yaml_is_null(node))
        return orr__placements()[0];
    if (orr__yaml_is_scalar(node))
        return find_member(c, node, orr__yaml_text(c, node), why);
    if (orr__yaml_is_list(node))
        return find_member(c, node, "list", why);
    *map = node;
    const struct orr_yaml *kind = orr__yaml_get(node, "kind");
    if (!kind)
        return orr__placements()[0];
    const char *name = orr__yaml_text(c, kind);
    if (!name) {
        (void)orr__yaml_fail(c, kind, why, "the kind of a placement is a name");
        return NULL;
    }
    return find_member(c, kind, name, why);
}

static const struct orr_param kind_params[] = {
    {"kind", ORR_PARAM_TEXT, 0, "linear", NULL, NULL, NULL,
     "which placement this is"},
    ORR_PARAM_END,
};

/* A placement that is a name, a list or absent has no map: its parameters have
 * their defaults, and an absent one is entered where it would stand. */
static orr_err read_params(struct orr_config *c, const struct orr_yaml *map,
                           uint32_t job, uint32_t ranks,
                           const struct orr_placement_ops *ops, void *into,
                           struct orr_report *why)
{
    const char *kind;
    char path[48];
    uint32_t *around =
        orr__arena_alloc(orr__config_arena(c), 1, sizeof *around);
    if (!around)
        return orr__no_memory(why);
    *around = ranks;
    struct orr_param_set sets[] = {
        {ops->params, into, around},
        {kind_params, &kind},
    };
    snprintf(path, sizeof path, "jobs[%u].placement", job);
    return orr__param_read(c, map, map ? "placement" : path, sets, 2, why);
}

orr_err orr__place_ranks(const struct orr_world *w,
                         const struct orr_yaml *placement,
                         const struct orr_yaml *ranks_node, uint32_t ranks,
                         uint32_t job, uint32_t **out, struct orr_report *why)
{
    const struct orr_yaml *map;
    const struct orr_placement_ops *ops =
        choose(w->config, placement, &map, why);
    if (!ops)
        return ORR_ECONFIG;
    if (!ops->repeats && ranks > w->graph->hosts) {
        orr_err err = orr__yaml_fail(w->config, ranks_node, why,
                                     "%u ranks do not fit on %u hosts", ranks,
                                     w->graph->hosts);
        orr__hint(why, "a placement that is a list of hosts may name a host "
                       "more than once");
        return err;
    }

    uint32_t *hosts = orr__alloc(ranks, sizeof *hosts);
    void *params = orr__alloc(1, ops->params_size);
    orr_err err = hosts && params ? ORR_OK : orr__no_memory(why);
    if (err == ORR_OK)
        err = read_params(w->config, map, job, ranks, ops, params, why);
    if (err == ORR_OK) {
        struct orr_placement_request q = {
            .world = w,
            .node = placement ? placement : ranks_node,
            .ranks = ranks,
            .job = job,
        };
        err = ops->place(&q, params, hosts, why);
    }
    orr__free(params);
    if (err != ORR_OK) {
        orr__free(hosts);
        return err;
    }
    *out = hosts;
    return ORR_OK;
}
