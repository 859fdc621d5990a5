/* What went on, for reports: a stretch for each job and pace, an epoch for each
 * event. */
#include "core/memory.h"
#include "study/cluster/engine.h"

static orr_err add_stretch(struct orr_engine *e, uint32_t job,
                           struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    if (!e->stretch || e->stretches == e->stretch_room) {
        uint32_t room = e->stretch_room ? 2 * e->stretch_room : 256;
        struct orr_stretch *more = orr__resize(e->stretch, room, sizeof *more);
        if (!more)
            return orr__no_memory(why);
        e->stretch = more;
        e->stretch_room = room;
    }
    e->stretch[e->stretches] = (struct orr_stretch){
        .job = job, .from_ns = c->now_ns, .to_ns = -1,
        .speed = e->speed[job], .gpus = c->job[job].is.gpus};
    e->open[job] = ++e->stretches;
    return ORR_OK;
}

static bool same(const struct orr_speed *a, const struct orr_speed *b)
{
    return a->iteration_ns == b->iteration_ns && a->set == b->set &&
           a->rival == b->rival;
}

/* Ends what is no longer so, and begins what is. */
static orr_err note_jobs(struct orr_engine *e, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < e->arrived; i++) {
        bool runs = c->job[i].state == ORR_CLUSTER_RUNNING;
        struct orr_stretch *s = e->open[i] ? &e->stretch[e->open[i] - 1] : NULL;
        if (s && runs && same(&s->speed, &e->speed[i]))
            continue;
        if (s && s->from_ns == c->now_ns && runs) {
            s->speed = e->speed[i];
            continue;
        }
        if (s)
            s->to_ns = c->now_ns;
        e->open[i] = 0;
        if (runs)
            err = add_stretch(e, i, why);
    }
    return err;
}

static struct orr_epoch look(const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_inventory *v = &c->inventory;
    struct orr_epoch p = {.at_ns = c->now_ns, .running = e->n_running};
    for (uint32_t i = 0; i < e->arrived; i++)
        p.waiting += c->job[i].state == ORR_CLUSTER_WAITING;
    for (uint32_t i = 0; i < e->n_running; i++) {
        const struct orr_speed *s = &e->speed[e->running[i]];
        p.sharing += s->rival != ORR_NOBODY;
        if (s->iteration_ns > 0)
            p.computing += c->job[e->running[i]].is.gpus * s->compute_ns /
                           s->iteration_ns;
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
    struct orr_epoch now = look(e);
    if (e->epochs && e->epoch[e->epochs - 1].at_ns == now.at_ns)
        e->epochs--; /* what was so for no time was not so */
    if (!e->epoch || e->epochs == e->epoch_room) {
        uint32_t room = e->epoch_room ? 2 * e->epoch_room : 256;
        struct orr_epoch *more = orr__resize(e->epoch, room, sizeof *more);
        if (!more)
            return orr__no_memory(why);
        e->epoch = more;
        e->epoch_room = room;
    }
    e->epoch[e->epochs++] = now;
    return note_jobs(e, why);
}
