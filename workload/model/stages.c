/* How long layers take, and where a pipeline is cut. */
#include <string.h>

#include "core/config/module.h"
#include "core/memory.h"
#include "core/units.h"
#include "workload/model/train.h"

/* ---- times -------------------------------------------------------------- */

static const struct {
    const char *unit;
    int64_t flops;
} units[] = {
    {"FLOPS", 1},
    {"KFLOPS", 1000},
    {"MFLOPS", 1000000},
    {"GFLOPS", 1000000000},
    {"TFLOPS", 1000000000000},
    {"PFLOPS", 1000000000000000},
};

/* "15.7TFLOPS" into operations a second. */
static orr_err read_flops(const struct orr_training *t, uint64_t *out)
{
    const char *text = t->k->flops, *unit = text;
    char number[32];
    double value = 0;
    unit += strspn(text, "0123456789.");
    size_t n = (size_t)(unit - text);
    if (n < sizeof number) {
        memcpy(number, text, n);
        number[n] = '\0';
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (!strcmp(units[i].unit, unit)
                && !orr__parse_real(number, &value)) {
                value *= (double)units[i].flops;
                if (value < 1 || value > 1e18)
                    break;
                *out = (uint64_t)(value + 0.5);
                return ORR_OK;
            }
    }
    orr__yaml_fail(t->c, orr__yaml_get(t->node, "flops"), t->why,
                   "flops: \"%s\" is no speed", text);
    orr__hint(t->why, "write operations a second, like 15.7TFLOPS");
    return ORR_ECONFIG;
}

/* x * num / den, rounded down; no longer than ORR_HORIZON. */
static int64_t scale_time(uint64_t x, uint64_t num, uint64_t den)
{
    unsigned __int128 v = (unsigned __int128)x * num / den;
    return v < (unsigned __int128)ORR_HORIZON ? (int64_t)v : ORR_HORIZON;
}

/* A speed for models without a profile: between what a V100 and an A100 reach
 * in training. */
#define DEFAULT_FLOPS UINT64_C(50000000000000)

/* Times by speed in flop/s, rounded down; nothing takes longer than a run
 * can. */
static void from_flops(struct orr_training *t, uint64_t speed)
{
    for (uint32_t i = 0; i < t->m->layers; i++) {
        const struct orr_layer *l = &t->m->layer[i];
        /* samples <= 10^6, flops <= 10^18: 128 bits hold it with 10^12 */
        unsigned __int128 work = (unsigned __int128)l->flops * t->samples;
        unsigned __int128 ps = work * (uint64_t)ORR_S / speed;
        t->forward_ps[i] =
            ps < (unsigned __int128)ORR_HORIZON ? (int64_t)ps : ORR_HORIZON;
        double back = (double)t->forward_ps[i] * l->backward + 0.5;
        t->backward_ps[i] =
            back < (double)ORR_HORIZON ? (int64_t)back : ORR_HORIZON;
    }
}

static void from_profile(struct orr_training *t)
{
    for (uint32_t i = 0; i < t->m->layers; i++) {
        const struct orr_layer *l = &t->m->layer[i];
        t->forward_ps[i] =
            scale_time((uint64_t)l->forward_ps, t->samples, t->m->profiled);
        t->backward_ps[i] =
            scale_time((uint64_t)l->backward_ps, t->samples, t->m->profiled);
    }
}

/* `compute`: the time of all layers, both ways, for the whole batch. Bounds of
 * the layers' shares are rounded, so the sum is exact. */
static orr_err rescale(struct orr_training *t)
{
    unsigned __int128 sum = 0, before = 0;
    uint64_t total = (uint64_t)t->k->compute / t->micro_batches;
    for (uint32_t i = 0; i < t->m->layers; i++)
        sum += (uint64_t)t->forward_ps[i] + (uint64_t)t->backward_ps[i];
    if (sum == 0)
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "compute"), t->why,
                              "compute: no layer of %s has a time or `flops` "
                              "to share it out by",
                              t->m->name);
    while (sum >> 64) { /* far beyond any profile */
        sum >>= 1;
        for (uint32_t i = 0; i < t->m->layers; i++) {
            t->forward_ps[i] >>= 1;
            t->backward_ps[i] >>= 1;
        }
    }
    for (uint32_t i = 0; i < 2 * t->m->layers; i++) {
        int64_t *x = i < t->m->layers ? &t->forward_ps[i]
                                      : &t->backward_ps[i - t->m->layers];
        unsigned __int128 after = before + (uint64_t)*x;
        *x = (int64_t)(after * total / sum - before * total / sum);
        before = after;
    }
    return ORR_OK;
}

