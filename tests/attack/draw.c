#include "tests/attack/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/config/config.h"
#include "core/units.h"
#include "net/config/preset.h"
#include "net/config/simulator.h"
#include "topo/graph.h"

/* ---- shapes: what the tables do not say ---------------------------------- */

static json_t *among(struct draw *d, const char *const *names)
{
    uint32_t n = 0;
    while (names[n])
        n++;
    return json_string(names[orr__draw_below(d, n)]);
}

static json_t *draw_kind(struct draw *d, const char *where)
{
    return NULL; /* orr__draw_member puts it there */
}

static json_t *draw_member_of(struct draw *d, const char *family)
{
    return orr__draw_member(d, family, "kind", NULL, 0.3);
}

/* What only some queues or schedulers know is taken out again. */
static json_t *draw_queue(struct draw *d, const char *where)
{
    json_t *map = draw_member_of(d, "queues");
    const char *scheduler =
        json_string_value(json_object_get(map, "scheduler"));

    if (!scheduler || (strcmp(scheduler, "drr") && strcmp(scheduler, "wfq")))
        json_object_del(map, "weights");
    if (json_object_get(map, "kmin") || json_object_get(map, "kmax")) {
        json_object_set_new(map, "kmin", orr__draw_size(d, 0, 20000));
        json_object_set_new(map, "kmax", orr__draw_size(d, 20000, 200000));
    }
    return map;
}

static json_t *draw_cc(struct draw *d, const char *where)
{
    return draw_member_of(d, "cc");
}

static json_t *draw_routing(struct draw *d, const char *where)
{
    return draw_member_of(d, "routing");
}

static json_t *draw_base(struct draw *d, const char *where)
{
    return json_string(orr__draw_name(d, "cc", NULL));
}

json_t *orr__draw_section(struct draw *d, const char *name, double share)
{
    json_t *map = json_object();
    for (size_t i = 0; orr__sections[i].name; i++)
        if (!strcmp(orr__sections[i].name, name))
            orr__draw_table(d, name, orr__sections[i].params(), share, map);
    return map;
}

#define SECTION(name, share)                                                   \
    static json_t *draw_##name(struct draw *d, const char *where)              \
    {                                                                          \
        return orr__draw_section(d, #name, share);                             \
    }
SECTION(buffer, 0.6)
SECTION(pfc, 0.3)
SECTION(record, 0.3)
#undef SECTION

/* Where connections take turns nothing is marked. */
static json_t *draw_nic(struct draw *d, const char *where)
{
    json_t *map = orr__draw_section(d, "nic", 0.6);
    const char *marks = json_string_value(json_object_get(map, "marks"));

    if (marks && strcmp(marks, "none"))
        json_object_set_new(map, "queue", json_string("fifo"));
    return map;
}

static json_t *draw_window(struct draw *d, const char *where)
{
    static const char *const windows[] = {"unlimited", "1",  "2",    "16",
                                          "64KiB",     "1B", "10KB", NULL};

    return among(d, windows);
}

static json_t *draw_preset(struct draw *d, const char *where)
{
    const char *names[32] = {NULL};
    for (size_t i = 0; i < 31 && orr__presets[i].name; i++)
        names[i] = orr__presets[i].name;
    return among(d, names);
}

static json_t *draw_as(struct draw *d, const char *where)
{
    const char *names[32] = {NULL};
    for (size_t i = 0; i < 31 && orr__simulators[i].name; i++)
        names[i] = orr__simulators[i].name;
    return among(d, names);
}

static json_t *draw_initial_window(struct draw *d, const char *where)
{
    static const char *const windows[] = {"1", "2", "10", "15KB", "1B", NULL};
    return among(d, windows);
}

static json_t *draw_auto_time(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.3))
        return json_string("auto");
    return orr__draw_time(d, ORR_US, ORR_MS);
}

static json_t *draw_sample_time(struct draw *d, const char *where)
{
    return orr__draw_time(d, 10 * ORR_US, ORR_MS);
}

