#include "net/cc/wrapped.h"

#include <string.h>

orr_err orr__cc_with_time(struct orr_config *c, const struct orr_cc *cc,
                          const char *key, int64_t ps,
                          const struct orr_cc **out, struct orr_report *why)
{
    const struct orr_param *p = cc->ops->params;
    *out = NULL;
    while (p && p->key
           && (p->type != ORR_PARAM_TIME || strcmp(p->key, key) != 0))
        p++;
    if (!p || !p->key)
        return ORR_OK;
    struct orr_cc *copy =
        orr__arena_alloc(orr__config_arena(c), 1, sizeof *copy);
    char *params =
        orr__arena_alloc(orr__config_arena(c), cc->ops->params_size, 1);
    if (!copy || !params)
        return orr__no_memory(why);
    memcpy(params, cc->params, cc->ops->params_size);
    memcpy(params + p->offset, &ps, sizeof ps);
    *copy = *cc;
    copy->params = params;
    *out = copy;
    return ORR_OK;
}

orr_err orr__cc_wrap(struct orr_config *c, const struct orr_cc_ops *wrapper,
                     const void *params, const struct orr_cc *base,
                     const struct orr_cc **out, struct orr_report *why)
{
    struct orr_arena *arena = orr__config_arena(c);
    struct orr_cc *cc = orr__arena_alloc(arena, 1, sizeof *cc);
    struct orr_cc_base *own = orr__arena_alloc(arena, wrapper->params_size, 1);
    if (!cc || !own)
        return orr__no_memory(why);
    memcpy(own, params, wrapper->params_size);
    *own = (struct orr_cc_base){base->ops->name, base->ops, base->params};
    *cc = *base;
    cc->ops = wrapper;
    cc->params = own;
    cc->state_size =
        ((wrapper->state_size + 15) & ~(size_t)15) + base->state_size;
    *out = cc;
    return ORR_OK;
}
