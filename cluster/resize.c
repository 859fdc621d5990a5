/* GPUs of jobs that run change: elastic jobs are told to, take what is free
 * while nobody waits, and give some back for one that waits; jobs move to GPUs
 * that are nearer to one another. To a job all of it is the same: it loses its
 * GPUs and gets others at the same moment, and pays for it in time.
 *
 * A job has all its GPUs at any moment, and every GPU is had or free: sizes are
 * chosen first, for all jobs, and carried out one job after another, those that
 * give before those that take. */
#include "cluster/resize.h"
#include "core/none.h"

#include <math.h>
#include <string.h>

#include "cluster/known_jobs.h"
#include "core/assert.h"
#include "core/memory.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/expect.h"
#include "workload/cluster/tenants.h"

static const struct orr_template *template_of(const struct orr_engine *e,
                                              uint32_t job)
{
    return &e->cluster.template[e->cluster.job[job].is.template];
}

/* A job on GPUs of its own choice stays there. */
static bool is_elastic(const struct orr_engine *e, uint32_t job)
{
    return template_of(e, job)->sizes && !e->cluster.job[job].is.hosts;
}

uint32_t orr__size_least(const struct orr_engine *e, uint32_t job)
{
    return orr__least_gpus(&e->cluster, &e->cluster.job[job]);
}

uint32_t orr__size_at_first(const struct orr_engine *e, uint32_t job,
                            uint32_t room)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    uint32_t most = j->requested ? j->requested : orr__cluster_asked(j);
    uint32_t least = orr__size_least(e, job);
    if (room < least || !is_elastic(e, job))
        return least;
    return orr__elastic_below(template_of(e, job), room < most ? room : most);
}

/* It was resized, moved or started a short while ago, and keeps what it has. A
 * job that starts at this moment may still be given more. */
static bool is_held(const struct orr_cluster *c,
                    const struct orr_cluster_job *j, int64_t every_ns)
{
    return j->changed_ns >= 0 && j->since_ns != c->now_ns
           && c->now_ns - j->changed_ns < every_ns;
}

/* ---- places -------------------------------------------------------------- */

/* How many different numbers of `of` there are; seen: zeroed, for all of
 * them. */
static uint32_t count_places(const uint32_t *of, const uint32_t *gpu,
                             uint32_t n, uint8_t *seen)
{
    uint32_t places = 0;
    for (uint32_t r = 0; r < n; r++) {
        places += !seen[of[gpu[r]]];
        seen[of[gpu[r]]] = 1;
    }
    for (uint32_t r = 0; r < n; r++)
        seen[of[gpu[r]]] = 0;
    return places;
}

/* In fewer racks, or in as many and fewer servers. */
static bool is_nearer(const struct orr_inventory *v, const uint32_t *gpu,
                      const uint32_t *now, uint32_t n, uint8_t *seen)
{
    uint32_t racks = count_places(v->rack, gpu, n, seen);
    uint32_t before = count_places(v->rack, now, n, seen);
    if (racks != before)
        return racks < before;
    return count_places(v->server, gpu, n, seen)
           < count_places(v->server, now, n, seen);
}

/* ---- carrying out -------------------------------------------------------- */

/* Among which GPUs a job that runs chooses. */
enum among {
    AMONG_OWN,  /* those that it has */
    AMONG_FREE, /* those that are free, but for its own, which it may not
                 * have twice */
    AMONG_BOTH,
};

/* Changes which GPUs count as taken, for one choice of GPUs: the caller has a
 * copy and puts it back. */
static void mark_gpus(struct orr_inventory *v, const struct orr_cluster_job *j,
                      enum among which)
{
    if (which == AMONG_OWN)
        memset(v->taken, (int)v->share, v->gpus * sizeof *v->taken);
    for (uint32_t r = 0; r < j->is.gpus; r++) {
        uint8_t *taken = &v->taken[j->gpu[r]];
        if (which == AMONG_FREE)
            *taken = (uint8_t)v->share;
        else
            *taken = which == AMONG_OWN ? 0 : (uint8_t)(*taken - 1);
    }
}

/* GPUs for `gpus` ranks of a running job, by the placement. Inventory and job
 * are as before afterwards; gpu has room for `gpus`. */
