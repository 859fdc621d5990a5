/* The clockwork: windows over logical processes.
 *
 * Time is cut on a fixed grid of length L (the lookahead). What a process does
 * inside a window cannot touch another process before the window ends, so each
 * runs its whole window alone; what it sent is exchanged between windows. A
 * lane is a fixed set of processes that one thread at a time runs; results do
 * not depend on how many lanes or threads there are. The cost of a window
 * follows the processes that have something to do in it, not those that
 * exist. */
#ifndef ORR_CORE_WINDOW_H
#define ORR_CORE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

struct orr_windows;

/* What the world of processes does for the engine; `world` is what it was made
 * with. */
struct orr_windows_ops {
    /* Runs one process to `end` (exclusive). Nobody else runs this lane
     * meanwhile. Returns the time of its next event known so far, or
     * ORR_NEVER. */
    int64_t (*run)(void *world, unsigned lane, uint32_t process, int64_t end);
    /* This process is run as the `ahead`th after the one that is next, in a
     * window up to `end`: bring its memory near. It is told of each process as
     * often as orr__windows_ahead says, from far to near. */
    void (*prefetch)(void *world, uint32_t process, unsigned ahead,
                     int64_t end);
    /* Between windows, each lane for itself: takes over what any lane sent to
     * processes of this one, and calls orr__windows_wake for them. Nobody
     * runs processes meanwhile. */
    void (*exchange)(void *world, unsigned lane);
    /* Nobody has an event left: until when is something under way that needs
     * none? Controls happen till then; the run goes on if they wake anybody. */
    int64_t (*lasts)(void *world);
    /* So much was done so far, in whatever takes time: by that it is told how
     * many threads help. Between windows. */
    uint64_t (*work)(void *world);
    /* Between windows, when all lanes have exchanged, if somebody asked for it
     * in the one before (orr__windows_ask). It may wake processes. */
    void (*asked)(void *world, int64_t now);
};

/* owner[p] is the lane of process p. lookahead > 0. As many threads as lanes
 * run it, unless told otherwise. */
ORR_CHECK_RESULT orr_err orr__windows_new(uint32_t processes, int64_t lookahead,
                                          unsigned lanes, const uint32_t *owner,
                                          const struct orr_windows_ops *ops,
                                          void *world, struct orr_windows **out,
                                          struct orr_report *why);
void orr__windows_free(struct orr_windows *w);
/* At most so many threads run it, the calling one among them. How many of them
 * take part is measured while it runs (core/thread_tuner.h). Not while it runs.
 */
void orr__windows_threads(struct orr_windows *w, unsigned threads);

/* So far ahead are processes brought near: 1, unless told otherwise. Not while
 * it runs. */
void orr__windows_ahead(struct orr_windows *w, unsigned ahead);

/* Process p has an event at `at`. From exchange (the process must belong to
 * that lane), or while nothing runs. Keeps the earlier of two. */
void orr__windows_wake(struct orr_windows *w, uint32_t process, int64_t at);

/* fn(arg, now) between windows, exactly at `at`; it returns the time of its
 * next call (later than now), or ORR_NEVER. Equal times: order of addition. */
ORR_CHECK_RESULT orr_err orr__windows_control(
    struct orr_windows *w, int64_t at, int64_t (*fn)(void *arg, int64_t now),
    void *arg, struct orr_report *why);

/* Any thread: the run ends after this window with this code. */
void orr__windows_fail(struct orr_windows *w, orr_err code);

/* Any thread, while it runs: the run ends after this window, and may be gone on
 * with. */
void orr__windows_halt(struct orr_windows *w);

/* Any thread, while it runs: `asked` is called once after this window. */
void orr__windows_ask(struct orr_windows *w);

/* Runs until no process has an event left, or to `stop` (exclusive; ORR_NEVER:
 * none). poll(arg, now), if any, is called between windows every few
 * milliseconds; true ends the run there. *end: everything before it has
 * happened. Fails with the code of orr__windows_fail. May be called again to go
 * on. */
ORR_CHECK_RESULT orr_err orr__windows_run(struct orr_windows *w, int64_t stop,
                                          bool (*poll)(void *arg, int64_t now),
                                          void *arg, int64_t *end,
                                          struct orr_report *why);

/* Does no process have an event left? Between windows and after the run. */
bool orr__windows_quiet(const struct orr_windows *w);

/* Time up to which everything has happened; between windows. */
int64_t orr__windows_now(const struct orr_windows *w);

/* Nothing is left, and `at` is when the last thing happened, or later: what is
 * entered from now on may begin there. No earlier than the last control;
 * returns the time that it became. */
int64_t orr__windows_settle(struct orr_windows *w, int64_t at);

/* Time goes on to `to` at once, and controls that are due before it are run.
 * Whoever has an event left is to be woken again, no earlier than that. */
void orr__windows_jump(struct orr_windows *w, int64_t to);

#endif
