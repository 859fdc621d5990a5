/* A cluster at work: from one event (a job arrives, ends, is preempted, a
 * server fails) to the next. Between two of them nothing changes but packets:
 * a pace says how fast jobs go meanwhile. */
#ifndef ORR_CLUSTER_ENGINE_H
#define ORR_CLUSTER_ENGINE_H

#include "cluster/demand_store.h"
#include "core/none.h"
#include "core/table.h"
#include "experiment/experiment.h"
#include "workload/cluster/cluster.h"
#include "workload/cluster/read.h"

struct orr_engine;
struct orr_contention_log;
struct orr_member; /* job_sets.h */

enum { ORR_CLUSTER_FIGURES = 42 }; /* those that have intervals */

/* Where an iteration time comes from. */
enum orr_known {
    ORR_KNOWN_PACKETS,    /* simulated, all of it */
    ORR_KNOWN_SIMULATED,  /* sampled for this constellation */
    ORR_KNOWN_REMEMBERED, /* the constellation was seen before */
    ORR_KNOWN_FLUID,      /* worked out without packets */
};

/* How fast a running job goes. */
struct orr_speed {
    double iteration_ns;  /* mean; 0: it does nothing yet */
    double steady_ns;     /* the same of those to come; 0: as so far */
    double half;          /* of the 95 % confidence interval, share */
    double baseline_ns;   /* iteration with the network to itself, same GPUs */
    double compute_ns;    /* of an iteration, a rank computes */
    double marks, resent; /* packets of an iteration */
    enum orr_known known; /* how */
    bool settled;         /* half is what was asked for */
    uint64_t set;         /* names the jobs that it is in a set with */
    uint32_t rival, link; /* the job that it shares its busiest shared link
                             with, most; ORR_NONE: none */
};

/* ns of an iteration alone that one in company is compared with: the same as in
 * company where they differ by less than times in parts of iterations are
 * rounded, so that nobody is said to lose or gain by that. */
static inline double orr__baseline_of(const struct orr_speed *s)
{
    double off = s->iteration_ns - s->baseline_ns;
    bool rounding = off < 1e-5 * s->baseline_ns && off > -1e-5 * s->baseline_ns;
    return rounding ? s->iteration_ns : s->baseline_ns;
}

/* An accuracy: one member a file. */
struct orr_pace_ops {
    const char *name;
    orr_err (*open)(struct orr_engine *e, struct orr_report *why);
    /* What a running job asks of links on its GPUs is known from now on. */
    orr_err (*add_job)(struct orr_engine *e, uint32_t job,
                       struct orr_report *why);
    /* The jobs that run, or their GPUs, have changed: sets e->speed of all that
     * run and are ready. */
    orr_err (*settle)(struct orr_engine *e, struct orr_report *why);
    /* Goes on from c->now_ns to at most until_ns; returns earlier when a job
     * has done all its iterations. Sets `done` of those that run, and now_ns.
     * NULL: at the pace that was settled. */
    orr_err (*advance)(struct orr_engine *e, int64_t until_ns,
                       struct orr_report *why);
    /* A job is about to lose its GPUs, for any reason. May set e->cause_ns to
     * an earlier time. NULL: nothing to do. */
    orr_err (*teardown)(struct orr_engine *e, uint32_t job,
                        struct orr_report *why);
    void (*close)(struct orr_engine *e);
};
extern const struct orr_pace_ops orr__pace_sampled, orr__pace_packets,
    orr__pace_fluid;
/* The network of an engine with orr__pace_packets that is open; NULL: it is
 * not. */
const struct orr_world *orr__packets_world(const struct orr_engine *e);
/* Of an engine with orr__pace_sampled that is open. */
struct orr_known_sets *orr__sampled_sets(const struct orr_engine *e);

/* A job at one pace, or waiting for one, for a while. */
struct orr_stretch {
    uint32_t job;           /* in c->job */
    int64_t from_ns, to_ns; /* to -1: it still does */
    struct orr_speed speed; /* iteration 0: it paid for a start or a move */
    uint32_t gpus;
};

/* GPUs of numbers that follow one another, which a job has for a while. A job
 * has its entries one after another. */
struct orr_holding {
    uint32_t job, first, gpus; /* gpus: how many, from `first` on */
    int64_t from_ns, to_ns;    /* to -1: it still has them */
};

