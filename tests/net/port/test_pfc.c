/* Pause frames: times by hand, nothing is ever dropped, and deadlocks are
 * found. */
#include "tests/net/small_world.h"

#include <unistd.h>

#include "core/random.h"
#include "core/units.h"
#include "net/port/pfc.h"

/* Host 0 sends 12 packets of 1000 B at 16 Gbps (500 ns each) to a switch that
 * sends at 8 Gbps (1 us each). They arrive from 1.5 us on; the first leaves at
 * 2.5, so that 3000 B, XOFF, are reached at 3 us. The frame of 64 B (32 ns) is
 * at the host at 4.032 us, in the middle of the ninth packet. 1000 B are left
 * when the eighth has gone at 9.5 us: XON, at the host at 10.532 us. The tenth
 * is at the switch at 12.032; it and two more take until 15.032 us, and the
 * last is there 1 us later. */
static void by_hand(unsigned workers)
{
    struct transfer t[1] = {{.src = 0, .dst = 1, .bytes = 12000}};
    struct orr_link_sample s;
    struct small_world w;
    uint32_t up = 0, down;

    small_read(&w,
               "topology: {kind: switch, hosts: 2, link: {rate: 16Gbps, "
               "delay: 1us}}\n"
               "network: {mtu: 1000B, transport: datagram, pfc: {enabled: "
               "true, xoff: 3000B, hysteresis: 2000B}}\n",
               1);
    down = w.graph->cables;
    for (uint32_t l = 0; l < w.graph->links; l++)
        if (w.graph->to[l] == 1)
            w.graph->rate_bps[l] = 8000000000u;
    small_make(&w, workers);
    small_run(&w, t, 1);
    assert_int_equal(t[0].received, 16032 * ORR_NS);
    assert_int_equal(w.totals.pfc_pauses, 1);
    assert_int_equal(w.totals.packets_sent, 12);
    assert_int_equal(w.totals.packets_delivered, 12);
    assert_int_equal(w.totals.packet_hops, 24);
    assert_int_equal(w.graph->from[up], 0);
    orr__net_link_sample(w.net, up, w.end, &s);
    assert_int_equal(s.pauses, 1);
    assert_int_equal(s.paused_ps, 6500 * ORR_NS);
    assert_int_equal(s.bytes, 12000);
    orr__net_link_sample(w.net, down, w.end, &s);
    assert_int_equal(s.bytes, 128); /* a pause and a resume */
    assert_int_equal(s.packets, 2);
    small_free(&w);
}

/* form: hpcc. 8 Gbps and 1 us are 1,000 B; three times that is headroom, once
 * for both classes. Alpha doubles for each halving of a rate that is beyond the
 * first host's, to 1 at most. What the headroom of all links and 4 KiB each
 * leave of the memory is shared. */
static void test_form_of_hpcc(void **state)
{
    static const uint64_t gbps[] = {8, 8, 16, 12, 800};
    const uint64_t apart = 3 * 844 * 125 + 5 * 4096;
    uint64_t left = (4 << 20) - apart;
    struct small_world w;

    small_read(&w,
               "topology: {kind: switch, hosts: 5, link: {rate: 8Gbps, delay: "
               "1us}}\n"
               "network: {mtu: 1000B, classes: 2, buffer: {kind: shared, size: "
               "4MiB}, pfc: {enabled: true, form: hpcc}}\n",
               1);
    for (uint32_t l = 0; l < w.graph->links; l++) {
        uint32_t a = w.graph->from[l], b = w.graph->to[l];

        w.graph->rate_bps[l] = gbps[a < b ? a : b] * 1000000000;
    }
    small_make(&w, 1);
    for (uint32_t l = 0; l < w.graph->links; l++) {
        uint32_t host = w.graph->from[l];
        double alpha = host < 2 ? 0.125 : host < 4 ? 0.25 : 1;

        if (host < 5)
            assert_int_equal(orr__pfc_threshold(w.net, 5, l),
                             (uint64_t)(alpha * (double)left));
    }
    small_free(&w);
}

static void test_by_hand(void **state)
{
    by_hand(1);
    by_hand(2);
    by_hand(3);
}

