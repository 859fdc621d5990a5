#include "topo/metrics.h"
#include "core/none.h"

#include "core/assert.h"
#include "core/memory.h"
#include "core/random.h"
#include "topo/build/build.h"
#include "topo/distances.h"
#include "topo/node_names.h"
#include "topo/partition.h"
#include "topo/routing.h"

enum {
    ALL_PAIRS_UP_TO = 512, /* hosts whose path counts are all taken */
    PATH_COLUMNS = 64,     /* else: columns of a sample */
};
#define DISTANCE_WORK UINT64_C(1000000000) /* links looked at, about 3 s */

static uint64_t add_paths(uint64_t a, uint64_t b)
{
    return orr__size_add(a, b); /* stays at UINT64_MAX */
}

/* ---- numbers of shortest paths ---- */

/* Scratch for one column: vertices in order of distance, paths of each. */
struct counter {
    const struct orr_distances *t;
    uint32_t *node; /* vertices' nodes, nearest first */
    uint32_t nodes;
    uint32_t *start; /* ORR_FAR + 1: counting sort by distance */
    uint64_t *paths; /* per vertex */
};

static orr_err counter_init(struct counter *k, const struct orr_distances *t,
                            struct orr_report *why)
{
    k->t = t;
    k->node = orr__alloc(t->vertices, sizeof *k->node);
    k->start = orr__alloc(ORR_FAR + 1, sizeof *k->start);
    k->paths = orr__alloc(t->vertices, sizeof *k->paths);
    return k->node && k->start && k->paths ? ORR_OK : orr__no_memory(why);
}

static void counter_fini(struct counter *k)
{
    orr__free(k->node);
    orr__free(k->start);
    orr__free(k->paths);
}

/* Nodes by distance, by counting; those that are not reached are left out. The
 * first column's `start` moves on as it fills. */
static void sort_nodes(struct counter *k, const uint16_t *dist)
{
    const struct orr_graph *g = k->t->graph;
    for (uint32_t d = 0; d <= ORR_FAR; d++)
        k->start[d] = 0;
    for (uint32_t v = 0; v < k->t->vertices; v++)
        if (dist[v] != ORR_FAR)
            k->start[dist[v] + 1]++;
    for (uint32_t d = 1; d <= ORR_FAR; d++)
        k->start[d] += k->start[d - 1];
    ORR_ASSERT(k->start[0] == 0);
    k->nodes = 0;
    for (uint32_t v = 0; v < g->nodes; v++) {
        uint32_t x = k->t->vertex[v];
        if (x != ORR_NONE && dist[x] != ORR_FAR) {
            k->node[k->start[dist[x]]++] = v;
            k->nodes++;
        }
    }
}

/* Shortest paths from v, at distance d from the target, by its nearer
 * neighbours. */
static uint64_t sum_paths(const struct counter *k, const uint16_t *dist,
                          uint32_t c, uint32_t v, uint32_t d)
{
    const struct orr_graph *g = k->t->graph;
    uint64_t sum = 0;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t link = g->out_link[i];
        if (orr__distances_far_end(k->t, dist, c, link)
                + orr__distances_cost(k->t, link)
            == d)
            sum = add_paths(sum, k->paths[k->t->vertex[g->to[link]]]);
    }
    return sum;
}

static void count_paths(struct counter *k, const uint16_t *dist, uint32_t c)
{
    sort_nodes(k, dist);
    for (uint32_t i = 0; i < k->nodes; i++) {
        uint32_t v = k->node[i], x = k->t->vertex[v];
        k->paths[x] = dist[x] ? sum_paths(k, dist, c, v, dist[x]) : 1;
    }
}

/* ---- all pairs ---- */

/* One pass over columns; sums are weighted by hosts of a column. */
struct survey {
    struct orr_distances t;
    struct counter counter;
    uint32_t *weight; /* per column: its hosts */
    bool *shared;     /* per column: its hosts hang on a switch */
    bool *count;      /* per column: paths are wanted */
    uint32_t *order;  /* columns to visit */
    uint32_t visits;
    uint16_t *dist;
    uint64_t pairs, path_pairs;
    double distance_sum, path_sum;
    struct orr_metrics *m;
};

static void survey_fini(struct survey *s)
{
    orr__distances_fini(&s->t);
    counter_fini(&s->counter);
    orr__free(s->weight);
    orr__free(s->shared);
    orr__free(s->count);
    orr__free(s->order);
    orr__free(s->dist);
}

/* Columns of all hosts; s->shared: those whose hosts hang on a switch, so that
 * their own pairs are two links apart. */
