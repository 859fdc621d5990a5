/* Networks to build programs on: opening, running, results. */
#include <string.h>

#include "core/libraries.h"
#include "core/memory.h"
#include "core/units.h"
#include "study/network/network.h"
#include "study/run/candidates.h"
#include "topo/link_names.h"

/* ---- opening ------------------------------------------------------------- */

/* The network of a configuration without traffic; all errors close what was
 * opened. */
static orr_err open_text(const char *text, const struct orr_options *options,
                         orr_network **out, struct orr_report *why)
{
    static const struct orr_options defaults;
    struct orr_options o = options ? *options : defaults;
    struct orr_network *n = orr__alloc_lines(1, sizeof *n);
    static const struct orr_extensions extensions = {
        .choose_candidates = orr__candidates_choose};
    struct orr_open_options how = {.extensions = &extensions,
                                   .later = {.expected = true},
                                   .program = {.one_process = true}};
    orr_err err;

    if (!n)
        return orr__no_memory(why);
    pthread_mutex_init(&n->gate, NULL);
    how.program.service = n->service;
    how.program.classes = &n->classes;
    o.no_output = o.no_output || !o.output;
    err = orr__experiment_open("network", text, &o, &how, &n->x, why);
    if (err == ORR_OK) {
        n->world = orr__experiment_inside(n->x);
        err = orr__network_join(n, why);
    }
    if (err == ORR_OK)
        *out = n;
    else
        orr_network_close(n);
    return err;
}

orr_err orr_network_open(const char *config, const struct orr_options *options,
                         orr_network **out, struct orr_report *why)
{
    if (!config || !out)
        return orr__fail(why, ORR_ECALL, "orr_network_open: %s is NULL",
                         config ? "out" : "config");
    return open_text(config, options, out, why);
}

orr_err orr_network_build(const struct orr_graph_spec *graph,
                          const char *config, const struct orr_options *options,
                          orr_network **out, struct orr_report *why)
{
    struct orr_text t = {.s = NULL};
    orr_err err;
    char *text;

    if (!graph || !out)
        return orr__fail(why, ORR_ECALL, "orr_network_build: %s is NULL",
                         graph ? "out" : "graph");
    orr__text_add(&t, "%s\n", config ? config : "");
    err = orr__network_topology(&t, graph, why);
    text = orr__text_done(&t);
    if (err == ORR_OK && !text)
        err = orr__no_memory(why);
    if (err == ORR_OK)
        err = open_text(text, options, out, why);
    orr__free(text);
    return err;
}

void orr_network_close(orr_network *n)
{
    if (!n || n->running)
        return;
    if (n->world)
        orr__network_disconnect(n);
    orr__shared_network_free(n->jobs_since);
    orr_experiment_free(n->x);
    pthread_mutex_destroy(&n->gate);
    orr__free(n);
}

/* ---- looking ------------------------------------------------------------- */

uint32_t orr_network_hosts(const orr_network *n)
{
    return n ? n->world->graph->hosts : 0;
}

uint32_t orr_network_links(const orr_network *n)
{
    return n ? n->world->graph->links : 0;
}

/* ORR_ECALL, told at the network. */
static orr_err check_link(const struct orr_network *n, uint32_t link,
                          const void *out)
{
    if (!n)
        return ORR_ECALL;
    if (!out)
        return orr__network_fail(n, ORR_ECALL, "no room is given for a link");
    if (link >= n->world->graph->links)
        return orr__network_fail(n, ORR_ECALL,
                                 "there is no link %u; links are "
                                 "0 to %u",
                                 link, n->world->graph->links - 1);
    return ORR_OK;
}

orr_err orr_network_link_info(const orr_network *n, uint32_t link,
                              struct orr_link_info *out)
{
    orr_err err = check_link(n, link, out);

    if (err == ORR_OK) {
        const struct orr_graph *g = n->world->graph;

        *out = (struct orr_link_info){g->from[link], g->to[link],
                                      g->rate_bps[link], g->delay_ps[link]};
    }
    return err;
}

orr_err orr_network_link_find(const orr_network *n, const char *name,
                              uint32_t *link)
{
    struct orr_report why = {.code = ORR_OK};

    if (!n)
        return ORR_ECALL;
    if (!name || !link)
        return orr__network_fail(n, ORR_ECALL, "no name of a link is given");
    if (orr__link_find(n->world->graph, "link", name, link, &why) == ORR_OK)
        return ORR_OK;
    return orr__network_fail(n, ORR_ECALL, "%s", why.message);
}

orr_err orr_network_link(const orr_network *n, uint32_t link,
                         struct orr_link_counters *out)
{
    struct orr_link_sample s;
    orr_err err = check_link(n, link, out);

