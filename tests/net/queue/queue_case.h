/* A kind of queue with parameters, for tests of its limits and its judge. */
#ifndef ORR_TESTS_NET_QUEUE_QUEUE_CASE_H
#define ORR_TESTS_NET_QUEUE_QUEUE_CASE_H

#include "tests/net/small_world.h"

#include "core/random.h"
#include "core/units.h"
#include "net/queue/queue.h"

struct queue_case {
    const struct orr_queue_ops *ops;
    void *params;
    struct orr_queue_limits limits;
    struct orr_random random;
    double average;
};

static inline void queue_make(struct queue_case *q, const char *name,
                              const char *yaml, uint64_t rate)
{
    const struct orr_queue_ops *const *all = orr__queue_kinds();
    struct orr_report why = {0};
    struct orr_config *c;
    struct orr_param_set set;

    memset(q, 0, sizeof *q);
    while (*all && strcmp((*all)->name, name) != 0)
        all++;
    assert_non_null(*all);
    q->ops = *all;
    q->params = calloc(1, q->ops->params_size);
    set = (struct orr_param_set){q->ops->params, q->params};
    assert_int_equal(orr__config_parse("t", yaml, strlen(yaml), &c, &why),
                     ORR_OK);
    assert_int_equal(
        orr__param_read(c, orr__config_root(c), "q", &set, 1, &why), ORR_OK);
    if (q->ops->check)
        assert_int_equal(q->ops->check(c, orr__config_root(c), q->params, &why),
                         ORR_OK);
    q->ops->limits(q->params, rate, &q->limits);
    orr__random_init(&q->random, 1, 1, ORR_PURPOSE_TEST);
    orr__config_free(c);
}

static inline enum orr_verdict queue_ask(struct queue_case *q, int64_t backlog,
                                         int64_t idle, int64_t time)
{
    struct orr_queue_case c = {backlog, idle, time, &q->average, &q->random};

    return q->ops->judge(q->params, &q->limits, &c);
}

static inline void queue_free(struct queue_case *q)
{
    free(q->params);
}

/* Packets of 1000 B from all other hosts meet at the port to the last of
 * `hosts`, 1 B a ns. */
static inline void queue_meet(const char *network, uint32_t hosts,
                              struct orr_net_totals *totals)
{
    struct transfer t[32];
    struct small_world w;
    char yaml[512];

    memset(t, 0, sizeof t);
    for (uint32_t i = 0; i + 1 < hosts; i++)
        t[i] = (struct transfer){.src = i, .dst = hosts - 1, .bytes = 1000};
    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: %u, link: {rate: 8Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, rto: {initial: 1ms}, %s}\n",
             hosts, network);
    small_build(&w, yaml, 1);
    small_run(&w, t, hosts - 1);
    *totals = w.totals;
    small_free(&w);
}

#endif
