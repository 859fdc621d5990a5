/* Inside of the experiment, beyond the public API in orrery.h. */
#ifndef ORR_EXPERIMENT_EXPERIMENT_H
#define ORR_EXPERIMENT_EXPERIMENT_H

#include "core/config/param.h"
#include "experiment/extensions.h"
#include "orrery/orrery.h"
#include "workload/world.h"

/* Reads a document and builds as much as orr_experiment_estimate and the
 * effective configuration need; it cannot run. The document is taken over, also
 * when it fails; name: as for a file. extensions: NULL: none. */
ORR_CHECK_RESULT orr_err
orr__experiment_prepare(const char *name, struct orr_config *config,
                        const struct orr_extensions *extensions,
                        orr_experiment **out, struct orr_report *why);
/* The configuration with all defaults, as YAML text; free with orr__free. NULL
 * when out of memory. */
char *orr__experiment_effective(const orr_experiment *x);
/* Steers jobs in place of the schedule that the configuration names, of which
 * the network is prepared for all that this sets. */
struct orr_steerer {
    orr_err (*plan)(const void *arg, struct orr_world *w,
                    struct orr_report *why); /* NULL: the schedule does */
    const void *arg;
};
/* How an experiment is opened, beyond what its user says in orr_options. All 0:
 * as one that runs at once. */
struct orr_open_options {
    const struct orr_extensions *extensions; /* NULL: none */
    struct {           /* traffic that is not in the configuration */
        bool expected; /* it may have no jobs and no flows */
        bool jobs; /* jobs come and go (cluster/shared_network.h): those of the
                    * configuration only show what may come */
    } later;
    struct {              /* a program that sends by itself */
        bool one_process; /* with one thread: all nodes are one process */
        struct orr_net_service *service; /* out, per class: ORR_MOST_CLASSES of
                                          * them; NULL: not asked */
        uint32_t *classes;               /* out: that the network has */
    } program;
    struct {                 /* one of the jobs, without gate or schedule */
        bool wanted;         /* and nothing else */
        const char *name;    /* NULL: there is one */
        uint32_t iterations; /* of it, at most */
    } single_job;
    struct { /* jobs of a cluster, each NULL or one per job */
        const uint32_t *number; /* names its connections and random streams;
                                 * NULL: its place in the list */
        const char *const
            *kind; /* as in struct orr_world; while it is opened */
    } subset;
    struct orr_steerer steerer;
    bool plan_may_end; /* where `interrupt` of the options comes while a
                        * schedule is planned, it is loaded without: see
                        * orr__experiment_unplanned */
    bool no_intervals; /* a cluster is gone through once: its figures have no
                        * intervals (cluster/replicate.h) */
};
/* A run from beginning to end, of all that its configuration has: nobody wants
 * to know how far it is in between. */
static inline bool orr__open_is_run(const struct orr_open_options *how)
{
    return !how->later.expected && !how->later.jobs && !how->single_job.wanted
           && !how->subset.number;
}
/* A schedule would have planned, and was interrupted: it is not to be run. */
bool orr__experiment_unplanned(const orr_experiment *x);
/* An experiment from a text, which `name` stands for in messages; text NULL:
 * from the file `name`. how NULL: all 0. study/run/entry.h opens what a user
 * has written. */
ORR_CHECK_RESULT orr_err orr__experiment_open(
    const char *name, const char *text, const struct orr_options *options,
    const struct orr_open_options *how, orr_experiment **out,
    struct orr_report *why);
/* The same of a document that was read, which is taken over, also when this
 * fails. */
ORR_CHECK_RESULT orr_err orr__experiment_open_config(
    struct orr_config *config, const struct orr_options *options,
    const struct orr_open_options *how, orr_experiment **out,
    struct orr_report *why);
/* Starts records, jobs and flows: once. */
ORR_CHECK_RESULT orr_err orr__experiment_begin(orr_experiment *x,
                                               struct orr_report *why);
/* Runs to `until`, or the configuration's stop: again and again. */
ORR_CHECK_RESULT orr_err orr__experiment_advance(orr_experiment *x,
                                                 int64_t until,
                                                 struct orr_report *why);
/* Runs to the end; jobs that have the network in turn (world->jobs_apart), one
 * after another. */
ORR_CHECK_RESULT orr_err orr__experiment_finish(orr_experiment *x,
                                                struct orr_report *why);
/* Closes what ran, in any case: once. err: of the last advance, which *why
 * tells. */
ORR_CHECK_RESULT orr_err orr__experiment_end(orr_experiment *x, orr_err err,
                                             struct orr_report *why);
/* As orr_experiment_json, with these lists to their end (experiment/lists.h);
 * NULL: none. */
char *orr__experiment_json(const orr_experiment *x, const char *const *whole);
/* The cluster that it is, a struct orr_engine, or NULL. */
const void *orr__experiment_cluster(const orr_experiment *x);
/* What was built; lives as long as the experiment. */
struct orr_world *orr__experiment_inside(orr_experiment *x);
/* What was built, for looking only; lives as long as the experiment. */
const struct orr_world *orr__experiment_world(const orr_experiment *x);

#endif
