#include "workload/breakdown.h"

static int64_t exposed(const struct orr_rank_record *r)
{
    return r->communication_ps - r->overlap_ps;
}

static bool slower(const struct orr_rank_record *a,
                   const struct orr_rank_record *b)
{
    if (a->compute_ps != b->compute_ps)
        return a->compute_ps > b->compute_ps;
    return exposed(a) < exposed(b);
}

bool orr__breakdown(const struct orr_job *j, struct orr_breakdown *b)
{
    uint32_t n = 0;
    *b = (struct orr_breakdown){.sent_least = UINT64_MAX};
    for (uint32_t i = 0; j->rank && i < j->ranks; i++) {
        const struct orr_rank_record *r = &j->rank[i];
        if (r->iterations == 0)
            continue;
        double times = r->iterations;
        if (n++ == 0 || slower(r, &j->rank[b->slowest]))
            b->slowest = i;
        b->compute += (double)r->compute_ps / times;
        b->communication += (double)r->communication_ps / times;
        b->overlap += (double)r->overlap_ps / times;
        b->exposed += (double)exposed(r) / times;
        if (r->bytes_sent < b->sent_least)
            b->sent_least = r->bytes_sent;
        if (r->bytes_sent > b->sent_most)
            b->sent_most = r->bytes_sent;
    }
    if (n == 0)
        return false;
    b->compute /= n;
    b->communication /= n;
    b->overlap /= n;
    b->exposed /= n;
    const struct orr_rank_record *s = &j->rank[b->slowest];
    b->slowest_compute = (double)s->compute_ps / s->iterations;
    b->slower = b->compute > 0 ? b->slowest_compute / b->compute : 1;
    return true;
}
