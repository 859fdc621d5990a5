/* What a group puts on links, and how far its members are apart on its trees,
 * without sending anything. */
#include "core/memory.h"
#include "net/tree/tree.h"

/* One tree after the other of a group that nobody makes: nothing in it is
 * owned. */
struct work {
    const struct orr_tree_ask *ask;
    const struct orr_tree *t;
    struct orr_tree_group g; /* payload, members, root */
    struct orr_group_load *out;
};

/* Packets of so many bytes. */
static uint64_t packets_of(const struct orr_tree_group *g, uint64_t bytes)
{
    uint64_t n = (bytes + g->payload - 1) / g->payload;

    return n ? n : 1;
}

/* Bytes on the wire with headers. */
static uint64_t wire_bytes(const struct work *w, uint64_t bytes)
{
    return bytes + packets_of(&w->g, bytes) * w->ask->config->header;
}

static void put_load(const struct work *w, uint32_t link, uint64_t bytes)
{
    if (w->out->fn)
        w->out->fn(w->out->arg, link, bytes);
}

/* What goes down to a place: the whole, its members' parts, or ACKs. */
static uint64_t down_bytes(const struct work *w, const struct orr_tree_node *p,
                           uint64_t bytes)
{
    const struct orr_group_spec *s = w->ask->spec;
    uint32_t root = w->t->position[s->root];
    uint64_t acks = packets_of(&w->g, bytes) * w->ask->config->ack;

    if (s->kind == ORR_GROUP_REDUCE && (root < p->lo || root >= p->hi))
        return acks;
    if (s->kind == ORR_GROUP_SCATTER) {
        uint64_t part = bytes / s->members * (p->hi - p->lo);

        return wire_bytes(w, part)
               + (packets_of(&w->g, bytes) - packets_of(&w->g, part))
                     * w->ask->config->ack;
    }
    return wire_bytes(w, bytes);
}

/* Packets that come to a place that only passes them on are as many as members
 * send; those of one that adds, as one sends. */
static void load_place(const struct work *w, const struct orr_tree_node *p,
                       const uint32_t *streams, uint64_t bytes)
{
    uint32_t i = (uint32_t)(p - w->t->place);
    uint64_t acks = packets_of(&w->g, bytes) * w->ask->config->ack;

    if (p->parent == ORR_NONE)
        return;
    put_load(w, p->down, down_bytes(w, p, bytes));
    if (w->ask->spec->kind == ORR_GROUP_MULTICAST)
        put_load(w, p->up, acks);
    else
        put_load(w, p->up, streams[i] * wire_bytes(w, bytes));
}

/* `bytes`: of a member's message on this tree. Children stand behind their
 * parent, so that one pass from the end counts what passes each place. False:
 * no memory, and nothing was told. */
static bool load_tree(const struct work *w, uint64_t bytes)
{
    const struct orr_tree *t = w->t;
    uint32_t *streams = orr__alloc(t->places, sizeof *streams);

    if (!streams)
        return false;
    for (uint32_t i = t->places; i-- > 0;) {
        const struct orr_tree_node *p = &t->place[i];

        if (p->adds || p->member != ORR_NONE)
            streams[i] = 1;
        if (p->parent != ORR_NONE)
            streams[p->parent] += streams[i];
    }
    for (uint32_t i = 0; i < t->places; i++)
        load_place(w, &t->place[i], streams, bytes);
    orr__free(streams);
    return true;
}

/* Delays from the member that is farthest from the root to it, and from there
 * to that one of those who get something. */
static int64_t delay_of(const struct work *w)
{
    const struct orr_group_spec *s = w->ask->spec;
    const struct orr_graph *g = w->ask->graph;
    int64_t up = 0, down = 0;

    for (uint32_t m = 0; m < s->members; m++) {
        int64_t a = 0, b = 0;

        for (uint32_t i = w->t->at[m]; w->t->place[i].parent != ORR_NONE;
             i = w->t->place[i].parent) {
            a = orr__time_add(a, g->delay_ps[w->t->place[i].up]);
            b = orr__time_add(b, g->delay_ps[w->t->place[i].down]);
        }
        up = a > up ? a : up;
        if (s->kind != ORR_GROUP_REDUCE || m == s->root)
            down = b > down ? b : down;
    }
    return s->kind == ORR_GROUP_MULTICAST ? down : orr__time_add(up, down);
}

orr_err orr__net_group_load(const struct orr_graph *graph,
                            const struct orr_net_config *config,
                            const struct orr_group_spec *spec,
                            struct orr_group_load *out, struct orr_report *why)
{
    char text[ORR_GROUP_TEXT];
    struct orr_tree_ask ask = {graph, config, spec, NULL, text, false};
    struct work w = {.ask = &ask, .out = out};
    struct orr_tree *tree = orr__alloc(spec->trees, sizeof *tree);
    bool ok = true;
    orr_err err;

    if (!tree)
        return orr__no_memory(why);
    ask.in = orr__tree_adder(graph, config, spec);
    w.g.payload = ask.in && spec->kind != ORR_GROUP_MULTICAST ? ask.in->payload
                                                              : config->mtu;
    out->delay_ps = ORR_NEVER;
    err = orr__trees_shape(&ask, tree, why);
    for (uint32_t i = 0; i < spec->trees && ask.fits && ok && !err; i++) {
        int64_t delay;

        w.t = &tree[i];
        delay = delay_of(&w);
        out->delay_ps = delay < out->delay_ps ? delay : out->delay_ps;
        ok = load_tree(&w, out->bytes / spec->trees);
    }
    for (uint32_t i = 0; i < spec->trees; i++)
        orr__tree_free(&tree[i]);
    orr__free(tree);
    if (out->delay_ps == ORR_NEVER)
        out->delay_ps = 0;
    return ok ? err : orr__no_memory(why);
}
