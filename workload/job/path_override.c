#include "workload/job/path_override.h"
#include "core/none.h"

#include <xxhash.h>

#include "core/array.h"
#include "core/memory.h"
#include "topo/equal_paths.h"
#include "topo/link_names.h"
#include "workload/flow/explicit_path.h"

/* ---- the set ------------------------------------------------------------- */

static uint64_t key_of(uint32_t src, uint32_t dst)
{
    return (uint64_t)src << 32 | dst;
}

orr_err orr__path_overrides_put(struct orr_path_overrides *all,
                                const struct orr_path_override *one,
                                struct orr_report *why)
{
    uint64_t key = key_of(one->src, one->dst);
    uint32_t at = orr__table_find(&all->by_pair, key);
    if (at != ORR_NONE) {
        all->override[at] = *one;
        return ORR_OK;
    }
    if (!orr__array_more(all->override, all->room, all->n))
        return orr__no_memory(why);
    if (!orr__table_add(&all->by_pair, key, all->n))
        return orr__no_memory(why);
    all->override[all->n++] = *one;
    return ORR_OK;
}

void orr__path_overrides_set(const struct orr_path_overrides *all, uint32_t src,
                             uint32_t dst, struct orr_connection_spec *spec)
{
    uint32_t at = orr__table_find(&all->by_pair, key_of(src, dst));
    const uint64_t mixed[] = {all->entropy, src, dst};
    if (at != ORR_NONE) {
        const struct orr_path_override *c = &all->override[at];
        spec->path = c->link;
        spec->path_links = c->links;
        spec->entropy = c->link ? 0 : c->entropy;
    } else if (all->entropy) {
        spec->entropy = XXH3_64bits(mixed, sizeof mixed) | 1;
    }
}

void orr__path_overrides_fini(struct orr_path_overrides *all)
{
    orr__table_fini(&all->by_pair);
    orr__free(all->override);
    *all = (struct orr_path_overrides){.n = 0};
}

/* ---- reading ------------------------------------------------------------- */

/* Of an entropy: what is known of it when paths are looked up. */
static const char *same_path(const void *set, const void *around)
{
    return *(const char *const *)around;
}

/* An item of `paths`. */
struct override_keys {
    int64_t from, to, choice, entropy;
    const struct orr_yaml *path, *links;
};

#define AT(member) offsetof(struct override_keys, member)
const struct orr_param orr__progress_params[] = {
    {.key = "from",
     .type = ORR_PARAM_INT,
     .offset = AT(from),
     .min = "0",
     .help = "rank that sends"},
    {.key = "to",
     .type = ORR_PARAM_INT,
     .offset = AT(to),
     .min = "0",
     .help = "rank that receives"},
    {.key = "choice",
     .type = ORR_PARAM_INT,
     .offset = AT(choice),
     .fallback = "",
     .min = "0",
     .help =
         "which of the equal-cost paths, from 0 on, by the ids of their links"},
    {.key = "path",
     .type = ORR_PARAM_NODE,
     .offset = AT(path),
     .fallback = "",
     .help = "or: the nodes of the data path, from host to host, by number or "
             "name; of parallel links the lowest"},
    {.key = "links",
     .type = ORR_PARAM_NODE,
     .offset = AT(links),
     .fallback = "",
     .help = "or: a list of its links, by id or as in `a > b`"},
    {.key = "entropy",
     .type = ORR_PARAM_INT,
     .offset = AT(entropy),
     .fallback = "",
     .min = "0",
     .max = "4294967295",
     .help = "or: a number that replaces the connection in the hash of ECMP",
     .idle = same_path},
    ORR_PARAM_END,
};

/* Links that lead from host to host without coming to a node twice; in the
 * document's arena. */
