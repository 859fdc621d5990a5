/* M/D/1: packets of 1,000 B arrive at random at a switch's 10 Gbps port, over
 * links a hundred times faster. Prints a row for each load: mean wait measured,
 * by theory, and half the 99.9 % confidence interval, from batch means over
 * several seeds with the warm-up cut.
 *
 *     mdone [PACKETS_PER_SEED]
 *
 * A packet's wait is its one-way time less what it takes through an empty
 * network, so it is measured on packets, not on the simulator's counters. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/random.h"
#include "core/units.h"
#include "net/config/config.h"
#include "net/net.h"

enum { SOURCES = 8, SINK = SOURCES, HOSTS = SOURCES + 1 };
enum { SEEDS = 5, BATCHES = 25, WARM_UP = 20000 /* packets */ };
static const int64_t service_ps = 800 * ORR_NS;
static const uint64_t fast_bps = 1000000000000;

static const char text[] =
    "topology: {kind: switch, hosts: 9, link: {rate: 10Gbps, delay: 1us}}\n"
    "network: {mtu: 1000B, transport: datagram,"
    " queue: {kind: droptail, capacity: 1GB}}\n";

struct world {
    struct orr_net *net;
    gsl_rng *rng[SOURCES];
    uint32_t connection[SOURCES];
    double mean_gap_ns;
    int64_t empty_ps; /* one-way time without any wait */
    uint64_t to_send, arrived, per_batch;
    double batch[BATCHES]; /* sums of waits, ps */
};

struct setting {
    struct orr_config *config;
    struct orr_graph *graph;
    struct orr_routing *routes;
    struct orr_net_draft *draft;
};

static void set_next(struct world *w, uint32_t host, int64_t now)
{
    double gap = gsl_ran_exponential(w->rng[host], w->mean_gap_ns);

    orr__net_timer(w->net, host, now + (int64_t)floor(gap + 0.5) * ORR_NS, 0,
                   0);
}

static void on_timer(void *world, uint32_t host, int64_t now, uint64_t arg)
{
    struct world *w = world;
    struct orr_message m = {.bytes = 1000, .tag = (uint64_t)now};

    if (w->to_send == 0)
        return;
    w->to_send--;
    orr__net_send(w->net, now, w->connection[host], &m);
    set_next(w, host, now);
}

static void on_received(void *world, uint32_t host, int64_t now,
                        const struct orr_message *m)
{
    struct world *w = world;
    uint64_t batch;

    if (w->arrived++ < WARM_UP)
        return;
    batch = (w->arrived - 1 - WARM_UP) / w->per_batch;
    if (batch < BATCHES)
        w->batch[batch] += (double)(now - (int64_t)m->tag - w->empty_ps);
}

static void ignore(void *world, uint32_t host, int64_t now,
                   const struct orr_message *m)
{
}

static const struct orr_net_ops ops = {on_received, ignore, ignore, on_timer};

static orr_err prepare(struct setting *s, struct orr_report *why)
{
    const struct orr_yaml *root;
    uint32_t hosts[HOSTS];
    orr_err err =
        orr__config_parse("mdone", text, strlen(text), &s->config, why);

    if (err != ORR_OK)
        return err;
    root = orr__config_root(s->config);
    err = orr__graph_build(s->config, orr__yaml_get(root, "topology"), 1,
                           &s->graph, why);
    if (err != ORR_OK)
        return err;
    for (uint32_t i = 0; i < s->graph->links; i++)
        if (s->graph->from[i] < SOURCES)
            s->graph->rate_bps[i] = fast_bps;
    for (uint32_t i = 0; i < HOSTS; i++)
        hosts[i] = i;
    err = orr__routing_build(s->graph, hosts, HOSTS, &s->routes, why);
    if (err != ORR_OK)
        return err;
    return orr__net_config_read(s->config, orr__yaml_get(root, "network"),
                                &s->draft, why);
}

/* One seed at one load; mean waits of the batches into wait_ns. */
static orr_err run(const struct setting *s, double load, uint64_t seed,
                   uint64_t packets, double *wait_ns, struct orr_report *why)
{
    uint32_t partition[HOSTS + 1] = {0};
    struct world w = {
        .mean_gap_ns = (double)service_ps / ORR_NS * SOURCES / load,
        .empty_ps =
            orr__serialisation(1000, fast_bps) + service_ps + 2 * ORR_US,
        .to_send = packets + 2 * WARM_UP,
        .per_batch = packets / BATCHES,
    };
    int64_t end;
    orr_err err = orr__net_new(s->graph, s->routes, &s->draft->config, seed, 1,
                               partition, &w.net, why);

    if (err == ORR_OK && orr__net_user(w.net, &ops, &w) != 0)
        err = orr__no_memory(why);

    if (err != ORR_OK)
        return err;
    for (uint32_t i = 0; i < SOURCES; i++) {
        w.rng[i] = gsl_rng_alloc(orr__random_gsl_type());
        if (!w.rng[i])
            return orr__no_memory(why);
        orr__random_init(gsl_rng_state(w.rng[i]), seed, i, ORR_PURPOSE_TEST);
        w.connection[i] =
            orr__net_connect(w.net, 0,
                             &(struct orr_connection_spec){
                                 .src = i, .dst = SINK, .identity = i});
        set_next(&w, i, 0);
    }
    err = orr__net_run(w.net, ORR_NEVER, NULL, NULL, &end, why);
    for (uint32_t i = 0; i < SOURCES; i++)
        gsl_rng_free(w.rng[i]);
    orr__net_free(w.net);
    for (uint32_t i = 0; i < BATCHES; i++)
        wait_ns[i] = w.batch[i] / (double)w.per_batch / ORR_NS;
    return err;
}

/* load, packets, mean wait, by theory, half the interval: all waits in ns */
static orr_err row(const struct setting *s, double load, uint64_t packets,
                   struct orr_report *why)
{
    enum { N = SEEDS * BATCHES };
    double wait_ns[N], mean, half, theory;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        orr_err err =
            run(s, load, seed + 1, packets, wait_ns + seed * BATCHES, why);

        if (err != ORR_OK)
            return err;
    }
    mean = gsl_stats_mean(wait_ns, 1, N);
    half = gsl_cdf_tdist_Pinv(0.9995, N - 1) * gsl_stats_sd(wait_ns, 1, N)
           / sqrt(N);
    theory = load * (double)(service_ps / ORR_NS) / (2 * (1 - load));
    printf("%g\t%lu\t%.2f\t%.2f\t%.2f\n", load,
           (unsigned long)(packets * SEEDS), mean, theory, half);
    return ORR_OK;
}

int main(int argc, char **argv)
{
    static const double loads[] = {0.5, 0.8, 0.9, 0.95};
    uint64_t packets = argc > 1 ? strtoull(argv[1], NULL, 10) : 1200000;
    struct setting s = {0};
    struct orr_report why = {0};
    orr_err err = prepare(&s, &why);

    for (size_t i = 0; err == ORR_OK && i < sizeof loads / sizeof *loads; i++)
        err = row(&s, loads[i], packets, &why);
    if (err != ORR_OK) {
        char message[2048];

        orr__report_format(&why, message, sizeof message);
        fprintf(stderr, "mdone: %s\n", message);
    }
    orr__routing_free(s.routes);
    orr__graph_free(s.graph);
    orr__config_free(s.config);
    return err == ORR_OK ? 0 : 1;
}
