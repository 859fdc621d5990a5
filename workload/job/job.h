/* Jobs: ranks on hosts, each running its program iteration by iteration. */
#ifndef ORR_WORKLOAD_JOB_JOB_H
#define ORR_WORKLOAD_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "core/error.h"
#include "core/none.h"
#include "workload/job/gate.h"
#include "workload/world.h"

/* When an iteration of a job was; ps. */
struct orr_iteration {
    int64_t start_ps, end_ps; /* first rank starts, last rank ends; -1: not */
};

/* Of what the ranks of a job sent in an iteration: packets that arrived with
 * congestion experienced, and packets lost, their ACKs included. */
struct orr_iteration_packets {
    uint64_t marks, drops;
};

/* One executed collective call site of one iteration (all ranks together). */
struct orr_collective_record {
    uint32_t job, iteration;       /* from 0 */
    uint32_t call;                 /* index of the call in the program */
    uint32_t operation;            /* index of the operation in the program */
    const char *kind;              /* "all-reduce", ... */
    const char *algorithm;         /* "ring", ... */
    const char *chosen_by;         /* the algorithm that chose it, or NULL */
    const char *protocol;          /* in channels: "ll", ...; else NULL */
    uint32_t channels;             /* 0: none */
    uint32_t group_size;           /* members, without parameter servers */
    uint64_t bytes;                /* `size` */
    int64_t start_ps, end_ps;      /* first rank enters, last rank leaves */
    double algorithm_bps, bus_bps; /* as nccl-tests define them, bit/s */
    /* per chunk, over all ranks: what ASTRA-sim calls chunk latency (start of
     * a chunk to its end), queueing (collective start to chunk start), and
     * the mean network time of a message (send to full arrival) */
    double chunk_latency_ps, queueing_ps, message_ps;
    uint64_t messages;   /* that arrived */
    uint64_t bytes_sent; /* payload of all its members, servers too */
    /* what held it up, once somebody has looked: see experiment/limit.h */
    int64_t lower_bound_ps; /* of the algorithm on this network */
    uint32_t limiting_link; /* ORR_NONE: none */
    int64_t limiting_ps;    /* what its bytes take there */
    double limiting_busy;   /* share of its time; NaN: not observed */
};

/* Time with a computation at least, with communication, with both; payload
 * over the network. */
struct orr_spent {
    int64_t compute_ps, communication_ps, overlap_ps;
    uint64_t bytes_sent, bytes_received;
};

/* How a rank spent the job's time, to its end or to the run's; payload over the
 * network. */
struct orr_rank_record {
    int64_t compute_ps, communication_ps, overlap_ps;
    int64_t finish_ps; /* -1: it did not end */
    int64_t held_ps;   /* it waited at its job's gate */
    uint64_t bytes_sent, bytes_received;
    uint32_t iterations;    /* that it ended */
    struct orr_spent ended; /* in those */
};

struct orr_program_source; /* workload/program/source.h */
struct orr_serve;          /* workload/job/serve.h */
struct orr_team;           /* workload/rank/rank.h */
struct orr_log;            /* workload/rank/log.h */

/* A job: as it was read and placed; how it ended, once it is closed; and its
 * team, while it runs. */
struct orr_job {
    uint32_t index;              /* among the jobs of its world */
    const char *name;            /* the document's */
    uint32_t ranks;              /* > 0 */
    uint32_t members;            /* ranks, then hidden parameter servers */
    uint32_t *hosts;             /* per member */
    uint32_t iterations, warmup; /* warmup: the first, left out of means */
    /* of these, that were not simulated: the same as others, or about so
     * (workload/repeat/repeat.h) */
    uint32_t repeated, inferred;
    int64_t start_ps;                /* as configured */
    int64_t finish_ps;               /* last rank's end; -1: not finished */
    struct orr_iteration *iteration; /* per iteration, after orr__jobs_close */
    /* The same, counted as they come, by any thread; NULL: not counted. */
    struct orr_iteration_packets *packets;
    uint64_t bytes_sent; /* payload without headers and repeats */
    uint64_t wire_bytes; /* with both */
    uint64_t retransmissions, timeouts, marks, cnps; /* packets, events */
    struct orr_collective_record *collective; /* iteration by iteration */
    uint32_t n_collectives;   /* of `collective`, which is owned */
    uint64_t collectives_run; /* of which the first n_collectives are kept */
    /* asynchronous updates of parameters, and how many updates of others each
     * one did not know: sum and most */
    uint64_t pushes, stale, stalest;
    const char *model;            /* its name, or NULL */
    struct orr_rank_record *rank; /* per member, after orr__jobs_close */
    /* What some ranks do is noted: a log each, of the rank in logged[], which
     * ascends; to be set before the job starts; n_logs <= ranks. */
    struct orr_log *log;
    uint32_t *logged, n_logs;
    bool exclusive;                    /* no other job may be on its hosts */
    struct orr_gate gate;              /* may be set until it starts */
    uint32_t shifts;                   /* by it, after orr__jobs_close */
    double baseline_ps;                /* mean iteration alone; 0: not wanted */
    struct orr_program_source *source; /* NULL: the configuration */
    struct orr_serve *serve;           /* owned; NULL: it serves no requests */
    struct orr_team *team;             /* owned; NULL before it is made */
};

