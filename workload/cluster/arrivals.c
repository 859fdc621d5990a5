/* `cluster.arrivals`: when jobs come, and of what kind. Each job has a stream
 * of random numbers of its own, so that what is said of one leaves the others
 * as they were. */
#include "workload/cluster/arrivals.h"
#include "core/none.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "core/array.h"
#include "core/config/module.h"
#include "core/memory.h"
#include "core/names.h"
#include "core/units.h"
#include "topo/node_names.h"
#include "workload/cluster/arrival_list.h"
#include "workload/cluster/draw.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/rate_file.h"
#include "workload/cluster/tenants.h"
#include "workload/world.h"

#define HOUR 3.6e12 /* ns */

/* ---- what all kinds share ---------------------------------------------- */

static struct orr_config *config_of(const struct orr_arrival_list *b)
{
    return b->c->world->config;
}

static orr_err too_many(struct orr_arrival_list *b)
{
    return orr__yaml_fail(config_of(b), b->node, b->why,
                          "cluster.arrivals: more than %d jobs come",
                          ORR_MOST_ARRIVALS);
}

orr_err orr__arrival_list_add(struct orr_arrival_list *b,
                              const struct orr_arrival_item *item)
{
    if (b->n == ORR_MOST_ARRIVALS)
        return too_many(b);
    if (!orr__array_more(b->item, b->room, b->n))
        return orr__no_memory(b->why);
    b->item[b->n] = *item;
    b->item[b->n].order = b->n;
    b->n++;
    return ORR_OK;
}

void orr__arrival_list_stream(const struct orr_arrival_list *b, uint32_t i,
                              struct orr_random *r)
{
    orr__random_init(r, b->c->world->seed, i, ORR_PURPOSE_CLUSTER);
}

/* A template, in proportion to weights; those of weight 0 are never drawn. */
static uint32_t draw_template(const struct orr_arrival_list *b,
                              struct orr_random *r)
{
    double u = orr__random_unit(r) * b->mixed;
    uint32_t last = 0;
    for (uint32_t t = 0; t < b->c->templates; t++) {
        double weight = b->c->template[t].weight;
        if (weight <= 0)
            continue;
        if (u < weight)
            return t;
        u -= weight;
        last = t;
    }
    return last; /* u was lost in rounding */
}

void orr__arrival_list_fill(const struct orr_arrival_list *b,
                            struct orr_arrival *a, struct orr_random *r)
{
    uint32_t drawn = draw_template(b, r);
    if (a->template == ORR_NONE)
        a->template = drawn;
    const struct orr_template *t = &b->c->template[a->template];
    uint32_t gpus = t->gpus[orr__random_below(r, t->n_gpus)];
    if (a->gpus == 0)
        a->gpus = gpus;
    bool timed = t->duration.mean > 0;
    int64_t amount =
        orr__draw_integer(timed ? &t->duration : &t->iterations, r);
    if (a->iterations == 0 && a->duration_ns == 0) {
        a->duration_ns = timed ? amount : 0;
        a->iterations = timed ? 0 : (uint64_t)amount;
    }
    /* what comes last is drawn of those that have it alone */
    if (a->deadline_ns == 0)
        a->deadline_ns = t->deadline.mean > 0
                             ? orr__draw_integer(&t->deadline, r)
                             : INT64_MAX;
}

/* Whose a job is that names nobody, nor its template; and when it is to be done
 * by the clock. */
static void settle_terms(const struct orr_arrival_list *b, uint32_t i)
{
    struct orr_arrival *a = &b->item[i].is;
    if (a->tenant == ORR_NONE)
        a->tenant = b->c->template[a->template].tenant;
    if (a->tenant == ORR_NONE)
        a->tenant = b->c->tenants ? orr__tenant_draw(b->c, i) : 0;
    a->deadline_ns = orr__time_add(a->at_ns, a->deadline_ns);
}

orr_err orr__arrival_list_template(struct orr_arrival_list *b,
                                   const struct orr_yaml *at, const char *name,
                                   uint32_t *out)
{
    const struct orr_template *t = b->c->template;
    const char *near = NULL, *pair[2] = {NULL};
    for (uint32_t i = 0; i < b->c->templates; i++) {
        if (strcmp(t[i].name, name) == 0) {
            *out = i;
            return ORR_OK;
        }
        pair[0] = t[i].name;
        near = near ? near : orr__param_nearest(pair, name);
    }
    orr_err err =
        orr__yaml_fail(config_of(b), at, b->why,
                       "no entry of cluster.jobs is called \"%s\"", name);
    if (near)
        orr__hint(b->why, "did you mean \"%s\"?", near);
    return err;
}

