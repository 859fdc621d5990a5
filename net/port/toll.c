#include "net/port/toll.h"
#include "net/fabric/queue.h"

#include "core/assert.h"
#include "core/memory.h"

bool orr__toll_init(struct orr_queue *q)
{
    if (q->outages)
        q->toll = orr__alloc(q->outages, sizeof *q->toll);
    return q->toll || !q->outages;
}

void orr__toll_fini(struct orr_queue *q)
{
    for (uint32_t i = 0; q->toll && i < q->outages; i++)
        orr__spans_fini(&q->toll[i].ahead);
    orr__free(q->toll);
}

uint32_t orr__toll_taker(const struct orr_queue *q, const struct orr_packet *p,
                         int64_t queued, int64_t arrives)
{
    const struct orr_outage *o = q->outage;
    uint32_t i = orr__outage_after(o, q->outages, queued);

    if (i == q->outages || arrives < o[i].down)
        return ORR_NO_OUTAGE;
    /* of those that are over, the first that was not when it was queued */
    while (queued < 0
           && (int32_t)(orr__ticket_order(p) - q->toll[i].order) >= 0) {
        i++;
        ORR_ASSERT(i < q->outages);
    }
    return i;
}

void orr__toll_count(struct orr_net *n, struct orr_queue *q, uint32_t outage,
                     int64_t now, int64_t from, int64_t left)
{
    struct orr_toll *t = &q->toll[outage];

    t->packets++;
    if (q->explicit)
        return;
    orr__spans_forget(&t->ahead, now);
    if (!orr__spans_add(&t->ahead, from, left))
        orr__fabric_out_of_memory(n);
}
