/* Limits beside the capacity: packets, and the packet in service counted
 * whole. Computed and explicit ports agree on both. */
#include "tests/net/small_world.h"

#include "core/units.h"

static const char *const kinds[] = {"computed", "explicit"};

/* Datagrams of these sizes from as many hosts to the one behind them, which
 * come to the switch at these times, ns after 10 us; 1 B takes 1 ns. Returns
 * how many are there in the end. */
static uint32_t arrive(const char *queue, const char *ports, uint32_t n,
                       const uint32_t (*packet)[2])
{
    struct transfer t[16];
    struct small_world w;
    uint32_t there = 0;
    char yaml[512];

    memset(t, 0, sizeof t);
    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: %u, link: {rate: 8Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, transport: datagram, ports: %s, queue: %s}",
             n + 1, ports, queue);
    for (uint32_t i = 0; i < n; i++)
        t[i] = (struct transfer){
            .src = i,
            .dst = n,
            .bytes = packet[i][0],
            .start = (9000 - (int64_t)packet[i][0] + packet[i][1]) * ORR_NS};
    small_build(&w, yaml, 1);
    small_run(&w, t, n);
    for (uint32_t i = 0; i < n; i++)
        there += t[i].received >= 0;
    assert_int_equal(w.totals.packets_dropped, n - there);
    small_free(&w);
    return there;
}

/* However small they are; the one in service is one. */
static void packets_are_limited(void **state)
{
    static const uint32_t burst[][2] = {{100, 0}, {90, 1},   {80, 2},  {70, 3},
                                        {60, 99}, {50, 100}, {40, 101}};

    for (int i = 0; i < 2; i++) {
        assert_int_equal(arrive("{kind: droptail}", kinds[i], 7, burst), 7);
        /* three at first; one when the first has left, at 100 ns */
        assert_int_equal(
            arrive("{kind: droptail, limit: 3}", kinds[i], 7, burst), 4);
        assert_int_equal(arrive("{kind: ecn, limit: 1}", kinds[i], 7, burst),
                         2);
        /* what is reached first: 100, 60, 50 and 40 B; without the last */
        assert_int_equal(arrive("{kind: droptail, limit: 3, capacity: 150B}",
                                kinds[i], 7, burst),
                         4);
        assert_int_equal(arrive("{kind: droptail, limit: 2, capacity: 150B}",
                                kinds[i], 7, burst),
                         3);
    }
}

/* 500 ns later half of the first has left, and its buffer is not free; when all
 * of it has, it is. */
static void what_is_in_service_counts_whole(void **state)
{
    static const uint32_t full[][2] = {
        {1000, 0}, {1000, 0}, {1000, 0}, {400, 500}};
    static const uint32_t later[][2] = {
        {1000, 0}, {1000, 0}, {1000, 0}, {1000, 1000}};
    static const uint32_t fits[][2] = {
        {1000, 0}, {1000, 0}, {600, 0}, {400, 500}};

    for (int i = 0; i < 2; i++) {
        const char *left = "{kind: droptail, capacity: 3000B}";
        const char *whole =
            "{kind: droptail, capacity: 3000B, in_service: whole}";

        assert_int_equal(arrive(left, kinds[i], 4, full), 4);
        assert_int_equal(arrive(whole, kinds[i], 4, full), 3);
        assert_int_equal(arrive(whole, kinds[i], 4, later), 4);
        assert_int_equal(arrive(whole, kinds[i], 4, fits), 4);
    }
}

/* Flows that lose packets at full queues and on lossy links: the same to the
 * picosecond, and otherwise than without the limits. */
static void run_flows(const char *queue, const char *ports, uint64_t loss,
                      struct transfer *t, struct orr_net_totals *totals)
{
    struct small_world w;
    char yaml[600];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: dumbbell, left: 6, right: 6, link: {rate: "
             "10Gbps, delay: 2us}, bottleneck: {rate: 7Gbps, delay: 3us, "
             "loss: 0.%02u}}\n"
             "network: {mtu: 1000B, header: 40B, cc: reno, handshake: true, "
             "rto: {min: 1ms}, ports: %s, queue: %s}",
             (unsigned)loss, ports, queue);
    for (uint32_t i = 0; i < 6; i++)
        t[i] = (struct transfer){.src = i,
                                 .dst = 6 + i,
                                 .bytes = 200000 + 777 * i,
                                 .start = i * 1234 * ORR_NS};
    small_build(&w, yaml, 1);
    small_run(&w, t, 6);
    *totals = w.totals;
    small_free(&w);
}

static void computed_and_explicit_agree(void **state)
{
    static const char *const queues[] = {
        "{kind: droptail, limit: 9}",
        "{kind: droptail, capacity: 9KB, in_service: whole}",
        "{kind: ecn, capacity: 9KB, threshold: 4KB, limit: 7}",
        "{kind: red, kmin: 2KB, kmax: 8KB, capacity: 20KB, limit: 12}",
        "{kind: droptail, capacity: 9KB}",
    };
    uint64_t drops[5];

    for (int i = 0; i < 10; i++) {
        struct transfer a[6], b[6];
        struct orr_net_totals x, y;

        run_flows(queues[i / 2], "computed", i % 2 ? 3 : 0, a, &x);
        run_flows(queues[i / 2], "explicit", i % 2 ? 3 : 0, b, &y);
        for (int k = 0; k < 6; k++) {
            assert_true(a[k].acked > 0);
            assert_int_equal(a[k].acked, b[k].acked);
        }
        assert_int_equal(x.packets_dropped, y.packets_dropped);
        drops[i / 2] = x.packets_dropped;
        assert_true(x.packets_dropped > 0);
    }
    assert_int_not_equal(drops[1], drops[4]);
}

/* Data beyond the limit is cut; what goes first has its own room. */
static void trimmed_beyond_the_limit(void **state)
{
    static const uint32_t burst[][2] = {
        {1000, 0}, {1000, 1}, {1000, 2}, {1000, 3}};
    uint32_t there = arrive("{kind: droptail, limit: 2, scheduler: strict}",
                            "computed", 4, burst);
    struct transfer t[4];
    struct small_world w;

    assert_int_equal(there, 2);
    small_build(&w,
                "topology: {kind: switch, hosts: 5, link: {rate: 8Gbps, "
                "delay: 1us}}\n"
                "network: {mtu: 1000B, queue: {kind: trim, limit: 2}}",
                1);
    for (uint32_t i = 0; i < 4; i++)
        t[i] = (struct transfer){
            .src = i, .dst = 4, .bytes = 1000, .start = i * ORR_NS};
    small_run(&w, t, 4);
    assert_int_equal(w.totals.packets_trimmed, 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(t[i].acked > 0);
    small_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_limited),
        cmocka_unit_test(what_is_in_service_counts_whole),
        cmocka_unit_test(computed_and_explicit_agree),
        cmocka_unit_test(trimmed_beyond_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
