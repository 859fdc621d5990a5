#include "workload/rank/log.h"
#include "core/none.h"

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/table.h"

bool orr__log_add(struct orr_log *l, int64_t now, uint32_t op,
                  uint32_t iteration)
{
    if (l->n == l->most) {
        l->missed++;
        return true;
    }
    if (!orr__array_more(l->event, l->room, l->n))
        return false;
    ORR_ASSERT(l->n == 0 || l->event[l->n - 1].at_ps <= now);
    l->event[l->n++] = (struct orr_log_event){now, op, iteration};
    return true;
}

static uint64_t key_of(const struct orr_log_event *e)
{
    return (uint64_t)e->iteration << 32 | (e->op & ~ORR_LOG_END);
}

bool orr__log_spans(const struct orr_log *l, struct orr_log_span **spans,
                    uint32_t *n)
{
    struct orr_table open = {.slot = NULL};
    bool ok = true;
    *n = 0;
    *spans = orr__alloc(l->n, sizeof **spans);
    if (!*spans)
        return false;
    for (uint32_t i = 0; i < l->n && ok; i++) {
        const struct orr_log_event *e = &l->event[i];
        if (!(e->op & ORR_LOG_END)) {
            ok = orr__table_add(&open, key_of(e), *n);
            (*spans)[(*n)++] =
                (struct orr_log_span){e->at_ps, -1, e->op, e->iteration};
            continue;
        }
        uint32_t at = orr__table_find(&open, key_of(e));
        if (at != ORR_NONE)
            (*spans)[at].end_ps = e->at_ps;
    }
    orr__table_fini(&open);
    if (!ok) {
        orr__free(*spans);
        *spans = NULL;
    }
    return ok;
}
