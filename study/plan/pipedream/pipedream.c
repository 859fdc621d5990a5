/* The question where to cut a model into stages, as PipeDream's optimiser
 * answers it (Narayanan et al., SOSP 2019). */
#include <string.h>

#include "core/units.h"
#include "study/plan/pipedream/show.h"
#include "study/plan/question/question.h"
#include "workload/program/limits.h"

#define MACHINES_MAX 4096

/* `plan` as it is read. Nodes and texts belong to the document. Of keys that
 * may be left out, 0 or NULL: it was; cost has a default. */
struct keys {
    struct orr_ints machines;
    const struct orr_yaml *rates, *model;
    int cost; /* enum orr_stage_cost */
    uint64_t memory;
    int64_t batch; /* 0: the job's, or the model's */
    const char *job;
};

#define KEY(name, kind, ...)                                                   \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_##kind,                                \
        .offset = offsetof(struct keys, name), __VA_ARGS__                     \
    }

static const struct orr_param params[] = {
    KEY(machines, INTS, .min = "1", .max = "4096",
        .help = "how many there are at each level, the innermost first: [4, "
                "2] is two servers of four GPUs"),
    KEY(rates, NODE,
        .help = "of a machine's link at each of these levels, like [100Gbps, "
                "10Gbps]"),
    KEY(cost, CHOICE, .fallback = "paper",
        .choices = (const char *const[]){"code", "paper", NULL},
        .help = "how long a stage takes: as the authors' code adds gradients "
                "to computations, or as the paper lets them overlap"),
    KEY(memory, SIZE, .fallback = "", .min = "1B", .max = "1000TB",
        .help = "of a machine: what minibatches that are further on keep, "
                "counted as the code counts it, has to fit in; default: any"),
    KEY(job, TEXT, .fallback = "",
        .help = "name of the job whose model it is; default: the first with a "
                "model"),
    KEY(model, NODE, .fallback = "",
        .help = "instead of a job: a model as for `model` of a job"),
    KEY(batch, INT, .fallback = "", .min = "1", .max = "1000000",
        .help = "samples of a minibatch; default: the job's, or the model's"),
    ORR_PARAM_END,
};

/* Levels of r from `machines` and `rates`, innermost first. ECONFIG at the key
 * that is wrong; else all numbers are > 0, and at most MACHINES_MAX machines in
 * all. */
static orr_err read_levels(const struct orr_question *q,
                           struct orr_partition_request *r,
                           struct orr_report *why)
{
    const struct keys *k = q->keys;
    const struct orr_yaml *at = orr__yaml_get(q->at, "machines");
    size_t n = k->machines.n;
    double all = 1;
    if (n == 0 || n > ORR_PARTITION_LEVELS)
        return orr__yaml_fail(q->c, at, why, "machines: 1 to %d levels",
                              ORR_PARTITION_LEVELS);
    if (!orr__yaml_is_list(k->rates) || orr__yaml_count(k->rates) != n)
        return orr__yaml_fail(q->c, k->rates, why,
                              "rates: a list of as many rates as there are "
                              "levels of machines, %zu",
                              n);
    r->levels = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *rate = orr__yaml_item(k->rates, i);
        const char *text = orr__yaml_text(q->c, rate);
        const char *wrong = text ? orr__parse_rate(text, &r->level[i].rate_bps)
                                 : "a rate is expected";
        if (!wrong && r->level[i].rate_bps == 0)
            wrong = "it is 0";
        if (wrong)
            return orr__yaml_fail(q->c, rate, why, "rates: %s", wrong);
        r->level[i].machines = (uint32_t)k->machines.v[i];
        all *= r->level[i].machines;
    }
    if (all > MACHINES_MAX)
        return orr__yaml_fail(q->c, at, why,
                              "machines: these are more than %d in all",
                              MACHINES_MAX);
    return ORR_OK;
}

/* ---- the model ----------------------------------------------------------- */

static bool is_named(struct orr_config *c, const struct orr_yaml *job,
                     const char *name)
{
    const char *own = orr__yaml_text(c, orr__yaml_get(job, "name"));
    return own && strcmp(own, name) == 0;
}

