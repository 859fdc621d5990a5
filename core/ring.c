#include "core/ring.h"

#include <string.h>

#include "core/assert.h"

void *orr__ring_larger(const void *ring, uint32_t *room, uint32_t head,
                       uint32_t tail, uint32_t least, size_t size)
{
    const char *from = ring;
    uint32_t more = 2 * *room;
    char *to;

    ORR_ASSERT((*room & (*room - 1)) == 0 && (least & (least - 1)) == 0);
    ORR_ASSERT(tail - head <= *room);
    if (*room && more == 0) /* more than numbers can tell apart */
        return NULL;
    more = more > least ? more : least;
    to = orr__alloc_lines_bare(more, size);
    if (!to)
        return NULL;
    /* in at most two runs: what lies side by side in the old one does so in
     * the new one */
    for (uint32_t i = head, n; i != tail; i += n) {
        size_t place = i & (*room - 1);

        n = tail - i < *room - place ? tail - i : *room - (uint32_t)place;
        memcpy(to + (i & (more - 1)) * size, from + place * size, n * size);
    }
    *room = more;
    return to;
}
