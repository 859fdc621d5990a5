#include "workload/program/groups.h"

#include <stdio.h>
#include <xxhash.h>

#include "core/memory.h"
#include "net/config/config.h"

uint32_t orr__call_groups(const struct orr_program *p, const struct orr_call *x)
{
    return x->stride ? orr__call_ranks(p, x) / x->c.n : 1;
}

uint32_t orr__call_group_of(const struct orr_program *p,
                            const struct orr_call *x, uint32_t rank)
{
    (void)p;
    if (!x->stride)
        return 0;
    uint32_t i = rank - x->from, whole = x->stride * x->c.n;
    return i / whole * x->stride + i % x->stride;
}

/* A rank of the i-th group. */
static uint32_t rank_of(const struct orr_call *x, uint32_t i)
{
    if (!x->stride)
        return x->from;
    return x->from + i / x->stride * x->stride * x->c.n + i % x->stride;
}

static uint32_t server_of(const struct orr_graph *g, const struct orr_call *x,
                          const uint32_t *hosts, uint32_t i)
{
    const struct orr_ints *list = &x->c.server_hosts;
    if (list->n)
        return (uint32_t)list->v[i];
    return g->n_servers ? g->servers[i] : hosts[0];
}

static uint64_t largest_message(const struct orr_collective *c)
{
    uint64_t whole = c->largest / (uint64_t)c->trees;
    return whole + (c->largest % (uint64_t)c->trees > 0);
}

bool orr__call_group_make(const struct orr_graph *g,
                          const struct orr_program *p, const struct orr_call *x,
                          const uint32_t *hosts, uint32_t i, uint32_t job,
                          struct orr_call_group *out)
{
    uint32_t n = x->c.n;
    size_t servers = x->c.server_hosts.n ? x->c.server_hosts.n
                     : g->n_servers      ? g->n_servers
                                         : 1;
    const uint32_t name[] = {job, (uint32_t)(x - p->call), i};
    uint32_t *block = orr__alloc(2 * (size_t)n + servers, sizeof *block);
    if (!block)
        return false;
    for (uint32_t m = 0; m < n; m++) {
        block[m] = orr__call_rank(p, x, m, rank_of(x, i));
        block[n + m] = hosts[block[m]];
    }
    for (uint32_t k = 0; k < servers; k++)
        block[2 * n + k] = server_of(g, x, block + n, k);
    out->owned = block;
    out->spec = (struct orr_group_spec){
        .kind = x->c.ops->group,
        .identity = XXH3_64bits(name, sizeof name),
        .ranks = block,
        .hosts = block + n,
        .members = n,
        .trees = (uint32_t)x->c.trees,
        .root = x->c.root,
        .largest = largest_message(&x->c),
        .servers = block + 2 * n,
        .n_servers = (uint32_t)servers,
        .share = job + UINT64_C(1),
        .first_tree = job,
    };
    return true;
}

void orr__call_group_free(struct orr_call_group *g)
{
    orr__free(g->owned);
}

orr_err orr__call_group_load(const struct orr_world *w,
                             const struct orr_program *p,
                             const struct orr_call *x, const uint32_t *hosts,
                             uint32_t i, uint32_t job,
                             struct orr_group_load *load,
                             struct orr_report *why)
{
    struct orr_call_group g;
    load->delay_ps = 0;
    if (x->c.n == 1)
        return ORR_OK;
    if (!orr__call_group_make(w->graph, p, x, hosts, i, job, &g))
        return orr__no_memory(why);
    load->bytes = x->bytes;
    orr_err err =
        orr__net_group_load(w->graph, w->net_config, &g.spec, load, why);
    orr__call_group_free(&g);
    return err;
}

/* ECONFIG at the number in `servers` of the body `at` that is no host of this
 * network; a call without servers passes. */
static orr_err check_servers(const struct orr_world *w,
                             const struct orr_call *x,
                             const struct orr_yaml *at, struct orr_report *why)
{
    const struct orr_ints *list = &x->c.server_hosts;
    const struct orr_yaml *servers = orr__yaml_get(at, "servers");
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i] < 0 || list->v[i] >= w->graph->hosts)
            return orr__yaml_fail(w->config, orr__yaml_item(servers, i), why,
                                  "servers: there is no host %lld; hosts are "
                                  "0 to %u",
                                  (long long)list->v[i], w->graph->hosts - 1);
    return ORR_OK;
}

/* Asks the net whether the call's i-th group can have its trees there; if not,
 * `text` says why. */
static orr_err check_group(const struct orr_world *w,
                           const struct orr_program *p,
                           const struct orr_call *x, const uint32_t *hosts,
                           uint32_t i, bool *fits, char text[ORR_GROUP_TEXT],
                           struct orr_report *why)
{
    struct orr_call_group g;
    if (!orr__call_group_make(w->graph, p, x, hosts, i, 0, &g))
        return orr__no_memory(why);
    orr_err err =
        orr__net_group_check(w->graph, w->net_config, &g.spec, fits, text, why);
    orr__call_group_free(&g);
    return err;
}

orr_err orr__call_groups_fit(const struct orr_world *w,
                             const struct orr_program *p,
                             const struct orr_call *x, const uint32_t *hosts,
                             const struct orr_yaml *at, bool *fits,
                             char text[ORR_GROUP_TEXT], struct orr_report *why)
{
    *fits = true;
    if (!x->c.ops->on_trees || x->c.n == 1)
        return ORR_OK;
    if (!w->draft || w->jobs_join) {
        *fits = false;
        snprintf(text, ORR_GROUP_TEXT,
                 "jobs of a cluster, and those that a program adds, have no "
                 "trees yet");
        return ORR_OK;
    }
    orr_err err = check_servers(w, x, at, why);
    for (uint32_t i = 0; !err && *fits && i < orr__call_groups(p, x); i++)
        err = check_group(w, p, x, hosts, i, fits, text, why);
    if (!err && *fits)
        orr__net_expect_groups(w->draft,
                               x->c.ops->group != ORR_GROUP_MULTICAST);
    return err;
}

/* The same, of a call that has no other algorithm: ECONFIG at `at`. */
static orr_err check_groups(const struct orr_world *w,
                            const struct orr_program *p,
                            const struct orr_call *x, const uint32_t *hosts,
                            const struct orr_yaml *at, struct orr_report *why)
{
    char text[ORR_GROUP_TEXT];
    bool fits;
    orr_err err = orr__call_groups_fit(w, p, x, hosts, at, &fits, text, why);
    if (err || fits)
        return err;
    return orr__yaml_fail(w->config, at, why, "%s by %s: %s",
                          orr__collective_kind_name(x->c.ops->kind),
                          x->c.ops->name, text);
}

orr_err orr__program_groups_check(const struct orr_world *w,
                                  const struct orr_program *p,
                                  const uint32_t *hosts,
                                  const struct orr_yaml *at,
                                  struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < p->calls; i++)
        err = check_groups(w, p, &p->call[i], hosts, at, why);
    return err;
}
