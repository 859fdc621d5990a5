#include "core/window.h"

#include <assert.h>
#include <stdatomic.h>
#include <time.h>

#include "core/agenda.h"
#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/thread_pool.h"
#include "core/thread_tuner.h"
#include "core/units.h"

/* A window with fewer processes than this is run by one thread: to share it
 * costs more than it would save. Checked builds share at once, so that small
 * networks show what threads do to each other. */
#ifdef ORR_DEBUG
#define WORTH_SHARING 2
#else
#define WORTH_SHARING 24
#endif
/* Processes run between two looks at the wall clock. */
#define POLL_EVERY 2048

struct lane { /* padded so that no line is shared */
    _Alignas(64) struct orr_agenda agenda;
    uint32_t *process; /* process of each agenda entry */
    uint32_t processes;
    uint32_t ran; /* in the last window */
    bool back; /* the next window goes through them from the last to the first:
                * what was touched last is the nearest */
};

/* A control event. They are few, and stay: one that has no next time is at
 * ORR_NEVER. */
struct control {
    int64_t at;                            /* ps: due next */
    int64_t (*fn)(void *arg, int64_t now); /* returns when it is due again */
    void *arg;
};

/* The engine of one run. Lanes are its own, the world is the caller's. Between
 * windows one thread uses it; within, each thread its lane alone, and the
 * atomics. */
struct orr_windows {
    struct orr_windows_ops ops; /* what there is to run, and ... */
    void *world;                /* ... what they are called with */
    int64_t lookahead;          /* ps: length of a window */
    unsigned lanes, threads;    /* threads <= lanes */
    unsigned ahead;             /* so early are processes brought near */
    struct lane *lane;
    struct home { /* per process: its lane, and its entry in that's agenda */
        uint32_t lane, entry;
    } * home;
    struct control *control; /* in the order in which they were entered, which
                              * is that of those due at one time */
    size_t controls;

    /* the window being run: window index, and its end, which a control event
     * or the stop may pull before the end of the grid cell */
    int64_t window, end, now, stop;
    int64_t controlled; /* time of the last control that was run */
    /* set from within a window, by any thread; looked at between two */
    atomic_bool halted, asked;
    atomic_int failure; /* the first orr_err that was told */
    bool (*poll)(void *arg, int64_t now);
    void *poll_arg;
    uint64_t since_poll; /* processes run */
    uint64_t noted;      /* work that the tuner knows of */
    struct timespec polled;
    struct orr_thread_pool *crew; /* once a window was worth sharing */
    struct orr_thread_tuner tuner;
};

/* Processes keep their order within a lane. What there is after a failure is
 * freed with the windows. */
static orr_err make_lanes(struct orr_windows *w, uint32_t processes,
                          const uint32_t *owner)
{
    w->lane = orr__alloc_lines(w->lanes, sizeof *w->lane);
    w->home = orr__alloc(processes, sizeof *w->home);
    if (!w->lane || !w->home)
        return ORR_ENOMEM;
    for (uint32_t p = 0; p < processes; p++) {
        assert(owner[p] < w->lanes);
        w->home[p] = (struct home){owner[p], w->lane[owner[p]].processes++};
    }
    for (unsigned i = 0; i < w->lanes; i++) {
        struct lane *l = &w->lane[i];

        l->process = orr__alloc(l->processes, sizeof *l->process);
        if (!l->process
            || !orr__agenda_init(&l->agenda, l->processes, w->lookahead))
            return ORR_ENOMEM;
    }
    for (uint32_t p = 0; p < processes; p++)
        w->lane[owner[p]].process[w->home[p].entry] = p;
    return ORR_OK;
}

orr_err orr__windows_new(uint32_t processes, int64_t lookahead, unsigned lanes,
                         const uint32_t *owner,
                         const struct orr_windows_ops *ops, void *world,
                         struct orr_windows **out, struct orr_report *why)
{
    assert(lookahead > 0 && lanes > 0);
    struct orr_windows *w = orr__alloc_lines(1, sizeof *w);

