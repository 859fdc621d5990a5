/* Where the trees of a group stand: roots as near to all members as can be,
 * another one for each tree, and the shortest ways from the members to it. */
#include <stdio.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "net/tree/tree.h"
#include "topo/node_names.h"

#define FAR UINT32_MAX

/* Scratch of orr__trees_shape, which owns all arrays. The distances to members
 * and the roots are of the group; `distance` and what begins with `parent` are
 * made anew for each tree. */
struct shape {
    struct orr_tree_ask *ask;
    const struct orr_graph *g;
    uint32_t *distance; /* per node: links to the root, or to a member */
    uint32_t *queue;    /* nodes */
    uint32_t *farthest; /* per node: links to its farthest member */
    uint64_t *sum;      /* ... to all of them */
    uint32_t *root;     /* those that may be one, by id */
    uint32_t roots;
    uint32_t *parent; /* per node, of one tree: the link towards the root */
    uint32_t *first, *next; /* per node: its first child; the next one */
    uint32_t *members_at, *next_member; /* the same of members of a switch */
    bool *on;                           /* per node: it is on the tree */
};

/* ---- who adds ------------------------------------------------------------ */

static bool is_inside(const struct orr_graph *g, uint32_t node)
{
    return g->gpus && node >= g->hosts && node < g->hosts + g->hosts / g->gpus;
}

const struct orr_in_network *orr__tree_adder(const struct orr_graph *g,
                                             const struct orr_net_config *c,
                                             const struct orr_group_spec *s)
{
    bool inside = g->gpus > 0;

    if (s->kind == ORR_GROUP_MULTICAST)
        return c->in_network.ops   ? &c->in_network
               : c->in_servers.ops ? &c->in_servers
                                   : NULL;
    for (uint32_t i = 1; i < s->members && inside; i++)
        inside = s->hosts[i] / g->gpus == s->hosts[0] / g->gpus;
    if (c->in_servers.ops && (inside || !c->in_network.ops))
        return &c->in_servers;
    return c->in_network.ops ? &c->in_network : NULL;
}

static bool adds_packets(const struct shape *x, uint32_t node)
{
    const struct orr_net_config *c = x->ask->config;
    const struct orr_in_network *in =
        is_inside(x->g, node) ? &c->in_servers : &c->in_network;

    return !x->ask->serve && in == x->ask->in && in->ops && in->adds
           && in->adds[node];
}

/* Does a host stand at the root and add? */
static bool is_served(const struct shape *x)
{
    return x->ask->spec->kind != ORR_GROUP_MULTICAST
           && (x->ask->serve || x->ask->in->ops->server);
}

/* ---- distances ----------------------------------------------------------- */

static bool is_host(const struct shape *x, uint32_t node)
{
    return orr__is_host(x->g, node);
}

static uint32_t link_back(const struct orr_graph *g, uint32_t link)
{
    return link < g->cables ? link + g->cables : link - g->cables;
}

/* What goes up a tree and what comes down goes over the same cables, and both
 * of their links are there. */
static bool is_usable(const struct shape *x, uint32_t link)
{
    const struct orr_graph *g = x->g;
    const bool *closed = x->ask->closed;

    if (g->simplex && g->simplex[link < g->cables ? link : link - g->cables])
        return false;
    return !closed || !(closed[link] || closed[link_back(g, link)]);
}

/* Links from `root` to each switch, and over switches to each host. */
static void measure(struct shape *x, uint32_t root)
{
    const struct orr_graph *g = x->g;
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < g->nodes; i++)
        x->distance[i] = FAR;
    x->distance[root] = 0;
    x->queue[tail++] = root;
    while (head < tail) {
        uint32_t at = x->queue[head++];

        if (is_host(x, at) && at != root)
            continue;
        for (uint32_t i = g->out_off[at]; i < g->out_off[at + 1]; i++) {
            uint32_t link = g->out_link[i], to = g->to[link];

            if (x->distance[to] != FAR || !is_usable(x, link))
                continue;
            x->distance[to] = x->distance[at] + 1;
            x->queue[tail++] = to;
        }
    }
}

