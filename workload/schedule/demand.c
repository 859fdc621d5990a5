/* Demands of links. */
#include "workload/schedule/demand.h"
#include "core/assert.h"
#include "core/none.h"
#include "workload/rank/rank.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/units.h"

/* A shipment's bytes on a link. */
struct load {
    uint32_t link, shipment;
    uint64_t bytes;
};

/* A profile while it is made. */
struct make {
    const struct orr_world *w;
    const struct orr_outline *o;
    struct orr_profile *p;
    struct load *load; /* by shipment; then by link */
    uint32_t n, room;
    uint32_t shipment; /* at hand */
    uint32_t *at;      /* per link: its load of that shipment, or ORR_NONE */
    uint32_t *off, *departure; /* CSR: departures of a shipment */
    struct edge {              /* of the link at hand */
        int64_t at;
        double rate; /* bit/ps; added, or taken away */
    } * edge;
    uint32_t edges, edge_room;
    double bin[ORR_DEMAND_BINS]; /* bits */
    bool out_of_memory;
};

/* ---- bytes -------------------------------------------------------------- */

/* A message of 0 bytes without a header asks a link for nothing: what follows
 * adds up rates above 0. */
static void put_message(void *arg, uint32_t link, uint64_t bytes)
{
    struct make *k = arg;
    if (bytes == 0)
        return;
    if (k->at[link] != ORR_NONE) {
        k->load[k->at[link]].bytes += bytes;
        return;
    }
    if (!orr__array_more(k->load, k->room, k->n)) {
        k->out_of_memory = true;
        return;
    }
    k->at[link] = k->n;
    k->load[k->n++] = (struct load){link, k->shipment, bytes};
}

static int by_link(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    if (x->link != y->link)
        return x->link < y->link ? -1 : 1;
    return x->shipment < y->shipment ? -1 : x->shipment > y->shipment;
}

/* Bytes on each link, by shipment; then sorted by link. false: no memory. An
 * interrupt leaves it half done, which the caller asks for. */
static bool load_links(struct make *k, const struct orr_message_paths *paths)
{
    uint32_t links = k->w->graph->links;
    k->at = orr__alloc(links, sizeof *k->at);
    if (!k->at)
        return false;
    memset(k->at, 0xff, links * sizeof *k->at);
    for (; k->shipment < k->o->shipments; k->shipment++) {
        const struct orr_shipment *s = &k->o->shipment[k->shipment];
        uint32_t from = k->n;
        if (orr__world_interrupted(k->w))
            return true; /* nothing will be made of it */
        for (uint32_t i = 0; i < s->n && !orr__world_interrupted(k->w); i++)
            orr__parcel_links(k->w, paths, &s->parcel[i], put_message, k);
        for (uint32_t i = from; i < k->n; i++)
            k->at[k->load[i].link] = ORR_NONE;
    }
    if (k->n)
        qsort(k->load, k->n, sizeof *k->load, by_link);
    return !k->out_of_memory;
}

/* Departures by shipment, CSR by counting. */
static bool sort_departures(struct make *k)
{
    const struct orr_outline *o = k->o;
    k->off = orr__alloc(o->shipments + (size_t)1, sizeof *k->off);
    k->departure = orr__alloc(o->departures, sizeof *k->departure);
    if (!k->off || !k->departure)
        return false;
    for (uint32_t i = 0; i < o->departures; i++)
        k->off[o->departure[i].shipment]++;
    for (uint32_t i = 0, sum = 0; i <= o->shipments; i++) {
        sum += i < o->shipments ? k->off[i] : 0;
        k->off[i] = sum;
    }
    for (uint32_t i = o->departures; i-- > 0;)
        k->departure[--k->off[o->departure[i].shipment]] = i;
    return true;
}

/* ---- phases ------------------------------------------------------------- */

