#include "study/explain/explain.h"
#include "core/none.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/explain.h"
#include "core/memory.h"
#include "core/units.h"
#include "experiment/outermost.h"
#include "net/config/config.h"
#include "study/explain/messages.h"
#include "study/run/entry.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"

bool orr__is_other(const struct orr_subject *s, uint32_t owner)
{
    return owner != ORR_NONE && owner != ORR_OWNER_SELF && owner != s->owner;
}

/* ---- passes ---- */

/* Whether configurations have a key. */
static bool has_key(const char *key)
{
    const struct orr_param *p = orr__outermost_params();

    while (p->key && strcmp(p->key, key) != 0)
        p++;
    return p->key;
}

/* all_packets: nothing may be skipped, and one thread sees all in order. */
static orr_err load_run(const struct orr_config_file *file,
                        const struct orr_explain_options *o, bool all_packets,
                        orr_experiment **out, struct orr_report *why)
{
    const struct orr_open_options how = {.no_intervals = true};
    struct orr_options run = o->run;
    size_t n = run.n_sets;
    const char **sets = orr__alloc(n + 1, sizeof *sets);
    orr_err err;

    if (!sets)
        return orr__no_memory(why);
    if (n)
        memcpy(sets, run.sets, n * sizeof *sets);
    if (all_packets && has_key("repeat")) /* so that there are packets */
        sets[n++] = "repeat=none";
    run.sets = sets;
    run.n_sets = n;
    /* observers see all of it, in order of cause */
    run.threads = all_packets ? 1 : ORR_THREADS_AUTO;
    run.no_output = true;
    err = orr__experiment_load_file(file, &run, &how, out, why);
    orr__free(sets);
    return err;
}

/* Which of the jobs; *flows: none, but a flow. */
static orr_err choose(const struct orr_world *w,
                      const struct orr_explain_options *o, bool *wanted,
                      struct orr_report *why)
{
    bool any = false;

    if (w->net_config->transport == ORR_TRANSPORT_ANALYTICAL)
        return orr__fail(
            why, ORR_ECONFIG,
            "network.transport: analytical has no packets to explain");
    if (w->net_config->used.copies)
        return orr__fail(
            why, ORR_ECONFIG,
            "packets that switches copy (algorithm: multicast) cannot be "
            "explained yet: one becomes many");
    if (o->has_flow && (!w->flows || o->flow >= w->flows->count))
        return orr__fail(why, ORR_ECONFIG, "there is no flow %u: %s", o->flow,
                         w->flows ? "they are numbered from 0 in the order of "
                                    "`flows`"
                                  : "the configuration has none");
    for (uint32_t i = 0; !o->has_flow && i < w->n_jobs; i++) {
        wanted[i] = !o->job || strcmp(o->job, w->jobs[i].name) == 0;
        any |= wanted[i];
        if (wanted[i] && w->jobs[i].serve && (o->job || w->n_jobs == 1))
            return orr__fail(why, ORR_ECONFIG,
                             "job %s serves requests, and has no iterations to "
                             "explain; its requests are in the record",
                             w->jobs[i].name);
        wanted[i] &= !w->jobs[i].serve;
        if (wanted[i] && o->which == ORR_EXPLAIN_ONE
            && o->iteration >= w->jobs[i].iterations)
            return orr__fail(why, ORR_ECONFIG,
                             "job %s has no iteration %u: "
                             "they are numbered from 0 to %u",
                             w->jobs[i].name, o->iteration,
                             w->jobs[i].iterations - 1);
    }
    if (o->job && !any) {
        orr_err err =
            orr__fail(why, ORR_ECONFIG, "no job is called \"%s\"", o->job);

        if (w->n_jobs)
            orr__hint(why, "the first one is \"%s\"", w->jobs[0].name);
        return err;
    }
    return ORR_OK;
}

static orr_err first_pass(orr_experiment *x, struct orr_chains *c,
                          struct orr_report *why)
{
    orr_err err = orr__experiment_begin(x, why);

    if (err != ORR_OK)
        return err;
    orr__chains_begin(c);
    err = orr__experiment_finish(x, why);
    return orr__experiment_end(x, err, why);
}

/* The same run again, with an eye on the messages of the paths. ORR_EINTERNAL:
 * it went otherwise. */
static orr_err second_pass(const struct orr_config_file *file,
                           const struct orr_explain_options *o,
                           const struct orr_messages_request *at, uint32_t n,
                           struct orr_report *why)
{
    orr_experiment *x = NULL;
    struct orr_messages_pass *pass = NULL;
    orr_err err = load_run(file, o, true, &x, why);

