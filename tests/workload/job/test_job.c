/* Jobs: what the `jobs` list says, records merged over workers, who waits for
 * what when a run gets stuck. */
#include <stdio.h>

#include "tests/workload/fake_net.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)((x)*1000))

static void test_defaults(void **state)
{
    struct fake f;
    assert_int_equal(fake_read(&f, 4,
                               "  - {ranks: 2, program: [barrier]}\n"
                               "  - {ranks: 3, name: b, start: 1us, "
                               "iterations: 7, warmup: 2, placement: [3, 0, "
                               "3], program: [barrier]}\n"),
                     ORR_OK);
    assert_int_equal(f.w.n_jobs, 2);
    const struct orr_job *a = &f.w.jobs[0], *b = &f.w.jobs[1];
    assert_string_equal(a->name, "job0");
    assert_int_equal(a->ranks, 2);
    assert_int_equal(a->members, 2);
    assert_int_equal(a->hosts[1], 1);
    assert_int_equal(a->iterations, 1);
    assert_int_equal(a->start_ps, 0);
    assert_string_equal(b->name, "b");
    assert_int_equal(b->start_ps, ORR_US);
    assert_int_equal(b->iterations, 7);
    assert_int_equal(b->warmup, 2);
    assert_int_equal(b->hosts[2], 3);
    const struct orr_team *t = a->team;
    assert_int_equal(t->local_bps, 3200000000000);
    assert_int_equal(t->local_delay_ps, NS(100));
    assert_false(t->acked);
    fake_free(&f);
}

