/* Reads a job with a model and makes its program, stage by stage. */
#include "workload/model/train.h"
#include "core/assert.h"
#include "core/none.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/program/call_read.h"

/* A program larger than this is refused before memory runs out. */
#define OPS_MAX (1u << 24)

/* ---- parallelism -------------------------------------------------------- */

/* The map `parallelism`; data -1: what the others leave. */
struct parallelism {
    int64_t data, tensor, pipeline, expert, context;
};

#define SIZE_OF(name, text)                                                    \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_INT,                                   \
        .offset = offsetof(struct parallelism, name), .fallback = "",          \
        .min = "1", .max = "16000000", .help = text                            \
    }
const struct orr_param orr__parallelism_params[] = {
    SIZE_OF(data, "replicas, each with its own samples; default: `ranks` over "
                  "the others"),
    SIZE_OF(tensor, "ranks that share each layer (Megatron); default 1"),
    SIZE_OF(pipeline, "stages of consecutive layers; default 1"),
    SIZE_OF(expert, "ranks that share the experts of a layer; replicas for all "
                    "other layers; default 1"),
    SIZE_OF(context, "ranks that share the tokens of a sequence, and gather "
                     "keys and values; default 1"),
    ORR_PARAM_END,
};

/* The product of all five is the number of ranks. */
static orr_err read_parallelism(struct orr_training *t, uint32_t ranks)
{
    struct parallelism x = {-1, 1, 1, 1, 1};
    const struct orr_param_set set = {orr__parallelism_params, &x};
    const struct orr_yaml *at = t->k->parallelism;
    orr_err err = ORR_OK;
    if (at)
        err = orr__param_read(t->c, at, "parallelism", &set, 1, t->why);
    if (err)
        return err;
    double rest = (double)x.tensor * (double)x.pipeline * (double)x.expert
                  * (double)x.context;
    char context[48] = "";
    if (x.context > 1)
        snprintf(context, sizeof context, " x context %lld",
                 (long long)x.context);
    if (x.data < 0 && rest <= ranks && ranks % (uint32_t)rest == 0)
        x.data = ranks / (uint32_t)rest;
    else if (x.data < 0)
        return orr__yaml_fail(t->c, at, t->why,
                              "parallelism: tensor %lld x pipeline %lld x "
                              "expert %lld%s do not divide %u ranks",
                              (long long)x.tensor, (long long)x.pipeline,
                              (long long)x.expert, context, ranks);
    if ((double)x.data * rest != ranks)
        return orr__yaml_fail(t->c, at, t->why,
                              "parallelism: data %lld x tensor %lld x "
                              "pipeline %lld x expert %lld%s are not %u ranks",
                              (long long)x.data, (long long)x.tensor,
                              (long long)x.pipeline, (long long)x.expert,
                              context, ranks);
    t->data = (uint32_t)x.data;
    t->tensor = (uint32_t)x.tensor;
    t->expert = (uint32_t)x.expert;
    t->context = (uint32_t)x.context;
    t->pipeline = (uint32_t)x.pipeline;
    t->stage_ranks = ranks / t->pipeline;
    ORR_ASSERT(t->stage_ranks * t->pipeline == ranks);
    return ORR_OK;
}

/* `stages` with replicas says how many ranks there are. */
static orr_err take_replicas(struct orr_training *t, uint32_t ranks)
{
    const struct orr_yaml *at = orr__yaml_get(t->node, "stages");
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->n_units; i++)
        sum += t->replicas[i];
    if (t->k->parallelism && !orr__yaml_is_null(t->k->parallelism))
        return orr__yaml_fail(t->c, t->k->parallelism, t->why,
                              "parallelism: `stages` says the replicas of each "
                              "stage");
    if (sum != ranks)
        return orr__yaml_fail(t->c, at, t->why,
                              "stages: their replicas add up to %llu, and the "
                              "job has %u ranks",
                              (unsigned long long)sum, ranks);
    t->tensor = t->expert = t->context = t->data = 1;
    t->pipeline = t->n_units;
    return ORR_OK;
}

static orr_err read_ranks(struct orr_training *t, uint32_t ranks)
{
    orr_err err = orr__train_read_stages(t);
    if (err)
        return err;
    err = t->replicas ? take_replicas(t, ranks) : read_parallelism(t, ranks);
    return err ? err : orr__pipeline_check(t);
}

