/* Every job, and every flow of no job, has a queue of its own at each port that
 * it passes, and they share the port by their weights, whatever their number:
 * see shares.h. */
#include "net/fabric/queue.h"
#include "net/schedule/schedule.h"
#include "net/schedule/shares.h"

static uint32_t choose(struct orr_queue *q, const struct orr_net_config *c,
                       uint32_t ready)
{
    return orr__shares_first(q->shares, ready);
}

static void taken(struct orr_queue *q, const struct orr_net_config *c,
                  uint32_t share)
{
    const struct orr_fifo *f = &q->fifo[share];

    orr__shares_charge(q->shares, share,
                       orr__packet_size(orr__fifo_at(f, f->head)));
    if (f->head + 1 == f->tail)
        orr__shares_sleep(q->shares, share);
}

static void woken(struct orr_queue *q, const struct orr_net_config *c,
                  uint32_t share)
{
    orr__shares_wake(q->shares, share);
}

static void resumed(struct orr_queue *q, const struct orr_net_config *c,
                    uint32_t class)
{
    orr__shares_resume(q->shares, class);
}

extern const struct orr_schedule_ops orr__schedule_fair;
const struct orr_schedule_ops orr__schedule_fair = {
    .name = "fair",
    .doc = "a queue for each job and for each flow without a job; exact shares "
           "by `weight` (start-time fair queueing)",
    .by_share = true,
    .choose = choose,
    .taken = taken,
    .woken = woken,
    .resumed = resumed,
};
