/* The pace of jobs, by packets and nothing else: one network runs from the
 * first event to the last, on which jobs come and go (shared_network.h).
 * Nothing is inferred; it takes as long as it takes, and ends where picoseconds
 * do, after 53 days.
 *
 * A job that loses its GPUs loses the iteration that it is in. One that ends is
 * seen when the window is over in which it did, which is as long as the
 * shortest link takes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "cluster/engine.h"
#include "cluster/job_sets.h"
#include "cluster/known_jobs.h"
#include "cluster/measure.h"
#include "cluster/shared_network.h"
#include "cluster/subset.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/text.h"
#include "core/units.h"
#include "net/config/config.h"
#include "workload/cluster/elastic.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"
#include "workload/schedule/schedule.h"

enum { MOST_ITERATIONS = 1000000 }; /* of one stay, as of any job */

/* State of this pace, owned by its engine; owns the network. */
struct packets {
    struct orr_shared_network *network;
    bool plans;       /* its schedule plans for the jobs that run, ... */
    uint64_t planned; /* ... and has for these; 0: for none */
    struct orr_subset_job *part; /* per job that runs: room for that */
    bool choosing; /* packets of a connection may take several ways */
    struct orr_member *member; /* of the jobs that run */
    uint64_t *name;            /* per set of these */
    struct stay {              /* per job: since it has had its GPUs */
        bool here;             /* on the network ... */
        uint32_t number;       /* ... by this name */
        bool fresh;            /* ... and nothing has happened since */
        uint32_t class;        /* if a schedule plans */
        double before;         /* iterations that it had done before */
        uint32_t ended;        /* since; as of the last look */
        int64_t last_ps;       /* the last of those ended; or it began */
        double baseline_ns;
        /* as of the beginning of the stretch under way */
        uint32_t then;
        int64_t then_ps;
        uint64_t marks, resent;
    } * stay;
};

/* ---- opening and closing ------------------------------------------------- */

/* Of a pace that may be half open. */
static void packets_close(struct orr_engine *e)
{
    struct packets *p = e->pace_state;
    if (!p)
        return;
    orr__shared_network_free(p->network);
    orr__free(p->member);
    orr__free(p->name);
    orr__free(p->stay);
    orr__free(p->part);
    orr__free(p);
    e->pace_state = NULL;
}

/* The network, and a job of each template, so that what they ask of it is
 * there. */
static orr_err open_shared_network(struct orr_engine *e, struct packets *p,
                                   struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_options o = {
        .no_output = true, .threads = e->threads, .interrupt = e->interrupt};
    struct orr_subset_job *part = orr__alloc(c->templates, sizeof *part);
    uint32_t *gpu = orr__alloc(c->inventory.gpus, sizeof *gpu);
    struct orr_config *config = NULL;
    orr_err err = part && gpu ? ORR_OK : orr__no_memory(why);
    for (uint32_t g = 0; !err && g < c->inventory.gpus; g++)
        gpu[g] = g;
    for (uint32_t t = 0; !err && t < c->templates; t++)
        part[t] = (struct orr_subset_job){
            .template = &c->template[t],
            .name = c->template[t].name,
            .gpu = gpu,
            .gpus = c->template[t].gpus[0],
            .iterations = 1,
            .batch =
                orr__elastic_batch(&c->template[t], c -> template[t].gpus[0])};
    if (!err)
        err = orr__subset_config(c, part, c->templates, false, &config, why);
    if (!err)
        err = orr__shared_network_open_config(config, &o,
                                              orr__engine_most_running(e),
                                              p->plans, &p->network, why);
    orr__free(part);
    orr__free(gpu);
    return err;
}

/* Schedules that plan for all jobs that there are plan again whenever these
 * change: gates, classes and ways of jobs that run change from one iteration to
 * the next. */
static orr_err check_schedule(const struct orr_engine *e, struct packets *p,
                              struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_world *w = c->world;
    const struct orr_scheduler *s = w->scheduler;
    p->plans = s->ops->replans;
    if (!p->plans)
        return ORR_OK;
    for (uint32_t t = 0; t < c->templates; t++) {
        const struct orr_yaml *changes =
            orr__yaml_get(c->template[t].node, "changes");
        if (changes)
            return orr__yaml_fail(w->config, changes, why,
                                  "changes: with `accuracy: packets` the "
                                  "schedule %s changes paths and classes",
                                  s->ops->name);
    }
    return ORR_OK;
}

