/* Gaps of cut-through ports: what they hold and do not send yet. */
#include "net/port/cut_through.h"

/* What is left of a gap at `now`. */
static int64_t left_of(const struct orr_span *g, int64_t now)
{
    int64_t from = g->from > now ? g->from : now;

    return g->until > from ? g->until - from : 0;
}

int64_t orr__cut_idle(const struct orr_queue *q, int64_t now)
{
    int64_t idle = 0;

    for (uint32_t i = q->gaps.head; i != q->gaps.tail; i++)
        idle += left_of(orr__span_at(&q->gaps, i), now);
    return idle;
}

double orr__cut_idle_area(const struct orr_queue *q, int64_t now,
                          int64_t backlog)
{
    int64_t idle = 0;
    double area = 0;

    for (uint32_t i = q->gaps.head; i != q->gaps.tail; i++) {
        const struct orr_span *g = orr__span_at(&q->gaps, i);
        int64_t left = left_of(g, now);
        /* sent between now and the gap: all that time but earlier gaps */
        int64_t sent = g->from > now ? g->from - now - idle : 0;

        area += (double)(backlog - sent) * (double)left;
        idle += left;
    }
    return area;
}
