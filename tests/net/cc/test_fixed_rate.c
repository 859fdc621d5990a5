/* A constant rate, whatever happens. That the NIC keeps it is tested in
 * tests/net/host/test_transport.c. */
#include "tests/net/cc/control.h"

static void test_nothing_changes_it(void **unused)
{
    struct control k;

    control_begin(&k, "{kind: fixed-rate, rate: 3Gbps}", 10, 2, &control_path);
    assert_true(k.w.rate == 3e9 && k.w.cwnd == ORR_CC_UNLIMITED);
    assert_null(k.cc->ops->on_ack);
    assert_null(k.cc->ops->on_loss);
    assert_null(k.cc->ops->on_timeout);
    assert_null(k.cc->ops->on_cnp);
    assert_null(k.cc->ops->on_send);
    assert_true(k.cc->cnp_interval_ps == 0 && !k.cc->telemetry);
    control_finish(&k);
}

static void test_rate_must_be_positive(void **unused)
{
    static const char yaml[] = "{kind: fixed-rate, rate: 0bps}";
    struct orr_report why = {0};
    const struct orr_cc *cc;
    struct orr_config *c;

    assert_int_equal(orr__config_parse("test", yaml, strlen(yaml), &c, &why),
                     ORR_OK);
    assert_int_equal(
        orr__cc_read(c, orr__config_root(c), "cc", NULL, &cc, &why),
        ORR_ECONFIG);
    assert_non_null(strstr(why.message, "below the smallest allowed"));
    orr__config_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_changes_it),
        cmocka_unit_test(test_rate_must_be_positive),
    };

    return cmocka_run_group_tests_name("net/cc/fixed-rate", tests, NULL, NULL);
}
