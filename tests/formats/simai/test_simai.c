/* SimAI workloads: who is in which group, what each collective carries, the
 * pipeline's schedule, and what is refused. The net is one without packets, so
 * times are exact. */
#include <stdlib.h>

#include "formats/astra/astra.h"
#include "tests/formats/traces.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)(x)*1000)
#define HEAD  "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: "
#define TAIL  " checkpoints: 0 checkpoint_initiates: 0"

static orr_err read_job(struct fake *f, uint32_t ranks, const char *workload,
                        const char *keys)
{
    char job[400];
    FILE *w = fopen(et_path("w.txt"), "w");
    assert_non_null(w);
    fputs(workload, w);
    fclose(w);
    snprintf(job, sizeof job,
             "  - {ranks: %u, trace: {format: simai, workload: %s/w.txt%s}}\n",
             ranks, et_folder, keys);
    return fake_read(f, ranks, job);
}

static int64_t play(struct fake *f, uint32_t ranks, const char *workload,
                    const char *keys)
{
    orr_err err = read_job(f, ranks, workload, keys);
    if (err)
        print_error("%s\n", f->why.message);
    assert_int_equal(err, ORR_OK);
    fake_go(f);
    assert_int_equal(orr__jobs_close(&f->w, &f->why), ORR_OK);
    return f->w.jobs[0].finish_ps;
}

static void refused(const char *workload, int line, const char *message)
{
    struct fake f;
    assert_int_equal(read_job(&f, 8, workload, ""), ORR_ECONFIG);
    if (!strstr(f.why.message, message) || (line && f.why.line != line))
        print_error("%s:%d: %s\n", f.why.file, f.why.line, f.why.message);
    assert_non_null(strstr(f.why.message, message));
    if (line)
        assert_int_equal(f.why.line, line);
    assert_true(f.why.file[0] && f.why.line > 0 && f.why.col > 0);
    /* whatever is wrong with a workload is wrong there */
    assert_non_null(strstr(f.why.file, "/w.txt"));
    fake_free(&f);
}

static int64_t step(const struct fake *f, uint64_t bytes)
{
    return orr__serialisation(bytes, f->net.rate_bps) + f->net.latency_ps;
}

/* ---- collectives -------------------------------------------------------- */

/* One forward collective over all four ranks. */
static uint64_t sent(const char *what, const char *keys)
{
    struct fake f;
    char text[300];
    snprintf(text, sizeof text,
             HEAD "4 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 4" TAIL
                  "\n1\nl0 -1 0 %s 0 NONE 0 0 NONE 0 0\n",
             what);
    play(&f, 4, text, keys);
    uint64_t bytes = f.w.jobs[0].bytes_sent;
    assert_int_equal(bytes % 4, 0);
    fake_free(&f);
    return bytes / 4;
}

static void test_bytes(void **state)
{
    const uint64_t m = 1 << 20;
    assert_int_equal(sent("ALLREDUCE 1048576", ""), m / 4 * 6);
    assert_int_equal(sent("REDUCESCATTER 1048576", ""), m / 4 * 3);
    /* the size is that of the result */
    assert_int_equal(sent("ALLGATHER 1048576", ""), m / 4 * 3);
    assert_int_equal(sent("ALLTOALL 1048576", ""), m / 4 * 3);
    assert_int_equal(sent("ALLREDUCE 1048576", ", gpus_per_server: 2"),
                     m / 4 * 6);
    assert_int_equal(sent("ALLREDUCE 1048576", ", comm_scale: 2"), m / 4 * 12);
    assert_int_equal(
        sent("ALLREDUCE 1048576", ", algorithm: tree, gpus_per_server: 2"),
        m / 4 * 6);
    assert_int_equal(sent("NONE 1048576", ""), 0);
    assert_int_equal(sent("ALLREDUCE 0", ""), 0);
}

