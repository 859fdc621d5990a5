#include "workload/flow/trigger.h"
#include "core/none.h"

#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "workload/flow/build.h"

/* ---- while flows are read ---------------------------------------------- */

static struct orr_triggers *of_list(struct orr_flow_list *l)
{
    if (!l->triggers)
        l->triggers = orr__alloc(1, sizeof *l->triggers);
    return l->triggers;
}

uint32_t orr__triggers_count(const struct orr_flow_list *l)
{
    return l->triggers ? l->triggers->count : 0;
}

/* The slot of a number, or the free one where it belongs. */
static uint32_t *slot_of(struct orr_triggers *t, uint32_t number)
{
    uint32_t i = number * 2654435761u & (t->slots - 1);
    while (t->slot[i] && t->trigger[t->slot[i] - 1].number != number)
        i = (i + 1) & (t->slots - 1);
    return &t->slot[i];
}

/* A table of twice as many slots as there are triggers from `first` on. */
static bool make_slots(struct orr_triggers *t, uint32_t first)
{
    uint32_t n = t->count - first + 1, slots = 16;
    if (t->slot && first == t->slots_first && 2 * n <= t->slots)
        return true;
    while (slots < 4 * (uint64_t)n)
        slots *= 2;
    orr__free(t->slot);
    t->slot = orr__alloc(slots, sizeof *t->slot);
    if (!t->slot)
        return false;
    t->slots = slots;
    t->slots_first = first;
    for (uint32_t i = first; i < t->count; i++)
        *slot_of(t, t->trigger[i].number) = i + 1;
    return true;
}

orr_err orr__triggers_find(struct orr_flow_list *l, uint32_t first,
                           uint32_t number, int line, uint32_t *use,
                           struct orr_report *why)
{
    struct orr_triggers *t = of_list(l);
    if (!t || !make_slots(t, first))
        return orr__no_memory(why);
    uint32_t *slot = slot_of(t, number);
    if (!*slot) {
        if (!orr__array_more(t->trigger, t->capacity, t->count))
            return orr__no_memory(why);
        t->trigger[t->count++] = (struct orr_trigger){
            .number = number,
            .line = line,
            .kind = -1,
        };
        *slot = t->count;
    }
    *use = *slot;
    return ORR_OK;
}

bool orr__trigger_define(struct orr_flow_list *l, uint32_t use, int kind,
                         uint32_t count)
{
    struct orr_trigger *t = &l->triggers->trigger[use - 1];
    if (t->kind >= 0)
        return false;
    t->kind = (int8_t)kind;
    t->count = count;
    return true;
}

const struct orr_trigger *orr__triggers_undefined(const struct orr_flow_list *l,
                                                  uint32_t first)
{
    for (uint32_t i = first; i < orr__triggers_count(l); i++)
        if (l->triggers->trigger[i].kind < 0)
            return &l->triggers->trigger[i];
    return NULL;
}

orr_err orr__triggers_use(struct orr_flow_list *l, uint32_t flow,
                          const struct orr_flow_use *use,
                          struct orr_report *why)
{
    struct orr_triggers *t = of_list(l);
    if (!t)
        return orr__no_memory(why);
    if (!orr__array_more(t->use, t->use_room, flow))
        return orr__no_memory(why);
    memset(t->use + t->uses, 0, (flow - t->uses) * sizeof *t->use);
    t->use[flow] = *use;
    t->uses = flow + 1;
    return ORR_OK;
}

void orr__triggers_free(struct orr_triggers *t)
{
    if (!t)
        return;
    orr__free(t->trigger);
    orr__free(t->use);
    orr__free(t->waiting);
    orr__free(t->slot);
    orr__free(t);
}

/* ---- before the run ---------------------------------------------------- */

/* The flows of each trigger, in order: a counting sort. */
static void list_waiting(struct orr_triggers *t)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->uses; i++)
        if (t->use[i].waits)
            t->trigger[t->use[i].waits - 1].flows++;
    for (uint32_t i = 0; i < t->count; i++) {
        t->trigger[i].first = at;
        at += t->trigger[i].flows;
        t->trigger[i].flows = 0;
    }
    for (uint32_t i = 0; i < t->uses; i++) {
        if (!t->use[i].waits)
            continue;
        struct orr_trigger *g = &t->trigger[t->use[i].waits - 1];
        t->waiting[g->first + g->flows++] = i;
    }
}

