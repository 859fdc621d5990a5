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
    uint32_t server;
    int64_t at_ns, until_ns; /* INT64_MAX: for good */
};

struct orr_cluster_settings {
    int accuracy;
    double error;      /* share of an iteration's mean that may be missed */
    int64_t most;      /* iterations of the slowest job of a set, at most */
    int64_t phases;    /* of an iteration, that starts are rounded to */
    int64_t end_ns;    /* the run ends then; INT64_MAX: when all is done */
    int64_t start_ns, preempt_ns, restart_ns; /* what it costs a job to start;
                          to go on after it was preempted; after a failure */
    bool fails;        /* a job whose server fails is given up */
    struct orr_server_outage *outage; /* by at_ns; of the configuration */
    uint32_t outages;
};

/* For `help cluster`. */
const struct orr_param *orr__cluster_params(void);
const struct orr_param *orr__outage_params(void);

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
                                           orr_alone_fn *alone, void *arg,
                                           struct orr_report *why);
void orr__cluster_fini(struct orr_cluster *c);

#endif
