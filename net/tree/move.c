/* Trees where links fail: one that crosses a link that routes avoid is made
 * anew without it, over switches that add, or else with a host at the root that
 * adds all by itself. It stays where it is if there is no other, and where it
 * is well. One that fell back to a host returns to switches when it can. */
#include "core/memory.h"
#include "net/fabric/fault.h"
#include "net/path/reroute.h"
#include "net/tree/stream.h"
#include "topo/node_names.h"

/* False: the run fails. */
static bool may_move(struct orr_net *n, const struct orr_tree *t, int64_t now)
{
    if (t->moves < ORR_TREE_MOST_MOVES)
        return true;
    orr__net_fail_at(n, t->group->hosts[0], now,
                     "a tree of switches was made anew %d times, and is to be "
                     "once more: that is not counted",
                     ORR_TREE_MOST_MOVES);
    return false;
}

/* Is one of its links closed, either way? */
static bool crosses(const struct orr_tree *t, const bool *closed)
{
    for (uint32_t i = 0; i < t->places; i++) {
        const struct orr_tree_node *p = &t->place[i];

        if (p->parent != ORR_NONE && (closed[p->up] || closed[p->down]))
            return true;
    }
    return false;
}

/* A host adds in the place of switches. */
static bool has_fallen_back(const struct orr_net *n, const struct orr_tree *t)
{
    const struct orr_tree_group *g = t->group;

    return g->kind != ORR_GROUP_MULTICAST && !g->in->ops->server
           && orr__is_host(n->graph, t->place[0].node);
}

/* ---- a new shape --------------------------------------------------------- */

/* One tree that is to be made anew. */
struct anew {
    struct orr_net *n;
    struct orr_tree_group *g;
    uint32_t number;
    struct orr_tree fresh; /* owned, as far as it was made */
    uint32_t *taken;       /* roots of the group's other trees; owned */
    uint32_t n_taken;
};

/* False: no memory. */
static bool note_taken(struct anew *a)
{
    a->taken = orr__alloc(a->g->trees, sizeof *a->taken);
    for (uint32_t i = 0; a->taken && i < a->g->trees; i++)
        if (i != a->number)
            a->taken[a->n_taken++] = a->g->tree[i].place[0].node;
    return a->taken;
}

/* servers: hosts that may stand at the root; serve: one does, and no switch
 * adds. *fits: it was made. */
static orr_err try_shape(struct anew *a, const uint32_t *servers,
                         uint32_t n_servers, bool serve, bool *fits)
{
    const struct orr_tree_group *g = a->g;
    const struct orr_group_spec spec = {
        .kind = g->kind,
        .hosts = g->hosts,
        .ranks = g->ranks,
        .members = g->members,
        .trees = g->trees,
        .root = g->root,
        .servers = servers,
        .n_servers = n_servers,
        .first_tree = g->first_tree,
    };
    char text[ORR_GROUP_TEXT];
    struct orr_tree_ask ask = {.graph = a->n->graph,
                               .config = a->n->config,
                               .spec = &spec,
                               .in = g->in,
                               .text = text,
                               .closed = orr__rerouting_closed_links(a->n),
                               .taken = a->taken,
                               .n_taken = a->n_taken,
                               .serve = serve};
    struct orr_report none = {0};
    orr_err err;

    orr__tree_free(&a->fresh);
    a->fresh = (struct orr_tree){0};
    err = orr__tree_reshape(&ask, a->number, &a->fresh, &none);
    *fits = ask.fits;
    return err;
}

/* A kind with servers takes the first of them that can be reached, from the
 * tree's own on. */
static orr_err try_all(struct anew *a, bool *fits)
{
    const struct orr_tree_group *g = a->g;
    bool multicast = g->kind == ORR_GROUP_MULTICAST;
    uint32_t hosts = !multicast && g->in->ops->server ? g->n_servers : 1;
    orr_err err = ORR_OK;

    *fits = false;
    for (uint32_t i = 0; i < hosts && !*fits && !err; i++)
        err = try_shape(a, &g->servers[(a->number + i) % g->n_servers], 1,
                        false, fits);
    if (!*fits && !err && !multicast)
        err = try_shape(a, &g->hosts[g->root], 1, true, fits);
    return err;
}

/* ---- in the place of the old one ----------------------------------------- */

/* Gives back the slots of an old tree's sums. */
static void free_slots(struct orr_net *n, const struct orr_tree *t, int64_t now)
{
    for (uint32_t i = 0; i < t->places; i++) {
        const struct orr_tree_node *p = &t->place[i];

        if (!p->adds || orr__is_host(n->graph, p->node))
            continue;
        for (uint32_t k = 0; k < p->sums.capacity; k++) {
            const struct orr_sum *x = &p->sums.ring[k];

            if (x->state == ORR_SUM_OPEN || x->state == ORR_SUM_SENT)
                orr__slot_give(n->trees->at[p->node], t, x->slot, now);
        }
    }
}

/* Members keep their connections, with another first link; so does a server
 * that stands where it was. */
static void move_members(struct orr_net *n, const struct orr_tree *t)
{
    const struct orr_tree_group *g = t->group;

    for (uint32_t m = 0; m <= g->members; m++) {
        struct orr_sender *x;
        uint32_t place = m < g->members ? t->at[m] : 0;

        if (t->connection[m] == ORR_NONE)
            continue;
        x = orr__sender(n, t->connection[m]);
        x->stream->place = place;
        x->path = t->place[place].parent != ORR_NONE
                      ? &t->place[place].up
                      : &t->place[t->place[place].child].down;
    }
}

