#include "core/thread_pool.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "core/assert.h"
#include "core/memory.h"

/* A helper looks for work so often before it lets others run, and lets others
 * run so often before it sleeps. */
#define SPINS  400
#define YIELDS 200
/* The leader looks so often for the end of a phase before it lets others run:
 * whoever holds the part may be waiting for this processor. After so many turns
 * that it gave away, some milliseconds, it sleeps between looks: on a machine
 * with more to do than processors, the part's holder may wait long. */
#define LEADER_SPINS    200
#define LEADER_YIELDS   2000
#define LEADER_SLEEP_NS 100000
/* Helpers that sleep are called no more often than this, wall time: a call
 * costs microseconds, and is in vain where they have no processor. Where a
 * phase lasts longer, they fall asleep in all of them, as they wait for the
 * last part. Checked builds call at once, so that helpers help there. */
#ifdef ORR_DEBUG
#define CALL_EVERY_NS 0
#else
#define CALL_EVERY_NS 500000
#endif

/* In which phase a part was taken last. It is one behind the crew's while the
 * part is free, so a thread that looks late finds nothing. */
struct part {
    _Alignas(64) _Atomic uint64_t taken;
};

/* A thread of the pool, and which part of the work is its own. */
struct helper {
    pthread_t id;
    struct orr_thread_pool *crew;
    unsigned number; /* the leader is 0 */
};

/* What different threads write stands on lines of its own. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct orr_thread_pool {
    unsigned threads, parts;
    unsigned started; /* helpers */
    struct part *part;
    struct helper *helper;
    /* of this phase; read by who holds a part of it */
    void (*fn)(void *arg, unsigned part);
    void *arg;
    int64_t called_ns; /* when helpers were last: the leader's */
    _Alignas(64) _Atomic uint64_t phase;
    atomic_uint limit; /* helpers with a lower number take part */
    atomic_bool over;
    _Alignas(64) atomic_uint left; /* parts of this phase that are not done */
    _Alignas(64) atomic_uint asleep;
    pthread_mutex_t lock; /* helpers sleep under it */
    pthread_cond_t call;
};

struct orr_thread_pool *orr__thread_pool_new(unsigned threads, unsigned parts)
{
    assert(threads > 0 && parts > 0);
    struct orr_thread_pool *c = orr__alloc_lines(1, sizeof *c);

    if (!c)
        return NULL;
    c->threads = threads;
    c->parts = parts;
    c->part = orr__alloc_lines(parts, sizeof *c->part);
    c->helper = orr__alloc(threads, sizeof *c->helper);
    atomic_store(&c->limit, threads);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->call, NULL);
    if (c->part && c->helper)
        return c;
    orr__thread_pool_free(c);
    return NULL;
}

void orr__thread_pool_free(struct orr_thread_pool *c)
{
    if (!c)
        return;
    assert(c->started == 0);
    pthread_cond_destroy(&c->call);
    pthread_mutex_destroy(&c->lock);
    orr__free(c->part);
    orr__free(c->helper);
    orr__free(c);
}

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Takes parts of this phase until none is left to take: its own ones first,
 * which its cache may still hold. */
static void serve_phase(struct orr_thread_pool *c, uint64_t phase,
                        unsigned number)
{
    unsigned first = (unsigned)((uint64_t)number * c->parts / c->threads);

    ORR_ASSERT(number < c->threads && phase > 0);
    for (unsigned i = 0; i < c->parts; i++) {
        unsigned part = first + i < c->parts ? first + i : first + i - c->parts;
        uint64_t before = phase - 1;

        if (atomic_load_explicit(&c->part[part].taken, memory_order_relaxed)
                != before
            || !atomic_compare_exchange_strong_explicit(
                &c->part[part].taken, &before, phase, memory_order_acq_rel,
                memory_order_relaxed))
            continue;
        c->fn(c->arg, part);
        atomic_fetch_sub_explicit(&c->left, 1, memory_order_acq_rel);
    }
}

static bool has_work(struct orr_thread_pool *c, uint64_t seen, unsigned number)
{
    return atomic_load_explicit(&c->phase, memory_order_acquire) != seen
           && number < atomic_load_explicit(&c->limit, memory_order_relaxed);
}

static bool is_over(struct orr_thread_pool *c)
{
    return atomic_load_explicit(&c->over, memory_order_relaxed);
}

static void sleep_until_called(struct orr_thread_pool *c, uint64_t seen,
                               unsigned number)
{
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->asleep, 1);
    while (!has_work(c, seen, number) && !is_over(c))
        pthread_cond_wait(&c->call, &c->lock);
    atomic_fetch_sub(&c->asleep, 1);
    pthread_mutex_unlock(&c->lock);
}

