/* A network with jobs that come and go: their lives. */
#include "cluster/shared_network.h"
#include "core/none.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/units.h"
#include "experiment/experiment.h"
#include "experiment/stale.h"
#include "net/config/config.h"
#include "net/watch/state.h"
#include "workload/job/adjust.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"
#include "workload/schedule/schedule.h"

/* A job from its start until the net knows nothing of it. */
struct network_job {
    uint32_t number;
    struct orr_shared_network *network;
    struct orr_config *config;   /* that it stands in ... */
    const struct orr_yaml *node; /* ... here */
    const char *kind;            /* of the caller; or NULL */
    struct orr_job job;
    atomic_uint left;    /* ranks that have not ended */
    uint32_t iterations; /* that all ranks have ended, as far as known */
    int64_t last_end_ps; /* of the last of these; -1: there is none */
    uint32_t *connection, connections; /* once it is closed */
    void (*ended)(void *arg); /* of orr__shared_network_tell, or NULL */
    void *ended_arg;
};

/* A network on which jobs come and go. */
struct orr_shared_network {
    orr_experiment *x;
    struct orr_world *world;
    struct orr_shared_network_host host; /* x NULL: the experiment is its own */
    bool begun, steered;
    int64_t now;
    orr_err err; /* of the run so far; then it goes no further */
    struct orr_report why;
    /* What runs, by number; what was closed, until the net knows nothing of it.
     * Both have room for all. */
    struct network_job **job, **closed;
    uint32_t jobs, most, n_closed, closed_room;
    atomic_bool one_ended;  /* in the run under way */
    uint32_t sweep_at;      /* so many are leaving: worth a sweep */
    uint32_t *on_host;      /* per host: jobs that run and have ranks there */
    uint32_t *exclusive_on; /* ... that are exclusive */
};

/* ---- finding ------------------------------------------------------------- */

