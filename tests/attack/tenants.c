/* Random clusters: drawn from the families of queues and placements, run on
 * other numbers of threads, and counted over: GPU time, jobs, iterations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "formats/jobs/jobs.h"
#include "tests/attack/draw.h"
#include "tests/attack/trial.h"

/* ---- drawing ------------------------------------------------------------- */

static json_t *draw_program(struct draw *d)
{
    static const char *const kinds[] = {"all-reduce", "all-gather",
                                        "all-to-all", "broadcast"};
    json_t *list = json_array();

    json_array_append_new(
        list,
        json_pack("{s:o}", "compute", orr__draw_time(d, ORR_US, 100 * ORR_US)));
    if (!orr__draw_chance(d, 0.15))
        json_array_append_new(
            list, json_pack("{s:{s:o}}", kinds[orr__draw_below(d, 4)], "size",
                            orr__draw_size(d, 1, 200000)));
    return list;
}

/* How many GPUs: a number, or sizes between which it changes. */
static json_t *draw_sizes(struct draw *d, bool elastic)
{
    uint32_t most = d->hosts < 8 ? d->hosts : 8;
    uint32_t min = 1 + orr__draw_below(d, most);
    json_t *g;

    if (!elastic)
        return json_integer(min);
    g = json_pack("{s:i,s:i}", "min", (int)min, "max",
                  (int)(min + orr__draw_below(d, d->hosts - min + 1)));
    if (orr__draw_chance(d, 0.4))
        json_object_set_new(g, "step",
                            orr__draw_chance(d, 0.5)
                                ? json_string("double")
                                : json_integer(1 + orr__draw_below(d, 4)));
    return g;
}

/* A time of the cluster's. */
static json_t *draw_time(const struct draw *d, uint64_t n)
{
    char text[40];

    snprintf(text, sizeof text, "%llu%s", (unsigned long long)n, d->unit);
    return json_string(text);
}

static json_t *draw_template(struct draw *d, uint32_t i, bool elastic)
{
    json_t *t = json_pack("{s:o}", "name", orr__draw_text("t%llu", i));

    json_object_set_new(t, "gpus", draw_sizes(d, elastic));
    if (orr__draw_chance(d, 0.6))
        json_object_set_new(t, "iterations",
                            json_integer(1 + orr__draw_below(d, 30)));
    else
        json_object_set_new(t, "duration",
                            draw_time(d, 10 + orr__draw_below(d, 5000)));
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(t, "weight",
                            json_real(orr__draw_between(d, 0.1, 10)));
    if (orr__draw_chance(d, 0.2))
        json_object_set_new(t, "deadline",
                            draw_time(d, 1 + orr__draw_below(d, 9000)));
    json_object_set_new(t, "program", draw_program(d));
    return t;
}

/* One format has its files in a folder. */
json_t *orr__draw_jobs_file(const char *format)
{
    return strcmp(format, "lingjun")
               ? orr__draw_sample("jobs", format)
               : json_string("tests/attack/samples/jobs/lingjun/job.csv");
}

/* Of any format, or the one that names templates. */
static json_t *draw_job_trace(struct draw *d)
{
    const struct orr_job_trace_format *const *all = orr__job_trace_formats();
    uint32_t n = 0;
    json_t *file, *trace;

    while (all[n])
        n++;
    n = orr__draw_below(d, n + 1);
    if (!all[n])
        return json_pack("{s:{s:s,s:s}}", "trace", "file",
                         "tests/attack/samples/clusters/jobs.csv", "larger",
                         "leave-out");
    file = orr__draw_jobs_file(all[n]->name);
    trace = json_pack("{s:s,s:O,s:s,s:{s:s}}", "format", all[n]->name, "file",
                      file, "larger", "leave-out", "applications", "*", "t0");
    json_decref(file);
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(trace, "sort", json_true());
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(trace, "hosts", json_true());
    return json_pack("{s:o}", "trace", trace);
}

