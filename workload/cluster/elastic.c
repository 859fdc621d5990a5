/* Sizes of elastic jobs, and what an iteration is worth at each. With `batch:
 * gpu` a GPU computes as many samples whatever the size is, so that an
 * iteration of twice the GPUs does twice the work; with `batch: global` all
 * GPUs together do, so that the number of iterations stays what it is and each
 * is shorter. */
#include "workload/cluster/elastic.h"

#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "workload/world.h"

enum { BY_GPU, BY_JOB };

/* The map `gpus: {min, max, ...}`. */
struct keys {
    int64_t min, max, ask;
    const char *step;
    int batch;
};

static const char *idle_one_size(const void *set, const void *around)
{
    const struct keys *k = set;
    return k->min == k->max ? "there is one size, `min`" : NULL;
}

const struct orr_param orr__elastic_params[] = {
    {.key = "min",
     .type = ORR_PARAM_INT,
     .min = "1",
     .offset = offsetof(struct keys, min),
     .help = "the fewest GPUs"},
    {.key = "max",
     .type = ORR_PARAM_INT,
     .min = "1",
     .offset = offsetof(struct keys, max),
     .help = "the most"},
    {.key = "ask",
     .type = ORR_PARAM_INT,
     .min = "0",
     .fallback = "0",
     .offset = offsetof(struct keys, ask),
     .help = "the size that it asks for, to which its iterations or duration "
             "refer; 0: min"},
    {.key = "step",
     .type = ORR_PARAM_TEXT,
     .fallback = "1",
     .offset = offsetof(struct keys, step),
     .help = "step of sizes from min on; or `double`: min, 2 min, 4 min, ...",
     .idle = idle_one_size},
    {.key = "batch",
     .type = ORR_PARAM_CHOICE,
     .fallback = "gpu",
     .choices = (const char *const[]){"gpu", "global", NULL},
     .offset = offsetof(struct keys, batch),
     .help = "what stays constant when the size changes: the batch of a GPU, "
             "so an iteration on twice the GPUs counts twice; or the batch of "
             "all (`batch` of a model), so a GPU computes less"},
    ORR_PARAM_END,
};

/* ---- sizes --------------------------------------------------------------- */

/* 0: doubling. */
static orr_err read_step(struct orr_config *c, const struct orr_yaml *map,
                         const struct keys *k, int64_t *step,
                         struct orr_report *why)
{
    *step = 0;
    if (strcmp(k->step, "double") == 0
        || (!orr__parse_int(k->step, step) && *step >= 1))
        return ORR_OK;
    return orr__yaml_fail(c, orr__yaml_get(map, "step"), why,
                          "cluster.jobs.gpus.step: a number of GPUs, 1 or "
                          "more, or `double` is expected");
}

static int64_t next_size(int64_t size, int64_t step)
{
    return step ? size + step : 2 * size;
}

/* All sizes, ascending, in the document's arena; behind them the one asked for,
 * min by default. */
static orr_err fill_sizes(struct orr_cluster *c, const struct keys *k,
                          int64_t step, struct orr_template *t,
                          struct orr_report *why)
{
    uint32_t n = 0;
    for (int64_t s = k->min; s <= k->max; s = next_size(s, step))
        n++;
    t->size = orr__arena_alloc(orr__config_arena(c->world->config), n + 1,
                               sizeof *t->size);
    if (!t->size)
        return orr__no_memory(why);
    for (int64_t s = k->min; s <= k->max; s = next_size(s, step))
        t->size[t->sizes++] = (uint32_t)s;
    ORR_ASSERT(t->sizes == n && n > 0);
    t->gpus = &t->size[n];
    t->n_gpus = 1;
    *t->gpus = (uint32_t)(k->ask ? k->ask : k->min);
    return ORR_OK;
}

/* Sizes are within the cluster. */
static orr_err check_sizes(const struct orr_cluster *c,
                           const struct orr_yaml *map, const struct keys *k,
                           struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    uint32_t all = c->world->graph->hosts;
    if (k->max < k->min)
        return orr__yaml_fail(config, orr__yaml_get(map, "max"), why,
                              "cluster.jobs.gpus: max is below min");
    if (k->max > all)
        return orr__yaml_fail(config, orr__yaml_get(map, "max"), why,
                              "a job of %lld GPUs is larger than the cluster, "
                              "which has %u",
                              (long long)k->max, all);
    return ORR_OK;
}

/* ---- batches ------------------------------------------------------------- */

/* All sizes share the batch of `ask` GPUs without a rest. */
static orr_err read_global(struct orr_cluster *c, const struct orr_yaml *map,
                           struct orr_template *t, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    const struct orr_yaml *node = orr__yaml_get(t->body, "batch");
    const char *text = node ? orr__yaml_text(config, node) : NULL;
    const struct orr_yaml *at = orr__yaml_get(map, "batch");
    int64_t batch;
    if (!text || orr__parse_int(text, &batch) || batch < 1)
        return orr__yaml_fail(config, at, why,
                              "cluster.jobs.gpus: `batch: "
                              "global` needs a model whose `batch` is given");
    for (uint32_t i = 0; i < t->sizes; i++)
        if ((uint64_t)batch * *t->gpus % t->size[i])
            return orr__yaml_fail(config, at, why,
                                  "cluster.jobs.gpus: %lld "
                                  "samples on each of %u GPUs cannot be "
                                  "shared out to %u",
                                  (long long)batch, *t->gpus, t->size[i]);
    t->batch = (uint64_t)batch;
    t->global = true;
    return ORR_OK;
}

orr_err orr__elastic_read(struct orr_cluster *c, const struct orr_yaml *map,
                          struct orr_template *t, struct orr_report *why)
{
    struct orr_config *config = c->world->config;
    struct keys k = {.min = 0};
    const struct orr_param_set set = {orr__elastic_params, &k, c->world};
    int64_t step = 0;
    orr_err err =
        orr__param_read(config, map, "cluster.jobs.gpus", &set, 1, why);
    if (!err)
        err = check_sizes(c, map, &k, why);
    if (!err)
        err = read_step(config, map, &k, &step, why);
    if (!err)
        err = fill_sizes(c, &k, step, t, why);
    if (!err && !orr__elastic_allows(t, *t->gpus))
        err = orr__yaml_fail(
            config, orr__yaml_get(map, "ask"), why,
            "cluster.jobs.gpus: %u is not one of the sizes from min to max",
            *t->gpus);
    return err || k.batch == BY_GPU ? err : read_global(c, map, t, why);
}

/* ---- asking -------------------------------------------------------------- */

bool orr__elastic_allows(const struct orr_template *t, uint32_t gpus)
{
    return t->sizes == 0 || orr__elastic_below(t, gpus) == gpus;
}

uint32_t orr__elastic_below(const struct orr_template *t, uint32_t most)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < t->sizes && t->size[i] <= most; i++)
        best = t->size[i];
    return best;
}

uint32_t orr__elastic_above(const struct orr_template *t, uint32_t gpus)
{
    for (uint32_t i = 0; i < t->sizes; i++)
        if (t->size[i] > gpus)
            return t->size[i];
    return 0;
}

uint64_t orr__elastic_batch(const struct orr_template *t, uint32_t gpus)
{
    ORR_ASSERT(!t->global || t->batch * *t->gpus % gpus == 0);
    return t->global ? t->batch * *t->gpus / gpus : 0;
}

double orr__elastic_scale(const struct orr_template *t, uint32_t asked,
                          uint32_t gpus)
{
    ORR_ASSERT(gpus > 0);
    return t->global || asked == 0 ? 1 : (double)gpus / asked;
}