static json_t *draw_rto(struct draw *d, const char *where)
{
    int64_t least = (int64_t)orr__draw_between(d, 1e7, 2e9);
    int64_t first = (int64_t)orr__draw_between(d, (double)least, 1e10);
    int64_t most = (int64_t)orr__draw_between(d, (double)first, 1e11);
    json_t *map = json_object();
    json_object_set_new(map, "min", orr__draw_text("%llups", (uint64_t)least));
    json_object_set_new(map, "initial",
                        orr__draw_text("%llups", (uint64_t)first));
    json_object_set_new(map, "max", orr__draw_text("%llups", (uint64_t)most));
    if (orr__draw_chance(d, 0.2))
        json_object_set_new(map, "timer", json_string("always"));
    if (orr__draw_chance(d, 0.2))
        json_object_set_new(map, "initial", json_string("auto"));
    return map;
}

static json_t *draw_latency(struct draw *d, const char *where)
{
    json_t *map = json_object();
    json_object_set_new(map, "switch", orr__draw_time(d, 0, 2 * ORR_US));
    if (orr__draw_chance(d, 0.5))
        json_object_set_new(map, "host", orr__draw_time(d, 0, 2 * ORR_US));
    return map;
}

/* A queue that holds no packet loses everything: seldom of interest. */
static json_t *draw_capacity(struct draw *d, const char *where)
{
    if (orr__draw_chance(d, 0.02))
        return orr__draw_size(d, 1, 2000);
    return orr__draw_size(d, 20000, 2000000);
}

static json_t *draw_weights(struct draw *d, const char *where)
{
    json_t *list = json_array();
    for (uint32_t n = 1 + orr__draw_below(d, 4); n > 0; n--)
        json_array_append_new(list, json_real(1 + orr__draw_below(d, 8) * 0.5));
    return list;
}

/* A whole link, or what differs from it on some cables. */
static json_t *draw_line(struct draw *d, bool whole)
{
    json_t *map = json_object();
    if (whole || orr__draw_chance(d, 0.7))
        json_object_set_new(map, "rate", orr__draw_rate(d));
    if (whole || orr__draw_chance(d, 0.5))
        json_object_set_new(map, "delay",
                            orr__draw_time(d, ORR_NS, 20 * ORR_US));
    if (!d->plain && !d->calm && orr__draw_chance(d, whole ? 0.1 : 0.05))
        json_object_set_new(map, "loss",
                            json_real(orr__draw_between(d, 1e-3, 0.2)));
    return map;
}

static json_t *draw_link(struct draw *d, const char *where)
{
    return draw_line(d, true);
}

static json_t *draw_part(struct draw *d, const char *where)
{
    return draw_line(d, false);
}

static json_t *draw_tiers(struct draw *d, const char *where)
{
    static const char *const tiers[] = {"host", "edge", "aggregation"};
    json_t *map = json_object();
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
        if (orr__draw_chance(d, 0.4))
            json_object_set_new(map, tiers[i], draw_line(d, false));
    return map;
}

/* As many as there are dimensions can be guessed only. */
static json_t *draw_dimensions(struct draw *d, const char *where)
{
    json_t *list = json_array();
    for (uint32_t n = 1 + orr__draw_below(d, 3); n > 0; n--)
        json_array_append_new(list, draw_line(d, false));
    return list;
}

static json_t *draw_gpus(struct draw *d, const char *where)
{
    json_t *map = json_object();
    json_object_set_new(map, "gpus", json_integer(1 + orr__draw_below(d, 4)));
    json_object_set_new(map, "link", draw_line(d, true));
    return map;
}

static json_t *draw_ports(struct draw *d, const char *where)
{
    json_t *list = json_array();
    if (orr__draw_chance(d, 0.3)) {
        json_decref(list);
        return json_string("all");
    }
    for (uint32_t n = 1 + orr__draw_below(d, 3); n > 0; n--)
        json_array_append_new(list, orr__draw_failed_link(d, where));
    return list;
}

static json_t *draw_recorded_flows(struct draw *d, const char *where)
{
    return json_string("all");
}

static json_t *draw_title(struct draw *d, const char *where)
{
    return json_string("an attack");
}