static orr_err read_links(const struct orr_path_override_reader *r,
                          const struct orr_yaml *list,
                          struct orr_path_override *out)
{
    size_t n = orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    const struct orr_graph *g = r->graph;
    char from[ORR_NODE_NAME], name[ORR_NODE_NAME];
    uint32_t at = r->hosts[out->src], end = r->hosts[out->dst];
    uint32_t *link =
        orr__arena_alloc(orr__config_arena(r->c), n ? n : 1, sizeof *link);
    if (!link)
        return orr__no_memory(r->why);
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *item = orr__yaml_item(list, i);
        orr_err err = orr__link_read(g, r->c, item, "paths", &link[i], r->why);
        if (err)
            return err;
        if (g->from[link[i]] != at)
            return orr__yaml_fail(
                r->c, item, r->why,
                "paths: this link begins at %s, and the path is at %s",
                orr__node_name(g, g->from[link[i]], from, sizeof from),
                orr__node_name(g, at, name, sizeof name));
        at = g->to[link[i]];
        if (at != end && !g->forwards[at])
            return orr__yaml_fail(r->c, item, r->why,
                                  "paths: %s does not forward",
                                  orr__node_name(g, at, name, sizeof name));
        for (size_t k = 0; k <= i; k++)
            if (g->from[link[k]] == at)
                return orr__yaml_fail(r->c, item, r->why,
                                      "paths: the path visits %s twice",
                                      orr__node_name(g, at, name, sizeof name));
    }
    if (at != end || !n)
        return orr__yaml_fail(r->c, list, r->why,
                              "paths: the path does not end at %s",
                              orr__node_name(g, end, name, sizeof name));
    out->link = link;
    out->links = (uint32_t)n;
    return ORR_OK;
}

/* One of the four says where it goes. */
static orr_err read_path(const struct orr_path_override_reader *r,
                         const struct orr_yaml *node,
                         const struct override_keys *k,
                         struct orr_path_override *out)
{
    const struct orr_yaml *path = orr__yaml_get(node, "path");
    const struct orr_yaml *links = orr__yaml_get(node, "links");
    int count =
        (path != NULL) + (links != NULL) + (k->choice >= 0) + (k->entropy >= 0);
    if (count != 1)
        return orr__yaml_fail(r->c, node, r->why,
                              "paths: one of choice, path, links and entropy "
                              "is expected");
    out->entropy = k->entropy >= 0 ? (uint64_t)k->entropy + 1 : 0;
    out->choice = k->choice >= 0 ? (uint64_t)k->choice : ORR_NO_CHOICE;
    if (links)
        return read_links(r, links, out);
    if (!path)
        return ORR_OK;
    const struct orr_path_request q = {.c = r->c,
                                       .g = r->graph,
                                       .node = path,
                                       .src = r->hosts[out->src],
                                       .dst = r->hosts[out->dst],
                                       .why = r->why};
    return orr__path_request_links(&q, &out->link, &out->links);
}

/* One pair of ranks on different hosts, once. */
static orr_err read_override(const struct orr_path_override_reader *r,
                             const struct orr_yaml *node,
                             struct orr_path_overrides *all)
{
    struct override_keys k = {.choice = -1, .entropy = -1};
    const char **idle =
        orr__arena_alloc(orr__config_arena(r->c), 1, sizeof *idle);
    const struct orr_param_set set = {orr__progress_params, &k, idle};
    orr_err err = idle ? orr__param_read(r->c, node, "paths", &set, 1, r->why)
                       : orr__no_memory(r->why);
    if (err)
        return err;
    const char *const end[] = {"from", "to"};
    for (int i = 0; i < 2; i++)
        if ((i ? k.to : k.from) >= r->ranks)
            return orr__yaml_fail(r->c, orr__yaml_get(node, end[i]), r->why,
                                  "paths: ranks are 0 to %u", r->ranks - 1);
    struct orr_path_override one = {.src = (uint32_t)k.from,
                                    .dst = (uint32_t)k.to,
                                    .at = node,
                                    .idle = idle};
    if (r->hosts[one.src] == r->hosts[one.dst])
        return orr__yaml_fail(r->c, node, r->why,
                              "paths: ranks %u and %u are on one host", one.src,
                              one.dst);
    if (orr__table_find(&all->by_pair, key_of(one.src, one.dst)) != ORR_NONE)
        return orr__yaml_fail(r->c, node, r->why,
                              "paths: from rank %u to rank %u there is one "
                              "already",
                              one.src, one.dst);
    err = read_path(r, node, &k, &one);
    return err ? err : orr__path_overrides_put(all, &one, r->why);
}

