/* Random small networks, run by the engine and by the slow simulator of
 * tests/reference: every message leaves, arrives and is acknowledged at the
 * same picosecond in both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/config/config.h"
#include "core/none.h"
#include "core/random.h"
#include "core/units.h"
#include "net/config/config.h"
#include "net/net.h"
#include "tests/reference/reference.c"

enum { MAX_CONNECTIONS = 24, MAX_MESSAGES = 48, MAX_LINKS = 512 };

/* One case: the same in both simulators. */
struct scenario {
    struct orr_random random;
    char text[1024];
    struct ref_rules rules;
    struct ref_connection connection[MAX_CONNECTIONS];
    uint64_t identity[MAX_CONNECTIONS];
    struct ref_message message[MAX_MESSAGES];
    uint32_t n_connections, n_messages;
};

/* What the engine said. */
struct outcome {
    struct orr_net *net;
    const struct scenario *scenario;
    uint32_t connection[MAX_CONNECTIONS]; /* of the engine */
    int64_t sent[MAX_MESSAGES], received[MAX_MESSAGES], acked[MAX_MESSAGES];
};

static uint32_t below(struct scenario *s, uint32_t n)
{
    return (uint32_t)orr__random_below(&s->random, n);
}

static void received(void *world, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct outcome *o = world;

    assert_int_equal(host, o->scenario->connection[m->src].dst);
    assert_int_equal(o->received[m->tag], -1);
    o->received[m->tag] = now;
}

static void sent(void *world, uint32_t host, int64_t now,
                 const struct orr_message *m)
{
    struct outcome *o = world;

    assert_int_equal(host, o->scenario->connection[m->src].src);
    assert_int_equal(o->sent[m->tag], -1);
    o->sent[m->tag] = now;
}

static void acked(void *world, uint32_t host, int64_t now,
                  const struct orr_message *m)
{
    struct outcome *o = world;

    assert_int_equal(host, o->scenario->connection[m->src].src);
    assert_int_equal(o->acked[m->tag], -1);
    o->acked[m->tag] = now;
}

static void start(void *world, uint32_t host, int64_t now, uint64_t arg)
{
    struct outcome *o = world;
    const struct ref_message *m = &o->scenario->message[arg];
    struct orr_message out = {
        .bytes = m->bytes, .tag = arg, .src = m->connection};

    assert_int_equal(now, m->start_ps);
    orr__net_send(o->net, now, o->connection[m->connection], &out);
}

static const struct orr_net_ops ops = {received, sent, acked, start, NULL};

static const char *const kinds[] = {
    "kind: ring, hosts: 5",
    "kind: ring, hosts: 6",
    "kind: torus, dims: [3, 3]",
    "kind: fully-connected, hosts: 4",
    "kind: switch, hosts: 5",
    "kind: dumbbell, left: 3, right: 3",
    "kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 2",
    "kind: fat-tree, k: 4",
    "kind: parameter-server, workers: 4, servers: 2",
};

/* The configuration and the rules that say the same. */
static void draw_rules(struct scenario *s, const char *ports)
{
    static const uint32_t windows[] = {1, 2, 3, 7, UINT32_MAX};
    /* Not rack: its probes go out when ACKs only take long. */
    static const char *const recoveries[] = {"sack", "selective", "go-back-n"};
    struct ref_rules *r = &s->rules;
    char window[16] = "unlimited";
    const char *kind = kinds[below(s, sizeof kinds / sizeof *kinds)];
    int n;

    r->mtu = 100 + below(s, 4000);
    r->local_mtu = below(s, 2) ? r->mtu : 100 + below(s, 9000);
    r->header = below(s, 100);
    r->ack = 1 + below(s, 100);
    r->ack_every = 1 + below(s, 3);
    r->ack_delay_ps = (1 + below(s, 30)) * ORR_US;
    r->window = windows[below(s, sizeof windows / sizeof *windows)];
    r->reliable = below(s, 4) != 0;
    r->shuffled = below(s, 2);
    r->seed = 1;
    if (r->window != UINT32_MAX)
        snprintf(window, sizeof window, "%u", r->window);
    n = snprintf(s->text, sizeof s->text,
                 "topology: {%s, link: {rate: 10Gbps, delay: 1us}}\n"
                 "network: {mtu: %uB, local_mtu: %uB, header: %uB, ack: %uB, "
                 "ack_every: %u, "
                 "ack_delay: %uns, transport: %s, window: %s, ports: %s, "
                 "recovery: %s,\n"
                 "  ties: %s, queue: {kind: droptail, capacity: 1GB}, "
                 "rto: {initial: 100s, min: 100s, max: 100s}}\n",
                 kind, (unsigned)r->mtu, (unsigned)r->local_mtu,
                 (unsigned)r->header, (unsigned)r->ack, r->ack_every,
                 (unsigned)(r->ack_delay_ps / ORR_NS),
                 r->reliable ? "reliable" : "datagram", window, ports,
                 recoveries[r->window % 3], r->shuffled ? "shuffled" : "index");
    assert_true(n > 0 && (size_t)n < sizeof s->text);
}

