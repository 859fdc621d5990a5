#include "workload/rank/bound.h"

#include <assert.h>

#include "core/units.h"
#include "net/config/config.h"
#include "workload/program/groups.h"

/* ---- one message -------------------------------------------------------- */

enum { PATH_MAX_LINKS = 64, CHUNKS_WALKED = 64 };

static uint64_t add_rate(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Rates are the best that links ever have in the run. */
static uint64_t out_rate(const struct orr_world *w, uint32_t host)
{
    const struct orr_graph *g = w->graph;
    const uint64_t *rate = orr__net_best_rates(w->net);
    uint64_t sum = 0;
    for (uint32_t i = g->out_off[host]; i < g->out_off[host + 1]; i++)
        sum = add_rate(sum, rate[g->out_link[i]]);
    return sum;
}

static uint64_t in_rate(const struct orr_world *w, uint32_t host)
{
    const struct orr_graph *g = w->graph;
    const uint64_t *rate = orr__net_best_rates(w->net);
    uint64_t sum = 0;
    for (uint32_t i = g->in_off[host]; i < g->in_off[host + 1]; i++)
        sum = add_rate(sum, rate[g->in_link[i]]);
    return sum;
}

/* Messages wait for nothing there, and each takes its known time. */
static bool analytical(const struct orr_world *w)
{
    return w->net_config
           && w->net_config->transport == ORR_TRANSPORT_ANALYTICAL;
}

/* Packets of one message may take several paths, or other paths later on. */
static bool wanders(const struct orr_world *w)
{
    const struct orr_net_config *c = w->net_config;
    return c && (c->moves || orr__failures_reroute(c->failures));
}

/* The least delay of a link that leaves the host. */
static int64_t first_delay(const struct orr_graph *g, uint32_t host)
{
    int64_t least = ORR_NEVER;
    for (uint32_t i = g->out_off[host]; i < g->out_off[host + 1]; i++)
        if (g->delay_ps[g->out_link[i]] < least)
            least = g->delay_ps[g->out_link[i]];
    return least;
}

/* By the formulas, on the way of the stage that is quickest. */
static int64_t shortest_stage(const struct orr_world *w,
                              const struct orr_team *t, uint32_t src,
                              uint32_t dst, uint64_t bytes)
{
    int64_t least = ORR_NEVER;
    for (uint32_t i = 0; i < t->stages; i++) {
        if (orr__path_stage_of(t, i) != i)
            continue;
        const struct orr_connection_spec spec = orr__post_spec(t, i, src, dst);
        int64_t time = orr__net_idle_of(w->net, &spec, bytes);
        least = time < least ? time : least;
    }
    return least;
}

/* Least time of a message between two members of the job. */
static int64_t message_time(const struct orr_world *w, const struct orr_team *t,
                            uint32_t src, uint32_t dst, uint64_t bytes)
{
    uint32_t a = t->hosts[src], b = t->hosts[dst], link[PATH_MAX_LINKS];
    if (a == b)
        return orr__time_add(orr__serialisation(bytes, t->local_bps),
                             t->local_delay_ps);
    if (analytical(w))
        return shortest_stage(w, t, src, dst, bytes);
    if (wanders(w) || t->stages > 1) /* only the hosts' own links bind it */
        return orr__time_add(orr__serialisation(bytes, out_rate(w, a)),
                             first_delay(w->graph, a));
    const struct orr_connection_spec spec = orr__post_spec(t, 0, src, dst);
    uint32_t n = orr__net_path_of(w->net, &spec, true, link, PATH_MAX_LINKS);
    const uint64_t *best = orr__net_best_rates(w->net);
    uint64_t rate = UINT64_MAX;
    int64_t delay = 0;
    for (uint32_t i = 0; i < n && i < PATH_MAX_LINKS; i++) {
        if (best[link[i]] < rate)
            rate = best[link[i]];
        delay = orr__time_add(delay, w->graph->delay_ps[link[i]]);
    }
    assert(rate > 0); /* a host that sends has a link */
    return orr__time_add(orr__serialisation(bytes, rate), delay);
}

/* ---- the chain ---------------------------------------------------------- */

/* The call whose bound is worked out. */
struct call_bound {
    const struct orr_world *w;
    const struct orr_team *t;
    const struct orr_call *x;
    uint32_t drawing; /* whose sizes count, if they are drawn */
};

/* The largest message that leaves at the spot, or false: none does. */
static bool largest(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, struct orr_transfer *t)
{
    uint32_t sends, receives;
    c->ops->count(c, at, &sends, &receives);
    t->bytes = 0;
    for (uint32_t i = 0; i < sends; i++) {
        struct orr_transfer s;
        c->ops->send(c, bytes, at, i, &s);
        if (s.bytes > t->bytes)
            *t = s;
    }
    return t->bytes > 0;
}

/* Least time of a message of the chain. In channels slices of it follow one
 * another, so only that of the first counts, which is as good as none; what a
 * hop costs does. */
static int64_t hop_time(const struct call_bound *k, struct orr_spot at,
                        const struct orr_transfer *t)
{
    const struct orr_channel_plan *plan = &k->x->c.plan;
    const struct orr_program *p = k->t->program;
    uint32_t src = orr__call_rank(p, k->x, at.member, k->x->from);
    uint32_t dst = orr__call_rank(p, k->x, t->peer, k->x->from);
    uint32_t local = k->x->c.local > 0 ? (uint32_t)k->x->c.local : 1;
    bool inside = at.member / local == t->peer / local;
    if (!plan->channels)
        return message_time(k->w, k->t, src, dst, t->bytes);
    int64_t time = message_time(k->w, k->t, src, dst, 0);
    int64_t cost = inside ? plan->inside_ps : plan->between_ps;
    return time > cost ? time : cost;
}

/* Time of the chain that starts at *member in one chunk; *member: its end. */
static int64_t time_of_chain(const struct call_bound *k, uint64_t bytes,
                             uint32_t *member)
{
    const struct orr_collective *c = &k->x->c;
    struct orr_spot at = {*member, 0, 0, k->drawing};
    struct orr_transfer t;
    int64_t time = 0;
    for (uint32_t steps = c->ops->steps(c, 0); at.step < steps; at.step++) {
        if (!largest(c, bytes, at, &t))
            continue;
        time = orr__time_add(time, hop_time(k, at, &t));
        at.member = t.peer;
        at.step = t.step;
    }
    *member = at.member;
    return time;
}

/* The longest chain of messages from this member, ps: chunks one after another,
 * or side by side, then the longest. Beyond CHUNKS_WALKED chunks it stays a
 * lower bound. */
static int64_t chain_of_chunks(const struct call_bound *k, uint32_t start)
{
    const struct orr_call *x = k->x;
    int64_t time = x->bytes ? x->c.plan.base_ps : 0, longest = time;
    uint32_t member = start;
    if (x->c.schedule) /* which of its steps wait for which is not known here */
        return 0;
    for (uint32_t i = 0; i < x->chunks && i < CHUNKS_WALKED; i++) {
        uint64_t bytes = orr__piece_bytes(x->bytes, x->chunks, i);
        int64_t t =
            bytes && member < x->c.n ? time_of_chain(k, bytes, &member) : 0;
        time = orr__time_add(time, t);
        if (t > longest)
            longest = t;
    }
    return x->concurrent == 1 ? time : longest;
}

/* ---- the bytes ---------------------------------------------------------- */

/* Bytes to (or from) other hosts at a spot. */
static uint64_t others_bytes(const struct call_bound *k, struct orr_spot at,
                             uint64_t bytes, uint32_t n, bool sends)
{
    const struct orr_collective *c = &k->x->c;
    const uint32_t *hosts = k->t->hosts;
    const struct orr_program *p = k->t->program;
    uint32_t host = hosts[orr__call_rank(p, k->x, at.member, k->x->from)];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct orr_transfer t;
        (sends ? c->ops->send : c->ops->receive)(c, bytes, at, i, &t);
        if (hosts[orr__call_rank(p, k->x, t.peer, k->x->from)] != host)
            sum += t.bytes;
    }
    return sum;
}