/* The time integral of a port's queue while it is paused. Host 0, switches 2
 * and 3 and host 1 in a line at 16 Gbps, the last link at 8 Gbps; XOFF 1000 B,
 * XON when all is gone. Three packets are at switch 2 at 1.5, 2 and 2.5 us and
 * leave at once (500 ns each). They are at switch 3 from 3 us on; its frame is
 * back at 4.032 us, too late for them, and its resume, when they have gone at 6
 * us, at 7.032. Two more set out when host 0 is resumed for the last time, at
 * 4.032 (switch 2 was empty at 3), are at switch 2 at 5.532 and 6.032, and
 * leave at 7.532 and 8.032: 1.5 us of waiting for each, and 250 ns for half the
 * service of each of the five. They are at switch 3 at 8.532, out of it at
 * 10.532; pauses again from 9.564 to 11.564. */
static void test_queue_of_a_paused_port(void **state)
{
    struct transfer t[2] = {
        {.src = 0, .dst = 1, .bytes = 3000},
        {.src = 0, .dst = 1, .bytes = 2000, .start = 4 * ORR_US}};
    struct orr_link_sample s;
    struct small_world w;
    uint32_t middle = UINT32_MAX;

    small_read(&w,
               "topology: {kind: dumbbell, left: 1, right: 1, link: {rate: "
               "16Gbps, delay: 1us}}\n"
               "network: {mtu: 1000B, transport: datagram, pfc: {enabled: "
               "true, xoff: 1000B, hysteresis: 1000B}}\n",
               1);
    for (uint32_t l = 0; l < w.graph->links; l++) {
        if (w.graph->to[l] == 1)
            w.graph->rate_bps[l] = 8000000000u;
        if (w.graph->from[l] == 2 && w.graph->to[l] == 3)
            middle = l;
    }
    small_make(&w, 1);
    small_run(&w, t, 2);
    orr__net_link_sample(w.net, middle, w.end, &s);
    assert_true(s.area == 1000 * (2 * 1.5e6 + 5 * 0.25e6));
    assert_int_equal(s.pauses, 2);
    assert_int_equal(s.paused_ps, 5000 * ORR_NS);
    assert_int_equal(t[0].received, 7000 * ORR_NS);
    assert_int_equal(t[1].received, 11532 * ORR_NS);
    small_free(&w);
}

/* ---- random incasts ---- */

static const char *const kinds[] = {
    "kind: switch, hosts: 9",
    "kind: dumbbell, left: 5, right: 3",
    "kind: leaf-spine, leaves: 3, spines: 2, hosts_per_leaf: 3",
    "kind: fat-tree, k: 4",
};
static const char *const schedulers[] = {"fifo", "strict", "drr", "wfq"};

struct incast {
    struct transfer t[40];
    uint32_t n, classes;
    char text[768];
    struct orr_random random;
};

static uint32_t below(struct incast *c, uint32_t n)
{
    return (uint32_t)orr__random_below(&c->random, n);
}

static void draw(struct incast *c, unsigned seed, bool pfc)
{
    static const uint32_t hosts[] = {9, 8, 9, 16};
    uint32_t kind, dst;

    memset(c, 0, sizeof *c);
    orr__random_init(&c->random, 1, seed, ORR_PURPOSE_TEST);
    kind = below(c, 4);
    c->classes = 1 + below(c, 3);
    snprintf(c->text, sizeof c->text,
             "topology: {%s, link: {rate: %uGbps, delay: %uns}}\n"
             "network: {mtu: %uB, header: %uB, recovery: %s, rto: {initial: "
             "1ms, min: 1ms},\n"
             "  queue: {kind: droptail, capacity: %uB, scheduler: %s},\n"
             "  buffer: {kind: %s, size: %uB, alpha: %s}, "
             "pfc: {enabled: %s}}\n",
             kinds[kind], 1 + below(c, 100), 100 + below(c, 2000),
             500 + below(c, 2000), below(c, 100),
             below(c, 2) ? "go-back-n" : "sack", 30000 + below(c, 100000),
             schedulers[below(c, 4)], below(c, 2) ? "shared" : "port",
             200000 + below(c, 500000), below(c, 2) ? "0.125" : "1",
             pfc ? "true" : "false");
    c->n = 2 + below(c, 38);
    dst = below(c, hosts[kind]);
    for (uint32_t i = 0; i < c->n; i++) {
        struct transfer *t = &c->t[i];

        t->dst = below(c, 4) ? dst : below(c, hosts[kind]);
        t->src = (t->dst + 1 + below(c, hosts[kind] - 1)) % hosts[kind];
        t->bytes = 1 + below(c, 60000);
        t->start = below(c, 20000) * ORR_NS;
        t->class = below(c, c->classes);
    }
}

