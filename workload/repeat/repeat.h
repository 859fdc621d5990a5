/* Whole iterations at once: training repeats itself, and what is the same again
 * need not be simulated again. Docs: docs/model.md, "Repetition". */
#ifndef ORR_WORKLOAD_REPEAT_REPEAT_H
#define ORR_WORKLOAD_REPEAT_REPEAT_H

#include "core/config/param.h"
#include "workload/world.h"

enum orr_repeat_kind { ORR_REPEAT_NONE, ORR_REPEAT_EXACT, ORR_REPEAT_SAMPLED };

/* A stretch of a run that was gone over several times at once. */
struct orr_repeat_jump {
    int64_t at_ps;     /* where it began */
    int64_t period_ps; /* of what was repeated */
    uint64_t times;    /* > 0 */
};

/* What iterations of a job were inferred from. */
struct orr_repeat_basis {
    uint32_t iterations; /* least number; 0: none were inferred */
    double mean_ps;      /* of the last ones */
    double half_ps;      /* half of the 95 % confidence interval of the time
                          * that all that were inferred take */
    double misfit_ps;    /* by how much they were made longer or shorter, to
                          * fit into what was skipped */
    double drift;        /* of the mean over those iterations, share: the
                          * largest */
};

/* What came of it, for summaries: world->result.repeated. */
struct orr_repeat_result {
    enum orr_repeat_kind kind;
    struct orr_repeat_jump *jump; /* in order of time; owned, like `job` */
    uint32_t jumps;
    struct orr_repeat_basis *job; /* per job */
    const char *full;             /* why it was given up, or NULL */
};

const struct orr_param *orr__repeat_params(void); /* for `help repeat` */
/* Reads the node `repeat` (NULL: none) into world->repeat. */
ORR_CHECK_RESULT orr_err orr__repeat_read(struct orr_world *w,
                                          const struct orr_yaml *repeat,
                                          struct orr_report *why);
/* The error of `kind: sampled`, a share; 0: it is not asked for. */
double orr__repeat_error(const struct orr_world *w);
/* Once the net is built: what `operations` can replay. */
ORR_CHECK_RESULT orr_err orr__repeat_plan(struct orr_world *w,
                                          struct orr_report *why);
/* Before jobs start: what others that look on leave of that. */
void orr__repeat_check_observers(struct orr_world *w);
/* Once jobs and flows have been started. */
ORR_CHECK_RESULT orr_err orr__repeat_start(struct orr_world *w,
                                           struct orr_report *why);
/* As orr__net_run. */
ORR_CHECK_RESULT orr_err orr__repeat_run(struct orr_world *w, int64_t stop,
                                         bool (*poll)(void *arg, int64_t now),
                                         void *arg, int64_t *end,
                                         struct orr_report *why);
void orr__repeat_free(struct orr_world *w);

#endif