static void test_bad_input(void **state)
{
    static const struct {
        const char *jobs, *message;
    } bad[] = {
        {"  - {program: [barrier]}\n", "job.ranks is missing"},
        {"  - {ranks: 2}\n", "a job needs a `program`, a `trace`, a "
                             "`model` or `serve`"},
        {"  - {ranks: 0, program: [barrier]}\n",
         "job.ranks: 0 is below the smallest allowed, 1"},
        {"  - {ranks: 2, program: [barrier]}\n"
         "  - {ranks: 2, name: job0, program: [barrier]}\n",
         "two jobs are called \"job0\""},
        {"  - {ranks: 2, iterations: 2, warmup: 2, program: [barrier]}\n",
         "warmup: no iteration would be left of 2"},
        {"  - {ranks: 2, complete: done, program: [barrier]}\n",
         "job.complete: \"done\" is not one of sent, acked or arrived"},
        {"  - {ranks: 2, complete: arrived, program: [barrier]}\n",
         "complete: what is acknowledged is `acked`, not `arrived`; that is "
         "for `network.transport: datagram` or `analytical`"},
        {"  - {ranks: 2, message_overhead: {on: nic}, program: [barrier]}\n",
         "message_overhead.time is missing"},
        {"  - {ranks: 2, message_overhead: {time: 1us, rate: 0bps}, program: "
         "[barrier]}\n",
         "message_overhead.rate: 0bps is below the smallest allowed, 1bps"},
        {"  - {ranks: 2, local: {rate: 0bps}, program: [barrier]}\n",
         "local.rate: 0bps is below the smallest allowed, 1bps"},
        {"  {ranks: 2, program: [barrier]}\n",
         "jobs: a list is expected; begin each job with `-`"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fake f;
        assert_int_equal(fake_read(&f, 4, bad[i].jobs), ORR_ECONFIG);
        assert_string_equal(f.why.message, bad[i].message);
        assert_true(f.why.line >= 2);
        fake_free(&f);
    }
}

/* ---- records ------------------------------------------------------------ */

/* The same to the last bit, however many workers share the hosts. */
static void test_workers_change_nothing(void **state)
{
    struct fake one, many;
    const char *jobs =
        "  - {ranks: 6, iterations: 5, jitter: {kind: exponential, spread: "
        "1us}, program: [compute: 3us, all-reduce: {size: 30KB, chunks: 2}, "
        "parallel: [all-to-all: {size: 6KB}, compute: 1us]]}\n"
        "  - {ranks: 4, placement: [5, 4, 3, 2], start: 2us, iterations: 3, "
        "program: [all-reduce: {size: 9KB, algorithm: double-tree}]}\n";
    fake_play(&one, 6, jobs);
    for (unsigned workers = 2; workers <= 6; workers++) {
        assert_int_equal(fake_read(&many, 6, jobs), ORR_OK);
        many.w.options.workers = workers;
        fake_go(&many);
        assert_int_equal(orr__jobs_close(&many.w, &many.why), ORR_OK);
        assert_int_equal(one.net.step_hash, many.net.step_hash);
        for (uint32_t j = 0; j < 2; j++) {
            const struct orr_job *a = &one.w.jobs[j], *b = &many.w.jobs[j];
            assert_int_equal(a->finish_ps, b->finish_ps);
            assert_int_equal(a->bytes_sent, b->bytes_sent);
            assert_int_equal(a->n_collectives, b->n_collectives);
            assert_int_equal(a->collectives_run, b->collectives_run);
            assert_memory_equal(a->iteration, b->iteration,
                                a->iterations * sizeof *a->iteration);
            for (uint32_t i = 0; i < a->n_collectives; i++) {
                const struct orr_collective_record *x = &a->collective[i];
                const struct orr_collective_record *y = &b->collective[i];
                assert_int_equal(x->start_ps, y->start_ps);
                assert_int_equal(x->end_ps, y->end_ps);
                assert_int_equal(x->messages, y->messages);
                assert_float_equal(x->message_ps, y->message_ps, 0);
                assert_float_equal(x->chunk_latency_ps, y->chunk_latency_ps, 0);
                assert_float_equal(x->queueing_ps, y->queueing_ps, 0);
            }
        }
        fake_free(&many);
    }
    fake_free(&one);
}

/* Each computation of each rank and iteration draws for itself: a second job
 * does not change the first one's times. */
static void test_jitter_is_by_name(void **state)
{
    struct fake a, b;
    const char *job = "  - {ranks: 2, iterations: 4, jitter: {kind: uniform, "
                      "spread: 0.5}, program: [compute: 10us]}\n";
    char two[512];
    snprintf(two, sizeof two, "%s  - {ranks: 2, program: [compute: 1us]}\n",
             job);
    fake_play(&a, 4, job);
    fake_play(&b, 4, two);
    const struct orr_iteration *x = a.w.jobs[0].iteration;
    assert_memory_equal(x, b.w.jobs[0].iteration, 4 * sizeof *x);
    assert_int_not_equal(x[0].end_ps, x[1].end_ps - x[0].end_ps);
    assert_int_not_equal(x[0].end_ps, NS(10000));
    fake_free(&a);
    fake_free(&b);
}

static void test_bandwidths(void **state)
{
    static const struct {
        const char *call;
        double bytes, factor;
    } cases[] = {
        {"all-reduce: {size: 1MB}", 1e6, 2 * 3 / 4.0},
        {"reduce-scatter: {size: 1MB}", 1e6, 3 / 4.0},
        {"all-gather: {size: 1MB}", 4e6, 3 / 4.0},
        {"all-to-all: {size: 1MB}", 1e6, 3 / 4.0},
        {"broadcast: {size: 1MB}", 1e6, 1},
        {"reduce: {size: 1MB}", 1e6, 1},
        {"gather: {size: 1MB}", 4e6, 3 / 4.0},
        {"scatter: {size: 1MB}", 4e6, 3 / 4.0},
        {"barrier", 0, 3 / 4.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake f;
        char jobs[256];
        snprintf(jobs, sizeof jobs, "  - {ranks: 4, program: [%s]}\n",
                 cases[i].call);
        fake_play(&f, 4, jobs);
        const struct orr_collective_record *r = f.w.jobs[0].collective;
        double seconds = (double)(r->end_ps - r->start_ps) / 1e12;
        assert_float_equal(r->algorithm_bps, 8 * cases[i].bytes / seconds, 1);
        assert_float_equal(r->bus_bps, r->algorithm_bps * cases[i].factor, 1);
        fake_free(&f);
    }
}

/* Beyond the records that are kept, collectives are still counted. */
static void test_records_are_capped(void **state)
{
    struct fake f;
    fake_play(&f, 2,
              "  - {ranks: 2, iterations: 60000, program: [barrier, "
              "barrier]}\n");
    assert_int_equal(f.w.jobs[0].n_collectives, ORR_COLLECTIVES_KEPT);
    assert_int_equal(f.w.jobs[0].collectives_run, 120000);
    assert_int_equal(f.w.jobs[0].collective[ORR_COLLECTIVES_KEPT - 1].iteration,
                     49999);
    fake_free(&f);
}

/* ---- stuck runs --------------------------------------------------------- */

static void stuck(uint32_t hosts, const char *jobs, uint32_t lose,
                  const char *message)
{
    struct fake f;
    assert_int_equal(fake_read(&f, hosts, jobs), ORR_OK);
    f.net.lose_at = lose;
    fake_go(&f);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_ERUN);
    assert_string_equal(f.why.message, message);
    assert_int_equal(f.w.jobs[0].finish_ps, -1);
    fake_free(&f);
}

static void test_who_waits_for_what(void **state)
{
    stuck(2,
          "  - {ranks: 2, program: [{recv: {from: 0, tag: 3}, ranks: [1]}]}"
          "\n",
          0,
          "no events are left, but 1 rank waits: job0: rank 1 in iteration 0 "
          "waits for a message with tag 3 from rank 0 (recv, operation 0), "
          "since 0 ps");
    stuck(
        3,
        "  - {ranks: 3, name: a, iterations: 2, program: [all-reduce: "
        "{size: 3KB}]}\n",
        13,
        "no events are left, but 3 ranks wait: a: rank 0 in iteration 1 waits "
        "for a message from rank 2 in all-reduce (ring, operation 0), chunk 0, "
        "step 1, since 2.08 us; a: rank 1 in iteration 1 waits for a message "
        "from rank 0 in all-reduce (ring, operation 0), chunk 0, step 2, since "
        "2.08 us; a: rank 2 in iteration 1 waits for a message from rank 1 in "
        "all-reduce (ring, operation 0), chunk 0, step 0, since 2.08 us");
    stuck(3,
          "  - {ranks: 2, program: [all-reduce: {size: 2KB, algorithm: "
          "parameter-server, servers: [2]}]}\n",
          1,
          "no events are left, but 3 ranks wait: job0: rank 0 in iteration 0 "
          "waits for a message from the server on host 2 in all-reduce "
          "(parameter-server, operation 0), chunk 0, step 0, since 0 ps; job0: "
          "rank 1 in iteration 0 waits for a message from the server on host 2 "
          "in all-reduce (parameter-server, operation 0), chunk 0, step 0, "
          "since 0 ps; job0: the server on host 2 waits for 1 of 2 messages in "
          "all-reduce (parameter-server, operation 0), chunk 0, step 0");
    stuck(
        2,
        "  - {ranks: 2, complete: acked, program: [{send: {to: 1, size: "
        "1KB}, ranks: [0]}]}\n",
        1,
        "no events are left, but 1 rank waits: job0: rank 0 in iteration 0 "
        "waits for a message of its own to be acknowledged (send), since 0 ps");
}

/* The message that came has another tag. */
static void test_wrong_tag_is_told(void **state)
{
    stuck(2,
          "  - {ranks: 2, program: [{send: {to: 1, size: 1KB, tag: 5}, "
          "ranks: [0]}, {recv: {from: 0, tag: 6}, ranks: [1]}]}\n",
          0,
          "no events are left, but 1 rank waits: job0: rank 1 in iteration 0 "
          "waits for a message with tag 6 from rank 0 (recv, operation 1) and "
          "has one with tag 5, since 0 ps");
}

static void test_many_waiters_are_cut_short(void **state)
{
    struct fake f;
    assert_int_equal(fake_read(&f, 9,
                               "  - {ranks: 9, program: [recv: {from: +1}]}"
                               "\n"),
                     ORR_OK);
    fake_go(&f);
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_ERUN);
    assert_non_null(strstr(f.why.message, "but 9 ranks wait: job0: rank 0"));
    assert_non_null(strstr(f.why.message, "rank 3 in iteration 0"));
    assert_null(strstr(f.why.message, "rank 4 in iteration 0"));
    assert_non_null(strstr(f.why.message, "; and so on"));
    fake_free(&f);
}

