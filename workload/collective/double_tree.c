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

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    return c->n > 1 ? 3 : 0;
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

struct place {
    uint32_t parent, child[2], children; /* labels */
};

static struct place place(const struct orr_collective *c, struct orr_spot at)
{
    uint32_t label = label_of(c, at.lane, at.member);
    uint32_t half = (label & -label) / 2, right = orr__label_right(c->n, label);
    struct place x = {.parent = orr__label_parent(c->n, label)};
    if (half)
        x.child[x.children++] = label - half;
    if (right != ORR_LABEL_OUTSIDE)
        x.child[x.children++] = right;
    return x;
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    struct place x = place(c, at);
    uint32_t up = x.parent != ORR_LABEL_OUTSIDE;
    *sends = at.step == 0 ? 0 : at.step == 1 ? up : x.children;
    *receives = at.step == 0 ? x.children : at.step == 1 ? up : 0;
}

static void set(const struct orr_collective *c, uint64_t bytes,
                struct orr_spot at, uint32_t label, uint32_t step, bool up,
                struct orr_transfer *t)
{
    uint64_t half = bytes / 2;
    orr__transfer_set(t, member_at(c, at.lane, label), step, up,
                      at.lane ? half : 0, at.lane ? bytes - half : half);
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct place x = place(c, at);
    bool up = at.step == 1;
    set(c, bytes, at, up ? x.parent : x.child[i], up ? 0 : 1, up, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    struct place x = place(c, at);
    bool up = at.step == 0;
    set(c, bytes, at, up ? x.child[i] : x.parent, at.step, up, t);
}

const struct orr_collective_ops orr__all_reduce_double_tree = {
    .kind = ORR_ALL_REDUCE,
    .name = "double-tree",
    .doc = "half each over two binary trees that swap leaves and inner nodes; "
           "for large sizes many chunks, some of them at once",
    .lanes = lanes,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
