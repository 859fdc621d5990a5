/* Load balancing: how packets and connections spread over equal next hops. */
#include "tests/net/small_world.h"

#include "core/units.h"
#include "net/path/own.h"
#include "net/path/pick.h"

#define HOSTS 16 /* k = 4 fat-tree; its cables: 16 host, 16 edge, 16 core */

/* One message of `packets` from host 0 to host 12 on each of n connections;
 * packets on the two uplinks of host 0's edge switch. */
static void spread(const char *routing, uint32_t n, uint32_t packets,
                   uint64_t up[2])
{
    struct transfer *t = calloc(n, sizeof *t);
    struct small_world w;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, routing: %s, queue: {kind: droptail, "
             "capacity: 64MiB}}\n",
             routing);
    for (uint32_t i = 0; i < n; i++)
        t[i] = (struct transfer){.dst = 12, .bytes = 1000 * packets};
    small_build(&w, yaml, 1);
    small_run(&w, t, n);
    for (uint32_t i = 0, found = 0; i < w.graph->links; i++) {
        struct orr_link_sample s;

        if (w.graph->from[i] != HOSTS || w.graph->to[i] < HOSTS)
            continue;
        orr__net_link_sample(w.net, i, w.end, &s);
        assert_true(found < 2);
        up[found++] = s.packets;
    }
    assert_int_equal(up[0] + up[1], (uint64_t)n * packets);
    small_free(&w);
    free(t);
}

static void test_ecmp(void **state)
{
    uint64_t up[2];

    spread("ecmp", 1, 100, up); /* a connection stays on one path */
    assert_true(up[0] == 0 || up[1] == 0);
    spread("ecmp", 1000, 1, up); /* six standard deviations: 95 */
    assert_in_range(up[0], 405, 595);
}

/* In two parts, the node's and the rest, it is still XXH3 of both. */
static void test_ecmp_is_xxh3(void **state)
{
    uint64_t seed = UINT64_C(0x0123456789ABCDEF);

    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t key[2] = {2654435761u * i, i % 7 ? 40503u * i : i};
        uint64_t hash = XXH3_64bits_withSeed(key, sizeof key, seed),
                 of_node = orr__ecmp_of_node(seed, key[1]);

        assert_int_equal(orr__ecmp_choose(of_node, key[0], 1u << 31),
                         hash & 0x7FFFFFFF);
        assert_int_equal(orr__ecmp_choose(of_node, key[0], 0xFFFFFFFBu),
                         hash % 0xFFFFFFFBu);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    }
}

static void test_first(void **state)
{
    uint64_t up[2];

    spread("first", 50, 10, up);
    assert_int_equal(up[0], 500);
}

static void test_spray(void **state)
{
    uint64_t up[2];

    spread("spray", 1, 100, up); /* round robin: even to the packet */
    assert_int_equal(up[0], 50);
    spread("spray-random", 1, 1000, up);
    assert_in_range(up[0], 405, 595);
}

/* In a ring of four the opposite host is two hops away both ways; the clockwise
 * link has the lower id. */
static void test_ring_goes_clockwise(void **state)
{
    struct transfer t = {.src = 1, .dst = 3, .bytes = 5000};
    struct small_world w;
    uint32_t links[4];

    small_build(&w,
                "topology: {kind: ring, hosts: 4, link: {rate: 1Gbps, "
                "delay: 1us}}\nnetwork: {routing: first}\n",
                1);
    small_run(&w, &t, 1);
    assert_int_equal(orr__net_path(w.net, 1, 3, 1, true, links, 4), 2);
    assert_int_equal(links[0], 1);
    assert_int_equal(links[1], 2);
    small_free(&w);
}

/* Bursts of one direction, 100 us apart, from host 0 to host 12: packets on
 * the two uplinks of the edge switch. */
static void bursts(const char *routing, uint32_t n, uint32_t packets,
                   uint64_t up[2])
{
    struct transfer *t = calloc(n, sizeof *t);
    struct small_world w;
    char yaml[512];
    uint32_t found = 0;

    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
             "delay: 1us}}\nnetwork: {mtu: 1000B, routing: %s}\n",
             routing);
    for (uint32_t i = 0; i < n; i++)
        t[i] = (struct transfer){.dst = 12,
                                 .bytes = 1000 * packets,
                                 .start = 100 * ORR_US * i,
                                 .tag = 7};
    small_build(&w, yaml, 1);
    small_run(&w, t, n);
    for (uint32_t i = 0; i < w.graph->links; i++) {
        struct orr_link_sample s;

        if (w.graph->from[i] != HOSTS || w.graph->to[i] < HOSTS)
            continue;
        orr__net_link_sample(w.net, i, w.end, &s);
        up[found++] = s.packets;
    }
    assert_int_equal(up[0] + up[1], (uint64_t)n * packets);
    assert_int_equal(w.totals.retransmissions, 0);
    small_free(&w);
    free(t);
}

