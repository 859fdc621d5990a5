#include "topo/detours.h"

#include <string.h>
#include <xxhash.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/random.h"
#include "topo/distances.h"

/* ---- where detours lead ------------------------------------------------ */

static bool is_nvlink(const struct orr_graph *g, uint32_t link)
{
    return strcmp(g->tier_names[g->tier[link]], "nvlink") == 0;
}

/* A node that traffic begins and ends at as the network sees it: a host, or the
 * switch of a server. */
static bool is_end(const struct orr_graph *g, uint32_t v)
{
    bool end = orr__is_host(g, v);
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1] && !end; i++)
        end = g->gpus && is_nvlink(g, g->out_link[i]);
    return end;
}

/* A switch beside an end; or an end that passes on the network's traffic. */
static bool is_stop(const struct orr_graph *g, uint32_t v)
{
    bool end = is_end(g, v), beside = false;
    uint32_t outs = 0;
    for (uint32_t i = g->out_off[v]; i < g->out_off[v + 1]; i++) {
        if (g->gpus && is_nvlink(g, g->out_link[i]))
            continue;
        outs++;
        beside = beside || is_end(g, g->to[g->out_link[i]]);
    }
    return g->forwards[v] && outs > 1 && (end || beside);
}

/* The first stop of each area; areas are numbered below g->nodes. */
static bool is_first(const struct orr_graph *g, uint32_t v, bool *seen)
{
    bool first = !g->area || !seen[g->area[v]];
    if (g->area)
        seen[g->area[v]] = true;
    return first;
}

/* Keeps `most` of n, in order. */
static void draw_some(uint32_t *list, uint32_t n, uint32_t most, uint64_t seed)
{
    struct orr_random random;
    uint32_t kept = 0;
    orr__random_init(&random, seed, 1, ORR_PURPOSE_TOPOLOGY);
    for (uint32_t i = 0; i < n && kept < most; i++)
        if (orr__random_below(&random, n - i) < most - kept)
            list[kept++] = list[i];
}

orr_err orr__graph_detour_stops(const struct orr_graph *g, uint32_t most,
                                uint64_t seed, uint32_t **stops, uint32_t *n,
                                struct orr_report *why)
{
    uint32_t *list = orr__alloc(g->nodes, sizeof *list);
    bool *seen = orr__alloc(g->nodes, sizeof *seen);
    *n = 0;
    *stops = list;
    if (!list || !seen) {
        orr__free(list);
        orr__free(seen);
        *stops = NULL;
        return orr__no_memory(why);
    }
    bool switches = false; /* hosts count where no switch does */
    for (uint32_t v = 0; v < g->nodes && !switches; v++)
        switches = is_stop(g, v) && !is_end(g, v);
    for (uint32_t v = 0; v < g->nodes; v++)
        if (is_stop(g, v) && is_end(g, v) != switches && is_first(g, v, seen))
            list[(*n)++] = v;
    orr__free(seen);
    if (*n > most) {
        draw_some(list, *n, most, seed);
        *n = most;
    }
    return ORR_OK;
}

/* ---- the k shortest ways ----------------------------------------------- */

/* Ways are found in order of length, for each length by a search from the
 * source that only goes where the rest can still be walked: the routes know how
 * far away every node is. */
struct search {
    const struct orr_graph *graph;
    const struct orr_routing *routes;
    uint32_t src, dst, column;
    bool shared;    /* the column is that of dst's switch */
    uint32_t gate;  /* the only neighbour of dst; UINT32_MAX: it has more */
    uint64_t order; /* of equally long ways: a hash of seed and pair */
    uint32_t wanted, found;
    uint32_t length; /* of the ways that are looked for */
    uint32_t steps;  /* that are left before the search is given up */
    uint32_t links[ORR_LONGEST_PATH]; /* the way so far */
    uint32_t path[ORR_MOST_PATHS][ORR_LONGEST_PATH];
    uint32_t path_length[ORR_MOST_PATHS];
};

