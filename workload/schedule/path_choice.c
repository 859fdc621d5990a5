#include "workload/schedule/path_choice.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static int by_pair(const void *a, const void *b)
{
    const struct orr_chosen_path *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

/* ---- pairs -------------------------------------------------------------- */

/* How often each shipment leaves in an iteration. */
static uint32_t *times_of(const struct orr_outline *o)
{
    uint32_t *times = orr__alloc(o->shipments, sizeof *times);
    for (uint32_t i = 0; times && i < o->departures; i++)
        times[o->departure[i].shipment]++;
    return times;
}

static void first_bytes(void *arg, uint32_t link, uint64_t bytes)
{
    uint64_t *most = arg; /* data, which is more than its ACKs */
    if (bytes > *most)
        *most = bytes;
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

/* How many pairs there are, without their bytes, which take much longer. */
static uint32_t count_pairs(const struct orr_outline *o, const uint32_t *times,
                            struct orr_chosen_path *room)
{
    uint32_t n = 0, pairs = 0;
    for (uint32_t s = 0; s < o->shipments; s++)
        for (uint32_t i = 0; times[s] && i < o->shipment[s].n; i++)
            if (o->shipment[s].parcel[i].src != ORR_NONE) /* no tree's */
                room[n++] = (struct orr_chosen_path){
                    .src = o->shipment[s].parcel[i].src,
                    .dst = o->shipment[s].parcel[i].dst};
    qsort(room, n, sizeof *room, by_pair);
    for (uint32_t i = 0; i < n; i++)
        pairs += i == 0 || by_pair(&room[i - 1], &room[i]) != 0;
    return pairs;
}

/* All parcels, one after another, then those of a pair in one. */
static void gather(const struct owner *owner, const struct orr_outline *o,
                   const uint32_t *times, struct orr_path_table *t)
{
    struct owner own = *owner;
    const struct orr_message_paths paths = {own_path, &own};
    uint32_t kept = 0;
    for (uint32_t s = 0; s < o->shipments; s++)
        for (uint32_t i = 0; i < o->shipment[s].n; i++) {
            const struct orr_parcel *p = &o->shipment[s].parcel[i];
            uint64_t bytes = 0;
            if (!times[s] || p->src == ORR_NONE
                || orr__world_interrupted(own.w))
                continue;
            orr__parcel_links(own.w, &paths, p, first_bytes, &bytes);
            t->path[t->n++] = (struct orr_chosen_path){
                .src = p->src, .dst = p->dst, .bytes = bytes * times[s]};
        }
    qsort(t->path, t->n, sizeof *t->path, by_pair);
    for (uint32_t i = 0; i < t->n; i++)
        if (kept && by_pair(&t->path[kept - 1], &t->path[i]) == 0)
            t->path[kept - 1].bytes += t->path[i].bytes;
        else
            t->path[kept++] = t->path[i];
    t->n = kept;
}

static bool own_links(const struct owner *o, struct orr_chosen_path *x)
{
    uint32_t link[ORR_PATH_LINKS];
    x->n =
        orr__own_path(o->w, o->j, x->src, x->dst, true, link, ORR_PATH_LINKS);
    x->tried = 1;
    x->link = orr__alloc(x->n, sizeof *x->link);
    if (x->link)
        memcpy(x->link, link, x->n * sizeof *link);
    return x->link;
}

orr_err orr__path_choice_list(const struct orr_world *w,
                              const struct orr_job *j,
                              const struct orr_outline *o,
                              struct orr_path_table *out,
                              struct orr_report *why)
{
    const struct owner owner = {w, j};
    uint64_t parcels = 0;
    *out = (struct orr_path_table){0};
    for (uint32_t s = 0; s < o->shipments; s++)
        parcels += o->shipment[s].n;
    if (parcels > 64 * (uint64_t)ORR_PATH_CHOICE_PAIRS)
        return ORR_OK;
    uint32_t *times = times_of(o);
    out->path = orr__alloc(parcels, sizeof *out->path);
    bool ok = times && out->path;
    if (ok && count_pairs(o, times, out->path) <= ORR_PATH_CHOICE_PAIRS)
        gather(&owner, o, times, out);
    for (uint32_t i = 0; ok && i < out->n; i++)
        ok = own_links(&owner, &out->path[i]);
    orr__free(times);
    orr_err err = ok ? orr__world_go_on(w, why) : orr__no_memory(why);
    if (!err)
        return ORR_OK;
    orr__path_choice_fini(out);
    *out = (struct orr_path_table){0};
    return err;
}

const struct orr_chosen_path *orr__path_choice_find(
    const struct orr_path_table *t, uint32_t src, uint32_t dst)
{
    const struct orr_chosen_path key = {.src = src, .dst = dst};
    return t->n ? bsearch(&key, t->path, t->n, sizeof key, by_pair) : NULL;
}

void orr__path_choice_fini(struct orr_path_table *t)
{
    for (uint32_t i = 0; t->path && i < t->n; i++)
        orr__free(t->path[i].link);
    orr__free(t->path);
}

/* ---- choosing ----------------------------------------------------------- */

/* One depth first search over equal paths; load is the share of each link's
 * time that is taken. */
struct search {
    const struct orr_world *w;
    const double *load;
    double seconds_bits; /* bits of the pair over an iteration's seconds */
    uint32_t dst, tried;
    uint32_t link[ORR_PATH_LINKS], n;
    uint32_t best[ORR_PATH_LINKS], best_n;
    double best_most, best_sum;
};

/* Keeps the path with the least loaded busiest link; of equal ones the least
 * sum, then the first. */
static void judge_path(struct search *s)
{
    double most = 0, sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t l = s->link[i];
        double share =
            s->load[l] + s->seconds_bits / (double)s->w->graph->rate_bps[l];
        most = share > most ? share : most;
        sum += share;
    }
    if (s->tried++
        && (most > s->best_most - 1e-12
            && (most > s->best_most + 1e-12 || sum >= s->best_sum - 1e-12)))
        return;
    s->best_most = most;
    s->best_sum = sum;
    s->best_n = s->n;
    memcpy(s->best, s->link, s->n * sizeof *s->link);
}

/* Depth first, next hops in order of id. */
static void extend_path(struct search *s, uint32_t node)
{
    uint32_t n;
    if (node == s->dst) {
        judge_path(s);
        return;
    }
    if (s->n == ORR_PATH_LINKS)
        return;
    const uint32_t *next = orr__routing_next(s->w->routes, node, s->dst, &n);
    for (uint32_t i = 0; i < n && s->tried < ORR_PATH_CHOICE_TRIED; i++) {
        s->link[s->n++] = next[i];
        extend_path(s, s->w->graph->to[next[i]]);
        s->n--;
    }
}

/* Adds `times` times what a pair asks of each of its links. */
static void put_load(const struct search *s, const struct orr_chosen_path *x,
                     double *load, int times)
{
    for (uint32_t k = 0; k < x->n; k++)
        load[x->link[k]] +=
            times * s->seconds_bits / (double)s->w->graph->rate_bps[x->link[k]];
}

static bool take_best(struct orr_chosen_path *x, const struct search *s)
{
    uint32_t *link = orr__resize(x->link, s->best_n, sizeof *link);
    if (!link)
        return false;
    memcpy(link, s->best, s->best_n * sizeof *link);
    x->link = link;
    x->n = s->best_n;
    x->tried = s->tried;
    return true;
}

static struct search search_for(const struct orr_world *w,
                                const struct orr_job *j, int64_t iteration_ps,
                                const struct orr_chosen_path *x,
                                const double *load)
{
    return (struct search){.w = w,
                           .load = load,
                           .dst = j->hosts[x->dst],
                           .seconds_bits =
                               8e12 * (double)x->bytes / (double)iteration_ps};
}

orr_err orr__path_choice_choose(const struct orr_world *w,
                                const struct orr_job *j, int64_t iteration_ps,
                                struct orr_path_table *t, double *load,
                                struct orr_report *why)
{
    for (uint32_t i = 0; i < t->n; i++) {
        orr_err over = orr__world_go_on(w, why);
        if (over)
            return over;
        struct orr_chosen_path *x = &t->path[i];
        struct search s = search_for(w, j, iteration_ps, x, load);
        extend_path(&s, j->hosts[x->src]);
        if (!take_best(x, &s))
            return orr__no_memory(why);
        put_load(&s, x, load, 1);
    }
    return ORR_OK;
}

/* Rounds of choosing anew: two or three are the rule. */
enum { ROUNDS = 16 };

static double busiest(const struct orr_chosen_path *x, const double *load)
{
    double most = 0;
    for (uint32_t k = 0; k < x->n; k++)
        most = load[x->link[k]] > most ? load[x->link[k]] : most;
    return most;
}

orr_err orr__path_choice_improve(const struct orr_world *w,
                                 const struct orr_job *j, int64_t iteration_ps,
                                 struct orr_path_table *t, double *load,
                                 struct orr_report *why)
{
    bool moved = true;
    for (int round = 0; round < ROUNDS && moved; round++) {
        moved = false;
        for (uint32_t i = 0; i < t->n; i++) {
            struct orr_chosen_path *x = &t->path[i];
            struct search s = search_for(w, j, iteration_ps, x, load);
            double was = busiest(x, load);
            if (x->tried < 2)
                continue;
            put_load(&s, x, load, -1);
            extend_path(&s, j->hosts[x->src]);
            if (s.best_most < was * (1 - 1e-9)) {
                moved = true;
                if (!take_best(x, &s))
                    return orr__no_memory(why);
            }
            put_load(&s, x, load, 1);
        }
    }
    return ORR_OK;
}

uint32_t orr__path_choice_by(void *arg, uint32_t src, uint32_t dst,
                             bool forward, uint32_t *link, uint32_t max)
{
    const struct orr_paths_by *by = arg;
    const struct orr_chosen_path *x =
        forward ? orr__path_choice_find(by->table, src, dst) : NULL;
    if (!x || x->n > max)
        return orr__own_path(by->w, by->j, src, dst, forward, link, max);
    memcpy(link, x->link, x->n * sizeof *link);
    return x->n;
}
