#include "topo/matching.h"

#include <stdbool.h>

#include "core/assert.h"
#include "core/memory.h"

/* Nodes are 1 to n, blossoms n + 1 to `top`; 0 is none. A blossom is an odd
 * circle of nodes and blossoms, shrunk to a node of its own. */

enum { FREE = -1, OUTER, INNER };

/* Between two nodes, as two blossoms see it; u is inside the first. */
struct edge {
    uint32_t u, v;
    int64_t weight; /* 0: there is none */
};

/* The members of a blossom, its base first. */
struct circle {
    uint32_t *member, n;
};

/* The state of one matching; arrays are of `room` each, or room * room, and
 * owned. */
struct blossoms {
    uint32_t n, top, room;
    struct edge *edge;   /* room * room: the tightest between two */
    uint32_t *from;      /* room * room: the member of a blossom that a node is
                          * in */
    int64_t *label;      /* dual variables */
    uint32_t *mate;      /* a node that is matched to one inside */
    uint32_t *slack;     /* the node of the tightest edge that leads here */
    uint32_t *outermost; /* blossom that it is in */
    uint32_t *parent;    /* node in the tree above */
    uint32_t *seen, stamp; /* when its last visit was */
    int8_t *side;
    struct circle *circle;
    uint32_t *list; /* room * room: members of all circles */
    uint32_t *queue, head, tail;
};

static struct edge *edge_of(const struct blossoms *b, uint32_t u, uint32_t v)
{
    return &b->edge[(size_t)u * b->room + v];
}

static uint32_t *from_of(const struct blossoms *b, uint32_t x, uint32_t u)
{
    return &b->from[(size_t)x * b->room + u];
}

/* What an edge lacks to be tight, doubled. */
static int64_t lack_of_edge(const struct blossoms *b, const struct edge *e)
{
    return b->label[e->u] + b->label[e->v] - 2 * edge_of(b, e->u, e->v)->weight;
}

static void update_slack(struct blossoms *b, uint32_t u, uint32_t x)
{
    if (!b->slack[x]
        || lack_of_edge(b, edge_of(b, u, x))
               < lack_of_edge(b, edge_of(b, b->slack[x], x)))
        b->slack[x] = u;
}

/* The tightest edge of x from outer nodes, anew. */
static void set_slack(struct blossoms *b, uint32_t x)
{
    b->slack[x] = 0;
    for (uint32_t u = 1; u <= b->n; u++)
        if (edge_of(b, u, x)->weight > 0 && b->outermost[u] != x
            && b->side[b->outermost[u]] == OUTER)
            update_slack(b, u, x);
}

/* All nodes inside x are to be gone through. */
static void push_nodes(struct blossoms *b, uint32_t x)
{
    if (x <= b->n) {
        b->queue[b->tail++] = x;
        return;
    }
    for (uint32_t i = 0; i < b->circle[x].n; i++)
        push_nodes(b, b->circle[x].member[i]);
}

/* Of x and all that is inside it. */
static void set_outermost(struct blossoms *b, uint32_t x, uint32_t in)
{
    b->outermost[x] = in;
    if (x > b->n)
        for (uint32_t i = 0; i < b->circle[x].n; i++)
            set_outermost(b, b->circle[x].member[i], in);
}

static void reverse(uint32_t *x, uint32_t from, uint32_t to)
{
    for (; from + 1 < to; from++, to--) {
        uint32_t last = x[to - 1];
        x[to - 1] = x[from];
        x[from] = last;
    }
}

/* The place of a member, an even number of steps from the base: the circle is
 * turned round where it is odd. */
static uint32_t place_of(struct blossoms *b, uint32_t x, uint32_t member)
{
    struct circle *c = &b->circle[x];
    uint32_t at = 0;
    while (c->member[at] != member)
        at++;
    if (at % 2 == 0)
        return at;
    reverse(c->member, 1, c->n);
    return c->n - at;
}

/* u is matched over its edge to v, and so are those inside u among
 * themselves. */
