/* Groups: made and given back, and what they have come to. */
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "net/fabric/fault.h"
#include "net/fabric/packet_observer_calls.h"
#include "net/path/route.h"
#include "net/schedule/shares.h"
#include "net/tree/tree.h"
#include "topo/node_names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

void orr__net_expect_groups(struct orr_net_draft *draft, bool sums)
{
    draft->config.trees = true;
    draft->config.used.sums |= sums;
    draft->config.used.copies |= !sums;
}

/* ---- what a network cannot do ---------------------------------------------
 */

static const char *const kinds[] = {"in-network", "in-network", "in-network",
                                    "multicast"};

/* Whether this network can have trees at all. False: text says what it would
 * need. */
static bool suits_network(const struct orr_net_config *c,
                          const struct orr_group_spec *s,
                          char text[ORR_GROUP_TEXT])
{
    const char *why = NULL;

    if (c->transport != ORR_TRANSPORT_RELIABLE)
        why = "`network.transport: reliable`: there are no packets on trees "
              "with `analytical`, and no answers with `datagram`";
    else if (c->switching != ORR_SWITCHING_STORE_AND_FORWARD)
        why = "`network.switching: store-and-forward`";
    else if (orr__net_trims(c))
        why = "a queue that does not cut packets: nobody could add up what is "
              "left";
    else if (c->failures && c->failures->slots)
        why = "a network without circuits: these are set more often than trees "
              "can follow";
    if (!why)
        return true;
    snprintf(text, ORR_GROUP_TEXT, "`algorithm: %s` needs %s", kinds[s->kind],
             why);
    return false;
}

/* Are all hosts GPUs of one server? */
static bool is_one_server(const struct orr_graph *g,
                          const struct orr_group_spec *s)
{
    for (uint32_t i = 1; i < s->members; i++)
        if (s->hosts[i] / g->gpus != s->hosts[0] / g->gpus)
            return false;
    return true;
}

/* Whether `in` can add up for these members; NULL, and any multicast, suits
 * all. False: text says why not. */
static bool are_members_fit(const struct orr_graph *g,
                            const struct orr_net_config *c,
                            const struct orr_group_spec *s,
                            const struct orr_in_network *in,
                            char text[ORR_GROUP_TEXT])
{
    if (in == &c->in_servers && s->kind != ORR_GROUP_MULTICAST
        && !is_one_server(g, s)) {
        snprintf(text, ORR_GROUP_TEXT,
                 "switches of servers add up what is in one server: others "
                 "between these need `network.in_network`");
        return false;
    }
    if (in && in->ops->server && s->kind != ORR_GROUP_MULTICAST
        && s->kind != ORR_GROUP_SUM) {
        snprintf(text, ORR_GROUP_TEXT,
                 "`kind: %s` is for all-reduce: its server sends the sum to "
                 "everybody",
                 in->ops->name);
        return false;
    }
    return true;
}

orr_err orr__net_group_check(const struct orr_graph *graph,
                             const struct orr_net_config *config,
                             const struct orr_group_spec *spec, bool *fits,
                             char text[ORR_GROUP_TEXT], struct orr_report *why)
{
    struct orr_tree_ask ask = {graph, config, spec, NULL, text, false};
    struct orr_tree *tree;
    orr_err err;

    ask.in = orr__tree_adder(graph, config, spec);
    text[0] = '\0';
    *fits = suits_network(config, spec, text)
            && are_members_fit(graph, config, spec, ask.in, text);
    if (!*fits)
        return ORR_OK;
    tree = orr__alloc(spec->trees, sizeof *tree);
    if (!tree)
        return orr__no_memory(why);
    err = orr__trees_shape(&ask, tree, why);
    *fits = ask.fits;
    for (uint32_t i = 0; i < spec->trees; i++)
        orr__tree_free(&tree[i]);
    orr__free(tree);
    return err;
}

/* ---- connections ----------------------------------------------------------
 */

