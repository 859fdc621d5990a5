/* Trees of switches that a group of hosts sends on: what they are, who owns
 * what of them, and how a packet looks on one. Private to net/.
 *
 * A place is a node on a tree: a switch, or a host with one member of the
 * group. Packets go up to the root and down from it, from place to place:
 *
 * `hash` has the era of the tree as well: what was sent before that was made
 * anew is thrown away, so that no sum has parts of two trees.
 *
 *   up     hash: the place that it comes from. What is to be added: the packet
 *          `seq` of that place's members, all of them; aux: all of these have
 *          the results of all packets before that one. PARTIAL: of only those
 *          children of the place whose bit is set in aux. Or, of a multicast,
 *          with ACK: all members below have everything before `seq`; NACK: one
 *          of them lacks packet aux.
 *   down   hash: DOWN and the place that it goes to. The result of packet
 *          `seq`, for all members below, or for the one at position aux. With
 *          ACK: without the sum, for those who do not get it. Of a multicast:
 *          packet `seq`, and aux is its message. */
#ifndef ORR_NET_TREE_TREE_H
#define ORR_NET_TREE_TREE_H

#include "net/fabric/fabric.h"
#include "net/host/host.h"
#include "net/in_network/in_network.h"

/* A packet that a switch, or a server, adds up. */
enum orr_sum_state {
    ORR_SUM_FREE,
    ORR_SUM_OPEN, /* some are missing */
    ORR_SUM_SENT, /* to the place above, whole */
    ORR_SUM_DONE, /* its result went down: kept for those that lost it */
};
/* Its sequence number says where it lies in the ring, and the bits of who is in
 * it lie at the same index. Positions count from the place's first member. */
struct orr_sum {
    uint32_t seq, count; /* members that are in it */
    uint32_t una;        /* the least that those said of results they have */
    uint32_t slot;       /* of a hashed pool */
    uint8_t state;       /* enum orr_sum_state */
    bool ce;             /* any of what is in it was marked */
    bool fallen_back;    /* of a server: it came in several parts */
};

/* Of a place that adds: by sequence number, a ring. */
struct orr_sums {
    struct orr_sum *ring;
    uint64_t *bits;    /* per sum, `words` of them: who is in it */
    uint32_t capacity; /* of `ring` */
    uint32_t words;
    uint32_t kept; /* results below it are with everybody */
    bool fixed;    /* two versions of each slot, as many as there are */
};

/* A place. Its shape is made with the group and does not change; the sums and
 * `acked` are owned. */
struct orr_tree_node {
    uint32_t node;
    uint32_t parent;          /* ORR_NONE: the root */
    uint32_t up, down;        /* links to the parent, and back */
    uint32_t child, children; /* places, one after the other */
    uint32_t index;           /* among its parent's children */
    uint32_t lo, hi;          /* positions of the members below */
    uint32_t member;          /* that it is; ORR_NONE: a switch, or a server */
    bool adds;                /* what children send: else it passes that on */
    /* In a window its node's thread alone touches these: */
    struct orr_sums sums; /* with `adds` */
    uint32_t *acked;      /* multicast: per child, by its ACKs */
    uint32_t announced;   /* multicast: what the last ACK sent up said */
    bool ce;              /* multicast: an ACK said so since then */
};

/* Owns its arrays; made with its group, and read by all threads. Positions
 * number the members so that those below a place are neighbours. */
struct orr_tree {
    const struct orr_tree_group *group;
    struct orr_tree_node *place; /* the root first, by distance from it */
    uint32_t places;
    uint32_t *at;         /* per member: its place */
    uint32_t *position;   /* and its position, and back: */
    uint32_t *member;     /* per position */
    uint32_t *connection; /* per member; the server's behind them */
    uint32_t number;      /* of its group's trees */
    uint32_t moves;       /* times that it was made anew; at most MOST_MOVES */
    uint32_t era;    /* that as bits of `hash`: of what is sent on it now */
    uint32_t window; /* packets of a member under way, at most */
};

#define ORR_TREE_MOST_MOVES (ORR_PACKET_ERA >> ORR_PACKET_ERA_SHIFT)

/* Owned by the net until that is freed, as are its arrays and trees. Nothing
 * here changes in a window. */
struct orr_tree_group {
    enum orr_group_kind kind;
    uint32_t members, root, trees;
    uint32_t *hosts, *ranks; /* per member */
    uint32_t *servers, n_servers;
    uint64_t identity, share;
    uint32_t first_tree;
    const struct orr_in_network *in; /* NULL: no switch adds */
    const struct orr_net_service *service;
    bool settled;     /* members have their connections */
    uint64_t payload; /* bytes of a packet */
    uint32_t each;    /* scatter: packets of one member's part of a message */
    struct orr_tree *tree;
};

