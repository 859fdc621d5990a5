#include "workload/job/service.h"

#include <stddef.h>
#include <stdio.h>

#include "core/memory.h"
#include "net/net.h"

const struct orr_param orr__service_keys[] = {
    {
        .key = "cc",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct orr_service_keys, cc),
        .fallback = "",
        .help = "a congestion control of its own, as in network.cc",
    },
    {
        .key = "class",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_service_keys, class),
        .fallback = "0",
        .min = "0",
        .max = "7",
        .help = "traffic class of its packets",
    },
    {
        .key = "weight",
        .type = ORR_PARAM_REAL,
        .offset = offsetof(struct orr_service_keys, weight),
        .fallback = "1",
        .min = "0.001",
        .max = "1000",
        .help = "factor on every additive increase of its congestion control; "
                "its part of ports with `scheduler: fair`",
    },
    ORR_PARAM_END,
};
_Static_assert(ORR_MOST_CLASSES == 8, "the largest class above");

const struct orr_param *orr__service_params(void)
{
    return orr__service_keys;
}

orr_err orr__service_read(struct orr_world *w,
                          const struct orr_service_keys *k, const char *name,
                          const struct orr_net_service **out,
                          struct orr_report *why)
{
    char what[64]; /* "jobs[65535].cc" at most */
    struct orr_net_service *s;
    orr_err err;

    *out = NULL;
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
