/* Relations between runs that hold exactly: in a network whose times are twice
 * as long and whose rates are halved all takes twice as long; what begins later
 * ends later by as much; and so on. A case is a configuration and, in its first
 * line, the relation that is tried. */
#include "tests/attack/relations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/attack/draw.h"

static const char *const relations[] = {
    "twice the times", "later",         "an idle job",   "a dead end",
    "other names",     "more capacity", "a shorter run", "another order",
};
enum { RELATIONS = sizeof relations / sizeof *relations };

static bool is(const char *relation, const char *name)
{
    return !strcmp(relation, name);
}

/* ---- drawing ------------------------------------------------------------- */

/* A time of whole nanoseconds, so that halves and doubles are exact. */
static json_t *draw_ns(struct draw *d, double least, double most)
{
    return orr__draw_text(
        "%lluns", (unsigned long long)orr__draw_between(d, least, most) * 2);
}

/* A byte at it takes a whole number of ps, and twice as many at half of it. */
static json_t *draw_rate(struct draw *d)
{
    static const unsigned gbps[] = {10, 20, 40, 50, 100, 200};

    return orr__draw_text("%lluGbps", gbps[orr__draw_below(d, 6)]);
}

static json_t *cable(uint32_t a, uint32_t b)
{
    return json_pack("[i,i]", (int)a, (int)b);
}

/* Switches in a tree with some cables more, and hosts at any of them. */
static json_t *draw_graph(struct draw *d)
{
    uint32_t hosts = 2 + orr__draw_below(d, 6), n = 1 + orr__draw_below(d, 4);
    json_t *cables = json_array(), *link;

    for (uint32_t h = 0; h < hosts; h++)
        json_array_append_new(cables, cable(h, hosts + orr__draw_below(d, n)));
    for (uint32_t s = 1; s < n; s++)
        json_array_append_new(cables,
                              cable(hosts + orr__draw_below(d, s), hosts + s));
    for (uint32_t i = orr__draw_below(d, 3); n > 1 && i > 0; i--) {
        uint32_t a = orr__draw_below(d, n), b = orr__draw_below(d, n);

        if (a != b)
            json_array_append_new(cables, cable(hosts + a, hosts + b));
    }
    link = json_pack("{s:o,s:o}", "rate", draw_rate(d), "delay",
                     draw_ns(d, 10, 3000));
    d->hosts = hosts;
    return json_pack("{s:s,s:i,s:i,s:o,s:o}", "kind", "custom", "hosts",
                     (int)hosts, "switches", (int)n, "link", link, "cables",
                     cables);
}

/* Controls whose times and rates all stand in the configuration or follow from
 * the path. */
static json_t *draw_control(struct draw *d, const char *relation)
{
    /* gaps between paced packets are rounded, and are no halves then */
    switch (orr__draw_below(d, is(relation, "twice the times") ? 3 : 6)) {
    case 0: return json_pack("{s:s}", "kind", "none");
    case 1: return json_pack("{s:s}", "kind", "reno");
    case 2: return json_pack("{s:s}", "kind", "dctcp");
    case 3: return json_pack("{s:s}", "kind", "swift");
    case 4:
        return json_pack("{s:s,s:s,s:o}", "kind", "hpcc", "min_rate", "100Mbps",
                         "rate_ai", orr__draw_text("%lluMbps", 40));
    default:
        return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s}", "kind", "timely",
                         "min_rate", "100Mbps", "t_low", "10us", "t_high",
                         "100us", "min_rtt", "4us", "rate_ai", "40Mbps");
    }
}

static json_t *draw_queue(struct draw *d, const char *relation)
{
    json_t *capacity = orr__draw_size(d, 20000, 300000);

    /* links draw by their number, which another cable changes */
    switch (orr__draw_below(d, is(relation, "a dead end") ? 2 : 3)) {
    case 0:
        return json_pack("{s:s,s:o}", "kind", "droptail", "capacity", capacity);
    case 1:
        return json_pack("{s:s,s:o,s:o}", "kind", "ecn", "capacity", capacity,
                         "threshold", orr__draw_size(d, 2000, 20000));
    default:
        return json_pack("{s:s,s:o,s:o,s:o,s:f}", "kind", "red", "capacity",
                         capacity, "kmin", orr__draw_size(d, 2000, 9000),
                         "kmax", orr__draw_size(d, 9000, 20000), "pmax", 0.3);
    }
}

