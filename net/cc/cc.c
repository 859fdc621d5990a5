/* The registry of congestion controls, and how one is read. */
#include "net/cc/cc.h"

#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/config/family.h"
#include "core/memory.h"
#include "net/cc/idle.h"
#include "net/cc/list.h"
#include "net/cc/plugin.h"

ORR_FAMILY(orr__cc_kinds, ORR_CC_LIST, struct orr_cc_ops, orr__cc_)

/* The i-th control there is, ours first; NULL past the last. */
static const struct orr_cc_ops *member(const struct orr_config *c, size_t i)
{
    const struct orr_cc_ops *const *ours = orr__cc_kinds();
    size_t n = 0;

    while (ours[n])
        n++;
    return i < n ? ours[i] : orr__cc_plugged(c, i - n);
}

/* The member with this name, among those that `wrapper` may wrap, if any.
 * ORR_ECONFIG with the names that may stand here. */
static orr_err find_control(const struct orr_module *m,
                            const struct orr_cc_ops *wrapper,
                            const struct orr_cc_ops **out)
{
    const char *names[ORR_MODULE_KINDS] = {NULL};
    const struct orr_cc_ops *ops;
    size_t n = 0;
    orr_err err;

    *out = NULL;
    for (size_t i = 0; (ops = member(m->c, i)); i++) {
        if (wrapper && (ops->wraps || (!ops->state_size && !wrapper->alone)))
            continue;
        if (n < ORR_MODULE_KINDS - 1)
            names[n++] = ops->name;
        if (m->name && strcmp(m->name, ops->name) == 0)
            *out = ops;
    }
    if (*out)
        return ORR_OK;
    err = orr__module_unknown(m, names);
    ORR_ASSERT(err != ORR_OK);
    return err;
}

static void *new_params(const struct orr_module *m,
                        const struct orr_cc_ops *ops)
{
    size_t size = ops->params_size;
    void *p = orr__arena_alloc(orr__config_arena(m->c), 1, size ? size : 1);

    if (p && ops->plugin)
        memcpy(p, &ops->plugin, sizeof ops->plugin);
    return p;
}

/* The table of a control and what it fills; its keys are asked of if there are
 * facts. */
static orr_err make_set(const struct orr_module *m,
                        const struct orr_cc_ops *ops, void *params,
                        const struct orr_cc_facts *facts,
                        struct orr_param_set *set)
{
    struct orr_cc_around *a =
        orr__arena_alloc(orr__config_arena(m->c), 1, sizeof *a);

    if (!params || !a)
        return orr__no_memory(m->why);
    *a = (struct orr_cc_around){params, facts};
    *set = (struct orr_param_set){ops->params, params, facts ? a : NULL};
    return ORR_OK;
}

static orr_err check_control(const struct orr_module *m,
                             const struct orr_cc_ops *ops, void *params)
{
    return ops->check ? ops->check(m->c, m->at, params, m->why) : ORR_OK;
}

/* "network.cc" and "base" are "network.cc.base". NULL: out of memory. */
static const char *path_below(const struct orr_module *m, const char *key)
{
    size_t size = strlen(m->what) + strlen(key) + 2;
    char *path = orr__arena_alloc(orr__config_arena(m->c), size, 1);

    if (path)
        snprintf(path, size, "%s.%s", m->what, key);
    return path;
}

/* Reads `base` and its parameters, which stand beside those of the wrapper. */
static orr_err read_wrapped(const struct orr_module *m,
                            const struct orr_cc_facts *facts, struct orr_cc *cc,
                            void *params)
{
    struct orr_cc_base *base = params;
    struct orr_module inner = *m;
    struct orr_param_set sets[2];
    const struct orr_yaml *named = orr__yaml_get(m->node, "base");
    void *base_params;
    orr_err err;

    inner.name = named && orr__yaml_is_scalar(named)
                     ? orr__yaml_text(m->c, named)
                     : cc->ops->params->fallback;
    inner.at = named ? named : m->at;
    inner.what = path_below(m, "base");
    if (!inner.what)
        return orr__no_memory(m->why);
    err = find_control(&inner, cc->ops, &base->ops);
    if (err != ORR_OK)
        return err;
    base_params = new_params(m, base->ops);
    base->params = base_params;
    err = make_set(m, cc->ops, params, facts, &sets[0]);
    if (err == ORR_OK)
        err = make_set(m, base->ops, base_params, facts, &sets[1]);
    if (err == ORR_OK)
        err = orr__module_read(m, sets, 2);
    if (err == ORR_OK)
        err = check_control(m, base->ops, base_params);
    cc->state_size =
        ((cc->state_size + 15) & ~(size_t)15) + base->ops->state_size;
    cc->telemetry |= base->ops->telemetry;
    cc->signals = base->ops->signals;
    if (base->ops->marks)
        cc->marks = base->ops->name;
    if (base->ops->cnp_interval)
        cc->cnp_interval_ps = base->ops->cnp_interval(base->params);
    if (base->ops->pint)
        cc->pint = base->ops->pint(base->params);
    return err;
}

