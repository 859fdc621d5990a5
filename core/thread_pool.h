/* A crew: one thread leads, others help where they can. Work is cut into parts
 * (more than there are threads, so that load evens out), and a phase is over
 * when all parts of it are done. Whoever is awake takes the next part, by one
 * compare-and-swap; the leader waits for nothing but parts that somebody holds.
 * So helpers that sleep, or have no processor to run on, hold nobody up, and
 * what is done does not depend on who does it. */
#ifndef ORR_CORE_THREAD_POOL_H
#define ORR_CORE_THREAD_POOL_H

#include <stdint.h>

#include "core/error.h"

struct orr_thread_pool;

/* Nothing runs yet. 1 <= threads, the leader among them. NULL: no memory. */
struct orr_thread_pool *orr__thread_pool_new(unsigned threads, unsigned parts);
void orr__thread_pool_free(struct orr_thread_pool *c);
/* The helpers begin and end; a crew may be started again. */
ORR_CHECK_RESULT orr_err orr__thread_pool_start(struct orr_thread_pool *c,
                                                struct orr_report *why);
void orr__thread_pool_stop(struct orr_thread_pool *c);
/* So many threads take part from now on, the leader among them. The leader
 * calls this, and what follows. */
void orr__thread_pool_limit(struct orr_thread_pool *c, unsigned threads);
/* fn(arg, part) for every part; a thread has the same ones as a rule. What was
 * written before the call is seen by all, and what they wrote after it. */
void orr__thread_pool_share(struct orr_thread_pool *c,
                            void (*fn)(void *arg, unsigned part), void *arg);

/* Wall time since some moment, ns: what helpers are called by, and judged. */
int64_t orr__wall_ns(void);

/* Processors that this process may use: of its affinity mask, and no more than
 * its cgroup's quota of CPU time is worth, rounded up. At least 1. */
unsigned orr__processors(void);

#endif
