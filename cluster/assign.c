/* Who gets GPUs, who loses them, and which. */
#include "cluster/resize.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/expect.h"

/* ---- taking -------------------------------------------------------------- */

/* A job may lose its GPUs more than once at one moment. */
static void note_loss(struct orr_engine *e, uint32_t job)
{
    for (uint32_t i = 0; i < e->n_left; i++)
        if (e->left[i] == job)
            return;
    ORR_ASSERT(e->n_left < e->cluster.jobs);
    e->left[e->n_left++] = job;
}

orr_err orr__engine_take(struct orr_engine *e, uint32_t job,
                         enum orr_cluster_state then, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    struct orr_cluster_job *j = &c->job[job];
    bool ends = then == ORR_CLUSTER_DONE || then == ORR_CLUSTER_FAILED;
    e->cause_ns = c->now_ns;
    orr_err err = e->pace->leave ? e->pace->leave(e, job, why) : ORR_OK;
    ORR_ASSERT(j->state == ORR_CLUSTER_RUNNING);
    if (!err && ends)
        err = orr__engine_delay(e, job, why);
    for (uint32_t r = 0; r < j->is.gpus; r++) {
        ORR_ASSERT(c->inventory.taken[j->gpu[r]] > 0);
        c->inventory.taken[j->gpu[r]]--;
    }
    ORR_ASSERT(!e->known[job] || e->known[job]->users > 0);
    if (e->known[job])
        e->known[job]->users--;
    e->known[job] = NULL;
    orr__free(j->gpu);
    j->gpu = NULL;
    int64_t ran = c->now_ns - j->since_ns;
    ORR_ASSERT(ran >= 0);
    j->ran_ns += ran;
    j->extra_ns += (__int128)ran * ((int64_t)j->is.gpus - (int64_t)j->asked);
    j->since_ns = c->now_ns;
    j->iteration_ns = 0;
    j->is.gpus = j->asked;
    j->scale = 0;
    orr__cluster_turn(c, job, then);
    note_loss(e, job);
    e->speed[job] = (struct orr_speed){.rival = ORR_NONE, .link = ORR_NONE};
    if (ends) {
        j->finish_ns = c->now_ns;
        e->ended++;
    }
    return err;
}

/* ---- giving -------------------------------------------------------------- */

static int64_t cost_of(const struct orr_engine *e,
                       const struct orr_cluster_job *j)
{
    if (j->first_ns < 0)
        return e->settings.start_ns;
    return j->restarted ? e->settings.restart_ns : e->settings.preempt_ns;
}

void orr__engine_give(struct orr_engine *e, uint32_t job, uint32_t gpus,
                      uint32_t *gpu, int64_t ready_ns)
{
    struct orr_cluster *c = &e->cluster;
    struct orr_cluster_job *j = &c->job[job];
    ORR_ASSERT(j->state == ORR_CLUSTER_WAITING && !j->gpu);
    ORR_ASSERT(j->since_ns <= c->now_ns && gpus > 0);
    j->waited_ns += c->now_ns - j->since_ns;
    j->since_ns = j->changed_ns = c->now_ns;
    j->ready_ns = ready_ns;
    j->done_since = j->done;
    orr__cluster_turn(c, job, ORR_CLUSTER_RUNNING);
    j->is.gpus = gpus;
    j->scale =
        orr__cluster_elastic(c, j)
            ? orr__elastic_scale(&c->template[j->is.template], j -> asked, gpus)
            : 1;
    j->gpu = gpu;
    for (uint32_t r = 0; r < gpus; r++) {
        ORR_ASSERT(orr__gpu_free(&c->inventory, gpu[r]));
        c->inventory.taken[gpu[r]]++;
    }
}

static void start(struct orr_engine *e, uint32_t job, uint32_t gpus,
                  uint32_t *gpu)
{
    struct orr_cluster_job *j = &e->cluster.job[job];
    int64_t cost = cost_of(e, j);
    if (j->first_ns < 0)
        j->first_ns = e->cluster.now_ns;
    orr__engine_give(e, job, gpus, gpu, e->cluster.now_ns + cost);
}

