/* Generated flows: permutations, incasts, flows, requests and coflows that
 * arrive at random, and senders that pause. A generator draws from three
 * streams of its own, for pairs, sizes and starts, so that another distribution
 * of sizes leaves the pairs as they were. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "core/assert.h"
#include "core/config/module.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/units.h"
#include "topo/node_names.h"
#include "workload/flow/build.h"
#include "workload/flow/trigger.h"

enum lane { PAIRS, SIZES, STARTS, LANES };

struct params { /* of all generators; one reads what its table names */
    const char *generate;
    const struct orr_yaml *hosts, *senders, *size, *src_at, *dst_at;
    int64_t start, jitter, seed;
    int64_t dst, src, repeat, period;
    int64_t count, duration, interval;
    int64_t fan_in, fan_out, on, off;
    uint64_t request;
    double load;
};
#define OF(field) offsetof(struct params, field)

/* One generator, while it makes its flows. */
struct generator {
    struct orr_flow_list *list;
    const struct orr_yaml *entry;
    struct params p;
    struct orr_sizes sizes;
    uint32_t *hosts; /* that take part, distinct, as given */
    uint32_t n_hosts;
    struct orr_random stream[LANES];
    gsl_rng rng[LANES]; /* GSL's view of the same streams */
    struct orr_report *why;
};

static const char *one_round(const void *set, const void *around)
{
    const struct params *p = set;
    return p->repeat == 1 ? "`repeat` asks for one round" : NULL;
}

/* Asked when all are known: `around` is the generator's, as it was read. */
static const char *idle_if_named(const void *set, const void *around)
{
    const struct params *p = around;
    if (p->senders)
        return "`senders` says who sends";
    return p->src_at && p->dst_at ? "`src` and `dst` name all that take part"
                                  : NULL;
}

static const struct orr_param common_params[] = {
    {"generate", ORR_PARAM_TEXT, OF(generate), NULL, NULL, NULL, NULL,
     "permutation, incast, poisson, incasts, coflows, requests or on-off"},
    {"size", ORR_PARAM_NODE, OF(size), NULL, NULL, NULL, NULL,
     "payload of a flow: a size, {min, max}, or a distribution"},
    {"hosts", ORR_PARAM_NODE, OF(hosts), "", NULL, NULL, NULL,
     "participating hosts: a number (the first ones), or a list; default: all",
     .idle = idle_if_named},
    {"start", ORR_PARAM_TIME, OF(start), "0s", NULL, NULL, NULL,
     "when the first flow may start"},
    {"seed", ORR_PARAM_INT, OF(seed), "-1", "-1", NULL, NULL,
     "names the random streams; -1: the experiment's seed and the place in "
     "the list"},
    ORR_PARAM_END,
};
/* Rounds of permutation and incast. */
#define ROUND_PARAMS                                                           \
    {"jitter",   ORR_PARAM_TIME,                                               \
     OF(jitter), "0s",                                                         \
     NULL,       NULL,                                                         \
     NULL,       "each start is later by a uniform time below this"},          \
        {"repeat", ORR_PARAM_INT, OF(repeat), "1",                             \
         "1",      NULL,          NULL,       "number of rounds"},             \
    {                                                                          \
        "period", ORR_PARAM_TIME, OF(period), "0s", NULL, NULL, NULL,          \
            "time from one round to the next", .idle = one_round               \
    }
static const struct orr_param permutation_params[] = {
    ROUND_PARAMS,
    ORR_PARAM_END,
};
static const struct orr_param incast_params[] = {
    {"dst", ORR_PARAM_NODE, OF(dst_at), NULL, NULL, NULL, NULL,
     "host that receives, by number or name"},
    {"senders", ORR_PARAM_NODE, OF(senders), "", NULL, NULL, NULL,
     "hosts that send: a number (the first ones other than dst), or a list; "
     "default: all others, of `hosts` if given"},
    ROUND_PARAMS,
    ORR_PARAM_END,
};
/* When they arrive. */
#define ARRIVAL_PARAMS                                                         \
    {"load",                                                                   \
     ORR_PARAM_REAL,                                                           \
     OF(load),                                                                 \
     "",                                                                       \
     "0.000001",                                                               \
     "100",                                                                    \
     NULL,                                                                     \
     "offered payload, as a share of the sending hosts' bandwidth; or give "   \
     "interval"},                                                              \
        {"interval",   ORR_PARAM_TIME,                                         \
         OF(interval), "",                                                     \
         "1ns",        NULL,                                                   \
         NULL,         "mean time between two arrivals; or give load"},        \
        {"count",   ORR_PARAM_INT,                                             \
         OF(count), "",                                                        \
         "1",       NULL,                                                      \
         NULL,      "how many arrive; or give duration"},                      \
    {                                                                          \
        "duration", ORR_PARAM_TIME, OF(duration), "", NULL, NULL, NULL,        \
            "for how long they arrive; or give count"                          \
    }