static void set_mate(struct blossoms *b, uint32_t u, uint32_t v)
{
    const struct edge e = *edge_of(b, u, v);
    b->mate[u] = e.v;
    if (u <= b->n)
        return;
    struct circle *c = &b->circle[u];
    uint32_t inside = *from_of(b, u, e.u), at = place_of(b, u, inside);
    for (uint32_t i = 0; i < at; i++)
        set_mate(b, c->member[i], c->member[i ^ 1]);
    set_mate(b, inside, v);
    /* the new base first */
    reverse(c->member, 0, at);
    reverse(c->member, at, c->n);
    reverse(c->member, 0, c->n);
}

/* Along the tree from u up to its root, where u is matched to v now. */
static void augment(struct blossoms *b, uint32_t u, uint32_t v)
{
    for (;;) {
        uint32_t next = b->outermost[b->mate[u]];
        set_mate(b, u, v);
        if (!next)
            return;
        set_mate(b, next, b->outermost[b->parent[next]]);
        u = b->outermost[b->parent[next]];
        v = next;
    }
}

/* Where the ways of u and v up the trees come together; 0: nowhere. */
static uint32_t common_of(struct blossoms *b, uint32_t u, uint32_t v)
{
    b->stamp++;
    while (u || v) {
        if (u) {
            if (b->seen[u] == b->stamp)
                return u;
            b->seen[u] = b->stamp;
            u = b->outermost[b->mate[u]];
            if (u)
                u = b->outermost[b->parent[u]];
        }
        uint32_t other = v;
        v = u;
        u = other;
    }
    return 0;
}

/* ---- blossoms ------------------------------------------------------------ */

/* The members from x up to the common one, without it. */
static void add_side(struct blossoms *b, struct circle *c, uint32_t x,
                     uint32_t common)
{
    while (x != common) {
        uint32_t y = b->outermost[b->mate[x]];
        c->member[c->n++] = x;
        c->member[c->n++] = y;
        push_nodes(b, y);
        x = b->outermost[b->parent[y]];
    }
}

/* Edges of a blossom are the tightest of its members'. */
static void join_edges(struct blossoms *b, uint32_t x)
{
    const struct circle *c = &b->circle[x];
    for (uint32_t i = 1; i <= b->top; i++)
        edge_of(b, x, i)->weight = edge_of(b, i, x)->weight = 0;
    for (uint32_t i = 1; i <= b->n; i++)
        *from_of(b, x, i) = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t m = c->member[k];
        for (uint32_t i = 1; i <= b->top; i++)
            if (edge_of(b, x, i)->weight == 0
                || lack_of_edge(b, edge_of(b, m, i))
                       < lack_of_edge(b, edge_of(b, x, i))) {
                *edge_of(b, x, i) = *edge_of(b, m, i);
                *edge_of(b, i, x) = *edge_of(b, i, m);
            }
        for (uint32_t i = 1; i <= b->n; i++)
            if (*from_of(b, m, i))
                *from_of(b, x, i) = m;
    }
}

/* The circle from the common one down to u, over to v, and up again becomes a
 * blossom; its place may be one that is free again. */
static void add_blossom(struct blossoms *b, uint32_t u, uint32_t common,
                        uint32_t v)
{
    uint32_t x = b->n + 1;
    while (x <= b->top && b->outermost[x])
        x++;
    if (x > b->top)
        b->top++;
    ORR_ASSERT(b->top < b->room);
    struct circle *c = &b->circle[x];
    b->label[x] = 0;
    b->side[x] = OUTER;
    b->mate[x] = b->mate[common];
    c->n = 0;
    c->member[c->n++] = common;
    add_side(b, c, u, common);
    reverse(c->member, 1, c->n);
    add_side(b, c, v, common);
    set_outermost(b, x, x);
    join_edges(b, x);
    set_slack(b, x);
}

/* An inner blossom without a label falls apart: its even side stays in the
 * tree. */
