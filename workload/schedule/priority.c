/* priority: a traffic class for each job, at ports and NICs; strict, or
 * weighted so that each class gets `ratio` times what the one below it gets.
 *
 * `by: intensity` is the first step of Crux (SIGCOMM'24): what a job computes
 * in an iteration, over all its GPUs, for the time that its slowest host's
 * cables take to carry what it sends or receives. (Computation is counted in
 * time: the GPUs are alike.) `by: size` puts jobs that send less in an
 * iteration first, as pFabric does with flows. Where there are more jobs than
 * classes, neighbours in the order share one. */
#include <stdlib.h>

#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/job/adjust.h"
#include "workload/rank/bound.h"
#include "workload/rank/rank.h"
#include "workload/schedule/describe.h"
#include "workload/schedule/schedule.h"

enum { BY_INTENSITY, BY_SIZE, BY_ORDER };
enum { STRICT, WEIGHTED };

/* The keys of this schedule. */
struct keys {
    int by, mode;
    const struct orr_yaml *order;
    int64_t classes;
    double ratio;
};

static const struct orr_param params[] = {
    {
        .key = "by",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct keys, by),
        .fallback = "intensity",
        .choices = (const char *const[]){"intensity", "size", "order", NULL},
        .help = "order of jobs: most computation per second of communication, "
                "least bytes in an iteration, or `order`",
    },
    {
        .key = "order",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct keys, order),
        .fallback = "",
        .help = "names of jobs, the first goes first; all others come last",
    },
    {
        .key = "mode",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct keys, mode),
        .fallback = "strict",
        .choices = (const char *const[]){"strict", "weighted", NULL},
        .help = "a higher class always goes first, or gets more of a link",
    },
    {
        .key = "classes",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct keys, classes),
        .fallback = "8",
        .min = "2",
        .max = "8",
        .help = "largest number",
    },
    {
        .key = "ratio",
        .type = ORR_PARAM_REAL,
        .offset = offsetof(struct keys, ratio),
        .fallback = "2",
        .min = "1",
        .max = "100",
        .help = "weighted: bytes of a class for each byte of the one below",
    },
    ORR_PARAM_END,
};

/* A job and what it is sorted by. */
struct place {
    uint32_t job;
    double value; /* the highest goes first */
};

/* ---- what jobs are worth ------------------------------------------------- */

/* Bytes of an iteration at hosts. */
struct load {
    uint64_t *out, *in; /* per host, bytes */
    uint64_t all;
};

static void add_pair(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                     uint64_t messages)
{
    struct load *l = arg;
    if (src == dst)
        return;
    l->out[src] += bytes;
    l->in[dst] += bytes;
    l->all += bytes;
}

static uint64_t sum_rates(const struct orr_graph *g, const uint32_t *off,
                          const uint32_t *link, uint32_t node)
{
    uint64_t sum = 0;
    for (uint32_t i = off[node]; i < off[node + 1]; i++)
        sum += g->rate_bps[link[i]];
    return sum;
}

/* Seconds of the host whose cables are busy longest. */
static double busiest(const struct orr_graph *g, const struct load *l)
{
    double most = 0;
    for (uint32_t h = 0; h < g->hosts; h++) {
        double out = 8 * (double)l->out[h]
                     / (double)sum_rates(g, g->out_off, g->out_link, h);
        double in = 8 * (double)l->in[h]
                    / (double)sum_rates(g, g->in_off, g->in_link, h);
        most = out > most ? out : most;
        most = in > most ? in : most;
    }
    return most;
}

/* Seconds that all ranks compute in an iteration. */
static double computes(const struct orr_job *j)
{
    const struct orr_program *p = orr__job_program(j);
    double sum = 0;
    for (uint32_t r = 0; r < j->ranks; r++) {
        const struct orr_part *part = orr__part_of(p, r);
        for (uint32_t i = part->op; i < part->op + part->ops; i++)
            if (orr__op_has(p->op[i].kind, ORR_OP_COMPUTES)
                && orr__program_runs(p, &p->op[i], r))
                sum += (double)p->op[i].time_ps * 1e-12;
    }
    return sum;
}

static double value_of(const struct orr_world *w, const struct orr_job *j,
                       const struct keys *k, struct load *l)
{
    for (uint32_t h = 0; h < w->graph->hosts; h++)
        l->out[h] = l->in[h] = 0;
    l->all = 0;
    orr__traffic(j->team, add_pair, l);
    if (k->by == BY_SIZE)
        return -(double)l->all;
    return computes(j) / busiest(w->graph, l);
}

/* ---- the order ----------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->job < y->job ? -1 : 1;
}

/* By what they are worth. *n: jobs that send anything. */
static orr_err rank_by_value(const struct orr_world *w, const struct keys *k,
                             struct place *place, uint32_t *n,
                             struct orr_report *why)
{
    uint32_t hosts = w->graph->hosts;
    struct load l = {orr__alloc(hosts, sizeof *l.out),
                     orr__alloc(hosts, sizeof *l.in), 0};
    orr_err err = l.out && l.in ? ORR_OK : orr__no_memory(why);
    *n = 0;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++)
        if (orr__job_sends(&w->jobs[i]))
            place[(*n)++] = (struct place){i, value_of(w, &w->jobs[i], k, &l)};
    qsort(place, *n, sizeof *place, compare);
    orr__free(l.out);
    orr__free(l.in);
    return err;
}

/* All jobs that an entry of the order names; a job of a cluster may be named
 * first, and then its kind. */
