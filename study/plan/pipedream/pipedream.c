/* The question where to cut a model into stages, as PipeDream's optimiser
 * answers it (Narayanan et al., SOSP 2019). */
#include <string.h>

#include "core/units.h"
#include "study/plan/model/job_model.h"
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

/* ---- the answer ---------------------------------------------------------- */

static orr_err show_plan(const struct orr_question *q,
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
    const struct orr_job_model_keys of = {k->job, k->model, k->batch};
    struct orr_job_model m = {.model = NULL};
    orr_err err = read_levels(q, &p.request, why);
    if (!err)
        err = orr__job_model_read(q, &of, &m, why);
    if (err) {
        orr__job_model_fini(&m);
        return err;
    }
    p.model = m.model;
    p.costs = m.costs;
    p.has_job = m.has_job;
    p.job = m.job;
    err = orr__cuts_find(p.model, &p.costs, q->c, q->at, &p.cuts, why);
    if (!err)
        err = orr__partition(&p.request, q->c, q->at, &p.result, why);
    if (!err)
        err = show_plan(q, &p, a, why);
    orr__partition_fini(&p.result);
    orr__cuts_fini(&p.cuts);
    orr__job_model_fini(&m);
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
