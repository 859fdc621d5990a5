/* ASTRA-sim workloads: the formula for one collective, the order of each kind
 * of parallelism, dimensions and their queues, and what is refused. The net is
 * one without packets, so times are exact. */
#include <stdlib.h>

#include "formats/astra/astra.h"
#include "formats/source.h"
#include "tests/formats/traces.h"
#include "workload/rank/rank.h"

#define NS(x) ((int64_t)(x)*1000)

static const char *const plain_system =
    "scheduling-policy: LIFO\nendpoint-delay: 10\n"
    "active-chunks-per-dimension: 1\npreferred-dataset-splits: 4\n"
    "boost-mode: 1\nall-reduce-implementation: ring\n"
    "all-gather-implementation: ring\nreduce-scatter-implementation: ring\n"
    "all-to-all-implementation: direct\n"
    "collective-optimization: localBWAware\n";

static void put(const char *name, const char *text)
{
    FILE *f = fopen(et_path(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static orr_err read_job(struct fake *f, uint32_t ranks, const char *workload,
                        const char *system, const char *keys)
{
    char job[600];
    put("w.txt", workload);
    put("s.txt", system);
    snprintf(job, sizeof job,
             "  - {ranks: %u, trace: {format: astra, workload: %s/w.txt, "
             "system: %s/s.txt%s}}\n",
             ranks, et_folder, et_folder, keys);
    return fake_read(f, ranks, job);
}

static int64_t play(struct fake *f, uint32_t ranks, const char *workload,
                    const char *system, const char *keys)
{
    orr_err err = read_job(f, ranks, workload, system, keys);
    if (err)
        print_error("%s\n", f->why.message);
    assert_int_equal(err, ORR_OK);
    fake_go(f);
    assert_int_equal(orr__jobs_close(&f->w, &f->why), ORR_OK);
    return f->w.jobs[0].finish_ps;
}

static void refused(const char *workload, const char *system, const char *keys,
                    int line, const char *message)
{
    struct fake f;
    assert_int_equal(read_job(&f, 8, workload, system, keys), ORR_ECONFIG);
    if (!strstr(f.why.message, message) || (line && f.why.line != line))
        print_error("%s:%d: %s\n", f.why.file, f.why.line, f.why.message);
    assert_non_null(strstr(f.why.message, message));
    if (line)
        assert_int_equal(f.why.line, line);
    assert_true(f.why.file[0] && f.why.line > 0 && f.why.col > 0);
    fake_free(&f);
}

static int64_t step(const struct fake *f, uint64_t bytes)
{
    return orr__serialisation(bytes, f->net.rate_bps) + f->net.latency_ps
           + NS(10);
}

/* ---- one collective ----------------------------------------------------- */

static void test_micro(void **state)
{
    struct fake f;
    /* U + S (E + 2 (N - 1) (step + E)) */
    int64_t end = play(&f, 8,
                       "MICRO\n1\nallreduce -1 1 NONE 0 1 NONE 0 1 ALLREDUCE "
                       "1048576 1\n",
                       plain_system, "");
    assert_int_equal(end, NS(1) + 4 * (NS(10) + 14 * step(&f, 32768)));
    /* a chunk is a collective; the second waits for the first, and so on */
    assert_int_equal(f.w.jobs[0].n_collectives, 4);
    double chunk = (double)(NS(10) + 14 * step(&f, 32768));
    const struct orr_trace_info *trace = orr__trace_of(&f.w.jobs[0]);
    assert_float_equal(trace->astra->chunk_ps[0], chunk, 1);
    assert_float_equal(trace->astra->queue_ps[0], 1.5 * chunk, 1);
    assert_int_equal(trace->astra->layer[0].comm_ps[ORR_ASTRA_WG], end);
    assert_int_equal(trace->astra->layer[0].exposed_ps[ORR_ASTRA_WG], end);
    fake_free(&f);
    /* twice the passes go through the same queue */
    end = play(&f, 8,
               "MICRO\n1\nallreduce -1 1 NONE 0 1 NONE 0 1 ALLREDUCE "
               "1048576 1\n",
               plain_system, ", passes: 2");
    assert_int_equal(end, NS(1) + 8 * (NS(10) + 14 * step(&f, 32768)));
    fake_free(&f);
    /* what does not divide leaves one more, smaller chunk */
    end = play(&f, 2, "MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4002 0\n",
               plain_system, "");
    assert_int_equal(end, 4 * (NS(10) + 2 * step(&f, 500)) + NS(10)
                              + 2 * step(&f, 1));
    fake_free(&f);
}

/* Large messages cost memory time, three passes at 500,000 B/ns. */
static void test_memory(void **state)
{
    struct fake f;
    int64_t end = play(&f, 2,
                       "MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 8000000 "
                       "1\n",
                       plain_system, "");
    assert_int_equal(end, NS(1) + 4 * (NS(10) + 2 * step(&f, 1000000) + NS(6)));
    fake_free(&f);
}

/* ---- layers ------------------------------------------------------------- */

static const char *const layers =
    "2\n"
    "l0 -1 100 ALLREDUCE 4000 200 ALLREDUCE 4000 300 ALLREDUCE 4000 7\n"
    "l1 -1 1000 ALLREDUCE 4000 2000 ALLREDUCE 4000 3000 ALLREDUCE 4000 9\n";

static int64_t of_type(struct fake *f, const char *type, const char *keys)
{
    char text[400];
    snprintf(text, sizeof text, "%s\n%s", type, layers);
    return play(f, 2, text, plain_system, keys);
}

static int64_t reduced(const struct fake *f)
{
    return 4 * (NS(10) + 2 * step(f, 500));
}

static const struct orr_astra_report *report(const struct fake *f)
{
    return orr__trace_of(&f->w.jobs[0])->astra;
}

static void test_data(void **state)
{
    struct fake f;
    int64_t end = of_type(&f, "DATA", "");
    /* forward 100, 1000; back 3000 (and its all-reduce), 2000, 300 (and its
     * own), each with a nanosecond of change */
    int64_t back = NS(101 + 1001 + 3000);
    int64_t issued0 = back + NS(1 + 2001 + 300);
    /* both of a rank's chunks go one after another */
    int64_t first = back + reduced(&f);
    assert_true(first > issued0); /* LIFO: the later goes first */
    assert_in_range(end, first + reduced(&f) - NS(200),
                    first + reduced(&f) + NS(200));
    assert_int_equal(report(&f)->layer[1].compute_ps[ORR_ASTRA_WG], NS(3000));
    fake_free(&f);
}

/* All collectives of MODEL block but those of the input gradients. */
static void test_model(void **state)
{
    struct fake f;
    int64_t end = of_type(&f, "MODEL", "");
    int64_t r = reduced(&f);
    int64_t ig = NS(2001 + 3000) > NS(2000) + r + NS(9) ? NS(2001 + 3000)
                                                        : NS(2000) + r + NS(9);
    assert_int_equal(end, NS(100) + r + NS(7 + 1) + NS(1000) + r + NS(9 + 1)
                              + ig + NS(1) + NS(200 + 1 + 300 + 1));
    fake_free(&f);
    end = of_type(&f, "DISTRIBUTED_INFERENCE", ", passes: 2");
    assert_int_equal(end,
                     2 * (NS(100) + r + NS(7 + 1) + NS(1000) + r + NS(9 + 1)));
    fake_free(&f);
}

static void test_transformer(void **state)
{
    struct fake f;
    int64_t end =
        of_type(&f, "HYBRID_TRANSFORMER model_parallel_NPU_group: 2", "");
    int64_t r = reduced(&f);
    /* there is no data-parallel dimension left */
    assert_int_equal(end, NS(100) + r + NS(7 + 1) + NS(1000) + r + NS(9 + 1)
                              + NS(2000) + r + NS(9 + 1 + 3000 + 1) + NS(200)
                              + r + NS(7 + 1 + 300 + 1));
    fake_free(&f);
    end = of_type(&f,
                  "HYBRID_TRANSFORMER_FWD_IN_BCKWD "
                  "model_parallel_NPU_group: 2 checkpoints: 1 0 "
                  "checkpoint_initiates: 1 1",
                  "");
    /* layer 0 forward once more, before layer 1's gradients */
    assert_int_equal(end, NS(100) + r + NS(7 + 1) + NS(1000) + r + NS(9 + 1)
                              + NS(1 + 100) + r + NS(7 + 1) + NS(2000) + r
                              + NS(9 + 1 + 3000 + 1) + NS(200) + r
                              + NS(7 + 1 + 300 + 1));
    fake_free(&f);
}

/* SimAI's words between the group and the checkpoints change nothing. */
static void test_simai(void **state)
{
    struct fake f;
    int64_t plain = of_type(&f,
                            "HYBRID_TRANSFORMER_FWD_IN_BCKWD "
                            "model_parallel_NPU_group: 2 checkpoints: 1 0 "
                            "checkpoint_initiates: 1 1",
                            "");
    fake_free(&f);
    int64_t end = of_type(&f,
                          "HYBRID_TRANSFORMER_FWD_IN_BCKWD "
                          "model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 8 "
                          "ga: 1 all_gpus: 2 checkpoints: 1 0 "
                          "checkpoint_initiates: 1 1",
                          "");
    assert_int_equal(end, plain);
    fake_free(&f);
    /* an expert group of one rank has nobody to talk to */
    end = play(&f, 2,
               "DISTRIBUTED_INFERENCE\n1\nl0 -1 100 ALLTOALL_EP 4000 1 NONE 0 "
               "1 NONE 0 7\n",
               plain_system, "");
    assert_int_equal(end, NS(100 + 1));
    fake_free(&f);
    refused("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
            "ep: 1 pp: 2 vpp: 8 checkpoints: 0 checkpoint_initiates: 0 "
            "pp_comm: 100\n1\nl0 -1 100 NONE 0 1 NONE 0 1 NONE 0 7\n",
            plain_system, "", 1, "`format: simai` reads them");
    refused("HYBRID_TRANSFORMER ep: 1 dp: 2\n1\n", plain_system, "", 1,
            "no such word in a header");
    refused("HYBRID_TRANSFORMER ep: 1 ep: 2\n1\n", plain_system, "", 1,
            "is listed twice");
    refused("HYBRID_TRANSFORMER pp: 0\n1\n", plain_system, "", 1,
            "1 or more is expected");
    refused("HYBRID_TRANSFORMER pp: 1\n1\n", plain_system, "", 1,
            "no model_parallel_NPU_group");
    refused("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 "
            "checkpoints: 1000000\n1\n",
            plain_system, "", 1, "ends before that many");
}

static void test_scales(void **state)
{
    struct fake f;
    int64_t end = of_type(&f, "DISTRIBUTED_INFERENCE",
                          ", compute_scale: 2, comm_scale: 0, "
                          "injection_scale: 0");
    assert_int_equal(end, NS(200 + 1 + 2000 + 1));
    fake_free(&f);
}

static void test_other_types_end(void **state)
{
    static const char *const types[] = {
        "DATA_REORDER", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA",
        "HYBRID_DLRM\n1", "HYBRID_DLRM_ENHANCED\nDLRM_LAST_BOTTOM_LAYER: 0"};
    struct fake f;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int64_t end = of_type(&f, types[i], ", passes: 2");
        assert_true(end > 2 * NS(100 + 1000 + 300 + 3000));
        fake_free(&f);
    }
    int64_t end = play(
        &f, 2,
        "HYBRID_CUSTOMIZED\n1\nl0 -1 100 NONE 0 200 NONE 0 300 ALLREDUCE 4000 "
        "7 DATA\n",
        plain_system, "");
    assert_int_equal(end, NS(101 + 201 + 300) + reduced(&f) + NS(7));
    fake_free(&f);
}

/* ---- other systems ------------------------------------------------------ */

static void test_json_system(void **state)
{
    struct fake f;
    int64_t end =
        play(&f, 8, "MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1048576 0\n",
             "{\"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1, "
             "\"preferred-dataset-splits\": 2, \"all-reduce-implementation\": "
             "[\"halvingDoubling\"], \"local-mem-bw\": 50, "
             "\"scheduling-policy\": \"FIFO\"}",
             "");
    int64_t t = NS(10);
    for (uint64_t part = 1 << 18; part >= 1 << 16; part /= 2)
        t += 2 * step(&f, part);
    /* a received half costs three passes over the next message's bytes, in
     * whole ns each: 2^17 and 2^16 at 50 B/ns */
    t += NS(3 * 2621 + 3 * 1310);
    assert_int_equal(end, 2 * t);
    fake_free(&f);
}

/* ---- what is refused ---------------------------------------------------- */

static void test_refused(void **state)
{
    const char *ok = "MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4000 1\n";
    refused("MODELL\n1\n", plain_system, "", 1,
            "there is no such parallelism type");
    refused("MICRO\n7\na -1 1 NONE 0", plain_system, "", 2,
            "7 layers are announced, but the file ends before");
    refused("MICRO\n2\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4000 1\nb -1 1 NONE "
            "0 1",
            plain_system, "", 4,
            "the file ends where a kind of collective is expected");
    refused("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUZE 4000 1\n",
            plain_system, "", 3, "\"ALLREDUZE\": NONE, ALLREDUCE");
    refused("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE -4 1\n", plain_system,
            "", 3, "a size in bytes is expected");
    refused("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4 1\nmore",
            plain_system, "", 4, "nothing is expected after the last layer");
    refused("HYBRID_TRANSFORMER model_parallel_NPU_group: 3\n1\na -1 1 NONE 0 "
            "1 NONE 0 1 ALLREDUCE 4000 1\n",
            plain_system, "", 1,
            "a model-parallel group of 3 NPUs does not divide the 8");
    refused(ok, "endpoint-delay: fast\n", "", 1,
            "\"fast\": a number from 0 to");
    refused(ok, "\nall-reduce-implementation: ring_square\n", "", 2,
            "\"square\": ring, oneRing, direct");
    /* what does not fit a network of one dimension */
    refused(ok, "\n\nall-reduce-implementation: ring_ring_ring\n", "", 3,
            "trace: 3 implementations of all-reduce for 1 dimension");
    refused(ok, "{\n\"all-reduce-implementation\":\n[\"ring\", \"ring\"]}", "",
            3, "trace: 2 implementations of all-reduce for 1 dimension");
    refused(ok, "endpoint-delya: 10\n", "", 1,
            "\"endpoint-delya\" is not a key of a system file");
    refused(ok, "LIFO\n", "", 1, "`key: value` is expected");
    refused(ok, "{\"endpoint-delay\": 10,, }", "", 1, "");
    refused(ok, "scheduling-policy: LIFE\n", "", 1,
            "one of LIFO FIFO EXPLICIT is expected");
    /* JSON, whose reader knows no places of what it could read */
    refused(ok, "{\"L\": 1,\n  \"endpoint-delay\":\n    -5}", "", 3,
            "\"-5\": a number from 0 to 1000000000000 is expected");
    refused(ok, "{\n \"L\": \"peak-perf\",\n \"peak-perf\": -1}", "", 3,
            "peak-perf: \"-1\": a number from 0 to 1000000000 is expected");
    refused(ok, "{\n\"all-reduce-implementation\": [\"ring\", 3]}", "", 2,
            "a list of names is expected");
    /* what a scale makes of a layer */
    refused("DATA\n1\na -1 9e14 NONE 0 9e14 NONE 0 9e14 NONE 0 1\n",
            plain_system, ", compute_scale: 10", 3,
            "layer 0 computes for longer than 53 days");
    refused("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 9e14 1\n",
            plain_system, ", comm_scale: 1e9", 3,
            "bytes is too much for 8 ranks");
    refused(ok, "endpoint-delay: 1e4\n", ", injection_scale: 1e9", 1,
            "an endpoint delay of 1e+13 ns, at most 1e+12 are possible");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_micro),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_transformer),
        cmocka_unit_test(test_simai),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_other_types_end),
        cmocka_unit_test(test_json_system),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, et_setup, et_teardown);
}
