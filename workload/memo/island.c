/* Which groups of ranks have links of their own. */
#include <stdlib.h>

#include "core/array.h"
#include "core/fingerprint.h"
#include "core/memory.h"
#include "core/none.h"
#include "net/config/config.h"
#include "workload/flow/flows.h"
#include "workload/memo/internal.h"
#include "workload/rank/snapshot.h"

/* Whose messages may be anybody's: of sends, flows and servers. */
#define ANYBODY (ORR_NONE - 1)

/* Groups and pairs of hosts that were looked at. */
struct finder {
    struct orr_call_memo *m;
    struct orr_table pairs;  /* source host << 32 | destination: seen */
    struct orr_table groups; /* digest of job and ranks: the group */
    struct orr_table calls;  /* digest of how a call is made of groups: the
                              * first of its list */
    uint32_t *list;          /* groups of calls, each list ended by ORR_NONE */
    uint32_t n_list, list_room;
    uint32_t *rank; /* room for the members of a group */
    bool failed;
};

/* ---- regions ------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* parent: scratch, per node. */
static void name_regions(struct orr_call_memo *m, uint32_t *parent)
{
    const struct orr_graph *g = m->world->graph;
    for (uint32_t v = 0; v < g->nodes; v++)
        parent[v] = v;
    for (uint32_t c = 0; c < g->cables; c++) {
        uint32_t a = g->from[c], b = g->to[c];
        if (!g->forwards[a] || !g->forwards[b])
            continue;
        a = root_of(parent, a);
        b = root_of(parent, b);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t l = 0; l < g->links; l++)
        m->region_of[l] = g->forwards[g->from[l]] ? root_of(parent, g->from[l])
                          : g->forwards[g->to[l]] ? root_of(parent, g->to[l])
                                                  : g->nodes + l % g->cables;
    for (uint32_t r = 0; r < g->nodes + g->cables; r++)
        m->region[r].group = ORR_NONE;
}

/* Of all links; nothing crosses them yet. */
static orr_err make_regions(struct orr_call_memo *m, struct orr_report *why)
{
    const struct orr_graph *g = m->world->graph;
    uint32_t *parent = orr__alloc(g->nodes, sizeof *parent);
    m->region_of = orr__alloc(g->links, sizeof *m->region_of);
    m->region = orr__alloc((size_t)g->nodes + g->cables, sizeof *m->region);
    bool ok = parent && m->region_of && m->region;
    if (ok)
        name_regions(m, parent);
    orr__free(parent);
    return ok ? ORR_OK : orr__no_memory(why);
}

/* Messages of a group may come to a region. */
static void touch_region(struct finder *f, uint32_t region, uint32_t group)
{
    struct orr_region *r = &f->m->region[region];
    if (r->group == ORR_NONE)
        r->group = group;
    else if (r->group != group)
        r->shared = true;
    if (group == ANYBODY)
        return;
    struct orr_group_of_ranks *g = &f->m->group[group];
    if (g->region == ORR_NONE)
        g->region = region;
    else if (g->region != region && !g->why)
        g->why = "its messages cross several parts of the network";
}

/* What one host sends to another, and its ACKs, cross the regions of their
 * first hops. */
static void cross_regions(struct finder *f, uint32_t src, uint32_t dst,
                          uint32_t group)
{
    const struct orr_world *w = f->m->world;
    for (int back = 0; back < 2; back++) {
        uint32_t n;
        const uint32_t *link = orr__routing_next(w->routes, back ? dst : src,
                                                 back ? src : dst, &n);
        for (uint32_t i = 0; i < n; i++)
            if (link[i] < w->graph->links)
                touch_region(f, f->m->region_of[link[i]], group);
    }
}

static void cross_once(struct finder *f, uint32_t src, uint32_t dst)
{
    uint64_t pair = (uint64_t)src << 32 | dst;
    if (src == dst || orr__table_find(&f->pairs, pair) != ORR_NONE)
        return;
    f->failed |= !orr__table_add(&f->pairs, pair, 1);
    cross_regions(f, src, dst, ANYBODY);
}

/* All that a host is at, because it is not worth finding out more. */
static void touch_all_of(struct finder *f, uint32_t host)
{
    const struct orr_graph *g = f->m->world->graph;
    for (uint32_t i = g->out_off[host]; i < g->out_off[host + 1]; i++)
        touch_region(f, f->m->region_of[g->out_link[i]], ANYBODY);
}

/* ---- groups -------------------------------------------------------------- */

