/* The list of flows as it grows while `flows` is read. */
#include <stdio.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/flow/build.h"

#define ASKED_EVERY 16384u /* flows: whether so many more fit */

orr_err orr__flow_list_add(struct orr_flow_list *l, uint32_t src, uint32_t dst,
                           uint64_t bytes, int64_t start,
                           struct orr_report *why)
{
    if (l->count % ASKED_EVERY == 0
        && !orr__memory_fits((l->count + (uint64_t)ASKED_EVERY)
                             * ORR_FLOW_COST))
        return orr__fail(why, ORR_ENOMEM,
                         "more than %u flows do not fit into memory", l->count);
    if (l->count == l->capacity) {
        uint64_t more = l->capacity ? 2 * (uint64_t)l->capacity : 64;
        if (l->count >= UINT32_MAX / 2)
            return orr__fail(why, ORR_ENOMEM, "more than %u flows", l->count);
        if (!orr__memory_fits(more * sizeof *l->flow))
            return orr__fail(why, ORR_ENOMEM,
                             "more than %u flows do not fit into memory",
                             l->count);
        if (!orr__array_more(l->flow, l->capacity, l->count))
            return orr__no_memory(why);
    }
    l->world->draft->config.used.payload |= bytes > 1;
    l->flow[l->count++] = (struct orr_flow){
        .src = src,
        .dst = dst,
        .bytes = bytes,
        .start_ps = start,
        .finish_ps = -1,
        .done_ps = -1,
        .ideal_ps = -1,
        .connection = ORR_NONE,
        .service = l->service,
        .path = l->path,
    };
    return ORR_OK;
}

orr_err orr__flow_list_fail(struct orr_flow_list *l, uint32_t link,
                            struct orr_report *why)
{
    const struct orr_graph *g = l->world->graph;
    if (!orr__array_room(l->dead, l->dead_room, (size_t)l->n_dead + 2))
        return orr__no_memory(why);
    l->dead[l->n_dead++] = link;
    l->dead[l->n_dead++] =
        link < g->cables ? link + g->cables : link - g->cables;
    return ORR_OK;
}

orr_err orr__flow_list_serve(struct orr_flow_list *l,
                             const struct orr_service_keys *k,
                             struct orr_report *why)
{
    return orr__service_read(l->world, k, l->entry, &l->service, why);
}

void orr__flow_size_words(const struct orr_world *w, uint64_t bytes, char *text,
                          size_t size)
{
    char has[32], limit[160];
    orr__human_size(bytes, has, sizeof has);
    orr__program_limits_words(w, bytes, limit, sizeof limit);
    snprintf(text, size, "a flow of %s is %s", has, limit);
}

orr_err orr__flow_size_fail(const struct orr_world *w, uint64_t bytes,
                            const struct orr_yaml *node, struct orr_report *why)
{
    char text[240];
    orr__flow_size_words(w, bytes, text, sizeof text);
    return orr__yaml_fail(w->config, node, why, "%s", text);
}