/* Links from a node to dst; ORR_FAR: none, or not to be passed through. */
static uint32_t distance(const struct search *s, uint32_t v)
{
    const struct orr_routing *r = s->routes;
    if (v == s->dst)
        return 0;
    if (r->row[v] == ORR_NO_ROW || (!s->graph->forwards[v] && v != s->src))
        return ORR_FAR;
    uint32_t d = r->distance[r->row[v] + s->column];
    return d == ORR_FAR ? d : d + s->shared;
}

static bool was_there(const struct search *s, uint32_t v, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (s->graph->from[s->links[i]] == v)
            return true;
    return false;
}

static void keep_path(struct search *s)
{
    ORR_ASSERT(s->found < ORR_MOST_PATHS && s->length <= ORR_LONGEST_PATH);
    memcpy(s->path[s->found], s->links, s->length * sizeof *s->links);
    s->path_length[s->found++] = s->length;
}

/* Where the links of a node are begun with. */
static uint32_t first_link(const struct search *s, uint32_t v, uint32_t n)
{
    return (uint32_t)(XXH3_64bits_withSeed(&v, sizeof v, s->order) % n);
}

/* Depth first from v, `length` links from the start, along links from which dst
 * can still be reached in time. Depth is at most ORR_LONGEST_PATH; s->steps
 * bounds the work. */
static void extend(struct search *s, uint32_t v, uint32_t length)
{
    const struct orr_graph *g = s->graph;
    uint32_t first = g->out_off[v], n = g->out_off[v + 1] - first;
    if (v == s->dst) {
        if (length == s->length)
            keep_path(s);
        return;
    }
    if (length == s->length || n == 0)
        return;
    for (uint32_t i = 0, k = first_link(s, v, n); i < n; i++, k++) {
        uint32_t link = g->out_link[first + k % n], to = g->to[link];
        if (s->found == s->wanted || s->steps == 0)
            return;
        ORR_ASSERT(length < ORR_LONGEST_PATH);
        s->steps--;
        s->links[length] = link;
        /* who leaves the gate for elsewhere can no longer come to dst */
        if ((v != s->gate || to == s->dst)
            && length + 1 + distance(s, to) <= s->length
            && !was_there(s, to, length + 1))
            extend(s, to, length + 1);
    }
}

static uint32_t gate_of(const struct orr_graph *g, uint32_t dst)
{
    uint32_t first = g->out_off[dst], end = g->out_off[dst + 1];
    if (first == end)
        return UINT32_MAX;
    for (uint32_t i = first; i < end; i++)
        if (g->to[g->out_link[i]] != g->to[g->out_link[first]])
            return UINT32_MAX;
    return g->to[g->out_link[first]];
}

/* Behind a host with one cable the search begins at its switch. */
static uint32_t begin_search(struct search *s, uint32_t *length)
{
    const struct orr_routing *r = s->routes;
    if (r->row[s->src] != ORR_NO_ROW)
        return s->src;
    s->links[0] = r->only_link[s->src];
    *length = 1;
    return s->graph->to[s->links[0]];
}

uint32_t orr__routing_path(const struct orr_graph *g,
                           const struct orr_routing *r, uint32_t src,
                           uint32_t dst, uint32_t k, uint32_t pick,
                           uint64_t seed, uint32_t links[ORR_LONGEST_PATH])
{
    enum { STEPS = 200000, LONGER = 8 }; /* than the shortest */
    uint32_t pair[2] = {src, dst}, length = 0;
    struct search s = {
        .graph = g,
        .routes = r,
        .src = src,
        .dst = dst,
        .column = r->column[dst],
        .steps = STEPS,
        .gate = gate_of(g, dst),
        .wanted = k < ORR_MOST_PATHS ? k : ORR_MOST_PATHS,
        .order = XXH3_64bits_withSeed(pair, sizeof pair, seed),
    };
    s.shared = orr__distances_share_column(g, dst);
    uint32_t at = begin_search(&s, &length), least = length + distance(&s, at);
    for (s.length = least;
         s.length <= least + LONGER && s.length <= ORR_LONGEST_PATH
         && s.found < s.wanted && s.steps > 0;
         s.length++)
        extend(&s, at, length);
    if (s.found == 0)
        return 0;
    pick %= s.found;
    memcpy(links, s.path[pick], s.path_length[pick] * sizeof *links);
    return s.path_length[pick];
}
