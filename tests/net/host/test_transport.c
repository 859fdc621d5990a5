/* The NIC's pacing and turns, and recovery other than by SACK. */
#include "tests/net/small_world.h"

#include "net/config/config.h"
#include "net/host/host.h"

#define NS 1000 /* ps */

static const char *const ports[] = {"computed", "explicit"};

/* Runs on a switch of 100 Gbps and 1 us links with both kinds of port and
 * calls check for each. */
static void run_classes(const char *network, uint32_t classes,
                        struct transfer *t, uint32_t n,
                        void (*check)(struct small_world *w,
                                      struct transfer *t))
{
    uint64_t fingerprint = 0, events = 0;

    for (int i = 0; i < 2; i++)
        for (unsigned workers = 1; workers <= 3; workers += 2) {
            struct small_world w;
            char yaml[600];

            snprintf(yaml, sizeof yaml,
                     "topology: {kind: switch, hosts: 6, "
                     "link: {rate: 100Gbps, delay: 1us}}\n"
                     "network: {mtu: 1000B, ports: %s, %s}\n",
                     ports[i], network);
            small_read(&w, yaml, classes);
            small_make(&w, workers);
            small_run(&w, t, n);
            check(&w, t);
            if (fingerprint) {
                assert_int_equal(fingerprint, w.totals.fingerprint);
                assert_int_equal(events, w.totals.events);
            }
            fingerprint = w.totals.fingerprint;
            events = w.totals.events;
            small_free(&w);
        }
}

static void run_both(const char *network, struct transfer *t, uint32_t n,
                     void (*check)(struct small_world *w, struct transfer *t))
{
    run_classes(network, 1, t, n, check);
}

/* 10 packets of 80 ns, one every 800 ns. */
static void check_pace(struct small_world *w, struct transfer *t)
{
    assert_int_equal(t[0].sent, (9 * 800 + 80) * NS);
    assert_int_equal(t[0].received, (9 * 800 + 2 * 80 + 2000) * NS);
}

static void paced_packets_start_at_their_rate(void **state)
{
    struct transfer t[] = {{.src = 0, .dst = 1, .bytes = 10000}};

    run_both("cc: {kind: fixed-rate, rate: 10Gbps}", t, 1, check_pace);
}

/* Two paced connections of one NIC do not get in each other's way: the second
 * starts behind the first packet of the first, and keeps its own pace. */
static void check_two_paces(struct small_world *w, struct transfer *t)
{
    assert_int_equal(t[0].sent, (9 * 800 + 80) * NS);
    assert_int_equal(t[1].sent, (80 + 9 * 800 + 80) * NS);
}

static void paced_connections_interleave(void **state)
{
    struct transfer t[] = {{.src = 0, .dst = 1, .bytes = 10000},
                           {.src = 0, .dst = 2, .bytes = 10000}};

    run_both("cc: {kind: fixed-rate, rate: 10Gbps}", t, 2, check_two_paces);
}

/* Five at a quarter of the line: the line is the limit, all are served in
 * turn. 5 x 10 packets of 80 ns leave without a gap. */
static void check_full_line(struct small_world *w, struct transfer *t)
{
    int64_t last = 0;

    for (int i = 0; i < 5; i++)
        last = t[i].sent > last ? t[i].sent : last;
    assert_int_equal(last, 50 * 80 * NS);
    for (int i = 0; i < 5; i++)
        assert_true(t[i].sent > last - 6 * 80 * NS);
}

static void paces_beyond_the_line_share_it(void **state)
{
    struct transfer t[5];

    for (uint32_t i = 0; i < 5; i++)
        t[i] = (struct transfer){.src = 0, .dst = i + 1, .bytes = 10000};
    run_both("cc: {kind: fixed-rate, rate: 25Gbps}", t, 5, check_full_line);
}

/* A rate of the line itself costs nothing. */
static void check_line_rate(struct small_world *w, struct transfer *t)
{
    assert_int_equal(t[0].sent, 100 * 80 * NS);
}

static void the_line_rate_leaves_no_gap(void **state)
{
    struct transfer t[] = {{.src = 0, .dst = 1, .bytes = 100000}};

    run_both("cc: {kind: fixed-rate, rate: 100Gbps}", t, 1, check_line_rate);
}

