/* Two binary trees, half of the message each, so that who is inside one is a
 * leaf of the other and everyone's links work (Sanders, Speck, Träff, 2009).
 * The first tree lies in order over the labels 1..n: odd labels are leaves. The
 * second is the first moved on by one place, so odd and even change roles (with
 * odd n one member is a leaf in both). */
#include "workload/collective/labels.h"

static uint32_t lanes(const struct orr_collective *c)
{
    return 2;
}

static uint32_t label_of(const struct orr_collective *c, uint32_t lane,
                         uint32_t member)
{
    return 1 + orr__round_up(member, lane, c->n);
}

static uint32_t member_at(const struct orr_collective *c, uint32_t lane,
                          uint32_t label)
{
    return orr__round_down(label - 1, lane, c->n);
}

/* half: how far below the label its left child is, 0 of a leaf; the right one
 * may lie nearer where labels end. */
static struct orr_tree_place find_place(const struct orr_collective *c,
                                        struct orr_spot at)
{
    uint32_t label = label_of(c, at.lane, at.member);
    uint32_t half = (label & -label) / 2, right = orr__label_right(c->n, label);
    uint32_t parent = orr__label_parent(c->n, label);
    struct orr_tree_place x = {.parent = ORR_NONE};
    if (parent != ORR_LABEL_OUTSIDE)
        x.parent = member_at(c, at.lane, parent);
    if (half)
        x.child[x.children++] = member_at(c, at.lane, label - half);
    if (right != ORR_LABEL_OUTSIDE)
        x.child[x.children++] = member_at(c, at.lane, right);
    return x;
}

/* A half of the message each. */
static struct orr_range range_of(const struct orr_collective *c, uint64_t bytes,
                                 struct orr_spot at)
{
    uint64_t half = bytes / 2;
    return at.lane ? (struct orr_range){half, bytes - half}
                   : (struct orr_range){0, half};
}

ORR_TREE_TRANSFERS(find_place, range_of)

const struct orr_collective_ops orr__all_reduce_double_tree = {
    .kind = ORR_ALL_REDUCE,
    .name = "double-tree",
    .doc = "half each over two binary trees that swap leaves and inner nodes; "
           "for large sizes many chunks, some of them at once",
    .lanes = lanes,
    .steps = orr__tree_steps,
    .count = count,
    .send = send,
    .receive = receive,
};
