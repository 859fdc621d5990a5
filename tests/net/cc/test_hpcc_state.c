/* The state of HPCC as a snapshot has it: every field that decides the future.
 * What hops told is the connection's (net/watch/connection_snapshot.h). */
#include "net/cc/hpcc.c"
#include "tests/net/cc/control.h"

static struct hpcc busy(void)
{
    return (struct hpcc){
        .rtt = 10e6,
        .line = 1e11,
        .window = 1e5,
        .reference = 9e4,
        .most = 1.25e5,
        .least = 125,
        .more = 50,
        .used = 0.9,
        .stage = 2,
        .arrived = 7,
        .due = 25,
        .packet_bytes = 4000,
        .hops = 1,
        .hop = {
            {.at_ps = 90000500, .sent_bytes = 1100, .rate_bps = 100000000000}}};
}

static uint64_t look(struct hpcc s, int telemetry, int64_t now)
{
    const struct hpcc_params q = {.telemetry = telemetry};
    struct orr_snapshot w = {.mode = ORR_SNAPSHOT_DIGEST, .now = now};

    snapshot(&s, &q, &w, 0);
    return w.digest;
}

#define TELLS(field, value)                                                    \
    do {                                                                       \
        struct hpcc other = busy();                                            \
        other.field = value;                                                   \
        if (look(other, EXACT, 1) == look(busy(), EXACT, 1))                   \
            fail_msg("another " #field " is not told apart");                  \
    } while (0)

static void test_every_field(void **unused)
{
    TELLS(window, 100001);
    TELLS(reference, 90001);
    TELLS(used, 0.91);
    TELLS(stage, 3);
    TELLS(arrived, 8);
    TELLS(due, 24);
}

/* Of exact telemetry hops are looked at elsewhere, and the time of day does not
 * matter. */
static void test_nothing_else(void **unused)
{
    struct hpcc other = busy();
    uint32_t hops;

    other.hop[0].at_ps++;
    other.hop[0].sent_bytes++;
    assert_true(look(other, EXACT, 1) == look(busy(), EXACT, 500));
    assert_ptr_equal(kept(&other, &hops), other.hop);
    assert_int_equal(hops, 1);
}

/* Fields count whole ns, and 512 B at 100 Gbps. */
static void test_units(void **unused)
{
    struct hpcc other = busy();

    other.hop[0].at_ps += 7000;
    other.hop[0].sent_bytes += 512;
    assert_true(look(other, FIELDS, 1) == look(busy(), FIELDS, 7001));
    other.hop[0].at_ps++;
    assert_false(look(other, FIELDS, 1) == look(busy(), FIELDS, 1));
    other = busy();
    other.hop[0].sent_bytes += 128;
    assert_false(look(other, FIELDS, 1) == look(busy(), FIELDS, 1));
    other = busy();
    other.hops = 0; /* then it depends on when it is */
    assert_false(look(other, FIELDS, 1) == look(other, FIELDS, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field),
        cmocka_unit_test(test_nothing_else),
        cmocka_unit_test(test_units),
    };

    return cmocka_run_group_tests_name("net/cc/hpcc_state", tests, NULL, NULL);
}
