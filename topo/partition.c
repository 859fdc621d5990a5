/* METIS: cutting a graph into parts for threads, and an upper bound on the
 * bisection bandwidth where no formula holds. */
#include "topo/partition.h"
#include "core/none.h"

#include <metis.h>

#include "core/assert.h"
#include "core/memory.h"
#include "topo/igraph.h"
#include "topo/metrics.h"

enum { SEED = 1, TRIES = 8 };

/* A graph as METIS wants it: parallel cables merged, weights that add up to
 * at most 2^30, so that they fit into 32 bits. */
struct csr {
    idx_t n, *offset, *neighbour, *edge_weight, *node_weight;
};

static void csr_fini(struct csr *m)
{
    orr__free(m->offset);
    orr__free(m->neighbour);
    orr__free(m->edge_weight);
    orr__free(m->node_weight);
}

/* Weight of one bit/s, so that the fastest link weighs at most 1,000 and all
 * links together fit into 32 bits. */
static double rate_scale(const struct orr_graph *g)
{
    uint64_t most = 1;
    for (uint32_t l = 0; l < g->links; l++)
        most = g->rate_bps[l] > most ? g->rate_bps[l] : most;
    double top = 0x1p30 / g->links;
    return (top < 1000 ? top : 1000) / (double)most;
}

/* Weights of edges are proportional to rates, or all 1. seen[u]: one more than
 * the place of u among v's neighbours, if it is not from an earlier node. */
static void merge_cables(const struct orr_graph *g, struct csr *m, bool rates,
                         idx_t *seen)
{
    double scale = rates ? rate_scale(g) : 0;
    idx_t n = 0;
    for (uint32_t v = 0; v < g->nodes; v++) {
        idx_t start = m->offset[v] = n;
        uint32_t out = g->out_off[v + 1] - g->out_off[v];
        uint32_t in = g->simplex ? g->in_off[v + 1] - g->in_off[v] : 0;
        for (uint32_t i = 0; i < out + in; i++) {
            uint32_t link = i < out ? g->out_link[g->out_off[v] + i]
                                    : g->in_link[g->in_off[v] + i - out];
            uint32_t u = i < out ? g->to[link] : g->from[link];
            idx_t weight = (idx_t)((double)g->rate_bps[link] * scale);
            weight = weight > 0 ? weight : 1;
            if (i >= out && !g->simplex[link % g->cables])
                continue; /* it is there by its way out */
            if (seen[u] > start) {
                m->edge_weight[seen[u] - 1] += weight;
                continue;
            }
            m->neighbour[n] = (idx_t)u;
            m->edge_weight[n] = weight;
            seen[u] = ++n;
        }
    }
    ORR_ASSERT(n >= 0 && (uint32_t)n <= g->links); /* cables may be merged */
    m->offset[g->nodes] = n;
}

static orr_err csr_room(struct csr *m, size_t nodes, size_t edges,
                        struct orr_report *why)
{
    *m = (struct csr){.n = (idx_t)nodes};
    m->offset = orr__alloc(nodes + 1, sizeof *m->offset);
    m->neighbour = orr__alloc(edges + 1, sizeof *m->neighbour);
    m->edge_weight = orr__alloc(edges + 1, sizeof *m->edge_weight);
    m->node_weight = orr__alloc(nodes + 1, sizeof *m->node_weight);
    return m->offset && m->neighbour && m->edge_weight && m->node_weight
               ? ORR_OK
               : orr__no_memory(why);
}

/* rates: edges weigh what they carry; else each cable weighs one. */
static orr_err csr_init(struct csr *m, const struct orr_graph *g, bool rates,
                        struct orr_report *why)
{
    idx_t *seen = orr__alloc(g->nodes, sizeof *seen);
    orr_err err = csr_room(m, g->nodes, g->links, why);
    if (!err && !seen)
        err = orr__no_memory(why);
    if (!err)
        merge_cables(g, m, rates, seen);
    orr__free(seen);
    return err;
}

/* Weights scaled so that their sum fits METIS's 32 bits; without weights a node
 * counts as many as it has links. */
static void weigh_nodes(const struct orr_graph *g, struct csr *m,
                        const uint32_t *weight)
{
    uint64_t total = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t v = 0; v < g->nodes; v++) {
            uint64_t w = weight ? weight[v] : g->out_off[v + 1] - g->out_off[v];
            if (pass == 0)
                total += w;
            else
                m->node_weight[v] =
                    (idx_t)(total < 1 << 30 ? w : w * 0x1p30 / total);
        }
    }
}