/* False: the memory is too small for the headroom, and that was said. */
static bool run(struct incast *c, unsigned workers, uint64_t *fingerprint,
                struct orr_net_totals *totals)
{
    struct small_world w;
    uint64_t pauses = 0;
    orr_err err;

    small_read(&w, c->text, c->classes);
    err = small_try(&w, workers);
    if (err == ORR_ECONFIG) {
        assert_non_null(strstr(w.why.message, " has a memory of "));
        small_free(&w);
        return false;
    }
    small_check(&w, err);
    small_run(&w, c->t, c->n);
    for (uint32_t i = 0; i < c->n; i++)
        assert_true(c->t[i].received > 0 && c->t[i].acked > c->t[i].received);
    for (uint32_t l = 0; l < w.graph->links; l++) {
        struct orr_link_sample s;

        orr__net_link_sample(w.net, l, w.end, &s);
        pauses += s.pauses;
        assert_int_equal(s.queue, 0);
        assert_true(s.paused_ps >= 0 && (s.pauses == 0) == (s.paused_ps == 0));
        assert_true(s.area >= 0);
    }
    assert_int_equal(pauses, w.totals.pfc_pauses);
    *fingerprint = w.totals.fingerprint;
    *totals = w.totals;
    small_free(&w);
    return true;
}

static void test_nothing_is_dropped(void **state)
{
    struct incast c;
    struct orr_net_totals totals;
    uint64_t first, other, pauses = 0;
    unsigned ran = 0;

    for (unsigned seed = 0; seed < 150; seed++) {
        draw(&c, seed, true);
        if (!run(&c, 1, &first, &totals))
            continue;
        ran++;
        assert_int_equal(totals.packets_dropped, 0);
        pauses += totals.pfc_pauses;
        if (seed % 3)
            continue;
        for (unsigned workers = 2; workers <= 3; workers++) {
            draw(&c, seed, true);
            assert_true(run(&c, workers, &other, &totals));
            assert_true(other == first);
        }
    }
    assert_true(ran > 75);
    assert_true(pauses > 100);
}

static void test_without_it_everything_arrives(void **state)
{
    struct incast c;
    struct orr_net_totals totals;
    uint64_t fingerprint, drops = 0;

    for (unsigned seed = 0; seed < 100; seed++) {
        draw(&c, seed, false);
        assert_true(run(&c, 1, &fingerprint, &totals));
        assert_int_equal(totals.pfc_pauses, 0);
        drops += totals.packets_dropped;
    }
    assert_true(drops > 100);
}

/* ---- deadlock ---- */

/* Five switches in a ring, a host at each, which sends to the next but one:
 * each link carries two flows, and what waits for it fills the buffer behind
 * the one before. */
static void write_ring(FILE *f)
{
    fputs("<?xml version=\"1.0\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
          "<key id=\"r\" for=\"edge\" attr.name=\"rate\" "
          "attr.type=\"string\"/>\n"
          "<key id=\"d\" for=\"edge\" attr.name=\"delay\" "
          "attr.type=\"string\"/>\n"
          "<key id=\"t\" for=\"node\" attr.name=\"type\" "
          "attr.type=\"string\"/>\n<graph edgedefault=\"undirected\">\n",
          f);
    for (int i = 0; i < 10; i++)
        fprintf(f, "<node id=\"n%d\"><data key=\"t\">%s</data></node>\n", i,
                i < 5 ? "host" : "switch");
    for (int i = 0; i < 10; i++)
        fprintf(f,
                "<edge source=\"n%d\" target=\"n%d\"><data key=\"r\">"
                "8Gbps</data><data key=\"d\">1us</data></edge>\n",
                i, i < 5 ? i + 5 : 5 + (i + 1) % 5);
    fputs("</graph></graphml>\n", f);
}

static orr_err ring(struct small_world *w, const char *network,
                    unsigned workers)
{
    static struct transfer t[5];
    char yaml[512], file[] = "/tmp/orrery-test-XXXXXX";
    int fd = mkstemp(file);
    FILE *f = fdopen(fd, "w");

    assert_non_null(f);
    write_ring(f);
    fclose(f);
    snprintf(yaml, sizeof yaml,
             "topology: {kind: file, file: %s}\n"
             "network: {mtu: 1000B, %s, pfc: {enabled: true, xoff: 10KB}}\n",
             file, network);
    small_read(w, yaml, 1);
    unlink(file);
    small_make(w, workers);
    w->transfer = t;
    for (uint32_t i = 0; i < 5; i++) {
        t[i] = (struct transfer){.src = i,
                                 .dst = (i + 2) % 5,
                                 .bytes = 1000000,
                                 .received = -1,
                                 .sent = -1,
                                 .acked = -1};
        orr__net_timer(w->net, i, 0, 0, i);
    }
    return orr__net_run(w->net, INT64_MAX, NULL, NULL, &w->end, &w->why);
}

