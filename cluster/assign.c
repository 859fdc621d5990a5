/* Who gets GPUs, who loses them, and which. */
#include "cluster/resize.h"
#include "cluster/tenancy.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/gpu_kinds.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/expect.h"
#include "workload/cluster/tenants.h"

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
    orr_err err = e->pace->teardown ? e->pace->teardown(e, job, why) : ORR_OK;
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
    orr__cluster_set_state(c, job, then);
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
    orr__cluster_set_state(c, job, ORR_CLUSTER_RUNNING);
    j->is.gpus = gpus;
    j->scale =
        orr__cluster_elastic(c, j)
            ? orr__elastic_scale(&c->template[j->is.template], j -> asked, gpus)
            : 1;
    j->gpu = gpu;
    j->kind = 1 + orr__gpu_kind(&c->inventory, gpu[0]);
    for (uint32_t r = 0; r < gpus; r++) {
        ORR_ASSERT(orr__gpu_free(&c->inventory, gpu[r]));
        ORR_ASSERT(orr__gpu_kind(&c->inventory, gpu[r]) == j->kind - 1);
        c->inventory.taken[gpu[r]]++;
    }
}

static void start_job(struct orr_engine *e, uint32_t job, uint32_t gpus,
                      uint32_t *gpu)
{
    struct orr_cluster_job *j = &e->cluster.job[job];
    int64_t cost = cost_of(e, j);
    if (j->first_ns < 0)
        j->first_ns = e->cluster.now_ns;
    orr__engine_give(e, job, gpus, gpu, e->cluster.now_ns + cost);
}

/* The GPUs that a job names itself; false: not all are free. */
static bool take_listed_hosts(const struct orr_cluster *c, uint32_t job,
                              uint32_t *gpu)
{
    const struct orr_arrival *a = &c->job[job].is;
    for (uint32_t r = 0; r < a->gpus; r++) {
        gpu[r] = a->hosts[r];
        if (!orr__gpu_free(&c->inventory, gpu[r]))
            return false;
    }
    return true;
}

/* Tries to start a job where there is room, on one kind of GPU. */
static orr_err try_kind(struct orr_engine *e, uint32_t job, uint32_t kind,
                        bool *started, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    struct orr_arrival *a = &c->job[job].is;
    uint32_t room = orr__kind_free(&c->inventory, kind);
    uint32_t may = orr__tenant_room(c, job);
    uint32_t gpus = orr__size_at_first(e, job, room < may ? room : may);
    *started = false;
    if (room < gpus || may < gpus)
        return ORR_OK;
    uint32_t *gpu = orr__alloc(gpus, sizeof *gpu);
    if (!gpu)
        return orr__no_memory(why);
    orr_err err = ORR_OK;
    a->gpus = gpus;
    c->job[job].kind = kind + 1;
    if (a->hosts)
        *started = take_listed_hosts(c, job, gpu);
    else
        err = orr__engine_place_job(e, job, gpu, started, why);
    a->gpus = c->job[job].asked;
    if (!err && *started)
        start_job(e, job, gpus, gpu);
    else
        orr__free(gpu);
    return err;
}

