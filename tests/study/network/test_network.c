/* Programs on a network: what they send is simulated as in a run, and calls
 * that are wrong are told and do nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/units.h"
#include "experiment/experiment.h"
#include "orrery/network.h"
#include "tests/study/network/open.h"

/* One message: two links of 10 Gbps, 1 us each, one packet of 1,000 bytes. */
static void test_one_message(void **state)
{
    orr_network *n = open_text(LINE, 1);
    struct note arrived = {.n = n, .host = 3}, sent = {.n = n, .host = 1};
    struct note acked = {.n = n, .host = 1};
    const struct orr_send s = {.src = 1,
                               .dst = 3,
                               .bytes = 1000,
                               .arrived = note,
                               .arrived_arg = &arrived,
                               .sent = note,
                               .sent_arg = &sent,
                               .acked = note,
                               .acked_arg = &acked};

    assert_int_equal(orr_network_hosts(n), 4);
    assert_int_equal(orr_network_links(n), 8);
    assert_int_equal(orr_network_send(n, &s), ORR_OK);
    run(n, ORR_FOREVER);
    assert_int_equal(sent.calls, 1);
    assert_int_equal(sent.at[0], 800 * ORR_NS);
    assert_int_equal(arrived.calls, 1);
    assert_int_equal(arrived.at[0], 2 * (ORR_US + 800 * ORR_NS));
    assert_int_equal(acked.calls, 1);
    assert_int_equal(acked.at[0],
                     arrived.at[0] + 2 * (ORR_US + 51200)); /* 64 B */
    assert_int_equal(orr_network_now(n), acked.at[0]);
    /* from there on again, after a while of nothing */
    run(n, 10 * ORR_US);
    assert_int_equal(orr_network_now(n), 10 * ORR_US);
    assert_int_equal(orr_network_send(n, &s), ORR_OK);
    run(n, 11 * ORR_US);
    assert_int_equal(sent.calls, 2);
    assert_int_equal(arrived.calls, 1);
    run(n, ORR_FOREVER);
    assert_int_equal(arrived.at[1], 10 * ORR_US + arrived.at[0]);
    orr_network_close(n);
}

/* Formulas on links shorter than the time in which a run can be stopped. */
static void test_short_links(void **state)
{
    static const char *const ways[] = {
        "transport: analytical", "transport: analytical, contention: links"};

    for (size_t i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "topology: {kind: ring, hosts: 4, link: "
                 "{rate: 100Gbps, delay: 100ns}}\nnetwork: {%s}\n",
                 ways[i]);
        orr_network *n = open_text(text, 1);
        struct note arrived = {.n = n, .host = 1};
        assert_int_equal(
            orr_network_send(n, &(struct orr_send){.dst = 1,
                                                   .bytes = 1000,
                                                   .arrived = note,
                                                   .arrived_arg = &arrived}),
            ORR_OK);
        run(n, ORR_FOREVER);
        assert_int_equal(arrived.calls, 1);
        assert_int_equal(arrived.at[0], 180 * ORR_NS);
        orr_network_close(n);
    }
}

struct sight { /* of all links, whenever it is asked */
    orr_network *n;
    uint64_t sent; /* bytes of all messages so far, on each link */
    uint64_t packets[64], bytes[64];
    int64_t busy[64];
};

/* Counters tell of what has happened: they never go back, nor beyond what a
 * link could have sent by now, unless messages share it without noticing. */
static void see(void *arg)
{
    struct sight *x = arg;
    int64_t now = orr_network_now(x->n);

    for (uint32_t l = 0; l < orr_network_links(x->n); l++) {
        struct orr_link_counters c;
        assert_int_equal(orr_network_link(x->n, l, &c), ORR_OK);
        assert_true(c.bytes <= x->sent && c.busy_ps <= now);
        assert_true((double)c.bytes * 80 <= (double)now + 80);
        assert_true(c.bytes >= x->bytes[l] && c.packets >= x->packets[l]
                    && c.busy_ps >= x->busy[l]);
        x->bytes[l] = c.bytes;
        x->packets[l] = c.packets;
        x->busy[l] = c.busy_ps;
    }
}

