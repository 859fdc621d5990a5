#include "core/barrier.h"

#define SPINS 4000

void orr__barrier_init(struct orr_barrier *b, unsigned parties)
{
    atomic_init(&b->arrived, 0);
    atomic_init(&b->turn, 0);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->gone_on, NULL);
    b->parties = parties;
}

void orr__barrier_fini(struct orr_barrier *b)
{
    pthread_cond_destroy(&b->gone_on);
    pthread_mutex_destroy(&b->lock);
}

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

void orr__barrier_wait(struct orr_barrier *b, void (*serial)(void *arg),
                       void *arg)
{
    unsigned turn = atomic_load_explicit(&b->turn, memory_order_relaxed);

    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1
        == b->parties) {
        if (serial)
            serial(arg);
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        pthread_mutex_lock(&b->lock);
        atomic_store_explicit(&b->turn, turn + 1, memory_order_release);
        pthread_cond_broadcast(&b->gone_on);
        pthread_mutex_unlock(&b->lock);
        return;
    }
    for (unsigned i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&b->turn, memory_order_acquire) != turn)
            return;
        pause_cpu();
    }
    pthread_mutex_lock(&b->lock);
    while (atomic_load_explicit(&b->turn, memory_order_acquire) == turn)
        pthread_cond_wait(&b->gone_on, &b->lock);
    pthread_mutex_unlock(&b->lock);
}