/* One member's part in one chunk. */
struct load {
    uint64_t sent, received; /* over all lanes */
    int64_t lane_ps; /* of the lane where this is longest: what is received
                        up to a step of the first chunk, what is sent after it,
                        and the sends of all later chunks; or, the other way
                        about, all receives before a step of the last chunk */
};

/* What a lane's bytes take at the member's host, for one chunk: bytes in before
 * a step, then bytes out after it, at the best. later: chunks that follow. */
static void load_of_lane(const struct call_bound *k, struct orr_spot at,
                         uint64_t bytes, uint64_t in, uint64_t out,
                         uint32_t later, struct load *l)
{
    const struct orr_collective *c = &k->x->c;
    uint32_t steps = c->ops->steps(c, at.lane), s, r;
    uint64_t sends = 0, receives = 0, left, had = 0;
    for (at.step = 0; at.step < steps; at.step++) {
        c->ops->count(c, at, &s, &r);
        sends += others_bytes(k, at, bytes, s, true);
        receives += others_bytes(k, at, bytes, r, false);
    }
    left = sends;
    for (at.step = 0; at.step < steps; at.step++) {
        c->ops->count(c, at, &s, &r);
        left -= others_bytes(k, at, bytes, s, true);
        had += others_bytes(k, at, bytes, r, false);
        int64_t first =
            orr__time_add(orr__serialisation(had, in),
                          orr__serialisation(left + later * sends, out));
        int64_t last =
            orr__time_add(orr__serialisation(had + later * receives, in),
                          orr__serialisation(left, out));
        int64_t t = first > last ? first : last;
        if (t > l->lane_ps)
            l->lane_ps = t;
    }
    l->sent += sends;
    l->received += receives;
}

