#include "workload/carried.h"

#include <stdbool.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/bins.h"

/* Two bins become one when there would be more; a used link has a cell in each
 * of them, so there are fewer when many links are used. */
#define MOST_BINS 2000u
#define LEAST_BINS 32u
#define MOST_CELLS (UINT32_C(1) << 20)

struct cell {
    int64_t busy_ps; /* > 0 */
    uint32_t link;
};

struct bin {
    int64_t start_ps, end_ps;
    struct cell *cell; /* ascending link ids */
    uint32_t n;
};

struct orr_carried {
    struct orr_net_cursor *cursor;
    int64_t interval_ps, open_ps;
    struct bin *bin; /* room for MOST_BINS */
    uint32_t n, used; /* bins; links that were ever busy */
    int64_t *last;        /* per link: busy when the last bin closed */
    struct cell *scratch; /* room for a cell of every link */
    uint32_t *active;     /* and for the number of every link */
};

static struct cell *copy_cells(const struct cell *from, uint32_t n)
{
    struct cell *to = orr__alloc(n, sizeof *to);
    for (uint32_t i = 0; to && i < n; i++)
        to[i] = from[i];
    return to;
}

static orr_err close_bin(struct orr_carried *c, struct orr_world *w,
                         int64_t now)
{
    uint32_t active = orr__net_active_links(w->net, c->cursor, now, c->active);
    uint32_t n = 0;
    for (uint32_t i = 0; i < active; i++) {
        uint32_t link = c->active[i];
        struct orr_link_sample s;
        orr__net_link_sample(w->net, link, now, &s);
        if (s.busy_ps <= c->last[link]) /* less: see workload/bins.c */
            continue;
        c->used += c->last[link] == 0;
        c->scratch[n++] = (struct cell){ s.busy_ps - c->last[link], link };
        c->last[link] = s.busy_ps;
    }
    struct bin bin = { c->open_ps, now, copy_cells(c->scratch, n), n };
    if (bin.cell == NULL)
        return ORR_ENOMEM;
    c->bin[c->n++] = bin;
    c->open_ps = now;
    return ORR_OK;
}

/* Cells of both bins in order of links, into out. */
static uint32_t merge_cells(const struct bin *p, const struct bin *q,
                            struct cell *out)
{
    uint32_t i = 0, j = 0, n = 0;
    while (i < p->n || j < q->n) {
        bool left = j == q->n ||
                    (i < p->n && p->cell[i].link <= q->cell[j].link);
        struct cell c = left ? p->cell[i++] : q->cell[j++];
        if (n > 0 && out[n - 1].link == c.link)
            out[n - 1].busy_ps += c.busy_ps;
        else
            out[n++] = c;
    }
    return n;
}

/* Of an even number of bins. When memory runs out some stay as they are, and
 * the run fails. */
static orr_err merge(struct orr_carried *c)
{
    for (uint32_t i = 0; i < c->n; i += 2) {
        struct bin *p = &c->bin[i], *q = p + 1;
        uint32_t n = merge_cells(p, q, c->scratch);
        struct cell *cell = copy_cells(c->scratch, n);
        if (cell == NULL)
            return ORR_ENOMEM;
        orr__free(p->cell);
        orr__free(q->cell);
        *p = (struct bin){ p->start_ps, q->end_ps, cell, n };
        q->cell = NULL;
        q->n = 0;
    }
    for (uint32_t i = 0; i < c->n; i += 2)
        c->bin[i / 2] = c->bin[i];
    c->n /= 2;
    c->interval_ps *= 2;
    return ORR_OK;
}

static uint32_t most_bins(const struct orr_carried *c)
{
    uint32_t most = c->used ? MOST_CELLS / c->used : MOST_BINS;
    most = most > MOST_BINS ? MOST_BINS : most;
    return (most < LEAST_BINS ? LEAST_BINS : most) & ~1u;
}

/* Control event: a bin ends now. */
static int64_t on_bin_end(void *world, int64_t now)
{
    struct orr_world *w = world;
    struct orr_carried *c = w->carried;
    orr_err err = close_bin(c, w, now);
    while (err == ORR_OK && c->n % 2 == 0 && c->n >= most_bins(c))
        err = merge(c);
    if (err) {
        orr__net_fail(w->net, err);
        return ORR_NEVER;
    }
    return orr__time_add(now, c->interval_ps);
}

orr_err orr__carried_start(struct orr_world *w, struct orr_report *why)
{
    uint32_t links = w->graph->links;
    struct orr_carried *c = w->carried = orr__alloc(1, sizeof *c);
    if (c == NULL)
        return orr__no_memory(why);
    c->bin = orr__alloc(MOST_BINS, sizeof *c->bin);
    c->last = orr__alloc(links, sizeof *c->last);
    c->scratch = orr__alloc(links, sizeof *c->scratch);
    c->active = orr__alloc(links, sizeof *c->active);
    if (!c->bin || !c->last || !c->scratch || !c->active)
        return orr__no_memory(why);
    c->interval_ps = orr__bins_finest(w->graph);
    orr_err err = orr__net_cursor_new(w->net, false, &c->cursor, why);
    return err ? err : orr__net_control(w->net, c->interval_ps, on_bin_end, w,
                                        why);
}

orr_err orr__carried_settle(struct orr_world *w, struct orr_report *why)
{
    struct orr_carried *c = w->carried;
    if (c == NULL || w->end_ps <= c->open_ps || c->n == MOST_BINS)
        return ORR_OK; /* full: memory ran out in the middle of a merge */
    return close_bin(c, w, w->end_ps) ? orr__no_memory(why) : ORR_OK;
}

/* The first bin that ends after `from`. */
static uint32_t bin_at(const struct orr_carried *c, int64_t from)
{
    uint32_t low = 0, high = c->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (c->bin[mid].end_ps > from)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

uint64_t orr__carried_between(const struct orr_world *w, int64_t from,
                              int64_t to,
                              void (*fn)(void *arg, uint32_t link,
                                         double busy_ps),
                              void *arg)
{
    const struct orr_carried *c = w->carried;
    uint64_t calls = 0;
    if (c == NULL || c->n == 0)
        return UINT64_MAX;
    for (uint32_t i = bin_at(c, from); i < c->n; i++) {
        const struct bin *x = &c->bin[i];
        if (x->start_ps >= to)
            break;
        int64_t low = x->start_ps > from ? x->start_ps : from;
        int64_t high = x->end_ps < to ? x->end_ps : to;
        double share = (double)(high - low) / (double)(x->end_ps - x->start_ps);
        for (uint32_t k = 0; k < x->n; k++)
            fn(arg, x->cell[k].link, share * (double)x->cell[k].busy_ps);
        calls += x->n;
    }
    return calls;
}

void orr__carried_free(struct orr_world *w)
{
    struct orr_carried *c = w->carried;
    if (c == NULL)
        return;
    for (uint32_t i = 0; i < c->n; i++)
        orr__free(c->bin[i].cell);
    orr__free(c->bin);
    orr__free(c->last);
    orr__free(c->scratch);
    orr__free(c->active);
    orr__free(c);
    w->carried = NULL;
}
