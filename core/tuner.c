#include "core/tuner.h"

#include "core/assert.h"

#define STRETCH 1000000     /* ns that a rate is measured for */
#define FIRST_TRIAL 2000000 /* ns after the beginning */
#define LEAST_WAIT 16000000 /* ns between trials */
#define MOST_WAIT 512000000
#define TRIALS_APART 32 /* at least so many times as long as the last one: a
                         * window of a large network is longer than a stretch */
#define BETTER 1.05 /* times as fast: what more threads have to be */
#define AS_GOOD 0.98 /* the same of fewer: those that do not help are let go */

void orr__tuner_init(struct orr_tuner *t, unsigned most)
{
    ORR_ASSERT(most > 0);
    *t = (struct orr_tuner){
        .most = most,
        .threads = most,
        .settled = most,
        .wait_ns = LEAST_WAIT,
    };
}

static void begin(struct orr_tuner *t, unsigned threads, int64_t now_ns)
{
    ORR_ASSERT(threads > 0 && threads <= t->most);
    t->threads = threads;
    t->work = 0;
    t->began_ns = now_ns;
}

/* Twice or half as many, in turn where there are both. */
static unsigned another(struct orr_tuner *t)
{
    if (t->settled == 1)
        t->up = true;
    else if (t->settled == t->most)
        t->up = false;
    if (!t->up)
        return (t->settled + 1) / 2;
    return 2 * t->settled < t->most ? 2 * t->settled : t->most;
}

static void judge(struct orr_tuner *t, double rate, int64_t now_ns)
{
    ORR_ASSERT(t->settled != t->threads);
    int64_t apart = TRIALS_APART * (now_ns - t->began_ns);
    double wanted = t->threads > t->settled ? BETTER : AS_GOOD;

    if (rate > wanted * t->rate) {
        t->settled = t->threads; /* and on in this direction */
        t->wait_ns = LEAST_WAIT;
    } else {
        t->up = !t->up;
        t->wait_ns = t->wait_ns < MOST_WAIT ? 2 * t->wait_ns : MOST_WAIT;
    }
    t->trial_ns = now_ns + (t->wait_ns > apart ? t->wait_ns : apart);
    begin(t, t->settled, now_ns);
}

unsigned orr__tuner_note(struct orr_tuner *t, uint64_t work, int64_t now_ns)
{
    double rate;

    if (t->most == 1)
        return 1;
    t->work += work;
    if (t->began_ns == 0) {
        t->trial_ns = now_ns + FIRST_TRIAL;
        begin(t, t->settled, now_ns);
        return t->threads;
    }
    if (now_ns - t->began_ns < STRETCH)
        return t->threads;
    rate = (double)t->work / (double)(now_ns - t->began_ns);
    if (t->threads != t->settled) {
        judge(t, rate, now_ns);
        return t->threads;
    }
    t->rate = rate;
    begin(t, now_ns >= t->trial_ns ? another(t) : t->settled, now_ns);
    return t->threads;
}
