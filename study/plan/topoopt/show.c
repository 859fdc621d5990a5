#include "study/plan/topoopt/show.h"

#include <stdio.h>

#include "core/json.h"
#include "core/memory.h"
#include "core/units.h"

static const char *const kinds[] = {"plain", "dense", "tables"};

/* Layers from one on that are alike and divided alike. */
static uint32_t run_of(const struct orr_design_plan *p, uint32_t from)
{
    const struct orr_design *d = &p->design;
    const struct orr_choice *c = p->search.best[p->chosen].choice;
    uint32_t to = from + 1;
    while (to < d->layers && d->layer[to].kind == d->layer[from].kind
           && c[to].parts == c[from].parts && c[to].at == c[from].at)
        to++;
    return to;
}

/* ---- text ---------------------------------------------------------------- */

static void add_time(struct orr_text *t, const char *what, double ps)
{
    char text[32];
    orr__human_time((int64_t)ps, text, sizeof text);
    orr__text_add(t, "%s", what);
    orr__text_column(t, 22);
    orr__text_add(t, "%s", text);
}

/* How a layer is divided. */
static void add_how(struct orr_text *t, const struct orr_design *d,
                    enum orr_layer_kind kind, struct orr_choice c)
{
    if (kind == ORR_LAYER_TABLES && c.parts == d->n)
        orr__text_add(t, "tables on all hosts");
    else if (kind == ORR_LAYER_TABLES)
        orr__text_add(t, "tables on %u host%s, from host %u on", c.parts,
                      c.parts == 1 ? "" : "s", c.at);
    else if (c.parts == 1)
        orr__text_add(t, "by data");
    else
        orr__text_add(t, "in tensor groups of %u", c.parts);
}

/* A line for layers in a row that are divided alike. */
static void list_layers(struct orr_text *t, const struct orr_design_plan *p)
{
    const struct orr_design *d = &p->design;
    const struct orr_choice *c = p->search.best[p->chosen].choice;
    for (uint32_t i = 0, to; i < d->layers; i = to) {
        to = run_of(p, i);
        orr__text_words(t, d->layer[i].name, 16);
        if (to > i + 1) {
            orr__text_add(t, " to ");
            orr__text_words(t, d->layer[to - 1].name, 16);
        }
        orr__text_column(t, 42);
        add_how(t, d, d->layer[i].kind, c[i]);
        orr__text_add(t, "\n");
    }
}

/* Rings, and the first pairs of each matching. */
static void list_links(struct orr_text *t, const struct orr_direct *net)
{
    orr__text_add(t, "\nrings of strides");
    orr__text_column(t, 22);
    for (uint32_t i = 0; i < net->strides; i++)
        orr__text_add(t, "%s%u", i ? ", " : "", net->stride[i]);
    orr__text_add(t, net->both ? ", both ways\n" : ", forward\n");
    for (uint32_t m = 0; m < net->matchings; m++) {
        uint32_t shown = 0;
        orr__text_add(t, "matching");
        orr__text_column(t, 22);
        for (uint32_t i = 0; i < net->n && shown < 6; i++) {
            uint32_t k = net->mate[(size_t)m * net->n + i];
            if (k != ORR_NONE && i < k)
                orr__text_add(t, "%s%u-%u", shown++ ? ", " : "", i, k);
        }
        if (shown < net->n / 2)
            orr__text_add(t, " and %u more", net->n / 2 - shown);
        orr__text_add(t, "\n");
    }
    orr__text_add(t, "links");
    orr__text_column(t, 22);
    orr__text_add(t, "%u\n", net->links);
}

/* What it takes, and with packets, where these were tried. */
static void list_times(struct orr_text *t, const struct orr_design_plan *p)
{
    const struct orr_designed *x = &p->search.best[p->chosen];
    double packets = p->packets_ps[p->chosen];
    add_time(t, "\niteration", x->time.iteration);
    orr__text_add(t, " by formulas\n");
    add_time(t, "  computing", x->time.compute);
    add_time(t, "\n  transfers", x->time.exchange);
    add_time(t, "\n  gradients' tail", x->time.tail);
    orr__text_add(t, "\n");
    if (packets > 0)
        add_time(t, "with packets", packets);
    if (packets > 0)
        orr__text_add(t, " (%+.1f %%)\n",
                      100 * (packets / x->time.iteration - 1));
    else
        orr__text_add(t, "with packets          not tried%s\n",
                      p->hops > 0 ? ": too many of them (`verify_hops`)" : "");
    add_time(t, "all by data", p->search.first.time.iteration);
    orr__text_add(t, " by formulas, on rings: %.3f times as long\n",
                  p->search.first.time.iteration / x->time.iteration);
}

