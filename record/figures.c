#include "record/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "record/link_loads.h"
#include "topo/node_names.h"
#include "workload/flow/flows.h"

/* What a link did up to `end`, ps. */
static struct orr_link_figures link_figures(const struct orr_world *w,
                                            uint32_t link, int64_t end)
{
    struct orr_link_sample s;
    struct orr_link_figures l = {.link = link};
    orr__net_link_sample(w->net, link, end, &s);
    l.bytes = s.bytes;
    l.max_queue = s.max_queue;
    l.marks = s.marks;
    l.drops = s.drops;
    l.pauses = s.pauses;
    l.paused_ps = s.paused_ps;
    if (end > 0) {
        l.utilization = (double)s.busy_ps / (double)end;
        l.mean_queue = s.area / (double)end;
    }
    return l;
}

static struct orr_link_load load_of(const struct orr_link_figures *l)
{
    return (struct orr_link_load){
        .link = l->link,
        .utilization = l->utilization,
        .max_queue = l->max_queue,
        .marks = l->marks,
        .drops = l->drops,
        .paused_ps = (uint64_t)l->paused_ps,
    };
}

/* Keeps the list in the order of all lists of links. */
static void enter_busiest(struct orr_figures *f, struct orr_link_figures l)
{
    uint32_t at = f->n_busiest;
    struct orr_link_load load = load_of(&l), other;
    while (at > 0
           && (other = load_of(&f->busiest[at - 1]),
               orr__link_order(&load, &other) < 0))
        at--;
    if (at == ORR_BUSIEST)
        return;
    if (f->n_busiest < ORR_BUSIEST)
        f->n_busiest++;
    memmove(&f->busiest[at + 1], &f->busiest[at],
            (f->n_busiest - 1 - at) * sizeof *f->busiest);
    f->busiest[at] = l;
}

/* Means over all links, and the busiest ones. */
static void all_links(const struct orr_world *w, struct orr_figures *f)
{
    double sum = 0;
    uint64_t drops = 0;
    for (uint32_t i = 0; i < w->graph->links; i++) {
        struct orr_link_figures l = link_figures(w, i, f->end_ps);
        drops += l.drops;
        if (l.drops > f->lossiest.drops)
            f->lossiest = l;
        if (l.bytes == 0)
            continue;
        f->links_used++;
        sum += l.utilization;
        if (l.utilization > f->max_utilization)
            f->max_utilization = l.utilization;
        enter_busiest(f, l);
    }
    if (w->graph->links)
        f->mean_utilization = sum / orr__links_present(w->graph);
    /* What no link lost never came to one. */
    if (f->totals.packets_dropped > drops)
        f->no_route = f->totals.packets_dropped - drops;
}

/* Goodput and fairness of flows that are measured. */
static void rates_of_flows(const struct orr_flows *all,
                           struct orr_flow_figures *f)
{
    int64_t first = INT64_MAX, last = 0;
    double sum = 0, squares = 0;
    f->goodput_bps = f->jain = NAN;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct orr_flow *flow = &all->flow[i];
        int64_t fct = flow->finish_ps - flow->start_ps;
        if (flow->finish_ps < 0)
            continue;
        f->completed++;
        if (flow->aside)
            continue;
        double rate = fct > 0 ? (double)flow->bytes / (double)fct : 0;
        sum += rate;
        squares += rate * rate;
        f->measured++;
        f->bytes += flow->bytes;
        first = flow->start_ps < first ? flow->start_ps : first;
        last = flow->finish_ps > last ? flow->finish_ps : last;
    }
    if (f->measured && last > first)
        f->goodput_bps = (double)f->bytes * 8e12 / (double)(last - first);
    if (squares > 0)
        f->jain = sum * sum / (f->measured * squares);
}

static bool is_measured(const struct orr_flow *f)
{
    return f->finish_ps >= 0 && !f->aside;
}

