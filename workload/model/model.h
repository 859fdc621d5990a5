/* Models: tables of layers, read from YAML. Those of data/ are part of the
 * library; a user may name a file of the same form instead.
 *
 * A file is a map of
 *   title, dtype, batch, backward, profile: see orr__model_params
 *   layers: a list, in forward order, of layers and of groups of layers
 * A layer: see orr__layer_params. A group: {name, repeat, layers: [...]};
 * groups do not stand in groups. A unit is a layer of the outer list or one
 * repetition of a group: FSDP gathers units, pipelines are cut between them. */
#ifndef ORR_WORKLOAD_MODEL_MODEL_H
#define ORR_WORKLOAD_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/error.h"

/* What tensor parallelism does to a layer. */
enum orr_layer_tensor {
    ORR_TENSOR_UNSPLIT, /* every rank holds and computes all of it */
    ORR_TENSOR_SPLIT,   /* divided, and nothing is sent */
    ORR_TENSOR_REDUCE,  /* divided; its output, and backward the gradient of
                           its input, is summed over the tensor group */
};
/* What expert parallelism does to it. */
enum orr_layer_expert {
    ORR_EXPERT_UNSPLIT,  /* every rank holds it */
    ORR_EXPERT_EXCHANGE, /* each rank of the expert group holds its own part of
                            the experts: all-to-all before and after */
    ORR_EXPERT_TABLES,   /* always spread over all data and expert ranks:
                            all-to-all after it, no gradients to sum */
};

/* A layer; times ps, sizes bytes. */
struct orr_layer {
    const char *name;     /* "encoder.3.mlp"; owned by the model */
    uint32_t unit;        /* that it is in; they ascend */
    uint32_t first, n;    /* its tensors: model->tensor[first ..], n of them */
    uint64_t parameters;  /* sum of these, of all experts */
    uint64_t activations; /* bytes of its output, one sample */
    uint32_t needed;      /* the last layer that takes its output; itself if
                           * none does */
    uint64_t flops;       /* forward, one sample */
    double backward;      /* backward over forward time, without a profile */
    int64_t forward_ps, backward_ps; /* of a profile's batch; -1: none */
    int tensor, expert; /* enum orr_layer_tensor, orr_layer_expert */
    /* with ORR_EXPERT_EXCHANGE, or what that was: its tensors are of one of so
     * many experts, 0: of as many as there are ranks; a sample's tokens go to
     * top_k of them each, >= 1 */
    uint32_t experts, top_k;
    uint64_t kv; /* bytes of a sample that all ranks of a context group need
                    from each other: keys and values */
};

/* Layer `to` takes the output of layer `from`, which stands before it. */
struct orr_model_edge {
    uint32_t from, to;
};

/* Freed with orr__model_free. */
struct orr_model {
    const char *name, *title; /* owned by the arena */
    uint32_t element;  /* bytes of a parameter, a gradient, an activation */
    uint32_t batch;    /* samples by default */
    uint32_t profiled; /* samples of the profile; 0: no profile */
    uint32_t units, layers, tensors; /* how many of each */
    struct orr_layer *layer;         /* in forward order */
    struct orr_model_edge *edge;     /* owned by the arena; NULL: layer after
                                      * layer */
    uint32_t edges;
    uint64_t *tensor;       /* elements of each, in forward order */
    uint64_t parameters;    /* of all layers */
    struct orr_arena arena; /* all that it points to */
};

/* A file of data/, as text. */
struct orr_model_file {
    const char *name, *title, *text;
};
extern const struct orr_model_file orr__model_files[]; /* NULL ends */

extern const struct orr_param orr__model_params[], orr__layer_params[];

/* NULL: there is no such model. */
const struct orr_model_file *orr__model_find(const char *name);
/* The model that `node` (a text) names: one of the library, or a file when the
 * text has a '/' or ends in ".yaml", ".yml" or ".txt" (the last: a graph.txt of
 * PipeDream's), relative to the configuration's folder. Free with
 * orr__model_free. */
ORR_CHECK_RESULT orr_err orr__model_load(struct orr_config *c,
                                         const struct orr_yaml *node,
                                         struct orr_model **out,
                                         struct orr_report *why);
/* Reads a document. name: of the model. */
ORR_CHECK_RESULT orr_err orr__model_read(struct orr_config *doc,
                                         const char *name,
                                         struct orr_model **out,
                                         struct orr_report *why);
/* Reads a graph.txt of PipeDream's (graph_file.c); file: what messages call it.
 * A minibatch of the profile is one sample. */
ORR_CHECK_RESULT orr_err orr__model_read_graph(const char *file,
                                               const char *text, size_t length,
                                               const char *name,
                                               struct orr_model **out,
                                               struct orr_report *why);
/* Bytes, of one sample, that layers before `cut` hand to layers from it on. */
uint64_t orr__model_crossing(const struct orr_model *m, uint32_t cut);
void orr__model_free(struct orr_model *m);

#endif