/* A pace ends between two messages, too: the second is sent 10 us after the
 * first, long after its pace. */
static void check_messages(struct small_world *w, struct transfer *t)
{
    assert_int_equal(t[0].sent, (800 + 80) * NS);
    assert_int_equal(t[1].sent, (10000 + 800 + 80) * NS);
}

static void a_pace_does_not_outlive_its_gap(void **state)
{
    struct transfer t[] = {
        {.src = 0, .dst = 1, .bytes = 2000},
        {.src = 0, .dst = 1, .bytes = 2000, .start = 10000 * NS},
    };

    run_both("cc: {kind: fixed-rate, rate: 10Gbps}", t, 2, check_messages);
}

/* HPCC paces its window: a pace may end while the window is closed, and the
 * ACK that opens it comes later. */
static void check_all_acked(struct small_world *w, struct transfer *t)
{
    for (int i = 0; i < 4; i++)
        assert_true(t[i].acked > 0);
}

static void a_pace_ends_while_the_window_is_closed(void **state)
{
    struct transfer t[4];

    for (uint32_t i = 0; i < 4; i++)
        t[i] = (struct transfer){.src = i, .dst = 5, .bytes = 200000};
    run_both("cc: hpcc", t, 4, check_all_acked);
}

/* Four sources into a queue of three packets. */
static void check_recovery(struct small_world *w, struct transfer *t)
{
    assert_true(w->totals.packets_dropped > 0);
    assert_true(w->totals.retransmissions >= w->totals.packets_dropped);
    for (int i = 0; i < 4; i++)
        assert_true(t[i].acked > 0);
}

static void lost_packets_are_repeated(void **state)
{
    static const char *const kinds[] = {"sack", "selective", "go-back-n"};

    for (int i = 0; i < 3; i++) {
        struct transfer t[4];
        char network[200];

        for (uint32_t j = 0; j < 4; j++)
            t[j] = (struct transfer){.src = j, .dst = 5, .bytes = 60000};
        snprintf(network, sizeof network,
                 "recovery: %s, queue: {kind: droptail, capacity: 3KB}, "
                 "window: 20, rto: {min: 100us}",
                 kinds[i]);
        run_both(network, t, 4, check_recovery);
    }
}

/* A burst makes a few packets in the middle of a transfer find the queue full:
 * go-back-N sends everything beyond them again, SACK only those. */
static void check_gap(struct small_world *w, struct transfer *t)
{
    uint64_t dropped = w->totals.packets_dropped;

    assert_in_range(dropped, 1, 8);
    assert_true(dropped > 0);
    if (w->net_config->recovery == ORR_RECOVERY_GO_BACK_N)
        assert_true(w->totals.retransmissions > dropped + 20);
    else
        assert_int_equal(w->totals.retransmissions, dropped);
}

static void go_back_n_keeps_nothing_beyond_a_gap(void **state)
{
    static const char *const kinds[] = {"sack", "go-back-n"};

    for (int i = 0; i < 2; i++) {
        struct transfer t[2];
        char network[200];

        t[0] = (struct transfer){.src = 1, .dst = 5, .bytes = 40000};
        t[1] = (struct transfer){
            .src = 0, .dst = 5, .bytes = 8000, .start = 800 * NS};
        snprintf(network, sizeof network,
                 "recovery: %s, queue: {kind: droptail, capacity: 5KB}, "
                 "cc: none, rto: {min: 100us}",
                 kinds[i]);
        run_both(network, t, 2, check_gap);
    }
}

/* The second link from a node to another. */
static uint32_t second_link(const struct orr_graph *g, uint32_t from,
                            uint32_t to)
{
    uint32_t found = 0;

    for (uint32_t l = 0; l < g->links; l++)
        if (g->from[l] == from && g->to[l] == to && found++)
            return l;
    return UINT32_MAX;
}

/* Two cables, the second so slow that a packet takes 20 ms: what was sent by it
 * is sent again by the first after 1 ms, and acknowledged long before it has
 * left. It was sent by then, and its message is over; the next one, which comes
 * to lie where that lay, is not told of when the slow port is done with it.
 * What this host draws is the first cable, the second, and so on in turn. */