static void test_deadlock(void **state)
{
    struct small_world w;
    char first[1024] = "";

    for (unsigned workers = 1; workers <= 3; workers++) {
        assert_int_equal(ring(&w, "transport: reliable", workers), ORR_ERUN);
        assert_non_null(strstr(w.why.message, "PFC deadlock"));
        assert_non_null(strstr(w.why.message, "class 0 of 5 links"));
        if (!first[0])
            memcpy(first, w.why.message, sizeof first);
        assert_string_equal(w.why.message, first);
        small_free(&w);
    }
    /* Datagrams set no timers: the run goes quiet, and says why. */
    assert_int_equal(ring(&w, "transport: datagram", 1), ORR_ERUN);
    assert_non_null(strstr(w.why.message, "PFC deadlock"));
    small_free(&w);
}

/* A window of a few packets never fills the buffers: no cycle, no report. */
static void test_no_deadlock(void **state)
{
    struct small_world w;

    assert_int_equal(ring(&w, "window: 4", 1), ORR_OK);
    small_free(&w);
}

/* Two hosts send 50 packets each to a third, in step, by a queue of five: from
 * the fifth pair on the second of each finds it full. */
static void test_lossy_beside_lossless(void **state)
{
    static const struct {
        const char *pfc;
        uint32_t class, drops;
    } cases[] = {
        {"lossless: [1]", 0, 46}, {"lossless: [1]", 1, 0},
        {"lossless: [0]", 0, 0},  {"lossless: [1], xoff: 2KB", 0, 46},
        {"lossless: []", 1, 46},  {"enabled: false, lossless: [1]", 1, 46},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct transfer t[2] = {{.src = 0, .dst = 2, .bytes = 50000},
                                {.src = 1, .dst = 2, .bytes = 50000}};
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 3, link: {rate: 100Gbps, "
                 "delay: 1us}}\n"
                 "network: {mtu: 1000B, transport: datagram, queue: {kind: "
                 "droptail, capacity: 5000B}, buffer: {kind: %s, size: 1MB}, "
                 "pfc: {%s}}\n",
                 i == 5 ? "port" : "shared", cases[i].pfc);
        t[0].class = t[1].class = cases[i].class;
        small_read(&w, yaml, 2);
        small_make(&w, 1);
        small_run(&w, t, 2);
        assert_int_equal(w.totals.packets_dropped, cases[i].drops);
        small_free(&w);
    }
}

/* What is lost is all of the lossy class, and no sender of that is paused. */
static void test_classes_side_by_side(void **state)
{
    struct transfer t[4] = {{.src = 0, .dst = 2, .bytes = 200000, .class = 0},
                            {.src = 1, .dst = 2, .bytes = 200000, .class = 0},
                            {.src = 0, .dst = 2, .bytes = 200000, .class = 1},
                            {.src = 1, .dst = 2, .bytes = 200000, .class = 1}};
    struct small_world w;
    uint64_t resent[2] = {0};

    small_read(&w,
               "topology: {kind: switch, hosts: 3, link: {rate: 100Gbps, "
               "delay: 1us}}\n"
               "network: {mtu: 1000B, queue: {kind: droptail, capacity: 20KB}, "
               "buffer: {kind: shared, size: 200KB}, pfc: {lossless: [1]}}\n",
               2);
    small_make(&w, 1);
    small_run(&w, t, 4);
    for (uint32_t i = 0; i < 4; i++) {
        struct orr_connection_stats s;

        assert_true(t[i].received > 0);
        orr__net_connection_stats(w.net, t[i].connection, &s);
        resent[t[i].class] += s.retransmissions;
    }
    assert_true(resent[0] > 0 && w.totals.packets_dropped > 0);
    assert_int_equal(resent[1], 0);
    assert_true(w.totals.pfc_pauses > 0);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_form_of_hpcc),
        cmocka_unit_test(test_queue_of_a_paused_port),
        cmocka_unit_test(test_nothing_is_dropped),
        cmocka_unit_test(test_without_it_everything_arrives),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_no_deadlock),
        cmocka_unit_test(test_lossy_beside_lossless),
        cmocka_unit_test(test_classes_side_by_side),
    };

    return cmocka_run_group_tests_name("net/pfc", tests, NULL, NULL);
}
