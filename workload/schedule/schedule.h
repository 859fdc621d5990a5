/* The family of schedules: what the jobs of an experiment do about one another,
 * `schedule` of a configuration. One member a file, one line in list.h.
 *
 * A member acts before the run: it sets what workload/job/adjust.h offers, the
 * gates, ways, classes, weights and controls of jobs, and what the network
 * does with them. (Schedulers of ports are another family: net/schedule/.) */
#ifndef ORR_WORKLOAD_SCHEDULE_SCHEDULE_H
#define ORR_WORKLOAD_SCHEDULE_SCHEDULE_H

#include "core/config/param.h"
#include "core/error.h"
#include "workload/world.h"

struct orr_json;
struct orr_scheduler_ops;

struct orr_scheduler { /* lives as long as the configuration */
    const struct orr_scheduler_ops *ops;
    const struct orr_yaml *node; /* the value of `schedule`; NULL: left out */
    const struct orr_yaml *at;   /* where its kind is named, for messages */
    void *params;                /* the document's */
    void *state;                 /* the member's own; NULL at first */
};

/* A member of the family. */
struct orr_scheduler_ops {
    const char *name, *doc;
    const struct orr_param *params; /* beside kind; may be an empty table */
    size_t params_size;             /* of the struct that params fill */
    bool gates;                     /* `plan` may set gates */
    bool paths;                     /* `plan` may set ways of connections */
    bool replans;      /* it plans for all jobs that there are: on a cluster
                        * again whenever these change */
    bool candidates;   /* its key `candidates` lists placements to choose from,
                        * which is done before it is read */
    bool only_classes; /* it gives jobs classes, and no paths */
    bool baseline;     /* each job has the network to itself */
    bool joins; /* `serve` may be called of one more job while others run, whose
                 * configuration and only job the world then seems to have; it
                 * asks for nothing then that it did not ask for before */
    /* Every call finds the member in w->scheduler; those that are NULL are left
     * out. A failure is told with orr__yaml_fail, at ->at or a key of ->node.
     *
     * Jobs and flows are read; nothing says yet how ports are simulated. Sets
     * what that depends on: controls, and how many classes or shares there
     * are. */
    orr_err (*serve)(struct orr_world *w, struct orr_report *why);
    /* Graph, routes and net are there, and nothing has begun. Sets gates and
     * ways, and the classes (below the number that `serve` asked for) and
     * weights of jobs. May take seconds. */
    orr_err (*plan)(struct orr_world *w, struct orr_report *why);
    /* What it decided, into the map `schedule` of the results; lines for the
     * summary, to be freed with orr__free (NULL: none). After the run. */
    void (*json)(const struct orr_world *w, struct orr_json *j);
    char *(*text)(const struct orr_world *w);
    /* What it found odd about a job when it planned: a sentence; NULL:
     * nothing. The slot may be NULL, too. */
    const char *(*remark)(const struct orr_world *w, uint32_t job, char *buf,
                          size_t size);
    void (*free)(void *state);
};

/* The members in the order of list.h; NULL ends. The first is the default. */
const struct orr_scheduler_ops *const *orr__scheduler_kinds(void);
/* The member of this name, or NULL. */
const struct orr_scheduler_ops *orr__scheduler_named(const char *name);

/* Reads `schedule` (NULL: none) into w->scheduler. Nothing of the world but its
 * configuration needs to be there. */
ORR_CHECK_RESULT orr_err orr__schedule_read(struct orr_world *w,
                                            const struct orr_yaml *node,
                                            struct orr_report *why);
/* The jobs that a scalar of the configuration names, one after another: the
 * first of those from *at on, and *at is behind it then. *out NULL: there are
 * no more. A job by its name or, where w->job_kind tells, by its kind; where it
 * does not, and no others come later, ECONFIG at the scalar if there is none.
 */
struct orr_job;
ORR_CHECK_RESULT orr_err orr__schedule_job(struct orr_world *w,
                                           const struct orr_yaml *name,
                                           uint32_t *at, struct orr_job **out,
                                           struct orr_report *why);
/* The member's calls of these names, if it has them. */
ORR_CHECK_RESULT orr_err orr__schedule_serve(struct orr_world *w,
                                             struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__schedule_plan(struct orr_world *w,
                                            struct orr_report *why);
/* One more job comes; the world seems to have only that. */
ORR_CHECK_RESULT orr_err orr__schedule_join(struct orr_world *w,
                                            struct orr_report *why);
void orr__schedule_free(struct orr_world *w);

#endif