static orr_err choose_gpus(struct orr_engine *e, uint32_t job, uint32_t gpus,
                           enum among which, uint32_t *gpu, bool *found,
                           struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    struct orr_inventory *v = &c->inventory;
    struct orr_cluster_job *j = &c->job[job];
    struct orr_demand_item *known = e->known[job];
    uint32_t had = j->is.gpus;
    uint8_t *taken = orr__alloc(v->gpus, sizeof *taken);
    if (!taken)
        return orr__no_memory(why);
    memcpy(taken, v->taken, v->gpus * sizeof *taken);
    ORR_ASSERT(j->state == ORR_CLUSTER_RUNNING);
    mark_gpus(v, j, which);
    e->known[job] = NULL; /* it is not its own rival */
    j->is.gpus = gpus;
    *found = false; /* where GPUs are shared, some that are free are its own */
    orr_err err = orr__gpus_free(v) < gpus
                      ? ORR_OK
                      : orr__engine_place_job(e, job, gpu, found, why);
    j->is.gpus = had;
    e->known[job] = known;
    memcpy(v->taken, taken, v->gpus * sizeof *taken);
    orr__free(taken);
    return err;
}

static bool comes_before(const struct orr_inventory *v, uint32_t a, uint32_t b)
{
    if (v->rack[a] != v->rack[b])
        return v->rack[a] < v->rack[b];
    return v->server[a] != v->server[b] ? v->server[a] < v->server[b] : a < b;
}

/* More GPUs beside those that a job has, or others altogether if these are in
 * fewer racks or servers. */
static orr_err choose_more(struct orr_engine *e, uint32_t job, uint32_t gpus,
                           uint32_t *gpu, bool *found, struct orr_report *why)
{
    const struct orr_inventory *v = &e->cluster.inventory;
    const struct orr_cluster_job *j = &e->cluster.job[job];
    uint32_t had = j->is.gpus;
    bool beside = false;
    uint32_t *try = orr__alloc(gpus, sizeof *try);
    uint8_t *seen = orr__alloc((size_t)v->racks + v->servers, sizeof *seen);
    orr_err err = try && seen
                      ? choose_gpus(e, job, gpus, AMONG_BOTH, gpu, found, why)
                      : orr__no_memory(why);
    if (!err)
        err = choose_gpus(e, job, gpus - had, AMONG_FREE, try, &beside, why);
    for (uint32_t n = gpus - had; !err && beside && n < gpus; n++)
        try[n] = j->gpu[n - (gpus - had)];
    for (uint32_t n = 1; !err && beside && n < gpus; n++)
        for (uint32_t at = n; at && comes_before(v, try[at], try[at - 1]);
             at--) {
            uint32_t other = try[at];
            try[at] = try[at - 1];
            try[at - 1] = other;
        }
    if (!err && beside && !(*found && is_nearer(v, gpu, try, gpus, seen))) {
        memcpy(gpu, try, gpus * sizeof *gpu);
        *found = true;
    }
    orr__free(try);
    orr__free(seen);
    return err;
}

/* From what it has to these, which it takes over; until then it paid for
 * something else, perhaps. A job that begins at this moment has not begun. */
static orr_err change_gpus(struct orr_engine *e, uint32_t job, uint32_t gpus,
                           uint32_t *gpu, int64_t cost_ns,
                           struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    struct orr_cluster_job *j = &c->job[job];
    int64_t ready = c->now_ns + cost_ns;
    ORR_ASSERT(cost_ns >= 0 && orr__elastic_allows(template_of(e, job), gpus));
    if (j->since_ns == c->now_ns)
        ready = j->ready_ns;
    ready = ready > j->ready_ns ? ready : j->ready_ns;
    orr_err err = orr__engine_take(e, job, ORR_CLUSTER_WAITING, why);
    orr__engine_give(e, job, gpus, gpu, ready);
    return err;
}

static bool has_gpu(const uint32_t *gpu, uint32_t n, uint32_t which)
{
    for (uint32_t r = 0; r < n; r++)
        if (gpu[r] == which)
            return true;
    return false;
}

/* All that it keeps are those that it had, or it has all of them still. */
static bool has_moved(const struct orr_cluster_job *j, uint32_t gpus,
                      const uint32_t *gpu)
{
    uint32_t kept = 0;
    for (uint32_t r = 0; r < gpus; r++)
        kept += has_gpu(j->gpu, j->is.gpus, gpu[r]);
    return kept < gpus && kept < j->is.gpus;
}

/* A smaller job keeps some of its GPUs. *changed stays if there is no good
 * place for a larger one. */