/* A run that was stopped is not stuck. */
static void test_partial_runs_are_fine(void **state)
{
    struct fake f;
    assert_int_equal(fake_read(&f, 2,
                               "  - {ranks: 2, program: [recv: {from: +1}]}"
                               "\n"),
                     ORR_OK);
    fake_go(&f);
    f.w.result.partial = true;
    assert_int_equal(orr__jobs_close(&f.w, &f.why), ORR_OK);
    assert_int_equal(f.w.jobs[0].iteration[0].end_ps, -1);
    assert_int_equal(f.w.jobs[0].iteration[0].start_ps, 0);
    fake_free(&f);
}

/* ---- memory ------------------------------------------------------------- */

/* Whatever allocation fails while it runs, the run ends with ENOMEM and
 * everything can be freed. */
static void test_out_of_memory(void **state)
{
    bool done = false;
    const char *jobs =
        "  - {ranks: 4, placement: [0, 0, 1, 2], message_overhead: {time: "
        "1ns}, iterations: 2, program: [parallel: [compute: 1us, all-reduce: "
        "{size: 1KB, chunks: 3, concurrent: 2, endpoint_delay: 1ns}, send: "
        "{from: 0, to: 2, size: 1B}], all-to-all: {size: 64B}]}\n";
    for (uint64_t n = 1; !done; n++) {
        struct fake f;
        assert_int_equal(fake_read(&f, 3, jobs), ORR_OK);
        /* the fake's own arrays must not be what fails */
        f.net.room = 4096;
        f.net.heap = orr__alloc(f.net.room, sizeof *f.net.heap);
        f.net.connection_room = 64;
        f.net.connection = orr__alloc(64, sizeof *f.net.connection);
        orr__memory_fail_after(n, 0);
        orr_err err = orr__jobs_start(&f.w, &f.why);
        if (!err)
            fake_run(&f.net);
        if (!err && !(err = f.net.failed))
            err = orr__jobs_close(&f.w, &f.why);
        orr__memory_fail_after(0, 0);
        done = err == ORR_OK;
        if (!done)
            assert_int_equal(err, ORR_ENOMEM);
        fake_free(&f);
        assert_true(n < 10000);
    }
}

/* A ring over many ranks holds its active steps only: a few hundred bytes a
 * rank, whatever its number of steps. */
static void test_memory_of_active_steps(void **state)
{
    struct fake f;
    fake_play(&f, 64,
              "  - {ranks: 64, program: [all-reduce: {size: 64KiB, "
              "chunks: 8}]}\n");
    const struct orr_team *t = f.w.jobs[0].team;
    for (uint32_t i = 0; i < 64; i++) {
        const struct orr_rank *r = &t->rank[i];
        assert_in_range(r->mail.mask, 0, 15);
        assert_int_equal(r->later_room, 0);
        assert_int_equal(r->peers, 1);
        assert_in_range(r->peer_mask, 0, 3);
    }
    fake_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_workers_change_nothing),
        cmocka_unit_test(test_jitter_is_by_name),
        cmocka_unit_test(test_bandwidths),
        cmocka_unit_test(test_records_are_capped),
        cmocka_unit_test(test_who_waits_for_what),
        cmocka_unit_test(test_wrong_tag_is_told),
        cmocka_unit_test(test_many_waiters_are_cut_short),
        cmocka_unit_test(test_partial_runs_are_fine),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_memory_of_active_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
