#include "record/busy_time.h"
#include "core/none.h"

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "record/bins.h"

/* Two bins become one when there would be more. A link that was ever used takes
 * four bytes in each, so there are fewer when many links are used. */
#define MOST_BINS  2000u
#define LEAST_BINS 32u
#define MOST_CELLS (UINT32_C(1) << 19)
/* To close a bin is to look at each link that was used in it. Where there are
 * more links than these the first bins are as much wider, by a power of two;
 * a long run comes to such bins anyway. */
#define FINE_LINKS 512u

/* How busy each link was between two moments. */
struct bin {
    int64_t start_ps, end_ps;
    float *share; /* per column: of the bin's time, in which it was busy; NULL
                   * while there is none */
    uint32_t n;   /* columns that there were */
};

/* How busy links were over the whole run, in few bins. */
struct orr_busy_time {
    struct orr_net_cursor *cursor;
    int64_t interval_ps, open_ps;
    struct bin *bin; /* room for MOST_BINS */
    uint32_t n, columns;
    struct seen {        /* per link */
        int64_t busy_ps; /* when the last bin closed */
        uint32_t column; /* by first use, or ORR_NONE */
    } * seen;
    uint32_t *link;   /* per column */
    uint32_t *active; /* room for the number of every link */
    int64_t *busy;    /* and for its busy time, beside it */
};

/* A link that was busy for the first time gets a column. *room: of bin->share.
 * False: out of memory. */
static bool enter_link(struct orr_busy_time *c, uint32_t link, struct bin *bin,
                       uint32_t *room)
{
    if (!orr__array_more(bin->share, *room, c->columns))
        return false;
    c->seen[link].column = c->columns;
    c->link[c->columns++] = link;
    return true;
}

/* Fills bin->share, which has room for the columns that there are. False: out
 * of memory. */
static bool share_out(struct orr_busy_time *c, struct orr_world *w, int64_t now,
                      struct bin *bin)
{
    uint32_t n = orr__net_active_links(w->net, c->cursor, now, c->active);
    uint32_t room = c->columns;
    double width = (double)(now - c->open_ps);
    orr__net_links_busy(w->net, c->active, n, now, c->busy);
    for (uint32_t i = 0; i < n; i++) {
        struct seen *x = &c->seen[c->active[i]];
        int64_t more = c->busy[i] - x->busy_ps;
        if (more <= 0) /* less: see record/bins.c */
            continue;
        if (x->column == ORR_NONE && !enter_link(c, c->active[i], bin, &room))
            return false;
        ORR_ASSERT(bin->share != NULL && x->column < room);
        bin->share[x->column] = (float)((double)more / width);
        x->busy_ps = c->busy[i];
    }
    bin->n = c->columns;
    return true;
}

/* At time now; the next one is open then. ENOMEM. */
static orr_err close_bin(struct orr_busy_time *c, struct orr_world *w,
                         int64_t now)
{
    struct bin bin = {.start_ps = c->open_ps, .end_ps = now};
    if (c->columns) {
        bin.share = orr__alloc(c->columns, sizeof *bin.share);
        if (bin.share == NULL)
            return ORR_ENOMEM;
    }
    if (!share_out(c, w, now, &bin)) {
        orr__free(bin.share);
        return ORR_ENOMEM;
    }
    c->bin[c->n++] = bin;
    c->open_ps = now;
    return ORR_OK;
}

/* Of q, which has no fewer columns than p. */
static void merge_pair(struct bin *p, struct bin *q)
{
    double first = (double)(p->end_ps - p->start_ps);
    double second = (double)(q->end_ps - q->start_ps);
    for (uint32_t i = 0; i < p->n; i++)
        q->share[i] =
            (float)(((double)p->share[i] * first + (double)q->share[i] * second)
                    / (first + second));
    for (uint32_t i = p->n; i < q->n; i++)
        q->share[i] = (float)((double)q->share[i] * second / (first + second));
    orr__free(p->share);
    q->start_ps = p->start_ps;
}

/* Of an even number of bins. */
static void merge_bins(struct orr_busy_time *c)
{
    for (uint32_t i = 0; i < c->n; i += 2) {
        merge_pair(&c->bin[i], &c->bin[i + 1]);
        c->bin[i / 2] = c->bin[i + 1];
    }
    c->n /= 2;
    c->interval_ps *= 2;
}

