/* The pace of jobs, by packets: those that share links are simulated together,
 * and by themselves, until it is known what their iterations take. What was
 * seen before is not simulated again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "core/memory.h"
#include "net/config/config.h"
#include "net/path/path.h"
#include "study/cluster/engine.h"
#include "study/cluster/measure.h"
#include "study/cluster/memo.h"
#include "study/cluster/part.h"
#include "study/cluster/sets.h"
#include "study/digest.h"
#include "workload/schedule/schedule.h"

struct sampled {
    struct orr_memo *memo;
    uint64_t salt;   /* all that is the same for all constellations */
    bool choosing;   /* ways are not the ones that a job's connections have by
                        themselves */
    struct known {   /* per job of the cluster, while it has GPUs */
        bool there;
        struct orr_facts facts;
        struct orr_outcome alone;
    } *known;
    struct orr_member *member;         /* of those that run */
    const struct orr_member **of_set;
};

static const char choosers[] = " crux ";

static bool chooses_ways(const struct orr_world *w)
{
    char name[40];
    enum orr_path_kind kind = w->net_config->path;
    snprintf(name, sizeof name, " %s ", w->scheduler->ops->name);
    return (kind != ORR_PATH_ecmp && kind != ORR_PATH_first) ||
           strstr(choosers, name);
}

static uint64_t salt_of(const struct orr_world *w)
{
    char *text = orr__config_effective(w->config);
    uint64_t hash = XXH3_64bits(ORR_VERSION, sizeof ORR_VERSION);
    if (text)
        hash = XXH3_64bits_withSeed(text, strlen(text), hash);
    orr__free(text);
    return hash + orr__digest_files(w->config, orr__config_root(w->config),
                                    orr__config_folder(w->config));
}

static orr_err sampled_open(struct orr_engine *e, struct orr_report *why)
{
    struct sampled *s = e->pace_state = orr__alloc(1, sizeof *s);
    if (!s)
        return orr__no_memory(why);
    uint32_t n = e->cluster.jobs;
    s->known = orr__alloc(n, sizeof *s->known);
    s->member = orr__alloc(n, sizeof *s->member);
    s->of_set = orr__alloc(n, sizeof *s->of_set);
    if (!s->known || !s->member || !s->of_set)
        return orr__no_memory(why);
    s->choosing = chooses_ways(e->cluster.world);
    s->salt = salt_of(e->cluster.world);
    char *file = e->folder ? orr__format("%s/cluster-%016llx", e->folder,
                                         (unsigned long long)s->salt)
                           : NULL;
    orr_err err = orr__memo_open(file, &s->memo, why);
    orr__free(file);
    return err;
}

static void sampled_close(struct orr_engine *e)
{
    struct sampled *s = e->pace_state;
    if (!s)
        return;
    for (uint32_t i = 0; s->known && i < e->cluster.jobs; i++)
        orr__facts_fini(&s->known[i].facts);
    orr__memo_close(s->memo);
    orr__free(s->known);
    orr__free(s->member);
    orr__free(s->of_set);
    orr__free(s);
}

static orr_err sampled_leave(struct orr_engine *e, uint32_t job,
                             struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    (void)why;
    orr__facts_fini(&s->known[job].facts);
    s->known[job].there = false;
    return ORR_OK;
}

/* ---- alone --------------------------------------------------------------- */

static struct orr_part_job part_job(const struct orr_engine *e, uint32_t job)
{
    const struct orr_cluster *c = &e->cluster;
    const struct orr_cluster_job *j = &c->job[job];
    return (struct orr_part_job){
        .template = &c->template[j->is.template],
        .name = j->is.name,
        .gpu = j->gpu,
        .gpus = j->is.gpus,
        .number = orr__part_number(j->is.template, j->gpu, j->is.gpus),
    };
}

static void count(struct orr_engine *e, const struct orr_outcome *o,
                  uint32_t n, uint64_t hops)
{
    bool settled = true;
    for (uint32_t i = 0; i < n; i++) {
        e->counts.iterations += o[i].iterations;
        settled &= o[i].settled;
        if (isfinite(o[i].half) && o[i].half > e->counts.worst_half)
            e->counts.worst_half = o[i].half;
    }
    e->counts.simulated++;
    e->counts.unsettled += !settled;
    e->counts.packet_hops += hops;
}

