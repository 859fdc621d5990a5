#include "cluster/forecast.h"

#include "core/memory.h"

/* Places, and moments, after which what is left is taken for more of the same:
 * with leases a job has three moments an hour, for years perhaps. */
enum { MOST_PLACES = 2000, MOST_MOMENTS = 100000 };
#define MOMENT 3e-6 /* s of CPU: 1.4e-6 with three jobs, 4.6e-6 with seven */

/* All packets: a job is about to lose its GPUs. What it did there counts. */
static orr_err reckon_job(struct orr_engine *e, uint32_t job,
                          struct orr_report *why)
{
    struct orr_forecast *f = e->forecast;
    const struct orr_cluster_job *j = &e->cluster.job[job];
    double n = (j->done - f->done[job]) / orr__cluster_scale(j);
    if (e->known[job])
        orr__forecast_add(f, &e->known[job]->cost, n);
    f->done[job] = j->done;
    return ORR_OK;
}

/* What jobs that wait or run have done, in jobs. */
static double part_done(const struct orr_cluster *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->jobs; i++) {
        const struct orr_cluster_job *j = &c->job[i];
        if ((j->state == ORR_CLUSTER_WAITING || j->state == ORR_CLUSTER_RUNNING)
            && j->iterations > 0)
            sum += j->done / j->iterations;
    }
    return sum;
}

/* Jobs come and go in pairs: half of what there is to be seen of one is that it
 * comes. */
static void note_event(void *arg, double ended, uint64_t hops)
{
    struct orr_engine *e = arg;
    struct orr_forecast *f = e->forecast;
    double arrived = (double)e->arrived / e->cluster.jobs;
    f->share =
        e->cluster.now_ns < e->settings.end_ns ? (arrived + ended) / 2 : 1;
    f->cut = orr__world_interrupted(e->cluster.world);
    f->stop = f->places >= MOST_PLACES || f->cut;
    if (++f->moments < MOST_MOMENTS)
        return;
    f->stop = 1; /* by leases, of which there are as many as there is work */
    ended += part_done(&e->cluster) / e->cluster.jobs;
    if (ended > 0)
        f->share = ended;
}

/* The cluster without packets, reckoning what those would cost; up to the end,
 * or until enough was seen. */
static orr_err go_through(struct orr_engine *e, struct orr_report *why)
{
    struct orr_forecast *f = e->forecast;
    struct orr_pace_ops packets = orr__pace_fluid;
    const struct orr_engine_user user = {
        .tell = note_event, .arg = e, .interrupt = &f->stop};
    packets.teardown = reckon_job;
    f->done = orr__alloc(e->cluster.jobs, sizeof *f->done);
    if (!f->done)
        return orr__no_memory(why);
    if (e->pace == &orr__pace_packets)
        e->pace = &packets;
    orr_err err = orr__engine_run(e, &user, why);
    for (uint32_t i = 0; e->pace == &packets && i < e->cluster.n_running; i++)
        (void)reckon_job(e, e->cluster.running[i], why);
    if (e->pace_state)
        e->pace->close(e);
    e->pace_state = NULL;
    return f->stop && err == ORR_EINTERRUPTED ? ORR_OK : err;
}

/* Those who go again, for the intervals of figures, ask for sets like those of
 * the run itself: half as many (resample.c), or none. */
static void add_replications(const struct orr_engine *e, struct orr_forecast *f)
{
    if (!e->settings.replications)
        return;
    f->seconds += f->sets.seconds / 2;
    f->hops += f->sets.hops / 2;
}

orr_err orr__cluster_forecast(const struct orr_engine *as,
                              struct orr_estimate *out, bool *cut,
                              struct orr_report *why)
{
    struct orr_world *w = as->cluster.world;
    struct orr_report ignored = {.code = ORR_OK};
    struct orr_forecast f = {.share = 0};
    struct orr_engine *e = NULL;
    orr_err err = orr__engine_new(w, as->node, &e, &ignored);
    if (!err) {
        e->forecast = &f;
        err = go_through(e, &ignored);
    }
    f.seconds += f.moments * MOMENT;
    if (!err)
        add_replications(e, &f);
    if (!err && e->pace == &orr__pace_fluid)
        f.seconds += f.fluid.seconds;
    orr__engine_free(e);
    orr__free(f.done);
    *out = (struct orr_estimate){.seconds = 0};
    *cut = f.cut;
    if (err == ORR_ENOMEM)
        return orr__no_memory(why);
    if (err || f.share <= 0)
        return ORR_OK;
    out->seconds = f.seconds / f.share;
    out->packet_hops = f.hops / f.share;
    return ORR_OK;
}
