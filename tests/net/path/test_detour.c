/* Paths that are not the shortest: Valiant, UGAL and the k shortest. */
#include "tests/net/small_world.h"

#include "core/units.h"
#include "topo/detours.h"

/* h = 2: nine groups of four routers with two hosts; routers from 72 on. */
#define FLY                                                                    \
    "topology: {kind: dragonfly, h: 2, link: {rate: 8Gbps, delay: 1us}}\n"
#define PACKETS 400

struct spread {
    uint32_t direct; /* packets on the one cable between groups 0 and 1 */
    uint32_t groups; /* that were passed through, beside those two */
    int64_t last;    /* arrival */
    struct orr_net_totals totals;
};

static uint32_t group_of(const struct small_world *w, uint32_t node)
{
    return w->graph->area[node];
}

/* Two senders of group 0 to the two hosts of a router in group 1. */
static struct spread group_to_group(const char *network, unsigned workers)
{
    struct transfer t[] = {
        {.src = 0, .dst = 8, .bytes = 1000 * PACKETS},
        {.src = 1, .dst = 9, .bytes = 1000 * PACKETS},
    };
    bool seen[9] = {false};
    struct spread s = {0};
    struct small_world w;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             FLY "network: {mtu: 1000B, header: 0B, queue: "
                 "{kind: droptail, capacity: 64MiB}, %s}\n",
             network);
    small_build(&w, yaml, workers);
    small_run(&w, t, 2);
    for (uint32_t l = 0; l < w.graph->cables * 2; l++) {
        struct orr_link_sample x;
        uint32_t a = group_of(&w, w.graph->from[l]);
        uint32_t b = group_of(&w, w.graph->to[l]);

        orr__net_link_sample(w.net, l, w.end, &x);
        if (a == 0 && b == 1)
            s.direct += (uint32_t)(x.bytes / 1000);
        if (x.bytes > 64 * PACKETS && a == 0 && b > 1)
            seen[b] = true;
    }
    for (int i = 0; i < 9; i++)
        s.groups += seen[i];
    s.last = t[0].received > t[1].received ? t[0].received : t[1].received;
    assert_true(t[0].received > 0 && t[1].received > 0);
    s.totals = w.totals;
    assert_int_equal(w.totals.packets_dropped, 0);
    small_free(&w);
    return s;
}

/* One global cable for both, whatever else there is. */
static void shortest_is_direct(void **state)
{
    struct spread s = group_to_group("routing: spray", 1);

    assert_in_range(s.direct, 2 * PACKETS, 2 * PACKETS + 100);
    assert_int_equal(s.groups, 0);
}

/* By packets: seven others, and the direct way for those whose area is the
 * source's or the destination's: two of nine. */
static void valiant_by_packets(void **state)
{
    struct spread s =
        group_to_group("routing: valiant, transport: datagram", 1);

    assert_int_equal(s.groups, 7);
    /* 800 packets times 2/9: six standard deviations are 71 */
    assert_in_range(s.direct, 178 - 71, 178 + 71);
}

static void valiant_by_flows(void **state)
{
    struct spread s = group_to_group("routing: {kind: valiant, per: flow}", 1);

    assert_in_range(s.groups, 0, 2);
    assert_int_equal(s.totals.retransmissions, 0); /* none overtakes */
}

/* Both hosts of router 0 send at its rate: the direct way takes what its queue
 * has room for against twice the hops, and the rest makes detours. */
static void ugal_evens_out(void **state)
{
    struct spread m = group_to_group("routing: ecmp, transport: datagram", 1);
    struct spread s = group_to_group("routing: {kind: ugal, per: packet}, "
                                     "transport: datagram",
                                     1);

    assert_true(s.direct > PACKETS / 2 && s.direct < 2 * PACKETS);
    assert_true(s.groups > 0);
    assert_true(s.last < m.last);
    s = group_to_group("routing: {kind: ugal, per: packet, threshold: 1s}, "
                       "transport: datagram",
                       1);
    assert_int_equal(s.direct, 2 * PACKETS); /* never worth it */
}

static void flowlets_stay_together(void **state)
{
    struct spread s = group_to_group("routing: {kind: ugal, per: flowlet, "
                                     "gap: 1s}",
                                     1);

    assert_int_equal(s.totals.retransmissions, 0);
}

/* The same for any number of workers and for ports with events. */
static void deterministic(void **state)
{
    static const char *const ways[] = {
        "valiant",
        "ugal",
        "{kind: ugal, per: flowlet, gap: 10us}",
        "{kind: valiant, per: flow}",
        "k-shortest",
    };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        uint64_t first = 0;

        for (int how = 0; how < 4; how++) {
            struct spread s;
            char text[128];

            snprintf(text, sizeof text, "routing: %s, ports: %s", ways[i],
                     how % 2 ? "explicit" : "computed");
            s = group_to_group(text, how < 2 ? 1 : 3);
            if (how == 0)
                first = s.totals.fingerprint;
            assert_true(s.totals.fingerprint == first);
        }
    }
}

