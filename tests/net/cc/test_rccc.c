/* RCCC: what a sender may send, and what it asks for. */
#include "net/cc/cc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"

extern const struct orr_cc_ops orr__cc_rccc, orr__cc_none;

struct params { /* as rccc.c has it */
    struct orr_cc_base base;
    double most;
};

static const struct params params = {{"none", &orr__cc_none, NULL}, 1.5};
/* 12,500 B a round trip: 18,751 B of credit, 73 quanta */
static const struct orr_cc_path path = {
    .line_bps = 10000000000,
    .base_rtt_ps = 10000000,
    .packet_bytes = 1000,
    .payload_bytes = 900,
    .hops = 2,
};

struct bench {
    struct orr_cc_window w;
    void *state;
};

static void begin(struct bench *b)
{
    b->w = (struct orr_cc_window){.cwnd = 10, .gain = 1};
    b->state = orr__alloc(1, orr__cc_rccc.state_size);
    assert_non_null(b->state);
    orr__cc_rccc.init(b->state, &params, &b->w, &path);
}

static void sends(struct bench *b, uint32_t packets)
{
    for (uint32_t i = 0; i < packets; i++)
        orr__cc_rccc.on_send(b->state, &params, &b->w, 0, 1000);
}

static void hears(struct bench *b)
{
    struct orr_cc_ack a = {.rtt_ps = -1, .delivered = 1};

    orr__cc_rccc.on_ack(b->state, &params, &b->w, &a);
}

static void pulled(struct bench *b, uint32_t pull)
{
    orr__cc_rccc.on_pull(b->state, &params, &b->w, pull);
}

static struct orr_cc_request request(struct bench *b, uint64_t backlog)
{
    return orr__cc_rccc.request(b->state, &params, backlog);
}

static bool may_send(const struct bench *b)
{
    return b->w.cwnd >= 1;
}

/* As long as there is any credit, if less than a packet. */
static void the_first_window(void **unused)
{
    struct bench b;

    begin(&b);
    assert_int_equal(request(&b, 1).most, 73);
    sends(&b, 18);
    assert_true(may_send(&b));
    sends(&b, 1);
    assert_false(may_send(&b));
    orr__free(b.state);
}

/* The first answer ends it; what is given then counts, up to the most. */
static void what_is_given(void **unused)
{
    struct bench b;

    begin(&b);
    sends(&b, 2);
    hears(&b);
    assert_false(may_send(&b));
    pulled(&b, 4); /* 1,024 B */
    assert_true(may_send(&b));
    sends(&b, 1);
    assert_true(may_send(&b)); /* 24 B are left */
    sends(&b, 1);
    assert_false(may_send(&b));
    pulled(&b, 3); /* an older one */
    assert_false(may_send(&b));
    pulled(&b, 1000);
    sends(&b, 18);
    assert_true(may_send(&b));
    sends(&b, 1);
    assert_false(may_send(&b));
    orr__free(b.state);
}

/* What is left, less the credit, and a packet at first; the most at most. */
static void what_is_asked(void **unused)
{
    struct bench b;

    begin(&b);
    assert_int_equal(request(&b, 100000).target, 4); /* it has all it may */
    assert_int_equal((int32_t)request(&b, 0).target, -73);
    hears(&b);
    assert_int_equal(request(&b, 1).target, 1);
    assert_int_equal(request(&b, 1024).target, 4);
    assert_int_equal(request(&b, 1025).target, 5);
    assert_int_equal(request(&b, UINT64_MAX).target, 74);
    pulled(&b, 4);
    assert_int_equal(request(&b, 1025).target, 5);
    orr__free(b.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_window),
        cmocka_unit_test(what_is_given),
        cmocka_unit_test(what_is_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
