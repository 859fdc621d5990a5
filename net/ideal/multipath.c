/* A lower bound where packets take several ways. It looks at cuts: sets of
 * links of which each packet crosses one, where those that cross the same one
 * do so one after another. The links that leave nodes so many links away from
 * the source are such a set, for each number. A packet cannot be at one before
 * the least time from the source, nor at the destination before the least time
 * from there; so a link that carries k full packets needs at least those two
 * and k times its own. The soonest that the links of a cut have room for all
 * packets is a bound, and the largest of all cuts the answer.
 *
 * The last packet, which is shorter, may overtake others behind the first link,
 * so it counts at the source only, where it goes last.
 *
 * Ways are those that routes name. Where links fail, routes are others from
 * time to time, and packets may walk anywhere: then ways are all links, and the
 * times to and from a link those of as many of the best links as there must
 * be. */
#include "net/ideal/multipath.h"
#include "core/assert.h"
#include "core/none.h"

#include "core/memory.h"
#include "core/units.h"
#include "net/fabric/queue.h"
#include "net/path/route.h"
#include "net/port/cut_through.h"

/* Links of a cut that are alike. */
struct group {
    int64_t around; /* to the link and from it on */
    int64_t time;   /* of a full packet on it */
    int64_t last;   /* of the last packet, alone */
    uint64_t links;
};
#define MOST_GROUPS 32

/* Room for one search at a time, owned by the net; only between windows and at
 * setup. Times are ps. */
struct orr_multipath {
    const uint64_t *rate_bps; /* of links, in this search */
    uint32_t bytes[2];        /* of its packets */
    struct {
        uint64_t rate_bps;
        int64_t time;
    } memo[2];       /* what they took last */
    uint32_t *level; /* per node: links from the source, or ORR_NONE */
    uint32_t *queue; /* nodes that are there, nearest first */
    uint32_t count;
    int64_t *head;      /* per node: a full packet is noticed there */
    int64_t *lead;      /* per node: of tails behind heads, the longest */
    int64_t *onward[2]; /* per node: the least time on from there, from when a
                         * packet's tail is there: the last one, full ones */
    struct group group[MOST_GROUPS]; /* of the present cut */
    uint32_t groups;
    /* at any time: of links between nodes that forward; of all links */
    uint64_t fastest_bps;
    int64_t shortest_ps;
    uint64_t slowest_bps;
};
enum { LAST, FULL }; /* which packet */

static int64_t times_ps(uint64_t count, int64_t ps)
{
    int64_t product;

    return __builtin_mul_overflow(count, ps, &product) ? ORR_NEVER : product;
}

static int64_t time_of(struct orr_multipath *s, uint32_t link, int which)
{
    uint64_t rate = s->rate_bps[link];

    if (s->memo[which].rate_bps != rate) {
        s->memo[which].rate_bps = rate;
        s->memo[which].time = orr__serialisation(s->bytes[which], rate);
    }
    return s->memo[which].time;
}

/* ---- cuts ---- */

/* Counts a link into the group of those with the same times, around (to and
 * from it), per packet and of the last. Beyond MOST_GROUPS it joins the last
 * group, whose times become the least of both: still a lower bound. */
static void enter_link(struct orr_multipath *s, int64_t around, int64_t time,
                       int64_t last)
{
    struct group *g = s->group;
    uint32_t i = 0;

    while (i < s->groups
           && (g[i].around != around || g[i].time != time || g[i].last != last))
        i++;
    if (i == MOST_GROUPS) { /* many kinds: as if these were all the best */
        g = &s->group[--i];
        g->around = around < g->around ? around : g->around;
        g->time = time < g->time ? time : g->time;
        g->last = last < g->last ? last : g->last;
    } else if (i == s->groups) {
        s->group[s->groups++] = (struct group){around, time, last, 0};
    }
    s->group[i].links++;
    ORR_ASSERT(s->groups <= MOST_GROUPS);
}

/* Full packets that a link of the group can have seen there by `at`, if that
 * and so much time more than theirs is needed; most: more do not matter. */
static uint64_t passed(const struct group *g, int64_t around, int64_t at,
                       uint64_t most)
{
    uint64_t k = at > around ? (uint64_t)(at - around) / (uint64_t)g->time : 0;

    return k < most ? k : most;
}

