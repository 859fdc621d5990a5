#include "record/select.h"

#include <stddef.h>
#include <string.h>

#include "core/array.h"
#include "core/config/param.h"
#include "core/memory.h"
#include "core/units.h"
#include "topo/link_names.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

static orr_err too_many(const struct orr_selector *r, const struct orr_yaml *at)
{
    return orr__yaml_fail(r->w->config, at, r->why,
                          "%s: no more than %u can be %s", r->name,
                          ORR_MOST_PROBES, r->verb);
}

/* ---- connections -------------------------------------------------------- */

static bool is_same_probe(const struct orr_probed *a,
                          const struct orr_probed *b)
{
    return a->flow == b->flow && a->job == b->job && a->from == b->from
           && a->to == b->to;
}

/* What is asked for twice is sampled once. */
static orr_err add_flow(const struct orr_selector *r, const struct orr_yaml *at,
                        struct orr_probed x)
{
    struct orr_selection *p = r->into;
    for (uint32_t i = 0; i < p->flows; i++)
        if (is_same_probe(&p->flow[i], &x))
            return ORR_OK;
    if (p->flows == ORR_MOST_PROBES)
        return too_many(r, at);
    if (!orr__array_more(p->flow, p->flow_room, p->flows))
        return orr__no_memory(r->why);
    p->flow[p->flows++] = x;
    return ORR_OK;
}

/* A flow by its number. */
static orr_err add_index(const struct orr_selector *r,
                         const struct orr_yaml *at, int64_t i)
{
    const struct orr_flows *f = r->w->flows;
    uint32_t count = f ? f->count : 0;
    if (count == 0)
        return orr__yaml_fail(r->w->config, at, r->why,
                              "%s: there are no flows", r->name);
    if (i < 0 || i >= count)
        return orr__yaml_fail(r->w->config, at, r->why,
                              "%s: flow %lld does not exist: flows "
                              "are 0 to %u",
                              r->name, (long long)i, count - 1);
    return add_flow(r, at,
                    (struct orr_probed){.flow = i,
                                        .job = -1,
                                        .from = -1,
                                        .to = -1,
                                        .src = f->flow[i].src,
                                        .dst = f->flow[i].dst});
}

/* A connection of a job, as read. */
struct pair_keys {
    const char *job, *from, *to;
};
static const struct orr_param pair_params[] = {
    {"job", ORR_PARAM_TEXT, offsetof(struct pair_keys, job), NULL, NULL, NULL,
     NULL, "name of the job"},
    {"from", ORR_PARAM_TEXT, offsetof(struct pair_keys, from), "all", NULL,
     NULL, NULL, "rank that sends, or all"},
    {"to", ORR_PARAM_TEXT, offsetof(struct pair_keys, to), "all", NULL, NULL,
     NULL, "rank that receives, or all"},
    ORR_PARAM_END,
};

static const struct orr_job *find_job(const struct orr_world *w,
                                      const char *name)
{
    for (uint32_t i = 0; i < w->n_jobs; i++)
        if (strcmp(w->jobs[i].name, name) == 0)
            return &w->jobs[i];
    return NULL;
}

/* Members [*first, *end) of the job that text names. */
static orr_err members(const struct orr_selector *r, const struct orr_yaml *at,
                       const char *text, const struct orr_job *j,
                       uint32_t *first, uint32_t *end)
{
    int64_t v;
    *first = 0;
    *end = j->members;
    if (strcmp(text, "all") == 0)
        return ORR_OK;
    if (orr__parse_int(text, &v))
        return orr__yaml_fail(r->w->config, at, r->why, "%s: a rank, or `all`",
                              r->name);
    if (v < 0 || v >= j->members)
        return orr__yaml_fail(r->w->config, at, r->why,
                              "%s: job \"%s\" has no rank %lld: ranks are 0 "
                              "to %u",
                              r->name, j->name, (long long)v, j->members - 1);
    *first = (uint32_t)v;
    *end = *first + 1;
    return ORR_OK;
}

/* Ranks on one host have no connection. */
static orr_err add_pairs(const struct orr_selector *r,
                         const struct orr_yaml *at, const struct orr_job *j,
                         const uint32_t *from, const uint32_t *to)
{
    orr_err err = ORR_OK;
    bool any = false;
    for (uint32_t a = from[0]; a < from[1] && err == ORR_OK; a++)
        for (uint32_t b = to[0]; b < to[1] && err == ORR_OK; b++) {
            if (j->hosts[a] == j->hosts[b])
                continue;
            any = true;
            err = add_flow(r, at,
                           (struct orr_probed){.flow = -1,
                                               .job = j->index,
                                               .from = a,
                                               .to = b,
                                               .src = j->hosts[a],
                                               .dst = j->hosts[b]});
        }
    if (err == ORR_OK && !any)
        err = orr__yaml_fail(
            r->w->config, at, r->why,
            "%s: these ranks are on one host and use no network", r->name);
    return err;
}

/* A connection of a job by its ranks. */
static orr_err add_job(const struct orr_selector *r, const struct orr_yaml *at)
{
    struct pair_keys k = {NULL, NULL, NULL};
    struct orr_param_set set = {pair_params, &k};
    const struct orr_job *j;
    uint32_t from[2], to[2];
    orr_err err = orr__param_read(r->w->config, at, r->name, &set, 1, r->why);
    if (err)
        return err;
    j = find_job(r->w, k.job);
    if (!j)
        return orr__yaml_fail(r->w->config, orr__yaml_get(at, "job"), r->why,
                              "%s: no job is called \"%s\"", r->name, k.job);
    err = members(r, orr__yaml_get(at, "from"), k.from, j, &from[0], &from[1]);
    if (err == ORR_OK)
        err = members(r, orr__yaml_get(at, "to"), k.to, j, &to[0], &to[1]);
    return err ? err : add_pairs(r, at, j, from, to);
}