/* Time that the links of a member's host are busy at least. */
static int64_t bytes_time(const struct call_bound *k, uint32_t member)
{
    const struct orr_call *x = k->x;
    uint64_t bytes = x->bytes / x->chunks;
    uint32_t rank = orr__call_rank(k->t->program, x, member, x->from);
    uint32_t host = k->t->hosts[rank];
    uint64_t out = out_rate(k->w, host), in = in_rate(k->w, host);
    struct orr_spot at = {member, 0, 0, k->drawing};
    struct load l = {0};
    if (!out || !in || analytical(k->w))
        return 0;
    /* a rank takes its chunks one by one, a server as they come */
    bool serial = x->concurrent == 1 && member < x->c.n;
    for (; at.lane < x->lanes; at.lane++)
        load_of_lane(k, at, bytes, in, out, serial ? x->chunks - 1 : 0, &l);
    int64_t a = orr__serialisation(l.sent * x->chunks, out);
    int64_t b = orr__serialisation(l.received * x->chunks, in);
    int64_t t = a > b ? a : b;
    /* what comes in channels is sent on slice by slice */
    if (x->c.plan.channels && x->bytes)
        return orr__time_add(t, x->c.plan.base_ps);
    return l.lane_ps > t ? l.lane_ps : t;
}

/* On trees: what a member sends leaves by its own links, and its last byte goes
 * to the root and from there to the member that is farthest. */
static int64_t bound_on_trees(const struct call_bound *k)
{
    const struct orr_call *x = k->x;
    struct orr_group_load load = {.fn = NULL};
    struct orr_report why = {0};
    uint32_t rank = orr__call_rank(k->t->program, x, x->c.root, x->from);
    uint64_t out = out_rate(k->w, k->t->hosts[rank]);
    if (x->c.n == 1 || x->bytes == 0 || !out
        || orr__call_group_load(k->w, k->t->program, x, k->t->hosts, 0,
                                k->t->job, &load, &why))
        return 0;
    return orr__time_add(orr__serialisation(x->bytes, out), load.delay_ps);
}

/* The bound of one turn, ps: of members that end the ranks, and of the busiest
 * where sizes differ. */
static int64_t bound_of_drawing(const struct call_bound *k)
{
    const struct orr_call *x = k->x;
    const struct orr_pair_sizes *s = x->c.sizes;
    uint32_t n = x->c.n;
    const uint32_t starts[] = {
        0, n / 2, n - 1, s ? orr__member_at(s, k->drawing, s->sender) : 0,
        s ? orr__member_at(s, k->drawing, s->receiver) : 0};
    int64_t least = 0;
    for (int i = 0; i < (s ? 5 : 3); i++) {
        int64_t t = chain_of_chunks(k, starts[i]);
        if (t > least)
            least = t;
        t = bytes_time(k, starts[i]);
        if (t > least)
            least = t;
    }
    for (uint32_t i = 0; i < x->c.servers; i++) {
        int64_t t = bytes_time(k, n + i);
        if (t > least)
            least = t;
    }
    return least;
}

/* Turns in which the sizes of a call may differ, with work for one each; 0:
 * that is too much. */
static uint32_t drawings_of(const struct orr_team *team,
                            const struct orr_call *x)
{
    const struct orr_pair_sizes *s = x->c.sizes;
    uint64_t turns = 1, work = x->c.n + 1;
    if (s && s->drawn && team->iterations > 0)
        turns = (team->iterations - 1) / s->drawn + 1;
    if (turns > UINT64_C(1) << ORR_DRAWING_BITS)
        turns = UINT64_C(1) << ORR_DRAWING_BITS;
    return turns == 1 || turns * work < UINT64_C(1) << 20 ? (uint32_t)turns : 0;
}

/* Of sizes that are drawn: what holds in every iteration. */
int64_t orr__bound_call(const struct orr_world *w, const struct orr_team *team,
                        const struct orr_call *x)
{
    struct call_bound k = {w, team, x, 0};
    uint32_t turns = drawings_of(team, x);
    int64_t least = ORR_NEVER;
    if (x->c.ops->on_trees)
        return bound_on_trees(&k);
    if (x->c.n + x->c.servers == 1)
        return 0;
    for (uint32_t i = 0; i < turns; i++) {
        k.drawing = x->c.sizes ? i * x->c.sizes->drawn : 0;
        int64_t t = bound_of_drawing(&k);
        least = t < least ? t : least;
    }
    return turns ? least : 0;
}
