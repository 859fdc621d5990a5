/* The figures of a run that both summaries show. */
#ifndef ORR_RECORD_FIGURES_H
#define ORR_RECORD_FIGURES_H

#include <stdbool.h>

#include "core/statistics.h"
#include "workload/job/job.h"
#include "workload/world.h"

#define ORR_BUSIEST 10

/* What a link did in a run. */
struct orr_link_figures {
    uint32_t link;         /* directed */
    uint64_t bytes;        /* on the wire */
    double utilization;    /* share of the whole run in which it was sending */
    double mean_queue;     /* bytes, weighted by time */
    uint64_t max_queue;    /* bytes */
    uint64_t marks, drops; /* by its queue, and losses on the link */
    uint64_t pauses;       /* that its sender obeyed */
    int64_t paused_ps;     /* time in which it held back a traffic class */
};

/* Completed flows of from <= size < to bytes. */
struct orr_size_class {
    uint64_t from, to;                      /* to UINT64_MAX: no bound */
    struct orr_statistics fct_ps, slowdown; /* n 0: there are none */
};
#define ORR_SIZE_CLASSES 64 /* room for all there may be */

/* What became of the flows of a run. */
struct orr_flow_figures {
    uint32_t count, completed;
    uint32_t measured;  /* completed, and not set aside: all below is theirs */
    uint64_t bytes;     /* payload */
    double goodput_bps; /* last finish - first start; NAN: none */
    double jain;        /* over size / completion time; NAN: none */
    struct orr_statistics fct_ps, slowdown;
    struct orr_statistics done_ps; /* to the last byte at the destination */
};

/* The figures of a run. */
struct orr_figures {
    struct orr_net_totals totals; /* of the run, as it ended */
    int64_t end_ps;               /* what utilization is taken over */
    double hops_per_second;       /* packet-hops, by wall time */
    uint32_t links_used;          /* that carried a packet */
    double mean_utilization, max_utilization;     /* over all links */
    struct orr_link_figures busiest[ORR_BUSIEST]; /* as
                                                   * orr__link_order */
    uint32_t n_busiest; /* that carried a packet, at most so many */
    struct orr_link_figures lossiest; /* most drops; drops 0: none anywhere */
    uint64_t no_route; /* packets dropped by a node that had none for them */
    struct orr_flow_figures flows;
};

/* By size, ascending, those that have a flow: with three classes in a decade
 * (limits 1, 2, 5, 10 ... bytes) or one. */
ORR_CHECK_RESULT orr_err orr__figures_by_size(
    const struct orr_world *w, bool fine,
    struct orr_size_class classes[ORR_SIZE_CLASSES], uint32_t *n);
ORR_CHECK_RESULT orr_err orr__figures(const struct orr_world *w,
                                      struct orr_figures *f);
/* Durations of the iterations that count (finished, after the warm-up); room
 * has space for job->iterations values. */
struct orr_statistics orr__figures_iterations(const struct orr_job *job,
                                              double *room);
/* end(i) - end(i - 1), the first: end - start; -1: not finished. */
int64_t orr__iteration_duration(const struct orr_job *job, uint32_t i);

/* "host 3", "pod0/edge1": its name (topo/node_names.h), cut to fit. */
void orr__node_label(const struct orr_graph *g, uint32_t node, char *buf,
                     size_t size);

#endif
