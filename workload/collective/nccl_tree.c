/* Trees as NCCL lays them over servers: the members of a server are a chain,
 * the heads of the chains a binary tree over the servers. For each member that
 * can be the head there are two such trees that swap leaves and inner nodes,
 * so 2 local lanes with as much of the message each. What is summed up on the
 * way to the root goes back down; many chunks make it a pipeline. Member i is
 * number i mod local of server i / local.
 *
 * In channels a lane is one: those of the first trees, head by head, then of
 * the others. Each has a block for what goes up and one for what comes down;
 * the root has one for both. */
#include "workload/collective/labels.h"
#include "workload/collective/nccl.h"

static uint32_t count_local(const struct orr_collective *c)
{
    return orr__nccl_local(c);
}

static uint32_t lanes(const struct orr_collective *c)
{
    return c->plan.channels ? c->plan.channels : 2 * count_local(c);
}

/* Which of the heads a lane has, and which of the two trees. */
static uint32_t head_of(const struct orr_collective *c, uint32_t lane)
{
    return c->plan.channels ? lane % count_local(c) : lane / 2;
}

static uint32_t tree_of(const struct orr_collective *c, uint32_t lane)
{
    return c->plan.channels ? lane / count_local(c) % 2 : lane % 2;
}

/* The head of the server with this label, in this lane. */
static uint32_t head_of_server(const struct orr_collective *c, uint32_t lane,
                               uint32_t label)
{
    uint32_t l = count_local(c), servers = c->n / l;
    return orr__round_down(label - 1, tree_of(c, lane) % servers, servers) * l
           + head_of(c, lane);
}

/* Inside a server a chain from the lane's head; heads are the nodes of the
 * lane's tree over servers. */
static struct orr_tree_place find_place(const struct orr_collective *c,
                                        struct orr_spot at)
{
    uint32_t l = count_local(c), servers = c->n / l, server = at.member / l;
    uint32_t first = server * l;
    uint32_t link = orr__round_down(at.member % l, head_of(c, at.lane), l);
    uint32_t turn = tree_of(c, at.lane) % servers;
    uint32_t label = 1 + orr__round_up(server, turn, servers);
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
        x.parent = head_of_server(c, at.lane, up);
    if (half)
        x.child[x.children++] = head_of_server(c, at.lane, label - half);
    if (right != ORR_LABEL_OUTSIDE)
        x.child[x.children++] = head_of_server(c, at.lane, right);
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

/* Block 0 goes up, block 1 down; the root's block 0 does both. */
static bool slice(const struct orr_collective *c, uint64_t bytes,
                  struct orr_spot at, struct orr_slice *s)
{
    const struct orr_channel_plan *p = &c->plan;
    bool down = at.lane % 2;
    at.lane /= 2;
    struct orr_tree_place x = find_place(c, at);
    bool root = x.parent == ORR_NONE;
    uint64_t share = range_of(c, bytes, at).bytes;
    uint64_t chunks = share ? (share + p->chunk - 1) / p->chunk : 1;
    if (at.step >= chunks || (root && down))
        return false;
    *s = (struct orr_slice){
        .in = at.step, .out = at.step, .channel = at.lane, .block = ORR_NONE};
    s->all_in = (uint32_t)chunks;
    s->bytes_in = s->bytes_out = orr__slice_bytes(p, share, at.step, 0);
    for (uint32_t i = 0; i < x.children; i++) {
        if (!down)
            s->from[s->n_from++] = x.child[i];
        if (down || root)
            s->to[s->n_to++] = x.child[i];
    }
    if (!root && down)
        s->from[s->n_from++] = x.parent;
    if (!root && !down)
        s->to[s->n_to++] = x.parent;
    return true;
}

const struct orr_collective_ops orr__all_reduce_nccl_tree = {
    .kind = ORR_ALL_REDUCE,
    .name = "nccl-tree",
    .doc = "chains inside servers, two trees between them for each member; "
           "for large sizes many chunks, some of them at once",
    .params = orr__nccl_params,
    .levels = true,
    .lanes = lanes,
    .steps = orr__tree_steps,
    .blocks = 2,
    .slice = slice,
    .count = count,
    .send = send,
    .receive = receive,
};
