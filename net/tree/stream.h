/* A member's stream of packets on a tree: what member.c, which sends them, and
 * rewind.c, which starts them anew, both know. Private to net/tree/. */
#ifndef ORR_NET_TREE_STREAM_H
#define ORR_NET_TREE_STREAM_H

#include "core/ring.h"
#include "net/tree/tree.h"

enum {
    PART_NEW,
    PART_OUT,
    PART_LOST, /* is to be sent again */
    PART_HERE,
    PART_WAITS, /* the same as lost, once its slot is free */
};
/* A packet between `una` and `una` + capacity of its stream; at a receiver of a
 * multicast only `message` and whether it is HERE mean something. */
struct orr_tree_part {
    int64_t at; /* when it was last sent, ps */
    union {
        uint32_t message; /* multicast, at a receiver: ends with it, or NONE */
        uint32_t bytes;   /* with `had`: its payload */
    };
    uint16_t tries; /* times that it was sent again */
    uint8_t state;  /* as above */
    bool had;       /* its result was here, and counted, but others lack it, and
                     * the tree that knew it is no more */
};

/* A message whose result is not whole. `unsent` counts packets that never went
 * out, `undone` those without result; `bytes` is what all of them carry. */
struct orr_errand {
    uint32_t message, first; /* number in the net; of its first packet */
    uint32_t packets, unsent, undone;
    uint64_t bytes;
};

static inline bool is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

static inline bool seqs_push(struct orr_seqs *q, uint32_t seq)
{
    if (q->tail - q->head == q->capacity
        && !orr__ring_grow(q->seq, q->capacity, q->head, q->tail, 16))
        return false;
    q->seq[q->tail++ & (q->capacity - 1)] = seq;
    return true;
}

static inline struct orr_tree_part *part_at(const struct orr_tree_stream *s,
                                            uint32_t seq)
{
    return &s->part[seq & (s->capacity - 1)];
}

/* Room for a packet, those before it included. False: no memory. */
bool orr__stream_grow(struct orr_tree_stream *s, uint32_t seq);
static inline bool reach_packet(struct orr_tree_stream *s, uint32_t seq)
{
    return seq - s->una < s->capacity || orr__stream_grow(s, seq);
}

static inline struct orr_errand *errand_of(const struct orr_tree_stream *s,
                                           uint32_t seq)
{
    uint32_t i = 0;

    while (i < s->errands && seq - s->errand[i].first >= s->errand[i].packets)
        i++;
    return i < s->errands ? &s->errand[i] : NULL;
}

/* Payload of a packet of a message. */
uint64_t orr__errand_payload(const struct orr_tree_group *g,
                             const struct orr_errand *e, uint32_t seq);

static inline bool is_multicast(const struct orr_tree_stream *s)
{
    return s->tree->group->kind == ORR_GROUP_MULTICAST;
}

static inline bool is_clocked(const struct orr_tree_stream *s)
{
    const struct orr_in_network *in = s->tree->group->in;

    return in && in->ops->clocked && !is_multicast(s);
}

/* The NIC goes by `message`: whether there is something to send; and by
 * `probe`. What a multicast is to send again goes whatever the window is: what
 * is behind it may be with all members and counts as in flight until it is
 * there. */
static inline void show_work(struct orr_sender *x)
{
    const struct orr_tree_stream *s = x->stream;
    bool some =
        is_clocked(s) ? s->ready.head != s->ready.tail : x->next != s->end;

    x->message = some ? s->errand[s->errands - 1].message : ORR_NONE;
    x->probe = x->lost > 0 && x->vain != ORR_MOST_VAIN && is_multicast(s);
}

/* The time at which its timeout looks at what is under way. */
void orr__stream_alarm(struct orr_net *n, struct orr_sender *x, int64_t due);

/* rewind.c: all members of a tree that was made anew send again what not all of
 * them have the result of, and nothing counts as under way. False: no memory.
 */
bool orr__tree_rewind(struct orr_net *n, struct orr_tree *t, int64_t now);
/* No way will ever lead to all of them: they send nothing more. */
void orr__tree_give_up(struct orr_net *n, const struct orr_tree *t);

#endif
