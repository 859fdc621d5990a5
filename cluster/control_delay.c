/* A job's end starts another one, which is at other nodes: it takes
 * `control_delay`, where that is given. Without, GPUs are free at once. */
#include <string.h>

#include "cluster/engine.h"
#include "core/array.h"
#include "core/assert.h"
#include "workload/world.h"

orr_err orr__engine_delay(struct orr_engine *e, uint32_t job,
                          struct orr_report *why)
{
    const struct orr_world *w = e->cluster.world;
    const struct orr_cluster_job *j = &e->cluster.job[job];
    int64_t delay = (w->options.control_delay_ps + 999) / 1000;
    int64_t left = INT64_MAX - e->cause_ns;
    int64_t until = left > delay ? e->cause_ns + delay : INT64_MAX - 1;
    if (!w->options.control_delay_given || until <= e->cluster.now_ns)
        return ORR_OK;
    for (uint32_t r = 0; r < j->is.gpus; r++) {
        if (!orr__array_more(e->delay, e->delay_room, e->delays))
            return orr__no_memory(why);
        uint32_t at = e->delays++;
        for (; at > 0 && e->delay[at - 1].until_ns > until; at--)
            e->delay[at] = e->delay[at - 1];
        e->delay[at] = (struct orr_control_delay){j->gpu[r], until};
        e->cluster.inventory.resting[j->gpu[r]]++;
    }
    return ORR_OK;
}

void orr__engine_delay_over(struct orr_engine *e)
{
    uint32_t n = 0;
    for (; n < e->delays && e->delay[n].until_ns <= e->cluster.now_ns; n++) {
        ORR_ASSERT(e->cluster.inventory.resting[e->delay[n].gpu] > 0);
        e->cluster.inventory.resting[e->delay[n].gpu]--;
    }
    if (n)
        memmove(e->delay, &e->delay[n], (e->delays - n) * sizeof *e->delay);
    e->delays -= n;
}