/* What an iteration takes at least, as a first guess: as long as it is not
 * known, a second; then the measure finds out. */
static double guess(const struct orr_facts *f)
{
    return f->unknown ? 1e12 : (double)f->profile.iteration_ps;
}

static orr_err alone(struct orr_engine *e, uint32_t job,
                     struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    struct known *k = &s->known[job];
    struct orr_part_job part = part_job(e, job);
    struct orr_member self = {.job = job, .facts = &k->facts};
    const struct orr_member *list = &self;
    orr_experiment *x = NULL;
    double expected = 0;
    uint64_t key = 0, hops = 0;
    struct orr_measure m = {.error = e->settings.error,
                            .most = (uint32_t)e->settings.most,
                            .expected_ps = &expected,
                            .interrupt = e->interrupt};
    /* as many as may be asked for: an experiment is made before it is known
     * how long iterations are */
    expected = 1;
    part.iterations = orr__part_iterations(&m, 1, 0);
    orr_err err = orr__part_open(&e->cluster, &part, 1, true, e->interrupt, &x,
                                 why);
    if (!err)
        err = orr__facts(orr__experiment_world(x), &k->facts, why);
    k->there = !err;
    expected = guess(&k->facts);
    if (!err)
        err = orr__sets_key(&e->cluster, &list, 1, s->choosing, s->salt, &key,
                            why);
    e->counts.constellations++;
    if (!err && orr__memo_find(s->memo, key, 1, &k->alone)) {
        e->counts.remembered++;
    } else if (!err) {
        err = orr__part_measure(x, &m, &k->alone, &hops, why);
        if (!err)
            count(e, &k->alone, 1, hops);
        if (!err)
            err = orr__memo_add(s->memo, key, 1, &k->alone, why);
    }
    orr_experiment_free(x);
    return err;
}

/* ---- together ------------------------------------------------------------ */

/* Where in its iteration a job is, in `phases`, as far as that is known. */
static uint32_t phase_of(const struct orr_engine *e, uint32_t job)
{
    double done = e->cluster.job[job].done, part = done - floor(done);
    uint32_t phases = (uint32_t)e->settings.phases;
    uint32_t phase = (uint32_t)(part * phases + 0.5);
    return phase % phases;
}

/* Members begin the iteration that they are in the middle of where it ends. */
static orr_err simulate(struct orr_engine *e, uint32_t n,
                        struct orr_outcome *out, struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    struct orr_part_job *part = orr__alloc(n, sizeof *part);
    double *expected = orr__alloc(n, sizeof *expected);
    orr_experiment *x = NULL;
    uint64_t hops = 0;
    struct orr_measure m = {.error = e->settings.error,
                            .most = (uint32_t)e->settings.most,
                            .expected_ps = expected,
                            .interrupt = e->interrupt};
    orr_err err = part && expected ? ORR_OK : orr__no_memory(why);
    for (uint32_t i = 0; !err && i < n; i++)
        expected[i] = s->known[s->of_set[i]->job].alone.iteration_ps;
    for (uint32_t i = 0; !err && i < n; i++) {
        uint32_t phases = (uint32_t)e->settings.phases;
        uint32_t rest = (phases - s->of_set[i]->phase) % phases;
        part[i] = part_job(e, s->of_set[i]->job);
        part[i].iterations = orr__part_iterations(&m, n, i);
        part[i].start_ps = (int64_t)(expected[i] * rest / phases);
        for (uint32_t k = 0; k < i; k++) /* equal jobs on GPUs that they share */
            part[i].number += part[k].number == part[i].number;
    }
    if (!err)
        err = orr__part_open(&e->cluster, part, n, false, e->interrupt, &x,
                             why);
    if (!err)
        err = orr__part_measure(x, &m, out, &hops, why);
    if (!err)
        count(e, out, n, hops);
    orr_experiment_free(x);
    orr__free(part);
    orr__free(expected);
    return err;
}

/* In the order in which a set is named: template, size, GPUs. */
static int before(const struct orr_cluster *c, const struct orr_member *a,
                  const struct orr_member *b)
{
    const struct orr_arrival *x = &c->job[a->job].is, *y = &c->job[b->job].is;
    if (x->template != y->template)
        return x->template < y->template;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus;
    return a->job < b->job;
}