#define DST_PARAM                                                              \
    {                                                                          \
        "dst", ORR_PARAM_NODE, OF(dst_at), "", NULL, NULL, NULL,               \
            "host that receives; one is drawn each time when absent"           \
    }
static const struct orr_param poisson_params[] = {
    ARRIVAL_PARAMS,
    {"src", ORR_PARAM_NODE, OF(src_at), "", NULL, NULL, NULL,
     "host that sends; each flow draws one when absent"},
    DST_PARAM,
    ORR_PARAM_END,
};
static const struct orr_param incasts_params[] = {
    ARRIVAL_PARAMS,
    {"fan_in", ORR_PARAM_INT, OF(fan_in), NULL, "1", NULL, NULL,
     "hosts that send, drawn each time"},
    DST_PARAM,
    ORR_PARAM_END,
};
static const struct orr_param coflows_params[] = {
    ARRIVAL_PARAMS,
    {"fan_in", ORR_PARAM_INT, OF(fan_in), NULL, "1", NULL, NULL,
     "hosts that send, drawn each time"},
    {"fan_out", ORR_PARAM_INT, OF(fan_out), NULL, "1", NULL, NULL,
     "other hosts, to each of which all of these send at once"},
    ORR_PARAM_END,
};
static const struct orr_param requests_params[] = {
    ARRIVAL_PARAMS,
    {"src", ORR_PARAM_NODE, OF(src_at), "", NULL, NULL, NULL,
     "host that asks; each request draws one when absent"},
    {"dst", ORR_PARAM_NODE, OF(dst_at), "", NULL, NULL, NULL,
     "host that answers; each request draws one when absent"},
    {"request", ORR_PARAM_SIZE, OF(request), "1KB", "1B", "1GB", NULL,
     "payload of a request; `size` is the answer's, which begins when the "
     "request is there"},
    ORR_PARAM_END,
};
static const struct orr_param on_off_params[] = {
    {"on", ORR_PARAM_TIME, OF(on), NULL, "1ns", NULL, NULL,
     "mean time for which a host sends, to one that it draws"},
    {"off", ORR_PARAM_TIME, OF(off), NULL, "1ns", NULL, NULL,
     "mean time for which it then pauses"},
    {"interval", ORR_PARAM_TIME, OF(interval), NULL, "1ns", NULL, NULL,
     "mean time between two flows while it sends"},
    {"duration", ORR_PARAM_TIME, OF(duration), NULL, NULL, NULL, NULL,
     "for how long flows arrive"},
    ORR_PARAM_END,
};

static orr_err fail_at_key(struct generator *g, const char *key,
                           const char *what)
{
    const struct orr_yaml *at = orr__yaml_get(g->entry, key);
    return orr__yaml_fail(g->list->world->config, at ? at : g->entry, g->why,
                          "%s", what);
}

/* ---- hosts ------------------------------------------------------------- */

/* *host as it is where none is named. */
static orr_err read_host(struct generator *g, const struct orr_yaml *at,
                         int64_t *host)
{
    const struct orr_world *w = g->list->world;
    uint32_t read = 0;
    orr_err err =
        at ? orr__host_read(w->graph, w->config, at, &read, g->why) : ORR_OK;
    if (at && !err)
        *host = read;
    return err;
}

/* A list of hosts into list (room for count of them). */
static orr_err list_hosts(struct generator *g, const struct orr_yaml *node,
                          uint32_t *list)
{
    struct orr_config *c = g->list->world->config;
    size_t n = orr__yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *item = orr__yaml_item(node, i);
        int64_t host = 0;
        orr_err err = read_host(g, item, &host);
        if (err != ORR_OK)
            return err;
        for (size_t j = 0; j < i; j++)
            if (list[j] == (uint32_t)host)
                return orr__yaml_fail(c, item, g->why,
                                      "host %lld is listed twice",
                                      (long long)host);
        list[i] = (uint32_t)host;
    }
    return ORR_OK;
}

