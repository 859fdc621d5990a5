/* Two flows over one bottleneck whose additive increases are as 2 to 1: what
 * docs/model.md says of how they share. */
#include "core/units.h"
#include "net/config/config.h"
#include "tests/net/small_world.h"

static const char marks[] = "{kind: ecn, threshold: 200KB, capacity: 1MB}";

/* Bytes of a flow of this weight, to one byte of the other's, in two seconds
 * over 5 Gbps and 0.23 ms. */
static double share(const char *cc, double weight, const char *queue,
                    const char *loss)
{
    struct small_world w;
    struct transfer t[2] = {
        {.src = 0, .dst = 2, .bytes = 1000000000000},
        {.src = 1, .dst = 3, .bytes = 1000000000000, .start = 3 * ORR_MS},
    };
    struct orr_net_service service;
    struct orr_connection_stats heavy, light;
    char yaml[800];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: dumbbell, left: 2, right: 2,"
             " link: {rate: 10Gbps, delay: 5us},"
             " bottleneck: {rate: 5Gbps, delay: 100us%s}}\n"
             "network: {mtu: 1448B, header: 52B, ties: shuffled,"
             " cc: %s, queue: %s}\n",
             loss, cc, queue);
    small_build(&w, yaml, 1);
    service = w.net_config->service;
    service.weight = weight;
    t[0].service = &service;
    w.stop = 2 * ORR_S;
    small_run(&w, t, 2);
    orr__net_connection_stats(w.net, t[0].connection, &heavy);
    orr__net_connection_stats(w.net, t[1].connection, &light);
    small_free(&w);
    return (double)heavy.payload_bytes / (double)light.payload_bytes;
}

static void between(double x, double least, double most)
{
    if (x < least || x > most)
        fail_msg("%g is not between %g and %g", x, least, most);
}

static void test_alike(void **unused)
{
    between(share("reno", 1, marks, ""), 0.9, 1.1);
    between(share("cubic", 1, marks, ""), 0.9, 1.1);
    between(share("dctcp", 1, marks, ""), 0.9, 1.1);
    between(share("{kind: swift, fs_range: 0ns}", 1, marks, ""), 0.9, 1.1);
    between(share("nscc", 1, marks, ""), 0.9, 1.1);
}

/* Both learn of congestion together: they share as their weights. */
static void test_marks_together(void **unused)
{
    between(share("reno", 2, marks, ""), 1.8, 2.2);
    between(share("cubic", 2, marks, ""), 1.8, 2.2);
    between(share("dctcp", 2, marks, ""), 1.8, 2.2);
    between(share("reno", 3, marks, ""), 2.7, 3.3);
}

/* Delay, which is the same for both; flow scaling makes windows alike again. */
static void test_delay(void **unused)
{
    between(share("{kind: swift, fs_range: 0ns}", 2, marks, ""), 1.8, 2.4);
    between(share("swift", 2, marks, ""), 0.9, 1.2);
}

/* Packets lost one by one: the heavier flow loses more often, and what is left
 * is the square root. */
static void test_random_loss(void **unused)
{
    const char *deep = "{kind: droptail, capacity: 10MB}";

    between(share("reno", 2, deep, ", loss: 0.001"), 1.25, 1.6);
    between(share("cubic", 2, deep, ", loss: 0.001"), 1.25, 1.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_marks_together),
        cmocka_unit_test(test_delay),
        cmocka_unit_test(test_random_loss),
    };

    return cmocka_run_group_tests_name("net/cc/weights", tests, NULL, NULL);
}
