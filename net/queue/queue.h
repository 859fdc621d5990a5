/* The family of queues: how a port treats packets that have to wait. One
 * member a file, one line in list.h.
 *
 * A port's queue is measured in time: the backlog is what is left to send, the
 * packet in service counted by what is left of it. A FIFO member only sets
 * limits on it, and they mean the same to computed and to explicit ports. */
#ifndef ORR_NET_QUEUE_QUEUE_H
#define ORR_NET_QUEUE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "core/param.h"

struct orr_queue_limits {
    int64_t drop_ps; /* drop if backlog + own serialisation is more than this */
    int64_t mark_ps; /* mark if the backlog is more than this */
};

struct orr_queue_ops {
    const char *name, *doc;
    size_t params_size;             /* of the struct that params fill */
    const struct orr_param *params; /* beside `kind` */
    /* The limits for a port of this rate. Never fails; called once a port. */
    void (*limits)(const void *params, uint64_t rate_bps,
                   struct orr_queue_limits *out);
};

const struct orr_queue_ops *const *orr__queue_kinds(void); /* NULL-ended */

#endif