orr_err orr__arrival_list_until(struct orr_arrival_list *b,
                                const struct orr_yaml *until, int64_t *ns)
{
    *ns = INT64_MAX;
    return until ? orr__long_time_read(config_of(b), until,
                                       "cluster.arrivals.until", ns, b->why)
                 : ORR_OK;
}

static orr_err fail_at_key(struct orr_arrival_list *b, const char *key,
                           const char *message)
{
    const struct orr_yaml *at = orr__yaml_get(b->node, key);
    return orr__yaml_fail(config_of(b), at ? at : b->node, b->why,
                          "cluster.arrivals: %s", message);
}

/* ---- poisson, dynamic -------------------------------------------------- */

/* The keys of drawn arrivals. */
struct flow_keys {
    const char *load, *file;
    double rate;
    const struct orr_yaml *until, *burst, *within, *period;
    int64_t most;
    bool overload;
};
#define OF(field) offsetof(struct flow_keys, field)

static const char *idle_period(const void *set, const void *around)
{
    const struct flow_keys *k = set;
    return k->file ? NULL : "there is no `rate_file`";
}

#define FLOW_KEYS                                                              \
    {"load",                                                                   \
     ORR_PARAM_TEXT,                                                           \
     OF(load),                                                                 \
     "",                                                                       \
     NULL,                                                                     \
     NULL,                                                                     \
     NULL,                                                                     \
     "GPU time that jobs need, alone, over what the cluster has: 80%"},        \
        {"rate", ORR_PARAM_REAL, OF(rate), "0",                                \
         "0",    NULL,           NULL,     "or: jobs an hour, on average"},    \
        {"rate_file",                                                          \
         ORR_PARAM_TEXT,                                                       \
         OF(file),                                                             \
         "",                                                                   \
         NULL,                                                                 \
         NULL,                                                                 \
         NULL,                                                                 \
         "table with columns `at` (or `hour`) and `rate`: jobs an hour from "  \
         "then on; with `load` or `rate`, only the shape of the day"},         \
        {"rate_period",                                                        \
         ORR_PARAM_NODE,                                                       \
         OF(period),                                                           \
         "",                                                                   \
         NULL,                                                                 \
         NULL,                                                                 \
         NULL,                                                                 \
         "the table repeats after this time; default: a day if it is "         \
         "within one, else never",                                             \
         .idle = idle_period},                                                 \
        {"until", ORR_PARAM_NODE, OF(until), "",                               \
         NULL,    NULL,           NULL,      "end of arrivals"},               \
        {"most",   ORR_PARAM_INT,                                              \
         OF(most), "0",                                                        \
         "0",      "4000000",                                                  \
         NULL,     "most jobs that arrive; 0: no limit before `until`"},       \
    {                                                                          \
        "overload", ORR_PARAM_BOOL, OF(overload), "false", NULL, NULL, NULL,   \
            "allow a load above 100%, where the queue grows"                   \
    }

static const struct orr_param poisson_keys[] = {
    FLOW_KEYS,
    ORR_PARAM_END,
};
static const struct orr_param dynamic_keys[] = {
    FLOW_KEYS,
    {"burst", ORR_PARAM_NODE, OF(burst), "", NULL, NULL, NULL,
     "jobs of a burst, a number or how it is drawn; 4 by default"},
    {"within", ORR_PARAM_NODE, OF(within), "", NULL, NULL, NULL,
     "time after the start of a burst within which its jobs arrive; default 0"},
    ORR_PARAM_END,
};

/* What a job asks for on average, in GPU ns. */
static orr_err mean_work(struct orr_arrival_list *b, double *out)
{
    double sum = 0;
    for (uint32_t i = 0; i < b->c->templates; i++) {
        const struct orr_template *t = &b->c->template[i];
        double work = 0, alone = 1;
        for (uint32_t k = 0; k < t->n_gpus && t->weight > 0; k++) {
            bool timed = t->duration.mean > 0;
            orr_err err = timed
                              ? ORR_OK
                              : b->alone(b->arg, i, t->gpus[k], &alone, b->why);
            if (err)
                return err;
            work += t->gpus[k]
                    * (timed ? t->duration.mean : t->iterations.mean * alone);
        }
        sum += t->weight / b->mixed * work / t->n_gpus;
    }
    *out = sum;
    return ORR_OK;
}

