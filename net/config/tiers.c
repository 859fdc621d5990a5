#include "net/config/tiers.h"

#include <stdio.h>
#include <string.h>

#include "core/config/module.h"
#include "net/config/queues.h"
#include "net/config/routing.h"
#include "topo/node_names.h"

#define INSIDE "server" /* of links inside servers, in rules */
#define NVLINK "nvlink" /* the same in graphs */

static const struct orr_param tier_params[] = {
    {.key = "queue",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct orr_tier_rule, queue_node),
     .fallback = "",
     .help = "a kind of queue and its own parameters, in place of "
             "network.queue (orrery list queues); the scheduler is of all "
             "ports"},
    {.key = "routing",
     .type = ORR_PARAM_NODE,
     .offset = offsetof(struct orr_tier_rule, routing_node),
     .fallback = "",
     .help = "how a node chooses among next hops of which the first is of this "
             "tier: ecmp, first, spray, spray-random, flowlet or adaptive"},
    {.key = "mtu",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct orr_tier_rule, mtu),
     .fallback = "",
     .min = "1B",
     .max = "8MiB",
     .help = "payload bytes of a full packet; of a connection over several "
             "tiers the least holds"},
    ORR_PARAM_END,
};

const struct orr_param *orr__tier_params(void)
{
    return tier_params;
}

/* ---- reading ------------------------------------------------------------- */

/* A kind that chooses at each node, by itself. */
static orr_err check_kind(struct orr_config *c, const struct orr_yaml *at,
                          const char *what, enum orr_path_kind kind,
                          struct orr_report *why)
{
    orr_err err;

    if (orr__path_is_local(kind))
        return ORR_OK;
    err = orr__yaml_fail(c, at, why,
                         "%s: %s chooses whole paths, and tiers with a routing "
                         "of their own need a choice at each node",
                         what, orr__path_kinds()[kind].name);
    orr__hint(why, "there are: ecmp first spray spray-random flowlet adaptive");
    return err;
}

/* One rule: its keys, then the members that they name, in t. */
static orr_err read_tier(struct orr_config *c, struct orr_net_config *n,
                         struct orr_tier_rule *t, const struct orr_yaml *map,
                         struct orr_report *why)
{
    char what[128], part[160];
    struct orr_param_set set = {tier_params, t, n};
    orr_err err;

    snprintf(what, sizeof what, "network.by_tier.%s", t->name);
    err = orr__param_read(c, map, what, &set, 1, why);
    if (err == ORR_OK && t->queue_node) {
        snprintf(part, sizeof part, "%s.queue", what);
        err = orr__queue_kind_read(c, t->queue_node, part, n, &t->queue,
                                   &t->queue_params, why);
    }
    if (err != ORR_OK || !t->routing_node)
        return err;
    t->routes = true;
    snprintf(part, sizeof part, "%s.routing", what);
    err = orr__routing_read(c, t->routing_node, part, n, &t->path,
                            &t->path_params, why);
    if (err == ORR_OK)
        err = check_kind(c, t->routing_node, part, t->path, why);
    if (err == ORR_OK)
        err = check_kind(c, n->routing_node, "network.routing", n->plain_path,
                         why);
    return err;
}

orr_err orr__tiers_read(struct orr_config *c, struct orr_net_config *n,
                        struct orr_report *why)
{
    const struct orr_yaml *map = n->tier_node;
    size_t count;
    orr_err err = ORR_OK;

    if (!map || orr__yaml_is_null(map))
        return ORR_OK;
    if (!orr__yaml_is_map(map)) {
        err = orr__yaml_fail(c, map, why,
                             "network.by_tier: a map of tiers and their rules "
                             "is expected here");
        orr__hint(why, "for example {server: {routing: spray}}");
        return err;
    }
    count = orr__yaml_count(map);
    if (count > ORR_MOST_TIERS)
        return orr__yaml_fail(c, map, why,
                              "network.by_tier: there are more than %d rules",
                              ORR_MOST_TIERS);
    n->rule = orr__arena_alloc(orr__config_arena(c), count, sizeof *n->rule);
    if (!n->rule)
        return orr__no_memory(why);
    for (; n->rules < count && err == ORR_OK; n->rules++) {
        struct orr_tier_rule *t = &n->rule[n->rules];

        t->at = orr__yaml_key(map, n->rules);
        t->name = orr__yaml_text(c, t->at);
        err = read_tier(c, n, t, orr__yaml_value(map, n->rules), why);
    }
    return err;
}

/* ---- which links --------------------------------------------------------- */

