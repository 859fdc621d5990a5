/* A cluster over time: an inventory of GPUs, and jobs that arrive, wait, have
 * GPUs for a while and give them back. Nothing here knows packets: how long an
 * iteration takes is found out by cluster/.
 *
 * Time is int64_t nanoseconds since the cluster began (292 years; read with
 * orr__parse_long_time): picoseconds, which end after 53 days, are kept inside
 * of what is simulated. */
#ifndef ORR_WORKLOAD_CLUSTER_CLUSTER_H
#define ORR_WORKLOAD_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "core/error.h"
#include "topo/graph.h"

struct orr_world;
struct orr_queue_policy_ops;      /* workload/cluster/queue/queue.h */
struct orr_cluster_placement_ops; /* workload/cluster/placement/placement.h */
struct orr_job_trace_format;      /* workload/cluster/arrivals.h */
struct orr_tenant;                /* workload/cluster/tenants.h */
struct orr_throughput;            /* workload/cluster/gpu_kinds.h */

/* ---- jobs ---------------------------------------------------------------- */

/* A number that is drawn for each job: `iterations`, `duration`. */
enum orr_draw_kind {
    ORR_DRAW_CONSTANT,
    ORR_DRAW_EXPONENTIAL,
    ORR_DRAW_LOGNORMAL,
    ORR_DRAW_UNIFORM, /* mean - spread to mean + spread */
};

/* A distribution that values of a job are drawn from. */
struct orr_draw {
    enum orr_draw_kind kind; /* mean and spread are in the unit of the key */
    double mean, spread;     /* spread: standard deviation, or half the width */
};

/* What jobs are made of: one of `cluster.jobs`. */
struct orr_template {
    const char *name;            /* no other template has it */
    const struct orr_yaml *node; /* the map, of the configuration */
    const struct orr_yaml *body; /* what a job of `jobs` would say: model or
                                  * program, and the rest, but no name, ranks,
                                  * placement, start, iterations */
    uint32_t *gpus, n_gpus;      /* sizes; each is as likely */
    uint32_t *size, sizes;       /* elastic: all that a job may have, ascending,
                                  * and gpus is what it asks for; sizes 0: it
                                  * is not. See elastic.h */
    bool global;                 /* all GPUs share a batch, which is this on
                                  * each of those that it asks for */
    uint64_t batch;
    struct orr_draw iterations; /* mean 0: by duration */
    struct orr_draw duration;   /* ns; alone */
    double weight;              /* of the mix */
    /* per kind of GPU, iterations a second (gpu_kinds.h); NULL: it is as fast
     * on all of them */
    struct orr_throughput *throughput;
    uint32_t first_kind; /* of `throughput`: what its program is for */
    bool bare;           /* it has no program: an iteration is computation of
                          * what `throughput` says */
    uint32_t tenant;     /* of c->tenant; ORR_NONE: drawn for each job */
    struct orr_draw deadline; /* ns after a job comes; mean 0: it has none */
};

/* A job as it comes. */
struct orr_arrival {
    const char *name;        /* no other job has it */
    uint32_t template, gpus; /* what it is made of; how many it asks for */
    int64_t at_ns;           /* since the run began; >= 0 */
    uint64_t iterations;     /* 0: as many as fit into duration_ns alone */
    int64_t duration_ns;     /* alone; 0: iterations are given */
    const uint32_t *hosts;   /* the GPUs that it must have; NULL: any */
    uint32_t tenant;         /* of c->tenant; 0 where there are none */
    int64_t deadline_ns;     /* when it is to be done; INT64_MAX: never */
};
/* Of a trace: jobs that began before they were submitted, left out or not. */
struct orr_early {
    uint64_t jobs, line; /* how many; the first one's line */
    int64_t by_ns;       /* and by how much */
};
struct orr_arrivals { /* in order of at_ns; owned by the configuration */
    struct orr_arrival *item;
    uint32_t n;
    uint64_t left_out; /* of a trace: jobs without GPUs, or larger than the
                        * cluster where that is allowed */
    struct orr_early early;
};