/* A ring's steps, each with SimAI's latency before it and after the last. */
static void test_ring(void **state)
{
    struct fake f;
    const char *w = HEAD "4" TAIL "\n1\nl0 -1 100 ALLREDUCE 4000 0 NONE 0 0 "
                         "NONE 0 7\n";
    int64_t end = play(&f, 4, w, ", send_latency: 1us");
    int64_t ring = NS(1000) + 6 * (step(&f, 1000) + NS(1000));
    assert_int_equal(end, NS(100) + ring + NS(7 + 3));
    fake_free(&f);
    end = play(&f, 4, w, ", send_latency: 1us, passes: 2");
    assert_int_equal(end, 2 * (NS(100) + ring + NS(7 + 3)));
    fake_free(&f);
}

/* Which ranks exchange something with rank 0, by kind of group: 16 ranks, TP
 * 2, EP 2, two stages: DP 4, DP_EP 2. */
static uint32_t friends(const char *wg)
{
    struct fake f;
    char text[300];
    uint32_t set = 0;
    snprintf(text, sizeof text,
             HEAD "2 ep: 2 pp: 2 vpp: 1 ga: 1 all_gpus: 16" TAIL
                  " pp_comm 1\n1\nl0 -1 0 NONE 0 0 NONE 0 0 %s 1000 0\n",
             wg);
    assert_int_equal(read_job(&f, 16, text, ""), ORR_OK);
    const struct orr_program *p = orr__job_program(&f.w.jobs[0]);
    assert_int_equal(p->calls, 2); /* one a stage */
    for (uint32_t c = 0; c < 2; c++) {
        assert_int_equal(p->call[c].from, 8 * c);
        assert_int_equal(orr__call_ranks(p, &p->call[c]), 8);
        for (uint32_t r = 8 * c; r < 8 * c + 8; r++)
            for (uint32_t i = 0; i < p->call[c].c.n; i++)
                if (orr__call_rank(p, &p->call[c], i, r) == 0)
                    set |= 1u << r;
    }
    fake_free(&f);
    return set;
}

static void test_groups(void **state)
{
    assert_int_equal(friends("ALLREDUCE"), 1 << 0 | 1 << 2 | 1 << 4 | 1 << 6);
    assert_int_equal(friends("ALLTOALL_EP"), 1 << 0 | 1 << 2);
    assert_int_equal(friends("ALLGATHER_DP_EP"), 1 << 0 | 1 << 4);
}

/* ---- the pipeline ------------------------------------------------------- */

/* (m + P - 1) (forward + backward) and the hops between. */
static void test_pipeline(void **state)
{
    struct fake f;
    int64_t end = play(
        &f, 2,
        HEAD "1 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 2" TAIL " pp_comm: 4000\n2\n"
             "embedding_layer -1 1000 NONE 0 0 NONE 0 2000 NONE 0 0\n"
             "embedding_layer -1 1000 NONE 0 0 NONE 0 2000 NONE 0 "
             "0\n",
        "");
    assert_int_equal(end, 3 * NS(1001 + 2002) + 2 * step(&f, 4000));
    assert_int_equal(f.w.jobs[0].bytes_sent, 4 * 4000);
    fake_free(&f);
}

/* A stage's collectives are its own, at its own time: that of the second begins
 * when the first has sent on what it made. */
static void test_stages_apart(void **state)
{
    struct fake f;
    play(&f, 4,
         HEAD "2 ep: 1 pp: 2 vpp: 1 ga: 1 all_gpus: 4" TAIL
              " pp_comm: 4000\n1\n"
              "l -1 100 ALLREDUCE 4000 0 NONE 0 0 NONE 0 0\n",
         ", send_latency: 1us");
    const struct orr_job *j = &f.w.jobs[0];
    const struct orr_collective_record *c = j->collective;
    int64_t ring = NS(1000) + 2 * (step(&f, 2000) + NS(1000));
    assert_int_equal(j->n_collectives, 2);
    assert_int_equal(c[0].start_ps, NS(100));
    assert_int_equal(c[0].end_ps - c[0].start_ps, ring);
    assert_int_equal(c[1].end_ps - c[1].start_ps, ring);
    /* a layer's phase is over, and its message there */
    assert_int_equal(c[1].start_ps - c[0].end_ps,
                     NS(1) + step(&f, 4000) + NS(100));
    /* rank 0's report is of its own */
    const struct orr_trace_info *trace = orr__trace_of(j);
    assert_int_equal(trace->astra->layer[0].collectives, 1);
    assert_int_equal(trace->astra->layer[0].compute_ps[ORR_ASTRA_FWD], NS(100));
    fake_free(&f);
}

