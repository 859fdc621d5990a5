/* What a switch does with a packet on a tree: it adds it to others, and sends
 * the sum on when all are there; passes it on; or copies it for its children.
 */
#include "core/assert.h"
#include "core/memory.h"
#include "core/ring.h"
#include "core/units.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/fabric/timer.h"
#include "net/port/port.h"
#include "net/tree/tree.h"

/* A packet that is at a switch, on a tree. */
struct visit {
    struct orr_net *n;
    struct orr_lane *lane;
    struct orr_tree *t;
    struct orr_tree_node *at;
    struct orr_aggregator *a;
    const struct orr_packet *p;
    int64_t now;
};

/* The place of this node on the way up from another one. */
static inline struct orr_tree_node *place_above(const struct orr_tree *t,
                                                uint32_t from, uint32_t node)
{
    struct orr_tree_node *p = &t->place[from];

    do {
        ORR_ASSERT(p->parent != ORR_NONE);
        p = &t->place[p->parent];
    } while (p->node != node);
    return p;
}

static void out_of_memory(const struct visit *v)
{
    orr__fabric_out_of_memory(v->n);
    v->lane->absorbed++;
}

/* ---- the way out --------------------------------------------------------- */

static void send_on(struct orr_net *n, struct orr_lane *lane, uint32_t link,
                    const struct orr_packet *p, int64_t now)
{
    lane->made++;
    orr__port_pass(n, lane, &n->port[link], p, now, false);
}

static uint32_t sum_hash(uint32_t node)
{
    return node; /* all of one node and time are alike */
}

/* Both rings have one capacity, and either both grow or neither does. False: no
 * memory, and what is in them is still there. */
static bool late_grow(struct orr_aggregator *a)
{
    uint32_t room = a->late_room;
    uint32_t *link = orr__ring_larger(a->late_link, &room, a->late_head,
                                      a->late_tail, 8, sizeof *link);

    if (!link)
        return false;
    if (!orr__ring_grow(a->late, a->late_room, a->late_head, a->late_tail, 8)) {
        orr__free(link);
        return false;
    }
    orr__free(a->late_link);
    a->late_link = link;
    return true;
}

/* When what came in now has been added up. */
static int64_t ready_at(const struct visit *v)
{
    return orr__time_add(v->a->busy_until > v->now ? v->a->busy_until : v->now,
                         v->a->in->latency_ps);
}

/* Sends what was made of sums: at once, or when the aggregator is through. */
static void send_result(const struct visit *v, uint32_t link,
                        const struct orr_packet *p)
{
    struct orr_aggregator *a = v->a;
    int64_t at = ready_at(v);

    if (at <= v->now && a->late_head == a->late_tail) {
        send_on(v->n, v->lane, link, p, v->now);
        return;
    }
    if (a->late_tail - a->late_head == a->late_room && !late_grow(a)) {
        orr__fabric_out_of_memory(v->n);
        return;
    }
    a->late[a->late_tail & (a->late_room - 1)] = *p;
    a->late_link[a->late_tail++ & (a->late_room - 1)] = link;
    orr__fabric_timer(v->n, v->at->node, at,
                      ORR_RANK_NET(ORR_WHAT_SUM, sum_hash(v->at->node)),
                      ORR_WHAT_SUM, 0);
}

void orr__tree_late(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                    int64_t now)
{
    struct orr_aggregator *a = n->trees->at[node];
    uint32_t i = a->late_head++ & (a->late_room - 1);

    ORR_ASSERT(a->late_head - 1 != a->late_tail);
    orr__lane_timed(lane, now);
    send_on(n, lane, a->late_link[i], &a->late[i], now);
}

/* ---- down ---------------------------------------------------------------- */

/* Whether somebody at or below place `c` wants the sum of packet `seq`: the
 * others are told by an ACK that it is done, which costs less on the wire. */
static inline bool is_for(const struct orr_tree_group *g,
                          const struct orr_tree *t,
                          const struct orr_tree_node *c, uint32_t seq)
{
    uint32_t position;

    if (g->kind == ORR_GROUP_SUM || g->kind == ORR_GROUP_MULTICAST)
        return true;
    if (g->kind == ORR_GROUP_REDUCE)
        position = t->position[g->root];
    else
        position = t->position[orr__tree_owner(t, seq)];
    return position >= c->lo && position < c->hi;
}

