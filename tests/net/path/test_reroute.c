/* Links that fail and come back: what is lost, and where the rest goes. */
#include "tests/net/small_world.h"

#include "core/units.h"

/* The link from a to b. */
static uint32_t link_of(const struct small_world *w, uint32_t a, uint32_t b)
{
    for (uint32_t l = 0; l < w->graph->links; l++)
        if (w->graph->from[l] == a && w->graph->to[l] == b)
            return l;
    fail_msg("no link from %u to %u", a, b);
    return 0;
}

static struct orr_link_sample sample(const struct small_world *w, uint32_t a,
                                     uint32_t b)
{
    struct orr_link_sample s;

    orr__net_link_sample(w->net, link_of(w, a, b), w->end, &s);
    return s;
}

/* Packet k leaves the host at k + 1 us, is queued at the switch at k + 2, and
 * arrives at k + 4. Lost are those queued before 15 us that would arrive at
 * 10 us or later: 6 to 12. */
static void test_lost_by_hand(void **state)
{
    static const char *const ports[] = {"computed", "explicit"};

    for (int i = 0; i < 2; i++) {
        struct transfer t = {.dst = 1, .bytes = 20000};
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, "
                 "delay: 1us}}\nnetwork: {mtu: 1000B, ports: %s, transport: "
                 "datagram}\nfailures: [{link: [2, 1], down: 10us, "
                 "up: 15us}]\n",
                 ports[i]);
        small_build(&w, yaml, 1);
        small_run(&w, &t, 1);
        assert_int_equal(w.totals.packets_dropped, 7);
        assert_int_equal(w.totals.packets_delivered, 13);
        assert_int_equal(sample(&w, 2, 1).drops, 7);
        assert_int_equal(sample(&w, 0, 2).drops, 0);
        assert_int_equal(t.received, -1);
        small_free(&w);
    }
}

/* Two hosts send to a third, packets k at k + 2 us each, so that a queue of
 * k + 1 packets stands at the switch. Of those, the ones queued before the
 * link is back are lost, though most would leave later. Packets 0 to 8 of
 * either, queued up to 10 us, are 18, and the first six have arrived at 9 us
 * at the latest (4 to 9 us). */
static void test_what_is_queued_is_lost(void **state)
{
    static const char *const ports[] = {"computed", "explicit"};
    uint64_t fingerprint[2];

    for (int i = 0; i < 2; i++) {
        struct transfer t[2] = {{.src = 0, .dst = 2, .bytes = 20000},
                                {.src = 1, .dst = 2, .bytes = 20000}};
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 3, link: {rate: 8Gbps, "
                 "delay: 1us}}\nnetwork: {mtu: 1000B, ports: %s, transport: "
                 "datagram}\nfailures: [{link: [2, 3], down: 10us, "
                 "up: 11us}]\n",
                 ports[i]);
        small_build(&w, yaml, 1);
        small_run(&w, t, 2);
        assert_int_equal(w.totals.packets_dropped, 18 - 6);
        assert_int_equal(sample(&w, 3, 2).drops, 18 - 6);
        fingerprint[i] = w.totals.fingerprint;
        small_free(&w);
    }
    assert_int_equal(fingerprint[0], fingerprint[1]);
}

/* Ten bursts, 100 us apart; the uplink they take is away from 250 to 650 us,
 * and nothing is on it when it goes. */
static void test_rerouting(void **state)
{
    struct transfer t[10];
    struct small_world w;
    uint32_t links[8], up, other;
    char yaml[512];

    small_build(&w,
                "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
                "delay: 1us}}\n",
                1);
    assert_int_equal(orr__net_path(w.net, 0, 12, 7, true, links, 8), 6);
    up = w.graph->to[links[1]];
    other = up == 24 ? 25 : 24;
    small_free(&w);
    for (int32_t i = 0; i < 10; i++)
        t[i] = (struct transfer){
            .dst = 12, .bytes = 10000, .tag = 7, .start = 100 * ORR_US * i};
    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, "
             "delay: 1us}}\nnetwork: {mtu: 1000B}\n"
             "failures: [{link: [16, %u], down: 250us, up: 650us}]\n",
             up);
    small_build(&w, yaml, 2);
    small_run(&w, t, 10);
    assert_int_equal(sample(&w, 16, up).packets, 60);
    assert_int_equal(sample(&w, 16, other).packets, 40);
    assert_int_equal(w.totals.packets_dropped, 0);
    for (int i = 0; i < 10; i++)
        assert_true(t[i].acked >= 0);
    small_free(&w);
}