/* What its control may know of a member: the way to the root and back. */
static struct orr_cc_path path_of(const struct orr_net *n,
                                  const struct orr_tree *t, uint32_t place,
                                  int64_t now)
{
    const struct orr_tree_group *g = t->group;
    struct orr_cc_path path = {
        .now_ps = now,
        .packet_bytes = (uint32_t)(g->payload + n->config->header),
        .payload_bytes = (uint32_t)g->payload,
        .line_bps = UINT64_MAX,
    };

    for (uint32_t i = place; t->place[i].parent != ORR_NONE;
         i = t->place[i].parent) {
        uint32_t link[2] = {t->place[i].up, t->place[i].down};

        for (int k = 0; k < 2; k++)
            path.base_rtt_ps = orr__time_add(
                path.base_rtt_ps,
                orr__time_add(n->port[link[k]].delay_ps,
                              orr__serialisation(path.packet_bytes,
                                                 n->begin_bps[link[k]])));
        path.hops++;
        if (path.line_bps == UINT64_MAX)
            path.line_bps = n->begin_bps[link[0]];
    }
    if (path.hops > 0)
        return path;
    /* the source of a multicast: as far as its farthest member */
    path.line_bps = n->begin_bps[t->place[t->place[place].child].down];
    for (uint32_t i = 0; i < t->places; i++) {
        struct orr_cc_path to;

        if (t->place[i].member == ORR_NONE || t->place[i].parent == ORR_NONE)
            continue;
        to = path_of(n, t, i, now);
        if (to.base_rtt_ps > path.base_rtt_ps) {
            path.base_rtt_ps = to.base_rtt_ps;
            path.hops = to.hops;
        }
    }
    return path;
}

/* How many packets it begins with, and what changes that. */
static bool init_control(struct orr_net *n, struct orr_sender *x, int64_t now)
{
    const struct orr_tree *t = x->stream->tree;
    const struct orr_cc *cc = x->control;
    struct orr_cc_path path = path_of(n, t, x->stream->place, now);

    x->window.cwnd =
        cc->state_size ? n->config->initial_window : n->fixed_window;
    if (t->group->in && t->group->in->ops->clocked
        && t->group->kind != ORR_GROUP_MULTICAST)
        x->window.cwnd = t->window;
    if (x->window.cwnd > t->window)
        x->window.cwnd = t->window;
    x->cc = orr__alloc(1, cc->state_size);
    if (!x->cc)
        return false;
    if (cc->ops->init)
        cc->ops->init(x->cc, cc->params, &x->window, &path);
    x->hears = cc->ops->on_ack != NULL;
    x->hears_sends = cc->ops->on_send != NULL;
    return true;
}

/* Its name is as good as that of a connection: of job, group and member. */
static uint64_t identity_of(const struct orr_tree *t, uint32_t member)
{
    const uint64_t name[] = {t->group->identity, t->number, member};

    return XXH3_64bits(name, sizeof name);
}

static void name_ends(struct orr_net *n, struct orr_sender *x,
                      struct orr_receiver *r, uint32_t host)
{
    x->src = r->src = x->dst = r->dst = host;
    x->worker = (uint16_t)n->node[host].worker;
    x->hash = orr__direction_hash(n, x->identity, true);
    r->hash = orr__direction_hash(n, x->identity, false);
    x->path_hash = x->hash;
    r->path_hash = r->hash;
    r->held = ORR_ALARM_OFF;
}