static bool add_edge(struct make *k, int64_t at, double rate)
{
    if (!orr__array_more(k->edge, k->edge_room, k->edges))
        return false;
    k->edge[k->edges++] = (struct edge){at, rate};
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Bits from one time of the iteration to another, put into bins. */
static void fill_bins(struct make *k, int64_t from, int64_t to, double rate)
{
    double width = (double)k->p->iteration_ps / ORR_DEMAND_BINS;
    for (uint32_t b = (uint32_t)((double)from / width); b < ORR_DEMAND_BINS;
         b++) {
        double low = b * width, high = low + width;
        if (low >= (double)to)
            break;
        low = low > (double)from ? low : (double)from;
        high = high < (double)to ? high : (double)to;
        if (high > low)
            k->bin[b] += (high - low) * rate;
    }
}

/* The stretches of a load, within the iteration: fn(from, to, bit/ps). A
 * shipment that takes longer than an iteration goes around as often. */
static bool stretches(struct make *k, const struct load *x, bool bins)
{
    int64_t T = k->p->iteration_ps;
    int64_t length = k->o->shipment[x->shipment].for_ps;
    length = length > 0 ? length : 1;
    ORR_ASSERT(x->bytes > 0);
    double rate = 8.0 * (double)x->bytes / (double)length;
    for (uint32_t i = k->off[x->shipment]; i < k->off[x->shipment + 1]; i++) {
        int64_t at = k->o->departure[k->departure[i]].at_ps, left = length;
        while (left > 0) {
            int64_t piece = left < T - at ? left : T - at;
            if (bins)
                fill_bins(k, at, at + piece, rate);
            else if (!add_edge(k, at, rate) || !add_edge(k, at + piece, -rate))
                return false;
            left -= piece;
            at = 0;
        }
    }
    return true;
}

/* Behind the last phase, or part of it if it goes on at the same rate. Bits
 * become a rate rounded to bit/s. */
static bool add_phase(struct orr_link_demand *d, uint32_t *room, int64_t from,
                      int64_t to, double bits)
{
    struct orr_phase *last = d->n ? &d->phase[d->n - 1] : NULL;
    if (to <= from)
        return true;
    uint64_t rate = (uint64_t)(bits / (double)(to - from) * 1e12 + 0.5);
    if (rate == 0)
        return true;
    if (last && last->at_ps + last->for_ps == from && last->rate_bps == rate) {
        last->for_ps += to - from;
        return true;
    }
    if (!orr__array_more(d->phase, *room, d->n))
        return false;
    d->phase[d->n++] = (struct orr_phase){from, to - from, rate};
    return true;
}

/* The sum of what overlaps. Rates that came and went leave a rest behind, which
 * is none. */
static bool exact_phases(struct make *k, struct orr_link_demand *d)
{
    uint32_t room = 0, open = 0;
    double rate = 0;
    qsort(k->edge, k->edges, sizeof *k->edge, by_time);
    for (uint32_t i = 0; i < k->edges; i++) {
        int64_t from = i ? k->edge[i - 1].at : 0, to = k->edge[i].at;
        if (open && !add_phase(d, &room, from, to, rate * (double)(to - from)))
            return false;
        rate += k->edge[i].rate;
        open += k->edge[i].rate > 0 ? 1 : -1u;
        if (!open)
            rate = 0;
    }
    return true;
}

/* A link with many pieces: the mean rate of each of ORR_DEMAND_BINS bins. */
static bool binned_phases(struct make *k, struct orr_link_demand *d)
{
    int64_t T = k->p->iteration_ps;
    uint32_t room = 0;
    for (int64_t b = 0; b < ORR_DEMAND_BINS; b++) {
        int64_t from = (int64_t)((__int128)T * b / ORR_DEMAND_BINS);
        int64_t to = (int64_t)((__int128)T * (b + 1) / ORR_DEMAND_BINS);
        if (!add_phase(d, &room, from, to, k->bin[b]))
            return false;
    }
    return true;
}

/* The demand on one link, exact where there are few pieces. */
static bool make_link(struct make *k, uint32_t from, uint32_t to)
{
    struct orr_link_demand *d = &k->p->link[k->p->n];
    uint64_t pieces = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t s = k->load[i].shipment;
        pieces += k->off[s + 1] - k->off[s];
    }
    if (!pieces)
        return true;
    k->p->n++;
    d->link = k->load[from].link;
    bool bins = pieces > ORR_DEMAND_BINS / 2;
    ORR_ASSERT(k->p->n > 0);
    k->edges = 0;
    memset(k->bin, 0, sizeof k->bin);
    for (uint32_t i = from; i < to; i++)
        if (!stretches(k, &k->load[i], bins))
            return false;
    return bins ? binned_phases(k, d) : exact_phases(k, d);
}

/* Links in order; only those with departures get one. */
static bool make_links(struct make *k)
{
    uint32_t links = 0;
    for (uint32_t i = 0; i < k->n; i++)
        links += i == 0 || k->load[i].link != k->load[i - 1].link;
    k->p->link = orr__alloc(links, sizeof *k->p->link);
    if (!k->p->link)
        return false;
    for (uint32_t from = 0, to; from < k->n; from = to) {
        for (to = from; to < k->n && k->load[to].link == k->load[from].link;)
            to++;
        if (!make_link(k, from, to))
            return false;
    }
    return true;
}

