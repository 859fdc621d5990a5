/* A model's YAML becomes its table of layers. */
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/units.h"
#include "workload/model/model.h"

/* More than any model has; a file beyond it is a mistake. */
#define LAYERS_MAX  (1u << 20)
#define TENSORS_MAX (1u << 22)

/* The file's keys. */
struct model_keys {
    const char *title;
    int dtype;
    int64_t batch;
    double backward;
    const struct orr_yaml *profile, *layers;
};

/* The map `profile`. */
struct profile_keys {
    int64_t batch;
    const char *device;
};

/* A layer's keys. */
struct layer_keys {
    const char *name;
    struct orr_ints tensors;
    uint64_t activations;
    int64_t flops, forward, backward_time;
    int tensor, expert;
    int64_t experts, top_k;
    uint64_t kv;
};

/* A group's keys. */
struct group_keys {
    const char *name;
    int64_t repeat;
    const struct orr_yaml *layers;
};

static const char *const dtypes[] = {"fp32", "fp16", "bf16", NULL};

const struct orr_param orr__model_params[] = {
    {
        .key = "title",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct model_keys, title),
        .fallback = "",
        .help = "title",
    },
    {
        .key = "dtype",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct model_keys, dtype),
        .fallback = "fp32",
        .choices = dtypes,
        .help = "of parameters, gradients and activations",
    },
    {
        .key = "batch",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct model_keys, batch),
        .fallback = "32",
        .min = "1",
        .max = "1000000",
        .help = "default samples of a replica",
    },
    {
        .key = "backward",
        .type = ORR_PARAM_REAL,
        .offset = offsetof(struct model_keys, backward),
        .fallback = "2",
        .min = "0",
        .max = "100",
        .help = "backward over forward time of a layer without a profile",
    },
    {
        .key = "profile",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct model_keys, profile),
        .fallback = "",
        .help = "{batch, device} of the measured times of the layers",
    },
    {
        .key = "layers",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct model_keys, layers),
        .help = "in forward order: layers, and groups {name, repeat, layers}",
    },
    ORR_PARAM_END,
};

static const struct orr_param profile_params[] = {
    {
        .key = "batch",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct profile_keys, batch),
        .min = "1",
        .max = "1000000",
    },
    {
        .key = "device",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct profile_keys, device),
        .fallback = "",
    },
    ORR_PARAM_END,
};

const struct orr_param orr__layer_params[] = {
    {
        .key = "name",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct layer_keys, name),
        .fallback = "layer",
        .help = "its name",
    },
    {
        .key = "tensors",
        .type = ORR_PARAM_INTS,
        .offset = offsetof(struct layer_keys, tensors),
        .fallback = "",
        .min = "0",
        .max = "1000000000000000",
        .help = "parameters in each of its tensors, in forward order",
    },
    {
        .key = "activations",
        .type = ORR_PARAM_SIZE,
        .offset = offsetof(struct layer_keys, activations),
        .fallback = "0B",
        .max = "1000TB",
        .help = "bytes of its output for one sample",
    },
    {
        .key = "flops",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct layer_keys, flops),
        .fallback = "0",
        .min = "0",
        .max = "1000000000000000000",
        .help = "floating-point operations of one sample, forward",
    },
    {
        .key = "forward",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct layer_keys, forward),
        .fallback = "",
        .max = "24h",
        .help = "measured time of the profile's batch",
    },
    {
        .key = "backward",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct layer_keys, backward_time),
        .fallback = "",
        .max = "24h",
        .help = "measured time of the profile's batch",
    },
    {
        .key = "tensor",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct layer_keys, tensor),
        .fallback = "whole",
        .choices = (const char *const[]){"whole", "split", "reduce", NULL},
        .help = "in a tensor group: held whole by each rank, divided, or "
                "divided with an all-reduce forward and one backward",
    },
    {
        .key = "expert",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct layer_keys, expert),
        .fallback = "whole",
        .choices = (const char *const[]){"whole", "exchange", "tables", NULL},
        .help = "in an expert group: held by each rank, one of its own on "
                "each rank with an all-to-all before and after, or spread "
                "over all replicas with an all-to-all after",
    },
    {
        .key = "experts",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct layer_keys, experts),
        .fallback = "0",
        .min = "0",
        .max = "100000",
        .help = "expert: exchange: how many there are, of each of which "
                "`tensors` are; ranks of an expert group hold equal parts of "
                "them; 0: one on each rank",
    },
    {
        .key = "top_k",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct layer_keys, top_k),
        .fallback = "1",
        .min = "1",
        .max = "1000",
        .help = "experts that a token goes to: the all-to-alls have so many "
                "times `activations`",
    },
    {
        .key = "kv",
        .type = ORR_PARAM_SIZE,
        .offset = offsetof(struct layer_keys, kv),
        .fallback = "0B",
        .max = "1000TB",
        .help = "bytes of keys and values of a sample, which ranks of a "
                "context group gather",
    },
    ORR_PARAM_END,
};

