#include "workload/job/adjust.h"

#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "net/config/config.h"
#include "workload/rank/rank.h"

struct orr_net_service *orr__job_service(struct orr_world *w, struct orr_job *j)
{
    struct orr_team *t = j->team;
    if (!t->service) {
        struct orr_net_service *s =
            orr__arena_alloc(orr__config_arena(w->config), 1, sizeof *s);
        if (s)
            *s = w->net_config->service;
        t->service = s;
    }
    return (struct orr_net_service *)t->service; /* no other job has it */
}

/* A class, and those above it in which messages of some calls are. */
static uint32_t raised(const struct orr_net_config *net,
                       const struct orr_team *t,
                       const struct orr_net_service *s)
{
    uint32_t low = (s ? s : &net->service)->class, used = 0;
    for (uint32_t i = 0; i <= t->program->raises; i++)
        used |= 1u << (low + i < net->classes ? low + i : net->classes - 1);
    return used;
}

uint8_t orr__job_classes(const struct orr_net_config *net,
                         const struct orr_job *j)
{
    const struct orr_team *t = j->team;
    uint32_t used = raised(net, t, t->service);
    for (uint32_t i = 1; i < t->stages; i++)
        if (t->stage[i].service)
            used |= raised(net, t, t->stage[i].service);
    return (uint8_t)used;
}

orr_err orr__job_path(struct orr_world *w, struct orr_job *j, uint32_t src,
                      uint32_t dst, const uint32_t *links, uint32_t n,
                      struct orr_report *why)
{
    uint32_t *kept =
        orr__arena_alloc(orr__config_arena(w->config), n, sizeof *kept);
    if (!kept)
        return orr__no_memory(why);
    memcpy(kept, links, n * sizeof *kept);
    const struct orr_path_override one = {.src = src,
                                          .dst = dst,
                                          .link = kept,
                                          .links = n,
                                          .choice = ORR_NO_CHOICE};
    return orr__path_overrides_put(&j->team->stage[0].overrides, &one, why);
}

/* ---- while it runs ------------------------------------------------------- */

/* In the same order, too: it is only asked of lists that were copied. */
static bool same_overrides(const struct orr_path_overrides *a,
                           const struct orr_path_overrides *b)
{
    bool same = a->n == b->n && a->entropy == b->entropy;
    for (uint32_t i = 0; same && i < a->n; i++) {
        const struct orr_path_override *x = &a->override[i],
                                       *y = &b->override[i];
        same =
            x->src == y->src && x->dst == y->dst && x->entropy == y->entropy
            && x->links == y->links
            && (x->links == 0
                || memcmp(x->link, y->link, x->links * sizeof *x->link) == 0);
    }
    return same;
}

/* With links of their own in the arena, and no place in a document. */
static orr_err copy_overrides(struct orr_arena *arena,
                              const struct orr_path_overrides *from,
                              struct orr_path_overrides *to,
                              struct orr_report *why)
{
    orr_err err = ORR_OK;
    to->entropy = from->entropy;
    for (uint32_t i = 0; !err && i < from->n; i++) {
        struct orr_path_override one = from->override[i];
        uint32_t *link = NULL;
        if (one.link
            && !(link = orr__arena_alloc(arena, one.links, sizeof *link)))
            return orr__no_memory(why);
        if (link)
            memcpy(link, one.link, one.links * sizeof *link);
        one.link = link;
        one.at = NULL;
        err = orr__path_overrides_put(to, &one, why);
    }
    return err;
}

/* Takes its overrides over, also when it fails. What holds from the beginning
 * is the first stage, by which connections have other names. */
static orr_err put_stage(struct orr_team *t, struct orr_iteration_terms *new,
                         struct orr_report *why)
{
    if (new->from == 0) {
        orr__path_overrides_fini(&t->stage[0].overrides);
        t->stage[0] = *new;
        t->service = new->service;
        return ORR_OK;
    }
    struct orr_iteration_terms *more =
        orr__resize(t->stage, t->stages + (size_t)1, sizeof *more);
    if (!more) {
        orr__path_overrides_fini(&new->overrides);
        return orr__no_memory(why);
    }
    t->stage = more;
    t->stage[t->stages++] = *new;
    return ORR_OK;
}

static bool same_gate(const struct orr_gate *a, const struct orr_gate *b)
{
    if (!a->period_ps && !b->period_ps)
        return true;
    return orr__gate_same_times(a, b) && a->first_only == b->first_only
           && a->threshold_ps == b->threshold_ps && a->most == b->most
           && a->span_ps == b->span_ps;
}

/* A stage for the gate alone. */
static orr_err put_gate(struct orr_arena *arena, struct orr_team *t,
                        const struct orr_gate *gate, uint32_t from,
                        struct orr_report *why)
{
    struct orr_gate *copy = orr__arena_alloc(arena, 1, sizeof *copy);
    struct orr_iteration_terms new = {
        .from = from, .gate = copy, .goes_on = true};
    if (!copy)
        return orr__no_memory(why);
    *copy = *gate;
    if (from == 0) { /* nothing has happened: what holds has it */
        t->stage[0].gate = copy;
        return ORR_OK;
    }
    return put_stage(t, &new, why);
}

static orr_err resteer_gate(struct orr_arena *arena, struct orr_team *t,
                            const struct orr_gate *want, uint32_t from,
                            struct orr_report *why)
{
    const struct orr_gate *had = t->stage[t->stages - 1].gate;
    return same_gate(had ? had : t->gate, want)
               ? ORR_OK
               : put_gate(arena, t, want, from, why);
}

orr_err orr__job_readjust(struct orr_arena *arena,
                          const struct orr_net_config *net, struct orr_job *j,
                          const struct orr_job *like, uint32_t class,
                          uint32_t from, struct orr_report *why)
{
    struct orr_team *t = j->team;
    const struct orr_iteration_terms *last =
        &t->stage[orr__path_stage_of(t, t->stages - 1)];
    const struct orr_path_overrides *overrides =
        &like->team->stage[0].overrides;
    const struct orr_net_service *old =
        last->service ? last->service : &net->service;
    const struct orr_net_service *want =
        like->team->service ? like->team->service : &net->service;
    ORR_ASSERT(last->from <= from);
    if (old->class == class && !(old->weight < want->weight)
        && !(old->weight > want->weight)
        && same_overrides(&last->overrides, overrides))
        return resteer_gate(arena, t, &like->gate, from, why);
    struct orr_net_service *service =
        orr__arena_alloc(arena, 1, sizeof *service);
    struct orr_iteration_terms new = {
        .from = from, .service = service, .gate = t->stage[t->stages - 1].gate};
    if (!service)
        return orr__no_memory(why);
    *service = *old; /* the control stays, which is of this network */
    service->class = class;
    service->weight = want->weight;
    orr_err err = copy_overrides(arena, overrides, &new.overrides, why);
    if (err) {
        orr__path_overrides_fini(&new.overrides);
        return err;
    }
    err = put_stage(t, &new, why);
    return err ? err : resteer_gate(arena, t, &like->gate, from, why);
}

bool orr__job_sends(const struct orr_job *j)
{
    return j->team->judge < j->ranks;
}

struct orr_job *orr__job_find(const struct orr_world *w, const char *name)
{
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (strcmp(w->jobs[i].name, name) == 0)
            return &w->jobs[i];
    return NULL;
}
