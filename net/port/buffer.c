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
        n->memory[i] = (struct orr_memory){.size = n->config->buffer.size,
                                           .alpha = n->config->buffer.alpha};
    return ORR_OK;
}
