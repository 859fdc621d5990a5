/* A training job: a model, how it is divided among the ranks, and how gradients
 * are synchronised, becomes a program.
 *
 * Ranks are numbered with the tensor group fastest, then expert, context, data,
 * and pipeline: rank = t + T (e + E (c + C (d + D p))). So a tensor group is
 * neighbours, and a pipeline stage is a stretch of T * E * C * D ranks. Every
 * rank of a stage does the same: a stage is a part of the program. */
#ifndef ORR_WORKLOAD_MODEL_TRAIN_H
#define ORR_WORKLOAD_MODEL_TRAIN_H

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"
#include "core/none.h"
#include "topo/graph.h"
#include "workload/model/gpu.h"
#include "workload/model/model.h"
#include "workload/program/program.h"

enum orr_sync {
    ORR_SYNC_BULK,
    ORR_SYNC_DDP,
    ORR_SYNC_GATHER_SCATTER,
    ORR_SYNC_PARAMETER_SERVER,
    ORR_SYNC_FSDP,
    ORR_SYNC_NONE,
    ORR_SYNC_ZERO1,
    ORR_SYNC_ZERO2,
};
enum orr_granularity { ORR_ALL_LAYERS, ORR_EACH_LAYER, ORR_EACH_TENSOR };
enum orr_schedule {
    ORR_1F1B,
    ORR_GPIPE,
    ORR_PIPEDREAM,
    ORR_INTERLEAVED,
    ORR_ZB_H1,
};
enum orr_wait { ORR_WAIT_ITERATION, ORR_WAIT_LAYER };

/* What says whether keys of a job with a model have an effect. */
struct orr_train_facts {
    uint32_t replicas; /* that synchronise dense layers */
    uint32_t stages;
    uint32_t ranks; /* of one replica */
    uint32_t tensor;
    bool profiled; /* the model has measured times */
};

/* The keys of a job with a model, as read. */
struct orr_train_keys {
    const struct orr_yaml *model, *parallelism, *algorithm;
    int64_t batch; /* samples; 0: the model's */
    int64_t micro_batches, prefetch;
    int64_t staleness;        /* iterations; -1: any number */
    const char *stale_layers; /* a number, or auto; NULL: not given */
    int wait;                 /* enum orr_wait */
    int64_t layer_classes;    /* in which gradients travel */
    int64_t compute; /* ps, forward and backward of a batch; -1: not given */
    int sync, granularity, schedule;   /* places in the choices of their keys */
    int dtype;                         /* likewise; -1: the model's */
    uint64_t bucket_cap, first_bucket; /* bytes */
    bool asynchronous;
    const char *flops; /* as written: "15.7TFLOPS"; NULL: not given */
    const char *gpu;   /* name of one; NULL: not given */
    double efficiency; /* of it */
    bool sequence_parallel;
    int64_t tensor_chunks;
    struct orr_ints servers;       /* empty: not given */
    const struct orr_yaml *stages; /* NULL: not given */
    int64_t virtual_stages;        /* that a rank has, if interleaved */
    int64_t overlap; /* of the job: iterations open at once; 0: auto */
    int64_t shards;  /* 0: one for each server */
    struct orr_train_facts *facts; /* to be filled; NULL: not wanted */
};
extern const struct orr_param orr__train_params[];
extern const struct orr_param orr__parallelism_params[];
extern const struct orr_param orr__pipeline_stage_params[]; /* of `stages` */

/* Streams of a rank, for compute and what holds one. */
enum { ORR_STREAM_COMPUTE };

/* Reads the job's keys into a program of `ranks` ranks. node: the job. */
ORR_CHECK_RESULT orr_err orr__train_read(struct orr_config *c,
                                         const struct orr_yaml *node,
                                         const struct orr_train_keys *k,
                                         const struct orr_graph *graph,
                                         const uint32_t *hosts, uint32_t ranks,
                                         struct orr_program **out,
                                         struct orr_report *why);

/* What layers take and hold for one batch of a replica: arrays by layer, all of
 * them owned. */
