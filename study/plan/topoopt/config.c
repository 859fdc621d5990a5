/* A design into a configuration: the network, and the job with its program in
 * place of the model. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "study/plan/topoopt/show.h"

/* Borrowed while one design goes into one configuration. */
struct writer {
    const struct orr_design_plan *p;
    const struct orr_designed *x;
    struct orr_config *c; /* a copy of the question's */
    struct orr_report *why;
};

/* PATH=VALUE, a text that is done with then. */
static orr_err set_key(struct writer *w, struct orr_text *t)
{
    char *text = orr__text_done(t);
    orr_err err = text ? orr__config_set_named(w->c, text, "the plan", w->why)
                       : orr__no_memory(w->why);
    orr__free(text);
    return err;
}

/* ---- the network --------------------------------------------------------- */

/* Each pair once. */
static void add_matching(struct orr_text *t, const struct orr_direct *net,
                         uint32_t m)
{
    const uint32_t *mate = net->mate + (size_t)m * net->n;
    bool any = false;
    orr__text_add(t, "[");
    for (uint32_t i = 0; i < net->n; i++)
        if (mate[i] != ORR_NONE && i < mate[i]) {
            orr__text_add(t, "%s[%u, %u]", any ? ", " : "", i, mate[i]);
            any = true;
        }
    orr__text_add(t, "]");
}

/* `topology` as it was designed, in place of what there is. */
static orr_err write_network(struct writer *w)
{
    const struct orr_design *d = &w->p->design;
    const struct orr_direct *net = &w->x->net;
    struct orr_text t = {.s = NULL};
    char rate[32], delay[32];
    orr__format_rate(d->rate_bps, rate, sizeof rate);
    orr__format_time(d->delay_ps, delay, sizeof delay);
    orr__text_add(&t,
                  "topology={kind: strides, hosts: %u, direction: %s, "
                  "link: {rate: %s, delay: %s}, strides: [",
                  d->n, net->both ? "both" : "forward", rate, delay);
    for (uint32_t i = 0; i < net->strides; i++)
        orr__text_add(&t, "%s%u", i ? ", " : "", net->stride[i]);
    orr__text_add(&t, "]");
    for (uint32_t m = 0; m < net->matchings; m++) {
        orr__text_add(&t, m ? ", " : ", matching: [");
        add_matching(&t, net, m);
    }
    orr__text_add(&t, net->matchings ? "]}" : "}");
    return set_key(w, &t);
}

/* ---- the job ------------------------------------------------------------- */

/* The keys of a job that say nothing about its model, as they are. */
static const char *const kept[] = {"name",  "start",  "iterations", "warmup",
                                   "ranks", "jitter", "placement",  NULL};

/* A value as YAML on one line. */
static void add_value(struct orr_text *t, struct orr_config *c,
                      const struct orr_yaml *x)
{
    bool map = orr__yaml_is_map(x), list = orr__yaml_is_list(x);
    if (!map && !list) {
        if (orr__yaml_is_null(x))
            orr__text_add(t, "null");
        else
            orr__text_quoted(t, orr__yaml_text(c, x));
        return;
    }
    orr__text_add(t, map ? "{" : "[");
    for (size_t i = 0; i < orr__yaml_count(x); i++) {
        orr__text_add(t, i ? ", " : "");
        if (map) {
            orr__text_quoted(t, orr__yaml_text(c, orr__yaml_key(x, i)));
            orr__text_add(t, ": ");
        }
        add_value(t, c, map ? orr__yaml_value(x, i) : orr__yaml_item(x, i));
    }
    orr__text_add(t, map ? "}" : "]");
}

/* Job `place` of the document: these keys, and its program. */
static void add_job(struct writer *w, size_t place, struct orr_text *t)
{
    const struct orr_yaml *jobs = orr__yaml_get(orr__config_root(w->c), "jobs");
    const struct orr_yaml *job = orr__yaml_item(jobs, place);
    orr__text_add(t, "jobs[%zu]={", place);
    for (size_t i = 0; kept[i]; i++) {
        const struct orr_yaml *x = orr__yaml_get(job, kept[i]);
        if (!x)
            continue;
        orr__text_add(t, "%s: ", kept[i]);
        add_value(t, w->c, x);
        orr__text_add(t, ", ");
    }
    orr__text_add(t, "program: ");
    orr__design_program(&w->p->design, w->x, t);
    orr__text_add(t, "}");
}

/* Of a model that the question names itself it is the only job. */
static orr_err write_job(struct writer *w)
{
    const struct orr_job_model *of = &w->p->of;
    struct orr_text t = {.s = NULL};
    if (of->has_job) {
        add_job(w, of->job, &t);
        return set_key(w, &t);
    }
    orr__text_add(&t,
                  "jobs=[{name: topoopt, ranks: %u, program: ", w->p->design.n);
    orr__design_program(&w->p->design, w->x, &t);
    orr__text_add(&t, "}]");
    return set_key(w, &t);
}

orr_err orr__design_config(const struct orr_design_plan *p,
                           const struct orr_question *q, uint32_t which,
                           char **out, struct orr_report *why)
{
    struct writer w = {.p = p, .x = &p->search.best[which], .why = why};
    orr_err err = orr__config_copy(q->c, "plan", &w.c, why);
    if (!err)
        err = write_network(&w);
    if (!err)
        err = write_job(&w);
    if (!err) {
        *out = orr__config_effective(w.c);
        err = *out ? ORR_OK : orr__no_memory(why);
    }
    orr__config_free(w.c);
    return err;
}