/* What takes part in orr__net_connect for others. */
static void init_sender(struct orr_net *n, struct orr_sender *x)
{
    const struct orr_tree_group *g = x->stream->tree->group;
    const struct orr_net_service *service =
        g->service ? g->service : &n->config->service;

    x->message = x->first_unacked = x->last_message = ORR_NONE;
    x->list_next = x->list_prev = x->nic_port = ORR_NONE;
    x->own_rto = x->own_delivered = true;
    x->rto = n->config->rto.first_ps;
    x->delivered.at = -1;
    x->least_rtt = ORR_NEVER;
    x->tail = x->timeout = x->reorder = ORR_ALARM_OFF;
    x->control = service->cc;
    if (g->in && g->kind != ORR_GROUP_MULTICAST)
        x->control = g->in->cc ? g->in->cc : &n->trees->none;
    x->class = service->class & (ORR_MOST_CLASSES - 1);
    x->window.gain = service->weight;
    x->share = g->share * ORR_MOST_CLASSES + service->class;
    x->price = orr__share_price(service->weight);
    x->to = orr__packet_to(ORR_PACKET_TREE, service->class | ORR_PACKET_ROUTED);
    x->own = &orr__tree_sender;
    x->mtu = (uint32_t)g->payload;
}

/* Its path is the first link alone: what it sends goes to switches. */
static ORR_TELLS void tell_connection(struct orr_net *n,
                                      const struct orr_sender *x, int64_t now)
{
    const struct orr_tree_group *g = x->stream->tree->group;
    const struct orr_connection_spec spec = {.src = x->src,
                                             .dst = x->dst,
                                             .identity = x->identity,
                                             .service = g->service,
                                             .path = x->path,
                                             .path_links = x->path_links,
                                             .share = g->share};

    orr__observers_connected(n, now, x->id, &spec);
}

/* member: `members` of a server. False: no memory. */
static bool connect(struct orr_net *n, struct orr_tree *t, uint32_t member,
                    uint32_t host, uint32_t place, int64_t now)
{
    struct orr_lane *lane = orr__lane_of(n, host);
    uint32_t id = orr__slab_new(&n->senders, &lane->connections);
    struct orr_sender *x;
    struct orr_receiver *r;

    if (id == ORR_NONE || !orr__slab_reach(&n->receivers, id))
        return false;
    x = orr__sender(n, id);
    r = orr__receiver(n, id);
    x->id = id;
    x->identity = identity_of(t, member);
    x->stream = orr__alloc(1, sizeof *x->stream);
    if (!x->stream)
        return false;
    x->stream->tree = t;
    x->stream->member = member;
    x->stream->place = place;
    name_ends(n, x, r, host);
    init_sender(n, x);
    r->class = x->class;
    x->path = t->place[place].parent != ORR_NONE
                  ? &t->place[place].up
                  : &t->place[t->place[place].child].down;
    x->path_links = 1;
    t->connection[member] = id;
    if (!init_control(n, x, now))
        return false;
    if (orr__observers_see(n))
        tell_connection(n, x, now);
    return true;
}

/* ---- a group ---------------------------------------------------------------
 */

/* False: no memory; what was allocated stays the group's. */
static bool copy_members(struct orr_tree_group *g,
                         const struct orr_group_spec *s)
{
    g->hosts = orr__alloc(s->members, sizeof *g->hosts);
    g->ranks = orr__alloc(s->members, sizeof *g->ranks);
    g->tree = orr__alloc(s->trees, sizeof *g->tree);
    g->servers = orr__alloc(s->n_servers + (size_t)1, sizeof *g->servers);
    if (!g->hosts || !g->ranks || !g->tree || !g->servers)
        return false;
    for (uint32_t i = 0; i < s->n_servers; i++)
        g->servers[i] = s->servers[i];
    g->n_servers = s->n_servers;
    memcpy(g->hosts, s->hosts, s->members * sizeof *g->hosts);
    memcpy(g->ranks, s->ranks, s->members * sizeof *g->ranks);
    return true;
}

/* NULL, or one that was made in part. */
static void free_group(struct orr_tree_group *g)
{
    for (uint32_t i = 0; g && g->tree && i < g->trees; i++)
        orr__tree_free(&g->tree[i]);
    if (!g)
        return;
    orr__free(g->tree);
    orr__free(g->hosts);
    orr__free(g->ranks);
    orr__free(g->servers);
    orr__free(g);
}