/* A rank, a host, or one far from oneself. */
static json_t *draw_peer(struct draw *d, const char *where)
{
    uint32_t n = d->ranks ? d->ranks : 1;
    if (orr__draw_chance(d, 0.6))
        return json_string(orr__draw_chance(d, 0.7) ? "+1" : "-1");
    return json_integer(orr__draw_below(d, n));
}

static json_t *draw_rank(struct draw *d, const char *where)
{
    return json_integer(orr__draw_below(d, d->ranks ? d->ranks : 1));
}

static json_t *draw_host(struct draw *d, const char *where)
{
    return json_integer(orr__draw_below(d, d->hosts ? d->hosts : 1));
}

/* Some of the ranks, in any order. */
static json_t *draw_group(struct draw *d, const char *where)
{
    json_t *list = json_array();
    uint32_t n = d->ranks, at, *rank = calloc(n, sizeof *rank);

    for (uint32_t i = 0; i < n; i++) {
        at = orr__draw_below(d, i + 1);
        rank[i] = rank[at];
        rank[at] = i;
    }
    for (uint32_t i = 1 + orr__draw_below(d, n); i > 0; i--)
        json_array_append_new(list, json_integer(rank[i - 1]));
    free(rank);
    return list;
}

static json_t *draw_fallback(struct draw *d, const char *where)
{
    static const char *const names[] = {"ring", "direct", "tree", NULL};
    return among(d, names);
}

static json_t *draw_servers(struct draw *d, const char *where)
{
    json_t *list = json_array();
    uint32_t first = orr__draw_below(d, d->hosts);

    for (uint32_t n = 1 + orr__draw_below(d, 2); n > 0; n--)
        json_array_append_new(list, json_integer((first + n) % d->hosts));
    return list;
}

static json_t *count_unshared(struct draw *d, const char *where)
{
    return NULL;
}

static json_t *draw_gpu(struct draw *d, const char *where)
{
    return json_string(orr__draw_name(d, "gpus", NULL));
}

static json_t *draw_flops(struct draw *d, const char *where)
{
    static const char *const flops[] = {"1GFLOPS", "150TFLOPS", NULL};

    return among(d, flops);
}

static json_t *draw_network(struct draw *d, const char *where)
{
    json_t *map = orr__draw_section(d, "network", 0.15), *routing;
    const char *name;

    if (json_object_get(map, "preset") || json_object_get(map, "as"))
        /* which say how */
        json_object_del(map, "transport");
    /* a bit larger than what the table would make of it */
    if (orr__draw_chance(d, 0.7))
        json_object_set_new(map, "mtu", orr__draw_size(d, 200, 20000));
    routing = json_object_get(map, "routing");
    name = json_string_value(json_object_get(routing, "kind"));
    d->explicit_paths = name && !strcmp(name, "explicit");
    return map;
}

/* A time, or a number of flows. */
static json_t *draw_stretch(struct draw *d, const char *where)
{
    char text[24];

    snprintf(text, sizeof text, "%u%s", orr__draw_below(d, 20),
             orr__draw_chance(d, 0.5) ? "us" : "");
    return json_string(text);
}

/* What draws the structure or the text that a key holds. where NULL: wherever
 * it stands; key NULL: all that the tables alone cannot draw. The first that
 * fits counts. */