/* The only switch that a host is at; ORR_NONE: it has several links, or none
 * that is there. */
static uint32_t only_switch(const struct shape *x, uint32_t host)
{
    const struct orr_graph *g = x->g;
    uint32_t first = g->out_off[host];

    if (g->out_off[host + 1] - first != 1 || !is_usable(x, g->out_link[first]))
        return ORR_NONE;
    return g->to[g->out_link[first]];
}

/* Adds the distances from a node, which `times` members are at, `more` links
 * away from it. */
static void add_distances(struct shape *x, uint32_t node, uint64_t times,
                          uint32_t more)
{
    measure(x, node);
    for (uint32_t v = 0; v < x->g->nodes; v++) {
        uint32_t d = x->distance[v] == FAR ? FAR : x->distance[v] + more;

        if (d == FAR || x->farthest[v] == FAR) {
            x->farthest[v] = FAR;
            continue;
        }
        x->farthest[v] = d > x->farthest[v] ? d : x->farthest[v];
        x->sum[v] += times * d;
    }
}

/* How far each node is from the members. Those of one switch are looked at
 * together. */
static void find_distances(struct shape *x)
{
    const struct orr_group_spec *s = x->ask->spec;
    uint32_t *times = x->first; /* per switch: members there */

    memset(times, 0, x->g->nodes * sizeof *times);
    for (uint32_t i = 0; i < s->members; i++) {
        uint32_t at = only_switch(x, s->hosts[i]);

        if (at == ORR_NONE || is_host(x, at))
            add_distances(x, s->hosts[i], 1, 0);
        else
            times[at]++;
    }
    for (uint32_t v = x->g->hosts; v < x->g->nodes; v++)
        if (times[v])
            add_distances(x, v, times[v], 1);
}

/* ---- roots --------------------------------------------------------------- */

static bool refuse(struct shape *x, const char *text)
{
    snprintf(x->ask->text, ORR_GROUP_TEXT, "%s", text);
    return false;
}

/* The next switch that a host is at, from its i-th link on; *i: behind it. */
static uint32_t next_switch(const struct shape *x, uint32_t host, uint32_t *i)
{
    const struct orr_graph *g = x->g;

    for (; g->out_off[host] + *i < g->out_off[host + 1]; ++*i) {
        uint32_t link = g->out_link[g->out_off[host] + *i], at = g->to[link];

        if (is_host(x, at) || x->farthest[at] == FAR || !is_usable(x, link))
            continue;
        ++*i;
        return at;
    }
    return ORR_NONE;
}

static bool is_root(const struct shape *x, uint32_t node)
{
    for (uint32_t k = 0; k < x->roots; k++)
        if (x->root[k] == node)
            return true;
    return false;
}

/* Below the source of a multicast: the switches that it is at, each once. */
static bool roots_of_source(struct shape *x, uint32_t host)
{
    uint32_t i = 0, at;

    while ((at = next_switch(x, host, &i)) != ORR_NONE)
        if (!is_root(x, at)) /* several cables lead to one switch */
            x->root[x->roots++] = at;
    return x->roots > 0
           || refuse(x, "no switches lead from the root to all members");
}

/* Below each server: one that it is at. */
static bool roots_of_servers(struct shape *x)
{
    const struct orr_group_spec *s = x->ask->spec;

    for (uint32_t k = 0; k < s->n_servers; k++) {
        uint32_t i = 0, at = next_switch(x, s->servers[k], &i);

        if (at == ORR_NONE)
            return refuse(x, "no switches lead from a server to all members");
        x->root[x->roots++] = at;
    }
    return true;
}

/* Of switches that add, those whose farthest member is nearest, and of these
 * those that are nearest to all. */
