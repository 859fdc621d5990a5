/* PipeDream's dynamic programme: how a model is cut into stages, and how many
 * machines each has, so that the slowest stage takes the least time for a
 * minibatch. Level by level: the machines of a level are groups of those of the
 * level below, which are planned first. All times are whole picoseconds. */
#ifndef ORR_STUDY_PLAN_PIPEDREAM_PARTITION_H
#define ORR_STUDY_PLAN_PIPEDREAM_PARTITION_H

#include "study/plan/pipedream/cuts.h"

/* How long a stage of m replicas takes, with W bytes of parameters and a
 * computation of c at a rate B; and what is handed on, a bytes. */
enum orr_stage_cost {
    /* (c + 4 (m-1) W / (B m)) / m, where a single stage divides the second term
     * by the machines of a group; in and out: 2 a / (B m) */
    ORR_COST_CODE,
    ORR_COST_PAPER, /* max(c, 2 (m-1) W / B) / m; in: 2 a / B */
};

#define ORR_PARTITION_LEVELS 8
/* How many there are in a group of this level, and the rate of the link of
 * each. At the levels above the first, each is a group of the level below. */
struct orr_partition_level {
    uint32_t machines; /* > 0 */
    uint64_t rate_bps; /* > 0 */
};

/* What is to be planned; cuts stay the caller's and outlive the plan. */
struct orr_partition_request {
    const struct orr_cuts *cuts;
    enum orr_stage_cost cost;
    uint32_t levels; /* the innermost first */
    struct orr_partition_level level[ORR_PARTITION_LEVELS];
    uint64_t memory; /* bytes of a machine; 0: any */
};

/* A stage of the answer: its layers and where it runs. Its bytes follow from
 * the two cuts. */
struct orr_planned_stage {
    uint32_t from, to; /* cuts: it has the layers between them; from: 1 + the
                        * cut's number, 0: it begins the model */
    uint32_t replicas; /* over all levels */
    uint32_t per_level[ORR_PARTITION_LEVELS];
    uint32_t at[ORR_PARTITION_LEVELS]; /* its first machine at each level */
    int64_t compute_ps;                /* of a minibatch, on one machine */
};

struct orr_partition { /* owns stage */
    uint32_t stages;
    struct orr_planned_stage *stage;
    uint32_t machines;     /* of all levels */
    int64_t slowest_ps;    /* a minibatch's share of the slowest stage */
    int64_t replicated_ps; /* the same with all layers on all machines */
    int64_t single_ps;     /* on one machine */
};

/* Fails with ECONFIG (at `at`) when no stages fit in the memory, or the work
 * is too much. *out: to be given to orr__partition_fini, however this ends. */
ORR_CHECK_RESULT orr_err orr__partition(const struct orr_partition_request *q,
                                        struct orr_config *c,
                                        const struct orr_yaml *at,
                                        struct orr_partition *out,
                                        struct orr_report *why);
void orr__partition_fini(struct orr_partition *p);

#endif
