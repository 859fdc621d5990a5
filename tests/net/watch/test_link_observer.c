/* What observers of links are told, by hand where that can be, and what must
 * hold at any moment of any run. A byte takes 1 ns at 8 Gbps. */
#include "tests/net/small_world.h"

#include "core/units.h"
#include "record/bins.h"
#include "tests/record/read_cells.h"

/* ---- looking on --------------------------------------------------------- */

#define MOST_LINKS 128

/* An observer with bins of its own: what all bins of a link come to. */
struct looker {
    struct orr_net *net;
    struct orr_bins bins;
    int64_t width;
    uint32_t links;
    uint64_t bytes[MOST_LINKS], most[MOST_LINKS];
    int64_t busy[MOST_LINKS];
};

static void check_bin(struct looker *l, const struct orr_bin *b)
{
    struct orr_cell cell[MOST_LINKS];

    assert_in_range(b->cell.n, 0, MOST_LINKS);
    read_cells(&b->cell, cell);
    for (uint32_t i = 0; i < b->cell.n; i++) {
        const struct orr_cell *c = &cell[i];

        assert_in_range(c->busy_ps, 0, b->end_ps - b->start_ps);
        assert_in_range(c->bytes, 0, 1 << 30);
        assert_true(c->area >= 0);
        /* a mean is no more than the longest */
        assert_true(c->area <= ((double)c->max_queue + 2)
                                   * (double)(b->end_ps - b->start_ps));
        l->bytes[c->link] += c->bytes;
        l->busy[c->link] += c->busy_ps;
        if (c->max_queue > l->most[c->link])
            l->most[c->link] = c->max_queue;
    }
}

static int64_t look(void *arg, int64_t now)
{
    struct looker *l = arg;

    assert_int_equal(orr__bins_close(&l->bins, l->net, now), ORR_OK);
    check_bin(l, &l->bins.bin[l->bins.n - 1]);
    orr__bins_drop(&l->bins, l->bins.n);
    return now + l->width;
}

static void look_on(struct looker *l, struct small_world *w, int64_t width)
{
    struct orr_report why = {0};

    *l = (struct looker){
        .net = w->net, .width = width, .links = w->graph->links};
    assert_in_range(l->links, 1, MOST_LINKS);
    assert_int_equal(orr__bins_init(&l->bins, w->net, l->links, false), ORR_OK);
    assert_int_equal(orr__net_control(w->net, width, look, l, &why), ORR_OK);
}

/* ---- at any moment of any run ------------------------------------------- */

static void send_all(struct small_world *w, struct transfer *t, uint32_t n)
{
    memset(t, 0, n * sizeof *t);
    for (uint32_t i = 0; i < n; i++)
        t[i] = (struct transfer){.src = i % w->graph->hosts,
                                 .dst = (i + 1 + i / 3) % w->graph->hosts,
                                 .bytes = 20000 + 1237 * i,
                                 .start = 131 * (int64_t)i};
    for (uint32_t i = 0; i < n; i++)
        if (t[i].src == t[i].dst)
            t[i].dst = (t[i].dst + 1) % w->graph->hosts;
    small_run(w, t, n);
}

/* Observers of several widths, one and none: the same of every link. */
static void same_for_all(const char *yaml)
{
    enum { N = 12 };
    struct orr_link_sample alone[MOST_LINKS], s;
    struct transfer t[N];
    struct small_world w;
    struct looker wide, narrow;

    small_build(&w, yaml, 1);
    send_all(&w, t, N);
    for (uint32_t l = 0; l < w.graph->links; l++)
        orr__net_link_sample(w.net, l, w.end, &alone[l]);
    small_free(&w);

    small_build(&w, yaml, 1);
    look_on(&wide, &w, 3217001);
    look_on(&narrow, &w, 17003);
    send_all(&w, t, N);
    look(&wide, w.end + 1);
    look(&narrow, w.end + 1);
    for (uint32_t l = 0; l < w.graph->links; l++) {
        orr__net_link_sample(w.net, l, w.end, &s);
        assert_int_equal(s.max_queue, alone[l].max_queue);
        assert_int_equal(s.bytes, alone[l].bytes);
        assert_int_equal(s.busy_ps, alone[l].busy_ps);
        assert_true(s.area == alone[l].area);
        assert_in_range(s.busy_ps, 0, w.end);
        for (int k = 0; k < 2; k++) {
            const struct looker *o = k ? &wide : &narrow;

            assert_int_equal(o->bytes[l], s.bytes);
            assert_int_equal(o->busy[l], s.busy_ps);
            assert_int_equal(o->most[l], s.max_queue);
        }
    }
    orr__bins_fini(&wide.bins);
    orr__bins_fini(&narrow.bins);
    small_free(&w);
}