/* Can all full packets, and at the source the last one, be there by `at`? */
static bool enough(const struct orr_multipath *s, uint64_t full, bool last,
                   int64_t at)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < s->groups; i++) {
        const struct group *g = &s->group[i];
        uint64_t k = passed(g, g->around, at, full), all;

        if (__builtin_mul_overflow(k, g->links, &all)
            || __builtin_add_overflow(sum, all, &sum))
            sum = UINT64_MAX;
    }
    for (uint32_t i = 0; i < s->groups && last; i++) {
        const struct group *g = &s->group[i];
        uint64_t k = passed(g, g->around, at, full);
        uint64_t before = passed(g, g->last, at, full);

        if (at >= g->last && (before >= k || sum - (k - before) >= full))
            return sum >= full;
    }
    return !last && sum >= full;
}

/* The earliest time at which the cut has let all through. */
static int64_t soonest(const struct orr_multipath *s, uint64_t full, bool last)
{
    int64_t low = -1, high = ORR_NEVER;

    for (uint32_t i = 0; i < s->groups; i++) {
        const struct group *g = &s->group[i];
        int64_t all = times_ps((full + g->links - 1) / g->links, g->time);
        int64_t at = orr__time_add(
            g->last > g->around && last ? g->last : g->around, all);

        high = at < high ? at : high;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (enough(s, full, last, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* ---- ways that routes name ---- */

static void reach_node(struct orr_multipath *s, uint32_t node, uint32_t level)
{
    if (s->level[node] != ORR_NONE)
        return;
    s->level[node] = level;
    s->queue[s->count++] = node;
}

static void forget(struct orr_multipath *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->level[s->queue[i]] = ORR_NONE;
    s->count = 0;
}

/* Breadth first from src along next hops to dst: level and order of the nodes
 * that some shortest path visits. */
static void explore_paths(const struct orr_net *n, uint32_t src, uint32_t dst)
{
    struct orr_multipath *s = n->multipath;
    uint32_t only;

    reach_node(s, src, 0);
    for (uint32_t i = 0; s->queue[i] != dst; i++) {
        uint32_t at = s->queue[i];
        struct orr_path_hops w = orr__route_hops(n->base, at, dst, &only);

        for (uint32_t k = 0; k < w.n; k++)
            reach_node(s, n->graph->to[w.link[k]], s->level[at] + 1);
    }
}

/* Least times of packets of this size to all nodes that are there, in order,
 * and then from them. */
static void measure_paths(const struct orr_net *n, uint32_t dst, int which)
{
    struct orr_multipath *s = n->multipath;
    int64_t *rest = s->onward[which];
    uint32_t only;

    for (uint32_t i = 0; i < s->count; i++) {
        s->head[s->queue[i]] = i ? ORR_NEVER : 0;
        s->lead[s->queue[i]] = 0;
        rest[s->queue[i]] = s->queue[i] == dst ? 0 : ORR_NEVER;
    }
    for (uint32_t i = 0; i + 1 < s->count; i++) {
        uint32_t at = s->queue[i];
        struct orr_path_hops w = orr__route_hops(n->base, at, dst, &only);

        for (uint32_t k = 0; k < w.n; k++) {
            uint32_t link = w.link[k], to = n->graph->to[link];
            int64_t lead = orr__cut_lead(n, link, s->bytes[which]);
            int64_t head = time_of(s, link, which) - lead;

            head = orr__time_add(head, n->port[link].delay_ps);
            head = orr__time_add(head, s->head[at]);
            s->head[to] = head < s->head[to] ? head : s->head[to];
            s->lead[to] = lead > s->lead[to] ? lead : s->lead[to];
        }
    }
    for (uint32_t i = s->count - 1; i-- > 0;) {
        uint32_t at = s->queue[i];
        struct orr_path_hops w = orr__route_hops(n->base, at, dst, &only);

        for (uint32_t k = 0; k < w.n; k++) {
            uint32_t link = w.link[k];
            int64_t time = time_of(s, link, which) - s->lead[at];
            int64_t more =
                orr__time_add(time > 0 ? time : 0, n->port[link].delay_ps);

            more = orr__time_add(more, rest[n->graph->to[link]]);
            rest[at] = more < rest[at] ? more : rest[at];
        }
    }
}

/* The links out of a node, into the present cut. */
static void enter_paths(const struct orr_net *n, uint32_t at, uint32_t dst)
{
    struct orr_multipath *s = n->multipath;
    uint32_t only;
    struct orr_path_hops w = orr__route_hops(n->base, at, dst, &only);

    for (uint32_t k = 0; k < w.n; k++) {
        uint32_t link = w.link[k], to = n->graph->to[link];
        int64_t delay = n->port[link].delay_ps;
        int64_t around = orr__time_add(s->head[at], delay);

        enter_link(
            s, orr__time_add(around, s->onward[FULL][to]),
            time_of(s, link, FULL),
            orr__time_add(time_of(s, link, LAST) + delay, s->onward[LAST][to]));
    }
}

/* The largest bound of all cuts, ps, for `full` full packets and a last one.
 * With none full the first cut is enough. */
static int64_t bound_by_paths(const struct orr_net *n, uint32_t src,
                              uint32_t dst, uint64_t full)
{
    struct orr_multipath *s = n->multipath;
    int64_t bound = 0;
    uint32_t i = 0, levels;

    explore_paths(n, src, dst);
    measure_paths(n, dst, LAST);
    measure_paths(n, dst, FULL);
    levels = full ? s->level[dst] : 1;
    for (uint32_t level = 0; level < levels; level++) {
        int64_t at;

        s->groups = 0;
        for (; s->level[s->queue[i]] == level; i++)
            enter_paths(n, s->queue[i], dst);
        at = soonest(s, full, level == 0);
        bound = at > bound ? at : bound;
    }
    return bound;
}

/* ---- walks over any links ---- */

/* Least times: over a source's or a destination's link, and over one between
 * nodes that forward; to be noticed behind it, or from tail to tail. */
struct least {
    int64_t out, in[2], between, through[2];
};

static bool goes_on(const struct orr_net *n, uint32_t node, uint32_t end)
{
    return node == end || n->graph->forwards[node];
}

static uint32_t head_bytes(const struct orr_net *n, uint32_t bytes)
{
    uint64_t head = n->config->cut_through_header;

    if (n->config->switching != ORR_SWITCHING_CUT_THROUGH || head > bytes)
        return bytes;
    return (uint32_t)head;
}

/* From tail to tail over a link of this rate: with cut-through that may be less
 * than a packet takes, as much as heads are ahead of tails. */
static int64_t tail_to_tail(const struct orr_net *n, uint64_t rate,
                            uint32_t bytes)
{
    uint64_t slowest = n->multipath->slowest_bps;
    int64_t time = orr__serialisation(bytes, rate)
                   - orr__serialisation(bytes, slowest)
                   + orr__serialisation(head_bytes(n, bytes), slowest);

    if (head_bytes(n, bytes) == bytes)
        return orr__serialisation(bytes, rate);
    return time > 0 ? time : 0;
}

/* What no packet of the train can be faster than: on the first link, on the
 * last one, and on any between. */
static struct least least_times(const struct orr_net *n, uint32_t src,
                                uint32_t dst)
{
    struct orr_multipath *s = n->multipath;
    const struct orr_graph *g = n->graph;
    struct least l = {.out = ORR_NEVER, .in = {ORR_NEVER, ORR_NEVER}};

    for (uint32_t i = g->out_off[src]; i < g->out_off[src + 1]; i++) {
        uint32_t link = g->out_link[i];
        int64_t time =
            time_of(s, link, FULL) - orr__cut_lead(n, link, s->bytes[FULL]);

        time = orr__time_add(time, n->port[link].delay_ps);
        if (goes_on(n, g->to[link], dst) && time < l.out)
            l.out = time;
    }
    for (uint32_t i = g->in_off[dst]; i < g->in_off[dst + 1]; i++)
        for (int which = LAST; which <= FULL; which++) {
            uint32_t link = g->in_link[i];
            int64_t time = tail_to_tail(n, s->rate_bps[link], s->bytes[which]);

            time = orr__time_add(time, n->port[link].delay_ps);
            if (goes_on(n, g->from[link], src) && time < l.in[which])
                l.in[which] = time;
        }
    if (!s->fastest_bps)
        return l;
    l.between = orr__time_add(
        orr__serialisation(head_bytes(n, s->bytes[FULL]), s->fastest_bps),
        s->shortest_ps);
    for (int which = LAST; which <= FULL; which++)
        l.through[which] = orr__time_add(
            tail_to_tail(n, s->fastest_bps, s->bytes[which]), s->shortest_ps);
    return l;
}

/* Links to the destination that any walk has at least: those of all ways that
 * routes name; but where cables between areas count first, ways may be longer
 * than need be, and nodes are looked at in order of distance. */
static uint32_t distance(const struct orr_net *n, uint32_t src, uint32_t dst)
{
    const struct orr_graph *g = n->graph;
    struct orr_multipath *s = n->multipath;
    uint32_t only, links = 0;

    for (uint32_t at = src; !g->area && at != dst; links++)
        at = g->to[orr__route_hops(n->base, at, dst, &only).link[0]];
    if (!g->area)
        return links;
    reach_node(s, src, 0);
    for (uint32_t i = 0; s->level[dst] == ORR_NONE; i++) {
        uint32_t at = s->queue[i];

        for (uint32_t k = g->out_off[at]; k < g->out_off[at + 1]; k++)
            if (goes_on(n, g->to[g->out_link[k]], dst))
                reach_node(s, g->to[g->out_link[k]], s->level[at] + 1);
    }
    links = s->level[dst];
    forget(s);
    return links;
}

/* Nodes up to so many links away from the source. */
static void explore_graph(const struct orr_net *n, uint32_t src, uint32_t dst,
                          uint32_t levels)
{
    const struct orr_graph *g = n->graph;
    struct orr_multipath *s = n->multipath;

    reach_node(s, src, 0);
    for (uint32_t i = 0; s->level[s->queue[i]] < levels; i++) {
        uint32_t at = s->queue[i];

        for (uint32_t k = g->out_off[at]; k < g->out_off[at + 1]; k++)
            if (goes_on(n, g->to[g->out_link[k]], dst))
                reach_node(s, g->to[g->out_link[k]], s->level[at] + 1);
    }
}

/* Times to a link that `before` others come before, and from its end on if the
 * destination is `hops` away at least. */
struct any_path {
    int64_t head, onward[2];
};

static struct any_path bound_any_path(const struct least *l, uint32_t before,
                                      uint32_t hops)
{
    struct any_path w = {0};

    if (before)
        w.head = orr__time_add(l->out, times_ps(before - 1, l->between));
    for (int which = LAST; hops && which <= FULL; which++)
        w.onward[which] =
            orr__time_add(l->in[which], times_ps(hops - 1, l->through[which]));
    return w;
}

static void enter_any_path(const struct orr_net *n, const struct any_path *w,
                           uint32_t link)
{
    struct orr_multipath *s = n->multipath;
    int64_t delay = n->port[link].delay_ps;

    enter_link(s, orr__time_add(orr__time_add(w->head, delay), w->onward[FULL]),
               time_of(s, link, FULL),
               orr__time_add(time_of(s, link, LAST) + delay, w->onward[LAST]));
}

/* The links out of a node that lead one further, into the present cut. */
static void enter_any_paths(const struct orr_net *n, const struct any_path *on,
                            const struct any_path *last, uint32_t at,
                            uint32_t dst)
{
    const struct orr_graph *g = n->graph;
    const uint32_t *level = n->multipath->level;

    for (uint32_t k = g->out_off[at]; k < g->out_off[at + 1]; k++) {
        uint32_t link = g->out_link[k], to = g->to[link];

        if (level[to] == level[at] + 1)
            enter_any_path(n, to == dst ? last : on, link);
    }
}

/* No train can be there before: its packets cross each level of nodes, by their
 * distance from src, and all links that lead into dst. */
static int64_t by_walks(const struct orr_net *n, uint32_t src, uint32_t dst,
                        uint64_t full)
{
    const struct orr_graph *g = n->graph;
    struct orr_multipath *s = n->multipath;
    struct least l = least_times(n, src, dst);
    uint32_t far = distance(n, src, dst), levels = full ? far : 1, i = 0;
    int64_t bound = 0, at;
    struct any_path last;

    explore_graph(n, src, dst, levels);
    for (uint32_t level = 0; level < levels; level++) {
        struct any_path on =
            bound_any_path(&l, level, far > level + 1 ? far - level - 1 : 1);

        last = bound_any_path(&l, level, 0);
        s->groups = 0;
        for (; s->level[s->queue[i]] == level; i++)
            enter_any_paths(n, &on, &last, s->queue[i], dst);
        at = soonest(s, full, level == 0);
        bound = at > bound ? at : bound;
    }
    if (!full)
        return bound;
    last = bound_any_path(&l, far - 1, 0);
    s->groups = 0;
    for (uint32_t k = g->in_off[dst]; k < g->in_off[dst + 1]; k++)
        if (goes_on(n, g->from[g->in_link[k]], src))
            enter_any_path(n, &last, g->in_link[k]);
    at = soonest(s, full, false);
    return at > bound ? at : bound;
}

int64_t orr__multipath_arrival(const struct orr_net *n,
                               const uint64_t *rate_bps, uint32_t src,
                               uint32_t dst, const struct orr_packet_train *t,
                               bool anywhere)
{
    struct orr_multipath *s = n->multipath;
    int64_t bound;

    s->rate_bps = rate_bps;
    s->bytes[LAST] = t->last_bytes;
    s->bytes[FULL] = t->full_bytes;
    s->memo[LAST].rate_bps = s->memo[FULL].rate_bps = 0;
    bound = anywhere ? by_walks(n, src, dst, t->full)
                     : bound_by_paths(n, src, dst, t->full);
    forget(s);
    return bound;
}

/* ---- memory ---- */

/* The extremes over links that bounds need without a search; rates are the best
 * of the run where they may change. */
static void survey(const struct orr_net *n, struct orr_multipath *s)
{
    const struct orr_graph *g = n->graph;

    s->slowest_bps = UINT64_MAX;
    s->shortest_ps = ORR_NEVER;
    for (uint32_t l = 0; l < g->links; l++) {
        uint64_t rate = n->best_bps[l], begin = n->begin_bps[l];

        s->slowest_bps = begin < s->slowest_bps ? begin : s->slowest_bps;
        if (!g->forwards[g->from[l]] || !g->forwards[g->to[l]])
            continue;
        s->fastest_bps = rate > s->fastest_bps ? rate : s->fastest_bps;
        if (n->port[l].delay_ps < s->shortest_ps)
            s->shortest_ps = n->port[l].delay_ps;
    }
}

bool orr__multipath_new(struct orr_net *n)
{
    const struct orr_failures *f = n->config->failures;
    size_t nodes = n->graph->nodes;
    struct orr_multipath *s;

    if (!n->config->moves && !orr__failures_reroute(f))
        return true;
    n->multipath = s = orr__alloc(1, sizeof *s);
    if (!s)
        return false;
    s->level = orr__alloc(nodes, sizeof *s->level);
    s->queue = orr__alloc(nodes, sizeof *s->queue);
    s->head = orr__alloc(nodes, sizeof *s->head);
    s->lead = orr__alloc(nodes, sizeof *s->lead);
    s->onward[LAST] = orr__alloc(nodes, sizeof *s->onward[LAST]);
    s->onward[FULL] = orr__alloc(nodes, sizeof *s->onward[FULL]);
    if (!s->level || !s->queue || !s->head || !s->lead || !s->onward[LAST]
        || !s->onward[FULL])
        return false;
    for (size_t i = 0; i < nodes; i++)
        s->level[i] = ORR_NONE;
    survey(n, s);
    return true;
}

void orr__multipath_free(struct orr_net *n)
{
    struct orr_multipath *s = n->multipath;

    if (!s)
        return;
    orr__free(s->level);
    orr__free(s->queue);
    orr__free(s->head);
    orr__free(s->lead);
    orr__free(s->onward[LAST]);
    orr__free(s->onward[FULL]);
    orr__free(s);
}