/* The first whose number is not lower. */
static uint32_t place_of(const struct orr_shared_network *l, uint32_t number)
{
    uint32_t from = 0, to = l->jobs;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (l->job[middle]->number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static struct network_job *find_job(const struct orr_shared_network *l,
                                    uint32_t number)
{
    uint32_t i = place_of(l, number);
    return i < l->jobs && l->job[i]->number == number ? l->job[i] : NULL;
}

/* ---- opening ------------------------------------------------------------- */

static orr_err make_room(struct orr_shared_network *l, uint32_t most,
                         struct orr_report *why)
{
    l->most = most ? most : 1;
    l->job = orr__alloc(most, sizeof(struct network_job *));
    l->on_host = orr__alloc(l->world->graph->hosts, sizeof *l->on_host);
    l->exclusive_on =
        orr__alloc(l->world->graph->hosts, sizeof *l->exclusive_on);
    return l->job && l->on_host && l->exclusive_on ? ORR_OK
                                                   : orr__no_memory(why);
}

/* The network is made by now: what a schedule asks of it goes into a copy. */
static orr_err check_schedule(const struct orr_shared_network *l,
                              struct orr_report *why)
{
    struct orr_world none = *l->world;
    struct orr_net_draft asked = {*none.net_config};
    none.net_config = &asked.config;
    none.draft = &asked;
    none.jobs = NULL;
    none.n_jobs = 0;
    return orr__schedule_join(&none, why);
}

/* Of a text, which has a name, or of a document. */
static orr_err open_from(const char *name, const char *text,
                         struct orr_config *config,
                         const struct orr_options *options, uint32_t most_jobs,
                         bool steered, struct orr_shared_network **out,
                         struct orr_report *why)
{
    static const struct orr_options defaults;
    struct orr_options o = options ? *options : defaults;
    const struct orr_open_options how = {
        .later = {.expected = true, .jobs = true}};
    struct orr_shared_network *l = orr__alloc(1, sizeof *l);
    if (!l) {
        orr__config_free(config);
        return orr__no_memory(why);
    }
    o.no_output = o.no_output || !o.output;
    l->sweep_at = 8;
    orr_err err =
        config ? orr__experiment_open_config(config, &o, &how, &l->x, why)
               : orr__experiment_open(name, text, &o, &how, &l->x, why);
    if (!err) {
        l->world = orr__experiment_inside(l->x);
        orr__jobs_free(l->world);
        err = make_room(l, most_jobs, why);
    }
    l->steered = steered;
    if (!err && !steered) /* whether jobs can join is known before they come */
        err = check_schedule(l, why);
    if (!err)
        *out = l;
    else
        orr__shared_network_free(l);
    return err;
}

orr_err orr__shared_network_open(const char *name, const char *config,
                                 const struct orr_options *options,
                                 uint32_t most_jobs,
                                 struct orr_shared_network **out,
                                 struct orr_report *why)
{
    return open_from(name, config, NULL, options, most_jobs, false, out, why);
}

orr_err orr__shared_network_open_config(struct orr_config *config,
                                        const struct orr_options *options,
                                        uint32_t most_jobs, bool steered,
                                        struct orr_shared_network **out,
                                        struct orr_report *why)
{
    return open_from(NULL, NULL, config, options, most_jobs, steered, out, why);
}

orr_err orr__shared_network_attach(const struct orr_shared_network_host *host,
                                   struct orr_shared_network **out,
                                   struct orr_report *why)
{
    struct orr_shared_network *l = orr__alloc(1, sizeof *l);
    if (!l)
        return orr__no_memory(why);
    l->host = *host;
    l->x = host->x;
    l->world = orr__experiment_inside(l->x);
    l->begun = true;
    l->sweep_at = 8;
    orr_err err = make_room(l, l->world->graph->hosts, why);
    if (!err && l->world->repeat)
        err = orr__fail(
            why, ORR_ECONFIG,
            "repeat: not supported where jobs join a running network");
    if (!err && l->world->scheduler->ops->plan)
        err = orr__fail(why, ORR_ECONFIG,
                        "schedule: `%s` is planned for jobs "
                        "that are there from the beginning",
                        l->world->scheduler->ops->name);
    if (!err)
        err = check_schedule(l, why);
    if (!err)
        *out = l;
    else
        orr__shared_network_free(l);
    return err;
}

void orr__shared_network_time(struct orr_shared_network *l, int64_t now_ps)
{
    l->now = now_ps;
}

static void free_job(struct orr_shared_network *l, struct network_job *j)
{
    orr__job_fini(&j->job, l->world->options.workers);
    orr__config_free(j->config);
    orr__free(j->connection);
    orr__free(j);
}

void orr__shared_network_free(struct orr_shared_network *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->jobs; i++)
        free_job(l, l->job[i]);
    for (uint32_t i = 0; i < l->n_closed; i++)
        free_job(l, l->closed[i]);
    if (!l->host.x)
        orr_experiment_free(l->x);
    orr__free(l->job);
    orr__free(l->closed);
    orr__free(l->on_host);
    orr__free(l->exclusive_on);
    orr__free(l);
}

/* ---- coming -------------------------------------------------------------- */

/* A rank has ended its last iteration; in its thread. */
static void on_finished(void *network_job, uint32_t host, int64_t now)
{
    struct network_job *j = network_job;
    struct orr_shared_network *l = j->network;
    if (atomic_fetch_sub(&j->left, 1) != 1)
        return;
    if (j->ended)
        l->host.call(l->host.context, host, now, j->ended, j->ended_arg);
    if (l->host.x)
        return;
    atomic_store(&l->one_ended, true);
    orr__net_halt(l->world->net);
}

/* What a job asks of a network is there if it was before. */
static orr_err check_asked(const struct orr_net_config *before,
                           const struct orr_net_config *now,
                           const struct network_job *j, struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(j->node, "class");
    const struct orr_yaml *cc = orr__yaml_get(j->node, "cc");
    if (now->classes > before->classes)
        return orr__yaml_fail(j->config, at ? at : j->node, why,
                              "class: there is no traffic class %u in a "
                              "network of %u (`network.classes`)",
                              now->classes - 1, before->classes);
    if (before->pfc.enabled && before->used_classes
        && orr__job_classes(now, &j->job) & ~before->used_classes)
        return orr__yaml_fail(
            j->config, at ? at : j->node, why,
            "class: switches reserve no memory for this traffic class: neither "
            "`jobs` nor `network.classes` uses it");
    if (now->telemetry != before->telemetry
        || now->controlled != before->controlled
        || (now->pint && !before->pint))
        return orr__yaml_fail(j->config, cc ? cc : j->node, why,
                              "cc: this control needs a network that was made "
                              "for it: `network.cc`, or a job of this kind "
                              "among its `jobs`");
    return ORR_OK;
}

/* Its document is one of its own, which the world seems to have read; what it
 * asks of the network is noted in a copy. */
static orr_err read_job(struct orr_shared_network *l, struct network_job *j,
                        struct orr_report *why)
{
    struct orr_world view = *l->world;
    struct orr_net_draft asked = {*view.net_config};
    orr_err err =
        orr__config_set_folder(j->config, orr__config_folder(view.config), why);
    if (err)
        return err;
    view.config = j->config;
    view.net_config = &asked.config;
    view.draft = &asked;
    view.job_kind = j->kind ? &j->kind : NULL;
    view.jobs = &j->job;
    view.n_jobs = 1;
    j->job.index = j->number;
    err = orr__job_read(&view, j->node, &j->job, why);
    if (!err && !l->steered)
        err = orr__schedule_join(&view, why);
    if (!err)
        err = check_asked(l->world->net_config, &asked.config, j, why);
    return err ? err : orr__settle_job(&view, &j->job, why);
}

/* Ranks of a job that is shifted tell one another, no faster than windows
 * allow. */
static bool can_shift(const struct orr_shared_network *l,
                      const struct orr_gate *g)
{
    const struct orr_world *w = l->world;
    return !orr__gate_shifts(g) || orr__net_single(w->net)
           || orr__net_window(w->net) <= w->options.control_delay_ps;
}

static orr_err check_gate(const struct orr_shared_network *l,
                          const struct network_job *j, struct orr_report *why)
{
    if (can_shift(l, &j->job.gate))
        return ORR_OK;
    return orr__yaml_fail(
        j->config, orr__yaml_get(j->node, "gate"), why,
        "gate: ranks need a `control_delay` of this network that is long "
        "enough for a shift; or set `drift: none`");
}

/* Whether it may be where others are. */
static orr_err check_hosts(const struct orr_shared_network *l,
                           const struct network_job *j, struct orr_report *why)
{
    for (uint32_t i = 0; i < j->job.ranks; i++) {
        uint32_t host = j->job.hosts[i];
        if (l->exclusive_on[host] || (j->job.exclusive && l->on_host[host]))
            return orr__yaml_fail(j->config,
                                  orr__yaml_get(j->node, "exclusive"), why,
                                  "exclusive: a job that runs has a rank on "
                                  "host %u, too",
                                  host);
    }
    return ORR_OK;
}

static void count_hosts(struct orr_shared_network *l,
                        const struct network_job *j, bool in)
{
    for (uint32_t i = 0; i < j->job.ranks; i++) {
        uint32_t host = j->job.hosts[i];
        l->on_host[host] += in ? 1u : UINT32_MAX;
        if (j->job.exclusive)
            l->exclusive_on[host] += in ? 1u : UINT32_MAX;
    }
}

/* ECALL: this job cannot start at that time. */
static orr_err check_add(const struct orr_shared_network *l, uint32_t number,
                         int64_t at_ps, struct orr_report *why)
{
    if (l->err != ORR_OK)
        return orr__fail(why, l->err, "%s", l->why.message);
    if (find_job(l, number))
        return orr__fail(why, ORR_ECALL, "job %u runs already", number);
    if (l->jobs == l->most && !l->host.x)
        return orr__fail(why, ORR_ECALL,
                         "%u jobs run, there is room for no "
                         "more",
                         l->jobs);
    if (at_ps < l->now || at_ps >= ORR_HORIZON)
        return orr__fail(why, ORR_ECALL,
                         "job %u: it is %lld ps, and no job "
                         "can start at %lld",
                         number, (long long)l->now, (long long)at_ps);
    return ORR_OK;
}

static orr_err begin_network(struct orr_shared_network *l,
                             struct orr_report *why)
{
    orr_err err = l->begun ? ORR_OK : orr__experiment_begin(l->x, why);
    l->begun = err == ORR_OK;
    return err;
}

static orr_err make_more_room(struct orr_shared_network *l,
                              struct orr_report *why)
{
    return orr__array_more(l->job, l->most, l->jobs) ? ORR_OK
                                                     : orr__no_memory(why);
}

/* Among those that run; there is room. */
static void put_in(struct orr_shared_network *l, struct network_job *j)
{
    uint32_t at = place_of(l, j->number);
    memmove(&l->job[at + 1], &l->job[at],
            (l->jobs++ - at) * sizeof(struct network_job *));
    l->job[at] = j;
    count_hosts(l, j, true);
}

/* The job starts at at_ps, or nothing has changed. */
static orr_err read_and_begin(struct orr_shared_network *l,
                              struct network_job *j, int64_t at_ps,
                              struct orr_report *why)
{
    orr_err err = check_add(l, j->number, at_ps, why);
    if (!err)
        err = begin_network(l, why);
    if (!err && l->jobs == l->most)
        err = make_more_room(l, why);
    if (!err)
        err = read_job(l, j, why);
    if (!err)
        err = check_hosts(l, j, why);
    if (!err)
        err = check_gate(l, j, why);
    if (!err)
        err = orr__job_ready(l->world, &j->job, why);
    if (err)
        return err;
    atomic_init(&j->left, j->job.ranks);
    j->job.team->finished = on_finished;
    j->job.team->finished_arg = j;
    j->job.start_ps = at_ps;
    orr__job_begin(l->world, &j->job, 0);
    put_in(l, j);
    return ORR_OK;
}

orr_err orr__shared_network_add_node(struct orr_shared_network *l,
                                     struct orr_config *document,
                                     const struct orr_yaml *node,
                                     const char *kind, uint32_t number,
                                     int64_t at_ps, struct orr_report *why)
{
    struct network_job *j = orr__alloc(1, sizeof *j);
    if (!j) {
        orr__config_free(document);
        return orr__no_memory(why);
    }
    *j = (struct network_job){.number = number,
                              .network = l,
                              .config = document,
                              .node = node,
                              .kind = kind,
                              .last_end_ps = -1};
    orr_err err = read_and_begin(l, j, at_ps, why);
    if (err)
        free_job(l, j);
    return err;
}

orr_err orr__shared_network_add(struct orr_shared_network *l,
                                const char *job_yaml, uint32_t number,
                                int64_t at_ps, struct orr_report *why)
{
    struct orr_config *c = NULL;
    char name[32];
    snprintf(name, sizeof name, "job %u", number);
    orr_err err = orr__config_parse(name, job_yaml, strlen(job_yaml), &c, why);
    return err ? err
               : orr__shared_network_add_node(l, c, orr__config_root(c), NULL,
                                              number, at_ps, why);
}

void orr__shared_network_tell(struct orr_shared_network *l, uint32_t number,
                              void (*ended)(void *), void *arg)
{
    struct network_job *j = find_job(l, number);
    j->ended = ended;
    j->ended_arg = arg;
}

orr_err orr__shared_network_steer(struct orr_shared_network *l, uint32_t number,
                                  const struct orr_job *like, uint32_t class,
                                  bool fresh, struct orr_report *why)
{
    struct network_job *j = find_job(l, number);
    uint32_t from = 0;
    if (!j)
        return orr__fail(why, ORR_ECALL, "there is no job %u", number);
    if (!can_shift(l, &like->gate))
        return orr__yaml_fail(l->world->config, l->world->scheduler->at, why,
                              "schedule: ranks cannot tell one another of a "
                              "shift within the `control_delay` of this "
                              "network");
    for (uint32_t i = 0; !fresh && i < j->job.ranks; i++) {
        uint32_t next = j->job.team->rank[i].iteration + 1;
        from = next > from ? next : from;
    }
    return orr__job_readjust(orr__config_arena(j->config), l->world->net_config,
                             &j->job, like, class, from, why);
}

/* ---- running ------------------------------------------------------------- */

/* Nothing is left to happen; do ranks wait for something? */
static orr_err check_waiting(const struct orr_shared_network *l,
                             struct orr_report *why)
{
    char text[1000] = "";
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < l->jobs; i++)
        if (atomic_load(&l->job[i]->left))
            waiting +=
                orr__job_waiting(&l->job[i]->job, waiting, text, sizeof text);
    if (waiting == 0)
        return ORR_OK;
    return orr__fail(why, ORR_ERUN, "no events are left, but %u %s: %s",
                     waiting, waiting == 1 ? "rank waits" : "ranks wait", text);
}