/* A packet each microsecond (queued at the edge switch at k + 2 us) until the
 * failure is noticed: those of 10 us less two on the way, to 30 us. */
static void test_undetected(void **state)
{
    struct transfer t = {.dst = 12, .bytes = 100000};
    struct small_world w;
    uint32_t links[8], up;
    char yaml[512];

    small_build(&w,
                "topology: {kind: fat-tree, k: 4, link: {rate: 8Gbps, "
                "delay: 1us}}\n",
                1);
    orr__net_path(w.net, 0, 12, 1, true, links, 8);
    up = w.graph->to[links[1]];
    small_free(&w);
    snprintf(yaml, sizeof yaml,
             "topology: {kind: fat-tree, k: 4, link: {rate: 8Gbps, "
             "delay: 1us}}\nnetwork: {mtu: 1000B, transport: datagram}\n"
             "failures: [{link: [16, %u], down: 10us, detect: 20us}]\n",
             up);
    small_build(&w, yaml, 1);
    small_run(&w, &t, 1);
    /* k + 4 >= 10 and k + 2 < 30 */
    assert_int_equal(w.totals.packets_dropped, 22);
    assert_int_equal(sample(&w, 16, up).packets, 28);
    assert_int_equal(sample(&w, 16, up == 24 ? 25 : 24).packets, 72);
    small_free(&w);
}

/* The only way is cut: those that need it give up, soon; the others finish.
 * Switches throw away what no way is left for, whatever their ports are. */
static void test_cut(void **state)
{
    static const char *const ports[] = {"computed", "explicit"};
    uint64_t fingerprint[2];

    for (int i = 0; i < 4; i++) {
        struct transfer t[3] = {
            {.src = 0, .dst = 4, .bytes = 1000000},
            {.src = 1, .dst = 2, .bytes = 100000000},
            {.src = 5, .dst = 1, .bytes = 5000, .start = 2 * ORR_MS}};
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: dumbbell, left: 4, right: 4, link: {rate: "
                 "10Gbps, delay: 1us}}\nnetwork: {ports: %s}\n"
                 "failures: [{link: [8, 9], down: 500us}]\n",
                 ports[i / 2]);
        small_build(&w, yaml, i % 2 ? 3 : 1);
        small_run(&w, t, 3);
        assert_int_equal(t[0].acked, -1);
        assert_true(t[1].acked > 80 * ORR_MS);
        assert_int_equal(t[2].acked, -1);
        assert_true(w.end < 100 * ORR_MS);
        assert_true(w.totals.packets_dropped > 0);
        fingerprint[i / 2] = w.totals.fingerprint;
        small_free(&w);
    }
    assert_int_equal(fingerprint[0], fingerprint[1]);
}

/* It comes back: everybody waits, and finishes. */
static void test_cut_for_a_while(void **state)
{
    struct transfer t[2] = {
        {.src = 0, .dst = 4, .bytes = 1000000},
        {.src = 5, .dst = 1, .bytes = 5000, .start = 2 * ORR_MS}};
    struct small_world w;

    small_build(&w,
                "topology: {kind: dumbbell, left: 4, right: 4, link: {rate: "
                "10Gbps, delay: 1us}}\n"
                "failures: [{link: [8, 9], down: 500us, up: 300ms}]\n",
                1);
    small_run(&w, t, 2);
    assert_true(t[0].acked > 300 * ORR_MS && t[0].acked < 1000 * ORR_MS);
    assert_true(t[1].acked > 300 * ORR_MS && t[1].acked < 1000 * ORR_MS);
    small_free(&w);
}

/* A host that forwards, cut off on both sides, and its neighbours: nothing
 * goes round in circles. */
