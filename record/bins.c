#include "record/bins.h"
#include "core/none.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"

#define FINEST_PS (100 * ORR_NS)

int64_t orr__bins_finest(const struct orr_graph *g)
{
    int64_t least = ORR_NEVER;
    for (uint32_t i = 0; i < g->links; i++)
        least = g->delay_ps[i] < least ? g->delay_ps[i] : least;
    if (least >= FINEST_PS)
        return least < ORR_S ? least : ORR_S;
    if (least == 0) /* a network of formulas: no step to keep to */
        return FINEST_PS;
    return (FINEST_PS + least - 1) / least * least;
}

static void enter_column(struct orr_bins *b, uint32_t link)
{
    ORR_ASSERT(b->columns < b->links && b->column[link] == ORR_NONE);
    b->column[link] = b->columns;
    b->link[b->columns++] = link;
}

orr_err orr__bins_init(struct orr_bins *b, struct orr_net *net, uint32_t links,
                       bool all)
{
    *b = (struct orr_bins){.links = links};
    b->column = orr__alloc(links, sizeof *b->column);
    b->link = orr__alloc(links, sizeof *b->link);
    b->last = orr__alloc(links, sizeof *b->last);
    b->scratch = orr__alloc(links, sizeof *b->scratch);
    b->active = orr__alloc(links, sizeof *b->active);
    if (!b->column || !b->link || !b->last || !b->scratch || !b->active
        || orr__net_cursor_new(net, true, &b->cursor, NULL)) {
        orr__bins_fini(b);
        return ORR_ENOMEM;
    }
    for (uint32_t i = 0; i < links; i++)
        b->column[i] = ORR_NONE;
    for (uint32_t i = 0; all && i < links; i++)
        enter_column(b, i);
    return ORR_OK;
}

static void free_cells(struct orr_bin *bin)
{
    orr__cells_free(&bin->cell);
    orr__cells_free(&bin->part);
}

void orr__bins_fini(struct orr_bins *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        free_cells(&b->bin[i]);
    orr__free(b->bin);
    orr__free(b->column);
    orr__free(b->link);
    orr__free(b->last);
    orr__free(b->scratch);
    orr__free(b->active);
    orr__free(b->part_scratch);
    orr__split_free(b->split);
    *b = (struct orr_bins){.n = 0};
}

/* Times are rounded to picoseconds for each packet, and bytes worked out from
 * them: what was sent by a later moment may come out as a little less. It is
 * then as much; the sum over all bins stays what was sent in all. */
static void never_back(struct orr_link_sample *s,
                       const struct orr_link_sample *last)
{
    s->bytes = s->bytes > last->bytes ? s->bytes : last->bytes;
    s->busy_ps = s->busy_ps > last->busy_ps ? s->busy_ps : last->busy_ps;
    s->area = s->area > last->area ? s->area : last->area;
}

/* What the link did since the last bin closed; false: nothing. A queue that
 * drains without a new packet is something, and so is one that is there without
 * one, or a part of a byte, where iterations are inferred. */
static bool take_cell(struct orr_bins *b, struct orr_net *net, uint32_t link,
                      int64_t now, struct orr_cell *c)
{
    struct orr_link_sample s, *last = &b->last[link];
    orr__net_link_sample(net, link, now, &s);
    if (s.packets == last->packets && s.bytes == last->bytes
        && s.drops == last->drops && s.paused_ps == last->paused_ps
        && s.busy_ps <= last->busy_ps && last->queue == 0 && s.queue == 0)
        return false;
    never_back(&s, last);
    ORR_ASSERT(s.packets >= last->packets);
    c->link = link;
#define TAKE_SUM(member)                                                       \
    ORR_ASSERT(s.member >= last->member);                                      \
    c->member = s.member - last->member;
#define TAKE_REAL(member) TAKE_SUM(member)
#define TAKE_MAX(member)                                                       \
    c->member = orr__net_take_max(net, b->cursor, link, now);
#define TAKE(id, member, type, adds, ...) TAKE_##adds(member)
    ORR_LINK_COLUMNS(TAKE)
#undef TAKE
#undef TAKE_MAX
#undef TAKE_REAL
#undef TAKE_SUM
    *last = s;
    return true;
}

