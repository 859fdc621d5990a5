/* Composite ports do what egress.c does for any port: each network is run as
 * it is and with somebody who looks at packets, which makes all ports any. */
#include "tests/net/small_world.h"

#include "net/port/port.h"
#include "net/watch/packet_observer.h"

#define MOST 16

struct seen {
    uint64_t dropped, marked;
};

static void dropped(void *seen, const struct orr_observed_hop *h)
{
    ((struct seen *)seen)->dropped++;
}

static void marked(void *seen, const struct orr_observed_hop *h)
{
    ((struct seen *)seen)->marked++;
}

static const struct orr_packet_observer_ops looks = {
    .dropped = dropped,
    .marked = marked,
};

/* All to the first, and each to its neighbour. */
static uint32_t cross(struct transfer *t, uint32_t hosts)
{
    uint32_t n = 0;

    memset(t, 0, MOST * sizeof *t);
    for (uint32_t i = 1; i < hosts; i++) {
        t[n++] = (struct transfer){
            .src = i, .dst = 0, .bytes = 90000 + i, .start = 700 * (int64_t)i};
        t[n++] = (struct transfer){.src = i - 1, .dst = i, .bytes = 60000};
    }
    return n;
}

static void same_ports(struct small_world *a, struct small_world *b)
{
    for (uint32_t l = 0; l < a->graph->links; l++) {
        struct orr_port *p = &a->net->port[l], *q = &b->net->port[l];

        assert_int_equal(p->bytes, q->bytes);
        assert_int_equal(p->packets, q->packets);
        assert_int_equal(p->marks, q->marks);
        assert_int_equal(p->drops, q->drops);
        assert_int_equal(p->max_ps, q->max_ps);
        assert_true(orr__port_area_of(a->net, p)
                    == orr__port_area_of(b->net, q));
        assert_int_equal(a->net->queue[l]->order, b->net->queue[l]->order);
    }
}

static struct orr_net_totals both_ways(const char *yaml, unsigned workers)
{
    struct small_world w, other;
    struct transfer t[MOST], u[MOST];
    struct orr_net_totals totals;
    struct seen seen = {0};
    uint32_t n = cross(t, 6);

    cross(u, 6);
    small_build(&w, yaml, workers);
    for (uint32_t l = 0; l < w.graph->links; l++)
        assert_true(w.net->queue[l]->composite);
    small_run(&w, t, n);
    small_build(&other, yaml, 1);
    small_check(&other,
                orr__net_observe_packets(other.net, &looks, &seen, &other.why));
    for (uint32_t l = 0; l < w.graph->links; l++)
        assert_false(other.net->queue[l]->composite);
    small_run(&other, u, n);
    totals = w.totals;
    assert_int_equal(totals.fingerprint, other.totals.fingerprint);
    assert_int_equal(totals.events, other.totals.events);
    assert_int_equal(totals.packets_trimmed, other.totals.packets_trimmed);
    assert_int_equal(totals.packets_dropped, seen.dropped);
    assert_int_equal(totals.ecn_marks, seen.marked);
    assert_int_equal(w.end, other.end);
    same_ports(&w, &other);
    small_free(&w);
    small_free(&other);
    return totals;
}

/* network: what stands there beside mtu. */
static struct orr_net_totals try(const char *rate, const char *network)
{
    struct orr_net_totals one, three;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: leaf-spine, leaves: 2, spines: 2, "
             "hosts_per_leaf: 3, link: {rate: %s, delay: 1us}}\n"
             "network: {mtu: 1000B, %s}\n",
             rate, network);
    one = both_ways(yaml, 1);
    three = both_ways(yaml, 3);
    assert_int_equal(one.fingerprint, three.fingerprint);
    return one;
}

/* Much is cut, and all of it comes; what was cut and ACKs overtake data. */
static void test_cuts(void **state)
{
    struct orr_net_totals t = try("10Gbps", "queue: {kind: trim, capacity: "
                                            "8KB}");

    assert_true(t.packets_trimmed > 100);
    assert_int_equal(t.packets_dropped, 0);
    assert_true(t.ecn_marks > 100);
}

/* There is hardly room for what is cut, nor for ACKs. */
static void test_drops(void **state)
{
    struct orr_net_totals t = try("10Gbps", "ack: 64B, queue: {kind: trim, "
                                            "capacity: 3KB, control: 200B, "
                                            "ahead: 1, pmax: 0}");

    assert_true(t.packets_trimmed > 10);
    assert_true(t.packets_dropped > 10);
    assert_int_equal(t.ecn_marks, 0);
    /* a header larger than what it is cut from */
    t = try("10Gbps", "queue: {kind: trim, capacity: 4KB, header: 2KB}");
    assert_true(t.packets_trimmed > 10);
}

/* A rate at which a byte takes no whole number of picoseconds; paths by
 * packet. */
static void test_rates(void **state)
{
    struct orr_net_totals t =
        try("7Gbps", "routing: spray-random, cc: nscc, recovery: rack, "
                     "queue: {kind: trim, capacity: 20KB}");

    assert_true(t.packets_trimmed > 10);
    t = try("7Gbps", "cc: hpcc, queue: {kind: trim, capacity: 20KB, kmin: 2KB, "
                     "kmax: 4KB, pmax: 0.3}");
    assert_true(t.ecn_marks > 10);
}

/* One queue for all, marked when it is left; its average remembers. */
static void test_marks_late(void **state)
{
    struct orr_net_totals t =
        try("10Gbps", "queue: {kind: red, capacity: 30KB, kmin: 3KB, kmax: "
                      "20KB, mark: dequeue}");

    assert_true(t.ecn_marks > 10);
    assert_int_equal(t.packets_trimmed, 0);
    assert_true(t.packets_dropped > 10);
    t = try("10Gbps", "cc: dcqcn, queue: {kind: red, capacity: 1MB, kmin: 3KB, "
                      "kmax: 20KB, pmax: 1, weight: 0.01, mark: dequeue}");
    assert_true(t.ecn_marks > 10);
}

/* Where more is to be minded, they are none. */
static void test_others(void **state)
{
    static const char *const network[] = {
        "queue: {kind: trim, scheduler: strict}, classes: 2",
        "queue: {kind: trim, scheduler: fair}",
        "queue: {kind: red, mark: dequeue}, pfc: {enabled: true}",
        "queue: trim, buffer: {kind: shared, size: 1MB}",
        "queue: {kind: red}, ports: explicit",
    };

    for (size_t i = 0; i < sizeof network / sizeof *network; i++) {
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: leaf-spine, leaves: 2, spines: 2, "
                 "hosts_per_leaf: 3, link: {rate: 10Gbps, delay: 1us}}\n"
                 "network: {%s}\n",
                 network[i]);
        small_build(&w, yaml, 1);
        for (uint32_t l = 0; l < w.graph->links; l++)
            if (!w.graph->sends[w.graph->from[l]])
                assert_false(w.net->queue[l]->composite);
        small_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),   cmocka_unit_test(test_drops),
        cmocka_unit_test(test_rates),  cmocka_unit_test(test_marks_late),
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