/* All figures of flows. ENOMEM. */
static orr_err all_flows(const struct orr_flows *all,
                         struct orr_flow_figures *f)
{
    f->count = all->count;
    rates_of_flows(all, f);
    double *v = orr__alloc(f->measured, sizeof *v);
    if (v == NULL)
        return ORR_ENOMEM;
    size_t n = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (is_measured(&all->flow[i]))
            v[n++] = (double)(all->flow[i].finish_ps - all->flow[i].start_ps);
    f->fct_ps = orr__statistics(v, n);
    n = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (is_measured(&all->flow[i]))
            v[n++] = (double)(all->flow[i].done_ps - all->flow[i].start_ps);
    f->done_ps = orr__statistics(v, n);
    n = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct orr_flow *flow = &all->flow[i];
        if (is_measured(flow) && flow->ideal_ps > 0)
            v[n++] = (double)(flow->finish_ps - flow->start_ps)
                     / (double)flow->ideal_ps;
    }
    f->slowdown = orr__statistics(v, n);
    orr__free(v);
    return ORR_OK;
}

/* Limits of the classes: 0, 1, 2, 5, 10 ... or 0, 1, 10 ...; returns how many
 * classes there are. */
static uint32_t limits(uint64_t limit[ORR_SIZE_CLASSES + 1], bool fine)
{
    static const uint64_t step[] = {1, 2, 5};
    uint64_t decade = 1;
    uint32_t n = 1;
    limit[0] = 0;
    for (int d = 0; d < 19; d++, decade *= 10)
        for (int i = 0; i < (fine ? 3 : 1); i++)
            limit[n++] = decade * step[i];
    limit[n] = UINT64_MAX;
    return n;
}

/* Figures of the flows in one class; v has room for them. */
static void one_class(const struct orr_flows *all, struct orr_size_class *c,
                      double *v)
{
    size_t n = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct orr_flow *f = &all->flow[i];
        if (is_measured(f) && f->bytes >= c->from && f->bytes < c->to)
            v[n++] = (double)(f->finish_ps - f->start_ps);
    }
    c->fct_ps = orr__statistics(v, n);
    n = 0;
    for (uint32_t i = 0; c->fct_ps.n && i < all->count; i++) {
        const struct orr_flow *f = &all->flow[i];
        if (is_measured(f) && f->ideal_ps > 0 && f->bytes >= c->from
            && f->bytes < c->to)
            v[n++] = (double)(f->finish_ps - f->start_ps) / (double)f->ideal_ps;
    }
    c->slowdown = orr__statistics(v, n);
}

orr_err orr__figures_by_size(const struct orr_world *w, bool fine,
                             struct orr_size_class classes[ORR_SIZE_CLASSES],
                             uint32_t *n)
{
    uint64_t limit[ORR_SIZE_CLASSES + 1];
    uint32_t count = limits(limit, fine);
    double *v;
    *n = 0;
    if (!w->flows)
        return ORR_OK;
    v = orr__alloc(w->flows->count, sizeof *v);
    if (!v)
        return ORR_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct orr_size_class c = {.from = limit[i], .to = limit[i + 1]};
        one_class(w->flows, &c, v);
        if (c.fct_ps.n)
            classes[(*n)++] = c;
    }
    orr__free(v);
    return ORR_OK;
}

orr_err orr__figures(const struct orr_world *w, struct orr_figures *f)
{
    static const struct orr_flows none = {.count = 0};
    *f = (struct orr_figures){.end_ps = w->result.end_ps};
    orr__net_totals(w->net, &f->totals);
    if (f->end_ps < f->totals.last_event_ps)
        f->end_ps = f->totals.last_event_ps;
    if (w->result.wall_s > 0)
        f->hops_per_second = (double)f->totals.packet_hops / w->result.wall_s;
    all_links(w, f);
    return all_flows(w->flows ? w->flows : &none, &f->flows);
}

int64_t orr__iteration_duration(const struct orr_job *job, uint32_t i)
{
    const struct orr_iteration *it = &job->iteration[i];
    if (it->end_ps < 0)
        return -1;
    return it->end_ps - (i ? job->iteration[i - 1].end_ps : it->start_ps);
}

struct orr_statistics orr__figures_iterations(const struct orr_job *job,
                                              double *room)
{
    size_t n = 0;
    for (uint32_t i = job->warmup; job->iteration && i < job->iterations; i++)
        if (job->iteration[i].end_ps >= 0)
            room[n++] = (double)orr__iteration_duration(job, i);
    return orr__statistics(room, n);
}

void orr__node_label(const struct orr_graph *g, uint32_t node, char *buf,
                     size_t size)
{
    const char *name = orr__node_name(g, node, buf, size);
    if (name != buf)
        snprintf(buf, size, "%s", name);
}
