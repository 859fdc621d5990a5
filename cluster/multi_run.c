#include "cluster/multi_run.h"

#include <time.h>

#include "cluster/figures.h"
#include "cluster/forecast.h"
#include "cluster/replicate.h"
#include "cluster/show.h"
#include "core/units.h"

static orr_err open_cluster(struct orr_world *w, const struct orr_yaml *node,
                            void **state, struct orr_report *why)
{
    struct orr_engine *e = NULL;
    orr_err err = orr__engine_new(w, node, &e, why);
    *state = e;
    return err;
}

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Tells the user of progress, ten times a second at most. */
struct teller {
    const struct orr_engine *e;
    const struct orr_multi_run_user *user;
    double began_s, shown_s;
};
#define PROGRESS_PERIOD_S 0.1

/* A time that picoseconds cannot say shows as their end. */
static void tell_progress(void *arg, double share, uint64_t hops)
{
    struct teller *t = arg;
    int64_t now = t->e->cluster.now_ns;
    double wall = wall_clock();
    if (!t->user->progress || wall - t->shown_s < PROGRESS_PERIOD_S)
        return;
    t->shown_s = wall;
    const struct orr_progress p = {
        .time_ps = now < ORR_HORIZON / 1000 ? now * 1000 : ORR_HORIZON,
        .packet_hops = hops,
        .wall_s = wall - t->began_s,
        .share = share,
    };
    t->user->progress(t->user->progress_arg, &p);
}

/* The same once more with all packets, which takes its place. */
static orr_err go_by_packets(struct orr_engine *e,
                             const struct orr_engine_user *u,
                             struct orr_report *why)
{
    struct orr_engine *x = NULL;
    orr_err err = orr__engine_new(e->cluster.world, e->node, &x, why);
    if (!err) {
        x->pace = &orr__pace_packets;
        x->settings.accuracy = ORR_ACCURACY_PACKETS;
        x->given_up = e->counts.packet_hops;
        err = orr__engine_run(x, u, why);
        struct orr_engine was = *e;
        *e = *x;
        *x = was;
    }
    orr__engine_free(x);
    return err;
}

/* Records are written once it is over: what it did is in memory. */
static orr_err run_cluster(void *state, const struct orr_multi_run_user *user,
                           bool *written, struct orr_report *why)
{
    struct orr_engine *e = state;
    struct orr_world *w = e->cluster.world;
    struct orr_report ignored = {0};
    double now = wall_clock();
    struct teller t = {e, user, now, now};
    const struct orr_engine_user u = {.tell = tell_progress,
                                      .arg = &t,
                                      .interrupt = user->interrupt,
                                      .threads = user->threads};
    orr_err err = orr__engine_run(e, &u, why);
    if (!err && e->dear)
        err = go_by_packets(e, &u, why);
    if (!err && e->pace == &orr__pace_sampled && !user->no_intervals)
        err = orr__replicate(e, &u, why);
    w->result.partial = e->partial;
    w->result.ending = e->quiet                  ? ORR_ENDED_QUIET
                       : err == ORR_EINTERRUPTED ? ORR_ENDED_INTERRUPTED
                       : err                     ? ORR_ENDED_FAILED
                       : e->partial              ? ORR_ENDED_STOPPED
                                                 : ORR_ENDED_DONE;
    *written = false;
    if (!user->output)
        return err;
    orr_err late = orr__cluster_write(w, e, user->output, err ? &ignored : why);
    *written = late == ORR_OK;
    return err ? err : late;
}

static orr_err estimate_cluster(const void *state, struct orr_estimate *out,
                                bool *cut, struct orr_report *why)
{
    return orr__cluster_forecast(state, out, cut, why);
}

static char *make_json(const struct orr_world *w, const void *state,
                       const char *const *whole)
{
    return orr__cluster_json(w, state, whole);
}

static char *make_text(const struct orr_world *w, const void *state)
{
    return orr__cluster_text(w, state);
}

static uint64_t fingerprint_of(const void *state)
{
    return orr__cluster_fingerprint(state);
}

static void close_cluster(void *state)
{
    orr__engine_free(state);
}

const struct orr_multi_run_ops orr__cluster_multi_run = {
    .open = open_cluster,
    .run = run_cluster,
    .estimate = estimate_cluster,
    .json = make_json,
    .text = make_text,
    .fingerprint = fingerprint_of,
    .close = close_cluster,
};