static void acknowledged_before_it_left(void **state)
{
    const uint32_t host = 5;
    const int64_t ms = INT64_C(1000000) * NS;
    const int64_t there_and_back = 80 * NS + 2000 * NS + 5120;

    for (int i = 0; i < 2; i++) {
        struct transfer t[] = {
            {.src = host, .dst = host + 1, .bytes = 2000},
            {.src = host, .dst = host + 1, .bytes = 1000, .start = 5 * ms}};
        struct small_world w;
        char yaml[400];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: ring, hosts: 128, links: 2, "
                 "link: {rate: 100Gbps, delay: 1us}}\n"
                 "network: {mtu: 1000B, ports: %s, routing: spray-random, "
                 "recovery: sack, rto: {initial: 1ms, min: 1ms}}\n",
                 ports[i]);
        small_read(&w, yaml, 1);
        w.graph->rate_bps[second_link(w.graph, host, host + 1)] = 400000;
        small_make(&w, 1);
        small_run(&w, t, 2);
        assert_int_equal(w.totals.retransmissions, 2);
        /* The timeout counts from the ACK of the first packet. */
        assert_int_equal(t[0].acked, ms + 2 * there_and_back);
        assert_int_equal(t[0].sent, t[0].acked);
        assert_int_equal(t[1].acked, 20 * ms + ms + there_and_back);
        assert_int_equal(t[1].sent, t[1].acked);
        small_free(&w);
    }
}

/* A thousand packets there and as many ACKs back over two links each; timers,
 * departures and windows without number are none of it. */
static void check_events(struct small_world *w, struct transfer *t)
{
    assert_int_equal(w->totals.events, 4000);
    assert_int_equal(w->totals.packet_hops, 4000);
}

static void events_are_what_is_hashed(void **state)
{
    struct transfer t[] = {{.src = 0, .dst = 1, .bytes = 1000000}};

    run_both("cc: dcqcn, header: 48B, processes: auto", t, 1, check_events);
    run_both("cc: dcqcn, header: 48B, processes: nodes", t, 1, check_events);
    run_both("cc: dcqcn, header: 48B, processes: one", t, 1, check_events);
}

/* The turns of classes at a NIC do not depend on how often it looks whether
 * there is something to send, which it does after each departure if they are
 * events. Windows that close let it look in vain. */
static void check_turns(struct small_world *w, struct transfer *t)
{
    for (uint32_t i = 0; i < w->n; i++)
        assert_true(t[i].acked > 0);
}

static void turns_of_classes_are_those_of_packets(void **state)
{
    struct transfer t[9];

    for (uint32_t i = 0; i < 9; i++)
        t[i] = (struct transfer){.src = i % 3,
                                 .dst = 3 + i % 2,
                                 .bytes = 20000 + 5000 * i,
                                 .start = (int64_t)i * 300 * NS,
                                 .class = i / 3 % 2};
    run_classes("window: 16, ack_every: 2", 2, t, 9, check_turns);
    run_classes("window: 3, queue: {kind: droptail, scheduler: drr, weights: "
                "[0.05, 1]}",
                2, t, 9, check_turns);
}

/* A receiver that holds ACKs back for 100 us says so: what is measured is the
 * path, 2 * 2 us and a packet's 80 ns twice, and the ACK's 5.12 ns. */
static void check_held(struct small_world *w, struct transfer *t)
{
    struct orr_connection_sample s;

    orr__net_connection_sample(w->net, t[0].connection, &s);
    assert_in_range(s.rtt_ps, 4160 * NS, 4180 * NS);
    assert_in_range(s.srtt_ps, 4160 * NS, 4260 * NS);
    /* ten packets, one at a time: the ACKs of nine were held */
    assert_true(t[0].acked > 9 * 100000 * NS);
    assert_int_equal(w->totals.retransmissions, 0);
}

static void held_acks_are_no_delay(void **state)
{
    struct transfer t[] = {{.src = 0, .dst = 1, .bytes = 10000, .tag = 7}};

    run_both("window: 1, ack_every: 4, ack_delay: 100us, rto: {min: 10us}", t,
             1, check_held);
}

/* Controls that go by delay do not take the receiver's waiting for a queue. */
static void check_incast(struct small_world *w, struct transfer *t)
{
    for (int i = 0; i < 5; i++)
        assert_in_range(t[i].acked, 1, 900000 * NS);
}

