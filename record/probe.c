#include "record/probe.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "topo/names.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

/* Samples that an automatic series holds at most, fewer with many columns,
 * and rows of a tile of the file. */
#define MOST_ROWS 2048u
#define LEAST_ROWS 128u
#define MOST_CELLS (UINT32_C(1) << 19)
#define MOST_TILE_ROWS 1024u
#define LEAST_TILE_ROWS 64u
#define TILE_CELLS (UINT32_C(1) << 16)

struct reader {
    struct orr_probes *p;
    struct orr_world *w;
    struct orr_report *why;
};

static orr_err too_many(struct reader *r, const struct orr_yaml *at,
                        const char *what)
{
    return orr__yaml_fail(r->w->config, at, r->why,
                          "record.%s: no more than %u can be sampled", what,
                          ORR_MOST_PROBES);
}

/* Makes room for one element more; false: no memory. */
static bool grow(void **list, uint32_t n, uint32_t *room, size_t size)
{
    uint32_t more = *room ? 2 * *room : 16;
    void *p;
    if (n < *room)
        return true;
    p = orr__resize(*list, more, size);
    if (!p)
        return false;
    *list = p;
    *room = more;
    return true;
}

/* ---- connections -------------------------------------------------------- */

static bool same(const struct orr_probe *a, const struct orr_probe *b)
{
    return a->flow == b->flow && a->job == b->job && a->from == b->from &&
           a->to == b->to;
}

/* What is asked for twice is sampled once. */
static orr_err add_flow(struct reader *r, const struct orr_yaml *at,
                        struct orr_probe x)
{
    struct orr_probes *p = r->p;
    for (uint32_t i = 0; i < p->flows; i++)
        if (same(&p->flow[i], &x))
            return ORR_OK;
    if (p->flows == ORR_MOST_PROBES)
        return too_many(r, at, "flows");
    if (!grow((void **)&p->flow, p->flows, &p->flow_room, sizeof x))
        return orr__no_memory(r->why);
    p->flow[p->flows++] = x;
    return ORR_OK;
}

static orr_err add_index(struct reader *r, const struct orr_yaml *at,
                         int64_t i)
{
    const struct orr_flows *f = r->w->flows;
    uint32_t count = f ? f->count : 0;
    if (count == 0)
        return orr__yaml_fail(r->w->config, at, r->why,
                              "record.flows: there are no flows");
    if (i < 0 || i >= count)
        return orr__yaml_fail(r->w->config, at, r->why,
                              "record.flows: flow %lld does not exist: flows "
                              "are 0 to %u", (long long)i, count - 1);
    return add_flow(r, at, (struct orr_probe){
        .flow = i, .job = -1, .from = -1, .to = -1,
        .src = f->flow[i].src, .dst = f->flow[i].dst });
}

