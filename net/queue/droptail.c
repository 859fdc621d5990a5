/* Tail drop: first in, first out, up to a capacity in bytes. */
#include "core/units.h"
#include "net/queue/idle.h"
#include "net/queue/queue.h"

/* Bytes, the packet in service included. */
struct droptail {
    uint64_t capacity;
};

static const struct orr_param params[] = {
    {.key = "capacity",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct droptail, capacity),
     .fallback = "1MiB",
     .min = "1B",
     .help = "bytes that may wait, the packet in service included",
     .idle = orr__idle_capacity},
    ORR_PARAM_END,
};

static void limits(const void *p, uint64_t rate_bps,
                   struct orr_queue_limits *out)
{
    const struct droptail *q = p;

    out->drop_ps = orr__serialisation(q->capacity, rate_bps);
    out->mark_ps = ORR_NEVER;
}

extern const struct orr_queue_ops orr__queue_droptail;
const struct orr_queue_ops orr__queue_droptail = {
    .name = "droptail",
    .doc = "first in, first out; drops packets that do not fit",
    .params_size = sizeof(struct droptail),
    .params = params,
    .limits = limits,
};