static void test_islands(void **state)
{
    struct transfer t[] = {{.src = 0, .dst = 3, .bytes = 1000000},
                           {.src = 1, .dst = 2, .bytes = 1000000},
                           {.src = 3, .dst = 4, .bytes = 100000000},
                           {.src = 3, .dst = 1, .bytes = 1000000}};
    struct small_world w;

    small_build(&w,
                "topology: {kind: torus, dims: [6], link: {rate: 10Gbps, "
                "delay: 1us}}\nfailures:\n"
                "  - {link: [2, 3], down: 10us}\n"
                "  - {link: [4, 5], down: 20us}\n",
                2);
    small_run(&w, t, 4);
    assert_int_equal(t[0].acked, -1);
    assert_true(t[1].acked >= 0);
    assert_true(t[2].acked >= 0);
    assert_int_equal(t[3].acked, -1);
    assert_true(w.end < 100 * ORR_MS);
    small_free(&w);
}

/* 20 packets leave the host from 1 us on, one a microsecond, and are queued at
 * the switch at k + 2 us; its link has 4 Gbps from 6.5 us on and 16 Gbps from
 * 12.5 us on. Packets 0 to 3 leave at 3, 4, 5, 6 us; 4, in service from 6 to 7,
 * is finished at the old rate; 5 leaves at 9, 6 at 11, 7 at 13; 8 and the rest
 * half a microsecond apart, until at 16.5 us none waits; 15, queued at 17 us,
 * leaves at 17.5, 19 at 21.5. */
static void test_rates_change(void **state)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        struct transfer t = {.dst = 1, .bytes = 20000};
        struct small_world w;
        struct orr_link_sample s;

        small_build(&w,
                    "topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, "
                    "delay: 1us}}\nnetwork: {mtu: 1000B, transport: "
                    "datagram}\nfailures:\n"
                    "  - {link: [2, 1], at: 6500ns, rate: 4Gbps}\n"
                    "  - {link: [2, 1], at: 12500ns, rate: 16Gbps}\n",
                    workers);
        small_run(&w, &t, 1);
        assert_int_equal(t.received, 22500 * ORR_NS);
        s = sample(&w, 2, 1);
        assert_int_equal(s.bytes, 20000);
        small_free(&w);
    }
}

/* From time 0 on: two rates of one cable, with nothing else changed. */
static void test_unlike_rates(void **state)
{
    static const char *const ports[] = {"computed", "explicit"};

    for (int i = 0; i < 2; i++) {
        struct transfer t = {.dst = 1, .bytes = 20000};
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: switch, hosts: 2, link: {rate: 8Gbps, "
                 "delay: 1us}}\nnetwork: {mtu: 1000B, ports: %s}\n"
                 "failures: [{link: 0, at: 0s, rate: 4Gbps}]\n",
                 ports[i]);
        small_build(&w, yaml, 1);
        small_run(&w, &t, 1);
        assert_int_equal(t.received, (40 + 1 + 1 + 1) * ORR_US);
        /* the ACK's way back has the old rate */
        assert_int_equal(t.acked, t.received + 2 * ORR_US + 2 * 64 * ORR_NS);
        assert_int_equal(orr__net_ideal(w.net, 0, 1, 1, t.bytes), t.acked);
        small_free(&w);
    }
}

/* The integral of the queue is entered in advance, and mended as rates change:
 * ten packets at once at a port of 8 Gbps that has 4 Gbps from 2 us on. Two
 * packets drain in 1 us each, eight in 2 us each. */