static const struct orr_in_network *adder_of(const struct orr_net *n,
                                             uint32_t node)
{
    const struct orr_graph *g = n->graph;
    bool inside =
        g->gpus && node >= g->hosts && node < g->hosts + g->hosts / g->gpus;

    return inside ? &n->config->in_servers : &n->config->in_network;
}

/* What a node keeps for sums; a switch gets it with its first tree. */
static bool make_aggregator(struct orr_net *n, uint32_t node)
{
    struct orr_aggregator *a = n->trees->at[node];

    if (a)
        return true;
    a = n->trees->at[node] = orr__alloc_lines(1, sizeof *a);
    if (!a)
        return false;
    a->in = adder_of(n, node);
    if (!a->in->ops || a->in->ops->pool != ORR_POOL_HASHED
        || a->in->slots == ORR_AUTO)
        return true;
    a->held = orr__alloc((size_t)a->in->slots, sizeof *a->held);
    return a->held != NULL;
}

/* The switches that add, and the parts that jobs have of their slots. */
bool orr__tree_enter(struct orr_net *n, const struct orr_tree *t)
{
    for (uint32_t i = 0; i < t->places; i++) {
        const struct orr_tree_node *p = &t->place[i];

        if (!p->adds)
            continue;
        if (!make_aggregator(n, p->node)
            || (!orr__is_host(n->graph, p->node)
                && !orr__pool_enter(n->trees->at[p->node], t->group->share)))
            return false;
    }
    return true;
}

/* Of places: what they keep of sums and ACKs. */
static bool make_places(struct orr_tree *t)
{
    const struct orr_tree_group *g = t->group;
    bool multicast = g->kind == ORR_GROUP_MULTICAST;

    for (uint32_t i = 0; i < t->places; i++) {
        struct orr_tree_node *p = &t->place[i];

        if (p->adds
            && !orr__sums_init(&p->sums, p->hi - p->lo, t->window,
                               g->in->ops->clocked))
            return false;
        if (multicast) {
            p->acked = orr__alloc(p->children, sizeof *p->acked);
            if (!p->acked)
                return false;
        }
    }
    return true;
}

/* How many of a group's trees a switch adds up. */
static uint32_t trees_through(const struct orr_tree_group *g, uint32_t node)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < g->trees; i++)
        for (uint32_t k = 0; k < g->tree[i].places; k++)
            count +=
                g->tree[i].place[k].node == node && g->tree[i].place[k].adds;
    return count ? count : 1;
}

/* Packets that a member may have under way on a tree: as many as there are
 * slots for at all of its switches. *short_of: of one that has none. */
uint32_t orr__tree_window(const struct orr_net *n, const struct orr_tree *t,
                          uint32_t *short_of)
{
    const struct orr_tree_group *g = t->group;
    uint64_t window = g->in && g->kind != ORR_GROUP_MULTICAST
                          ? (uint64_t)g->in->window
                          : 1u << 30;

    *short_of = ORR_NONE;
    for (uint32_t i = 0; i < t->places && g->in; i++) {
        const struct orr_tree_node *p = &t->place[i];
        uint32_t share;

        if (!p->adds || !g->in->ops->clocked)
            continue;
        share = orr__pool_share(n->trees->at[p->node], g->share);
        if (share == ORR_NONE)
            continue;
        share /= trees_through(g, p->node);
        if (share == 0)
            *short_of = p->node;
        window = share < window ? share : window;
    }
    return (uint32_t)window;
}

/* Always an error, at the key `slots` of the switch: a member with a window of
 * no packets would wait for ever. */
static orr_err no_slots(const struct orr_net *n, const struct orr_tree_group *g,
                        uint32_t node, struct orr_report *why)
{
    const struct orr_aggregator *a = n->trees->at[node];
    char name[ORR_NODE_NAME];

    return orr__yaml_fail(
        n->config->document, orr__yaml_get(a->in->node, "slots"), why,
        "%s.slots: %s has %lld for %u jobs with %u trees each: not one for "
        "each of them",
        a->in->what, orr__node_name(n->graph, node, name, sizeof name),
        (long long)a->in->slots, a->shares, trees_through(g, node));
}