static bool find_roots(struct shape *x)
{
    uint32_t least = FAR;
    uint64_t sum = UINT64_MAX;
    bool any = false;

    for (uint32_t v = x->g->hosts; v < x->g->nodes; v++) {
        if (!adds_packets(x, v))
            continue;
        any = true;
        if (x->farthest[v] < least
            || (x->farthest[v] == least && x->sum[v] < sum)) {
            least = x->farthest[v];
            sum = x->sum[v];
        }
    }
    if (!any)
        return refuse(x, "no switch adds: `network.in_network` says which do");
    if (least == FAR)
        return refuse(x, "no switch that adds is on ways over switches from "
                         "all members");
    for (uint32_t v = x->g->hosts; v < x->g->nodes; v++)
        if (adds_packets(x, v) && x->farthest[v] == least && x->sum[v] == sum)
            x->root[x->roots++] = v;
    return true;
}

static bool choose_roots(struct shape *x)
{
    const struct orr_group_spec *s = x->ask->spec;

    if (s->kind == ORR_GROUP_MULTICAST)
        return roots_of_source(x, s->hosts[s->root]);
    if (!x->ask->in)
        return refuse(x, "no switch adds: there is no `network.in_network`");
    return is_served(x) ? roots_of_servers(x) : find_roots(x);
}

/* ---- one tree ------------------------------------------------------------ */

/* Does a link lead to a switch that is nearer to the root? */
static bool leads_nearer(const struct shape *x, uint32_t link)
{
    uint32_t from = x->g->from[link], to = x->g->to[link];

    return x->distance[to] != FAR && !is_host(x, to)
           && x->distance[to] + 1 == x->distance[from] && is_usable(x, link);
}

/* The link from a node to such a switch: of several another one for each tree
 * and job. ORR_NONE: there is none. */
static uint32_t towards(const struct shape *x, uint32_t node, uint32_t turn)
{
    const struct orr_graph *g = x->g;
    const uint32_t *link = g->out_link + g->out_off[node];
    uint32_t n = g->out_off[node + 1] - g->out_off[node], count = 0, left;

    for (uint32_t i = 0; i < n; i++)
        count += leads_nearer(x, link[i]);
    if (count == 0)
        return ORR_NONE;
    left = turn % count;
    for (uint32_t i = 0; i < n; i++)
        if (leads_nearer(x, link[i]) && left-- == 0)
            return link[i];
    return ORR_NONE;
}

static void enter_child(struct shape *x, uint32_t node, uint32_t parent)
{
    x->next[node] = x->first[parent];
    x->first[parent] = node;
}

/* Ways from all members to the root. Returns how many switches are on them, the
 * root among them; 0: a member does not reach it. */
static uint32_t mark_paths(struct shape *x, uint32_t root, uint32_t turn)
{
    const struct orr_group_spec *s = x->ask->spec;
    uint32_t switches = 1;

    for (uint32_t v = 0; v < x->g->nodes; v++) {
        x->first[v] = x->members_at[v] = ORR_NONE;
        x->on[v] = false;
    }
    measure(x, root);
    x->on[root] = true;
    for (uint32_t i = s->members; i-- > 0;) {
        uint32_t link = towards(x, s->hosts[i], turn), v;

        if (link == ORR_NONE)
            return 0;
        x->parent[s->hosts[i]] = link;
        v = x->g->to[link];
        x->next_member[i] = x->members_at[v];
        x->members_at[v] = i;
        while (!x->on[v]) {
            x->on[v] = true;
            switches++;
            link = x->parent[v] = towards(x, v, turn);
            enter_child(x, v, x->g->to[link]);
            v = x->g->to[link];
        }
    }
    return switches;
}

