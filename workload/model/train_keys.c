/* The keys of a job with a model. */
#include "workload/model/train.h"

/* ---- keys without effect; around is the struct orr_train_facts ----------- */

static bool is_synchronised(const struct orr_train_facts *f)
{
    return f->replicas > 1;
}

static const char *no_buckets(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;

    if (k->sync != ORR_SYNC_DDP && k->sync != ORR_SYNC_ZERO1
        && k->sync != ORR_SYNC_ZERO2)
        return "only `sync: ddp`, zero-1 and zero-2 have buckets";
    return is_synchronised(around) ? NULL : "there is one replica";
}

static const char *no_units(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;

    if (k->sync == ORR_SYNC_DDP || k->sync == ORR_SYNC_FSDP
        || k->sync >= ORR_SYNC_NONE)
        return "only bulk, gather-scatter and parameter-server have such units";
    return is_synchronised(around) || k->sync == ORR_SYNC_PARAMETER_SERVER
               ? NULL
               : "there is one replica";
}

/* Why gradients have no classes by layer. */
static const char *no_classes(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;

    if (k->sync == ORR_SYNC_PARAMETER_SERVER)
        return k->granularity == ORR_EACH_LAYER
                       || k->granularity == ORR_EACH_TENSOR
                   ? NULL
                   : "all gradients are one message";
    if (k->sync != ORR_SYNC_DDP)
        return "only `sync: ddp` and parameter-server have such classes";
    return is_synchronised(around) ? NULL : "there is one replica";
}

static const char *no_prefetch(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;

    if (k->sync != ORR_SYNC_FSDP)
        return "only `sync: fsdp` gathers units";
    return is_synchronised(around) ? NULL : "there is one replica";
}

static const char *one_micro_batch(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;

    return k->micro_batches == 1 && k->schedule != ORR_PIPEDREAM
                   && k->schedule != ORR_ZB_H1
               ? "there is one micro-batch"
               : NULL;
}

static const char *not_interleaved(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;
    (void)around;
    return k->schedule == ORR_INTERLEAVED
               ? NULL
               : "only `schedule: interleaved` has virtual stages";
}

static const char *one_stage(const void *set, const void *around)
{
    const struct orr_train_facts *f = around;

    return f->stages == 1 ? "there is one stage" : NULL;
}

/* With replicas, minibatch after minibatch goes to one of them. */
static const char *all_units(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;

    return orr__yaml_is_map(orr__yaml_item(k->stages, 0))
               ? NULL
               : one_stage(set, around);
}

static const char *one_tensor(const void *set, const void *around)
{
    const struct orr_train_facts *f = around;

    return f->tensor == 1 ? "there is no tensor group" : NULL;
}

static const char *idle_if_timed(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;

    return k->compute == 0 ? "`compute: 0s`" : NULL; /* else layers' shares */
}

static const char *no_gpu(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;

    return k->gpu ? idle_if_timed(set, around)
                  : "it is a share of what `gpu` does";
}

static const char *no_samples(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;
    const struct orr_train_facts *f = around;

    return k->compute >= 0 && f->ranks == 1
               ? "`compute` is the time of the whole batch"
               : NULL;
}

static const char *scaled_anyway(const void *set, const void *around)
{
    const struct orr_train_keys *k = set;
    const struct orr_train_facts *f = around;

    if (k->compute == 0)
        return "`compute: 0s`";
    return k->compute > 0 && !f->profiled
               ? "`compute` is the time of all layers, which have shares of it"
               : NULL;
}

/* ---- the keys ------------------------------------------------------------ */

#define KEY(name, kind, ...)                                                   \
    {                                                                          \
        .key = #name, .type = ORR_PARAM_##kind,                                \
        .offset = offsetof(struct orr_train_keys, name), __VA_ARGS__           \
    }
#define CHOICES(...)                                                           \
    .choices = (const char *const[])                                           \
    {                                                                          \
        __VA_ARGS__, NULL                                                      \
    }