    if (err != ORR_OK)
        return err;
    if (n->running && n->world->options.workers > 1)
        return orr__network_fail(n, ORR_ECALL,
                                 "with several threads, links can be read only "
                                 "between runs");
    orr__net_link_sample(n->world->net, link, orr_network_now(n), &s);
    *out = (struct orr_link_counters){
        .bytes = s.bytes,
        .packets = s.packets,
        .marks = s.marks,
        .drops = s.drops,
        .queue_bytes = s.queue,
        .max_queue_bytes = s.max_queue,
        .busy_ps = s.busy_ps,
        .pauses = s.pauses,
    };
    return ORR_OK;
}

/* ---- running ------------------------------------------------------------- */

/* ORR_ECALL for calls at the wrong time; an interrupted run may go on. */
static orr_err check_run(struct orr_network *n, int64_t until,
                         struct orr_report *why)
{
    if (!n)
        return orr__fail(why, ORR_ECALL, "orr_network_run: n is NULL");
    if (n->running)
        return orr__fail(why, ORR_ECALL, "orr_network_run from a callback");
    if (n->finished)
        return orr__fail(why, ORR_ECALL, "the network is finished");
    if (until < n->now)
        return orr__fail(why, ORR_ECALL,
                         "it is %lld ps: a run cannot end at "
                         "%lld",
                         (long long)n->now, (long long)until);
    if (n->err != ORR_OK && n->err != ORR_EINTERRUPTED)
        return orr__fail(why, n->err, "%s", n->why.message);
    return ORR_OK;
}

orr_err orr_network_run(orr_network *n, int64_t until_ps,
                        struct orr_report *why)
{
    orr_err err = check_run(n, until_ps, why);

    if (err != ORR_OK)
        return err;
    n->why = (struct orr_report){.code = ORR_OK};
    if (!n->begun)
        err = orr__experiment_begin(n->x, &n->why);
    if (err == ORR_OK) {
        int64_t before = n->now; /* time never goes back */

        n->begun = true;
        n->running = true;
        err = orr__experiment_advance(n->x, until_ps, &n->why);
        n->running = false;
        n->now =
            n->world->result.end_ps > before ? n->world->result.end_ps : before;
    }
    if (err == ORR_OK && orr__net_ended(n->world->net))
        n->now = orr__net_settle(n->world->net,
                                 until_ps < ORR_FOREVER ? until_ps : n->now);
    n->err = err;
    if (err != ORR_OK && why && why->code == ORR_OK)
        *why = n->why;
    return err;
}

void orr_network_stop(orr_network *n)
{
    if (n && n->running)
        orr__net_halt(n->world->net);
}

/* ---- results ------------------------------------------------------------- */

/* Sums over workers, once the run is over. */
static void add_totals(struct orr_network *n)
{
    for (unsigned i = 0; i < n->world->options.workers; i++) {
        const struct orr_message_totals *t = &n->worker[i].totals;

        n->totals.sent += t->sent;
        n->totals.arrived += t->arrived;
        n->totals.acked += t->acked;
        n->totals.bytes += t->bytes;
    }
    n->world->result.messages = &n->totals;
}

orr_err orr_network_finish(orr_network *n, struct orr_report *why)
{
    orr_err err = ORR_OK;

    if (!n)
        return orr__fail(why, ORR_ECALL, "orr_network_finish: n is NULL");
    if (n->running)
        return orr__fail(why, ORR_ECALL, "orr_network_finish from a callback");
    if (n->finished)
        return orr__fail(why, ORR_ECALL, "the network is finished");
    if (!n->begun)
        err = n->err ? n->err : orr_network_run(n, n->now, why);
    n->finished = n->begun;
    if (!n->begun)
        return err;
    add_totals(n);
    if (n->err != ORR_OK && why && why->code == ORR_OK)
        *why = n->why;
    return orr__experiment_end(n->x, n->err, why);
}

char *orr_network_json(const orr_network *n)
{
    return n && n->finished ? orr_experiment_json(n->x) : NULL;
}

char *orr_network_summary(const orr_network *n)
{
    return n && n->finished ? orr_experiment_summary(n->x) : NULL;
}

uint64_t orr_network_fingerprint(const orr_network *n)
{
    return n ? orr_experiment_fingerprint(n->x) : 0;
}

void orr_network_report(const orr_network *n, struct orr_report *out)
{
    struct orr_network *w = (struct orr_network *)n; /* its gate */

    if (!out)
        return;
    *out = (struct orr_report){.code = n ? ORR_OK : ORR_ECALL};
    if (!n)
        return;
    pthread_mutex_lock(&w->gate);
    *out = n->last;
    pthread_mutex_unlock(&w->gate);
}