/* "80%", or 0.8. */
static orr_err read_load(struct orr_arrival_list *b, const struct flow_keys *k,
                         double *load)
{
    char number[32];
    size_t n = strlen(k->load);
    bool percent = n > 0 && k->load[n - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(n - percent), k->load);
    if (n >= sizeof number || orr__parse_real(number, load))
        return fail_at_key(b, "load", "a load is a share like 80%");
    *load /= percent ? 100 : 1;
    if (!(*load > 0))
        return fail_at_key(b, "load", "a load is above 0%");
    if (*load <= 1 || k->overload)
        return ORR_OK;
    orr_err err = fail_at_key(b, "load",
                              "a load above 100% never ends: jobs "
                              "ask for more than there is");
    orr__hint(b->why, "`overload: true` allows it");
    return err;
}

/* Time from a job to the next, on average, ns. */
static orr_err mean_gap(struct orr_arrival_list *b, const struct flow_keys *k,
                        double *gap)
{
    double load = 0, work = 0;
    if (!k->load == !(k->rate > 0))
        return fail_at_key(b, k->load ? "rate" : "load",
                           "either `load` or `rate` is needed");
    *gap = HOUR / k->rate;
    if (!k->load)
        return ORR_OK;
    orr_err err = read_load(b, k, &load);
    if (!err)
        err = mean_work(b, &work);
    if (!err)
        *gap = work / (load * b->c->inventory.gpus);
    return err;
}

static int64_t draw_gap(double mean, struct orr_random *r)
{
    const gsl_rng rng = {orr__random_gsl_type(), r};
    /* log is not the same everywhere to the last bit: whole nanoseconds */
    double gap = gsl_ran_exponential(&rng, mean);
    return gap < 0x1p62 ? (int64_t)(gap + 0.5) : INT64_MAX;
}

/* The burst-th burst of `count` jobs; streams of bursts are apart from those of
 * jobs. */
static orr_err add_burst(struct orr_arrival_list *b, const struct flow_keys *k,
                         struct orr_random *r, int64_t at, int64_t within,
                         int64_t count)
{
    orr_err err = ORR_OK;
    for (int64_t i = 0; i < count && !err; i++) {
        struct orr_arrival_item item = {
            .is = {.template = ORR_NONE, .tenant = ORR_NONE}};
        struct orr_random own;
        if (k->most > 0 && b->n >= k->most)
            break;
        if (b->tried++ == ORR_MOST_ARRIVALS)
            return too_many(b);
        int64_t later =
            within ? (int64_t)orr__random_below(r, (uint64_t)within + 1) : 0;
        item.is.at_ns = orr__time_add(at, later);
        if (item.is.at_ns > b->c->until_ns)
            continue;
        orr__arrival_list_stream(b, b->n, &own);
        orr__arrival_list_fill(b, &item.is, &own);
        err = orr__arrival_list_add(b, &item);
    }
    return err;
}

/* How often jobs, or bursts of so many, come: over the day, or always alike. */
struct pace {
    bool varies;
    struct orr_rate_curve curve; /* if it does */
    double gap, each; /* ns from a job to the next, else; jobs of a burst */
};

/* The mean gap in ns, and the curve over it. A curve in jobs an hour counts as
 * it is, unless `load` or `rate` scale it, for which it needs a mean. */
static orr_err read_pace(struct orr_arrival_list *b, const struct flow_keys *k,
                         struct pace *p)
{
    bool scaled = k->load || k->rate > 0;
    orr_err err = ORR_OK;
    p->varies = k->file;
    if (k->file)
        err = orr__rate_curve_read(b, k->file,
                                   orr__yaml_get(b->node, "rate_file"),
                                   k->period, &p->curve);
    if (!err && k->file && scaled && !isfinite(p->curve.period_ns))
        err = fail_at_key(
            b, k->load ? "load" : "rate",
            "a table that does not repeat has no mean: set `rate_period`");
    if (!err && (scaled || !k->file))
        err = mean_gap(b, k, &p->gap);
    if (!err && k->file && scaled)
        orr__rate_curve_scale(&p->curve, 1 / p->gap);
    return err;
}

