/* The messages of an iteration: which wait for which, by answers on paper. */
#include <stdio.h>

#include "tests/workload/fake_net.h"
#include "workload/program/messages.h"
#include "workload/rank/rank.h"

static struct orr_message_list list;

/* Of a program of so many ranks. */
static orr_err list_of(struct fake *f, uint32_t ranks, const char *program,
                       uint32_t most)
{
    char job[900];
    snprintf(job, sizeof job, "  - {ranks: %u, program: [%s]}\n", ranks,
             program);
    assert_int_equal(fake_read(f, ranks, job), ORR_OK);
    return orr__program_messages(f->w.jobs[0].team->program, most, &list,
                                 &f->why);
}

static void done(struct fake *f)
{
    orr__message_list_free(&list);
    fake_free(f);
}

/* The message of a step that a rank sends; there is one. */
static uint32_t find(uint32_t from, uint32_t chunk, uint32_t step)
{
    uint32_t at = UINT32_MAX;
    for (uint32_t i = 0; i < list.messages; i++)
        if (list.message[i].from == from && list.message[i].chunk == chunk
            && list.message[i].step == step)
            at = i;
    assert_int_not_equal(at, UINT32_MAX);
    return at;
}

static bool waits(uint32_t m, uint32_t before)
{
    const struct orr_listed_message *x = &list.message[m];
    for (uint32_t i = 0; i < x->n; i++)
        if (list.before[x->first + i] == before)
            return true;
    return false;
}

/* A ring: a message waits for the one that came in the step before; of the next
 * chunk but one, when all of the chunk is there. */
static void test_ring(void **state)
{
    struct fake f;
    assert_int_equal(
        list_of(&f, 4, "all-reduce: {size: 9B, algorithm: ring, chunks: 2}",
                100),
        ORR_OK);
    assert_int_equal(list.messages, 2 * 4 * 6);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < list.messages; i++) {
        const struct orr_listed_message *m = &list.message[i];
        uint32_t left = (m->from + 3) % 4;
        bytes += m->bytes;
        assert_int_equal(m->to, (m->from + 1) % 4);
        if (m->step > 0) {
            assert_int_equal(m->n, 1);
            assert_true(waits(i, find(left, m->chunk, m->step - 1)));
        } else if (m->chunk == 0) {
            assert_int_equal(m->n, 0);
        }
        for (uint32_t k = 0; k < m->n; k++)
            assert_true(list.before[m->first + k] < i);
    }
    assert_int_equal(bytes, 9 * 6); /* 2 (n - 1) / n of all, from n ranks */
    done(&f);
    assert_int_equal(
        list_of(&f, 4, "all-reduce: {size: 9B, algorithm: ring}", 23),
        ORR_ECONFIG);
    assert_string_equal(f.why.message, "the job sends more than 23 messages in "
                                       "an iteration, or they wait for more "
                                       "than that");
    done(&f);
}

/* Computations are passed over; the second message with a tag is the second
 * that is received with it; two collectives follow one another. */
static void test_chain(void **state)
{
    struct fake f;
    assert_int_equal(
        list_of(&f, 3,
                "{id: a, send: {to: 1, size: 5B}, ranks: [0]},"
                "{id: b, send: {to: 1, size: 6B}, ranks: [0], after: [a]},"
                "{id: c, recv: {from: 0}, ranks: [1], after: []},"
                "{id: d, recv: {from: 0}, ranks: [1], after: [c]},"
                "{id: e, compute: 1us, after: [d]},"
                "{id: g, broadcast: {size: 7B, root: 1, algorithm: direct},"
                " after: [e]},"
                "{id: h, send: {to: 0, size: 8B}, ranks: [2], after: [g]},"
                "{id: i, recv: {from: 2}, ranks: [0], after: [g]}",
                100),
        ORR_OK);
    assert_int_equal(list.messages, 5);
    for (uint32_t i = 0; i < 5; i++) {
        const struct orr_listed_message *m = &list.message[i];
        assert_int_equal(m->n, i > 0);
        if (m->bytes == 6 || m->bytes == 8) /* after the one before it */
            assert_int_equal(list.message[list.before[m->first]].bytes,
                             m->bytes - 1);
        if (m->bytes == 7)
            assert_int_equal(list.message[list.before[m->first]].bytes, 6);
    }
    done(&f);
}

/* Servers answer when all have pushed. */
static void test_servers(void **state)
{
    struct fake f;
    assert_int_equal(list_of(&f, 3,
                             "all-reduce: {size: 8B, algorithm: "
                             "parameter-server, servers: [0]}",
                             100),
                     ORR_OK);
    assert_int_equal(list.messages, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(list.message[i].from >= 3, i >= 3);
        assert_int_equal(list.message[i].n, i < 3 ? 0 : 3);
    }
    done(&f);
}

/* Each of two ranks waits for the other. */
static void test_circle(void **state)
{
    struct fake f;
    assert_int_equal(list_of(&f, 2,
                             "{id: a, recv: {from: 1}, ranks: [0]},"
                             "{id: b, recv: {from: 0}, ranks: [1]},"
                             "{send: {to: 1, size: 5B}, ranks: [0], after: "
                             "[a]},"
                             "{send: {to: 0, size: 5B}, ranks: [1], after: "
                             "[b]}",
                             100),
                     ORR_ECONFIG);
    assert_string_equal(f.why.message,
                        "messages wait for one another in a circle: the job "
                        "would never end");
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_servers),
        cmocka_unit_test(test_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
