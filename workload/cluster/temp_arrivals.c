/* temporary: templates and a poisson of the simplest kind, until arrivals.c lands */
#include "workload/cluster/arrivals.h"
#include "core/memory.h"
#include "core/units.h"
#include "core/random.h"
#include "workload/world.h"
#include <stdlib.h>
#include <math.h>
#include <stdio.h>
orr_err orr__templates_read(struct orr_cluster *c, const struct orr_yaml *list, struct orr_report *why)
{
    struct orr_config *cf = c->world->config; (void)why;
    c->templates = (uint32_t)orr__yaml_count(list);
    c->template = orr__arena_alloc(orr__config_arena(cf), c->templates, sizeof *c->template);
    for (uint32_t i = 0; i < c->templates; i++) {
        struct orr_template *t = &c->template[i];
        const struct orr_yaml *n = orr__yaml_item(list, i);
        t->node = n; t->name = orr__yaml_text(cf, orr__yaml_get(n, "name"));
        t->body = orr__yaml_get(n, "body");
        t->gpus = orr__arena_alloc(orr__config_arena(cf), 8, 4);
        const struct orr_yaml *g = orr__yaml_get(n, "gpus");
        if (orr__yaml_is_list(g)) { t->n_gpus = (uint32_t)orr__yaml_count(g); for (uint32_t k = 0; k < t->n_gpus; k++) t->gpus[k] = (uint32_t)atoi(orr__yaml_text(cf, orr__yaml_item(g,k))); }
        else { t->n_gpus = 1; t->gpus[0] = (uint32_t)atoi(orr__yaml_text(cf, g)); }
        t->iterations.mean = atof(orr__yaml_text(cf, orr__yaml_get(n, "iterations")));
    }
    return ORR_OK;
}
orr_err orr__arrivals_read(struct orr_cluster *c, const struct orr_yaml *node, orr_alone_fn *alone, void *arg, struct orr_report *why)
{
    struct orr_config *cf = c->world->config; (void)alone; (void)arg; (void)why;
    uint32_t n = (uint32_t)atoi(orr__yaml_text(cf, orr__yaml_get(node, "n")));
    double gap = atof(orr__yaml_text(cf, orr__yaml_get(node, "gap")));
    struct orr_random r; orr__random_init(&r, c->world->seed, 1, ORR_PURPOSE_TEST);
    c->arrivals.item = orr__arena_alloc(orr__config_arena(cf), n, sizeof *c->arrivals.item);
    c->arrivals.n = n;
    double at = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = (uint32_t)orr__random_below(&r, c->templates);
        char name[40]; snprintf(name, sizeof name, "%s%u", c->template[t].name, i);
        at += -log(1 - orr__random_unit(&r)) * gap * 1e9;
        c->arrivals.item[i] = (struct orr_arrival){ .name = orr__arena_strdup(orr__config_arena(cf), name), .template = t, .gpus = c->template[t].gpus[orr__random_below(&r, c->template[t].n_gpus)], .at_ns = (int64_t)at, .iterations = (uint64_t)c->template[t].iterations.mean };
    }
    return ORR_OK;
}
const struct orr_job_trace_format *const *orr__job_trace_formats(void);
const struct orr_job_trace_format *const *orr__job_trace_formats(void) { static const struct orr_job_trace_format *const none[] = {NULL}; return none; }