/* On the fastest kind that has room, or the one that the queue wishes. */
static orr_err try_start(struct orr_engine *e, uint32_t job, bool *started,
                         struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_cluster_job *j = &c->job[job];
    const struct orr_inventory *v = &c->inventory;
    uint32_t *kind, n = 1;
    orr_err err = ORR_OK;
    *started = false;
    if (v->n_kinds == 1)
        return try_kind(e, job, 0, started, why);
    if (j->is.hosts)
        return try_kind(e, job, orr__gpu_kind(v, j->is.hosts[0]), started, why);
    kind = orr__alloc(v->n_kinds, sizeof *kind);
    if (!kind)
        return orr__no_memory(why);
    if (j->preferred_kind)
        *kind = j->preferred_kind - 1;
    else
        n = orr__kinds_of(c, &c->template[j->is.template], j -> is.gpus, kind);
    for (uint32_t i = 0; !err && !*started && i < n; i++)
        err = try_kind(e, job, kind[i], started, why);
    orr__free(kind);
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

/* GPUs by kind, and by tenant how many more are its own, while jobs are counted
 * off. */
struct room {
    uint32_t *kind;  /* per kind: GPUs */
    uint32_t *order; /* scratch: kinds of a job */
    uint64_t *own;   /* per tenant: of its quota */
    bool *in;        /* per job of the list: it has, or keeps, GPUs */
};

static void room_fini(struct room *r)
{
    orr__free(r->kind);
    orr__free(r->order);
    orr__free(r->own);
    orr__free(r->in);
}

/* All GPUs that are not out, as shares by kind; quotas of tenants, 0 without
 * one. Freed by the caller even after an error. */
static orr_err room_init(struct room *r, const struct orr_cluster *c,
                         uint32_t n, struct orr_report *why)
{
    const struct orr_inventory *v = &c->inventory;
    *r = (struct room){
        .kind = orr__alloc(v->n_kinds, sizeof *r->kind),
        .order = orr__alloc(v->n_kinds, sizeof *r->order),
        .own = orr__alloc(c->tenants, sizeof *r->own),
        .in = orr__alloc(n, sizeof *r->in),
    };
    if (!r->kind || !r->order || !r->own || !r->in)
        return orr__no_memory(why);
    for (uint32_t g = 0; g < v->gpus; g++)
        r->kind[orr__gpu_kind(v, g)] += v->out[g] ? 0 : v->share;
    for (uint32_t t = 0; t < c->tenants; t++)
        r->own[t] = c->tenant[t].quota == ORR_NONE ? 0 : c->tenant[t].quota;
    return ORR_OK;
}

/* Counts off the GPUs of a job: on the kind that it has, or that is wished;
 * else on the fastest that has so many. False: there are not enough. */
static bool count_off(const struct orr_cluster *c, struct room *r,
                      const struct orr_cluster_job *j, uint32_t gpus)
{
    bool runs = j->state == ORR_CLUSTER_RUNNING;
    uint32_t n = 1;
    if (j->preferred_kind || runs)
        *r->order = (j->preferred_kind ? j->preferred_kind : j->kind) - 1;
    else if (j->is.hosts)
        *r->order = orr__gpu_kind(&c->inventory, j->is.hosts[0]);
    else
        n = orr__kinds_of(c, &c->template[j->is.template], j -> is.gpus,
                          r->order);
    for (uint32_t i = 0; i < n; i++)
        if (gpus <= r->kind[r->order[i]]) {
            r->kind[r->order[i]] -= gpus;
            return true;
        }
    return false;
}

/* Of whom GPUs are the tenant's own, first; then of all others. */
static void count_all(const struct orr_engine *e, const uint32_t *list,
                      uint32_t n, struct room *r)
{
    const struct orr_cluster *c = &e->cluster;
    for (int own = c->tenants > 0; own >= 0; own--)
        for (uint32_t i = 0; i < n; i++) {
            const struct orr_cluster_job *j = &c->job[list[i]];
            uint32_t least = orr__size_least(e, list[i]);
            uint64_t *left = c->tenants ? &r->own[j->is.tenant] : NULL;
            const struct orr_tenant *t = left ? &c->tenant[j->is.tenant] : NULL;
            bool within = left && least <= *left;
            bool may = own ? within
                           : !t || within || t->borrows || t->quota == ORR_NONE;
            if (r->in[i] || !may || !orr__could_have_room(c, j))
                continue;
            r->in[i] = count_off(c, r, j, least);
            if (r->in[i] && left)
                *left -= within ? least : 0;
        }
}

/* Those that are not among the first lose their GPUs, and those that are to
 * have others. GPUs are counted, not looked at: a job that has some keeps them.
 * Elastic jobs count with the least that they take. Nobody gives way to a job
 * that has no room even so: it would get its GPUs back, and lose them again
 * whenever something happens. */
static orr_err preempt_jobs(struct orr_engine *e, const uint32_t *list,
                            uint32_t n, bool *changed, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    struct room r = {0};
    orr_err err = room_init(&r, c, n, why);
    if (!err)
        count_all(e, list, n, &r);
    for (uint32_t i = 0; !err && i < n; i++) {
        struct orr_cluster_job *j = &c->job[list[i]];
        bool other = j->preferred_kind && j->preferred_kind != j->kind;
        if (j->state != ORR_CLUSTER_RUNNING || (r.in[i] && !other)
            || !orr__could_have_room(c, j))
            continue;
        err = orr__engine_take(e, list[i], ORR_CLUSTER_WAITING, why);
        j->preempted++;
        j->restarted = 0;
        *changed = true;
    }
    room_fini(&r);
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
static uint32_t count_reachable(const struct orr_cluster *c,
                                const uint32_t *list, uint32_t n, uint32_t i,
                                uint32_t *free_now, uint32_t *victim)
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
static orr_err clear_gpus(struct orr_engine *e, const uint32_t *list,
                          uint32_t n, uint32_t i, bool *changed,
                          struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    uint32_t least = orr__size_least(e, list[i]), free_now, victim;
    orr_err err = ORR_OK;
    if (!c->job[list[i]].is.hosts && c->inventory.share == 1)
        return ORR_OK;
    while (!err && count_reachable(c, list, n, i, &free_now, &victim) >= least
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

/* One of those that wait, which may start as far as others are concerned: makes
 * room for it, if it is the first of all that have to wait, and starts it. */
static orr_err give_one(struct orr_engine *e, const uint32_t *list, uint32_t n,
                        uint32_t i, bool first, bool *changed, bool *started,
                        struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    if (first)
        err = orr__engine_make_room(e, list[i], changed, why);
    if (!err && c->queue->preempts)
        err = clear_gpus(e, list, n, i, changed, why);
    if (!err)
        err = try_start(e, list[i], started, why);
    *changed |= !err && *started;
    return err;
}

/* A job within its tenant's quota that finds no room: what others have borrowed
 * is given back. */
static orr_err give_own(struct orr_engine *e, const uint32_t *list, uint32_t n,
                        uint32_t i, bool first, bool *changed, bool *started,
                        struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_arrival *a = &c->job[list[i]].is;
    uint32_t least = orr__size_least(e, list[i]);
    orr_err err = give_one(e, list, n, i, first, changed, started, why);
    if (err || *started || a->hosts || !c->tenant[a->tenant].reclaims
        || c->queue->preempts)
        return err;
    err = orr__tenant_reclaim(e, list[i], least, changed, why);
    if (!err)
        err = try_start(e, list[i], started, why);
    *changed |= !err && *started;
    return err;
}

/* Who has to wait, so that those behind him do. */
struct heads {
    uint32_t *of;   /* per tenant: its first; ORR_NONE: none */
    uint32_t first; /* of all, for room; ORR_NONE: none */
};

static uint32_t *head_of(const struct orr_cluster *c, struct heads *h,
                         uint32_t job)
{
    return c->tenants ? &h->of[c->job[job].is.tenant] : &h->first;
}

/* Jobs whose GPUs are their tenant's own, each tenant's in order. */
static orr_err give_to_owners(struct orr_engine *e, const uint32_t *list,
                              uint32_t n, struct heads *h, bool *changed,
                              struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < n; i++) {
        uint32_t *head = head_of(c, h, list[i]);
        bool may, started = false;
        if (c->job[list[i]].state != ORR_CLUSTER_WAITING)
            continue;
        err = ask_policy(e, *head, list[i], &may, why);
        if (err || !may)
            continue;
        bool owns = orr__tenant_owns(c, list[i], orr__size_least(e, list[i]));
        if (owns)
            err = give_own(e, list, n, i, *head == ORR_NONE, changed, &started,
                           why);
        if (started)
            continue;
        *head = *head == ORR_NONE ? list[i] : *head;
        if (owns)
            h->first = list[i];
    }
    return err;
}

/* May this one start, beside those that were to come before it? */
static orr_err ask_heads(struct orr_engine *e, struct heads *h, uint32_t job,
                         bool *may, struct orr_report *why)
{
    uint32_t head = *head_of(&e->cluster, h, job);
    orr_err err = ask_policy(e, h->first, job, may, why);
    if (!err && *may && e->cluster.tenants && head != job)
        err = ask_policy(e, head, job, may, why);
    return err;
}

/* In order; one that has no room holds up those behind it, unless the policy
 * lets them pass, or counts GPUs anyway. With tenants, those have come first
 * whose GPUs are their own, and nobody borrows what one of them waits for; one
 * that its tenant's quota holds up, holds up that tenant's others. */
static orr_err give_to_all(struct orr_engine *e, const uint32_t *list,
                           uint32_t n, struct heads *h, bool *changed,
                           struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < n; i++) {
        uint32_t *head = head_of(c, h, list[i]);
        bool may, started = false;
        if (c->job[list[i]].state != ORR_CLUSTER_WAITING || h->first == list[i])
            continue;
        err = ask_heads(e, h, list[i], &may, why);
        if (err || !may)
            continue;
        if (orr__tenant_room(c, list[i]) < orr__size_least(e, list[i])) {
            *head = *head == ORR_NONE ? list[i] : *head;
            continue;
        }
        err = give_one(e, list, n, i, h->first == ORR_NONE, changed, &started,
                       why);
        if (started && *head == list[i])
            *head = ORR_NONE;
        if (!started && h->first == ORR_NONE)
            h->first = list[i];
    }
    return err;
}

/* Owners within their quota first, then everybody in order of the list;
 * *changed: somebody began. */
static orr_err start_in_order(struct orr_engine *e, const uint32_t *list,
                              uint32_t n, bool *changed, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    struct heads h = {orr__alloc(c->tenants, sizeof *h.of), ORR_NONE};
    orr_err err = h.of ? ORR_OK : orr__no_memory(why);
    for (uint32_t t = 0; !err && t < c->tenants; t++)
        h.of[t] = ORR_NONE;
    if (!err && c->tenants)
        err = give_to_owners(e, list, n, &h, changed, why);
    if (!err)
        err = give_to_all(e, list, n, &h, changed, why);
    orr__free(h.of);
    return err;
}

/* Jobs that wait, in the order of the queueing policy. */
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
    orr__tenants_order(c, list, n);
    if (!err && c->queue->preempts)
        err = preempt_jobs(e, list, n, changed, why);
    if (!err)
        err = start_in_order(e, list, n, changed, why);
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