static const struct orr_param group_params[] = {
    {
        .key = "name",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct group_keys, name),
        .fallback = "layer",
    },
    {
        .key = "repeat",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct group_keys, repeat),
        .fallback = "1",
        .min = "1",
        .max = "100000",
    },
    {
        .key = "layers",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct group_keys, layers),
    },
    ORR_PARAM_END,
};

/* A model while it is read. */
struct reader {
    struct orr_config *c;
    struct orr_model *m;
    struct orr_report *why;
    double backward;
    uint32_t layer_room, tensor_room;
};

/* ---- tables ------------------------------------------------------------- */

/* Room for one more layer with n tensors; refused beyond what any model has, as
 * groups repeat. */
static orr_err room_for(struct reader *r, const struct orr_yaml *at, size_t n)
{
    struct orr_model *m = r->m;
    if (m->layers >= LAYERS_MAX || n > TENSORS_MAX - m->tensors)
        return orr__yaml_fail(r->c, at, r->why,
                              "layers: more layers or tensors than any model "
                              "has");
    if (!orr__array_more(m->layer, r->layer_room, m->layers))
        return orr__no_memory(r->why);
    if (!orr__array_room(m->tensor, r->tensor_room, m->tensors + n))
        return orr__no_memory(r->why);
    return ORR_OK;
}

/* Adds a layer of which all but name and unit is set, with its tensors. */
static orr_err add_layer(struct reader *r, const struct orr_yaml *at,
                         const struct orr_layer *l, const uint64_t *tensor,
                         const char *name)
{
    struct orr_model *m = r->m;
    uint64_t most = UINT64_MAX >> 8; /* so that bytes fit as well */
    orr_err err = room_for(r, at, l->n);
    if (err)
        return err;
    struct orr_layer *x = &m->layer[m->layers];
    *x = *l;
    x->first = m->tensors;
    x->unit = m->units;
    x->needed = m->layers + 1; /* mended of the last one */
    x->name = orr__arena_strdup(&m->arena, name);
    if (!x->name)
        return orr__no_memory(r->why);
    if (l->parameters > most - m->parameters)
        return orr__yaml_fail(r->c, at, r->why, "layers: too many parameters");
    m->parameters += l->parameters;
    if (l->n)
        memcpy(&m->tensor[m->tensors], tensor, l->n * sizeof *tensor);
    m->tensors += l->n;
    m->layers++;
    return ORR_OK;
}

/* ---- one layer ---------------------------------------------------------- */

/* Both times or none, and only with the batch that they were measured with. */
static orr_err check_times(struct reader *r, const struct orr_yaml *node,
                           const struct layer_keys *k)
{
    if ((k->forward < 0) != (k->backward_time < 0))
        return orr__yaml_fail(
            r->c, node, r->why,
            "%s: `forward` and `backward` times need one another", k->name);
    if (k->forward >= 0 && !r->m->profiled)
        return orr__yaml_fail(r->c, orr__yaml_get(node, "forward"), r->why,
                              "%s: a measured time needs `profile: {batch: "
                              "...}` of the model",
                              k->name);
    return ORR_OK;
}

