/* When jobs come, and of what kind: `cluster.arrivals` and the templates in
 * `cluster.jobs`. */
#ifndef ORR_WORKLOAD_CLUSTER_ARRIVALS_H
#define ORR_WORKLOAD_CLUSTER_ARRIVALS_H

#include "workload/cluster/cluster.h"

/* Reads `cluster.jobs` into c->template. */
ORR_CHECK_RESULT orr_err orr__templates_read(struct orr_cluster *c,
                                             const struct orr_yaml *list,
                                             struct orr_report *why);
/* What a job of a template and a size is expected to take alone, ns: for
 * `load`, and for traces that give durations only. Given by study/. */
typedef orr_err orr_baseline_fn(void *arg, uint32_t template, uint32_t gpus,
                                double *iteration_ns, struct orr_report *why);
/* Reads and draws `cluster.arrivals` into c->arrivals; sets c->until_ns. Needs
 * templates and inventory. */
ORR_CHECK_RESULT orr_err orr__arrivals_read(struct orr_cluster *c,
                                            const struct orr_yaml *node,
                                            orr_baseline_fn *alone, void *arg,
                                            struct orr_report *why);
/* A number of this kind; > 0. r: the job's own stream. */
struct orr_random;
double orr__draw_number(const struct orr_draw *d, struct orr_random *r);

/* ---- traces of others: formats/jobs/ ---- */

/* One job of a trace. Texts and hosts live in the configuration's arena. */
struct orr_trace_row {
    const char *id, *application; /* application NULL: the trace names none */
    const char *tenant;           /* NULL: the same */
    int64_t submit_ns;            /* since any time, the same for all rows */
    int64_t duration_ns;          /* 0: not said */
    uint64_t iterations;          /* 0: not said */
    uint32_t gpus;                /* > 0 */
    const uint32_t *hosts; /* of each GPU the server, by number; NULL: not
                            * said */
    uint64_t line;         /* of the file, for messages; 0: not said */
};

/* What a reader made of a file. */
struct orr_job_trace {
    struct orr_trace_row *row; /* the reader's caller frees it, also after
                                * a failure */
    uint32_t n;
    uint64_t left_out; /* rows of jobs without GPUs, or that never ran */
    struct orr_early early;
};

/* A member of the family of formats; static. */
struct orr_job_trace_format {
    const char *name, *doc;
    /* Reads a file (path as it is to be opened). Fails with FILE:LINE:COL. */
    orr_err (*read)(struct orr_config *c, const char *path,
                    struct orr_job_trace *out, struct orr_report *why);
};

#endif
