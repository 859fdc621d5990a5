/* Collective algorithms. A family: one file an algorithm, one line in list.h
 * for each kind of collective that it performs.
 *
 * An algorithm is never expanded: it answers, for one member of a group at one
 * spot, what that member sends and receives there. A spot is a lane and a step.
 * Lanes of a member run side by side and know nothing of one another; the steps
 * of a lane run in order: step s + 1 starts when everything that step s
 * receives has arrived in full. Sends of a step leave when the step starts.
 *
 * A collective may be cut into chunks first; every slot below is about one
 * chunk of `bytes` bytes and all positions count from that chunk's start. */
#ifndef ORR_WORKLOAD_COLLECTIVE_COLLECTIVE_H
#define ORR_WORKLOAD_COLLECTIVE_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/assert.h"
#include "core/config/param.h"
#include "core/none.h"
#include "net/net.h"
#include "workload/collective/pair_sizes.h"

/* enum, name for users */
#define ORR_COLLECTIVE_KINDS(X)                                                \
    X(ALL_REDUCE, "all-reduce")                                                \
    X(REDUCE_SCATTER, "reduce-scatter")                                        \
    X(ALL_GATHER, "all-gather")                                                \
    X(ALL_TO_ALL, "all-to-all")                                                \
    X(BROADCAST, "broadcast")                                                  \
    X(REDUCE, "reduce")                                                        \
    X(GATHER, "gather")                                                        \
    X(SCATTER, "scatter")                                                      \
    X(BARRIER, "barrier")

enum orr_collective_kind {
#define ORR_KIND_ENUM(id, name) ORR_##id,
    ORR_COLLECTIVE_KINDS(ORR_KIND_ENUM)
#undef ORR_KIND_ENUM
        ORR_COLLECTIVE_KIND_COUNT
};

enum orr_direction { ORR_FORWARD, ORR_BACKWARD, ORR_BOTH };
enum orr_tree_shape { ORR_BINOMIAL, ORR_BINARY };
/* 2^32 members cannot have more dimensions of two or more. */
#define ORR_GRID_DIMS_MAX 32

/* What carries slices where a call runs in channels; `auto` is settled before
 * it runs. */
enum orr_protocol {
    ORR_PROTOCOL_NONE, /* it runs in no channels: whole steps, without costs */
    ORR_PROTOCOL_LL,
    ORR_PROTOCOL_LL128,
    ORR_PROTOCOL_SIMPLE,
    ORR_PROTOCOL_AUTO,
};

/* How a call runs in channels, as NCCL's kernels do. A channel is one chain of
 * copies at each member: it waits for a slice to be there and for room at whom
 * it goes to, copies it, and goes on with the next. What a slice costs beside
 * the copy is of two kinds: the channel is held for some time, and the slice
 * needs some to be seen by a peer, with the delay of the network. */
struct orr_channel_plan {
    uint32_t channels; /* 0: the call runs in none */
    uint32_t blocks;   /* of a member, at most */
    uint32_t room;     /* slices that a connector holds */
    uint32_t slices;   /* of a chunk */
    uint64_t chunk;    /* bytes of data, at most */
    uint64_t copy_bps; /* of a channel; data, not what flags add; 0: copies take
                          no time */
    uint64_t pace_bps; /* ... over several slices; <= copy_bps */
    uint32_t wire[2];  /* bytes that travel for bytes of data: [0] for [1] */
    int64_t base_ps;   /* once, before the first copy */
    int64_t hold_ps;   /* after each copy the channel is held */
    int64_t inside_ps, between_ps; /* until a slice is seen in the same server,
                                      in another */
    bool streams; /* ... in the same server while it is still being copied */
};