static json_t *draw_arrivals(struct draw *d)
{
    uint32_t most = 1 + orr__draw_below(d, 8);
    json_t *a;

    if (orr__draw_chance(d, 0.2))
        return draw_job_trace(d);
    if (orr__draw_chance(d, 0.5))
        return json_pack("{s:s,s:o,s:i}", "kind", "poisson", "load",
                         orr__draw_text("%llu%%", 20 + orr__draw_below(d, 80)),
                         "most", (int)most);
    a = json_array();
    for (uint32_t i = 0; i < most; i++)
        json_array_append_new(
            a, json_pack("{s:s,s:o}", "template", "t0", "at",
                         draw_time(d, 200ull * i + orr__draw_below(d, 150))));
    return a;
}

static json_t *draw_outages(struct draw *d)
{
    return json_pack("[{s:i,s:o,s:o}]", "server", 0, "at",
                     draw_time(d, 1 + orr__draw_below(d, 2000)), "for",
                     draw_time(d, 1 + orr__draw_below(d, 2000)));
}

/* A name of the family, without parameters of its own. */
static json_t *draw_name(struct draw *d, const char *family)
{
    return json_string(orr__draw_name(d, family, NULL));
}

/* When sizes change, and what that costs. */
static json_t *draw_resize(struct draw *d)
{
    json_t *r = json_pack("{s:b,s:s}", "shrink", orr__draw_chance(d, 0.8), "by",
                          orr__draw_chance(d, 0.5) ? "gain" : "share");

    if (orr__draw_chance(d, 0.5))
        json_object_set_new(r, "cost", draw_time(d, orr__draw_below(d, 90)));
    if (orr__draw_chance(d, 0.5))
        json_object_set_new(r, "every", draw_time(d, orr__draw_below(d, 900)));
    return r;
}

/* Two kinds of GPU, as many of each as there are hosts. */
static json_t *draw_servers(struct draw *d)
{
    return json_pack("{s:i,s:{s:s,s:s},s:[{s:i,s:s},{s:i,s:s}]}", "gpus", 2,
                     "link", "rate", "400Gbps", "delay", "1us", "groups",
                     "count", (int)d->hosts / 2, "gpu", "slow", "count",
                     (int)(d->hosts - d->hosts / 2), "gpu", "fast");
}

/* On the one, by number of GPUs, and on the other, if at all. */
static json_t *draw_throughput(struct draw *d)
{
    return json_pack(
        "{s:{s:f,s:f},s:f}", "slow", "1", orr__draw_between(d, 100, 1e5), "6",
        orr__draw_between(d, 100, 1e5), "fast",
        orr__draw_chance(d, 0.2) ? 0.0 : orr__draw_between(d, 100, 1e5));
}

/* Who share it: quotas that it has, if any. */
static json_t *draw_owners(struct draw *d)
{
    uint32_t n = 1 + orr__draw_below(d, 3);
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) {
        json_t *t = json_pack(
            "{s:o,s:b,s:i}", "name", orr__draw_text("owner%llu", i), "reclaim",
            orr__draw_chance(d, 0.7), "priority", (int)orr__draw_below(d, 3));
        if (orr__draw_chance(d, 0.7))
            json_object_set_new(
                t, "quota",
                orr__draw_text("%llu%%", orr__draw_below(d, 100 / n)));
        json_array_append_new(list, t);
    }
    return list;
}

