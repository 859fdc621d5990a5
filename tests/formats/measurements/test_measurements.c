#include "formats/measurements/measurements.h"

#include <math.h>
#include <stdio.h>

#include "core/none.h"
#include "tests/refused.h"

/* A row that has to come out. */
struct expected {
    uint64_t bytes;
    uint32_t ranks;
    double time_ns, low_ns, high_ns; /* 0: NAN */
    const char *label, *value;       /* a text of it; NULL: any */
};

static const char nccl[] =
    "host1:7:7 [0] NCCL INFO Bootstrap\n"
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor)\n"
    "#  Rank  0 Group  0 Pid   1 on  a device  0 [0x07] NVIDIA H100\n"
    "#  Rank  1 Group  0 Pid   2 on  b device  0 [0x07] NVIDIA H100\n"
    "#                          out-of-place              in-place\n"
    "#  size  count type redop root time algbw busbw #wrong time algbw busbw "
    "#wrong\n"
    "#  (B) (elements) (us) (GB/s) (GB/s)  (us) (GB/s) (GB/s)\n"
    "  8  2 float sum -1  12.34 0.00 0.00 0  11.5 0.00 0.00 N/A\n"
    "a:1:2 [0] NCCL WARN something\n"
    " 16  4 float sum -1  13.00 0.00 0.00 3  N/A N/A N/A N/A\n"
    "[1,0]<stdout>:  32  8 float sum -1  14 0.00 0.00 0  15 0.00 0.00 0\n"
    "a: Test NCCL failure all_reduce.cu:4 'unhandled system error'\n"
    "# Out of bounds values : 3 FAILED\n";

static const char osu[] =
    "Lmod is replacing things\n"
    "# OSU MPI All-to-All Personalized Exchange Latency Test v7.5\n"
    "# Datatype: MPI_CHAR.\n"
    "# Size       Avg Latency(us)   Min Latency(us)  Max Latency(us)\n"
    "4                      10.05   9.1 11\n"
    "8                      10.84   9.2 12\n"
    "\n"
    "real 0m1s\n"
    "17 processes left\n";

static const char pico[] =
    "collective_type,array_dim,buffer_size,algo_name,datatype,mean,median,"
    "nnodes,tasks_per_node,percentile_10,percentile_90,n_iter\n"
    "ALLREDUCE,64,256,nccl_ring,int32,43000.5,42200,4,4,40900,44900,9999\n";

static const char inspector[] =
    "{\"header\": {\"id\": \"0x1\", \"rank\": 0, \"n_ranks\": 2},\n"
    " \"coll_perf\": {\"coll\": \"ReduceScatter\", \"coll_sn\": 1,\n"
    "  \"coll_msg_size_bytes\": 1000, \"coll_exec_time_us\": 5}}\n"
    "{\"header\": {\"id\": \"0x1\", \"rank\": 1, \"n_ranks\": 2},"
    " \"coll_perf\": {\"coll\": \"ReduceScatter\", \"coll_sn\": 1,"
    "  \"coll_msg_size_bytes\": 1000, \"coll_exec_time_us\": 7.5}}\n"
    "{\"header\": {\"id\": \"0x1\", \"rank\": 0, \"n_ranks\": 2},"
    " \"coll_perf\": {\"coll\": \"ReduceScatter\", \"coll_sn\": 2,"
    "  \"coll_msg_size_bytes\": 1000, \"coll_exec_time_us\": 9.5}}\n";