/* Where hosts forward and have several ports they decide themselves; ACKs are
 * sent as data is. */
static void hosts_that_forward(void **state)
{
    static const char *const kinds[] = {
        "{kind: torus, dims: [4, 4], link: {rate: 8Gbps, delay: 1us}}",
        "{kind: bcube, n: 4, k: 1, link: {rate: 8Gbps, delay: 1us}}",
        "{kind: fat-tree, k: 4, link: {rate: 8Gbps, delay: 1us}}",
        "{kind: rail-only, hosts: 4, servers: {gpus: 4, link: {rate: 80Gbps, "
        "delay: 1us}}, link: {rate: 8Gbps, delay: 1us}}",
    };
    static const char *const ways[] = {"valiant", "ugal", "k-shortest",
                                       "{kind: valiant, per: flow}"};

    for (size_t i = 0; i < 16; i++) {
        struct transfer t[] = {{.src = 0, .dst = 10, .bytes = 100000},
                               {.src = 10, .dst = 0, .bytes = 100000},
                               {.src = 3, .dst = 2, .bytes = 100000}};
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: %s\nnetwork: {mtu: 1000B, routing: %s}\n",
                 kinds[i / 4], ways[i % 4]);
        small_build(&w, yaml, 1);
        small_run(&w, t, 3);
        for (int k = 0; k < 3; k++) {
            int64_t ideal =
                orr__net_ideal(w.net, t[k].src, t[k].dst, k + 1, t[k].bytes);
            assert_true(t[k].acked >= ideal && ideal > 0);
        }
        small_free(&w);
    }
}

/* A connection that keeps to one way, and nobody else: the ideal time is the
 * one it takes. */
static void ideal_is_exact_by_flows(void **state)
{
    static const char *const ways[] = {"{kind: valiant, per: flow}",
                                       "k-shortest"};

    for (int i = 0; i < 2; i++) {
        for (uint32_t dst = 1; dst < 72; dst += 7) {
            struct transfer t = {.src = 0, .dst = dst, .bytes = 50000};
            struct small_world w;
            char yaml[512];

            snprintf(yaml, sizeof yaml,
                     FLY "network: {mtu: 1000B, routing: "
                         "%s, window: unlimited}\n",
                     ways[i]);
            small_build(&w, yaml, 1);
            small_run(&w, &t, 1);
            assert_int_equal(t.acked,
                             orr__net_ideal(w.net, 0, dst, 1, t.bytes));
            small_free(&w);
        }
    }
}

/* All global cables of group 0 but one are gone: what would go elsewhere goes
 * over that, and comes back when they do. */
static void around_failures(void **state)
{
    static const char *const ways[] = {"valiant", "ugal", "k-shortest",
                                       "{kind: valiant, per: flow}"};

    for (int i = 0; i < 4; i++) {
        struct transfer t[20];
        struct small_world w;
        char yaml[2048];
        int n = snprintf(yaml, sizeof yaml,
                         FLY "network: {mtu: 1000B, "
                             "routing: %s, rto: {initial: 1ms}}\nfailures:\n",
                         ways[i]);

        for (int m = 0; m < 8; m++)
            if (m != 3)
                n += snprintf(yaml + n, sizeof yaml - (size_t)n,
                              "  - {link: %d, down: 10us, up: 1s}\n",
                              72 + 54 + m);
        for (uint32_t k = 0; k < 20; k++)
            t[k] = (struct transfer){
                .src = k % 8, .dst = 8 + 3 * k, .bytes = 20000, .start = 0};
        small_build(&w, yaml, 1);
        small_run(&w, t, 20);
        for (uint32_t k = 0; k < 20; k++)
            assert_true(t[k].acked > 0);
        assert_true(w.end < ORR_S);
        small_free(&w);
    }
}

/* ---- the k shortest ---- */

/* All ways that are drawn, of a pair, differ, have no circle, lead there and
 * come in order of length. */