/* Rates whose bytes take no whole number of picoseconds. */
#define TREE                                                                   \
    "topology: {kind: fat-tree, k: 4, link: {rate: 10001Mbps, delay: 1us}, "   \
    "tiers: {host: {rate: 3GB/s, delay: 100ns}}}\n"
#define SLOW_HOSTS                                                             \
    "topology: {kind: fat-tree, k: 4, link: {rate: 77777Mbps, delay: 1us}, "   \
    "tiers: {host: {rate: 3333Mbps, delay: 100ns}}}\n"
#define PAIRS                                                                  \
    "topology: {kind: dumbbell, left: 3, right: 3, link: {rate: 7Tbps, "       \
    "delay: 1us}, bottleneck: {rate: 1Tbps, delay: 1us}}\n"

/* Nothing is noted while nobody looks on; who comes late hears of all links
 * that were ever sent on. */
static void test_who_comes_late(void **state)
{
    uint32_t links[MOST_LINKS], count, sent = 0;
    struct orr_net_cursor *c;
    struct orr_report why = {0};
    struct transfer t[2];
    struct small_world w;

    small_build(&w, TREE, 1);
    send_all(&w, t, 2);
    assert_int_equal(orr__net_cursor_new(w.net, false, &c, &why), ORR_OK);
    count = orr__net_active_links(w.net, c, w.end + 1, links);
    for (uint32_t l = 0; l < w.graph->links; l++) {
        struct orr_link_sample s;

        orr__net_link_sample(w.net, l, w.end, &s);
        if (s.packets == 0)
            continue;
        assert_true(sent < count);
        assert_int_equal(links[sent++], l);
    }
    assert_true(sent > 4);
    assert_int_equal(sent, count);
    assert_int_equal(orr__net_active_links(w.net, c, w.end + 2, links), 0);
    small_free(&w);
}

static void test_what_holds_always(void **state)
{
    static const char *const network[] = {
        "network: {switching: cut-through}",
        "network: {switching: cut-through, queue: {kind: ecn, capacity: 30KB, "
        "threshold: 8KB}, cc: {kind: dctcp}}",
        "network: {}",
        "network: {ports: explicit}",
        "network: {queue: {kind: droptail, capacity: 20KB}}",
        "network: {queue: {kind: droptail, capacity: 64KB}, "
        "pfc: {enabled: true}}",
    };
    static const char *const topology[] = {TREE, SLOW_HOSTS, PAIRS};

    for (size_t i = 0; i < sizeof network / sizeof *network; i++)
        for (size_t k = 0; k < sizeof topology / sizeof *topology; k++) {
            char text[1024];

            if (i == 5 && k != 0)
                continue; /* headroom would not fit */
            snprintf(text, sizeof text, "%s%s\n", topology[k], network[i]);
            same_for_all(text);
        }
}

/* Up and down again, a packet in service at each, one of them twice. */
static void test_what_holds_when_rates_change(void **state)
{
    static const char *const network[] = {
        "{}",
        "{queue: {kind: droptail, capacity: 20KB}}",
        "{queue: {kind: red, capacity: 30KB, kmin: 5KB, kmax: 15KB}, "
        "cc: {kind: dctcp}}",
        "{queue: {kind: trim, capacity: 20KB}}",
    };

    for (size_t i = 0; i < sizeof network / sizeof *network; i++) {
        char text[1024];

        snprintf(text, sizeof text,
                 TREE "network: %s\nfailures:\n"
                      "  - {link: 0, at: 3us, rate: 100Mbps}\n"
                      "  - {link: 0, at: 4us, rate: 40Gbps}\n"
                      "  - {link: 0, at: 5us, rate: 3001Mbps}\n"
                      "  - {link: 20, at: 7us, rate: 1Gbps}\n"
                      "  - {link: 20, at: 90us, rate: 400Gbps}\n"
                      "  - {link: 21, at: 9us, rate: 400Gbps}\n",
                 network[i]);
        same_for_all(text);
    }
}

/* ---- by hand ------------------------------------------------------------ */

struct moment {
    int64_t at;
    uint64_t queue, bytes;
    int64_t busy;
    double area; /* byte * ns */
};

struct moments {
    struct orr_net *net;
    const struct moment *next;
    uint32_t link, left;
};