/* ORR_ECONFIG for schedules that cannot be changed while the network runs. */
static orr_err packets_open(struct orr_engine *e, struct orr_report *why)
{
    struct packets *p = e->pace_state = orr__alloc(1, sizeof *p);
    if (!p)
        return orr__no_memory(why);
    enum orr_path_kind kind = e->cluster.world->net_config->path;
    uint32_t n = e->cluster.jobs, most = orr__engine_most_running(e);
    p->choosing = kind != ORR_PATH_ecmp && kind != ORR_PATH_first;
    p->stay = orr__alloc(n, sizeof *p->stay);
    p->member = orr__alloc(most, sizeof *p->member);
    p->name = orr__alloc(most, sizeof *p->name);
    p->part = orr__alloc(most, sizeof *p->part);
    if (!p->stay || !p->member || !p->name || !p->part)
        return orr__no_memory(why);
    orr_err err = check_schedule(e, p, why);
    return err ? err : open_shared_network(e, p, why);
}

/* ---- coming and going ---------------------------------------------------- */

/* `job` of a document of its own, with what its template says. */
static orr_err document_of(const struct orr_engine *e, uint32_t job,
                           uint64_t iterations, struct orr_config **out,
                           struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_cluster_job *j = &c->job[job];
    struct orr_text s = {0};
    orr__text_add(&s, "job: {name: ");
    orr__text_quoted(&s, j->is.name);
    orr__text_add(&s, ", ranks: %u, iterations: %" PRIu64 ", placement: [",
                  j->is.gpus, iterations);
    for (uint32_t r = 0; r < j->is.gpus; r++)
        orr__text_add(&s, "%s%u", r ? ", " : "", j->gpu[r]);
    orr__text_add(&s, "]}\n");
    char *text = orr__text_done(&s);
    if (!text)
        return orr__no_memory(why);
    orr_err err = orr__config_parse("cluster", text, strlen(text), out, why);
    orr__free(text);
    if (!err) {
        const struct orr_subset_job part = orr__subset_job(c, job, j->gpu);
        err = orr__subset_lay(c, *out, "job", &part, why);
        if (err)
            orr__config_free(*out);
    }
    return err;
}

static int64_t ps_of_ns(int64_t ns)
{
    return ns < ORR_HORIZON / 1000 ? ns * 1000 : ORR_HORIZON;
}

static bool is_number(const struct orr_engine *e, uint32_t number)
{
    const struct packets *p = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0; i < c->n_running; i++) {
        const struct stay *s = &p->stay[c->running[i]];
        if (s->here && s->number == number)
            return true;
    }
    return false;
}

/* By which its connections choose their ways: those that it is known to have
 * (orr__engine_facts), and has in a sample. Of equal jobs on equal GPUs each
 * has a number of its own. */
static uint32_t number_of(const struct orr_engine *e, uint32_t job)
{
    const struct orr_cluster_job *j = &e->cluster.job[job];
    uint32_t number = orr__subset_number(j->is.template, j->gpu, j->is.gpus);
    while (is_number(e, number))
        number++;
    return number;
}

/* Puts the job on the network with as many iterations as it has to go. ORR_ERUN
 * beyond what can be simulated. Where its size is the one asked for, iterations
 * that were cut off begin anew. */
static orr_err start_job(struct orr_engine *e, uint32_t job,
                         struct orr_report *why)
{
    struct packets *p = e->pace_state;
    const struct orr_cluster_job *j = &e->cluster.job[job];
    double left = orr__cluster_scale(j) == 1
                      ? ceil(j->iterations - floor(j->done))
                      : ceil((j->iterations - j->done) / j->scale);
    struct orr_config *c = NULL;
    int64_t at = ps_of_ns(e->cluster.now_ns),
            now = orr__shared_network_now(p->network);
    if (left > MOST_ITERATIONS)
        return orr__fail(why, ORR_ERUN,
                         "job %s has %.0f iterations to go: "
                         "with `accuracy: packets` a job has %d at most",
                         j->is.name, left, MOST_ITERATIONS);
    at = at > now ? at : now;
    ORR_ASSERT(left >= 0 && !p->stay[job].here);
    if (at >= ORR_HORIZON)
        return orr__fail(why, ORR_ERUN,
                         "job %s would start after the 53 days "
                         "that can be simulated packet by packet",
                         j->is.name);
    uint32_t number = number_of(e, job);
    orr_err err = document_of(e, job, left > 1 ? (uint64_t)left : 1, &c, why);
    if (!err)
        err = orr__shared_network_add_node(
            p->network, c, orr__yaml_get(orr__config_root(c), "job"),
            e->cluster.template[j->is.template].name, number, at, why);
    p->stay[job] = (struct stay){
        .here = !err,
        .number = number,
        .fresh = true,
        .before = orr__cluster_scale(j) == 1 ? floor(j->done) : j->done,
        .last_ps = at,
        .then_ps = at,
        .baseline_ns = p->stay[job].baseline_ns,
    };
    return err;
}