    if (err == ORR_OK)
        err = orr__messages_new(orr__experiment_inside(x), at, n, &pass, why);
    if (err == ORR_OK)
        err = orr__experiment_begin(x, why);
    if (err == ORR_OK) {
        orr__messages_begin(pass);
        err = orr__experiment_finish(x, why);
    }
    if (err == ORR_OK && !orr__messages_done(pass))
        err = orr__fail(why, ORR_EINTERNAL,
                        "the second pass differs from the first");
    orr__messages_free(pass);
    orr_experiment_free(x);
    return err;
}

/* How long a subject takes when its job is alone. */
static orr_err third_pass(const struct orr_config_file *file,
                          const struct orr_explain_options *o,
                          struct orr_subject *s, struct orr_report *why)
{
    orr_experiment *x = NULL;
    struct orr_chains *c = NULL;
    bool *wanted = NULL;
    orr_err err = load_run(file, o, true, &x, why);

    if (err == ORR_OK) {
        struct orr_world *w = orr__experiment_inside(x);

        w->only_job = &w->jobs[s->owner];
        wanted = orr__alloc(w->n_jobs, sizeof *wanted);
        if (wanted)
            wanted[s->owner] = true;
        err =
            wanted ? orr__chains_new(w, wanted, &c, why) : orr__no_memory(why);
    }
    if (err == ORR_OK)
        err = orr__experiment_begin(x, why);
    if (err == ORR_OK) {
        orr__chains_begin(c);
        orr__chains_until(c, s->owner, s->last);
        err = orr__experiment_finish(x, why);
    }
    if (err == ORR_OK && orr__chains_ended(c, s->owner) > s->last)
        s->baseline_ps = orr__chains_end(c, s->owner, s->last)
                         - orr__chains_start(c, s->owner, s->first);
    orr__chains_free(c);
    orr_experiment_free(x);
    orr__free(wanted);
    return err;
}

/* ---- subjects ---- */

/* One, all, or the slowest; the first one of equal ones. */
static void choose_iterations(const struct orr_chains *c,
                              const struct orr_explain_options *o,
                              uint32_t ended, struct orr_subject *s)
{
    int64_t most = -1;

    s->first = s->last = o->iteration;
    if (o->which == ORR_EXPLAIN_ALL) {
        s->first = 0;
        s->last = ended - 1;
    }
    for (uint32_t i = 0; o->which == ORR_EXPLAIN_SLOWEST && i < ended; i++) {
        int64_t time =
            orr__chains_end(c, s->owner, i) - orr__chains_start(c, s->owner, i);

        if (time > most)
            s->first = s->last = i;
        most = time > most ? time : most;
    }
    s->mean_ps = (orr__chains_end(c, s->owner, ended - 1)
                  - orr__chains_start(c, s->owner, 0))
                 / ended;
}

/* The path of the iterations chosen. ORR_ERUN: they did not end. */
static orr_err explain_job(struct orr_explanation *e,
                           const struct orr_chains *c,
                           const struct orr_explain_options *o, uint32_t job,
                           struct orr_report *why)
{
    struct orr_subject *s = &e->subject[e->n];
    uint32_t ended = orr__chains_ended(c, job);

    *s = (struct orr_subject){.owner = job, .baseline_ps = -1};
    if (ended == 0 || (o->which == ORR_EXPLAIN_ONE && o->iteration >= ended))
        return orr__fail(why, ORR_ERUN,
                         "job %s was stopped before it ended "
                         "iteration %u",
                         e->world->jobs[job].name,
                         ended == 0 ? 0 : o->iteration);
    choose_iterations(c, o, ended, s);
    e->n++;
    return orr__chains_path(c, job, s->first, s->last, &s->path, why);
}

/* A flow is a path of one leg; without a number the flow that took longest. */
static orr_err explain_flow(struct orr_explanation *e,
                            const struct orr_explain_options *o,
                            struct orr_report *why)
{
    const struct orr_flows *fs = e->world->flows;
    struct orr_subject *s = &e->subject[0];
    const struct orr_flow *f;
    uint32_t flow = o->flow;
    int64_t most = -1;