static orr_err append(struct orr_bins *b, struct orr_bin bin)
{
    if (!orr__array_more(b->bin, b->room, b->n))
        return ORR_ENOMEM;
    ORR_ASSERT(bin.start_ps < bin.end_ps);
    ORR_ASSERT(b->n == 0 || b->bin[b->n - 1].end_ps <= bin.start_ps);
    b->bin[b->n++] = bin;
    return ORR_OK;
}

/* Keeps what a bin has: n cells of the scratch, and parts. */
static orr_err keep_bin(const struct orr_bins *b, struct orr_bin *bin,
                        uint32_t n, uint32_t parts)
{
    orr_err err = orr__cells_keep(&bin->cell, b->scratch, n);
    if (err == ORR_OK)
        err = orr__cells_keep(&bin->part, b->part_scratch, parts);
    if (err)
        free_cells(bin);
    return err;
}

static orr_err scratch_parts(struct orr_bins *b, uint32_t n)
{
    return orr__array_room(b->part_scratch, b->part_room, n) ? ORR_OK
                                                             : ORR_ENOMEM;
}

static int by_number(const void *a, const void *b)
{
    const struct orr_cell *x = a, *y = b;
    return (x->link > y->link) - (x->link < y->link);
}

/* What the first n cells of the scratch are made of, ascending. */
static orr_err take_parts(struct orr_bins *b, uint32_t n, int64_t now,
                          uint32_t *parts)
{
    orr_err err = ORR_OK;
    *parts = 0;
    for (uint32_t i = 0; b->split && i < n && err == ORR_OK; i++) {
        err = scratch_parts(b, *parts + orr__split_owners(b->split));
        if (err == ORR_OK)
            err = orr__split_take(b->split, &b->scratch[i], now,
                                  b->part_scratch, parts);
    }
    if (*parts)
        qsort(b->part_scratch, *parts, sizeof *b->part_scratch, by_number);
    return err;
}

orr_err orr__bins_close(struct orr_bins *b, struct orr_net *net, int64_t now)
{
    assert(now > b->open_ps);
    uint32_t n = 0;
    uint32_t active = orr__net_active_links(net, b->cursor, now, b->active);
    for (uint32_t i = 0; i < active; i++) {
        uint32_t link = b->active[i];
        struct orr_cell *c = &b->scratch[n];
        if (!take_cell(b, net, link, now, c))
            continue;
        n++;
        if (b->column[link] == ORR_NONE)
            enter_column(b, link);
    }
    struct orr_bin bin = {.start_ps = b->open_ps, .end_ps = now};
    uint32_t parts;
    b->open_ps = now;
    orr_err err = take_parts(b, n, now, &parts);
    if (err == ORR_OK)
        err = keep_bin(b, &bin, n, parts);
    if (err)
        return err;
    err = append(b, bin);
    if (err)
        free_cells(&bin);
    return err;
}

/* Both of them in the place of the first; after a failure they are as they
 * were. */
static orr_err merge_pair(struct orr_cells_pair *pair, struct orr_bin *p,
                          struct orr_bin *q)
{
    struct orr_bin both = {.start_ps = p->start_ps, .end_ps = q->end_ps};
    orr_err err = orr__cells_merge(pair, &both.cell, &p->cell, &q->cell);
    ORR_ASSERT(p->end_ps <= q->start_ps);
    if (err == ORR_OK)
        err = orr__cells_merge(pair, &both.part, &p->part, &q->part);
    if (err) {
        free_cells(&both);
        return err;
    }
    free_cells(p);
    free_cells(q);
    *p = both;
    return ORR_OK;
}

orr_err orr__bins_merge(struct orr_bins *b)
{
    struct orr_cells_pair pair = {.room = 0};
    uint32_t kept = 0;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < b->n; i++) {
        struct orr_bin *p = &b->bin[i];
        if (err == ORR_OK && i + 1 < b->n) {
            err = merge_pair(&pair, p, p + 1);
            i += err == ORR_OK; /* else this and the rest stay as they are */
        }
        b->bin[kept++] = *p;
    }
    b->n = kept;
    orr__cells_pair_fini(&pair);
    return err;
}

void orr__bins_drop(struct orr_bins *b, uint32_t n)
{
    assert(n <= b->n);
    for (uint32_t i = 0; i < n; i++)
        free_cells(&b->bin[i]);
    if (n > 0)
        memmove(b->bin, b->bin + n, (b->n - n) * sizeof *b->bin);
    b->n -= n;
    b->dropped += n;
}
