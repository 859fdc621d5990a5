#include "cluster/facts.h"
#include "core/none.h"
#include "net/config/config.h"
#include "workload/rank/rank.h"

#include <string.h>

#include "core/memory.h"
#include "workload/job/job.h"
#include "workload/schedule/demand.h"
#include "workload/schedule/outline.h"
#include "workload/schedule/plan.h"

bool orr__facts_counts(const struct orr_graph *g,
                       const struct orr_link_demand *d)
{
    return (double)orr__demand_peak(d)
           > ORR_PLAN_FAINT * (double)g->rate_bps[d->link];
}

orr_err orr__job_paths_of(const struct orr_path_table *paths,
                          struct orr_job_paths *t, struct orr_report *why)
{
    *t = (struct orr_job_paths){.n = 0};
    for (uint32_t i = 0; i < paths->n; i++)
        t->n += paths->path[i].n + 1;
    t->link = orr__alloc(t->n, sizeof *t->link);
    if (!t->link) {
        t->n = 0;
        return orr__no_memory(why);
    }
    t->n = 0;
    for (uint32_t i = 0; i < paths->n; i++) {
        const struct orr_chosen_path *x = &paths->path[i];
        memcpy(t->link + t->n, x->link, x->n * sizeof *x->link);
        t->n += x->n;
        t->link[t->n++] = ORR_NONE;
    }
    return ORR_OK;
}

/* More than one of the equal paths that routes offer was to be had; asked for
 * each pair of GPUs that sends. */
static bool has_choice(const struct orr_world *w,
                       const struct orr_path_table *paths)
{
    for (uint32_t i = 0; i < paths->n; i++) {
        const uint32_t *hosts = w->jobs[0].hosts;
        uint32_t at = hosts[paths->path[i].src],
                 dst = hosts[paths->path[i].dst];
        for (uint32_t k = 0; k < paths->path[i].n; k++) {
            uint32_t equal;
            orr__routing_next(w->routes, at, dst, &equal);
            if (equal > 1)
                return true;
            at = w->graph->to[paths->path[i].link[k]];
        }
    }
    return false;
}

struct orr_terms orr__terms_of(const struct orr_world *w,
                               const struct orr_job *j)
{
    const struct orr_net_config *n = w->net_config;
    const struct orr_net_service *s =
        j->team->service ? j->team->service : &n->service;
    struct orr_terms t = {.weight = 1, .gate = j->gate};
    if (n->strict || n->schedule->by_class)
        t.class = s->class;
    else if (n->schedule->by_share)
        t.weight = s->weight;
    else if (n->schedule->weighted)
        t.weight = n->class_weight[s->class];
    return t;
}

orr_err orr__gather_facts(const struct orr_world *w, struct orr_facts *out,
                          struct orr_report *why)
{
    struct orr_outline o = {0};
    struct orr_path_table paths = {0};
    struct orr_report unknown = {0};
    *out = (struct orr_facts){.terms = orr__terms_of(w, &w->jobs[0])};
    orr_err err = orr__outline(w, &w->jobs[0], &o, &unknown);
    if (err == ORR_ENOMEM)
        return orr__no_memory(why);
    if (err) {
        out->unknown = true;
        return ORR_OK;
    }
    err = orr__demand_own(w, &w->jobs[0], &o, &out->profile, why);
    if (!err)
        err = orr__path_choice_list(w, &w->jobs[0], &o, &paths, why);
    if (!err)
        err = orr__job_paths_of(&paths, &out->paths, why);
    if (!err)
        out->chooses = has_choice(w, &paths);
    orr__path_choice_fini(&paths);
    orr__outline_fini(&o);
    return err;
}

void orr__facts_fini(struct orr_facts *f)
{
    orr__profile_fini(&f->profile);
    orr__free(f->paths.link);
    *f = (struct orr_facts){.unknown = false};
}