static int64_t compare(void *arg, int64_t now)
{
    struct moments *m = arg;
    struct orr_link_sample s;

    orr__net_link_sample(m->net, m->link, now, &s);
    assert_int_equal(s.queue, m->next->queue);
    assert_int_equal(s.bytes, m->next->bytes);
    assert_int_equal(s.busy_ps, m->next->busy * ORR_NS);
    if (s.area < m->next->area * 1000 - 1 || s.area > m->next->area * 1000 + 1)
        fail_msg("area %g, not %g", s.area / 1000, m->next->area);
    m->next++;
    return --m->left ? m->next->at * ORR_NS : ORR_NEVER;
}

/* A packet of 1,000 bytes from 8 Gbps to 80 Gbps: its head is at the switch at
 * 1,064 ns, its tail at 2,000, so it is sent from 1,900 on. */
static void test_late_begin(void **state)
{
    static const struct moment want[] = {
        {1064, 0, 0, 0, 0},
        {1065, 1000, 0, 0, 1000},
        {1900, 1000, 0, 0, 836000},
        {1950, 500, 500, 50, 836000 + 37500},
        {2000, 0, 1000, 100, 836000 + 50000},
        {2500, 0, 1000, 100, 836000 + 50000},
    };
    struct transfer t = {.dst = 4, .bytes = 1000};
    struct orr_link_sample s;
    struct small_world w;
    struct moments m = {.next = want, .left = sizeof want / sizeof *want};

    small_build(&w,
                "topology: {kind: dumbbell, left: 4, right: 4, link: {rate: "
                "8Gbps, delay: 1us}, bottleneck: {rate: 80Gbps, delay: 1us}}\n"
                "network: {mtu: 1000B, switching: cut-through}\n",
                1);
    while (w.graph->from[m.link] != 8 || w.graph->to[m.link] != 9)
        m.link++;
    m.net = w.net;
    assert_int_equal(
        orr__net_control(w.net, want[0].at * ORR_NS, compare, &m, &w.why),
        ORR_OK);
    small_run(&w, &t, 1);
    assert_int_equal(m.left, 0);
    orr__net_link_sample(w.net, m.link, w.end, &s);
    assert_int_equal(s.max_queue, 1000);
    small_free(&w);
}

/* Two such packets, from two hosts, the second 500 ns later: it is sent from
 * 2,400 on, and two gaps lie ahead while both wait. */
static void test_two_gaps(void **state)
{
    static const struct moment want[] = {
        {1500, 1000, 0, 0, 436000},
        {1600, 2000, 0, 0, 536000 + 36000},
        {1950, 1500, 500, 50, 836000 + 37500 + 386000},
        {2000, 1000, 1000, 100, 836000 + 50000 + 436000},
        {2100, 1000, 1000, 100, 836000 + 50000 + 536000},
        {2450, 500, 1500, 150, 836000 + 50000 + 836000 + 37500},
        {2600, 0, 2000, 200, 2 * (836000 + 50000)},
    };
    struct transfer t[2] = {
        {.src = 0, .dst = 4, .bytes = 1000},
        {.src = 1, .dst = 5, .bytes = 1000, .start = 500 * ORR_NS}};
    struct orr_link_sample s;
    struct small_world w;
    struct moments m = {.next = want, .left = sizeof want / sizeof *want};

    /* the queue has room for both: limits are bytes, and gaps are none */
    small_build(&w,
                "topology: {kind: dumbbell, left: 4, right: 4, link: {rate: "
                "8Gbps, delay: 1us}, bottleneck: {rate: 80Gbps, delay: 1us}}\n"
                "network: {mtu: 1000B, switching: cut-through, queue: {kind: "
                "droptail, capacity: 2000B}, transport: datagram}\n",
                1);
    while (w.graph->from[m.link] != 8 || w.graph->to[m.link] != 9)
        m.link++;
    m.net = w.net;
    assert_int_equal(
        orr__net_control(w.net, want[0].at * ORR_NS, compare, &m, &w.why),
        ORR_OK);
    small_run(&w, t, 2);
    assert_int_equal(m.left, 0);
    assert_int_equal(w.totals.packets_dropped, 0);
    orr__net_link_sample(w.net, m.link, w.end, &s);
    assert_int_equal(s.max_queue, 2000);
    small_free(&w);
}

/* Two hosts send 4,000 bytes each at 80 Gbps (400 ns) to one link of 8 Gbps,
 * which becomes ten times faster at 2,400 ns. The first packet began at 1,400
 * and ends at 5,400 as it would have; the second takes 400 ns after it. */