/* When the next job, or burst, comes. */
static int64_t next_of(const struct pace *p, int64_t at, struct orr_random *r)
{
    const double unit = 1e9; /* of what is rounded */
    if (!p->varies)
        return orr__time_add(at, draw_gap(p->gap * p->each, r));
    return orr__rate_curve_when(&p->curve, at,
                                (double)draw_gap(unit * p->each, r) / unit);
}

/* Jobs that come together (four without a key), and within how many ns. */
static orr_err read_bursts(struct orr_arrival_list *b,
                           const struct flow_keys *k, struct orr_draw *burst,
                           int64_t *within)
{
    struct orr_config *c = config_of(b);
    *burst = (struct orr_draw){.mean = 4};
    *within = 0;
    orr_err err = ORR_OK;
    if (k->burst)
        err = orr__draw_read(c, k->burst, false, "cluster.arrivals.burst",
                             burst, b->why);
    if (!err && k->within)
        err = orr__long_time_read(c, k->within, "cluster.arrivals.within",
                                  within, b->why);
    return err;
}

/* Bursts come as a Poisson process, so that jobs come as often as asked. */
static orr_err read_flow(struct orr_arrival_list *b, bool bursts)
{
    struct flow_keys k = {.load = NULL};
    struct orr_module m = {.c = config_of(b),
                           .node = b->node,
                           .what = "cluster.arrivals",
                           .why = b->why,
                           .name = b->kind->name};
    const struct orr_param_set set = {b->kind->params, &k};
    struct orr_draw burst = {.mean = 1};
    struct pace pace = {.each = 1};
    int64_t within = 0, at = 0;
    orr_err err = orr__module_read(&m, &set, 1);
    if (!err)
        err = orr__arrival_list_until(b, k.until, &b->c->until_ns);
    if (!err && !k.until && k.most == 0)
        err = fail_at_key(b, "most",
                          "either `until` or `most` is needed: jobs "
                          "would come for ever");
    if (!err)
        err = read_pace(b, &k, &pace);
    if (!err && bursts)
        err = read_bursts(b, &k, &burst, &within);
    pace.each = burst.mean;
    for (uint64_t i = 0; !err && (k.most == 0 || b->n < k.most); i++) {
        struct orr_random r;
        orr__random_init(&r, b->c->world->seed, UINT64_C(1) << 32 | i,
                         ORR_PURPOSE_CLUSTER);
        at = next_of(&pace, at, &r);
        if (at > b->c->until_ns || at == INT64_MAX)
            break;
        err = add_burst(b, &k, &r, at, within, orr__draw_integer(&burst, &r));
    }
    orr__rate_curve_fini(&pace.curve);
    return err;
}

static orr_err read_poisson(struct orr_arrival_list *b)
{
    return read_flow(b, false);
}

static orr_err read_dynamic(struct orr_arrival_list *b)
{
    return read_flow(b, true);
}

/* ---- list -------------------------------------------------------------- */

/* The keys of listed arrivals. */
struct list_keys {
    const struct orr_yaml *jobs;
};
static const struct orr_param list_keys[] = {
    {"jobs", ORR_PARAM_NODE, offsetof(struct list_keys, jobs), NULL, NULL, NULL,
     NULL,
     "the jobs: [{template, at, gpus, iterations, ...}]; a list "
     "alone is short for it"},
    ORR_PARAM_END,
};

