#include "workload/job/service.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/config/module.h"
#include "core/memory.h"
#include "net/config/config.h"
#include "net/net.h"

/* ---- keys without effect; around is the struct orr_net_config ------------ */

/* Why a class or a weight changes nothing; NULL: it does. */
static const char *sent_alike(const void *set, const void *around)
{
    const struct orr_net_config *c = around;

    if (c->transport == ORR_TRANSPORT_ANALYTICAL)
        return "`transport: analytical` has no queues";
    /* else classes take turns at NICs, whatever ports do */
    return c->schedule->by_arrival && !c->pfc.enabled
                   && orr__net_count_used(c) == 1
               ? "everything is in this class"
               : NULL;
}

/* Whether it is the name of a member that keeps no state: of no control. */
static bool names_no_control(const char *name)
{
    const struct orr_cc_ops *const *all = orr__cc_kinds();

    for (; name && *all; all++)
        if (strcmp((*all)->name, name) == 0)
            return !(*all)->state_size;
    return false;
}

/* Why `weight` has no effect. */
static const char *adds_nothing(const void *set, const void *around)
{
    const struct orr_service_keys *k = set;
    const struct orr_net_config *c = around;
    struct orr_module m = {.node = k->cc};

    orr__module_name(&m, "none");
    if (c->schedule->by_share)
        return NULL;
    if (c->transport != ORR_TRANSPORT_RELIABLE)
        return "without ACKs no congestion control increases anything";
    if (k->cc ? names_no_control(m.name) : c->service.cc->state_size == 0)
        return "there is no congestion control to scale, and "
               "`network.queue.scheduler` is not `fair`";
    return NULL;
}

static const char *hears_nothing(const void *set, const void *around)
{
    const struct orr_net_config *c = around;

    return c->transport == ORR_TRANSPORT_ANALYTICAL
               ? "`transport: analytical` has no ACKs"
               : NULL;
}

const struct orr_param orr__service_keys[] = {
    {
        .key = "cc",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct orr_service_keys, cc),
        .fallback = "",
        .help = "a congestion control of its own, as in network.cc",
        .idle = hears_nothing,
    },
    {
        .key = "class",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_service_keys, class),
        .fallback = "0",
        .min = "0",
        .max = "7",
        .help = "traffic class of its packets",
        .idle = sent_alike,
    },
    {
        .key = "weight",
        .type = ORR_PARAM_REAL,
        .offset = offsetof(struct orr_service_keys, weight),
        .fallback = "1",
        .min = "0.001",
        .max = "1000",
        .help = "factor on every additive increase of its congestion control; "
                "its share of ports with `scheduler: fair`",
        .idle = adds_nothing,
    },
    ORR_PARAM_END,
};
_Static_assert(ORR_MOST_CLASSES == 8, "the largest class above");

const struct orr_param *orr__service_params(void)
{
    return orr__service_keys;
}

orr_err orr__service_read(struct orr_world *w, const struct orr_service_keys *k,
                          const char *name, const struct orr_net_service **out,
                          struct orr_report *why)
{
    char what[64]; /* "jobs[65535].cc" at most */
    struct orr_net_service *s;
    orr_err err;

    *out = NULL;
    w->draft->config.used.common |= !k->cc;
    if (!k->cc && k->class == 0 && k->weight == 1)
        return ORR_OK;
    s = orr__arena_alloc(orr__config_arena(w->config), 1, sizeof *s);
    if (!s)
        return orr__no_memory(why);
    snprintf(what, sizeof what, "%s.cc", name);
    err = orr__net_service_read(w->config, w->draft, k->cc, what,
                                (uint32_t)k->class, k->weight, s, why);
    *out = s;
    return err;
}