/* How many hosts node asks for: a number or a list; all of them when NULL. */
static orr_err count_hosts(struct generator *g, const struct orr_yaml *node,
                           uint32_t all, uint32_t *n)
{
    struct orr_config *c = g->list->world->config;
    const char *text = orr__yaml_text(c, node);
    int64_t v = all;
    if (node && orr__yaml_is_list(node))
        v = (int64_t)orr__yaml_count(node);
    else if (node && (!text || orr__parse_int(text, &v)))
        return orr__yaml_fail(c, node, g->why,
                              "how many hosts, or a list of them");
    if (v < 1 || v > all)
        return orr__yaml_fail(c, node, g->why,
                              "%lld hosts are asked for, of %u", (long long)v,
                              all);
    *n = (uint32_t)v;
    return ORR_OK;
}

/* The hosts that node names, or the first ones other than `not`, into a new
 * array. */
static orr_err read_hosts(struct generator *g, const struct orr_yaml *node,
                          int64_t not, uint32_t **out, uint32_t *n)
{
    uint32_t all = g->list->world->graph->hosts - (not >= 0);
    orr_err err = count_hosts(g, node, all, n);
    if (err != ORR_OK)
        return err;
    uint32_t *list = orr__alloc(*n, sizeof *list);
    if (!list)
        return orr__no_memory(g->why);
    if (node && orr__yaml_is_list(node)) {
        err = list_hosts(g, node, list);
    } else {
        uint32_t host = 0;
        for (uint32_t i = 0; i < *n; i++, host++) {
            host += host == not ;
            list[i] = host;
        }
    }
    if (err != ORR_OK) {
        orr__free(list);
        return err;
    }
    *out = list;
    return ORR_OK;
}

/* Fails when about so many flows would not fit into memory: a slip in a unit
 * is told at once, and not after minutes of generating. */
static orr_err check_number(struct generator *g, const char *key, double flows)
{
    char need[32], there[32];
    double many = flows * ORR_FLOW_COST;
    uint64_t bytes = many < 1e19 ? (uint64_t)many : UINT64_MAX;
    if (flows < UINT32_MAX / 2 && orr__memory_fits(bytes))
        return ORR_OK;
    orr__human_size(bytes, need, sizeof need);
    orr__human_size(orr__memory_available(), there, sizeof there);
    return orr__yaml_fail(g->list->world->config, orr__yaml_get(g->entry, key),
                          g->why,
                          "about %.3g flows would take %s of memory, and %s "
                          "are free",
                          flows, need, there);
}

/* ---- the generators ---------------------------------------------------- */

/* key: what the start goes by. */
static orr_err add_flow(struct generator *g, const char *key, uint32_t src,
                        uint32_t dst, int64_t at)
{
    if (at > ORR_HORIZON)
        return fail_at_key(g, key,
                           "some of these flows would start after 53 days, "
                           "when simulated time ends");
    uint64_t bytes = orr__sizes_draw(&g->sizes, &g->rng[SIZES]);
    return orr__flow_list_add(g->list, src, dst, bytes, at, g->why);
}

static int64_t jittered(struct generator *g, int64_t at)
{
    if (g->p.jitter == 0)
        return at;
    uint64_t late =
        orr__random_below(&g->stream[STARTS], (uint64_t)g->p.jitter);
    return orr__time_add(at, (int64_t)late);
}

/* Shuffles to[] until nobody is left at his own place: each derangement is as
 * likely as another, and e tries are needed on average. */
static void derange(struct generator *g, uint32_t *to, uint32_t n)
{
    uint32_t fixed;
    do {
        fixed = 0;
        for (uint32_t i = 0; i < n; i++)
            to[i] = i;
        for (uint32_t i = n; i-- > 1;) {
            uint32_t j = (uint32_t)orr__random_below(&g->stream[PAIRS], i + 1);
            uint32_t t = to[i];
            to[i] = to[j];
            to[j] = t;
            fixed += to[i] == i;
        }
        fixed += to[0] == 0;
    } while (fixed);
}

/* Each host sends to one other, and none to itself; in each round to another
 * one, perhaps. */