/* The keys of one listed job. */
struct entry_keys {
    const struct orr_yaml *template, *at, *duration, *hosts, *deadline;
    const char *name, *tenant;
    int64_t gpus, iterations;
};
#define OE(field) offsetof(struct entry_keys, field)
const struct orr_param orr__arrival_params[] = {
    {"template", ORR_PARAM_NODE, OE(template), "", NULL, NULL, NULL,
     "name of the entry of cluster.jobs; drawn by default"},
    {"at", ORR_PARAM_NODE, OE(at), NULL, NULL, NULL, NULL, "when it arrives"},
    {"gpus", ORR_PARAM_INT, OE(gpus), "0", "0", "16000000", NULL,
     "number of GPUs; 0: drawn from the template's"},
    {"iterations", ORR_PARAM_INT, OE(iterations), "0", "0", NULL, NULL,
     "number of iterations; 0: by duration, or drawn as the template says"},
    {"duration", ORR_PARAM_NODE, OE(duration), "", NULL, NULL, NULL,
     "or: its time alone"},
    {"name", ORR_PARAM_TEXT, OE(name), "", NULL, NULL, NULL,
     "default: the template's, and its number"},
    {"hosts", ORR_PARAM_NODE, OE(hosts), "", NULL, NULL, NULL,
     "its GPUs, by rank; default: any"},
    {"tenant", ORR_PARAM_TEXT, OE(tenant), "", NULL, NULL, NULL,
     "its tenant; default: that of its entry of cluster.jobs, or drawn"},
    {"deadline", ORR_PARAM_NODE, OE(deadline), "", NULL, NULL, NULL,
     "time from its arrival to its deadline; default: that of its entry of "
     "cluster.jobs"},
    ORR_PARAM_END,
};

/* The job's own hosts, by rank, each once; they say its number of GPUs. */
static orr_err read_hosts(struct orr_arrival_list *b,
                          const struct orr_yaml *list,
                          const struct entry_keys *k, struct orr_arrival *a)
{
    struct orr_config *c = config_of(b);
    const struct orr_graph *g = b->c->world->graph;
    uint32_t n = (uint32_t)orr__yaml_count(list);
    if (!orr__yaml_is_list(list) || n == 0)
        return orr__yaml_fail(c, list, b->why, "a list of hosts is expected");
    if (k->gpus > 0 && k->gpus != n)
        return orr__yaml_fail(c, list, b->why,
                              "%u hosts are listed for %lld GPUs", n,
                              (long long)k->gpus);
    uint32_t *hosts = orr__arena_alloc(orr__config_arena(c), n, sizeof *hosts);
    if (!hosts)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_yaml *at = orr__yaml_item(list, i);
        orr_err err = orr__host_read(g, c, at, &hosts[i], b->why);
        for (uint32_t d = 0; d < i && !err; d++)
            if (hosts[d] == hosts[i])
                err = orr__yaml_fail(c, at, b->why, "host %u is listed twice",
                                     hosts[i]);
        if (err)
            return err;
    }
    a->hosts = hosts;
    a->gpus = n;
    return ORR_OK;
}

/* What it is, when it comes, and how long it is. */
static orr_err take_keys(struct orr_arrival_list *b,
                         const struct orr_yaml *entry,
                         const struct entry_keys *k, struct orr_arrival *a)
{
    struct orr_config *c = config_of(b);
    orr_err err = orr__long_time_read(c, k->at, "cluster.arrivals.jobs.at",
                                      &a->at_ns, b->why);
    if (!err && k->template) {
        const char *name = orr__yaml_text(c, k->template);
        err = orr__arrival_list_template(b, k->template, name ? name : "?",
                                         &a->template);
    }
    if (!err && k->duration && k->iterations > 0)
        err = orr__yaml_fail(c, k->duration, b->why,
                             "a job has either `iterations` or `duration`");
    if (!err && k->duration)
        err = orr__long_time_read(c, k->duration,
                                  "cluster.arrivals.jobs.duration",
                                  &a->duration_ns, b->why);
    if (!err && k->duration && a->duration_ns == 0)
        err = orr__yaml_fail(c, k->duration, b->why,
                             "the duration of a job must be above 0");
    if (!err && k->tenant)
        err = orr__tenant_find(b->c, orr__yaml_get(entry, "tenant"), k->tenant,
                               &a->tenant, b->why);
    if (!err && k->deadline)
        err = orr__long_time_read(c, k->deadline,
                                  "cluster.arrivals.jobs.deadline",
                                  &a->deadline_ns, b->why);
    if (!err && k->deadline && a->deadline_ns == 0)
        err = orr__yaml_fail(c, k->deadline, b->why,
                             "the deadline of a job must be above 0");
    a->name = k->name;
    a->gpus = (uint32_t)k->gpus;
    a->iterations = (uint64_t)k->iterations;
    return err;
}

