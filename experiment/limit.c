#include "experiment/limit.h"
#include "core/assert.h"
#include "core/none.h"

#include <math.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "record/busy_time.h"
#include "workload/job/job.h"
#include "workload/memo/memo.h"
#include "workload/program/groups.h"
#include "workload/rank/bound.h"
#include "workload/rank/cut.h"
#include "workload/rank/rank.h"

enum { PATH_MAX_LINKS = 64 };
/* Paths that are walked for one job; each takes some 100 ns. */
#define PATHS_WALKED (UINT64_C(1) << 22)
/* Transfers that are looked at for what hosts of one switch send together. */
#define MOST_TRANSFERS (UINT64_C(1) << 23)

/* Nodes that packets of a pair are at after so many hops. */
struct front {
    uint32_t *node, n;
};

/* What pairs of ranks of a team put on links. */
struct crossing {
    const struct orr_world *w;
    const struct orr_team *t;
    uint64_t *bytes; /* per link; all 0 between calls */
    uint32_t *used;  /* links that are not 0 */
    uint32_t n_used;
    uint64_t paths;     /* walked so far */
    uint64_t transfers; /* that may still be looked at for cuts */
    bool too_many;
    /* where packets take all ways: */
    uint64_t *there; /* per node; all 0 between pairs */
    struct front now, next;
};

/* A link that carries nothing is not crossed: `used` has each one once. */
static void cross_link(struct crossing *k, uint32_t link, uint64_t bytes)
{
    if (bytes == 0)
        return;
    if (k->bytes[link] == 0)
        k->used[k->n_used++] = link;
    k->bytes[link] += bytes;
}

/* Sends on what is at a node, a share each over all of its next hops. */
static void share_out(struct crossing *k, uint32_t node, uint32_t dst)
{
    const struct orr_routing *r = k->w->routes;
    uint32_t n;
    const uint32_t *link = orr__routing_next(r, node, dst, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bytes = k->there[node] / n + (i < k->there[node] % n);
        uint32_t to = k->w->graph->to[link[i]];
        if (bytes == 0)
            continue;
        cross_link(k, link[i], bytes);
        if (k->there[to] == 0 && to != dst)
            k->next.node[k->next.n++] = to;
        if (to != dst)
            k->there[to] += bytes;
    }
    k->there[node] = 0;
}

/* Packets that may make detours: only what all of them cross, the only link of
 * a host. */
static void cross_ends(struct crossing *k, uint32_t src, uint32_t dst,
                       uint64_t bytes)
{
    const struct orr_graph *g = k->w->graph;
    if (src == dst)
        return;
    if (g->out_off[src + 1] - g->out_off[src] == 1)
        cross_link(k, g->out_link[g->out_off[src]], bytes);
    if (g->in_off[dst + 1] - g->in_off[dst] == 1
        && g->from[g->in_link[g->in_off[dst]]] != src)
        cross_link(k, g->in_link[g->in_off[dst]], bytes);
}

/* Over all shortest paths: nodes of one front are as far from the end. */
static void cross_all_paths(struct crossing *k, uint32_t src, uint32_t dst,
                            uint64_t bytes)
{
    k->now.node[0] = src;
    k->now.n = 1;
    k->there[src] = bytes;
    while (k->now.n) {
        k->next.n = 0;
        for (uint32_t i = 0; i < k->now.n; i++)
            share_out(k, k->now.node[i], dst);
        struct front front = k->now;
        k->now = k->next;
        k->next = front;
        k->paths += k->now.n;
    }
}

/* What a pair of ranks sends, to the links that it crosses: an
 * orr_traffic_fn. */
