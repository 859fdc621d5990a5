#include "experiment/breakdown.h"

#include <math.h>

#include "core/assert.h"

static int64_t exposed_time(const struct orr_spent *s)
{
    return s->communication_ps - s->overlap_ps;
}

/* In an iteration: ranks of a run that was stopped ended different numbers. */
static bool slower(const struct orr_rank_record *a,
                   const struct orr_rank_record *b)
{
    __int128 x = (__int128)a->ended.compute_ps * b->iterations;
    __int128 y = (__int128)b->ended.compute_ps * a->iterations;
    if (x != y)
        return x > y;
    return (__int128)exposed_time(&a->ended) * b->iterations
           < (__int128)exposed_time(&b->ended) * a->iterations;
}

bool orr__breakdown(const struct orr_job *j, struct orr_breakdown *b)
{
    uint32_t n = 0;
    *b = (struct orr_breakdown){.sent_least = UINT64_MAX};
    for (uint32_t i = 0; j->rank && i < j->ranks; i++) {
        const struct orr_rank_record *r = &j->rank[i];
        const struct orr_spent *s = &r->ended;
        if (r->iterations == 0)
            continue;
        double times = r->iterations;
        ORR_ASSERT(s->overlap_ps <= s->communication_ps
                   && s->overlap_ps <= s->compute_ps);
        uint64_t sent = s->bytes_sent / r->iterations;
        if (n++ == 0 || slower(r, &j->rank[b->slowest]))
            b->slowest = i;
        b->compute += (double)s->compute_ps / times;
        b->communication += (double)s->communication_ps / times;
        b->overlap += (double)s->overlap_ps / times;
        b->exposed += (double)exposed_time(s) / times;
        if (sent < b->sent_least)
            b->sent_least = sent;
        if (sent > b->sent_most)
            b->sent_most = sent;
    }
    if (n == 0)
        return false;
    b->compute /= n;
    b->communication /= n;
    b->overlap /= n;
    b->exposed /= n;
    ORR_ASSERT(b->sent_least <= b->sent_most && b->slowest < j->ranks);
    const struct orr_rank_record *r = &j->rank[b->slowest];
    b->slowest_compute = (double)r->ended.compute_ps / r->iterations;
    b->slower = b->compute > 0 ? b->slowest_compute / b->compute : 1;
    return true;
}

double orr__computing(const struct orr_job *j, double mean_ps)
{
    struct orr_breakdown b;
    return orr__breakdown(j, &b) && mean_ps > 0 ? b.compute / mean_ps
                                                : (double)NAN;
}
