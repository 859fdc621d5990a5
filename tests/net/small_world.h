/* A small world for tests of net/: a configuration text with `topology`,
 * `network` and a list of transfers, run to the end. */
#ifndef ORR_TESTS_NET_SMALL_WORLD_H
#define ORR_TESTS_NET_SMALL_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/config/config.h"
#include "core/config/param.h"
#include "core/memory.h"
#include "core/none.h"
#include "net/config/config.h"
#include "net/config/queues.h"
#include "net/config/tiers.h"
#include "net/config/timers.h"
#include "net/net.h"
#include "topo/graph.h"
#include "topo/metrics.h"
#include "topo/routing.h"

struct transfer {
    uint32_t src, dst;
    uint64_t bytes;
    int64_t start;
    const struct orr_net_service *service; /* NULL: of its class */
    /* answers */
    int64_t received, sent, acked; /* -1: never */
    uint32_t connection;
    uint64_t tag;
    uint32_t class; /* of traffic; the network's cc */
    uint64_t share; /* with `scheduler: fair`; 0: its own */
};

struct small_world {
    struct orr_config *config;
    struct orr_graph *graph;
    struct orr_routing *routes;
    struct orr_net_draft *draft;
    const struct orr_net_config *net_config; /* the draft's */
    struct orr_net_service service[ORR_MOST_CLASSES];
    struct orr_net *net;
    struct transfer *transfer;
    uint32_t *partition;
    uint32_t n;
    int64_t stop; /* 0: when nothing is left to happen */
    int64_t end;
    struct orr_net_totals totals;
    struct orr_report why;
};

static inline void small_received(void *world, uint32_t host, int64_t now,
                                  const struct orr_message *m)
{
    struct small_world *w = world;

    assert_int_equal(host, w->transfer[m->arg].dst);
    assert_int_equal(m->bytes, w->transfer[m->arg].bytes);
    assert_int_equal(w->transfer[m->arg].received, -1);
    w->transfer[m->arg].received = now;
}

static inline void small_sent(void *world, uint32_t host, int64_t now,
                              const struct orr_message *m)
{
    struct small_world *w = world;

    assert_int_equal(host, w->transfer[m->arg].src);
    assert_int_equal(w->transfer[m->arg].sent, -1);
    w->transfer[m->arg].sent = now;
}

static inline void small_acked(void *world, uint32_t host, int64_t now,
                               const struct orr_message *m)
{
    struct small_world *w = world;

    assert_int_equal(host, w->transfer[m->arg].src);
    assert_int_not_equal(w->transfer[m->arg].sent, -1);
    assert_int_equal(w->transfer[m->arg].acked, -1);
    w->transfer[m->arg].acked = now;
    if (!w->transfer[m->arg].tag) /* a connection of its own */
        orr__net_close(w->net, m->connection);
}

static inline void small_timer(void *world, uint32_t host, int64_t now,
                               uint64_t arg)
{
    struct small_world *w = world;
    struct transfer *t = &w->transfer[arg];
    struct orr_message m = {
        .bytes = t->bytes, .arg = (uint32_t)arg, .tag = t->tag};

    assert_int_equal(host, t->src);
    assert_int_equal(now, t->start);
    t->connection = orr__net_connect(
        w->net, now,
        &(struct orr_connection_spec){
            .src = t->src,
            .dst = t->dst,
            .identity = t->tag ? t->tag : arg + 1,
            .service = t->service ? t->service : &w->service[t->class],
            .share = t->share});
    assert_int_not_equal(t->connection, ORR_NONE);
    orr__net_send(w->net, now, t->connection, &m);
}

static inline void small_check(struct small_world *w, orr_err err)
{
    char text[2048];

    if (err == ORR_OK)
        return;
    orr__report_format(&w->why, text, sizeof text);
    fail_msg("%s", text);
}

/* Reads the text, for transfers of that many classes. Until small_make the
 * graph may be changed. */
static inline void small_read(struct small_world *w, const char *yaml,
                              uint32_t classes)
{
    const struct orr_yaml *root;

    memset(w, 0, sizeof *w);
    small_check(
        w, orr__config_parse("test", yaml, strlen(yaml), &w->config, &w->why));
    root = orr__config_root(w->config);
    /* answers that are worked out by hand know of an order of links */
    if (!orr__yaml_get(orr__yaml_get(root, "network"), "ties"))
        small_check(w,
                    orr__config_set(w->config, "network.ties=index", &w->why));
    small_check(w, orr__graph_build(w->config, orr__yaml_get(root, "topology"),
                                    1, &w->graph, &w->why));
    small_check(w,
                orr__net_config_read(w->config, orr__yaml_get(root, "network"),
                                     &w->draft, &w->why));
    w->net_config = &w->draft->config;
    small_check(w, orr__failures_read(w->config, w->graph,
                                      orr__yaml_get(root, "failures"),
                                      &w->draft->config.failures, &w->why));
    small_check(w, orr__tiers_fit(w->draft, w->graph, &w->why));
    for (uint32_t i = 0; i < classes; i++)
        small_check(w, orr__net_service_read(w->config, w->draft, NULL, "test",
                                             i, 1, &w->service[i], &w->why));
}

/* The net; *why if it cannot be. */
static inline orr_err small_try(struct small_world *w, unsigned workers)
{
    static const struct orr_net_ops ops = {
        .received = small_received,
        .sent = small_sent,
        .acked = small_acked,
        .timer = small_timer,
    };
    uint32_t *dests = malloc(w->graph->nodes * sizeof *dests), n = 0;

    for (uint32_t i = 0; i < w->graph->nodes; i++)
        if (w->graph->sends[i])
            dests[n++] = i;
    small_check(w, orr__net_routes(w->graph, w->net_config, 1, dests, n,
                                   &w->routes, &w->why));
    free(dests);
    small_check(w, orr__queue_fits(w->net_config, w->graph, &w->why));
    small_check(w, orr__timers_settle(w->draft, w->graph, &w->why));
    w->partition = calloc(w->graph->nodes, sizeof *w->partition);
    for (uint32_t i = 0; i < w->graph->nodes; i++)
        w->partition[i] = i % workers;
    orr_err err = orr__net_new(w->graph, w->routes, w->net_config, 1, workers,
                               w->partition, &w->net, &w->why);

    if (err == ORR_OK)
        assert_int_equal(orr__net_user(w->net, &ops, w), 0);
    return err;
}

static inline void small_make(struct small_world *w, unsigned workers)
{
    small_check(w, small_try(w, workers));
}

static inline void small_build(struct small_world *w, const char *yaml,
                               unsigned workers)
{
    small_read(w, yaml, 1);
    small_make(w, workers);
}

static inline void small_run(struct small_world *w, struct transfer *t,
                             uint32_t n)
{
    w->transfer = t;
    w->n = n;
    for (uint32_t i = 0; i < n; i++) {
        t[i].received = t[i].sent = t[i].acked = -1;
        orr__net_timer(w->net, t[i].src, t[i].start, 0, i);
    }
    small_check(w, orr__net_run(w->net, w->stop ? w->stop : INT64_MAX, NULL,
                                NULL, &w->end, &w->why));
    orr__net_totals(w->net, &w->totals);
}

static inline void small_free(struct small_world *w)
{
    orr__net_free(w->net);
    orr__routing_free(w->routes);
    orr__graph_free(w->graph);
    orr__config_free(w->config);
    free(w->partition);
}

#endif
