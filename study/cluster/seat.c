/* Which GPUs a job gets: the placement's choice or, of several that it might
 * make, the one whose circles fit best. */
#include <string.h>

#include "study/cluster/engine.h"
#include "workload/cluster/seat/seat.h"

orr_err orr__engine_seat(struct orr_engine *e, uint32_t job, uint32_t *gpu,
                         bool *found, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    return c->seat->choose(c, c->seat_params, job, 0, gpu, found, why);
}