struct orr_msccl; /* msccl.h */
#define ORR_SLICE_PEERS 3
/* What a block of a channel does with one slice. */
struct orr_slice {
    uint32_t from[ORR_SLICE_PEERS], to[ORR_SLICE_PEERS]; /* members */
    uint32_t n_from, n_to;
    uint32_t in, out;   /* its number on the connectors that it comes by, and
                           leaves by */
    uint32_t all_in;    /* slices of each of those that it comes by */
    uint64_t bytes_in;  /* of data, from each */
    uint64_t bytes_out; /* ... to each */
    uint32_t channel;
    uint32_t block, step; /* of the same member, that it waits for the end of;
                             block ORR_NONE: none */
};

/* What the algorithms need to know of one collective; the same for all its
 * members. Members 0..n-1 are the group in its order, n..n+servers-1 the
 * parameter servers.
 *
 * `bytes` means, by kind (so does the buffer that ranges point into):
 *   all-reduce, broadcast, reduce: the message; positions 0..bytes
 *   reduce-scatter: what each holds; member i ends with piece i of n
 *   all-gather, gather, scatter: one member's block; block i lies at i * bytes
 *   all-to-all: what each holds; piece j is for member j; what member i holds
 *     lies at i * bytes. With sizes: the most that a member sends or receives;
 *     sizes say what goes where, ranges all begin at 0
 *   barrier: nothing; a message is one byte */
struct orr_collective {
    const struct orr_collective_ops *ops; /* the algorithm */
    uint32_t n;                           /* >= 1 */
    uint32_t root;    /* broadcast, reduce, gather, scatter */
    uint32_t servers; /* parameter-server only, else 0 */
    /* read through the algorithms' own parameter tables */
    int direction, shape; /* places in the choices of their keys */
    int64_t shards; /* parameter-server: pieces of a message; 0: one for each
                     * server */
    int64_t window; /* direct: peers at a time; 0: all */
    int64_t local;  /* hierarchical: members of a server, divides n */
    int64_t trees;  /* on_trees: how many; each is a lane */
    const char *fallback; /* on_trees: the algorithm where no switch can; "" */
    const char *no_trees; /* why that was taken; NULL: it was not */
    bool no_tree;         /* nor would it be with one alone */
    int64_t ports; /* copies of a grid's algorithm; 0: one for each direction */
    struct orr_ints server_hosts, dims; /* as given; empty: not given */
    /* rings only: none shares a factor with n; the document's, or the graph's.
     * Empty: 1. */
    struct orr_ints strides;
    uint64_t largest; /* bytes of its largest chunk, for those algorithms whose
                         number of steps depends on it */
    /* grid only: the dimensions of more than one member, fastest first; their
     * product is n */
    uint32_t n_dims, dim[ORR_GRID_DIMS_MAX];
    /* with `block_count`: enum orr_protocol; 0: as many as NCCL would */
    int protocol;
    int64_t channels, slots;
    struct orr_channel_plan plan; /* made of them */
    const char *chosen_by;        /* an algorithm that was; NULL: none */
    const char *file;             /* from_file: its name, and what it holds, */
    const struct orr_msccl *schedule; /* ... the document's */
    /* all-to-all by an algorithm that `unequal` says it of; of one chunk. NULL:
     * pieces are equal. The program's. */
    struct orr_pair_sizes *sizes;
};

/* Where in an algorithm somebody is. A lane is a chain of steps that does not
 * wait for the others: both directions of a ring are two. */
struct orr_spot {
    uint32_t member, lane, step; /* each from 0 */
    uint32_t drawing; /* of the collective, as sizes count them; 0 where that
                      does not matter */
};

/* A stretch of positions of the data, as above. */
struct orr_range {
    uint64_t first, bytes;
};

/* One message, as one of its ends sees it. */
struct orr_transfer {
    uint32_t peer;  /* member at the other end */
    uint32_t step;  /* step (of the same lane) at the receiver */
    bool reduce;    /* added to what the receiver has, else put in its place */
    uint64_t bytes; /* sum of the ranges; 0: nothing travels */
    struct orr_range range[2]; /* one after the other; the second may be of
                                * no bytes */
    /* blocks.count not 0: instead of the ranges so many blocks. The k-th is
     * member owner + k * owner_step's (where a kind has such), of the piece for
     * piece + k * piece_step; both go round. */
    struct orr_blocks {
        uint32_t count, owner, piece, owner_step, piece_step;
    } blocks;
};

