/* A server at the root of a tree: a host that adds up what switches have not,
 * and sends the result down (ATP's parameter server). */
#include "core/assert.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/tree/tree.h"

static void send_result(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_tree_node *to, struct orr_packet *p,
                        int64_t now)
{
    const struct orr_tree *t = orr__stream_of(n, p)->tree;
    uint32_t server = t->connection[t->group->members];

    if (to->member == ORR_NONE)
        p->connection = server;
    orr__nic_ack(n, lane, t->place[0].node, p, now);
}

/* To all, or to the member at position `aux`. */
static void send_down(struct orr_net *n, struct orr_lane *lane,
                      const struct orr_tree *t, const struct orr_packet *p,
                      const struct orr_sum *x, uint32_t aux, int64_t now)
{
    struct orr_packet r = {
        .connection = p->connection,
        .dst_kind = p->dst_kind,
        .seq = x->seq,
        .size_flags = (p->size_flags & ~(uint32_t)UINT8_MAX)
                      | (x->ce ? ORR_PACKET_CE : 0)
                      | (aux != ORR_NONE ? ORR_PACKET_REPEAT : 0),
        .aux = aux,
    };

    orr__tree_copy(n, lane, t, &t->place[0], &r, now, send_result);
}

/* Whether any of what a packet has is in the sum; enter: puts it there. */
static bool go_through(const struct orr_tree *t, struct orr_sum *x,
                       const struct orr_packet *p, bool enter)
{
    struct orr_sums *s = &t->place[0].sums;
    const struct orr_tree_node *from = &t->place[p->hash & ORR_PACKET_PLACE];
    bool partial = p->hash & ORR_PACKET_PARTIAL, any = false;
    uint32_t parts = partial ? from->children : 1;

    for (uint32_t i = 0; i < parts; i++) {
        const struct orr_tree_node *c =
            partial ? &t->place[from->child + i] : from;

        if (partial && !(p->aux >> i & 1))
            continue;
        if (enter)
            orr__sum_add(s, x, c->lo, c->hi);
        else
            any |= orr__sum_overlap(s, x, c->lo, c->hi) != ORR_OVERLAP_NONE;
    }
    return any;
}

/* The result of this packet went out before, or is not yet whole. */
static void answer(struct orr_net *n, struct orr_lane *lane,
                   const struct orr_tree *t, const struct orr_packet *p,
                   const struct orr_sum *x, int64_t now)
{
    const struct orr_tree_node *from = &t->place[p->hash & ORR_PACKET_PLACE];

    n->trees->at[t->place[0].node]->totals.duplicates++;
    if (x->state == ORR_SUM_DONE && from->member != ORR_NONE)
        send_down(n, lane, t, p, x, from->lo, now);
}

/* None of what the packet has is in `x`. A result is counted as fallen back if
 * any of its parts passed a switch without being added there, or no switch of
 * the tree adds. Partial sums say nothing of what members have. */
static void add_packet(struct orr_net *n, struct orr_lane *lane,
                       const struct orr_tree *t, const struct orr_packet *p,
                       struct orr_sum *x, int64_t now)
{
    struct orr_group_totals *totals = &n->trees->at[t->place[0].node]->totals;
    bool partial = p->hash & ORR_PACKET_PARTIAL;
    struct orr_sums *s = &t->place[0].sums;

    go_through(t, x, p, true);
    x->ce |= (p->size_flags & ORR_PACKET_CE) != 0;
    x->fallen_back |= p->hash & ORR_PACKET_PASSES || !t->group->in->ops->server;
    if (!partial && (int32_t)(p->aux - x->una) < 0)
        x->una = p->aux;
    if (x->count < t->group->members)
        return;
    if (!partial && (int32_t)(x->una - s->kept) > 0)
        s->kept = x->una;
    x->state = ORR_SUM_DONE;
    if (orr__observers_see(n)) {
        const struct orr_observed_sum whole = {t->place[0].node, p->connection,
                                               x->seq, true};

        orr__observers_summed(n, now, &whole);
    }
    totals->results++;
    totals->fallen_back += x->fallen_back;
    send_down(n, lane, t, p, x, ORR_NONE, now);
}

void orr__tree_server(struct orr_net *n, struct orr_lane *lane,
                      const struct orr_tree *t, const struct orr_packet *p,
                      int64_t now)
{
    struct orr_sums *s = &t->place[0].sums;
    struct orr_group_totals *totals = &n->trees->at[t->place[0].node]->totals;
    bool old;
    struct orr_sum *x = orr__sum_find(s, p->seq, &old);

    if (!x && old) {
        totals->duplicates++;
        return;
    }
    if (!x) {
        x = orr__sum_open(s, p->seq);
        if (!x) {
            orr__fabric_out_of_memory(n);
            return;
        }
        x->una = p->hash & ORR_PACKET_PARTIAL ? s->kept : p->aux;
    }
    if (go_through(t, x, p,
                   false)) /* all of it; or some, and then it is of no use */
        answer(n, lane, t, p, x, now);
    else
        add_packet(n, lane, t, p, x, now);
}