orr_err orr__shared_network_run(struct orr_shared_network *l, int64_t until_ps,
                                int64_t *now_ps, struct orr_report *why)
{
    struct orr_world *w = l->world;
    *now_ps = l->now;
    if (l->err != ORR_OK)
        return orr__fail(why, l->err, "%s", l->why.message);
    l->err = begin_network(l, &l->why);
    if (l->err == ORR_OK && until_ps > l->now) {
        atomic_store(&l->one_ended, false);
        l->err = orr__experiment_advance(l->x, until_ps, &l->why);
        l->now = w->result.end_ps;
        if (l->err == ORR_OK && orr__net_ended(w->net)) {
            l->err = check_waiting(l, &l->why);
            bool all = until_ps < ORR_NEVER && !atomic_load(&l->one_ended);
            l->now = orr__net_settle(w->net, all ? until_ps : l->now);
        }
    }
    *now_ps = l->now;
    orr_err err = l->err;
    if (err == ORR_EINTERRUPTED) /* it may be gone on with */
        l->err = ORR_OK;
    if (err != ORR_OK && why && why->code == ORR_OK)
        *why = l->why;
    if (l->err == ORR_OK)
        l->why = (struct orr_report){.code = ORR_OK};
    return err;
}

int64_t orr__shared_network_now(const struct orr_shared_network *l)
{
    return l->now;
}