/* One message at a time, over two hops of 100 Gbps and 1 us; looked at every
 * 100 ns. */
static void test_counters_of_now(void **state)
{
    static const char *const networks[] = {
        "transport: analytical",
        "transport: analytical, resolution: 1us",
        "transport: analytical, contention: links",
        "transport: analytical, tiers: lowest",
        "transport: datagram",
        "transport: reliable, cc: dctcp"};

    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "topology: {kind: ring, hosts: 8, link: "
                 "{rate: 100Gbps, delay: 1us}}\nnetwork: {%s}\n",
                 networks[i]);
        orr_network *n = open_text(text, 1);
        struct sight x = {.n = n, .sent = 200000};
        struct orr_link_counters c;
        uint64_t sum = 0;
        assert_int_equal(
            orr_network_send(
                n, &(struct orr_send){.src = 0, .dst = 2, .bytes = 100000}),
            ORR_OK);
        for (int k = 0; k < 300; k++)
            assert_int_equal(orr_network_at(n, 3, k * 100 * ORR_NS, see, &x),
                             ORR_OK);
        run(n, 500 * ORR_NS);
        for (uint32_t l = 0; l < orr_network_links(n); l++) {
            assert_int_equal(orr_network_link(n, l, &c), ORR_OK);
            sum += c.bytes;
        }
        /* only the first link has had any, half a us long */
        assert_in_range(sum, 4000, 6250);
        run(n, ORR_FOREVER);
        see(&x);
        sum = 0;
        for (uint32_t l = 0; l < orr_network_links(n); l++)
            sum += x.packets[l] ? x.bytes[l] >= 100000 : 0;
        assert_int_equal(sum, 2);
        orr_network_close(n);
    }
}

struct chain { /* a message that goes on from host to host */
    orr_network *n;
    uint32_t at, left;
    int64_t last;
};

static void go_on(void *arg)
{
    struct chain *c = arg;
    uint32_t from = c->at;

    c->last = orr_network_now_at(c->n, from);
    if (c->left-- == 0)
        return;
    c->at = (from * 5 + 3) % orr_network_hosts(c->n);
    assert_int_equal(
        orr_network_send(c->n, &(struct orr_send){.src = from,
                                                  .dst = c->at,
                                                  .channel = c->left % 3,
                                                  .bytes = 1 + 7919u * c->left,
                                                  .arrived = go_on,
                                                  .arrived_arg = c}),
        ORR_OK);
}

/* The same in one piece, in many, and on several threads. */
static void test_pieces(void **state)
{
    uint64_t fingerprint[3];
    int64_t last[3][8];

    for (int way = 0; way < 3; way++) {
        orr_network *n =
            open_text(TREE "network: {cc: dctcp}\n", way == 2 ? 3 : 1);
        struct chain c[8];

        for (uint32_t i = 0; i < 8; i++) {
            c[i] = (struct chain){.n = n, .at = 2 * i, .left = 20};
            assert_int_equal(orr_network_at(n, 2 * i, i * 100, go_on, &c[i]),
                             ORR_OK);
        }
        for (int64_t t = 0; way == 1 && t < 400; t++)
            run(n, t * 777777);
        run(n, ORR_FOREVER);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(c[i].left, UINT32_MAX);
            last[way][i] = c[i].last;
        }
        fingerprint[way] = orr_network_fingerprint(n);
        orr_network_close(n);
    }
    assert_memory_equal(last[0], last[1], sizeof last[0]);
    assert_memory_equal(last[0], last[2], sizeof last[0]);
    assert_true(fingerprint[0] == fingerprint[1]);
    assert_true(fingerprint[0] == fingerprint[2]);
}