/* Two sides, part[v] 0 or 1; of the weight the first gets `share`. More parts
 * are not asked for: METIS prints to stdout when it cuts on and comes to a side
 * without nodes. m has nodes. */
static orr_err run_metis(struct csr *m, real_t share, int seed, idx_t *part,
                         struct orr_report *why)
{
    idx_t options[METIS_NOPTIONS], constraints = 1, sides = 2, cut;
    real_t shares[2] = {share, 1 - share};
    orr_err err =
        orr__graph_room((uint64_t)m->n, (uint64_t)m->offset[m->n], why);
    if (err)
        return err;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = seed;
    options[METIS_OPTION_NUMBERING] = 0;
    int status = METIS_PartGraphRecursive(
        &m->n, &constraints, m->offset, m->neighbour, m->node_weight, NULL,
        m->edge_weight, &sides, shares, NULL, options, &cut, part);
    if (status == METIS_OK)
        return ORR_OK;
    if (status == METIS_ERROR_MEMORY)
        return orr__no_memory(why);
    return orr__fail(why, ORR_EINTERNAL, "METIS could not split the graph (%d)",
                     status);
}

/* What lies on one side, and edges between its nodes. place[v]: which of that
 * side's nodes v is. */
static orr_err csr_side(const struct csr *all, const idx_t *side, idx_t which,
                        const idx_t *place, struct csr *m,
                        struct orr_report *why)
{
    idx_t n = 0, edges = 0, e = 0;
    for (idx_t v = 0; v < all->n; v++)
        if (side[v] == which) {
            n++;
            edges += all->offset[v + 1] - all->offset[v];
        }
    orr_err err = csr_room(m, (size_t)n, (size_t)edges, why);
    if (err)
        return err;
    for (idx_t v = 0; v < all->n; v++) {
        if (side[v] != which)
            continue;
        m->offset[place[v]] = e;
        m->node_weight[place[v]] = all->node_weight[v];
        for (idx_t i = all->offset[v]; i < all->offset[v + 1]; i++) {
            if (side[all->neighbour[i]] != which)
                continue;
            m->neighbour[e] = place[all->neighbour[i]];
            m->edge_weight[e++] = all->edge_weight[i];
        }
    }
    m->offset[n] = e;
    return ORR_OK;
}

/* Nodes of a side that are to be cut on, into parts first, first + 1, ...;
 * node[v] is their number in the whole graph. */
struct piece {
    struct csr m;
    idx_t *node;
    uint32_t first, parts;
};

static void piece_fini(struct piece *p)
{
    csr_fini(&p->m);
    orr__free(p->node);
}

/* The nodes on one side, renumbered, as a graph of their own; p's memory is
 * freed by the caller even after an error. */
static orr_err cut_off(const struct piece *all, const idx_t *side, idx_t which,
                       idx_t *place, struct piece *p, struct orr_report *why)
{
    idx_t n = 0;
    for (idx_t v = 0; v < all->m.n; v++)
        if (side[v] == which)
            place[v] = n++;
    ORR_ASSERT(n <= all->m.n);
    p->node = orr__alloc((size_t)n + 1, sizeof *p->node);
    if (!p->node)
        return orr__no_memory(why);
    for (idx_t v = 0; v < all->m.n; v++)
        if (side[v] == which)
            p->node[place[v]] = all->node[v];
    return csr_side(&all->m, side, which, place, &p->m, why);
}

/* Each side gets half of the parts and of the weight. Goes as deep as parts
 * can be halved. */
static orr_err cut_up(struct piece *p, uint32_t *part, struct orr_report *why)
{
    uint32_t left = p->parts / 2;
    if (p->parts == 1 || (uint32_t)p->m.n <= p->parts) {
        for (idx_t v = 0; v < p->m.n; v++)
            part[p->node[v]] = p->first + (p->parts > 1 ? (uint32_t)v : 0);
        return ORR_OK;
    }
    struct piece half[2] = {
        {.first = p->first, .parts = left},
        {.first = p->first + left, .parts = p->parts - left},
    };
    idx_t *side = orr__alloc((size_t)p->m.n, sizeof *side);
    idx_t *place = orr__alloc((size_t)p->m.n, sizeof *place);
    orr_err err =
        side && place
            ? run_metis(&p->m, (real_t)left / (real_t)p->parts, SEED, side, why)
            : orr__no_memory(why);
    for (idx_t i = 0; i < 2 && !err; i++)
        err = cut_off(p, side, i, place, &half[i], why);
    orr__free(side);
    orr__free(place);
    for (int i = 0; i < 2; i++) {
        if (!err)
            err = cut_up(&half[i], part, why);
        piece_fini(&half[i]);
    }
    return err;
}

