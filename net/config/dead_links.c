/* Links that are away for good, and those that did not come back. */
#include <stdlib.h>

#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "topo/node_names.h"

orr_err orr__failures_add(struct orr_config *c, const struct orr_graph *g,
                          const uint32_t *links, uint32_t n,
                          const struct orr_failures **io,
                          struct orr_report *why)
{
    static const struct orr_failures none;
    const struct orr_failures *old = *io ? *io : &none;
    struct orr_arena *arena = orr__config_arena(c);
    struct orr_failures *f = orr__arena_alloc(arena, 1, sizeof *f);
    bool *dead = orr__alloc(g->links, sizeof *dead);
    struct orr_outage *o =
        orr__arena_alloc(arena, (size_t)old->outages + n, sizeof *o);
    uint32_t count = 0;

    if (!f || !dead || !o) {
        orr__free(dead);
        return orr__no_memory(why);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!dead[links[i]])
            o[count++] = (struct orr_outage){
                .link = links[i], .up = ORR_NEVER, .back = ORR_NEVER};
        dead[links[i]] = true;
    }
    for (uint32_t i = 0; i < old->outages; i++)
        if (!dead[old->outage[i].link])
            o[count++] = old->outage[i];
    orr__free(dead);
    qsort(o, count, sizeof *o, orr__outage_order);
    *f = *old;
    f->outage = o;
    f->outages = count;
    f->entries = old->entries + n;
    *io = f;
    return ORR_OK;
}

void orr__failures_hint(const struct orr_net_config *c,
                        const struct orr_graph *g, struct orr_report *why)
{
    const struct orr_failures *f = c ? c->failures : NULL;

    for (uint32_t i = 0; f && i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];
        char time[32], from[ORR_NODE_NAME], to[ORR_NODE_NAME];

        if (o->up != ORR_NEVER || !orr__outage_listed(f, o))
            continue;
        orr__human_time(o->down, time, sizeof time);
        orr__hint(why, "link %u (%s > %s) failed at %s and did not come back",
                  o->link,
                  orr__node_name(g, g->from[o->link], from, sizeof from),
                  orr__node_name(g, g->to[o->link], to, sizeof to), time);
        return;
    }
}