    for (uint32_t i = 0; !o->has_flow && i < fs->count; i++)
        if (fs->flow[i].finish_ps >= 0
            && fs->flow[i].finish_ps - fs->flow[i].start_ps > most) {
            most = fs->flow[i].finish_ps - fs->flow[i].start_ps;
            flow = i;
        }
    f = &fs->flow[flow];
    if (f->finish_ps < 0)
        return orr__fail(why, ORR_ERUN, "flow %u has not ended", flow);
    *s = (struct orr_subject){
        .owner = ORR_OWNER_IS_FLOWS, .flow = flow, .baseline_ps = -1};
    e->n = 1;
    s->path =
        (struct orr_path){.from = f->start_ps, .until = f->finish_ps, .n = 1};
    s->path.leg = orr__alloc(1, sizeof *s->path.leg);
    if (!s->path.leg)
        return orr__no_memory(why);
    s->path.leg[0] = (struct orr_leg){.from = f->start_ps,
                                      .until = f->finish_ps,
                                      .rank = f->src,
                                      .peer = f->dst,
                                      .op = UINT32_MAX,
                                      .bytes = f->bytes,
                                      .serial = flow,
                                      .kind = e->world->net_config->transport
                                                      == ORR_TRANSPORT_RELIABLE
                                                  ? ORR_LEG_ACKED
                                                  : ORR_LEG_ARRIVAL};
    return ORR_OK;
}

/* ---- adding up ---- */

/* So that equal parts stand together. */
static int by_what(const void *a, const void *b)
{
    const struct orr_cost *x = a, *y = b;

    if (x->what.cause != y->what.cause)
        return x->what.cause < y->what.cause ? -1 : 1;
    if (x->what.cut_by != y->what.cut_by)
        return x->what.cut_by < y->what.cut_by ? -1 : 1;
    if (x->what.owner != y->what.owner)
        return x->what.owner < y->what.owner ? -1 : 1;
    if (x->what.link != y->what.link)
        return x->what.link < y->what.link ? -1 : 1;
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct orr_cost *x = a, *y = b;

    if (x->ps != y->ps)
        return x->ps > y->ps ? -1 : 1;
    return by_what(a, b);
}

/* Those of the same thing become one. */
static uint32_t merge_parts(struct orr_cost *part, uint32_t n)
{
    uint32_t out = 0;

    qsort(part, n, sizeof *part, by_what);
    for (uint32_t i = 0; i < n; i++)
        if (out && by_what(&part[out - 1], &part[i]) == 0)
            part[out - 1].ps += part[i].ps;
        else
            part[out++] = part[i];
    qsort(part, out, sizeof *part, by_time);
    return out;
}

#define ADDED_TO 16 /* of the parts before: most pieces are of these */

/* Room for one more is there. */
static void add_part(struct orr_subject *s, struct orr_what what, int64_t ps)
{
    uint32_t first = s->parts > ADDED_TO ? s->parts - ADDED_TO : 0;

    for (uint32_t i = s->parts; i-- > first;)
        if (orr__what_same(&s->part[i].what, &what)) {
            s->part[i].ps += ps;
            return;
        }
    s->part[s->parts++] = (struct orr_cost){what, ps};
}

/* Pieces of all legs, without a gap; ORR_EINTERNAL: they do not add up to the
 * path. */
static orr_err add_up(struct orr_subject *s, struct orr_report *why)
{
    int64_t at = s->path.from;
    size_t n = 0;

    for (uint32_t i = 0; i < s->path.n; i++)
        n += s->path.leg[i].line.n;
    s->part = orr__alloc(n, sizeof *s->part);
    if (!s->part)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < s->path.n; i++) {
        const struct orr_spending *l = &s->path.leg[i].line;

        for (uint32_t k = 0; k < l->n; k++) {
            if (l->piece[k].until <= at)
                continue;
            add_part(s, l->piece[k].what, l->piece[k].until - at);
            at = l->piece[k].until;
        }
        if (at < s->path.leg[i].until)
            break;
    }
    if (at != s->path.until)
        return orr__fail(
            why, ORR_EINTERNAL,
            "the parts do not add up: %lld of %lld ps are explained",
            (long long)(at - s->path.from),
            (long long)(s->path.until - s->path.from));
    s->parts = merge_parts(s->part, s->parts);
    return ORR_OK;
}

/* ---- all of it ---- */

/* The path of each subject, from the first pass. */
static orr_err find_paths(struct orr_explanation *e,
                          const struct orr_explain_options *o,
                          struct orr_report *why)
{
    struct orr_world *w = orr__experiment_inside(e->run);
    bool *wanted = orr__alloc(w->n_jobs, sizeof *wanted);
    struct orr_chains *c = NULL;
    orr_err err = wanted ? choose(w, o, wanted, why) : orr__no_memory(why);

