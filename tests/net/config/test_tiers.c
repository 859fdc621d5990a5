/* Rules of some links alone: queues, choices of path and sizes by tier. */
#include "tests/net/small_world.h"

#include "net/path/route.h"

/* Two leaves with two hosts each, four spines. */
#define TOPOLOGY                                                               \
    "topology: {kind: leaf-spine, leaves: 2, spines: 4, hosts_per_leaf: 2, "   \
    "link: {rate: 100Gbps, delay: 1us}}\n"

static void build(struct small_world *w, const char *tiers)
{
    char yaml[1024];

    snprintf(yaml, sizeof yaml,
             TOPOLOGY "network: {mtu: 1000B, queue: {kind: droptail, "
                      "capacity: 1MiB}, by_tier: %s}\n",
             tiers);
    small_build(w, yaml, 1);
}

/* Packets and marks of the links that go up from leaf 0. */
static void look(struct small_world *w, uint64_t packets[4], uint64_t *marks)
{
    const struct orr_graph *g = w->graph;
    uint32_t n = 0;

    *marks = 0;
    for (uint32_t l = 0; l < g->links; l++) {
        struct orr_link_sample s;

        orr__net_link_sample(w->net, l, w->end, &s);
        *marks += s.marks;
        if (g->from[l] == g->hosts && g->to[l] >= g->hosts)
            packets[n++] = s.packets;
    }
    assert_int_equal(n, 4);
}

/* 400 packets of host 0 to the other leaf, in turn over its four uplinks: its
 * link to the leaf has none to choose from. */
static void test_spray_where_it_is_asked_for(void **state)
{
    static const char *const tiers[] = {
        "{uplink: {routing: spray}}",
        "{host: {routing: first}, \"leaf0 > *\": {routing: spray}}",
        "{\"leaf*>spine*\": {routing: {kind: flowlet, gap: 1ps, choice: "
        "round-robin}}}",
    };

    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++) {
        struct transfer t = {.dst = 2, .bytes = 400000};
        struct small_world w;
        uint64_t packets[4], marks;

        build(&w, tiers[i]);
        small_run(&w, &t, 1);
        look(&w, packets, &marks);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(packets[k], 100);
        small_free(&w);
    }
}

/* Down from the spines nobody has a choice, so a rule of those says nothing:
 * the network's is `first`. */
static void test_others_keep_to_the_network(void **state)
{
    struct transfer t = {.dst = 2, .bytes = 400000};
    struct small_world w;
    uint64_t packets[4], marks;

    small_build(&w,
                TOPOLOGY "network: {mtu: 1000B, routing: first, by_tier: "
                         "{\"spine* > *\": {routing: spray}, "
                         "host: {mtu: 500B}}}\n",
                1);
    small_run(&w, &t, 1);
    look(&w, packets, &marks);
    assert_int_equal(packets[0], 800); /* of half the size */
    assert_int_equal(packets[1] + packets[2] + packets[3], 0);
    small_free(&w);
}

/* Packets may overtake one another where they are sprayed, and there alone. */
static void test_who_waits_for_others(void **state)
{
    const struct orr_connection_spec near = {.src = 0, .dst = 1},
                                     far = {.src = 0, .dst = 2};
    struct small_world w;

    build(&w, "{uplink: {routing: spray}}");
    assert_false(orr__route_reorders(w.net, &near));
    assert_true(orr__route_reorders(w.net, &far));
    small_free(&w);
    build(&w, "{uplink: {routing: flowlet}}");
    assert_false(orr__route_reorders(w.net, &far));
    small_free(&w);
}

/* Two hosts send to one: what meets at its link is marked, if that link's queue
 * marks, and no other does. The first rule that fits holds. */
static void test_queues(void **state)
{
    static const struct {
        const char *tiers;
        bool marks;
    } cases[] = {
        {"{host: {queue: {kind: ecn, capacity: 1MiB, threshold: 5KB}}}", true},
        {"{uplink: {queue: {kind: ecn, capacity: 1MiB, threshold: 5KB}}}",
         false},
        {"{\"leaf1 > host*\": {queue: droptail}, host: {queue: {kind: ecn, "
         "threshold: 5KB}}}",
         false},
        {"{host: {queue: {kind: red, capacity: 1MiB, kmin: 5KB, kmax: 10KB, "
         "pmax: 1}}}",
         true},
        {"{uplink: {queue: {kind: red, kmin: 5KB, kmax: 10KB, pmax: 1, "
         "mark: dequeue}}}",
         false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct transfer t[2] = {{.src = 0, .dst = 2, .bytes = 200000},
                                {.src = 3, .dst = 2, .bytes = 200000}};
        struct small_world w;
        uint64_t packets[4], marks;

        build(&w, cases[i].tiers);
        small_run(&w, t, 2);
        look(&w, packets, &marks);
        assert_int_equal(marks > 0, cases[i].marks);
        small_free(&w);
    }
}

/* A packet holds what the least of the tiers of its path does. */
static void test_mtu(void **state)
{
    const struct orr_connection_spec near = {.src = 0, .dst = 1},
                                     far = {.src = 0, .dst = 2};
    struct small_world w;

    build(&w, "{host: {mtu: 4000B}, uplink: {mtu: 3000B}}");
    assert_int_equal(orr__net_mtu_of(w.net, &near), 4000);
    assert_int_equal(orr__net_mtu_of(w.net, &far), 3000);
    assert_int_equal(orr__largest_payload(w.net_config), 4000);
    small_free(&w);
    build(&w, "{host: {mtu: 4000B}}");
    assert_int_equal(orr__net_mtu_of(w.net, &far), 1000);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spray_where_it_is_asked_for),
        cmocka_unit_test(test_others_keep_to_the_network),
        cmocka_unit_test(test_who_waits_for_others),
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_mtu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