/* A context group shares out all, a tensor group what it divides. Tables are
 * looked up. */
static void divide(struct orr_training *t)
{
    for (uint32_t i = 0; t->context > 1 && i < t->m->layers; i++) {
        t->forward_ps[i] /= t->context;
        t->backward_ps[i] /= t->context;
    }
    for (uint32_t i = 0; i < t->m->layers; i++)
        if (t->m->layer[i].tensor != ORR_TENSOR_UNSPLIT) {
            t->forward_ps[i] /= t->tensor;
            t->backward_ps[i] /= t->tensor;
        }
}

/* That long is what did not fit, too. */
static orr_err check_time(const struct orr_training *t)
{
    unsigned __int128 sum = 0;
    for (uint32_t i = 0; i < t->m->layers; i++)
        sum += (uint64_t)t->forward_ps[i] + (uint64_t)t->backward_ps[i];
    if (sum < (unsigned __int128)ORR_HORIZON)
        return ORR_OK;
    const struct orr_yaml *at = orr__yaml_get(t->node, "flops");
    if (!at)
        at = orr__yaml_get(t->node, "batch");
    return orr__yaml_fail(t->c, at ? at : orr__yaml_get(t->node, "model"),
                          t->why,
                          "model: the computations of a batch take longer "
                          "than 53 days, when simulated time ends");
}

/* The memory's part of the roofline: the weights that a rank has of a layer,
 * and what goes in and comes out; tables are looked up. */
static void wait_for_memory(struct orr_training *t)
{
    for (uint32_t i = 0; t->gpu && i < t->m->layers; i++) {
        const struct orr_layer *l = &t->m->layer[i];
        unsigned __int128 bytes = l->activations, ps;
        uint32_t split = l->tensor == ORR_TENSOR_UNSPLIT ? 1 : t->tensor;
        bytes += i ? t->m->layer[i - 1].activations : 0;
        bytes = bytes * t->samples / t->m->element / t->context / split;
        for (uint32_t k = 0; l->flops && k < l->n; k++)
            bytes += orr__tensor_share(t->m, l, k, t->tensor, t->expert);
        ps = bytes * t->element * 8 * (uint64_t)ORR_S / t->gpu->memory_bps;
        int64_t time =
            ps < (unsigned __int128)ORR_HORIZON ? (int64_t)ps : ORR_HORIZON;
        double back = (double)time * l->backward + 0.5;
        if (t->forward_ps[i] < time)
            t->forward_ps[i] = time;
        if ((double)t->backward_ps[i] < back)
            t->backward_ps[i] =
                back < (double)ORR_HORIZON ? (int64_t)back : ORR_HORIZON;
    }
}

/* `gpu` and `flops` are two ways to say the same. */
static orr_err read_gpu(struct orr_training *t, uint64_t *speed)
{
    const struct orr_yaml *at = orr__yaml_get(t->node, "gpu");
    const char *names[16];
    uint32_t n = 0;
    if (t->k->flops)
        return orr__yaml_fail(t->c, at, t->why,
                              "gpu: `flops` says how fast it is");
    t->gpu = orr__gpu_find(t->k->gpu);
    if (t->gpu) {
        uint64_t peak = t->element == 4 ? t->gpu->flops32 : t->gpu->flops16;
        *speed = (uint64_t)((double)peak * t->k->efficiency + 0.5);
        return ORR_OK;
    }
    for (; orr__gpus[n].name && n < 15; n++)
        names[n] = orr__gpus[n].name;
    names[n] = NULL;
    orr__yaml_fail(t->c, at, t->why, "gpu: \"%s\" is not known", t->k->gpu);
    if (!orr__hint_nearest(t->why, names, t->k->gpu))
        orr__hint(t->why, "`orrery list gpus` names them; or give `flops`");
    return ORR_ECONFIG;
}

orr_err orr__train_times(struct orr_training *t)
{
    uint64_t speed = DEFAULT_FLOPS;
    orr_err err = ORR_OK;
    t->forward_ps = orr__alloc(t->m->layers, sizeof *t->forward_ps);
    t->backward_ps = orr__alloc(t->m->layers, sizeof *t->backward_ps);
    if (!t->forward_ps || !t->backward_ps)
        return orr__no_memory(t->why);
    if (t->k->gpu)
        err = read_gpu(t, &speed);
    else if (t->k->flops)
        err = read_flops(t, &speed);
    if (err)
        return err;
    if (t->m->profiled && !t->k->flops && !t->gpu)
        from_profile(t);
    else
        from_flops(t, speed);
    if (t->k->compute >= 0)
        err = rescale(t);
    divide(t);
    if (t->k->compute < 0)
        wait_for_memory(t);
    return err ? err : check_time(t);
}