/* Two chunks on each of two stages: the bubble is half as long. */
static void test_interleaved(void **state)
{
    struct fake f;
    int64_t end = play(
        &f, 2,
        HEAD "1 ep: 1 pp: 2 vpp: 2 ga: 2 all_gpus: 2" TAIL " pp_comm: 4\n4\n"
             "embedding_layer -1 5000 NONE 0 0 NONE 0 0 NONE 0 0\n"
             "l -1 5000 NONE 0 0 NONE 0 0 NONE 0 0\n"
             "embedding_layer -1 5000 NONE 0 0 NONE 0 0 NONE 0 0\n"
             "l -1 5000 NONE 0 0 NONE 0 0 NONE 0 0\n",
        "");
    /* forward 4 units and the wait for one; 3 messages each way between two
     * stages that take turns */
    assert_in_range(end, 5 * NS(5001),
                    5 * NS(5001) + 8 * step(&f, 4) + NS(5 * 2));
    assert_int_equal(f.w.jobs[0].bytes_sent, 2 * (2 * 3) * 4);
    fake_free(&f);
}

static void test_refused(void **state)
{
    const char *line = "\n1\nl0 -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
    char text[300];
    snprintf(text, sizeof text, HEAD "3 ep: 1 pp: 1%s", line);
    refused(text, 1,
            "8 ranks are no multiple of tensor, expert and pipeline "
            "groups of 3, 1 and 1");
    snprintf(text, sizeof text, HEAD "2 ep: 2 pp: 4 pp_comm: 1%s", line);
    refused(text, 1, "no multiple");
    snprintf(text, sizeof text, HEAD "2 all_gpus: 16%s", line);
    refused(text, 1, "for 16 GPUs (all_gpus), the job has 8 ranks");
    snprintf(text, sizeof text, HEAD "2 pp: 2%s", line);
    refused(text, 1, "need pp_comm");
    snprintf(text, sizeof text, HEAD "2 pp: 2 ga: 2 pp_comm: 8%s", line);
    refused(text, 1, "1 layers are too few for 2 micro-batches (ga) in 1");
    refused("", 1, "this file is empty");
    refused("DATA\n1\nl0 -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", 1,
            "`format: astra` reads the others");
    snprintf(text, sizeof text,
             HEAD "2\n1\nl0 -1 1 ALLREDUCE_TP 0 1 NONE 0 1 "
                  "NONE 0 1\n");
    refused(text, 3, "\"ALLREDUCE_TP\": NONE, ALLREDUCE");
    snprintf(text, sizeof text, HEAD "4294967297%s", line);
    refused(text, 1, "from 0 to 1000000");
    snprintf(text, sizeof text,
             HEAD "2\n1\nl0 -1 nan NONE 0 1 NONE 0 1 NONE "
                  "0 1\n");
    refused(text, 3, "\"nan\": a compute time in ns is expected");
}

/* What a scale makes too long or too large, at the layer's line. */
static void test_scaled_too_far(void **state)
{
    static const struct {
        const char *keys, *message;
    } cases[] = {
        {", compute_scale: 10", "layer 1 computes for longer than 53 days"},
        {", comm_scale: 1e9", "layer 1: a collective of 9e+23 bytes is too "
                              "much for 2 ranks"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake f;
        assert_int_equal(
            read_job(&f, 8,
                     HEAD "2\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n"
                          "b -1 9e14 ALLREDUCE 9e14 1 NONE 0 1 NONE 0 1\n",
                     cases[i].keys),
            ORR_ECONFIG);
        assert_non_null(strstr(f.why.message, cases[i].message));
        assert_non_null(strstr(f.why.file, ".txt"));
        assert_int_equal(f.why.line, 4);
        assert_int_equal(f.why.col, 1);
        fake_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_pipeline),
        cmocka_unit_test(test_stages_apart),
        cmocka_unit_test(test_interleaved),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_scaled_too_far),
    };
    return cmocka_run_group_tests(tests, et_setup, et_teardown);
}