/* Uneven rates and delays, so that serialisation times are not whole and
 * packets meet in any order. In a few cases all are equal: then ties abound. */
static void draw_links(struct scenario *s, struct orr_graph *g)
{
    bool even = below(s, 4) == 0;

    for (uint32_t i = 0; i < g->links && !even; i++) {
        g->rate_bps[i] = UINT64_C(1000000) * (300 + below(s, 20000));
        g->delay_ps[i] = 100 * ORR_NS + below(s, 2000000);
    }
}

static void draw_traffic(struct scenario *s, uint32_t hosts)
{
    bool together = below(s, 3) == 0;

    s->n_connections = 1 + below(s, MAX_CONNECTIONS);
    s->n_messages = 1 + below(s, MAX_MESSAGES);
    for (uint32_t c = 0; c < s->n_connections; c++) {
        s->connection[c].src = below(s, hosts);
        s->connection[c].dst =
            (s->connection[c].src + 1 + below(s, hosts - 1)) % hosts;
        s->identity[c] = orr__random_u64(&s->random);
    }
    for (uint32_t m = 0; m < s->n_messages; m++)
        s->message[m] = (struct ref_message){
            .connection = below(s, s->n_connections),
            .bytes = below(s, 10) ? below(s, 30000) : 0,
            .start_ps = together ? 0 : below(s, 20000) * ORR_NS};
}

/* Paths as the engine takes them. */
static void learn_paths(struct scenario *s, const struct orr_net *net)
{
    for (uint32_t i = 0; i < s->n_connections; i++) {
        struct ref_connection *c = &s->connection[i];

        c->n_forward = orr__net_path(net, c->src, c->dst, s->identity[i], true,
                                     c->forward, REF_MAX_HOPS);
        c->n_back = orr__net_path(net, c->src, c->dst, s->identity[i], false,
                                  c->back, REF_MAX_HOPS);
        assert_in_range(c->n_forward, 1, REF_MAX_HOPS);
        assert_in_range(c->n_back, 1, REF_MAX_HOPS);
    }
}

static void must(orr_err err, const struct orr_report *why)
{
    char text[2048];

    if (err == ORR_OK)
        return;
    orr__report_format(why, text, sizeof text);
    fail_msg("%s", text);
}

