/* `cluster.arrivals.rate_file`: how often jobs come, over the day. A table of
 * two columns: from when on, and how many come in an hour from then on. */
#ifndef ORR_WORKLOAD_CLUSTER_RATE_FILE_H
#define ORR_WORKLOAD_CLUSTER_RATE_FILE_H

#include "workload/cluster/arrival_list.h"

/* Jobs over time, piecewise constant; ns. */
struct orr_rate_curve {
    struct orr_rate_piece {
        double from_ns, rate; /* from then on; jobs in a ns, or a shape */
    } * piece;                /* ascending, the first from 0 on; owned */
    uint32_t n;
    double period_ns; /* it begins again after that; INFINITY: it does not */
    double whole;     /* jobs in a period; INFINITY where there is none */
};

/* file: as the configuration names it, at `at`; period: `rate_period`, NULL: a
 * day if all of it is within one, else it does not begin again. *out is to be
 * given to orr__rate_curve_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__rate_curve_read(struct orr_arrival_list *b,
                                              const char *file,
                                              const struct orr_yaml *at,
                                              const struct orr_yaml *period,
                                              struct orr_rate_curve *out);
/* Makes it a shape of which so many jobs come in a ns in the mean. */
void orr__rate_curve_scale(struct orr_rate_curve *c, double mean);
/* When so many jobs more have come than at `from`, ns; INT64_MAX: never. */
int64_t orr__rate_curve_when(const struct orr_rate_curve *c, int64_t from,
                             double jobs);
void orr__rate_curve_fini(struct orr_rate_curve *c);

#endif