static orr_err resize_job(struct orr_engine *e, uint32_t job, uint32_t gpus,
                          bool *changed, struct orr_report *why)
{
    struct orr_cluster_job *j = &e->cluster.job[job];
    bool fewer = gpus < j->is.gpus, found = false;
    bool begun = j->since_ns != e->cluster.now_ns;
    if (gpus == j->is.gpus)
        return ORR_OK;
    uint32_t *gpu = orr__alloc(gpus, sizeof *gpu);
    if (!gpu)
        return orr__no_memory(why);
    orr_err err = fewer ? choose_gpus(e, job, gpus, AMONG_OWN, gpu, &found, why)
                        : choose_more(e, job, gpus, gpu, &found, why);
    if (!err && fewer && !found) /* it would rather wait, but has to choose */
        memcpy(gpu, j->gpu, gpus * sizeof *gpu);
    if (err || (!fewer && !found)) {
        orr__free(gpu);
        return err;
    }
    j->resized += begun;
    j->moved += begun && has_moved(j, gpus, gpu);
    *changed = true;
    return change_gpus(e, job, gpus, gpu, e->settings.resize.cost_ns, why);
}

/* ---- who ----------------------------------------------------------------- */

/* Sizes that jobs are to have; owned by who plans, plan_fini frees. */
struct plan {
    uint32_t n, *job, *to; /* jobs that run, ascending; GPUs that they are to
                            * have */
};

/* At first every job keeps its size. Freed by the caller even after an
 * error. */
static orr_err plan_init(const struct orr_engine *e, struct plan *p,
                         struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    p->n = c->n_running;
    p->job = orr__alloc(p->n, sizeof *p->job);
    p->to = orr__alloc(p->n, sizeof *p->to);
    for (uint32_t i = 0; p->job && p->to && i < p->n; i++) {
        p->job[i] = c->running[i];
        p->to[i] = c->job[p->job[i]].is.gpus;
    }
    return p->job && p->to ? ORR_OK : orr__no_memory(why);
}

static void plan_free(struct plan *p)
{
    orr__free(p->job);
    orr__free(p->to);
}

/* Those that give, then those that take. */
static orr_err carry_out(struct orr_engine *e, const struct plan *p,
                         bool *changed, struct orr_report *why)
{
    orr_err err = ORR_OK;
    for (int take = 0; take < 2; take++)
        for (uint32_t i = 0; !err && i < p->n; i++)
            if ((p->to[i] > e->cluster.job[p->job[i]].is.gpus) == (take == 1))
                err = resize_job(e, p->job[i], p->to[i], changed, why);
    return err;
}

/* ns that a job would still take alone with so many GPUs. */
static orr_err left_with(struct orr_engine *e, uint32_t job, uint32_t gpus,
                         double *ns, struct orr_report *why)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    const struct orr_template *t = template_of(e, job);
    double alone;
    orr_err err = orr__engine_baseline(e, j->is.template, gpus, &alone, why);
    double all = j->iterations > 0
                     ? j->iterations
                     : (double)j->is.duration_ns / fmax(j->guess_ns, 1);
    *ns = (all - j->done) * alone
          / orr__elastic_scale(t, orr__cluster_asked(j), gpus);
    return err;
}

/* How much a job should have the larger of two sizes: the higher, the
 * sooner. */
static orr_err merit_of(struct orr_engine *e, uint32_t job, uint32_t fewer,
                        uint32_t more, bool growing, double *out,
                        struct orr_report *why)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    double with_fewer, with_more;
    orr_err err = left_with(e, job, fewer, &with_fewer, why);
    if (!err)
        err = left_with(e, job, more, &with_more, why);
    if (err)
        return err;
    *out = (with_fewer - with_more) / (more - fewer);
    if (growing && *out <= 0)
        *out = -INFINITY; /* others would do more with them */
    else if (e->settings.resize.by == ORR_RESIZE_BY_SHARE)
        *out = -(double)(growing ? fewer : more) / orr__cluster_asked(j);
    return ORR_OK;
}

/* Of those that can give GPUs back, down to the least they take (deep) or to
 * what they asked for, the one that should first, and its next size. */
static orr_err next_to_give(struct orr_engine *e, const struct plan *p,
                            bool deep, uint32_t *who, uint32_t *size,
                            struct orr_report *why)
{
    double best = INFINITY;
    *who = ORR_NONE;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t job = p->job[i], asked;
        const struct orr_cluster_job *j = &e->cluster.job[job];
        if (!is_elastic(e, job) || j->requested
            || is_held(&e->cluster, j, e->settings.resize.every_ns))
            continue;
        asked = orr__cluster_asked(j);
        uint32_t fewer = orr__elastic_below(template_of(e, job), p->to[i] - 1);
        double m;
        if (!fewer || (!deep && fewer < asked))
            continue;
        orr_err err = merit_of(e, job, fewer, p->to[i], false, &m, why);
        if (err)
            return err;
        if (m <= best) {
            best = m;
            *who = i;
            *size = fewer;
        }
    }
    return ORR_OK;
}

