#include "core/array.h"

#include "core/assert.h"
#include "core/memory.h"

#define FIRST 8

void *orr__array_grow(void *p, size_t *room, size_t want, size_t most,
                      size_t size)
{
    size_t next = *room > most / 2 ? most : 2 * *room;
    void *more;

    ORR_ASSERT(want > *room && (p != NULL) == (*room > 0));
    if (want > most)
        return NULL;
    if (next < FIRST)
        next = FIRST < most ? FIRST : most;
    if (next < want)
        next = want;
    more = orr__resize(p, next, size);
    if (more)
        *room = next;
    return more;
}