/* Keys of experts need experts. */
static orr_err check_experts(struct reader *r, const struct orr_yaml *node,
                             const struct layer_keys *k)
{
    const char *key = k->experts ? "experts" : "top_k";
    if (k->expert != ORR_EXPERT_EXCHANGE && (k->experts || k->top_k > 1))
        return orr__yaml_fail(r->c, orr__yaml_get(node, key), r->why,
                              "%s.%s: only with `expert: exchange`", k->name,
                              key);
    if (k->experts && k->top_k > k->experts)
        return orr__yaml_fail(r->c, orr__yaml_get(node, "top_k"), r->why,
                              "%s.top_k: there are %lld experts", k->name,
                              (long long)k->experts);
    return ORR_OK;
}

/* Its tensors are summed up with care: sums stay below 2^56. */
static orr_err read_layer(struct reader *r, const struct orr_yaml *node,
                          const char *prefix)
{
    struct layer_keys k = {.forward = -1, .backward_time = -1};
    const struct orr_param_set set = {orr__layer_params, &k};
    orr_err err = orr__param_read(r->c, node, "layers", &set, 1, r->why);
    if (!err)
        err = check_times(r, node, &k);
    if (!err)
        err = check_experts(r, node, &k);
    if (err)
        return err;
    struct orr_layer l = {
        .activations = k.activations,
        .flops = (uint64_t)k.flops,
        .backward = r->backward,
        .forward_ps = k.forward,
        .backward_ps = k.backward_time,
        .tensor = k.tensor,
        .expert = k.expert,
        .experts = (uint32_t)k.experts,
        .top_k = (uint32_t)k.top_k,
        .kv = k.kv,
        .n = (uint32_t)(k.tensors.n < TENSORS_MAX ? k.tensors.n : TENSORS_MAX),
    };
    uint64_t *tensor = orr__alloc(l.n, sizeof *tensor);
    char *name = orr__format("%s%s", prefix, k.name);
    if (!tensor || !name)
        err = orr__no_memory(r->why);
    for (uint32_t i = 0; !err && i < l.n; i++) {
        tensor[i] = (uint64_t)k.tensors.v[i];
        l.parameters += tensor[i]; /* 2^22 times 10^15 at most: may wrap */
        if (l.parameters > (UINT64_MAX >> 8) / (l.experts ? l.experts : 1))
            err = orr__yaml_fail(r->c, node, r->why,
                                 "layers: too many parameters");
    }
    l.parameters *= l.experts ? l.experts : 1;
    if (!err)
        err = add_layer(r, node, &l, tensor, name);
    orr__free(tensor);
    orr__free(name);
    return err;
}

/* ---- lists -------------------------------------------------------------- */

static orr_err need_list(struct reader *r, const struct orr_yaml *list,
                         size_t *n)
{
    *n = orr__yaml_is_list(list) ? orr__yaml_count(list) : 0;
    if (*n == 0)
        return orr__yaml_fail(r->c, list, r->why,
                              "layers: a list of layers is expected");
    return ORR_OK;
}

/* A repetition is read once and copied: only names differ. */
static orr_err repeat(struct reader *r, const struct orr_yaml *node,
                      const char *name, uint32_t from, uint32_t n, int64_t i)
{
    size_t prefix = strlen(name) + 3; /* "NAME.0." */
    orr_err err = ORR_OK;
    for (uint32_t j = 0; !err && j < n; j++) {
        struct orr_layer l = r->m->layer[from + j];
        char *full =
            orr__format("%s.%lld.%s", name, (long long)i, l.name + prefix);
        uint64_t *tensor = orr__alloc(l.n, sizeof *tensor);
        if (!full || !tensor)
            err = orr__no_memory(r->why);
        if (!err && l.n)
            memcpy(tensor, &r->m->tensor[l.first], l.n * sizeof *tensor);
        if (!err)
            err = add_layer(r, node, &l, tensor, full);
        orr__free(full);
        orr__free(tensor);
    }
    r->m->units++;
    return err;
}