static const struct orr_shape shapes[] = {
    {NULL, "kind", draw_kind},
    {"placements", "hosts", count_unshared}, /* the list itself is drawn */
    {"file", "file", count_unshared}, /* orr__draw_topology: it is there */
    {"file", "format", count_unshared},
    {"configuration", "title", draw_title},
    {"configuration", "topology", orr__draw_topology},
    {"configuration", "network", draw_network},
    {"configuration", "jobs", orr__draw_jobs},
    {"configuration", "flows", orr__draw_flows},
    {"configuration", "failures", orr__draw_failures},
    {"configuration", "record", draw_record},
    {"configuration", "plugins", count_unshared}, /* code, not a structure */
    {"configuration", "compare", count_unshared}, /* a run leaves it aside */
    {"configuration", "plan", count_unshared},
    {"configuration", "repeat", count_unshared}, /* a way to run it: trial.c */
    {"configuration", "cluster",
     count_unshared}, /* instead of jobs: tenants.c */
    {"cluster", NULL, count_unshared},
    {"cluster-failures", NULL, count_unshared},
    {"cluster-elastic", NULL, count_unshared},
    {"cluster-resize", NULL, count_unshared},
    {"cluster-told", NULL, count_unshared},
    {"cluster-migrate", NULL, count_unshared},
    {"cluster-tenants", NULL, count_unshared},
    {"server-groups", NULL, count_unshared},
    {"servers", "groups", count_unshared}, /* of a cluster */
    {"record", "pcap", count_unshared},    /* files of their own: tests/cli */
    {"record", "packets", count_unshared},
    {"pcap", NULL, count_unshared},
    {"packets", NULL, count_unshared},
    {"repeat", NULL, count_unshared},
    {"compare", NULL, count_unshared}, /* tests/fuzz/fuzz_compare.c */
    {"until", NULL, count_unshared},
    {"equal-cost", NULL, count_unshared},
    {"cluster-job", NULL,
     count_unshared}, /* fuzz_job_trace.c, fuzz_arrivals.c */
    {"cluster-list", NULL, count_unshared},
    {"cluster-trace", NULL, count_unshared},
    {"cluster-arrivals", NULL, count_unshared},
    {"topologies", "cables", count_unshared}, /* orr__draw_custom */
    {"network", "preset", draw_preset},
    {"network", "as", draw_as},
    {"network", "queue", draw_queue},
    {"network", "buffer", draw_buffer},
    {"network", "pfc", draw_pfc},
    {"network", "nic", draw_nic},
    {"network", "by_tier", orr__draw_by_tier},
    {"by_tier", NULL, count_unshared},
    {"pfc", "lossless", orr__draw_lossless_classes},
    {"network", "routing", draw_routing},
    {NULL, "cc", draw_cc},
    {"network", "window", draw_window},
    {"network", "initial_window", draw_initial_window},
    {"network", "rto", draw_rto},
    {"network", "reorder_window", draw_auto_time},
    {"network", "latency", draw_latency},
    {"queues", "capacity", draw_capacity},
    {"queues", "weights", draw_weights},
    {"cc", "base", draw_base},
    {"topologies", "link", draw_link},
    {"topologies", "servers", draw_gpus},
    {"topologies", "names", orr__draw_names},
    {"topologies", "size", count_unshared}, /* draw_sized */
    {"circuits", NULL, count_unshared},     /* orr__draw_circuits */
    {"topologies", "circuits", count_unshared},
    {"topologies", "reconfigure", count_unshared},
    {"topologies", "planes", orr__draw_planes},
    {"failures", "plane", count_unshared},
    {"servers", "link", draw_link},
    {"prices", "currency", count_unshared}, /* no part of a configuration */
    {"prices", "source", count_unshared},
    {"prices", "rates", count_unshared},
    {"topologies", "local", draw_part},
    {"topologies", "global", draw_part},
    {"topologies", "dims", orr__draw_dims},
    {"topologies", "dimensions", draw_dimensions},
    {"topologies", "strides",
     count_unshared}, /* orr__draw_strides puts them there */
    {"topologies", "matching", count_unshared},
    {"topologies", "tiers", draw_tiers},
    {"topologies", "uplink", draw_part},
    {"topologies", "bottleneck", draw_part},
    {"topologies", "file", count_unshared},
    {"job", "name", count_unshared}, /* one name for two jobs is refused */
    {"job", "placement", orr__draw_placement},
    {"job", "program",
     count_unshared}, /* orr__draw_jobs puts one of the three */
    {"job", "trace", count_unshared},
    {"job", "serve", count_unshared},
    {"send", "to", draw_peer},
    {"send", "from", count_unshared}, /* draw_program writes this form itself */
    {"recv", "from", draw_peer},
    {"collectives", "algorithm", draw_kind},
    {"collectives", "fallback", draw_fallback},
    {"collectives", "file",
     count_unshared},                      /* msccl needs one and is refused */
    {"circuits", "links", count_unshared}, /* orr__draw_circuits */
    {"collectives", "group", draw_group},
    {"collectives", "root", draw_rank},
    {"collectives", "dims", orr__draw_dims},
    {"collectives", "strides", orr__draw_stride_list},
    {"dispatch", "group", draw_group},
    {"dispatch", "algorithm", count_unshared},
    {"combine", NULL, count_unshared},
    {"serve", NULL, count_unshared},
    {"engine", NULL, count_unshared},
    {"collectives", "sizes", count_unshared}, /* orr__draw_program fits them */
    {"pair-sizes", NULL, count_unshared},
    {"collectives", "servers", draw_servers},
    {"models", "model", count_unshared},
    {"models", "algorithm", count_unshared},
    {NULL, "src", draw_host},
    {NULL, "dst", draw_host},
    {"flow-path", "path", count_unshared}, /* orr__draw_flows walks one */
    {"flow-file", "file", count_unshared},
    {"flow-window", NULL, draw_stretch},
    {"generators", "generate", draw_kind},
    {"generators", "size", orr__draw_sizes},
    {"generators", "hosts", orr__draw_hosts},
    {"generators", "senders", orr__draw_hosts},
    {"sizes", "cdf", count_unshared}, /* orr__draw_sizes */
    {"sizes", "points", count_unshared},
    {"failures", "link", orr__draw_failed_link},
    {"failures", "host", count_unshared}, /* orr__draw_whole_failure */
    {"failures", "switch", count_unshared},
    {"failures", "tier", count_unshared},
    {"record", "interval", draw_auto_time},
    {"record", "flows", draw_recorded_flows},
    {"record", "ports", draw_ports},
    {"record", "sample", draw_sample_time},
    {"traces", "format", draw_kind},
    {"topologies", "component", count_unshared}, /* of some formats */
    {"traces", NULL, count_unshared}, /* a sample has what it needs */
    {"models", "flops", draw_flops},
    {"models", "gpu", draw_gpu},
    {"models", "servers", draw_servers},
    {"models", "stages",
     count_unshared}, /* draw_pipeline: as long as the model */
    {NULL, NULL, NULL},
};

