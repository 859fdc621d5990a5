/* Messages to trees of switches: their packets end at switches, and results of
 * many come back. What happened between is known by when sums were whole, and
 * by whom: a packet took its time on links, and what is beyond that is waiting,
 * for who came last. */
#include "core/array.h"
#include "core/none.h"
#include "core/units.h"
#include "study/explain/messages_state.h"
#include "workload/world.h"

static struct orr_what make_what(enum orr_cause cause, uint32_t owner,
                                 uint32_t link)
{
    return (struct orr_what){
        .cause = (uint8_t)cause, .owner = owner, .link = link};
}

bool orr__summed_begin(struct orr_messages_observer *o)
{
    o->n_sums = 0;
    o->result_at = -1;
    return orr__observed_tree(o->all->world->net, o->connection, &o->tree);
}

/* NULL: it is none of the message's, or there is no memory. */
static struct orr_tree_sums *sums_of(struct orr_messages_observer *o,
                                     uint32_t seq)
{
    uint32_t i = seq - o->first_seq;
    if (i >= o->packets)
        return NULL;
    if (!orr__array_more(o->sums, o->sums_room, i)) {
        orr__messages_fail(o->all);
        return NULL;
    }
    while (o->n_sums <= i)
        o->sums[o->n_sums++] = (struct orr_tree_sums){
            .adder = -1, .root = -1, .adder_by = ORR_NONE, .root_by = ORR_NONE};
    return &o->sums[i];
}

void orr__summed_sent(struct orr_messages_observer *o,
                      const struct orr_packet *p)
{
    struct orr_tree_sums *s = sums_of(o, p->seq);
    if (s)
        s->resent |= (p->size_flags & ORR_PACKET_REPEAT) != 0;
}

void orr__summed_result(struct orr_messages_observer *o, int64_t now,
                        const struct orr_packet *p)
{
    if (p->seq - o->first_seq >= o->packets)
        return;
    o->result = p->seq;
    o->result_at = now;
    o->result_bytes = orr__packet_size(p);
}

/* Only the first time counts: later ones are for those that lost it. */
void orr__summed_whole(void *pass, int64_t now,
                       const struct orr_observed_sum *x)
{
    struct orr_messages_pass *l = pass;
    struct orr_observed_tree t;
    if (!orr__observed_tree(l->world->net, x->connection, &t))
        return;
    for (uint32_t i = 0; i < l->n; i++) {
        struct orr_messages_observer *o = &l->one[i];
        struct orr_tree_sums *s;
        if (!o->on || !o->on_tree || o->tree.tree != t.tree)
            continue;
        s = sums_of(o, x->seq);
        if (s && x->root && s->root < 0) {
            s->root = now;
            s->root_by = x->connection;
        }
        if (s && x->node == o->tree.adder && s->adder < 0) {
            s->adder = now;
            s->adder_by = x->connection;
        }
    }
}

/* Of a full packet there and back without anybody in the way, or half of it. */
static int64_t path_ps(const struct orr_messages_observer *o, bool back)
{
    const struct orr_world *w = o->all->world;
    int64_t ps = 0;
    for (uint32_t i = 0; i < o->tree.links; i++) {
        uint32_t link = back ? o->tree.back[i] : o->tree.up[i];
        ps = orr__time_add(
            ps, orr__serialisation(o->result_bytes, w->graph->rate_bps[link]));
        ps = orr__time_add(ps, orr__observed_delay(w->net, link));
    }
    return ps;
}

/* The packet whose result let the sender go on just now had waited for another
 * rank for longer than a round trip: that is what its slot, or its place in the
 * window, was needed for. */
static bool was_waiting(const struct orr_messages_observer *o,
                        struct orr_observed_tree *slowest)
{
    uint32_t i = o->result - o->first_seq;
    const struct orr_tree_sums *s = i < o->n_sums ? &o->sums[i] : NULL;
    if (o->result_at < 0 || !s || i >= o->firsts || s->root < 0
        || s->root_by == o->connection)
        return false;
    return s->root - o->first[i] > 2 * path_ps(o, false) + path_ps(o, true)
           && orr__observed_tree(o->all->world->net, s->root_by, slowest);
}