/* In the order of the members, the server last: numbers of connections depend
 * on nothing else. False: no memory; those that were made stay the net's. */
static bool make_connections(struct orr_net *n, struct orr_tree *t, int64_t now)
{
    const struct orr_tree_group *g = t->group;

    for (uint32_t m = 0; m < g->members; m++)
        if (t->connection[m] == ORR_NONE
            && !connect(n, t, m, g->hosts[m], t->at[m], now))
            return false;
    return g->kind == ORR_GROUP_MULTICAST
           || !orr__is_host(n->graph, t->place[0].node)
           || t->connection[g->members] != ORR_NONE
           || connect(n, t, g->members, t->place[0].node, 0, now);
}

bool orr__tree_settle(struct orr_net *n, struct orr_tree *t, int64_t now)
{
    uint32_t short_of, window = orr__tree_window(n, t, &short_of);

    if (t->moves == 0 || window < t->window)
        t->window = window;
    return make_places(t) && make_connections(n, t, now);
}

/* Once all groups of the beginning are there, so that all jobs have their part
 * of slots; later ones get theirs as they come. */
static orr_err settle(struct orr_net *n, struct orr_tree_group *g, int64_t now,
                      struct orr_report *why)
{
    for (uint32_t i = 0; i < g->trees; i++) {
        if (!orr__tree_settle(n, &g->tree[i], now))
            return orr__no_memory(why);
    }
    g->settled = true;
    return ORR_OK;
}

static bool make_trees(struct orr_net *n)
{
    if (n->trees)
        return true;
    n->trees = orr__alloc(1, sizeof *n->trees);
    if (!n->trees)
        return false;
    n->trees->none = (struct orr_cc){.ops = orr__cc_kinds()[0]};
    n->trees->at = orr__alloc(n->graph->nodes, sizeof *n->trees->at);
    return n->trees->at != NULL;
}

/* Room for packets of a message on a tree, if each member has its own part. */
static void measure_parts(struct orr_tree_group *g, uint64_t largest)
{
    uint64_t part = (largest + g->members - 1) / g->members;

    g->each = (uint32_t)((part + g->payload - 1) / g->payload);
    g->each = g->each ? g->each : 1;
}

static uint64_t payload_of(const struct orr_net *n,
                           const struct orr_tree_group *g)
{
    bool adds = g->in && g->kind != ORR_GROUP_MULTICAST;

    return adds ? g->in->payload : n->config->mtu;
}

/* The caller owns it. It has no places yet and takes no slots: the shape may
 * still turn out to be impossible. NULL: no memory. */
static struct orr_tree_group *new_group(struct orr_net *n,
                                        const struct orr_group_spec *s)
{
    struct orr_tree_group *g = orr__alloc(1, sizeof *g);

    if (!g)
        return NULL;
    *g = (struct orr_tree_group){
        .kind = s->kind,
        .members = s->members,
        .root = s->root,
        .trees = s->trees,
        .identity = s->identity,
        .share = s->share,
        .first_tree = s->first_tree,
        .service = s->service,
        .in = orr__tree_adder(n->graph, n->config, s),
    };
    g->payload = payload_of(n, g);
    measure_parts(g, s->largest);
    if (copy_members(g, s)) {
        for (uint32_t i = 0; i < g->trees; i++)
            g->tree[i].group = g;
        return g;
    }
    free_group(g);
    return NULL;
}