/* To itself: local delay and rate, one after another; then a timer of 0. */
static void test_local_and_timers(void **state)
{
    orr_network *n = open_text(LINE, 1);
    struct note x = {.n = n, .host = 2}, y = {.n = n, .host = 2};
    const struct orr_send s = {.src = 2,
                               .dst = 2,
                               .bytes = 400000,
                               .arrived = note,
                               .arrived_arg = &x};

    assert_int_equal(orr_network_send(n, &s), ORR_OK);
    assert_int_equal(orr_network_send(n, &s), ORR_OK);
    assert_int_equal(orr_network_at(n, 2, 0, note, &y), ORR_OK);
    assert_int_equal(orr_network_at(n, 2, 3 * ORR_US, note, &y), ORR_OK);
    run(n, ORR_FOREVER);
    assert_int_equal(x.at[0], ORR_US + ORR_LOCAL_DELAY_PS);
    assert_int_equal(x.at[1], 2 * ORR_US + ORR_LOCAL_DELAY_PS);
    assert_int_equal(y.at[0], 0);
    assert_int_equal(y.at[1], 3 * ORR_US);
    orr_network_close(n);
}

static void stop(void *arg)
{
    orr_network_stop(arg);
}

static void test_stop(void **state)
{
    orr_network *n = open_text(LINE, 1);
    struct note x = {.n = n, .host = 0};

    assert_int_equal(orr_network_at(n, 1, 5 * ORR_US, stop, n), ORR_OK);
    assert_int_equal(orr_network_at(n, 0, 50 * ORR_US, note, &x), ORR_OK);
    run(n, ORR_FOREVER);
    assert_int_equal(x.calls, 0);
    assert_in_range(orr_network_now(n), 5 * ORR_US, 6 * ORR_US);
    run(n, ORR_FOREVER);
    assert_int_equal(x.calls, 1);
    assert_int_equal(x.at[0], 50 * ORR_US);
    orr_network_close(n);
}

/* Counters of links, while it runs and after. */
static void look(void *arg)
{
    struct note *x = arg;
    struct orr_link_counters c;

    assert_int_equal(orr_network_link(x->n, 0, &c), ORR_OK);
    x->at[x->calls++] = (int64_t)c.bytes;
    x->at[x->calls++] = (int64_t)c.queue_bytes;
}

static void test_links(void **state)
{
    orr_network *n = open_text(LINE "network: {mtu: 1000B}\n", 1);
    struct note x = {.n = n};
    struct orr_link_counters c;
    struct orr_link_info link;

    assert_int_equal(
        orr_network_send(
            n, &(struct orr_send){.src = 0, .dst = 1, .bytes = 10000}),
        ORR_OK);
    assert_int_equal(orr_network_at(n, 0, 2 * ORR_US, look, &x), ORR_OK);
    run(n, ORR_FOREVER);
    assert_int_equal(x.at[0], 2500); /* 2 us at 10 Gbps */
    assert_int_equal(x.at[1], 500);  /* the NIC keeps the rest */
    assert_int_equal(orr_network_link(n, 0, &c), ORR_OK);
    assert_int_equal(c.bytes, 10000);
    assert_int_equal(c.packets, 10);
    assert_int_equal(c.queue_bytes, 0);
    assert_int_equal(c.busy_ps, 8 * ORR_US);
    assert_int_equal(orr_network_link_info(n, 4, &link), ORR_OK);
    assert_int_equal(link.from, 4);
    assert_int_equal(link.to, 0);
    assert_true(link.rate_bps == 10000000000);
    assert_int_equal(link.delay_ps, ORR_US);
    orr_network_close(n);
}

/* Messages of a program and flows of a configuration are the same packets. */
static void test_as_flows(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    orr_network *n = open_text(LINE "jobs:\n- {ranks: 2, program: [{send: {to: "
                                    "+1, size: 1MB}}]}\n",
                               1);
    struct note x = {.n = n, .host = 3};
    char *json;

    assert_int_equal(orr_network_send(n, &(struct orr_send){.src = 2,
                                                            .dst = 3,
                                                            .bytes = 1000000,
                                                            .arrived = note,
                                                            .arrived_arg = &x}),
                     ORR_OK);
    run(n, ORR_FOREVER);
    assert_int_equal(orr_network_json(n), 0);
    assert_int_equal(orr_network_finish(n, &why), ORR_OK);
    json = orr_network_json(n);
    assert_non_null(json);
    assert_non_null(strstr(json, "\"messages\""));
    assert_non_null(strstr(json, "\"sent\": 1,"));
    assert_non_null(strstr(json, "\"retransmissions\""));
    orr_text_free(json);
    json = orr_network_summary(n);
    assert_non_null(strstr(json, "messages            1 of 1 arrived, 1 MB"));
    orr_text_free(json);
    assert_int_equal(orr_network_finish(n, &why), ORR_ECALL);
    orr_network_close(n);
}

