/* Self-clocked fair queueing (Golestani, INFOCOM'94): a packet's virtual finish
 * is bytes / weight after the later of that of its class's packet before it and
 * that of the packet in service; the least goes first. Only heads need one: a
 * packet that finds others of its class is later than any in service. */
#include "net/fabric/fabric.h"
#include "net/fabric/queue.h"
#include "net/schedule/schedule.h"

static uint32_t choose(struct orr_queue *q, const struct orr_net_config *c,
                       uint32_t ready)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < q->fifos; i++)
        if (ready >> i & 1
            && (best == UINT32_MAX || q->fifo[i].finish < q->fifo[best].finish))
            best = i;
    return best;
}

static double service_span(const struct orr_net_config *c, uint32_t class,
                           const struct orr_packet *p)
{
    return (double)orr__packet_size(p) / c->class_weight[class];
}

static void taken(struct orr_queue *q, const struct orr_net_config *c,
                  uint32_t class)
{
    struct orr_fifo *f = &q->fifo[class];

    q->virtual = f->finish;
    if (f->head + 1 != f->tail)
        f->finish += service_span(c, class, orr__fifo_at(f, f->head + 1));
}

static void woken(struct orr_queue *q, const struct orr_net_config *c,
                  uint32_t class)
{
    struct orr_fifo *f = &q->fifo[class];
    double from = f->finish > q->virtual ? f->finish : q->virtual;

    f->finish = from + service_span(c, class, orr__fifo_at(f, f->head));
}

/* A class that was paused has no claim on what it missed. */
static void resumed(struct orr_queue *q, const struct orr_net_config *c,
                    uint32_t class)
{
    struct orr_fifo *f = &q->fifo[class];
    double fresh = q->virtual
                   + service_span(c, class, orr__fifo_at(f, f->head));

    if (f->finish < fresh)
        f->finish = fresh;
}

static void idle(struct orr_queue *q)
{
    q->virtual = 0;
    for (uint32_t i = 0; i < q->fifos; i++)
        q->fifo[i].finish = 0;
}

extern const struct orr_schedule_ops orr__schedule_wfq;
const struct orr_schedule_ops orr__schedule_wfq = {
    .name = "wfq",
    .doc = "weighted fair queueing (self-clocked), by weight",
    .weighted = true,
    .choose = choose,
    .taken = taken,
    .woken = woken,
    .resumed = resumed,
    .idle = idle,
};