uint32_t orr__tree_copy(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_tree *t,
                        const struct orr_tree_node *from,
                        const struct orr_packet *p, int64_t now,
                        orr_tree_send_fn *send)
{
    const struct orr_tree_group *g = t->group;
    bool one = g->kind != ORR_GROUP_MULTICAST && p->aux != ORR_NONE;
    uint32_t copies = 0;

    for (uint32_t i = from->child; i < from->child + from->children; i++) {
        const struct orr_tree_node *c = &t->place[i];
        struct orr_packet own = *p;

        if (one && (p->aux < c->lo || p->aux >= c->hi))
            continue;
        own.hash = ORR_PACKET_DOWN | t->era | i;
        if (c->member != ORR_NONE)
            own.connection = t->connection[c->member];
        if (!is_for(g, t, c, p->seq))
            own.size_flags =
                (own.size_flags & (ORR_PACKET_CE | ORR_PACKET_REPEAT))
                | ORR_PACKET_ACK
                | (uint32_t)n->config->ack << ORR_PACKET_FLAG_BITS;
        send(n, lane, c, &own, now);
        copies++;
    }
    return copies;
}

static void copy_down(struct orr_net *n, struct orr_lane *lane,
                      const struct orr_tree_node *to, struct orr_packet *p,
                      int64_t now)
{
    send_on(n, lane, to->down, p, now);
}

/* The result of a packet passes a switch that added it up. */
static void note_result(const struct visit *v)
{
    bool old;
    struct orr_sum *x = orr__sum_find(&v->at->sums, v->p->seq, &old);

    if (!x || x->state == ORR_SUM_DONE || v->p->aux != ORR_NONE)
        return;
    orr__slot_give(v->a, v->t, x->slot, v->now);
    x->ce = v->p->size_flags & ORR_PACKET_CE;
    x->state = ORR_SUM_DONE;
    if (v->a->in->ops->server) /* who asks again is answered there */
        x->state = ORR_SUM_FREE;
}

/* The packet ends here, and its copies are new ones. The slot is free before
 * they go, so that it can be had by the packets that they bring about. */
static void go_down(struct visit *v)
{
    uint32_t copies;

    v->at = &v->t->place[v->p->hash & ORR_PACKET_PLACE];
    if (v->at->adds)
        note_result(v);
    copies =
        orr__tree_copy(v->n, v->lane, v->t, v->at, v->p, v->now, copy_down);
    v->lane->absorbed++;
    if (v->a && copies)
        v->a->totals.copies += copies - 1;
}

/* ---- up ------------------------------------------------------------------ */

/* As it is; nobody but the root is to add it if `passes` says so. */
static void pass_up(const struct visit *v, uint32_t passes)
{
    struct orr_packet own = *v->p;

    own.hash |= passes;
    orr__port_pass(v->n, v->lane, &v->n->port[v->at->up], &own, v->now, false);
}

/* What a sum is as a packet. */
static struct orr_packet packet_of(const struct visit *v,
                                   const struct orr_sum *x, uint32_t flags)
{
    return (struct orr_packet){
        .connection = v->p->connection,
        .dst_kind = v->p->dst_kind,
        .seq = x->seq,
        .size_flags = (v->p->size_flags & ~(uint32_t)UINT8_MAX) | flags
                      | (x->ce ? ORR_PACKET_CE : 0),
    };
}

/* `hash` of what goes up from here. */
static uint32_t from_here(const struct visit *v)
{
    return (uint32_t)(v->at - v->t->place) | v->t->era;
}

/* To the place above. */
static void send_up(const struct visit *v, const struct orr_sum *x,
                    uint32_t flags)
{
    struct orr_packet p = packet_of(v, x, flags);

    p.hash = from_here(v);
    p.aux = x->una;
    send_result(v, v->at->up, &p);
}

/* orr_tree_send_fn of a switch that made the result itself: it goes through the
 * aggregator of the place above `to`, and takes that one's time. */
static void send_late(struct orr_net *n, struct orr_lane *lane,
                      const struct orr_tree_node *to, struct orr_packet *p,
                      int64_t now)
{
    const struct orr_tree_stream *s = orr__stream_of(n, p);
    struct orr_tree_node *at = &s->tree->place[to->parent];
    const struct visit v = {.n = n,
                            .lane = lane,
                            .t = s->tree,
                            .at = at,
                            .a = n->trees->at[at->node],
                            .p = p,
                            .now = now};

    send_result(&v, to->down, p);
}

