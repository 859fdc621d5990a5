/* A scheme into a configuration. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "study/plan/show.h"
#include "workload/job/job.h"
#include "workload/schedule/candidates.h"

static orr_err set_key(struct orr_config *c, struct orr_text *t,
                       struct orr_report *why)
{
    char *text = orr__text_done(t);
    orr_err err = text ? orr__config_set_named(c, text, "the plan", why)
                       : orr__no_memory(why);
    orr__free(text);
    return err;
}

/* 0: as if nothing were said. */
static double threshold_of(const struct orr_plan *s)
{
    bool usual = s->request.threshold == ORR_PLAN_THRESHOLD;
    return usual ? 0 : s->request.threshold;
}

/* `gate` of the j-th job, exact to the ps. A threshold of 0 is not written: the
 * default holds then. */
static orr_err fill_gate(const struct orr_plan_job *x, double threshold,
                         uint32_t j, struct orr_config *c,
                         struct orr_report *why)
{
    struct orr_text t = {0};
    char period[32], offset[32];
    orr__format_time(x->period_ps, period, sizeof period);
    orr__format_time(x->offset_ps, offset, sizeof offset);
    orr__text_add(&t, "jobs[%u].gate={period: %s, offset: %s", j, period,
                  offset);
    for (uint32_t i = 0; x->times > 1 && i < x->times; i++) {
        orr__format_time(x->time_ps[i], offset, sizeof offset);
        orr__text_add(&t, "%s%s", i ? ", " : ", times: [", offset);
    }
    orr__text_add(&t, "%s", x->times > 1 ? "]" : "");
    if (threshold > 0)
        orr__text_add(&t, ", drift: {threshold: %.17g}", threshold);
    orr__text_add(&t, "}");
    return set_key(c, &t, why);
}

/* The placement that was chosen. */
static orr_err fill_hosts(const struct orr_job *job, uint32_t j,
                          struct orr_config *c, struct orr_report *why)
{
    struct orr_text t = {0};
    orr__text_add(&t, "jobs[%u].placement=[", j);
    for (uint32_t r = 0; r < job->ranks; r++)
        orr__text_add(&t, "%s%u", r ? ", " : "", job->hosts[r]);
    orr__text_add(&t, "]");
    return set_key(c, &t, why);
}

/* `jobs[j].paths`, with links by id. */
static orr_err fill_paths(const struct orr_plan_job *x, uint32_t j,
                          struct orr_config *c, struct orr_report *why)
{
    struct orr_text t = {0};
    orr__text_add(&t, "jobs[%u].paths=[", j);
    for (uint32_t i = 0; i < x->paths.n; i++) {
        const struct orr_chosen_path *w = &x->paths.path[i];
        orr__text_add(&t, "%s{from: %u, to: %u, links: [", i ? ", " : "",
                      w->src, w->dst);
        for (uint32_t k = 0; k < w->n; k++)
            orr__text_add(&t, "%s%u", k ? ", " : "", w->link[k]);
        orr__text_add(&t, "]}");
    }
    orr__text_add(&t, "]");
    return set_key(c, &t, why);
}

/* What the schedule made of the network. */
static orr_err fill_network(const struct orr_plan *s, struct orr_config *c,
                            struct orr_report *why)
{
    struct orr_text t = {0};
    if (!s->request.priorities)
        return ORR_OK;
    orr__text_add(&t, "network.queue.scheduler=strict");
    return set_key(c, &t, why);
}

orr_err orr__plan_fill(const struct orr_plan *s, struct orr_config *c,
                       struct orr_report *why)
{
    struct orr_text none = {0};
    orr_err err = ORR_OK;
    for (uint32_t j = 0; j < s->n && !err; j++) {
        struct orr_text t = {0};
        if (orr__candidates_of(s->world->config))
            err = fill_hosts(s->job[j].job, j, c, why);
        if (!err && s->job[j].gated)
            err = fill_gate(&s->job[j], threshold_of(s), j, c, why);
        if (!err && s->job[j].paths.n)
            err = fill_paths(&s->job[j], j, c, why);
        orr__text_add(&t, "jobs[%u].class=%u", j, s->job[j].class);
        if (!err && s->request.priorities)
            err = set_key(c, &t, why);
        else
            orr__free(t.s);
    }
    if (!err)
        err = fill_network(s, c, why);
    if (err || !orr__yaml_get(orr__config_root(c), "schedule"))
        return err;
    orr__text_add(&none, "schedule=none");
    return set_key(c, &none, why);
}