/* Layers of the group, then copies with the next number in their names; each
 * repetition is a unit. */
static orr_err read_group(struct reader *r, const struct orr_yaml *node)
{
    struct group_keys k = {0};
    const struct orr_param_set set = {group_params, &k};
    size_t n = 0;
    uint32_t from = r->m->layers;
    orr_err err = orr__param_read(r->c, node, "layers", &set, 1, r->why);
    if (!err)
        err = need_list(r, k.layers, &n);
    if (err)
        return err;
    char *prefix = k.repeat > 1 ? orr__format("%s.0.", k.name)
                                : orr__format("%s.", k.name);
    if (!prefix)
        return orr__no_memory(r->why);
    for (size_t i = 0; !err && i < n; i++)
        err = read_layer(r, orr__yaml_item(k.layers, i), prefix);
    orr__free(prefix);
    r->m->units++;
    for (int64_t i = 1; !err && i < k.repeat; i++)
        err = repeat(r, node, k.name, from, (uint32_t)n, i);
    return err;
}

/* A layer outside of groups is a unit by itself. */
static orr_err read_layers(struct reader *r, const struct orr_yaml *list)
{
    size_t n;
    orr_err err = need_list(r, list, &n);
    for (size_t i = 0; !err && i < n; i++) {
        const struct orr_yaml *node = orr__yaml_item(list, i);
        if (orr__yaml_get(node, "layers")) {
            err = read_group(r, node);
        } else {
            err = read_layer(r, node, "");
            r->m->units++;
        }
    }
    return err;
}

static orr_err read_profile(struct reader *r, const struct orr_yaml *node)
{
    struct profile_keys k = {0};
    const struct orr_param_set set = {profile_params, &k};
    if (!node)
        return ORR_OK;
    orr_err err = orr__param_read(r->c, node, "profile", &set, 1, r->why);
    r->m->profiled = (uint32_t)k.batch;
    return err;
}

/* A profile is of all layers or of none, so that times can be compared. */
static orr_err check_profile(struct reader *r, const struct orr_yaml *list)
{
    for (uint32_t i = 0; r->m->profiled && i < r->m->layers; i++)
        if (r->m->layer[i].forward_ps < 0)
            return orr__yaml_fail(r->c, list, r->why,
                                  "%s: with a profile every layer has its "
                                  "`forward` and `backward` time",
                                  r->m->layer[i].name);
    return ORR_OK;
}

orr_err orr__model_read(struct orr_config *doc, const char *name,
                        struct orr_model **out, struct orr_report *why)
{
    struct model_keys k = {0};
    const struct orr_param_set set = {orr__model_params, &k};
    struct orr_model *m = orr__alloc(1, sizeof *m);
    struct reader r = {.c = doc, .m = m, .why = why};
    if (!m)
        return orr__no_memory(why);
    orr_err err =
        orr__param_read(doc, orr__config_root(doc), "model", &set, 1, why);
    if (!err) {
        m->name = orr__arena_strdup(&m->arena, name);
        m->title = orr__arena_strdup(&m->arena, k.title ? k.title : name);
        if (!m->name || !m->title)
            err = orr__no_memory(why);
    }
    m->element = k.dtype == 0 ? 4 : 2;
    m->batch = (uint32_t)k.batch;
    r.backward = k.backward;
    if (!err)
        err = read_profile(&r, k.profile);
    if (!err)
        err = read_layers(&r, k.layers);
    if (!err)
        err = check_profile(&r, k.layers);
    if (!err)
        m->layer[m->layers - 1].needed = m->layers - 1;
    if (err)
        orr__model_free(m);
    else
        *out = m;
    return err;
}