/* A server that stands elsewhere now gets another connection; what the old one
 * has in its NIC goes on. */
static void free_server(const struct orr_net *n, struct orr_tree *t)
{
    uint32_t *id = &t->connection[t->group->members];
    struct orr_sender *x = *id == ORR_NONE ? NULL : orr__sender(n, *id);

    if (!x || x->src == t->place[0].node)
        return;
    x->path = NULL;
    x->path_links = 0;
    *id = ORR_NONE;
}

/* False: no memory. */
static bool replace(struct anew *a, int64_t now)
{
    struct orr_tree *t = &a->g->tree[a->number], old = *t;
    uint32_t *spare = a->fresh.connection;

    free_slots(a->n, t, now);
    *t = a->fresh;
    t->group = old.group;
    t->connection = old.connection;
    t->moves = old.moves + 1;
    t->era = t->moves << ORR_PACKET_ERA_SHIFT;
    t->window = old.window;
    a->fresh = old;
    a->fresh.connection = spare;
    a->n->trees->moves++;
    free_server(a->n, t);
    if (!orr__tree_enter(a->n, t) || !orr__tree_settle(a->n, t, now))
        return false;
    move_members(a->n, t);
    return orr__tree_rewind(a->n, t, now);
}

/* ---- slots that others share now ----------------------------------------- */

/* Its places begin anew, where they are. False: no memory. */
static bool begin_anew(struct orr_net *n, struct orr_tree *t, int64_t now)
{
    free_slots(n, t, now);
    for (uint32_t i = 0; i < t->places; i++)
        orr__sums_free(&t->place[i].sums);
    for (uint32_t i = 0; i < t->places; i++)
        t->place[i].sums = (struct orr_sums){0};
    t->moves++;
    t->era = t->moves << ORR_PACKET_ERA_SHIFT;
    return orr__tree_settle(n, t, now) && orr__tree_rewind(n, t, now);
}

/* A tree that came to a switch takes slots of others there: whose windows were
 * larger begins again with what is left, or members would wait for slots that
 * they hold themselves, each at another switch. */
static void share_slots(struct orr_net *n, struct orr_tree *t, int64_t now)
{
    char name[ORR_NODE_NAME];
    uint32_t short_of, window;

    if (t->group->kind == ORR_GROUP_MULTICAST || !t->group->in->ops->clocked)
        return;
    window = orr__tree_window(n, t, &short_of);
    if (short_of != ORR_NONE)
        orr__net_fail_at(n, t->group->hosts[0], now,
                         "after links failed, %s has no slot for each job that "
                         "adds there",
                         orr__node_name(n->graph, short_of, name, sizeof name));
    else if (window < t->window && !may_move(n, t, now))
        return;
    else if (window < t->window && !begin_anew(n, t, now))
        orr__fabric_out_of_memory(n);
}

/* One that crosses a closed link, or has fallen back, as far as it can be. The
 * run fails for lack of memory. */
static void make_anew(struct orr_net *n, struct orr_tree_group *g, uint32_t i,
                      int64_t now)
{
    struct anew a = {.n = n, .g = g, .number = i};
    struct orr_tree *t = &g->tree[i];
    bool fits = false, well = !crosses(t, orr__rerouting_closed_links(n));
    bool ok = note_taken(&a) && try_all(&a, &fits) == ORR_OK;

    if (ok && fits && well)
        fits = !orr__is_host(n->graph, a.fresh.place[0].node);
    if (ok && fits)
        ok = !may_move(n, t, now) || replace(&a, now);
    else if (ok && !well && orr__rerouting_next(n) == ORR_NEVER)
        orr__tree_give_up(n, t);
    if (!ok)
        orr__fabric_out_of_memory(n);
    orr__tree_free(&a.fresh);
    orr__free(a.taken);
}

/* A control event, after routes have changed at that time. */
static int64_t check_trees(void *arg, int64_t now)
{
    struct orr_net *n = arg;
    const bool *closed = orr__rerouting_closed_links(n);

    for (uint32_t i = 0; i < n->trees->groups; i++) {
        struct orr_tree_group *g = n->trees->group[i];

        for (uint32_t k = 0; g->settled && k < g->trees; k++)
            if (crosses(&g->tree[k], closed) || has_fallen_back(n, &g->tree[k]))
                make_anew(n, g, k, now);
    }
    for (uint32_t i = 0; i < n->trees->groups; i++) {
        struct orr_tree_group *g = n->trees->group[i];

        for (uint32_t k = 0; g->settled && k < g->trees; k++)
            share_slots(n, &g->tree[k], now);
    }
    for (unsigned w = 0; w < n->workers; w++)
        orr__fabric_exchange(n, w); /* what members have sent just now */
    return orr__rerouting_next(n);
}

orr_err orr__trees_watch(struct orr_net *n, struct orr_report *why)
{
    int64_t next = orr__rerouting_next(n);

    if (!n->trees || n->trees->watches || next == ORR_NEVER)
        return ORR_OK;
    n->trees->watches = true;
    return orr__windows_control(n->windows, next, check_trees, n, why);
}