/* Does text match a pattern, in which * stands for anything? */
static bool matches(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL; /* the last *, and where it ends */

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

/* A pattern of link names, both ends of which have one of their own. */
struct pattern {
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
};

/* Is the name such a pattern? Blanks around the sign do not count. */
static bool split_pattern(const char *name, struct pattern *p)
{
    const char *sign = strchr(name, '>'), *to = sign ? sign + 1 : NULL;
    size_t n = sign ? (size_t)(sign - name) : 0;

    while (n > 0 && name[n - 1] == ' ')
        n--;
    while (to && *to == ' ')
        to++;
    if (!sign || n == 0 || n >= sizeof p->from || !*to
        || strlen(to) >= sizeof p->to)
        return false;
    memcpy(p->from, name, n);
    p->from[n] = '\0';
    snprintf(p->to, sizeof p->to, "%s", to);
    return true;
}

static bool fits_pattern(const struct orr_graph *g, uint32_t link,
                         const struct pattern *p)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];

    return matches(p->from, orr__node_name(g, g->from[link], from, sizeof from))
           && matches(p->to, orr__node_name(g, g->to[link], to, sizeof to));
}

static bool is_inside(const struct orr_graph *g, uint32_t link)
{
    return strcmp(g->tier_names[g->tier[link]], NVLINK) == 0;
}

/* The rule holds for links that no rule before it is of. Returns of how many
 * links it is, whatever holds for them. */
static uint32_t mark_links(struct orr_net_config *n, const struct orr_graph *g,
                           uint32_t rule)
{
    const char *name = n->rule[rule].name;
    struct pattern p;
    bool pattern = split_pattern(name, &p), inside = strcmp(name, INSIDE) == 0;
    uint32_t count = 0;

    for (uint32_t l = 0; l < g->links; l++) {
        bool here = pattern ? fits_pattern(g, l, &p)
                            : strcmp(name, g->tier_names[g->tier[l]]) == 0
                                  || (inside && is_inside(g, l));

        if (here && !n->rule_of[l])
            n->rule_of[l] = (uint8_t)(rule + 1);
        count += here;
    }
    return count;
}

/* The tiers that have links, and `server` if some are inside servers: names is
 * NULL-ended. */
static void list_tiers(const struct orr_graph *g,
                       const char *names[ORR_MOST_TIERS])
{
    uint32_t n = 0;

    for (uint32_t t = 0; g->tier_names[t] && n < ORR_MOST_TIERS - 1; t++) {
        bool used = false;

        for (uint32_t l = 0; l < g->links && !used; l++)
            used = g->tier[l] == t;
        if (used)
            names[n++] = strcmp(g->tier_names[t], NVLINK) == 0
                             ? INSIDE
                             : g->tier_names[t];
    }
    names[n] = NULL;
}

/* ECONFIG at a rule that no link is of. */
static orr_err fail_unknown(const struct orr_net_config *n,
                            const struct orr_graph *g, uint32_t rule,
                            struct orr_report *why)
{
    const struct orr_tier_rule *t = &n->rule[rule];
    const char *names[ORR_MOST_TIERS];
    struct pattern p;
    orr_err err;

    list_tiers(g, names);
    err = orr__yaml_fail(n->document, t->at, why,
                         split_pattern(t->name, &p)
                             ? "network.by_tier: no link is called \"%s\""
                             : "network.by_tier: no link is of a tier \"%s\"",
                         t->name);
    orr__hint_names(why, names, t->name);
    return err;
}

/* ---- what that means for all --------------------------------------------- */

static bool is_same_choice(const struct orr_net_config *n,
                           const struct orr_tier_rule *t)
{
    const struct orr_path_params *a = &t->path_params, *b = &n->path_params;

    return t->path == n->plain_path && a->gap_ps == b->gap_ps
           && a->table == b->table && a->choice == b->choice && a->per == b->per
           && a->step == b->step;
}

/* A network whose tiers all choose alike chooses as one without tiers. */
static void spread(struct orr_net_config *n)
{
    n->by_message = n->plain_path == ORR_PATH_message;
    for (uint32_t i = 0; i < n->rules; i++) {
        const struct orr_tier_rule *t = &n->rule[i];

        if (!t->routes || is_same_choice(n, t))
            continue;
        n->path = ORR_PATH_BY_TIER;
        n->reorders |= orr__path_reorders(t->path, &t->path_params);
        n->moves |= orr__path_moves(t->path, &t->path_params);
        n->by_message |= t->path == ORR_PATH_message;
        if (t->path_params.table > n->flowlets)
            n->flowlets = (uint32_t)t->path_params.table;
    }
}

/* ---- planes ---------------------------------------------------------------
 */

/* Does the link lead from where planes meet into one? */
static bool enters_plane(const struct orr_graph *g, uint32_t link)
{
    return !g->plane[g->from[link]] && g->plane[g->to[link]];
}