enum orr_cluster_state {
    ORR_CLUSTER_COMING,  /* has not arrived */
    ORR_CLUSTER_WAITING, /* wants GPUs */
    ORR_CLUSTER_RUNNING,
    ORR_CLUSTER_DONE,
    ORR_CLUSTER_FAILED, /* it will never run: said in `failed` */
};

/* A job from its arrival on; owned by the cluster, changed by its engine.
 * Iterations may be fractions. */
struct orr_cluster_job {
    struct orr_arrival is; /* is.gpus: while an elastic job runs, those that it
                            * has */
    uint32_t index;        /* in c->job */
    uint32_t asked;        /* GPUs, as it came; 0: is.gpus */
    bool named;            /* the schedule names it, not only its kind */
    uint32_t requested;    /* GPUs that it was told to have; 0: none */
    enum orr_cluster_state state;
    uint32_t *gpu;       /* hosts by rank while it runs, `is.gpus` of them;
                          * else NULL */
    double iterations;   /* in all; 0: not known yet (by duration) */
    double done;         /* iterations so far; of the size that it asked for */
    double scale;        /* of those, what an iteration as things are now
                          * counts as; 0: 1 */
    double done_since;   /* as of since_ns, while it runs */
    double iteration_ns; /* as things are now; 0: not known, or it does not
                          * run */
    double baseline_ns;  /* iteration with the network to itself, on the GPUs
                          * that it had first; 0: not known */
    double guess_ns;     /* the same as it was worked out before it ran; 0: it
                          * was not */
    int64_t ready_ns;    /* until then it pays for a start, a move or a
                          * restart, and computes nothing */
    int64_t since_ns;    /* has run, or waited, without a break since then */
    int64_t first_ns;    /* first had GPUs; -1: never */
    int64_t finish_ns;   /* -1: not yet */
    int64_t waited_ns, ran_ns; /* up to since_ns; in all, over all stretches */
    uint32_t preempted, moved, restarted, resized; /* times */
    int64_t changed_ns; /* last began, was resized or moved; -1: never */
    __int128 extra_ns;  /* GPU time up to since_ns beyond ran_ns times what
                         * it asked for */
    const char *failed; /* why it was given up; NULL: it was not */
    uint32_t kind; /* 1 + the kind of GPU that it has, or is to have; 0: any */
    uint32_t preferred_kind; /* the same as its queue wishes it to be */
    double *had_ns;     /* of max-min: time on each kind; NULL: not noted yet */
    int64_t counted_ns; /* up to when */
};

/* ---- GPUs ---------------------------------------------------------------- */

/* Who has which GPU. GPUs are the hosts of the graph. */
struct orr_inventory {
    const struct orr_graph *graph; /* the world's */
    uint32_t gpus;                 /* hosts; the arrays are owned */
    uint32_t share;   /* jobs that a GPU may have at once; 1: its own */
    uint8_t *taken;   /* per GPU, by how many jobs */
    uint8_t *resting; /* per GPU: places of jobs that ended, which is not
                       * known yet; taken + resting <= share */
    bool *out;        /* per GPU: its server has failed */
    uint32_t *server; /* per GPU, the server that it is in: those behind one
                       * switch of their own, or the GPU itself */
    uint32_t *rack;   /* per GPU: the switch that its server hangs on; the
                       * GPU's own number beyond all racks if there is none */
    uint32_t servers, racks;
    uint8_t *kind;      /* per GPU: of kinds (gpu_kinds.h); NULL: all of one */
    const char **kinds; /* their names, the configuration's; NULL: one, which
                         * has none */
    uint32_t n_kinds;   /* 1: all GPUs are alike */
    uint32_t only; /* 1 + the kind of which GPUs are looked for now, as if no
                    * others were there; 0: any */
};
static inline uint32_t orr__gpu_kind(const struct orr_inventory *v,
                                     uint32_t gpu)
{
    return v->kind ? v->kind[gpu] : 0;
}
/* Whether a GPU may be given away. */
static inline bool orr__gpu_free(const struct orr_inventory *v, uint32_t gpu)
{
    return !v->out[gpu] && v->taken[gpu] + v->resting[gpu] < v->share
           && (!v->only || orr__gpu_kind(v, gpu) == v->only - 1);
}