static int compare_ranks(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Hosts of all pairs of a group, which is new. */
static void cross_pairs(struct finder *f, const struct orr_team *t,
                        uint32_t group)
{
    struct orr_group_of_ranks *g = &f->m->group[group];
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t j = i + 1; j < g->n; j++) {
            uint32_t a = t->hosts[g->rank[i]], b = t->hosts[g->rank[j]];
            if (a != b)
                cross_regions(f, a, b, group);
            else if (!g->why)
                g->why = "several of its ranks are on one host";
        }
    if (g->region == ORR_NONE && !g->why)
        g->why = "it sends nothing over the network";
}

/* The group of these ranks, which are in f->rank. ORR_NONE: no memory. */
static uint32_t group_of(struct finder *f, const struct orr_team *t,
                         uint32_t job, uint32_t n)
{
    struct orr_call_memo *m = f->m;
    uint64_t digest = orr__digest(job, n, 1);
    qsort(f->rank, n, sizeof *f->rank, compare_ranks);
    for (uint32_t i = 0; i < n; i++)
        digest = orr__digest(digest, f->rank[i], i);
    uint32_t found = orr__table_find(&f->groups, digest);
    if (found != ORR_NONE)
        return found;
    struct orr_group_of_ranks g = {.job = job, .n = n, .region = ORR_NONE};
    g.rank = orr__alloc(n, sizeof *g.rank);
    if (!g.rank || !orr__array_one_more(m->group, m->groups)
        || !orr__table_add(&f->groups, digest, m->groups)) {
        orr__free(g.rank);
        f->failed = true;
        return ORR_NONE;
    }
    for (uint32_t i = 0; i < n; i++)
        g.rank[i] = f->rank[i];
    m->group[m->groups] = g;
    cross_pairs(f, t, m->groups);
    return m->groups++;
}

static void add_to_list(struct finder *f, uint32_t group)
{
    if (orr__array_more(f->list, f->list_room, f->n_list))
        f->list[f->n_list++] = group;
    else
        f->failed = true;
}

/* Groups that a call is made of, where it is the first that is made so. */
static void add_groups(struct finder *f, const struct orr_team *t, uint32_t job,
                       const struct orr_call *x)
{
    const struct orr_program *p = t->program;
    uint32_t from = x->stride ? x->from : 0;
    uint32_t count = !x->stride ? 1 : x->count ? x->count : p->ranks;
    for (uint32_t r = from; r < from + count && !f->failed; r++) {
        if (x->stride && r / x->stride % x->c.n)
            continue;
        for (uint32_t k = 0; k < x->c.n; k++)
            f->rank[k] = orr__call_rank(p, x, k, r);
        add_to_list(f, group_of(f, t, job, x->c.n));
    }
    add_to_list(f, ORR_NONE);
}

/* A call whose messages are not looked at one by one: of many ranks, or with
 * servers. */
static void spoil_call(struct finder *f, const struct orr_team *t,
                       const struct orr_call *x)
{
    const struct orr_program *p = t->program;
    for (uint32_t r = 0; r < p->ranks; r++)
        if (orr__call_member(p, x, r) != UINT32_MAX)
            touch_all_of(f, t->hosts[r]);
    for (uint32_t s = 0; s < x->c.servers; s++)
        touch_all_of(f, t->hosts[orr__call_rank(p, x, x->c.n + s, 0)]);
}

/* ---- what calls are like ------------------------------------------------- */

/* What stands in the way of a call; NULL: nothing. Every member must have all
 * others to wait for. */
static const char *unfit_call(const struct orr_call *x)
{
    if (x->rules || x->clock || x->pushes)
        return "it goes by rules of its own";
    if (x->endpoint_delay_ps || x->memory_bps || x->c.plan.channels)
        return "its steps take time at the ranks";
    switch (x->c.ops->kind) {
    case ORR_ALL_REDUCE:
    case ORR_REDUCE_SCATTER:
    case ORR_ALL_GATHER: break;
    case ORR_ALL_TO_ALL:
        if (!x->c.sizes)
            break;
        return "its pieces are not equal";
    default: return "a rank may be done before all others have begun";
    }
    if (x->c.n < 2 || x->bytes / x->chunks < 4 * (uint64_t)x->c.n * x->lanes)
        return "it is so small that a rank may have nothing to send";
    return NULL;
}