/* An algorithm for one kind of collective; static. */
struct orr_collective_ops {
    enum orr_collective_kind kind;
    const char *name, *doc;
    /* Its keys beside the common ones, offsets into struct orr_collective;
     * NULL: none. */
    const struct orr_param *params;
    bool serves;  /* parameter servers stand beside the group */
    bool grid;    /* the group stands on a grid: n_dims and dim are set */
    bool unequal; /* it goes by `sizes` where they are set */
    bool rings;   /* it goes by `strides` */
    bool levels;  /* the group is made of servers: local is set */
    bool doubles; /* ... each dimension of the grid is a power of two */
    /* Its members send to switches and not to one another (orr_group_kind). A
     * transfer to oneself is then one to the tree of the lane, or from it. */
    bool on_trees;
    enum orr_group_kind group;
    const char *on_rails; /* what keeps to rails where this crosses them: for a
                           * note; NULL: nothing is known to */

    /* Blocks of a channel, which do not wait for one another; 0: it never runs
     * in channels. If it does, a lane is a channel, and what the steps send is
     * what the slices carry. */
    uint32_t blocks;
    bool (*slice)(const struct orr_collective *c, uint64_t bytes,
                  struct orr_spot at, struct orr_slice *s); /* number at.step of
                         block at.lane; false: the block is over */
    bool from_file; /* `schedule` says who sends what */
    bool chosen;    /* by NCCL's cost model: another takes its place (nccl.h) */

    /* Number of lanes, the same for all members. NULL: one. */
    uint32_t (*lanes)(const struct orr_collective *c);
    /* Number of steps of a lane, the same for all members. */
    uint32_t (*steps)(const struct orr_collective *c, uint32_t lane);
    /* Chunks of so many bytes and more have no transfer of no bytes. NULL: that
     * is not known. */
    uint64_t (*full)(const struct orr_collective *c);
    /* How many transfers there are at a spot; those of no bytes count. */
    void (*count)(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives);
    /* The i-th send, 0 <= i < sends, in the order in which they leave. */
    void (*send)(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t);
    /* The i-th receive. Whatever one member sends, its peer receives, in the
     * same lane and at the step that the transfer names. */
    void (*receive)(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t);
};

/* Limits that the tags of messages set. */
#define ORR_MAX_CHUNKS (1u << 14)
#define ORR_MAX_LANES  (1u << 12)
#define ORR_MAX_STEPS  (1u << 22)

/* Every algorithm, ended by NULL; the first of a kind is its default. */
const struct orr_collective_ops *const *orr__collectives(void);
const char *orr__collective_kind_name(enum orr_collective_kind k);
/* -1 when there is no such kind. */
int orr__collective_kind(const char *name);
/* NULL when the kind has no such algorithm. name NULL: the default. */
const struct orr_collective_ops *orr__collective_find(
    enum orr_collective_kind k, const char *name);
/* Names of the algorithms of a kind, NULL-ended, into names,
 * which has room for max; for "did you mean". */
void orr__collective_names(enum orr_collective_kind k, const char **names,
                           uint32_t max);
/* Whether members of this kind have a root: broadcast, reduce ... */
bool orr__collective_rooted(enum orr_collective_kind k);

/* At least one. */
static inline uint32_t orr__collective_lanes(const struct orr_collective *c)
{
    return c->ops->lanes ? c->ops->lanes(c) : 1;
}

/* Start of piece i of m bytes among n: floor(i * m / n), i <= n, without a
 * 128-bit division. Piece i ends where piece i + 1 starts. */
