/* What a job or a flow may have from the network that others do not: a
 * congestion control, a traffic class, a weight. */
#ifndef ORR_WORKLOAD_JOB_SERVICE_H
#define ORR_WORKLOAD_JOB_SERVICE_H

#include "core/config/param.h"
#include "core/error.h"
#include "workload/world.h"

/* As given. */
struct orr_service_keys {
    const struct orr_yaml *cc; /* NULL: the network's */
    int64_t class;             /* of traffic, 0 to 7 */
    double weight;             /* as in struct orr_net_service */
};
/* To be read beside the other keys of a job or flow. */
extern const struct orr_param orr__service_keys[];
const struct orr_param *orr__service_params(void); /* for help */

/* *out is NULL when the keys ask for nothing but what the network gives, else
 * it lives as long as the configuration. name: path of the job or flow in
 * messages ("jobs[1]"). Before orr__net_new. */
ORR_CHECK_RESULT orr_err orr__service_read(struct orr_world *w,
                                           const struct orr_service_keys *k,
                                           const char *name,
                                           const struct orr_net_service **out,
                                           struct orr_report *why);

#endif