/* ---- what links cannot carry --------------------------------------------- */

/* The iteration in stretches, and by how much each is too much for a link. */
struct fit {
    int64_t *corner; /* n + 1, ascending */
    int64_t *moved;  /* where they are once stretched */
    double *factor;  /* n, >= 1 */
    uint32_t n;
};

static int by_corner(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* All moments at which some link's demand changes, ascending, each once. */
static bool fit_corners(const struct orr_profile *p, struct fit *f)
{
    size_t all = 2, n = 0, kept = 0;
    for (uint32_t i = 0; i < p->n; i++)
        all += 2 * (size_t)p->link[i].n;
    f->corner = orr__alloc(all, sizeof *f->corner);
    f->moved = orr__alloc(all, sizeof *f->moved);
    f->factor = orr__alloc(all, sizeof *f->factor);
    if (!f->corner || !f->moved || !f->factor)
        return false;
    f->corner[n++] = 0;
    f->corner[n++] = p->iteration_ps;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->link[i].n; k++) {
            const struct orr_phase *x = &p->link[i].phase[k];
            f->corner[n++] = x->at_ps;
            f->corner[n++] = x->at_ps + x->for_ps;
        }
    qsort(f->corner, n, sizeof *f->corner, by_corner);
    for (size_t i = 0; i < n; i++)
        if (!kept || f->corner[i] != f->corner[kept - 1])
            f->corner[kept++] = f->corner[i];
    f->n = (uint32_t)kept - 1;
    return true;
}

/* The stretch that begins at a corner. */
static uint32_t stretch_at(const struct fit *f, int64_t at)
{
    const int64_t *x =
        bsearch(&at, f->corner, f->n, sizeof *f->corner, by_corner);
    return (uint32_t)(x - f->corner);
}

/* true: some link is asked for more than its rate. */
static bool find_factors(const struct orr_profile *p, const struct orr_graph *g,
                         struct fit *f)
{
    bool over = false;
    for (uint32_t i = 0; i < f->n; i++)
        f->factor[i] = 1;
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->link[i].n; k++) {
            const struct orr_phase *x = &p->link[i].phase[k];
            double share =
                (double)x->rate_bps / (double)g->rate_bps[p->link[i].link];
            if (share <= 1 + 1e-9)
                continue;
            over = true;
            for (uint32_t s = stretch_at(f, x->at_ps);
                 s < f->n && f->corner[s] < x->at_ps + x->for_ps; s++)
                f->factor[s] = share > f->factor[s] ? share : f->factor[s];
        }
    for (uint32_t s = 0; s < f->n; s++)
        f->moved[s + 1] =
            f->moved[s]
            + (int64_t)((double)(f->corner[s + 1] - f->corner[s]) * f->factor[s]
                        + 0.5);
    return over;
}

/* The link's phases by stretches that were moved; each keeps its bytes. */
static bool refit_phases(struct orr_link_demand *d, const struct fit *f)
{
    struct orr_link_demand made = {.link = d->link};
    uint32_t room = 0;
    for (uint32_t k = 0; k < d->n; k++) {
        const struct orr_phase *x = &d->phase[k];
        for (uint32_t s = stretch_at(f, x->at_ps);
             s < f->n && f->corner[s] < x->at_ps + x->for_ps; s++) {
            double bits = (double)x->rate_bps * 1e-12
                          * (double)(f->corner[s + 1] - f->corner[s]);
            if (!add_phase(&made, &room, f->moved[s], f->moved[s + 1], bits)) {
                orr__free(made.phase);
                return false;
            }
        }
    }
    orr__free(d->phase);
    *d = made;
    return true;
}

/* Where the job asks for more than a link's rate (messages of its own that meet
 * there, and their ACKs), all that it does then takes so much longer. */
static bool fit_links(struct orr_profile *p, const struct orr_graph *g)
{
    struct fit f = {0};
    bool ok = fit_corners(p, &f);
    if (ok && find_factors(p, g, &f)) {
        for (uint32_t i = 0; i < p->n && ok; i++)
            ok = refit_phases(&p->link[i], &f);
        p->iteration_ps = f.moved[f.n];
    }
    orr__free(f.corner);
    orr__free(f.moved);
    orr__free(f.factor);
    return ok;
}

/* ---- the same of iterations that overlap --------------------------------- */

/* A link on its way through a period: what it was asked for and did not carry
 * yet waits. */
struct backlog {
    struct orr_link_demand made;
    uint32_t room;
    double cap, bits; /* of the link, bit/ps; waiting */
    bool ok;
};