static uint32_t most_bins(const struct orr_busy_time *c)
{
    uint32_t most = c->columns ? MOST_CELLS / c->columns : MOST_BINS;
    most = most > MOST_BINS ? MOST_BINS : most;
    return (most < LEAST_BINS ? LEAST_BINS : most) & ~1u;
}

/* When the next bin ends, and those after it. */
static int64_t tell_rhythm(struct orr_busy_time *c, int64_t now)
{
    struct orr_rhythm r = {
        .next_ps = orr__time_add(now, c->interval_ps),
        .interval_ps = c->interval_ps,
        .bins = c->n,
        .most = most_bins(c),
    };
    orr__net_cursor_rhythm(c->cursor, r);
    return r.next_ps;
}

/* Control event: a bin ends now. */
static int64_t on_bin_end(void *world, int64_t now)
{
    struct orr_world *w = world;
    struct orr_busy_time *c = w->watch.busy_time;
    orr_err err = close_bin(c, w, now);
    if (err) {
        orr__net_fail(w->net, err);
        return ORR_NEVER;
    }
    while (c->n % 2 == 0 && c->n >= most_bins(c))
        merge_bins(c);
    return tell_rhythm(c, now);
}

/* Of the first bins. */
static int64_t first_interval(const struct orr_graph *g)
{
    int64_t interval = orr__bins_finest(g);
    for (uint32_t links = g->links; links >= 2 * FINE_LINKS; links /= 2)
        interval *= 2;
    return interval;
}

orr_err orr__busy_time_start(struct orr_world *w, struct orr_report *why)
{
    uint32_t links = w->graph->links;
    struct orr_busy_time *c = w->watch.busy_time = orr__alloc(1, sizeof *c);
    if (c == NULL)
        return orr__no_memory(why);
    c->bin = orr__alloc(MOST_BINS, sizeof *c->bin);
    c->seen = orr__alloc(links, sizeof *c->seen);
    c->link = orr__alloc(links, sizeof *c->link);
    c->active = orr__alloc(links, sizeof *c->active);
    c->busy = orr__alloc(links, sizeof *c->busy);
    if (!c->bin || !c->seen || !c->link || !c->active || !c->busy)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < links; i++)
        c->seen[i].column = ORR_NONE;
    c->interval_ps = first_interval(w->graph);
    orr_err err = orr__net_cursor_new(w->net, false, &c->cursor, why);
    return err ? err
               : orr__net_control(w->net, tell_rhythm(c, 0), on_bin_end, w,
                                  why);
}

orr_err orr__busy_time_settle(struct orr_world *w, struct orr_report *why)
{
    struct orr_busy_time *c = w->watch.busy_time;
    if (c == NULL || w->result.end_ps <= c->open_ps)
        return ORR_OK;
    return close_bin(c, w, w->result.end_ps) ? orr__no_memory(why) : ORR_OK;
}

/* The first bin that ends after `from`. */
static uint32_t bin_at(const struct orr_busy_time *c, int64_t from)
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

uint64_t orr__busy_time_between(
    const struct orr_world *w, int64_t from, int64_t to,
    void (*fn)(void *arg, uint32_t link, double busy_ps), void *arg)
{
    const struct orr_busy_time *c = w->watch.busy_time;
    uint64_t calls = 0;
    if (c == NULL || c->n == 0)
        return UINT64_MAX;
    for (uint32_t i = bin_at(c, from); i < c->n; i++) {
        const struct bin *x = &c->bin[i];
        if (x->start_ps >= to)
            break;
        int64_t low = x->start_ps > from ? x->start_ps : from;
        int64_t high = x->end_ps < to ? x->end_ps : to;
        for (uint32_t k = 0; k < x->n; k++)
            fn(arg, c->link[k], (double)x->share[k] * (double)(high - low));
        calls += x->n;
    }
    return calls;
}

void orr__busy_time_free(struct orr_world *w)
{
    struct orr_busy_time *c = w->watch.busy_time;
    if (c == NULL)
        return;
    for (uint32_t i = 0; i < c->n; i++)
        orr__free(c->bin[i].share);
    orr__free(c->bin);
    orr__free(c->seen);
    orr__free(c->link);
    orr__free(c->active);
    orr__free(c->busy);
    orr__free(c);
    w->watch.busy_time = NULL;
}
