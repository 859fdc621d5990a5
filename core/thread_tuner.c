#include "core/thread_tuner.h"

#include "core/assert.h"

#define STRETCH     1000000  /* ns that a rate is measured for */
#define FIRST_TRIAL 2000000  /* ns after the beginning */
#define LEAST_WAIT  16000000 /* ns between trials */
#define MOST_WAIT   512000000
#define LASTS                                                                  \
    8 /* more threads were better if they last so many times as                \
       * long as they had to wait */
#define TRIALS_APART                                                           \
    32 /* at least so many times as long as the last one: a                    \
        * window of a large network is longer than a stretch */
#define KEEPS                                                                  \
    0.9 /* of a stretch a later one leaves so much: where others want          \
         * the processors, what threads wait for comes seldom, and             \
         * lasts */
#define BETTER 1.05 /* times as fast: what more threads have to be */
#define AS_GOOD                                                                \
    0.98 /* the same of fewer: those that do not help are let go               \
          */

void orr__thread_tuner_init(struct orr_thread_tuner *t, unsigned most)
{
    ORR_ASSERT(most > 0);
    *t = (struct orr_thread_tuner){
        .most = most,
        .threads = most,
        .settled = most,
        .wait_ns = LEAST_WAIT,
        .doubt_ns = LEAST_WAIT,
    };
}

static void begin_trial(struct orr_thread_tuner *t, unsigned threads,
                        int64_t now_ns)
{
    ORR_ASSERT(threads > 0 && threads <= t->most);
    t->threads = threads;
    t->work = 0;
    t->began_ns = now_ns;
}

/* Twice or half as many, in turn where there are both. */
static unsigned another(struct orr_thread_tuner *t)
{
    if (t->settled == 1)
        t->up = true;
    else if (t->settled == t->most)
        t->up = false;
    if (!t->up)
        return (t->settled + 1) / 2;
    return 2 * t->settled < t->most ? 2 * t->settled : t->most;
}

/* A stretch with `settled` is over. */
static void note_stretch(struct orr_thread_tuner *t, int64_t now_ns)
{
    t->done = KEEPS * t->done + (double)t->work;
    t->took_ns = KEEPS * t->took_ns + (double)(now_ns - t->began_ns);
}

/* As many as in the trial, from now on. Fewer: a trial with more would again
 * look good if it is as short. */
static void settle(struct orr_thread_tuner *t, int64_t now_ns)
{
    bool soon = now_ns - t->rose_ns < LASTS * t->doubt_ns;

    t->wait_ns = LEAST_WAIT;
    if (t->threads > t->settled) {
        t->rose_ns = now_ns;
    } else {
        t->doubt_ns = !soon                     ? LEAST_WAIT
                      : t->doubt_ns < MOST_WAIT ? 2 * t->doubt_ns
                                                : MOST_WAIT;
        t->wait_ns = t->doubt_ns;
    }
    t->settled = t->threads;
    t->done = t->took_ns = 0;
    note_stretch(t, now_ns);
}

/* Ends a trial: keeps its number of threads if it did enough more work a
 * second, else returns to `settled` and waits longer for the next one. */
static void judge_trial(struct orr_thread_tuner *t, int64_t now_ns)
{
    ORR_ASSERT(t->settled != t->threads);
    int64_t apart = TRIALS_APART * (now_ns - t->began_ns);
    double wanted = t->threads > t->settled ? BETTER : AS_GOOD;

    /* work over time, both sides multiplied */
    if ((double)t->work * t->took_ns
        > wanted * t->done * (double)(now_ns - t->began_ns)) {
        settle(t, now_ns); /* and on in this direction */
    } else {
        t->up = !t->up;
        t->wait_ns = t->wait_ns < MOST_WAIT ? 2 * t->wait_ns : MOST_WAIT;
    }
    t->trial_ns = now_ns + (t->wait_ns > apart ? t->wait_ns : apart);
    begin_trial(t, t->settled, now_ns);
}

unsigned orr__thread_tuner_note(struct orr_thread_tuner *t, uint64_t work,
                                int64_t now_ns)
{
    if (t->most == 1)
        return 1;
    t->work += work;
    if (t->began_ns == 0) {
        t->trial_ns = now_ns + FIRST_TRIAL;
        begin_trial(t, t->settled, now_ns);
        return t->threads;
    }
    if (now_ns - t->began_ns < STRETCH)
        return t->threads;
    if (t->threads != t->settled) {
        judge_trial(t, now_ns);
        return t->threads;
    }
    note_stretch(t, now_ns);
    begin_trial(t, now_ns >= t->trial_ns ? another(t) : t->settled, now_ns);
    return t->threads;
}