/* ---- closed jobs
 * ------------------------------------------------------------- */

/* All connections that its ranks ever had. */
static orr_err list_connections(struct network_job *j, struct orr_report *why)
{
    const struct orr_team *t = j->job.team;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->members; i++)
        n += t->rank[i].peers + t->rank[i].n_retired;
    j->connection = orr__alloc(n, sizeof *j->connection);
    if (!j->connection)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < t->members; i++) {
        const struct orr_rank *r = &t->rank[i];
        for (uint32_t s = 0; r->peer && s <= r->peer_mask; s++)
            if (r->connection[s] != ORR_NONE)
                j->connection[j->connections++] = r->connection[s];
        for (uint32_t s = 0; s < r->n_retired; s++)
            j->connection[j->connections++] = r->retired[s];
    }
    return ORR_OK;
}

static struct orr_net_teardown teardown_of(const struct network_job *j)
{
    return (struct orr_net_teardown){.user = j->job.team->user,
                                     .connection = j->connection,
                                     .connections = j->connections};
}

/* Frees those that the net knows no more. A sweep looks at all that is in the
 * net, so it waits for a share of the jobs that run to have left. */
orr_err orr__shared_network_tidy(struct orr_shared_network *l,
                                 struct orr_report *why)
{
    struct orr_net_teardown *all = orr__alloc(l->n_closed, sizeof *all);
    if (!all)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < l->n_closed; i++)
        all[i] = teardown_of(l->closed[i]);
    uint32_t left = 0, count = l->n_closed;
    orr_err err = orr__net_teardown(l->world->net, all, count, why);
    for (uint32_t i = 0; i < count && !err; i++)
        if (all[i].gone)
            free_job(l, l->closed[i]);
        else
            l->closed[left++] = l->closed[i];
    if (!err)
        l->n_closed = left;
    l->sweep_at = l->n_closed + 8 + l->jobs / 4;
    orr__free(all);
    return err;
}

