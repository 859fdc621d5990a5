/* Experiments through the public API: load, estimate, run, look, free. */
#include "tests/workload/small_workload.h"

#include <sys/stat.h>

#include "study/run/entry.h"
#include "workload/job/job.h"

#define RING                                                                   \
    "topology: {kind: ring, hosts: 8, link: {rate: 400Gbps, delay: 500ns}}\n"
#define ALL_REDUCE                                                             \
    "jobs:\n"                                                                  \
    "  - name: allreduce\n"                                                    \
    "    ranks: 8\n"                                                           \
    "    program:\n"                                                           \
    "      - compute: 1ns\n"                                                   \
    "      - all-reduce: {size: 1MiB, algorithm: ring, chunks: 4}\n"
#define BUSY                                                                   \
    FAT_TREE                                                                   \
    "network: {cc: {kind: dctcp}, queue: {kind: ecn, capacity: 100KB, "        \
    "threshold: 50KB}}\n"                                                      \
    "jobs: [{ranks: 8, placement: random, program: [all-to-all: "              \
    "{size: 256KiB}]}]\n"                                                      \
    "flows: [{generate: permutation, size: {min: 10KB, max: 300KB}}]\n"
/* Hours, unless something ends it. */
#define ENDLESS                                                                \
    RING "jobs: [{ranks: 8, iterations: 1000000, "                             \
         "program: [all-reduce: {size: 1MiB}]}]\n"

static char folder[] = "/tmp/orrery-test-XXXXXX";

static int enter_folder(void **state)
{
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1; /* nothing is left */
}

static bool exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

/* ---- what is built and what comes out ---------------------------------- */

/* The example of the design: 1 ns + 4 * 14 * (8 * 81.92 + 500) ns. */
static void the_example_takes_its_picoseconds(void **state)
{
    orr_experiment *x = experiment_run(RING ALL_REDUCE, 1);
    const struct orr_world *w = orr__experiment_world(x);
    assert_int_equal(w->jobs[0].finish_ps, 64701160);
    assert_false(w->result.partial);
    assert_string_equal(w->jobs[0].name, "allreduce");
    orr_experiment_free(x);
}

static void results_are_text_and_json(void **state)
{
    orr_experiment *x = experiment_run("title: a title\n" RING ALL_REDUCE, 1);
    char *json = orr_experiment_json(x);
    char *summary = orr_experiment_summary(x);
    assert_non_null(strstr(json, "\"title\": \"a title\""));
    assert_non_null(strstr(summary, "a title"));
    assert_null(orr_experiment_output(x));
    assert_true(orr_experiment_fingerprint(x) != 0);
    orr_text_free(json);
    orr_text_free(summary);
    orr_experiment_free(x);
}

static void there_are_no_results_before_a_run(void **state)
{
    struct orr_report why = {0};
    orr_experiment *x;
    assert_int_equal(experiment_load(RING ALL_REDUCE, NULL, &x, &why), ORR_OK);
    assert_null(orr_experiment_json(x));
    assert_null(orr_experiment_summary(x));
    assert_null(orr_experiment_output(x));
    orr_experiment_free(x);
    orr_experiment_free(NULL);
}

static void an_experiment_runs_once(void **state)
{
    struct orr_report why = {0};
    orr_experiment *x = experiment_run(RING ALL_REDUCE, 1);
    assert_int_equal(orr_experiment_run(x, &why), ORR_ERUN);
    assert_string_equal(why.message, "an experiment runs only once");
    orr_experiment_free(x);
}

/* Two in one process, loaded side by side and run one after the other. */
static void two_experiments_do_not_disturb_each_other(void **state)
{
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true};
    orr_experiment *x[2], *alone = experiment_run(BUSY, 1);
    assert_int_equal(experiment_load(BUSY, &o, &x[0], &why), ORR_OK);
    assert_int_equal(experiment_load(RING ALL_REDUCE, &o, &x[1], &why), ORR_OK);
    assert_int_equal(orr_experiment_run(x[1], &why), ORR_OK);
    assert_int_equal(orr_experiment_run(x[0], &why), ORR_OK);
    assert_int_equal(orr_experiment_fingerprint(x[0]),
                     orr_experiment_fingerprint(alone));
    orr_experiment_free(x[0]);
    orr_experiment_free(x[1]);
    orr_experiment_free(alone);
}

static void threads_change_nothing(void **state)
{
    uint64_t fingerprint = 0;
    for (unsigned threads = 1; threads <= 4; threads++) {
        orr_experiment *x = experiment_run(BUSY, threads);
        assert_int_equal(orr__experiment_world(x)->options.threads, threads);
        if (threads == 1)
            fingerprint = orr_experiment_fingerprint(x);
        assert_int_equal(orr_experiment_fingerprint(x), fingerprint);
        orr_experiment_free(x);
    }
}

