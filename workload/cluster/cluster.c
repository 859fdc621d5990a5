#include "workload/cluster/cluster.h"

double orr__cluster_service(const struct orr_cluster *c,
                            const struct orr_cluster_job *j)
{
    int64_t ran = j->ran_ns;
    if (j->state == ORR_CLUSTER_RUNNING)
        ran += c->now_ns - j->since_ns;
    return (double)ran * j->is.gpus;
}