static const struct orr_cable_spec cables[] = {
    {0, 3, 10000000000, ORR_US, 0},
    {1, 3, 10000000000, ORR_US, 0},
    {2, 3, 20000000000, 500 * ORR_NS, 0}};

/* The same graph in code and in a configuration. */
static void test_build(void **state)
{
    static const char *const name[] = {"a", "rack/b", "c", "hub"};
    const struct orr_graph_spec g = {
        .hosts = 3, .switches = 1, .cables = 3, .cable = cables, .name = name};
    struct orr_report why = {.code = ORR_OK};
    orr_network *n[2] = {NULL, NULL};
    int64_t end[2];

    if (orr_network_build(&g, "seed: 3\n", NULL, &n[0], &why) != ORR_OK)
        fail_msg("%s", why.message);
    n[1] = open_text("seed: 3\ntopology: {kind: custom, hosts: 3, switches: 1, "
                     "link: {rate: 10Gbps, delay: 1us}, cables: [[0, 3], [1, "
                     "3], [2, 3, 20Gbps, 500ns]]}\n",
                     1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            orr_network_send(
                n[i], &(struct orr_send){.src = 0, .dst = 2, .bytes = 50000}),
            ORR_OK);
        run(n[i], ORR_FOREVER);
        end[i] = orr_network_now(n[i]);
        assert_true(orr_network_fingerprint(n[i])
                    == orr_network_fingerprint(n[0]));
    }
    assert_int_equal(end[0], end[1]);
    orr_network_close(n[0]);
    orr_network_close(n[1]);
}

static void refuses_graph(const struct orr_graph_spec *g, const char *message)
{
    struct orr_report why = {.code = ORR_OK};
    orr_network *n = NULL;

    assert_int_not_equal(orr_network_build(g, NULL, NULL, &n, &why), ORR_OK);
    assert_string_equal(why.message, message);
    assert_null(n);
}

static void test_bad_graphs(void **state)
{
    struct orr_cable_spec c = cables[0];
    struct orr_graph_spec g = {.hosts = 2, .cable = &c, .cables = 1};

    refuses_graph(NULL, "orr_network_build: graph is NULL");
    refuses_graph(&(struct orr_graph_spec){.switches = 1},
                  "a graph needs at least one host");
    refuses_graph(&(struct orr_graph_spec){.hosts = UINT32_MAX, .switches = 9},
                  "4294967304 nodes are too many");
    refuses_graph(&(struct orr_graph_spec){.hosts = 2, .cables = 1},
                  "cable is NULL");
    refuses_graph(&g, "cable[0]: there is no node 3; nodes are 0 to 1");
    c.b = 0;
    refuses_graph(&g, "cable[0] joins node 0 to itself");
    c = (struct orr_cable_spec){0, 1, 0, 1, 0};
    refuses_graph(&g, "cable[0]: a rate of 0");
    c = (struct orr_cable_spec){0, 1, 1, 0, 0};
    refuses_graph(&g, "cable[0]: every link needs a propagation delay > 0");
    c = (struct orr_cable_spec){0, 1, 1, 1, (double)NAN};
    refuses_graph(&g, "cable[0]: a loss is from 0 to 1");
    g.hosts = 3;
    c = (struct orr_cable_spec){0, 1, 1, 1, 0};
    refuses_graph(&g, "topology.cables: the graph is not connected: there is "
                      "no path from node \"0\" to node \"2\"");
}

static void refuses_send(orr_network *n, struct orr_send s, orr_err code,
                         const char *message)
{
    struct orr_report why;

    assert_int_equal(orr_network_send(n, &s), code);
    orr_network_report(n, &why);
    assert_int_equal(why.code, code);
    assert_string_equal(why.message, message);
}

