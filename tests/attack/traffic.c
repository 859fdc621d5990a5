/* Jobs, programs and flows. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/units.h"
#include "tests/attack/draw.h"
#include "topo/graph.h"
#include "workload/collective/collective.h"

#define SAMPLES "tests/attack/samples/"

json_t *orr__draw_sample(const char *folder, const char *name)
{
    char path[512];
    size_t length = strlen(name);
    DIR *dir;
    struct dirent *e;
    json_t *found = NULL;

    snprintf(path, sizeof path, SAMPLES "%s", folder);
    dir = opendir(path);
    while (dir && !found && (e = readdir(dir)))
        if (!strncmp(e->d_name, name, length) && e->d_name[length] == '.') {
            snprintf(path, sizeof path, SAMPLES "%s/%s", folder, e->d_name);
            found = json_string(path);
        }
    if (dir)
        closedir(dir);
    return found;
}

static void set_params(struct draw *d, const char *section, double share,
                       json_t *map)
{
    for (size_t i = 0; orr__sections[i].name; i++)
        if (!strcmp(orr__sections[i].name, section))
            orr__draw_table(d, section, orr__sections[i].params(), share, map);
}

/* ---- programs ------------------------------------------------------------ */

static json_t *single(const char *verb, json_t *body)
{
    json_t *item = json_object();

    json_object_set_new(item, verb, body);
    return item;
}

static json_t *draw_compute(struct draw *d)
{
    json_t *map;

    if (orr__draw_chance(d, 0.7))
        return single("compute", orr__draw_time(d, ORR_NS, 50 * ORR_US));
    map = json_object();
    set_params(d, "compute", 0.5, map);
    return single("compute", map);
}

static bool takes(const struct orr_param *table, const char *key)
{
    while (table && table->key && strcmp(table->key, key))
        table++;
    return table && table->key;
}

/* Servers and grids have as many members as take part. */
static void fit_group(struct draw *d, const struct orr_family_entry *m,
                      const struct orr_param *common, json_t *map)
{
    const json_t *group = json_object_get(map, "group");
    uint32_t n = group ? (uint32_t)json_array_size(group) : d->ranks;
    uint32_t one = orr__draw_divisor(d, n);

    if (takes(m->params, "local") || takes(common, "local"))
        json_object_set_new(map, "local", json_integer(one));
    if (json_object_get(map, "dims"))
        json_object_set_new(map, "dims", json_pack("[i,i]", one, n / one));
}