static json_t *draw_network(struct draw *d, const char *relation)
{
    /* means of round trips are rounded, and no halves: nothing goes by them */
    bool whole = is(relation, "twice the times");
    static const char *const routings[] = {"ecmp", "first", "spray",
                                           "spray-random"};
    static const char *const recoveries[] = {"sack", "go-back-n", "rack",
                                             "selective"};
    json_t *n = json_pack(
        "{s:s,s:s,s:s,s:o,s:o,s:s,s:s,s:{s:s,s:s,s:s,s:s}}", "ties", "index",
        "recovery", recoveries[orr__draw_below(d, whole ? 2 : 4)],
        "nack_interval", "10us", "cc", draw_control(d, relation), "queue",
        draw_queue(d, relation), "mtu",
        orr__draw_chance(d, 0.5) ? "1500B" : "4KB", "routing",
        routings[orr__draw_below(d, 4)], "rto", "initial", "20ms", "min",
        "20ms", "max", "100ms", "probe", "10us");

    if (orr__draw_chance(d, 0.2))
        json_object_set_new(n, "routing",
                            json_pack("{s:s,s:o}", "kind", "adaptive", "gap",
                                      draw_ns(d, 100, 90000)));
    if (orr__draw_chance(d, 0.3)) {
        json_object_set_new(n, "ack_every",
                            json_integer(1 + orr__draw_below(d, 4)));
        json_object_set_new(n, "ack_delay", draw_ns(d, 100, 9000));
    }
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(n, "window",
                            json_integer(1 + orr__draw_below(d, 40)));
    if (orr__draw_chance(d, 0.2))
        json_object_set_new(n, "latency",
                            json_pack("{s:o}", "switch", draw_ns(d, 10, 900)));
    return n;
}

static json_t *draw_flows(struct draw *d)
{
    json_t *list = json_array();

    for (uint32_t n = 2 + orr__draw_below(d, 9); n > 0; n--) {
        uint32_t src = orr__draw_below(d, d->hosts);
        uint32_t dst = (src + 1 + orr__draw_below(d, d->hosts - 1)) % d->hosts;

        json_array_append_new(list, json_pack("{s:i,s:i,s:o,s:o}", "src",
                                              (int)src, "dst", (int)dst, "size",
                                              orr__draw_size(d, 1, 150000),
                                              "start", draw_ns(d, 1, 30000)));
    }
    return list;
}

static json_t *draw_jobs(struct draw *d)
{
    static const char *const kinds[] = {"all-reduce", "all-gather",
                                        "all-to-all", "broadcast"};
    json_t *list = json_array();

    for (uint32_t n = 1 + orr__draw_below(d, 3), i = 0; i < n; i++) {
        uint32_t ranks = 2 + orr__draw_below(d, d->hosts - 1);

        json_array_append_new(
            list,
            json_pack("{s:o,s:i,s:i,s:{s:s,s:i},s:o,s:[{s:o},{s:{s:o}}]}",
                      "name", orr__draw_text("j%llu", i), "ranks", (int)ranks,
                      "iterations", (int)(1 + orr__draw_below(d, 3)),
                      "placement", "kind", "linear", "offset", 0, "start",
                      draw_ns(d, 1, 9000), "program", "compute",
                      draw_ns(d, 10, 40000), kinds[orr__draw_below(d, 4)],
                      "size", orr__draw_size(d, 1, 90000)));
    }
    return list;
}

/* Packets of one size that nothing holds back, from hosts of one rate through
 * one queue: what a larger one loses a smaller one loses too. */
static void draw_incast(struct draw *d, json_t *config)
{
    json_t *flow;
    size_t i;

    json_object_set_new(config, "topology",
                        json_pack("{s:s,s:i,s:{s:s,s:s}}", "kind", "switch",
                                  "hosts", (int)d->hosts, "link", "rate",
                                  "100Gbps", "delay", "1us"));
    json_object_set_new(
        config, "network",
        json_pack("{s:s,s:s,s:s,s:s,s:{s:s,s:o}}", "ties", "index", "transport",
                  "datagram", "mtu", "1KB", "header", "0B", "queue", "kind",
                  "droptail", "capacity", orr__draw_size(d, 1000, 60000)));
    json_object_del(config, "jobs");
    json_array_foreach(json_object_get(config, "flows"), i, flow)
    {
        json_object_set_new(flow, "dst", json_integer(0));
        json_object_set_new(flow, "src",
                            json_integer(1 + orr__draw_below(d, d->hosts - 1)));
        json_object_set_new(
            flow, "size", orr__draw_text("%lluKB", 1 + orr__draw_below(d, 90)));
    }
}