/* More threads than nodes are as many as nodes; absurdly many are refused. */
static void threads_have_a_limit(void **state)
{
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true, .threads = 1025};
    orr_experiment *x = experiment_run(RING ALL_REDUCE, 20);
    assert_int_equal(orr__experiment_world(x)->options.threads, 8);
    orr_experiment_free(x);
    assert_int_equal(experiment_load(RING ALL_REDUCE, &o, &x, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message, "1025 threads are more than 1024");
}

static void options_go_over_the_file(void **state)
{
    const char *const sets[] = {"seed=5", "jobs[0].iterations=3",
                                "control_delay=1ns"};
    struct orr_report why = {0};
    struct orr_options o = {
        .sets = sets,
        .n_sets = 3,
        .has_seed = true,
        .seed = 9,
        .no_output = true,
    };
    orr_experiment *x;
    assert_int_equal(experiment_load(RING ALL_REDUCE, &o, &x, &why), ORR_OK);
    const struct orr_world *w = orr__experiment_world(x);
    assert_int_equal(w->seed, 9);
    assert_int_equal(w->jobs[0].iterations, 3);
    assert_int_equal(w->options.control_delay_ps,
                     500000); /* no less than a window */
    assert_string_equal(w->options.command, "");
    orr_experiment_free(x);
}

static void an_estimate_counts_what_a_run_counts(void **state)
{
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true};
    struct orr_estimate e;
    struct orr_net_totals t;
    orr_experiment *x;
    assert_int_equal(experiment_load(RING ALL_REDUCE, &o, &x, &why), ORR_OK);
    assert_int_equal(orr_experiment_estimate(x, &e, &why), ORR_OK);
    assert_int_equal(orr_experiment_run(x, &why), ORR_OK);
    orr__net_totals(orr__experiment_world(x)->net, &t);
    assert_int_equal((uint64_t)e.packet_hops, t.packet_hops);
    assert_true(e.seconds > 0 && e.seconds < 0.01);
    assert_true(e.memory_bytes > 1000000);
    orr_experiment_free(x);
}

static double estimated_seconds(const char *yaml)
{
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true};
    struct orr_estimate e;
    orr_experiment *x;
    assert_int_equal(experiment_load(yaml, &o, &x, &why), ORR_OK);
    assert_int_equal(orr_experiment_estimate(x, &e, &why), ORR_OK);
    orr_experiment_free(x);
    return e.seconds;
}

/* The network has to be made, and flows cost more than their packets. */
static void an_estimate_is_not_of_packets_alone(void **state)
{
    static const char large[] =
        "topology: {kind: fat-tree, k: 8, link: {rate: 1Gbps, delay: 1us}}\n";
    char text[512];
    snprintf(text, sizeof text,
             "%snetwork: {mtu: 1000B}\n"
             "flows: [{src: 0, dst: 1, size: 1B}]\n",
             large);
    double one = estimated_seconds(text);
    assert_true(one > 0.25e-6 * (208 + 768)); /* nodes and links */
    snprintf(text, sizeof text,
             "%snetwork: {mtu: 1000B}\n"
             "flows: [{generate: permutation, size: 1B}]\n",
             large);
    double many = estimated_seconds(text);
    /* 2 * 6 packet-hops each are less than a microsecond */
    assert_true(many - one > 127 * 4e-6 && many - one < 127 * 20e-6);
}

/* ---- records ----------------------------------------------------------- */

static void records_are_named_after_the_configuration(void **state)
{
    struct orr_report why = {0};
    orr_experiment *x;
    FILE *f = fopen("my.ring.yaml", "w");
    assert_non_null(f);
    fputs(RING ALL_REDUCE, f);
    fclose(f);
    assert_int_equal(orr_experiment_load("my.ring.yaml", NULL, &x, &why),
                     ORR_OK);
    assert_false(exists("my.ring.h5.partial")); /* not before it runs */
    assert_int_equal(orr_experiment_run(x, &why), ORR_OK);
    assert_string_equal(orr_experiment_output(x), "my.ring.h5");
    assert_string_equal(orr__experiment_world(x)->options.title, "my.ring");
    orr_experiment_free(x);
    assert_int_equal(unlink("my.ring.yaml"), 0);
    assert_int_equal(unlink("my.ring.h5"), 0);
}

