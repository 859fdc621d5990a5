/* Generated flows: permutation, incast, poisson. A generator draws from three
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

enum lane { PAIRS, SIZES, STARTS, LANES };

struct params { /* of all generators; one reads what its table names */
    const char *generate;
    const struct orr_yaml *hosts, *senders, *size, *src_at, *dst_at;
    int64_t start, jitter, seed;
    int64_t dst, src, repeat, period;
    int64_t count, duration, interval;
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
     "permutation, incast or poisson"},
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
static const struct orr_param permutation_params[] = {
    {"jitter", ORR_PARAM_TIME, OF(jitter), "0s", NULL, NULL, NULL,
     "each start is later by a uniform time below this"},
    ORR_PARAM_END,
};
static const struct orr_param incast_params[] = {
    {"dst", ORR_PARAM_NODE, OF(dst_at), NULL, NULL, NULL, NULL,
     "host that receives, by number or name"},
    {"senders", ORR_PARAM_NODE, OF(senders), "", NULL, NULL, NULL,
     "hosts that send: a number (the first ones other than dst), or a list; "
     "default: all others, of `hosts` if given"},
    {"jitter", ORR_PARAM_TIME, OF(jitter), "0s", NULL, NULL, NULL,
     "each start is later by a uniform time below this"},
    {"repeat", ORR_PARAM_INT, OF(repeat), "1", "1", NULL, NULL,
     "number of rounds"},
    {"period", ORR_PARAM_TIME, OF(period), "0s", NULL, NULL, NULL,
     "time from one round to the next", .idle = one_round},
    ORR_PARAM_END,
};
static const struct orr_param poisson_params[] = {
    {"load", ORR_PARAM_REAL, OF(load), "", "0.000001", "100", NULL,
     "offered payload, as a share of the sending hosts' bandwidth; or give "
     "interval"},
    {"interval", ORR_PARAM_TIME, OF(interval), "", "1ns", NULL, NULL,
     "mean time between two arrivals; or give load"},
    {"count", ORR_PARAM_INT, OF(count), "", "1", NULL, NULL,
     "how many flows arrive; or give duration"},
    {"duration", ORR_PARAM_TIME, OF(duration), "", NULL, NULL, NULL,
     "how long flows arrive; or give count"},
    {"src", ORR_PARAM_NODE, OF(src_at), "", NULL, NULL, NULL,
     "host that sends; each flow draws one when absent"},
    {"dst", ORR_PARAM_NODE, OF(dst_at), "", NULL, NULL, NULL,
     "host that receives; each flow draws one when absent"},
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

/* Each host sends to one other, and none to itself. */
static orr_err permutation(struct generator *g)
{
    uint32_t n = g->n_hosts;
    if (n < 2)
        return fail_at_key(g, "hosts", "a permutation needs two hosts or more");
    uint32_t *to = orr__alloc(n, sizeof *to);
    if (!to)
        return orr__no_memory(g->why);
    derange(g, to, n);
    ORR_ASSERT(to[0] < n && to[0] != 0);
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < n && err == ORR_OK; i++)
        err = add_flow(g, "jitter", g->hosts[i], g->hosts[to[i]],
                       jittered(g, g->p.start));
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

/* load or interval, count or duration; and hosts enough. */
static orr_err poisson_check(struct generator *g)
{
    const struct params *p = &g->p;
    if ((p->load > 0) == (p->interval > 0))
        return fail_at_key(g, "load",
                           "poisson flows need either load or interval");
    if ((p->count > 0) == (p->duration > 0))
        return fail_at_key(g, "count",
                           "poisson flows need either count or duration: for "
                           "example duration: 10ms");
    if (p->src >= 0 && p->src == p->dst)
        return fail_at_key(g, "dst",
                           "a flow from a host to itself uses no network");
    if (g->n_hosts < 2 && (p->src < 0 || p->dst < 0))
        return fail_at_key(g, "hosts", "poisson flows need two hosts or more");
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

/* Gaps in whole ns, so that all machines draw the same; ends by count or by
 * time. */
static orr_err poisson(struct generator *g)
{
    const struct params *p = &g->p;
    orr_err err = poisson_check(g);
    if (err != ORR_OK)
        return err;
    double mean = (double)p->interval;
    if (p->load > 0)
        mean = 8e12 * orr__sizes_mean(&g->sizes) / (p->load * capacity(g));
    if (!(mean > 0))
        return fail_at_key(g, "load", "flows of this size make no such load");
    if (p->count > 0)
        err = check_number(g, "count", (double)p->count);
    else
        err = check_number(g, "duration", (double)p->duration / mean);
    if (err != ORR_OK)
        return err;
    int64_t at = p->start, end = orr__time_add(p->start, p->duration);
    for (int64_t i = 0; p->count < 0 || i < p->count; i++) {
        /* log is not the same everywhere to the last bit: whole nanoseconds */
        double gap = gsl_ran_exponential(&g->rng[STARTS], mean / ORR_NS);
        at = orr__time_add(at, gap < 9e15 ? (int64_t)(gap + 0.5) * ORR_NS
                                          : ORR_NEVER);
        if (p->count < 0 && at >= end)
            break;
        uint32_t src = p->src >= 0 ? (uint32_t)p->src : draw_host(g, p->dst);
        uint32_t dst = p->dst >= 0 ? (uint32_t)p->dst : draw_host(g, src);
        err = add_flow(g, p->count > 0 ? "count" : "duration", src, dst, at);
        if (err != ORR_OK)
            return err;
    }
    return ORR_OK;
}

/* ---- choosing one ------------------------------------------------------ */

static const struct orr_flow_kind kinds[] = {
    {"permutation", "every host sends to one other host and receives from one",
     permutation_params},
    {"incast", "many hosts send to one", incast_params},
    {"poisson", "flows that arrive at random, between random hosts",
     poisson_params},
    {NULL, NULL, NULL},
};
static orr_err (*const makers[])(struct generator *g) = {
    permutation,
    incast,
    poisson,
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
        orr__hint(g->why, "there are permutation, incast and poisson");
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
        .p = {.src = -1, .dst = -1, .count = -1},
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