/* A place below `parent`, reached by `up` from the node. */
static void add_place(struct shape *x, struct orr_tree *t, uint32_t node,
                      uint32_t parent, uint32_t up, uint32_t member)
{
    struct orr_tree_node *p = &t->place[t->places];

    *p = (struct orr_tree_node){
        .node = node,
        .parent = parent,
        .up = up,
        .down = up == ORR_NONE ? ORR_NONE : link_back(x->g, up),
        .member = member,
        .adds = member == ORR_NONE && !is_host(x, node) && adds_packets(x, node)
                && x->ask->spec->kind != ORR_GROUP_MULTICAST,
    };
    if (parent != ORR_NONE) {
        struct orr_tree_node *above = &t->place[parent];

        if (above->children == 0)
            above->child = t->places;
        p->index = above->children++;
    }
    if (member != ORR_NONE)
        t->at[member] = t->places;
    t->places++;
}

/* The host at the root is no place below. */
static bool is_root_host(const struct shape *x, uint32_t member)
{
    const struct orr_group_spec *s = x->ask->spec;

    return s->kind == ORR_GROUP_MULTICAST && member == s->root;
}

/* All at once, so that places of one parent are neighbours. Their order is that
 * in which mark_paths found them. */
static void add_children(struct shape *x, struct orr_tree *t, uint32_t place)
{
    uint32_t node = t->place[place].node;

    for (uint32_t v = x->first[node]; v != ORR_NONE; v = x->next[v])
        add_place(x, t, v, place, x->parent[v], ORR_NONE);
    for (uint32_t m = x->members_at[node]; m != ORR_NONE;
         m = x->next_member[m]) {
        uint32_t host = x->ask->spec->hosts[m];

        if (!is_root_host(x, m))
            add_place(x, t, host, place, x->parent[host], m);
    }
}

/* The link from a switch to a host, or ORR_NONE. */
static uint32_t link_to(const struct shape *x, uint32_t from, uint32_t to)
{
    const struct orr_graph *g = x->g;

    for (uint32_t i = g->out_off[from]; i < g->out_off[from + 1]; i++)
        if (g->to[g->out_link[i]] == to && is_usable(x, g->out_link[i]))
            return g->out_link[i];
    return ORR_NONE;
}

/* Places by distance from the root, a node's children one after the other. */
static void lay_out(struct shape *x, struct orr_tree *t, uint32_t root)
{
    const struct orr_group_spec *s = x->ask->spec;
    bool multicast = s->kind == ORR_GROUP_MULTICAST;
    bool host = multicast || is_served(x);
    uint32_t first = 0, top = ORR_NONE;

    if (host)
        top = multicast ? s->hosts[s->root]
                        : s->servers[t->number % s->n_servers];

    if (host) {
        add_place(x, t, top, ORR_NONE, ORR_NONE, ORR_NONE);
        if (multicast) {
            t->at[s->root] = 0;
            t->place[0].member = s->root;
        }
        t->place[0].adds = !multicast;
        first = 1;
        add_place(x, t, root, 0, link_to(x, root, top), ORR_NONE);
    } else {
        add_place(x, t, root, ORR_NONE, ORR_NONE, ORR_NONE);
    }
    for (uint32_t i = first; i < t->places; i++)
        if (t->place[i].member == ORR_NONE)
            add_children(x, t, i);
}

/* Members below a place are neighbours in position. */
static void number_members(struct orr_tree *t)
{
    uint32_t root = t->place[0].member != ORR_NONE; /* it comes first */

    for (uint32_t i = t->places; i-- > 0;) { /* hi: how many, for now */
        struct orr_tree_node *p = &t->place[i];

        p->hi += p->member != ORR_NONE;
        if (p->parent != ORR_NONE)
            t->place[p->parent].hi += p->hi;
    }
    for (uint32_t i = 0; i < t->places; i++) {
        struct orr_tree_node *p = &t->place[i];
        uint32_t lo = p->lo + (i == 0 ? root : 0);

        for (uint32_t c = p->child; c < p->child + p->children; c++) {
            t->place[c].lo = lo;
            lo += t->place[c].hi;
        }
        p->hi += p->lo;
        if (p->member != ORR_NONE) {
            t->position[p->member] = p->lo;
            t->member[p->lo] = p->member;
        }
    }
}