/* ---- costs --------------------------------------------------------------- */

void orr__layer_costs_fini(struct orr_layer_costs *x)
{
    orr__free(x->forward_ps);
    orr__free(x->backward_ps);
    orr__free(x->activations);
    orr__free(x->parameters);
}

orr_err orr__train_costs(struct orr_config *c, const struct orr_yaml *node,
                         const struct orr_train_keys *k, struct orr_model **m,
                         struct orr_layer_costs *out, struct orr_report *why)
{
    struct orr_training t = {.c = c,
                             .node = node,
                             .k = k,
                             .why = why,
                             .tensor = 1,
                             .context = 1,
                             .expert = 1,
                             .micro_batches = 1};
    *out = (struct orr_layer_costs){.batch = 0};
    orr_err err = orr__model_load(c, k->model, &t.m, why);
    if (err)
        return err;
    t.batch = t.samples = k->batch ? (uint32_t)k->batch : t.m->batch;
    t.element = k->dtype < 0 ? t.m->element : k->dtype == 0 ? 4 : 2;
    err = orr__train_times(&t);
    out->batch = t.batch;
    out->forward_ps = t.forward_ps;
    out->backward_ps = t.backward_ps;
    out->activations = orr__alloc(t.m->layers, sizeof *out->activations);
    out->parameters = orr__alloc(t.m->layers, sizeof *out->parameters);
    if (!err && (!out->activations || !out->parameters))
        err = orr__no_memory(why);
    for (uint32_t i = 0; !err && i < t.m->layers; i++) {
        const struct orr_layer *l = &t.m->layer[i];
        if (l->activations > UINT64_MAX / 16 / t.batch)
            err = orr__yaml_fail(c, k->model, why,
                                 "%s: activations of %u samples are too many "
                                 "bytes",
                                 t.m->name, t.batch);
        out->activations[i] =
            l->activations * t.batch / t.m->element * t.element;
        out->parameters[i] = l->parameters * t.element;
    }
    if (err) {
        orr__layer_costs_fini(out);
        orr__model_free(t.m);
    } else {
        *m = t.m;
    }
    return err;
}

/* ---- stages ------------------------------------------------------------- */

/* An item of `stages`. replicas is 0 where the item is a number alone. */
struct stage_keys {
    int64_t units, replicas;
};

#define STAGE_KEY(name, ...)                                                   \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_INT,                                   \
        .offset = offsetof(struct stage_keys, name), __VA_ARGS__               \
    }
const struct orr_param orr__pipeline_stage_params[] = {
    STAGE_KEY(units, .min = "1", .max = "1000000",
              .help = "of the model: layers, or repetitions of a group"),
    STAGE_KEY(replicas, .fallback = "1", .min = "1", .max = "1000000",
              .help = "ranks; minibatch b goes to the b mod replicas-th"),
    ORR_PARAM_END,
};

/* One of `stages`: a number, or a map; *replicas: 0 in the former. */
static orr_err read_stage(struct orr_training *t, const struct orr_yaml *node,
                          uint32_t *own, uint32_t *replicas)
{
    struct stage_keys k = {0, 0};
    const struct orr_param_set set = {orr__pipeline_stage_params, &k};
    const char *text = orr__yaml_text(t->c, node);
    orr_err err = ORR_OK;
    if (orr__yaml_is_map(node))
        err = orr__param_read(t->c, node, "stages", &set, 1, t->why);
    else if (!text || orr__parse_int(text, &k.units) || k.units < 1
             || k.units > 1000000)
        err = orr__yaml_fail(t->c, node, t->why,
                             "stages: a number of units is expected, or "
                             "{units, replicas}");
    *own = (uint32_t)k.units;
    *replicas = (uint32_t)k.replicas;
    return err;
}