/* The rule of such links: one more, or what holds for them already with a
 * routing beside it. made: per rule so far, its number with that, or 0. */
static uint8_t rule_with_plane(struct orr_net_config *n, uint8_t rule,
                               uint8_t *made)
{
    static const enum orr_path_kind kinds[] = {
        [ORR_PLANE_PACKET] = ORR_PATH_spray,
        [ORR_PLANE_FLOW] = ORR_PATH_ecmp,
        [ORR_PLANE_MESSAGE] = ORR_PATH_message};
    struct orr_tier_rule *t = &n->rule[n->rules];

    if (rule && n->rule[rule - 1].routes)
        return rule;
    if (made[rule])
        return made[rule];
    *t = rule ? n->rule[rule - 1] : (struct orr_tier_rule){.name = "plane"};
    t->routes = true;
    t->path = kinds[n->plane];
    return made[rule] = (uint8_t)++n->rules;
}

/* How hosts choose among planes becomes a rule of their links. */
static orr_err choose_planes(struct orr_net_config *n,
                             const struct orr_graph *g, struct orr_report *why)
{
    struct orr_arena *arena = orr__config_arena(n->document);
    uint8_t made[ORR_MOST_TIERS + 1] = {0};
    struct orr_tier_rule *rule;

    if (n->detours)
        return orr__yaml_fail(n->document, n->routing_node, why,
                              "network.routing: no detour leads from one plane "
                              "to another; another kind, please");
    if (n->plane == ORR_PLANE_ROUTING)
        return ORR_OK;
    if (!orr__path_is_local(n->plain_path))
        return check_kind(n->document, n->routing_node, "network.routing",
                          n->plain_path, why);
    rule = orr__arena_alloc(arena, 2 * (size_t)n->rules + 1, sizeof *rule);
    if (!n->rule_of)
        n->rule_of = orr__arena_alloc(arena, g->links, 1);
    if (!rule || !n->rule_of)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n->rules; i++)
        rule[i] = n->rule[i];
    n->rule = rule;
    for (uint32_t l = 0; l < g->links; l++)
        if (enters_plane(g, l))
            n->rule_of[l] = rule_with_plane(n, n->rule_of[l], made);
    return ORR_OK;
}

/* What no queue may do beside others. */
static orr_err check_queues(const struct orr_net_config *n,
                            struct orr_report *why)
{
    for (uint32_t i = 0; i < n->rules; i++) {
        const struct orr_tier_rule *t = &n->rule[i];

        if (t->queue && t->queue->trims
            && (n->pfc.enabled || n->transport == ORR_TRANSPORT_DATAGRAM))
            return orr__yaml_fail(n->document, t->queue_node, why,
                                  "network.by_tier.%s.queue: %s", t->name,
                                  n->pfc.enabled
                                      ? "with pause frames no packet is ever "
                                        "trimmed"
                                      : "datagrams that are trimmed would "
                                        "never be sent again");
    }
    return ORR_OK;
}

orr_err orr__tiers_fit(struct orr_net_draft *draft, const struct orr_graph *g,
                       struct orr_report *why)
{
    struct orr_net_config *n = &draft->config;
    orr_err err = check_queues(n, why);

    if (err == ORR_OK && n->rules) {
        n->rule_of =
            orr__arena_alloc(orr__config_arena(n->document), g->links, 1);
        if (!n->rule_of)
            return orr__no_memory(why);
    }
    for (uint32_t i = 0; i < n->rules && err == ORR_OK; i++)
        if (!mark_links(n, g, i))
            err = fail_unknown(n, g, i, why);
    if (err == ORR_OK && g->planes > 1)
        err = choose_planes(n, g, why);
    if (err == ORR_OK)
        spread(n);
    return err;
}

/* ---- of all of them ------------------------------------------------------ */

struct orr_queue_kind orr__queue_at(const struct orr_net_config *c,
                                    uint32_t number)
{
    const struct orr_tier_rule *t = number ? &c->rule[number - 1] : NULL;

    return t && t->queue ? (struct orr_queue_kind){t->queue, t->queue_params}
                         : (struct orr_queue_kind){c->queue, c->queue_params};
}

bool orr__net_trims(const struct orr_net_config *c)
{
    bool any = false;

    for (uint32_t i = 0; i <= c->rules; i++)
        any = any || orr__queue_at(c, i).ops->trims;
    return any;
}

bool orr__net_judges(const struct orr_net_config *c)
{
    bool any = false;

    for (uint32_t i = 0; i <= c->rules; i++)
        any = any || orr__queue_at(c, i).ops->judge;
    return any;
}
