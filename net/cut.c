/* Gaps of cut-through ports: what they hold and do not send yet. */
#include "net/cut.h"

#include "core/memory.h"

#define FIRST_ROOM 8

static const struct orr_gap *gap_at(const struct orr_queue *q, uint32_t i)
{
    return &q->gap[i & (q->gap_room - 1)];
}

bool orr__cut_gap(struct orr_queue *q, int64_t from, int64_t until)
{
    if (q->gap_tail - q->gap_head == q->gap_room) {
        uint32_t room = q->gap_room ? 2 * q->gap_room : FIRST_ROOM;
        struct orr_gap *gap = orr__alloc(room, sizeof *gap);

        if (!gap)
            return false;
        for (uint32_t i = q->gap_head; i != q->gap_tail; i++)
            gap[i & (room - 1)] = *gap_at(q, i);
        orr__free(q->gap);
        q->gap = gap;
        q->gap_room = room;
    }
    q->gap[q->gap_tail++ & (q->gap_room - 1)]
        = (struct orr_gap){.from = from, .until = until};
    return true;
}

/* What is left of a gap at `now`. */
static int64_t left_of(const struct orr_gap *g, int64_t now)
{
    int64_t from = g->from > now ? g->from : now;

    return g->until > from ? g->until - from : 0;
}

int64_t orr__cut_idle(const struct orr_queue *q, int64_t now)
{
    int64_t idle = 0;

    for (uint32_t i = q->gap_head; i != q->gap_tail; i++)
        idle += left_of(gap_at(q, i), now);
    return idle;
}

double orr__cut_idle_area(const struct orr_queue *q, int64_t now,
                          int64_t backlog)
{
    int64_t idle = 0;
    double area = 0;

    for (uint32_t i = q->gap_head; i != q->gap_tail; i++) {
        const struct orr_gap *g = gap_at(q, i);
        int64_t left = left_of(g, now);
        /* sent between now and the gap: all that time but earlier gaps */
        int64_t sent = g->from > now ? g->from - now - idle : 0;

        area += (double)(backlog - sent) * (double)left;
        idle += left;
    }
    return area;
}