/* The same of a job. */
static const char *unfit_team(const struct orr_world *w,
                              const struct orr_job *j)
{
    const struct orr_team *t = j->team;
    const struct orr_net_service *s =
        t->service ? t->service : &w->net_config->service;
    const char *why = orr__team_opaque(t, false);
    if (why)
        return why;
    if (t->overhead_ps || t->overhead_bps
        || t->overhead_jitter.kind != ORR_JITTER_NONE)
        return "its messages cost time at the ranks";
    if (t->overlap > 1)
        return "its iterations overlap";
    if (t->stages > 1 || t->stage[0].overrides.n
        || t->stage[0].overrides.entropy)
        return "its paths, class or weight are its own, or change";
    if (t->program->raises)
        return "its gradients have classes";
    if (j->gate.period_ps)
        return "it has a gate";
    if (!orr__cc_has_snapshot(s->cc))
        return "its congestion control does not show its state";
    return NULL;
}

static uint64_t digest_of_call(const struct orr_call *x, uint32_t job)
{
    uint64_t d = orr__digest(job, x->stride, x->group);
    return orr__digest(orr__digest(d, x->c.n, x->from), x->count, 2);
}

/* Looks at a call of a job, and at the groups that it is made of. */
static void add_call(struct finder *f, const struct orr_job *j,
                     const struct orr_call *x)
{
    const struct orr_team *t = j->team;
    uint64_t digest = digest_of_call(x, j->index);
    uint32_t list = orr__table_find(&f->calls, digest);
    const char *why = unfit_call(x);
    if (x->c.n < 2 && !x->c.servers)
        return;
    if (x->c.servers || x->clock || x->c.n > ORR_ISLAND_MOST) {
        spoil_call(f, t, x);
        return;
    }
    if (list == ORR_NONE) {
        list = f->n_list;
        f->failed |= !orr__table_add(&f->calls, digest, list);
        add_groups(f, t, j->index, x);
    }
    if (f->failed || !f->list)
        return;
    for (uint32_t i = list; why && f->list[i] != ORR_NONE; i++)
        if (!f->m->group[f->list[i]].why)
            f->m->group[f->list[i]].why = why;
}

static void add_sends(struct finder *f, const struct orr_team *t, uint32_t rank)
{
    const struct orr_program *p = t->program;
    const struct orr_part *part = orr__part_of(p, rank);
    for (uint32_t o = part->op; o < part->op + part->ops; o++)
        if (p->op[o].kind == ORR_OP_SEND
            && orr__program_runs(p, &p->op[o], rank))
            cross_once(f, t->hosts[rank],
                       t->hosts[orr__op_peer(p, &p->op[o], rank)]);
}

/* All calls and sends of a job. */
static void add_job(struct finder *f, const struct orr_job *j)
{
    const struct orr_program *p = j->team->program;
    uint32_t first = f->m->groups;
    const char *why = unfit_team(f->m->world, j);
    for (uint32_t c = 0; c < p->calls && !f->failed; c++)
        add_call(f, j, &p->call[c]);
    for (uint32_t r = 0; r < j->team->ranks && !f->failed; r++)
        add_sends(f, j->team, r);
    for (uint32_t g = first; why && g < f->m->groups; g++)
        if (!f->m->group[g].why)
            f->m->group[g].why = why;
}

static void judge_islands(struct orr_call_memo *m)
{
    for (uint32_t i = 0; i < m->groups; i++) {
        struct orr_group_of_ranks *g = &m->group[i];
        if (!g->why && m->region[g->region].shared)
            g->why = "other messages may cross its links";
    }
}

orr_err orr__memo_find_groups(struct orr_call_memo *m, struct orr_report *why)
{
    const struct orr_world *w = m->world;
    struct finder f = {.m = m};
    orr_err err = make_regions(m, why);
    if (err)
        return err;
    f.rank = orr__alloc(ORR_ISLAND_MOST, sizeof *f.rank);
    f.failed = !f.rank;
    for (uint32_t i = 0; i < w->n_jobs && !f.failed; i++)
        if (!w->only_job || w->only_job == &w->jobs[i])
            add_job(&f, &w->jobs[i]);
    for (uint32_t i = 0; w->flows && i < w->flows->count && !f.failed; i++)
        cross_once(&f, w->flows->flow[i].src, w->flows->flow[i].dst);
    judge_islands(m);
    orr__table_fini(&f.pairs);
    orr__table_fini(&f.groups);
    orr__table_fini(&f.calls);
    orr__free(f.list);
    orr__free(f.rank);
    return f.failed ? orr__no_memory(why) : ORR_OK;
}
