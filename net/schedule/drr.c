/* Deficit round robin (Shreedhar and Varghese, SIGCOMM'95): when its turn
 * comes a class may send a quantum more, its weight times a full packet, and
 * what it does not use of it while it has packets stays its own. */
#include "net/fabric/fabric.h"
#include "net/fabric/queue.h"
#include "net/schedule/schedule.h"

static int64_t quantum(const struct orr_net_config *c, uint32_t class)
{
    int64_t bytes =
        (int64_t)(c->class_weight[class] * (double)(c->mtu + c->header));

    return bytes > 0 ? bytes : 1;
}

/* Ends: each round gives those that are ready at least a byte, and there is
 * one. The smallest weight is 1/100, so some hundred rounds at most. */
static uint32_t choose(struct orr_queue *q, const struct orr_net_config *c,
                       uint32_t ready)
{
    for (;;) {
        uint32_t turn = q->served;
        struct orr_fifo *f = &q->fifo[turn];

        if (f->head == f->tail)
            f->credit = 0;
        else if (ready >> turn & 1
                 && f->credit >= orr__packet_size(orr__fifo_at(f, f->head)))
            return turn;
        turn = turn + 1 == q->fifos ? 0 : turn + 1;
        q->served = (uint8_t)turn;
        if (ready >> turn & 1)
            q->fifo[turn].credit += quantum(c, turn);
    }
}

static void taken(struct orr_queue *q, const struct orr_net_config *c,
                  uint32_t class)
{
    struct orr_fifo *f = &q->fifo[class];

    f->credit -= orr__packet_size(orr__fifo_at(f, f->head));
}

extern const struct orr_schedule_ops orr__schedule_drr;
const struct orr_schedule_ops orr__schedule_drr = {
    .name = "drr",
    .doc = "deficit round robin, by weight",
    .weighted = true,
    .choose = choose,
    .taken = taken,
};