static uint32_t gather(struct orr_engine *e, uint32_t n, uint32_t set)
{
    struct sampled *s = e->pace_state;
    uint32_t members = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s->member[i].set != set)
            continue;
        uint32_t at = members++;
        for (; at > 0 && before(&e->cluster, &s->member[i], s->of_set[at - 1]);
             at--)
            s->of_set[at] = s->of_set[at - 1];
        s->of_set[at] = &s->member[i];
    }
    return members;
}

static void tell(struct orr_engine *e, const struct orr_member *m,
                 const struct orr_outcome *o, bool remembered)
{
    const struct sampled *s = e->pace_state;
    const struct orr_outcome *alone = &s->known[m->job].alone;
    e->speed[m->job] = (struct orr_speed){
        .iteration_ns = o->iteration_ps / 1000,
        .half = o->half,
        .alone_ns = alone->iteration_ps / 1000,
        .compute_ns = o->compute_ps / 1000,
        .marks = o->marks,
        .resent = o->resent,
        .known = remembered ? ORR_KNOWN_REMEMBERED : ORR_KNOWN_SIMULATED,
        .settled = o->settled,
        .rival = m->rival,
        .link = m->link,
    };
}

/* A set of several; of_set holds it. */
static orr_err settle_set(struct orr_engine *e, uint32_t n,
                          struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    struct orr_outcome *out = orr__alloc(n, sizeof *out);
    uint64_t key = 0;
    if (!out)
        return orr__no_memory(why);
    orr_err err = orr__sets_key(&e->cluster, s->of_set, n, s->choosing,
                                s->salt, &key, why);
    bool remembered = !err && orr__memo_find(s->memo, key, n, out);
    e->counts.constellations++;
    e->counts.remembered += remembered;
    if (!err && !remembered)
        err = simulate(e, n, out, why);
    if (!err && !remembered)
        err = orr__memo_add(s->memo, key, n, out, why);
    for (uint32_t i = 0; !err && i < n; i++)
        tell(e, s->of_set[i], &out[i], remembered);
    orr__free(out);
    return err;
}

/* Of the jobs that are in it. */
static uint64_t name_of(const struct sampled *s, uint32_t n)
{
    uint64_t name = n;
    for (uint32_t i = 0; i < n; i++)
        name = XXH3_64bits_withSeed(&s->of_set[i]->job, sizeof(uint32_t), name);
    return name;
}

/* A set whose members are what they were goes on as it did: what is known of
 * its iterations is known of those to come. */
static bool goes_on(const struct orr_engine *e, uint32_t n, uint64_t name)
{
    const struct sampled *s = e->pace_state;
    bool all = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_speed *x = &e->speed[s->of_set[i]->job];
        all &= x->iteration_ns > 0 && x->set == name;
    }
    return all;
}

static orr_err sampled_settle(struct orr_engine *e, struct orr_report *why)
{
    struct sampled *s = e->pace_state;
    const struct orr_cluster *c = &e->cluster;
    uint32_t n = 0, sets = 0;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; !err && i < e->n_running; i++) {
        uint32_t job = e->running[i];
        if (!orr__ready(c, &c->job[job]))
            continue;
        if (!s->known[job].there)
            err = alone(e, job, why);
        s->member[n++] = (struct orr_member){.job = job,
                                             .facts = &s->known[job].facts,
                                             .phase = phase_of(e, job)};
    }
    if (!err)
        err = orr__sets_part(c->world->graph, s->member, n, s->choosing,
                             &sets, why);
    for (uint32_t set = 0; !err && set < sets; set++) {
        uint32_t members = gather(e, n, set);
        uint64_t name = name_of(s, members);
        if (goes_on(e, members, name))
            continue;
        if (members == 1)
            tell(e, s->of_set[0], &s->known[s->of_set[0]->job].alone, false);
        else
            err = settle_set(e, members, why);
        for (uint32_t i = 0; !err && i < members; i++)
            e->speed[s->of_set[i]->job].set = name;
    }
    return err;
}

const struct orr_pace_ops orr__pace_sampled = {
    .name = "sampled",
    .open = sampled_open,
    .settle = sampled_settle,
    .leave = sampled_leave,
    .close = sampled_close,
};