/* Of a root: to all, or to the position `aux`. */
static void send_down(const struct visit *v, const struct orr_sum *x,
                      uint32_t aux, uint32_t flags)
{
    struct orr_packet p = packet_of(v, x, flags);
    uint32_t copies;

    p.aux = aux;
    copies = orr__tree_copy(v->n, v->lane, v->t, v->at, &p, v->now, send_late);
    if (aux == ORR_NONE && copies)
        v->a->totals.copies += copies - 1;
}

static ORR_TELLS void tell_sum(const struct visit *v, const struct orr_sum *x)
{
    const struct orr_observed_sum s = {.node = v->at->node,
                                       .connection = v->p->connection,
                                       .seq = x->seq,
                                       .root = v->at->parent == ORR_NONE};

    orr__observers_summed(v->n, v->now, &s);
}

/* All of the members below are in it. */
static void is_whole(const struct visit *v, struct orr_sum *x)
{
    struct orr_sums *s = &v->at->sums;

    v->a->totals.sums++;
    if (orr__observers_see(v->n))
        tell_sum(v, x);
    if (!s->fixed && (int32_t)(x->una - s->kept) > 0)
        s->kept = x->una;
    if (v->at->parent != ORR_NONE) {
        x->state = ORR_SUM_SENT;
        send_up(v, x, 0);
        return;
    }
    if (v->at->hi - v->at->lo != v->t->group->members)
        orr__tree_fail(v->n, v->at->node, v->now, v->t, x->seq);
    x->state = ORR_SUM_DONE;
    v->a->totals.results++;
    orr__slot_give(v->a, v->t, x->slot, v->now);
    send_down(v, x, ORR_NONE, 0);
}

/* Somebody sent again what is in the sum. */
static void answer(const struct visit *v, struct orr_sum *x)
{
    const struct orr_tree_node *from =
        &v->t->place[v->p->hash & ORR_PACKET_PLACE];

    v->a->totals.duplicates++;
    if (x->state == ORR_SUM_SENT)
        send_up(v, x, ORR_PACKET_REPEAT);
    else if (x->state == ORR_SUM_DONE)
        send_down(v, x, from->member != ORR_NONE ? from->lo : ORR_NONE,
                  ORR_PACKET_REPEAT);
}

/* With a server: what was sent again goes there by itself, behind what is in
 * its slot. */
static void evict_sum(const struct visit *v, struct orr_sum *x)
{
    struct orr_packet p = packet_of(v, x, ORR_PACKET_REPEAT);
    struct orr_sums *s = &v->at->sums;

    p.hash = from_here(v) | ORR_PACKET_PASSES | ORR_PACKET_PARTIAL;
    p.aux = 0;
    for (uint32_t i = 0; i < v->at->children; i++) {
        const struct orr_tree_node *c = &v->t->place[v->at->child + i];

        if (orr__sum_overlap(s, x, c->lo - v->at->lo, c->hi - v->at->lo)
            == ORR_OVERLAP_ALL)
            p.aux |= UINT32_C(1) << i;
    }
    v->a->totals.evictions++;
    orr__slot_give(v->a, v->t, x->slot, v->now);
    x->state = ORR_SUM_FREE;
    send_on(v->n, v->lane, v->at->up, &p, v->now);
}

/* A sum to add it to; NULL: there is none, and it was dealt with. */
static struct orr_sum *sum_for(const struct visit *v)
{
    const struct orr_in_network_ops *ops = v->a->in->ops;
    struct orr_sums *s = &v->at->sums;
    bool old, collided;
    uint32_t slot = 0;
    struct orr_sum *x = orr__sum_find(s, v->p->seq, &old);

    if (ops->server && v->p->size_flags & ORR_PACKET_REPEAT) {
        if (x)
            evict_sum(v, x);
        pass_up(v, ORR_PACKET_PASSES);
        return NULL;
    }
    if (x)
        return x;
    if (old) {
        v->a->totals.duplicates++;
        v->lane->absorbed++;
        return NULL;
    }
    if (!orr__slot_take(v->a, v->t, v->p->seq, v->now, &slot, &collided)) {
        v->a->totals.collisions += collided;
        v->a->totals.no_slots += !collided;
        if (ops->server)
            pass_up(v, ORR_PACKET_PASSES);
        else
            v->lane->absorbed++;
        return NULL;
    }
    x = orr__sum_place(s, v->p->seq);
    if (x && (x->state == ORR_SUM_OPEN || x->state == ORR_SUM_SENT))
        orr__slot_give(v->a, v->t, x->slot, v->now); /* its result was lost */
    x = orr__sum_open(s, v->p->seq);
    if (!x) {
        out_of_memory(v);
        return NULL;
    }
    x->una = v->p->aux;
    x->slot = slot;
    return x;
}

