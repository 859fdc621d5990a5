/* In order of arrival, whatever the class. With PFC classes wait apart, so that
 * one that is paused does not hold up the others. */
#include "net/fabric/queue.h"
#include "net/schedule/schedule.h"

/* The class whose head came first; tickets wrap, so they are compared by
 * difference. */
static uint32_t choose(struct orr_queue *q, const struct orr_net_config *c,
                       uint32_t ready)
{
    uint32_t best = UINT32_MAX, least = 0;

    for (uint32_t i = 0; i < q->fifos; i++) {
        const struct orr_fifo *f = &q->fifo[i];
        uint32_t order;

        if (!(ready >> i & 1))
            continue;
        order = orr__ticket_order(orr__fifo_at(f, f->head));
        if (best == UINT32_MAX || (int32_t)(order - least) < 0) {
            best = i;
            least = order;
        }
    }
    return best;
}

extern const struct orr_schedule_ops orr__schedule_fifo;
const struct orr_schedule_ops orr__schedule_fifo = {
    .name = "fifo",
    .doc = "in order of arrival",
    .by_arrival = true,
    .choose = choose,
};