static void expand(struct blossoms *b, uint32_t x)
{
    struct circle *c = &b->circle[x];
    for (uint32_t i = 0; i < c->n; i++)
        set_outermost(b, c->member[i], c->member[i]);
    uint32_t inside = *from_of(b, x, edge_of(b, x, b->parent[x])->u);
    uint32_t at = place_of(b, x, inside);
    for (uint32_t i = 0; i < at; i += 2) {
        uint32_t in = c->member[i], out = c->member[i + 1];
        b->parent[in] = edge_of(b, out, in)->u;
        b->side[in] = INNER;
        b->side[out] = OUTER;
        b->slack[in] = 0;
        set_slack(b, out);
        push_nodes(b, out);
    }
    b->side[inside] = INNER;
    b->parent[inside] = b->parent[x];
    for (uint32_t i = at + 1; i < c->n; i++) {
        b->side[c->member[i]] = FREE;
        set_slack(b, c->member[i]);
    }
    b->outermost[x] = 0;
}

/* A tight edge from an outer node. True: the matching has grown. */
static bool take_edge(struct blossoms *b, const struct edge *e)
{
    const struct edge x = *e;
    uint32_t u = b->outermost[x.u], v = b->outermost[x.v];
    if (b->side[v] == FREE) {
        uint32_t next = b->outermost[b->mate[v]];
        b->parent[v] = x.u;
        b->side[v] = INNER;
        b->slack[v] = b->slack[next] = 0;
        b->side[next] = OUTER;
        push_nodes(b, next);
    } else if (b->side[v] == OUTER) {
        uint32_t common = common_of(b, u, v);
        if (!common) {
            augment(b, u, v);
            augment(b, v, u);
            return true;
        }
        add_blossom(b, u, common, v);
    }
    return false;
}

/* ---- one more pair ------------------------------------------------------- */

/* Goes through the queue; true: the matching has grown. */
static bool grow_matching(struct blossoms *b)
{
    while (b->head < b->tail) {
        uint32_t u = b->queue[b->head++];
        if (b->side[b->outermost[u]] == INNER)
            continue;
        for (uint32_t v = 1; v <= b->n; v++) {
            struct edge *e = edge_of(b, u, v);
            if (e->weight == 0 || b->outermost[u] == b->outermost[v])
                continue;
            if (lack_of_edge(b, e) > 0)
                update_slack(b, u, b->outermost[v]);
            else if (take_edge(b, e))
                return true;
        }
    }
    return false;
}

/* By how much labels can change until an edge is tight or a blossom open. */
static int64_t least_change(const struct blossoms *b)
{
    int64_t least = INT64_MAX;
    for (uint32_t x = b->n + 1; x <= b->top; x++)
        if (b->outermost[x] == x && b->side[x] == INNER
            && b->label[x] / 2 < least)
            least = b->label[x] / 2;
    for (uint32_t x = 1; x <= b->top; x++) {
        if (b->outermost[x] != x || !b->slack[x] || b->side[x] == INNER)
            continue;
        int64_t change = lack_of_edge(b, edge_of(b, b->slack[x], x));
        if (b->side[x] == OUTER)
            change /= 2;
        least = change < least ? change : least;
    }
    return least;
}

/* False: an outer node's label is used up, so no pair more is worth it. */
static bool change_labels(struct blossoms *b, int64_t by)
{
    for (uint32_t u = 1; u <= b->n; u++) {
        int8_t side = b->side[b->outermost[u]];
        if (side == OUTER && b->label[u] <= by)
            return false;
        b->label[u] += side == OUTER ? -by : side == INNER ? by : 0;
    }
    for (uint32_t x = b->n + 1; x <= b->top; x++)
        if (b->outermost[x] == x)
            b->label[x] += b->side[x] == OUTER   ? 2 * by
                           : b->side[x] == INNER ? -2 * by
                                                 : 0;
    return true;
}

/* Edges that have become tight, and blossoms that have no label left. */
static bool take_tight(struct blossoms *b)
{
    b->head = b->tail = 0;
    for (uint32_t x = 1; x <= b->top; x++) {
        if (b->outermost[x] != x || !b->slack[x]
            || b->outermost[b->slack[x]] == x)
            continue;
        struct edge *e = edge_of(b, b->slack[x], x);
        if (lack_of_edge(b, e) == 0 && take_edge(b, e))
            return true;
    }
    for (uint32_t x = b->n + 1; x <= b->top; x++)
        if (b->outermost[x] == x && b->side[x] == INNER && b->label[x] == 0)
            expand(b, x);
    return false;
}

