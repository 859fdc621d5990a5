#include "net/port/span.h"

#include "core/assert.h"
#include "core/ring.h"

#define FIRST_ROOM 8

bool orr__spans_add(struct orr_spans *s, int64_t from, int64_t until)
{
    ORR_ASSERT(from <= until);
    ORR_ASSERT(s->head == s->tail
               || orr__span_at(s, s->tail - 1)->until <= from);
    if (s->tail - s->head == s->room
        && !orr__ring_grow(s->ring, s->room, s->head, s->tail, FIRST_ROOM))
        return false;
    s->ring[s->tail++ & (s->room - 1)] =
        (struct orr_span){.from = from, .until = until};
    return true;
}

void orr__spans_fini(struct orr_spans *s)
{
    orr__free(s->ring);
}

uint32_t orr__spans_open(const struct orr_spans *s, int64_t t)
{
    uint32_t i = s->tail;

    while (i != s->head && orr__span_at(s, i - 1)->until >= t)
        i--;
    return s->tail - i;
}

uint32_t orr__spans_ahead(const struct orr_spans *s, int64_t t)
{
    uint32_t i = s->tail;

    while (i != s->head && orr__span_at(s, i - 1)->from >= t)
        i--;
    return s->tail - i;
}
