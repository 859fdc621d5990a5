#include "record/bins.h"

#include <assert.h>
#include <string.h>

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
    b->column[link] = b->columns;
    b->link[b->columns++] = link;
}

orr_err orr__bins_init(struct orr_bins *b, struct orr_net *net,
                       uint32_t links, bool all)
{
    *b = (struct orr_bins){ .links = links };
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
        b->column[i] = ORR_NO_COLUMN_YET;
    for (uint32_t i = 0; all && i < links; i++)
        enter_column(b, i);
    return ORR_OK;
}

void orr__bins_fini(struct orr_bins *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        orr__free(b->bin[i].cell);
    orr__free(b->bin);
    orr__free(b->column);
    orr__free(b->link);
    orr__free(b->last);
    orr__free(b->scratch);
    orr__free(b->active);
    *b = (struct orr_bins){ .n = 0 };
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
 * drains without a new packet is something. */
static bool take_cell(struct orr_bins *b, struct orr_net *net,
                      uint32_t link, int64_t now, struct orr_cell *c)
{
    struct orr_link_sample s, *last = &b->last[link];
    orr__net_link_sample(net, link, now, &s);
    if (s.packets == last->packets && s.bytes == last->bytes &&
        s.drops == last->drops && s.paused_ps == last->paused_ps &&
        last->queue == 0)
        return false;
    never_back(&s, last);
    *c = (struct orr_cell){
        .link = link,
        .bytes = s.bytes - last->bytes,
        .busy_ps = s.busy_ps - last->busy_ps,
        .area = s.area - last->area,
        .max_queue = orr__net_take_max(net, b->cursor, link, now),
        .marks = s.marks - last->marks,
        .drops = s.drops - last->drops,
        .pauses = s.pauses - last->pauses,
        .paused_ps = s.paused_ps - last->paused_ps,
    };
    *last = s;
    return true;
}

static orr_err append(struct orr_bins *b, struct orr_bin bin)
{
    if (b->n == b->room) {
        uint32_t room = b->room ? 2 * b->room : 64;
        void *p = orr__resize(b->bin, room, sizeof *b->bin);
        if (p == NULL)
            return ORR_ENOMEM;
        b->bin = p;
        b->room = room;
    }
    b->bin[b->n++] = bin;
    return ORR_OK;
}

static struct orr_cell *copy_cells(const struct orr_cell *from, uint32_t n)
{
    struct orr_cell *to = orr__alloc(n, sizeof *to);
    if (to && n)
        memcpy(to, from, n * sizeof *to);
    return to;
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
        if (b->column[link] == ORR_NO_COLUMN_YET)
            enter_column(b, link);
    }
    struct orr_bin bin = { .start_ps = b->open_ps, .end_ps = now, .n = n,
                           .cell = copy_cells(b->scratch, n) };
    b->open_ps = now;
    if (bin.cell == NULL)
        return ORR_ENOMEM;
    orr_err err = append(b, bin);
    if (err)
        orr__free(bin.cell);
    return err;
}

static void add_cell(struct orr_cell *to, const struct orr_cell *c)
{
    to->bytes += c->bytes;
    to->busy_ps += c->busy_ps;
    to->area += c->area;
    to->marks += c->marks;
    to->drops += c->drops;
    to->pauses += c->pauses;
    to->paused_ps += c->paused_ps;
    if (to->max_queue < c->max_queue)
        to->max_queue = c->max_queue;
}

/* Cells of both bins in order of links, into out. */
static uint32_t merge_cells(const struct orr_bin *p, const struct orr_bin *q,
                            struct orr_cell *out)
{
    uint32_t i = 0, j = 0, n = 0;
    while (i < p->n || j < q->n) {
        bool left = j == q->n ||
                    (i < p->n && p->cell[i].link <= q->cell[j].link);
        const struct orr_cell *c = left ? &p->cell[i++] : &q->cell[j++];
        if (n > 0 && out[n - 1].link == c->link)
            add_cell(&out[n - 1], c);
        else
            out[n++] = *c;
    }
    return n;
}

orr_err orr__bins_merge(struct orr_bins *b)
{
    uint32_t kept = 0;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < b->n; i++) {
        struct orr_bin *p = &b->bin[i];
        if (err == ORR_OK && i + 1 < b->n) {
            struct orr_bin *q = &b->bin[++i];
            uint32_t n = merge_cells(p, q, b->scratch);
            struct orr_cell *cell = copy_cells(b->scratch, n);
            if (cell == NULL) {
                err = ORR_ENOMEM;
                i--; /* this and the rest stay as they are */
            } else {
                orr__free(p->cell);
                orr__free(q->cell);
                *p = (struct orr_bin){ p->start_ps, q->end_ps, cell, n };
            }
        }
        b->bin[kept++] = *p;
    }
    b->n = kept;
    return err;
}

void orr__bins_drop(struct orr_bins *b, uint32_t n)
{
    assert(n <= b->n);
    for (uint32_t i = 0; i < n; i++)
        orr__free(b->bin[i].cell);
    if (n > 0)
        memmove(b->bin, b->bin + n, (b->n - n) * sizeof *b->bin);
    b->n -= n;
    b->dropped += n;
}