static orr_err rank_entry(struct orr_world *w, const struct orr_yaml *name,
                          struct place *place, uint32_t *n,
                          struct orr_report *why)
{
    struct orr_job *j = NULL;
    uint32_t at = 0;
    orr_err err = orr__schedule_job(w, name, &at, &j, why);
    while (!err && j) {
        uint32_t index = (uint32_t)(j - w->jobs), o = 0;
        while (o < *n && place[o].job != index)
            o++;
        if (o < *n && !w->job_kind)
            return orr__yaml_fail(w->config, name, why,
                                  "schedule.order: \"%s\" is listed twice",
                                  j->name);
        if (o == *n)
            place[(*n)++].job = index;
        err = orr__schedule_job(w, name, &at, &j, why);
    }
    return err;
}

/* By names, or kinds on a cluster; n: how many jobs it names. */
static orr_err rank_by_order(struct orr_world *w, const struct keys *k,
                             struct place *place, uint32_t *n,
                             struct orr_report *why)
{
    if (!orr__yaml_is_list(k->order))
        return orr__yaml_fail(w->config, k->order ? k->order : w->scheduler->at,
                              why,
                              "schedule: `by: order` needs `order`, a list of "
                              "names of jobs");
    orr_err err = ORR_OK;
    *n = 0;
    for (size_t i = 0; !err && i < orr__yaml_count(k->order); i++)
        err = rank_entry(w, orr__yaml_item(k->order, i), place, n, why);
    return err;
}

/* ---- classes ------------------------------------------------------------- */

static const struct orr_schedule_ops *scheduler_of(int mode)
{
    const struct orr_schedule_ops *const *all = orr__schedules();
    while (mode == STRICT ? !(*all)->by_class : !(*all)->weighted)
        all++;
    return *all;
}

static void set_network(struct orr_net_config *c, const struct keys *k)
{
    double weight = 1;
    c->schedule = scheduler_of(k->mode);
    c->strict = k->mode == STRICT;
    /* flows, and jobs in later stages, may be in a class above these */
    if (c->classes < (uint32_t)k->classes)
        c->classes = (uint32_t)k->classes;
    for (uint32_t i = 0; i < c->classes; i++, weight *= k->ratio)
        c->class_weight[i] = weight;
}

/* What jobs were ordered by, to be told: per job; 0: it was not. */
static orr_err keep_values(struct orr_world *w, const struct keys *k,
                           const struct place *place, uint32_t n,
                           struct orr_report *why)
{
    double *value = orr__alloc(w->n_jobs, sizeof *value);
    if (!value)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n && k->by != BY_ORDER; i++)
        value[place[i].job] = place[i].value;
    orr__free(w->scheduler->state);
    w->scheduler->state = value;
    return ORR_OK;
}

/* All jobs get a service of their own. Places are spread over the classes that
 * there are. */
static orr_err serve(struct orr_world *w, struct orr_report *why)
{
    const struct keys *k = w->scheduler->params;
    struct place *place = orr__alloc(w->n_jobs, sizeof *place);
    uint32_t n = 0, classes = (uint32_t)k->classes;
    if (!place)
        return orr__no_memory(why);
    orr_err err = k->by == BY_ORDER ? rank_by_order(w, k, place, &n, why)
                                    : rank_by_value(w, k, place, &n, why);
    if (!err)
        err = keep_values(w, k, place, n, why);
    set_network(&w->draft->config, k);
    if (w->jobs_join) /* those that come are given one later */
        w->draft->config.planned_classes = classes;
    for (uint32_t i = 0; !err && i < w->n_jobs; i++) {
        struct orr_net_service *s = orr__job_service(w, &w->jobs[i]);
        if (!s)
            err = orr__no_memory(why);
        else
            s->class = 0;
    }
    /* with an order, those that it leaves out have the lowest class alone */
    uint32_t places = n + (k->by == BY_ORDER && n < w->n_jobs);
    uint32_t used = places < classes ? places : classes;
    for (uint32_t i = 0; !err && i < n; i++)
        orr__job_service(w, &w->jobs[place[i].job])->class =
            used - 1 - (uint32_t)((uint64_t)i * used / places);
    orr__free(place);
    return err;
}

static void tell_value(const struct orr_world *w, const struct orr_job *job,
                       struct orr_json *j)
{
    const struct keys *k = w->scheduler->params;
    const double *value = w->scheduler->state;
    if (k->by == BY_SIZE)
        orr__json_count(j, "bytes", (uint64_t)-value[job->index]);
    else if (k->by == BY_INTENSITY)
        orr__json_real(j, "intensity", value[job->index]);
}

static void json(const struct orr_world *w, struct orr_json *j)
{
    orr__describe_jobs(w, j, tell_value);
}

static void tell_class(const struct orr_job *job, struct orr_text *t)
{
    orr__text_add(t, "%u", job->team->service->class);
}

static char *text(const struct orr_world *w)
{
    return orr__describe_text(w, "class of each job, the highest goes first",
                              tell_class);
}

extern const struct orr_scheduler_ops orr__schedule_kind_priority;
const struct orr_scheduler_ops orr__schedule_kind_priority = {
    .name = "priority",
    .only_classes = true,
    .doc = "a traffic class for each job, by intensity (Crux), by size, or "
           "given",
    .params = params,
    .params_size = sizeof(struct keys),
    .replans = true,
    .serve = serve,
    .json = json,
    .text = text,
    .free = orr__free,
};