/* The GPUs that a job names itself; false: not all are free. */
static bool own_seats(const struct orr_cluster *c, uint32_t job, uint32_t *gpu)
{
    const struct orr_arrival *a = &c->job[job].is;
    for (uint32_t r = 0; r < a->gpus; r++) {
        gpu[r] = a->hosts[r];
        if (!orr__gpu_free(&c->inventory, gpu[r]))
            return false;
    }
    return true;
}

/* Tries to start a job where there is room. */
static orr_err try_start(struct orr_engine *e, uint32_t job, bool *started,
                         struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    struct orr_arrival *a = &c->job[job].is;
    uint32_t room = orr__gpus_free(&c->inventory);
    uint32_t gpus = orr__size_at_first(e, job, room);
    *started = false;
    if (room < gpus)
        return ORR_OK;
    uint32_t *gpu = orr__alloc(gpus, sizeof *gpu);
    if (!gpu)
        return orr__no_memory(why);
    orr_err err = ORR_OK;
    a->gpus = gpus;
    if (a->hosts)
        *started = own_seats(c, job, gpu);
    else
        err = orr__engine_place_job(e, job, gpu, started, why);
    a->gpus = c->job[job].asked;
    if (!err && *started)
        start(e, job, gpus, gpu);
    else
        orr__free(gpu);
    return err;
}

/* ---- who ----------------------------------------------------------------- */

/* Jobs that the policy orders, ascending: all that wait and, if it preempts,
 * that run. */
static uint32_t candidates(const struct orr_engine *e, uint32_t *list)
{
    const struct orr_cluster *c = &e->cluster;
    uint32_t w = 0, r = 0, n = 0;
    uint32_t running = c->queue->preempts ? c->n_running : 0;
    while (w < c->n_waiting || r < running) {
        bool waits =
            r == running || (w < c->n_waiting && c->waiting[w] < c->running[r]);
        list[n++] = waits ? c->waiting[w++] : c->running[r++];
    }
    return n;
}

/* Those that are not among the first lose their GPUs. GPUs are counted, not
 * looked at: a job that has some keeps them. Elastic jobs count with the least
 * that they take. Nobody gives way to a job that has no room even so: it would
 * get its GPUs back, and lose them again whenever something happens. */
static orr_err preempt(struct orr_engine *e, const uint32_t *list, uint32_t n,
                       bool *changed, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    uint32_t room = 0;
    orr_err err = ORR_OK;
    for (uint32_t g = 0; g < c->inventory.gpus; g++)
        room += c->inventory.out[g] ? 0 : c->inventory.share;
    for (uint32_t i = 0; !err && i < n; i++) {
        struct orr_cluster_job *j = &c->job[list[i]];
        uint32_t least = orr__size_least(e, list[i]);
        if (!orr__could_have_room(c, j))
            continue;
        if (least <= room) {
            room -= least;
        } else if (j->state == ORR_CLUSTER_RUNNING) {
            err = orr__engine_take(e, list[i], ORR_CLUSTER_WAITING, why);
            j->preempted++;
            j->restarted = 0;
            *changed = true;
        }
    }
    return err;
}

/* Of list, the last one behind i that runs on this GPU; n: none does. */
static uint32_t last_on(const struct orr_cluster *c, const uint32_t *list,
                        uint32_t n, uint32_t i, uint32_t gpu)
{
    for (uint32_t k = n; k-- > i + 1;) {
        const struct orr_cluster_job *j = &c->job[list[k]];
        if (j->state != ORR_CLUSTER_RUNNING)
            continue;
        for (uint32_t r = 0; r < j->is.gpus; r++)
            if (j->gpu[r] == gpu)
                return k;
    }
    return n;
}

/* GPUs that i of list may need, and of these those that it can have: free ones,
 * and of the others those on which one behind it runs. *victim: the last of
 * these, n: there is none. */