/* The job goes off the network; what it had begun is lost. Its end may lie
 * within the window that was run, and then is the cause of what follows. */
static orr_err packets_teardown(struct orr_engine *e, uint32_t job,
                                struct orr_report *why)
{
    struct packets *p = e->pace_state;
    struct orr_shared_network_figures last;
    if (!p->stay[job].here)
        return ORR_OK;
    p->stay[job].here = false;
    orr_err err =
        orr__shared_network_close(p->network, p->stay[job].number, &last, why);
    if (!err && last.ended && (last.end_ps + 999) / 1000 < e->cause_ns)
        e->cause_ns = (last.end_ps + 999) / 1000; /* before the window's end */
    return err;
}

/* ---- how fast they go ---------------------------------------------------- */

/* ns of an iteration of a job that has the network to itself, with packets, as
 * `sampled` measures it; once for each template and GPUs. */
static orr_err measure_baseline(struct orr_engine *e, uint32_t job,
                                double expected_ns, double *out_ns,
                                struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    double *known = &e->known[job]->baseline_ns, expected = expected_ns * 1000;
    const struct orr_measure m = {.error = e->settings.error,
                                  .most = (uint32_t)e->settings.most,
                                  .expected_ps = &expected,
                                  .interrupt = e->interrupt};
    const struct orr_subset_options how = {.alone = true,
                                           .interrupt = e->interrupt};
    struct orr_subset_job part = orr__subset_job(c, job, c->job[job].gpu);
    struct orr_outcome out = {0};
    orr_experiment *x = NULL;
    uint64_t hops;
    orr_err err = ORR_OK;
    if (*known <= 0) {
        part.iterations = orr__subset_iterations(&m, 1, 0);
        err = orr__subset_open(c, &part, 1, &how, &x, why);
        if (!err)
            err = orr__subset_measure(x, &m, &out, &hops, why);
        orr_experiment_free(x);
        *known = out.iteration_ps / 1000;
    }
    *out_ns = *known;
    return err;
}

/* How many iterations a duration is: as many as it would hold alone, with
 * packets. An elastic job that begins with another size than it asked for goes
 * by what was worked out for that. */
static void count_iterations(struct orr_engine *e, uint32_t job,
                             double baseline_ns)
{
    struct orr_cluster_job *j = &e->cluster.job[job];
    if (j->iterations <= 0 && j->is.gpus == orr__cluster_asked(j)
        && baseline_ns > 0)
        j->iterations = orr__cluster_iterations(j, baseline_ns);
}

/* What is known of a job on its GPUs before it moves a packet: what it takes
 * alone is with packets, as all that it is held against. */
static orr_err packets_add_job(struct orr_engine *e, uint32_t job,
                               struct orr_report *why)
{
    struct packets *p = e->pace_state;
    const struct orr_cluster_job *j = &e->cluster.job[job];
    const struct orr_facts *facts = orr__facts_of(e, job);
    p->stay[job].baseline_ns = (double)facts->profile.iteration_ps / 1000;
    orr_err err = ORR_OK;
    if (facts->unknown)
        err = orr__engine_baseline(e, j->is.template, j->is.gpus,
                                   &p->stay[job].baseline_ns, why);
    double baseline_ns = 0;
    if (!err)
        err = measure_baseline(e, job, p->stay[job].baseline_ns, &baseline_ns,
                               why);
    if (!err && baseline_ns > 0)
        p->stay[job].baseline_ns = baseline_ns;
    count_iterations(e, job, baseline_ns);
    return err;
}

/* Until an iteration has ended in this stretch, what it took before, or would
 * take alone. */
static void set_speed(struct orr_engine *e, uint32_t job)
{
    struct packets *p = e->pace_state;
    struct stay *s = &p->stay[job];
    struct orr_speed *speed = &e->speed[job];
    uint64_t bytes, marks, resent;
    uint32_t n = s->ended - s->then;
    speed->known = ORR_KNOWN_PACKETS;
    speed->settled = true;
    speed->baseline_ns = s->baseline_ns;
    int64_t compute_ps = orr__facts_of(e, job)->profile.compute_ps;
    if (compute_ps > 0)
        speed->compute_ns = (double)compute_ps / 1000;
    if (speed->iteration_ns <= 0)
        speed->iteration_ns = s->baseline_ns;
    if (n == 0
        || !orr__shared_network_traffic(p->network, s->number, &bytes, &marks,
                                        &resent))
        return;
    speed->iteration_ns = (double)(s->last_ps - s->then_ps) / 1000 / n;
    speed->marks = (double)(marks - s->marks) / n;
    speed->resent = (double)(resent - s->resent) / n;
}