struct orr_layer_costs {
    uint32_t batch; /* samples */
    int64_t *forward_ps, *backward_ps;
    uint64_t *activations, *parameters; /* bytes; activations: of the output */
};
/* A job's model, and these costs as its keys say (not in micro-batches). *m: to
 * be freed with orr__model_free. Neither is there when it fails. */
ORR_CHECK_RESULT orr_err orr__train_costs(struct orr_config *c,
                                          const struct orr_yaml *node,
                                          const struct orr_train_keys *k,
                                          struct orr_model **m,
                                          struct orr_layer_costs *out,
                                          struct orr_report *why);
void orr__layer_costs_fini(struct orr_layer_costs *x);

/* ---- DDP's buckets ---- */

/* Tensors whose gradients travel together. layer: the one whose backward pass
 * completes it. */
struct orr_bucket {
    uint64_t bytes;          /* of gradients, on one rank */
    uint32_t layer, tensors; /* number of the layer; how many tensors */
    uint32_t highest;        /* layer of its first tensor */
};
/* What the gradients of some layers are put into: tensors in the order in which
 * they are ready, that is backwards; a bucket is closed when it holds at least
 * `first` bytes (the first one) or `cap`. */
struct orr_bucketing {
    uint64_t first, cap;   /* bytes */
    uint32_t tensor_ranks; /* among which divided layers are divided */
    uint32_t element;      /* bytes */
    uint32_t expert_ranks; /* among which experts are divided, >= 1 */
};
/* Buckets of the layers [from, to) whose `expert` is that given; *out: to be
 * freed with orr__free. */
ORR_CHECK_RESULT orr_err orr__buckets(const struct orr_model *m, uint32_t from,
                                      uint32_t to, int expert,
                                      const struct orr_bucketing *how,
                                      struct orr_bucket **out, uint32_t *n,
                                      struct orr_report *why);
/* Elements of a tensor that one of the ranks holds, of all its experts. */
uint64_t orr__tensor_share(const struct orr_model *m, const struct orr_layer *l,
                           uint32_t i, uint32_t tensor_ranks,
                           uint32_t expert_ranks);

/* ---- between train.c, stages.c, emit.c and sync.c ---- */

/* A job's demands, resolved. */
struct orr_training {
    struct orr_config *c;
    const struct orr_yaml *node; /* the job */
    const struct orr_train_keys *k;
    const struct orr_graph *graph;
    const uint32_t *hosts; /* per rank */
    struct orr_model *m;   /* owned */
    struct orr_program *p; /* that is made of it */
    struct orr_report *why;
    uint32_t tensor, expert, context, data, pipeline; /* sizes */
    uint32_t stage_ranks;                             /* of one stage */
    uint32_t stale;  /* layers that use gradients of an iteration more */
    bool stale_auto; /* how many is found later: all at first */
    uint32_t batch, micro_batches, samples; /* samples: of a micro-batch */
    uint32_t element;                       /* bytes of a gradient */
    int64_t *forward_ps, *backward_ps;      /* per layer, a micro-batch */
    const struct orr_gpu *gpu;              /* NULL: not given */
    uint32_t cuts;         /* stages, counted as often as they are virtual */
    uint32_t *stage_first; /* per cut and one more: its first layer */
    uint32_t *replicas;    /* ranks of each stage; NULL: stages are alike, and
                              made by stages and not by ranks */
    uint32_t *units;  /* in each cut, as `stages` has it; NULL: not given */
    uint32_t n_units; /* of `units`, and of `replicas` if it has those */
    struct orr_collective keys[ORR_COLLECTIVE_KIND_COUNT]; /* of algorithms */
    struct orr_ints servers; /* empty: the topology's, or the host of each
                                group's first rank */
    uint32_t clock;          /* the first stage's operation of that kind */
    struct orr_call common;  /* chunks, concurrent, delay, memory */
};

/* Reads `stages`: units, and replicas if it has them. */
ORR_CHECK_RESULT orr_err orr__train_read_stages(struct orr_training *t);
/* Cuts the layers into stages: stage_first. */
ORR_CHECK_RESULT orr_err orr__train_stages(struct orr_training *t);
/* Stages with replicas, rank by rank (pipeline.c): whether the keys go
 * together, and the parts of the program. */