/* Replicas that gradients are summed over: of the stage with the most. */
static uint32_t most_replicas(const struct orr_training *t)
{
    uint32_t most = t->data * t->expert * t->context;
    for (uint32_t i = 0; t->replicas && i < t->pipeline; i++)
        most = t->replicas[i] > most ? t->replicas[i] : most;
    return most;
}

/* ---- algorithms --------------------------------------------------------- */

/* The map `algorithm`. */
struct algorithm_keys {
    const char *name;
    int64_t chunks, concurrent, delay;
    uint64_t memory;
};

static const char *one_chunk(const void *set, const void *around)
{
    const struct algorithm_keys *k = set;
    return k->chunks == 1 ? "with `chunks: 1` there is no other" : NULL;
}

static const struct orr_param algorithm_params[] = {
    {
        .key = "name",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct algorithm_keys, name),
        .help = "of the algorithm",
    },
    {
        .key = "chunks",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct algorithm_keys, chunks),
        .fallback = "1",
        .min = "1",
        .max = "16384",
    },
    {
        .key = "concurrent",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct algorithm_keys, concurrent),
        .fallback = "1",
        .min = "1",
        .max = "16384",
        .idle = one_chunk,
    },
    {
        .key = "endpoint_delay",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct algorithm_keys, delay),
        .fallback = "0ns",
    },
    {
        .key = "memory",
        .type = ORR_PARAM_RATE,
        .offset = offsetof(struct algorithm_keys, memory),
        .fallback = "",
    },
    ORR_PARAM_END,
};

/* The one named is used for all-reduce, and for other collectives that it
 * exists for; others have their default. */
static orr_err read_algorithm(struct orr_training *t)
{
    const struct orr_yaml *node = t->k->algorithm;
    bool map = orr__yaml_is_map(node);
    const struct orr_call_reader r = {
        .c = t->c,
        .body = map ? node : t->node,
        .verb = "all-reduce",
        .key = map ? "name" : "algorithm",
    };
    struct algorithm_keys k = {.chunks = 1, .concurrent = 1};
    struct orr_collective *main = &t->keys[ORR_ALL_REDUCE];
    orr_err err = orr__call_algorithm(&r, ORR_ALL_REDUCE, &main->ops, t->why);
    if (err)
        return err;
    const struct orr_collective_ops *ops = main->ops;
    const struct orr_param_set sets[] = {{algorithm_params, &k, t->c},
                                         {ops->params, main, t->c}};
    if (map)
        err = orr__param_read(t->c, node, "algorithm", sets,
                              ops->params ? 2 : 1, t->why);
    else if (ops->params)
        err = orr__param_read(t->c, NULL, "", &sets[1], 1, t->why);
    for (int i = 0; !err && i < ORR_COLLECTIVE_KIND_COUNT; i++) {
        enum orr_collective_kind kind = (enum orr_collective_kind)i;
        struct orr_collective *c = &t->keys[i];
        if (kind != ORR_ALL_REDUCE)
            *c = *main; /* keys of one name mean the same everywhere */
        c->ops = node ? orr__collective_find(kind, ops->name) : NULL;
        if (!c->ops)
            c->ops = orr__collective_find(kind, NULL);
    }
    t->common = (struct orr_call){
        .chunks = (uint32_t)k.chunks,
        .concurrent = (uint32_t)k.concurrent,
        .endpoint_delay_ps = k.delay,
        .memory_bps = k.memory,
    };
    return err;
}

/* ---- the rest of the keys ----------------------------------------------- */

/* Micro-batches are equal parts of the batch. */
static orr_err read_batch(struct orr_training *t)
{
    const struct orr_train_keys *k = t->k;
    t->batch = k->batch ? (uint32_t)k->batch : t->m->batch;
    t->micro_batches = (uint32_t)k->micro_batches;
    t->samples = t->batch / t->micro_batches;
    t->element = k->dtype < 0 ? t->m->element : k->dtype == 0 ? 4 : 2;
    if (t->batch % t->micro_batches)
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "micro_batches"),
                              t->why,
                              "micro_batches: a batch of %u cannot be cut "
                              "into %u equal parts",
                              t->batch, t->micro_batches);
    return ORR_OK;
}