static void carry_on(struct backlog *b, int64_t from, int64_t to, double rate)
{
    b->ok =
        b->ok
        && add_phase(&b->made, &b->room, from, to, rate * (double)(to - from));
}

/* It is asked for `rate` from `from` to `to`. */
static void ask_rate(struct backlog *b, int64_t from, int64_t to, double rate)
{
    double more = (rate - b->cap) * (double)(to - from);
    int64_t full = to;
    if (b->bits + more <= 0 && rate < b->cap)
        full = from + (int64_t)(b->bits / (b->cap - rate) + 0.5);
    full = full < to ? full : to;
    b->bits = full < to || b->bits + more < 0 ? 0 : b->bits + more;
    carry_on(b, from, full, b->cap);
    carry_on(b, full, to, rate);
}

/* One round of what the link is asked for, with what is left over going on from
 * phase to phase. */
static void go_round(struct backlog *b, const struct orr_link_demand *d,
                     int64_t period)
{
    int64_t at = 0;
    b->made.n = 0;
    for (uint32_t k = 0; k < d->n; k++) {
        const struct orr_phase *x = &d->phase[k];
        ask_rate(b, at, x->at_ps, 0);
        at = x->at_ps + x->for_ps;
        ask_rate(b, x->at_ps, at, (double)x->rate_bps * 1e-12);
    }
    ask_rate(b, at, period, 0);
}

/* An iteration is no longer for what a link cannot carry at once: that waits,
 * into the next one too, while others go on. */
static bool defer_links(struct orr_profile *p, const struct orr_graph *g)
{
    for (uint32_t i = 0; i < p->n; i++) {
        struct orr_link_demand *d = &p->link[i];
        struct backlog b = {.made = {.link = d->link},
                            .cap = (double)g->rate_bps[d->link] * 1e-12,
                            .ok = true};
        go_round(&b, d, p->iteration_ps); /* what the one before leaves */
        go_round(&b, d, p->iteration_ps);
        if (!b.ok) {
            orr__free(b.made.phase);
            return false;
        }
        orr__free(d->phase);
        *d = b.made;
    }
    return true;
}

orr_err orr__demand(const struct orr_world *w, const struct orr_job *j,
                    const struct orr_outline *o,
                    const struct orr_message_paths *paths,
                    struct orr_profile *out, struct orr_report *why)
{
    struct make k = {.w = w, .o = o, .p = out};
    *out = (struct orr_profile){.iteration_ps = o->iteration_ps,
                                .compute_ps = o->compute_ps,
                                .job = orr__strdup(j->name)};
    bool ok = out->job && load_links(&k, paths);
    orr_err over = orr__world_go_on(w, ok ? why : NULL);
    ok = ok && !over && sort_departures(&k) && make_links(&k)
         && (j->team->overlap > 1 ? defer_links(out, w->graph)
                                  : fit_links(out, w->graph));
    orr__free(k.load);
    orr__free(k.at);
    orr__free(k.off);
    orr__free(k.departure);
    orr__free(k.edge);
    if (ok)
        return ORR_OK;
    orr__profile_fini(out);
    *out = (struct orr_profile){0};
    return over ? over : orr__no_memory(why);
}

/* The job whose connections are meant. */
struct owner {
    const struct orr_world *w;
    const struct orr_job *j;
};

static uint32_t own_path(void *arg, uint32_t src, uint32_t dst, bool forward,
                         uint32_t *link, uint32_t max)
{
    const struct owner *o = arg;
    return orr__own_path(o->w, o->j, src, dst, forward, link, max);
}

orr_err orr__demand_own(const struct orr_world *w, const struct orr_job *j,
                        const struct orr_outline *o, struct orr_profile *out,
                        struct orr_report *why)
{
    struct owner owner = {w, j};
    const struct orr_message_paths paths = {own_path, &owner};
    return orr__demand(w, j, o, &paths, out, why);
}

/* ---- questions ---------------------------------------------------------- */

int64_t orr__profile_first(const struct orr_profile *p)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->link[i].n && p->link[i].phase[0].at_ps < first)
            first = p->link[i].phase[0].at_ps;
    return first == INT64_MAX ? 0 : first;
}

int64_t orr__profile_longest(const struct orr_profile *p,
                             const struct orr_graph *g, uint32_t *link)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t l = p->link[i].link;
        int64_t t =
            orr__serialisation(orr__demand_bytes(&p->link[i]), g->rate_bps[l]);
        if (t > longest) {
            longest = t;
            *link = l;
        }
    }
    return longest;
}