static const struct orr_shape *shape_of(const char *where, const char *key)
{
    const struct orr_shape *const tables[] = {orr__draw_sharing, shapes};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct orr_shape *s = tables[t]; s->draw; s++)
            if ((!s->key || !strcmp(s->key, key))
                && (!s->where || !strcmp(s->where, where)))
                return s;
    return NULL;
}

json_t *orr__draw_value_of(struct draw *d, const char *where, const char *key)
{
    return shape_of(where, key)->draw(d, where);
}

bool orr__draw_has_shape(const char *where, const char *key)
{
    return shape_of(where, key) != NULL;
}

/* ---- values of a table --------------------------------------------------- */

/* Beyond the least; a topology stays small, as what grows with a power of it is
 * soon larger than what is run. */
static uint32_t draw_more(struct draw *d, bool small)
{
    if (small)
        return orr__draw_below(d, orr__draw_chance(d, 0.85) ? 3 : 6);
    return orr__draw_below(d, orr__draw_chance(d, 0.8) ? 4 : 10);
}

static json_t *draw_int(struct draw *d, const char *where,
                        const struct orr_param *p)
{
    int64_t least = 0, most = INT64_MAX, fallback = 0, v;
    bool small = !strcmp(where, "topologies");

    if (p->min)
        (void)orr__parse_int(p->min, &least);
    if (p->max)
        (void)orr__parse_int(p->max, &most);
    if (p->fallback && *p->fallback && !orr__parse_int(p->fallback, &fallback)
        && fallback > 8 && orr__draw_chance(d, 0.7))
        v = fallback / 2 + orr__draw_below(d, (uint32_t)fallback);
    else if (orr__draw_chance(d, 0.03) && most < (small ? 32 : 100000))
        v = most;
    else
        v = least + draw_more(d, small);
    v = v < least ? least : v > most ? most : v;
    return json_integer(v);
}

