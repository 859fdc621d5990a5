/* Calls on trees of switches: their groups in the net, and what ranks send
 * there. */
#include "core/memory.h"
#include "core/none.h"
#include "workload/program/groups.h"
#include "workload/rank/rank.h"
#include "workload/world.h"

/* Opens a group in the net for each group of the call. The net numbers them one
 * after another, so *first is all that is kept; they live as long as it. */
static orr_err make_groups(struct orr_team *t, const struct orr_call *x,
                           uint32_t *first, struct orr_report *why)
{
    const struct orr_program *p = t->program;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < orr__call_groups(p, x); i++) {
        struct orr_call_group g;
        uint32_t id;
        if (!orr__call_group_make(t->world->graph, p, x, t->hosts, i, t->job,
                                  &g))
            return orr__no_memory(why);
        g.spec.service = t->service;
        err = orr__net_group(t->net, &g.spec, &id, why);
        orr__call_group_free(&g);
        if (*first == ORR_NONE)
            *first = id;
    }
    return err;
}

/* For each call the first of its groups; none is made yet. NULL: no memory. */
static uint32_t *new_groups(const struct orr_program *p)
{
    uint32_t *first = orr__alloc(p->calls, sizeof *first);
    for (uint32_t i = 0; first && i < p->calls; i++)
        first[i] = ORR_NONE;
    return first;
}

orr_err orr__team_groups(struct orr_team *t, struct orr_report *why)
{
    const struct orr_program *p = t->program;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < p->calls; i++) {
        const struct orr_call *x = &p->call[i];
        if (!x->c.ops->on_trees || x->c.n == 1)
            continue;
        if (!t->group)
            t->group = new_groups(p);
        if (!t->group)
            return orr__no_memory(why);
        err = make_groups(t, x, &t->group[i], why);
    }
    return err;
}

bool orr__post_on_tree(struct orr_rank *r, int64_t now,
                       const struct orr_later *m)
{
    const struct orr_team *t = r->team;
    const struct orr_program *p = t->program;
    if (!t->group || m->peer != r->rank || m->arg >= p->calls
        || !p->call[m->arg].c.ops->on_trees)
        return false;
    const struct orr_call *x = &p->call[m->arg];
    const struct orr_message y = {
        .bytes = m->bytes,
        .tag = m->tag,
        .user = t->user,
        .src = r->rank,
        .dst = r->rank,
        .arg = m->arg,
    };
    uint32_t group = t->group[m->arg] + orr__call_group_of(p, x, r->rank);
    r->tally->bytes_sent += m->bytes;
    r->bytes_sent += m->bytes;
    orr__net_send(t->net, now,
                  orr__net_group_connection(t->net, group,
                                            orr__call_member(p, x, r->rank),
                                            orr__tag_lane(m->tag)),
                  &y);
    return true;
}