/* Waiting by layer needs gradients by layer. */
static orr_err check_wait(struct orr_training *t)
{
    const struct orr_train_keys *k = t->k;
    const struct orr_yaml *stale = orr__yaml_get(t->node, "stale_layers");
    if (k->wait == ORR_WAIT_LAYER
        && (k->asynchronous
            || (k->sync != ORR_SYNC_DDP && k->sync != ORR_SYNC_PARAMETER_SERVER
                && k->sync < ORR_SYNC_ZERO1)))
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "wait"), t->why,
                              "wait: layer: only with `sync: ddp`, zero-1, "
                              "zero-2 or a `parameter-server` that is not "
                              "asynchronous");
    int64_t n = 0;
    if (!k->stale_layers)
        return ORR_OK;
    if (k->wait != ORR_WAIT_LAYER)
        return orr__yaml_fail(t->c, stale, t->why,
                              "stale_layers: only with `wait: layer`");
    t->stale_auto = strcmp(k->stale_layers, "auto") == 0;
    if (t->stale_auto)
        n = t->m->layers;
    else if (orr__parse_int(k->stale_layers, &n) || n < 0)
        return orr__yaml_fail(t->c, stale, t->why,
                              "stale_layers: a number of layers is expected, "
                              "or auto");
    if (n > (int64_t)t->m->layers)
        return orr__yaml_fail(t->c, stale, t->why,
                              "stale_layers: %s has %u layers, not %lld",
                              t->m->name, t->m->layers, (long long)n);
    t->stale = (uint32_t)n;
    return ORR_OK;
}

/* Keys that need one another; and activations whose bytes fit with room for
 * sums. */
static orr_err check_sync(struct orr_training *t)
{
    const struct orr_train_keys *k = t->k;
    bool server = k->sync == ORR_SYNC_PARAMETER_SERVER;
    if (k->asynchronous && !server)
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "asynchronous"),
                              t->why,
                              "asynchronous: only `sync: parameter-server` "
                              "can be");
    if (k->staleness >= 0 && !k->asynchronous)
        return orr__yaml_fail(t->c, orr__yaml_get(t->node, "staleness"), t->why,
                              "staleness: only with `asynchronous: true`");
    if (!server && (k->servers.n || k->shards))
        return orr__yaml_fail(
            t->c, orr__yaml_get(t->node, k->servers.n ? "servers" : "shards"),
            t->why, "servers and shards: only with `sync: parameter-server`");
    orr_err err = check_wait(t);
    if (err)
        return err;
    for (size_t i = 0; i < t->m->layers; i++)
        if (t->m->layer[i].activations
                > UINT64_MAX / 16 / t->batch / t->m->layer[i].top_k
            || t->m->layer[i].kv > UINT64_MAX / 16 / t->batch)
            return orr__yaml_fail(t->c, k->model, t->why,
                                  "%s: activations of %u samples are too many "
                                  "bytes",
                                  t->m->name, t->batch);
    return ORR_OK;
}

/* Ranks of an expert group hold as many experts each. */
static orr_err check_experts(struct orr_training *t)
{
    for (uint32_t i = 0; i < t->m->layers; i++)
        if (t->m->layer[i].experts % t->expert)
            return orr__yaml_fail(
                t->c, orr__yaml_get(t->k->parallelism, "expert"), t->why,
                "parallelism.expert: %s has %u experts in a "
                "layer, which %u ranks cannot share equally",
                t->m->name, t->m->layer[i].experts, t->expert);
    return ORR_OK;
}

/* Workers that push by themselves are groups of one: without servers they all
 * mean the job's first rank. */
static orr_err choose_servers(struct orr_training *t)
{
    t->servers = t->k->servers;
    if (!t->k->asynchronous || t->servers.n || t->graph->n_servers)
        return ORR_OK;
    t->servers.v =
        orr__arena_alloc(orr__config_arena(t->c), 1, sizeof *t->servers.v);
    if (!t->servers.v)
        return orr__no_memory(t->why);
    t->servers.v[0] = t->hosts[0];
    t->servers.n = 1;
    return ORR_OK;
}

/* An upper bound of the operations, before any is made. */
static orr_err check_size(struct orr_training *t)
{
    double ops =
        ((double)t->m->layers * 8 + 4 * (double)t->pipeline) * t->micro_batches
        + 4.0 * t->m->tensors
        + 6.0 * (double)t->k->tensor_chunks * t->m->layers * t->micro_batches
              * (t->tensor > 1)
        + (t->k->sync == ORR_SYNC_ZERO2 ? t->micro_batches * 2.0 * t->m->tensors
                                        : 0);
    if (t->k->asynchronous)
        ops += (double)t->stage_ranks * t->pipeline * t->m->tensors;
    if (ops <= OPS_MAX)
        return ORR_OK;
    return orr__yaml_fail(t->c, t->node, t->why,
                          "%s with %u micro-batches makes too large a program",
                          t->m->name, t->micro_batches);
}