static void an_output_that_cannot_be_is_told_before_the_run(void **state)
{
    struct orr_report why = {0};
    struct orr_options o = {.output = "nosuch/x.h5"};
    orr_experiment *x;
    assert_int_equal(experiment_load(RING ALL_REDUCE, &o, &x, &why), ORR_OK);
    assert_int_equal(orr_experiment_run(x, &why), ORR_ECONFIG);
    assert_non_null(strstr(why.message, "nosuch/x.h5"));
    assert_null(orr_experiment_output(x));
    assert_null(orr_experiment_json(x));
    orr_experiment_free(x);
}

/* ---- how a run ends ---------------------------------------------------- */

static void an_interrupt_ends_a_run_with_its_records(void **state)
{
    struct orr_report why = {0};
    volatile int interrupt = 1;
    struct orr_options o = {.output = "x.h5", .interrupt = &interrupt};
    orr_experiment *x;
    assert_int_equal(experiment_load(ENDLESS, &o, &x, &why), ORR_OK);
    assert_int_equal(orr_experiment_run(x, &why), ORR_EINTERRUPTED);
    assert_non_null(strstr(why.message, "interrupted at "));
    assert_true(orr__experiment_world(x)->result.partial);
    assert_string_equal(orr_experiment_output(x), "x.h5");
    assert_false(exists("x.h5.partial"));
    assert_int_equal(unlink("x.h5"), 0);
    char *json = orr_experiment_json(x);
    assert_non_null(json);
    orr_text_free(json);
    orr_experiment_free(x);
}

static void a_stop_ends_a_run_well(void **state)
{
    orr_experiment *x = experiment_run("stop: 2ms\n" ENDLESS, 2);
    const struct orr_world *w = orr__experiment_world(x);
    struct orr_net_totals t;
    orr__net_totals(w->net, &t);
    assert_true(w->result.partial);
    assert_int_equal(w->result.end_ps, 2000000000);
    assert_in_range(t.last_event_ps, 1990000000, 1999999999);
    assert_int_equal(w->jobs[0].finish_ps, -1);
    orr_experiment_free(x);
    /* a stop that is never reached */
    x = experiment_run("stop: 1s\n" RING ALL_REDUCE, 1);
    assert_false(orr__experiment_world(x)->result.partial);
    orr_experiment_free(x);
}

static void a_rank_that_waits_for_ever_is_named(void **state)
{
    struct orr_report why = {0};
    struct orr_options o = {.output = "x.h5"};
    orr_experiment *x;
    assert_int_equal(
        experiment_load("topology: {kind: switch, hosts: 4, link: {rate: "
                        "8Gbps, delay: 1us}}\n"
                        "network: {transport: datagram, mtu: 1000B, "
                        "queue: {kind: droptail, capacity: 3KB}}\n"
                        "jobs:\n"
                        "  - name: lossy\n"
                        "    ranks: 4\n"
                        "    program: [gather: {size: 64KB, root: 0}]\n",
                        &o, &x, &why),
        ORR_OK);
    assert_int_equal(orr_experiment_run(x, &why), ORR_ERUN);
    assert_non_null(strstr(why.message, "no events are left, but "));
    assert_non_null(strstr(why.message, "lossy"));
    assert_string_equal(orr_experiment_output(x), "x.h5");
    assert_int_equal(unlink("x.h5"), 0);
    orr_experiment_free(x);
}

struct told {
    int calls;
    double share;
    int64_t time_ps;
    volatile int interrupt;
};

static void on_progress(void *arg, const struct orr_progress *p)
{
    struct told *t = arg;
    assert_true(p->share >= t->share && p->share <= 1);
    assert_true(p->time_ps > t->time_ps);
    assert_true(p->packet_hops > 0 && p->wall_s > 0);
    t->share = p->share;
    t->time_ps = p->time_ps;
    t->interrupt = ++t->calls == 3;
}

static void progress_goes_forward(void **state)
{
    struct orr_report why = {0};
    struct told told = {.calls = 0};
    struct orr_options o = {
        .no_output = true,
        .progress = on_progress,
        .progress_arg = &told,
        .interrupt = &told.interrupt,
    };
    orr_experiment *x;
    assert_int_equal(experiment_load(ENDLESS, &o, &x, &why), ORR_OK);
    assert_int_equal(orr_experiment_run(x, &why), ORR_EINTERRUPTED);
    assert_int_equal(told.calls, 3);
    assert_true(told.share > 0);
    orr_experiment_free(x);
}

/* ---- memory ------------------------------------------------------------ */

