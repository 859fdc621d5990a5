/* Steady state: the first and the last flows of an entry run like all others,
 * and are left out of the figures, as what they meet is not what the flows
 * between them do. */
#include <stdlib.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/flow/build.h"

static const struct orr_param params[] = {
    {"warmup", ORR_PARAM_TEXT, offsetof(struct orr_flow_window_keys, warmup),
     "", NULL, NULL, NULL,
     "flows not measured at the start: a time from the first one, or a number: "
     "1ms, or 100"},
    {"cooldown", ORR_PARAM_TEXT,
     offsetof(struct orr_flow_window_keys, cooldown), "", NULL, NULL, NULL,
     "the same at the end"},
    ORR_PARAM_END,
};

const struct orr_param *orr__flow_window_params(void)
{
    return params;
}

/* A time, or -1 and a number of flows. */
struct stretch {
    int64_t time_ps, count;
};

/* A number of flows or a time, ps. */
static orr_err read_stretch(struct orr_flow_list *l, const char *text,
                            const char *key, const struct orr_yaml *entry,
                            struct stretch *s, struct orr_report *why)
{
    *s = (struct stretch){.time_ps = -1};
    if (!text || (orr__parse_int(text, &s->count) == NULL && s->count >= 0))
        return ORR_OK;
    if (orr__parse_time(text, &s->time_ps) == NULL)
        return ORR_OK;
    orr_err err =
        orr__yaml_fail(l->world->config, orr__yaml_get(entry, key), why,
                       "flows.%s: \"%s\" is neither a time nor "
                       "a number of flows",
                       key, text);
    orr__hint(why, "write 1ms, or 100");
    return err;
}

static int by_start(const void *a, const void *b, void *arg)
{
    const struct orr_flow *flow = arg;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    if (flow[i].start_ps != flow[j].start_ps)
        return flow[i].start_ps < flow[j].start_ps ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* order: the flows that start by themselves, by their start. */
static void set_aside(struct orr_flow *flow, const uint32_t *order, uint32_t n,
                      const struct stretch *first, const struct stretch *last)
{
    for (uint32_t i = 0; i < n; i++) {
        struct orr_flow *f = &flow[order[i]];
        int64_t from = f->start_ps - flow[order[0]].start_ps;
        int64_t to = flow[order[n - 1]].start_ps - f->start_ps;
        f->aside =
            (first->time_ps >= 0 ? from < first->time_ps : i < first->count)
            || (last->time_ps >= 0 ? to < last->time_ps : n - i <= last->count);
    }
}

orr_err orr__flow_window_apply(struct orr_flow_list *l, uint32_t from,
                               const struct orr_flow_window_keys *k,
                               const struct orr_yaml *entry,
                               struct orr_report *why)
{
    struct stretch first, last;
    uint32_t n = 0;
    if (!k->warmup && !k->cooldown)
        return ORR_OK;
    orr_err err = read_stretch(l, k->warmup, "warmup", entry, &first, why);
    if (!err)
        err = read_stretch(l, k->cooldown, "cooldown", entry, &last, why);
    if (err)
        return err;
    uint32_t *order = orr__alloc(l->count - from, sizeof *order);
    if (!order)
        return orr__no_memory(why);
    for (uint32_t i = from; i < l->count; i++)
        if (l->flow[i].start_ps >= 0)
            order[n++] = i;
    qsort_r(order, n, sizeof *order, by_start, l->flow);
    set_aside(l->flow, order, n, &first, &last);
    orr__free(order);
    return ORR_OK;
}
