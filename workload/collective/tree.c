/* One tree: up it to reduce, down it to broadcast, both for all-reduce. Chunks
 * make it a pipeline. `binomial` has log2 n levels and a busy root; in a
 * `binary` one nobody has more than two children. */
#include "core/none.h"
#include "workload/collective/collective.h"

/* A member's parent (ORR_NONE: it is the root) and children, in the order in
 * which they are served. */
struct place {
    uint32_t parent, children, child[32];
};

static const struct orr_param params[] = {
    {
        .key = "shape",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, shape),
        .fallback = "binomial",
        .choices = (const char *const[]){"binomial", "binary", NULL},
        .help = "binomial: log2 n levels; binary: two children at most",
    },
    ORR_PARAM_END,
};

/* Trees are laid out over v = member - root, going round. */
static uint32_t member_at(const struct orr_collective *c, uint32_t v)
{
    return orr__round_up(c->root, v, c->n);
}

static void binomial(const struct orr_collective *c, uint32_t v,
                     struct place *x)
{
    uint32_t levels = v ? (uint32_t)__builtin_ctz(v) : orr__log2_up(c->n);
    x->parent = v ? member_at(c, v & (v - 1)) : ORR_NONE;
    for (uint32_t j = levels; j-- > 0;)
        if (v + (UINT64_C(1) << j) < c->n)
            x->child[x->children++] = member_at(c, v + (1u << j));
}

static void binary(const struct orr_collective *c, uint32_t v, struct place *x)
{
    x->parent = v ? member_at(c, (v - 1) / 2) : ORR_NONE;
    for (uint64_t child = 2 * (uint64_t)v + 1; child <= 2 * (uint64_t)v + 2;
         child++)
        if (child < c->n)
            x->child[x->children++] = member_at(c, (uint32_t)child);
}

static struct place place_of_member(const struct orr_collective *c,
                                    uint32_t member)
{
    struct place x;
    x.children = 0;
    uint32_t v = orr__round_down(member, c->root, c->n);
    if (c->shape == ORR_BINARY)
        binary(c, v, &x);
    else
        binomial(c, v, &x);
    return x;
}

/* All-reduce: step 0 hears the children, step 1 tells the parent and hears
 * from it, step 2 tells the children, for whom that is step 1. */

static uint32_t all_reduce_steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1 ? 3 : 0;
}

static void all_reduce_count(const struct orr_collective *c, struct orr_spot at,
                             uint32_t *sends, uint32_t *receives)
{
    struct place x = place_of_member(c, at.member);
    uint32_t up = x.parent != ORR_NONE;
    *sends = at.step == 0 ? 0 : at.step == 1 ? up : x.children;
    *receives = at.step == 0 ? x.children : at.step == 1 ? up : 0;
}

static void all_reduce_send(const struct orr_collective *c, uint64_t bytes,
                            struct orr_spot at, uint32_t i,
                            struct orr_transfer *t)
{
    struct place x = place_of_member(c, at.member);
    bool up = at.step == 1;
    orr__transfer_set(t, up ? x.parent : x.child[i], up ? 0 : 1, up, 0, bytes);
}

static void all_reduce_receive(const struct orr_collective *c, uint64_t bytes,
                               struct orr_spot at, uint32_t i,
                               struct orr_transfer *t)
{
    struct place x = place_of_member(c, at.member);
    bool up = at.step == 0;
    orr__transfer_set(t, up ? x.child[i] : x.parent, at.step, up, 0, bytes);
}

const struct orr_collective_ops orr__all_reduce_tree = {
    .kind = ORR_ALL_REDUCE,
    .name = "tree",
    .doc = "reduced up a tree from all to the first, then sent down it",
    .params = params,
    .steps = all_reduce_steps,
    .count = all_reduce_count,
    .send = all_reduce_send,
    .receive = all_reduce_receive,
};

/* Broadcast and reduce: step 0 hears, step 1 tells. */

static uint32_t two_steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1 ? 2 : 0;
}

static void broadcast_count(const struct orr_collective *c, struct orr_spot at,
                            uint32_t *sends, uint32_t *receives)
{
    struct place x = place_of_member(c, at.member);
    *receives = at.step == 0 && x.parent != ORR_NONE;
    *sends = at.step == 1 ? x.children : 0;
}

static void reduce_count(const struct orr_collective *c, struct orr_spot at,
                         uint32_t *sends, uint32_t *receives)
{
    struct place x = place_of_member(c, at.member);
    *receives = at.step == 0 ? x.children : 0;
    *sends = at.step == 1 && x.parent != ORR_NONE;
}

static void with_child(const struct orr_collective *c, uint64_t bytes,
                       struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct place x = place_of_member(c, at.member);
    orr__transfer_set(t, x.child[i], 0, c->ops->kind == ORR_REDUCE, 0, bytes);
}

static void with_parent(const struct orr_collective *c, uint64_t bytes,
                        struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct place x = place_of_member(c, at.member);
    orr__transfer_set(t, x.parent, 0, c->ops->kind == ORR_REDUCE, 0, bytes);
}

const struct orr_collective_ops orr__broadcast_tree = {
    .kind = ORR_BROADCAST,
    .name = "tree",
    .doc = "from the root down a tree",
    .params = params,
    .steps = two_steps,
    .count = broadcast_count,
    .send = with_child,
    .receive = with_parent,
};

const struct orr_collective_ops orr__reduce_tree = {
    .kind = ORR_REDUCE,
    .name = "tree",
    .doc = "up a tree to the root",
    .params = params,
    .steps = two_steps,
    .count = reduce_count,
    .send = with_parent,
    .receive = with_child,
};
