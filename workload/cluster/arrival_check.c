/* Whether a job that comes could ever have GPUs. */
#include <stdio.h>

#include "workload/cluster/arrival_list.h"
#include "workload/cluster/gpu_kinds.h"
#include "workload/cluster/tenants.h"
#include "workload/world.h"

static orr_err fail_item(struct orr_arrival_list *b,
                         const struct orr_arrival_item *i, const char *text)
{
    if (i->line)
        return orr__fail_at(b->why, ORR_ECONFIG, b->file, (int)i->line, 1, "%s",
                            text);
    return orr__yaml_fail(b->c->world->config, i->at ? i->at : b->node, b->why,
                          "%s", text);
}

/* GPUs that it names are of one kind, on which it runs. */
static bool hosts_suit(const struct orr_cluster *c, const struct orr_arrival *a)
{
    const struct orr_inventory *v = &c->inventory;
    uint32_t kind = orr__gpu_kind(v, a->hosts[0]);
    for (uint32_t r = 1; r < a->gpus; r++)
        if (orr__gpu_kind(v, a->hosts[r]) != kind)
            return false;
    return orr__throughput(&c->template[a->template], kind, a -> gpus) > 0;
}

/* As many as it has of some kind on which it runs. */
static bool kind_suits(const struct orr_cluster *c, const struct orr_arrival *a)
{
    const struct orr_template *t = &c->template[a->template];
    uint32_t least = t->sizes ? t->size[0] : a->gpus;
    for (uint32_t k = 0; k < c->inventory.n_kinds; k++)
        if (orr__throughput(t, k, a->gpus) > 0
            && orr__kind_gpus(&c->inventory, k) >= least)
            return true;
    return false;
}

orr_err orr__arrival_list_check(struct orr_arrival_list *b,
                                const struct orr_arrival_item *i)
{
    const struct orr_cluster *c = b->c;
    const struct orr_arrival *a = &i->is;
    const struct orr_template *t = &c->template[a->template];
    const struct orr_tenant *owner = c->tenants ? &c->tenant[a->tenant] : NULL;
    uint32_t least = t->sizes ? t->size[0] : a->gpus;
    char text[400];
    text[0] = '\0';
    if (owner && owner->quota != ORR_NONE && !owner->borrows
        && least > owner->quota)
        snprintf(text, sizeof text,
                 "a job of %u GPUs is larger than the quota of %.64s, which "
                 "is %u and does not borrow",
                 least, owner->name, owner->quota);
    else if (a->hosts && !hosts_suit(c, a))
        snprintf(text, sizeof text,
                 "a job has GPUs of one kind, on which it runs; this one of "
                 "%.64s names others",
                 t->name);
    else if (!a->hosts && !kind_suits(c, a))
        snprintf(text, sizeof text,
                 "there are not %u GPUs of one kind on which jobs of %.64s run",
                 least, t->name);
    return text[0] ? fail_item(b, i, text) : ORR_OK;
}