static void cross_pair(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                       uint64_t messages)
{
    struct crossing *k = arg;
    uint32_t link[PATH_MAX_LINKS];
    if (k->too_many || k->paths++ >= PATHS_WALKED) {
        k->too_many = true;
        return;
    }
    if (k->w->net_config->detours && k->w->net_config->moves) {
        cross_ends(k, k->t->hosts[src], k->t->hosts[dst], bytes);
        return;
    }
    if (k->there) {
        cross_all_paths(k, k->t->hosts[src], k->t->hosts[dst], bytes);
        return;
    }
    const struct orr_connection_spec spec = orr__post_spec(k->t, 0, src, dst);
    uint32_t n = orr__net_path_of(k->w->net, &spec, true, link, PATH_MAX_LINKS);
    for (uint32_t i = 0; i < n && i < PATH_MAX_LINKS; i++)
        cross_link(k, link[i], bytes);
}

static uint64_t carried_bytes(const struct crossing *k, uint32_t link)
{
    struct orr_link_sample s;
    orr__net_link_sample(k->w->net, link, k->w->result.end_ps, &s);
    return s.bytes;
}

/* Links that calls of a job cross, and entries of bins looked at for a job and
 * for all; beyond these many the computed link is told. */
#define CROSSED_KEPT          (UINT64_C(1) << 20)
#define MOST_BIN_CELLS        (UINT64_C(100) * 1000 * 1000)
#define MOST_BIN_CELLS_OF_ALL (2 * MOST_BIN_CELLS)

/* By their own payload alone: what is computed. */
struct computed {
    int64_t bound_ps, link_ps;
    uint32_t link;
    uint32_t first, n; /* what it crosses, in crossed[]; n 0: not kept */
};

/* A link that a call crosses. */
struct crossed {
    uint32_t link;
    uint64_t bytes; /* payload of the call */
};

/* The limits of a team at a time. */
struct orr_limits {
    const struct orr_world *w;
    uint32_t *alike;       /* per call: the first one like it */
    struct computed *call; /* per call; of the first of those alike */
    struct crossed *crossed;
    uint64_t n_crossed, room;
    uint64_t cells, cells_of_all; /* seen so far: for this team, and all */
    double *seen; /* per link: ps busy in a call's time; else 0 */
    bool *wanted; /* per link: seen counts; else false */
    struct crossing crossing;
};

/* Links of a call, so that those alike need not be walked again. */
static orr_err keep_crossed(struct orr_limits *l, struct computed *x)
{
    const struct crossing *k = &l->crossing;
    if (l->n_crossed + k->n_used > CROSSED_KEPT)
        return ORR_OK;
    if (!orr__array_room(l->crossed, l->room, l->n_crossed + k->n_used))
        return ORR_ENOMEM;
    x->first = (uint32_t)l->n_crossed;
    x->n = k->n_used;
    for (uint32_t i = 0; i < k->n_used; i++)
        l->crossed[l->n_crossed++] =
            (struct crossed){k->used[i], k->bytes[k->used[i]]};
    return ORR_OK;
}

static void cross_tree(void *arg, uint32_t link, uint64_t bytes)
{
    cross_link(arg, link, bytes);
}

/* What a call puts on the links that it crosses. */
static orr_err cross_call(struct crossing *k, const struct orr_call *call)
{
    const struct orr_program *p = k->t->program;
    struct orr_group_load load = {.fn = cross_tree, .arg = k};
    struct orr_report why = {0};
    orr_err err = ORR_OK;
    if (!call->c.ops->on_trees) {
        orr__traffic_of_call(k->t, call, cross_pair, k);
        return ORR_OK;
    }
    for (uint32_t i = 0; !err && i < orr__call_groups(p, call); i++)
        err = orr__call_group_load(k->w, p, call, k->t->hosts, i, k->t->job,
                                   &load, &why);
    return err;
}