/* With what was drawn for it: it has as many GPUs as it may. */
static orr_err check_size(struct orr_arrival_list *b,
                          const struct orr_yaml *entry,
                          const struct orr_arrival *a)
{
    const struct orr_template *t = &b->c->template[a->template];
    struct orr_config *c = config_of(b);
    if (a->gpus > b->c->inventory.gpus)
        return orr__yaml_fail(c, orr__yaml_get(entry, "gpus"), b->why,
                              "a job of %u GPUs is larger than the cluster, "
                              "which has %u",
                              a->gpus, b->c->inventory.gpus);
    if (!orr__elastic_allows(t, a->gpus))
        return orr__yaml_fail(
            c, orr__yaml_get(entry, a->hosts ? "hosts" : "gpus"), b->why,
            "a job of %s has %u to %u GPUs; %u is not one of its sizes",
            t->name, t->size[0], t->size[t->sizes - 1], a->gpus);
    return ORR_OK;
}

/* What the entry leaves out is drawn from a stream that only its number
 * names. */
static orr_err read_entry(struct orr_arrival_list *b,
                          const struct orr_yaml *entry)
{
    struct entry_keys k = {.name = NULL};
    struct orr_random r;
    const struct orr_param_set set = {orr__arrival_params, &k};
    struct orr_arrival_item item = {
        .at = entry, .is = {.template = ORR_NONE, .tenant = ORR_NONE}};
    if (!orr__yaml_is_map(entry))
        return orr__yaml_fail(
            config_of(b), entry, b->why,
            "a job of the list is a map: {template, at, ...}");
    orr_err err = orr__param_read(config_of(b), entry, "cluster.arrivals.jobs",
                                  &set, 1, b->why);
    if (!err)
        err = take_keys(b, entry, &k, &item.is);
    if (!err && k.hosts)
        err = read_hosts(b, k.hosts, &k, &item.is);
    if (err)
        return err;
    orr__arrival_list_stream(b, b->n, &r);
    orr__arrival_list_fill(b, &item.is, &r);
    err = check_size(b, entry, &item.is);
    return err ? err : orr__arrival_list_add(b, &item);
}

/* The list may stand for the map by itself. */
static orr_err read_list(struct orr_arrival_list *b)
{
    struct list_keys k = {b->node};
    struct orr_module m = {.c = config_of(b),
                           .node = b->node,
                           .what = "cluster.arrivals",
                           .why = b->why,
                           .name = b->kind->name};
    const struct orr_param_set set = {list_keys, &k};
    orr_err err = ORR_OK;
    b->c->until_ns = INT64_MAX;
    if (!orr__yaml_is_list(b->node))
        err = orr__module_read(&m, &set, 1);
    if (!err && !orr__yaml_is_list(k.jobs))
        err = orr__yaml_fail(m.c, k.jobs, b->why,
                             "cluster.arrivals.jobs: a list is expected");
    for (size_t i = 0; !err && i < orr__yaml_count(k.jobs); i++)
        err = read_entry(b, orr__yaml_item(k.jobs, i));
    return err;
}

/* ---- all of them ------------------------------------------------------- */

static const struct orr_arrival_kind kinds[] = {
    {"poisson", "jobs arrive independently at random", poisson_keys,
     read_poisson},
    {"list", "the jobs that are listed", list_keys, read_list},
    {"dynamic", "jobs arrive in bursts", dynamic_keys, read_dynamic},
    {"trace", "the jobs of a trace", orr__arrival_list_trace_keys,
     orr__arrival_list_trace},
    {NULL, NULL, NULL, NULL},
};

const struct orr_arrival_kind *orr__arrival_kinds(void)
{
    return kinds;
}

/* By name, or by the key that only one kind has; Poisson without. */
static orr_err find_kind(struct orr_arrival_list *b)
{
    struct orr_module m = {.c = config_of(b),
                           .node = b->node,
                           .what = "cluster.arrivals",
                           .why = b->why};
    const char *names[ORR_MODULE_KINDS] = {NULL};
    orr__module_name(&m, orr__yaml_get(b->node, "trace")  ? "trace"
                         : orr__yaml_get(b->node, "jobs") ? "list"
                                                          : "poisson");
    if (orr__yaml_is_list(b->node))
        m.name = "list";
    for (size_t i = 0; kinds[i].name; i++) {
        names[i] = kinds[i].name;
        if (m.name && strcmp(kinds[i].name, m.name) == 0)
            b->kind = &kinds[i];
    }
    return b->kind ? ORR_OK : orr__module_unknown(&m, names);
}