ORR_CHECK_RESULT orr_err orr__pipeline_check(struct orr_training *t);
ORR_CHECK_RESULT orr_err orr__pipeline_make(struct orr_training *t);
/* Times per layer. */
ORR_CHECK_RESULT orr_err orr__train_times(struct orr_training *t);

/* One stage while its part is being made. */
struct orr_stage {
    struct orr_training *t;
    uint32_t index, from, to; /* layers */
    uint32_t base;            /* first rank */
    uint32_t last;            /* the compute chain's end so far, or ORR_NONE */
    uint32_t comm;            /* the communication chain's, or ORR_NONE */
    uint32_t *ready; /* per layer of the model: its gradients are there */
    /* FSDP: next unit to gather, and the operation that gathered each */
    uint32_t *gathered;
    int64_t gather_next; /* may be one beyond either end: none is left */
    bool pushed; /* asynchronous: the first push of the iteration is there */
    /* with `wait: layer`, per layer of the model: a wait before its first
     * forward pass in an iteration, or ORR_NONE; and the first operation of the
     * communication chain */
    uint32_t *entry;
    uint32_t first_comm;
    uint32_t raise; /* of calls that are added, in classes */
};
/* Adds an operation that depends on those of `before` that are none of
 * ORR_NONE; *id may be one of them. */
ORR_CHECK_RESULT orr_err orr__stage_op(struct orr_stage *s,
                                       const struct orr_op *op,
                                       const uint32_t *before, size_t n,
                                       uint32_t *id);
/* Adds a collective over a digit of the ranks' numbers: groups of n, `stride`
 * apart. Nothing is added when n is 1 or bytes 0. *id: the operation, or as it
 * was. */
ORR_CHECK_RESULT orr_err orr__stage_call(struct orr_stage *s,
                                         enum orr_collective_kind kind,
                                         uint64_t bytes, uint32_t n,
                                         uint32_t stride,
                                         const uint32_t *before,
                                         size_t n_before, uint32_t *id);
/* An all-reduce by the job's parameter servers; also of groups of one. */
ORR_CHECK_RESULT orr_err orr__stage_serve(struct orr_stage *s, uint64_t bytes,
                                          uint32_t n, uint32_t stride,
                                          const uint32_t *before,
                                          size_t n_before, uint32_t *id);
/* A call of the program over a group, for operations of several parts. */
ORR_CHECK_RESULT orr_err orr__stage_new_call(struct orr_stage *s,
                                             enum orr_collective_kind kind,
                                             uint64_t bytes, uint32_t first,
                                             uint32_t n, uint32_t *index);
/* Bytes over a cut, for one micro-batch. */
uint64_t orr__boundary_bytes(const struct orr_training *t, uint32_t cut);
/* At the end of an iteration, with `staleness`: waits for the slowest. */
ORR_CHECK_RESULT orr_err orr__stage_clock(struct orr_stage *s);
/* The data group of dense layers, or of layers with an expert on each rank. */
void orr__stage_replicas(const struct orr_stage *s, int expert, uint32_t *n,
                         uint32_t *stride);

/* Forward and backward of all micro-batches, with the sends between stages. */
ORR_CHECK_RESULT orr_err orr__stage_schedule(struct orr_stage *s);
/* `sync: zero-2`: gradients of a micro-batch, after its backward pass. */
ORR_CHECK_RESULT orr_err orr__stage_scatter(struct orr_stage *s);
/* After all of them: gradients. */
ORR_CHECK_RESULT orr_err orr__stage_sync(struct orr_stage *s);
/* `wait: layer`: gradients of layers [from, to) that travel by operation `comm`
 * (ORR_NONE: none does) are waited for by their forward passes of the next
 * iteration, or the one after that. */
ORR_CHECK_RESULT orr_err orr__stage_wait(struct orr_stage *s, uint32_t from,
                                         uint32_t to, int expert,
                                         uint32_t comm);
/* FSDP: before the first and after the last computation of a unit. */
ORR_CHECK_RESULT orr_err orr__fsdp_begin(struct orr_stage *s, uint32_t unit,
                                         bool backward);
ORR_CHECK_RESULT orr_err orr__fsdp_end(struct orr_stage *s, uint32_t unit);

#endif
