#include "formats/htsim/tree.h"

#include <inttypes.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"

/* ---- tiers -------------------------------------------------------------- */

static bool are_alike(const struct orr_graph *g, uint32_t a, uint32_t b)
{
    return g->rate_bps[a] == g->rate_bps[b] && g->delay_ps[a] == g->delay_ps[b];
}

/* Counts levels and cables; the cables below a tier must be alike. */
static const char *measure(const struct orr_graph *g, struct orr_htsim_tree *t)
{
    for (uint32_t v = 0; v < g->nodes; v++) {
        if (g->level[v] > 3)
            return "it has more than three tiers";
        t->count[g->level[v]]++;
        if (v > 0 && g->level[v] < g->level[v - 1])
            return "its switches are not numbered tier by tier";
    }
    if (g->simplex)
        return "cables are one-way";
    for (uint32_t c = 0; c < g->cables; c++) {
        uint32_t low = g->level[g->from[c]], high = g->level[g->to[c]];
        if (low > high) {
            uint32_t swap = low;
            low = high;
            high = swap;
        }
        if (high != low + 1)
            return "cables join nodes that are not one tier apart";
        if (t->cables[low]++ == 0)
            t->line[low] = c;
        uint32_t l = t->line[low];
        if (!are_alike(g, c, l) || !are_alike(g, c + g->cables, l))
            return "cables of a tier differ in rate or delay";
        if (g->loss[c] > 0 || g->loss[c + g->cables] > 0)
            return "cables lose packets";
    }
    t->tiers = t->count[3] ? 3 : 2;
    if (!t->count[1] || !t->count[2])
        return "it has only one tier of switches";
    return NULL;
}

/* Whole Gbps and, shared out between cables and switches, whole ns. */
static const char *set_lines(const struct orr_graph *g,
                             struct orr_htsim_tree *t)
{
    int64_t below = 0; /* half ns that the switches below put on a cable */
    for (int i = 0; i < t->tiers; i++) {
        uint32_t c = t->line[i];
        int64_t half_ns = g->delay_ps[c] / (ORR_NS / 2);
        if (g->rate_bps[c] % 1000000000)
            return "rates are no whole numbers of Gbps";
        if (g->delay_ps[c] % (ORR_NS / 2))
            return "delays are no whole numbers of ns";
        t->switch_ns[i] = (half_ns - below) & 1;
        t->link_ns[i] = (half_ns - below - t->switch_ns[i]) / 2;
        below = t->switch_ns[i];
        if (t->link_ns[i] < 1)
            return "delays are shorter than a ns";
    }
    for (int i = 0; i + 1 < t->tiers; i++) {
        unsigned __int128 down =
            (unsigned __int128)t->cables[i] * g->rate_bps[t->line[i]];
        unsigned __int128 up =
            (unsigned __int128)t->cables[i + 1] * g->rate_bps[t->line[i + 1]];
        if (down < up || down % up)
            return "the capacity below a tier is no whole multiple of that "
                   "above it";
        t->over[i] = (uint64_t)(down / up);
    }
    return NULL;
}

/* ---- wiring ------------------------------------------------------------- */

/* How many cables join v with each node, into a row of zeroes; clean makes
 * them zeroes again. */
static void mark_neighbours(const struct orr_graph *g, uint32_t v,
                            uint32_t *row, bool clean)
{
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        uint32_t to = g->to[g->out_link[i]];
        row[to] = clean ? 0 : row[to] + 1;
    }
}

/* Neighbours of v in [from, from + n): true if it has `each` cables to every
 * one of them. */
static bool all_joined(const uint32_t *row, uint32_t from, uint32_t n,
                       uint32_t each)
{
    for (uint32_t i = 0; i < n; i++)
        if (row[from + i] != each)
            return false;
    return true;
}

static uint32_t neighbours(const uint32_t *row, uint32_t from, uint32_t n,
                           uint32_t *first)
{
    uint32_t found = 0;
    *first = from;
    for (uint32_t i = n; i-- > 0;)
        if (row[from + i]) {
            found++;
            *first = from + i;
        }
    return found;
}

/* NULL, or why it is no tree of theirs. */
static const char *check_hosts(const struct orr_graph *g,
                               const struct orr_htsim_tree *t)
{
    uint32_t radix = g->hosts / t->count[1];
    ORR_ASSERT(t->count[0] == g->hosts); /* nodes are numbered tier by tier */
    if (t->cables[0] != g->hosts || g->hosts % t->count[1])
        return "edge switches have different numbers of hosts, or hosts "
               "several cables";
    for (uint32_t h = 0; h < g->hosts; h++)
        if (g->to[g->out_link[g->out_off[h]]] != g->hosts + h / radix)
            return "hosts are not numbered edge switch by edge switch";
    return NULL;
}