/* Every packet that comes takes time of the aggregator, also one that gets no
 * slot or is there already. A sum that has part of what the packet brings can
 * not be mended: the run fails. */
static inline void add_packet(const struct visit *v)
{
    const struct orr_tree_node *from =
        &v->t->place[v->p->hash & ORR_PACKET_PLACE];
    uint32_t lo = from->lo - v->at->lo, hi = from->hi - v->at->lo;
    enum orr_overlap had;
    struct orr_sum *x;

    if (v->a->in->rate_bps)
        v->a->busy_until = orr__time_add(
            v->a->busy_until > v->now ? v->a->busy_until : v->now,
            orr__serialisation(orr__packet_size(v->p), v->a->in->rate_bps));
    v->a->totals.summed++;
    x = sum_for(v);
    if (!x)
        return;
    v->lane->absorbed++;
    had = orr__sum_take(&v->at->sums, x, lo, hi);
    if (had == ORR_OVERLAP_ALL) {
        answer(v, x);
        return;
    }
    if (had == ORR_OVERLAP_SOME)
        orr__tree_fail(v->n, v->at->node, v->now, v->t, x->seq);
    x->ce |= (v->p->size_flags & ORR_PACKET_CE) != 0;
    if ((int32_t)(v->p->aux - x->una) < 0)
        x->una = v->p->aux;
    if (x->count == v->at->hi - v->at->lo)
        is_whole(v, x);
}

/* ---- ACKs of a multicast --------------------------------------------------
 */

/* The least that the members below say goes on up. */
static void acknowledge(const struct visit *v)
{
    struct orr_tree_node *at = v->at;
    struct orr_packet own = *v->p;
    const struct orr_tree_node *from =
        &v->t->place[v->p->hash & ORR_PACKET_PLACE];
    uint32_t least = v->p->seq;

    own.hash = from_here(v);
    if (v->p->size_flags & ORR_PACKET_NACK) {
        orr__port_pass(v->n, v->lane, &v->n->port[at->up], &own, v->now, false);
        return;
    }
    at->ce |= (v->p->size_flags & ORR_PACKET_ECHO) != 0;
    if ((int32_t)(v->p->seq - at->acked[from->index]) > 0)
        at->acked[from->index] = v->p->seq;
    for (uint32_t i = 0; i < at->children; i++)
        if ((int32_t)(at->acked[i] - least) < 0)
            least = at->acked[i];
    if ((int32_t)(least - at->announced) <= 0
        && !(v->p->size_flags & ORR_PACKET_DUPLICATE)) {
        v->lane->absorbed++;
        return;
    }
    own.seq = at->announced = least;
    if (at->ce)
        own.size_flags |= ORR_PACKET_ECHO;
    at->ce = false;
    orr__port_pass(v->n, v->lane, &v->n->port[at->up], &own, v->now, false);
}

void orr__tree_switch(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                      const struct orr_packet *p, int64_t now, uint32_t in)
{
    struct orr_tree *t = orr__stream_of(n, p)->tree;
    struct visit v = {.n = n,
                      .lane = lane,
                      .t = t,
                      .a = n->trees->at[node],
                      .p = p,
                      .now = now};

    if (in != ORR_NONE)
        lane->ingress = in;
    if ((p->hash & ORR_PACKET_ERA) != t->era) {
        lane->absorbed++; /* its tree was made anew */
        return;
    }
    if (p->hash & ORR_PACKET_DOWN) {
        go_down(&v);
        return;
    }
    v.at = place_above(t, p->hash & ORR_PACKET_PLACE, node);
    if (t->group->kind == ORR_GROUP_MULTICAST)
        acknowledge(&v);
    else if (!v.at->adds || p->hash & ORR_PACKET_PASSES)
        pass_up(&v, 0);
    else
        add_packet(&v);
}