/* What a member has under way on one tree; of its host's thread. */
struct orr_tree_part; /* one packet: member.c */
struct orr_errand;    /* one message: member.c */
struct orr_tree_stream {
    struct orr_tree *tree;
    uint32_t member; /* or `members`: the server */
    uint32_t place;
    uint32_t una, end; /* of packets: the lowest without result; behind those
                        * of all messages so far */
    struct orr_tree_part *part; /* ring: una to una + capacity */
    uint32_t capacity;          /* a power of two */
    struct orr_seqs {           /* first in, first out */
        uint32_t *seq, capacity, head, tail;
    } ready, to_resend;        /* that may be sent; that are to be sent again */
    struct orr_errand *errand; /* messages, in order */
    uint32_t errands, errand_room;
    uint32_t beyond;     /* results beyond una since that was sent */
    uint32_t refused;    /* multicast: gap reported last, plus one */
    uint32_t unanswered; /* multicast: packets not acknowledged */
    bool ce;             /* multicast: marks since the last ACK */
};

/* What a switch gives away. */
struct orr_pool_share {
    uint64_t job;
    uint32_t slots; /* that it may have, or ORR_NONE: any number */
    uint32_t used;
};
struct orr_aggregator {              /* of a switch; of its thread */
    const struct orr_in_network *in; /* NULL: it adds nothing */
    int64_t busy_until;              /* with taking packets in */
    uint32_t used, most;             /* slots: now, and at most */
    int64_t since;                   /* `used` is so since then */
    double area;                     /* slots * ps, until then */
    struct orr_pool_share *share;    /* ORR_POOL_SHARES: between windows */
    uint32_t shares;
    struct orr_held {                /* ORR_POOL_HASHED: per slot */
        const struct orr_tree *tree; /* NULL: free */
        uint32_t seq;
    } * held;
    struct orr_packet *late; /* that are still in the aggregator: a ring */
    uint32_t *late_link, late_room, late_head, late_tail;
    struct orr_group_totals totals; /* but for most_slots, mean_slots */
};

/* All groups of a net, in the order in which they were made; owns them and the
 * aggregators. NULL in a net without groups. */
struct orr_trees {
    struct orr_tree_group **group;
    uint32_t groups, room;
    struct orr_aggregator **at; /* per node; NULL: none */
    struct orr_cc none;         /* of members whose slots clock them */
    uint64_t moves;             /* trees made anew */
    bool watches;               /* links that fail */
};

/* Scatter: which member the result of a packet is for. Messages of a group all
 * have as many packets. */
static inline uint32_t orr__tree_owner(const struct orr_tree *t, uint32_t seq)
{
    const struct orr_tree_group *g = t->group;

    return seq % (g->each * g->members) / g->each;
}

static inline const struct orr_tree_stream *orr__stream_of(
    const struct orr_net *n, const struct orr_packet *p)
{
    return orr__sender(n, p->connection)->stream;
}

/* shape.c: the places of a tree. *fits: there is one; text: else why not. */
struct orr_tree_ask {
    const struct orr_graph *graph;
    const struct orr_net_config *config;
    const struct orr_group_spec *spec;
    const struct orr_in_network *in; /* orr__tree_adder */
    char *text;                      /* ORR_GROUP_TEXT */
    bool fits;
    /* Where links have failed; else zero: */
    const bool *closed;    /* per link: it is not there; NULL: all are */
    const uint32_t *taken; /* nodes that had better be no root */
    uint32_t n_taken;
    bool serve; /* no switch adds, but a host of spec->servers at the root */
};
/* Whose switches add for a group: of those that the network has, or of those
 * inside servers where the others have none, or the group is inside one. NULL:
 * nobody's. */
const struct orr_in_network *orr__tree_adder(const struct orr_graph *g,
                                             const struct orr_net_config *c,
                                             const struct orr_group_spec *s);
/* `tree`: room for spec->trees, zeroed; to be freed also after a failure. */
ORR_CHECK_RESULT orr_err orr__trees_shape(struct orr_tree_ask *ask,
                                          struct orr_tree *tree,
                                          struct orr_report *why);
/* One of them, without the links that are closed; as many roots as there are
 * must do. */
ORR_CHECK_RESULT orr_err orr__tree_reshape(struct orr_tree_ask *ask,
                                           uint32_t number,
                                           struct orr_tree *tree,
                                           struct orr_report *why);
void orr__tree_free(struct orr_tree *t);

/* sums.c: the sum of a packet at a place; NULL: there is none, and, if *old is
 * set, there will be none any more. */
struct orr_sum *orr__sum_find(struct orr_sums *s, uint32_t seq, bool *old);
/* Where the sum of `seq` will be opened: what lies there is over, though it may
 * hold a slot still, if its result was lost on the way. NULL: no memory. */
struct orr_sum *orr__sum_place(struct orr_sums *s, uint32_t seq);
/* Makes one. NULL: no memory. */
struct orr_sum *orr__sum_open(struct orr_sums *s, uint32_t seq);
static inline uint64_t *orr__sum_bits(const struct orr_sums *s,
                                      const struct orr_sum *x)
{
    return s->bits + (size_t)(x - s->ring) * s->words;
}
/* How much of [lo, hi) is in a sum. */
enum orr_overlap { ORR_OVERLAP_NONE, ORR_OVERLAP_ALL, ORR_OVERLAP_SOME };
enum orr_overlap orr__sum_overlap(const struct orr_sums *s,
                                  const struct orr_sum *x, uint32_t lo,
                                  uint32_t hi);