static void test_bad_calls(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_link_counters c;
    orr_network *n = NULL;

    assert_int_equal(orr_network_open(NULL, NULL, &n, &why), ORR_ECALL);
    why.code = ORR_OK;
    assert_int_equal(orr_network_open("topology: {kind: ring}", NULL, &n, &why),
                     ORR_ECONFIG);
    assert_int_equal(why.line, 1);
    assert_null(n);
    static const char *const none[] = {NULL};
    const struct orr_options lists[] = {{.n_sets = 1},
                                        {.n_plugins = 2},
                                        {.sets = none, .n_sets = 1},
                                        {.plugins = none, .n_plugins = 1}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        why.code = ORR_OK;
        assert_int_equal(orr_network_open(LINE, &lists[i], &n, &why),
                         ORR_ECALL);
        assert_int_equal(why.code, ORR_ECALL);
        assert_null(n);
    }
    assert_int_equal(orr_network_run(NULL, 0, NULL), ORR_ECALL);
    assert_int_equal(orr_network_finish(NULL, NULL), ORR_ECALL);
    assert_int_equal(orr_network_send(NULL, NULL), ORR_ECALL);
    assert_int_equal(orr_network_at(NULL, 0, 0, note, NULL), ORR_ECALL);
    assert_int_equal(orr_network_link(NULL, 0, &c), ORR_ECALL);
    assert_int_equal(orr_network_now(NULL), 0);
    assert_int_equal(orr_network_hosts(NULL), 0);
    assert_null(orr_network_json(NULL));
    orr_network_stop(NULL);
    orr_network_close(NULL);
    orr_network_report(NULL, &why);
    assert_int_equal(why.code, ORR_ECALL);

    n = open_text(LINE "network: {transport: datagram}\n", 1);
    refuses_send(n, (struct orr_send){.src = 4}, ORR_ECALL,
                 "src: there is no host 4; hosts are 0 to 3");
    refuses_send(n, (struct orr_send){.dst = UINT32_MAX}, ORR_ECALL,
                 "dst: there is no host 4294967295; hosts are 0 to 3");
    refuses_send(n, (struct orr_send){.dst = 1, .traffic_class = 1}, ORR_ECALL,
                 "traffic class 1: the network has 1 (network.classes)");
    refuses_send(n, (struct orr_send){.dst = 1, .acked = note}, ORR_ECALL,
                 "acked: nothing is acknowledged without `network.transport: "
                 "reliable`");
    assert_int_equal(
        orr_network_send(
            n, &(struct orr_send){.dst = 1, .bytes = UINT64_C(1) << 63}),
        ORR_ECONFIG);
    assert_int_equal(orr_network_send(n, NULL), ORR_ECALL);
    assert_int_equal(orr_network_at(n, 0, -1, note, NULL), ORR_ECALL);
    assert_int_equal(orr_network_at(n, 0, INT64_MAX, note, NULL), ORR_ECONFIG);
    assert_int_equal(orr_network_at(n, 0, 1, NULL, NULL), ORR_ECALL);
    assert_int_equal(orr_network_link(n, 8, &c), ORR_ECALL);
    assert_int_equal(orr_network_link(n, 0, NULL), ORR_ECALL);
    run(n, ORR_US);
    why.code = ORR_OK;
    assert_int_equal(orr_network_run(n, 0, &why), ORR_ECALL);
    assert_string_equal(why.message, "it is 1000000 ps: a run cannot end at 0");
    orr_network_close(n);
}

static void call_badly(void *arg)
{
    orr_network *n = arg;

    assert_int_equal(orr_network_run(n, ORR_FOREVER, NULL), ORR_ECALL);
    assert_int_equal(orr_network_finish(n, NULL), ORR_ECALL);
    orr_network_close(n); /* does nothing */
    /* of another host, on another thread perhaps */
    assert_int_equal(orr_network_at(n, 15, 0, note, NULL), ORR_ECALL);
}

