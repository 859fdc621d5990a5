#include "experiment/frozen.h"

#include <string.h>
#include <xxhash.h>

#include "core/assert.h"
#include "net/config/config.h"

/* An array that is not there counts as an empty one. */
static uint64_t add_bytes(uint64_t digest, const void *bytes, size_t n,
                          size_t size)
{
    return bytes ? XXH3_64bits_withSeed(bytes, n * size, digest) : digest + 1;
}

/* All that a run reads of the graph. */
static uint64_t add_graph(uint64_t d, const struct orr_graph *g)
{
    const uint32_t size[] = {g->hosts, g->nodes, g->cables, g->links, g->gpus};
    d = add_bytes(d, size, sizeof size / sizeof *size, sizeof *size);
    d = add_bytes(d, g->from, g->links, sizeof *g->from);
    d = add_bytes(d, g->to, g->links, sizeof *g->to);
    d = add_bytes(d, g->rate_bps, g->links, sizeof *g->rate_bps);
    d = add_bytes(d, g->delay_ps, g->links, sizeof *g->delay_ps);
    d = add_bytes(d, g->loss, g->links, sizeof *g->loss);
    d = add_bytes(d, g->tier, g->links, sizeof *g->tier);
    d = add_bytes(d, g->out_off, g->nodes + (size_t)1, sizeof *g->out_off);
    d = add_bytes(d, g->out_link, g->links, sizeof *g->out_link);
    d = add_bytes(d, g->level, g->nodes, sizeof *g->level);
    d = add_bytes(d, g->forwards, g->nodes, sizeof *g->forwards);
    d = add_bytes(d, g->sends, g->nodes, sizeof *g->sends);
    return add_bytes(d, g->area, g->nodes, sizeof *g->area);
}

/* Its bytes: it is of the configuration's memory, which was zeroed, and is
 * never copied as a whole. */
static uint64_t add_network(uint64_t d, const struct orr_net_config *c)
{
    const struct orr_failures *f = c->failures;
    d = add_bytes(d, c, 1, sizeof *c);
    d = add_bytes(d, c->rule, c->rules, sizeof *c->rule);
    if (!f)
        return d;
    d = add_bytes(d, f->outage, f->outages, sizeof *f->outage);
    d = add_bytes(d, f->errors, f->degraded, sizeof *f->errors);
    d = add_bytes(d, f->dark, f->darks, sizeof *f->dark);
    return add_bytes(d, f->retune, f->retunes, sizeof *f->retune);
}

uint64_t orr__world_digest(const struct orr_world *w)
{
    const int64_t times[] = {w->options.stop_ps, w->options.control_delay_ps};
    uint64_t d = add_bytes(w->seed, times, 2, sizeof *times);
    d = add_graph(d, w->graph);
    return add_network(d, w->net_config);
}

void orr__world_freeze(struct orr_world *w)
{
    ORR_ASSERT(&w->draft->config == w->net_config);
    w->draft = NULL;
#ifdef ORR_DEBUG
    w->frozen = orr__world_digest(w);
#endif
}

void orr__world_check(const struct orr_world *w)
{
    ORR_ASSERT(w->draft || !w->net_config || orr__world_digest(w) == w->frozen);
}