/* Links that a switch can add up. */
static uint32_t most_children(const struct shape *x, uint32_t node)
{
    const struct orr_net_config *c = x->ask->config;

    return (uint32_t)(is_inside(x->g, node) ? c->in_servers.children
                                            : c->in_network.children);
}

/* The place that adds up packets of more senders than it can; ORR_NONE: none
 * does. Those below a place that passes them on are told apart above it. */
static uint32_t too_wide(const struct shape *x, const struct orr_tree *t,
                         uint32_t *senders)
{
    memset(senders, 0, t->places * sizeof *senders);
    for (uint32_t i = t->places; i-- > 0;) {
        const struct orr_tree_node *p = &t->place[i];
        bool one = p->adds || p->member != ORR_NONE;

        if (p->adds && !is_host(x, p->node)
            && senders[i] > most_children(x, p->node))
            return i;
        if (i > 0)
            senders[p->parent] += one ? 1 : senders[i];
    }
    return ORR_NONE;
}

/* False: ask->text names the switch that the group asks too much of. Takes the
 * queue as scratch, which `measure` does not need any more. */
static bool check_width(struct shape *x, const struct orr_tree *t)
{
    uint32_t *senders = x->queue; /* of places: nodes and members */
    char name[ORR_NODE_NAME];
    uint32_t i = too_wide(x, t, senders);

    if (i == ORR_NONE)
        return true;
    snprintf(x->ask->text, ORR_GROUP_TEXT,
             "%s would add up packets of %u senders, and %s.children is %u",
             orr__node_name(x->g, t->place[i].node, name, sizeof name),
             senders[i], x->ask->in->what, most_children(x, t->place[i].node));
    return false;
}

/* ---- all trees of a group ------------------------------------------------ */

/* Arrays of a tree with so many switches, its own; no connection is made yet.
 * False: no memory. */
static bool make_room(const struct shape *x, struct orr_tree *t,
                      uint32_t switches)
{
    uint32_t members = x->ask->spec->members;

    t->place = orr__alloc((size_t)switches + members + 1, sizeof *t->place);
    t->at = orr__alloc(members, sizeof *t->at);
    t->position = orr__alloc(members, sizeof *t->position);
    t->member = orr__alloc(members, sizeof *t->member);
    t->connection = orr__alloc(members + (size_t)1, sizeof *t->connection);
    for (uint32_t m = 0; t->connection && m <= members; m++)
        t->connection[m] = ORR_NONE;
    return t->place && t->at && t->position && t->member && t->connection;
}

static bool is_taken(const struct shape *x, uint32_t node)
{
    for (uint32_t i = 0; i < x->ask->n_taken; i++)
        if (x->ask->taken[i] == node)
            return true;
    return false;
}

/* The root of the turn, or the next that no other tree of the group has. */
static uint32_t choose_root(const struct shape *x, uint32_t turn)
{
    ORR_ASSERT(x->roots > 0); /* else it does not fit */
    for (uint32_t k = 0; k < x->roots; k++)
        if (!is_taken(x, x->root[(turn + k) % x->roots]))
            return x->root[(turn + k) % x->roots];
    return x->root[turn % x->roots];
}

/* A tree that is not possible is no error: ask->fits says so. What was
 * allocated stays in *tree, for orr__tree_free. With a server the root is its
 * switch, whatever the turn is. i: its number. */
static orr_err shape_one(struct shape *x, struct orr_tree *tree, uint32_t i,
                         struct orr_report *why)
{
    const struct orr_group_spec *s = x->ask->spec;
    uint32_t turn = s->first_tree * s->trees + i;
    uint32_t root = choose_root(x, is_served(x) ? i : turn);
    uint32_t switches = mark_paths(x, root, turn);