orr_err orr__triggers_finish(struct orr_triggers *t, const struct orr_world *w,
                             struct orr_report *why)
{
    const struct orr_flow *flow = w->flows->flow;
    t->waiting = orr__alloc(t->uses, sizeof *t->waiting);
    if (!t->waiting)
        return orr__no_memory(why);
    list_waiting(t);
    for (uint32_t i = 0; i < t->count; i++) {
        struct orr_trigger *g = &t->trigger[i];
        g->local = true;
        if (g->flows)
            g->home = flow[t->waiting[g->first]].src;
        for (uint32_t k = 0; k < g->flows; k++)
            g->local &= flow[t->waiting[g->first + k]].src == g->home;
    }
    for (uint32_t i = 0; i < t->uses; i++) {
        const struct orr_flow_use *u = &t->use[i];
        if (u->on_sent)
            t->trigger[u->on_sent - 1].local &=
                flow[i].src == t->trigger[u->on_sent - 1].home;
        if (u->on_received)
            t->trigger[u->on_received - 1].local &=
                flow[i].dst == t->trigger[u->on_received - 1].home;
    }
    return ORR_OK;
}

/* ---- running ----------------------------------------------------------- */

/* What a timer's argument says: a trigger at its home, or a flow to begin. */
#define TRIGGER(i) ((uint64_t)(i) << 1)
#define BEGIN(i)   ((uint64_t)(i) << 1 | 1)

static void start_next(struct orr_world *w, struct orr_triggers *t,
                       struct orr_trigger *g, int64_t now)
{
    int64_t delay =
        w->options.control_delay_ps - w->options.control_delay_ps / 2;
    uint32_t flow = t->waiting[g->first + g->started++];
    if (g->local)
        t->begin(w, flow, now);
    else
        orr__net_post(w->net, g->home, now, w->flows->flow[flow].src,
                      now + delay, t->user, BEGIN(flow));
}

/* At home. */
static void activate(struct orr_world *w, struct orr_triggers *t, uint32_t i,
                     int64_t now)
{
    struct orr_trigger *g = &t->trigger[i];
    uint32_t until = g->started;
    g->activations++;
    if (g->kind == ORR_TRIGGER_MULTISHOT)
        until = g->activations;
    else if (g->kind == ORR_TRIGGER_ONESHOT || g->activations == g->count)
        until = g->flows;
    while (g->started < until && g->started < g->flows)
        start_next(w, t, g, now);
}

/* Something that activates trigger `use` happened at `host`. */
static void activate_trigger(struct orr_world *w, struct orr_triggers *t,
                             uint32_t host, uint32_t use, int64_t now)
{
    if (!use || !t->trigger[use - 1].flows)
        return;
    const struct orr_trigger *g = &t->trigger[use - 1];
    if (g->local)
        activate(w, t, use - 1, now);
    else
        orr__net_post(w->net, host, now, g->home,
                      now + w->options.control_delay_ps / 2, t->user,
                      TRIGGER(use - 1));
}

bool orr__triggers_start(struct orr_triggers *t, struct orr_net *net,
                         const struct orr_net_ops *upcalls, void *context,
                         void (*begin)(struct orr_world *w, uint32_t flow,
                                       int64_t now))
{
    t->begin = begin;
    t->user = orr__net_user(net, upcalls, context);
    return t->user != ORR_NONE;
}

void orr__triggers_sent(struct orr_world *w, struct orr_triggers *t,
                        uint32_t flow, int64_t now)
{
    if (flow < t->uses)
        activate_trigger(w, t, w->flows->flow[flow].src, t->use[flow].on_sent,
                         now);
}

void orr__triggers_received(struct orr_world *w, struct orr_triggers *t,
                            uint32_t flow, int64_t now)
{
    if (flow < t->uses)
        activate_trigger(w, t, w->flows->flow[flow].dst,
                         t->use[flow].on_received, now);
}

void orr__triggers_timer(struct orr_world *w, struct orr_triggers *t,
                         uint64_t arg, int64_t now)
{
    if (arg & 1)
        t->begin(w, (uint32_t)(arg >> 1), now);
    else
        activate(w, t, (uint32_t)(arg >> 1), now);
}

void orr__triggers_describe(const struct orr_triggers *t, uint32_t flow,
                            char *buf, size_t size)
{
    const struct orr_trigger *g = &t->trigger[t->use[flow].waits - 1];
    int n = snprintf(buf, size, ", waits for trigger %u", g->number);
    if (g->kind == ORR_TRIGGER_BARRIER && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, " with %u of %u activations",
                 g->activations, g->count);
}
