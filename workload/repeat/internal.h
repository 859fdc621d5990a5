/* Repetition, between its files. */
#ifndef ORR_WORKLOAD_REPEAT_INTERNAL_H
#define ORR_WORKLOAD_REPEAT_INTERNAL_H

#include "net/watch/state.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"
#include "workload/repeat/repeat.h"
#include "workload/repeat/sample.h"

#define ORR_REPEAT_KEPT 256 /* iterations and looks that are remembered */

enum orr_repeat_stage {
    ORR_REPEAT_WATCH,  /* a look is taken where it is asked for */
    ORR_REPEAT_WAIT,   /* exact: until ranks are all in the cycle */
    ORR_REPEAT_RECORD, /* what may be skipped is recorded */
};

struct orr_repeat_moment { /* a look */
    uint64_t digest;
    int64_t at;          /* ps */
    uint32_t *iteration; /* of each job */
};

/* The repetition of one run; owned by the world, changed between windows but
 * for what the pace's thread says. */
struct orr_repeat {
    struct orr_repeat_result result; /* so far */
    bool on;      /* false: it was given up, or never begun */
    double error; /* sampled: share of the mean that may be missed */
    struct orr_world *world;
    struct orr_snapshot_watch watch; /* calls of the net, about jobs */
    enum orr_repeat_stage stage;
    struct orr_job *pace; /* job whose iterations are watched; NULL: none */

    /* of the pace, told by its thread */
    int64_t ended_at;                  /* its last iteration; -1: none yet */
    int64_t duration[ORR_REPEAT_KEPT]; /* ps, a ring of its last ones */
    uint32_t durations;                /* that were put there */
    uint32_t count;                    /* iterations since it became the pace */
    uint32_t check;   /* sampled: a look is due after so many */
    bool armed;       /* a look may be asked for */
    int64_t asked_at; /* for an iteration that ended then; -1: not */

    int64_t snapshot_at; /* ORR_NEVER: no look is due */
    struct orr_net_snapshot first,
        second;     /* at both ends of what is recorded */
    int64_t period; /* from first to second */
    uint64_t room;  /* for so many more at most */
    uint32_t *more; /* per job: iterations that are skipped now */

    /* exact */
    struct orr_repeat_moment seen[ORR_REPEAT_KEPT];
    uint32_t snapshots;           /* that were put there: a ring, too */
    uint32_t *iterations;         /* of all of them */
    struct orr_net_snapshot last; /* the one before; zeroed: none */
    uint32_t *cycle;              /* per job: iterations of it in a period */
    uint32_t misses;              /* cycles recorded that were none */

    /* sampled */
    int64_t since;             /* what is measured begins then */
    uint64_t flows;            /* open at the last look */
    struct orr_sample *sample; /* per job: what was measured */
};

/* repeat.c: goes on as before; is done with for good, for this reason. */
void orr__repeat_resume(struct orr_repeat *r);
void orr__repeat_give_up(struct orr_repeat *r, const char *full);
/* The iteration of a job that others are counted from. */
static inline uint32_t orr__repeat_base(const struct orr_job *j)
{
    return j->team->rank[0].iteration;
}
/* Whole periods from a moment on that end before anything that is known to come
 * from outside: failures, other jobs and flows (`outside`), `stop`. */
uint64_t orr__repeat_room(const struct orr_repeat *r, int64_t from,
                          int64_t outside, int64_t stop);
/* Begins to record a period from now on, that may be skipped `*exact` times.
 * Then that is how often, at most, if what observers see is to be exact. */
orr_err orr__repeat_record(struct orr_repeat *r, uint64_t *exact,
                           struct orr_report *why);
/* Skips the period so many times; r->more says what that is for jobs. */
orr_err orr__repeat_jump(struct orr_repeat *r, uint64_t times,
                         struct orr_report *why);

/* exact.c, sampled.c: it is time for a look. */
orr_err orr__exact_snapshot(struct orr_repeat *r, int64_t stop,
                            struct orr_report *why);
orr_err orr__sampled_snapshot(struct orr_repeat *r, int64_t stop,
                              struct orr_report *why);
/* There is another pace, or time has gone on by a jump. */
void orr__sampled_begin(struct orr_repeat *r);

#endif