static void test_wrong_places(void **state)
{
    orr_network *n = open_text(TREE, 2);

    assert_int_equal(orr_network_at(n, 0, 1, call_badly, n), ORR_OK);
    run(n, ORR_FOREVER);
    orr_network_close(n);
}

/* Whatever allocation fails, a call says so and the rest goes on. */
static void test_no_memory(void **state)
{
    for (uint64_t i = 1; i < 4000; i += i < 60 ? 1 : 37) {
        struct orr_report why = {.code = ORR_OK};
        orr_network *n = NULL;
        orr_err err;

        orr__memory_fail_after(i, 1);
        err = orr_network_open(LINE, NULL, &n, &why);
        if (err == ORR_OK)
            err = orr_network_send(n,
                                   &(struct orr_send){.dst = 1, .bytes = 9999});
        if (err == ORR_OK)
            err = orr_network_run(n, ORR_FOREVER, &why);
        orr__memory_fail_after(0, 0);
        assert_true(err == ORR_OK || err == ORR_ENOMEM);
        orr_network_close(n);
        if (err == ORR_OK)
            return;
    }
    fail_msg("it never ran");
}

/* ---- jobs that come ------------------------------------------------------ */

#define RING_JOB                                                               \
    "{name: late, ranks: 4, iterations: 3, placement: [0, 4, 8, 12], "         \
    "program: [compute: 20us, all-reduce: {size: 256KiB, algorithm: ring}]}"

static uint32_t add_job(orr_network *n, const char *text, int64_t at,
                        struct note *ended)
{
    struct orr_report why = {.code = ORR_OK};
    uint32_t number = 77;

    if (orr_network_job(n, text, at, ended ? note : NULL, ended, &number, &why)
        != ORR_OK)
        fail_msg("%s", why.message);
    return number;
}

static struct orr_job_figures close_job(orr_network *n, uint32_t number)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_job_figures f;

    if (orr_network_job_close(n, number, &f, &why) != ORR_OK)
        fail_msg("%s", why.message);
    return f;
}

/* A job that comes beside one of the configuration is as one that was there:
 * its end is told to the picosecond, and the run has the same fingerprint. */
static void test_job(void **state)
{
    orr_network *known = open_text(
        TREE
        "jobs: [{ranks: 16, iterations: 2, program: [all-to-all: {size: "
        "100KB}]}, {start: 30us, ranks: 4, iterations: 3, placement: [0, 4, 8, "
        "12], program: [compute: 20us, all-reduce: {size: 256KiB, algorithm: "
        "ring}]}]",
        1);
    uint64_t fingerprint;

    run(known, ORR_FOREVER);
    fingerprint = orr_network_fingerprint(known);
    orr_network_close(known);
    for (int threads = 1; threads <= 2; threads++) {
        orr_network *n = open_text(
            TREE "jobs: [{ranks: 16, iterations: 2, program: [all-to-all: "
                 "{size: 100KB}]}]",
            (unsigned)threads);
        struct note ended = {.n = n, .host = 0};
        struct orr_job_figures f;
        uint32_t job;

        run(n, 25 * ORR_US);
        job = add_job(n, RING_JOB, 30 * ORR_US, threads == 1 ? &ended : NULL);
        assert_int_equal(job, 1);
        assert_false(orr_network_job_ended(n, job));
        run(n, ORR_FOREVER);
        assert_true(orr_network_job_ended(n, job));
        f = close_job(n, job);
        assert_true(f.ended);
        assert_int_equal(f.iterations, 3);
        assert_int_equal(f.start_ps, 30 * ORR_US);
        assert_int_equal(f.bytes_sent, 3 * 2 * 3 * 256 * 1024);
        assert_int_equal(ended.calls, threads == 1);
        if (threads == 1)
            assert_int_equal(ended.at[0], f.end_ps);
        assert_int_equal(orr_network_fingerprint(n), fingerprint);
        orr_network_close(n);
    }
}

