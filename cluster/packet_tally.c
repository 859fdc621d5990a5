#include "cluster/packet_tally.h"
#include "core/none.h"

#include <math.h>

#include "core/memory.h"

/* How well the means of a constellation are known. */
static orr_err count_set(struct orr_packet_tally *t, struct orr_engine *e,
                         uint64_t key, const struct orr_outcome *out,
                         uint32_t n, struct orr_report *why)
{
    bool settled = true;
    if (orr__table_find(&t->known, key) != ORR_NONE)
        return ORR_OK;
    if (!orr__table_add(&t->known, key, 0))
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++) {
        e->counts.reckoned += out[i].iterations;
        settled &= out[i].settled;
        if (isfinite(out[i].half) && out[i].half > e->counts.worst_half)
            e->counts.worst_half = out[i].half;
    }
    e->counts.unsettled += !settled;
    return ORR_OK;
}

orr_err orr__tally_task(struct orr_packet_tally *t, struct orr_engine *e,
                        const struct orr_task *task, struct orr_report *why)
{
    for (uint32_t i = 0; i < task->jobs; i++)
        e->counts.iterations += task->out[i].iterations;
    e->counts.simulated++;
    e->counts.packet_hops += task->hops;
    return count_set(t, e, task->key, task->out, task->jobs, why);
}

orr_err orr__tally_known(struct orr_packet_tally *t, struct orr_engine *e,
                         const struct orr_memo *memo, uint64_t key, uint32_t n,
                         struct orr_report *why)
{
    if (orr__table_find(&t->known, key) != ORR_NONE)
        return ORR_OK;
    struct orr_outcome *out = orr__alloc(n, sizeof *out);
    if (!out)
        return orr__no_memory(why);
    orr_err err = ORR_OK;
    if (orr__memo_find(memo, key, n, out))
        err = count_set(t, e, key, out, n, why);
    orr__free(out);
    return err;
}

void orr__tally_fini(struct orr_packet_tally *t)
{
    orr__table_fini(&t->known);
}