/* Whether its tenant may have so many more, beside what it is to have. */
static bool quota_allows(const struct orr_cluster *c, const struct plan *p,
                         uint32_t i, uint32_t more)
{
    uint32_t tenant = c->job[p->job[i]].is.tenant, sum = 0;
    const struct orr_tenant *t = c->tenants ? &c->tenant[tenant] : NULL;
    if (!t || t->quota == ORR_NONE || t->borrows)
        return true;
    for (uint32_t k = 0; k < p->n; k++)
        sum += c->job[p->job[k]].is.tenant == tenant ? p->to[k] : 0;
    return sum + more <= t->quota;
}

/* Of those that can take so many more, the one that should first. */
static orr_err next_to_take(struct orr_engine *e, const struct plan *p,
                            uint32_t room, uint32_t *who, uint32_t *size,
                            struct orr_report *why)
{
    double best = -INFINITY;
    *who = ORR_NONE;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t job = p->job[i];
        const struct orr_cluster_job *j = &e->cluster.job[job];
        if (!is_elastic(e, job) || j->requested
            || is_held(&e->cluster, j, e->settings.resize.every_ns))
            continue;
        uint32_t more = orr__elastic_above(template_of(e, job), p->to[i]);
        double m;
        if (!more || more - p->to[i] > room
            || !quota_allows(&e->cluster, p, i, more - p->to[i]))
            continue;
        orr_err err = merit_of(e, job, p->to[i], more, true, &m, why);
        if (err)
            return err;
        if (m > best) {
            best = m;
            *who = i;
            *size = more;
        }
    }
    return ORR_OK;
}

/* ---- room for one that waits --------------------------------------------- */

/* Lets jobs give until `need` GPUs are free, or none can; *room: that then
 * are. */
static orr_err plan_giving(struct orr_engine *e, struct plan *p, bool deep,
                           uint32_t need, uint32_t *room,
                           struct orr_report *why)
{
    orr_err err = ORR_OK;
    while (!err && *room < need) {
        uint32_t who, size = 0;
        err = next_to_give(e, p, deep, &who, &size, why);
        if (err || who == ORR_NONE)
            break;
        ORR_ASSERT(size > 0 && size < p->to[who]);
        *room += p->to[who] - size;
        p->to[who] = size;
    }
    return err;
}

orr_err orr__engine_make_room(struct orr_engine *e, uint32_t job, bool *changed,
                              struct orr_report *why)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    uint32_t room = orr__gpus_free(&e->cluster.inventory);
    uint32_t least = orr__size_least(e, job);
    uint32_t wants =
        j->requested || !is_elastic(e, job) ? least : orr__cluster_asked(j);
    struct plan p = {.n = 0};
    if (!e->settings.resize.shrink || room >= wants || j->is.hosts)
        return ORR_OK;
    orr_err err = plan_init(e, &p, why);
    if (!err)
        err = plan_giving(e, &p, false, wants, &room, why);
    if (!err && room < least)
        err = plan_giving(e, &p, true, least, &room, why);
    if (!err && room >= least)
        err = carry_out(e, &p, changed, why);
    plan_free(&p);
    return err;
}

/* ---- told, growing ------------------------------------------------------- */

/* What jobs were told by now. */
static void take_requests(struct orr_engine *e)
{
    const struct orr_resize_settings *s = &e->settings.resize;
    struct orr_cluster *c = &e->cluster;
    while (e->next_request < s->requests
           && s->request[e->next_request].at_ns <= c->now_ns) {
        c->job[s->request[e->next_request].job].requested =
            s->request[e->next_request].gpus;
        e->next_request++;
    }
}

/* What users and schedules requested: those that shrink first, then those that
 * grow as far as there is room. */
static void plan_requested(const struct orr_engine *e, struct plan *p,
                           uint32_t *room)
{
    for (int take = 0; take < 2; take++)
        for (uint32_t i = 0; i < p->n; i++) {
            uint32_t requested = e->cluster.job[p->job[i]].requested;
            if (!requested || (requested > p->to[i]) != (take == 1))
                continue;
            if (take && requested - p->to[i] > *room)
                continue;
            *room = *room + p->to[i] - requested;
            p->to[i] = requested;
        }
}

