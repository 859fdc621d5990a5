/* The map `cluster` of a configuration. */
#ifndef ORR_WORKLOAD_CLUSTER_READ_H
#define ORR_WORKLOAD_CLUSTER_READ_H

#include "workload/cluster/arrivals.h"
#include "workload/cluster/cluster.h"

/* How iteration times are found out. */
enum orr_accuracy {
    ORR_ACCURACY_SAMPLED, /* by packets, until they are known well enough */
    ORR_ACCURACY_PACKETS, /* by packets, all of them */
    ORR_ACCURACY_FLUID,   /* by shares of links, without packets */
};

/* A server that is out for a while. */
struct orr_server_outage {
    uint32_t server;         /* of the inventory */
    int64_t at_ns, until_ns; /* INT64_MAX: for good */
};

/* A job that is told its GPUs. */
struct orr_resize_request {
    const char *name;            /* of the job, and once it is found ... */
    const struct orr_yaml *node; /* where it is named, for messages */
    uint32_t job, gpus;          /* ... its number; what it is to have */
    int64_t at_ns;               /* from then on */
};

/* When GPUs of jobs that run change: `resize` and `migrate`. */
struct orr_resize_settings {
    int64_t cost_ns, every_ns; /* a change costs a job so much; it keeps its
                                * size so long at least; 0: neither */
    bool grow, shrink;         /* into what is free; for those that wait */
    int by;                    /* enum orr_resize_by */
    struct orr_resize_request *request; /* by at_ns; of the configuration */
    uint32_t requests;                  /* of `request` */
};
enum orr_resize_by {
    ORR_RESIZE_BY_SHARE, /* of what they asked for */
    ORR_RESIZE_BY_GAIN,  /* in time, for a GPU */
};

/* Moves of running jobs to GPUs nearer to one another. */
struct orr_migrate_settings {
    bool on;                   /* false: the others mean nothing */
    int64_t cost_ns, every_ns; /* as above, of moves */
};

/* How the cluster is run; read once. */
struct orr_cluster_settings {
    int accuracy;         /* enum orr_accuracy */
    double error;         /* share of an iteration's mean that may be missed */
    int64_t most;         /* iterations of the slowest job of a set, at most */
    int64_t phases;       /* of an iteration, that starts are rounded to */
    bool goes_on;         /* though all packets would cost less */
    int64_t replications; /* of the whole, for the intervals of figures */
    int64_t end_ns;       /* the run ends then; INT64_MAX: when all is done */
    int64_t start_ns, preempt_ns, restart_ns; /* what it costs a job to start;
                          to go on after it was preempted; after a failure */
    bool fails;                       /* a job whose server fails is given up */
    struct orr_server_outage *outage; /* by at_ns; of the configuration */
    uint32_t outages;
    struct orr_resize_settings resize;
    struct orr_migrate_settings migrate;
};

/* For `help cluster`. */
const struct orr_param *orr__cluster_params(void);
const struct orr_param *orr__outage_params(void);
const struct orr_param *orr__resize_params(void);
const struct orr_param *orr__requested_params(void);
const struct orr_param *orr__migrate_params(void);

/* Whether it is simulated packet by packet from the beginning to the end. */
bool orr__cluster_all_packets(struct orr_config *c,
                              const struct orr_yaml *cluster);
/* `cluster.servers` becomes `topology.servers`; before the graph is built. */
ORR_CHECK_RESULT orr_err orr__cluster_servers(struct orr_config *c,
                                              const struct orr_yaml *cluster,
                                              struct orr_report *why);
/* Reads everything but arrivals, which may need to know what jobs take; the
 * world has its graph. *c is to be given to orr__cluster_fini, however this
 * ends. */
ORR_CHECK_RESULT orr_err orr__cluster_read(struct orr_world *w,
                                           const struct orr_yaml *cluster,
                                           struct orr_cluster *c,
                                           struct orr_cluster_settings *s,
                                           struct orr_report *why);
/* Reads and draws `cluster.arrivals` and makes a job of each. */
ORR_CHECK_RESULT orr_err orr__cluster_jobs(struct orr_cluster *c,
                                           orr_baseline_fn *alone, void *arg,
                                           struct orr_report *why);
/* change.c: `resize` and `migrate` (NULL: not said); who is meant by `told`,
 * once jobs are there. */
ORR_CHECK_RESULT orr_err orr__changes_read(struct orr_cluster *c,
                                           const struct orr_yaml *resize,
                                           const struct orr_yaml *migrate,
                                           struct orr_cluster_settings *s,
                                           struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__changes_requested(const struct orr_cluster *c,
                                                struct orr_cluster_settings *s,
                                                struct orr_report *why);
void orr__cluster_fini(struct orr_cluster *c);

#endif
