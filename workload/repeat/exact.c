/* `repeat: exact`. The state of the whole run is looked at when an iteration of
 * one job, the pace, has ended: a window later, when everything before that has
 * happened. If a state was there before, all that follows is the same again, as
 * long as nothing from outside comes between and no job ends: the cycle is gone
 * through once more, to be sure and to see by how much each counter goes on,
 * and then over as many cycles as there is room for, at once.
 *
 * Looks cost time, so there is one only after an iteration that took as long,
 * to the picosecond, as another before it. */
#include "core/memory.h"
#include "net/watch/replay.h"
#include "workload/rank/snapshot.h"
#include "workload/repeat/internal.h"
#include "workload/repeat/sample.h"

#define MOST_MISSES 8 /* cycles that turned out to be none */

/* ---- how far ------------------------------------------------------------- */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* No rank may end its last iteration in what is skipped. */
static uint64_t room_of_job(const struct orr_repeat *r, const struct orr_job *j)
{
    uint64_t room = UINT64_MAX;
    uint32_t cycle = r->cycle[j->index];
    if (cycle == 0)
        return room;
    for (uint32_t i = 0; i < j->ranks; i++) {
        uint32_t at = j->team->rank[i].iteration + j->team->overlap
                      + j->team->program->latest;
        room = least_of(room,
                        at < j->iterations ? (j->iterations - at) / cycle : 0);
    }
    return room;
}

/* How many periods there is room for from a moment on. */
static uint64_t periods_left(const struct orr_repeat *r,
                             const struct orr_net_snapshot *l, int64_t stop)
{
    uint64_t n = orr__repeat_room(r, l->at, l->outside, stop);
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        n = least_of(n, room_of_job(r, &r->world->jobs[i]));
    return n;
}

/* ---- looking ------------------------------------------------------------- */

/* How far apart iterations are that are open at once, in cycles, at most: what
 * learns of those that end in a cycle may have begun so many before. */
static uint64_t spread(const struct orr_repeat *r)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < r->world->n_jobs; i++) {
        const struct orr_job *j = &r->world->jobs[i];
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t k = 0; k < j->ranks; k++) {
            uint32_t at = j->team->rank[k].iteration;
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        high += j->team->overlap - 1;
        if (r->cycle[i] && (high - low) / r->cycle[i] > most)
            most = (high - low) / r->cycle[i];
    }
    return most;
}

/* The state of x has come again: soon the cycle is gone through once more. */
static void begin_cycle(struct orr_repeat *r, const struct orr_repeat_moment *x,
                        int64_t now)
{
    r->period = now - x->at;
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        r->cycle[i] = orr__repeat_base(&r->world->jobs[i]) - x->iteration[i];
    r->stage = ORR_REPEAT_WAIT;
    r->snapshots = 0;
    r->snapshot_at = now + (int64_t)spread(r) * r->period;
}

/* A state that was there before begins a cycle; else it joins the last
 * ORR_REPEAT_KEPT ones. */
static orr_err watch_snapshot(struct orr_repeat *r, struct orr_report *why)
{
    struct orr_net_snapshot now = {0};
    if (!orr__net_snapshot(r->world->net, &r->watch, &now)) {
        orr__net_snapshot_fini(&now);
        return orr__no_memory(why);
    }
    uint64_t digest = orr__net_snapshot_digest(&now, &r->last);
    int64_t at = now.at;
    orr__net_snapshot_fini(&r->last);
    r->last = now;
    uint32_t n =
        r->snapshots < ORR_REPEAT_KEPT ? r->snapshots : ORR_REPEAT_KEPT;
    for (uint32_t i = 0; i < n; i++)
        if (r->seen[i].digest == digest) {
            begin_cycle(r, &r->seen[i], at);
            return ORR_OK;
        }
    struct orr_repeat_moment *new = &r->seen[r->snapshots++ % ORR_REPEAT_KEPT];
    new->digest = digest;
    new->at = at;
    for (uint32_t i = 0; i < r->world->n_jobs; i++)
        new->iteration[i] = orr__repeat_base(&r->world->jobs[i]);
    orr__repeat_resume(r);
    return ORR_OK;
}

/* The cycle is recorded only if it fits in twice before something comes from
 * outside; draws of lots are counted meanwhile. */
static orr_err begin_record(struct orr_repeat *r, int64_t stop,
                            struct orr_report *why)
{
    if (!orr__net_snapshot(r->world->net, &r->watch, &r->first))
        return orr__no_memory(why);
    r->room = periods_left(r, &r->first, stop);
    if (r->room < 2) {
        orr__repeat_resume(r); /* not worth it */
        return ORR_OK;
    }
    orr__net_random_ties_begin(r->world->net);
    return orr__repeat_record(r, &r->room, why);
}

/* As many cycles as there is still room for; jobs get their iterations, the net
 * its counters. */
static orr_err jump_cycles(struct orr_repeat *r, int64_t stop,
                           struct orr_report *why)
{
    struct orr_world *w = r->world;
    uint64_t times = least_of(r->room, periods_left(r, &r->second, stop));
    orr_err err = ORR_OK;
    for (uint32_t i = 0; times && i < w->n_jobs; i++) {
        struct orr_job *j = &w->jobs[i];
        r->more[i] = (uint32_t)(times * r->cycle[i]);
        j->repeated += r->more[i];
        orr__team_skip(j->team, w->options.workers, orr__job_ended(j),
                       r->cycle[i], times, r->period);
    }
    if (times)
        err = orr__repeat_jump(r, times, why);
    orr__repeat_resume(r);
    return err;
}

/* If the state is back and no lot was drawn, what was recorded repeats for
 * ever. After MOST_MISSES recordings in vain it is given up. */
static orr_err end_record(struct orr_repeat *r, int64_t stop,
                          struct orr_report *why)
{
    uint64_t chances = orr__net_random_ties_end(r->world->net);
    orr__replay_end(r->world->net);
    if (!orr__net_snapshot(r->world->net, &r->watch, &r->second))
        return orr__no_memory(why);
    if (chances == 0
        && orr__net_snapshot_same(r->world->net, &r->watch, &r->first,
                                  &r->second))
        return jump_cycles(r, stop, why);
    if (++r->misses == MOST_MISSES)
        orr__repeat_give_up(
            r, chances ? "the order of packets that arrive at once is drawn "
                         "(not with network.ties: index)"
                       : "its state nearly repeats, but never exactly");
    else
        orr__repeat_resume(r);
    return ORR_OK;
}

orr_err orr__exact_snapshot(struct orr_repeat *r, int64_t stop,
                            struct orr_report *why)
{
    switch (r->stage) {
    case ORR_REPEAT_WATCH: return watch_snapshot(r, why);
    case ORR_REPEAT_WAIT: return begin_record(r, stop, why);
    default: return end_record(r, stop, why);
    }
}