static void test_flowlets(void **state)
{
    uint64_t up[2];

    /* 100 us is longer than the gap: each burst chooses, and stays */
    bursts("flowlet", 400, 10, up);
    assert_int_equal(up[0] % 10, 0);
    assert_in_range(up[0], 1400, 2600); /* six standard deviations */
    bursts("{kind: flowlet, choice: round-robin}", 40, 3, up);
    assert_int_equal(up[0], 60);
    /* and shorter than this one: all is one flowlet */
    bursts("{kind: flowlet, gap: 101us}", 40, 3, up);
    assert_true(up[0] == 0 || up[1] == 0);
}

/* A table of one entry: two connections that take turns at a switch share it,
 * go the same way, and never pause for it. */
static void test_flowlets_collide(void **state)
{
    for (uint32_t table = 1; table <= 4096; table += 4095) {
        struct transfer t[40];
        struct small_world w;
        char yaml[512];
        uint64_t up[2];
        uint32_t found = 0;

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
                 "delay: 1us}}\nnetwork: {mtu: 1000B, routing: {kind: "
                 "flowlet, gap: 60us, table: %u}}\n",
                 table);
        for (uint32_t i = 0; i < 40; i++)
            t[i] = (struct transfer){.src = i % 2,
                                     .dst = 12 + i % 2,
                                     .bytes = 1000,
                                     .start = 50 * ORR_US * i,
                                     .tag = 1 + i % 2};
        small_build(&w, yaml, 1);
        small_run(&w, t, 40);
        for (uint32_t i = 0; i < w.graph->links; i++) {
            struct orr_link_sample s;

            if (w.graph->from[i] != HOSTS || w.graph->to[i] < HOSTS)
                continue;
            orr__net_link_sample(w.net, i, w.end, &s);
            up[found++] = s.packets;
        }
        if (table == 1)
            assert_true(up[0] == 0 || up[1] == 0);
        else /* 40 free choices */
            assert_true(up[0] > 0 && up[1] > 0);
        small_free(&w);
    }
}

/* Hosts 0 and 1 begin at once: the second finds the first's uplink busy and
 * takes the other, whatever the hash says. */
static void adaptive(const char *per, const char *ports, uint64_t tag,
                     uint64_t *fingerprint)
{
    struct transfer t[2];
    struct small_world w;
    char yaml[512];
    uint64_t up[2] = {0};
    uint32_t found = 0;

    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
             "delay: 1us}}\nnetwork: {mtu: 1000B, ports: %s, routing: {kind: "
             "adaptive, per: %s, step: 1B}}\n",
             ports, per);
    for (uint32_t i = 0; i < 2; i++)
        t[i] = (struct transfer){
            .src = i, .dst = 12 + i, .bytes = 100000, .tag = 2 * tag + i};
    small_build(&w, yaml, 2);
    small_run(&w, t, 2);
    for (uint32_t i = 0; i < w.graph->links; i++) {
        struct orr_link_sample s;

        if (w.graph->from[i] != HOSTS || w.graph->to[i] < HOSTS)
            continue;
        orr__net_link_sample(w.net, i, w.end, &s);
        up[found++] = s.packets;
    }
    assert_int_equal(up[0], 100);
    assert_int_equal(up[1], 100);
    assert_int_equal(t[0].received, t[1].received);
    *fingerprint = w.totals.fingerprint;
    small_free(&w);
}

static void test_adaptive(void **state)
{
    static const char *const per[] = {"flowlet", "packet"};

    for (uint64_t tag = 1; tag < 10; tag++)
        for (int i = 0; i < 2; i++) {
            uint64_t computed, explicit;

            adaptive(per[i], "computed", tag, &computed);
            adaptive(per[i], "explicit", tag, &explicit);
            assert_int_equal(computed, explicit);
        }
}

/* Four hosts of an edge switch send without a pause, a packet every 80 ns. A
 * port is free again just when the next packet comes of the host whose packet
 * it took; nobody may settle on it all the same. Host 64 is in another pod,
 * and one packet in sixteen comes there by each core switch. */