orr_err orr__graph_partition(const struct orr_graph *g, const uint32_t *weight,
                             uint32_t parts, uint32_t *part,
                             struct orr_report *why)
{
    struct piece all = {.parts = parts};
    if (parts <= 1 || parts >= g->nodes) {
        for (uint32_t v = 0; v < g->nodes; v++)
            part[v] = parts <= 1 ? 0 : v % parts;
        return ORR_OK;
    }
    all.node = orr__alloc(g->nodes, sizeof *all.node);
    orr_err err =
        all.node ? csr_init(&all.m, g, false, why) : orr__no_memory(why);
    if (!err) {
        weigh_nodes(g, &all.m, weight);
        for (uint32_t v = 0; v < g->nodes; v++)
            all.node[v] = (idx_t)v;
        err = cut_up(&all, part, why);
    }
    piece_fini(&all);
    return err;
}

/* ---- the bound on the bisection ---- */

/* How much smaller the cut gets when v changes sides, bit/s. */
static double gain_of_move(const struct orr_graph *g, const idx_t *side,
                           uint32_t v)
{
    double sum = 0;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t link = g->out_link[i];
        double rate = (double)g->rate_bps[link];
        sum += side[g->to[link]] != side[v] ? rate : -rate;
    }
    return sum;
}

/* Moves the hosts that cost least until each side has half of them. */
static void balance(const struct orr_graph *g, idx_t *side)
{
    uint32_t on[2] = {0, 0};
    for (uint32_t h = 0; h < g->hosts; h++)
        on[side[h]]++;
    while (on[0] > on[1] + 1 || on[1] > on[0] + 1) {
        int from = on[1] > on[0];
        uint32_t best = ORR_NONE;
        double most = 0;
        for (uint32_t h = 0; h < g->hosts; h++) {
            double x = side[h] == from ? gain_of_move(g, side, h) : 0;
            if (side[h] == from && (best == ORR_NONE || x > most)) {
                best = h;
                most = x;
            }
        }
        side[best] = !from;
        on[from]--;
        on[!from]++;
    }
}

/* Switches may stand on either side: moves them while that pays. */
static void settle_switches(const struct orr_graph *g, idx_t *side)
{
    bool moved = true;
    for (int pass = 0; moved && pass < 64; pass++) {
        moved = false;
        for (uint32_t v = g->hosts; v < g->nodes; v++) {
            if (gain_of_move(g, side, v) > 0) {
                side[v] = !side[v];
                moved = true;
            }
        }
    }
}

/* Of the direction that carries less. */
static uint64_t cut_of(const struct orr_graph *g, const idx_t *side)
{
    uint64_t sum[2] = {0, 0};
    for (uint32_t l = 0; l < g->links; l++)
        if (side[g->from[l]] != side[g->to[l]] && !orr__link_absent(g, l))
            sum[side[g->from[l]]] += g->rate_bps[l];
    return sum[0] < sum[1] ? sum[0] : sum[1];
}

orr_err orr__graph_bisection_bound(const struct orr_graph *g, uint64_t *bps,
                                   struct orr_report *why)
{
    struct csr m = {.n = 0};
    *bps = g->hosts > 1 ? UINT64_MAX : 0;
    if (g->hosts < 2)
        return ORR_OK;
    idx_t *side = orr__alloc(g->nodes, sizeof *side);
    orr_err err = side ? csr_init(&m, g, true, why) : orr__no_memory(why);
    for (uint32_t h = 0; h < g->hosts && !err; h++)
        m.node_weight[h] = 1; /* switches weigh nothing */
    int tries = g->nodes > 10000 ? 2 : TRIES;
    for (int i = 0; i < tries && !err; i++) {
        err = run_metis(&m, 0.5f, SEED + i, side, why);
        if (err)
            break;
        balance(g, side);
        settle_switches(g, side);
        uint64_t cut = cut_of(g, side);
        *bps = cut < *bps ? cut : *bps;
    }
    csr_fini(&m);
    orr__free(side);
    return err;
}