/* Stopped, its place taken by another, beside messages of the program. */
static void test_job_stopped(void **state)
{
    orr_network *n = open_text(TREE, 1);
    struct note arrived = {.n = n, .host = 4}, ended = {.n = n, .host = 0};
    uint32_t first = add_job(n, RING_JOB, 0, &ended), second;
    struct orr_job_figures f;

    run(n, 35 * ORR_US);
    f = close_job(n, first);
    assert_false(f.ended);
    assert_int_equal(f.iterations, 0);
    assert_int_equal(f.end_ps, 35 * ORR_US);
    assert_int_equal(
        orr_network_send(n, &(struct orr_send){.src = 0,
                                               .dst = 4,
                                               .bytes = 100000,
                                               .arrived = note,
                                               .arrived_arg = &arrived}),
        ORR_OK);
    second = add_job(n, RING_JOB, 40 * ORR_US, NULL);
    run(n, ORR_FOREVER);
    assert_int_equal(arrived.calls, 1);
    assert_int_equal(ended.calls, 0);
    assert_true(orr_network_job_ended(n, second));
    assert_int_equal(close_job(n, second).iterations, 3);
    assert_false(orr_network_job_ended(n, second));
    orr_network_close(n);
}

static void refuse_job(orr_network *n, const char *text, int64_t at,
                       orr_err code, const char *message)
{
    struct orr_report why = {.code = ORR_OK};
    orr_err err = orr_network_job(n, text, at, NULL, NULL, NULL, &why);

    assert_int_equal(err, code);
    assert_string_equal(why.message, message);
}

static void test_job_refused(void **state)
{
    orr_network *n = open_text(TREE, 1), *two = open_text(TREE, 2);
    orr_network *planned = open_text(TREE "schedule: fair", 1);
    struct orr_report why = {.code = ORR_OK};

    refuse_job(NULL, RING_JOB, 0, ORR_ECALL, "orr_network_job: n is NULL");
    refuse_job(n, NULL, 0, ORR_ECALL, "orr_network_job: job is NULL");
    refuse_job(n, "ranks: 2", 0, ORR_ECONFIG,
               "a job needs a `program`, a `trace`, a `model` or `serve`");
    refuse_job(n, RING_JOB, -1, ORR_ECALL,
               "job 0: it is 0 ps, and no job can start at -1");
    refuse_job(planned, RING_JOB, 0, ORR_ECONFIG,
               "schedule: `fair` is planned "
               "for jobs that are there from the beginning");
    assert_int_equal(orr_network_job(two, RING_JOB, 0, note, NULL, NULL, &why),
                     ORR_ECALL);
    assert_string_equal(
        why.message, "with several threads the end of a job has no callback");
    memset(&why, 0, sizeof why);
    assert_int_equal(orr_network_job_close(n, 3, NULL, &why), ORR_ECALL);
    assert_string_equal(why.message, "there is no job 3");
    assert_false(orr_network_job_ended(NULL, 0));
    assert_false(orr_network_job_ended(n, 0));
    (void)add_job(n, RING_JOB, 0, NULL); /* all is as before */
    run(n, ORR_FOREVER);
    orr_network_close(n);
    orr_network_close(two);
    orr_network_close(planned);
}

/* A network runs what a program sends; a cluster is a run of its own. */
static void test_cluster_refused(void **state)
{
    static const char text[] =
        LINE "cluster:\n"
             "  jobs: [{name: a, gpus: 1, iterations: 1, program: [compute: "
             "1us]}]\n"
             "  arrivals: [{template: a, at: 0s}]\n";
    struct orr_report why = {.code = ORR_OK};
    orr_network *n = NULL;

    assert_int_equal(orr_network_open(text, NULL, &n, &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, "a cluster runs by itself"));
    assert_string_equal(why.file, "network");
    assert_int_equal(why.line, 3);
    assert_null(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_message),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_local_and_timers),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_as_flows),
        cmocka_unit_test(test_short_links),
        cmocka_unit_test(test_build),
        cmocka_unit_test(test_bad_graphs),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_counters_of_now),
        cmocka_unit_test(test_wrong_places),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_job),
        cmocka_unit_test(test_job_stopped),
        cmocka_unit_test(test_job_refused),
        cmocka_unit_test(test_cluster_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