/* Whether each job that is there now has a slot for each of its trees. */
static orr_err check_slots(const struct orr_net *n, struct orr_report *why)
{
    for (uint32_t i = 0; i < n->trees->groups; i++) {
        const struct orr_tree_group *g = n->trees->group[i];
        uint32_t short_of = ORR_NONE;

        for (uint32_t t = 0; t < g->trees && short_of == ORR_NONE; t++)
            orr__tree_window(n, &g->tree[t], &short_of);
        if (short_of != ORR_NONE)
            return no_slots(n, g, short_of, why);
    }
    return ORR_OK;
}

orr_err orr__net_group(struct orr_net *n, const struct orr_group_spec *spec,
                       uint32_t *id, struct orr_report *why)
{
    char text[ORR_GROUP_TEXT] = "";
    struct orr_tree_ask ask = {n->graph, n->config, spec, NULL, text, false};
    struct orr_tree_group *g;
    orr_err err;

    if (!make_trees(n)
        || !orr__array_more(n->trees->group, n->trees->room, n->trees->groups))
        return orr__no_memory(why);
    g = new_group(n, spec);
    if (!g)
        return orr__no_memory(why);
    *id = n->trees->groups;
    n->trees->group[n->trees->groups++] = g;
    ask.in = g->in;
    ask.fits = suits_network(n->config, spec, text)
               && are_members_fit(n->graph, n->config, spec, g->in, text);
    err = ask.fits ? orr__trees_shape(&ask, g->tree, why) : ORR_OK;
    if (err == ORR_OK && !ask.fits)
        return orr__fail(why, ORR_ECONFIG, "%s", text);
    for (uint32_t i = 0; i < g->trees && err == ORR_OK; i++) {
        g->tree[i].group = g; /* made anew with its places */
        if (!orr__tree_enter(n, &g->tree[i]))
            err = orr__no_memory(why);
    }
    if (err == ORR_OK && g->in && g->in->slots != ORR_AUTO)
        err = check_slots(n, why);
    return err;
}

orr_err orr__net_groups_settle(struct orr_net *n, int64_t now,
                               struct orr_report *why)
{
    orr_err err = ORR_OK;

    for (uint32_t i = 0; n->trees && i < n->trees->groups && err == ORR_OK; i++)
        if (!n->trees->group[i]->settled)
            err = settle(n, n->trees->group[i], now, why);
    return err == ORR_OK ? orr__trees_watch(n, why) : err;
}

uint32_t orr__net_group_connection(const struct orr_net *n, uint32_t group,
                                   uint32_t member, uint32_t tree)
{
    const struct orr_tree *t;

    if (!n->trees || group >= n->trees->groups)
        return ORR_NONE;
    t = &n->trees->group[group]->tree[tree];
    return t->connection ? t->connection[member] : ORR_NONE;
}

void orr__trees_free(struct orr_net *n)
{
    struct orr_trees *t = n->trees;

    if (!t)
        return;
    for (uint32_t i = 0; i < t->groups; i++)
        free_group(t->group[i]);
    for (uint32_t i = 0; t->at && i < n->graph->nodes; i++) {
        if (!t->at[i])
            continue;
        orr__free(t->at[i]->share);
        orr__free(t->at[i]->held);
        orr__free(t->at[i]->late);
        orr__free(t->at[i]->late_link);
        orr__free(t->at[i]);
    }
    orr__free(t->at);
    orr__free(t->group);
    orr__free(t);
    n->trees = NULL;
}

void orr__tree_fail(struct orr_net *n, uint32_t node, int64_t now,
                    const struct orr_tree *t, uint32_t seq)
{
    char name[ORR_NODE_NAME];

    n->trees->at[node]->totals.misfits++;
    orr__net_fail_at(n, node, now,
                     "the sum of packet %u of a group of %u at %s would have a "
                     "member twice, or lack one",
                     seq, t->group->members,
                     orr__node_name(n->graph, node, name, sizeof name));
}

/* ---- who adds -------------------------------------------------------------
 */