/* Rows of as many as take part; zero where messages are to be missing. */
static json_t *draw_matrix(struct draw *d, uint32_t n)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < n; i++) {
        json_t *row = json_array();

        for (uint32_t j = 0; j < n; j++)
            json_array_append_new(
                row, orr__draw_chance(d, 0.3)
                         ? json_integer(0)
                         : json_integer(orr__draw_below(d, 30000)));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* Sizes that differ, with as much of the rest as they allow. */
static void fit_sizes(struct draw *d, json_t *map)
{
    const json_t *group = json_object_get(map, "group");
    uint32_t n = group ? (uint32_t)json_array_size(group) : d->ranks;
    uint32_t hot = orr__draw_below(d, n);
    json_t *sizes = NULL;

    json_object_del(map, "chunks");
    if (group)
        hot = (uint32_t)json_integer_value(json_array_get(group, hot));
    switch (orr__draw_below(d, 3)) {
    case 0: sizes = draw_matrix(d, n); break;
    case 1:
        sizes = json_pack("{s:f}", "zipf", orr__draw_below(d, 30) / 10.0);
        break;
    default:
        sizes = json_pack("{s:{s:i,s:f}}", "hot", "rank", hot, "share",
                          orr__draw_below(d, 11) / 10.0);
    }
    if (json_is_array(sizes))
        json_object_del(map, "size");
    json_object_set_new(map, "sizes", sizes);
}

/* A collective: an algorithm of any kind with its keys. */
static json_t *draw_collective(struct draw *d)
{
    const struct orr_family *f = orr__family_find("collectives");
    struct orr_param room[ORR_GROUP_KEYS_MAX];
    struct orr_family_entry m, one = {0};
    json_t *map = json_object();
    uint32_t n = 0;

    for (size_t i = 0; f->member(i, &m); i++)
        if (orr__draw_below(d, ++n) == 0)
            one = m;
    json_object_set_new(map, "algorithm", json_string(one.name));
    f->group_keys(one.group, room);
    for (size_t i = 0; room[i].key; i++)
        if (!strcmp(room[i].key, "size"))
            json_object_set_new(map, "size", orr__draw_size(d, 0, 100000));
    orr__draw_table(d, "collectives", room, 0.2, map);
    orr__draw_table(d, "collectives", one.params, 0.5, map);
    fit_group(d, &one, room, map);
    if (takes(room, "sizes") && orr__draw_chance(d, 0.5))
        fit_sizes(d, map);
    return single(one.group, map);
}

/* Members that receive what they send, at the same distance; or one pair. */
static void draw_exchange(struct draw *d, json_t *list)
{
    json_t *size = orr__draw_size(d, 0, 100000);
    uint32_t step = 1 + orr__draw_below(d, d->ranks - 1);
    json_t *tag = json_integer(orr__draw_below(d, 3));
    char to[16], from[16];

    if (orr__draw_chance(d, 0.3)) {
        uint32_t a = orr__draw_below(d, d->ranks);

        json_array_append_new(
            list, single("send", json_pack("{s:i,s:i,s:o,s:o}", "from", a, "to",
                                           (a + step) % d->ranks, "size", size,
                                           "tag", tag)));
        return;
    }
    snprintf(to, sizeof to, "+%u", step);
    snprintf(from, sizeof from, "-%u", step);
    json_array_append_new(list,
                          single("send", json_pack("{s:s,s:O,s:O}", "to", to,
                                                   "size", size, "tag", tag)));
    json_array_append_new(
        list, single("recv", json_pack("{s:s,s:O}", "from", from, "tag", tag)));
    json_decref(size);
    json_decref(tag);
}

/* Tokens to their experts, and mostly back. */
static void draw_experts(struct draw *d, json_t *list)
{
    json_t *map = json_object();
    uint32_t k = 1 + orr__draw_below(d, d->ranks < 3 ? d->ranks : 3);

    set_params(d, "dispatch", 0.3, map);
    json_object_set_new(map, "top_k", json_integer(k));
    json_object_set_new(map, "experts",
                        json_integer(k + orr__draw_below(d, 3 * d->ranks)));
    json_object_set_new(map, "tokens",
                        json_integer(orr__draw_below(d, 50) + 1));
    json_object_set_new(map, "hidden",
                        json_integer(orr__draw_below(d, 50) + 1));
    json_object_set_new(map, "algorithm", json_string("direct"));
    if (orr__draw_chance(d, 0.5)) {
        json_object_del(map, "group");
        json_object_set_new(map, "local",
                            json_integer(orr__draw_divisor(d, d->ranks)));
    } else {
        json_object_del(map, "nodes");
        json_object_del(map, "local");
    }
    json_array_append_new(list, single("dispatch", map));
    if (orr__draw_chance(d, 0.7))
        json_array_append_new(list, single("combine", json_object()));
}

static json_t *draw_items(struct draw *d, uint32_t most);

static json_t *draw_parallel(struct draw *d)
{
    json_t *members = json_array();

    d->depth++;
    for (uint32_t n = 1 + orr__draw_below(d, 3); n > 0; n--)
        json_array_append_new(members, draw_items(d, 2));
    d->depth--;
    return single("parallel", members);
}

static json_t *draw_name_of_item(struct draw *d)
{
    char name[32];
    uint32_t op = orr__draw_below(d, d->ids);

    if (orr__draw_chance(d, 0.4)) /* of an earlier iteration */
        snprintf(name, sizeof name, "op%u@-%u", op, 1 + orr__draw_below(d, 3));
    else
        snprintf(name, sizeof name, "op%u", op);
    return json_string(name);
}

static json_t *draw_item(struct draw *d)
{
    json_t *item;
    char name[16];

    if (d->depth < 2 && orr__draw_chance(d, 0.2))
        return draw_parallel(d);
    if (d->ids && orr__draw_chance(d, 0.05))
        return single("wait", draw_name_of_item(d));
    item = orr__draw_chance(d, 0.3) ? draw_compute(d) : draw_collective(d);
    if (d->ids && orr__draw_chance(d, 0.1))
        json_object_set_new(item, "after", draw_name_of_item(d));
    if (orr__draw_chance(d, 0.15)) {
        snprintf(name, sizeof name, "op%u", d->ids++);
        json_object_set_new(item, "id", json_string(name));
    }
    return item;
}

static json_t *draw_items(struct draw *d, uint32_t most)
{
    json_t *list = json_array();

    for (uint32_t n = 1 + orr__draw_below(d, most); n > 0; n--) {
        if (d->ranks > 1 && orr__draw_chance(d, 0.15))
            draw_exchange(d, list);
        else if (orr__draw_chance(d, 0.07))
            draw_experts(d, list);
        else
            json_array_append_new(list, draw_item(d));
    }
    return list;
}

json_t *orr__draw_program(struct draw *d, const char *where)
{
    d->ids = d->depth = 0;
    return draw_items(d, 3);
}

/* ---- jobs ---------------------------------------------------------------- */

json_t *orr__draw_placement(struct draw *d, const char *where)
{
    const char *name = orr__draw_name(d, "placements", NULL);
    json_t *list;

    if (strcmp(name, "list") && d->ranks <= d->hosts)
        return orr__draw_member(d, "placements", "kind", name, 0.3);
    list = json_array();
    for (uint32_t i = 0; i < d->ranks; i++)
        json_array_append_new(list, json_integer(orr__draw_below(d, d->hosts)));
    return list;
}

/* {ranks: ..., trace: ...} of a sample. */
json_t *orr__draw_trace(struct draw *d, const char *where)
{
    const struct orr_family *f = orr__family_find("traces");
    const char *format = orr__draw_name(d, "traces", NULL);
    json_t *path = orr__draw_sample("traces", format), *sample, *trace;
    struct orr_family_entry m;

    sample = path ? json_load_file(json_string_value(path), 0, NULL) : NULL;
    json_decref(path);
    if (!sample)
        return NULL;
    trace = json_object_get(sample, "trace");
    for (size_t i = 0; f->member(i, &m); i++)
        if (!strcmp(m.name, format))
            for (const struct orr_param *p = m.params; p && p->key; p++)
                if (p->type != ORR_PARAM_TEXT && p->type != ORR_PARAM_NODE
                    && p->type != ORR_PARAM_INTS
                    && !json_object_get(trace, p->key)
                    && orr__draw_chance(d, 0.15))
                    json_object_set_new(trace, p->key,
                                        orr__draw_value(d, "any", p));
    return sample;
}

/* What only parameter servers know. */
static void fit_servers(json_t *job)
{
    static const char *const keys[] = {"servers", "shards", "asynchronous",
                                       "staleness"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(job, keys[i]))
            json_object_set_new(job, "sync", json_string("parameter-server"));
    if (json_object_get(job, "staleness"))
        json_object_set_new(job, "asynchronous", json_true());
}

/* Stages of the small model, four units, with replicas that are all ranks. */
static json_t *draw_stages(struct draw *d)
{
    uint32_t units = 4, left = d->ranks;
    json_t *list = json_array();

    while (units && left) {
        bool last = units == 1 || left == 1 || orr__draw_chance(d, 0.3);
        uint32_t n = last ? units : 1 + orr__draw_below(d, units - 1);
        uint32_t m = last ? left : 1 + orr__draw_below(d, left - 1);

        json_array_append_new(
            list, json_pack("{s:i,s:i}", "units", (int)n, "replicas", (int)m));
        units -= n;
        left -= m;
    }
    return list;
}

/* A pipeline that is made rank by rank, with keys that go with it. */
static void draw_pipeline(struct draw *d, json_t *job)
{
    static const char *const schedules[] = {"pipedream", "pipedream", "1f1b",
                                            "gpipe", "zb-h1"};
    static const char *const ways[] = {"none", "bulk", "ddp"};
    static const char *const others[] = {
        "parallelism", "wait",         "stale_layers",  "servers", "shards",
        "staleness",   "asynchronous", "micro_batches", "batch"};
    const char *schedule = schedules[orr__draw_below(d, 5)];

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        json_object_del(job, others[i]);
    json_object_set_new(job, "stages", draw_stages(d));
    json_object_set_new(job, "schedule", json_string(schedule));
    json_object_set_new(job, "sync", json_string(ways[orr__draw_below(d, 3)]));
    if (strcmp(schedule, "pipedream") != 0)
        json_object_set_new(job, "micro_batches",
                            json_integer(1 << orr__draw_below(d, 3)));
    else if (orr__draw_chance(d, 0.5))
        json_object_set_new(job, "overlap",
                            json_integer(8 + orr__draw_below(d, 4)));
}

static void draw_training(struct draw *d, json_t *job)
{
    const struct orr_family *f = orr__family_find("models");
    json_t *tiny = orr__draw_sample("models", "tiny");

    json_object_set_new(job, "model", tiny);
    if (orr__draw_chance(d, 0.1)) /* its bytes may be too many */
        json_object_set_new(job, "model",
                            json_string(orr__draw_name(d, "models", NULL)));
    orr__draw_table(d, "models", f->common(), 0.2, job);
    fit_servers(job);
    if (json_object_get(job, "model") == tiny && orr__draw_chance(d, 0.3))
        draw_pipeline(d, job);
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(
            job, "algorithm",
            json_string(orr__draw_name(d, "collectives", "all-reduce")));
}

/* An iteration or more is left of the first ones. */
static void fit_warmup(json_t *job)
{
    json_int_t n = json_integer_value(json_object_get(job, "warmup"));
    json_int_t all = json_integer_value(json_object_get(job, "iterations"));

    if (n > 20)
        json_object_set_new(job, "warmup", json_integer(n = 3));
    if (n >= all && n > 0)
        json_object_set_new(job, "iterations", json_integer(n + 1));
}

/* A part of a job that serves. */
static json_t *draw_engine(struct draw *d, uint32_t ranks)
{
    json_t *map = json_pack("{s:i,s:i}", "ranks", ranks, "layers",
                            1 + orr__draw_below(d, 3));

    json_object_set_new(map, "step", orr__draw_time(d, ORR_NS, 50 * ORR_US));
    json_object_set_new(map, "token", orr__draw_time(d, ORR_NS, ORR_US));
    json_object_set_new(map, "all_reduce", orr__draw_size(d, 0, 100));
    json_object_set_new(map, "all_to_all", orr__draw_size(d, 0, 100));
    if (orr__draw_chance(d, 0.5))
        json_object_set_new(map, "most",
                            json_integer(1 + orr__draw_below(d, 5)));
    return map;
}

/* Few requests, of few tokens. */
static void draw_serve(struct draw *d, json_t *job)
{
    uint32_t first = 1 + orr__draw_below(d, d->ranks - 1);
    json_t *map = json_pack("{s:i,s:f,s:i,s:{s:i,s:i}}", "requests",
                            1 + orr__draw_below(d, 8), "rate", 10000.0,
                            "prompt", 1 + orr__draw_below(d, 100), "output",
                            "min", 1, "max", 1 + orr__draw_below(d, 6));

    json_object_set_new(map, "kv", orr__draw_size(d, 0, 1000));
    json_object_set_new(
        map, "batch",
        json_string(orr__draw_chance(d, 0.5) ? "static" : "continuous"));
    json_object_set_new(map, "prefill", draw_engine(d, first));
    json_object_set_new(map, "decode", draw_engine(d, d->ranks - first));
    json_object_set_new(job, "serve", map);
}

static json_t *draw_job(struct draw *d)
{
    static const char *const unserved[] = {"iterations", "warmup", "overlap",
                                           "gate", "start"};
    json_t *job = json_object(), *sample = NULL;
    uint32_t what = orr__draw_below(d, 20);

    d->ranks = 1 + orr__draw_below(d, d->hosts < 10 ? d->hosts : 10);
    if (what == 0)
        sample = orr__draw_trace(d, "job");
    if (sample) {
        json_object_update(job, sample);
        d->ranks = (uint32_t)json_integer_value(json_object_get(job, "ranks"));
        json_decref(sample);
    } else {
        json_object_set_new(job, "ranks", json_integer(d->ranks));
        if (what <= 3)
            draw_training(d, job);
        else if (what == 4 && d->ranks > 1 && orr__draw_chance(d, 0.5))
            draw_serve(d, job);
        else
            json_object_set_new(job, "program", orr__draw_program(d, "job"));
    }
    if (d->ranks > d->hosts || orr__draw_chance(d, 0.5))
        json_object_set_new(job, "placement", orr__draw_placement(d, "job"));
    if (!json_object_get(job, "serve") && orr__draw_chance(d, 0.6))
        json_object_set_new(job, "iterations",
                            json_integer(1 + orr__draw_below(d, 4)));
    set_params(d, "job", 0.12, job);
    set_params(d, "service", 0.1, job);
    set_params(d, "stage", 0.08, job);
    if (json_object_get(job, "serve"))
        for (size_t i = 0; i < sizeof unserved / sizeof *unserved; i++)
            json_object_del(job, unserved[i]);
    fit_warmup(job);
    return job;
}

json_t *orr__draw_jobs(struct draw *d, const char *where)
{
    json_t *list = json_array();

    for (uint32_t n = 1 + orr__draw_below(d, 3); n > 0; n--)
        json_array_append_new(list, draw_job(d));
    return list;
}

/* ---- flows --------------------------------------------------------------- */

static json_t *all_hosts(struct draw *d)
{
    json_t *list = json_array();
    uint32_t first = orr__draw_below(d, d->hosts);
    uint32_t n = 2 + orr__draw_below(d, d->hosts - 1);

    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer((first + i) % d->hosts));
    return list;
}