static const struct {
    const char *name, *text;
    uint64_t element;
    uint32_t n;
    struct expected row[4];
    const char *notes; /* all of them; NULL: none */
} good[] = {
    {"nccl",
     nccl,
     0,
     4,
     {{8, 2, 12340, 0, 0, "place", "out-of-place"},
      {8, 2, 11500, 0, 0, "place", "in-place"},
      {32, 2, 14000, 0, 0, "place", "out-of-place"},
      {32, 2, 15000, 0, 0, "place", "in-place"}},
     "nccl:10: left out: the results out-of-place of 16 bytes were wrong\n"
     "nccl:12: the test failed here\n"
     "nccl:13: some results of this run were wrong\n"},
    {"osu",
     osu,
     0,
     2,
     {{4, 0, 10050, 0, 0, "test", "All-to-All Personalized Exchange"},
      {8, 0, 10840, 0, 0, NULL, NULL}},
     NULL},
    {"pico",
     pico,
     0,
     1,
     {{256, 16, 42200, 40900, 44900, "algo_name", "nccl_ring"}},
     NULL},
    {"d/512_ring_over_int32.csv",
     "highest,rank0,rank1\n900,1,900\n10,10,9\n20,20,9\n30,30,9\n40,40,9\n",
     0,
     1,
     {{2048, 2, 25, 13, 37, "algo_name", "ring_over"}},
     NULL},
    {"inspector",
     inspector,
     0,
     1,
     {{2000, 2, 8500, 0, 0, "collective", "reduce-scatter"}},
     "inspector:1: 1 of 2 collectives have records of only some ranks: the "
     "slowest may be missing\n"},
    {"table",
     "# made by hand\nGPUs,size_KiB,Median [us],p10_us,p90_us,algorithm\n"
     "16,4,42.5,41,44,ring\n",
     0,
     1,
     {{4096, 16, 42500, 41000, 44000, "algorithm", "ring"}},
     NULL},
    {"units",
     "size;time\n1MiB;12.5us\n4MB;1ms\n",
     0,
     2,
     {{1048576, 0, 12500, 0, 0, NULL, NULL},
      {4000000, 0, 1000000, 0, 0, NULL, NULL}},
     NULL},
    {"blanks",
     "shape elements median_us min_us\n2x2x2 8 47.72 46\n",
     4,
     1,
     {{32, 0, 47720, 0, 0, "shape", "2x2x2"}},
     NULL},
    {"types",
     "elements,type,time_us\n8,double,1\n",
     0,
     1,
     {{64, 0, 1000, 0, 0, NULL, NULL}},
     NULL},
    {"wrong",
     "bytes,time_us,errors\n8,1,0\n16,2,4\n",
     0,
     1,
     {{8, 0, 1000, 0, 0, NULL, NULL}},
     "wrong:3: left out: the results of 16 bytes were wrong\n"},
};

static void check_row(const struct orr_measurements *m, uint32_t i,
                      const struct expected *x)
{
    const struct orr_measurements_row *r = &m->row[i];
    assert_int_equal(r->bytes, x->bytes);
    assert_int_equal(r->ranks, x->ranks);
    assert_true(fabs(r->time_ns - x->time_ns) < 1e-6);
    assert_true(x->low_ns > 0 ? fabs(r->low_ns - x->low_ns) < 1e-6
                              : isnan(r->low_ns));
    assert_true(x->high_ns > 0 ? fabs(r->high_ns - x->high_ns) < 1e-6
                               : isnan(r->high_ns));
    if (!x->label)
        return;
    uint32_t label = orr__measurements_label(m, x->label);
    assert_int_not_equal(label, ORR_NONE);
    assert_string_equal(r->label[label], x->value);
}

static void test_formats(void **state)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_measurements m = {.n = 0};
        orr_err err = orr__measurements_text(&m, good[i].name, good[i].text,
                                             strlen(good[i].text), NULL,
                                             good[i].element, &why);
        if (err)
            fail_msg("%s: %d:%d: %s", good[i].name, why.line, why.col,
                     why.message);
        assert_int_equal(m.n, good[i].n);
        for (uint32_t k = 0; k < m.n; k++)
            check_row(&m, k, &good[i].row[k]);
        assert_string_equal(m.notes.s ? m.notes.s : "",
                            good[i].notes ? good[i].notes : "");
        orr__measurements_fini(&m);
    }
}

#define TABLE                                                                  \
    "# nThread 1\n# size count type redop root time algbw busbw #wrong\n"