char *orr__draw_relation(uint64_t seed, uint64_t n)
{
    const char *relation = relations[n % RELATIONS];
    struct draw d = {0};
    json_t *config = json_object();
    char *yaml, *text;

    orr__random_init(&d.random, seed, n, ORR_PURPOSE_TEST);
    json_object_set_new(config, "seed",
                        json_integer(1 + orr__draw_below(&d, 99)));
    json_object_set_new(config, "topology", draw_graph(&d));
    json_object_set_new(config, "network", draw_network(&d, relation));
    json_object_set_new(config, "flows", draw_flows(&d));
    if (orr__draw_chance(&d, 0.5) || is(relation, "another order"))
        json_object_set_new(config, "jobs", draw_jobs(&d));
    if (is(relation, "more capacity"))
        draw_incast(&d, config);
    if (is(relation, "another order"))
        json_object_set_new(config, "network",
                            json_pack("{s:s,s:s}", "transport", "analytical",
                                      "contention", "none"));
    yaml = orr__yaml_of(config);
    text = malloc(strlen(yaml) + 80);
    sprintf(text, "# relation: %s\n%s", relation, yaml);
    free(yaml);
    json_decref(config);
    return text;
}

/* ---- changing ------------------------------------------------------------ */

/* "12ns" is "24ns", "10Gbps" is "5Gbps". */
static json_t *stretched(const char *text)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"ps", 2},   {"ns", 2},    {"us", 2},    {"ms", 2},   {"s", 2},
                 {"bps", .5}, {"Kbps", .5}, {"Mbps", .5}, {"Gbps", .5}};
    char *end, out[64];
    double v = strtod(text, &end);

    for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit)) {
            snprintf(out, sizeof out, "%.15g%s", v * units[i].factor, end);
            return json_string(out);
        }
    return NULL;
}

static void stretch(json_t *tree)
{
    const char *key;
    json_t *v;
    void *tmp;

    json_object_foreach_safe(tree, tmp, key, v)
    {
        json_t *other =
            json_is_string(v) ? stretched(json_string_value(v)) : NULL;

        if (other)
            json_object_set_new(tree, key, other);
        else
            stretch(v);
    }
    for (size_t i = 0; i < json_array_size(tree); i++)
        stretch(json_array_get(tree, i));
}

enum { LATER_PS = 12345679 };

static void delay(json_t *list)
{
    json_t *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        const char *start = json_string_value(json_object_get(one, "start"));
        char text[64];

        snprintf(text, sizeof text, "%.0fps",
                 (start ? 1000 * strtod(start, NULL) : 0) + LATER_PS);
        json_object_set_new(one, "start", json_string(text));
    }
}

/* A switch that no path leads by, behind the last one. */
static void add_dead_end(json_t *topology)
{
    json_t *cables = json_object_get(topology, "cables");
    int hosts = atoi(json_string_value(json_object_get(topology, "hosts")));
    int n = atoi(json_string_value(json_object_get(topology, "switches")));
    char text[3][16];

    snprintf(text[0], sizeof text[0], "%d", hosts + n - 1);
    snprintf(text[1], sizeof text[1], "%d", hosts + n);
    snprintf(text[2], sizeof text[2], "%d", n + 1);
    json_array_append_new(cables, json_pack("[s,s]", text[0], text[1]));
    json_object_set_new(topology, "switches", json_string(text[2]));
}

static void name_hosts(json_t *topology)
{
    int hosts = atoi(json_string_value(json_object_get(topology, "hosts")));
    json_t *names = json_array();

    for (int i = 0; i < hosts; i++) {
        char name[32];

        snprintf(name, sizeof name, "z%d %%s <b>", hosts - i);
        json_array_append_new(names, json_string(name));
    }
    json_object_set_new(topology, "names", names);
}

static void reverse(json_t *config, const char *key)
{
    json_t *list = json_object_get(config, key), *other = json_array();

    for (size_t i = json_array_size(list); i > 0; i--)
        json_array_append(other, json_array_get(list, i - 1));
    if (list)
        json_object_set(config, key, other);
    json_decref(other);
}