json_t *orr__draw_hosts(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.5))
        return json_integer(2 + orr__draw_below(d, d->hosts - 1));
    return all_hosts(d);
}

json_t *orr__draw_sizes(struct draw *d, const char *where)
{
    const char *kind;
    json_t *map;

    if (orr__draw_chance(d, 0.5))
        return orr__draw_size(d, 0, 100000);
    kind = orr__draw_name(d, "sizes", NULL);
    if (!strcmp(kind, "cdf")) {
        map = json_object();
        json_object_set_new(map, "cdf", orr__draw_sample("sizes", "cdf"));
        return map;
    }
    map = orr__draw_member(d, "sizes", "kind", kind, 0.4);
    if (!strcmp(kind, "uniform")) {
        json_object_set_new(map, "min", orr__draw_size(d, 0, 1000));
        json_object_set_new(map, "max", orr__draw_size(d, 1000, 100000));
    }
    return map;
}

/* A walk over links without coming to a node twice; NULL: it led nowhere. */
static json_t *draw_path(struct draw *d, uint32_t src, uint32_t *dst)
{
    const struct orr_graph *g = d->graph;
    json_t *path = json_array();
    bool *seen = calloc(g->nodes, sizeof *seen);
    uint32_t at = src;

    for (uint32_t hops = 0; hops < 12; hops++) {
        uint32_t degree = g->out_off[at + 1] - g->out_off[at], link;

        json_array_append_new(path, json_integer(at));
        seen[at] = true;
        *dst = at;
        if (!degree || (hops && at < g->hosts && !g->forwards[at])
            || (hops && at < g->hosts && orr__draw_chance(d, 0.4)))
            break;
        link = g->out_link[g->out_off[at] + orr__draw_below(d, degree)];
        if (seen[g->to[link]])
            break;
        at = g->to[link];
    }
    free(seen);
    if (*dst < g->hosts && *dst != src)
        return path;
    json_decref(path);
    return NULL;
}

