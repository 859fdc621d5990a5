/* Calls under way: open addressing by their number. */
#include "workload/rank/run.h"

bool orr__run_remember(struct orr_rank *r, struct orr_run *run)
{
    if (!r->run || r->runs >= r->run_mask - r->run_mask / 4) {
        uint32_t mask = r->run ? r->run_mask * 2 + 1 : 3;
        struct orr_run **p = orr__alloc(mask + (size_t)1, sizeof *p);
        if (!p)
            return false;
        for (uint32_t i = 0; r->run && i <= r->run_mask; i++)
            if (r->run[i])
                p[orr__run_slot(p, mask, r->run[i]->call)] = r->run[i];
        orr__free(r->run);
        r->run = p;
        r->run_mask = mask;
    }
    ORR_ASSERT(
        !orr__run_of(r, run->call)); /* a call ends before it comes again */
    r->run[orr__run_slot(r->run, r->run_mask, run->call)] = run;
    r->recent = run;
    r->runs++;
    return true;
}

/* Moves back what had to go around it. */
void orr__run_forget(struct orr_rank *r, uint32_t call)
{
    uint32_t i = orr__run_slot(r->run, r->run_mask, call), mask = r->run_mask;
    ORR_ASSERT(r->run[i] && r->runs > 0);
    if (r->recent == r->run[i])
        r->recent = NULL;
    orr__free(r->run[i]);
    for (uint32_t j = (i + 1) & mask; r->run[j]; j = (j + 1) & mask) {
        uint32_t home = r->run[j]->call & mask;
        if (((j - home) & mask) >= ((j - i) & mask)) {
            r->run[i] = r->run[j];
            i = j;
        }
    }
    r->run[i] = NULL;
    r->runs--;
}