static uint64_t run_engine(struct scenario *s, const struct orr_graph *g,
                           const struct orr_routing *routes,
                           const struct orr_net_config *config,
                           unsigned workers, struct outcome *o)
{
    uint32_t partition[256];
    struct orr_report why = {0};
    struct orr_net_totals totals;
    int64_t end;

    assert_true(g->nodes <= 256);
    for (uint32_t i = 0; i < g->nodes; i++)
        partition[i] = i % workers;
    memset(o, 0, sizeof *o);
    o->scenario = s;
    for (uint32_t m = 0; m < s->n_messages; m++)
        o->sent[m] = o->received[m] = o->acked[m] = -1;
    must(orr__net_new(g, routes, config, 1, workers, partition, &o->net, &why),
         &why);
    assert_int_equal(orr__net_user(o->net, &ops, o), 0);
    learn_paths(s, o->net);
    for (uint32_t c = 0; c < s->n_connections; c++) {
        o->connection[c] = orr__net_connect(
            o->net, 0,
            &(struct orr_connection_spec){.src = s->connection[c].src,
                                          .dst = s->connection[c].dst,
                                          .identity = s->identity[c]});
        assert_int_not_equal(o->connection[c], ORR_NONE);
    }
    for (uint32_t m = 0; m < s->n_messages; m++)
        orr__net_timer(o->net, s->connection[s->message[m].connection].src,
                       s->message[m].start_ps, 0, m);
    must(orr__net_run(o->net, ORR_NEVER, NULL, NULL, &end, &why), &why);
    orr__net_totals(o->net, &totals);
    orr__net_free(o->net);
    return totals.packet_hops;
}

static void compare(const struct scenario *s, const struct outcome *o,
                    unsigned seed)
{
    for (uint32_t i = 0; i < s->n_messages; i++) {
        const struct ref_message *m = &s->message[i];

        if (o->sent[i] == m->sent_ps && o->received[i] == m->received_ps
            && o->acked[i] == m->acked_ps)
            continue;
        fail_msg("case %u, message %u of %u (connection %u, %lu B): "
                 "engine %ld %ld %ld, reference %ld %ld %ld\n%s",
                 seed, i, s->n_messages, m->connection, (unsigned long)m->bytes,
                 (long)o->sent[i], (long)o->received[i], (long)o->acked[i],
                 (long)m->sent_ps, (long)m->received_ps, (long)m->acked_ps,
                 s->text);
    }
}

static void run_case(unsigned seed, const char *ports, unsigned workers)
{
    struct scenario s = {0};
    struct outcome o;
    struct orr_report why = {0};
    struct orr_config *c;
    const struct orr_yaml *root;
    struct orr_graph *g;
    struct orr_routing *routes;
    struct orr_net_draft *draft;
    const struct orr_net_config *config;
    struct ref_link links[MAX_LINKS];
    struct ref_network reference;
    uint32_t hosts[256];
    uint64_t hops, reference_hops;

    orr__random_init(&s.random, 1, seed, ORR_PURPOSE_TEST);
    draw_rules(&s, ports);
    must(orr__config_parse("case", s.text, strlen(s.text), &c, &why), &why);
    root = orr__config_root(c);
    must(orr__graph_build(c, orr__yaml_get(root, "topology"), 1, &g, &why),
         &why);
    must(orr__net_config_read(c, orr__yaml_get(root, "network"), &draft, &why),
         &why);
    config = &draft->config;
    assert_true(g->links <= MAX_LINKS && g->hosts <= 256);
    draw_links(&s, g);
    for (uint32_t i = 0; i < g->links; i++)
        links[i] = (struct ref_link){g->from[i], g->to[i], g->rate_bps[i],
                                     g->delay_ps[i]};
    for (uint32_t i = 0; i < g->hosts; i++)
        hosts[i] = i;
    must(orr__routing_build(g, hosts, g->hosts, &routes, &why), &why);
    draw_traffic(&s, g->hosts);

    hops = run_engine(&s, g, routes, config, workers, &o);
    reference =
        (struct ref_network){s.rules,  links,           s.connection, s.message,
                             g->links, s.n_connections, s.n_messages};
    reference_hops = ref_run(&reference);
    compare(&s, &o, seed);
    assert_int_equal(reference_hops, hops);
    orr__routing_free(routes);
    orr__graph_free(g);
    orr__config_free(c);
}

static void test_computed(void **state)
{
    for (unsigned seed = 0; seed < 200; seed++)
        run_case(seed, "computed", 1);
}

static void test_explicit(void **state)
{
    for (unsigned seed = 0; seed < 100; seed++)
        run_case(seed, "explicit", 1);
}

static void test_two_workers(void **state)
{
    for (unsigned seed = 0; seed < 40; seed++)
        run_case(seed, "computed", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_computed),
        cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_two_workers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