static void test_rate_changes_in_service(void **state)
{
    static const struct moment want[] = {
        {2400, 7000, 1000, 1000, 7500000},  {3400, 6000, 2000, 2000, 14000000},
        {5400, 4000, 4000, 4000, 24000000}, {5500, 3000, 5000, 4100, 24350000},
        {5800, 0, 8000, 4400, 24800000},
    };
    struct transfer t[2] = {{.src = 0, .dst = 4, .bytes = 4000},
                            {.src = 1, .dst = 5, .bytes = 4000}};
    struct orr_link_sample s;
    struct small_world w;
    struct moments m = {.next = want, .left = sizeof want / sizeof *want};

    small_build(&w,
                "topology: {kind: dumbbell, left: 4, right: 4, link: {rate: "
                "80Gbps, delay: 1us}, bottleneck: {rate: 8Gbps, delay: 1us}}\n"
                "network: {mtu: 4000B, transport: datagram, queue: {kind: "
                "droptail, capacity: 8000B}}\n"
                "failures: [{link: [8, 9], at: 2400ns, rate: 80Gbps}]\n",
                1);
    while (w.graph->from[m.link] != 8 || w.graph->to[m.link] != 9)
        m.link++;
    m.net = w.net;
    assert_int_equal(
        orr__net_control(w.net, want[0].at * ORR_NS, compare, &m, &w.why),
        ORR_OK);
    small_run(&w, t, 2);
    assert_int_equal(m.left, 0);
    orr__net_link_sample(w.net, m.link, w.end, &s);
    assert_int_equal(s.max_queue, 8000);
    small_free(&w);
}

/* A packet in service that was begun ten times slower is no ten packets: a
 * third one, at 3,400 ns, finds 6,000 bytes and room for its own 4,000. */
static void test_limits_stay_bytes(void **state)
{
    struct transfer t[3] = {
        {.src = 0, .dst = 4, .bytes = 4000},
        {.src = 1, .dst = 5, .bytes = 4000},
        {.src = 2, .dst = 6, .bytes = 4000, .start = 2000 * ORR_NS}};
    struct small_world w;

    small_build(&w,
                "topology: {kind: dumbbell, left: 4, right: 4, link: {rate: "
                "80Gbps, delay: 1us}, bottleneck: {rate: 8Gbps, delay: 1us}}\n"
                "network: {mtu: 4000B, transport: datagram, queue: {kind: "
                "droptail, capacity: 10000B}}\n"
                "failures: [{link: [8, 9], at: 2400ns, rate: 80Gbps}]\n",
                1);
    small_run(&w, t, 3);
    assert_int_equal(w.totals.packets_dropped, 0);
    small_free(&w);
}

/* Taking one's maximum leaves that of others, and of the run, as it is. */
static void test_observers_are_apart(void **state)
{
    struct transfer t = {.dst = 1, .bytes = 5000};
    struct orr_net_cursor *one, *other;
    struct orr_link_sample s;
    struct small_world w;
    uint32_t links[MOST_LINKS];

    small_build(&w,
                "topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, "
                "delay: 1us}}\nnetwork: {mtu: 1000B}",
                1);
    assert_int_equal(orr__net_cursor_new(w.net, true, &one, &w.why), ORR_OK);
    assert_int_equal(orr__net_cursor_new(w.net, true, &other, &w.why), ORR_OK);
    small_run(&w, &t, 1);
    assert_int_equal(orr__net_active_links(w.net, one, w.end, links), 4);
    assert_int_equal(orr__net_active_links(w.net, one, w.end, links), 0);
    assert_int_equal(orr__net_active_links(w.net, other, w.end, links), 4);
    assert_int_equal(orr__net_take_max(w.net, one, 0, w.end), 1000);
    assert_int_equal(orr__net_take_max(w.net, one, 0, w.end), 0);
    assert_int_equal(orr__net_take_max(w.net, other, 0, w.end), 1000);
    orr__net_link_sample(w.net, 0, w.end, &s);
    assert_int_equal(s.max_queue, 1000);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_late_begin),
        cmocka_unit_test(test_two_gaps),
        cmocka_unit_test(test_rate_changes_in_service),
        cmocka_unit_test(test_limits_stay_bytes),
        cmocka_unit_test(test_observers_are_apart),
        cmocka_unit_test(test_who_comes_late),
        cmocka_unit_test(test_what_holds_always),
        cmocka_unit_test(test_what_holds_when_rates_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