static json_t *draw_cluster(struct draw *d)
{
    static const char *const accuracies[] = {"sampled", "sampled", "fluid",
                                             "packets", "packets"};
    /* without all packets clusters may last for centuries */
    static const char *const units[] = {"ms", "h", "00h"};
    const char *accuracy = accuracies[orr__draw_below(d, 5)];
    json_t *list = json_array();
    json_t *c = json_pack("{s:i}", "most", 6 + (int)orr__draw_below(d, 10));
    bool elastic = orr__draw_chance(d, 0.3);

    d->unit = "us";
    if (strcmp(accuracy, "packets") != 0 && orr__draw_chance(d, 0.2))
        d->unit = units[orr__draw_below(d, 3)];

    for (uint32_t i = 0; i < 3 && (i == 0 || orr__draw_chance(d, 0.5)); i++) {
        bool one = elastic && (i == 0 || orr__draw_chance(d, 0.5));
        json_array_append_new(list, draw_template(d, i, one));
    }
    if (!elastic && orr__draw_chance(d, 0.2)) {
        size_t i;
        json_t *t;
        json_object_set_new(c, "servers", draw_servers(d));
        json_array_foreach(list, i, t)
            json_object_set_new(t, "throughput", draw_throughput(d));
    }
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(c, "tenants", draw_owners(d));
    if (elastic && orr__draw_chance(d, 0.7))
        json_object_set_new(c, "resize", draw_resize(d));
    if (orr__draw_chance(d, 0.2))
        json_object_set_new(
            c, "migrate",
            json_pack("{s:o}", "cost", draw_time(d, orr__draw_below(d, 80))));
    json_object_set_new(c, "jobs", list);
    json_object_set_new(c, "arrivals", draw_arrivals(d));
    json_object_set_new(c, "accuracy", json_string(accuracy));
    if (orr__draw_chance(d, 0.7))
        json_object_set_new(c, "queue", draw_name(d, "cluster-queues"));
    if (orr__draw_chance(d, 0.7))
        json_object_set_new(c, "placement", draw_name(d, "cluster-placements"));
    if (orr__draw_chance(d, 0.2))
        json_object_set_new(c, "share",
                            json_integer(2 + orr__draw_below(d, 3)));
    if (orr__draw_chance(d, 0.2))
        json_object_set_new(c, "failures", draw_outages(d));
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(c, "start", draw_time(d, 50));
    if (orr__draw_chance(d, 0.3))
        json_object_set_new(c, "preempt", draw_time(d, 70));
    return c;
}

/* What jobs do about one another: those that plan, too. */
static json_t *draw_schedule(struct draw *d)
{
    static const char *const kinds[] = {"none",    "fair", "mltcp",
                                        "cassini", "crux", "priority"};

    if (orr__draw_chance(d, 0.2))
        return json_pack("{s:s,s:b,s:b}", "kind", "crux", "turns",
                         orr__draw_chance(d, 0.5), "paths",
                         orr__draw_chance(d, 0.7));
    return json_string(kinds[orr__draw_below(d, 6)]);
}

char *orr__draw_tenants(uint64_t seed, uint64_t n)
{
    static const char *const others[] = {
        "jobs", "flows", "stop", "record", "failures", "alone", "schedule"};
    static const struct {
        const char *kind;
        uint32_t hosts, other;
    } shapes[] = {{"leaf-spine", 12, 3},
                  {"ring", 6, 0},
                  {"switch", 8, 0},
                  {"leaf-spine", 24, 4}};
    json_t *config = orr__draw(seed, n), *topology;
    struct draw d = {.plain = false};
    uint32_t which;
    char *yaml;

    orr__random_init(&d.random, seed, n, ORR_PURPOSE_TEST);
    which = orr__draw_below(&d, 4);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        json_object_del(config, others[i]);
    topology = json_pack("{s:s,s:i,s:{s:s,s:s}}", "kind", shapes[which].kind,
                         "hosts", (int)shapes[which].hosts, "link", "rate",
                         "100Gbps", "delay", "1us");
    if (shapes[which].other)
        json_object_set_new(topology, "leaves",
                            json_integer(shapes[which].other));
    if (shapes[which].other)
        json_object_set_new(topology, "spines", json_integer(2));
    json_object_set_new(config, "topology", topology);
    d.hosts = shapes[which].hosts;
    json_object_set_new(config, "cluster", draw_cluster(&d));
    if (orr__draw_chance(&d, 0.5))
        json_object_set_new(config, "schedule", draw_schedule(&d));
    yaml = orr__yaml_of(config);
    json_decref(config);
    return yaml;
}

