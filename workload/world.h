/* A world is one experiment being run: everything in it hangs off here. */
#ifndef ORR_WORKLOAD_WORLD_H
#define ORR_WORKLOAD_WORLD_H

#include "core/config/config.h"
#include "net/net.h"
#include "topo/graph.h"
#include "topo/routing.h"

struct orr_program_source_ops; /* workload/program/source.h */
struct orr_job;                /* workload/job/job.h */
struct orr_flows;              /* workload/flow/flows.h */
struct orr_repeat;             /* workload/repeat/repeat.h */
struct orr_call_memo;          /* workload/memo/memo.h */
struct orr_scheduler;          /* workload/schedule/schedule.h */
struct orr_series;             /* record/series.h */
struct orr_busy_time;          /* record/busy_time.h */
struct orr_owners;             /* record/owners.h */

/* What a program that embeds the library sent. */
struct orr_message_totals {
    uint64_t sent, arrived, acked; /* messages */
    uint64_t bytes;                /* payload of those that arrived */
};

/* How a run ended. */
enum orr_ending {
    ORR_ENDED_DONE,
    ORR_ENDED_STOPPED,     /* at `stop`, with more to come */
    ORR_ENDED_QUIET,       /* nothing is left to happen, and not all is done */
    ORR_ENDED_INTERRUPTED, /* by its user */
    ORR_ENDED_FAILED,
};

/* The options of a run: of the user, of the document, of the machine. */
struct orr_run_options {
    const char *title;        /* the document's, or its file's name */
    const char *command;      /* the command line, for records; or NULL */
    char *output;             /* HDF5 file name or NULL */
    int64_t stop_ps;          /* ORR_NEVER: none */
    int64_t control_delay_ps; /* cause to effect where no link is between */
    bool control_delay_given; /* the user said how long that is */
    unsigned workers;         /* sets of nodes that one thread at a time runs */
    unsigned threads;         /* that run them, at most */
    const volatile int *interrupt; /* non-zero: whatever takes long before the
                                    * run gives up; NULL: not wanted */
};

/* Readers of files that rooms above this one know. */
struct orr_file_readers {
    const struct orr_program_source_ops *traces; /* for `trace` of jobs */
    /* See orr_profile_text_fn of workload/schedule/profile.h. */
    orr_err (*profile_text)(const char *path, char **text,
                            struct orr_report *why);
};

/* What watches a run, each owned by who made it. */
struct orr_watchers {
    struct orr_series *series;       /* NULL: `record: none` */
    struct orr_busy_time *busy_time; /* NULL: not wanted */
    struct orr_owners *owners;       /* whose packets are; NULL: not wanted */
    bool by_job; /* packets of iterations are counted, links split by job */
};

/* What a run made, beside what its jobs and flows have. */
struct orr_run_result {
    int64_t end_ps;         /* up to where it went */
    bool partial;           /* stopped, interrupted or failed */
    enum orr_ending ending; /* which of these */
    double wall_s;          /* of the run proper */
    double cpu_s, setup_s;  /* CPU time of this process: run, load */
    uint64_t setup_bytes;   /* of memory that loading took at most; 0: less than
                             * something before it in this process */
    const struct orr_repeat_result *repeated;  /* NULL: nothing was skipped */
    const struct orr_memo_result *replayed;    /* NULL: not wanted */
    const struct orr_message_totals *messages; /* NULL: no such program */
};

/* Borrowed by all of the run; freed by its experiment. */
struct orr_world {
    struct orr_config *config; /* the document, which owns what was read */
    uint64_t seed;             /* names all random streams */
    struct orr_run_options options;
    struct orr_file_readers readers;
    /* What was resolved from the configuration: nobody writes it once the net
     * is being built (experiment/frozen.h). */
    const struct orr_graph *graph;
    uint64_t fastest_bps; /* of any link at any time; 0: not known */
    const struct orr_routing *routes;        /* to all hosts that are used */
    const struct orr_net_config *net_config; /* its services among it */
    struct orr_net_draft *draft; /* of it, for those that resolve it; NULL: the
                                  * net is being built, or there is one */
    uint64_t frozen;             /* digest of it, in builds with ORR_DEBUG */
    struct orr_net *net;         /* NULL until it is built */
    struct orr_job *jobs;        /* owned; in the order of the configuration */
    uint32_t n_jobs;
    const struct orr_job *only_job; /* that starts, and no flow; NULL: all do */
    bool jobs_join;  /* jobs come and go: on any hosts, not in `jobs` */
    bool jobs_apart; /* they start one after another, each when all is
                      * over */
    const char *const
        *job_kind; /* per job, what it was made of, where jobs are
                    * some of a cluster's: a schedule may name kinds,
                    * and jobs that are not here. Else NULL */
    struct orr_scheduler *scheduler; /* what they do about one another */
    struct orr_flows *flows;         /* NULL: none */
    struct orr_repeat *repeat;       /* NULL: nothing is skipped */
    struct orr_call_memo *memo;      /* NULL: not wanted, or not planned yet */
    bool operations; /* collectives are to be replayed where that is exact */
    struct orr_watchers watch;
    struct orr_run_result result;
};

static inline bool orr__world_interrupted(const struct orr_world *w)
{
    return w->options.interrupt && *w->options.interrupt;
}

/* EINTERRUPTED, if it was. */
static inline orr_err orr__world_go_on(const struct orr_world *w,
                                       struct orr_report *why)
{
    return orr__world_interrupted(w)
               ? orr__fail(why, ORR_EINTERRUPTED, "interrupted")
               : ORR_OK;
}

#endif
