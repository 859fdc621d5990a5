#include "net/port/buffer.h"

#include "core/memory.h"

orr_err orr__buffer_new(struct orr_net *n, struct orr_report *why)
{
    const struct orr_graph *g = n->graph;

    if (!n->config->buffer.shared)
        return ORR_OK;
    n->memory = orr__alloc(g->nodes, sizeof *n->memory);
    if (!n->memory)
        return orr__no_memory(why);
    for (uint32_t i = g->hosts; i < g->nodes; i++)
        n->memory[i] = (struct orr_memory){
            .size = n->config->buffer.size,
            .alpha = n->config->buffer.alpha,
            .calm = orr__buffer_calm(n->config->buffer.size,
                                     n->config->buffer.alpha),
            .alert = true,
        };
    return ORR_OK;
}

/* Thresholds fall as `used` grows, so one search finds where the two meet. */
uint64_t orr__buffer_calm(uint64_t size, double alpha)
{
    uint64_t low = 0, high = size;

    while (low < high) {
        uint64_t used = high - (high - low) / 2;

        if ((double)used + 1 < alpha * (double)(size - used))
            low = used;
        else
            high = used - 1;
    }
    return low;
}