struct orr_what orr__summed_wait(const struct orr_messages_observer *o,
                                 struct orr_what window)
{
    struct orr_observed_tree slowest;
    if (was_waiting(o, &slowest))
        return make_what(ORR_CAUSE_SLOWEST, o->at->owner, slowest.up[0]);
    if (!o->tree.clocked)
        return window;
    uint32_t owner =
        o->tree.sharer ? (uint32_t)(o->tree.sharer - 1) : ORR_OWNER_SELF;
    return make_what(ORR_CAUSE_SLOT, owner, ORR_NONE);
}

/* ---- the line -------------------------------------------------------------
 */

/* A packet on a link, as far as there is time for it. */
static void add_hop(const struct orr_messages_observer *o,
                    struct orr_spending *line, uint32_t link, int64_t limit)
{
    const struct orr_world *w = o->all->world;
    int64_t at =
        orr__time_add(line->at, orr__serialisation(o->result_bytes,
                                                   w->graph->rate_bps[link]));
    orr__line_add(line, at < limit ? at : limit,
                  make_what(ORR_CAUSE_SERIALISATION, ORR_NONE, link));
    at = orr__time_add(line->at, orr__observed_delay(w->net, link));
    orr__line_add(line, at < limit ? at : limit,
                  make_what(ORR_CAUSE_PROPAGATION, ORR_NONE, link));
}

/* Links [from, to) of the path up, until a sum was whole there by a packet of
 * `by`. What is left was spent on waiting for that one's rank, which its NIC's
 * link names; or, where this rank's own sum was last, in queues, or on sending
 * again. */
static void add_path_up(const struct orr_messages_observer *o,
                        struct orr_spending *line, uint32_t from, uint32_t to,
                        int64_t whole, uint32_t by, uint32_t own, bool resent)
{
    struct orr_observed_tree t;
    for (uint32_t i = from; i < to; i++)
        add_hop(o, line, o->tree.up[i], whole);
    if (by == own)
        orr__line_add(
            line, whole,
            make_what(resent ? ORR_CAUSE_RECOVERY : ORR_CAUSE_QUEUEING,
                      ORR_NONE, o->tree.up[from]));
    else if (orr__observed_tree(o->all->world->net, by, &t))
        orr__line_add(line, whole,
                      make_what(ORR_CAUSE_SLOWEST, o->at->owner, t.up[0]));
}

/* From the root down: queues first, then the links. */
static void add_path_down(const struct orr_messages_observer *o,
                          struct orr_spending *line, int64_t now)
{
    orr__line_add(line, now - path_ps(o, true),
                  make_what(ORR_CAUSE_QUEUEING, ORR_NONE,
                            o->tree.back[o->tree.links - 1]));
    for (uint32_t i = o->tree.links; i-- > 0;)
        add_hop(o, line, o->tree.back[i], now);
}

/* Links to the first node that adds. */
static uint32_t links_to_adder(const struct orr_messages_observer *o)
{
    const struct orr_graph *g = o->all->world->graph;
    for (uint32_t i = 0; i < o->tree.links; i++)
        if (g->to[o->tree.up[i]] == o->tree.adder)
            return i + 1;
    return o->tree.links;
}

void orr__summed_end(struct orr_messages_observer *o, int64_t now)
{
    struct orr_spending *line = &o->at->leg[o->next].line;
    uint32_t i = o->result - o->first_seq, first = links_to_adder(o);
    const struct orr_tree_sums *s = i < o->n_sums ? &o->sums[i] : NULL;
    uint32_t own = o->connection;
    if (o->result_at == now && s && s->root >= 0 && i < o->firsts) {
        orr__line_append(line, &o->sender, o->first[i]);
        if (s->adder >= 0 && s->adder <= s->root && first < o->tree.links) {
            add_path_up(o, line, 0, first, s->adder, s->adder_by, own,
                        s->resent);
            own = s->adder_by; /* whose packet the sum went on with */
            add_path_up(o, line, first, o->tree.links, s->root, s->root_by, own,
                        s->resent);
        } else {
            add_path_up(o, line, 0, o->tree.links, s->root, s->root_by, own,
                        s->resent);
        }
        if (s->resent && now - s->root > ORR_MS)
            orr__line_add(line, now,
                          make_what(ORR_CAUSE_RECOVERY, ORR_NONE, ORR_NONE));
        add_path_down(o, line, now);
    }
    orr__line_add(line, now, make_what(ORR_CAUSE_RECOVERY, ORR_NONE, ORR_NONE));
}