static uint32_t reach(const struct orr_cluster *c, const uint32_t *list,
                      uint32_t n, uint32_t i, uint32_t *free_now,
                      uint32_t *victim)
{
    const struct orr_inventory *v = &c->inventory;
    const struct orr_arrival *a = &c->job[list[i]].is;
    uint32_t of = a->hosts ? a->gpus : v->gpus, can = 0, last = 0;
    *free_now = 0;
    for (uint32_t r = 0; r < of; r++) {
        uint32_t g = a->hosts ? a->hosts[r] : r;
        bool is_free = orr__gpu_free(v, g);
        uint32_t k = is_free || v->out[g] ? n : last_on(c, list, n, i, g);
        *free_now += is_free;
        can += is_free || k < n;
        last = k < n && k > last ? k : last;
    }
    *victim = last ? last : n; /* 0 is behind nobody */
    return can;
}

/* By number there is room for i of list, which waits, but not on the GPUs that
 * it names, or not on as many as it needs where GPUs are shared: the last of
 * those behind it lose theirs, if that is enough. */
static orr_err clear(struct orr_engine *e, const uint32_t *list, uint32_t n,
                     uint32_t i, bool *changed, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    uint32_t least = orr__size_least(e, list[i]), free_now, victim;
    orr_err err = ORR_OK;
    if (!c->job[list[i]].is.hosts && c->inventory.share == 1)
        return ORR_OK;
    while (!err && reach(c, list, n, i, &free_now, &victim) >= least
           && free_now < least && victim < n) {
        err = orr__engine_take(e, list[victim], ORR_CLUSTER_WAITING, why);
        c->job[list[victim]].preempted++;
        c->job[list[victim]].restarted = 0;
        *changed = true;
    }
    return err;
}

/* May this one of list start, as far as the others are concerned? */
static orr_err ask_policy(const struct orr_engine *e, uint32_t first,
                          uint32_t job, bool *may, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    *may = first == ORR_NONE || c->queue->preempts;
    if (*may || !c->queue->passes
        || orr__gpus_free(&c->inventory) < orr__size_least(e, job))
        return ORR_OK;
    return c->queue->passes(c, c->queue_params, first, job, may, why);
}

/* In order; one that has no room holds up those behind it, unless the policy
 * lets them pass, or counts GPUs anyway. */
static orr_err give(struct orr_engine *e, const uint32_t *list, uint32_t n,
                    bool *changed, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    uint32_t first = ORR_NONE; /* that has to wait */
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < n; i++) {
        bool may, started = false;
        if (c->job[list[i]].state != ORR_CLUSTER_WAITING)
            continue;
        err = ask_policy(e, first, list[i], &may, why);
        if (err || !may)
            continue;
        if (first == ORR_NONE)
            err = orr__engine_make_room(e, list[i], changed, why);
        if (!err && c->queue->preempts)
            err = clear(e, list, n, i, changed, why);
        if (!err)
            err = try_start(e, list[i], &started, why);
        *changed |= !err && started;
        if (!started && first == ORR_NONE)
            first = list[i];
    }
    return err;
}

static orr_err by_policy(struct orr_engine *e, bool *changed,
                         struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    if (!c->n_waiting)
        return ORR_OK;
    uint32_t *list = orr__alloc(c->n_waiting + c->n_running, sizeof *list);
    if (!list)
        return orr__no_memory(why);
    uint32_t n = candidates(e, list);
    orr_err err = c->queue->order(c, c->queue_params, list, n, why);
    if (!err && c->queue->preempts)
        err = preempt(e, list, n, changed, why);
    if (!err)
        err = give(e, list, n, changed, why);
    orr__free(list);
    return err;
}

orr_err orr__engine_assign(struct orr_engine *e, bool *changed,
                           struct orr_report *why)
{
    orr_err err = orr__engine_request(e, changed, why);
    if (!err)
        err = by_policy(e, changed, why);
    if (!err)
        err = orr__engine_grow(e, changed, why);
    return err ? err : orr__engine_migrate(e, changed, why);
}
