/* HyStart++ (RFC 9406): when round-trip times begin to rise, the first slow
 * start turns into a slower one, and after five round trips of that into
 * congestion avoidance, before the queue runs over. The limit on how much one
 * ACK counts for is the parameter `growth`, for all of slow start. */
#ifndef ORR_NET_CC_HYSTART_H
#define ORR_NET_CC_HYSTART_H

#include "net/cc/cc.h"

/* Part of Reno's state; `on` is false from the end of the first slow start
 * on. */
struct orr_hystart {
    bool on;             /* in the first slow start */
    bool slower;         /* conservative slow start */
    uint32_t round_end;  /* a round ends when this is acknowledged */
    uint32_t samples;    /* of this round */
    uint32_t rounds;     /* of conservative slow start, this one included */
    int64_t last, least; /* round-trip times, ps: least of the last round and
                          * of this one so far; ORR_NEVER: none */
    int64_t baseline;    /* of the round in which they had risen */
};

/* Nothing measured yet; on: slow start is to end by delay. */
static inline void orr__hystart_init(struct orr_hystart *h, bool on)
{
    h->on = on;
    h->last = h->least = h->baseline = INT64_MAX;
}

/* The share of slow start's growth. */
static inline double orr__hystart_share(const struct orr_hystart *h)
{
    return h->on && h->slower ? 0.25 : 1;
}

/* An ACK in slow start. True: slow start is over. */
bool orr__hystart_acked(struct orr_hystart *h, const struct orr_cc_ack *a);
/* As in orr_cc_ops. */
void orr__hystart_snapshot(const struct orr_hystart *h, struct orr_snapshot *w,
                           uint32_t una);

#endif
