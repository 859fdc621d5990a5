/* A barrier whose last arrival runs a serial section before all go on. Waiters
 * spin for a moment (windows are short), then sleep (machines are shared). */
#ifndef ORR_CORE_BARRIER_H
#define ORR_CORE_BARRIER_H

#include <pthread.h>
#include <stdatomic.h>

struct orr_barrier {
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint turn;
    _Alignas(64) pthread_mutex_t lock;
    pthread_cond_t gone_on;
    unsigned parties;
};

void orr__barrier_init(struct orr_barrier *b, unsigned parties);
void orr__barrier_fini(struct orr_barrier *b);
/* serial may be NULL. Everything before the barrier in any thread happens
 * before serial, and serial before everything after it. */
void orr__barrier_wait(struct orr_barrier *b, void (*serial)(void *arg),
                       void *arg);

#endif