static orr_err permutation(struct generator *g)
{
    uint32_t n = g->n_hosts;
    if (n < 2)
        return fail_at_key(g, "hosts", "a permutation needs two hosts or more");
    uint32_t *to = orr__alloc(n, sizeof *to);
    if (!to)
        return orr__no_memory(g->why);
    orr_err err = check_number(g, "repeat", (double)g->p.repeat * n);
    int64_t at = g->p.start;
    for (int64_t r = 0; r < g->p.repeat && err == ORR_OK; r++) {
        derange(g, to, n);
        ORR_ASSERT(to[0] < n && to[0] != 0);
        for (uint32_t i = 0; i < n && err == ORR_OK; i++)
            err = add_flow(g, at > ORR_HORIZON ? "period" : "jitter",
                           g->hosts[i], g->hosts[to[i]], jittered(g, at));
        at = orr__time_add(at, g->p.period);
    }
    orr__free(to);
    return err;
}

/* Those that `hosts` names, if it does, but for dst. */
static orr_err incast_senders(struct generator *g, uint32_t **out, uint32_t *n)
{
    const struct params *p = &g->p;
    if (p->senders || !p->hosts)
        return read_hosts(g, p->senders, p->dst, out, n);
    uint32_t *list = orr__alloc(g->n_hosts, sizeof *list);
    if (!list)
        return orr__no_memory(g->why);
    *n = 0;
    for (uint32_t i = 0; i < g->n_hosts; i++)
        if (g->hosts[i] != p->dst)
            list[(*n)++] = g->hosts[i];
    *out = list;
    if (*n > 0)
        return ORR_OK;
    orr__free(list);
    *out = NULL;
    return fail_at_key(g, "hosts", "an incast needs two hosts or more");
}

/* All senders at once, again after each period; a sender draws its own
 * jitter. */
static orr_err incast(struct generator *g)
{
    uint32_t *senders = NULL, n;
    const struct params *p = &g->p;
    orr_err err = ORR_OK;
    if (g->list->world->graph->hosts < 2)
        err = fail_at_key(g, "dst", "an incast needs two hosts or more");
    if (err == ORR_OK)
        err = incast_senders(g, &senders, &n);
    if (err != ORR_OK)
        return err;
    err = check_number(g, "repeat", (double)p->repeat * n);
    int64_t at = p->start;
    for (int64_t r = 0; r < p->repeat && err == ORR_OK; r++) {
        for (uint32_t i = 0; i < n && err == ORR_OK; i++)
            err = senders[i] == p->dst
                      ? fail_at_key(g, "senders", "dst cannot send to itself")
                      : add_flow(g, at > ORR_HORIZON ? "period" : "jitter",
                                 senders[i], (uint32_t)p->dst, jittered(g, at));
        at = orr__time_add(at, p->period);
    }
    orr__free(senders);
    return err;
}

/* What the links out of the senders carry together, in bit/s. */
static double capacity(const struct generator *g)
{
    const struct orr_graph *graph = g->list->world->graph;
    double sum = 0;
    for (uint32_t i = 0; i < g->n_hosts; i++) {
        uint32_t h = g->p.src >= 0 ? (uint32_t)g->p.src : g->hosts[i];
        for (uint32_t o = graph->out_off[h]; o < graph->out_off[h + 1]; o++)
            sum += (double)graph->rate_bps[graph->out_link[o]];
        if (g->p.src >= 0)
            break;
    }
    return sum;
}

/* What messages call those that arrive. */
static const char *arrivals_name(const struct generator *g)
{
    return strcmp(g->p.generate, "poisson") ? g->p.generate : "poisson flows";
}

static orr_err fail_arrivals(struct generator *g, const char *key,
                             const char *what)
{
    const struct orr_yaml *at = orr__yaml_get(g->entry, key);
    return orr__yaml_fail(g->list->world->config, at ? at : g->entry, g->why,
                          "%s need %s", arrivals_name(g), what);
}

/* load or interval, count or duration; and hosts enough. */
static orr_err check_arrivals(struct generator *g)
{
    const struct params *p = &g->p;
    if ((p->load > 0) == (p->interval > 0))
        return fail_arrivals(g, "load", "either load or interval");
    if ((p->count > 0) == (p->duration > 0))
        return fail_arrivals(
            g, "count", "either count or duration: for example duration: 10ms");
    if (p->src >= 0 && p->src == p->dst)
        return fail_at_key(g, "dst",
                           "a flow from a host to itself uses no network");
    if (g->n_hosts < 2 && (p->src < 0 || p->dst < 0))
        return fail_arrivals(g, "hosts", "two hosts or more");
    return ORR_OK;
}

