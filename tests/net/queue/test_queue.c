/* Queues: their limits, and what a port does at them, packet by packet. */
#include "tests/net/small_world.h"

#include "core/units.h"
#include "net/queue/queue.h"

static const struct orr_queue_ops *kind(const char *name)
{
    const struct orr_queue_ops *const *all = orr__queue_kinds();

    while (*all && strcmp((*all)->name, name) != 0)
        all++;
    assert_non_null(*all);
    return *all;
}

static struct orr_queue_limits limits(const char *name, const char *yaml,
                                      uint64_t rate)
{
    const struct orr_queue_ops *q = kind(name);
    struct orr_queue_limits out = {0};
    struct orr_report why = {0};
    struct orr_config *c;
    void *params = calloc(1, q->params_size);
    struct orr_param_set set = {q->params, params};

    assert_int_equal(orr__config_parse("t", yaml, strlen(yaml), &c, &why),
                     ORR_OK);
    assert_int_equal(
        orr__param_read(c, orr__config_root(c), "q", &set, 1, &why), ORR_OK);
    q->limits(params, rate, &out);
    orr__config_free(c);
    free(params);
    return out;
}

/* ceil(capacity / rate) and ceil(threshold / rate), in ps. */
static void test_limits(void **state)
{
    struct orr_queue_limits l;

    l = limits("droptail", "{capacity: 1000B}", 7000000000u);
    assert_int_equal(l.drop_ps, 1142858); /* 8e15 / 7e9 = 1142857.14 */
    assert_int_equal(l.mark_ps, ORR_NEVER);
    l = limits("ecn", "{capacity: 3000B, threshold: 1000B}", 8000000000u);
    assert_int_equal(l.drop_ps, 3000000);
    assert_int_equal(l.mark_ps, 1000000);
}

/* Two hosts send one packet each at the same time to a third: the second finds
 * exactly the first in front of it. */
static void meet(const char *queue, struct orr_net_totals *totals)
{
    struct transfer t[2] = {{.src = 0, .dst = 2, .bytes = 1000},
                            {.src = 1, .dst = 2, .bytes = 1000}};
    struct small_world w;
    char yaml[512];

    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 3, link: {rate: 8Gbps, "
             "delay: 1us}}\n"
             "network: {mtu: 1000B, rto: {initial: 1ms}, queue: %s}\n",
             queue);
    small_build(&w, yaml, 1);
    small_run(&w, t, 2);
    *totals = w.totals;
    small_free(&w);
}

static void test_thresholds_are_exact(void **state)
{
    struct orr_net_totals t;

    meet("{kind: droptail, capacity: 2000B}", &t);
    assert_int_equal(t.packets_dropped, 0);
    meet("{kind: droptail, capacity: 1999B}", &t);
    assert_int_equal(t.packets_dropped, 1);
    assert_int_equal(t.retransmissions, 1);
    meet("{kind: ecn, capacity: 9000B, threshold: 1000B}", &t);
    assert_int_equal(t.ecn_marks, 0);
    meet("{kind: ecn, capacity: 9000B, threshold: 999B}", &t);
    assert_int_equal(t.ecn_marks, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_thresholds_are_exact),
    };

    return cmocka_run_group_tests_name("net/queue", tests, NULL, NULL);
}