static json_t *draw_real(struct draw *d, const struct orr_param *p)
{
    double least = 1e-3, most = 10, fallback = 1, v;

    if (p->min)
        (void)orr__parse_real(p->min, &least);
    if (p->max)
        (void)orr__parse_real(p->max, &most);
    if (p->fallback && !orr__parse_real(p->fallback, &fallback) && fallback > 0
        && orr__draw_chance(d, 0.7))
        v = orr__draw_between(d, fallback / 4, fallback * 4);
    else if (orr__draw_chance(d, 0.05))
        v = orr__draw_chance(d, 0.5) ? least : most;
    else
        v = least + (most - least) * orr__random_unit(&d->random);
    v = v < least ? least : v > most ? most : v;
    return json_real(v);
}

static json_t *draw_time_of(struct draw *d, const struct orr_param *p)
{
    int64_t least = 0, most = 100 * ORR_US, fallback = 0, limit;

    if (p->min)
        (void)orr__parse_time(p->min, &least);
    if (p->fallback && !orr__parse_time(p->fallback, &fallback)
        && fallback > 0) {
        least = least > fallback / 16 ? least : fallback / 16;
        most = fallback * 4;
    }
    if (p->max && !orr__parse_time(p->max, &limit) && most > limit)
        most = limit;
    return orr__draw_time(d, least, most > least ? most : least);
}

static json_t *draw_size_of(struct draw *d, const struct orr_param *p)
{
    uint64_t least = 0, most = 200000, fallback = 0, limit;

    if (p->min)
        (void)orr__parse_size(p->min, &least);
    if (p->fallback && !orr__parse_size(p->fallback, &fallback) && fallback > 0
        && orr__draw_chance(d, 0.5)) {
        least = least > fallback / 16 ? least : fallback / 16;
        most = fallback * 4;
    }
    if (p->max && !orr__parse_size(p->max, &limit) && most > limit)
        most = limit;
    return orr__draw_size(d, least, most > least ? most : least);
}

static json_t *draw_choice(struct draw *d, const struct orr_param *p)
{
    return among(d, p->choices);
}

json_t *orr__draw_value(struct draw *d, const char *where,
                        const struct orr_param *p)
{
    const struct orr_shape *s = shape_of(where, p->key);
    bool automatic = p->fallback && !strcmp(p->fallback, "auto");

    if (s && !(s->draw == draw_kind && p->type == ORR_PARAM_CHOICE)
        && !(s->draw == draw_gpus && p->type == ORR_PARAM_INT))
        return s->draw(d, where);
    if (automatic && orr__draw_chance(d, 0.2))
        return json_string("auto");
    switch (p->type) {
    case ORR_PARAM_BOOL: return json_boolean(orr__draw_chance(d, 0.5));
    case ORR_PARAM_INT: return draw_int(d, where, p);
    case ORR_PARAM_REAL:
    case ORR_PARAM_REAL_BY_RATE: return draw_real(d, p);
    case ORR_PARAM_TIME: return draw_time_of(d, p);
    case ORR_PARAM_SIZE:
    case ORR_PARAM_SIZE_BY_RATE: return draw_size_of(d, p);
    case ORR_PARAM_RATE: return orr__draw_rate(d);
    case ORR_PARAM_CHOICE: return draw_choice(d, p);
    case ORR_PARAM_TEXT:
    case ORR_PARAM_INTS:
    case ORR_PARAM_NODE: break;
    }
    return NULL; /* orr__draw_gaps tells of it */
}

void orr__draw_table(struct draw *d, const char *where,
                     const struct orr_param *table, double share, json_t *map)
{
    for (const struct orr_param *p = table; p && p->key; p++) {
        json_t *value;

        if (json_object_get(map, p->key)
            || (p->fallback && !orr__draw_chance(d, share)))
            continue;
        value = orr__draw_value(d, where, p);
        if (value)
            json_object_set_new(map, p->key, value);
    }
}

const char *orr__draw_name(struct draw *d, const char *family,
                           const char *group)
{
    const struct orr_family *f = orr__family_find(family);
    struct orr_family_entry m;
    const char *name = NULL;
    uint32_t n = 0;

    for (size_t i = 0; f->member(i, &m); i++)
        if ((!group || !strcmp(m.group, group)) && orr__draw_below(d, ++n) == 0)
            name = m.name;
    return name;
}