static json_t *draw_one_flow(struct draw *d)
{
    uint32_t src = orr__draw_below(d, d->hosts);
    uint32_t dst = (src + 1 + orr__draw_below(d, d->hosts - 1)) % d->hosts;
    json_t *flow = json_object(), *path = NULL;

    if (d->explicit_paths && orr__draw_chance(d, 0.5)) {
        uint32_t end = dst;

        path = draw_path(d, src, &end);
        dst = path ? end : dst;
    }
    json_object_set_new(flow, "src", json_integer(src));
    json_object_set_new(flow, "dst", json_integer(dst));
    json_object_set_new(flow, "size", orr__draw_size(d, 0, 100000));
    if (path)
        json_object_set_new(flow, "path", path);
    else if (d->explicit_paths && orr__draw_chance(d, 0.3))
        json_object_set_new(flow, "entropy",
                            json_integer(orr__draw_below(d, 5)));
    set_params(d, "flows", 0.4, flow);
    return flow;
}

static json_t *draw_flow_file(struct draw *d)
{
    json_t *flow = json_object();
    const char *format = orr__draw_name(d, "flow-formats", NULL);

    json_object_set_new(flow, "file", orr__draw_sample("flows", format));
    json_object_set_new(flow, "format", json_string(format));
    set_params(d, "flow-file", 0.1, flow);
    if (orr__draw_chance(d, 0.9)) /* the samples begin at 0 */
        json_object_del(flow, "origin");
    return flow;
}