/* Between two events. */
struct orr_epoch {
    int64_t at_ns;             /* it begins; the next one ends it */
    uint32_t running, waiting; /* jobs */
    uint32_t used, out;        /* GPUs: given away, failed */
    uint32_t whole;            /* GPUs of servers that are all free */
    uint32_t sharing;          /* jobs that share a link with another one */
    double computing; /* GPUs' worth of computation at the pace of then */
};

/* What an engine was spared. */
struct orr_engine_counts {
    uint64_t constellations, simulated, remembered; /* sets of jobs */
    uint64_t kept;       /* of those remembered, by the cache's file */
    uint32_t damaged;    /* lines of it that were left out */
    uint64_t iterations; /* simulated, over all jobs */
    uint64_t reckoned;   /* the same with those of sets that were known */
    uint64_t packet_hops;
    uint64_t unsettled; /* sets that did not become steady */
    double worst_half;  /* widest interval of a mean, share */
    double inferred;    /* iterations that were not simulated */
};

/* How well the figures of a cluster are known. */
struct orr_intervals {
    uint32_t replications;            /* 0: they are not known */
    uint64_t simulated, packet_hops;  /* what that cost */
    double half[ORR_CLUSTER_FIGURES]; /* of 95 % intervals, each in the unit of
                                       * its figure; figures.h */
};

/* A GPU of a job that ended: nobody knows before until_ns. */
struct orr_control_delay {
    uint32_t gpu;
    int64_t until_ns;
};

/* A cluster at work; owns all in it but the world and `first`. */
struct orr_engine {
    struct orr_cluster cluster;  /* as it is at cluster.now_ns */
    const struct orr_yaml *node; /* what it was read from */
    struct orr_cluster_settings settings;
    const struct orr_pace_ops *pace; /* the accuracy asked for */
    void *pace_state;                /* its own; NULL: it is not open */
    struct orr_speed *speed;         /* per job */
    struct orr_demand_item **known;  /* per job, of its GPUs; NULL: not yet */
    struct orr_demand_store
        store; /* those by key, as long as a job needs them */
    const volatile int *interrupt; /* the user's */
    unsigned threads;
    /* unless all packets are simulated: templates, sizes and kinds of GPU of
     * jobs that send nothing, and so ask the same of all GPUs */
    struct orr_table silent;
    struct orr_table guesses; /* by template and GPUs: index of `guess` */
    double *guess;            /* ns of an iteration alone */
    uint32_t n_guesses;       /* of `guess`, which is owned */
    struct orr_scores { /* placement.c: of GPUs for a job beside who runs */
        struct orr_table by_scene; /* index of `score` */
        double *score;
        uint32_t n, room;
    } scores;
    char *folder;     /* that holds what was seen before; NULL: none */
    char *cache;      /* the file there; NULL: none */
    uint32_t ended;   /* jobs that are done, or given up */
    uint32_t arrived; /* of c->job, those that have */
    uint32_t outage;  /* the next of settings */
    int64_t cause_ns; /* when what a job loses its GPUs for came about:
                       * now, or what `teardown` of the pace makes of it */
    struct orr_control_delay
        *delay; /* of inventory.resting, by until_ns; owned */
    uint32_t delays, delay_room;
    uint32_t next_request;       /* the next of settings.resize */
    struct orr_stretch *stretch; /* by from_ns; owned */
    uint32_t stretches, stretch_room;
    uint32_t *open; /* per job: 1 + its stretch under way; 0: none */
    uint32_t *left; /* jobs that have lost their GPUs since the last
                     * note, in any order, each once; some may run
                     * again */
    uint32_t n_left;
    struct orr_epoch *epoch; /* in order of time; owned */
    uint32_t epochs, epoch_room;
    struct orr_holding *holding; /* by from_ns; owned */
    uint32_t holdings, holding_room;
    uint32_t *held; /* per job: 1 + the first of its holdings under
                     * way; 0: none */
    struct orr_contention_log *contention; /* contention.h */
    struct orr_forecast *forecast; /* not NULL: no packet is moved, what they
                                    * would cost is reckoned; forecast.h */
    /* not NULL: this goes through the cluster of that one again, which has run,
     * for the `replication`th time, from 1 on; resample.h */
    const struct orr_engine *first;
    uint32_t replication;            /* 0: it is the first */
    struct orr_intervals intervals;  /* of its figures */
    struct orr_engine_counts counts; /* of what was simulated so far */
    int64_t recheck_ns; /* the next look at the queue, if nothing else
                         * happens before; -1: something does */
    uint32_t barren;    /* such looks in a row that led nowhere */
    bool partial;       /* it ended before all jobs were done */
    bool quiet;         /* nothing was left to happen to those that wait */
    bool dear;          /* sampled: it ended because all packets cost less */
    uint64_t given_up;  /* all packets: packet-hops that sampling took before */
};