static void held_acks_slow_nobody_down(void **state)
{
    static const char *const kinds[] = {"nscc", "swift"};

    for (int k = 0; k < 2; k++) {
        struct transfer t[5];
        char network[200];

        for (uint32_t i = 0; i < 5; i++)
            t[i] = (struct transfer){.src = i, .dst = 5, .bytes = 2000000};
        snprintf(network, sizeof network,
                 "cc: %s, ack_every: 4, ack_delay: 1ms, queue: {kind: red, "
                 "kmin: 20KB, kmax: 80KB, capacity: 1MB}",
                 kinds[k]);
        run_both(network, t, 5, check_incast);
    }
}

/* Slow start of CUBIC into a queue of a bandwidth-delay product, 20 ms: of some
 * thousand packets lost at once all are repaired without a timeout, those that
 * are lost again too. 5 MB at 100 Mbps are 0.4 s and the round trips. */
static void many_losses_on_a_long_path(void **state)
{
    static const char *const kinds[] = {"rack", "selective"};

    for (int i = 0; i < 4; i++) {
        struct transfer t[] = {
            {.src = 0, .dst = 1, .bytes = 5000000, .tag = 1}};
        struct orr_connection_stats stats;
        struct small_world w;
        char yaml[500];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: dumbbell, left: 1, right: 1, "
                 "link: {rate: 10Gbps, delay: 10us}, "
                 "bottleneck: {rate: 100Mbps, delay: 9980us}}\n"
                 "network: {mtu: 100B, recovery: %s, rto: {initial: 1s, min: "
                 "1s}, queue: {kind: droptail, capacity: 255KB}, "
                 "cc: {kind: cubic, hystart: false, prr: %s}}\n",
                 kinds[i % 2], i < 2 ? "true" : "false");
        small_build(&w, yaml, 1);
        small_run(&w, t, 1);
        orr__net_connection_stats(w.net, t[0].connection, &stats);
        assert_true(stats.retransmissions > 1000);
        assert_int_equal(stats.retransmissions, w.totals.packets_dropped);
        assert_int_equal(stats.timeouts, 0);
        assert_true(t[0].acked < INT64_C(600000000) * NS);
        small_free(&w);
    }
}

/* Cuts the rate to a tenth, as a control would on an ACK. */
static int64_t slow_down(void *world, int64_t now)
{
    struct small_world *w = world;
    struct orr_sender *s = orr__sender(w->net, 0);

    s->window.rate /= 10;
    orr__nic_activate(w->net, orr__lane_of(w->net, s->src), s, now);
    return ORR_NEVER;
}

/* 8 Mbps are a packet a millisecond; half a millisecond after the first starts
 * they become 0.8. The second waits for its pace by then and keeps it; the
 * third starts 10 ms behind it, takes 80 ns twice, and 2 us. */
static void packets_that_wait_keep_their_pace(void **state)
{
    for (int i = 0; i < 2; i++) {
        struct transfer t = {.dst = 1, .bytes = 3000};
        struct small_world w;
        char yaml[300];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 2, link: {rate: 100Gbps, "
                 "delay: 1us}}\nnetwork: {mtu: 1000B, ports: %s, "
                 "cc: {kind: fixed-rate, rate: 8Mbps}}\n",
                 ports[i]);
        small_build(&w, yaml, 1);
        assert_int_equal(
            orr__net_control(w.net, 500000 * NS, slow_down, &w, &w.why),
            ORR_OK);
        small_run(&w, &t, 1);
        assert_int_equal(t.received, (int64_t)11002160 * NS);
        small_free(&w);
    }
}

struct looker {
    struct small_world *w;
    int64_t last;
};

/* Sends the second message when the first has left, and looks on for as long
 * as something is to happen. */
static int64_t look_on(void *arg, int64_t now)
{
    struct looker *l = arg;
    const struct orr_message m = {.bytes = 1, .arg = 1, .tag = 1};

    if (l->last == 0)
        orr__net_send(l->w->net, now, l->w->transfer[0].connection, &m);
    l->last = now;
    return now + 100000000 * (int64_t)NS;
}

