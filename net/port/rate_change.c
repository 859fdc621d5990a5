/* Links whose rate is another than the graph's, from the beginning or from
 * some time on. In the second case all ports of the run are explicit, so what
 * waits has no departure yet; the packet in service is finished at the rate it
 * was begun with. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "net/port/port.h"
#include "net/port/rate_change.h"

/* Rates that differ from the graph's, bit/s; owned by the net, changed between
 * windows. */
struct orr_rate_changes {
    uint64_t *rate_bps;  /* per link, as it is now */
    uint64_t *begin_bps; /* as it was at time 0 */
    uint64_t *best_bps;  /* the highest of all */
    uint32_t next;       /* of the changes, in order of time */
};

/* Serialisation of all that waits, anew. */
static void requeue(struct orr_net *n, struct orr_port *port,
                    struct orr_queue *q)
{
    q->waiting_ps = 0;
    for (uint32_t i = 0; i <= q->fifos; i++) {
        struct orr_fifo *f = &q->fifo[i];

        f->waiting_ps = 0;
        for (uint32_t k = f->head; k != f->tail; k++)
            f->waiting_ps +=
                orr__port_time(n, port, orr__packet_size(orr__fifo_at(f, k)));
        q->waiting_ps += f->waiting_ps;
    }
}

/* Time of all that was accepted, at a rate. */
static int64_t accepted_ps(const struct orr_port *port, uint64_t rate)
{
    return (int64_t)((unsigned __int128)port->bytes * 8000000000000u / rate);
}

/* What was measured as a time at the old rate. */
static void rescale(struct orr_port *port, struct orr_queue *q, uint64_t old,
                    uint64_t new)
{
    double ratio = (double)old / (double)new;

    for (uint32_t i = 0; i <= q->fifos; i++)
        q->fifo[i].average *= ratio;
    port->max_ps = orr__serialisation(orr__bytes_in(port->max_ps, old), new);
}

/* The queue's area was entered as if it drained at the old rate. What waits
 * takes area in proportion to the time of all of it: before_ps at that rate,
 * waiting_ps now. */
static void reenter(struct orr_net *n, struct orr_port *port,
                    const struct orr_queue *q, int64_t before_ps)
{
    unsigned __int128 area = orr__port_area_of(n, port);
    __int128 more = (__int128)q->waiting_bytes * (q->waiting_ps - before_ps);

    if (more < 0 && area < (unsigned __int128)-more) /* times are rounded up */
        more = -(__int128)area;
    orr__port_area_set(n, port, area + (unsigned __int128)more);
}

/* Another rate from now on: what waits is measured anew in ps, and `shift_ps`
 * keeps the sum of accepted time right. The packet in service ends at the rate
 * it began with. */
static void set_rate(struct orr_net *n, uint32_t link, uint64_t rate)
{
    struct orr_port *port = &n->port[link];
    struct orr_queue *q = n->queue[link];
    uint64_t old = n->rate_bps[link];
    int64_t before_ps = q->waiting_ps;

    n->retuning->rate_bps[link] = rate;
    orr__port_tune(n, port);
    rescale(port, q, old, rate);
    q->shift_ps += accepted_ps(port, old) - q->waiting_ps;
    requeue(n, port, q);
    reenter(n, port, q, before_ps);
    q->shift_ps -= accepted_ps(port, rate) - q->waiting_ps;
    if (q->busy && !q->begun_bps)
        q->begun_bps = old;
}

/* A control event: all changes of rate that are due now. Returns when the next
 * one is. */
static int64_t change(void *arg, int64_t now)
{
    struct orr_net *n = arg;
    const struct orr_failures *f = n->config->failures;
    struct orr_rate_changes *r = n->retuning;

    while (r->next < f->retunes && f->retune[r->next].at == now) {
        set_rate(n, f->retune[r->next].link, f->retune[r->next].rate_bps);
        r->next++;
    }
    return r->next < f->retunes ? f->retune[r->next].at : ORR_NEVER;
}

orr_err orr__rate_changes_make(struct orr_net *n, struct orr_report *why)
{
    const struct orr_failures *f = n->config->failures;
    size_t links = n->graph->links;
    struct orr_rate_changes *r;

    n->rate_bps = n->begin_bps = n->best_bps = n->graph->rate_bps;
    if (!f || !f->retunes)
        return ORR_OK;
    r = n->retuning = orr__alloc(1, sizeof *r);
    if (!r)
        return orr__no_memory(why);
    r->rate_bps = orr__alloc(links, sizeof(uint64_t));
    r->begin_bps = orr__alloc(links, sizeof(uint64_t));
    r->best_bps = orr__alloc(links, sizeof(uint64_t));
    if (!r->rate_bps || !r->begin_bps || !r->best_bps)
        return orr__no_memory(why);
    memcpy(r->rate_bps, n->rate_bps, links * sizeof(uint64_t));
    for (; r->next < f->retunes && f->retune[r->next].at == 0; r->next++)
        r->rate_bps[f->retune[r->next].link] = f->retune[r->next].rate_bps;
    memcpy(r->begin_bps, r->rate_bps, links * sizeof(uint64_t));
    memcpy(r->best_bps, r->rate_bps, links * sizeof(uint64_t));
    for (uint32_t i = r->next; i < f->retunes; i++)
        if (f->retune[i].rate_bps > r->best_bps[f->retune[i].link])
            r->best_bps[f->retune[i].link] = f->retune[i].rate_bps;
    n->rate_bps = r->rate_bps;
    n->begin_bps = r->begin_bps;
    n->best_bps = r->best_bps;
    return ORR_OK;
}

orr_err orr__rate_changes_start(struct orr_net *n, struct orr_report *why)
{
    const struct orr_failures *f = n->config->failures;

    if (!n->retuning || n->retuning->next == f->retunes)
        return ORR_OK;
    return orr__windows_control(n->windows, f->retune[n->retuning->next].at,
                                change, n, why);
}

void orr__rate_changes_free(struct orr_net *n)
{
    if (!n->retuning)
        return;
    orr__free(n->retuning->rate_bps);
    orr__free(n->retuning->begin_bps);
    orr__free(n->retuning->best_bps);
    orr__free(n->retuning);
}

const uint64_t *orr__net_best_rates(const struct orr_net *n)
{
    return n->best_bps;
}
