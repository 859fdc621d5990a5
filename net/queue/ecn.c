/* Step marking (DCTCP, SIGCOMM'10, section 3.1): data packets that find more
 * than `threshold` in front of them are marked; tail drop at `capacity`. */
#include "core/units.h"
#include "net/queue/idle.h"
#include "net/queue/queue.h"

/* Sizes in bytes, the packet in service included. */
struct ecn {
    uint64_t capacity;
    struct orr_by_rate threshold; /* bytes */
};

static const char *unreached(const void *set, const void *around)
{
    const struct ecn *q = set;

    return orr__idle_beyond(around, q->capacity, &q->threshold);
}

static const struct orr_param params[] = {
    {.key = "capacity",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct ecn, capacity),
     .fallback = "1MiB",
     .min = "1B",
     .help = "bytes that may wait, the packet in service included",
     .idle = orr__idle_capacity},
    {.key = "threshold",
     .type = ORR_PARAM_SIZE_BY_RATE,
     .offset = offsetof(struct ecn, threshold),
     .fallback = "100KB",
     .help = "a data packet that finds more than this is marked (K)",
     .idle = unreached},
    ORR_PARAM_END,
};

static void limits(const void *p, uint64_t rate_bps,
                   struct orr_queue_limits *out)
{
    const struct ecn *q = p;

    out->drop_ps = orr__serialisation(q->capacity, rate_bps);
    out->mark_ps = orr__serialisation(
        orr__queue_value(&q->threshold, rate_bps).size, rate_bps);
}

static bool marks(const void *p)
{
    (void)p;
    return true;
}

extern const struct orr_queue_ops orr__queue_ecn;
const struct orr_queue_ops orr__queue_ecn = {
    .name = "ecn",
    .doc = "first in, first out; marks above a threshold, drops packets that "
           "do not fit",
    .params_size = sizeof(struct ecn),
    .params = params,
    .limits = limits,
    .threshold = true,
    .marks = marks,
};
