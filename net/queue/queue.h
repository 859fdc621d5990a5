/* The family of queues: how a port treats packets that have to wait. One
 * member a file, one line in list.h.
 *
 * A port's queue is measured in time: the backlog is what is left to send, the
 * packet in service counted by what is left of it. A FIFO member only sets
 * limits on it, and they mean the same to computed and to explicit ports.
 * Where a port keeps its classes apart, each has a queue and a backlog of its
 * own. */
#ifndef ORR_NET_QUEUE_QUEUE_H
#define ORR_NET_QUEUE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/assert.h"
#include "core/config/param.h"
#include "core/random.h"

/* Limits of one port, in ps of its rate; made by `limits`. */
struct orr_queue_limits {
    int64_t drop_ps; /* drop if backlog + own serialisation is more than this */
    int64_t mark_ps; /* mark if the backlog is more than this */
    /* For `judge`: */
    int64_t kmin_ps, kmax_ps;
    bool at_dequeue; /* asked when a packet is taken out to be sent */
    bool from_kmin;  /* asked only beyond kmin_ps: it passes all others, and
                      * remembers nothing of them */
    /* What does not fit is cut to this many bytes and goes first, as far as
     * first_ps has room, and so do all ACKs; 0: it is dropped. But only `ahead`
     * of these go in a row while other packets wait that may be sent, or as
     * many as have the bytes of a full packet. */
    uint32_t trim_bytes;
    uint32_t ahead;
    uint32_t entry; /* for `judge`: of its map by rate, if it has one */
    int64_t first_ps;
};

#define ORR_AHEAD_A_PACKET 0

enum orr_verdict { ORR_VERDICT_PASS, ORR_VERDICT_MARK, ORR_VERDICT_DROP };

/* What a judge is asked about: a data packet. */
struct orr_queue_case {
    int64_t backlog_ps;        /* found, or with at_dequeue left behind */
    int64_t idle_ps;           /* so long there was none, if there is none */
    int64_t time_ps;           /* that the packet takes */
    double *average;           /* of the queue; 0 at first, the judge's own */
    struct orr_random *random; /* of the port */
};

/* A member of the family. */
struct orr_queue_ops {
    const char *name, *doc;
    size_t params_size;             /* of the struct that params fill */
    const struct orr_param *params; /* beside `kind` and the common ones */
    /* Parameters were read: may refuse them, and fill in what follows from
     * them. NULL: every combination is fine. */
    orr_err (*check)(struct orr_config *c, const struct orr_yaml *at,
                     void *params, struct orr_report *why);
    /* Does it need to see packets leave? NULL: no. */
    bool (*wants_departures)(const void *params);
    /* The limits for a port of this rate; *out is zeroed. Never fails, as
     * orr__queue_fits was asked; called once a port, and again when its rate
     * changes. */
    void (*limits)(const void *params, uint64_t rate_bps,
                   struct orr_queue_limits *out);
    /* Whether a data packet is marked or dropped, beyond the fixed limits. In
     * FIFO order for each port. NULL: no judge. */
    enum orr_verdict (*judge)(const void *params,
                              const struct orr_queue_limits *l,
                              const struct orr_queue_case *q);
    bool trims;     /* sets trim_bytes */
    bool threshold; /* one threshold decides about marks: mark_ps, no judge */
    /* Does it mark packets? NULL: never. */
    bool (*marks)(const void *params);
};

const struct orr_queue_ops *const *orr__queue_kinds(void); /* NULL-ended */
/* What a queue has for this rate, which its map lists (orr__queue_fits). */
static inline union orr_rate_value orr__queue_value(const struct orr_by_rate *b,
                                                    uint64_t rate_bps)
{
    const union orr_rate_value *v = orr__by_rate(b, rate_bps);

    ORR_ASSERT(v);
    return v ? *v : b->one;
}
/* What every kind takes beside its own: for help. */
const struct orr_param *orr__queue_params(void);

#endif