/* What a stretch under way turned out to be. */
static void correct_stretch(struct orr_engine *e, uint32_t job)
{
    if (e->open[job])
        e->stretch[e->open[job] - 1].speed = e->speed[job];
}

/* A stretch begins. */
static void begin_stretch(struct orr_engine *e, uint32_t job)
{
    struct packets *p = e->pace_state;
    struct stay *s = &p->stay[job];
    uint64_t bytes;
    s->then = s->ended;
    s->then_ps = s->last_ps;
    (void)orr__shared_network_traffic(p->network, s->number, &bytes, &s->marks,
                                      &s->resent);
}

/* Who shares links now; a set is called by its jobs, which are in order. */
static orr_err split_sets(struct orr_engine *e, uint32_t n,
                          struct orr_report *why)
{
    struct packets *p = e->pace_state;
    uint32_t sets = 0;
    orr_err err = orr__job_sets_split(e->cluster.world->graph, p->member, n,
                                      p->choosing, &sets, why);
    for (uint32_t i = 0; !err && i < sets; i++)
        p->name[i] = 1;
    for (uint32_t i = 0; !err && i < n; i++) {
        const struct orr_member *m = &p->member[i];
        p->name[m->set] =
            XXH3_64bits_withSeed(&m->job, sizeof m->job, p->name[m->set]);
    }
    return err;
}

/* Pace is what packets show, so nothing is worked out; who shares links with
 * whom begins a new stretch. */
static orr_err packets_settle(struct orr_engine *e, struct orr_report *why)
{
    struct packets *p = e->pace_state;
    uint32_t n = 0;
    orr_err err = orr__engine_members(e, p->member, &n, why);
    if (!err)
        err = split_sets(e, n, why);
    for (uint32_t i = 0; !err && i < n; i++) {
        const struct orr_member *m = &p->member[i];
        struct orr_speed *speed = &e->speed[m->job];
        set_speed(e, m->job);
        if (p->stay[m->job].here && speed->set != p->name[m->set])
            begin_stretch(e, m->job);
        speed->set = p->name[m->set];
        speed->rival = m->rival;
        speed->link = m->link;
    }
    return err;
}

/* ---- time goes on -------------------------------------------------------- */

/* What they have done by now. */
static void note_progress(struct orr_engine *e)
{
    struct packets *p = e->pace_state;
    struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0; i < c->n_running; i++) {
        uint32_t job = c->running[i], ended;
        struct stay *s = &p->stay[job];
        int64_t last_ps;
        if (!s->here
            || !orr__shared_network_progress(p->network, s->number, &ended,
                                             &last_ps))
            continue;
        e->counts.iterations += ended - s->ended;
        s->ended = ended;
        s->last_ps = ended ? last_ps : s->last_ps;
        c->job[job].done = orr__shared_network_ended(p->network, s->number)
                               ? c->job[job].iterations
                               : s->before + ended * c->job[job].scale;
        set_speed(e, job);
        correct_stretch(e, job);
    }
}

/* The jobs on the network, in a world of their own, which is planned. */
static orr_err open_plan(struct orr_engine *e, uint32_t n, orr_experiment **x,
                         struct orr_report *why)
{
    struct packets *p = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0, k = 0; i < c->n_running; i++) {
        uint32_t job = c->running[i];
        const struct orr_cluster_job *j = &c->job[job];
        if (p->stay[job].here)
            p->part[k++] = (struct orr_subset_job){
                .template = &c->template[j->is.template],
                .name = j->is.name,
                .gpu = j->gpu,
                .gpus = j->is.gpus,
                .batch = orr__elastic_batch(&c->template[j->is.template],
                                            j -> is.gpus),
                .iterations = 1,
                .number = p->stay[job].number,
                .kind = j->kind,
            };
    }
    const struct orr_subset_options how = {.interrupt = e->interrupt};
    return orr__subset_open(c, p->part, n, &how, x, why);
}

/* Names the jobs on the network and their stays there; *n: how many. */
static uint64_t name_of_all(const struct orr_engine *e, uint32_t *n)
{
    const struct packets *p = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    uint64_t name = 1;
    *n = 0;
    for (uint32_t i = 0; i < c->n_running; i++) {
        uint32_t job = c->running[i];
        const int64_t what[] = {job, c->job[job].since_ns};
        if (!p->stay[job].here)
            continue;
        name = XXH3_64bits_withSeed(what, sizeof what, name);
        (*n)++;
    }
    return name;
}