/* A running job that is past what its start costs. */
static inline bool orr__is_ready(const struct orr_cluster *c,
                                 const struct orr_cluster_job *j)
{
    return j->state == ORR_CLUSTER_RUNNING && j->ready_ns <= c->now_ns;
}

/* Of e->left: it has not got GPUs again. */
static inline bool orr__has_left(const struct orr_engine *e, uint32_t job)
{
    return e->cluster.job[job].state != ORR_CLUSTER_RUNNING;
}

/* Jobs that can run at once: each has a GPU at least. */
static inline uint32_t orr__engine_most_running(const struct orr_engine *e)
{
    const struct orr_inventory *v = &e->cluster.inventory;
    uint64_t most = (uint64_t)v->gpus * v->share;
    return most < e->cluster.jobs ? (uint32_t)most : e->cluster.jobs;
}

/* Reads a cluster and the jobs that come. w has its graph, network and
 * schedule. *out is to be given to orr__engine_free. */
ORR_CHECK_RESULT orr_err orr__engine_new(struct orr_world *w,
                                         const struct orr_yaml *cluster,
                                         struct orr_engine **out,
                                         struct orr_report *why);
/* Runs it: once. tell: now and then, with the share of jobs that are done. */
struct orr_engine_user {
    void (*tell)(void *arg, double share, uint64_t hops); /* NULL: none */
    void *arg;                     /* what it is called with */
    const volatile int *interrupt; /* non-zero: ends soon; or NULL */
    unsigned threads;              /* results do not depend on it */
};
ORR_CHECK_RESULT orr_err orr__engine_run(struct orr_engine *e,
                                         const struct orr_engine_user *u,
                                         struct orr_report *why);
void orr__engine_free(struct orr_engine *e);

/* ---- between the files of an engine ---- */

static inline const struct orr_facts *orr__facts_of(const struct orr_engine *e,
                                                    uint32_t job)
{
    return &e->known[job]->facts;
}
/* control_delay.c: GPUs of a job that ends are given away later, if the user
 * said how long it takes until that is known. */
ORR_CHECK_RESULT orr_err orr__engine_delay(struct orr_engine *e, uint32_t job,
                                           struct orr_report *why);
/* Those are free of which it is known now. */
void orr__engine_delay_over(struct orr_engine *e);
/* When the next one is; INT64_MAX: there is none. */
static inline int64_t orr__engine_delayed_until(const struct orr_engine *e)
{
    return e->delays ? e->delay[0].until_ns : INT64_MAX;
}
/* assign.c: gives GPUs to those that wait and takes them from those that are
 * preempted, as things are. *changed: somebody has others than before. */
ORR_CHECK_RESULT orr_err orr__engine_assign(struct orr_engine *e, bool *changed,
                                            struct orr_report *why);
/* placement.c: chooses free GPUs, of which there are enough; *found false: it
 * is better to wait. */
ORR_CHECK_RESULT orr_err orr__engine_place_job(struct orr_engine *e,
                                               uint32_t job, uint32_t *gpu,
                                               bool *found,
                                               struct orr_report *why);
/* Takes a job's GPUs; it waits, or is done. */
ORR_CHECK_RESULT orr_err orr__engine_take(struct orr_engine *e, uint32_t job,
                                          enum orr_cluster_state then,
                                          struct orr_report *why);
/* Gives so many, free, to a job that waits, which takes the list over; it
 * computes nothing until ready_ns. */
void orr__engine_give(struct orr_engine *e, uint32_t job, uint32_t gpus,
                      uint32_t *gpu, int64_t ready_ns);
/* notes.c: what went on, up to now and from now on. */
ORR_CHECK_RESULT orr_err orr__engine_note(struct orr_engine *e,
                                          struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__engine_note_end(struct orr_engine *e,
                                              struct orr_report *why);

#endif