static orr_err survey_init(struct survey *s, const struct orr_graph *g,
                           struct orr_report *why)
{
    uint32_t *all = orr__alloc(g->hosts, sizeof *all);
    if (all == NULL)
        return orr__no_memory(why);
    for (uint32_t h = 0; h < g->hosts; h++)
        all[h] = h;
    orr_err err =
        orr__distances_init(&s->t, g, NULL, false, all, g->hosts, why);
    orr__free(all);
    if (err)
        return err;
    s->weight = orr__alloc(s->t.columns, sizeof *s->weight);
    s->shared = orr__alloc(s->t.columns, sizeof *s->shared);
    s->count = orr__alloc(s->t.columns, sizeof *s->count);
    s->order = orr__alloc(s->t.columns, sizeof *s->order);
    s->dist = orr__alloc((size_t)orr__distances_batch(&s->t) * s->t.vertices,
                         sizeof *s->dist);
    if (!s->weight || !s->shared || !s->count || !s->order || !s->dist)
        return orr__no_memory(why);
    for (uint32_t h = 0; h < g->hosts; h++)
        s->weight[s->t.column[h]]++;
    for (uint32_t c = 0; c < s->t.columns; c++)
        s->shared[c] = !orr__is_host(g, s->t.target[c]);
    return counter_init(&s->counter, &s->t, why);
}

/* Which columns to visit and in which to count paths: all, or the first of a
 * seeded shuffle. */
static void choose_columns(struct survey *s)
{
    const struct orr_graph *g = s->t.graph;
    struct orr_random r;
    uint32_t n = s->t.columns, counted = n;
    uint64_t work = (uint64_t)g->links + g->nodes + 1; /* of a column */
    orr__random_init(&r, 0, g->hosts, ORR_PURPOSE_SAMPLE);
    for (uint32_t c = 0; c < n; c++)
        s->order[c] = c;
    for (uint32_t c = 0; c + 1 < n; c++) {
        uint32_t other = c + (uint32_t)orr__random_below(&r, n - c);
        uint32_t swap = s->order[c];
        s->order[c] = s->order[other];
        s->order[other] = swap;
    }
    s->visits = n;
    if (!s->t.complete && orr__size_mul(n, work) > DISTANCE_WORK)
        s->visits = (uint32_t)(DISTANCE_WORK / work) + 1;
    s->visits = s->visits < n ? s->visits : n;
    if (g->hosts > ALL_PAIRS_UP_TO)
        counted = n < PATH_COLUMNS ? n : PATH_COLUMNS;
    counted = counted < s->visits ? counted : s->visits;
    for (uint32_t i = 0; i < counted; i++)
        s->count[s->order[i]] = true;
    ORR_ASSERT(s->visits > 0 && counted <= s->visits);
    s->m->sampled = counted < n;
}

/* `pairs` pairs at a distance; counted: with so many equal paths each. */
static void take_pairs(struct survey *s, uint64_t pairs, uint32_t links,
                       bool counted, uint64_t paths)
{
    struct orr_metrics *m = s->m;
    if (pairs == 0)
        return;
    s->pairs += pairs;
    s->distance_sum += (double)pairs * links;
    m->diameter = links > m->diameter ? links : m->diameter;
    if (!counted)
        return;
    s->path_pairs += pairs;
    s->path_sum += (double)pairs * (double)paths;
    m->paths_min = paths < m->paths_min ? paths : m->paths_min;
    m->paths_max = paths > m->paths_max ? paths : m->paths_max;
}

/* Pairs from the hosts of every column to those of column c. */
static orr_err visit_column(struct survey *s, uint32_t c, const uint16_t *dist,
                            struct orr_report *why)
{
    const struct orr_distances *t = &s->t;
    uint64_t w = s->weight[c];
    if (s->count[c])
        count_paths(&s->counter, dist, c);
    for (uint32_t o = 0; o < t->columns; o++) {
        uint32_t v = t->target[o], d = orr__distances_from(t, dist, c, v);
        if (o == c) { /* two hosts of one switch */
            take_pairs(s, w * (w - 1), 2, s->count[c], 1);
            continue;
        }
        if (d == ORR_FAR)
            return orr__fail(why, ORR_ECONFIG,
                             "some hosts cannot reach others: every path leads "
                             "through hosts that do not forward");
        uint64_t paths =
            s->count[c] ? sum_paths(&s->counter, dist, c, v, d) : 0;
        d = orr__distances_links(t, d);
        take_pairs(s, w * s->weight[o], d + s->shared[o] + s->shared[c],
                   s->count[c], paths);
    }
    return ORR_OK;
}