    if (!switches) {
        x->ask->fits = refuse(x, "a member has no way over switches to the "
                                 "root");
        return ORR_OK;
    }
    if ((uint64_t)switches + s->members >= ORR_PACKET_PLACE) {
        x->ask->fits = refuse(x, "a tree has room for two million hosts and "
                                 "switches");
        return ORR_OK;
    }
    tree->number = i;
    if (!make_room(x, tree, switches))
        return orr__no_memory(why);
    lay_out(x, tree, root);
    number_members(tree);
    x->ask->fits = check_width(x, tree);
    return ORR_OK;
}

/* False: no memory; `release` frees what there is. The queue has room for the
 * places of a tree too (check_width). */
static bool allocate(struct shape *x)
{
    uint32_t n = x->g->nodes, members = x->ask->spec->members;
    size_t places = (size_t)n + members + 1;

    x->distance = orr__alloc(n, sizeof *x->distance);
    x->queue = orr__alloc(places, sizeof *x->queue);
    x->farthest = orr__alloc(n, sizeof *x->farthest);
    x->sum = orr__alloc(n, sizeof *x->sum);
    x->root = orr__alloc(n, sizeof *x->root);
    x->parent = orr__alloc(n, sizeof *x->parent);
    x->first = orr__alloc(n, sizeof *x->first);
    x->next = orr__alloc(n, sizeof *x->next);
    x->members_at = orr__alloc(n, sizeof *x->members_at);
    x->next_member = orr__alloc(members, sizeof *x->next_member);
    x->on = orr__alloc(n, sizeof *x->on);
    return x->distance && x->queue && x->farthest && x->sum && x->root
           && x->parent && x->first && x->next && x->members_at
           && x->next_member && x->on;
}

/* Also of a shape that was allocated in part; no tree points into it. */
static void release(struct shape *x)
{
    orr__free(x->distance);
    orr__free(x->queue);
    orr__free(x->farthest);
    orr__free(x->sum);
    orr__free(x->root);
    orr__free(x->parent);
    orr__free(x->first);
    orr__free(x->next);
    orr__free(x->members_at);
    orr__free(x->next_member);
    orr__free(x->on);
}

orr_err orr__trees_shape(struct orr_tree_ask *ask, struct orr_tree *tree,
                         struct orr_report *why)
{
    struct shape x = {.ask = ask, .g = ask->graph};
    orr_err err = ORR_OK;

    ask->fits = false;
    if (!allocate(&x)) {
        err = orr__no_memory(why);
    } else {
        find_distances(&x);
        ask->fits = choose_roots(&x);
        if (ask->fits && ask->spec->trees > x.roots) {
            ask->fits = false;
            snprintf(ask->text, ORR_GROUP_TEXT,
                     "%u trees are too many: %u %s at the root of one",
                     ask->spec->trees, x.roots,
                     is_served(&x) ? "servers stand" : "switches could stand");
        }
    }
    for (uint32_t i = 0; i < ask->spec->trees && ask->fits && !err; i++)
        err = shape_one(&x, &tree[i], i, why);
    release(&x);
    return err;
}

orr_err orr__tree_reshape(struct orr_tree_ask *ask, uint32_t number,
                          struct orr_tree *tree, struct orr_report *why)
{
    struct shape x = {.ask = ask, .g = ask->graph};
    orr_err err = ORR_OK;

    ask->fits = false;
    if (!allocate(&x)) {
        err = orr__no_memory(why);
    } else {
        find_distances(&x);
        ask->fits = choose_roots(&x);
    }
    if (ask->fits && !err)
        err = shape_one(&x, tree, number, why);
    release(&x);
    return err;
}

void orr__tree_free(struct orr_tree *t)
{
    for (uint32_t i = 0; t->place && i < t->places; i++) {
        orr__sums_free(&t->place[i].sums);
        orr__free(t->place[i].acked);
    }
    orr__free(t->place);
    orr__free(t->at);
    orr__free(t->position);
    orr__free(t->member);
    orr__free(t->connection);
}