    if (!w)
        return orr__no_memory(why);
    w->ops = *ops;
    w->world = world;
    w->lookahead = lookahead;
    w->lanes = w->threads = lanes;
    w->ahead = 1;
    if (make_lanes(w, processes, owner) != ORR_OK) {
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
    for (unsigned i = 0; w->lane && i < w->lanes; i++) {
        orr__agenda_fini(&w->lane[i].agenda);
        orr__free(w->lane[i].process);
    }
    orr__thread_pool_free(w->crew);
    orr__free(w->lane);
    orr__free(w->home);
    orr__free(w->control);
    orr__free(w);
}

void orr__windows_wake(struct orr_windows *w, uint32_t process, int64_t at)
{
    const struct home *s = &w->home[process];

    orr__agenda_wake(&w->lane[s->lane].agenda, s->entry, at);
}

orr_err orr__windows_control(struct orr_windows *w, int64_t at,
                             int64_t (*fn)(void *arg, int64_t now), void *arg,
                             struct orr_report *why)
{
    ORR_ASSERT(at >= w->now);
    if (!orr__array_one_more(w->control, w->controls))
        return orr__no_memory(why);
    w->control[w->controls++] =
        (struct control){.at = at, .fn = fn, .arg = arg};
    return ORR_OK;
}

void orr__windows_fail(struct orr_windows *w, orr_err code)
{
    int none = ORR_OK;

    assert(code != ORR_OK);
    atomic_compare_exchange_strong(&w->failure, &none, (int)code);
}

void orr__windows_halt(struct orr_windows *w)
{
    atomic_store(&w->halted, true);
}

void orr__windows_ask(struct orr_windows *w)
{
    atomic_store(&w->asked, true);
}

int64_t orr__windows_settle(struct orr_windows *w, int64_t at)
{
    assert(orr__windows_quiet(w));
    w->now = at > w->controlled ? at : w->controlled;
    for (unsigned i = 0; i < w->lanes; i++)
        orr__agenda_settle(&w->lane[i].agenda, w->now / w->lookahead);
    return w->now;
}

int64_t orr__windows_now(const struct orr_windows *w)
{
    return w->now;
}

bool orr__windows_quiet(const struct orr_windows *w)
{
    for (unsigned i = 0; i < w->lanes; i++)
        if (orr__agenda_next(&w->lane[i].agenda) != ORR_WINDOW_NONE)
            return false;
    return true;
}

void orr__windows_threads(struct orr_windows *w, unsigned threads)
{
    w->threads = threads < w->lanes ? threads : w->lanes;
}

void orr__windows_ahead(struct orr_windows *w, unsigned ahead)
{
    w->ahead = ahead;
}

/* The part of a window that is a lane's: all of its processes that are due, in
 * order of number, up in one window and down in the next. By one thread; others
 * are at other lanes. */
static void run_lane(void *arg, unsigned lane)
{
    struct orr_windows *w = arg;
    struct lane *l = &w->lane[lane];
    struct orr_agenda *a = &l->agenda;
    uint32_t count = orr__agenda_take(a, w->window);
    const uint32_t *taken = a->taken + (l->back && count > 0 ? count - 1 : 0);
    int step = l->back ? -1 : 1;

    l->back = !l->back;
    l->ran = count;
    for (uint32_t left = count; left-- > 0; taken += step) {
        uint32_t e = *taken;
        int64_t at;

        for (unsigned k = left < w->ahead ? left : w->ahead; k > 0; k--)
            w->ops.prefetch(w->world, l->process[taken[(int)k * step]], k,
                            w->end);
        at = w->ops.run(w->world, lane, l->process[e], w->end);
        ORR_ASSERT(at >= w->end);
        if (at != ORR_NEVER)
            orr__agenda_wake(a, e, at);
    }
}

/* When all lanes have run: what was sent to this one's processes is theirs. */
static void exchange_lane(void *arg, unsigned lane)
{
    struct orr_windows *w = arg;

    w->ops.exchange(w->world, lane);
}

static int64_t next_control(const struct orr_windows *w)
{
    int64_t at = ORR_NEVER;

    for (size_t i = 0; i < w->controls; i++)
        if (w->control[i].at < at)
            at = w->control[i].at;
    return at;
}

/* All that are due at this time, those that they enter for it included. */
static void run_controls(struct orr_windows *w, int64_t at)
{
    ORR_ASSERT(at >= w->controlled);
    w->controlled = at;
    for (size_t i = 0; i < w->controls; i++)
        if (w->control[i].at == at) {
            int64_t next = w->control[i].fn(w->control[i].arg, at);
            ORR_ASSERT(next > at);
            w->control[i].at = next;
        }
}

void orr__windows_jump(struct orr_windows *w, int64_t to)
{
    ORR_ASSERT(to >= w->now);
    for (;;) {
        int64_t due = next_control(w);

        if (due >= to || atomic_load(&w->failure))
            break;
        w->now = due;
        run_controls(w, due);
    }
    w->now = to;
    for (unsigned i = 0; i < w->lanes; i++) {
        struct orr_agenda *a = &w->lane[i].agenda;
        int64_t window;

        while ((window = orr__agenda_next(a)) != ORR_WINDOW_NONE)
            orr__agenda_take(a, window);
        orr__agenda_settle(a, to / w->lookahead);
    }
}

/* Asks whoever wants to stop the run or tell of it: not more often than every
 * POLL_EVERY processes and 5 ms of wall time, so that asking costs nothing. */
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

/* The first window in which any process has something to do: what lies between
 * is passed over, however long it is. */
static int64_t next_window(const struct orr_windows *w)
{
    int64_t window = ORR_WINDOW_NONE;

    for (unsigned i = 0; i < w->lanes; i++) {
        int64_t n = orr__agenda_next(&w->lane[i].agenda);

        window = n < window ? n : window;
    }
    return window;
}

/* Chooses the next window, running the controls due before it; without one,
 * those due while something lasts. False: the run is over. */
static bool choose_window(struct orr_windows *w)
{
    int64_t window, start, due, last = -1;

    for (;;) {
        window = next_window(w);
        if (atomic_load_explicit(&w->failure, memory_order_relaxed)
            || atomic_load_explicit(&w->halted, memory_order_relaxed)
            || (window != ORR_WINDOW_NONE && poll_says_stop(w)))
            return false;
        due = next_control(w);
        due = due < w->stop ? due : w->stop;
        if (window == ORR_WINDOW_NONE) {
            last = last < 0 ? w->ops.lasts(w->world) : last;
            if (due > last)
                return false;
        } else {
            start = window * w->lookahead;
            start = start > w->now ? start : w->now;
            if (due > start)
                break;
        }
        w->now = due;
        w->since_poll++;
        if (due == w->stop)
            return false;
        run_controls(w, due);
    }
    w->window = window;
    w->end = orr__time_add(window * w->lookahead, w->lookahead);
    w->end = due < w->end ? due : w->end;
    ORR_ASSERT(start < w->end);
    return true;
}

/* Does the window that was chosen have enough for several threads? */
static bool is_worth_sharing(const struct orr_windows *w)
{
    uint64_t count = 0;

    if (w->threads == 1)
        return false;
    for (unsigned i = 0; i < w->lanes; i++)
        count += orr__agenda_count(&w->lane[i].agenda, w->window);
    return count >= WORTH_SHARING;
}

/* The window that was chosen, in this thread alone. */
static void run_on_one_thread(struct orr_windows *w)
{
    for (unsigned i = 0; i < w->lanes; i++)
        run_lane(w, i);
    for (unsigned i = 0; i < w->lanes; i++)
        exchange_lane(w, i);
}

/* How many threads run the next window that is worth sharing. Checked builds
 * have all of them at it all the time. */
static unsigned choose_threads(struct orr_windows *w)
{
    unsigned before = w->tuner.threads, now = before;

#ifndef ORR_DEBUG
    uint64_t done = w->ops.work(w->world);

    now = orr__thread_tuner_note(&w->tuner, done - w->noted, orr__wall_ns());
    w->noted = done;
#endif
    if (now != before)
        orr__thread_pool_limit(w->crew, now);
    return now;
}

/* Helpers are there from the first window on that is worth sharing. */
static orr_err start_crew(struct orr_windows *w, struct orr_report *why)
{
    if (!w->crew)
        w->crew = orr__thread_pool_new(w->threads, w->lanes);
    if (!w->crew)
        return orr__no_memory(why);
    orr__thread_tuner_init(&w->tuner, w->threads);
    orr__thread_pool_limit(w->crew, w->threads);
    return orr__thread_pool_start(w->crew, why);
}

/* Time is up to the end of the window. */
static __attribute__((noinline)) void call_asked(struct orr_windows *w)
{
    atomic_store(&w->asked, false);
    w->ops.asked(w->world, w->now);
}

/* Until nothing is due, a stop or a failure. Threads are started at the first
 * window that is worth sharing, and joined at the end. ORR_ENOMEM or
 * ORR_ERUN: no threads. */
static orr_err run_windows(struct orr_windows *w, struct orr_report *why)
{
    bool crew = false;
    orr_err err = ORR_OK;

    while (choose_window(w)) {
        bool shared = is_worth_sharing(w);

        if (shared && !crew) {
            err = start_crew(w, why);
            if (err != ORR_OK)
                return err;
            crew = true;
        }
        if (!shared || choose_threads(w) == 1) {
            run_on_one_thread(w);
        } else {
            orr__thread_pool_share(w->crew, run_lane, w);
            orr__thread_pool_share(w->crew, exchange_lane, w);
        }
        for (unsigned i = 0; i < w->lanes; i++)
            w->since_poll += w->lane[i].ran;
        w->now = w->end;
        if (atomic_load_explicit(&w->asked, memory_order_relaxed))
            call_asked(w);
    }
    if (crew)
        orr__thread_pool_stop(w->crew);
    return ORR_OK;
}

orr_err orr__windows_run(struct orr_windows *w, int64_t stop,
                         bool (*poll)(void *arg, int64_t now), void *arg,
                         int64_t *end, struct orr_report *why)
{
    orr_err err;
    int failure;

    w->stop = stop;
    w->poll = poll;
    w->poll_arg = arg;
    atomic_store(&w->halted, false);
    clock_gettime(CLOCK_MONOTONIC, &w->polled);
    err = run_windows(w, why);
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
