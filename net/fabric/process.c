/* Sources of a process in blocks: which of them has the next event. */
#include "net/fabric/process.h"

#include "core/units.h"

/* Looks at the others only if the smallest itself has moved on, and no further
 * than to one that is as small. */
void orr__block_set(struct orr_process *p, uint32_t source, int64_t at)
{
    int64_t *least = &p->block[source >> p->block_shift];
    uint32_t i = source >> p->block_shift << p->block_shift;
    uint32_t end = i + (1u << p->block_shift);
    int64_t found = ORR_NEVER, old = p->at[source];

    p->at[source] = at;
    if (at <= *least) {
        *least = at;
        return;
    }
    if (old > *least)
        return;
    end = end < p->sources ? end : p->sources;
    for (; i < end && found > *least; i++)
        found = p->at[i] < found ? p->at[i] : found;
    *least = found;
}

void orr__process_reblock(struct orr_process *p)
{
    if (!p->block)
        return;
    for (uint32_t i = 0; i < p->blocks; i++)
        p->block[i] = ORR_NEVER;
    for (uint32_t i = 0; i < p->sources; i++) {
        int64_t *least = &p->block[i >> p->block_shift];

        *least = p->at[i] < *least ? p->at[i] : *least;
    }
}
