/* Messages that leave when they are asked for. */
#include <stdio.h>

#include "tests/workload/fake_net.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)((x)*1000))

/* 50 bytes in a nanosecond, 500 ns on the way: a request takes 520 ns. */
enum { REQUEST = 1000 };

/* The job's end when requests have so many bytes. */
static int64_t end_of(const char *program, uint64_t request,
                      uint64_t *bytes_sent)
{
    struct fake f;
    char jobs[1024];
    snprintf(jobs, sizeof jobs, "  - {ranks: 2, program: [%s]}\n", program);
    assert_int_equal(fake_read(&f, 2, jobs), ORR_OK);
    ((struct orr_program *)f.w.jobs[0].team->program)->request_bytes = request;
    fake_go(&f);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    int64_t end = f.w.jobs[0].finish_ps;
    *bytes_sent = f.w.jobs[0].bytes_sent;
    fake_free(&f);
    return end;
}

static void expect(const char *program, int64_t without, int64_t with)
{
    uint64_t bytes, same;
    assert_int_equal(end_of(program, 0, &bytes), without);
    assert_int_equal(end_of(program, REQUEST, &same), with);
    assert_int_equal(bytes, same); /* requests are no payload */
}

#define SEND "{send: {to: 1, size: 1000B}, ranks: [0]}"
#define RECV "{recv: {from: 0}, ranks: [1]}"

/* The receiver asks at once, or when it comes to that; the message waits for
 * the later of the two. */
static void test_sends_wait(void **state)
{
    expect(SEND ", " RECV, NS(520), NS(1040));
    expect(SEND ", {compute: 5us, ranks: [1]}, " RECV, NS(5000),
           NS(5000 + 1040));
    expect("{compute: 5us, ranks: [0]}, " SEND ", " RECV, NS(5520), NS(5520));
    /* of one tag: the second is asked for when the first is there */
    expect(SEND ", " SEND ", " RECV ", " RECV, NS(540), NS(2080));
}

/* All-gather round a ring of two: each step is asked for when it begins. */
static void test_steps_ask(void **state)
{
    expect("all-reduce: {size: 2000B}", NS(1040), NS(2080));
    /* both ask at once, and both pieces leave */
    expect("all-reduce: {size: 2000B, algorithm: direct}", NS(1040), NS(2080));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sends_wait),
        cmocka_unit_test(test_steps_ask),
    };
    return cmocka_run_group_tests_name("workload/rendezvous", tests, NULL,
                                       NULL);
}
