#include "cluster/explain.h"
#include "core/none.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/contention.h"
#include "cluster/figures.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "record/figures.h"

enum { ROWS = 20 }; /* of a job, in the text */

/* A job and its contenders; those that cost it most come first. */
struct explained {
    uint32_t job;
    const struct orr_contention_spell **spell;
    uint32_t n;
    double lost_ns; /* in company */
};

/* The jobs that are explained. */
struct explanation {
    const struct orr_engine *e;
    struct orr_job_result *figures;
    struct explained item[ORR_EXPLAINED_JOBS];
    uint32_t n;
};

/* ---- finding out --------------------------------------------------------- */

static void free_answer(struct explanation *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        orr__free(x->item[i].spell);
    orr__free(x->figures);
}

static int by_cost(const void *a, const void *b)
{
    const struct orr_contention_spell *x =
        *(const struct orr_contention_spell *const *)a;
    const struct orr_contention_spell *y =
        *(const struct orr_contention_spell *const *)b;
    if (x->lost_ns > y->lost_ns || x->lost_ns < y->lost_ns)
        return x->lost_ns > y->lost_ns ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* A job and those that it shared links with, those that cost it most first. */
static orr_err add_job(struct explanation *x, uint32_t job,
                       struct orr_report *why)
{
    uint32_t all;
    const struct orr_contention_spell *m =
        orr__contention_encounters(x->e, &all);
    struct explained *i = &x->item[x->n];
    *i = (struct explained){.job = job};
    for (uint32_t k = 0; k < all; k++)
        i->n += m[k].job == job;
    i->spell = orr__alloc(i->n, sizeof(const struct orr_contention_spell *));
    if (!i->spell)
        return orr__no_memory(why);
    x->n++;
    i->n = 0;
    for (uint32_t k = 0; k < all; k++)
        if (m[k].job == job) {
            i->spell[i->n++] = &m[k];
            i->lost_ns += m[k].lost_ns;
        }
    qsort(i->spell, i->n, sizeof(const struct orr_contention_spell *), by_cost);
    return ORR_OK;
}

/* Those whose figures say that they lost most; a job that lost nothing is not
 * explained. */
static orr_err add_slowest(struct explanation *x, struct orr_report *why)
{
    uint32_t jobs = x->e->cluster.jobs;
    bool *done = orr__alloc(jobs, sizeof *done);
    orr_err err = done ? ORR_OK : orr__no_memory(why);
    while (!err && x->n < ORR_EXPLAINED_JOBS) {
        uint32_t worst = ORR_NONE;
        for (uint32_t i = 0; i < jobs; i++)
            if (!done[i] && x->figures[i].slowdown > 1.0005
                && (worst == ORR_NONE
                    || x->figures[i].slowdown > x->figures[worst].slowdown))
                worst = i;
        if (worst == ORR_NONE)
            break;
        done[worst] = true;
        err = add_job(x, worst, why);
    }
    orr__free(done);
    return err;
}

/* ECONFIG: there is no such job. */
static orr_err add_named(struct explanation *x, const char *job,
                         struct orr_report *why)
{
    const struct orr_cluster *c = &x->e->cluster;
    for (uint32_t i = 0; i < c->jobs; i++)
        if (strcmp(c->job[i].is.name, job) == 0)
            return add_job(x, i, why);
    orr_err err = orr__fail(why, ORR_ECONFIG, "no job is called \"%s\"", job);
    if (c->jobs)
        orr__hint(why, "the first one is \"%s\"", c->job[0].is.name);
    return err;
}

static orr_err find_out(const struct orr_engine *e, const char *job,
                        struct explanation *x, struct orr_report *why)
{
    *x = (struct explanation){.e = e, .figures = orr__cluster_job_figures(e)};
    if (!x->figures)
        return orr__no_memory(why);
    return job ? add_named(x, job, why) : add_slowest(x, why);
}

/* ---- text ---------------------------------------------------------------- */

static void put_time(struct orr_text *t, double ns)
{
    char text[32] = "-";
    if (isfinite(ns)) {
        orr__human_long_time((int64_t)(fabs(ns) + 0.5), text, sizeof text);
        orr__text_add(t, "%s%s", ns <= -0.5 ? "-" : "", text);
    } else {
        orr__text_add(t, "%s", text);
    }
}

/* A sentence: how much slower it was, and which jobs caused it. */
static void answer_job(struct orr_text *t, const struct explanation *x,
                       const struct explained *i)
{
    const struct orr_cluster *c = &x->e->cluster;
    const struct orr_job_result *f = &x->figures[i->job];
    const struct orr_contention_spell *m = i->n ? i->spell[0] : NULL;
    char name[ORR_LINK_TEXT];
    orr__text_words(t, c->job[i->job].is.name, 60);
    if (!isfinite(f->slowdown)) {
        orr__text_add(t, " did nothing\n");
        return;
    }
    orr__text_add(t, " was %.3g %% slower than alone", 100 * (f->slowdown - 1));
    if (m && m->lost_ns > 0) {
        orr__link_text(c->world->graph, m->link, name);
        orr__text_add(t, ": ");
        orr__text_words(t, c->job[m->rival].is.name, 60);
        orr__text_add(t, " on %s from ", name);
        put_time(t, (double)m->from_ns);
        orr__text_add(t, " to ");
        put_time(t, (double)m->to_ns);
    }
    orr__text_add(t, "\n");
}

/* Its times, in two lines. */
static void add_facts(struct orr_text *t, const struct explanation *x,
                      const struct explained *i)
{
    const struct orr_cluster_job *j = &x->e->cluster.job[i->job];
    const struct orr_job_result *f = &x->figures[i->job];
    orr__text_add(t, "  %u GPUs, came at ", j->asked);
    put_time(t, (double)j->is.at_ns);
    orr__text_add(t, ", waited ");
    put_time(t, f->queueing);
    orr__text_add(t, ", took ");
    put_time(t, f->completion);
    orr__text_add(t, "\n  %.6g iterations of ", j->done);
    put_time(t, f->iteration);
    orr__text_add(t, " in the mean, alone ");
    put_time(t, f->iteration / f->slowdown);
    orr__text_add(t, ": ");
    put_time(t, f->lost_ns);
    orr__text_add(t, " lost\n");
    if (j->resized || j->moved || j->preempted || j->restarted)
        orr__text_add(t,
                      "  resized %u times, moved %u, preempted %u, "
                      "restarted %u: %.4g GPU hours\n",
                      j->resized, j->moved, j->preempted, j->restarted,
                      f->gpu_hours);
}

/* One that it shared a link with, and what that cost. */
static void add_row(struct orr_text *t, const struct explanation *x,
                    const struct explained *i,
                    const struct orr_contention_spell *m)
{
    const struct orr_cluster *c = &x->e->cluster;
    double lost = x->figures[i->job].lost_ns;
    char name[ORR_LINK_TEXT];
    orr__link_text(c->world->graph, m->link, name);
    orr__text_add(t, "  ");
    put_time(t, m->lost_ns);
    orr__text_column(t, 13);
    if (fabs(lost) >= 0.5)
        orr__text_add(t, "%5.1f %%", 100 * m->lost_ns / lost);
    orr__text_column(t, 22);
    orr__text_words(t, c->job[m->rival].is.name, 16);
    orr__text_column(t, 39);
    orr__text_add(t, "%s", name);
    if (m->links > 1)
        orr__text_add(t, " and %u more", m->links - 1);
    orr__text_column(t, 66);
    put_time(t, (double)m->from_ns);
    orr__text_add(t, " to ");
    put_time(t, (double)m->to_ns);
    orr__text_add(t, "\n");
}

/* What is left over: of those that the table leaves out, and of nobody. */
static void put_others(struct orr_text *t, const struct explanation *x,
                       const struct explained *i, double shown)
{
    double lost = x->figures[i->job].lost_ns;
    if (i->n > ROWS) {
        orr__text_add(t, "  ");
        put_time(t, i->lost_ns - shown);
        orr__text_column(t, 22);
        orr__text_add(t, "and %u more (--json has all)\n", i->n - ROWS);
    }
    if (fabs(lost - i->lost_ns) > 0.001 * fabs(lost)) {
        orr__text_add(t, "  ");
        put_time(t, lost - i->lost_ns);
        orr__text_column(t, 22);
        orr__text_add(t, "when it had no contention\n");
    }
}

/* Those that it shared links with, and the rest. */
static void add_table(struct orr_text *t, const struct explanation *x,
                      const struct explained *i)
{
    double shown = 0;
    if (i->n == 0) {
        orr__text_add(t, "  no contention\n");
        return;
    }
    orr__text_add(t, "\n  lost");
    orr__text_column(t, 13);
    orr__text_add(t, "  share  to");
    orr__text_column(t, 39);
    orr__text_add(t, "on");
    orr__text_column(t, 66);
    orr__text_add(t, "when\n");
    for (uint32_t k = 0; k < i->n && k < ROWS; k++) {
        add_row(t, x, i, i->spell[k]);
        shown += i->spell[k]->lost_ns;
    }
    put_others(t, x, i, shown);
}

orr_err orr__cluster_explain_text(const struct orr_engine *e, const char *job,
                                  char **out, struct orr_report *why)
{
    struct explanation x;
    struct orr_text t = {0};
    orr_err err = find_out(e, job, &x, why);
    for (uint32_t k = 0; !err && k < x.n; k++) {
        if (k)
            orr__text_add(&t, "\n");
        answer_job(&t, &x, &x.item[k]);
        if (isfinite(x.figures[x.item[k].job].slowdown)) {
            add_facts(&t, &x, &x.item[k]);
            add_table(&t, &x, &x.item[k]);
        }
    }
    if (!err && x.n == 0)
        orr__text_add(&t, "no job was slower than alone\n");
    free_answer(&x);
    *out = orr__text_shown(&t);
    if (!err && !*out)
        err = orr__no_memory(why);
    return err;
}

/* ---- JSON ---------------------------------------------------------------- */

/* As add_row, in JSON. */
static void add_cause(struct orr_json *j, const struct explanation *x,
                      const struct explained *i,
                      const struct orr_contention_spell *m)
{
    const struct orr_cluster *c = &x->e->cluster;
    char name[ORR_LINK_TEXT];
    orr__link_text(c->world->graph, m->link, name);
    orr__json_flat_object(j, NULL);
    orr__json_text(j, "with", c->job[m->rival].is.name);
    orr__json_text(j, "link", name);
    orr__json_count(j, "links", m->links);
    orr__json_ns(j, "from_ns", m->from_ns);
    orr__json_ns(j, "to_ns", m->to_ns);
    orr__json_long_time(j, "lost_ns", m->lost_ns);
    orr__json_real(j, "share", m->lost_ns / x->figures[i->job].lost_ns);
    orr__json_end(j);
}

/* A job and its causes, in JSON. */
static void add_subject(struct orr_json *j, const struct explanation *x,
                        const struct explained *i)
{
    const struct orr_cluster *c = &x->e->cluster;
    const struct orr_cluster_job *is = &c->job[i->job];
    const struct orr_job_result *f = &x->figures[i->job];
    orr__json_object(j, NULL);
    orr__json_text(j, "job", is->is.name);
    orr__json_text(j, "template", c->template[is->is.template].name);
    orr__json_count(j, "gpus", is->asked);
    orr__json_ns(j, "arrived_ns", is->is.at_ns);
    orr__json_long_time(j, "queueing_ns", f->queueing);
    orr__json_long_time(j, "completion_ns", f->completion);
    orr__json_real(j, "iterations", is->done);
    orr__json_long_time(j, "iteration_ns", f->iteration);
    orr__json_long_time(j, "alone_ns", f->iteration / f->slowdown);
    orr__json_real(j, "slowdown", f->slowdown);
    orr__json_long_time(j, "lost_ns", f->lost_ns);
    orr__json_real(j, "gpu_hours", f->gpu_hours);
    orr__json_count(j, "preempted", is->preempted);
    orr__json_count(j, "restarted", is->restarted);
    orr__json_count(j, "resized", is->resized);
    orr__json_count(j, "moved", is->moved);
    orr__json_long_time(j, "lost_in_company_ns", i->lost_ns);
    orr__json_list(j, "causes");
    for (uint32_t k = 0; k < i->n; k++)
        add_cause(j, x, i, i->spell[k]);
    orr__json_end(j);
    orr__json_end(j);
}

orr_err orr__cluster_explain_json(const struct orr_engine *e, const char *job,
                                  char **out, struct orr_report *why)
{
    const struct orr_world *w = e->cluster.world;
    struct explanation x;
    struct orr_json j = {0};
    char hex[17];
    orr_err err = find_out(e, job, &x, why);
    *out = NULL;
    if (!err) {
        snprintf(hex, sizeof hex, "%016llx",
                 (unsigned long long)orr__cluster_fingerprint(e));
        orr__json_object(&j, NULL);
        orr__json_text(&j, "orrery", orr_version());
        orr__json_text(&j, "title", w->options.title ? w->options.title : "");
        orr__json_count(&j, "seed", w->seed);
        orr__json_text(&j, "fingerprint", hex);
        orr__json_list(&j, "explained");
        for (uint32_t k = 0; k < x.n; k++)
            add_subject(&j, &x, &x.item[k]);
        orr__json_end(&j);
        orr__json_end(&j);
        *out = orr__json_done(&j);
        if (!*out)
            err = orr__no_memory(why);
    }
    free_answer(&x);
    return err;
}