static json_t *draw_flow(struct draw *d)
{
    uint32_t what = orr__draw_below(d, 20);
    json_t *flow;

    if (what == 0)
        flow = draw_flow_file(d);
    else if (what <= 6)
        flow = orr__draw_member(d, "generators", "generate", NULL, 0.3);
    else
        flow = draw_one_flow(d);
    if (!d->plain)
        set_params(d, "service", 0.1, flow);
    if (json_object_get(flow, "generate") || json_object_get(flow, "file"))
        set_params(d, "flow-window", 0.1, flow);
    return flow;
}

/* What arrives at random needs one of each of two pairs of keys; senders that
 * pause, what comes to few flows. */
static void complete(struct draw *d, json_t *flow)
{
    const char *kind = json_string_value(json_object_get(flow, "generate"));

    if (kind && !strcmp(kind, "on-off")) {
        json_object_set_new(flow, "interval", json_string("20us"));
        json_object_set_new(flow, "duration", json_string("100us"));
    }
    if (!kind
        || (strcmp(kind, "poisson") && strcmp(kind, "incasts")
            && strcmp(kind, "coflows") && strcmp(kind, "requests")))
        return;
    json_object_del(flow, "fan_in");
    if (!strcmp(kind, "incasts") || !strcmp(kind, "coflows"))
        json_object_set_new(flow, "fan_in",
                            json_integer(1 + orr__draw_below(d, 2)));
    if (json_object_get(flow, "fan_out"))
        json_object_set_new(flow, "fan_out", json_integer(1));
    json_object_del(flow, "interval");
    json_object_del(flow, "duration");
    json_object_set_new(flow, "load", json_real(0.5));
    json_object_set_new(flow, "count",
                        json_integer(1 + orr__draw_below(d, 20)));
}

json_t *orr__draw_flows(struct draw *d, const char *where)
{
    json_t *list = json_array();

    for (uint32_t n = 1 + orr__draw_below(d, 5); n > 0; n--) {
        json_t *flow = draw_flow(d);

        complete(d, flow);
        json_array_append_new(list, flow);
    }
    return list;
}
