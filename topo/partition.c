/* METIS: cutting a graph into parts for threads, and an upper bound on the
 * bisection bandwidth where no formula holds. */
#include "topo/partition.h"

#include <metis.h>

#include "core/memory.h"
#include "topo/deps.h"
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
        for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
            uint32_t link = g->out_link[i], u = g->to[link];
            idx_t weight = (idx_t)((double)g->rate_bps[link] * scale);
            weight = weight > 0 ? weight : 1;
            if (seen[u] > start) {
                m->edge_weight[seen[u] - 1] += weight;
                continue;
            }
            m->neighbour[n] = (idx_t)u;
            m->edge_weight[n] = weight;
            seen[u] = ++n;
        }
    }
    m->offset[g->nodes] = n;
}

/* rates: edges weigh what they carry; else each cable weighs one. */
static orr_err csr_init(struct csr *m, const struct orr_graph *g, bool rates,
                        struct orr_report *why)
{
    idx_t *seen = orr__alloc(g->nodes, sizeof *seen);
    *m = (struct csr){ .n = (idx_t)g->nodes };
    m->offset = orr__alloc((size_t)g->nodes + 1, sizeof *m->offset);
    m->neighbour = orr__alloc(g->links, sizeof *m->neighbour);
    m->edge_weight = orr__alloc(g->links, sizeof *m->edge_weight);
    m->node_weight = orr__alloc(g->nodes, sizeof *m->node_weight);
    orr_err err = ORR_OK;
    if (seen && m->offset && m->neighbour && m->edge_weight &&
        m->node_weight)
        merge_cables(g, m, rates, seen);
    else
        err = orr__no_memory(why);
    orr__free(seen);
    return err;
}

static void weigh_nodes(const struct orr_graph *g, struct csr *m,
                        const uint32_t *weight)
{
    uint64_t total = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t v = 0; v < g->nodes; v++) {
            uint64_t w = weight ? weight[v]
                                : g->out_off[v + 1] - g->out_off[v];
            if (pass == 0)
                total += w;
            else
                m->node_weight[v] =
                    (idx_t)(total < 1 << 30 ? w : w * 0x1p30 / total);
        }
    }
}

static orr_err run_metis(struct csr *m, idx_t parts, int seed, idx_t *part,
                         struct orr_report *why)
{
    idx_t options[METIS_NOPTIONS], constraints = 1, cut;
    orr_err err = orr__graph_room((uint64_t)m->n, (uint64_t)m->offset[m->n],
                                  why);
    if (err)
        return err;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = seed;
    options[METIS_OPTION_NUMBERING] = 0;
    int (*metis)(idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *,
                 idx_t *, idx_t *, real_t *, real_t *, idx_t *, idx_t *,
                 idx_t *) =
        parts <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
    int status = metis(&m->n, &constraints, m->offset, m->neighbour,
                       m->node_weight, NULL, m->edge_weight, &parts, NULL,
                       NULL, options, &cut, part);
    if (status == METIS_OK)
        return ORR_OK;
    if (status == METIS_ERROR_MEMORY)
        return orr__no_memory(why);
    return orr__fail(why, ORR_EINTERNAL,
                     "METIS could not split the graph (%d)", status);
}

orr_err orr__graph_partition(const struct orr_graph *g,
                             const uint32_t *weight, uint32_t parts,
                             uint32_t *part, struct orr_report *why)
{
    struct csr m = { .n = 0 };
    if (parts <= 1 || parts >= g->nodes) {
        for (uint32_t v = 0; v < g->nodes; v++)
            part[v] = parts <= 1 ? 0 : v % parts;
        return ORR_OK;
    }
    idx_t *to = orr__alloc(g->nodes, sizeof *to);
    orr_err err = to ? csr_init(&m, g, false, why) : orr__no_memory(why);
    if (!err) {
        weigh_nodes(g, &m, weight);
        err = run_metis(&m, (idx_t)parts, SEED, to, why);
    }
    for (uint32_t v = 0; v < g->nodes && !err; v++)
        part[v] = (uint32_t)to[v];
    csr_fini(&m);
    orr__free(to);
    return err;
}

/* ---- the bound on the bisection ---- */

/* How much smaller the cut gets when v changes sides, bit/s. */
static double gain(const struct orr_graph *g, const idx_t *side, uint32_t v)
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
    uint32_t on[2] = { 0, 0 };
    for (uint32_t h = 0; h < g->hosts; h++)
        on[side[h]]++;
    while (on[0] > on[1] + 1 || on[1] > on[0] + 1) {
        int from = on[1] > on[0];
        uint32_t best = ORR_NO_NODE;
        double most = 0;
        for (uint32_t h = 0; h < g->hosts; h++) {
            double x = side[h] == from ? gain(g, side, h) : 0;
            if (side[h] == from && (best == ORR_NO_NODE || x > most)) {
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
            if (gain(g, side, v) > 0) {
                side[v] = !side[v];
                moved = true;
            }
        }
    }
}

static uint64_t cut_of(const struct orr_graph *g, const idx_t *side)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < g->cables; c++)
        if (side[g->from[c]] != side[g->to[c]])
            sum += g->rate_bps[c];
    return sum;
}

orr_err orr__graph_bisection_bound(const struct orr_graph *g, uint64_t *bps,
                                   struct orr_report *why)
{
    struct csr m = { .n = 0 };
    *bps = g->hosts > 1 ? UINT64_MAX : 0;
    if (g->hosts < 2)
        return ORR_OK;
    idx_t *side = orr__alloc(g->nodes, sizeof *side);
    orr_err err = side ? csr_init(&m, g, true, why) : orr__no_memory(why);
    for (uint32_t h = 0; h < g->hosts && !err; h++)
        m.node_weight[h] = 1; /* switches weigh nothing */
    int tries = g->nodes > 10000 ? 2 : TRIES;
    for (int i = 0; i < tries && !err; i++) {
        err = run_metis(&m, 2, SEED + i, side, why);
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