/* As the relation wants it; stop: ps, of a shorter run. */
static void change(json_t *config, const char *relation, double stop)
{
    json_t *topology = json_object_get(config, "topology");
    json_t *network = json_object_get(config, "network"), *jobs;
    char text[64];

    if (is(relation, "twice the times"))
        stretch(config);
    if (is(relation, "later")) {
        delay(json_object_get(config, "flows"));
        delay(json_object_get(config, "jobs"));
    }
    if (is(relation, "an idle job")) {
        jobs = json_object_get(config, "jobs");
        if (!jobs)
            json_object_set_new(config, "jobs", jobs = json_array());
        json_array_append_new(jobs,
                              json_pack("{s:s,s:s,s:[s],s:[{s:s}]}", "name",
                                        "idle", "ranks", "1", "placement", "0",
                                        "program", "compute", "1us"));
    }
    if (is(relation, "a dead end"))
        add_dead_end(topology);
    if (is(relation, "other names"))
        name_hosts(topology);
    if (is(relation, "more capacity")) {
        json_t *queue = json_object_get(network, "queue");
        double had =
            atof(json_string_value(json_object_get(queue, "capacity")));

        snprintf(text, sizeof text, "%.0fB", 3 * had + 1000);
        json_object_set_new(queue, "capacity", json_string(text));
    }
    if (is(relation, "a shorter run")) {
        snprintf(text, sizeof text, "%.0fps", stop);
        json_object_set_new(config, "stop", json_string(text));
    }
    if (is(relation, "another order")) {
        reverse(config, "flows");
        reverse(config, "jobs");
    }
}

/* ---- judging ------------------------------------------------------------- */

struct pair {
    const char *relation;
    const json_t *a, *b; /* summaries: as it was, and changed */
    double factor;       /* of lengths of time, the other by the one */
    double shift;        /* ns, of moments */
    struct finding *f;
};

static double number(const json_t *of, const char *key)
{
    return json_number_value(json_object_get(of, key));
}

/* Summaries say twelve digits. */
static void same(const struct pair *p, const char *what, size_t i,
                 const char *key, double a, double b)
{
    if (fabs(a - b) > 1e-11 * fmax(fabs(a), fabs(b)) + 1e-9)
        orr__found(p->f, p->relation, "%s %zu: %s %.15g, and expected: %.15g",
                   what, i, key, b, a);
}

static void same_keys(const struct pair *p, const char *what, size_t i,
                      const json_t *a, const json_t *b)
{
    static const struct {
        const char *key;
        bool length, moment;
    } keys[] = {{"fct_ns", true, false},
                {"done_ns", true, false},
                {"duration_ns", true, false},
                {"start_ns", false, true},
                {"end_ns", false, true},
                {"finish_ns", false, true},
                {"bytes", false, false},
                {"bytes_sent", false, false},
                {"retransmissions", false, false},
                {"timeouts", false, false},
                {"marks", false, false}};

    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const json_t *v = json_object_get(a, keys[k].key);
        double want = json_number_value(v);

        if (!json_is_number(v) || !json_object_get(b, keys[k].key))
            continue;
        if (keys[k].length || keys[k].moment)
            want *= p->factor;
        if (keys[k].moment)
            want += p->shift;
        same(p, what, i, keys[k].key, want, number(b, keys[k].key));
    }
}

static const json_t *flows_of(const json_t *summary)
{
    return json_object_get(json_object_get(summary, "flows"), "list");
}

static void same_job(const struct pair *p, size_t i, const json_t *a,
                     const json_t *b)
{
    const json_t *x = json_object_get(a, "iterations");
    const json_t *y = json_object_get(b, "iterations");

    same_keys(p, "job", i, a, b);
    for (size_t k = 0; k < json_array_size(x); k++)
        same_keys(p, "iteration", k, json_array_get(x, k),
                  json_array_get(y, k));
}

/* backwards: the other has them in reverse. */
static void same_lists(const struct pair *p, bool backwards)
{
    const json_t *x = flows_of(p->a), *y = flows_of(p->b);
    size_t n = json_array_size(x);

    if (json_array_size(y) != n)
        orr__found(p->f, p->relation, "%zu flows, and then %zu", n,
                   json_array_size(y));
    for (size_t i = 0; i < n; i++)
        same_keys(p, "flow", i, json_array_get(x, i),
                  json_array_get(y, backwards ? n - 1 - i : i));
    x = json_object_get(p->a, "jobs");
    y = json_object_get(p->b, "jobs");
    n = json_array_size(x);
    for (size_t i = 0; i < n; i++)
        same_job(p, i, json_array_get(x, i),
                 json_array_get(y, backwards ? n - 1 - i : i));
}