/* The job that is asked about; *place: in the list. */
static orr_err find_job(const struct orr_question *q,
                        const struct orr_yaml **job, size_t *place,
                        struct orr_report *why)
{
    const struct keys *k = q->keys;
    const struct orr_yaml *jobs = orr__yaml_get(orr__config_root(q->c), "jobs");
    size_t n = orr__yaml_is_list(jobs) ? orr__yaml_count(jobs) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *x = orr__yaml_item(jobs, i);
        if (k->job ? !is_named(q->c, x, k->job) : !orr__yaml_get(x, "model"))
            continue;
        *job = x;
        *place = i;
        if (orr__yaml_get(x, "model"))
            return ORR_OK;
        return orr__yaml_fail(q->c, x, why, "job: %s has no model", k->job);
    }
    if (k->job)
        return orr__yaml_fail(q->c, orr__yaml_get(q->at, "job"), why,
                              "job: there is none called \"%s\"", k->job);
    orr__yaml_fail(q->c, q->at, why, "plan: there is no job with a model");
    orr__hint(why, "write `model: vgg16` here, or a job with it");
    return ORR_ECONFIG;
}

/* The keys of the job that belong to its model. */
static orr_err read_train_keys(const struct orr_question *q,
                               const struct orr_yaml *job,
                               struct orr_train_keys *k, struct orr_report *why)
{
    const char *names[64];
    size_t n = 0;
    for (; orr__train_params[n].key && n < 63; n++)
        names[n] = orr__train_params[n].key;
    names[n] = NULL;
    const struct orr_yaml *own = orr__yaml_pick(q->c, job, names, true);
    const struct orr_param_set set = {orr__train_params, k};
    if (!own)
        return orr__no_memory(why);
    return orr__param_read(q->c, own, "jobs", &set, 1, why);
}

/* The model and its costs, of the job that is asked about or of `model` here,
 * which goes before any job. Both are p's then; none after a failure. */
static orr_err read_model(const struct orr_question *q,
                          struct orr_stage_plan *p, struct orr_report *why)
{
    const struct keys *k = q->keys;
    struct orr_train_keys t = {.dtype = -1, .compute = -1, .staleness = -1};
    const struct orr_yaml *node = q->at;
    orr_err err = ORR_OK;
    p->has_job = !k->model;
    if (p->has_job)
        err = find_job(q, &node, &p->job, why);
    if (!err && p->has_job)
        err = read_train_keys(q, node, &t, why);
    if (k->model)
        t.model = k->model;
    if (k->batch)
        t.batch = k->batch;
    return err ? err
               : orr__train_costs(q->c, node, &t, &p->model, &p->costs, why);
}

/* ---- the answer ---------------------------------------------------------- */

static orr_err show(const struct orr_question *q,
                    const struct orr_stage_plan *p, struct orr_answer *a,
                    struct orr_report *why)
{
    a->text = orr__stage_plan_text(p);
    a->json = orr__stage_plan_json(p);
    if (!a->text || !a->json)
        return orr__no_memory(why);
    return q->configured ? orr__stage_plan_config(p, q, &a->config, why)
                         : ORR_OK;
}

/* All of the plan lives in p and is freed here; *a gets texts of its own. */
static orr_err answer(const struct orr_question *q, struct orr_answer *a,
                      struct orr_report *why)
{
    const struct keys *k = q->keys;
    struct orr_stage_plan p = {
        .request = {.cost = (enum orr_stage_cost)k->cost,
                    .memory = k->memory,
                    .cuts = &p.cuts},
    };
    orr_err err = read_levels(q, &p.request, why);
    if (!err)
        err = read_model(q, &p, why);
    if (err)
        return err;
    err = orr__cuts_find(p.model, &p.costs, q->c, q->at, &p.cuts, why);
    if (!err)
        err = orr__partition(&p.request, q->c, q->at, &p.result, why);
    if (!err)
        err = show(q, &p, a, why);
    orr__partition_fini(&p.result);
    orr__cuts_fini(&p.cuts);
    orr__layer_costs_fini(&p.costs);
    orr__model_free(p.model);
    return err;
}

const struct orr_question_ops orr__question_pipedream = {
    .name = "pipedream",
    .doc = "where to cut a model into stages, and how many machines each has "
           "(PipeDream)",
    .keys_size = sizeof(struct keys),
    .params = params,
    .answer = answer,
};