/* Pods: what the first edge switch reaches. */
static const char *check_edges(const struct orr_graph *g,
                               struct orr_htsim_tree *t, uint32_t *row)
{
    uint32_t edge = g->hosts, above = edge + t->count[1], first;
    mark_neighbours(g, edge, row, false);
    uint32_t per_pod = neighbours(row, above, t->count[2], &first);
    t->bundle[1] = row[first];
    mark_neighbours(g, edge, row, true);
    if (!per_pod || t->count[2] % per_pod
        || t->count[1] % (t->count[2] / per_pod))
        return "its switches do not make up equal pods";
    t->pods = t->count[2] / per_pod;
    if (t->tiers == 2 && t->pods > 1)
        return "not every edge switch reaches all above it";
    for (uint32_t e = 0; e < t->count[1]; e++) {
        uint32_t pod = e / (t->count[1] / t->pods);
        mark_neighbours(g, edge + e, row, false);
        bool good =
            all_joined(row, above + pod * per_pod, per_pod, t->bundle[1])
            && neighbours(row, above, t->count[2], &first) == per_pod;
        mark_neighbours(g, edge + e, row, true);
        if (!good)
            return "edge switches are not joined to all of their pod's";
    }
    return NULL;
}

/* Aggregation switch j of every pod has the same cores, each core one j. */
static const char *check_core(const struct orr_graph *g,
                              struct orr_htsim_tree *t, uint32_t *row,
                              uint32_t *place)
{
    uint32_t agg = g->hosts + t->count[1], core = agg + t->count[2], first;
    uint32_t per_pod = t->count[2] / t->pods;
    if (t->count[3] % per_pod)
        return "its core switches are no multiple of a pod's aggregation "
               "switches";
    for (uint32_t a = 0; a < t->count[2]; a++) {
        mark_neighbours(g, agg + a, row, false);
        uint32_t n = neighbours(row, core, t->count[3], &first);
        bool good = n == t->count[3] / per_pod;
        if (a == 0)
            t->bundle[2] = row[first];
        for (uint32_t c = 0; c < t->count[3]; c++) {
            if (!row[core + c])
                continue;
            if (a < per_pod)
                place[c] = a;
            good &= row[core + c] == t->bundle[2] && place[c] == a % per_pod;
            t->renumbered |= c % per_pod != a % per_pod;
        }
        mark_neighbours(g, agg + a, row, true);
        if (!good)
            return "aggregation switches of one place in their pods have not "
                   "the same cores, all to themselves";
    }
    return NULL;
}

orr_err orr__htsim_recognise(const struct orr_graph *g,
                             struct orr_htsim_tree *t, const char **reason,
                             struct orr_report *why)
{
    uint32_t *row = orr__alloc(g->nodes, sizeof *row);
    uint32_t *place = orr__alloc(g->nodes, sizeof *place);
    *t = (struct orr_htsim_tree){.bundle = {1, 1, 1}};
    orr_err err = row && place ? ORR_OK : orr__no_memory(why);
    *reason = err ? NULL : measure(g, t);
    if (!err && !*reason)
        *reason = set_lines(g, t);
    if (!err && !*reason)
        *reason = check_hosts(g, t);
    if (!err && !*reason)
        *reason = check_edges(g, t, row);
    if (!err && !*reason && t->tiers == 3)
        *reason = check_core(g, t, row, place);
    orr__free(row);
    orr__free(place);
    return err;
}

/* ---- writing ------------------------------------------------------------ */

void orr__htsim_print_tree(FILE *f, const struct orr_graph *g,
                           const struct orr_htsim_tree *t)
{
    fprintf(f, "Nodes %u\nTiers %d\nPodsize %u\n", g->hosts, t->tiers,
            g->hosts / t->pods);
    for (int i = 0; i < t->tiers; i++) {
        fprintf(f,
                "\nTier %d\nDownlink_speed_Gbps %" PRIu64 "\nRadix_Down %u\n",
                i, g->rate_bps[t->line[i]] / 1000000000,
                t->cables[i] / t->count[i + 1]);
        if (i + 1 < t->tiers)
            fprintf(f, "Radix_Up %u\nOversubscribed %" PRIu64 "\n",
                    t->cables[i + 1] / t->count[i + 1], t->over[i]);
        fprintf(f, "Downlink_Latency_ns %" PRId64 "\n", t->link_ns[i]);
        if (t->switch_ns[i])
            fprintf(f, "Switch_Latency_ns %" PRId64 "\n", t->switch_ns[i]);
        fprintf(f, "Bundle %u\n", t->bundle[i]);
    }
}
