/* Planes that meet only at hosts: which one packets take, and what happens when
 * one fails. */
#include "tests/net/small_world.h"

#include "core/units.h"

static void build(struct small_world *w, const char *topology,
                  const char *network, const char *failures)
{
    char yaml[1024];

    snprintf(yaml, sizeof yaml,
             "topology: {%s, link: {rate: 100Gbps, delay: 1us}}\n"
             "network: {mtu: 1000B, %s}\nfailures: %s\n",
             topology, network, failures);
    small_build(w, yaml, 1);
}

/* Packets that hosts sent into each plane. */
static void look(struct small_world *w, uint64_t *packets)
{
    const struct orr_graph *g = w->graph;

    for (uint32_t p = 0; p < g->planes; p++)
        packets[p] = 0;
    for (uint32_t l = 0; l < g->links; l++) {
        struct orr_link_sample s;

        if (g->plane[g->from[l]] || !g->plane[g->to[l]])
            continue;
        orr__net_link_sample(w->net, l, w->end, &s);
        packets[g->plane[g->to[l]] - 1] += s.packets;
    }
}

#define LEAVES "kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2"

static void test_planes_are_apart(void **state)
{
    static const char *const kinds[] = {
        LEAVES,
        "kind: fat-tree, k: 4",
        "kind: rail-optimised, hosts: 2, spines: 2, servers: {gpus: 2, link: "
        "{rate: 900Gbps, delay: 100ns}}",
        LEAVES ", servers: {gpus: 2, link: {rate: 900Gbps, delay: 100ns}}",
        "kind: dragonfly, size: 24",
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct small_world one, w;
        char text[512];
        uint32_t cables = 0;

        snprintf(text, sizeof text, "%s, planes: 3", kinds[i]);
        build(&one, kinds[i], "window: 1", "");
        build(&w, text, "window: 1", "");
        for (uint32_t l = 0; l < w.graph->links; l++) {
            uint32_t a = w.graph->plane[w.graph->from[l]];
            uint32_t b = w.graph->plane[w.graph->to[l]];

            assert_true(!a || !b || a == b);
            cables += (a || b) && l < w.graph->cables;
        }
        assert_int_equal(w.graph->hosts, one.graph->hosts);
        assert_int_equal(cables / 3,
                         one.graph->cables - (w.graph->cables - cables));
        small_free(&one);
        small_free(&w);
    }
}

/* Of 400 packets a plane of four has 100 if they go one by one, or none or all
 * if they keep together. */
static void test_packet_or_flow(void **state)
{
    static const char *const how[] = {"packet", "flow"};

    for (size_t i = 0; i < 2; i++) {
        struct transfer t = {.dst = 2, .bytes = 400000};
        struct small_world w;
        uint64_t packets[4];
        char network[128];

        snprintf(network, sizeof network, "transport: datagram, plane: %s",
                 how[i]);
        build(&w, LEAVES ", planes: 4", network, "");
        small_run(&w, &t, 1);
        look(&w, packets);
        for (uint32_t p = 0; p < 4; p++)
            assert_true(i ? packets[p] % 400 == 0 : packets[p] == 100);
        small_free(&w);
    }
}

/* Connections of one message each begin one after the other, and a whole
 * message keeps to its plane. */
static void test_message(void **state)
{
    struct transfer t[8];
    struct small_world w;
    uint64_t packets[4];

    for (uint32_t i = 0; i < 8; i++)
        t[i] = (struct transfer){.dst = 2, .bytes = 50000};
    build(&w, LEAVES ", planes: 4", "transport: datagram, plane: message", "");
    small_run(&w, t, 8);
    look(&w, packets);
    for (uint32_t p = 0; p < 4; p++)
        assert_int_equal(packets[p], 100);
    small_free(&w);
}

/* While a plane is away the others carry all: nothing goes into it after it was
 * noticed, and all arrives. */
static void test_plane_fails(void **state)
{
    struct transfer t = {.dst = 2, .bytes = 1000000};
    struct small_world w;
    uint64_t packets[2];

    build(&w, LEAVES ", planes: 2", "plane: packet",
          "[{plane: 1, down: 20us, up: 1s}]");
    small_run(&w, &t, 1);
    look(&w, packets);
    assert_true(t.received > 0);
    assert_true(packets[0] > 500 && packets[1] < 500 && packets[1] > 0);
    small_free(&w);
}

/* 10 s of two planes, up for 9 ms and down for 1 ms on average: 2,000 outages
 * of each of a plane's 16 links. */
static void test_planes_by_chance(void **state)
{
    struct small_world w;
    const struct orr_outage *o;

    build(&w, LEAVES ", planes: 2", "window: 1",
          "[{of: planes, mtbf: 9ms, mttr: 1ms, until: 1s}]");
    assert_in_range(orr__failures_of(w.net_config->failures, 0, &o), 50, 150);
    assert_int_equal(orr__failures_of(w.net_config->failures, 0, &o),
                     orr__failures_of(w.net_config->failures, 4, &o));
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes_are_apart),
        cmocka_unit_test(test_packet_or_flow),
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_plane_fails),
        cmocka_unit_test(test_planes_by_chance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