/* Puts [lo, hi) into it, which is not there yet. */
void orr__sum_add(const struct orr_sums *s, struct orr_sum *x, uint32_t lo,
                  uint32_t hi);
/* Both, for one that is not there; else nothing is done, and how much is. */
static inline enum orr_overlap orr__sum_take(const struct orr_sums *s,
                                             struct orr_sum *x, uint32_t lo,
                                             uint32_t hi)
{
    enum orr_overlap had;

    if (__builtin_expect(hi - lo == 1, 1)) {
        uint64_t *word = orr__sum_bits(s, x) + lo / 64;
        uint64_t bit = UINT64_C(1) << lo % 64;

        if (*word & bit)
            return ORR_OVERLAP_ALL;
        *word |= bit;
        x->count++;
        return ORR_OVERLAP_NONE;
    }
    had = orr__sum_overlap(s, x, lo, hi);
    if (had == ORR_OVERLAP_NONE)
        orr__sum_add(s, x, lo, hi);
    return had;
}
bool orr__sums_init(struct orr_sums *s, uint32_t members, uint32_t window,
                    bool fixed);
void orr__sums_free(struct orr_sums *s);

/* aggregate.c: a packet on a tree has come to a switch; in: by this link, or
 * ORR_NONE where ports are computed and nobody asks. */
void orr__tree_switch(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                      const struct orr_packet *p, int64_t now, uint32_t in);
/* One that was in an aggregator goes on. */
void orr__tree_late(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                    int64_t now);
/* Copies for the children of a place, or of those that a result is for; made by
 * send(). */
typedef void orr_tree_send_fn(struct orr_net *n, struct orr_lane *lane,
                              const struct orr_tree_node *to,
                              struct orr_packet *p, int64_t now);
uint32_t orr__tree_copy(struct orr_net *n, struct orr_lane *lane,
                        const struct orr_tree *t,
                        const struct orr_tree_node *from,
                        const struct orr_packet *p, int64_t now,
                        orr_tree_send_fn *send);

/* Scatter: bytes of a member's part of a message of so many. */
uint64_t orr__scatter_bytes(const struct orr_tree_group *g, uint64_t bytes,
                            uint32_t member);
/* member.c: one has come to a host of a member. */
void orr__tree_host(struct orr_net *n, struct orr_lane *lane, uint32_t node,
                    const struct orr_packet *p, int64_t now);
/* What a connection of a member does otherwise than others. */
extern const struct orr_sender_ops orr__tree_sender;
void orr__stream_free(struct orr_tree_stream *s);
/* server.c: one has come up to a server. */
void orr__tree_server(struct orr_net *n, struct orr_lane *lane,
                      const struct orr_tree *t, const struct orr_packet *p,
                      int64_t now);
/* group.c: gives members of new groups their connections. */
ORR_CHECK_RESULT orr_err orr__net_groups_settle(struct orr_net *n, int64_t now,
                                                struct orr_report *why);
void orr__trees_free(struct orr_net *n);
/* Of a tree that has a shape: parts of slots, places, and connections; members
 * that have one keep it. False: no memory. */
bool orr__tree_enter(struct orr_net *n, const struct orr_tree *t);
/* Packets that a member may have under way on it, as jobs share slots now.
 * *short_of: a switch of it that has none for it, or ORR_NONE. */
uint32_t orr__tree_window(const struct orr_net *n, const struct orr_tree *t,
                          uint32_t *short_of);
bool orr__tree_settle(struct orr_net *n, struct orr_tree *t, int64_t now);
/* move.c: makes trees anew when links fail, from now on. */
ORR_CHECK_RESULT orr_err orr__trees_watch(struct orr_net *n,
                                          struct orr_report *why);
/* A sum with a member twice, or without one, was about to be sent. */
void orr__tree_fail(struct orr_net *n, uint32_t node, int64_t now,
                    const struct orr_tree *t, uint32_t seq);
/* pool.c: a slot of a switch for a packet. False: it gets none; *collided:
 * because another packet has it. */
bool orr__slot_take(struct orr_aggregator *a, const struct orr_tree *t,
                    uint32_t seq, int64_t now, uint32_t *slot, bool *collided);
void orr__slot_give(struct orr_aggregator *a, const struct orr_tree *t,
                    uint32_t slot, int64_t now);
/* Gives jobs their parts of a switch's slots, one more of which comes with this
 * group; between windows. False: no memory. */
bool orr__pool_enter(struct orr_aggregator *a, uint64_t job);
/* What a job may have there; ORR_NONE: any number. */
uint32_t orr__pool_share(const struct orr_aggregator *a, uint64_t job);

#endif
