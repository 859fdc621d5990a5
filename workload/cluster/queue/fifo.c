/* fifo: jobs in the order in which they came; the first that does not fit holds
 * up all others. */
#include "workload/cluster/queue/queue.h"

static const struct orr_param params[] = {ORR_PARAM_END};

/* Indices are in order of arrival. */
static orr_err order(const struct orr_cluster *c, const void *given,
                     uint32_t *job, uint32_t n, struct orr_report *why)
{
    return ORR_OK;
}

extern const struct orr_queue_policy_ops orr__queue_policy_fifo;
const struct orr_queue_policy_ops orr__queue_policy_fifo = {
    .name = "fifo",
    .doc = "by arrival; a job that does not fit blocks the others",
    .params = params,
    .order = order,
};
