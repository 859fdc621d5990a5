/* Trees as NCCL lays them over servers: the members of a server are a chain,
 * the heads of the chains a binary tree over the servers. For each member that
 * can be the head there are two such trees that swap leaves and inner nodes,
 * so 2 local lanes with as much of the message each. What is summed up on the
 * way to the root goes back down; many chunks make it a pipeline. Member i is
 * number i mod local of server i / local. */
#include "workload/collective/labels.h"

static const struct orr_param params[] = {
    {
        .key = "local",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, local),
        .fallback = "",
        .min = "1",
        .max = "1024",
        .help = "ranks of a server: neighbours in the group; default: those "
                "that are placed on one host",
    },
    ORR_PARAM_END,
};

static uint32_t local(const struct orr_collective *c)
{
    return c->local > 0 ? (uint32_t)c->local : 1;
}

static uint32_t lanes(const struct orr_collective *c)
{
    return 2 * local(c);
}

/* The head of the server with this label, in this lane. */
static uint32_t head(const struct orr_collective *c, uint32_t lane,
                     uint32_t label)
{
    uint32_t l = local(c), servers = c->n / l;
    return orr__round_down(label - 1, lane % 2 % servers, servers) * l
           + lane / 2;
}

/* Inside a server a chain from the lane's head; heads are the nodes of the
 * lane's tree over servers. */
static struct orr_tree_place find_place(const struct orr_collective *c,
                                        struct orr_spot at)
{
    uint32_t l = local(c), servers = c->n / l, server = at.member / l;
    uint32_t first = server * l;
    uint32_t link = orr__round_down(at.member % l, at.lane / 2, l);
    uint32_t label = 1 + orr__round_up(server, at.lane % 2 % servers, servers);
    struct orr_tree_place x = {.parent = ORR_NONE};
    if (link > 0)
        x.parent = first + orr__round_down(at.member % l, 1, l);
    if (link + 1 < l)
        x.child[x.children++] = first + orr__round_up(at.member % l, 1, l);
    if (link > 0)
        return x;
    uint32_t up = orr__label_parent(servers, label);
    uint32_t half = (label & -label) / 2;
    uint32_t right = orr__label_right(servers, label);
    if (up != ORR_LABEL_OUTSIDE)
        x.parent = head(c, at.lane, up);
    if (half)
        x.child[x.children++] = head(c, at.lane, label - half);
    if (right != ORR_LABEL_OUTSIDE)
        x.child[x.children++] = head(c, at.lane, right);
    return x;
}

static struct orr_range range_of(const struct orr_collective *c, uint64_t bytes,
                                 struct orr_spot at)
{
    uint32_t n = lanes(c);
    return (struct orr_range){orr__piece_start(bytes, n, at.lane),
                              orr__piece_bytes(bytes, n, at.lane)};
}

ORR_TREE_TRANSFERS(find_place, range_of)

const struct orr_collective_ops orr__all_reduce_nccl_tree = {
    .kind = ORR_ALL_REDUCE,
    .name = "nccl-tree",
    .doc = "chains inside servers, two trees between them for each member; "
           "for large sizes many chunks, some of them at once",
    .params = params,
    .levels = true,
    .lanes = lanes,
    .steps = orr__tree_steps,
    .count = count,
    .send = send,
    .receive = receive,
};