/* A host other than `not`, which must not be the only one. */
static uint32_t draw_host(struct generator *g, int64_t not )
{
    uint32_t h;
    do
        h = g->hosts[orr__random_below(&g->stream[PAIRS], g->n_hosts)];
    while (h == not );
    return h;
}

/* What arrives at random, one after another; times ps. */
struct arrivals {
    double mean; /* between two */
    int64_t at;  /* of the last one */
    int64_t end, done;
};

/* flows: that come at once, each time. */
static orr_err begin_arrivals(struct generator *g, double flows,
                              struct arrivals *a)
{
    const struct params *p = &g->p;
    *a = (struct arrivals){(double)p->interval, p->start,
                           orr__time_add(p->start, p->duration), 0};
    orr_err err = check_arrivals(g);
    if (err != ORR_OK)
        return err;
    if (p->load > 0)
        a->mean =
            8e12 * flows * orr__sizes_mean(&g->sizes) / (p->load * capacity(g));
    if (!(a->mean > 0))
        return fail_at_key(g, "load", "flows of this size make no such load");
    return p->count > 0 ? check_number(g, "count", (double)p->count * flows)
                        : check_number(g, "duration",
                                       (double)p->duration / a->mean * flows);
}

/* A random time with this mean, in whole ns, so that all machines draw the
 * same: log is not the same everywhere to the last bit. */
static int64_t draw_gap(struct generator *g, double mean)
{
    double gap = gsl_ran_exponential(&g->rng[STARTS], mean / ORR_NS);
    return gap < 9e15 ? (int64_t)(gap + 0.5) * ORR_NS : ORR_NEVER;
}

/* The next one, at a->at; false: there are no more, by count or by time. */
static bool arrive(struct generator *g, struct arrivals *a)
{
    if (g->p.count > 0 && a->done == g->p.count)
        return false;
    a->at = orr__time_add(a->at, draw_gap(g, a->mean));
    a->done++;
    return g->p.count > 0 || a->at < a->end;
}

/* The key that a start goes by. */
static const char *arrival_key(const struct generator *g)
{
    return g->p.count > 0 ? "count" : "duration";
}

/* Flows between two hosts, each drawn unless it is named. */
static orr_err poisson(struct generator *g)
{
    const struct params *p = &g->p;
    struct arrivals a;
    orr_err err = begin_arrivals(g, 1, &a);
    while (err == ORR_OK && arrive(g, &a)) {
        uint32_t src = p->src >= 0 ? (uint32_t)p->src : draw_host(g, p->dst);
        uint32_t dst = p->dst >= 0 ? (uint32_t)p->dst : draw_host(g, src);
        err = add_flow(g, arrival_key(g), src, dst, a.at);
    }
    return err;
}

/* A reply that begins when the request is there. */
static orr_err ask_reply(struct generator *g, uint32_t triggers,
                         uint32_t number, uint32_t src, uint32_t dst,
                         int64_t at)
{
    struct orr_flow_list *l = g->list;
    struct orr_flow_use asks = {0}, answers = {0};
    uint32_t trigger = 0;
    orr_err err = orr__triggers_find(l, triggers, number, 0, &trigger, g->why);
    if (err != ORR_OK)
        return err;
    (void)orr__trigger_define(l, trigger, ORR_TRIGGER_ONESHOT, 1);
    asks.on_received = answers.waits = trigger;
    if (at > ORR_HORIZON)
        return add_flow(g, arrival_key(g), src, dst, at); /* fails */
    err = orr__flow_list_add(l, src, dst, g->p.request, at, g->why);
    if (err == ORR_OK)
        err = orr__triggers_use(l, l->count - 1, &asks, g->why);
    if (err == ORR_OK)
        err = add_flow(g, arrival_key(g), dst, src, -1);
    return err ? err : orr__triggers_use(l, l->count - 1, &answers, g->why);
}