static int earlier(const void *pa, const void *pb)
{
    const struct orr_arrival_item *a = pa, *b = pb;
    if (a->is.at_ns != b->is.at_ns)
        return a->is.at_ns < b->is.at_ns ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Of the i-th job: that of its template, and its number. */
static char *make_name(const struct orr_arrival_list *b, uint32_t i)
{
    const char *of = b->c->template[b->item[i].is.template].name;
    struct orr_arena *arena = orr__config_arena(config_of(b));
    size_t size = strlen(of) + 12;
    char *name = orr__arena_alloc(arena, size, 1);
    if (name)
        snprintf(name, size, "%s-%u", of, i);
    return name;
}

static orr_err same_name(struct orr_arrival_list *b,
                         const struct orr_arrival_item *i)
{
    if (i->line)
        return orr__fail_at(b->why, ORR_ECONFIG, b->file, (int)i->line, 1,
                            "two jobs are called \"%s\"", i->is.name);
    return orr__yaml_fail(config_of(b), i->at ? i->at : b->node, b->why,
                          "two jobs are called \"%s\"", i->is.name);
}

/* Names must differ, those made here too: schedules and requests go by name. */
static orr_err name_all(struct orr_arrival_list *b)
{
    struct orr_names names = {.slot = NULL};
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < b->n && !err; i++) {
        struct orr_arrival *a = &b->item[i].is;
        if (!a->name)
            a->name = make_name(b, i);
        if (!a->name)
            err = orr__no_memory(b->why);
        else if (orr__names_find(&names, a->name) != ORR_NONE)
            err = same_name(b, &b->item[i]);
        else if (!orr__names_add(&names, a->name, i))
            err = orr__no_memory(b->why);
    }
    orr__names_fini(&names);
    return err;
}

/* In order of time, with names, where they stay. */
static orr_err settle(struct orr_arrival_list *b)
{
    struct orr_arrivals *out = &b->c->arrivals;
    struct orr_arena *arena = orr__config_arena(config_of(b));
    if (b->n == 0)
        return orr__yaml_fail(config_of(b), b->node, b->why,
                              "cluster.arrivals: no job comes");
    qsort(b->item, b->n, sizeof *b->item, earlier);
    orr_err err = name_all(b);
    if (err)
        return err;
    out->item = orr__arena_alloc(arena, b->n, sizeof *out->item);
    if (!out->item)
        return orr__no_memory(b->why);
    for (uint32_t i = 0; !err && i < b->n; i++) {
        settle_terms(b, i);
        err = orr__arrival_list_check(b, &b->item[i]);
        out->item[i] = b->item[i].is;
    }
    out->n = b->n;
    out->left_out = b->left_out;
    out->early = b->early;
    return err;
}

/* Says which templates no job is of, though some could be. */
static orr_err remark_unused(const struct orr_cluster *c,
                             struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (uint32_t t = 0; t < c->templates && !err; t++) {
        uint32_t i = 0;
        while (i < c->arrivals.n && c->arrivals.item[i].template != t)
            i++;
        if (i == c->arrivals.n && c->template[t].weight > 0)
            err = orr__yaml_remark(c->world->config, c->template[t].node, why,
                                   "cluster.jobs: no job of \"%s\" arrives",
                                   c->template[t].name);
    }
    return err;
}

orr_err orr__arrivals_read(struct orr_cluster *c, const struct orr_yaml *node,
                           orr_baseline_fn *alone, void *arg,
                           struct orr_report *why)
{
    struct orr_arrival_list b = {
        .c = c, .node = node, .alone = alone, .arg = arg, .why = why};
    if (!node || orr__yaml_is_null(node) || orr__yaml_is_scalar(node))
        return orr__yaml_fail(c->world->config, node ? node : c->node, why,
                              "cluster.arrivals: {load: 80%%, until: 24h}, a "
                              "list, or {trace: {file, format}} is expected");
    for (uint32_t t = 0; t < c->templates; t++)
        b.mixed += c->template[t].weight;
    orr_err err = find_kind(&b);
    if (!err && b.kind)
        err = b.kind->read(&b);
    if (!err)
        err = settle(&b);
    if (!err)
        err = remark_unused(c, why);
    orr__free(b.item);
    orr__free(b.file);
    return err;
}
