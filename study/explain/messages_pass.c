/* The second pass: made, asked whether it is complete, and freed. */
#include <string.h>

#include "core/memory.h"
#include "core/none.h"
#include "net/config/config.h"
#include "study/explain/messages_state.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

/* false: no memory; the pass frees what there is. */
static bool make_looker(struct orr_messages_pass *l,
                        struct orr_messages_observer *o,
                        const struct orr_messages_request *at)
{
    const struct orr_world *w = l->world;

    o->all = l;
    o->at = at;
    o->user = ORR_NONE;
    if (at->owner == ORR_OWNER_IS_FLOWS)
        return true;
    o->sent = orr__alloc(w->jobs[at->owner].team->members, sizeof *o->sent);
    return o->sent != NULL;
}

orr_err orr__messages_new(struct orr_world *w,
                          const struct orr_messages_request *at, uint32_t n,
                          struct orr_messages_pass **out,
                          struct orr_report *why)
{
    struct orr_messages_pass *l = orr__alloc(1, sizeof *l);
    uint32_t links = w->graph->links;
    bool ok = true;
    orr_err err;

    if (!l)
        return orr__no_memory(why);
    l->world = w;
    l->n = n;
    l->one = orr__alloc(n, sizeof *l->one);
    l->watches = orr__alloc(links, sizeof *l->watches);
    l->pauser = orr__alloc(links, sizeof *l->pauser);
    l->stock = orr__alloc(links, sizeof *l->stock);
    l->begun = orr__alloc(links, sizeof *l->begun);
    l->held = orr__alloc(w->n_jobs + (size_t)1, sizeof *l->held);
    l->sole = w->n_jobs + (w->flows != NULL) == 1;
    if (!l->one || !l->watches || !l->pauser || !l->stock || !l->begun
        || !l->held) {
        orr__messages_free(l);
        return orr__no_memory(why);
    }
    memset(l->pauser, 0xff, links * sizeof *l->pauser);
    l->fixed = orr__observed_fixed_paths(w->net);
    l->cuts_through = w->net_config->switching == ORR_SWITCHING_CUT_THROUGH;
    for (uint32_t i = 0; i < n && ok; i++)
        ok = make_looker(l, &l->one[i], &at[i]);
    err = ok ? orr__net_observe_packets(w->net, &orr__messages_packets, l, why)
             : orr__no_memory(why);
    if (err == ORR_OK)
        *out = l;
    else
        orr__messages_free(l);
    return err;
}

bool orr__messages_done(const struct orr_messages_pass *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->one[i].wrong || l->one[i].next < l->one[i].at->n)
            return false;
    return true;
}

void orr__messages_free(struct orr_messages_pass *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; l->one && i < l->n; i++) {
        struct orr_messages_observer *o = &l->one[i];

        orr__flights_fini(&o->flights);
        orr__line_fini(&o->sender);
        orr__line_fini(&o->data.line);
        orr__line_fini(&o->ack.line);
        orr__free(o->first);
        orr__free(o->sums);
        orr__free(o->sent);
    }
    for (uint32_t k = 0; l->stock && k < l->world->graph->links; k++)
        orr__queue_owners_fini(&l->stock[k]);
    orr__free(l->stock);
    orr__free(l->begun);
    orr__free(l->one);
    orr__free(l->connection);
    orr__free(l->watches);
    orr__free(l->pauser);
    orr__free(l->held);
    orr__free(l);
}