char *orr__design_text(const struct orr_design_plan *p)
{
    struct orr_text t = {.s = NULL};
    char rate[32];
    const struct orr_design *d = &p->design;
    orr__human_rate((double)d->rate_bps, rate, sizeof rate);
    orr__text_words(&t, p->of.model->name, 40);
    orr__text_add(&t,
                  ": %u layers, %u samples a host\n%u hosts with %u ports of "
                  "%s\n%llu of %llu steps, %llu accepted%s\n\n",
                  d->layers, p->of.costs.batch, d->n, d->degree, rate,
                  (unsigned long long)p->search.steps,
                  (unsigned long long)p->budget,
                  (unsigned long long)p->search.accepted,
                  p->search.stopped ? ": stopped" : "");
    list_layers(&t, p);
    list_links(&t, &p->search.best[p->chosen].net);
    list_times(&t, p);
    return orr__text_shown(&t);
}

/* ---- JSON ---------------------------------------------------------------- */

/* All of them; first: of the hosts that have tables. */
static void json_layers(struct orr_json *j, const struct orr_design_plan *p)
{
    const struct orr_choice *c = p->search.best[p->chosen].choice;
    orr__json_list(j, "layers");
    for (uint32_t i = 0; i < p->design.layers; i++) {
        const struct orr_design_layer *x = &p->design.layer[i];
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "name", x->name);
        orr__json_text(j, "kind", kinds[x->kind]);
        orr__json_count(j, "hosts", c[i].parts);
        if (x->kind == ORR_LAYER_TABLES)
            orr__json_count(j, "first", c[i].at);
        orr__json_end(j);
    }
    orr__json_end(j);
}

/* As `topology` has it. */
static void json_network(struct orr_json *j, const struct orr_direct *net)
{
    orr__json_object(j, "topology");
    orr__json_text(j, "direction", net->both ? "both" : "forward");
    orr__json_list(j, "strides");
    for (uint32_t i = 0; i < net->strides; i++)
        orr__json_count(j, NULL, net->stride[i]);
    orr__json_end(j);
    orr__json_list(j, "matching");
    for (uint32_t m = 0; m < net->matchings; m++) {
        const uint32_t *mate = net->mate + (size_t)m * net->n;
        orr__json_list(j, NULL);
        for (uint32_t i = 0; i < net->n; i++) {
            if (mate[i] == ORR_NONE || i >= mate[i])
                continue;
            orr__json_list(j, NULL);
            orr__json_count(j, NULL, i);
            orr__json_count(j, NULL, mate[i]);
            orr__json_end(j);
        }
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_count(j, "links", net->links);
    orr__json_end(j);
}

/* Those that were found, by the formulas' order. */
static void json_found(struct orr_json *j, const struct orr_design_plan *p)
{
    orr__json_list(j, "found");
    for (uint32_t i = 0; i < p->search.found; i++) {
        orr__json_flat_object(j, NULL);
        orr__json_mean_time(j, "iteration_ns",
                            p->search.best[i].time.iteration);
        if (p->packets_ps[i] > 0)
            orr__json_mean_time(j, "packets_ns", p->packets_ps[i]);
        else
            orr__json_null(j, "packets_ns");
        orr__json_flag(j, "chosen", i == p->chosen);
        orr__json_end(j);
    }
    orr__json_end(j);
}

char *orr__design_json(const struct orr_design_plan *p)
{
    struct orr_json j = {.depth = 0};
    const struct orr_designed *x = &p->search.best[p->chosen];
    orr__json_object(&j, NULL);
    orr__json_text(&j, "kind", "topoopt");
    orr__json_text(&j, "model", p->of.model->name);
    orr__json_count(&j, "hosts", p->design.n);
    orr__json_count(&j, "degree", p->design.degree);
    orr__json_count(&j, "rate_bps", p->design.rate_bps);
    orr__json_count(&j, "batch", p->of.costs.batch);
    orr__json_count(&j, "budget", p->budget);
    orr__json_count(&j, "seed", p->seed);
    orr__json_count(&j, "steps", p->search.steps);
    orr__json_count(&j, "accepted", p->search.accepted);
    orr__json_flag(&j, "stopped", p->search.stopped);
    json_layers(&j, p);
    json_network(&j, &x->net);
    orr__json_mean_time(&j, "iteration_ns", x->time.iteration);
    orr__json_mean_time(&j, "compute_ns", x->time.compute);
    orr__json_mean_time(&j, "exchange_ns", x->time.exchange);
    orr__json_mean_time(&j, "tail_ns", x->time.tail);
    orr__json_mean_time(&j, "data_parallel_ns", p->search.first.time.iteration);
    json_found(&j, p);
    orr__json_end(&j);
    return orr__json_done(&j);
}
