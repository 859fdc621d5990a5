/* What went on, for reports: a stretch for each job and pace, an epoch for each
 * event, who had which GPUs, and who contended. */
#include "cluster/contention.h"
#include "cluster/engine.h"
#include "core/array.h"
#include "core/assert.h"
#include "core/none.h"

/* ---- GPUs ---------------------------------------------------------------- */

/* From now on; ENOMEM. */
static orr_err add_holding(struct orr_engine *e, uint32_t job, uint32_t first,
                           uint32_t gpus, struct orr_report *why)
{
    if (!orr__array_more(e->holding, e->holding_room, e->holdings))
        return orr__no_memory(why);
    e->holding[e->holdings++] =
        (struct orr_holding){.job = job,
                             .first = first,
                             .gpus = gpus,
                             .from_ns = e->cluster.now_ns,
                             .to_ns = -1};
    return ORR_OK;
}

/* GPUs of one number after another, as ranks have them, from r on. */
static uint32_t run_of(const struct orr_cluster_job *j, uint32_t r)
{
    uint32_t n = 1;
    while (r + n < j->is.gpus && j->gpu[r + n] == j->gpu[r] + n)
        n++;
    return n;
}

/* Entry `at` is one of those that a job has now. */
static bool is_held(const struct orr_engine *e, uint32_t at, uint32_t job)
{
    return at < e->holdings && e->holding[at].job == job
           && e->holding[at].to_ns < 0;
}

/* Whether the entries of a job say what it has. */
static bool holds_gpu(const struct orr_engine *e, uint32_t job)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    uint32_t r = 0;
    for (uint32_t at = e->held[job] - 1; is_held(e, at, job); at++) {
        const struct orr_holding *h = &e->holding[at];
        if (r >= j->is.gpus || h->first != j->gpu[r] || h->gpus != run_of(j, r))
            return false;
        r += h->gpus;
    }
    return r == j->is.gpus;
}

static void let_go(struct orr_engine *e, uint32_t job)
{
    ORR_ASSERT(is_held(e, e->held[job] - 1, job));
    for (uint32_t at = e->held[job] - 1; is_held(e, at, job); at++)
        e->holding[at].to_ns = e->cluster.now_ns;
    e->held[job] = 0;
}

/* A job that runs. */
static orr_err note_gpus_of(struct orr_engine *e, uint32_t job,
                            struct orr_report *why)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    uint32_t first = e->holdings;
    orr_err err = ORR_OK;
    if (e->held[job] && holds_gpu(e, job))
        return ORR_OK;
    if (e->held[job])
        let_go(e, job);
    for (uint32_t r = 0; !err && r < j->is.gpus; r += run_of(j, r))
        err = add_holding(e, job, j->gpu[r], run_of(j, r), why);
    if (!err)
        e->held[job] = first + 1;
    return err;
}

/* GPUs of jobs that have got or lost some. */
static orr_err note_gpus(struct orr_engine *e, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < e->n_left; i++)
        if (orr__has_left(e, e->left[i]) && e->held[e->left[i]])
            let_go(e, e->left[i]);
    for (uint32_t i = 0; !err && i < c->n_running; i++)
        err = note_gpus_of(e, c->running[i], why);
    return err;
}

/* ---- stretches ----------------------------------------------------------- */

/* From now on; ENOMEM. */
static orr_err add_stretch(struct orr_engine *e, uint32_t job,
                           struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    if (!orr__array_more(e->stretch, e->stretch_room, e->stretches))
        return orr__no_memory(why);
    e->stretch[e->stretches] =
        (struct orr_stretch){.job = job,
                             .from_ns = c->now_ns,
                             .to_ns = -1,
                             .speed = e->speed[job],
                             .gpus = c->job[job].is.gpus};
    e->open[job] = ++e->stretches;
    return ORR_OK;
}

static bool is_same_pace(const struct orr_speed *a, const struct orr_speed *b)
{
    return a->iteration_ns == b->iteration_ns && a->set == b->set
           && a->rival == b->rival;
}

