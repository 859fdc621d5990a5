/* How a model is divided among hosts, layer by layer, and what an iteration
 * then takes on a network, by formulas.
 *
 * A layer's batch is its job's on each host. By data every host holds the layer
 * and gradients are summed over all. In tensor groups of t neighbours each
 * holds a t-th of it and works on the samples of all t; gradients are summed
 * over those that hold the same part. Tables are held by some hosts, which
 * send rows to all and get gradients back. */
#ifndef ORR_STUDY_PLAN_TOPOOPT_PARALLEL_H
#define ORR_STUDY_PLAN_TOPOOPT_PARALLEL_H

#include "core/random.h"
#include "study/plan/topoopt/direct.h"
#include "workload/model/train.h"

enum orr_layer_kind {
    ORR_LAYER_PLAIN,  /* has no parameters: where the one before is */
    ORR_LAYER_DENSE,  /* by data, or in tensor groups */
    ORR_LAYER_TABLES, /* on some hosts */
};

/* Times ps, sizes bytes of one host's batch. */
struct orr_design_layer {
    const char *name; /* the model's */
    enum orr_layer_kind kind;
    uint64_t gradients, output;
    int64_t forward_ps, backward_ps;
};

/* Of a layer: dense: hosts of a tensor group (1: by data); tables: hosts that
 * hold some, from host `at` on. */
struct orr_choice {
    uint32_t parts, at;
};

/* What is designed for; arrays are owned. */
struct orr_design {
    uint32_t n, layers;
    struct orr_design_layer *layer;
    uint32_t divisors, *divisor; /* of n, ascending */
    uint32_t traffics;           /* how many different ones there are */
    uint32_t *first;             /* per divisor: of tables on so many hosts */
    uint64_t rate_bps;
    int64_t delay_ps;
    double alpha;     /* a longer iteration is accepted with e^(-alpha ms) */
    double wire;      /* bytes on the wire for one of a message */
    uint32_t degree;  /* ports of a host */
    bool both;        /* rings have links both parts */
    uint32_t strides; /* that share no factor with n, up to the degree's */
};

/* The same number of bytes over the same pairs, again and again. */
struct orr_known {
    struct orr_congestion congestion;
    bool is;
};

/* Of an iteration, ps. */
struct orr_design_time {
    double iteration, compute, exchange; /* the chain's computations, and its
                                          * transfers that nothing hides */
    double tail;                         /* gradients, when the chain is over */
};

/* Layers from a model; the model must outlive it. */
ORR_CHECK_RESULT orr_err orr__design_layers(struct orr_design *d,
                                            const struct orr_model *m,
                                            const struct orr_layer_costs *costs,
                                            struct orr_report *why);
void orr__design_fini(struct orr_design *d);

/* All dense layers in tensor groups of so many, 1: by data; tables on all
 * hosts. */
void orr__choices_first(const struct orr_design *d, uint32_t parts,
                        struct orr_choice *c);
/* Changes one layer, and with a chance those of its kind behind it. */
void orr__choices_change(const struct orr_design *d, struct orr_random *r,
                         struct orr_choice *c);
/* A divisor's place among all. */
uint32_t orr__divisor_number(const struct orr_design *d, uint32_t divisor);
/* A traffic's place among all, below d->traffics. */
uint32_t orr__traffic_number(const struct orr_design *d,
                             const struct orr_traffic *t);

/* Bytes of a traffic, for each of its pairs; called in a layer's order. */
typedef void orr_traffic_fn(void *arg, const struct orr_traffic *t,
                            double bytes);
/* Everything that is sent in an iteration, but for all-reduces over all hosts:
 * *all: gradients that these sum. */
void orr__choices_traffic(const struct orr_design *d,
                          const struct orr_choice *c, orr_traffic_fn *fn,
                          void *arg, double *all);
/* net is finished; known: d->traffics, zeroed when net is new; demand: scratch,
 * n * n. */
struct orr_design_time orr__choices_time(const struct orr_design *d,
                                         const struct orr_choice *c,
                                         struct orr_direct *net,
                                         struct orr_known *known,
                                         double *demand);

/* Between two layers, or behind the last one (to == layers): groups of how many
 * take apart what is there (0: none), then groups of how many bring together
 * (0: none), and with how many bytes for each pair. */
struct orr_handover {
    uint32_t apart, together;
    double apart_bytes, together_bytes;
};
struct orr_handover orr__choices_handover(const struct orr_design *d,
                                          const struct orr_choice *c,
                                          uint32_t to);

#endif