/* Flows of two: a request, and the answer to it. */
static orr_err requests(struct generator *g)
{
    const struct params *p = &g->p;
    uint32_t number = 0, triggers = orr__triggers_count(g->list);
    struct arrivals a;
    orr_err err = begin_arrivals(g, 1, &a);
    if (err == ORR_OK)
        err = check_number(g, arrival_key(g),
                           2
                               * (p->count > 0 ? (double)p->count
                                               : (double)p->duration / a.mean));
    while (err == ORR_OK && arrive(g, &a)) {
        uint32_t src = p->src >= 0 ? (uint32_t)p->src : draw_host(g, p->dst);
        uint32_t dst = p->dst >= 0 ? (uint32_t)p->dst : draw_host(g, src);
        err = ask_reply(g, triggers, number++, src, dst, a.at);
    }
    return err;
}

/* `many` different hosts to the front of list, but for the first `from` of it.
 */
static void draw_hosts(struct generator *g, uint32_t *list, uint32_t from,
                       uint32_t many)
{
    for (uint32_t i = from; i < from + many; i++) {
        uint32_t left = g->n_hosts - i;
        uint32_t j = i + (uint32_t)orr__random_below(&g->stream[PAIRS], left);
        uint32_t t = list[i];
        list[i] = list[j];
        list[j] = t;
    }
}

/* A host that is named, to the front. */
static bool put_first(const struct generator *g, uint32_t *list, uint32_t host)
{
    for (uint32_t i = 0; i < g->n_hosts; i++)
        if (list[i] == host) {
            list[i] = list[0];
            list[0] = host;
            return true;
        }
    return false;
}

/* Each time fan_out hosts that receive, one of which may be named, and fan_in
 * others, each of which sends to all of these. */
static orr_err coflows(struct generator *g)
{
    const struct params *p = &g->p;
    bool named = p->dst >= 0;
    struct arrivals a;
    if (p->fan_in + p->fan_out > g->n_hosts)
        return fail_at_key(g, "fan_in", "these are more hosts than take part");
    orr_err err = begin_arrivals(g, (double)(p->fan_in * p->fan_out), &a);
    if (err != ORR_OK)
        return err;
    uint32_t in = (uint32_t)p->fan_in, out = (uint32_t)p->fan_out;
    uint32_t *list = orr__alloc(g->n_hosts, sizeof *list);
    if (!list)
        return orr__no_memory(g->why);
    memcpy(list, g->hosts, g->n_hosts * sizeof *list);
    if (named && !put_first(g, list, (uint32_t)p->dst))
        err = fail_at_key(g, "dst", "dst is none of `hosts`");
    while (err == ORR_OK && arrive(g, &a)) {
        draw_hosts(g, list, named, in + out - named);
        for (uint32_t i = 0; i < in * out && err == ORR_OK; i++)
            err = add_flow(g, arrival_key(g), list[out + i / out],
                           list[i % out], a.at);
    }
    orr__free(list);
    return err;
}

/* The same with one that receives. */
static orr_err incasts(struct generator *g)
{
    g->p.fan_out = 1;
    return coflows(g);
}

/* A host sends to one that it draws for a time, and pauses; its first pause is
 * at the start. */
static orr_err on_off(struct generator *g)
{
    const struct params *p = &g->p;
    int64_t end = orr__time_add(p->start, p->duration);
    double on = (double)p->on, off = (double)p->off;
    if (g->n_hosts < 2)
        return fail_at_key(g, "hosts", "on-off needs two hosts or more");
    orr_err err = check_number(g, "duration",
                               (double)p->duration * g->n_hosts * on
                                   / ((on + off) * (double)p->interval));
    for (uint32_t i = 0; i < g->n_hosts && err == ORR_OK; i++)
        for (int64_t at = p->start; at < end && err == ORR_OK;) {
            at = orr__time_add(at, draw_gap(g, off));
            int64_t over = orr__time_add(at, draw_gap(g, on));
            uint32_t dst = draw_host(g, g->hosts[i]);
            for (;;) {
                at = orr__time_add(at, draw_gap(g, (double)p->interval));
                if (at >= over || at >= end || err != ORR_OK)
                    break;
                err = add_flow(g, "duration", g->hosts[i], dst, at);
            }
            at = over;
        }
    return err;
}

/* ---- choosing one ------------------------------------------------------ */

static const struct orr_flow_kind kinds[] = {
    {"permutation",
     "every host sends to one other host and receives from one; in rounds",
     permutation_params},
    {"incast", "many hosts send to one", incast_params},
    {"poisson", "flows that arrive at random, between random hosts",
     poisson_params},
    {"incasts", "incasts that arrive at random, of random hosts",
     incasts_params},
    {"coflows",
     "groups of flows that arrive at random, from some hosts to some others",
     coflows_params},
    {"requests", "requests that arrive at random, each with an answer",
     requests_params},
    {"on-off", "hosts that send for random times, and pause", on_off_params},
    {NULL, NULL, NULL},
};
static orr_err (*const makers[])(struct generator *g) = {
    permutation, incast, poisson, incasts, coflows, requests, on_off,
};

