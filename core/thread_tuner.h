/* How many threads help: measured while running. A processor may be busy with
 * the work of others, or there may be none, and that may change at any time.
 * What is compared is work done in a stretch of wall time with so many threads
 * and, now and then and for a moment, with twice or half as many. It decides
 * how fast a run is, and nothing else. */
#ifndef ORR_CORE_THREAD_TUNER_H
#define ORR_CORE_THREAD_TUNER_H

#include <stdbool.h>
#include <stdint.h>

/* Used between windows by the leading thread alone; times are ns of wall time.
 */
struct orr_thread_tuner {
    unsigned most;    /* threads that there are */
    unsigned threads; /* that take part now */
    unsigned settled; /* the same between trials */
    bool up;          /* the next trial is with more */
    uint64_t work;    /* done since began_ns */
    int64_t began_ns; /* of this stretch; 0: none yet */
    int64_t trial_ns; /* when the next trial is due */
    int64_t wait_ns;  /* between trials; grows while they bring nothing */
    int64_t rose_ns;  /* when there were more, last */
    int64_t doubt_ns; /* to wait after there are less; grows while it turns out,
                       * again and again, that more were no better */
    /* With `settled`: work, and the ns that it took, in which older stretches
     * count for less. */
    double done, took_ns;
};

/* Begins with all of them. */
void orr__thread_tuner_init(struct orr_thread_tuner *t, unsigned most);
/* So much was done since the last call, and it is now_ns (> 0, any origin).
 * Returns how many threads are to take part from now on. */
unsigned orr__thread_tuner_note(struct orr_thread_tuner *t, uint64_t work,
                                int64_t now_ns);

#endif
