#include "workload/rank/cut.h"

#include "core/units.h"
#include "net/config/config.h"

/* A switch and the hosts beside it. */
struct part {
    const struct orr_world *w;
    const struct orr_team *t;
    const struct orr_call *x;
    uint32_t center;
    uint64_t out_bps, in_bps; /* of the links around it */
    uint64_t out, in;         /* payload of the call over them */
    uint64_t *left;           /* transfers that may still be looked at */
};

static uint64_t add_rate(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Whether the node is within the part: the center, or a host beside it. */
static bool part_holds(const struct part *p, uint32_t node)
{
    const struct orr_graph *g = p->w->graph;
    if (node == p->center)
        return true;
    if (!orr__is_host(g, node))
        return false;
    for (uint32_t i = g->out_off[node]; i < g->out_off[node + 1]; i++)
        if (g->to[g->out_link[i]] == p->center)
            return true;
    return false;
}

/* Links of this node that leave the part, and the best that they ever carry. */
static void add_links(struct part *p, uint32_t node)
{
    const struct orr_graph *g = p->w->graph;
    const uint64_t *rate = orr__net_best_rates(p->w->net);
    for (uint32_t i = g->out_off[node]; i < g->out_off[node + 1]; i++)
        if (!part_holds(p, g->to[g->out_link[i]]))
            p->out_bps = add_rate(p->out_bps, rate[g->out_link[i]]);
    for (uint32_t i = g->in_off[node]; i < g->in_off[node + 1]; i++)
        if (!part_holds(p, g->from[g->in_link[i]]))
            p->in_bps = add_rate(p->in_bps, rate[g->in_link[i]]);
}

/* Cables may be parallel: is this link the first of those to its host? */
static bool is_first(const struct orr_graph *g, uint32_t link)
{
    uint32_t center = g->from[link], host = g->to[link];
    for (uint32_t i = g->in_off[host]; i < g->in_off[host + 1]; i++)
        if (g->from[g->in_link[i]] == center)
            return g->in_link[i] == link;
    return false;
}

static void measure(struct part *p)
{
    const struct orr_graph *g = p->w->graph;
    uint32_t i = g->out_off[p->center], end = g->out_off[p->center + 1];
    add_links(p, p->center);
    for (; i < end; i++)
        if (orr__is_host(g, g->to[g->out_link[i]])
            && is_first(g, g->out_link[i]))
            add_links(p, g->to[g->out_link[i]]);
}

/* False: that is too much. */
static bool has_work_left(struct part *p, uint64_t more)
{
    *p->left -= *p->left < more ? *p->left : more;
    return *p->left > 0;
}

/* Payload of one member, in the group of rank `of`, with peers outside. */
static void add_spot(struct part *p, struct orr_spot at, uint32_t of)
{
    const struct orr_collective *c = &p->x->c;
    uint64_t bytes = p->x->bytes / p->x->chunks;
    uint32_t n[2];
    c->ops->count(c, at, &n[0], &n[1]);
    if (!has_work_left(p, (uint64_t)n[0] + n[1]))
        return;
    for (int into = 0; into < 2; into++)
        for (uint32_t i = 0; i < n[into]; i++) {
            struct orr_transfer t;
            (into ? c->ops->receive : c->ops->send)(c, bytes, at, i, &t);
            uint32_t peer = orr__call_rank(p->t->program, p->x, t.peer, of);
            if (!part_holds(p, p->t->hosts[peer]))
                *(into ? &p->in : &p->out) += t.bytes * p->x->chunks;
        }
}

/* All transfers of a member that is within the part, as far as the work left
 * allows. */
static void add_member(struct part *p, uint32_t member, uint32_t of)
{
    const struct orr_collective *c = &p->x->c;
    struct orr_spot at = {member, 0, 0};
    uint32_t rank = orr__call_rank(p->t->program, p->x, member, of);
    if (!has_work_left(p, 1) || !part_holds(p, p->t->hosts[rank]))
        return;
    for (; at.lane < p->x->lanes; at.lane++) {
        uint32_t steps = c->ops->steps(c, at.lane);
        for (at.step = 0; at.step<steps && * p->left> 0; at.step++)
            add_spot(p, at, of);
    }
}

/* All groups of a call that is many groups at once share the links. */
static void add_all(struct part *p)
{
    const struct orr_call *x = p->x;
    uint32_t end = x->from + orr__call_ranks(p->t->program, x);
    if (!x->stride) {
        for (uint32_t m = 0; m < x->c.n + x->c.servers; m++)
            add_member(p, m, 0);
        return;
    }
    for (uint32_t r = x->from; r < end; r++)
        add_member(p, r / x->stride % x->c.n, r);
}

static int64_t time_of(struct part *p)
{
    measure(p);
    if (p->out_bps && p->in_bps)
        add_all(p);
    if (*p->left == 0 || !p->out_bps || !p->in_bps)
        return 0;
    int64_t out = orr__serialisation(p->out, p->out_bps);
    int64_t in = orr__serialisation(p->in, p->in_bps);
    return out > in ? out : in;
}

int64_t orr__bound_cut(const struct orr_world *w, const struct orr_team *t,
                       const struct orr_call *x, uint64_t *left)
{
    const struct orr_graph *g = w->graph;
    const struct orr_pair_sizes *sizes = x->c.sizes;
    const uint32_t starts[] = {0, x->c.n / 2, x->c.n - 1,
                               sizes ? sizes->sender : 0,
                               sizes ? sizes->receiver : 0};
    int64_t least = 0;
    if (w->net_config->transport == ORR_TRANSPORT_ANALYTICAL
        || x->c.ops->on_trees       /* sums are smaller than what is in them */
        || (sizes && sizes->drawn)) /* who sends most changes */
        return 0;
    for (int s = 0; s < (sizes ? 5 : 3); s++) {
        uint32_t rank = orr__call_rank(t->program, x, starts[s], x->from);
        uint32_t host = t->hosts[rank];
        for (uint32_t i = g->out_off[host]; i < g->out_off[host + 1]; i++) {
            struct part p = {w, t, x, .center = g->to[g->out_link[i]],
                             .left = left};
            if (orr__is_host(g, p.center))
                continue;
            int64_t time = time_of(&p);
            least = time > least ? time : least;
        }
    }
    return least;
}