    if (err == ORR_OK)
        err = orr__chains_new(w, wanted, &c, why);
    if (err == ORR_OK)
        err = first_pass(e->run, c, why);
    for (uint32_t i = 0; err == ORR_OK && i < w->n_jobs; i++)
        if (wanted[i])
            err = explain_job(e, c, o, i, why);
    if (err == ORR_OK && e->n == 0)
        err = explain_flow(e, o, why);
    orr__chains_free(c);
    orr__free(wanted);
    return err;
}

/* One second pass for all of them. */
static orr_err explain_paths(struct orr_explanation *e,
                             const struct orr_config_file *file,
                             const struct orr_explain_options *o,
                             struct orr_report *why)
{
    struct orr_messages_request *at = orr__alloc(e->n, sizeof *at);
    orr_err err = at ? ORR_OK : orr__no_memory(why);

    for (uint32_t i = 0; at && i < e->n; i++)
        at[i] = (struct orr_messages_request){
            e->subject[i].owner, e->subject[i].path.leg, e->subject[i].path.n};
    if (err == ORR_OK)
        err = second_pass(file, o, at, e->n, why);
    orr__free(at);
    for (uint32_t i = 0; err == ORR_OK && i < e->n; i++)
        err = add_up(&e->subject[i], why);
    return err;
}

/* ---- clusters ---- */

/* Runs it as it is, which does not depend on threads, and lets it tell. */
static orr_err explain_cluster(struct orr_explanation *e,
                               const struct orr_config_file *file,
                               const struct orr_explain_options *o,
                               struct orr_report *why)
{
    if (o->has_flow || o->alone || o->which != ORR_EXPLAIN_SLOWEST)
        return orr__fail(why, ORR_ECONFIG,
                         "for a cluster, jobs are explained relative to alone, "
                         "over all iterations: only --job is accepted");
    orr_experiment_free(e->run);
    e->run = NULL;
    orr_err err = load_run(file, o, false, &e->run, why);
    if (err)
        return err;
    e->world = orr__experiment_world(e->run);
    const struct orr_engine *c = orr__experiment_cluster(e->run);
    err = orr_experiment_run(e->run, why);
    if (!err)
        err = orr__cluster_explain_text(c, o->job, &e->text, why);
    return err ? err : orr__cluster_explain_json(c, o->job, &e->json, why);
}

/* ---- the whole ---- */

/* *out only on success; a cluster explains itself. */
static orr_err explain(const struct orr_config_file *file,
                       const struct orr_explain_options *o,
                       struct orr_explanation **out, struct orr_report *why)
{
    struct orr_explanation *e = orr__alloc(1, sizeof *e);
    orr_err err;

    if (!e)
        return orr__no_memory(why);
    err = load_run(file, o, true, &e->run, why);
    if (err == ORR_OK && orr__experiment_cluster(e->run)) {
        err = explain_cluster(e, file, o, why);
    } else if (err == ORR_OK) {
        e->world = orr__experiment_world(e->run);
        e->subject =
            orr__alloc(e->world->n_jobs + (size_t)1, sizeof *e->subject);
        err = e->subject ? find_paths(e, o, why) : orr__no_memory(why);
    }
    if (err == ORR_OK && e->n)
        err = explain_paths(e, file, o, why);
    for (uint32_t i = 0; o->alone && err == ORR_OK && i < e->n; i++)
        if (e->subject[i].owner != ORR_OWNER_IS_FLOWS
            && (e->world->n_jobs > 1 || e->world->flows))
            err = third_pass(file, o, &e->subject[i], why);
    if (err == ORR_OK)
        *out = e;
    else
        orr__explanation_free(e);
    return err;
}

orr_err orr__explain(const char *path, const struct orr_explain_options *o,
                     struct orr_explanation **out, struct orr_report *why)
{
    struct orr_config_file file;
    orr_err err = orr__config_file_read(&file, path, why);

    if (err == ORR_OK)
        err = explain(&file, o, out, why);
    orr__config_file_fini(&file);
    return err;
}

void orr__explanation_free(struct orr_explanation *e)
{
    if (!e)
        return;
    for (uint32_t i = 0; e->subject && i < e->n; i++) {
        orr__path_fini(&e->subject[i].path);
        orr__free(e->subject[i].part);
    }
    orr__free(e->subject);
    orr__free(e->text);
    orr__free(e->json);
    orr_experiment_free(e->run);
    orr__free(e);
}