orr_err orr__train_read_stages(struct orr_training *t)
{
    const struct orr_yaml *list = t->k->stages;
    size_t n = orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    struct orr_arena *arena = orr__config_arena(t->c);
    if (!list)
        return ORR_OK;
    if (n == 0 || n > 1000000)
        return orr__yaml_fail(t->c, list, t->why,
                              "stages: a list of numbers of units is expected");
    t->units = orr__arena_alloc(arena, n, sizeof *t->units);
    uint32_t *replicas = orr__arena_alloc(arena, n, sizeof *replicas);
    if (!t->units || !replicas)
        return orr__no_memory(t->why);
    for (size_t i = 0; i < n; i++) {
        const struct orr_yaml *one = orr__yaml_item(list, i);
        orr_err err = read_stage(t, one, &t->units[i], &replicas[i]);
        if (err)
            return err;
        if (!replicas[i] != !replicas[0])
            return orr__yaml_fail(t->c, one, t->why,
                                  "stages: all are numbers, or all are {units, "
                                  "replicas}");
    }
    t->n_units = (uint32_t)n;
    t->replicas = replicas[0] ? replicas : NULL;
    return ORR_OK;
}

/* stage_first by the user's `stages`, which have to be as many as the cuts and
 * to use up all units. unit_first: per unit and one more, its first layer. */
static orr_err given_stages(struct orr_training *t, const uint32_t *unit_first)
{
    const struct orr_yaml *at = orr__yaml_get(t->node, "stages");
    uint64_t sum = 0;
    if (t->n_units != t->cuts)
        return orr__yaml_fail(t->c, at, t->why,
                              "stages: %u numbers for %u stages", t->n_units,
                              t->cuts);
    for (uint32_t i = 0; i < t->n_units; i++)
        sum += t->units[i];
    if (sum != t->m->units)
        return orr__yaml_fail(t->c, at, t->why,
                              "stages: these are %llu units, %s has %u",
                              (unsigned long long)sum, t->m->name, t->m->units);
    sum = 0;
    for (uint32_t i = 0; i <= t->n_units; i++) {
        t->stage_first[i] = unit_first[sum];
        sum += i < t->n_units ? t->units[i] : 0;
    }
    return ORR_OK;
}

/* Whether the units fit into that many stages of at most `most` each, one
 * unit at least in each; if so and put, where they begin. Stages are filled
 * from the last one backwards: the first is then the shortest. */
static bool fits_stages(const struct orr_training *t, const int64_t *cost,
                        int64_t most, const uint32_t *unit_first, bool put)
{
    uint32_t stage = t->cuts - 1, end = t->m->units;
    if (put)
        t->stage_first[t->cuts] = t->m->layers;
    for (;; stage--) {
        int64_t sum = 0;
        uint32_t begin = end;
        while (begin > stage && sum + cost[begin - 1] <= most)
            sum += cost[--begin];
        if (begin == end)
            return false;
        if (stage == 0 && begin > 0)
            return false;
        if (put)
            t->stage_first[stage] = unit_first[begin];
        if (stage == 0)
            return true;
        end = begin;
    }
}

/* The longest stage is as short as it can be (by bisection). */
static void balanced_stages(struct orr_training *t, const int64_t *cost,
                            const uint32_t *unit_first)
{
    int64_t low = 0, high = 0;
    for (uint32_t u = 0; u < t->m->units; u++) {
        high = orr__time_add(high, cost[u]);
        if (cost[u] > low)
            low = cost[u];
    }
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (fits_stages(t, cost, mid, unit_first, false))
            high = mid;
        else
            low = mid + 1;
    }
    fits_stages(t, cost, low, unit_first, true);
}

orr_err orr__train_stages(struct orr_training *t)
{
    const struct orr_model *m = t->m;
    uint32_t *unit_first = orr__alloc(m->units + (size_t)1, sizeof *unit_first);
    int64_t *cost = orr__alloc(m->units, sizeof *cost);
    orr_err err = ORR_OK;
    t->stage_first = orr__alloc(t->cuts + (size_t)1, sizeof *t->stage_first);
    if (!unit_first || !cost || !t->stage_first)
        err = orr__no_memory(t->why);
    for (uint32_t i = m->layers; !err && i-- > 0;) {
        uint32_t u = m->layer[i].unit;
        unit_first[u] = i;
        cost[u] = orr__time_add(
            cost[u], orr__time_add(t->forward_ps[i], t->backward_ps[i]));
    }
    if (!err) {
        unit_first[m->units] = m->layers;
        if (t->cuts > m->units)
            err = orr__yaml_fail(t->c, orr__yaml_get(t->node, "parallelism"),
                                 t->why,
                                 "parallelism: %s has %u units, too few for %u "
                                 "stages",
                                 m->name, m->units, t->cuts);
    }
    if (!err && t->n_units)
        err = given_stages(t, unit_first);
    else if (!err)
        balanced_stages(t, cost, unit_first);
    orr__free(unit_first);
    orr__free(cost);
    return err;
}