/* Free GPUs, one step of size at a time, to whoever next_to_take() names. */
static orr_err plan_growing(struct orr_engine *e, struct plan *p, uint32_t room,
                            struct orr_report *why)
{
    orr_err err = ORR_OK;
    while (!err && room) {
        uint32_t who, size = 0;
        err = next_to_take(e, p, room, &who, &size, why);
        if (err || who == ORR_NONE)
            break;
        room -= size - p->to[who];
        p->to[who] = size;
    }
    return err;
}

orr_err orr__engine_request(struct orr_engine *e, bool *changed,
                            struct orr_report *why)
{
    struct plan p = {.n = 0};
    if (!e->settings.resize.requests)
        return ORR_OK;
    take_requests(e);
    uint32_t room = orr__gpus_free(&e->cluster.inventory);
    orr_err err = plan_init(e, &p, why);
    if (!err)
        plan_requested(e, &p, &room);
    if (!err)
        err = carry_out(e, &p, changed, why);
    plan_free(&p);
    return err;
}

static bool any_elastic(const struct orr_cluster *c)
{
    for (uint32_t t = 0; t < c->templates; t++)
        if (c->template[t].sizes)
            return true;
    return false;
}

orr_err orr__engine_grow(struct orr_engine *e, bool *changed,
                         struct orr_report *why)
{
    struct plan p = {.n = 0};
    const struct orr_cluster *c = &e->cluster;
    if (c->n_waiting || !e->settings.resize.grow || !any_elastic(c))
        return ORR_OK;
    uint32_t room = orr__gpus_free(&c->inventory);
    orr_err err = plan_init(e, &p, why);
    if (!err)
        err = plan_growing(e, &p, room, why);
    if (!err)
        err = carry_out(e, &p, changed, why);
    plan_free(&p);
    return err;
}

int64_t orr__resize_next(const struct orr_engine *e)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_resize_settings *s = &e->settings.resize;
    int64_t next = INT64_MAX;
    if (e->next_request < s->requests)
        next = s->request[e->next_request].at_ns;
    for (uint32_t i = 0; s->every_ns && i < c->n_running; i++) {
        const struct orr_cluster_job *j = &c->job[c->running[i]];
        if (!is_elastic(e, c->running[i]) || j->requested
            || j->changed_ns > INT64_MAX - s->every_ns)
            continue;
        int64_t at = j->changed_ns + s->every_ns;
        next = at > c->now_ns && at < next ? at : next;
    }
    return next;
}

/* ---- moving -------------------------------------------------------------- */

/* To GPUs that are nearer, if the job has run long enough since the last change
 * and has more to do than a move costs. */
static orr_err move_job(struct orr_engine *e, uint32_t job, uint8_t *seen,
                        bool *changed, struct orr_report *why)
{
    struct orr_cluster_job *j = &e->cluster.job[job];
    const struct orr_migrate_settings *s = &e->settings.migrate;
    bool found = false, begun = j->since_ns != e->cluster.now_ns;
    double left = orr__cluster_left(j);
    if (j->is.hosts || !begun || is_held(&e->cluster, j, s->every_ns)
        || (left >= 0 && left <= (double)s->cost_ns))
        return ORR_OK;
    uint32_t *gpu = orr__alloc(j->is.gpus, sizeof *gpu);
    if (!gpu)
        return orr__no_memory(why);
    orr_err err = choose_gpus(e, job, j->is.gpus, AMONG_BOTH, gpu, &found, why);
    if (err || !found
        || !is_nearer(&e->cluster.inventory, gpu, j->gpu, j->is.gpus, seen)) {
        orr__free(gpu);
        return err;
    }
    j->moved++;
    *changed = true;
    return change_gpus(e, job, j->is.gpus, gpu, s->cost_ns, why);
}

orr_err orr__engine_migrate(struct orr_engine *e, bool *changed,
                            struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_inventory *v = &c->inventory;
    struct plan p = {.n = 0};
    if (!e->settings.migrate.on || !c->n_running)
        return ORR_OK;
    uint8_t *seen = orr__alloc((size_t)v->racks + v->servers, sizeof *seen);
    orr_err err = seen ? plan_init(e, &p, why) : orr__no_memory(why);
    for (uint32_t i = 0; !err && i < p.n; i++)
        err = move_job(e, p.job[i], seen, changed, why);
    plan_free(&p);
    orr__free(seen);
    return err;
}