/* How many are free, or have a place free where jobs share them. */
static inline uint32_t orr__gpus_free(const struct orr_inventory *v)
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < v->gpus; g++)
        n += orr__gpu_free(v, g);
    return n;
}

/* ---- the cluster --------------------------------------------------------- */

/* A cluster as configured, and who has what now; owned by its engine. */
struct orr_cluster {
    struct orr_world *world;       /* graph, configuration, seed; no jobs */
    const struct orr_yaml *node;   /* `cluster` */
    struct orr_template *template; /* the configuration's, like their texts */
    uint32_t templates;
    struct orr_arrivals arrivals;
    struct orr_inventory inventory;
    struct orr_tenant *tenant;   /* who shares it; the configuration's */
    uint32_t tenants;            /* 0: nobody is told apart */
    struct orr_cluster_job *job; /* one for each arrival, in their order */
    uint32_t jobs;
    /* those in these states, ascending; kept by orr__cluster_set_state; room
     * for all jobs */
    uint32_t *waiting, *running;
    uint32_t n_waiting, n_running; /* how many there are of each now */
    int64_t now_ns;                /* of the event that is dealt with */
    int64_t until_ns; /* nothing arrives later; INT64_MAX: not said */
    /* formats of traces, NULL-ended: formats/jobs/, given by study/ */
    const struct orr_job_trace_format *const *formats;
    /* who is next, and where it goes: members of their families, with their
     * parameters, which the configuration owns */
    const struct orr_queue_policy_ops *queue;
    void *queue_params;
    const struct orr_cluster_placement_ops *placement;
    void *placement_params;
};

/* Iterations of the size that the job asked for that one of its size as it is
 * stands for; 1 where it is not elastic. */
static inline double orr__cluster_scale(const struct orr_cluster_job *j)
{
    return j->scale > 0 ? j->scale : 1;
}
/* Iterations of its size as it is that a job has done, parts of them
 * included. */
static inline double orr__cluster_done(const struct orr_cluster_job *j)
{
    double scale = orr__cluster_scale(j);
    return scale == 1 ? j->done : (j->done - j->done_since) / scale;
}
static inline uint32_t orr__cluster_asked(const struct orr_cluster_job *j)
{
    return j->asked ? j->asked : j->is.gpus;
}
static inline bool orr__cluster_elastic(const struct orr_cluster *c,
                                        const struct orr_cluster_job *j)
{
    return c->template[j->is.template].sizes > 0;
}
/* Of a running job: what is left to do, as things are now, in ns; -1: not
 * known. */
static inline double orr__cluster_left(const struct orr_cluster_job *j)
{
    if (j->iteration_ns <= 0 || j->iterations <= 0)
        return -1;
    return (j->iterations - j->done) * j->iteration_ns / orr__cluster_scale(j);
}
/* How many iterations of so many ns alone a job given by its duration is. */
double orr__cluster_iterations(const struct orr_cluster_job *j,
                               double baseline_ns);
/* A job is in another state from now on; no more than that and the lists. */
void orr__cluster_set_state(struct orr_cluster *c, uint32_t job,
                            enum orr_cluster_state then);
/* GPU time that a job has had by now, ns times GPUs. */
__int128 orr__cluster_gpu_time(const struct orr_cluster *c,
                               const struct orr_cluster_job *j);
double orr__cluster_service(const struct orr_cluster *c,
                            const struct orr_cluster_job *j);

#endif