/* Visits columns in runs of consecutive ones, as the distances come. */
static orr_err visit_all(struct survey *s, struct orr_report *why)
{
    const struct orr_distances *t = &s->t;
    uint32_t batch = orr__distances_batch(t);
    orr_err err = ORR_OK;
    if (s->visits < t->columns) {
        for (uint32_t i = 0; i < s->visits && !err; i++) {
            err = orr__distances_distances(t, s->order[i], 1, s->dist, why);
            if (!err)
                err = visit_column(s, s->order[i], s->dist, why);
        }
        return err;
    }
    for (uint32_t first = 0; first < t->columns && !err; first += batch) {
        uint32_t n = t->columns - first < batch ? t->columns - first : batch;
        err = orr__distances_distances(t, first, n, s->dist, why);
        for (uint32_t i = 0; i < n && !err; i++)
            err = visit_column(s, first + i, s->dist + (size_t)i * t->vertices,
                               why);
    }
    return err;
}

/* By formula where the kind has one and hosts are not servers, else an upper
 * bound by METIS. */
static orr_err measure_bisection(const struct orr_graph *g,
                                 struct orr_metrics *m, struct orr_report *why)
{
    const struct orr_topology_ops *ops = orr__topology_find(g->kind);
    uint64_t formula = UINT64_MAX, bound;
    if (g->hosts < 2) {
        m->bisection_exact = true;
        return ORR_OK;
    }
    m->bisection_exact = ops && ops->bisection && !g->gpus && !g->plane
                         && ops->bisection(g, &formula);
    m->bisection_bps = formula;
    if (m->bisection_exact)
        return ORR_OK;
    orr_err err = orr__graph_bisection_bound(g, &bound, why);
    m->bisection_bps = bound;
    return err;
}

orr_err orr__graph_metrics(const struct orr_graph *g, struct orr_metrics *m,
                           struct orr_report *why)
{
    struct survey s = {.m = m};
    *m = (struct orr_metrics){.paths_min = UINT64_MAX};
    orr_err err = survey_init(&s, g, why);
    if (!err) {
        choose_columns(&s);
        err = visit_all(&s, why);
    }
    if (!err) {
        m->mean_path = s.pairs ? s.distance_sum / (double)s.pairs : 0;
        m->paths_mean = s.path_pairs ? s.path_sum / (double)s.path_pairs : 0;
        m->paths_min = s.path_pairs ? m->paths_min : 0;
        err = measure_bisection(g, m, why);
    }
    survey_fini(&s);
    return err;
}

/* ---- one pair ---- */

/* Goes from a to b by the lowest link id at each node; *links has room for
 * length of them. */
static void follow_links(const struct orr_distances *t, const uint16_t *dist,
                         uint32_t a, uint32_t b, uint32_t *links,
                         uint32_t length)
{
    const struct orr_graph *g = t->graph;
    uint32_t c = t->column[b], v = a;
    for (uint32_t n = 0; n < length; n++) {
        uint32_t d = orr__distances_from(t, dist, c, v);
        uint32_t i = g->out_off[v];
        if (d == 0) { /* at b's switch */
            links[n] = t->last_link[b];
            return;
        }
        while (orr__distances_far_end(t, dist, c, g->out_link[i])
                   + orr__distances_cost(t, g->out_link[i])
               != d)
            i++;
        ORR_ASSERT(i < g->out_off[v + 1]); /* who has a distance has a way */
        links[n] = g->out_link[i];
        v = g->to[links[n]];
    }
}

static orr_err report_no_path(const struct orr_graph *g, uint32_t a, uint32_t b,
                              struct orr_report *why)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    return orr__fail(why, ORR_ECONFIG,
                     "%s cannot reach %s: every path leads through hosts that "
                     "do not forward",
                     orr__node_name(g, a, from, sizeof from),
                     orr__node_name(g, b, to, sizeof to));
}

orr_err orr__graph_path(const struct orr_graph *g, uint32_t a, uint32_t b,
                        uint32_t **links, uint32_t *n, uint64_t *paths,
                        struct orr_report *why)
{
    struct orr_distances t;
    struct counter k = {.t = NULL};
    uint16_t *dist = NULL;
    orr_err err = orr__distances_init(&t, g, NULL, false, &b, 1, why);
    if (!err)
        err = counter_init(&k, &t, why);
    if (!err && !(dist = orr__alloc(t.vertices, sizeof *dist)))
        err = orr__no_memory(why);
    if (!err)
        err = orr__distances_distances(&t, 0, 1, dist, why);
    if (err)
        goto out;
    uint32_t d = a == b ? 0 : orr__distances_from(&t, dist, 0, a);
    if (d == ORR_FAR) {
        err = report_no_path(g, a, b, why);
        goto out;
    }
    count_paths(&k, dist, 0);
    *paths = a == b ? 1 : sum_paths(&k, dist, 0, a, d);
    *n = a == b ? 0 : orr__distances_links(&t, d) + (t.target[0] != b);
    *links = orr__alloc(*n, sizeof **links);
    if (*links == NULL)
        err = orr__no_memory(why);
    else
        follow_links(&t, dist, a, b, *links, *n);
out:
    orr__distances_fini(&t);
    counter_fini(&k);
    orr__free(dist);
    return err;
}