/* From the jobs that run to those that leave. There is room. */
static orr_err take_out(struct orr_shared_network *l, struct network_job *j,
                        struct orr_report *why)
{
    uint32_t at = place_of(l, j->number);
    l->jobs--;
    memmove(&l->job[at], &l->job[at + 1],
            (l->jobs - at) * sizeof(struct network_job *));
    l->closed[l->n_closed++] = j;
    count_hosts(l, j, false);
    return l->n_closed >= l->sweep_at ? orr__shared_network_tidy(l, why)
                                      : ORR_OK;
}

static orr_err make_room_for_closed(struct orr_shared_network *l,
                                    struct orr_report *why)
{
    return orr__array_more(l->closed, l->closed_room, l->n_closed)
               ? ORR_OK
               : orr__no_memory(why);
}

/* ---- figures ------------------------------------------------------------- */

/* Whether all ranks have ended an iteration; *end_ps: the last of those that
 * have. */
static bool all_ended(const struct network_job *j, uint32_t iteration,
                      int64_t *end_ps)
{
    const struct orr_team *t = j->job.team;
    uint32_t out = 0;
    *end_ps = -1;
    for (unsigned k = 0; k < j->network->world->options.workers; k++) {
        const struct orr_tally *y = t->tally[k];
        out += y->iteration_out[iteration];
        if (y->iteration[iteration].end_ps > *end_ps)
            *end_ps = y->iteration[iteration].end_ps;
    }
    return out == t->ranks;
}

static void note_ended_iterations(struct network_job *j)
{
    int64_t end_ps;
    while (j->iterations < j->job.iterations
           && all_ended(j, j->iterations, &end_ps)) {
        j->iterations++;
        j->last_end_ps = end_ps;
    }
}

