/* Between windows: what was sent in one becomes visible to its readers. */
#include "core/memory.h"
#include "net/fabric/timer.h"

/* The ring has been replaced, between windows. */
static __attribute__((cold, noinline)) void adopt_ring(struct orr_port *port,
                                                       struct orr_inlet *in)
{
    orr__free(in->ring);
    in->ring = port->ring;
    in->mask = port->mask;
    port->grown = false;
}

/* The next arrival on a link of a process whose sources are in blocks. */
static __attribute__((noinline)) void enter_in_block(struct orr_net *n,
                                                     const struct orr_inlet *in,
                                                     int64_t first)
{
    struct orr_process *p = &n->process[in->process];

    orr__source_set(p, p->n_departs + (uint32_t)(in - orr__inlets(n, p)),
                    first);
}

/* Lets the reader see what was pushed. True: it saw nothing before; its next
 * arrival was entered, at *first. */
static inline bool take_over(struct orr_net *n, struct orr_port *port,
                             struct orr_inlet *in, int64_t *first)
{
    bool was_empty = in->head == in->visible;

    port->dirty = false;
    if (__builtin_expect(port->grown, 0))
        adopt_ring(port, in);
    if (__builtin_expect(port->tail < in->visible, 0))
        n->rounds[port->id]++;
    in->visible = port->tail;
    port->limit = in->head + in->mask + 1;
    if (!was_empty)
        return false;
    *first = in->ring[in->head & in->mask].at;
    if (__builtin_expect(in->due != NULL, 1))
        *in->due = *first;
    else
        enter_in_block(n, in, *first);
    return true;
}

static void note_active(struct orr_lane *lane, uint32_t link)
{
    lane->active[link / 64] |= UINT64_C(1) << link % 64;
}

void orr__fabric_local(struct orr_net *n, struct orr_lane *lane,
                       struct orr_port *port)
{
    int64_t first;

    note_active(lane, port->id);
    take_over(n, port, orr__inlet_of(n, port->id), &first);
}

void orr__fabric_show(struct orr_net *n, uint32_t link)
{
    struct orr_inlet *in = orr__inlet_of(n, link);
    int64_t first;

    if (take_over(n, &n->port[link], in, &first) && !n->port[link].local)
        orr__windows_wake(n->windows, in->process, first);
}

void orr__fabric_asked(void *net, int64_t now)
{
    const struct orr_net *n = net;

    n->between.fn(n->between.arg, now);
}

/* Links ahead of the one being taken over, whose ends, and whose packets, are
 * brought near. */
#define FAR  8
#define NEAR 4

static inline void prefetch_link(const struct orr_net *n, uint32_t link)
{
    __builtin_prefetch(&n->port[link].free_at, 1);
    __builtin_prefetch(orr__inlet_of(n, link), 1);
}

static inline void prefetch_head(const struct orr_net *n, uint32_t link)
{
    const struct orr_inlet *in = orr__inlet_of(n, link);

    __builtin_prefetch(&in->ring[in->head & in->mask]);
    __builtin_prefetch(in->due, 1);
}

static inline __attribute__((always_inline)) void exchange_link(
    struct orr_net *n, struct orr_lane *lane, uint32_t link, bool noted)
{
    struct orr_inlet *in = orr__inlet_of(n, link);
    int64_t first;

    if (noted)
        note_active(lane, link);
    if (take_over(n, &n->port[link], in, &first))
        orr__windows_wake(n->windows, in->process, first);
}

void orr__fabric_exchange(void *net, unsigned worker)
{
    struct orr_net *n = net;
    struct orr_lane *lane = &n->lane[worker];
    bool noted = n->cursors;

    for (unsigned from = 0; from < n->workers; from++) {
        struct orr_link_list *list = &n->lane[from].dirty[worker];
        const uint32_t *link = list->link;
        uint32_t count = list->count, i = 0;

        for (; i + FAR < count; i++) {
            prefetch_link(n, link[i + FAR]);
            prefetch_head(n, link[i + NEAR]);
            exchange_link(n, lane, link[i], noted);
        }
        for (; i < count; i++) {
            if (i + NEAR < count)
                prefetch_head(n, link[i + NEAR]);
            exchange_link(n, lane, link[i], noted);
        }
        list->count = 0;
        orr__posts_take(n, &n->lane[from], worker);
    }
}