static void same_counters(const struct pair *p)
{
    static const char *const keys[] = {
        "packet_hops",     "packets_sent",    "packets_delivered",
        "packets_dropped", "ecn_marks",       "retransmissions",
        "pfc_pauses",      "packets_trimmed", "timeouts"};
    const json_t *x = json_object_get(p->a, "counters");
    const json_t *y = json_object_get(p->b, "counters");

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        same(p, "counter", i, keys[i], number(x, keys[i]), number(y, keys[i]));
}

/* Flows that are over before the stop ended when they did without one. */
static void same_until(const struct pair *p, double stop)
{
    const json_t *x = flows_of(p->a), *y = flows_of(p->b);

    for (size_t i = 0; i < json_array_size(x); i++) {
        const json_t *one = json_array_get(x, i), *other = json_array_get(y, i);
        const json_t *fct = json_object_get(other, "fct_ns");
        double end = 1000 * (number(one, "start_ns") + number(one, "fct_ns"));

        if (json_is_number(fct))
            same(p, "flow", i, "fct_ns", number(one, "fct_ns"),
                 json_number_value(fct));
        else if (end < stop - 1)
            orr__found(p->f, p->relation,
                       "flow %zu ends at %.0f ps, and not "
                       "in a run until %.0f ps",
                       i, end, stop);
    }
}

static void judge(const struct pair *p, double stop)
{
    if (is(p->relation, "a shorter run")) {
        same_until(p, stop);
    } else if (is(p->relation, "more capacity")) {
        const json_t *x = json_object_get(p->a, "counters");
        const json_t *y = json_object_get(p->b, "counters");
        double a = number(x, "packets_dropped"),
               b = number(y, "packets_dropped");

        if (b > a)
            orr__found(p->f, p->relation, "%.0f packets lost instead of %.0f",
                       b, a);
    } else {
        same_lists(p, is(p->relation, "another order"));
        same_counters(p);
    }
    if (is(p->relation, "other names")
        && !json_equal(json_object_get(p->a, "fingerprint"),
                       json_object_get(p->b, "fingerprint")))
        orr__found(p->f, p->relation, "another fingerprint");
}

/* ps: when half of the flows were over. */
static double half_of(const json_t *summary)
{
    const json_t *list = flows_of(summary);
    const json_t *one = json_array_get(list, json_array_size(list) / 2);

    return floor(1000 * (number(one, "start_ns") + number(one, "fct_ns"))) + 1;
}

static bool is_over(const struct outcome *o)
{
    return !o->refused && !o->large && !o->late && o->code == ORR_OK;
}

void orr__relation(const char *text, const struct limits *l, struct tally *t,
                   struct finding *f)
{
    static const struct variant plain = {.name = "related"};
    char relation[64] = "";
    json_t *config = orr__tree_of(text);
    struct outcome a, b;
    double stop;
    char *yaml;

    if (sscanf(text, "# relation: %63[^\n]", relation) != 1 || !config)
        return;
    t->cases++;
    orr__trial_run(text, &plain, l, &a, NULL, NULL);
    t->refused += a.refused;
    t->large += a.large;
    t->late += a.late;
    if (is_over(&a)) {
        struct pair p = {
            .relation = relation, .a = a.summary, .factor = 1, .f = f};

        stop = half_of(a.summary);
        change(config, relation, stop);
        yaml = orr__yaml_of(config);
        orr__trial_run(yaml, &plain, l, &b, NULL, NULL);
        p.b = b.summary;
        p.factor = is(relation, "twice the times") ? 2 : 1;
        p.shift = is(relation, "later") ? LATER_PS / 1000.0 : 0;
        t->runs += 2;
        if (b.refused || (b.code && !b.late && !b.large))
            orr__found(f, relation, "changed, it fails: %s", b.why.message);
        else if (is_over(&b))
            judge(&p, stop);
        if (f->kind[0]
            && strlen(f->detail) + strlen(yaml) + 2 < sizeof f->detail) {
            strcat(f->detail, "\n");
            strcat(f->detail, yaml);
        }
        orr__outcome_fini(&b);
        free(yaml);
    }
    orr__outcome_fini(&a);
    json_decref(config);
}
