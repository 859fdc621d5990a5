/* On trees of switches (net/tree/): these add up what the members send, or copy
 * what one sends. Each tree carries an equal part, and is a lane. */
#include "workload/collective/collective.h"

#define TREES                                                                  \
    {                                                                          \
        .key = "trees", .type = ORR_PARAM_INT,                                 \
        .offset = offsetof(struct orr_collective, trees), .fallback = "1",     \
        .min = "1", .max = "1024",                                             \
        .help = "trees of switches, with different roots, each of which "      \
                "carries an equal part",                                       \
        .idle = plants_nothing                                                 \
    }

#define FALLBACK                                                               \
    {                                                                          \
        .key = "fallback", .type = ORR_PARAM_TEXT,                             \
        .offset = offsetof(struct orr_collective, fallback), .fallback = "",   \
        .help = "the algorithm to take where no switch can, which a note "     \
                "says, as ring; default: such a call is an error"              \
    }

static const char *plants_nothing(const void *set, const void *around)
{
    const struct orr_call_facts *f = around;

    if (f->fell_back)
        return "no switch can, and `fallback` is taken";
    if (f->empty)
        return "there are no bytes to send";
    return f->members == 1 ? "a group of one sends nothing" : NULL;
}

static const char *no_trees(const void *set, const void *around)
{
    const struct orr_call_facts *f = around;

    return f->fell_back ? plants_nothing(set, around) : NULL;
}

static const struct orr_param params[] = {
    TREES,
    FALLBACK,
    {.key = "servers",
     .type = ORR_PARAM_INTS,
     .offset = offsetof(struct orr_collective, server_hosts),
     .fallback = "",
     .help = "hosts that add up what switches do not, for kinds that have such "
             "(atp), one for each tree in turn; default the topology's "
             "servers, else the host of the group's first rank",
     .idle = no_trees},
    ORR_PARAM_END,
};

static const struct orr_param tree_params[] = {TREES, FALLBACK, ORR_PARAM_END};

static uint32_t lanes(const struct orr_collective *c)
{
    return c->trees > 0 ? (uint32_t)c->trees : 1;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1;
}

/* The part of a lane. */
static void part_of_lane(const struct orr_collective *c, uint64_t bytes,
                         uint32_t lane, uint32_t peer, struct orr_transfer *t)
{
    orr__transfer_set(t, peer, 0, true, orr__piece_start(bytes, lanes(c), lane),
                      orr__piece_bytes(bytes, lanes(c), lane));
}

/* ---- all-reduce and reduce ------------------------------------------------
 */

static void count_sum(const struct orr_collective *c, struct orr_spot at,
                      uint32_t *sends, uint32_t *receives)
{
    *sends = c->n > 1;
    *receives =
        *sends && (c->ops->kind == ORR_ALL_REDUCE || at.member == c->root);
}

static void send_sum(const struct orr_collective *c, uint64_t bytes,
                     struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    part_of_lane(c, bytes, at.lane, at.member, t);
}

const struct orr_collective_ops orr__all_reduce_in_network = {
    .kind = ORR_ALL_REDUCE,
    .name = "in-network",
    .doc = "added up by switches, by `network.in_network`",
    .params = params,
    .on_trees = true,
    .group = ORR_GROUP_SUM,
    .lanes = lanes,
    .steps = steps,
    .count = count_sum,
    .send = send_sum,
    .receive = send_sum,
};

const struct orr_collective_ops orr__reduce_in_network = {
    .kind = ORR_REDUCE,
    .name = "in-network",
    .doc = "added up by switches, for the root; others get an ACK",
    .params = tree_params,
    .on_trees = true,
    .group = ORR_GROUP_REDUCE,
    .lanes = lanes,
    .steps = steps,
    .count = count_sum,
    .send = send_sum,
    .receive = send_sum,
};

/* ---- reduce-scatter --------------------------------------------------------
 */

static void count_scatter(const struct orr_collective *c, struct orr_spot at,
                          uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = c->n > 1;
}

/* Its own piece, of which each tree has a part. */
static void receive_scatter(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    uint64_t piece = orr__piece_bytes(bytes, c->n, at.member);

    part_of_lane(c, piece, at.lane, at.member, t);
    t->range[0].first += orr__piece_start(bytes, c->n, at.member);
}

const struct orr_collective_ops orr__reduce_scatter_in_network = {
    .kind = ORR_REDUCE_SCATTER,
    .name = "in-network",
    .doc = "added up by switches, each piece for its member; others get an ACK",
    .params = tree_params,
    .on_trees = true,
    .group = ORR_GROUP_SCATTER,
    .lanes = lanes,
    .steps = steps,
    .count = count_scatter,
    .send = send_sum,
    .receive = receive_scatter,
};

/* ---- broadcast -------------------------------------------------------------
 */

static void count_copies(const struct orr_collective *c, struct orr_spot at,
                         uint32_t *sends, uint32_t *receives)
{
    *sends = c->n > 1 && at.member == c->root;
    *receives = c->n > 1 && at.member != c->root;
}

static void receive_copy(const struct orr_collective *c, uint64_t bytes,
                         struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    part_of_lane(c, bytes, at.lane, c->root, t);
    t->reduce = false;
}

static void send_copies(const struct orr_collective *c, uint64_t bytes,
                        struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    part_of_lane(c, bytes, at.lane, at.member, t);
    t->reduce = false;
}

const struct orr_collective_ops orr__broadcast_multicast = {
    .kind = ORR_BROADCAST,
    .name = "multicast",
    .doc = "copied by switches",
    .params = tree_params,
    .on_trees = true,
    .group = ORR_GROUP_MULTICAST,
    .lanes = lanes,
    .steps = steps,
    .count = count_copies,
    .send = send_copies,
    .receive = receive_copy,
};

const struct orr_collective_ops orr__broadcast_in_network = {
    .kind = ORR_BROADCAST,
    .name = "in-network",
    .doc = "the same as multicast, beside the others of this name",
    .params = tree_params,
    .on_trees = true,
    .group = ORR_GROUP_MULTICAST,
    .lanes = lanes,
    .steps = steps,
    .count = count_copies,
    .send = send_copies,
    .receive = receive_copy,
};