/* 0 stands for none, so it is kept plus one. */
static orr_err read_entropy(const struct orr_path_override_reader *r,
                            const struct orr_yaml *node,
                            struct orr_path_overrides *out)
{
    int64_t entropy;
    const struct orr_param table[] = {
        {.key = "entropy",
         .type = ORR_PARAM_INT,
         .min = "0",
         .max = "4294967295",
         .help = "mixed into the choice of all its connections",
         .idle = same_path},
        ORR_PARAM_END,
    };
    const char **idle =
        orr__arena_alloc(orr__config_arena(r->c), 1, sizeof *idle);
    const struct orr_param_set set = {table, &entropy, idle};
    orr_err err = idle ? orr__param_read(r->c, node, "paths", &set, 1, r->why)
                       : orr__no_memory(r->why);
    if (idle)
        *idle = r->same;
    if (!err)
        out->entropy = (uint64_t)entropy + 1;
    return err;
}

orr_err orr__path_overrides_read(const struct orr_path_override_reader *r,
                                 const struct orr_yaml *node,
                                 struct orr_path_overrides *out)
{
    orr_err err = ORR_OK;
    if (!node || orr__yaml_is_null(node))
        return ORR_OK;
    if (r->detours)
        return orr__yaml_fail(r->c, node, r->why,
                              "paths: with this routing packets take detours");
    if (orr__yaml_is_map(node))
        return read_entropy(r, node, out);
    if (!orr__yaml_is_list(node))
        return orr__yaml_fail(r->c, node, r->why,
                              "paths: a list is expected, or {entropy: N}");
    for (size_t i = 0; !err && i < orr__yaml_count(node); i++)
        err = read_override(r, orr__yaml_item(node, i), out);
    return err;
}

/* ---- choices ------------------------------------------------------------- */

/* The path with number `choice` of the equal ones; needs routes, so it is done
 * after reading. */
static orr_err choose(const struct orr_path_override_reader *r,
                      const struct orr_routing *routes,
                      struct orr_path_override *c)
{
    uint32_t *link, n;
    uint64_t count;
    orr_err err =
        orr__equal_path_of(r->graph, routes, r->hosts[c->src], r->hosts[c->dst],
                           c->choice, &count, &link, &n, r->why);
    if (err)
        return err;
    if (!link)
        return orr__yaml_fail(
            r->c, orr__yaml_get(c->at, "choice"), r->why,
            "paths: there are %llu equal-cost paths, numbered from 0 on",
            (unsigned long long)count);
    uint32_t *kept = orr__arena_alloc(orr__config_arena(r->c), n, sizeof *kept);
    for (uint32_t i = 0; kept && i < n; i++)
        kept[i] = link[i];
    orr__free(link);
    c->link = kept;
    c->links = n;
    return kept ? ORR_OK : orr__no_memory(r->why);
}

/* Whether an entropy leads its pair by another path. */
static orr_err judge_entropy(const struct orr_path_override_reader *r,
                             const struct orr_routing *routes,
                             const struct orr_path_override *c)
{
    uint32_t *links = NULL, n;
    uint64_t paths = 0;
    *c->idle = r->same;
    if (r->same)
        return ORR_OK;
    orr_err err =
        orr__equal_path_of(r->graph, routes, r->hosts[c->src], r->hosts[c->dst],
                           0, &paths, &links, &n, r->why);
    orr__free(links);
    if (paths == 1)
        *c->idle = "there is one shortest path between the two";
    return err;
}

orr_err orr__path_overrides_choose(const struct orr_path_override_reader *r,
                                   const struct orr_routing *routes,
                                   struct orr_path_overrides *all)
{
    for (uint32_t i = 0; i < all->n; i++) {
        struct orr_path_override *c = &all->override[i];
        orr_err err = ORR_OK;
        if (c->idle && c->entropy)
            err = judge_entropy(r, routes, c);
        else if (c->choice != ORR_NO_CHOICE && !c->link)
            err = choose(r, routes, c);
        if (err)
            return err;
    }
    return ORR_OK;
}