/* ---- making the program ------------------------------------------------- */

/* The operations of one stage; its ranks are one part of the program. */
static orr_err make_stage(struct orr_training *t, uint32_t index)
{
    struct orr_stage s = {
        .t = t,
        .index = index,
        .from = t->stage_first[index],
        .to = t->stage_first[index + 1],
        .base = index * t->stage_ranks,
        .last = ORR_NONE,
        .comm = ORR_NONE,
        .first_comm = ORR_NONE,
    };
    uint32_t part;
    orr_err err = ORR_OK;
    s.ready = orr__alloc(t->m->layers, sizeof *s.ready);
    if (t->k->wait == ORR_WAIT_LAYER) {
        s.entry = orr__alloc(t->m->layers, sizeof *s.entry);
        err = s.entry ? ORR_OK : orr__no_memory(t->why);
    }
    for (uint32_t i = 0; s.entry && i < t->m->layers; i++)
        s.entry[i] = ORR_NONE;
    s.gathered = orr__alloc(t->m->units, sizeof *s.gathered);
    if (!s.ready || !s.gathered)
        err = orr__no_memory(t->why);
    if (!err && t->pipeline > 1)
        err = orr__program_part(t->p, &part, t->why);
    for (uint32_t r = 0; !err && t->pipeline > 1 && r < t->stage_ranks; r++)
        err = orr__program_assign(t->p, s.base + r, part, t->why);
    if (!err)
        err = orr__stage_schedule(&s);
    if (!err)
        err = orr__stage_sync(&s);
    orr__free(s.ready);
    orr__free(s.gathered);
    orr__free(s.entry);
    return err;
}

/* Stages in order, so operations are numbered by stage. *out only on
 * success. */
static orr_err make_program(struct orr_training *t, uint32_t ranks,
                            struct orr_program **out)
{
    orr_err err = ORR_OK;
    t->p = orr__program_new(ranks);
    if (!t->p)
        return orr__no_memory(t->why);
    if (t->replicas)
        err = orr__pipeline_make(t);
    for (uint32_t i = 0; !t->replicas && !err && i < t->pipeline; i++)
        err = make_stage(t, i);
    if (!err)
        err = orr__program_finish(t->p, t->why);
    if (!err && t->stale_auto)
        t->p->stale.layers = t->m->layers;
    if (err)
        orr__program_free(t->p);
    else
        *out = t->p;
    return err;
}

orr_err orr__train_read(struct orr_config *c, const struct orr_yaml *node,
                        const struct orr_train_keys *k,
                        const struct orr_graph *graph, const uint32_t *hosts,
                        uint32_t ranks, struct orr_program **out,
                        struct orr_report *why)
{
    struct orr_training t = {.c = c,
                             .node = node,
                             .k = k,
                             .graph = graph,
                             .hosts = hosts,
                             .why = why};
    orr_err err = orr__model_load(c, k->model, &t.m, why);
    if (!err)
        err = read_ranks(&t, ranks);
    if (!err && k->facts)
        *k->facts = (struct orr_train_facts){most_replicas(&t), t.pipeline,
                                             t.tensor * t.expert * t.context
                                                 * t.pipeline,
                                             t.tensor, t.m->profiled > 0};
    for (uint32_t i = 0; !err && t.expert == 1 && i < t.m->layers; i++)
        if (t.m->layer[i].expert == ORR_EXPERT_EXCHANGE)
            t.m->layer[i].expert = ORR_EXPERT_UNSPLIT;
    if (!err)
        err = read_batch(&t);
    if (!err)
        err = read_algorithm(&t);
    if (!err)
        err = check_sync(&t);
    if (!err)
        err = check_experts(&t);
    if (!err)
        err = choose_servers(&t);
    if (!err)
        err = check_size(&t);
    if (!err)
        err = orr__train_times(&t);
    if (!err)
        err = orr__train_stages(&t);
    if (!err)
        err = make_program(&t, ranks, out);
    orr__free(t.forward_ps);
    orr__free(t.backward_ps);
    orr__free(t.stage_first);
    orr__model_free(t.m);
    return err;
}