/* The lowest and highest level of the switches from `from` to before `end`. */
static void find_levels(const struct orr_graph *g, uint32_t from, uint32_t end,
                        uint8_t *lowest, uint8_t *highest)
{
    *lowest = UINT8_MAX;
    *highest = 0;
    for (uint32_t v = from; v < end; v++) {
        if (g->level[v] < *lowest)
            *lowest = g->level[v];
        if (g->level[v] > *highest)
            *highest = g->level[v];
    }
}

/* `at` as a list. in->adds has a false for each node before. A name may stand
 * there twice; hosts, and switches of the other map, are refused. */
static orr_err read_names(struct orr_config *c, const struct orr_graph *g,
                          struct orr_in_network *in, uint32_t from,
                          uint32_t end, struct orr_report *why)
{
    for (size_t i = 0; i < orr__yaml_count(in->at); i++) {
        const struct orr_yaml *item = orr__yaml_item(in->at, i);
        uint32_t node;
        orr_err err = orr__node_read(g, c, item, &node, why);

        if (err != ORR_OK)
            return err;
        if (orr__is_host(g, node))
            return orr__yaml_fail(c, item, why,
                                  "%s.at: \"%s\" is a host, which adds "
                                  "nothing",
                                  in->what, orr__yaml_text(c, item));
        if (node < from || node >= end)
            return orr__yaml_fail(c, item, why,
                                  "%s.at: \"%s\" is a switch %s a server, "
                                  "which another key is about",
                                  in->what, orr__yaml_text(c, item),
                                  from > g->hosts ? "inside" : "outside of");
        in->adds[node] = true;
    }
    return ORR_OK;
}

/* `at` as one word. Top and bottom are of the switches from node `from` on, so
 * that those inside servers are not the bottom of a network. */
static orr_err read_level(struct orr_config *c, const struct orr_graph *g,
                          struct orr_in_network *in, uint32_t from,
                          uint32_t end, struct orr_report *why)
{
    const char *text = orr__yaml_text(c, in->at);
    bool top = text && strcmp(text, "top") == 0;
    bool bottom = text && strcmp(text, "bottom") == 0;
    uint8_t lowest, highest;

    if (!text || (!top && !bottom && strcmp(text, "all") != 0))
        return orr__yaml_fail(c, in->at, why,
                              "%s.at: all, top, bottom or a list of names of "
                              "switches is expected",
                              in->what);
    find_levels(g, from, end, &lowest, &highest);
    for (uint32_t v = from; v < end; v++)
        in->adds[v] = (!top || g->level[v] == highest)
                      && (!bottom || g->level[v] == lowest);
    return ORR_OK;
}

/* from, end: the switches that it is about. */
static orr_err choose_switches(struct orr_config *c, const struct orr_graph *g,
                               struct orr_in_network *in, uint32_t from,
                               uint32_t end, struct orr_report *why)
{
    if (!in->ops)
        return ORR_OK;
    in->adds =
        orr__arena_alloc(orr__config_arena(c), g->nodes, sizeof *in->adds);
    if (!in->adds)
        return orr__no_memory(why);
    if (from == end)
        return orr__yaml_fail(c, in->node, why, "%s: there are no switches",
                              in->what);
    if (in->at && orr__yaml_is_list(in->at))
        return read_names(c, g, in, from, end, why);
    if (in->at)
        return read_level(c, g, in, from, end, why);
    for (uint32_t v = from; v < end; v++)
        in->adds[v] = true;
    return ORR_OK;
}

orr_err orr__net_switches_add(struct orr_net_draft *draft,
                              const struct orr_graph *g, struct orr_report *why)
{
    struct orr_net_config *c = &draft->config;
    uint32_t inside = g->gpus ? g->hosts / g->gpus : 0;
    orr_err err = choose_switches(c->document, g, &c->in_servers, g->hosts,
                                  g->hosts + inside, why);

    if (err == ORR_OK)
        err = choose_switches(c->document, g, &c->in_network, g->hosts + inside,
                              g->nodes, why);
    return err;
}
