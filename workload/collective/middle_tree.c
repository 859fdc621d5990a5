/* All-reduce over one binary tree that lies in order over the members: halves
 * of a stretch hang from its middle. The last member (`backward`: the first) is
 * the root if n is a power of two. What is reduced at the root goes back down,
 * all of it in one message. ASTRA-sim's double binary tree takes the two
 * directions in turn, a chunk each. */
#include "workload/collective/labels.h"

static const struct orr_param params[] = {
    {
        .key = "direction",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, direction),
        .fallback = "forward",
        .choices = (const char *const[]){"forward", "backward", NULL},
        .help = "members in the order of the group, or the other way",
    },
    ORR_PARAM_END,
};

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1 ? 3 : 0;
}

/* Of a member, or the member of a label. */
static uint32_t turned(const struct orr_collective *c, uint32_t member)
{
    return c->direction == ORR_BACKWARD ? c->n - 1 - member : member;
}

/* Whom a member talks to. */
struct place {
    uint32_t parent, child[2], children; /* labels; those of lower members
                                            first */
};

/* The lowest bit of the label says how far away the children are. */
static struct place place_of_member(const struct orr_collective *c,
                                    uint32_t member)
{
    uint32_t label = 1 + turned(c, member);
    uint32_t half = (label & -label) / 2, right = orr__label_right(c->n, label);
    struct place x = {.parent = orr__label_parent(c->n, label)};
    if (half)
        x.child[x.children++] = label - half;
    if (right != ORR_LABEL_OUTSIDE)
        x.child[x.children++] = right;
    if (c->direction == ORR_BACKWARD && x.children == 2) {
        x.child[1] = x.child[0];
        x.child[0] = right;
    }
    return x;
}

/* Up: step 0 receives what step 1 of the children sends. Down: step 1 receives
 * what step 2 of the parent sends. */
static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    struct place x = place_of_member(c, at.member);
    uint32_t up = x.parent != ORR_LABEL_OUTSIDE;
    *sends = at.step == 0 ? 0 : at.step == 1 ? up : x.children;
    *receives = at.step == 0 ? x.children : at.step == 1 ? up : 0;
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct place x = place_of_member(c, at.member);
    bool up = at.step == 1;
    uint32_t label = up ? x.parent : x.child[i];
    orr__transfer_set(t, turned(c, label - 1), up ? 0 : 1, up, 0, bytes);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct place x = place_of_member(c, at.member);
    bool up = at.step == 0;
    uint32_t label = up ? x.child[i] : x.parent;
    orr__transfer_set(t, turned(c, label - 1), at.step, up, 0, bytes);
}

const struct orr_collective_ops orr__all_reduce_middle_tree = {
    .kind = ORR_ALL_REDUCE,
    .name = "middle-tree",
    .doc = "up and down one binary tree with inner members in the middle of "
           "their subtrees, 2 log2 n messages deep",
    .params = params,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