/* Keys of a job, and of its maps `message_overhead` and `local`, for help. */
extern const struct orr_param orr__job_params[];
/* Reads the `jobs` list into world->jobs: names, placements, programs. Needs
 * world->graph. NULL node: no jobs. */
ORR_CHECK_RESULT orr_err orr__jobs_read(struct orr_world *w,
                                        const struct orr_yaml *jobs,
                                        struct orr_report *why);
/* Names them otherwise than by their places in the list: their connections,
 * their random streams. Below 2^31, each its own. */
void orr__jobs_number(struct orr_world *w, const uint32_t *number);
/* Of the jobs that were read keeps the one of this name (NULL: there must be
 * one alone), without gate, for so many iterations at most. ECONFIG: there is
 * no such job. */
ORR_CHECK_RESULT orr_err orr__jobs_keep(struct orr_world *w, const char *name,
                                        uint32_t iterations,
                                        struct orr_report *why);
/* Needs world->net: makes each job a user of it and sets its first timers. */
ORR_CHECK_RESULT orr_err orr__jobs_start(struct orr_world *w,
                                         struct orr_report *why);
/* Notes what these n ranks do (ascending; taken over, also when it fails), at
 * most so many events of each; before orr__jobs_start. */
ORR_CHECK_RESULT orr_err orr__job_log(struct orr_job *job, uint32_t *rank,
                                      uint32_t n, uint32_t events,
                                      struct orr_report *why);
/* By how much the computations of a rank are longer than the program says: its
 * factor among `stragglers`, times `compute_factor`. */
double orr__job_slower(const struct orr_job *job, uint32_t rank);
/* A job of a world whose jobs run apart: it starts now, or as much later as it
 * says. Between windows. (orr__jobs_start begins the first of those, or all
 * where they do not.) */
void orr__job_begin(struct orr_world *w, struct orr_job *j, int64_t now);
/* One job by itself, as the calls for all of them below and above do it. What
 * it is read from is the world's configuration; its index is set before.
 * Names are compared with no other's. */
ORR_CHECK_RESULT orr_err orr__job_read(struct orr_world *w,
                                       const struct orr_yaml *node,
                                       struct orr_job *j,
                                       struct orr_report *why);
/* It becomes a user of the net, in which nothing happens yet. Between
 * windows. */
ORR_CHECK_RESULT orr_err orr__job_ready(struct orr_world *w, struct orr_job *j,
                                        struct orr_report *why);
/* Merges what the workers collected of it, up to world->result.end_ps. */
ORR_CHECK_RESULT orr_err orr__job_close(struct orr_world *w, struct orr_job *j,
                                        struct orr_report *why);
/* Adds to text what ranks of it wait for, if few were reported before; returns
 * how many wait. */
uint32_t orr__job_waiting(const struct orr_job *j, uint32_t shown, char *text,
                          size_t size);
void orr__job_fini(struct orr_job *j, unsigned workers);
/* Who has not finished, in a run that has ended or been stopped: how many
 * ranks, and into text what a few of them are at. */
uint32_t orr__jobs_waiting(const struct orr_world *w, char *text, size_t size);
/* After the run: merges what the workers collected into world->jobs. ERUN when
 * ranks still wait: *why says which rank of which job waits for what (a few of
 * them, with the count of the rest). */
ORR_CHECK_RESULT orr_err orr__jobs_close(struct orr_world *w,
                                         struct orr_report *why);
/* Memory, beside the ranks', that the records of iterations and collectives
 * take; for estimates. */
uint64_t orr__jobs_bytes(const struct orr_world *w);
void orr__jobs_free(struct orr_world *w);
/* What its ranks run. */
struct orr_program;
const struct orr_program *orr__job_program(const struct orr_job *job);
/* Before it runs: orr__program_set_stale of its program. */
void orr__job_set_stale(struct orr_job *job, uint32_t n);

#endif