/* The lower bound of a call, and its link that has most to carry. */
static orr_err compute_limit(struct orr_limits *l, const struct orr_call *call,
                             struct computed *x)
{
    struct crossing *k = &l->crossing;
    const struct orr_graph *g = l->w->graph;
    uint64_t most = 0;
    orr_err err = ORR_OK;
    x->link = ORR_NONE;
    k->too_many = false;
    k->n_used = 0;
    x->bound_ps = orr__bound_call(k->w, k->t, call);
    int64_t cut = orr__bound_cut(k->w, k->t, call, &k->transfers);
    x->bound_ps = cut > x->bound_ps ? cut : x->bound_ps;
    if (l->w->net_config->transport == ORR_TRANSPORT_ANALYTICAL)
        return ORR_OK; /* no link holds anything up */
    err = cross_call(k, call);
    if (!k->too_many && !err)
        err = keep_crossed(l, x);
    for (uint32_t i = 0; i < k->n_used; i++) {
        uint32_t link = k->used[i];
        int64_t time = orr__serialisation(k->bytes[link], g->rate_bps[link]);
        k->bytes[link] = 0;
        if (x->link != ORR_NONE && time < x->link_ps)
            continue;
        uint64_t all = carried_bytes(k, link);
        if (x->link != ORR_NONE && time == x->link_ps
            && (all < most || (all == most && link > x->link)))
            continue;
        x->link = link;
        x->link_ps = time;
        most = all;
    }
    if (k->too_many)
        x->link = ORR_NONE;
    return err;
}

/* ---- what was observed -------------------------------------------------- */

static void see_cell(void *arg, uint32_t link, double busy_ps)
{
    struct orr_limits *l = arg;
    if (l->wanted[link])
        l->seen[link] += busy_ps;
}

/* Another link must have been busier by that much than the computed one. */
#define CLEARLY 1.02

/* Which of the links that a call crossed was busiest in its time, and what
 * share of that. */
static void observe_call(struct orr_limits *l, const struct computed *x,
                         int64_t start, int64_t end, struct orr_limit *out)
{
    const struct crossed *c = &l->crossed[x->first], *best = c;
    ORR_ASSERT(x->n > 0 && end > start); /* else nothing was crossed */
    for (uint32_t i = 0; i < x->n; i++)
        l->wanted[c[i].link] = true;
    uint64_t cells = orr__busy_time_between(l->w, start, end, see_cell, l);
    for (uint32_t i = 1; i < x->n; i++)
        if (l->seen[c[i].link] > l->seen[best->link])
            best = &c[i];
    if (cells != UINT64_MAX) {
        l->cells += cells;
        l->cells_of_all += cells;
        if (l->seen[best->link] > CLEARLY * l->seen[x->link]) {
            out->link = best->link;
            out->link_ps = orr__serialisation(
                best->bytes, l->w->graph->rate_bps[best->link]);
        }
        /* more than that went other ways */
        if (l->crossing.there && (double)out->link_ps > l->seen[out->link])
            out->link_ps = (int64_t)l->seen[out->link];
        /* The call's own bytes were all sent in its time, but bins reach beyond
         * it, and of those only a part is seen. */
        double busy = l->seen[out->link], own = (double)out->link_ps;
        double share = (busy > own ? busy : own) / (double)(end - start);
        out->busy = share < 1 ? share : 1;
        ORR_ASSERT(out->busy >= 0);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        l->wanted[c[i].link] = false;
        l->seen[c[i].link] = 0;
    }
}

static struct orr_limit find_limit(struct orr_limits *l, uint32_t call,
                                   int64_t start_ps, int64_t end_ps)
{
    const struct computed *x = &l->call[l->alike[call]];
    struct orr_limit out = {x->bound_ps, x->link, x->link_ps, NAN};
    if (x->n && l->w->watch.busy_time && end_ps > start_ps
        && l->cells < MOST_BIN_CELLS && l->cells_of_all < MOST_BIN_CELLS_OF_ALL)
        observe_call(l, x, start_ps, end_ps, &out);
    return out;
}

