/* The registry of collective algorithms. */
#include "workload/collective/collective.h"

#include "core/config/family.h"
#include "workload/collective/list.h"

ORR_FAMILY(orr__collectives, ORR_COLLECTIVE_LIST, struct orr_collective_ops,
           orr__)

static const char *const kind_names[] = {
#define ORR_KIND_NAME(id, name) name,
    ORR_COLLECTIVE_KINDS(ORR_KIND_NAME)
#undef ORR_KIND_NAME
        NULL};

const char *orr__collective_kind_name(enum orr_collective_kind k)
{
    return kind_names[k];
}

int orr__collective_kind(const char *name)
{
    return orr__param_choice(kind_names, name);
}

const struct orr_collective_ops *orr__collective_find(
    enum orr_collective_kind k, const char *name)
{
    const struct orr_collective_ops *const *all = orr__collectives();
    for (uint32_t i = 0; all[i]; i++)
        if (all[i]->kind == k && (!name || !strcmp(all[i]->name, name)))
            return all[i];
    return NULL;
}

void orr__collective_names(enum orr_collective_kind k, const char **names,
                           uint32_t max)
{
    const struct orr_collective_ops *const *all = orr__collectives();
    uint32_t n = 0;
    for (uint32_t i = 0; all[i] && n + 1 < max; i++)
        if (all[i]->kind == k)
            names[n++] = all[i]->name;
    names[n] = NULL;
}

bool orr__collective_rooted(enum orr_collective_kind k)
{
    return k == ORR_BROADCAST || k == ORR_REDUCE || k == ORR_GATHER
           || k == ORR_SCATTER;
}