static void test_area_after_a_change(void **state)
{
    struct transfer t[10];
    struct small_world w;
    double area = 0, waiting = 10000, drained = 0;

    for (uint32_t i = 0; i < 10; i++)
        t[i] = (struct transfer){.src = i, .dst = 10, .bytes = 1000};
    small_build(&w,
                "topology: {kind: switch, hosts: 11, link: {rate: 8Gbps, "
                "delay: 1us}}\nnetwork: {mtu: 1000B, transport: datagram}\n"
                "failures: [{link: [11, 10], at: 4us, rate: 4Gbps}]\n",
                1);
    small_run(&w, t, 10);
    for (int i = 0; i < 10; i++) { /* queued at 2 us */
        double time = i < 2 ? 1e6 : 2e6;

        area += (waiting - drained - 500) * time;
        drained += 1000;
    }
    assert_true(sample(&w, 11, 10).area > area * 0.9999999);
    assert_true(sample(&w, 11, 10).area < area * 1.0000001);
    small_free(&w);
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

/* Random outages that end: all arrives, and neither threads nor the way in
 * which ports are simulated can be seen. */
static void storm(const char *topology, const char *network, uint32_t cables,
                  uint64_t seed)
{
    uint64_t fingerprint[3];

    for (int run = 0; run < 3; run++) {
        struct transfer t[24];
        struct small_world w;
        char yaml[2048];
        uint64_t random = seed;
        size_t n = (size_t)snprintf(
            yaml, sizeof yaml,
            "topology: %s\nnetwork: {mtu: 1000B, ports: %s, %s}\nfailures:\n",
            topology, run == 2 ? "explicit" : "computed", network);

        for (uint32_t i = 0; i < 8; i++) {
            uint32_t down = below(&random, 100);

            n += (size_t)snprintf(
                yaml + n, sizeof yaml - n,
                "  - {link: %u, down: %uus, up: %uus, detect: %uus}\n",
                i * (2 * cables / 8) + below(&random, 2 * cables / 8), down,
                down + 1 + below(&random, 200), below(&random, 30));
        }
        small_build(&w, yaml, run == 1 ? 3 : 1);
        for (uint32_t i = 0; i < 24; i++) {
            t[i] = (struct transfer){.src = below(&random, 16),
                                     .bytes = 1 + below(&random, 300000),
                                     .start = below(&random, 50) * ORR_US};
            t[i].dst = (t[i].src + 1 + below(&random, 15)) % 16;
        }
        small_run(&w, t, 24);
        for (uint32_t i = 0; i < 24; i++)
            assert_true(t[i].acked >= 0);
        assert_true(w.totals.packets_dropped > 0);
        fingerprint[run] = w.totals.fingerprint;
        small_free(&w);
    }
    assert_int_equal(fingerprint[0], fingerprint[1]);
    assert_int_equal(fingerprint[0], fingerprint[2]);
}

static void test_storms(void **state)
{
    static const char *const routing[] = {
        "routing: ecmp", "routing: spray", "routing: {kind: flowlet, gap: 5us}",
        "routing: adaptive", "routing: {kind: adaptive, per: packet}"};

    for (uint64_t seed = 1; seed <= 5; seed++) {
        storm("{kind: fat-tree, k: 4, link: {rate: 10Gbps, delay: 1us}}",
              routing[seed % 5], 48, seed);
        storm("{kind: torus, dims: [4, 4], link: {rate: 10Gbps, delay: 1us}}",
              routing[seed % 5], 32, seed);
    }
}

/* A GPU whose rail is cut has no way to other servers: its packet goes to the
 * NVSwitch, and the rail is back when it comes there, 8 us later. From there
 * no way led anywhere but to the server's own GPUs all the time. */
static void test_back_when_it_is_too_late(void **state)
{
    static const char *const ports[] = {"computed", "explicit"};

    for (int i = 0; i < 2; i++) {
        struct transfer t = {.dst = 3, .bytes = 1000};
        struct small_world w;
        char yaml[512];

        snprintf(yaml, sizeof yaml,
                 "topology: {kind: rail-optimised, hosts: 3, link: {rate: "
                 "1Gbps, delay: 1us}, servers: {gpus: 3, link: {rate: 1Gbps, "
                 "delay: 1us}}}\nnetwork: {mtu: 1000B, ports: %s, transport: "
                 "datagram}\nfailures: [{link: [12, 0], down: 0us, up: 5us}]\n",
                 ports[i]);
        small_build(&w, yaml, 1);
        small_run(&w, &t, 1);
        assert_int_equal(sample(&w, 0, 9).packets, 1);
        assert_int_equal(w.totals.packets_sent, 1);
        assert_int_equal(w.totals.packets_delivered, 0);
        assert_int_equal(w.totals.packets_dropped, 1);
        small_free(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_by_hand),
        cmocka_unit_test(test_what_is_queued_is_lost),
        cmocka_unit_test(test_rerouting),
        cmocka_unit_test(test_undetected),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_for_a_while),
        cmocka_unit_test(test_islands),
        cmocka_unit_test(test_back_when_it_is_too_late),
        cmocka_unit_test(test_rates_change),
        cmocka_unit_test(test_unlike_rates),
        cmocka_unit_test(test_area_after_a_change),
        cmocka_unit_test(test_storms),
    };

    return cmocka_run_group_tests_name("net/failure", tests, NULL, NULL);
}