/* Timeouts leave less than a packet of the window, so that a packet waits for
 * its pace; the ACKs of all of them allow a window again. Then nobody is woken
 * any more for the moment at which another packet might have gone. */
static void who_is_not_paced_any_more_wakes_nobody(void **state)
{
    int64_t seen[2];

    for (int i = 0; i < 2; i++) {
        struct transfer t[2] = {{.dst = 1, .bytes = 1, .tag = 1},
                                {.dst = 1,
                                 .bytes = 1,
                                 .tag = 1,
                                 .received = -1,
                                 .sent = -1,
                                 .acked = -1}};
        struct small_world w;
        struct looker l = {.w = &w};
        char yaml[300];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: dumbbell, link: {rate: 1Kbps, delay: 1ps}, "
                 "left: 1, right: 1}\nnetwork: {preset: swift, ports: %s}\n",
                 ports[i]);
        small_build(&w, yaml, 1);
        assert_int_equal(orr__net_control(w.net, 728000001 * (int64_t)NS,
                                          look_on, &l, &w.why),
                         ORR_OK);
        small_run(&w, t, 1);
        assert_true(t[1].acked > 0);
        seen[i] = l.last;
        assert_true(seen[i] <= w.end);
        small_free(&w);
    }
    assert_int_equal(seen[0], seen[1]);
}

/* The timer of an alarm that is off lies where nobody looks: it does not keep
 * the run going, and is no harm in the past, where the alarm counts on it when
 * it is armed anew. */
static void an_alarm_that_is_off_wakes_nobody(void **state)
{
    const int64_t ms = INT64_C(1000000) * NS;
    struct transfer t = {.src = 0, .dst = 1, .bytes = 1000, .tag = 1};
    const struct orr_message again = {.bytes = 1000, .tag = 1};
    struct orr_connection_stats stats;
    struct small_world w;
    int64_t took;

    small_build(&w,
                "topology: {kind: switch, hosts: 2, link: {rate: 100Gbps, "
                "delay: 1us}}\nnetwork: {mtu: 1000B, rto: {initial: 1ms, min: "
                "1ms}}\nfailures: [{link: [0, 2], down: 10ms, up: 12ms}]\n",
                1);
    small_run(&w, &t, 1);
    took = t.acked;
    assert_true(w.end == took && took < ms);
    for (int i = 1; i <= 2; i++) {
        int64_t at = orr__net_settle(w.net, 5 * i * ms);

        assert_int_equal(at, 5 * i * ms);
        t.received = t.sent = t.acked = -1;
        orr__net_send(w.net, at, t.connection, &again);
        small_check(&w,
                    orr__net_run(w.net, INT64_MAX, NULL, NULL, &w.end, &w.why));
        orr__net_connection_stats(w.net, t.connection, &stats);
        /* lost, as is the probe after two round trips, and what is sent one
         * RTO later; not another two later */
        assert_int_equal(t.acked, at + took + (i == 2 ? 2 * took + 3 * ms : 0));
        assert_int_equal(stats.timeouts, i == 2 ? 2 : 0);
        assert_int_equal(w.end, t.acked);
    }
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alarm_that_is_off_wakes_nobody),
        cmocka_unit_test(paced_packets_start_at_their_rate),
        cmocka_unit_test(paced_connections_interleave),
        cmocka_unit_test(paces_beyond_the_line_share_it),
        cmocka_unit_test(the_line_rate_leaves_no_gap),
        cmocka_unit_test(packets_that_wait_keep_their_pace),
        cmocka_unit_test(who_is_not_paced_any_more_wakes_nobody),
        cmocka_unit_test(a_pace_does_not_outlive_its_gap),
        cmocka_unit_test(a_pace_ends_while_the_window_is_closed),
        cmocka_unit_test(lost_packets_are_repeated),
        cmocka_unit_test(go_back_n_keeps_nothing_beyond_a_gap),
        cmocka_unit_test(acknowledged_before_it_left),
        cmocka_unit_test(held_acks_are_no_delay),
        cmocka_unit_test(held_acks_slow_nobody_down),
        cmocka_unit_test(many_losses_on_a_long_path),
        cmocka_unit_test(events_are_what_is_hashed),
        cmocka_unit_test(turns_of_classes_are_those_of_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
