#include "net/queue/idle.h"

#include "net/config/config.h"

const char *orr__idle_capacity(const void *set, const void *around)
{
    const struct orr_net_config *c = around;

    return c && c->buffer.shared && !c->used.hosts_forward
               ? "with `buffer: {kind: shared}` the memory of a switch bounds "
                 "its queues"
               : NULL;
}

/* The least of all rates. */
static uint64_t least_size(const struct orr_by_rate *b)
{
    uint64_t least = b->n ? UINT64_MAX : b->one.size;
    for (size_t i = 0; i < b->n; i++)
        if (b->entry[i].value.size < least)
            least = b->entry[i].value.size;
    return least;
}

const char *orr__idle_beyond(const void *around, uint64_t capacity,
                             const struct orr_by_rate *threshold)
{
    const struct orr_net_config *c = around;
    uint64_t least = least_size(threshold);

    return c && !c->buffer.shared && !c->pfc.enabled && !c->nic.marks
                   && least >= capacity && least != ORR_AUTO_SIZE
               ? "it is not below `capacity`, at which packets are dropped: "
                 "none is ever marked"
               : NULL;
}
