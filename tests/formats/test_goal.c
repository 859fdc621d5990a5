/* Schedules in GOAL: who computes and sends when, and what is refused. The net
 * is one without packets, so times are exact. */
#include <stdlib.h>

#include "formats/goal_schedule.h"
#include "tests/formats/traces.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)(x)*1000)

static orr_err read_job(struct fake *f, uint32_t ranks, const char *text,
                        const char *keys)
{
    char job[400];
    FILE *w = fopen(et_path("s.goal"), "w");
    assert_non_null(w);
    fputs(text, w);
    fclose(w);
    snprintf(job, sizeof job,
             "  - {ranks: %u, trace: {format: goal, file: %s/s.goal%s}}\n",
             ranks, et_folder, keys);
    return fake_read(f, ranks, job);
}

static int64_t play(struct fake *f, uint32_t ranks, const char *text,
                    const char *keys)
{
    orr_err err = read_job(f, ranks, text, keys);
    if (err)
        print_error("%s\n", f->why.message);
    assert_int_equal(err, ORR_OK);
    fake_go(f);
    assert_int_equal(orr__jobs_close(&f->w, &f->why), ORR_OK);
    return f->w.jobs[0].finish_ps;
}

static int64_t step(const struct fake *f, uint64_t bytes)
{
    return orr__serialisation(bytes, f->net.rate_bps) + f->net.latency_ps;
}

/* A message between two computations; the overhead is paid on both sides, and
 * on one core before what has been ready longer. */
static void test_chain(void **state)
{
    const char *w = "num_ranks 2\n"
                    "rank 0 { // begins\n"
                    "l1 : calc 1000 cpu 0\n"
                    "l2: send 4000b to 1 tag 7\n"
                    "l2 requires l1 /* waits\n"
                    "for it */\n"
                    "}\n"
                    "rank 1 {\n"
                    "r: recv 4000b from 0 tag 7\n"
                    "c: calc 2000 nic 0\n"
                    "c requires r\n"
                    "}\n";
    struct fake f;
    int64_t end = play(&f, 2, w, "");
    assert_int_equal(end, NS(1000 + 2000) + step(&f, 4000));
    assert_int_equal(f.w.jobs[0].bytes_sent, 4000);
    fake_free(&f);
    end = play(&f, 2, w, ", overhead: 30ns");
    assert_int_equal(end, NS(1000 + 2000 + 60) + step(&f, 4000));
    fake_free(&f);
}

/* Cores of a rank work beside one another; one core does one thing at a time.
 * What requires a beginning goes on beside it. */
static void test_cores(void **state)
{
    struct fake f;
    assert_int_equal(play(&f, 2,
                          "num_ranks 2\nrank 0 {\ncalc 300\ncalc 400\n"
                          "calc 600 cpu 1\n}\n",
                          ""),
                     NS(700));
    fake_free(&f);
    const char *w = "num_ranks 2\nrank 1 {\na: calc 100\nb: calc 500 cpu 1\n"
                    "b requires a\nc: calc 700 cpu 2\nc %s b\n}\n";
    char text[200];
    snprintf(text, sizeof text, w, "requires");
    assert_int_equal(play(&f, 2, text, ""), NS(100 + 500 + 700));
    fake_free(&f);
    snprintf(text, sizeof text, w, "irequires");
    assert_int_equal(play(&f, 2, text, ""), NS(100 + 700));
    fake_free(&f);
}

/* What is refused, and where. */
static void test_wrong(void **state)
{
    static const struct {
        const char *text, *message;
        int line, col;
    } wrong[] = {
        {"rank 0 {\n}\n", "`num_ranks` and their number are expected here", 1,
         1},
        {"num_ranks 0\n", "a schedule has at least one rank", 1, 11},
        {"num_ranks 2\nrank 2 {\n}\n", NULL, 2, 6},
        {"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n",
         "rank 0 is there twice: see line 2", 4, 6},
        {"num_ranks 2\nrank 0 {\ncalc 5\n", "} is missing behind rank 0", 4, 1},
        {"num_ranks 2\nrank 0 {\nl1: sent 5b to 1\n}\n",
         "sent is neither calc, send, recv, requires nor irequires", 3, 5},
        {"num_ranks 2\nrank 0 {\nsend 5kb to 1\n}\n",
         "5kb is no number of bytes, as in send 1024b", 3, 6},
        {"num_ranks 2\nrank 0 {\nsend 5b to 0\n}\n",
         "a message of rank 0 with itself", 3, 12},
        {"num_ranks 2\nrank 0 {\nrecv 5b from -1\n}\n",
         "a message from any rank: which one it is has to be said here", 3, 14},
        {"num_ranks 2\nrank 0 {\nl1: calc 5 tag 3\n}\n",
         "there is no tag here: cpu and nic may follow", 3, 12},
        {"num_ranks 2\nrank 0 {\nl1: calc 5\nl1: calc 6\n}\n",
         "rank 0 has two operations l1", 4, 5},
        {"num_ranks 2\nrank 0 {\nl1: calc 5\nl1 requires l2\n}\n",
         "rank 0 has no operation l2 above this line", 4, 13},
        {"num_ranks 2\nrank 0 {\ncalc 5\n}\n/* no end",
         "a comment that does "
         "not end",
         5, 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct orr_report why = {0};
        struct orr_goal g;
        orr_err err = orr__goal_read("s.goal", wrong[i].text,
                                     strlen(wrong[i].text), &g, &why);
        assert_int_equal(err, ORR_ECONFIG);
        if (wrong[i].message)
            assert_string_equal(why.message, wrong[i].message);
        assert_int_equal(why.line, wrong[i].line);
        assert_int_equal(why.col, wrong[i].col);
        orr__goal_free(&g);
    }
}

/* Ranks do not fit together, or wait in a circle. */
static void test_misfits(void **state)
{
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"num_ranks 3\n", "the schedule has 3 ranks, the job 2"},
        {"num_ranks 2\nrank 0 {\nsend 5b to 1 tag 4\n}\n",
         "node 3 sends to rank 1 with tag 4"},
        {"num_ranks 2\nrank 0 {\na: calc 1\nb: calc 1\na requires b\n"
         "b irequires a\n}\n",
         "circle"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fake f;
        assert_int_equal(read_job(&f, 2, wrong[i].text, ""), ORR_ECONFIG);
        if (!strstr(f.why.message, wrong[i].part))
            fail_msg("%s", f.why.message);
        fake_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests(tests, et_setup, et_teardown);
}