struct pair_keys {
    const char *job, *from, *to;
};
static const struct orr_param pair_params[] = {
    { "job", ORR_PARAM_TEXT, offsetof(struct pair_keys, job), NULL, NULL,
      NULL, NULL, "name of the job" },
    { "from", ORR_PARAM_TEXT, offsetof(struct pair_keys, from), "all", NULL,
      NULL, NULL, "rank that sends, or all" },
    { "to", ORR_PARAM_TEXT, offsetof(struct pair_keys, to), "all", NULL,
      NULL, NULL, "rank that receives, or all" },
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
static orr_err members(struct reader *r, const struct orr_yaml *at,
                       const char *text, const struct orr_job *j,
                       uint32_t *first, uint32_t *end)
{
    int64_t v;
    *first = 0;
    *end = j->members;
    if (strcmp(text, "all") == 0)
        return ORR_OK;
    if (orr__parse_int(text, &v))
        return orr__yaml_fail(r->w->config, at, r->why,
                              "record.flows: a rank, or `all`");
    if (v < 0 || v >= j->members)
        return orr__yaml_fail(r->w->config, at, r->why,
                              "record.flows: job \"%s\" has no rank %lld: "
                              "ranks are 0 to %u", j->name, (long long)v,
                              j->members - 1);
    *first = (uint32_t)v;
    *end = *first + 1;
    return ORR_OK;
}

/* Ranks on one host have no connection. */
static orr_err add_pairs(struct reader *r, const struct orr_yaml *at,
                         const struct orr_job *j, const uint32_t *from,
                         const uint32_t *to)
{
    orr_err err = ORR_OK;
    bool any = false;
    for (uint32_t a = from[0]; a < from[1] && err == ORR_OK; a++)
        for (uint32_t b = to[0]; b < to[1] && err == ORR_OK; b++) {
            if (j->hosts[a] == j->hosts[b])
                continue;
            any = true;
            err = add_flow(r, at, (struct orr_probe){
                .flow = -1, .job = j->index, .from = a, .to = b,
                .src = j->hosts[a], .dst = j->hosts[b] });
        }
    if (err == ORR_OK && !any)
        err = orr__yaml_fail(r->w->config, at, r->why,
                             "record.flows: these ranks live on one host and "
                             "use no network");
    return err;
}

static orr_err add_job(struct reader *r, const struct orr_yaml *at)
{
    struct pair_keys k = { NULL, NULL, NULL };
    struct orr_param_set set = { pair_params, &k };
    const struct orr_job *j;
    uint32_t from[2], to[2];
    orr_err err = orr__param_read(r->w->config, at, "record.flows", &set, 1,
                                  r->why);
    if (err)
        return err;
    j = find_job(r->w, k.job);
    if (!j)
        return orr__yaml_fail(r->w->config, orr__yaml_get(at, "job"), r->why,
                              "record.flows: no job is called \"%s\"", k.job);
    err = members(r, orr__yaml_get(at, "from"), k.from, j, &from[0], &from[1]);
    if (err == ORR_OK)
        err = members(r, orr__yaml_get(at, "to"), k.to, j, &to[0], &to[1]);
    return err ? err : add_pairs(r, at, j, from, to);
}

static orr_err read_flow(struct reader *r, const struct orr_yaml *at)
{
    const char *text = orr__yaml_text(r->w->config, at);
    int64_t i;
    orr_err err;
    if (orr__yaml_is_map(at))
        return add_job(r, at);
    if (text && !orr__parse_int(text, &i))
        return add_index(r, at, i);
    err = orr__yaml_fail(r->w->config, at, r->why, "record.flows: the index "
                         "of a flow, or ranks of a job");
    orr__hint(r->why, "for example [0, 3, {job: NAME, from: 0, to: 1}]");
    return err;
}

static bool is_all(struct reader *r, const struct orr_yaml *node)
{
    const char *text = orr__yaml_text(r->w->config, node);
    return text && strcmp(text, "all") == 0;
}

static orr_err read_flows(struct reader *r, const struct orr_yaml *node)
{
    orr_err err = ORR_OK;
    if (is_all(r, node)) {
        uint32_t n = r->w->flows ? r->w->flows->count : 0;
        if (n > ORR_MOST_PROBES)
            return too_many(r, node, "flows");
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

static orr_err add_port(struct reader *r, const struct orr_yaml *at,
                        uint32_t link)
{
    struct orr_probes *p = r->p;
    for (uint32_t i = 0; i < p->ports; i++)
        if (p->port[i] == link)
            return ORR_OK;
    if (p->ports == ORR_MOST_PROBES)
        return too_many(r, at, "ports");
    if (!grow((void **)&p->port, p->ports, &p->port_room, sizeof link))
        return orr__no_memory(r->why);
    p->port[p->ports++] = link;
    return ORR_OK;
}

/* All links from one node to another: parallel ones are sampled each. */
static orr_err add_between(struct reader *r, const struct orr_yaml *pair)
{
    const struct orr_graph *g = r->w->graph;
    uint32_t node[2];
    bool any = false;
    orr_err err = ORR_OK;
    for (size_t i = 0; i < 2; i++) {
        const struct orr_yaml *at = orr__yaml_item(pair, i);
        const char *text = orr__yaml_text(r->w->config, at);
        if (!text)
            return orr__yaml_fail(r->w->config, at, r->why,
                                  "record.ports: the id of a node");
        if (!orr__node_parse(g, text, &node[i]))
            return orr__yaml_fail(r->w->config, at, r->why,
                                  "record.ports: node %s does not exist: "
                                  "nodes are 0 to %u", text, g->nodes - 1);
    }
    for (uint32_t o = g->out_off[node[0]];
         o < g->out_off[node[0] + 1] && err == ORR_OK; o++)
        if (g->to[g->out_link[o]] == node[1]) {
            any = true;
            err = add_port(r, pair, g->out_link[o]);
        }
    if (err == ORR_OK && !any)
        err = orr__yaml_fail(r->w->config, pair, r->why,
                             "record.ports: no link leads from node %u to "
                             "node %u", node[0], node[1]);
    return err;
}

static orr_err read_port(struct reader *r, const struct orr_yaml *at)
{
    const char *text = orr__yaml_text(r->w->config, at);
    int64_t link;
    orr_err err;
    if (orr__yaml_is_list(at) && orr__yaml_count(at) == 2)
        return add_between(r, at);
    if (!text || orr__parse_int(text, &link)) {
        err = orr__yaml_fail(r->w->config, at, r->why, "record.ports: a link "
                             "id, or a pair of node ids");
        orr__hint(r->why, "for example [17, [0, 8]]; `orrery topo CONFIG "
                          "--links` prints them all");
        return err;
    }
    if (link < 0 || link >= r->w->graph->links)
        return orr__yaml_fail(r->w->config, at, r->why,
                              "record.ports: link %lld does not exist: links "
                              "are 0 to %u", (long long)link,
                              r->w->graph->links - 1);
    return add_port(r, at, (uint32_t)link);
}

static orr_err read_ports(struct reader *r, const struct orr_yaml *node)
{
    orr_err err = ORR_OK;
    if (is_all(r, node)) {
        if (r->w->graph->links > ORR_MOST_PROBES)
            return too_many(r, node, "ports");
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

/* ---- reading ------------------------------------------------------------ */

static orr_err read_sample(struct reader *r, const struct orr_yaml *record,
                           const char *text, int64_t interval_ps)
{
    const char *wrong;
    orr_err err;
    r->p->sample_ps = interval_ps;
    r->p->automatic = !text && interval_ps == 0;
    if (!text)
        return ORR_OK;
    wrong = orr__parse_time(text, &r->p->sample_ps);
    if (!wrong && r->p->sample_ps < ORR_NS)
        wrong = "samples must be at least 1ns apart";
    if (!wrong)
        return ORR_OK;
    err = orr__yaml_fail(r->w->config, orr__yaml_get(record, "sample"), r->why,
                         "record.sample: %s", wrong);
    orr__hint(r->why, "a time as in `sample: 100ns`");
    return err;
}

orr_err orr__probes_read(struct orr_probes *p, struct orr_world *w,
                         const struct orr_yaml *record,
                         const struct orr_probe_keys *k, int64_t interval_ps,
                         struct orr_report *why)
{
    struct reader r = { .p = p, .w = w, .why = why };
    orr_err err = ORR_OK;
    *p = (struct orr_probes){ .world = w };
    if (k->flows)
        err = read_flows(&r, k->flows);
    if (err == ORR_OK && k->ports)
        err = read_ports(&r, k->ports);
    if (err == ORR_OK)
        err = read_sample(&r, record, k->sample, interval_ps);
    if (err)
        orr__probes_fini(p);
    return err;
}

/* ---- sampling ----------------------------------------------------------- */

static uint32_t within(uint32_t v, uint32_t least, uint32_t most)
{
    return v < least ? least : v > most ? most : v;
}

orr_err orr__probes_start(struct orr_probes *p, int64_t finest_ps)
{
    uint32_t columns = p->flows + p->ports;
    if (columns == 0)
        return ORR_OK;
    if (p->automatic)
        p->sample_ps = finest_ps;
    p->tile_rows = within(TILE_CELLS / columns, LEAST_TILE_ROWS,
                          MOST_TILE_ROWS);
    p->room = p->tile_rows;
    if (p->automatic)
        p->room = within(MOST_CELLS / columns, LEAST_ROWS, MOST_ROWS) & ~1u;
    p->time = orr__alloc(p->room, sizeof *p->time);
    p->connection = orr__alloc((size_t)p->room * p->flows,
                               sizeof *p->connection);
    p->state = orr__alloc((size_t)p->room * p->ports, sizeof *p->state);
    return p->time && p->connection && p->state ? ORR_OK : ORR_ENOMEM;
}

/* ORR_NO_CONNECTION: not made yet. */
static uint32_t connection_of(const struct orr_world *w,
                              const struct orr_probe *x)
{
    const struct orr_team *t;
    if (x->flow >= 0) {
        const struct orr_flow *f = &w->flows->flow[x->flow];
        return (f->on ? &w->flows->flow[f->on - 1] : f)->connection;
    }
    t = w->jobs[x->job].team;
    return t->rank ? orr__rank_connection(&t->rank[x->from], (uint32_t)x->to)
                   : ORR_NO_CONNECTION;
}

void orr__probes_take(struct orr_probes *p, int64_t now)
{
    const struct orr_world *w = p->world;
    struct orr_connection_state *c = p->connection + (size_t)p->n * p->flows;
    struct orr_port_state *s = p->state + (size_t)p->n * p->ports;
    assert(p->n < p->room);
    p->time[p->n++] = p->last_ps = now;
    for (uint32_t i = 0; i < p->flows; i++) {
        uint32_t id = connection_of(w, &p->flow[i]);
        c[i] = (struct orr_connection_state){ .there
                                              = id != ORR_NO_CONNECTION };
        if (c[i].there)
            orr__net_connection_sample(w->net, id, &c[i].s);
    }
    for (uint32_t i = 0; i < p->ports; i++) {
        struct orr_link_sample l;
        orr__net_link_sample(w->net, p->port[i], now, &l);
        s[i] = (struct orr_port_state){ l.queue, l.bytes, l.marks, l.drops };
    }
}

static void move_row(struct orr_probes *p, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    p->time[to] = p->time[from];
    memcpy(p->connection + (size_t)to * p->flows,
           p->connection + (size_t)from * p->flows,
           p->flows * sizeof *p->connection);
    memcpy(p->state + (size_t)to * p->ports,
           p->state + (size_t)from * p->ports, p->ports * sizeof *p->state);
}

int64_t orr__probes_last(const struct orr_probes *p)
{
    return orr__probes_any(p) ? p->last_ps : INT64_MAX;
}

/* Sample i was taken at (i + 1) intervals: the odd ones stay on the grid. */
void orr__probes_thin(struct orr_probes *p)
{
    assert(p->automatic && p->n % 2 == 0);
    for (uint32_t i = 0; i < p->n / 2; i++)
        move_row(p, 2 * i + 1, i);
    p->n /= 2;
    p->sample_ps *= 2;
}

void orr__probes_drop(struct orr_probes *p, uint32_t n)
{
    assert(n <= p->n);
    for (uint32_t i = n; i < p->n; i++)
        move_row(p, i, i - n);
    p->n -= n;
    p->dropped += n;
}

void orr__probes_fini(struct orr_probes *p)
{
    orr__free(p->flow);
    orr__free(p->port);
    orr__free(p->time);
    orr__free(p->connection);
    orr__free(p->state);
    *p = (struct orr_probes){ .world = NULL };
}
