#include "net/queue/idle.h"

#include "net/config/config.h"

const char *orr__idle_capacity(const void *set, const void *around)
{
    const struct orr_net_config *c = around;

    return c && c->buffer.shared && !c->used.hosts_forward
                   && !(c->pfc.enabled && c->pfc.lossy)
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

/* Bytes that a packet finds where queues have a limit, at most. */
static uint64_t most_before(const struct orr_net_config *c)
{
    uint64_t data = orr__largest_payload(c) + c->header;
    return (uint64_t)(c->limit - 1) * (data > c->ack ? data : c->ack);
}

const char *orr__idle_beyond(const void *around, uint64_t capacity,
                             const struct orr_by_rate *threshold)
{
    const struct orr_net_config *c = around;
    uint64_t least = least_size(threshold);

    if (!c || c->pfc.enabled || c->nic.marks)
        return NULL;
    /* by default it is at least a byte, whatever the rate */
    if (c->limit != ORR_AUTO
        && (least == ORR_AUTO_SIZE ? c->limit == 1 : least >= most_before(c)))
        return "no packet ever finds as much, by `limit`: none is marked";
    return least != ORR_AUTO_SIZE && !c->buffer.shared && least >= capacity
               ? "it is not below `capacity`, at which packets are dropped: "
                 "none is ever marked"
               : NULL;
}
