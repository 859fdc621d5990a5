/* The questions of the command as calls: what a configuration would take, what
 * its topology is, what a job asks of links, what a plan would do, why an
 * iteration took so long, and comparisons of many runs.
 *
 *     struct orr_plan_call call = {.size = sizeof call, .config = "two.yaml"};
 *     orr_reply *reply = NULL;
 *     struct orr_report why = {0};
 *     if (orr_study_plan(&call, &reply, &why) == ORR_OK)
 *         puts(orr_reply_json(reply));
 *     orr_reply_free(reply);
 *
 * Each call begins with its own size, so that later versions may add members:
 * what a program does not know of is 0 for it. A library that is older than the
 * program refuses members that it does not know, unless they are 0. All other
 * members zeroed mean: as the command does without that option. Errors are as
 * those of orr_experiment_load and orr_experiment_run; in addition ORR_ECALL.
 * *out is set only on success, and is to be freed with orr_reply_free.
 *
 * As with orrery.h, calls are for one thread at a time. */
#ifndef ORRERY_STUDY_H
#define ORRERY_STUDY_H

#include "orrery/orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What a question came to. Texts are the reply's, and live as long as it. */
typedef struct orr_reply orr_reply;
/* For programs: the JSON that the command writes. Never NULL. */
const char *orr_reply_json(const orr_reply *r);
/* For people: what the command prints, in UTF-8. Never NULL. */
const char *orr_reply_text(const orr_reply *r);
/* A plan: the configuration with the plan filled in, if it was wanted. A
 * profile: the YAML that schedules read. NULL: there is none. */
const char *orr_reply_config(const orr_reply *r);
/* NULL is allowed. */
void orr_reply_free(orr_reply *r);

/* `orrery check`: the configuration, or of a study all combinations, without a
 * run. options->interrupt ends the estimate early; the reply then says what is
 * left out. JSON: kind ("run", "cluster" or "study"), topology, jobs, flows,
 * estimate, left_out, notes. */
struct orr_check_call {
    size_t size;
    const char *config;                /* a file */
    const struct orr_options *options; /* NULL: none */
};
ORR_CHECK_RESULT orr_err orr_study_check(const struct orr_check_call *call,
                                         orr_reply **out,
                                         struct orr_report *why);

/* `orrery topo CONFIG`: sizes, metrics and prices of its topology. Of options
 * only `sets` are read. */
struct orr_topology_call {
    size_t size;
    const char *config;                /* a file with a `topology` */
    const struct orr_options *options; /* NULL: none */
    const char *prices; /* a file of what parts cost; NULL: those built in */
    bool no_metrics;    /* nothing that takes time: sizes alone */
};
ORR_CHECK_RESULT orr_err
orr_study_topology(const struct orr_topology_call *call, orr_reply **out,
                   struct orr_report *why);
/* The graph of a topology's reply as arrays, which live as long as it. */
struct orr_graph_arrays {
    size_t size;               /* set by the caller */
    uint32_t hosts, switches;  /* nodes: hosts first */
    uint32_t links;            /* one way each */
    const uint32_t *from, *to; /* per link: nodes */
    const uint64_t *rate_bps;
    const int64_t *delay_ps;
    const double *loss;      /* 0..1 */
    const char *const *tier; /* per link: "host", "uplink", ...; NULL: it is not
                              * there, as the way back of a one-way cable */
    const char *const *name; /* per node: as the file has it, or a number */
    const double *x, *y;     /* per node: a layout for pictures; or NULL */
};
/* ORR_ECALL: the reply is none of a topology. */
ORR_CHECK_RESULT orr_err orr_reply_graph(const orr_reply *r,
                                         struct orr_graph_arrays *out);

/* `orrery profile`: the demand of a job on each link over an iteration, alone.
 * JSON: job, iteration_ns, compute_share, bytes, varies, links (link, phases of
 * at_ns, for_ns, rate_bps). */
struct orr_profile_call {
    size_t size;
    const char *config;                /* a file */
    const struct orr_options *options; /* NULL: none */
    const char *job;                   /* NULL: the only one */
    uint32_t iterations;               /* that are run; 0: 3 */
    uint32_t bins;                     /* 0: automatic */
};
ORR_CHECK_RESULT orr_err orr_study_profile(const struct orr_profile_call *call,
                                           orr_reply **out,
                                           struct orr_report *why);

/* `orrery plan`. options->interrupt ends a search with the best so far. */
struct orr_plan_call {
    size_t size;
    const char *config;                /* a file */
    const struct orr_options *options; /* NULL: none */
    bool configured; /* orr_reply_config gives the configuration to run */
};
ORR_CHECK_RESULT orr_err orr_study_plan(const struct orr_plan_call *call,
                                        orr_reply **out,
                                        struct orr_report *why);

#define ORR_WHICH_SLOWEST 0 /* the longest iteration of a job */
#define ORR_WHICH_ALL     1 /* all that have ended, combined */
#define ORR_WHICH_ONE     2 /* `iteration` */

/* `orrery explain`. */
struct orr_explain_call {
    size_t size;
    const char *config;                /* a file */
    const struct orr_options *options; /* NULL: none */
    const char *job;                   /* NULL: all jobs */
    int which;                         /* ORR_WHICH_... */
    uint32_t iteration;                /* from 0 on */
    uint32_t flow; /* from 0 on, if has_flow: instead of jobs */
    bool has_flow;
    bool alone; /* run each job without the others, too */
};
ORR_CHECK_RESULT orr_err orr_study_explain(const struct orr_explain_call *call,
                                           orr_reply **out,
                                           struct orr_report *why);

/* How far a comparison is. */
struct orr_study_progress {
    uint32_t runs, done, failed, running;
    double left_s; /* wall time that is left; < 0: unknown */
};

/* `orrery compare`: runs are child processes of the caller, made by fork; each
 * has one thread. Of options `sets`, `plugins` and `interrupt` are read. A
 * failed run is no failure of the call: JSON (study.json) says which. The
 * folder gets table.csv, table.md, study.json and study.h5; runs that are there
 * are not repeated. ORR_ECONFIG: another is at work there. */
struct orr_compare_call {
    size_t size;
    const char *config;                        /* a file */
    const struct orr_options *options;         /* NULL: none */
    const char *const *over, *const *measures; /* as given to the options */
    size_t n_over, n_measures;                 /* --over and --measure */
    const char *seeds, *until, *baseline;      /* NULL: as the study says */
    const char *prices, *sort;                 /* NULL: as the study says */
    const char *folder; /* NULL: the file's stem + ".study" */
    uint32_t jobs;      /* runs at once; 0: one for each processor */
    int keep;           /* records of runs: > 0 kept, < 0 not, 0 as it says */
    bool equal_cost;    /* of all networks */
    /* In the calling thread, at least twice a second; or NULL. */
    void (*progress)(void *arg, const struct orr_study_progress *p);
    void *progress_arg;
};
ORR_CHECK_RESULT orr_err orr_study_compare(const struct orr_compare_call *call,
                                           orr_reply **out,
                                           struct orr_report *why);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