static void end_stretch(struct orr_engine *e, uint32_t job)
{
    ORR_ASSERT(e->open[job] <= e->stretches);
    if (e->open[job]) {
        struct orr_stretch *x = &e->stretch[e->open[job] - 1];
        ORR_ASSERT(x->job == job && x->to_ns < 0);
        ORR_ASSERT(x->from_ns <= e->cluster.now_ns);
        x->to_ns = e->cluster.now_ns;
    }
    e->open[job] = 0;
}

/* A stretch ends where pace or size changes; one of no length gives way to what
 * is so now. */
static orr_err note_job(struct orr_engine *e, uint32_t job,
                        struct orr_report *why)
{
    uint32_t open = e->open[job];
    struct orr_stretch *s = open ? &e->stretch[open - 1] : NULL;
    uint32_t gpus = e->cluster.job[job].is.gpus;
    ORR_ASSERT(job < e->cluster.jobs && gpus > 0);
    if (s && s->gpus == gpus && is_same_pace(&s->speed, &e->speed[job]))
        return ORR_OK;
    if (s && s->from_ns == e->cluster.now_ns) {
        s->speed = e->speed[job];
        s->gpus = gpus;
        return ORR_OK;
    }
    end_stretch(e, job);
    return add_stretch(e, job, why);
}

/* Ends what is no longer so, and begins what is. */
static orr_err note_jobs(struct orr_engine *e, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < e->n_left; i++)
        if (orr__has_left(e, e->left[i]))
            end_stretch(e, e->left[i]);
    for (uint32_t i = 0; !err && i < c->n_running; i++)
        err = note_job(e, c->running[i], why);
    return err;
}

/* ---- epochs -------------------------------------------------------------- */

/* Counts that hold from now to the next event. `whole`: GPUs of servers of
 * which no GPU is in use or out. */
static struct orr_epoch make_epoch(const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_inventory *v = &c->inventory;
    struct orr_epoch p = {
        .at_ns = c->now_ns, .running = c->n_running, .waiting = c->n_waiting};
    for (uint32_t i = 0; i < c->n_running; i++) {
        const struct orr_speed *s = &e->speed[c->running[i]];
        p.sharing += s->rival != ORR_NONE;
        if (s->iteration_ns > 0)
            p.computing +=
                c->job[c->running[i]].is.gpus * s->compute_ns / s->iteration_ns;
    }
    for (uint32_t g = 0, from = 0; g < v->gpus; g++) {
        p.used += v->taken[g] > 0;
        p.out += v->out[g];
        if (g + 1 < v->gpus && v->server[g + 1] == v->server[g])
            continue;
        uint32_t whole = g + 1 - from;
        for (uint32_t k = from; k <= g; k++)
            if (v->taken[k] || v->out[k])
                whole = 0;
        p.whole += whole;
        from = g + 1;
    }
    return p;
}

orr_err orr__engine_note(struct orr_engine *e, struct orr_report *why)
{
    struct orr_epoch now = make_epoch(e);
    ORR_ASSERT(!e->epochs || e->epoch[e->epochs - 1].at_ns <= now.at_ns);
    ORR_ASSERT(now.used + now.whole <= e->cluster.inventory.gpus);
    if (e->epochs && e->epoch[e->epochs - 1].at_ns == now.at_ns)
        e->epochs--; /* what was so for no time was not so */
    if (!orr__array_more(e->epoch, e->epoch_room, e->epochs))
        return orr__no_memory(why);
    e->epoch[e->epochs++] = now;
    orr_err err = orr__contention_log_note(e, why);
    if (!err)
        err = note_gpus(e, why);
    if (!err)
        err = note_jobs(e, why);
    e->n_left = 0;
    return err;
}

/* What is under way ends where the run does. */
orr_err orr__engine_note_end(struct orr_engine *e, struct orr_report *why)
{
    int64_t now = e->cluster.now_ns;
    orr_err err = orr__contention_log_end(e, why);
    for (uint32_t i = 0; i < e->stretches; i++)
        if (e->stretch[i].to_ns < 0)
            e->stretch[i].to_ns = now;
    for (uint32_t i = 0; i < e->holdings; i++)
        if (e->holding[i].to_ns < 0)
            e->holding[i].to_ns = now;
    return err;
}
