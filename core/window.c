#include "core/window.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "core/agenda.h"
#include "core/barrier.h"
#include "core/memory.h"
#include "core/units.h"

/* A window with fewer processes than this is run by one thread: a barrier
 * costs more than it would save. Checked builds share at once, so that small
 * networks show what threads do to each other. */
#ifdef ORR_DEBUG
#define WORTH_SHARING 2
#else
#define WORTH_SHARING 24
#endif
/* Processes run between two looks at the wall clock. */
#define POLL_EVERY 2048

struct lane { /* one worker's own; padded so that no line is shared */
    _Alignas(64) struct orr_agenda agenda;
    uint32_t *process; /* process of each agenda entry */
    uint32_t processes;
};

struct control {
    int64_t at;
    int64_t (*fn)(void *arg, int64_t now);
    void *arg;
};

struct orr_windows {
    struct orr_windows_ops ops;
    void *world;
    int64_t lookahead;
    unsigned workers;
    struct lane *lane;
    const uint32_t *owner; /* per process */
    uint32_t *entry;       /* per process: its entry in its owner's agenda */
    struct control *control;
    size_t controls;

    /* the window being run: window index, and its end, which a control event
     * or the stop may pull before the end of the grid cell */
    int64_t window, end, now, stop;
    int64_t controlled; /* time of the last control that was run */
    bool done;
    atomic_bool halted;
    atomic_int failure;
    bool (*poll)(void *arg, int64_t now);
    void *poll_arg;
    uint64_t since_poll;
    struct timespec polled;
    struct orr_barrier barrier;
    pthread_mutex_t gate;
};

static orr_err make_lanes(struct orr_windows *w, uint32_t processes)
{
    w->lane = orr__alloc_lines(w->workers, sizeof *w->lane);
    w->entry = orr__alloc(processes, sizeof *w->entry);
    if (!w->lane || !w->entry)
        return ORR_ENOMEM;
    for (uint32_t p = 0; p < processes; p++)
        w->entry[p] = w->lane[w->owner[p]].processes++;
    for (unsigned i = 0; i < w->workers; i++) {
        struct lane *l = &w->lane[i];

        l->process = orr__alloc(l->processes, sizeof *l->process);
        if (!l->process
            || !orr__agenda_init(&l->agenda, l->processes, w->lookahead))
            return ORR_ENOMEM;
    }
    for (uint32_t p = 0; p < processes; p++)
        w->lane[w->owner[p]].process[w->entry[p]] = p;
    return ORR_OK;
}

orr_err orr__windows_new(uint32_t processes, int64_t lookahead,
                         unsigned workers, const uint32_t *owner,
                         const struct orr_windows_ops *ops, void *world,
                         struct orr_windows **out, struct orr_report *why)
{
    struct orr_windows *w = orr__alloc_lines(1, sizeof *w);

    if (!w)
        return orr__no_memory(why);
    w->ops = *ops;
    w->world = world;
    w->lookahead = lookahead;
    w->workers = workers;
    w->owner = owner;
    if (make_lanes(w, processes) != ORR_OK) {
        orr__windows_free(w);
        return orr__no_memory(why);
    }
    *out = w;
    return ORR_OK;
}

void orr__windows_free(struct orr_windows *w)
{
    if (!w)
        return;
    for (unsigned i = 0; w->lane && i < w->workers; i++) {
        orr__agenda_fini(&w->lane[i].agenda);
        orr__free(w->lane[i].process);
    }
    orr__free(w->lane);
    orr__free(w->entry);
    orr__free(w->control);
    orr__free(w);
}

void orr__windows_wake(struct orr_windows *w, uint32_t process, int64_t at)
{
    struct lane *l = &w->lane[w->owner[process]];

    if (at != ORR_NEVER)
        orr__agenda_wake(&l->agenda, w->entry[process], at);
}

orr_err orr__windows_control(struct orr_windows *w, int64_t at,
                             int64_t (*fn)(void *arg, int64_t now), void *arg,
                             struct orr_report *why)
{
    struct control *c
        = orr__resize(w->control, w->controls + 1, sizeof *w->control);

    if (!c)
        return orr__no_memory(why);
    w->control = c;
    w->control[w->controls++]
        = (struct control){.at = at, .fn = fn, .arg = arg};
    return ORR_OK;
}

void orr__windows_fail(struct orr_windows *w, orr_err code)
{
    int none = ORR_OK;

    atomic_compare_exchange_strong(&w->failure, &none, (int)code);
}

void orr__windows_halt(struct orr_windows *w)
{
    atomic_store(&w->halted, true);
}

int64_t orr__windows_settle(struct orr_windows *w, int64_t at)
{
    assert(orr__windows_quiet(w));
    w->now = at > w->controlled ? at : w->controlled;
    for (unsigned i = 0; i < w->workers; i++)
        orr__agenda_settle(&w->lane[i].agenda, w->now / w->lookahead);
    return w->now;
}

int64_t orr__windows_now(const struct orr_windows *w)
{
    return w->now;
}

bool orr__windows_quiet(const struct orr_windows *w)
{
    for (unsigned i = 0; i < w->workers; i++)
        if (orr__agenda_next(&w->lane[i].agenda) != ORR_WINDOW_NONE)
            return false;
    return true;
}

static void run_lane(struct orr_windows *w, unsigned worker)
{
    struct lane *l = &w->lane[worker];
    struct orr_agenda *a = &l->agenda;
    uint32_t e = orr__agenda_take(a, w->window), next;

    for (; e != ORR_AGENDA_NONE; e = next) {
        int64_t at;

        next = a->entry[e].next;
        if (next != ORR_AGENDA_NONE)
            w->ops.prefetch(w->world, l->process[next]);
        at = w->ops.run(w->world, worker, l->process[e], w->end);
        if (at != ORR_NEVER)
            orr__agenda_wake(a, e, at);
    }
}