json_t *orr__draw_member(struct draw *d, const char *family, const char *key,
                         const char *name, double share)
{
    const struct orr_family *f = orr__family_find(family);
    json_t *map = json_object();
    struct orr_family_entry m;

    if (!name)
        name = orr__draw_name(d, family, NULL);
    json_object_set_new(map, key, json_string(name));
    if (f->common)
        orr__draw_table(d, family, f->common(), share, map);
    for (size_t i = 0; f->member(i, &m); i++)
        if (!strcmp(m.name, name))
            orr__draw_table(d, family, m.params, share, map);
    return map;
}

/* ---- the whole ----------------------------------------------------------- */

/* How large the topology is, and its links; false if it is not valid, or so
 * large that no machine has room for this much of each of its links. */
static bool learn_graph(struct draw *d, const json_t *config,
                        struct orr_config **c)
{
    static const struct orr_graph_use use = {.link_bytes = 1 << 17};
    char *said = json_dumps(config, 0);
    struct orr_report why = {0};
    struct orr_graph *g = NULL;
    orr_err err = orr__config_parse("topology", said, strlen(said), c, &why);

    free(said);
    if (err == ORR_OK)
        err = orr__graph_build_for(
            *c, orr__yaml_get(orr__config_root(*c), "topology"),
            (uint64_t)json_integer_value(json_object_get(config, "seed")), &use,
            &g, &why);
    if (err != ORR_OK)
        return false;
    d->graph = g;
    d->hosts = g->hosts;
    d->nodes = g->nodes;
    d->links = g->links;
    return true;
}

static void draw_rest(struct draw *d, json_t *config)
{
    uint32_t what = orr__draw_below(d, 3);

    json_object_set_new(config, "network", draw_network(d, "configuration"));
    if (what != 1)
        json_object_set_new(config, "jobs", orr__draw_jobs(d, "configuration"));
    if (what != 0)
        json_object_set_new(config, "flows",
                            orr__draw_flows(d, "configuration"));
    if (orr__draw_chance(d, 0.06))
        orr__draw_lossless(d, config);
    if (what != 1 && orr__draw_chance(d, 0.15))
        orr__draw_schedule(d, config);
    if (orr__draw_chance(d, 0.15))
        json_object_set_new(config, "failures",
                            orr__draw_failures(d, "configuration"));
    if (orr__draw_chance(d, 0.2))
        json_object_set_new(config, "record", draw_record(d, "configuration"));
    if (orr__draw_chance(d, 0.06))
        orr__draw_circuits(d, json_object_get(config, "topology"));
    if (orr__draw_chance(d, 0.05))
        json_object_set_new(config, "stop", orr__draw_time(d, ORR_US, ORR_MS));
    if (orr__draw_chance(d, 0.1))
        json_object_set_new(config, "control_delay",
                            orr__draw_time(d, ORR_NS, 100 * ORR_US));
}

json_t *orr__draw(uint64_t seed, uint64_t n)
{
    struct draw d = {0};
    struct orr_config *c = NULL;
    json_t *config = json_object();

    orr__random_init(&d.random, seed, n, ORR_PURPOSE_TEST);
    d.plain = orr__draw_chance(&d, 0.12);
    d.calm = !d.plain && orr__draw_chance(&d, 0.1);
    json_object_set_new(config, "seed",
                        json_integer(1 + orr__draw_below(&d, 1000)));
    for (;;) { /* what is not valid, or large, is drawn again */
        json_object_set_new(config, "topology",
                            orr__draw_topology(&d, "configuration"));
        if (learn_graph(&d, config, &c) && d.hosts >= 2 && d.hosts <= 40)
            break;
        orr__graph_free((struct orr_graph *)d.graph);
        orr__config_free(c);
        d.graph = NULL;
        c = NULL;
    }
    if (d.plain)
        orr__draw_plain(&d, config);
    else if (d.calm)
        orr__draw_calm(&d, config);
    else
        draw_rest(&d, config);
    orr__graph_free((struct orr_graph *)d.graph);
    orr__config_free(c);
    return config;
}