static void check_ways(const struct small_world *w, uint32_t src, uint32_t dst,
                       uint32_t k, uint32_t expected)
{
    uint32_t way[ORR_MOST_PATHS][ORR_LONGEST_PATH], n[ORR_MOST_PATHS];
    const struct orr_graph *g = w->graph;

    for (uint32_t i = 0; i < expected; i++) {
        n[i] = orr__routing_path(g, w->routes, src, dst, k, i, 7, way[i]);
        assert_true(n[i] > 0);
        assert_int_equal(g->from[way[i][0]], src);
        assert_int_equal(g->to[way[i][n[i] - 1]], dst);
        for (uint32_t a = 1; a < n[i]; a++) {
            assert_int_equal(g->from[way[i][a]], g->to[way[i][a - 1]]);
            assert_true(g->forwards[g->from[way[i][a]]]);
            for (uint32_t b = 0; b < a; b++)
                assert_int_not_equal(g->from[way[i][a]], g->from[way[i][b]]);
        }
        for (uint32_t j = 0; j < i; j++)
            assert_true(n[i] != n[j]
                        || memcmp(way[i], way[j], n[i] * sizeof **way));
        assert_true(i == 0 || n[i] >= n[i - 1]);
    }
    /* the next is the first again */
    assert_int_equal(
        orr__routing_path(g, w->routes, src, dst, k, expected, 7, way[1]),
        n[0]);
    assert_memory_equal(way[0], way[1], n[0] * sizeof **way);
}

static void k_shortest(void **state)
{
    static const struct {
        const char *topology;
        uint32_t src, dst, k, ways;
    } known[] = {
        {"{kind: fat-tree, k: 4", 0, 12, 4, 4},
        {"{kind: fat-tree, k: 4", 0, 12, 8, 8}, /* longer ones as well */
        {"{kind: fat-tree, k: 4", 0, 1, 8, 1},
        {"{kind: ring, hosts: 6", 0, 2, 8, 2}, /* either way round */
        {"{kind: dumbbell, left: 1, right: 1, links: 3", 0, 1, 8, 8},
        {"{kind: jellyfish, switches: 12, degree: 4, hosts_per_switch: 1", 0, 7,
         32, 32},
        {"{kind: bcube, n: 3, k: 1", 0, 4, 2, 2},
        {"{kind: dragonfly, h: 1", 0, 5, 2, 2},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: %s, link: {rate: 1Gbps, delay: "
                 "1us}}\nnetwork: {routing: k-shortest}\n",
                 known[i].topology);
        small_build(&w, yaml, 1);
        check_ways(&w, known[i].src, known[i].dst, known[i].k, known[i].ways);
        small_free(&w);
    }
}

/* ---- stops ---- */

static void stops(void **state)
{
    static const struct {
        const char *topology;
        uint32_t most, n, first;
    } known[] = {
        {"{kind: dragonfly, h: 2", 1024, 9, 72}, /* one a group */
        {"{kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 2", 1024, 4,
         8},
        {"{kind: ring, hosts: 6", 1024, 6, 0},
        {"{kind: torus, dims: [8, 8]", 10, 10, UINT32_MAX},
        {"{kind: slimfly, q: 3, hosts_per_switch: 1", 1024, 18, 18},
        {"{kind: ring, hosts: 6, servers: {gpus: 2, link: {rate: 1Gbps, "
         "delay: 1us}}",
         1024, 6, 12}, /* servers, not GPUs */
        {"{kind: leaf-spine, leaves: 4, spines: 2, hosts_per_leaf: 1, "
         "servers: {gpus: 2, link: {rate: 1Gbps, delay: 1us}}",
         1024, 4, 12},
        {"{kind: rail-only, hosts: 2, servers: {gpus: 2, link: {rate: 1Gbps, "
         "delay: 1us}}",
         1024, 2, 6},
        {"{kind: switch, hosts: 1", 1024, 0, UINT32_MAX},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t *list, n;
        struct orr_report why = {.code = ORR_OK};
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: %s, link: {rate: 1Gbps, delay: 1us}}\n",
                 known[i].topology);
        small_read(&w, yaml, 1);
        assert_int_equal(
            orr__graph_detour_stops(w.graph, known[i].most, 1, &list, &n, &why),
            ORR_OK);
        assert_int_equal(n, known[i].n);
        if (known[i].first != UINT32_MAX)
            assert_int_equal(list[0], known[i].first);
        for (uint32_t k = 1; k < n; k++)
            assert_true(list[k] > list[k - 1]);
        orr__free(list);
        small_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_is_direct),
        cmocka_unit_test(valiant_by_packets),
        cmocka_unit_test(valiant_by_flows),
        cmocka_unit_test(ugal_evens_out),
        cmocka_unit_test(flowlets_stay_together),
        cmocka_unit_test(deterministic),
        cmocka_unit_test(hosts_that_forward),
        cmocka_unit_test(ideal_is_exact_by_flows),
        cmocka_unit_test(around_failures),
        cmocka_unit_test(k_shortest),
        cmocka_unit_test(stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