static int64_t next_control(const struct orr_windows *w)
{
    int64_t at = ORR_NEVER;

    for (size_t i = 0; i < w->controls; i++)
        if (w->control[i].at < at)
            at = w->control[i].at;
    return at;
}

static void run_controls(struct orr_windows *w, int64_t at)
{
    w->controlled = at;
    for (size_t i = 0; i < w->controls; i++)
        if (w->control[i].at == at)
            w->control[i].at = w->control[i].fn(w->control[i].arg, at);
}

static bool poll_says_stop(struct orr_windows *w)
{
    struct timespec t;

    if (!w->poll || w->since_poll < POLL_EVERY)
        return false;
    w->since_poll = 0;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if ((t.tv_sec - w->polled.tv_sec) * 1000000000L
            + (t.tv_nsec - w->polled.tv_nsec)
        < 5000000)
        return false;
    w->polled = t;
    return w->poll(w->poll_arg, w->now);
}

/* Chooses the next window, running the controls due before it. Returns how
 * many processes it holds; 0: the run is over. */
static uint32_t choose_window(struct orr_windows *w)
{
    int64_t window, start, due, count = 0;

    for (;;) {
        window = ORR_WINDOW_NONE;
        for (unsigned i = 0; i < w->workers; i++) {
            int64_t n = orr__agenda_next(&w->lane[i].agenda);

            window = n < window ? n : window;
        }
        if (window == ORR_WINDOW_NONE
            || atomic_load_explicit(&w->failure, memory_order_relaxed)
            || atomic_load_explicit(&w->halted, memory_order_relaxed)
            || poll_says_stop(w))
            return 0;
        due = next_control(w);
        due = due < w->stop ? due : w->stop;
        start = window * w->lookahead;
        start = start > w->now ? start : w->now;
        if (due > start)
            break;
        w->now = due;
        w->since_poll++;
        if (due == w->stop)
            return 0;
        run_controls(w, due);
    }
    w->window = window;
    w->end = orr__time_add(window * w->lookahead, w->lookahead);
    w->end = due < w->end ? due : w->end;
    for (unsigned i = 0; i < w->workers; i++)
        count += orr__agenda_count(&w->lane[i].agenda, window);
    return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/* Runs in one thread while all others wait: windows too small to share are
 * run here, and the first that is worth sharing is left to all. */
static void advance(void *arg)
{
    struct orr_windows *w = arg;

    for (;;) {
        uint32_t count = choose_window(w);

        w->since_poll += count;
        if (count == 0) {
            w->done = true;
            return;
        }
        if (w->workers > 1 && count >= WORTH_SHARING)
            return;
        for (unsigned i = 0; i < w->workers; i++)
            run_lane(w, i);
        for (unsigned i = 0; i < w->workers; i++)
            w->ops.exchange(w->world, i);
        w->now = w->end;
    }
}

static void after_exchange(void *arg)
{
    struct orr_windows *w = arg;

    w->now = w->end;
    advance(w);
}

struct thread {
    pthread_t id;
    struct orr_windows *w;
    unsigned worker;
};

static void *work(void *arg)
{
    struct thread *t = arg;
    struct orr_windows *w = t->w;

    pthread_mutex_lock(&w->gate); /* opens when all have started, or failed */
    pthread_mutex_unlock(&w->gate);
    while (!w->done) {
        run_lane(w, t->worker);
        orr__barrier_wait(&w->barrier, NULL, NULL);
        w->ops.exchange(w->world, t->worker);
        orr__barrier_wait(&w->barrier, after_exchange, w);
    }
    return NULL;
}

static orr_err run_threads(struct orr_windows *w, struct orr_report *why)
{
    struct thread *t = orr__alloc(w->workers, sizeof *t);
    unsigned started = 1;
    orr_err err = ORR_OK;

    if (!t)
        return orr__no_memory(why);
    orr__barrier_init(&w->barrier, w->workers);
    for (unsigned i = 0; i < w->workers; i++)
        t[i] = (struct thread){.w = w, .worker = i};
    pthread_mutex_init(&w->gate, NULL);
    pthread_mutex_lock(&w->gate);
    for (; started < w->workers; started++)
        if (pthread_create(&t[started].id, NULL, work, &t[started]) != 0)
            break;
    if (started < w->workers) {
        w->done = true; /* before the gate opens: nobody reaches a barrier */
        err = orr__fail(why, ORR_ERUN, "cannot start %u threads", w->workers);
    }
    pthread_mutex_unlock(&w->gate);
    work(&t[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(t[i].id, NULL);
    orr__barrier_fini(&w->barrier);
    pthread_mutex_destroy(&w->gate);
    orr__free(t);
    return err;
}

orr_err orr__windows_run(struct orr_windows *w, int64_t stop,
                         bool (*poll)(void *arg, int64_t now), void *arg,
                         int64_t *end, struct orr_report *why)
{
    orr_err err = ORR_OK;
    int failure;

    w->stop = stop;
    w->poll = poll;
    w->poll_arg = arg;
    w->done = false;
    atomic_store(&w->halted, false);
    clock_gettime(CLOCK_MONOTONIC, &w->polled);
    advance(w);
    if (!w->done)
        err = run_threads(w, why);
    *end = w->now;
    failure = atomic_load(&w->failure);
    if (err != ORR_OK)
        return err;
    if (failure == ORR_ENOMEM)
        return orr__no_memory(why);
    if (failure != ORR_OK)
        return orr__fail(why, (orr_err)failure, "the run failed");
    return ORR_OK;
}