static const struct {
    const char *text, *message, *hint; /* hint NULL: any */
    int line, col;
} bad[] = {
    {" \n", "the file is empty", NULL, 1, 1},
    {"hello\n", "no measurements: neither a line that names columns nor JSON",
     NULL, 1, 1},
    {"ranks,time_us\n2,1\n", "no column of sizes",
     "call it bytes, or size_KiB; `elements` with a column type", 1, 0},
    {"bytes,ranks\n8,2\n", "no column of times",
     "call it time_us, median_us or mean_us", 1, 0},
    {"bytes,time\n8,12\n", "a time has no unit",
     "name the column time_us, or write 12us", 2, 3},
    {"bytes,time_us\n,12\n", "the size is missing", NULL, 2, 1},
    {"bytes,time_us\n8\n", "the table has 2 columns, this line 1", NULL, 2, 0},
    {"bytes,time_us\n8,1,2\n", "the table has 2 columns, this line more", NULL,
     2, 5},
    {"bytes,time_us\n8,\n", "the table has 2 columns, this line 1", NULL, 2, 0},
    {"bytes,time_us\n8,0\n", "a time is 0", NULL, 2, 3},
    {"bytes,time_us\n8,-1\n", "a time must be from 0 to 1e+15, not -1", NULL, 2,
     3},
    {"bytes,time_us\n0,1\n", "a size of 0", NULL, 2, 1},
    {"bytes,time_us\n8us,1\n",
     "a size: unknown unit: a size takes B KB MB GB TB or "
     "KiB MiB GiB TiB",
     NULL, 2, 1},
    {"elements,time_us\n8,1\n",
     "sizes are in elements, and nothing says how large one is",
     "--element 4B, or a column type (int32, float, ...)", 1, 0},
    {"elements,type,time_us\n8,quad,1\n", "the size of a \"quad\" is not known",
     NULL, 2, 3},
    {"bytes,elements,type,time_us\n8,8,float,1\n",
     "8 elements of 4 bytes are not 8 bytes", NULL, 2, 0},
    {"bytes,median_us,busbw_GBps\n134217728,11328,88.86\n",
     "88.86 GB/s are 7.5 times what 134217728 bytes in this time are", NULL, 2,
     17},
    {"bytes,ranks,time_us\n8,0,1\n",
     "a number of ranks must be from 1 to 16000000, not 0", NULL, 2, 3},
    {"bytes,time_us\n", "no times: a file of format csv has no row here", NULL,
     1, 1},
    {TABLE "8 8 float sum -1 1 0 0 0\n",
     "8 elements of 4 bytes are not 8 bytes", NULL, 3, 0},
    {TABLE "8 2 float sum -1 1 0 0\n", "the table has 9 columns, this line 8",
     NULL, 3, 0},
    {TABLE "8 2 float sum -1 1 0 0 7\n",
     "no times: a file of format nccl-tests has no row here",
     "bad:3: left out: the results out-of-place of 8 bytes were wrong", 1, 1},
    {TABLE "8 2 float sum -1 x 0 0 0\n", "a time must be a number, not \"x\"",
     NULL, 3, 18},
    {"# OSU MPI Bandwidth Test v7\n# Size      Bandwidth (MB/s)\n8 3\n",
     "a test of bandwidth has no times", NULL, 2, 13},
    {"# OSU MPI Allreduce Latency Test v7\n# Size  Avg Latency(us)\n8\n",
     "a time is missing", NULL, 3, 0},
    {"highest\n1\n", "the name of a file of pico's times says the size", NULL,
     1, 1},
    {"{\"coll_perf\": {\"coll\": \"AllReduce\"}}\n",
     "the header has no n_ranks from 1 to 16000000", NULL, 1, 1},
    {"\n{\"header\": {\"n_ranks\": 2}, \"coll_perf\": {\"coll\": \"A\", "
     "\"coll_exec_time_us\": 1}}\n",
     "coll_perf without coll_msg_size_bytes, its size in bytes", NULL, 2, 1},
    {"{\"header\": {\"n_ranks\": 2}, \"coll_perf\": {\"coll\": \"A\", "
     "\"coll_msg_size_bytes\": 8}}\n",
     "coll_perf without coll_exec_time_us, its time", NULL, 1, 1},
    {"{\"coll_perf\"", NULL, NULL, 1, 12},
};

static void test_refuses(void **state)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_measurements m = {.n = 0};
        orr_err err = orr__measurements_text(
            &m, "bad", bad[i].text, strlen(bad[i].text), NULL, 0, &why);
        assert_refused(err, &why,
                       (struct refused){i, bad[i].message, bad[i].hint,
                                        bad[i].line, bad[i].col});
        assert_string_equal(why.file, "bad");
        orr__measurements_fini(&m);
    }
}

/* What a size means for each kind of collective. */
static void test_held(void **state)
{
    struct orr_measurements_row r = {.bytes = 1000,
                                     .counts = ORR_MEASUREMENTS_BUFFER};
    assert_int_equal(orr__measurements_held(&r, 4, "all-reduce"), 1000);
    assert_int_equal(orr__measurements_held(&r, 4, "all-gather"), 250);
    assert_int_equal(orr__measurements_held(&r, 0, "all-gather"), 0);
    assert_int_equal(orr__measurements_held(&r, 4, "reduce-scatter"), 1000);
    r.counts = ORR_MEASUREMENTS_PEER;
    assert_int_equal(orr__measurements_held(&r, 4, "all-to-all"), 4000);
    assert_int_equal(orr__measurements_held(&r, 4, "all-gather"), 1000);
    r.counts = ORR_MEASUREMENTS_HELD;
    assert_int_equal(orr__measurements_held(&r, 0, "all-gather"), 1000);
}

static void test_unreadable(void **state)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_measurements m = {.n = 0};
    assert_int_equal(orr__measurements_read(&m, "/no/file", NULL, 0, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message,
                        "cannot read /no/file: No such file or directory");
    why = (struct orr_report){.code = ORR_OK};
    assert_int_equal(orr__measurements_text(&m, "t", "a", 1, "xml", 0, &why),
                     ORR_ECONFIG);
    assert_string_equal(why.message,
                        "no format of measurements is called \"xml\"");
    orr__measurements_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