static uint32_t planned_class(const struct orr_world *w, uint32_t i)
{
    const struct orr_net_service *s = w->jobs[i].team->service;
    return s ? s->class : w->net_config->service.class;
}

/* Whether the classes that jobs have say the same as those planned: with strict
 * ones all that counts is who goes before whom. A change has its price: the
 * connections of a job begin anew. */
static bool classes_stay(const struct orr_engine *e, const struct orr_world *w)
{
    const struct packets *p = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    bool stay = w->net_config->strict;
    for (uint32_t i = 0, x = 0; stay && i < c->n_running; i++) {
        const struct stay *a = &p->stay[c->running[i]];
        if (!a->here)
            continue;
        stay = !a->fresh;
        for (uint32_t k = 0, y = 0; stay && k < i; k++) {
            const struct stay *b = &p->stay[c->running[k]];
            if (!b->here)
                continue;
            uint32_t now = planned_class(w, x), other = planned_class(w, y++);
            stay = (a->class < b->class) == (now < other)
                   && (a->class > b->class) == (now > other);
        }
        x++;
    }
    return stay;
}

/* Jobs have come or gone: the schedule plans for those that there are, and they
 * go by it from their next iterations on. */
static orr_err replan_jobs(struct orr_engine *e, struct orr_report *why)
{
    struct packets *p = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    orr_experiment *x = NULL;
    uint32_t n;
    uint64_t name = name_of_all(e, &n);
    if (!p->plans || n == 0 || name == p->planned)
        return ORR_OK;
    p->planned = name;
    orr_err err = open_plan(e, n, &x, why);
    const struct orr_world *w = err ? NULL : orr__experiment_world(x);
    bool stay = !err && classes_stay(e, w);
    for (uint32_t i = 0, k = 0; !err && i < c->n_running; i++) {
        struct stay *s = &p->stay[c->running[i]];
        if (!s->here)
            continue;
        s->class = stay ? s->class : planned_class(w, k);
        err = orr__shared_network_steer(p->network, s->number, &w->jobs[k++],
                                        s->class, s->fresh, why);
        s->fresh = false;
    }
    orr_experiment_free(x);
    return err;
}

/* The first job that is on the network; ORR_NONE: there is none. */
static uint32_t first_here(const struct orr_engine *e)
{
    const struct packets *p = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    for (uint32_t i = 0; i < c->n_running; i++)
        if (p->stay[c->running[i]].here)
            return c->running[i];
    return ORR_NONE;
}

static orr_err time_ended(const struct orr_engine *e, uint32_t job,
                          struct orr_report *why)
{
    return orr__fail(why, ORR_ERUN,
                     "job %s would take longer than the 53 days that can be "
                     "simulated packet by packet",
                     e->cluster.job[job].is.name);
}

/* Runs the network to until_ns, or to the end of the window in which a job
 * ended. The clock is ns, the network's ps, rounded up. */
static orr_err packets_advance(struct orr_engine *e, int64_t until_ns,
                               struct orr_report *why)
{
    struct packets *p = e->pace_state;
    struct orr_cluster *c = &e->cluster;
    struct orr_net_totals totals;
    orr_err err = ORR_OK;
    uint32_t job;
    int64_t now;
    for (uint32_t i = 0; !err && i < c->n_running; i++)
        if (!p->stay[c->running[i]].here
            && orr__is_ready(c, &c->job[c->running[i]]))
            err = start_job(e, c->running[i], why);
    if (!err)
        err = replan_jobs(e, why);
    if (!err)
        err =
            orr__shared_network_run(p->network, ps_of_ns(until_ns), &now, why);
    if (err)
        return err;
    if (now >= ORR_HORIZON && (job = first_here(e)) != ORR_NONE)
        return time_ended(e, job, why);
    /* A stretch of no time is none: windows may be shorter than the clock. */
    c->now_ns = now >= ps_of_ns(until_ns) ? until_ns : (now + 999) / 1000;
    note_progress(e);
    orr__shared_network_totals(p->network, &totals);
    e->counts.packet_hops = totals.packet_hops;
    return ORR_OK;
}

const struct orr_world *orr__packets_world(const struct orr_engine *e)
{
    const struct packets *p = e->pace_state;
    return e->pace == &orr__pace_packets && p && p->network
               ? orr__shared_network_world(p->network)
               : NULL;
}

const struct orr_pace_ops orr__pace_packets = {
    .name = "packets",
    .open = packets_open,
    .add_job = packets_add_job,
    .settle = packets_settle,
    .advance = packets_advance,
    .teardown = packets_teardown,
    .close = packets_close,
};