/* A thread of the crew: waits for a phase, first without sleeping, as windows
 * are short, and serves in it. */
static void *run_helper(void *arg)
{
    struct helper *h = arg;
    struct orr_thread_pool *c = h->crew;
    uint64_t seen = 0;

    while (!is_over(c)) {
        for (unsigned i = 0; !has_work(c, seen, h->number); i++) {
            if (is_over(c))
                return NULL;
            if (i < SPINS)
                pause_cpu();
            else if (i < SPINS + YIELDS)
                sched_yield();
            else
                sleep_until_called(c, seen, h->number);
        }
        seen = atomic_load_explicit(&c->phase, memory_order_acquire);
        serve_phase(c, seen, h->number);
    }
    return NULL;
}

orr_err orr__thread_pool_start(struct orr_thread_pool *c,
                               struct orr_report *why)
{
    atomic_store(&c->over, false);
    while (c->started + 1 < c->threads) {
        struct helper *h = &c->helper[c->started];

        *h = (struct helper){.crew = c, .number = c->started + 1};
        if (pthread_create(&h->id, NULL, run_helper, h) != 0) {
            orr__thread_pool_stop(c);
            return orr__fail(why, ORR_ERUN, "cannot start %u threads",
                             c->threads);
        }
        c->started++;
    }
    return ORR_OK;
}

static void wake_all(struct orr_thread_pool *c)
{
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->call);
    pthread_mutex_unlock(&c->lock);
}

void orr__thread_pool_stop(struct orr_thread_pool *c)
{
    atomic_store(&c->over, true);
    wake_all(c);
    while (c->started)
        pthread_join(c->helper[--c->started].id, NULL);
}

void orr__thread_pool_limit(struct orr_thread_pool *c, unsigned threads)
{
    ORR_ASSERT(threads > 0 && threads <= c->threads);
    bool more = threads > atomic_load(&c->limit);

    atomic_store(&c->limit, threads);
    if (more)
        wake_all(c);
}

int64_t orr__wall_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A helper that is about to sleep holds the lock: it will see this phase, or
 * is called in a later one. */
static void call_helpers(struct orr_thread_pool *c)
{
    int64_t now;

    if (!atomic_load_explicit(&c->asleep, memory_order_relaxed))
        return;
    now = orr__wall_ns();
    if (now - c->called_ns < CALL_EVERY_NS
        || pthread_mutex_trylock(&c->lock) != 0)
        return;
    c->called_ns = now;
    pthread_cond_broadcast(&c->call);
    pthread_mutex_unlock(&c->lock);
}

void orr__thread_pool_share(struct orr_thread_pool *c,
                            void (*fn)(void *arg, unsigned part), void *arg)
{
    uint64_t phase = atomic_load_explicit(&c->phase, memory_order_relaxed) + 1;

    /* nobody holds a part of the phase before */
    ORR_ASSERT(atomic_load_explicit(&c->left, memory_order_relaxed) == 0);
    c->fn = fn;
    c->arg = arg;
    atomic_store_explicit(&c->left, c->parts, memory_order_relaxed);
    atomic_store_explicit(&c->phase, phase, memory_order_release);
    call_helpers(c);
    serve_phase(c, phase, 0);
    for (unsigned i = 0; atomic_load_explicit(&c->left, memory_order_acquire);
         i++) {
        if (i < LEADER_SPINS)
            pause_cpu();
        else if (i < LEADER_SPINS + LEADER_YIELDS)
            sched_yield();
        else
            nanosleep(&(struct timespec){.tv_nsec = LEADER_SLEEP_NS}, NULL);
    }
}

/* ---- how many threads there is a processor for ---- */

/* Processors that a quota of so much in each period is worth; 0: no limit. */
static unsigned processors_worth(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    return (unsigned)((quota + period - 1) / period);
}

/* The first number in a file, or -1. *second: the next one, if any. */
static long long read_numbers(const char *path, long long *second)
{
    FILE *f = fopen(path, "r");
    long long first = -1;

    if (!f)
        return -1;
    if (fscanf(f, "%lld %lld", &first, second) < 1)
        first = -1; /* "max", or nothing */
    fclose(f);
    return first;
}

/* The cgroup's quota as a container sees it: version 2, or version 1. */
static unsigned read_quota(void)
{
    long long period = -1, none,
              us = read_numbers("/sys/fs/cgroup/cpu.max", &period);

    if (us > 0)
        return processors_worth(us, period);
    us = read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &none);
    period = read_numbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", &none);
    return processors_worth(us, period);
}

unsigned orr__processors(void)
{
    cpu_set_t set;
    unsigned count = 1, limit = read_quota();

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = (unsigned)CPU_COUNT(&set);
    if (limit && limit < count)
        count = limit;
    return count ? count : 1;
}