static orr_err whole_life(uint64_t fail_at, int for_good)
{
    struct orr_report why = {0};
    struct orr_options o = {.output = "x.h5", .threads = 2};
    orr_experiment *x = NULL;
    const char *yaml =
        RING "jobs: [{ranks: 4, program: [all-reduce: {size: 20KB}]}]\n"
             "flows: [{src: 0, dst: 5, size: 20KB}]\n";
    FILE *f = fopen("x.yaml", "w");
    assert_non_null(f);
    fputs(yaml, f);
    fclose(f);
    orr__memory_fail_after(fail_at, for_good);
    orr_err err = orr_experiment_load("x.yaml", &o, &x, &why);
    if (err == ORR_OK)
        err = orr_experiment_run(x, &why);
    if (err == ORR_OK) {
        char *json = orr_experiment_json(x), *text = orr_experiment_summary(x);
        err = json && text ? ORR_OK : ORR_ENOMEM;
        orr_text_free(json);
        orr_text_free(text);
    } else {
        assert_int_equal(why.code, err);
        assert_true(why.message[0]);
    }
    orr_experiment_free(x);
    orr__memory_fail_after(0, 0);
    assert_false(exists("x.h5.partial"));
    unlink("x.h5");
    unlink("x.yaml");
    return err;
}

/* Every third allocation of a whole life fails, one alone, the next with all
 * after it (tests/larger/starve.bats: each in both ways). A failure may go
 * unnoticed where there is a way without (a cache that does not grow). */
static void every_allocation_may_fail(void **state)
{
    int fine = 0;
    uint64_t n = 1;
    for (; fine < 7; n += 3) {
        orr_err err = whole_life(n, n % 2 == 0);
        assert_true(err == ORR_OK || err == ORR_ENOMEM);
        fine = err == ORR_OK ? fine + 1 : 0;
    }
    assert_true(n > 150);
}

/* Calls that are wrong are told, and crash nothing. */
static void test_bad_calls(void **state)
{
    struct orr_estimate e;
    struct orr_report why = {.code = ORR_OK};
    orr_experiment *x = NULL;
    assert_int_equal(orr_experiment_load(NULL, NULL, &x, &why), ORR_ECALL);
    assert_string_equal(why.message, "orr_experiment_load: path is NULL");
    assert_int_equal(orr_experiment_load("x.yaml", NULL, NULL, NULL),
                     ORR_ECALL);
    why.code = ORR_OK;
    assert_int_equal(orr_experiment_load("x.yaml",
                                         &(struct orr_options){.n_sets = 3}, &x,
                                         &why),
                     ORR_ECALL);
    assert_string_equal(why.message, "options: sets is NULL");
    why.code = ORR_OK;
    static const char *const none[] = {"seed=1", NULL};
    assert_int_equal(
        orr_experiment_load("x.yaml",
                            &(struct orr_options){.sets = none, .n_sets = 2},
                            &x, &why),
        ORR_ECALL);
    assert_string_equal(why.message, "options: sets[1] is NULL");
    assert_null(x);
    assert_int_equal(orr_experiment_run(NULL, NULL), ORR_ECALL);
    assert_int_equal(orr_experiment_estimate(NULL, &e, NULL), ORR_ECALL);
    assert_null(orr_experiment_json(NULL));
    assert_null(orr_experiment_summary(NULL));
    assert_null(orr_experiment_output(NULL));
    assert_true(orr_experiment_fingerprint(NULL) == 0);
    orr_experiment_free(NULL);
    orr_text_free(NULL);
    assert_int_equal(
        orr__experiment_load_text("t.yaml", RING ALL_REDUCE, NULL, &x, NULL),
        ORR_OK);
    assert_int_equal(orr_experiment_estimate(x, NULL, NULL), ORR_ECALL);
    assert_null(orr_experiment_json(x));
    orr_experiment_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(the_example_takes_its_picoseconds),
        cmocka_unit_test(results_are_text_and_json),
        cmocka_unit_test(there_are_no_results_before_a_run),
        cmocka_unit_test(an_experiment_runs_once),
        cmocka_unit_test(two_experiments_do_not_disturb_each_other),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(threads_have_a_limit),
        cmocka_unit_test(options_go_over_the_file),
        cmocka_unit_test(an_estimate_counts_what_a_run_counts),
        cmocka_unit_test(an_estimate_is_not_of_packets_alone),
        cmocka_unit_test(records_are_named_after_the_configuration),
        cmocka_unit_test(an_output_that_cannot_be_is_told_before_the_run),
        cmocka_unit_test(an_interrupt_ends_a_run_with_its_records),
        cmocka_unit_test(a_stop_ends_a_run_well),
        cmocka_unit_test(a_rank_that_waits_for_ever_is_named),
        cmocka_unit_test(progress_goes_forward),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