/* False: no further pair makes the matching heavier. */
static bool add_pair(struct blossoms *b)
{
    b->head = b->tail = 0;
    for (uint32_t x = 1; x <= b->top; x++) {
        b->side[x] = FREE;
        b->slack[x] = 0;
    }
    for (uint32_t x = 1; x <= b->top; x++)
        if (b->outermost[x] == x && !b->mate[x]) {
            b->parent[x] = 0;
            b->side[x] = OUTER;
            push_nodes(b, x);
        }
    if (b->head == b->tail)
        return false;
    for (;;) {
        if (grow_matching(b))
            return true;
        if (!change_labels(b, least_change(b)))
            return false;
        if (take_tight(b))
            return true;
    }
}

/* ---- the whole ----------------------------------------------------------- */

/* What room was taken for. */
static void release(struct blossoms *b)
{
    orr__free(b->edge);
    orr__free(b->from);
    orr__free(b->label);
    orr__free(b->mate);
    orr__free(b->slack);
    orr__free(b->outermost);
    orr__free(b->parent);
    orr__free(b->seen);
    orr__free(b->side);
    orr__free(b->circle);
    orr__free(b->list);
    orr__free(b->queue);
}

/* False: no memory; what there is will be released. */
static bool take_room(struct blossoms *b)
{
    size_t room = b->room;
    b->edge = orr__alloc(room * room, sizeof *b->edge);
    b->from = orr__alloc(room * room, sizeof *b->from);
    b->label = orr__alloc(room, sizeof *b->label);
    b->mate = orr__alloc(room, sizeof *b->mate);
    b->slack = orr__alloc(room, sizeof *b->slack);
    b->outermost = orr__alloc(room, sizeof *b->outermost);
    b->parent = orr__alloc(room, sizeof *b->parent);
    b->seen = orr__alloc(room, sizeof *b->seen);
    b->side = orr__alloc(room, sizeof *b->side);
    b->circle = orr__alloc(room, sizeof *b->circle);
    b->list = orr__alloc(room * room, sizeof *b->list);
    b->queue = orr__alloc(room * 2, sizeof *b->queue);
    return b->edge && b->from && b->label && b->mate && b->slack && b->outermost
           && b->parent && b->seen && b->side && b->circle && b->list
           && b->queue;
}

/* Each pair weighs so much more than what it carries that more pairs are always
 * heavier. */
static void set_weights(struct blossoms *b, const uint64_t *weight)
{
    const int64_t bonus = ORR_MATCHING_WEIGHT * (b->n + 1);
    int64_t most = 0;
    for (uint32_t x = 0; x < b->room; x++)
        b->circle[x].member = b->list + (size_t)x * b->room;
    for (uint32_t u = 1; u <= b->n; u++) {
        b->outermost[u] = u;
        for (uint32_t v = 1; v <= b->n; v++) {
            uint64_t w = weight[(size_t)(u - 1) * b->n + v - 1];
            ORR_ASSERT(u == v || w <= (uint64_t)ORR_MATCHING_WEIGHT);
            *edge_of(b, u, v) =
                (struct edge){u, v, u == v ? 0 : bonus + (int64_t)w};
            *from_of(b, u, v) = u == v ? u : 0;
            if (edge_of(b, u, v)->weight > most)
                most = edge_of(b, u, v)->weight;
        }
    }
    for (uint32_t u = 1; u <= b->n; u++)
        b->label[u] = most;
}

orr_err orr__matching_perfect(uint32_t n, const uint64_t *weight,
                              uint32_t *mate, struct orr_report *why)
{
    struct blossoms b = {.n = n, .top = n, .room = n + n / 2 + 2};
    ORR_ASSERT(n <= ORR_MATCHING_NODES);
    bool room = take_room(&b);
    if (room) {
        set_weights(&b, weight);
        while (add_pair(&b))
            ;
        for (uint32_t u = 0; u < n; u++)
            mate[u] = b.mate[u + 1] ? b.mate[u + 1] - 1 : ORR_NONE;
    }
    release(&b);
    return room ? ORR_OK : orr__no_memory(why);
}