static uint64_t most_by_one_core(const char *step)
{
    struct transfer t[4];
    struct small_world w;
    char yaml[300];
    uint64_t most = 0;

    for (uint32_t i = 0; i < 4; i++)
        t[i] = (struct transfer){.src = i,
                                 .dst = 64 + 16 * i,
                                 .bytes = 1000000,
                                 .start = 20 * ORR_NS * i};
    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 8, link: {rate: 100Gbps, "
             "delay: 1us}}\nnetwork: {mtu: 1000B, routing: {kind: "
             "adaptive, per: packet, step: %s}}\n",
             step);
    small_build(&w, yaml, 1);
    small_run(&w, t, 4);
    for (uint32_t i = 0; i < w.graph->links; i++) {
        uint32_t pod_4 = 160 + 4 * 4, to = w.graph->to[i];
        struct orr_link_sample s;

        if (w.graph->from[i] < 192 || to < pod_4 || to >= pod_4 + 4)
            continue;
        orr__net_link_sample(w.net, i, w.end, &s);
        most = s.packets > most ? s.packets : most;
    }
    small_free(&w);
    return most;
}

static void test_adaptive_does_not_settle(void **state)
{
    assert_in_range(most_by_one_core("auto"), 63, 110);
    assert_true(most_by_one_core("1B") > 250);
}

/* Ports that are free alike are drawn from anew, packet by packet and flowlet
 * by flowlet: one connection on an idle network uses both. */
static void test_adaptive_draws_among_equals(void **state)
{
    uint64_t up[2];

    bursts("{kind: adaptive, per: packet}", 400, 1, up);
    assert_in_range(up[0], 140, 260); /* six standard deviations */
    bursts("{kind: adaptive, per: flowlet}", 400, 10, up);
    assert_int_equal(up[0] % 10, 0);
    assert_in_range(up[0], 1400, 2600);
}

/* A host with two cables to its neighbour fills both. */
static void test_adaptive_at_the_nic(void **state)
{
    struct transfer t = {.dst = 1, .bytes = 1000000};
    struct small_world w;
    struct orr_link_sample s;

    small_build(&w,
                "topology: {kind: torus, dims: [4], links: 2, link: {rate: "
                "100Gbps, delay: 1us}}\n"
                "network: {mtu: 1000B, routing: {kind: adaptive, "
                "per: packet, step: 1B}}\n",
                1);
    small_run(&w, &t, 1);
    for (uint32_t i = 0; i < w.graph->links; i++) {
        orr__net_link_sample(w.net, i, w.end, &s);
        if (w.graph->from[i] == 0 && w.graph->to[i] == 1)
            assert_int_equal(s.packets, 500);
    }
    assert_int_equal(t.received, 500 * 80 * ORR_NS + ORR_US);
    assert_int_equal(t.acked, orr__net_ideal(w.net, 0, 1, 1, t.bytes));
    small_free(&w);
}

/* In proportion to rates, and evenly: nobody is ever more than a turn for each
 * next hop before it from its share. */
static void test_in_turn_by_rate(void **state)
{
    static const uint64_t rates[][4] = {
        {100, 100, 100, 100},
        {100, 50, 25, 25},
        {1, 1, 1, 7},
        {97, 89, 3, 61},
        {UINT64_C(800000000000), 1, UINT64_C(800000000000), 2}};
    static const uint32_t link[4] = {0, 1, 2, 3};

    for (unsigned k = 0; k < 5; k++)
        for (uint32_t n = 1; n <= 4; n++) {
            struct orr_path_hops w = {link, n};
            uint64_t had[4] = {0};
            double all = 0;

            for (uint32_t i = 0; i < n; i++)
                all += (double)rates[k][i];
            for (uint32_t turn = 0; turn < 5000; turn++) {
                uint32_t i = orr__path_in_round(rates[k], w, turn);

                assert_true(i < n);
                had[i]++;
                for (i = 0; i < n; i++) {
                    double off =
                        (double)had[i] - (turn + 1) * (double)rates[k][i] / all;

                    assert_true(off < n && off > -(double)n);
                }
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ecmp),
        cmocka_unit_test(test_ecmp_is_xxh3),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_spray),
        cmocka_unit_test(test_flowlets),
        cmocka_unit_test(test_flowlets_collide),
        cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_adaptive_does_not_settle),
        cmocka_unit_test(test_adaptive_draws_among_equals),
        cmocka_unit_test(test_adaptive_at_the_nic),
        cmocka_unit_test(test_in_turn_by_rate),
        cmocka_unit_test(test_ring_goes_clockwise),
    };

    return cmocka_run_group_tests_name("net/path", tests, NULL, NULL);
}