const struct orr_param orr__train_params[] = {
    KEY(model, NODE,
        .help = "a name (`orrery list models`), or a file of your own: a path "
                "from this file's folder that ends in .yaml"),
    KEY(parallelism, NODE, .fallback = "",
        .help = "{data, tensor, pipeline, expert}: how many ranks each; their "
                "product is `ranks`; default: all data"),
    KEY(batch, INT, .fallback = "", .min = "1", .max = "1000000",
        .help = "samples of one replica in an iteration; default: the model's "
                "own",
        .idle = no_samples),
    KEY(compute, TIME, .fallback = "", .max = "24h",
        .help = "forward and backward time of all layers for that batch on one "
                "rank, in the proportions of the layers; default: their sum"),
    KEY(flops, TEXT, .fallback = "",
        .help = "operations a second that a rank reaches, like 15.7TFLOPS; "
                "default: times of the model's profile, or 50TFLOPS where it "
                "has none",
        .idle = scaled_anyway),
    KEY(gpu, TEXT, .fallback = "",
        .help = "instead of `flops`: a layer takes its operations at this "
                "GPU's peak, or its weights and activations at the rate of its "
                "memory if that is longer (`orrery list gpus`)",
        .idle = idle_if_timed),
    KEY(efficiency, REAL, .fallback = "1", .min = "0.001", .max = "1",
        .help = "share of the GPU's peak of operations that layers reach",
        .idle = no_gpu),
    KEY(dtype, CHOICE, .fallback = "", CHOICES("fp32", "fp16", "bf16"),
        .help = "of gradients, parameters and activations on the wire; "
                "default: the model's"),
    KEY(sync, CHOICE, .fallback = "bulk",
        CHOICES("bulk", "ddp", "gather-scatter", "parameter-server", "fsdp",
                "none", "zero-1", "zero-2"),
        .help = "how gradients are synchronised over the replicas"),
    KEY(granularity, CHOICE, .fallback = "auto",
        CHOICES("model", "layer", "tensor", "auto"),
        .help = "unit of bulk, gather-scatter and parameter-server; auto: "
                "model, for gather-scatter tensor",
        .idle = no_units),
    KEY(bucket_cap, SIZE, .fallback = "25MiB", .min = "1B", .max = "1000TB",
        .help = "ddp, zero-1, zero-2: size at which a bucket is closed",
        .idle = no_buckets),
    KEY(first_bucket, SIZE, .fallback = "1MiB", .min = "1B", .max = "1000TB",
        .help = "ddp, zero-1, zero-2: the same for the first bucket",
        .idle = no_buckets),
    KEY(wait, CHOICE, .fallback = "iteration", CHOICES("iteration", "layer"),
        .help = "ddp, zero-1, zero-2 and parameter-server: the next iteration "
                "begins when all "
                "gradients are there; or the forward pass of each layer waits "
                "for the gradients of that layer alone (ByteScheduler)"),
    KEY(stale_layers, TEXT, .fallback = "",
        .help = "wait: layer: the first so many layers use the gradients of "
                "the iteration before (SAPipe, PipeSGD); auto: as few as hide "
                "all communication that can be hidden, by formulas; what that "
                "does to accuracy is not simulated"),
    KEY(layer_classes, INT, .fallback = "1", .min = "1", .max = "8",
        .help = "ddp and parameter-server by layer or tensor: gradients travel "
                "in so many traffic classes, from `class` on, those of the "
                "first layers in the highest, and do not wait for one another",
        .idle = no_classes),
    KEY(prefetch, INT, .fallback = "1", .min = "0", .max = "1000",
        .help = "fsdp: units gathered ahead of the present one",
        .idle = no_prefetch),
    KEY(servers, INTS, .fallback = "",
        .help = "parameter-server: hosts that serve; default the topology's "
                "servers, else the host of the first rank"),
    KEY(shards, INT, .fallback = "", .min = "1", .max = "4095",
        .help = "parameter-server: pieces of a message; shard j is on server "
                "j mod k; default one for each server"),
    KEY(asynchronous, BOOL, .fallback = "false",
        .help = "parameter-server: workers do not wait for one another"),
    KEY(staleness, INT, .fallback = "", .min = "0", .max = "30000",
        .help = "asynchronous: most iterations ahead of the slowest worker; "
                "default: any number"),
    KEY(sequence_parallel, BOOL, .fallback = "false",
        .help = "the tensor group divides the tokens between its layers "
                "(Megatron): all-gather and reduce-scatter instead of "
                "all-reduce",
        .idle = one_tensor),
    KEY(tensor_chunks, INT, .fallback = "1", .min = "1", .max = "64",
        .help = "parts of a layer that the tensor group computes one after "
                "another, while the part before is exchanged (Megatron's "
                "overlap)",
        .idle = one_tensor),
    KEY(micro_batches, INT, .fallback = "1", .min = "1", .max = "100000",
        .help = "parts of the batch, for pipelines"),
    KEY(schedule, CHOICE, .fallback = "1f1b",
        CHOICES("1f1b", "gpipe", "pipedream", "interleaved", "zb-h1"),
        .help = "order of a stage's micro-batches: one forward, one backward; "
                "all forward, then all backward; as 1f1b without a flush, "
                "minibatch after minibatch (PipeDream); several stages on each "
                "rank (Megatron); or weights' gradients apart, in what would "
                "be idle time (zero bubble)",
        .idle = one_micro_batch),
    KEY(stages, NODE, .fallback = "",
        .help = "units of the model in each stage, a list, or {units, "
                "replicas} of each; default: the split with the shortest "
                "longest stage",
        .idle = all_units),
    KEY(virtual_stages, INT, .fallback = "2", .min = "1", .max = "1000",
        .help = "interleaved: stages of a rank", .idle = not_interleaved),
    KEY(algorithm, NODE, .fallback = "",
        .help = "of the collectives: a name, or {name, chunks, concurrent, "
                "endpoint_delay, memory} and the algorithm's own keys"),
    ORR_PARAM_END,
};
