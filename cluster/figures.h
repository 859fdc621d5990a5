/* The figures of a cluster's run. */
#ifndef ORR_CLUSTER_FIGURES_H
#define ORR_CLUSTER_FIGURES_H

#include "cluster/engine.h"
#include "core/statistics.h"

/* Of one job; times in ns, NAN: not known. */
struct orr_job_result {
    double queueing;      /* it waited for GPUs, in all */
    double completion;    /* from its arrival to its end */
    double iteration;     /* mean, over the iterations that it did */
    double half;          /* of the interval of that mean, share: the widest */
    double slowdown;      /* iteration over the same alone */
    double rho;           /* completion over what all its iterations take alone:
                           * Themis's finish-time fairness */
    double marks, resent; /* packets of an iteration, mean */
    double lost_ns;       /* it would have run so much shorter alone */
    double gpu_hours;     /* that it had */
};

/* Filled when the run has ended. Unless said otherwise, statistics are ns or
 * ratios, over jobs that are done. */
struct orr_cluster_figures {
    uint32_t jobs, done, failed, waiting, running; /* when it ended */
    struct orr_statistics completion, queueing, slowdown, rho, iteration;
    double jain;        /* over 1/rho: 1 is fair; NAN: nobody is done */
    double makespan_ns; /* from the first arrival to the last end; NAN: there
                         * is none */
    int64_t end_ns;     /* when the run ended */
    /* GPU time from 0 to the end, hours: all there is = given + idle + out */
    double all_h, given_h, idle_h, out_h;
    double utilization;   /* given of what was not out */
    double computing;     /* of what was not out: GPUs that compute, at the pace
                           * of then (Crux's utilization, its Eq. 1, with equal
                           * GPUs) */
    double fragmentation; /* of free GPUs, those on servers that are in use */
    double queue_mean;    /* jobs that wait, mean over time */
    uint32_t queue_most;  /* at any time */
    double shared;        /* of the GPU time given: to jobs that share a link */
    double lost_h; /* GPU time that jobs would not have needed alone; >= 0:
                    * what they won in company is no loss */
    double marks, resent; /* packets of an iteration, mean over iterations */
    double iterations;    /* of all jobs together, of the sizes that they asked
                           * for */
    uint64_t preempted, resized, moved, restarted; /* times, of all jobs */
    uint64_t fingerprint; /* of who did what, where and when */
};

/* A figure that may have an interval: its path in the summary, below `cluster`.
 * With _ for each dot it is what the interval is called there. */
struct orr_cluster_figure {
    const char *path;
    size_t at; /* in struct orr_cluster_figures, a double */
};
extern const struct orr_cluster_figure orr__cluster_figure[ORR_CLUSTER_FIGURES];
static inline double orr__cluster_figure_of(const struct orr_cluster_figures *f,
                                            int i)
{
    return *(const double *)((const char *)f + orr__cluster_figure[i].at);
}
/* What its interval is called in the summary, below basis.intervals. */
void orr__cluster_half_name(int i, char *name, size_t size);
/* Half of the interval of the figure that is at this place; NAN: none. */
double orr__cluster_half(const struct orr_engine *e, size_t at);

/* Those of job j, in order of time, are list[first[j]] to list[first[j + 1]]
 * without that; both to be freed with orr__free. */
ORR_CHECK_RESULT orr_err orr__cluster_stretches(const struct orr_engine *e,
                                                uint32_t **first,
                                                uint32_t **list,
                                                struct orr_report *why);
/* "leaf3 > spine1" */
enum { ORR_LINK_TEXT = 160 };
void orr__link_text(const struct orr_graph *g, uint32_t link,
                    char buf[ORR_LINK_TEXT]);

/* GPU hours: a ns of one GPU. Times are whole ns, and what is less is what is
 * left over where losses and gains of rounding cancel. */
#define ORR_LEAST_LOST_H (1 / 3600e9)
/* What jobs did to one another on a link. */
struct orr_link_contention {
    uint32_t link;      /* directed, of the graph */
    int64_t shared_ns;  /* two jobs or more used it */
    double jobs, asked; /* meanwhile, mean: jobs; the most that they ask of it
                         * together, share of its rate */
    double lost_h;      /* GPU time that it cost jobs, hours */
    int64_t worst_from_ns, worst_to_ns; /* the bin in which it cost most */
    double worst_lost_h;                /* that */
};
/* Links on which jobs met and that cost them something, those that cost most
 * first, into `out`, which has room for `most` (at least 1); returns how many.
 * *all: on which they met. */
uint32_t orr__cluster_links(const struct orr_engine *e,
                            struct orr_link_contention *out, uint32_t most,
                            uint32_t *all);
/* Of who did what, where and when. */
uint64_t orr__cluster_fingerprint(const struct orr_engine *e);
/* Of all jobs, to be freed with orr__free; NULL: no memory. */
struct orr_job_result *orr__cluster_job_figures(const struct orr_engine *e);
ORR_CHECK_RESULT orr_err orr__cluster_figures(const struct orr_engine *e,
                                              struct orr_cluster_figures *f,
                                              struct orr_report *why);

#endif