/* The figures of a job up to now. */
static void add_up(const struct network_job *j,
                   struct orr_shared_network_figures *f)
{
    const struct orr_job *job = &j->job;
    __int128 compute = 0, communication = 0, overlap = 0;
    for (uint32_t i = 0; i < job->ranks; i++) {
        compute += job->rank[i].compute_ps;
        communication += job->rank[i].communication_ps;
        overlap += job->rank[i].overlap_ps;
    }
    *f = (struct orr_shared_network_figures){
        .ended = atomic_load(&j->left) == 0,
        .start_ps = job->start_ps,
        .end_ps = atomic_load(&j->left) ? j->network->now : j->last_end_ps,
        .iterations = j->iterations,
        .bytes_sent = job->bytes_sent,
        .wire_bytes = job->wire_bytes,
        .marks = job->marks,
        .retransmissions = job->retransmissions,
        .timeouts = job->timeouts,
        .compute_ps = (int64_t)(compute / job->ranks),
        .communication_ps = (int64_t)(communication / job->ranks),
        .overlap_ps = (int64_t)(overlap / job->ranks),
    };
    if (j->iterations)
        f->mean_iteration_ps =
            (double)(j->last_end_ps - job->start_ps) / j->iterations;
}

orr_err orr__shared_network_close(struct orr_shared_network *l, uint32_t number,
                                  struct orr_shared_network_figures *out,
                                  struct orr_report *why)
{
    struct network_job *j = find_job(l, number);
    if (!j)
        return orr__fail(why, ORR_ECALL, "there is no job %u", number);
    l->world->result.end_ps = l->now;
    orr_err err = make_room_for_closed(l, why);
    if (!err && !j->connection)
        err = list_connections(j, why);
    if (!err)
        err = orr__job_close(l->world, &j->job, why);
    if (err)
        return err;
    note_ended_iterations(j);
    add_up(j, out);
    if (!out->ended) {
        const struct orr_net_teardown one = teardown_of(j);
        orr__net_stop_user(l->world->net, &one);
    }
    return take_out(l, j, why);
}

bool orr__shared_network_ended(const struct orr_shared_network *l,
                               uint32_t number)
{
    const struct network_job *j = find_job(l, number);
    return j && atomic_load(&j->left) == 0;
}

bool orr__shared_network_progress(const struct orr_shared_network *l,
                                  uint32_t number, uint32_t *iterations,
                                  int64_t *last_end_ps)
{
    struct network_job *j = find_job(l, number);
    if (!j)
        return false;
    note_ended_iterations(j);
    *iterations = j->iterations;
    *last_end_ps = j->last_end_ps;
    return true;
}

int64_t orr__shared_network_end_of(const struct orr_shared_network *l,
                                   uint32_t number, uint32_t iteration)
{
    const struct network_job *j = find_job(l, number);
    int64_t end_ps;
    if (!j || iteration >= j->job.iterations
        || !all_ended(j, iteration, &end_ps))
        return -1;
    return end_ps;
}

static void count_packets(const struct orr_shared_network *l,
                          uint32_t connection, uint64_t *marks,
                          uint64_t *retransmissions)
{
    struct orr_connection_stats stats;
    orr__net_connection_stats(l->world->net, connection, &stats);
    *marks += stats.marks;
    *retransmissions += stats.retransmissions;
}

bool orr__shared_network_traffic(const struct orr_shared_network *l,
                                 uint32_t number, uint64_t *bytes_sent,
                                 uint64_t *marks, uint64_t *retransmissions)
{
    const struct network_job *j = find_job(l, number);
    if (!j)
        return false;
    const struct orr_team *t = j->job.team;
    *bytes_sent = *marks = *retransmissions = 0;
    for (unsigned k = 0; k < l->world->options.workers; k++)
        *bytes_sent += t->tally[k]->bytes_sent;
    for (uint32_t i = 0; i < t->members; i++) {
        const struct orr_rank *r = &t->rank[i];
        for (uint32_t s = 0; r->peer && s <= r->peer_mask; s++)
            if (r->connection[s] != ORR_NONE)
                count_packets(l, r->connection[s], marks, retransmissions);
        for (uint32_t s = 0; s < r->n_retired; s++)
            count_packets(l, r->retired[s], marks, retransmissions);
    }
    return true;
}

uint32_t orr__shared_network_jobs(const struct orr_shared_network *l)
{
    return l->jobs;
}

uint32_t orr__shared_network_closed(const struct orr_shared_network *l)
{
    return l->n_closed;
}

void orr__shared_network_totals(const struct orr_shared_network *l,
                                struct orr_net_totals *out)
{
    orr__net_totals(l->world->net, out);
}

const struct orr_world *orr__shared_network_world(
    const struct orr_shared_network *l)
{
    return l->world;
}

uint64_t orr__shared_network_fingerprint(const struct orr_shared_network *l)
{
    return orr_experiment_fingerprint(l->x);
}
