/* The family of schedulers: which of its queues an explicit port serves next.
 * One member a file, one line in list.h. */
#ifndef ORR_NET_SCHEDULE_SCHEDULE_H
#define ORR_NET_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct orr_queue;
struct orr_net_config;

/* A member of the family. Calls come from the port's process. */
struct orr_schedule_ops {
    const char *name, *doc;
    bool by_arrival; /* classes need no queues of their own */
    bool by_class;   /* a higher class always goes first: so do NICs */
    bool weighted;   /* uses the weights */
    bool by_share;   /* a queue for each share of the port (shares.h) instead
                      * of each class: what the calls below name but resumed */
    /* The class served next: one of those in `ready`, a bit per class, not 0.
     * Its head is then taken; `bytes` of head i: orr__fifo_at(). By share: one
     * in those classes, and UINT32_MAX if none of them has a head. */
    uint32_t (*choose)(struct orr_queue *q, const struct orr_net_config *c,
                       uint32_t ready);
    /* The head of this class is about to be taken. NULL: no matter. */
    void (*taken)(struct orr_queue *q, const struct orr_net_config *c,
                  uint32_t class);
    /* This class was empty and has a head now. NULL: no matter. */
    void (*woken)(struct orr_queue *q, const struct orr_net_config *c,
                  uint32_t class);
    /* This class is no longer paused, and (but by share) has a head. NULL: no
     * matter. */
    void (*resumed)(struct orr_queue *q, const struct orr_net_config *c,
                    uint32_t class);
    /* The port has nothing left to send. NULL: no matter. */
    void (*idle)(struct orr_queue *q);
};

/* NULL-ended, in the order of list.h. */
const struct orr_schedule_ops *const *orr__schedules(void);
/* The first one that serves by class. */
const struct orr_schedule_ops *orr__schedule_by_class(void);

#endif
