/* Stretches of a port's future, in order of time: those that are over are
 * forgotten, so that there are never more than the port has packets. */
#ifndef ORR_NET_PORT_SPAN_H
#define ORR_NET_PORT_SPAN_H

#include <stdbool.h>
#include <stdint.h>

/* One stretch, from <= t < until. */
struct orr_span {
    int64_t from, until; /* ps */
};

struct orr_spans {             /* zeroed: none */
    struct orr_span *ring;     /* owned; they do not overlap */
    uint32_t head, tail, room; /* head and tail count on, and go round; room: a
                                * power of two, or 0 */
};

/* After all so far. False when out of memory. */
bool orr__spans_add(struct orr_spans *s, int64_t from, int64_t until);
void orr__spans_fini(struct orr_spans *s);

/* The one numbered i, from head up to but not with tail. */
static inline const struct orr_span *orr__span_at(const struct orr_spans *s,
                                                  uint32_t i)
{
    return &s->ring[i & (s->room - 1)];
}

/* Forgets those that are over at `now`. */
static inline void orr__spans_forget(struct orr_spans *s, int64_t now)
{
    while (s->head != s->tail && orr__span_at(s, s->head)->until <= now)
        s->head++;
}

/* How many are not over at t, and how many of them have not begun: what
 * happens at t itself is still to come. */
uint32_t orr__spans_open(const struct orr_spans *s, int64_t t);
uint32_t orr__spans_ahead(const struct orr_spans *s, int64_t t);

#endif
