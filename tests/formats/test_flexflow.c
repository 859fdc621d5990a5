/* FlexFlow's task graphs: who computes, sends and adds up when, and what is
 * refused. The net is one without packets, so times are exact. */
#include <stdlib.h>

#include "formats/task_graph.h"
#include "tests/formats/traces.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)(x)*1000)

static orr_err read_job(struct fake *f, uint32_t ranks, const char *tasks,
                        const char *keys)
{
    char job[400];
    FILE *w = fopen(et_path("t.txt"), "w");
    assert_non_null(w);
    fputs(tasks, w);
    fclose(w);
    snprintf(job, sizeof job,
             "  - {ranks: %u, trace: {format: flexflow, tasks: %s/t.txt%s}}\n",
             ranks, et_folder, keys);
    return fake_read(f, ranks, job);
}

static int64_t play(struct fake *f, uint32_t ranks, const char *tasks,
                    const char *keys)
{
    orr_err err = read_job(f, ranks, tasks, keys);
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

/* A node computes one task at a time; a message carries what it waits for. */
static void test_chain(void **state)
{
    const char *w = "# as decoded\n"
                    "5 FWD 0 0.001 0 6 7\n"
                    "6 TASK_BACKWARD 0 2e-3 0\n"
                    "7 COMM \"0>1\" 9.5 4000 8\n"
                    "8 FWD 1 0.004 0\n";
    struct fake f;
    int64_t end = play(&f, 2, w, "");
    assert_int_equal(end, NS(1000 + 4000) + step(&f, 4000));
    assert_int_equal(f.w.jobs[0].bytes_sent, 4000);
    fake_free(&f);
    end = play(&f, 2, w, ", packet: 3000B, endpoint_delay: 7ns");
    assert_int_equal(end, NS(1000 + 4000 + 7) + step(&f, 6000));
    fake_free(&f);
    w = "0 FWD 0 0.003 0\n1 FWD 0 0.004 0\n2 LATENCY 1 0.005 0\n";
    end = play(&f, 2, w, "");
    assert_int_equal(end, NS(7000));
    fake_free(&f);
}

/* All-reduces begin with their members' own sums, side by side; that of one
 * node is none. */
static void test_all_reduce(void **state)
{
    const char *w = "0 BWD 0 0.001 0 3 4 5\n1 BWD 1 0.001 0 3\n"
                    "2 BWD 2 0.001 0 3\n"
                    "3 ALLREDUCE None 0.002 3000 0 1 2\n"
                    "4 ALLREDUCE None 9 7 0\n5 FWD 0 0.0001 0\n";
    struct fake f;
    int64_t end = play(&f, 3, w, "");
    assert_int_equal(end, NS(3000) + 4 * step(&f, 1000));
    assert_int_equal(f.w.jobs[0].bytes_sent, 3 * 4 * 1000);
    fake_free(&f);
    end = play(&f, 3, w, ", local: false, packet: 800B");
    assert_int_equal(end, NS(1000) + 4 * step(&f, 1600));
    fake_free(&f);
    w = "3 ALLREDUCE None 0.002 3000 0 1\n8 ALLREDUCE None 0.002 3000 1 0\n";
    end = play(&f, 3, w, "");
    assert_true(end >= NS(2000) + 2 * step(&f, 1500) && end < NS(4000));
    fake_free(&f);
}

static void refused(const char *tasks, int line, int col, const char *message)
{
    struct fake f;
    assert_int_equal(read_job(&f, 2, tasks, ""), ORR_ECONFIG);
    if (!strstr(f.why.message, message) || f.why.line != line
        || f.why.col != col)
        print_error("%s:%d:%d: %s\n", f.why.file, f.why.line, f.why.col,
                    f.why.message);
    assert_non_null(strstr(f.why.message, message));
    assert_int_equal(f.why.line, line);
    assert_int_equal(f.why.col, col);
    assert_non_null(strstr(f.why.file, "/t.txt"));
    fake_free(&f);
}

static void test_refused(void **state)
{
    refused("# nothing\n", 2, 1, "there is no task in this file");
    refused("x FWD 0 1 0\n", 1, 1, "a task's id");
    refused("0 FWD 0 1 0\n0 FWD 0 1 0\n", 2, 1, "there are two tasks 0");
    refused("0 MOVE 0 1 0\n", 1, 3, "there is no task type MOVE");
    refused("0\n", 1, 2, "the task's type is missing");
    refused("0 FWD\n", 1, 6, "the task's node is missing");
    refused("0 FWD 2 1 0\n", 1, 7, "2 is no device here: nodes are 0 to 1");
    refused("0 FWD gpu 1 0\n", 1, 7, "gpu is no device here");
    refused("0 COMM 0>7 1 0\n", 1, 10, "7 is no device here");
    refused("0 COMM 0 1 0\n", 1, 8, "between two nodes");
    refused("0 COMM 1>1 1 0\n", 1, 8, "from node 1 to itself");
    refused("0 FWD 0 -1 0\n", 1, 9, "a task's time");
    refused("0 FWD 0 1\n", 1, 10, "the task's bytes are missing");
    refused("0 FWD 0 1 0 4\n", 1, 13, "there is no task 4");
    refused("0 FWD 0 1 0 1\n1 FWD 1 1 0\n", 1, 13,
            "task 1 begins on node 1: a transfer to that node is missing");
    refused("0 FWD 0 1 0 1\n1 ALLREDUCE None 0 5 1\n", 1, 13,
            "on node 0, which takes no part in it");
    refused("1 ALLREDUCE None 0 5 1 1\n", 1, 24, "node 1 is in it twice");
    refused("1 ALLREDUCE None 0 5\n", 1, 21, "nodes of the all-reduce");
    refused("0 FWD 0 1 0 1\n1 COMM 0>1 1 9 2\n2 FWD 1 0 0 3\n"
            "3 COMM 1>0 0 9 4 5\n4 FWD 0 1 0 1\n5 FWD 0 1 0\n",
            3, 1, "task 2 waits for itself, by way of task 1");
    refused("0 FWD 0 1 0 0\n", 1, 1, "task 0 waits for itself");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_all_reduce),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, et_setup, et_teardown);
}