/* For packets that take several paths; else nothing. */
static bool make_fronts(struct crossing *k)
{
    uint32_t nodes = k->w->graph->nodes;
    if (!k->w->net_config->moves)
        return true;
    k->there = orr__alloc(nodes, sizeof *k->there);
    k->now.node = orr__alloc(nodes, sizeof *k->now.node);
    k->next.node = orr__alloc(nodes, sizeof *k->next.node);
    return k->there && k->now.node && k->next.node;
}

/* *out is to be freed also when this fails. */
static orr_err limits_new(const struct orr_world *w, struct orr_limits **out)
{
    const uint32_t links = w->graph->links;
    struct orr_limits *l = *out = orr__alloc(1, sizeof *l);
    if (!l)
        return ORR_ENOMEM;
    l->w = w;
    l->crossing.w = w;
    l->seen = orr__alloc(links, sizeof *l->seen);
    l->wanted = orr__alloc(links, sizeof *l->wanted);
    l->crossing.bytes = orr__alloc(links, sizeof *l->crossing.bytes);
    l->crossing.used = orr__alloc(links, sizeof *l->crossing.used);
    bool ok = l->seen && l->wanted && l->crossing.bytes && l->crossing.used
              && make_fronts(&l->crossing);
    return ok ? ORR_OK : ORR_ENOMEM;
}

/* Turns to the calls of a team's program; those that are alike are looked at
 * once. */
static orr_err prepare_calls(struct orr_limits *l, const struct orr_team *t)
{
    const struct orr_program *p = t->program;
    orr__free(l->alike);
    orr__free(l->call);
    l->alike = orr__alloc(p->calls, sizeof *l->alike);
    l->call = orr__alloc(p->calls, sizeof *l->call);
    l->crossing.t = t;
    l->crossing.paths = 0;
    l->crossing.transfers = MOST_TRANSFERS;
    l->n_crossed = l->cells = 0;
    bool ok = l->alike && l->call && orr__calls_alike(p, l->alike);
    for (uint32_t i = 0; ok && i < p->calls; i++)
        ok = l->alike[i] < i || !compute_limit(l, &p->call[i], &l->call[i]);
    return ok ? ORR_OK : ORR_ENOMEM;
}

/* NULL is fine. */
static void limits_free(struct orr_limits *l)
{
    if (!l)
        return;
    orr__free(l->alike);
    orr__free(l->call);
    orr__free(l->crossed);
    orr__free(l->seen);
    orr__free(l->wanted);
    orr__free(l->crossing.bytes);
    orr__free(l->crossing.used);
    orr__free(l->crossing.there);
    orr__free(l->crossing.now.node);
    orr__free(l->crossing.next.node);
    orr__free(l);
}

bool orr__limits_wanted(const struct orr_world *w)
{
    for (uint32_t i = 0; i < w->n_jobs && !orr__memo_works(w); i++)
        if (w->jobs[i].team->kept > 0)
            return !orr__net_wire(w->net_config).whole;
    return false;
}

/* Bounds and limiting links of all collectives of a job. */
static orr_err close_job(struct orr_limits *l, struct orr_job *j)
{
    orr_err err = j->n_collectives ? prepare_calls(l, j->team) : ORR_OK;
    for (uint32_t i = 0; !err && i < j->n_collectives; i++) {
        struct orr_collective_record *r = &j->collective[i];
        const struct orr_limit x =
            find_limit(l, r->call, r->start_ps, r->end_ps);
        r->lower_bound_ps = x.bound_ps;
        r->limiting_link = x.link;
        r->limiting_ps = x.link_ps;
        r->limiting_busy = x.busy;
    }
    return err;
}

orr_err orr__limits_close(struct orr_world *w, struct orr_report *why)
{
    struct orr_limits *l = NULL;
    orr_err err = w->n_jobs ? limits_new(w, &l) : ORR_OK;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++)
        err = close_job(l, &w->jobs[i]);
    limits_free(l);
    return err ? orr__no_memory(why) : ORR_OK;
}