static inline uint64_t orr__piece_start(uint64_t m, uint32_t n, uint32_t i)
{
    ORR_ASSERT(n != 0);
    ORR_ASSERT(i <= n);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): n is not 0 */
    uint64_t rest = m % n;
    return m / n * i + (rest ? rest * i / n : 0);
}
static inline uint64_t orr__piece_bytes(uint64_t m, uint32_t n, uint32_t i)
{
    ORR_ASSERT(n != 0);
    ORR_ASSERT(i < n);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): n is not 0 */
    uint64_t rest = m % n;
    return m / n + (rest ? rest * (i + 1) / n - rest * i / n : 0);
}
static inline uint64_t orr__largest_chunk(uint64_t bytes, uint32_t chunks)
{
    return chunks ? bytes / chunks + (bytes % chunks > 0) : bytes;
}

/* What travels for so many bytes of data: flags of a channel's lines are added.
 */
static inline uint64_t orr__wire_bytes(const struct orr_channel_plan *p,
                                       uint64_t bytes)
{
    if (!p->channels)
        return bytes;
    ORR_ASSERT(p->wire[1] != 0);
    uint64_t rest = bytes % p->wire[1] * p->wire[0];
    return bytes / p->wire[1] * p->wire[0]
           + (rest + p->wire[1] - 1) / p->wire[1];
}

/* Helpers of the members of the family. */

/* Makes t one range. */
static inline void orr__transfer_set(struct orr_transfer *t, uint32_t peer,
                                     uint32_t step, bool reduce, uint64_t first,
                                     uint64_t bytes)
{
    *t = (struct orr_transfer){
        .peer = peer,
        .step = step,
        .reduce = reduce,
        .bytes = bytes,
        .range = {{first, bytes}, {0, 0}},
    };
}
/* Makes t the `count` consecutive pieces of m from piece `from` on, going round
 * after the last; base is added to all positions. */
void orr__transfer_pieces(struct orr_transfer *t, uint64_t base, uint64_t m,
                          uint32_t n, uint32_t from, uint32_t count);
/* Stretches of positions of a transfer, and the k-th of them. */
static inline uint32_t orr__stretches(const struct orr_transfer *t)
{
    return t->blocks.count ? t->blocks.count : 2;
}
struct orr_range orr__stretch(const struct orr_collective *c, uint64_t bytes,
                              const struct orr_transfer *t, uint32_t k);
/* Makes t these blocks. */
void orr__transfer_blocks(const struct orr_collective *c, uint64_t bytes,
                          const struct orr_blocks *blocks, uint32_t peer,
                          uint32_t step, bool reduce, struct orr_transfer *t);
/* (i + by) mod n for i < n, by <= n. */
static inline uint32_t orr__round_up(uint32_t i, uint32_t by, uint32_t n)
{
    uint64_t j = (uint64_t)i + by;
    return (uint32_t)(j >= n ? j - n : j);
}
static inline uint32_t orr__round_down(uint32_t i, uint32_t by, uint32_t n)
{
    return i >= by ? i - by : i + (n - by);
}
/* The member `by` <= n places further along in the collective's direction, and
 * the one as far back. */
static inline uint32_t orr__member_ahead(const struct orr_collective *c,
                                         uint32_t member, uint32_t by)
{
    return c->direction == ORR_BACKWARD ? orr__round_down(member, by, c->n)
                                        : orr__round_up(member, by, c->n);
}
static inline uint32_t orr__behind(const struct orr_collective *c,
                                   uint32_t member, uint32_t by)
{
    return c->direction == ORR_BACKWARD ? orr__round_up(member, by, c->n)
                                        : orr__round_down(member, by, c->n);
}
/* Smallest k with 2^k >= n. */
static inline uint32_t orr__log2_up(uint32_t n)
{
    return n <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1);
}

/* What says whether keys of a collective have an effect (orr_param_idle): of
 * its keys `around` is this. Known when all of it is read. */
struct orr_call_facts {
    enum orr_collective_kind kind;
    uint32_t members; /* with those who serve */
    uint64_t bytes;   /* as in struct orr_call */
    bool fell_back;   /* to the algorithm of `fallback`, as with one tree */
    bool empty;       /* nobody has anything to send */
    bool in_channels; /* costs are those of its protocol */
};

#endif