const struct orr_flow_kind *orr__flow_generators(void)
{
    return kinds;
}

const struct orr_param *orr__flow_generator_params(void)
{
    return common_params;
}

/* A seed of its own makes the same flows wherever the entry stands. */
static void name_streams(struct generator *g, uint32_t index)
{
    uint64_t seed = g->list->world->seed;
    uint64_t entity = (uint64_t)index * LANES;
    if (g->p.seed >= 0) {
        seed = (uint64_t)g->p.seed;
        entity = 0;
    }
    for (uint32_t l = 0; l < LANES; l++) {
        orr__random_init(&g->stream[l], seed, entity + l, ORR_PURPOSE_FLOWS);
        g->rng[l].type = orr__random_gsl_type();
        g->rng[l].state = &g->stream[l];
    }
}

/* Its place among kinds; -1: none, and said so. */
static int find_kind(struct generator *g)
{
    struct orr_config *c = g->list->world->config;
    const struct orr_yaml *node = orr__yaml_get(g->entry, "generate");
    const char *name = orr__yaml_text(c, node);
    const char *names[sizeof kinds / sizeof *kinds] = {NULL};
    for (size_t i = 0; kinds[i].name; i++)
        names[i] = kinds[i].name;
    int k = name ? orr__param_choice(names, name) : -1;
    if (k >= 0)
        return k;
    (void)orr__yaml_fail(c, node, g->why,
                         "no generator of flows is called "
                         "\"%s\"",
                         name ? name : "");
    if (!orr__hint_nearest(g->why, names, name))
        orr__hint(g->why, "there are permutation, incast, poisson, incasts, "
                          "coflows, requests and on-off");
    return -1;
}

/* For notes, which are told later; NULL: no memory. */
static struct params *keep_params(struct orr_config *c)
{
    return orr__arena_alloc(orr__config_arena(c), 1, sizeof(struct params));
}

orr_err orr__flows_generate(struct orr_flow_list *l,
                            const struct orr_yaml *entry, uint32_t index,
                            struct orr_report *why)
{
    struct generator g = {
        .list = l,
        .entry = entry,
        .p = {.src = -1, .dst = -1, .count = -1, .fan_out = 1},
        .why = why,
    };
    struct orr_config *c = l->world->config;
    int k = find_kind(&g);
    if (k < 0)
        return ORR_ECONFIG;
    struct orr_service_keys service = {NULL, 0, 1};
    struct orr_flow_window_keys window = {NULL, NULL};
    uint32_t from = l->count;
    struct params *read = keep_params(c);
    struct orr_param_set sets[] = {
        {common_params, &g.p, read},
        {kinds[k].params, &g.p, read},
        {orr__service_keys, &service, l->world->net_config},
        {orr__flow_window_params(), &window},
    };
    if (!read)
        return orr__no_memory(why);
    orr_err err = orr__param_read(c, entry, "flows", sets, 4, why);
    *read = g.p;
    if (err == ORR_OK)
        err = orr__flow_list_serve(l, &service, why);
    if (err == ORR_OK && g.p.load > 1)
        err = orr__yaml_remark(c, orr__yaml_get(entry, "load"), why,
                               "load: %g is more than the links of the sending "
                               "hosts carry: queues grow while flows arrive",
                               g.p.load);
    if (err != ORR_OK)
        return err;
    name_streams(&g, index);
    err = orr__sizes_read(l->world, g.p.size, &g.sizes, why);
    if (err == ORR_OK)
        err = read_host(&g, g.p.src_at, &g.p.src);
    if (err == ORR_OK)
        err = read_host(&g, g.p.dst_at, &g.p.dst);
    if (err == ORR_OK)
        err = read_hosts(&g, g.p.hosts, -1, &g.hosts, &g.n_hosts);
    if (err == ORR_OK)
        err = makers[k](&g);
    if (err == ORR_OK)
        err = orr__flow_window_apply(l, from, &window, entry, why);
    orr__sizes_fini(&g.sizes);
    orr__free(g.hosts);
    return err;
}