/* Fills a control from its parameters; they are in the document's arena. What
 * ports and receivers need to know of it (telemetry, CNP, PINT) is copied out
 * of its ops. */
static orr_err read_one(const struct orr_module *m,
                        const struct orr_cc_facts *facts, struct orr_cc *cc)
{
    void *params = new_params(m, cc->ops);
    struct orr_param_set set;
    orr_err err = make_set(m, cc->ops, params, facts, &set);

    if (err != ORR_OK)
        return err;
    cc->params = params;
    cc->state_size = cc->ops->state_size;
    cc->telemetry = cc->ops->telemetry;
    cc->marks = cc->ops->marks ? cc->ops->name : NULL;
    cc->signals = cc->ops->signals;
    if (cc->ops->wraps)
        err = read_wrapped(m, facts, cc, params);
    else
        err = orr__module_read(m, &set, 1);
    if (err == ORR_OK)
        err = check_control(m, cc->ops, params);
    if (err == ORR_OK && cc->ops->cnp_interval)
        cc->cnp_interval_ps = cc->ops->cnp_interval(params);
    if (err == ORR_OK && cc->ops->pint)
        cc->pint = cc->ops->pint(params);
    return err;
}

orr_err orr__cc_read_or(struct orr_config *c, const struct orr_yaml *node,
                        const char *what, const char *fallback,
                        const struct orr_cc_facts *facts,
                        const struct orr_cc **out, struct orr_report *why)
{
    struct orr_module m = {.c = c, .node = node, .what = what, .why = why};
    struct orr_cc *cc = orr__arena_alloc(orr__config_arena(c), 1, sizeof *cc);
    orr_err err;

    if (!cc)
        return orr__no_memory(why);
    orr__module_name(&m, fallback);
    err = find_control(&m, NULL, &cc->ops);
    if (err == ORR_OK)
        err = read_one(&m, facts, cc);
    *out = cc;
    return err;
}

orr_err orr__cc_read(struct orr_config *c, const struct orr_yaml *node,
                     const char *what, const struct orr_cc_facts *facts,
                     const struct orr_cc **out, struct orr_report *why)
{
    return orr__cc_read_or(c, node, what, "none", facts, out, why);
}

bool orr__cc_has_snapshot(const struct orr_cc *cc)
{
    const struct orr_cc_base *base = cc->params;

    if (!cc->ops->state_size)
        return true;
    return cc->ops->snapshot
           && (!cc->ops->wraps || (base->ops && base->ops->snapshot));
}

/* Whatever path it is: a control that sets its own window sets one on any, and
 * whatever it was given; a largest one is no window of its own. */
bool orr__cc_begins(const struct orr_cc *cc)
{
    static const struct orr_cc_path path = {
        .line_bps = 100000000000,
        .base_rtt_ps = 10000000,
        .packet_bytes = 1000,
        .payload_bytes = 1000,
        .hops = 2,
    };
    struct orr_cc_window w[2] = {{.cwnd = 1, .gain = 1},
                                 {.cwnd = 12345, .gain = 1}};

    if (!cc->state_size)
        return false;
    if (!cc->ops->init || cc->ops->plugin)
        return true;
    for (int i = 0; i < 2; i++) {
        void *state = orr__alloc(1, cc->state_size);
        if (!state)
            return true;
        cc->ops->init(state, cc->params, &w[i], &path);
        orr__free(state);
    }
    return w[0].cwnd < w[1].cwnd || w[0].cwnd > w[1].cwnd;
}

bool orr__cc_rdma(const struct orr_cc *cc)
{
    const struct orr_cc_base *base = cc->params;

    return cc->ops->rdma || (cc->ops->wraps && base->ops && base->ops->rdma);
}

bool orr__cc_doubles(const struct orr_cc *cc)
{
    const struct orr_cc_base *base = cc->params;

    return cc->ops->doubles
           || (cc->ops->wraps && base->ops && base->ops->doubles);
}