/* ---- judging ------------------------------------------------------------- */

static double number(const json_t *of, const char *key)
{
    return json_number_value(json_object_get(of, key));
}

static bool near(double a, double b, double by)
{
    return fabs(a - b) <= by * fmax(fabs(a), fabs(b)) + 1e-9;
}

static void judge_job(const json_t *job, struct finding *f)
{
    const char *name = json_string_value(json_object_get(job, "name"));
    const char *state = json_string_value(json_object_get(job, "state"));

    if (!state || strcmp(state, "done") != 0)
        return;
    if (number(job, "done") < number(job, "iterations"))
        orr__found(f, "cluster", "%s is done after %g of %g iterations", name,
                   number(job, "done"), number(job, "iterations"));
    if (number(job, "completion_ns") < number(job, "queueing_ns"))
        orr__found(f, "cluster", "%s waited longer than it was there", name);
    if (number(job, "finished_ns") < number(job, "arrived_ns"))
        orr__found(f, "cluster", "%s ended before it came", name);
}

static void judge(const json_t *summary, struct finding *f)
{
    const json_t *c = json_object_get(summary, "cluster"), *job;
    const json_t *h = json_object_get(c, "gpu_hours");
    size_t i;

    if (!c)
        return;
    if (!near(number(h, "given") + number(h, "idle") + number(h, "out"),
              number(h, "all"), 1e-6))
        orr__found(f, "cluster", "GPU hours: %g given, %g idle, %g out of %g",
                   number(h, "given"), number(h, "idle"), number(h, "out"),
                   number(h, "all"));
    if (number(c, "done") + number(c, "failed") != number(c, "jobs"))
        orr__found(f, "cluster", "%g done, %g failed of %g", number(c, "done"),
                   number(c, "failed"), number(c, "jobs"));
    if (number(c, "utilization") > 1 + 1e-9)
        orr__found(f, "cluster", "utilisation %g", number(c, "utilization"));
    json_array_foreach(json_object_get(summary, "jobs"), i, job)
        judge_job(job, f);
}

/* The same in another way: the same summary. Only another configuration may be
 * refused; any may take long, or too much memory. */
static void again(const char *text, const struct variant *v,
                  const struct limits *l, const struct outcome *first,
                  struct tally *t, struct finding *f)
{
    struct outcome o;

    orr__trial_run(text, v, l, &o, NULL, NULL);
    t->runs++;
    if (!o.late && !o.large && !(v->set[0] && o.refused)
        && !json_equal(first->summary, o.summary))
        orr__found(f, "cluster", "%s: another summary", v->name);
    orr__outcome_fini(&o);
}

void orr__tenants(const char *text, const struct limits *l, struct tally *t,
                  struct finding *f)
{
    static const struct variant one = {.name = "one thread", .threads = 1};
    static const struct variant more = {.name = "3 threads", .threads = 3};
    static const struct variant ports = {.name = "explicit ports",
                                         .threads = 2,
                                         .set = {"network.ports=explicit"}};
    struct limits own = *l;
    struct outcome a;

    own.hops *= 100; /* there is one run beside it only */
    /* nothing is remembered from one run to the next */
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("ORRERY_CACHE");
    orr__trial_run(text, &one, &own, &a, NULL, NULL);
    t->cases++;
    t->refused += a.refused;
    t->large += a.large;
    t->late += a.late;
    if (!a.refused && !a.large && !a.late) {
        t->runs++;
        t->failed += a.code != ORR_OK;
        if (a.code == ORR_OK)
            judge(a.summary, f);
        if (a.code == ORR_OK) {
            again(text, &more, &own, &a, t, f);
            again(text, &ports, &own, &a, t, f);
        }
    }
    orr__outcome_fini(&a);
}