/* An entry of the list: the index of a flow, or a connection of a job. */
static orr_err read_flow(const struct orr_selector *r,
                         const struct orr_yaml *at)
{
    const char *text = orr__yaml_text(r->w->config, at);
    int64_t i;
    orr_err err;
    if (orr__yaml_is_map(at))
        return add_job(r, at);
    if (text && !orr__parse_int(text, &i))
        return add_index(r, at, i);
    err = orr__yaml_fail(r->w->config, at, r->why,
                         "%s: the index "
                         "of a flow, or ranks of a job",
                         r->name);
    orr__hint(r->why, "for example [0, 3, {job: NAME, from: 0, to: 1}]");
    return err;
}

static bool is_all(const struct orr_selector *r, const struct orr_yaml *node)
{
    const char *text = orr__yaml_text(r->w->config, node);
    return text && strcmp(text, "all") == 0;
}

orr_err orr__select_flows(const struct orr_selector *r,
                          const struct orr_yaml *node)
{
    orr_err err = ORR_OK;
    if (is_all(r, node)) {
        uint32_t n = r->w->flows ? r->w->flows->count : 0;
        if (n > ORR_MOST_PROBES)
            return too_many(r, node);
        for (uint32_t i = 0; i < n && err == ORR_OK; i++)
            err = add_index(r, node, i);
        return err;
    }
    if (!orr__yaml_is_list(node))
        return read_flow(r, node);
    for (size_t i = 0; i < orr__yaml_count(node) && err == ORR_OK; i++)
        err = read_flow(r, orr__yaml_item(node, i));
    return err;
}

/* ---- ports -------------------------------------------------------------- */

/* Once, in any order. */
static orr_err add_port(const struct orr_selector *r, const struct orr_yaml *at,
                        uint32_t link)
{
    struct orr_selection *p = r->into;
    for (uint32_t i = 0; i < p->ports; i++)
        if (p->port[i] == link)
            return ORR_OK;
    if (p->ports == ORR_MOST_PROBES)
        return too_many(r, at);
    if (!orr__array_more(p->port, p->port_room, p->ports))
        return orr__no_memory(r->why);
    p->port[p->ports++] = link;
    return ORR_OK;
}

/* All links from one node to another: parallel ones are sampled each. */
static orr_err add_between(const struct orr_selector *r,
                           const struct orr_yaml *pair)
{
    const struct orr_graph *g = r->w->graph;
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    uint32_t node[2];
    bool any = false;
    orr_err err = ORR_OK;
    for (size_t i = 0; i < 2; i++) {
        const struct orr_yaml *at = orr__yaml_item(pair, i);
        const char *text = orr__yaml_text(r->w->config, at);
        if (!text)
            return orr__yaml_fail(r->w->config, at, r->why,
                                  "%s: the id of a node", r->name);
        if (!orr__node_parse(g, text, &node[i]))
            return orr__yaml_fail(r->w->config, at, r->why,
                                  "%s: node %s does not exist: "
                                  "nodes are 0 to %u",
                                  r->name, text, g->nodes - 1);
    }
    for (uint32_t o = g->out_off[node[0]];
         o < g->out_off[node[0] + 1] && err == ORR_OK; o++)
        if (g->to[g->out_link[o]] == node[1]) {
            any = true;
            err = add_port(r, pair, g->out_link[o]);
        }
    if (err == ORR_OK && !any)
        err = orr__yaml_fail(r->w->config, pair, r->why,
                             "%s: no link leads from %s to %s", r->name,
                             orr__node_name(g, node[0], from, sizeof from),
                             orr__node_name(g, node[1], to, sizeof to));
    return err;
}

/* An entry of the list: a link, or the two nodes that it joins. */
static orr_err read_port(const struct orr_selector *r,
                         const struct orr_yaml *at)
{
    uint32_t link = 0;
    orr_err err;
    if (orr__yaml_is_list(at) && orr__yaml_count(at) == 2)
        return add_between(r, at);
    if (!orr__yaml_is_scalar(at)) {
        err = orr__yaml_fail(r->w->config, at, r->why,
                             "%s: a link, or a pair of nodes", r->name);
        orr__hint(r->why, "for example [17, a > b, [0, 8]]; `orrery topo "
                          "CONFIG --links` prints all links");
        return err;
    }
    err = orr__link_read(r->w->graph, r->w->config, at, r->name, &link, r->why);
    return err == ORR_OK ? add_port(r, at, link) : err;
}

orr_err orr__select_ports(const struct orr_selector *r,
                          const struct orr_yaml *node)
{
    orr_err err = ORR_OK;
    if (is_all(r, node)) {
        if (r->w->graph->links > ORR_MOST_PROBES)
            return too_many(r, node);
        for (uint32_t l = 0; l < r->w->graph->links && err == ORR_OK; l++)
            err = add_port(r, node, l);
        return err;
    }
    if (!orr__yaml_is_list(node))
        return read_port(r, node);
    for (size_t i = 0; i < orr__yaml_count(node) && err == ORR_OK; i++)
        err = read_port(r, orr__yaml_item(node, i));
    return err;
}

void orr__selection_fini(struct orr_selection *s)
{
    orr__free(s->flow);
    orr__free(s->port);
    *s = (struct orr_selection){.flow = NULL};
}
