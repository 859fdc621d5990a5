/* Markers: where they stand among what happens on a host, that nothing counts
 * them, and what else a net takes over from a bench. */
#include "tests/net/small_world.h"

#include "net/loop/marker.h"
#include "net/watch/bench.h"

#define STAR                                                                   \
    "topology: {kind: custom, hosts: 3, switches: 2, link: {rate: 100Gbps, "   \
    "delay: 1us}, cables: [[0, 3], [1, 3], [2, 3], [0, 4], [2, 4]]}\n"         \
    "network: {mtu: 1250B, header: 0B, ack: 125B, ports: %s}\n"

struct heard {
    int64_t at[4];
    uint32_t tag[4], host[4], n;
    const struct transfer *first; /* that had arrived by then */
    bool was_there[4];
};

static void marked(void *heard, uint32_t host, int64_t now, uint32_t tag)
{
    struct heard *h = heard;

    h->at[h->n] = now;
    h->tag[h->n] = tag;
    h->was_there[h->n] = h->first && h->first->received >= 0;
    h->host[h->n++] = host;
}

static const struct orr_net_ops ops = {.marked = marked};

static uint32_t link_between(const struct orr_graph *g, uint32_t a, uint32_t b)
{
    uint32_t l = 0;

    while (g->from[l] != a || g->to[l] != b)
        l++;
    return l;
}

static void begin(struct small_world *w, const char *ports, struct heard *h)
{
    char text[512];

    snprintf(text, sizeof text, STAR, ports);
    small_build(w, text, 1);
    assert_true(orr__net_may_mark(w->net));
    assert_int_equal(orr__net_user(w->net, &ops, h), 2);
}

/* A message of one packet from 1 comes to 0 at 2.2 us (two links, 100 ns each);
 * markers of that instant on a link before and behind it in order. */
static void check_order(const char *ports)
{
    struct transfer t = {.src = 1, .dst = 0, .bytes = 1250};
    struct heard h = {.first = &t};
    struct small_world w;
    const int64_t at = 2200000;

    begin(&w, ports, &h);
    const struct orr_graph *g = w.graph;
    const struct orr_marker marks[] = {
        {at, link_between(g, 4, 0), true, 2, 7},  /* behind it, by its link */
        {at, link_between(g, 0, 4), false, 2, 8}, /* departures come first */
        {at + 2000000, link_between(g, 2, 4), false, 2, 9},
    };
    assert_true(link_between(g, 4, 0) > link_between(g, 3, 0));
    for (int i = 0; i < 3; i++)
        assert_true(orr__net_mark(w.net, &marks[i]));
    small_run(&w, &t, 1);
    assert_int_equal(t.received, at);
    assert_int_equal(h.n, 3);
    assert_int_equal(h.tag[0], 8);
    assert_int_equal(h.host[0], 0);
    assert_false(h.was_there[0]);
    assert_int_equal(h.tag[1], 7);
    assert_true(h.was_there[1]);
    assert_int_equal(h.at[1], at);
    assert_int_equal(h.tag[2], 9);
    assert_int_equal(h.host[2], 2);
    assert_int_equal(h.at[2], at + 2000000);
    assert_int_equal(w.totals.packet_hops, 4);
    assert_int_equal(w.totals.packets_sent, 2);
    for (uint32_t l = 0; l < g->links; l++) {
        struct orr_link_sample s;

        orr__net_link_sample(w.net, l, w.end, &s);
        assert_int_equal(s.packets,
                         g->to[l] < 2 || g->from[l] < 2 ? (s.bytes > 0) : 0);
    }
    small_free(&w);
}

static void test_order(void **state)
{
    check_order("computed");
    check_order("explicit");
}

/* What one net counted, added to another one, in which nothing happened. */
static void test_gain(void **state)
{
    struct transfer t = {.src = 1, .dst = 2, .bytes = 100000};
    struct heard h = {.n = 0};
    struct small_world a, b;
    struct orr_net_counters c;

    begin(&a, "computed", &h);
    begin(&b, "computed", &h);
    small_run(&a, &t, 1);
    orr__net_counters(a.net, &c);
    for (uint32_t l = 0; l < a.graph->links; l++) {
        struct orr_link_gain more;

        orr__net_link_counters(a.net, l, &more);
        orr__net_link_gain(b.net, l, &more);
    }
    orr__net_gain(b.net, 1, &c, a.end, 1);
    small_run(&b, NULL, 0);
    assert_int_equal(b.end, a.end);
    assert_int_equal(b.totals.packet_hops, a.totals.packet_hops);
    assert_int_equal(b.totals.packets_delivered, a.totals.packets_delivered);
    assert_int_equal(b.totals.events, a.totals.events);
    assert_int_not_equal(b.totals.fingerprint, 0);
    for (uint32_t l = 0; l < a.graph->links; l++) {
        struct orr_link_sample x, y;

        orr__net_link_sample(a.net, l, a.end, &x);
        orr__net_link_sample(b.net, l, a.end, &y);
        assert_memory_equal(&x, &y, sizeof x);
    }
    small_free(&a);
    small_free(&b);
}

/* A connection that rests is as it was, however long. */
static void test_rest(void **state)
{
    struct transfer t[2] = {
        {.src = 1, .dst = 2, .bytes = 100000, .tag = 5},
        {.src = 2, .dst = 0, .bytes = 5000, .tag = 6, .start = 900000000},
    };
    struct heard h = {.n = 0};
    struct small_world w;
    uint64_t first, later, other;

    begin(&w, "computed", &h);
    small_run(&w, t, 1);
    orr__net_settle(w.net, w.end);
    assert_true(orr__net_quiet_digest(w.net, &first));
    orr__net_settle(w.net, w.end + 50000000);
    assert_true(orr__net_quiet_digest(w.net, &later));
    assert_int_equal(first, later);
    small_run(&w, t + 1, 1);
    assert_true(orr__net_quiet_digest(w.net, &other));
    assert_int_not_equal(other, first);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
