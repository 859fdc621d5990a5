/* A plan for all jobs of a world, before anything runs: what each asks of
 * links, where they meet, when each should start, by which paths and in which
 * class, and what iterations take then. `orrery plan` shows it; the schedules
 * cassini and crux carry it out. */
#ifndef ORR_WORKLOAD_SCHEDULE_PLAN_H
#define ORR_WORKLOAD_SCHEDULE_PLAN_H

#include "core/none.h"
#include "workload/job/gate.h"
#include "workload/schedule/affinity.h"
#include "workload/schedule/intensity.h"
#include "workload/schedule/outline.h"
#include "workload/schedule/path_choice.h"
#include "workload/schedule/profile.h"
#include "workload/world.h"

/* What is wanted of it. */
struct orr_plan_request {
    bool turns;       /* CASSINI: when each job starts */
    bool paths;       /* Crux: paths */
    bool priorities;  /* Crux: classes */
    int64_t grid_ps;  /* of circles; 0: the finest that will do */
    double slack;     /* added to iterations that were estimated, a share */
    double threshold; /* of their gates: how late is too late, a share */
    uint32_t classes; /* that there may be; 1 .. ORR_MOST_CLASSES */
    uint32_t orders;  /* sampled for the compression */
};
#define ORR_PLAN_SLACK     0.003
#define ORR_PLAN_THRESHOLD 0.05
enum { ORR_PLAN_ORDERS = 100 };

/* What the plan knows of a job and gives it; times are ps. */
struct orr_plan_job {
    const struct orr_job *job;
    struct orr_profile profile; /* by the ways chosen */
    bool given;                 /* the profile is the user's */
    struct orr_swing swing;     /* with request.turns: of what is estimated */
    bool unknown; /* it has none: its program cannot be worked out */
    struct orr_path_table paths;  /* with request.ways: those chosen */
    struct orr_contender rank;    /* with request.priorities: what it goes by */
    uint32_t class;               /* ... and what it was given */
    bool gated;                   /* it takes turns, every iteration of it; of
                                   * request.turns and a part, false: they would
                                   * not hold, or are no gain */
    int64_t period_ps, offset_ps; /* of its gate, or what that would have */
    uint32_t times; /* ... openings of it in a period, one for each iteration;
                     * 0: one */
    int64_t time_ps[ORR_MOST_TIMES]; /* ... when, from the offset on */
    double stretch;  /* its period was made so many times as long, so that jobs
                        that ask for more than a link has can take turns */
    double share;    /* of links, beside others of its class; 0: 1, as theirs */
    uint32_t varies; /* which example of its jitter is expected; 0: none is */
    uint32_t tightest; /* the link that is busiest with it, or ORR_NONE */
    double own_demand; /* the most it asks of a link, a share of its rate */
    uint32_t over;     /* the link of that */
    double baseline_ps, fair_ps,
        planned_ps; /* expected iterations; alone: on its
                     * own paths, or those chosen */
    double best_ps; /* alone, on the best paths; 0: not asked for, not known */
};

/* Freed with orr__plan_free. */
struct orr_plan {
    const struct orr_world *world;
    struct orr_plan_request request;
    uint32_t n;                 /* jobs */
    struct orr_plan_job *job;   /* as the world's */
    struct orr_circles circles; /* links on which demands may exceed the rate */
    struct orr_affinity affinity; /* of those meetings */
    uint32_t shared_links;  /* links that two jobs or more use, tight or not */
    double lost;            /* of the priorities, by compression */
    enum orr_cut_proof cut; /* how sure it is that no less can be lost */
};

/* Links on which the peaks of all jobs add up to less need no turns: what is
 * above the rate is headers and ACKs. */
#define ORR_PLAN_TIGHT 1.02
/* Demands under this share of a link's rate (ACKs, mostly) meet nobody. */
#define ORR_PLAN_FAINT 0.03

/* Needs world->net. profiles: a map from names of jobs to profiles, or NULL.
 * *out is to be given to orr__plan_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__plan_make(const struct orr_world *w,
                                        const struct orr_yaml *profiles,
                                        const struct orr_plan_request *request,
                                        struct orr_plan *out,
                                        struct orr_report *why);
/* Finds best_ps of all jobs whose profile is not given. It takes as long as to
 * work them all out again, twice. */
ORR_CHECK_RESULT orr_err orr__plan_best(struct orr_plan *s,
                                        struct orr_report *why);
void orr__plan_fini(struct orr_plan *s);

/* What an iteration has of its gate's period, ps. */
double orr__plan_turn_ps(const struct orr_plan_job *x);

/* The most that a job asks of a link, bit/s. */
uint64_t orr__demand_peak(const struct orr_link_demand *d);

#endif
